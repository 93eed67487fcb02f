"""Look a value up where vLLM would: in the text model's configuration first, then at the root."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ..checkpoint.json_data import kind
from ..finding import Finding

TEXT = ("text_config", "llm_config", "language_config")
MAX_HOPS = 4


@dataclass(frozen=True)
class Field:
    """A value and the dotted path that holds it in config.json."""

    path: str
    value: object

    def says(self) -> str:
        """Return `path = value`, short enough for one line."""
        return f"{self.path} = {short(self.value)}"


@dataclass
class Config:
    """config.json, its text part, and what was odd while reading.

    Attributes:
        root: the whole object.
        text: the object that describes the language model; the root for text-only models.
        text_path: "" or the dotted path of `text` with a final dot.
    """

    root: dict
    text: dict
    text_path: str
    findings: list[Finding] = field(default_factory=list)

    @classmethod
    def of(cls, root: dict) -> Config:
        """Return the configuration with its text part found as vLLM's `get_hf_text_config` does."""
        text, path = root, ""
        if isinstance(root.get("thinker_config"), dict):
            text, path = root["thinker_config"], "thinker_config."
        for _ in range(MAX_HOPS):
            name = next((n for n in TEXT if isinstance(text.get(n), dict) and text[n]), None)
            if name is None:
                break
            text, path = text[name], f"{path}{name}."
        if not path and "num_hidden_layers" not in root and isinstance(root.get("decoder"), dict):
            text, path = root["decoder"], "decoder."
        return cls(root, text, path)

    def get(self, *names: str) -> Field | None:
        """Return the first of `names` that is not null: in the text part, then at the root."""
        for path, part in self._parts():
            for name in names:
                if part.get(name) is not None:
                    return Field(path + name, part[name])
        return None

    def text_get(self, *names: str) -> Field | None:
        """Return the first of `names` that is not null in the text part."""
        return next((Field(self.text_path + n, self.text[n]) for n in names if self.text.get(n) is not None), None)

    def root_get(self, *names: str) -> Field | None:
        """Return the first of `names` that is not null at the root."""
        return next((Field(n, self.root[n]) for n in names if self.root.get(n) is not None), None)

    def integer(self, *names: str) -> Field | None:
        """Return the first of `names` whose value is a count; a list of counts gives its largest.

        A value of another type is a finding and is passed over.
        """
        for path, part in self._parts():
            for name in names:
                number = count(part.get(name))
                if number is not None:
                    return Field(path + name, number)
                if part.get(name) is not None:
                    self._odd(path + name, part[name])
        return None

    def items(self, name: str) -> list[str]:
        """Return the list of texts `name` of the text part; anything else is a finding and gives an empty list."""
        value = self.text.get(name)
        if value is None:
            return []
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return value
        self._odd(self.text_path + name, value, "a list of names")
        return []

    def table(self, name: str) -> dict:
        """Return the object `name` of the text part, or an empty one."""
        value = self.text.get(name)
        return value if isinstance(value, dict) else {}

    def _parts(self) -> Iterable[tuple[str, dict]]:
        yield self.text_path, self.text
        if self.text is not self.root:
            yield "", self.root

    def _odd(self, path: str, value: object, want: str = "a whole number") -> None:
        self.findings.append(
            Finding(
                "C04",
                "warning",
                path,
                f"is {kind(value)} ({short(value)}), not {want}; it was passed over",
                "config.json",
                next="correct the field",
            )
        )


def count(value: object) -> int | None:
    """Return `value` if it is a whole number, the largest of a list of them, else None."""
    if isinstance(value, list) and value and all(type(item) is int for item in value):
        return max(value)
    return value if type(value) is int else None


def short(value: object, width: int = 80) -> str:
    """Return a value for people in at most about `width` characters, whatever it holds."""
    if isinstance(value, dict):
        return "{" + ", ".join(list(map(str, value))[:6]) + ("…}" if len(value) > 6 else "}")
    if isinstance(value, list):
        kinds = list(dict.fromkeys(map(short, value[:200])))
        return f"{len(value)} × [" + ", ".join(kinds[:6]) + ("…]" if len(kinds) > 6 else "]")
    text = (
        {True: "true", False: "false", None: "null"}.get(value) if value is None or type(value) is bool else str(value)
    )
    return text if len(text) <= width else text[: width - 1] + "…"
