"""trec_eval's own names: `map`, `P.5,10`, `iprec_at_recall_0.20`, `ndcg.1=3,2=9`.

A name alone stands for its usual numbers; after a dot or an underscore come others.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from evalstore.measures.registry import TrecName, registry

NUMBER = r"[+-]?(?:[0-9]{1,9}\.?[0-9]{0,9}|\.[0-9]{1,9})"
PAIRS = re.compile(rf"[A-Za-z0-9]+={NUMBER}(?:,[A-Za-z0-9]+={NUMBER})*")
LIST = re.compile(rf"{NUMBER}(?:,{NUMBER})*")


def resolve(text: str) -> list[tuple[str, str]] | None:
    """The measures a trec_eval name stands for as (its own single name, our notation).

    None where it is no name of trec_eval's, or carries what the name does not take.
    """
    for descriptor in registry().values():
        for trec in descriptor.trec:
            if text == trec.name:
                return _usual(trec)
            if text.startswith((f"{trec.name}_", f"{trec.name}.")):
                names_there = _numbered(trec, text[len(trec.name) :])
                if names_there is not None:
                    return names_there
    return None


def _usual(trec: TrecName) -> list[tuple[str, str]]:
    if "{}" not in trec.notation:
        return [(trec.name, trec.notation)]
    return [_with_number(trec, number) for number in trec.defaults]


def _numbered(trec: TrecName, rest: str) -> list[tuple[str, str]] | None:
    """`rest` is what follows the name, with its dot or underscore."""
    numbers_text = rest[1:]
    if trec.arguments is not None:
        arguments = trec.arguments(numbers_text)
        bare = trec.notation.partition("(")[0]
        return None if arguments is None else [(f"{trec.name}_{numbers_text}", bare + arguments)]
    if "{}" not in trec.notation:
        return None
    numbers = numbers_text.split(",") if rest[0] == "." else [numbers_text]
    if not all(re.fullmatch(r"[0-9]*\.?[0-9]+", number) for number in numbers):
        return None
    return [_with_number(trec, number) for number in numbers]


def _with_number(trec: TrecName, number: str) -> tuple[str, str]:
    whole = "." not in trec.defaults[0]
    written = number if whole else f"{float(number):.2f}"
    return f"{trec.name}_{written}", trec.notation.format(number)


# --- what makes parameters of numbers -------------------------------------------------------------


def in_order(*names: str) -> Callable[[str], str | None]:
    """Numbers for parameters of these names, in their order: `2,-1,0,0`."""

    def arguments(numbers_text: str) -> str | None:
        numbers = numbers_text.split(",")
        if LIST.fullmatch(numbers_text) is None or len(numbers) != len(names):
            return None
        return "(" + ",".join(f"{n}={v}" for n, v in zip(names, numbers, strict=True)) + ")"

    return arguments


def named(numbers_text: str) -> str | None:
    """Pairs that name a parameter: `p=0.5`."""
    return f"({numbers_text})" if PAIRS.fullmatch(numbers_text) else None


def gains(numbers_text: str) -> str | None:
    """Pairs of a grade and its gain: `1=3,2=9,4=4.5`."""
    if PAIRS.fullmatch(numbers_text) is None or not all(
        p[0].isdigit() for p in numbers_text.split(",")
    ):
        return None
    return "(gains={" + numbers_text.replace("=", ":") + "})"


def levels(numbers_text: str) -> str | None:
    """Recall levels: `.25,.5,.75`."""
    return f"(levels=({numbers_text}))" if LIST.fullmatch(numbers_text) else None


def square(numbers_text: str) -> str | None:
    """A beta squared: `0.5`."""
    if re.fullmatch(NUMBER, numbers_text) is None or float(numbers_text) <= 0:
        return None
    return f"(beta={float(numbers_text) ** 0.5!r})"
