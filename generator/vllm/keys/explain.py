"""Say what every key is to the loader, or that nothing is known of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from . import vocabulary as v
from .groups import TOWERS, Group, Groups
from .scales import PARTNERS

TOWER_MODALITIES = {"audio": ("audio", "apm"), "speech output": ("talker", "code2wav", "token2wav", "tts")}


@dataclass
class Explained:
    """Attributes:
    roles: role → number of keys.
    of: pattern → role; patterns that nothing explains are absent.
    unexplained: groups without a role.
    """

    roles: dict[str, int] = field(default_factory=dict)
    of: dict[str, str] = field(default_factory=dict)
    unexplained: list[Group] = field(default_factory=list)

    @property
    def explained(self) -> int:
        """How many keys have a role."""
        return sum(self.roles.values())


def explain(groups: Groups, towers: bool, names: frozenset[str] = frozenset()) -> Explained:
    """Return what each group is.

    Args:
        towers: True if the configuration has a vision or audio part, so that the keys of towers are expected.
        names: identifiers of the model class that will load the checkpoint.
    """
    result = Explained()
    for group in groups.groups:
        role = role_of(group, towers, names)
        if role is None:
            result.unexplained.append(group)
        else:
            result.of[group.pattern] = role
            result.roles[role] = result.roles.get(role, 0) + group.count
    return result


def role_of(group: Group, towers: bool, names: frozenset[str]) -> str | None:
    """Return the role of a group, or None."""
    words = [word for word in group.pattern.split(".") if word != "*"]
    if not words or group.pattern.startswith(v.ADAPTER + v.WRAPPERS):
        return None
    if words[-1] in v.COMPUTED:
        return "computed at load, ignored"
    if towers and not TOWERS.isdisjoint(words[:-1]):
        return _tower(words)
    role = _parameter(words, names)
    return f"{role} of the experts" if role and "experts" in words and "projection" in role else role


def _tower(words: list[str]) -> str:
    first = next(word for word in words if word in TOWERS)
    kind = next((k for k, parts in TOWER_MODALITIES.items() if any(p in first for p in parts)), "vision")
    return f"{kind} tower"


def _parameter(words: list[str], names: frozenset[str]) -> str | None:
    leaf, module = words[-1], words[-2] if len(words) > 1 else ""
    if leaf in v.CACHE_SCALES:
        return "key-value cache scale"
    if leaf in PARTNERS and leaf not in v.PARAMETERS:
        return "quantisation scale" if _module(module, names) else None
    if leaf in v.PARAMETERS:
        return _module(module, names)
    return _module(leaf, names)


def _module(name: str, names: frozenset[str]) -> str | None:
    known = v.ROLE.get(name)
    return known or ("read by the model class" if name in names else None)
