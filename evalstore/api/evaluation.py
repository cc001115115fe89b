"""Evaluate runs without a store: judgments and runs in, tables of measures out."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from evalstore.api.inputs import as_qrels, named_runs
from evalstore.evaluation.evaluate import Evaluated, Options, evaluate_run
from evalstore.formats import Qrels
from evalstore.formats.reading.source import printable
from evalstore.measures import Measure, named_measures
from evalstore.measures.join import Extras
from evalstore.measures.judged import CompatMode

if TYPE_CHECKING:
    import pandas as pd

    from evalstore.api.inputs import QrelsLike, Runs


@dataclass(frozen=True, repr=False)
class Evaluation:
    """The measures of some runs; prints itself as a table, also in a notebook.

    Attributes:
        runs: the values of each run, by name: arrays in the order of the run's `qids`.
        measures: their names, as they were given.
    """

    runs: Mapping[str, Evaluated]
    measures: tuple[str, ...]

    @cached_property
    def aggregates(self) -> pd.DataFrame:
        """One row per run (index `run`), one column per measure: the mean or its own aggregate.

        Columns are float64, and int64 for measures that count (NumRet).
        """
        import pandas as pd  # noqa: PLC0415  (pandas is slow to import)

        index = pd.Index(list(self.runs), name="run", dtype="str")
        columns = {
            name: self._column(name, np.array([run.aggregates[name] for run in self.runs.values()]))
            for name in self.measures
        }
        return pd.DataFrame(columns, index=index)

    @cached_property
    def per_query(self) -> pd.DataFrame:
        """One row per run and query (index `run`, `qid`), one column per measure.

        Queries are in byte order. Columns are float64, and int64 for measures that count.
        """
        import pandas as pd  # noqa: PLC0415  (pandas is slow to import)

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
        """Oddities that were accepted, one sentence each."""
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
        """The aggregates as a text table, one row per run."""
        return text_table(["run", *self.measures], self._rows())

    def _repr_html_(self) -> str:
        """The aggregates as an HTML table, for notebooks."""
        return html_table(["run", *self.measures], self._rows())

    def _rows(self) -> list[list[Cell]]:
        rows: list[list[Cell]] = []
        for name, run in self.runs.items():
            figures = ((m in run.counts, run.aggregates[m]) for m in self.measures)
            rows.append([name, *(int(value) if counts else value for counts, value in figures)])
        return rows

    def _column(self, name: str, values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> object:
        counts = any(name in run.counts for run in self.runs.values())
        return values.astype(np.int64) if counts else values


def _by_query(run: Evaluated, measures: Sequence[str]) -> dict[str, float | dict[str, float]]:
    rows = zip(*(run.values[measure].tolist() for measure in measures), strict=True)
    return {q: dict(zip(measures, row, strict=True)) for q, row in zip(run.qids, rows, strict=True)}


class Evaluator:
    """Judgments prepared once for evaluating many runs; `evaluator` makes it."""

    def __init__(self, qrels: Qrels, measures: Mapping[str, Measure], options: Options) -> None:
        """Prepare the judgments; `measures` are given by the names of their columns."""
        self._qrels = qrels.sorted_once()
        self._measures = dict(measures)
        self._options = options

    def evaluate(self, runs: Runs) -> Evaluation:
        """Evaluate one run, several runs, or runs by name, like the function `evaluate`.

        Raises:
            errors.DataError: a run that can't be read.
        """
        evaluated = {
            name: evaluate_run(run, self._qrels, self._measures, self._options)
            for name, run in named_runs(runs).items()
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
    ignore_identical_ids: bool = False,
) -> Evaluator:
    """Prepare judgments for evaluating many runs; the arguments are as in `evaluate`.

    With `allow_disjoint` a step of a training loop may retrieve nothing that is judged.

    >>> import evalstore as ev
    >>> evaluator = ev.evaluator({"q1": {"d1": 1}}, ["RR"], allow_disjoint=True)
    >>> for docno in ("d1", "d2"):
    ...     print(evaluator.evaluate({"q1": {docno: 1.0}}).to_dict()["run"]["aggregates"])
    {'RR': 1.0}
    {'RR': 0.0}
    """
    options = Options(
        compat, common, level, depth, judged_only, extras, allow_disjoint, ignore_identical_ids
    )
    return Evaluator(as_qrels(qrels), named_measures(measures), options)


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
    ignore_identical_ids: bool = False,
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
        depth: cut every ranking after this many documents.
        judged_only: after that, leave out documents without a judgment.
        extras: data that some measures need besides a run and a qrels.
        allow_disjoint: whether a run may share no query with the judgments.
        ignore_identical_ids: leave out retrieved documents whose id is the query's, as BEIR does;
            a warning says how many.

    Raises:
        errors.MeasureError: an unknown measure, or one that lacks data it needs.
        errors.DataError: a run or a qrels that can't be read, with the line, row or key.

    >>> import evalstore as ev
    >>> from evalstore.measures import AP, nDCG
    >>> qrels = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
    >>> bm25 = {"q1": {"d2": 2.5, "d1": 1.5}, "q2": {"d3": 0.5}}
    >>> ev.evaluate(qrels, {"bm25": bm25}, [AP, nDCG @ 10, "num_ret"])
    run       AP  nDCG@10  num_ret
    bm25  0.7500   0.8155        3
    """
    options = Options(
        compat, common, level, depth, judged_only, extras, allow_disjoint, ignore_identical_ids
    )
    return Evaluator(as_qrels(qrels), named_measures(measures), options).evaluate(runs)


# Tables of results: frames, and small ones as text and as HTML for results that print themselves


def new_frame(rows: Any, columns: Iterable[object], index: list[Any] | None = None) -> pd.DataFrame:
    """A frame of rows; the first one imports pandas."""
    import pandas as pd  # noqa: PLC0415  (pandas is slow to import)

    return pd.DataFrame(rows, index=index, columns=list(columns))


Cell = str | int | float


def text_table(headers: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """The rows in columns, the first column aligned left, the others right.

    Numbers have four decimals, whole numbers none; characters that a terminal would act on are
    escaped.
    """
    cells = [[printable(name) for name in headers]]
    cells += [[printable(_shown(cell)) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for first, *others in cells:
        numbers = (cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))
        lines.append("  ".join((first.ljust(widths[0]), *numbers)).rstrip())
    return "\n".join(lines)


def html_table(headers: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """A table as HTML, with every name escaped."""
    head = "".join(f"<th>{html.escape(printable(name))}</th>" for name in headers)
    body = "".join(f"<tr>{''.join(_html_cells(row))}</tr>\n" for row in rows)
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>"


def _html_cells(row: Sequence[Cell]) -> list[str]:
    first, *others = (html.escape(printable(_shown(cell))) for cell in row)
    return [f"<th>{first}</th>", *(f"<td>{cell}</td>" for cell in others)]


def _shown(cell: Cell) -> str:
    return f"{cell:.4f}" if isinstance(cell, float) else str(cell)
