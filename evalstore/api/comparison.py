"""`evalstore.compare`: comparisons of runs, which print themselves."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from evalstore.api.evaluation import Cell, html_table, new_frame, text_table
from evalstore.api.inputs import as_qrels, as_queries, named_runs
from evalstore.catalog.names import parse_conditions
from evalstore.comparison.choosing.holdout import held_out, hold_out
from evalstore.comparison.claims import comparability_line, sentences
from evalstore.comparison.compare import Slices, compare_loaded, split_by
from evalstore.comparison.comparison_table import comparison_export
from evalstore.comparison.loading import evaluate_given_runs, restrict
from evalstore.comparison.qrels.predicted import Predicted
from evalstore.comparison.significance import (
    COLUMNS,
    Compared,
    Correction,
    Over,
    Pair,
    Settings,
    Test,
)
from evalstore.errors import DataError, did_you_mean
from evalstore.formats.reading.source import printable
from evalstore.measures import Measure, named_measures
from evalstore.measures.join import Extras
from evalstore.measures.judged import CompatMode
from evalstore.stats.inputs import SEED
from evalstore.tables.renderers import Format, export_text

if TYPE_CHECKING:
    import pandas as pd

    from evalstore.api.inputs import QrelsLike, QueriesLike, Runs
    from evalstore.comparison.comparability import Comparable


@dataclass(frozen=True, repr=False)
class Comparison:
    """Runs compared on some measures; prints itself, and shows as a table in a notebook.

    `a` is the baseline of a pair and `b` the other run; differences are b - a. `compared` has the
    figures as frozen objects.
    """

    compared: Compared

    @property
    def comparable(self) -> Comparable:
        """Whether the runs may be compared: `yes`, `partly`, or `no` (then without figures)."""
        return self.compared.comparable

    @property
    def reasons(self) -> tuple[str, ...]:
        """A sentence for each thing that differs between the runs; none if `yes`."""
        return self.compared.reasons

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences that are needed to read the figures."""
        return self.compared.notes

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """The claims, a sentence for each pair and measure."""
        return sentences(self.compared)

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """One row for each pair and measure.

        Columns: a, b, measure, queries, mean_a, mean_b, difference, low and high (the interval of
        the difference), p_t, p_wilcoxon, p_sign, p_randomization, p_corrected_t and so on,
        cohens_d, the queries on which b wins, ties, losses, bounds_low and bounds_high (what
        unjudged documents could make of the difference), verdict (on b: better, worse, equivalent,
        undecided, none), its reason, and family (the correction, and what it covers).
        """
        return pairs_frame([pair.row() for pair in self.compared.pairs])

    @cached_property
    def per_query(self) -> pd.DataFrame:
        """One row per run and judged query (index `run`, `qid`), one column per measure (float64).

        A query that a run does not answer has the value of an empty ranking; NaN if the run has
        no value at all, as the response time of a query that was not timed. Queries are in byte
        order.
        """
        import pandas as pd  # noqa: PLC0415  (pandas is slow to import)

        compared = self.compared
        names = [run.name for run in compared.runs]
        index = pd.MultiIndex.from_product([names, compared.qids], names=["run", "qid"])
        columns = {
            name: values.T.ravel() if len(compared.qids) else np.zeros(0)
            for name, values in compared.values.items()
        }
        return pd.DataFrame(columns, index=index, columns=list(compared.values))

    @cached_property
    def predicted(self) -> pd.DataFrame:
        """One row for each pair and measure: the difference corrected by a model's judgments.

        Columns: a, b, measure, difference, low and high (`stats.ppi_difference` with Student's t),
        queries (that people judged), difference_alone, low_alone and high_alone (of these by
        people's judgments alone), predicted_queries (further ones that the model judged),
        predicted_by (its qrels), level. Empty without `predicted_by`.
        """
        rows = [of.to_dict() for of in self.compared.predicted]
        return new_frame(rows, [field.name for field in fields(Predicted)])

    @property
    def restriction(self) -> str | None:
        """The judged queries that were compared, like `the 12 of 35 queries with lang=de`."""
        return self.compared.restriction

    def by(self, attribute: str) -> SlicedComparison:
        """The figures of every group of queries with the same value of an attribute.

        The p values of each test are corrected over all slices, pairs and measures together.
        Queries without the attribute are a slice of their own, `(none)`; a note names slices of
        fewer than 10 queries as small.

        Args:
            attribute: its name; `length` is the number of words of a query's text. An attribute of
                more than 5 different numbers is split into up to 4 ranges of about equally many
                queries.

        Raises:
            errors.DataError: no query has it, or it has more than 50 different values.
        """
        return SlicedComparison(split_by(self.compared, attribute))

    def to_dict(self) -> dict[str, object]:
        """The verdict and the figures of every pair, as in `evalstore compare --format json`.

        None for a value that is no finite number, such as the interval from one query.
        """
        return self.compared.to_dict()

    def export(
        self,
        format: Format,
        *,
        digits: int = 4,
        guard_formulas: bool = False,
        per_query: bool = False,
    ) -> str:
        """The comparison as text, as `evalstore export comparison` writes it.

        Args:
            format: `csv`, `tsv`, `json`, `markdown`, `latex` (needs the package booktabs) or
                `trec`, which has the means of every run over the queries that all of them answer.
            digits: the decimals of Markdown and LaTeX.
            guard_formulas: whether texts that a spreadsheet would take for a formula get an
                apostrophe in front, in CSV and TSV.
            per_query: whether TREC text also has the value of every query.

        Raises:
            errors.DataError: there is no such format, or the decimals can't be.
        """
        exported = comparison_export(self.compared, per_query=per_query)
        return export_text(exported, format, digits=digits, guard_formulas=guard_formulas)

    def __repr__(self) -> str:
        """The verdict, the figures as a table, and the claims."""
        return _text(*self._shown())

    def _repr_html_(self) -> str:
        """The same with the table in HTML, for notebooks."""
        return _html(*self._shown())

    def _shown(self) -> Shown:
        rows = [pair_cells(pair, self.compared.settings.test) for pair in self.compared.pairs]
        return (comparability_line(self.compared), *self.notes), HEADERS, rows, self.sentences


