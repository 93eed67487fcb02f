"""Numbers that JSON readers accept and programs cannot use."""

from __future__ import annotations

MAX_DIGITS = 18


class Odd(str):
    """NaN, an infinity, or an integer beyond 18 digits, kept as the text it was written as."""

    __slots__ = ()


def integer(text: str) -> int | Odd:
    """Return the integer, or an `Odd` when it is too long for any size or count (the text is cut at 40 characters)."""
    return int(text) if len(text) <= MAX_DIGITS else Odd(text if len(text) <= 40 else text[:37] + "...")


def real(text: str) -> float | Odd:
    """Return the float, or an `Odd` when it overflows."""
    value = float(text)
    return value if abs(value) != float("inf") else Odd(text[:40])
