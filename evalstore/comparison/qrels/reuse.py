"""Whether judgments serve a new engine: each group of runs as if it had not been in the pool.

A document that a single group retrieved would not have been judged without that group. Its relevant
documents of this kind are taken out of the judgments, and every run is evaluated again (Zobel,
SIGIR 1998; at TREC the "unique relevant" documents).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from evalstore.catalog.names import natural
from evalstore.comparison.loading import LoadedRuns, evaluate_given_runs
from evalstore.comparison.unjudged.holes import check_measure
from evalstore.errors import DataError
from evalstore.formats import Qrels, Run
from evalstore.measures import Measure, evaluate
from evalstore.measures.join import MarkedKeys, join, match, numbers_among
from evalstore.measures.judged import CompatMode
from evalstore.stats import kendall_tau_b
from evalstore.stats.inputs import check_count, check_positive, in_units
from evalstore.stats.ranks import strict_ranks
from evalstore.tables.table import finite

F64 = npt.NDArray[np.float64]
I64 = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]

DEPTH = 100
"""The rank down to which a group is taken to have been in the pool."""

COLUMNS = (
    *("run", "group", "unique", "before", "after", "difference", "rank_before", "rank_after"),
)
"""The columns of `Reuse.rows`."""


@dataclass(frozen=True)
class LeftOut:
    """A run before and after the unique relevant documents of its group are taken out.

    Attributes:
        unique: the number of these documents.
        before, after: the mean of the measure.
        rank_before, rank_after: 1 + the number of strictly better runs, all under these judgments.
    """

    run: str
    group: str
    unique: int
    before: float
    after: float
    rank_before: int
    rank_after: int

    @property
    def difference(self) -> float:
        """The value after less that before."""
        return self.after - self.before

    def row(self) -> dict[str, str | int | float]:
        """The figures by column."""
        return {name: getattr(self, name) for name in COLUMNS}


@dataclass(frozen=True)
class Reuse:
    """The runs, each with its group left out of the pool.

    Attributes:
        groups: the number of groups.
        judgments, relevant: the numbers of judged and of relevant documents of the qrels.
        unique: the number of relevant documents that a single group has in its first `depth`.
        kendall_tau_b: between the order of the runs and that of the values after; NaN for fewer
            than two runs, or if all are equal.
        runs: the best before first.
    """

    measure: str
    depth: int
    groups: int
    judgments: int
    relevant: int
    unique: int
    kendall_tau_b: float
    runs: tuple[LeftOut, ...]
    notes: tuple[str, ...] = field(default=(), repr=False)

    @property
    def judgments_per_relevant(self) -> float:
        """The number of judged documents per relevant one; NaN without any."""
        return self.judgments / self.relevant if self.relevant else float("nan")

    @property
    def largest_drop(self) -> LeftOut | None:
        """The run that loses most ranks, of equal ones most value; None if none loses a rank."""
        drops = [(of.rank_after - of.rank_before, abs(of.difference)) for of in self.runs]
        most = max(drops)
        return self.runs[drops.index(most)] if most[0] > 0 else None

    @property
    def sentence(self) -> str:
        """The sentence on a group that was not in the pool."""
        changed = max(self.runs, key=lambda of: abs(of.difference))
        drop, ranks = self.largest_drop, "no run loses a rank"
        if drop is not None:
            ranks = (
                f"the largest drop is that of {drop.run}, "
                f"from rank {drop.rank_before:,} to {drop.rank_after:,}"
            )
        return (
            f"{self.unique:,} of {self.relevant:,} relevant documents were found by one group "
            f"alone in its first {self.depth:,} ranks; without them {ranks}, and {self.measure} "
            f"changes by {changed.difference:+.4f} at most ({changed.run})"
        )

    def rows(self) -> list[dict[str, str | int | float]]:
        """A row for each run."""
        return [of.row() for of in self.runs]

    def to_dict(self) -> dict[str, object]:
        """The figures for JSON; None for NaN."""
        names = ("measure", "depth", "groups", "judgments", "relevant", "unique")
        drop = self.largest_drop
        return {
            **{name: getattr(self, name) for name in names},
            "judgments_per_relevant": finite(self.judgments_per_relevant),
            "kendall_tau_b": finite(self.kendall_tau_b),
            "largest_drop": None if drop is None else drop.row(),
            "sentence": self.sentence,
            "runs": self.rows(),
            "notes": list(self.notes),
        }


def leave_one_out(
    loaded: LoadedRuns,
    name: str,
    measure: Measure,
    groups: Sequence[str],
    *,
    depth: int = DEPTH,
    level: float = 1,
) -> Reuse:
    """Evaluate each run as if its group had not been in the pool.

    A relevant document is unique to a group if a run of the group has it in its first `depth` and
    no run of another group has. It then counts as not judged; other judgments stay.

    Args:
        loaded: the runs under the judgments.
        name: the name of the measure.
        measure: a mean over queries that needs no more than a run and judgments.
        groups: the group of each run.
        depth: of the pool, at least 1.
        level: the lowest relevant grade.

    Raises:
        DataError: the runs can't be loaded, a run came as values, or there is a single group.
        MeasureError: another measure.
    """
    check_measure(name, measure)
    check_count("depth", depth)
    check_positive("level", level)
    if loaded.obstacle is None and len(set(groups)) < 2:
        raise DataError("runs of two groups or more can be left out one by one")
    runs, qrels = loaded.all_rankings(None)
    relevant = qrels.grades >= level
    by_group = _found(runs, groups, qrels, depth)
    alone = relevant & (sum(found.astype(np.int64) for found in by_group.values()) == 1)
    order = sorted(range(len(runs)), key=lambda at: natural(loaded.runs[at].name))
    compat: CompatMode = loaded.runs[0].compat  # type: ignore[assignment]  # as evaluated
    sign = measure.descriptor.sign_of_better

    def ranked(judgments: Qrels) -> tuple[F64, I64]:
        values = np.array([_mean(runs[at], judgments, measure, compat) for at in order])
        return values, strict_ranks(sign * in_units(values))

    before, rank_before = ranked(qrels)
    after, rank_after = before.copy(), rank_before.copy()
    unique = {group: alone & found for group, found in by_group.items()}
    for group, documents in unique.items():
        if documents.any():
            own = [groups[at] == group for at in order]
            reduced = replace(qrels, grades=np.where(documents, -1.0, qrels.grades))
            after[own], rank_after[own] = (of[own] for of in ranked(reduced))
    figures = zip(
        order, *(of.tolist() for of in (before, after, rank_before, rank_after)), strict=True
    )
    left_out = [
        LeftOut(loaded.runs[at].name, groups[at], int(unique[groups[at]].sum()), *of_run)
        for at, *of_run in figures
    ]
    return Reuse(
        measure=name,
        depth=depth,
        groups=len(by_group),
        judgments=int((qrels.grades >= 0).sum()),
        relevant=int(relevant.sum()),
        unique=int(alone.sum()),
        kendall_tau_b=kendall_tau_b(sign * in_units(before), sign * in_units(after)),
        runs=tuple(sorted(left_out, key=lambda of: of.rank_before)),
        notes=loaded.notes,
    )


def leave_one_out_given(
    qrels: Qrels,
    runs: Mapping[str, Run],
    name: str,
    measure: Measure,
    *,
    by: str = "engine",
    depth: int = DEPTH,
    level: float = 1,
) -> Reuse:
    """Leave out each group of given runs: those of equal tag (`engine`), or each (`run`).

    Raises:
        DataError: another `by`, or a single group.
        MeasureError: as by `leave_one_out`.
    """
    if by not in ("engine", "run"):
        raise DataError(f"files have no fact {by!r}: group their runs by engine (the tag) or run")
    groups = [run_name if by == "run" else run.tag for run_name, run in runs.items()]
    check_measure(name, measure)
    loaded = evaluate_given_runs(qrels, runs, {name: measure}, allow_disjoint=True)
    return leave_one_out(loaded, name, measure, groups, depth=depth, level=level)


def _found(runs: Sequence[Run], groups: Sequence[str], qrels: Qrels, depth: int) -> dict[str, Bool]:
    """For each group, which judgments are of documents in the first `depth` of one of its runs."""
    marked = qrels.memo("marked keys", lambda: MarkedKeys(qrels.keys, qrels.by_key))
    found = {group: np.zeros(len(qrels.grades), bool) for group in groups}
    for run, group in zip(runs, groups, strict=True):
        lists = numbers_among(run.qids, qrels.qids)
        rows, judgments = join(run, marked, qrels.docnos, qrels.row_query, lists)
        place = rows - run.starts[lists[qrels.row_query[judgments]]]
        found[group][judgments[place < depth]] = True
    return found


def _mean(run: Run, qrels: Qrels, measure: Measure, compat: CompatMode) -> float:
    """The mean over the judged queries that have a value."""
    values = evaluate(match(run, qrels, compat=compat), [measure])[measure]
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")