def baseline_number(name: str, runs: Sequence[str]) -> int:
    """The position of the baseline among the runs.

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
    measures: str | Measure | Iterable[str | Measure] = ("AP", "nDCG@10"),
    *,
    baseline: str | None = None,
    test: Test = "t",
    correction: Correction = "holm",
    alpha: float = 0.05,
    tie_width: float = 0.0,
    resamples: int | None = None,
    seed: int = SEED,
    over: Over = "judged",
    margin: float | None = None,
    compat: CompatMode = "exact",
    extras: Extras | None = None,
    ignore_identical_ids: bool = False,
    allow_disjoint: bool = False,
    queries: QueriesLike | None = None,
    where: str | Iterable[str] = (),
    holdout: float | None = None,
    predicted_by: QrelsLike | None = None,
) -> Comparison:
    """Compare runs: first whether they may be compared, then each pair on each measure.

    Values are joined on query ids. Every judged query counts: one that a run does not answer counts
    as an empty ranking. Nothing is left out or changed silently: `reasons` names what differs.

    Args:
        qrels: judgments, as `evaluate` takes them.
        runs: two runs or more, as `evaluate` takes them.
        measures: objects (`nDCG @ 10`) or texts (`"nDCG@10"`).
        baseline: the name of the run that all others are compared with; all pairs if None.
        test: whose corrected p decides whether a run is said to beat another: `t`, `wilcoxon`,
            `sign` or `randomization`. The p of all four are given. `wilcoxon` and `sign` ask which
            run is more often better, not which mean is.
        correction: for all pairs and measures: `holm`, `bonferroni`, `bh` (Benjamini and
            Hochberg), or `none`, after which several comparisons are said to show nothing.
        alpha: a corrected p below it counts; intervals are of level 1 - alpha.
        tie_width: a query on which the values differ by at most this is a tie.
        resamples: of the randomization test, if it is not exact; None for as many as the number
            of comparisons needs, and at least 100,000.
        seed: of what draws random numbers: the same input gives the same result.
        over: `judged` for all judged queries, `common` for those that all runs answer.
        margin: runs are `equivalent` if two one-sided t tests show that they differ by less.
        compat: which release of trec_eval the values agree with if they differ.
        extras: data that some measures need besides a run and a qrels.
        ignore_identical_ids: leave out retrieved documents whose id is the query's; a note says of
            how many.
        allow_disjoint: whether to take runs none of whose documents is judged.
        queries: texts and attributes, which `where` and `Comparison.by` need: what `read_queries`
            gives, a path, `{qid: {"text": ..., "lang": ...}}`, or a frame whose further columns
            are attributes.
        where: conditions on attributes of the queries, one or several that must all hold:
            `"lang=de"`, `["category!=howto", "length>=4"]`. `=` and `!=` compare text, `<`, `<=`,
            `>` and `>=` numbers; `length` is the number of words of a text. Only queries for
            which they hold are compared, and the result says so.
        holdout: the share of the judged queries (0 to 1) to compare over alone, the same ones for
            the same queries. Of several runs with a baseline, only the one that has the best
            figure of the first measure on the other queries is compared.
        predicted_by: judgments of a model, as of `qrels`; those of further queries correct the
            differences: `Comparison.predicted`. Not with `holdout`.

    Raises:
        errors.DataError: fewer than two runs, no measure, an invalid argument, a condition that
            names an attribute or a value that no query has, or fewer than 3 held-out queries.
        errors.MeasureError: an unknown measure, or one that lacks data it needs.

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
    if predicted_by is not None and holdout is not None:
        raise DataError("a share to hold out and a model's judgments exclude each other")
    named = named_runs(runs)
    settings = Settings(
        test, correction, alpha, tie_width, resamples, seed, over=over, margin=margin
    )
    number = None if baseline is None else baseline_number(baseline, list(named))
    chosen = named_measures(measures)
    loaded, *others = (
        evaluate_given_runs(
            as_qrels(judgments),
            named,
            chosen,
            compat=compat,
            extras=extras,
            queries=None if queries is None else as_queries(queries),
            ignore_identical_ids=ignore_identical_ids,
            allow_disjoint=allow_disjoint,
        )
        for judgments in (qrels, *([] if predicted_by is None else [predicted_by]))
    )
    conditions = parse_conditions(where)
    restricted = restrict(replace(loaded, baseline=number), conditions)
    for model in others:
        restricted = replace(restricted, model=restrict(model, conditions).runs)
    if holdout is not None and loaded.runs:
        held = held_out(loaded.runs[0].qids, holdout)
        restricted = hold_out(restricted, held, chosen, common=over == "common")
    return Comparison(compare_loaded(restricted, chosen, settings))


