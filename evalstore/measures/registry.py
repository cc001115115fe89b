"""The descriptor of a measure, and the registry of all of them.

A measure is one function under `@measure(...)`: the function computes, the descriptor describes.
Documentation, command-line help, dashboard tooltips and property tests follow from it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Literal, TypeVar

import numpy as np

from evalstore.measures.judged import F64, Judged
from evalstore.plugins import WithPlugins, of_other_packages

Value = int | float | str | bool | tuple[tuple[float, float], ...] | tuple[float, ...]
Aggregate = Literal["mean", "sum", "geometric mean", "own"]
Kind = Literal["number", "whole", "text", "flag", "gains", "levels"]

Function = TypeVar("Function", bound=Callable[..., F64])

DESCRIPTOR = "descriptor"
"""The attribute of a function under `@measure` with its descriptor."""

MODULES = (
    "precision", "gain", "sets", "preferences", "user_models", "order", "recommendation", "cost",
    "diversity", "samples",
)  # fmt: skip
"""The modules with measures."""

FAMILIES = (
    "precision", "average precision", "reciprocal rank", "gain", "sets", "preference",
    "user models", "nearly expected reciprocal rank", "order", "counts", "ratings", "coverage",
    "familiarity", "cost", "diversity", "judgment groups", "preference judgments", "samples",
)  # fmt: skip
"""The families of measures, in the order they are listed for people."""

NEEDS: Mapping[str, str] = MappingProxyType(
    {
        "collection_size": "the size of the collection",
        "known": "the documents known to the user",
        "times": "the time each query took",
        "index_bytes": "the size of the index",
        "memory_bytes": "the memory that the engine used",
        "money": "what the run cost",
        "currency": "the currency of what the run cost",
        "energy_joules": "the energy that the run took",
        "subtopics": "judgments by subtopic",
        "judgment_groups": "judgments by judgment group",
        "preferences": "preferences between documents",
        "strata": "the strata of the judged sample",
    }
)
"""In words, the attributes of `Judged` that a measure may need beside a run and a qrels."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a measure.

    Attributes:
        default: None for nothing (or if it must be given).
        doc: one line.
        kind: a number, a whole number, a text, True or False, gains (`{grade:gain}`) or levels
            (`(0.25,0.5)`).
        least, most: bounds of a number, included.
        above, below: bounds of a number, excluded.
        choices: the texts that are allowed.
        pattern: the regular expression of a text without choices.
        is_level: whether trec_eval's -l moves it.
        becomes: the measure that is meant if the parameter is given (and not False), so that equal
            measures have one name.
    """

    name: str
    default: Value | None
    doc: str
    kind: Kind = "number"
    required: bool = False
    least: float = -1e9
    most: float = 1e9
    above: float = -np.inf
    below: float = np.inf
    choices: tuple[str, ...] = ()
    pattern: str = ""
    is_level: bool = False
    aliases: tuple[str, ...] = ()
    becomes: str = ""


REL = Parameter("rel", 1, "the lowest grade that counts as relevant", above=0, is_level=True)

JUDGED_ONLY = Parameter(
    "judged_only",
    False,
    "leave documents without a judgment out of the ranking before anything is counted",
    kind="flag",
)
"""A parameter of every measure of a ranking beside its own (trec_eval -J)."""


@dataclass(frozen=True)
class Cutoff:
    """A number after the @: a rank, or for interpolated precision a recall level."""

    kind: Literal["rank", "recall"]
    required: bool
    doc: str


RANK = Cutoff("rank", required=False, doc="only the first k documents of the ranking")
RANK_REQUIRED = Cutoff("rank", required=True, doc="the first k documents of the ranking")
RECALL = Cutoff("recall", required=True, doc="the recall level, from 0.0 to 1.0")

MULT = Parameter("mult", 1, "the multiple of R at which to cut", above=0, most=1e6)

TREC_CUTOFFS = ("5", "10", "15", "20", "30", "100", "200", "500", "1000")


@dataclass(frozen=True)
class TrecName:
    """trec_eval's name for a measure.

    Attributes:
        name: `map_cut`.
        notation: the measure; with `{}` if the name carries a number (`map_cut_10`).
        defaults: the numbers that the name means if it carries none.
        arguments: if the name takes all its numbers at once (`utility.2,-1,0,0`): makes of them
            the parameters between the parentheses, or None if it can't.
    """

    name: str
    notation: str
    defaults: tuple[str, ...] = ()
    arguments: Callable[[str], str | None] | None = None


@dataclass(frozen=True, kw_only=True)
class Description:
    """Describes the function below it, as `@measure(...)`, as a measure.

    Attributes:
        name: as it is written, `nDCG`.
        title: its name in words.
        advice: when to use it and when not.
        formula: in plain text; R is the number of relevant documents, i a rank.
        source: of the formula.
        family: the name of the module in words, unless given.
        bounds: the lowest and highest value a query can have.
        higher_is_better: None if more is neither good nor bad.
        aggregate: of the values of the queries; `own` is that of `combine`.
        combine: (judged, values, **parameters) -> float, for an aggregate of its own.
        weigh: (judged) -> float64 (q), the weight of each query in that aggregate; 0 if the query
            has no value (MAE of a user without rated predictions).
        pool: (values (q), weights (m, q), **parameters) -> float64 (m), the aggregate from the
            values and weights of the queries, for resampled queries; None if it does not follow
            from them.
        mean_without: the parameter without which its own aggregate is the mean of the values.
        counts: whether values are whole numbers.
        trec: trec_eval's names for it.
        aliases: its other names.
        needs: keys of `NEEDS`.
        optional_needs: used, if given, instead of the grades of the qrels.
        rank_sensitive: whether moving a relevant document up can change it.
        monotone: whether moving a more relevant document up can only better it (or change nothing).
        ideal: the value of the ideal ranking of a query with something relevant, if it is fixed.
        condensable: whether `judged_only` makes sense for it.
        of_run: whether it is one figure of the run, the same for every query.
        from_hits: whether, without parameters, it needs no more of a ranking than its length and
            the documents of a grade of 1 or more, at their ranks.
        example: the name with a usual cutoff, unless given.
    """

    name: str
    title: str
    advice: str
    formula: str
    source: str
    family: str = ""
    parameters: tuple[Parameter, ...] = ()
    cutoff: Cutoff | None = None
    bounds: tuple[float, float] = (0.0, 1.0)
    higher_is_better: bool | None = True
    aggregate: Aggregate = "mean"
    combine: Callable[..., float] | None = None
    weigh: Callable[[Judged], F64] | None = None
    pool: Callable[..., F64] | None = None
    mean_without: str = ""
    counts: bool = False
    trec: tuple[TrecName, ...] = ()
    aliases: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    optional_needs: tuple[str, ...] = ()
    rank_sensitive: bool = True
    monotone: bool = True
    ideal: float | None = None
    condensable: bool = True
    of_run: bool = False
    from_hits: bool = True
    example: str = ""

    def __call__(self, function: Function) -> Function:
        """Make the description one of a function, which stays as it is."""
        usual = {"rank": "@5", "recall": "@0.5"}
        cutoff = usual[self.cutoff.kind] if self.cutoff and self.cutoff.required else ""
        own = {
            "family": self.family or function.__module__.rpartition(".")[2].replace("_", " "),
            "example": self.example or self.name + cutoff,
            "summary": (function.__doc__ or "").strip().split("\n")[0],
        }
        vars(function)[DESCRIPTOR] = Descriptor(**{**vars(self), **own}, function=function)
        return function


measure = Description


@dataclass(frozen=True, kw_only=True)
class Descriptor(Description):
    """A measure: its description and its function.

    Attributes:
        function: (judged, cutoff=..., **parameters) -> float64, one value per query.
        summary: the first line of the function's docstring.
    """

    function: Callable[..., F64]
    summary: str

    @property
    def facts(self) -> frozenset[str]:
        """All that can change its values beside a run and a qrels; keys of `NEEDS`."""
        return frozenset(self.needs + self.optional_needs)

    @property
    def sign_of_better(self) -> int:
        """-1 if lower values are better, else 1."""
        return -1 if self.higher_is_better is False else 1

    @property
    def accepted(self) -> tuple[Parameter, ...]:
        """All parameters it takes, the common one included."""
        return (*self.parameters, JUDGED_ONLY) if self.condensable else self.parameters

    @property
    def over_queries_only(self) -> bool:
        """Whether trec_eval prints it for all queries together, and never for a single one."""
        return self.aggregate == "geometric mean" or self.name == "NumQ"

    def parameter(self, name: str) -> Parameter | None:
        """The parameter of that name or alias, or None."""
        return next((p for p in self.accepted if name == p.name or name in p.aliases), None)


@functools.cache
def own_measures() -> Mapping[str, Descriptor]:
    """The measures of this package by name, in the order of families and of their files."""
    measures: dict[str, Descriptor] = {}
    for name in MODULES:
        module = import_module(f"evalstore.measures.{name}")
        for thing in vars(module).values():
            descriptor = getattr(thing, DESCRIPTOR, None)
            if isinstance(descriptor, Descriptor) and thing.__module__ == module.__name__:
                measures[descriptor.name] = descriptor
    in_order = sorted(measures.values(), key=lambda each: FAMILIES.index(each.family))
    return MappingProxyType({descriptor.name: descriptor for descriptor in in_order})


@functools.cache
def _others() -> Mapping[str, Descriptor]:
    """The measures of other packages by name."""

    def named(loaded: object) -> tuple[str, Descriptor]:
        descriptor = getattr(loaded, DESCRIPTOR, None)
        if not isinstance(descriptor, Descriptor):
            raise TypeError("not a function under @measure")
        return descriptor.name, descriptor

    return of_other_packages("measures", named, own_names())


@functools.cache
def registry() -> Mapping[str, Descriptor]:
    """Every measure by its name, those of other packages at the end."""
    return WithPlugins(own_measures(), _others)


@functools.cache
def own_names() -> Mapping[str, str]:
    """Every name a measure of this package is written by, to its own name."""
    known = {alias: d.name for d in own_measures().values() for alias in d.aliases}
    return MappingProxyType(known | {name: name for name in own_measures()})


@functools.cache
def names() -> Mapping[str, str]:
    """Every name a measure is written by, its aliases included, to its own name."""
    return WithPlugins(own_names(), lambda: {name: name for name in _others()})
