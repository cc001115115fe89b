"""The attributes of queries: names and values as text, whatever they were given as."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from evalstore.errors import DataError
from evalstore.formats.lines import CONTROLS, tidy
from evalstore.formats.source import quoted
from evalstore.formats.trec.columns import MAX_ID

OPERATORS = "=!<>"
"""What stands between the name and the value in a condition, and so in no name."""


RESERVED = ("qid", "text")


def why_not_a_name(name: str) -> str | None:
    """Why a query's attribute can't be called so; None where it can."""
    if not name:
        return "an attribute without a name"
    if name != name.strip():
        return f"attribute name {quoted(name)} begins or ends with a blank"
    if CONTROLS.search(name) or "\t" in name or "\n" in name:
        return f"attribute name {quoted(name)} holds control characters"
    if any(character in name for character in OPERATORS):
        return f"attribute name {quoted(name)} holds one of = ! < >, the operators of conditions"
    if len(name.encode()) > MAX_ID:
        return "an attribute name of more than 1,024 bytes"
    return None


def checked_name(name: str) -> str:
    """The name of an attribute, if it is allowed.

    Raises:
        DataError: it is empty, too long, or holds what no name may hold.
    """
    why = why_not_a_name(name)
    if why is not None:
        raise DataError(why)
    if name in RESERVED:
        raise DataError(f"no attribute can be called {name!r}: a column of queries has this name")
    return name


def is_single(value: object) -> bool:
    """Whether a value can be that of an attribute: text, a finite number, true, false, nothing."""
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or isinstance(value, str | int)


def value_text(value: object) -> str:
    """A single value as text; empty where it says nothing.

    Text stays as it is, but for blanks around it; whole numbers are their digits, others the
    shortest decimal number that reads back the same (0.5, 1e-07); true and false are these words.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return tidy(value) if isinstance(value, str) else repr(value)


def single_values(keys: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """The keys of an object, those of objects in it as `outer.inner`, one level deep."""
    for key, value in keys.items():
        if isinstance(value, dict):
            yield from ((f"{key}.{inner}", nested) for inner, nested in value.items())
        else:
            yield key, value
