"""Differences between two runs: their facts, and the figures that moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evalstore.client.any_store import AnyStore
from evalstore.comparison.compare import compare_loaded
from evalstore.comparison.significance import Compared, Pair
from evalstore.measures import Measure
from evalstore.store import Store
from evalstore.store.queries.facts import RunFacts, load_run_facts
from evalstore.store.queries.runs import find_run
from evalstore.tracking.run_overview import ORDER, rows

OWN = (
    *("run", "id", "tag", "created_at", "queries", "retrieved", "content_hash", "parent", "tags"),
    *("note", "started_at", "ended_at"),
)
"""Facts that always differ between runs, and tags, which are compared one by one."""


@dataclass(frozen=True)
class Differing:
    """A fact that differs between two runs; None if a run does not have it."""

    fact: str
    a: Any
    b: Any


@dataclass(frozen=True)
class Difference:
    """The facts that differ between two runs, and the comparison of their values, b - a.

    `line` is a sentence that says how one run was derived from the other; None if it was not.
    """

    a: RunFacts
    b: RunFacts
    line: str | None
    facts: tuple[Differing, ...]
    compared: Compared

    @property
    def moved(self) -> tuple[Pair, ...]:
        """The measures whose value differs on a query."""
        return tuple(pair for pair in self.compared.pairs if _has_moved(pair))

    @property
    def unchanged(self) -> tuple[str, ...]:
        """The names of the measures that have the same value on every query."""
        return tuple(pair.measure for pair in self.compared.pairs if not _has_moved(pair))

    def to_dict(self) -> dict[str, object]:
        """The whole difference in the form of its JSON."""
        compared = self.compared.to_dict()
        return {
            "a": self.a.name,
            "b": self.b.name,
            "line": self.line,
            "facts": [vars(differing) for differing in self.facts],
            "comparable": compared["comparable"],
            "reasons": compared["reasons"],
            "moved": [pair.to_dict() for pair in self.moved],
            "unchanged": list(self.unchanged),
        }


def diff_runs(
    reader: AnyStore,
    a: str,
    b: str,
    measures: Mapping[str, Measure],
    *,
    collection: str | None = None,
    qrels: str | None = None,
) -> Difference:
    """Compare the facts and the values of two stored runs, named by name or id."""
    facts_a, facts_b = (reader.run_facts(name, collection) for name in (a, b))
    loaded = reader.load_runs((a, b), measures, collection=collection, qrels=qrels)
    return Difference(
        facts_a,
        facts_b,
        _line(reader, facts_a, facts_b),
        differing_facts(facts_a, facts_b),
        compare_loaded(loaded, measures),
    )


def differing_facts(a: RunFacts, b: RunFacts) -> tuple[Differing, ...]:
    """The facts that differ between two runs; only tags that exactly one of them has."""
    differing, _ = _differing([_own_rows(facts) for facts in (a, b)])
    only_a, only_b = (
        ", ".join(tag for tag in one.tags if tag not in other.tags) or None
        for one, other in ((a, b), (b, a))
    )
    tags = [Differing("tags", only_a, only_b)] if only_a or only_b else []
    return (*(Differing(name, *values) for name, values in differing.items()), *tags)


@dataclass(frozen=True)
class DifferingOfSeveral:
    """The facts that are not the same in all of several runs.

    By name, with one value for each run (None if the run lacks the fact); `recorded` is the number
    of facts that at least one run has.
    """

    facts: Mapping[str, tuple[Any, ...]]
    recorded: int


def differing_of_several(
    store: Store, runs: Sequence[str], collection: str | None = None
) -> DifferingOfSeveral:
    """The facts in which stored runs, named by name or id, differ from each other."""
    with store.read() as connection:
        recorded = [
            load_run_facts(connection, find_run(connection, run, collection).id) for run in runs
        ]
    has = [
        _own_rows(facts) | ({"tags": ", ".join(facts.tags)} if facts.tags else {})
        for facts in recorded
    ]
    return DifferingOfSeveral(*_differing(has))


def _own_rows(facts: RunFacts) -> dict[str, Any]:
    return {name: value for name, value in rows(facts) if name not in OWN}


def _differing(has: Sequence[Mapping[str, Any]]) -> tuple[dict[str, tuple[Any, ...]], int]:
    """The facts that differ between some runs, and the number of all facts."""
    names = sorted(dict.fromkeys(name for one in has for name in one), key=_place)
    values = {name: tuple(one.get(name) for one in has) for name in names}
    differing = {
        name: each
        for name, each in values.items()
        if not all(_same(each[0], other) for other in each[1:])
    }
    return differing, len(names)


def _place(fact: str) -> int:
    """The position of a fact in the order of `run_overview.rows`."""
    return ORDER.index(fact.partition(".")[0])


def _same(one: object, other: object) -> bool:
    """Whether two values are the same: 1 and true are not, 1 and 1.0 are."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _line(reader: AnyStore, a: RunFacts, b: RunFacts) -> str | None:
    for run, other in ((b, a), (a, b)):
        ids = reader.ancestors(run)
        if other.id in ids:
            steps = ids.index(other.id) + 1
            way = "" if steps == 1 else f" in {steps} steps"
            return f"{run.name} was derived from {other.name}{way}"
    return None


def _has_moved(pair: Pair) -> bool:
    return bool(pair.wins or pair.losses or pair.difference)
