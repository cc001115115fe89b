"""The agreement of measures on the order of runs, and of runs on the order of documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
import numpy.typing as npt

from evalstore.catalog.chosen_qrels import kept_collection
from evalstore.catalog.names import natural
from evalstore.comparison.cached import kept_tops
from evalstore.comparison.collection_values import CollectionValues, load_collection_values
from evalstore.errors import DataError
from evalstore.measures import Measure
from evalstore.stats import ListAgreement, agreement_of_lists, kendall_tau_b, tau_ap
from evalstore.stats.inputs import check_count, check_fraction, in_units
from evalstore.store import Store
from evalstore.store.columns import texts
from evalstore.store.queries.rankings import Tops
from evalstore.store.queries.runs import find_runs, list_runs
from evalstore.tables.table import finite

F64 = npt.NDArray[np.float64]
I64 = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Agreement:
    """The agreement of each two measures, or runs, as matrices: names x names, NaN if undefined.

    Between measures the coefficients are `kendall_tau_b` and `tau_ap`, where the row is the
    reference; between runs they are `rbo`, `kendall_tau_b` and `overlap`, as means over queries.
    All but `tau_ap` are symmetric. `counts` is the number of runs, or queries, behind each
    coefficient.
    """

    collection: str
    between: Literal["measures", "runs"]
    names: tuple[str, ...]
    coefficients: Mapping[str, F64]
    counts: I64
    notes: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of `rows`: a, b, the number of runs or queries, the coefficients."""
        counted = "runs" if self.between == "measures" else "queries"
        return ("a", "b", counted, *self.coefficients)

    def rows(self) -> list[tuple[str | int | float | None, ...]]:
        """One row for each pair of names, in both orders; None for NaN."""
        numbers = range(len(self.names))
        return [
            (
                *(self.names[a], self.names[b], int(self.counts[a, b])),
                *(finite(float(table[a, b])) for table in self.coefficients.values()),
            )
            for a in numbers
            for b in numbers
            if a != b
        ]

    def to_dict(self) -> dict[str, object]:
        """The matrices for JSON; None for NaN."""
        return {
            "collection": self.collection,
            "between": self.between,
            "names": list(self.names),
            self.columns[2]: self.counts.tolist(),
            **{
                name: [[finite(float(value)) for value in row] for row in table]
                for name, table in self.coefficients.items()
            },
            "notes": list(self.notes),
        }


ENOUGH_RUNS = 5
"""With 4 runs, one random order in 24 agrees perfectly, and one in 6 has a tau of 0.67 or more."""


def measure_agreement(
    store: Store, collection: str, measures: Mapping[str, Measure], qrels: str | None = None
) -> Agreement:
    """Compute how far measures agree on the order of a collection's active runs; writes nothing.

    The coefficients are Kendall's tau-b and tau-AP of the aggregates, negated if lower is better.
    Aggregates that differ by less than 1e-9 are equal; for tau-AP such runs are ordered by engine
    and name. Measures that are not stored are computed; MeasureError for a measure that can't be
    computed for any of the runs.
    """
    return agreement_of_values(
        load_collection_values(store, collection, measures, qrels, aggregates_only=True)
    )


def agreement_of_values(loaded: CollectionValues) -> Agreement:
    """`measure_agreement` of loaded aggregates; DataError for fewer than two measures or runs."""
    if len(loaded.measures) < 2:
        raise DataError("give two measures or more to see how far they agree")
    ranked_by_all = set.intersection(*(set(of.runs) for of in loaded.measures.values()))
    if len(ranked_by_all) < 2:
        raise DataError(
            "measures agree on the order of two runs or more; collection "
            f"{loaded.collection!r} has {len(ranked_by_all)} with values of all of them"
        )
    orders = []
    notes = []
    if len(ranked_by_all) < ENOUGH_RUNS:
        notes.append(
            f"a tau of {len(ranked_by_all):,} runs says nothing: by chance alone it takes any value"
        )
    notes += loaded.notes
    for name, of in loaded.measures.items():
        notes += of.notes
        if of.measure.descriptor.higher_is_better is None:
            notes.append(f"{name} calls neither high nor low values better: high ones come first")
        sign = of.measure.descriptor.sign_of_better
        kept = [column for column, run in enumerate(of.runs) if run in ranked_by_all]
        orders.append(sign * in_units(of.aggregates[kept]))
    number = len(orders)
    tau = np.array([[kendall_tau_b(a, b) for b in orders] for a in orders])
    top_heavy = np.array([[tau_ap(a, b) for b in orders] for a in orders])
    return Agreement(
        collection=loaded.collection,
        between="measures",
        names=tuple(loaded.measures),
        coefficients={"kendall_tau_b": tau, "tau_ap": top_heavy},
        counts=np.full((number, number), len(ranked_by_all), np.int64),
        notes=tuple(notes),
    )


