"""The tables of a comparison, and of values per query, for every export format."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from evalstore.catalog.names import listed, natural
from evalstore.comparison.claims import TEST_NAMES, comparability_line
from evalstore.comparison.compare import Slices
from evalstore.comparison.loading import LoadedRuns
from evalstore.comparison.significance import (
    COLUMNS,
    ROUNDING,
    Compared,
    Pair,
    aligned,
    figure_over,
)
from evalstore.measures import Measure
from evalstore.tables.table import Column, Export, Figure, Style, Table, Value, finite

F64 = npt.NDArray[np.float64]

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
    document = comparison_document(compared, slices, values=per_query)
    return Export(
        comparison_table(compared, slices), document, tuple(_figures(compared, per_query))
    )


def comparison_document(
    compared: Compared, slices: Slices | None = None, *, values: bool = False
) -> dict[str, object]:
    """A comparison for JSON; with `values` also those of every query, as `queries`."""
    runs = [run.name for run in compared.runs]
    queries = per_query(compared.qids, compared.texts, runs, compared.values) if values else None
    return {
        **compared.to_dict(),
        **({} if slices is None else slices.to_dict()),
        **({} if queries is None else {"queries": queries}),
    }


def differences_table(compared: Compared) -> Table:
    """A row per pair, measure and query with both values and the difference, for CSV and TSV."""
    names = ("a", "b", "measure", "qid", "query", "value_a", "value_b", "difference")
    runs = [run.name for run in compared.runs]
    rows = []
    for pair in compared.pairs:
        table = compared.values[pair.measure]
        a, b = (table[:, runs.index(run)].tolist() for run in (pair.a, pair.b))
        for qid, one, other in zip(compared.qids, a, b, strict=True):
            values = (finite(one), finite(other), finite(other - one))
            rows.append((pair.a, pair.b, pair.measure, qid, compared.texts.get(qid), *values))
    return Table.for_files(names, rows)


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
    title = f"{listed([*compared.measures])} of {listed([run.name for run in compared.runs])}"
    answer = comparability_line(compared)
    return Table(
        columns,
        tuple(rows),
        title=title,
        label=f"comparison {title}",
        caption=(*_caption(compared), *_caption_of_slices(slices)),
        notes=(
            f"{answer[0].upper()}{answer[1:]}",
            *(f"Note: {note}" for note in compared.notes),
            *(() if slices is None else (f"Note: {note}" for note in slices.notes)),
        ),
        best=frozenset(best),
        marks=marks,
    )


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


# Values per query


def values_export(
    loaded: LoadedRuns, measures: Mapping[str, Measure], worst: int | None = None
) -> Export:
    """The values of some runs for each query, in natural order of the query ids.

    A table has a row per query and a column per run and measure; JSON has `per_query`. A value that
    is undefined is None.

    Args:
        loaded: the runs, all under one qrels.
        measures: the measures by the name each is shown by.
        worst: only so many queries, those with the worst mean of the runs on the first measure, the
            worst first; None for all.
    """
    qids = sorted({qid for run in loaded.runs for qid in run.qids}, key=natural)
    tables = {
        name: np.column_stack([aligned(run, name, qids) for run in loaded.runs])
        for name in measures
    }
    if worst is not None:
        lead, measure = next(iter(tables.items()))[1], next(iter(measures.values()))
        known = np.where(np.isnan(lead), 0.0, lead).sum(axis=1) / np.maximum(
            1, np.count_nonzero(~np.isnan(lead), axis=1)
        )
        sign = measure.descriptor.sign_of_better
        rank = np.where(np.isnan(lead).all(axis=1), np.inf, sign * known)
        order = np.argsort(rank, kind="stable")[:worst]
        qids = [qids[row] for row in order.tolist()]
        tables = {name: table[order] for name, table in tables.items()}
    names, texts = [run.name for run in loaded.runs], loaded.texts
    wide = np.stack(list(tables.values()), axis=2)  # queries x runs x measures
    many = len(tables) > 1
    headers = [f"{run} {name}" if many else run for run in names for name in tables]
    columns = (
        Column("qid", "query", "text"),
        Column("query", "text" if any(map(texts.get, qids)) else None, "text"),
        *(Column(header, header) for header in headers),
    )
    rows = tuple(
        (qid, texts.get(qid), *map(finite, wide[number].ravel().tolist()))
        for number, qid in enumerate(qids)
    )
    figures = tuple(
        Figure(run, name, qid, value, measures[name].descriptor.counts)
        for column, run in enumerate(names)
        for name, table in tables.items()
        for qid, value in zip(qids, table[:, column].tolist(), strict=True)
        if not math.isnan(value)
    )
    title = f"{', '.join(tables)} of each query under the judgments {loaded.runs[0].qrels}"
    table = Table(columns, rows, title, f"queries {', '.join(names)}", notes=loaded.notes)
    return Export(table, per_query(qids, texts, names, tables), figures)


def per_query(
    qids: Sequence[str],
    texts: Mapping[str, str],
    runs: Sequence[str],
    tables: Mapping[str, F64],
) -> list[dict[str, object]]:
    """The values per query for JSON: `{"qid": ..., "query": ..., "values": {RUN: {MEASURE: ...}}}`.

    `tables` are queries x runs; NaN is null.
    """
    return [
        {
            "qid": qid,
            "query": texts.get(qid),
            "values": {
                run: {name: finite(table[row, column].item()) for name, table in tables.items()}
                for column, run in enumerate(runs)
            },
        }
        for row, qid in enumerate(qids)
    ]


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
