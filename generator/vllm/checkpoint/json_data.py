"""JSON from strangers: depth, size and odd numbers are answers, not crashes."""

from __future__ import annotations

import json

from generator.errors import ScaffoldError

from . import odd


class BadCheckpoint(ScaffoldError):
    """The checkpoint cannot be read; exit 2, nothing was written."""


def decoded(data: bytes, where: str) -> str:
    """Return `data` as text, without its byte order mark.

    Raises:
        BadCheckpoint: not UTF-8.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadCheckpoint(f"not UTF-8 at byte {error.start}", where=where, next="save it as UTF-8") from None


def parse(text: str, where: str) -> object:
    """Return the JSON value of `text`. NaN, infinities and integers beyond 18 digits come back as `Odd`.

    Raises:
        BadCheckpoint: not JSON, or nested deeper than the interpreter can follow.
    """
    try:
        return json.loads(text, parse_constant=odd.Odd, parse_int=odd.integer, parse_float=odd.real)
    except json.JSONDecodeError as error:
        raise BadCheckpoint(f"not JSON: {error.msg}", where=f"{where}:{error.lineno}", next="repair the file") from None
    except RecursionError:
        raise BadCheckpoint("nested too deep to be a configuration", where=where, next="repair the file") from None


def parse_object(text: str, where: str) -> dict:
    """Return the JSON object of `text`.

    Raises:
        BadCheckpoint: as `parse`, or the value is not an object.
    """
    value = parse(text, where)
    if not isinstance(value, dict):
        raise BadCheckpoint(f"holds {kind(value)}, not an object", where=where, next="repair the file")
    return value


def kind(value: object) -> str:
    """Return what a JSON value is, in words: `a list`, `text`, `a number that is none`."""
    if isinstance(value, odd.Odd):
        return "a number that no program can use"
    names = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")
