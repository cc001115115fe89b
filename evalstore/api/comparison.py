"""Compare runs: is the difference real, on which queries, and may these be compared at all."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from evalstore.api.inputs import as_qrels, named_runs
from evalstore.api.tables import Cell, html_table, text_table
from evalstore.errors import DataError, did_you_mean
from evalstore.formats.source import printable
from evalstore.matching import Extras
from evalstore.measures import Measure, named_measures
from evalstore.measures.judged import CompatMode
from evalstore.stats.inputs import SEED
from evalstore.usecases.claims import sentences, verdict
from evalstore.usecases.given_runs import evaluate_given_runs
from evalstore.usecases.loaded_runs import compare_loaded
from evalstore.usecases.significance import COLUMNS, Compared, Correction, Settings, Test

if TYPE_CHECKING:
    import pandas as pd

    from evalstore.api.inputs import QrelsLike, Runs
    from evalstore.usecases.comparability import Verdict

HEADERS = (
    *("a", "b", "measure", "queries", "mean a", "mean b", "difference", "low", "high"),
    *("p", "p corrected", "Cohen's d", "wins", "ties", "losses"),
)


@dataclass(frozen=True, repr=False)
class Comparison:
    """Runs compared on some measures; prints itself, and shows as a table in a notebook.

    `a` is the baseline of a pair and `b` the other run; differences are b - a.

    Attributes:
        compared: the figures as frozen objects.
    """

    compared: Compared

    @property
    def comparable(self) -> Verdict:
        """Whether the runs may be compared: `yes`, `partly`, or `no`, and then without figures."""
        return self.compared.comparable

    @property
    def reasons(self) -> tuple[str, ...]:
        """What differs between the runs, a sentence each; none with `yes`."""
        return self.compared.reasons

    @property
    def notes(self) -> tuple[str, ...]:
        """What has to be known to read the figures, a sentence each."""
        return self.compared.notes

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """What the figures say, a sentence a pair and measure."""
        return sentences(self.compared)

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """A row a pair and measure.

        Columns: a, b, measure, queries (those that both answer), mean_a, mean_b, difference,
        low and high (the interval of the difference), p_t, p_wilcoxon, p_sign, p_randomization,
        p_corrected_t and so on, cohens_d, and the queries on which b wins, ties, losses.
        """
        import pandas as pd  # noqa: PLC0415  (only who asks for a frame waits for pandas)

        texts = ["a", "b", "measure"]
        counts = ["queries", "wins", "ties", "losses"]
        rows = [pair.row() for pair in self.compared.pairs]
        frame = pd.DataFrame(rows, columns=list(COLUMNS))
        types = {name: "str" if name in texts else "float64" for name in COLUMNS}
        return frame.astype({**types, **dict.fromkeys(counts, "int64")})

    @cached_property
    def per_query(self) -> pd.DataFrame:
        """A row a run and judged query (index `run`, `qid`), a column a measure (float64).

        NaN where the run does not answer the query. Queries stand in byte order.
        """
        import pandas as pd  # noqa: PLC0415  (only who asks for a frame waits for pandas)

        compared = self.compared
        names = [run.name for run in compared.runs]
        index = pd.MultiIndex.from_product([names, compared.qids], names=["run", "qid"])
        columns = {
            name: values.T.ravel() if len(compared.qids) else np.zeros(0)
            for name, values in compared.values.items()
        }
        return pd.DataFrame(columns, index=index, columns=list(compared.measures))

    def to_dict(self) -> dict[str, object]:
        """The verdict and the figures of every pair, as `evalstore compare --format json` has them.

        What is no finite number, as the interval from one query, is None.
        """
        return self.compared.to_dict()

    def __repr__(self) -> str:
        """The verdict, the figures as a table, and what they say."""
        lines = [printable(line) for line in (verdict(self.compared), *self.notes)]
        if self.compared.pairs:
            lines.append(text_table(HEADERS, self._rows()))
            lines += [printable(sentence) for sentence in self.sentences]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """The same with the table in HTML, for notebooks."""
        before = [verdict(self.compared), *self.notes]
        table = html_table(HEADERS, self._rows()) if self.compared.pairs else ""
        return _paragraphs(before) + table + _paragraphs(self.sentences)

    def _rows(self) -> list[list[Cell]]:
        test = self.compared.settings.test
        return [
            [
                *(pair.a, pair.b, pair.measure, pair.queries, pair.mean_a, pair.mean_b),
                *(pair.difference, *pair.interval, pair.p[test], pair.p_corrected[test]),
                *(pair.cohens_d, pair.wins, pair.ties, pair.losses),
            ]
            for pair in self.compared.pairs
        ]


def _paragraphs(lines: Iterable[str]) -> str:
    return "".join(f"<p>{html.escape(printable(line))}</p>\n" for line in lines)


def baseline_number(name: str, runs: Sequence[str]) -> int:
    """Which of the runs is the baseline.

    Raises:
        DataError: none of them has this name.
    """
    if name not in runs:
        raise DataError(
            f"the baseline {name!r} is not among the runs compared{did_you_mean(name, runs)}"
        )
    return list(runs).index(name)


def compare(
    qrels: QrelsLike,
    runs: Runs,
    measures: str | Measure | Iterable[str | Measure],
    *,
    baseline: str | None = None,
    test: Test = "t",
    correction: Correction = "holm",
    alpha: float = 0.05,
    tie_width: float = 0.0,
    resamples: int = 100_000,
    seed: int = SEED,
    compat: CompatMode = "exact",
    extras: Extras | None = None,
) -> Comparison:
    """Compare runs: whether that may be done, then each pair on each measure.

    Values are joined on query ids; a pair is compared over the judged queries that both runs
    answer. Nothing is left out or changed silently: `reasons` names what differs.

    Args:
        qrels: judgments, as `evaluate` takes them.
        runs: two runs or more, as `evaluate` takes them.
        measures: objects (`nDCG @ 10`) or texts (`"nDCG@10"`).
        baseline: the name of the run that all others are compared with; all pairs where None.
        test: whose corrected p decides whether a run is said to beat another: `t`, `wilcoxon`,
            `sign` or `randomization`. The p of all four are given. With `t` the interval is
            Student's, which agrees with the test; with the others it is the BCa bootstrap's.
        correction: for all pairs and measures: `holm`, `bonferroni`, `bh` (Benjamini and
            Hochberg), or `none`, after which several comparisons are said to show nothing.
        alpha: a corrected p below it counts; intervals are of level 1 - alpha.
        tie_width: a query on which the values differ by at most this is a tie.
        resamples: of the randomization test, where it is not exact; the BCa interval takes a tenth
            of them.
        seed: of what draws random numbers: the same input gives the same result.
        compat: which release of trec_eval the values agree with where they differ.
        extras: what some measures need beside a run and a qrels.

    Raises:
        errors.DataError: less than two runs, no measure, or an argument that can't be.
        errors.MeasureError: a measure that there is not, or that lacks what it needs.

    >>> import evalstore as ev
    >>> qrels = {"q1": {"d1": 1}, "q2": {"d2": 1}, "q3": {"d3": 1}}
    >>> old = {"q1": {"d1": 1, "d9": 2}, "q2": {"d2": 1, "d9": 2}, "q3": {"d3": 2, "d9": 1}}
    >>> new = {"q1": {"d1": 2, "d9": 1}, "q2": {"d2": 2, "d9": 1}, "q3": {"d3": 2, "d9": 1}}
    >>> result = ev.compare(qrels, {"old": old, "new": new}, ["RR"])
    >>> result.comparable
    'yes'
    >>> result.pairs[["mean_a", "mean_b", "wins", "ties", "losses"]].round(3).values.tolist()
    [[0.667, 1.0, 2.0, 1.0, 0.0]]
    """
    named = named_runs(runs)
    settings = Settings(test, correction, alpha, tie_width, resamples, seed)
    number = None if baseline is None else baseline_number(baseline, list(named))
    chosen = named_measures(measures)
    loaded = evaluate_given_runs(as_qrels(qrels), named, chosen, compat=compat, extras=extras)
    return Comparison(compare_loaded(loaded, chosen, number, settings))
