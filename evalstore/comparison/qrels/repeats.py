"""Several judgments of the same documents by one judge, as by a model that is asked again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from statistics import fmean

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from evalstore.comparison.loading import LoadedRuns
from evalstore.comparison.qrels.documents import judged_documents
from evalstore.comparison.qrels.leaderboards import figure_of, given_under, pairs_under
from evalstore.errors import DataError
from evalstore.formats import Qrels, Run
from evalstore.measures import Measure
from evalstore.stats.inputs import check_positive, in_units
from evalstore.stats.ranks import strict_ranks
from evalstore.tables.table import Value, finite


@dataclass(frozen=True)
class RepeatedRun:
    """A run under each of the qrels: its figures, and its best and worst rank."""

    run: str
    mean: float
    sd: float
    low: float
    high: float
    best_rank: int
    worst_rank: int


@dataclass(frozen=True)
class RepeatedClaim:
    """A pair whose difference is shown under some qrels: the number under which `run` is higher."""

    baseline: str
    run: str
    higher: int
    lower: int
    undecided: int


@dataclass(frozen=True)
class Repeats:
    """The agreement of several qrels with each other; negative grades count as not judged.

    Attributes:
        names: of the qrels.
        documents: the number judged in all; `partly`: in some.
        same: the share of those judged in all with one grade; NaN without any.
        agreement: the raw agreement of two qrels, the mean over the pairs of them.
        variance: the variance of the grades of a document (n - 1), the mean over those judged in
            all.
        turned: the number of those judged in all that are relevant in some and not in others.
        measure: of the runs; empty without runs.
        runs: the best mean first.
        claims: of the pairs of runs; None if there are too many, or nothing can be claimed.
    """

    names: tuple[str, ...]
    documents: int
    partly: int
    same: float
    agreement: float
    variance: float
    turned: int
    measure: str = ""
    runs: tuple[RepeatedRun, ...] = ()
    claims: tuple[RepeatedClaim, ...] | None = None
    notes: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The sentence on the changes from one repeat to another."""
        words = (
            f"{len(self.names):,} repeats give {100 * self.same:.1f} % of {self.documents:,} "
            f"documents one grade (variance {self.variance:.3f}); {self.turned:,} are relevant in "
            "some and not in others"
        )
        if self.claims is not None:
            always = sum(max(one.higher, one.lower) == len(self.names) for one in self.claims)
            words += (
                f"; of {len(self.claims):,} differences on {self.measure} that any shows, "
                f"{always:,} are shown by all"
            )
        return f"{words}."

    def to_dict(self) -> dict[str, object]:
        """The figures for JSON; None for NaN, and for claims that are not known."""
        figures: dict[str, Value] = {
            name: finite(getattr(self, name))
            for name in ("documents", "partly", "same", "agreement", "variance", "turned")
        }
        claims = None if self.claims is None else [asdict(one) for one in self.claims]
        return {
            "qrels": list(self.names),
            **figures,
            "measure": self.measure or None,
            "runs": [{**asdict(one), "sd": finite(one.sd)} for one in self.runs],
            "claims": claims,
            "sentence": self.sentence,
            "notes": list(self.notes),
        }


def judgment_repeats(qrels: Sequence[Qrels], level: float = 1) -> Repeats:
    """Compare several qrels, whose paths are their names; a grade from `level` on is relevant.

    DataError for fewer than two, or if no document is judged in all.
    """
    check_positive("level", level)
    if len(qrels) < 2:
        raise DataError("give two qrels or more: the repeats of a judge")
    tables = [
        pa.table(
            {
                "qid": pa.array(np.array(of.qids, object)[of.row_query]),
                "docno": of.docnos,
                "grade": of.grades,
                "relevant": (of.grades >= level).astype(np.int64),
            }
        ).filter(pa.array(of.grades >= 0))
        for of in qrels
    ]
    found = (
        pa.concat_tables(tables)
        .group_by(["qid", "docno"])
        .aggregate(
            [
                *(("grade", "count"), ("grade", "min"), ("grade", "max"), ("relevant", "sum")),
                ("grade", "variance", pc.VarianceOptions(ddof=1)),
            ]
        )
    )
    in_all = found.filter(pc.equal(found["grade_count"], len(qrels)))
    if not len(in_all):
        names = ", ".join(of.path for of in qrels)
        raise DataError(f"no document is judged in all of {names}")
    relevant = in_all["relevant_sum"].to_numpy()
    return Repeats(
        names=tuple(of.path for of in qrels),
        documents=len(in_all),
        partly=len(found) - len(in_all),
        same=float(np.mean(in_all["grade_min"].to_numpy() == in_all["grade_max"].to_numpy())),
        agreement=fmean(_agreement(*pair) for pair in combinations(qrels, 2)),
        variance=float(in_all["grade_variance"].to_numpy().mean()),
        turned=int(np.count_nonzero((relevant > 0) & (relevant < len(qrels)))),
    )


