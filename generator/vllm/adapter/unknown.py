"""What nothing says: TODOs that raise, and conventions that were taken where no code contradicts them."""

from __future__ import annotations

from dataclasses import dataclass, field

PLACES = ("attention", "mlp", "moe", "layer", "model", "logits", "load", "tower")


@dataclass(frozen=True)
class Todo:
    """Something that somebody has to find out.

    Attributes:
        name: a short name, such as `config.my_scale`.
        place: the part of the adapter that raises it, one of `PLACES`.
        question: what has to be found out, one sentence.
    """

    name: str
    place: str
    question: str

    def as_json(self) -> dict[str, str]:
        """Return the documented object."""
        return {"name": self.name, "place": self.place, "question": self.question}


@dataclass(frozen=True)
class Said:
    """A fact about the computation and what says so.

    Attributes:
        fact: the fact, such as `rotary embedding rotates halves`.
        by: the field, key or line that says it, or `convention`.
    """

    fact: str
    by: str


@dataclass
class Log:
    """What was found out while an adapter was composed, and what was not."""

    todos: list[Todo] = field(default_factory=list)
    said: list[Said] = field(default_factory=list)

    def todo(self, name: str, place: str, question: str) -> None:
        """Note something that nothing says."""
        found = Todo(one_line(name), place, one_line(question))
        if found not in self.todos:
            self.todos.append(found)

    def say(self, fact: str, by: str) -> None:
        """Note what says a fact."""
        found = Said(one_line(fact), one_line(by))
        if found not in self.said:
            self.said.append(found)


def one_line(text: str, width: int = 300) -> str:
    """Return a text that can stand in a comment and in a docstring, whatever a checkpoint put into it."""
    plain = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(plain.replace("\\", "/").replace('"', "'").split())[:width]
