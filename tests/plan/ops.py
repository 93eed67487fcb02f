"""Two small checkouts with the anchors of an op, and a plan for an op as the scaffolds make it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from generator.plan.apply import apply
from generator.plan.builder import PlanBuilder
from generator.plan.entry import Applied
from generator.plan.ledger import Ledger
from generator.plan.plan import Plan
from generator.plan.tree import Tree
from generator.plan.undo import plan_undo
from generator.source.definition import Definition
from generator.source.elif_branch import ElifBranch
from generator.source.enum_member import EnumMember
from generator.source.export import Export
from generator.source.import_from import ImportFrom

UPPER = {
    "pkg/base.py": """import enum


class OpType(enum.Enum):
    Linear = enum.auto()
    Norm = enum.auto()


class Backend:
    pass
""",
    "pkg/backend.py": """from .base import Backend, OpType

# what a user may change
LIMIT = 1


class DlinferBackend(Backend):
    @classmethod
    def get_builder(cls, op):
        if op == OpType.Linear:
            return 'linear'
        elif op == OpType.Norm:
            return 'norm'
        else:
            return super().get_builder(op)

    def other(self):
        return LIMIT
""",
    "pkg/kernels/__init__.py": """from .linear import linear
from .norm import norm

__all__ = [
    'linear',
    'norm',
]
""",
}
LOWER = {
    "ops/llm.py": """import torch

__all__ = ["linear", "norm"]


def linear(x):
    return torch.linear(x)


def norm(x):
    return torch.norm(x)
""",
    "vendor/camb/ops.py": """import torch

__all__ = ["linear"]


def linear(x):
    return x
""",
    "vendor/ascend/ops.py": """import torch

__all__ = ["linear", "norm"]


def linear(x):
    return x


# below all of them
LAST = 2
""",
}
VENDORS = ("camb", "ascend", "maca")


def make(top: Path, dress: Callable[[str], bytes] = str.encode) -> dict[str, Path]:
    """Write both checkouts; `dress` gives each file its newlines and BOM."""
    for repo, files in (("upper", UPPER), ("lower", LOWER)):
        for path, text in files.items():
            place = top / repo / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(dress(text))
    return {repo: top / repo for repo in ("upper", "lower")}


def plan_op(roots: Mapping[str, Path], name: str, vendor: str) -> Plan:
    """Plan an op for a vendor: layers 0 to 3 are the same for all vendors, layer 4 is the vendor's."""
    tree = Tree(roots)
    builder = PlanBuilder(tree, Ledger.load(tree), [Applied(f"op-{name}-{vendor}", "op", name, (vendor,))])
    member = name.title().replace("_", "")

    def insert(repo, path, layer, *insertions):
        for insertion in insertions:
            builder.insert(repo, path, insertion, layer=layer)

    insert("upper", "pkg/base.py", "0", EnumMember("OpType", f"{member} = enum.auto()"))
    branch = f"elif op == OpType.{member}:\n    from .{name} import build\n    return build"
    insert("upper", "pkg/backend.py", "1", ElifBranch("DlinferBackend.get_builder", branch))
    builder.create(
        "upper", f"pkg/dlinfer/{name}.py", f"def build(x):\n    return '{name}'\n".encode(), layer="1", name=name
    )
    exports = (ImportFrom(f".{name}", name), Export(name))
    insert("upper", "pkg/kernels/__init__.py", "2", *exports)
    insert("lower", "ops/llm.py", "3", Definition(f"def {name}(x):\n    return torch.{name}(x)"), Export(name))
    vendor_file = f"vendor/{vendor}/ops.py"
    if vendor == "maca":
        builder.create("lower", vendor_file, b"__all__ = []\n", layer="4", name="maca")
    insert("lower", vendor_file, "4", Definition(f"def {name}(x):\n    # {vendor}\n    return x"), Export(name))
    for repo in roots:
        builder.keep(repo, f".scaffold/op-{name}-{vendor}/fragment.py", b"# a fragment\n")
    return builder.build(command=f"op {name} --vendor {vendor}", spec={"name": name})


def apply_op(roots: Mapping[str, Path], name: str, vendor: str) -> Plan:
    """Plan an op and apply it."""
    plan = plan_op(roots, name, vendor)
    apply(plan)
    return plan


def undo(roots: Mapping[str, Path], target: str) -> Plan:
    """Plan an undo and apply it."""
    tree = Tree(roots)
    plan = plan_undo(tree, Ledger.load(tree), target)
    apply(plan)
    return plan


def edit(roots: Mapping[str, Path], repo: str, path: str, old: bytes, new: bytes) -> None:
    """Change a text by hand that stands once in a file."""
    place = roots[repo] / path
    data = place.read_bytes()
    assert data.count(old) == 1
    place.write_bytes(data.replace(old, new))


def lines(roots: Mapping[str, Path], repo: str, path: str) -> list[str]:
    """Return the lines of a file."""
    return (roots[repo] / path).read_text().splitlines()