def _agreement(a: Qrels, b: Qrels) -> float:
    """The share of the documents judged in both with the same grade."""
    of = judged_documents(a, b)
    both = (of.a >= 0) & (of.b >= 0)
    return float(np.mean(of.a[both] == of.b[both]))


def with_runs(
    repeats: Repeats, loaded: Sequence[LoadedRuns], name: str, measure: Measure
) -> Repeats:
    """The same with the same runs, by name, loaded under each of the qrels.

    Claims are of the pairs with the baseline of the first of `loaded`, or else of all pairs. A run
    that has no figure under one of them is left out. DataError for runs that can't be loaded under
    one of the qrels.
    """
    for one in loaded:
        if one.obstacle is not None:
            raise DataError(one.obstacle)
    figures = np.array([[figure_of(run, name, measure) for run in one.runs] for one in loaded])
    known = ~np.isnan(figures).any(axis=0)
    figures = figures[:, known]
    names = [run.name for run, has in zip(loaded[0].runs, known, strict=True) if has]
    sign = measure.descriptor.sign_of_better
    ranks = np.array([strict_ranks(sign * in_units(row)) for row in figures])
    means = figures.mean(axis=0)
    columns = (
        *(names, means.tolist(), figures.std(axis=0, ddof=1).tolist()),
        *(figures.min(axis=0).tolist(), figures.max(axis=0).tolist()),
        *(ranks.min(axis=0).tolist(), ranks.max(axis=0).tolist()),
    )
    runs = [RepeatedRun(*row) for row in zip(*columns, strict=True)]
    order = np.argsort(-sign * means, kind="stable").tolist()
    claims, notes = _claims(loaded, name, measure)
    queries = [frozenset(one.runs[0].qids) for one in loaded]
    different = {qid for of in queries for qid in of if not all(qid in each for each in queries)}
    if different:
        notes = (
            *notes,
            f"the figures are over different queries: {len(different):,} are not judged in all",
        )
    return replace(
        repeats, measure=name, runs=tuple(runs[at] for at in order), claims=claims, notes=notes
    )


def _claims(
    loaded: Sequence[LoadedRuns], name: str, measure: Measure
) -> tuple[tuple[RepeatedClaim, ...] | None, tuple[str, ...]]:
    """The pairs whose difference is shown under some of the qrels; None with the reasons."""
    found = []
    for one in loaded:
        pairs, reasons = pairs_under(one, loaded[0].baseline, name, measure)
        if pairs is None:
            return None, reasons
        found.append(pairs)
    claims = []
    for baseline, run in found[0]:
        of = [pairs[baseline, run] for pairs in found if (baseline, run) in pairs]
        higher = sum(pair.is_shown and pair.difference > 0 for pair in of)
        lower = sum(pair.is_shown and pair.difference < 0 for pair in of)
        if higher or lower:
            claims.append(RepeatedClaim(baseline, run, higher, lower, len(found) - higher - lower))
    return tuple(claims), ()


def repeats_of_given_qrels(
    qrels: Sequence[Qrels],
    runs: Mapping[str, Run],
    name: str,
    measure: Measure,
    level: float = 1,
    *,
    baseline: str | None = None,
) -> Repeats:
    """Compare several qrels and, if there are runs, the runs under each of them; without a store.

    DataError as by `judgment_repeats`, or for an unknown baseline.
    """
    repeats = judgment_repeats(qrels, level)
    if not runs:
        return repeats
    return with_runs(repeats, given_under(qrels, runs, name, measure, baseline), name, measure)
