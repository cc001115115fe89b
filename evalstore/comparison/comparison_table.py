"""The table of a comparison, from which every export format is written."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from evalstore.comparison.claims import TEST_NAMES, comparability_line
from evalstore.comparison.significance import COLUMNS, ROUNDING, Compared, Pair, figure_over
from evalstore.comparison.slices import Slices
from evalstore.tables.table import Column, Export, Figure, Style, Table, Value, finite

DAGGER = "†"
TEXTS = ("a", "b", "measure", "verdict", "reason", "family")
HEADINGS = {
    **{"a": "a", "b": "b", "measure": "measure", "low": "low", "high": "high"},
    **{"mean_a": "mean a", "mean_b": "mean b", "difference": "b - a", "cohens_d": "d"},
}
"""Column headings for documents that are the same for all comparisons."""


def comparison_export(
    compared: Compared, slices: Slices | None = None, *, per_query: bool = False
) -> Export:
    """A comparison for any format; `per_query` adds the values of every query to TREC text."""
    document = {**compared.to_dict(), **({} if slices is None else slices.to_dict())}
    return Export(
        comparison_table(compared, slices), document, tuple(_figures(compared, per_query))
    )


def comparison_table(compared: Compared, slices: Slices | None = None) -> Table:
    """One row per pair and measure; with slices also one per slice, pair and measure.

    CSV has `comparable`, the columns of `Pair.row` and the reasons. Documents have the p of the
    deciding test, and the number of queries only if it is not that of all judged queries.
    """
    headings = _headings(compared)
    columns = (
        Column("comparable", None, "text"),
        *([] if slices is None else [Column("slice", slices.attribute, "text")]),
        *(Column(name, headings.get(name), _style(name)) for name in COLUMNS),
        Column("reasons", None, "text"),
        Column(None, "W/T/L", "text"),
    )
    reasons = "; ".join(compared.reasons) or None
    at = {column.name: number for number, column in enumerate(columns)}
    rows: list[tuple[Value, ...]] = []
    best, marks = set(), {}
    for number, (label, pair) in enumerate(_labelled_pairs(compared, slices)):
        outcomes = f"{pair.wins}/{pair.ties}/{pair.losses}"
        figures = (finite(value) for value in pair.row().values())
        rows.append((compared.comparable, *label, *figures, reasons, outcomes))
        better = _better_mean(pair)
        if better is not None:
            best.add((number, at[better]))
        if pair.is_shown:
            marks[number, at["difference"]] = DAGGER
    if not rows:
        nothing = (None,) * (len(columns) - 3)
        rows.append((compared.comparable, *nothing, reasons, None))
    caption = (*_caption(compared), *_caption_of_slices(slices))
    return Table(columns, tuple(rows), caption, frozenset(best), marks)


def _labelled_pairs(
    compared: Compared, slices: Slices | None
) -> Iterator[tuple[tuple[str | None, ...], Pair]]:
    """The pairs, each with the label of its slice (if any)."""
    whole = () if slices is None else (None,)
    for pair in compared.pairs:
        yield whole, pair
    for part in () if slices is None else slices.slices:
        for pair in part.pairs:
            yield (part.label,), pair


def _headings(compared: Compared) -> dict[str, str]:
    """The headings for documents, by column name."""
    test = compared.settings.test
    headings = {**HEADINGS, f"p_{test}": "p", f"p_corrected_{test}": "p corr."}
    if any(pair.queries != len(compared.qids) for pair in compared.pairs):
        headings["queries"] = "queries"
    return headings


def _style(name: str) -> Style:
    if name in TEXTS:
        return "text"
    if name.startswith("p_"):
        return "p"
    return "signed" if name in ("difference", "low", "high") else "number"


def _better_mean(pair: Pair) -> str | None:
    """The column that holds the better mean; None if neither is better."""
    if not pair.direction or abs(pair.difference) < ROUNDING:
        return None
    return "mean_b" if pair.difference * pair.direction > 0 else "mean_a"


def _caption(compared: Compared) -> Iterator[str]:
    answer = comparability_line(compared)
    yield f"{answer[0].upper()}{answer[1:]}"
    for note in compared.notes:
        yield f"Note: {note}"
    if not compared.pairs:
        return
    settings = compared.settings
    yield (
        f"b - a is the difference of the means, low and high are the ends of its "
        f"{100 * (1 - settings.alpha):g} % interval, p is that of the {TEST_NAMES[settings.test]}, "
        "d is Cohen's d of the paired differences, W/T/L are the queries on which b wins, ties "
        "and loses"
    )
    yield (
        f"Bold: the better mean; {DAGGER}: the difference is shown by the "
        f"{TEST_NAMES[settings.test]} (p < {settings.alpha:g}, {compared.pairs[0].family})"
    )


def _caption_of_slices(slices: Slices | None) -> Iterator[str]:
    if slices is not None:
        yield (
            f"Rows with a {slices.attribute} are over the queries that have it, with p corrected "
            f"over {slices.comparisons:,} comparisons"
        )
        for note in slices.notes:
            yield f"Note: {note}"


def _figures(compared: Compared, per_query: bool) -> Iterator[Figure]:
    """The figures of every run, over the queries on which all runs have a value."""
    if not compared.pairs:
        return
    for column, run in enumerate(compared.runs):
        for name, table in compared.values.items():
            measure = compared.measures[name]
            counts = measure.descriptor.counts
            shared = np.flatnonzero(~np.isnan(table).any(axis=1))
            if not len(shared):
                continue
            values = table[shared, column]
            qids = [compared.qids[row] for row in shared.tolist()]
            if per_query:
                for qid, value in zip(qids, values.tolist(), strict=True):
                    yield Figure(run.name, name, qid, value, counts)
            of_all = figure_over(measure, values, run.weights_of(name, qids))
            yield Figure(run.name, name, None, of_all, counts)
