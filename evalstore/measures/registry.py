"""What a measure says of itself, and where all of them are found.

A measure is one function under `@measure(...)`: the function computes, the descriptor tells.
Documentation, command-line help, dashboard tooltips and property tests follow from it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from evalstore.measures.judged import F64

Value = int | float | str | bool | tuple[tuple[float, float], ...]
Aggregate = Literal["mean", "sum"]

FAMILIES = ("precision", "average_precision", "reciprocal_rank", "gain", "sets", "counts")
"""The modules that hold measures, in the order they are listed for people."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a measure.

    Attributes:
        name: as it is written.
        default: what it is when not given; None where it must be given. Its type is the
            parameter's: int, float, str, or `gains` (a mapping from grade to gain).
        doc: one line.
        least, most: bounds of a number, included.
        above: a bound of a number, excluded.
        choices: what a text may be; empty for anything.
        is_level: whether trec_eval's -l moves it.
    """

    name: str
    default: Value | None
    doc: str
    least: float = -np.inf
    most: float = np.inf
    above: float = -np.inf
    choices: tuple[str, ...] = ()
    is_level: bool = False


REL = Parameter(
    "rel", 1, "the lowest grade that counts as relevant", above=0, is_level=True
)


@dataclass(frozen=True)
class Cutoff:
    """What may stand after the @: a rank, or for interpolated precision a recall level."""

    kind: Literal["rank", "recall"]
    required: bool
    doc: str


RANK = Cutoff("rank", required=False, doc="only the first k documents of the ranking")
RANK_REQUIRED = Cutoff("rank", required=True, doc="the first k documents of the ranking")
RECALL = Cutoff("recall", required=True, doc="the recall level, from 0.0 to 1.0")

TREC_CUTOFFS = ("5", "10", "15", "20", "30", "100", "200", "500", "1000")


@dataclass(frozen=True)
class TrecName:
    """trec_eval's name for a measure.

    Attributes:
        name: `map_cut`.
        notation: the measure it stands for; `{}` where the name carries a number (`map_cut_10`).
        defaults: the numbers it stands for when it carries none.
    """

    name: str
    notation: str
    defaults: tuple[str, ...] = ()


@dataclass(frozen=True)
class Descriptor:
    """All that is known of a measure but its values.

    Attributes:
        name: as it is written, `nDCG`.
        function: (judged, cutoff=..., **parameters) -> float64, one value per query.
        title: its name in words.
        summary: what it tells, one sentence.
        advice: when to use it and when not.
        formula: in plain text; R is the number of relevant documents, i a rank.
        source: where the formula is from.
        family: the module that holds it, in words.
        parameters, cutoff: what it takes.
        bounds: the lowest and highest value a query can have.
        higher_is_better: None where more is neither good nor bad.
        aggregate: how the values of the queries become one.
        counts: whether values are whole numbers.
        trec: trec_eval's names for it.
        rank_sensitive: whether moving a relevant document up can change it.
        ideal: the value of the ideal ranking of a query with something relevant, where there is one.
    """

    name: str
    function: Callable[..., F64]
    title: str
    summary: str
    advice: str
    formula: str
    source: str
    family: str
    parameters: tuple[Parameter, ...] = ()
    cutoff: Cutoff | None = None
    bounds: tuple[float, float] = (0.0, 1.0)
    higher_is_better: bool | None = True
    aggregate: Aggregate = "mean"
    counts: bool = False
    trec: tuple[TrecName, ...] = ()
    rank_sensitive: bool = True
    ideal: float | None = None

    def parameter(self, name: str) -> Parameter | None:
        """The parameter of that name, or None."""
        return next((p for p in self.parameters if p.name == name), None)


def measure(**said: Any) -> Callable[[Callable[..., F64]], Descriptor]:
    """Describe the function below as a measure; the summary is the docstring's first line."""

    def describe(function: Callable[..., F64]) -> Descriptor:
        family = function.__module__.rpartition(".")[2].replace("_", " ")
        summary = (function.__doc__ or "").strip().split("\n")[0]
        return Descriptor(function=function, family=family, summary=summary, **said)

    return describe


@functools.cache
def registry() -> Mapping[str, Descriptor]:
    """Every measure by its name, in the order of families and of their files."""
    found: dict[str, Descriptor] = {}
    for family in FAMILIES:
        for thing in vars(import_module(f"evalstore.measures.{family}")).values():
            if isinstance(thing, Descriptor):
                found[thing.name] = thing
    return MappingProxyType(found)
