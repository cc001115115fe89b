"""The words of the notation: what stands between the parentheses, and numbers as they are written.

A small reader of its own: Python's would take far more (and warn, nest and recurse about it).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

Number = int | float
Written = Number | str | bool | dict[Number, Number] | tuple[Number, ...]

NUMBER = r"[+-]?(?:[0-9]{1,18}(?:\.[0-9]{0,18})?|\.[0-9]{1,18})(?:[eE][+-]?[0-9]{1,2})?"
PAIR = rf"\s*{NUMBER}\s*:\s*{NUMBER}\s*"
VALUE = (
    rf"(?P<number>{NUMBER})"
    r"|(?P<flag>True|False)"
    r"|'(?P<single>[^'\\]*)'"
    r'|"(?P<double>[^"\\]*)"'
    rf"|\{{(?P<pairs>{PAIR}(?:,{PAIR})*,?\s*)\}}"
    rf"|\((?P<list>\s*{NUMBER}\s*(?:,\s*{NUMBER}\s*)*,?\s*)\)"
)
ITEM = re.compile(rf"\s*(?P<name>[A-Za-z_][A-Za-z0-9_]*)\s*=\s*(?:{VALUE})\s*(?P<end>,|\Z)")


def outside_parentheses(text: str) -> list[str]:
    """The pieces of a text between its commas; a comma within parentheses is part of a piece."""
    pieces, depth = [""], 0
    for character in text:
        depth = max(0, depth + (character == "(") - (character == ")"))
        if character == "," and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += character
    return pieces


def keywords(inside: str) -> Iterator[tuple[str, Written]]:
    """The name=value pairs of the text between the parentheses.

    Raises:
        ValueError: it is not a list of such pairs.
    """
    at = 0
    while inside[at:].strip():
        item = ITEM.match(inside, at)
        if item is None:
            raise ValueError(inside[at:])
        yield item["name"], _value(item)
        at = item.end()


def _value(item: re.Match[str]) -> Written:
    if item["number"] is not None:
        return plain(float(item["number"]))
    if item["flag"] is not None:
        return item["flag"] == "True"
    if item["pairs"] is not None:
        pairs = [pair.split(":") for pair in item["pairs"].split(",") if pair.strip()]
        gains = {plain(float(left)): plain(float(right)) for left, right in pairs}
        if len(gains) < len(pairs):
            raise ValueError(item[0])
        return gains
    if item["list"] is not None:
        return tuple(plain(float(word)) for word in item["list"].split(",") if word.strip())
    return item["single"] if item["single"] is not None else item["double"]


def plain(number: Number) -> Number:
    """An int where the number is whole, so that 2 and 2.0 are written alike."""
    return int(number) if number == int(number) else number


def as_written(value: object) -> str:
    """A value as the notation writes it."""
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return "{" + ",".join(f"{grade}:{gain}" for grade, gain in value) + "}"
    if isinstance(value, tuple):
        return "(" + "".join(f"{level}," for level in value).removesuffix(",") + ")"
    return repr(value)