def run_agreement(
    store: Store,
    collection: str,
    runs: Sequence[str] = (),
    *,
    p: float = 0.9,
    k: int = 10,
    depth: int = 100,
) -> Agreement:
    """Compute how far runs agree on the order of documents, as means over queries; writes nothing.

    If no names or ids are given, all active runs of the collection are taken. The coefficients are
    rank-biased overlap with the chance `p` that a user looks at the next document, Kendall's tau-b
    of the documents that both lists have (left out if they share fewer than two), and the overlap
    of the first `k` documents. They are over the queries that both runs answer, judged or not;
    lists are cut after `depth` documents. DataError for fewer than two runs, or if `p`, `k` or
    `depth` is out of its range.
    """
    with store.read() as connection:
        kept_collection(store, collection)
        left_out: list[str] = []
        if runs:
            by_name = {run.name: run for run in find_runs(connection, runs, collection)}
            names = list(by_name)
        else:
            by_name = {run.name: run for run in list_runs(connection, collection=collection)}
            names, left_out = with_lists({run.name: run.values_only for run in by_name.values()})
        return agreement_of_tops(
            collection,
            names,
            lambda name: _lists(kept_tops(store, connection, by_name[name], depth)),
            left_out,
            p=p,
            k=k,
            depth=depth,
        )


def with_lists(came_as_values: Mapping[str, bool]) -> tuple[list[str], list[str]]:
    """The names of runs with lists, and of runs imported as values, each in natural order."""
    names = sorted(came_as_values, key=natural)
    return (
        [name for name in names if not came_as_values[name]],
        [name for name in names if came_as_values[name]],
    )


def agreement_of_tops(
    collection: str,
    names: Sequence[str],
    load: Callable[[str], Mapping[str, Sequence[str]]],
    left_out: Sequence[str] = (),
    *,
    p: float,
    k: int,
    depth: int,
) -> Agreement:
    """`run_agreement` of given runs; those `left_out` were imported as values and are only named.

    `load` returns the first documents of every list of a run, at most `depth`, by query.
    """
    check_fraction("p", p)
    check_count("k", k)
    check_count("depth", depth)
    if k > depth:
        raise DataError(f"k is {k}, but lists are cut after {depth} documents: raise the depth")
    if len(names) < 2:
        raise DataError("give two runs or more to see how far they agree")
    counts, means = _means([load(name) for name in names], p, k)
    return Agreement(
        collection=collection,
        between="runs",
        names=tuple(names),
        coefficients=means,
        counts=counts,
        notes=(
            f"means over the queries that both answer; rbo: p {p:g}; kendall_tau_b: of the "
            f"documents in both lists; overlap: of the top {k:,}; lists cut after {depth:,} "
            "documents",
            *(
                [f"left out, since they came as values, without rankings: {', '.join(left_out)}"]
                if left_out
                else []
            ),
        ),
    )


def _lists(tops: Tops) -> dict[str, list[str]]:
    """The first documents of every list, by query."""
    docnos, places = texts(tops.docnos), pairwise(tops.ends.tolist())
    return {qid: docnos[start:end] for qid, (start, end) in zip(tops.qids, places, strict=True)}


def _means(
    tops: Sequence[Mapping[str, Sequence[str]]], p: float, k: int
) -> tuple[I64, dict[str, F64]]:
    """The number of queries that each two runs answer, and the mean coefficients over them."""
    shape = (len(tops), len(tops))
    answered = np.zeros(shape, np.int64)
    sums = {name: np.zeros(shape) for name in ListAgreement._fields}
    known = {name: np.zeros(shape, np.int64) for name in ListAgreement._fields}
    for qid in dict.fromkeys(qid for lists in tops for qid in lists):
        runs = [run for run, lists in enumerate(tops) if qid in lists]
        cells = np.ix_(runs, runs)
        answered[cells] += 1
        coefficients = agreement_of_lists([tops[run][qid] for run in runs], p, k)
        for name, values in coefficients._asdict().items():
            sums[name][cells] += np.nan_to_num(values)
            known[name][cells] += ~np.isnan(values)
    means = {
        name: np.divide(sums[name], known[name], out=np.full(shape, np.nan), where=known[name] > 0)
        for name in ListAgreement._fields
    }
    return answered, means
