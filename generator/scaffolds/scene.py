"""What a scaffold works on: the checkouts, what would be in them, and what was applied before."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from generator.plan.ledger import Ledger
from generator.plan.tree import Tree
from generator.render.template import Template, shipped
from generator.workspace.checkout import Workspace

if TYPE_CHECKING:
    from generator.render.folder import Renderer


@dataclass(frozen=True)
class Scene:
    """Everything a scaffold may look at. It plans into `tree`; nothing is written.

    Attributes:
        workspace: the checkouts.
        tree: their files, with what is planned so far.
        ledger: what was applied before.
        track: the bookkeeping is to be committed with the checkout.
        template: the templates to render.
    """

    workspace: Workspace
    tree: Tree
    ledger: Ledger
    track: bool = False
    template: Template = field(default_factory=shipped)

    @classmethod
    def open(cls, workspace: Workspace, *, track: bool = False, template: Template | None = None) -> Scene:
        """Read the ledgers of a workspace."""
        tree = Tree(workspace.roots)
        return cls(workspace, tree, Ledger.load(tree), track, template or shipped())

    @cached_property
    def renderer(self) -> Renderer:
        """Renders the templates."""
        from generator.render.folder import Renderer

        return Renderer(self.template.root)
