"""Reproductions of runs, in Python."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from evalstore.api.evaluation import new_frame, text_table
from evalstore.api.inputs import Opened, as_qrels, as_queries, as_run, named_runs
from evalstore.catalog.names import parse_conditions
from evalstore.comparison.compare import ComparisonOptions, load
from evalstore.comparison.loading import evaluate_given_runs, restrict
from evalstore.errors import DataError
from evalstore.leaderboard.reproduction import (
    COLUMNS,
    DEFAULT_MEASURES,
    RankingFigures,
    ReproducedRun,
    Reproduction,
    reproduction_of,
)
from evalstore.measures import Measure, named_measures
from evalstore.measures.judged import CompatMode

if TYPE_CHECKING:
    import pandas as pd

    from evalstore.api.inputs import QrelsLike, QueriesLike, RunLike


@dataclass(frozen=True, repr=False)
class Reproduced:
    """A run as a reproduction of another one; prints itself.

    `reproduction` has the figures as frozen objects.
    """

    reproduction: Reproduction

    @property
    def sentence(self) -> str:
        """How much of the effect is reproduced, and on which measures the two runs differ."""
        return self.reproduction.sentence

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences that are needed to read the figures."""
        return self.reproduction.notes

    @cached_property
    def figures(self) -> pd.DataFrame:
        """One row per figure of repro_eval and measure (index `figure`, `measure`).

        Columns: value, and baseline (of the reproduced baseline; missing without one). The figures:
        ktu and rbo, of rankings, whose measure is empty; rmse, nrmse, ttest and ttest_unpaired (p
        values), and with a baseline er and dri.
        """
        frame = new_frame(self.reproduction.rows(), COLUMNS).drop(columns="query")
        types = {"figure": "str", "measure": "str", "value": "float64", "baseline": "float64"}
        filled = frame.assign(measure=frame["measure"].fillna(""))
        return filled.astype(types).set_index(["figure", "measure"])

    @cached_property
    def per_query(self) -> pd.DataFrame:
        """One row per query that both runs answer (index `qid`): ktu and rbo."""
        return _per_query(self.reproduction.run)

    @cached_property
    def baseline_per_query(self) -> pd.DataFrame | None:
        """The same of the reproduced baseline; None without one."""
        baseline = self.reproduction.baseline
        return None if baseline is None else _per_query(baseline)

    def to_dict(self) -> dict[str, object]:
        """The figures, as in `evalstore reproduce --format json`; None for one without a value."""
        return self.reproduction.to_dict()

    def __repr__(self) -> str:
        """The figures as text."""
        columns = ["value"] if self.reproduction.baseline is None else ["value", "baseline"]
        frame = self.figures[columns].reset_index()
        return text_table(
            list(map(str, frame)), frame.astype(object).fillna("").to_numpy().tolist()
        )


def _per_query(run: ReproducedRun) -> pd.DataFrame:
    import pandas as pd  # noqa: PLC0415  (pandas is slow to import)

    index = pd.Index(list(run.per_query), name="qid", dtype="str")
    columns = list(RankingFigures._fields)
    return pd.DataFrame(list(run.per_query.values()), index, columns, dtype="float64")


def reproduce(
    qrels: QrelsLike,
    original: RunLike,
    reproduction: RunLike,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    baseline: RunLike | None = None,
    reproduced_baseline: RunLike | None = None,
    compat: CompatMode = "exact",
    ignore_identical_ids: bool = False,
    allow_disjoint: bool = False,
    queries: QueriesLike | None = None,
    where: str | Iterable[str] = (),
) -> Reproduced:
    """Measure how far a run reproduces another one, with the figures of repro_eval.

    Args:
        qrels: judgments, as `evaluate` takes them.
        original: a run, as `evaluate` takes it.
        reproduction: the run that reproduces it.
        measures: objects or texts, whose figure is a mean of values of queries.
        baseline: the run over which `original` was an improvement.
        reproduced_baseline: its reproduction; the same run if only `baseline` is given.
        compat: which release of trec_eval the values agree with if they differ.
        ignore_identical_ids: leave out retrieved documents whose id is the query's.
        allow_disjoint: whether to take runs none of whose documents is judged.
        queries: texts and attributes for `where`, as `compare` takes them.
        where: conditions on attributes of the queries, as `compare` takes them.

    Raises:
        errors.DataError: something is no run, or only one baseline is given.
        errors.NotComparable: the runs share no judged query that both answer.
        errors.MeasureError: an unknown measure, or one that is no mean.

    >>> import evalstore as ev
    >>> qrels = {"q1": {"d1": 1}, "q2": {"d2": 1}}
    >>> original = {"q1": {"d1": 2, "d9": 1}, "q2": {"d2": 2, "d3": 1}}
    >>> again = {"q1": {"d9": 2, "d1": 1}, "q2": {"d2": 2, "d3": 1}}
    >>> ev.reproduce(qrels, original, again, "RR").figures["value"].round(3).head(3).tolist()
    [0.0, 0.24, 0.354]
    """
    given = _of_roles(original, reproduction, baseline, reproduced_baseline)
    chosen = named_measures(measures)
    loaded = evaluate_given_runs(
        as_qrels(qrels),
        named_runs([as_run(run, role) for role, run in given.items()]),
        chosen,
        compat=compat,
        queries=None if queries is None else as_queries(queries),
        ignore_identical_ids=ignore_identical_ids,
        allow_disjoint=allow_disjoint,
    )
    loaded = restrict(loaded, parse_conditions(where))
    return Reproduced(reproduction_of(loaded, chosen))


Given = TypeVar("Given")


def _of_roles(
    original: Given,
    reproduction: Given,
    baseline: Given | None,
    reproduced_baseline: Given | None,
) -> dict[str, Given]:
    """The given runs by role, in the order of `reproduction_of`."""
    given = {"original": original, "reproduction": reproduction}
    if baseline is None:
        if reproduced_baseline is not None:
            raise DataError("name the baseline that is reproduced too")
        return given
    again = baseline if reproduced_baseline is None else reproduced_baseline
    return given | {"baseline": baseline, "reproduced baseline": again}


class ReproducedRuns(Opened):
    """The method of `Store` for reproduced runs."""

    def reproduce(
        self,
        original: str | int,
        reproduction: str | int,
        measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
        *,
        baseline: str | int | None = None,
        reproduced_baseline: str | int | None = None,
        collection: str | None = None,
        qrels: str | None = None,
        where: str | Iterable[str] = (),
    ) -> Reproduced:
        """Measure how far a stored run reproduces another one; see `ev.reproduce`.

        Args:
            original: a run, by name or id.
            reproduction: the run that reproduces it.
            measures: objects or texts; those that are not stored are computed.
            baseline: the run over which `original` was an improvement.
            reproduced_baseline: its reproduction; the same run if only `baseline` is given.
            collection: the name of their collection, if several have runs of these names.
            qrels: the judgments, as in `compare`.
            where: conditions on attributes of the queries, as in `ev.compare`.

        Raises:
            errors.NotFound: a run or qrels that the store does not hold.
            errors.DataError: only one baseline is given.
            errors.NotComparable: the runs differ in collection or judgments.
            errors.MeasureError: as by `ev.reproduce`.
        """
        given = _of_roles(original, reproduction, baseline, reproduced_baseline)
        chosen = named_measures(measures)
        options = ComparisonOptions(
            no_baseline=True, collection=collection, qrels=qrels, where=parse_conditions(where)
        )
        loaded = load(self._reader(), list(map(str, given.values())), chosen, options)
        return Reproduced(reproduction_of(loaded, chosen))