@dataclass(frozen=True, repr=False)
class SlicedComparison:
    """A comparison split by an attribute; `Comparison.by` returns it.

    Prints itself with the figures of all queries first, and shows as tables in a notebook.
    `slices` has the figures as frozen objects.
    """

    slices: Slices

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """One row for each slice, pair and measure.

        Columns: slice (the value of the attribute, a range of numbers, or `(none)`), then those of
        `Comparison.pairs`. Corrected p are corrected over all slices, pairs and measures.
        """
        return pairs_frame(self.slices.rows(), ("slice", *COLUMNS))

    @property
    def queries(self) -> dict[str, tuple[str, ...]]:
        """The judged queries of every slice, in byte order."""
        return {part.label: part.qids for part in self.slices.slices}

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences that are needed to read the figures; small slices are named."""
        return self.slices.notes

    @cached_property
    def sentences(self) -> tuple[str, ...]:
        """The claims, a sentence for each slice, pair and measure, which names the slice."""
        return self.slices.sentences

    def to_dict(self) -> dict[str, object]:
        """All queries and the slices, as in `evalstore compare --by --format json`."""
        return {**self.slices.whole.to_dict(), **self.slices.to_dict()}

    def __repr__(self) -> str:
        """The verdict, the figures of all queries, and then of the slices, as text."""
        return _text(*self._shown())

    def _repr_html_(self) -> str:
        """The same with the table in HTML, for notebooks."""
        return _html(*self._shown())

    def _shown(self) -> Shown:
        whole, test = self.slices.whole, self.slices.settings.test
        before = (comparability_line(whole), *whole.notes, *sentences(whole), *self.notes)
        rows = [
            [part.label, *pair_cells(pair, test)]
            for part in self.slices.slices
            for pair in part.pairs
        ]
        return before, (self.slices.attribute, *HEADERS), rows, self.sentences


HEADERS = (
    *("a", "b", "measure", "queries", "mean a", "mean b", "difference", "low", "high"),
    *("p", "p corrected", "Cohen's d", "wins", "ties", "losses"),
)


def pairs_frame(
    rows: Sequence[Mapping[str, object]], columns: Sequence[str] = COLUMNS
) -> pd.DataFrame:
    """The rows of `Pair.row` as a frame; columns that are not in `COLUMNS` are text."""
    texts = {"verdict", "reason", "family", *columns} - set(COLUMNS[3:-3])
    counts = ["queries", "wins", "ties", "losses"]
    types = {name: "str" if name in texts else "float64" for name in columns}
    return new_frame(rows, columns).astype({**types, **dict.fromkeys(counts, "int64")})


def pair_cells(pair: Pair, test: Test) -> list[Cell]:
    """The figures of a pair under `HEADERS`, with the p value of one test."""
    return [
        *(pair.a, pair.b, pair.measure, pair.queries, pair.mean_a, pair.mean_b),
        *(pair.difference, *pair.interval, pair.p[test], pair.p_corrected[test]),
        *(pair.cohens_d, pair.wins, pair.ties, pair.losses),
    ]


Shown = tuple[Sequence[str], Sequence[str], list[list[Cell]], Sequence[str]]
"""The lines before a table, its headers and rows, and the lines after it."""


def _text(
    before: Sequence[str], headers: Sequence[str], rows: list[list[Cell]], after: Sequence[str]
) -> str:
    """The lines `before`, a table unless it has no rows, and the lines `after`."""
    lines = [printable(line) for line in before]
    if rows:
        lines += [text_table(headers, rows), *map(printable, after)]
    return "\n".join(lines)


def _html(
    before: Sequence[str], headers: Sequence[str], rows: list[list[Cell]], after: Sequence[str]
) -> str:
    """A table, unless it has no rows, between paragraphs of HTML."""
    first, last = (
        "".join(f"<p>{html.escape(printable(line))}</p>\n" for line in lines)
        for lines in (before, after)
    )
    return first + (html_table(headers, rows) if rows else "") + last
