"""Evaluate runs without a store: judgments and runs in, tables of measures out."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeGuard

import numpy as np

from evalstore.api.files import read_qrels, read_run
from evalstore.api.tables import Cell, html_table, text_table
from evalstore.errors import DataError
from evalstore.formats import Qrels, Run
from evalstore.matching import Extras
from evalstore.measures import Measure, named_measures
from evalstore.measures.judged import CompatMode
from evalstore.usecases.evaluate import Evaluated, Options, evaluate_run
from evalstore.usecases.names import free_name, run_name

Numbers = Mapping[str, Mapping[str, float]]

if TYPE_CHECKING:
    import pandas as pd

    RunLike = Run | Numbers | pd.DataFrame | str | os.PathLike[str]
    QrelsLike = Qrels | Numbers | pd.DataFrame | str | os.PathLike[str]
    Runs = RunLike | Iterable[RunLike] | Mapping[str, RunLike]


@dataclass(frozen=True, repr=False)
class Evaluation:
    """The measures of some runs; prints itself as a table, and shows as one in a notebook.

    Attributes:
        runs: what was computed of each run, by its name: arrays, in the order of its `qids`.
        measures: the names the measures were asked for by.
    """

    runs: Mapping[str, Evaluated]
    measures: tuple[str, ...]

    @cached_property
    def aggregates(self) -> pd.DataFrame:
        """A row a run (index `run`), a column a measure: the mean, or the measure's own aggregate.

        Columns are float64, and int64 for measures that count (NumRet).
        """
        import pandas as pd  # noqa: PLC0415  (only who asks for a frame waits for pandas)

        index = pd.Index(list(self.runs), name="run", dtype="str")
        columns = {
            name: self._column(name, np.array([run.aggregates[name] for run in self.runs.values()]))
            for name in self.measures
        }
        return pd.DataFrame(columns, index=index)

    @cached_property
    def per_query(self) -> pd.DataFrame:
        """A row a run and query (index `run`, `qid`), a column a measure.

        Queries stand in byte order. Columns are float64, and int64 for measures that count.
        """
        import pandas as pd  # noqa: PLC0415  (only who asks for a frame waits for pandas)

        runs = list(self.runs.values())
        names = np.repeat(np.array(list(self.runs), object), [len(run.qids) for run in runs])
        qids = [qid for run in runs for qid in run.qids]
        index = pd.MultiIndex.from_arrays([names, qids], names=["run", "qid"])
        columns = {
            name: self._column(name, np.concatenate([run.values[name] for run in runs]))
            for name in self.measures
        }
        return pd.DataFrame(columns, index=index)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was accepted although it is odd, one sentence each."""
        return tuple(warning for run in self.runs.values() for warning in run.warnings)

    def to_dict(self) -> dict[str, dict[str, dict[str, float | dict[str, float]]]]:
        """All values as `{run: {"aggregates": {measure: value}, "per_query": {qid: {...}}}}`."""
        return {
            name: {
                "aggregates": {m: run.aggregates[m] for m in self.measures},
                "per_query": _by_query(run, self.measures),
            }
            for name, run in self.runs.items()
        }

    def __repr__(self) -> str:
        """The aggregates as a table of text, a row a run."""
        return text_table(["run", *self.measures], self._rows())

    def _repr_html_(self) -> str:
        """The aggregates as a table of HTML, for notebooks."""
        return html_table(["run", *self.measures], self._rows())

    def _rows(self) -> list[list[Cell]]:
        return [
            [name, *(_whole(run.aggregates[m], m in run.counts) for m in self.measures)]
            for name, run in self.runs.items()
        ]

    def _column(self, name: str, values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> object:
        counts = any(name in run.counts for run in self.runs.values())
        return values.astype(np.int64) if counts else values


def _by_query(run: Evaluated, measures: Sequence[str]) -> dict[str, float | dict[str, float]]:
    rows = zip(*(run.values[measure].tolist() for measure in measures), strict=True)
    return {q: dict(zip(measures, row, strict=True)) for q, row in zip(run.qids, rows, strict=True)}


def _whole(value: float, counts: bool) -> Cell:
    return int(value) if counts else value


class Evaluator:
    """Judgments prepared once, for the evaluation of many runs; `evaluator` makes it."""

    def __init__(self, qrels: Qrels, measures: Mapping[str, Measure], options: Options) -> None:
        """Prepare the judgments.

        Args:
            qrels: the judgments.
            measures: by the names their columns have.
            options: how to evaluate.
        """
        self._qrels = qrels.sorted_once()
        self._measures = dict(measures)
        self._options = options

    def evaluate(self, runs: Runs) -> Evaluation:
        """Evaluate one run, some runs, or runs by name; as the function `evaluate` does.

        Raises:
            errors.DataError: a run that can't be read.
        """
        evaluated = {
            name: evaluate_run(run, self._qrels, self._measures, self._options)
            for name, run in _named(runs).items()
        }
        return Evaluation(evaluated, tuple(self._measures))

    def __call__(self, runs: Runs) -> Evaluation:
        """The same as `evaluate`."""
        return self.evaluate(runs)


def evaluator(
    qrels: QrelsLike,
    measures: str | Measure | Iterable[str | Measure],
    *,
    compat: CompatMode = "exact",
    common: bool = False,
    level: float = 1,
    depth: int | None = None,
    judged_only: bool = False,
    extras: Extras | None = None,
    allow_disjoint: bool = False,
) -> Evaluator:
    """Prepare judgments for the evaluation of many runs; the arguments are those of `evaluate`.

    >>> import evalstore as ev
    >>> evaluator = ev.evaluator({"q1": {"d1": 1}}, ["RR"])
    >>> for docno in ("d1", "d2"):
    ...     print(evaluator.evaluate({"q1": {docno: 1.0}}).to_dict()["run"]["aggregates"])
    {'RR': 1.0}
    {'RR': 0.0}
    """
    options = Options(compat, common, level, depth, judged_only, extras, allow_disjoint)
    return Evaluator(_qrels(qrels), named_measures(measures), options)


def evaluate(
    qrels: QrelsLike,
    runs: Runs,
    measures: str | Measure | Iterable[str | Measure],
    *,
    compat: CompatMode = "exact",
    common: bool = False,
    level: float = 1,
    depth: int | None = None,
    judged_only: bool = False,
    extras: Extras | None = None,
    allow_disjoint: bool = False,
) -> Evaluation:
    """Compute measures of runs, as `trec_eval -c` does: all queries of the qrels count.

    Args:
        qrels: `Qrels`, a data frame, `{qid: {docno: grade}}`, or the path of a file.
        runs: one run, several, or a mapping from names to runs. A run is a `Run`, a data frame,
            `{qid: {docno: score}}`, or the path of a file, whose name is the run's; runs that
            would have the same name get numbers.
        measures: objects (`nDCG @ 10`) or texts (`"nDCG@10"`, `"map"`, `"P.5,10"`, `"summary"`).
        compat: which release of trec_eval the values agree with where they differ: `trec_eval-9`,
            `trec_eval-10`, or `exact`.
        common: average over the queries that the run answered, not over all of the qrels.
        level: the lowest relevant grade of measures that do not give their own.
        depth: cut every ranking after so many documents.
        judged_only: then leave out documents without a judgment.
        extras: what some measures need beside a run and a qrels.
        allow_disjoint: whether a run may share no query with the judgments.

    Raises:
        errors.MeasureError: a measure that there is not, or that lacks what it needs.
        errors.DataError: a run or a qrels that can't be read, with the line, row or key.

    >>> import evalstore as ev
    >>> from evalstore.measures import AP, nDCG
    >>> qrels = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
    >>> bm25 = {"q1": {"d2": 2.5, "d1": 1.5}, "q2": {"d3": 0.5}}
    >>> ev.evaluate(qrels, {"bm25": bm25}, [AP, nDCG @ 10, "num_ret"])
    run       AP  nDCG@10  num_ret
    bm25  0.7500   0.8155        3
    """
    prepared = evaluator(
        qrels,
        measures,
        compat=compat,
        common=common,
        level=level,
        depth=depth,
        judged_only=judged_only,
        extras=extras,
        allow_disjoint=allow_disjoint,
    )
    return prepared.evaluate(runs)


# --- what people have ----------------------------------------------------------------------------


def _named(runs: Runs) -> dict[str, Run]:
    """The runs by name."""
    if isinstance(runs, Mapping) and not _is_one_run(runs):
        return {str(name): _run(run, str(name)) for name, run in runs.items()}
    named: dict[str, Run] = {}
    for given in _each(runs):
        run = _run(given, "run")
        named[free_name(run_name(run.path), named)] = run
    if not named:
        raise DataError("no run is given")
    return named


def _each(runs: object) -> Iterable[object]:
    """The runs one after the other, where one may be given alone."""
    if isinstance(runs, Run | Mapping | str | os.PathLike) or _is_frame(runs):
        return [runs]
    if isinstance(runs, Iterable):
        return runs
    raise DataError(f"a run or several are expected, not {_kind(runs)}")


def _is_one_run(runs: Mapping[str, object]) -> TypeGuard[Numbers]:
    """Whether a mapping is from query ids to scores by docno, and not from names to runs."""
    for value in runs.values():
        if not isinstance(value, Mapping):
            return False
        if value:
            return not isinstance(next(iter(value.values())), Mapping)
    return True


def _run(run: object, name: str) -> Run:
    if isinstance(run, Run):
        return run
    if isinstance(run, Mapping):
        return Run.from_dict(run, name=name)
    if _is_frame(run):
        return Run.from_frame(run, name=name)
    if isinstance(run, str | os.PathLike):
        return read_run(run)
    raise DataError(f"{name}: a run is a Run, a frame, a dictionary or a path, not {_kind(run)}")


def _qrels(qrels: object) -> Qrels:
    if isinstance(qrels, Qrels):
        return qrels
    if isinstance(qrels, Mapping):
        return Qrels.from_dict(qrels)
    if _is_frame(qrels):
        return Qrels.from_frame(qrels)
    if isinstance(qrels, str | os.PathLike):
        return read_qrels(qrels)
    raise DataError(f"a qrels is a Qrels, a frame, a dictionary or a path, not {_kind(qrels)}")


def _is_frame(thing: object) -> TypeGuard[pd.DataFrame]:
    """Whether it is a data frame of pandas, which is not imported where nobody else did."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(thing, pandas.DataFrame)


def _kind(thing: object) -> str:
    return f"{type(thing).__module__}.{type(thing).__qualname__}".removeprefix("builtins.")
