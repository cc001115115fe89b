"""The Queries page: which queries are hard, and which decide a comparison.

The module has the page and its updates, then its table as a grid and as a file.
"""

from __future__ import annotations

from typing import Any

import dash_ag_grid as dag
import numpy as np
from dash import html

from dashboard import theme
from dashboard.address import Address
from dashboard.components import controls, files, wording
from dashboard.components.controls import measure_choice, usual_measure
from dashboard.components.elements import (
    NUMBER_FILTER,
    Column,
    Row,
    around_id,
    control_change,
    formatter,
    number_column,
    ordered,
    text_column,
)
from dashboard.components.problems import sentence
from dashboard.components.selection import MOST_RUNS
from dashboard.figures.interactive import value_range
from dashboard.page import Changes, File, Page, Rendered, View
from dashboard.pages.queries.load import (
    ALL,
    COLUMNS,
    DECIDES,
    DECIMALS,
    DIFFERENCE,
    DISAGREE,
    FAIL,
    MOST_NAMED,
    PARAMETERS,
    RUN,
    Queries,
    load,
    pair_of,
)
from evalstore.tables.table import Table

GRID = "difficulty-grid"
FILTERS = "difficulty-filters"
SENTENCE = "difficulty-sentence"
HEADLINE = "difficulty-headline"
CSV = "difficulty-csv"
UPDATED = PARAMETERS | {"show", "find", "pair", "sort"}
"""The parameters that change parts of the page; all others render it anew."""


def render(view: View) -> Rendered:
    """Render the page."""
    queries = load(view)
    body = html.Div(
        [
            html.H1(_headline(queries), id=HEADLINE, className="claim headline"),
            html.Div(
                [
                    measure_choice(queries.measure.name, queries.measures),
                    _runs_choice(queries),
                    html.Div(_filters(queries), id=FILTERS, className="filters"),
                    controls.search("find", queries.find, label="Find id or text"),
                ],
                className="choices",
            ),
            html.Section(
                [
                    html.Div(
                        [
                            html.P(wording.isolated(_sentence(queries)), id=SENTENCE),
                            _legend(queries),
                            controls.csv_link(CSV, files.href(queries.address, "queries.csv")),
                        ],
                        className="card-head",
                    ),
                    _grid(queries),
                ],
                className="card",
            ),
            *[html.P(wording.clean(note), className="hint") for note in _notes(queries)],
        ]
    )
    default_pair = None
    if queries.pair is not None:
        default_pair = pair_of(queries.names, queries.selection.names, "", queries.pair[1])
    return Rendered(
        f"Queries of {wording.name(view.address.collection or '', 40)}",
        body,
        view.address.collection,
        queries.difficulty.qrels,
        queries.qrels,
        {
            "m": usual_measure(queries.measures),
            "qrels": queries.qrels[:1],
            "runs": queries.default_runs,
            "pair": default_pair[0] if default_pair else "",
            "show": ALL,
        },
    )


def update(view: View, before: View) -> Changes | None:
    """The changes for another choice of queries; colours follow the scheme without an update."""
    changed = view.address.differences(before.address)
    if not changed:
        return {}
    queries = load(view)
    grid: dict[str, Any] = {}
    changes: dict[Any, dict[str, Any]] = {
        GRID: grid,
        SENTENCE: {"children": wording.isolated(_sentence(queries))},
        CSV: {"href": files.href(queries.address, "queries.csv")},
    }
    if changed & {"show", "pair", "sort"}:
        grid["columnDefs"] = columns(queries)
    if changed <= PARAMETERS | {"sort"}:
        return changes  # the grid has all rows, and sorts and filters them itself
    changes[FILTERS] = {"children": _filters(queries)}
    changes[HEADLINE] = {"children": _headline(queries)}
    grid |= {
        "rowData": table_rows(queries),
        "filterModel": queries.bounds.filter_model,
        **_size(len(queries.found)),
    }
    if queries.pair is not None:
        changes |= control_change("pair", value=queries.pair[0])
    if changed != {"find"}:  # otherwise the user is still typing
        changes |= control_change("find", value=queries.find)
    return changes


def _runs_choice(queries: Queries) -> Any:
    """The runs and the pair, folded away: twelve long names would take the first screen."""
    parts = [
        controls.labelled(
            "runs",
            controls.multi_select(
                "runs",
                controls.options(queries.others),
                queries.selection.names,
                label="Runs",
                most=MOST_RUNS,
                class_name="select-wide",
            ),
            class_name="labelled runs-choice",
        ),
    ]
    if queries.pair is not None:
        run, base = queries.pair
        others = [name for name in queries.names if name != base]
        pair = controls.select(
            "pair",
            controls.options(others),
            run,
            label="The run whose difference to the baseline is looked at",
            class_name="select-measure",
        )
        less = html.Span(["− ", html.Bdi(queries.selection.short(base))])
        parts.append(controls.labelled("pair", pair, less))
    return html.Details(
        [
            html.Summary(wording.count(len(queries.names), "run"), className="quiet-action"),
            html.Div(parts, className="choices"),
        ],
        className="folded",
    )


def _headline(queries: Queries) -> list[Any]:
    """The hardest queries, and those on which the runs differ most; smaller, how many there are."""
    of, is_ranked = queries.difficulty, queries.measure.higher_is_better is not None
    hard = queries.highest(-queries.measure.sign_of_better * of.median)
    by = {1: "", 2: "mean "}.get(len(queries.names), "median ")
    runs = wording.count(len(queries.names), "run")
    whose = queries.selection.short(queries.names[0]) if len(queries.names) == 1 else runs
    begin = f"{'Hardest' if is_ranked else 'Lowest'} by the {by}{queries.measure.label} of {whose}"
    parts = [wording.isolated(f"{begin}: "), *_named(queries, hard), ". "]
    if len(queries.names) > 1 and of.spread.any():
        parts += ["The runs differ most on ", *_named(queries, queries.highest(of.spread)), ". "]
    counts = html.Span(wording.isolated(_counts(queries)), className="claim-more")
    return [*parts, counts] if hard else [counts]


def _named(queries: Queries, rows: list[int]) -> list[Any]:
    """Queries as links with their texts; only their number if they are many."""
    if len(rows) > MOST_NAMED:
        return [f"{len(rows):,} queries, all equally"]
    parts: list[Any] = []
    for place, row in enumerate(rows):
        qid = queries.difficulty.qids[row]
        text = queries.difficulty.texts.get(qid, "")
        query = queries.address.only("runs", *KEPT).to("query", qid)
        link = html.A(html.Bdi(wording.name(qid, 30)), href=query.href)
        words = html.Span(f" {wording.name(text, 60)}", className="query-text", dir="auto")
        before = "" if not place else " and " if place == len(rows) - 1 else ", "
        parts += [before, link, *([words] if text else [])]
    return parts


def _counts(queries: Queries) -> str:
    """The queries on which all runs have 0, on which they differ, and which decide the pair."""
    fail, disagree = (int(queries.chosen[name].sum()) for name in (FAIL, DISAGREE))
    number = len(queries.chosen[ALL])
    every = wording.count(number, "query", "queries")
    if len(queries.names) == 1:
        parts = [f"The run has 0 on {fail or 'none'} of {every}"]
    else:
        runs = wording.every(len(queries.names)) + " shown" * bool(queries.others)
        none = f"No query of {number:,} has 0 in {runs}"
        parts = [f"{runs.capitalize()} have 0 on {fail:,} of {every}" if fail else none]
        parts.append(f"on {disagree:,} {queries.far_apart}")
    if queries.pair is not None and queries.differences is not None:
        pair = [queries.selection.short(name) for name in queries.pair]
        decide = int(queries.chosen[DECIDES].sum())
        is_higher = float(queries.differences.sum()) > 0
        if is_higher is (queries.measure.higher_is_better is False):
            pair.reverse()
        # Any lead is lost without its best queries: only a lead of few is worth a sentence.
        if 0 < decide <= number / 10 and queries.measure.higher_is_better is not None:
            helps = "helps" if decide == 1 else "help"
            few = f"the {decide:,} of {every} that {helps} it most"
            parts.append(f"without {few}, {pair[0]} would not lead {pair[1]}")
    return f"{'; '.join(parts)}."


def _filters(queries: Queries) -> list[Any]:
    """The choices of queries, as links with the number of queries."""
    texts = [
        (ALL, "all", "Every judged query"),
        (FAIL, "all fail", "Queries for which every run shown has 0"),
        (DISAGREE, "runs disagree", f"Queries where {queries.far_apart}"),
    ]
    if queries.pair is not None:
        run, base = (queries.labels[name] for name in queries.pair)
        title = f"The fewest queries without which {run} − {base} would be 0 or change its sign"
        texts.append((DECIDES, f"decide between {run} and {base}", title))
    links = []
    for name, text, title in texts:
        number = int(queries.chosen[name].sum())
        current = name == queries.show
        links.append(
            controls.choice(
                [text, html.Span(f" {number:,}", className="count-of")],
                queries.address,
                "filter current" if current else "filter",
                title=title,
                show="" if name == ALL else name,
            )
        )
    return links


def _sentence(queries: Queries) -> str:
    """The meaning of the rows, in one or two sentences."""
    number = int(queries.chosen[queries.show].sum())
    if not number:
        return _no_query(queries)
    if not queries.is_narrow:
        return _which(queries, number)
    kept, bounds = len(queries.rows), queries.bounds
    conditions = []
    if queries.find:
        verb = "holds" if kept == 1 else "hold"
        conditions.append(f"{verb} “{wording.name(queries.find, 60)}”")
    if bounds.columns:
        verb = "has" if kept == 1 else "have"
        conditions.append(f"{verb} {bounds.words(queries.headers)}")
    count = f"{kept:,}" if kept else "None"
    words = f"{_which(queries, number)} {count} of them {' and '.join(conditions)}"
    return f"{words}." if kept else f"{words}: widen the filters."


def _which(queries: Queries, number: int) -> str:
    """The queries that a choice shows, in words, before the search."""
    runs = wording.count(len(queries.names), "run")
    count = wording.count(number, "query", "queries")
    match queries.show:
        case "fail":
            return f"{count}: each of the {runs} shown has 0 on {queries.measure.label}."
        case "disagree":
            order = "" if queries.sort else "; the largest difference first"
            return f"{count}: {queries.far_apart}{order}."
        case "decides" if queries.pair is not None and queries.differences is not None:
            run, base = map(queries.selection.short, queries.pair)
            ahead = "higher" if float(queries.differences.sum()) > 0 else "lower"
            every = wording.count(len(queries.chosen[ALL]), "query", "queries")
            these = f"{'this one' if number == 1 else f'these {number:,}'} of {every}"
            return (
                f"Without {these} the mean {queries.measure.label} of {run} would not be {ahead} "
                f"than that of {base}. This describes the queries here; it tests nothing."
            )
    few = {1: "value of the run", 2: "mean of both runs"}.get(len(queries.names))
    if queries.sort:
        return f"{count}." if few else f"{count}; the median and the spread are of the {runs}."
    first = "lowest" if queries.measure.higher_is_better is None else "hardest"
    return f"{count}, the {first} first: by the {few or f'median of the {runs} shown'}."


def _no_query(queries: Queries) -> str:
    match queries.show:
        case "fail" if queries.measure.higher_is_better is not True:
            return f"On {queries.measure.label} no value is a failure."
        case "fail":
            return "There is no query for which every run shown has 0."
        case "disagree":
            return f"There is no query where {queries.far_apart}."
        case "decides":
            return "Neither run of the pair is ahead, so no query decides."
    return "There are no judged queries."


def _legend(queries: Queries) -> Any:
    low, high = value_range(queries.difficulty.values)
    steps = [
        html.Span(className=f"heat-step heat-{step}") for step in range(0, theme.HEAT_STEPS, 2)
    ]
    return html.Span(
        [
            html.Abbr(
                f"{queries.measure.label}{queries.measure.arrow}", title=queries.measure.help
            ),
            html.Span(f" {low:g} "),
            html.Span(steps, className="heat-ramp", **{"aria-hidden": "true"}),
            html.Span(f" {high:g}"),
        ],
        className="heat-legend",
    )


def _grid(queries: Queries) -> Any:
    rows = table_rows(queries)
    return dag.AgGrid(
        id=GRID,
        columnDefs=columns(queries),
        rowData=rows,
        getRowId="params.data.id",
        className="grid heat-grid",
        # Enter opens the query of a cell; a narrow screen gets coloured strips instead of numbers.
        eventListeners={
            "cellKeyDown": ["openLink(params)"],
            "firstDataRendered": ["asStrips(params)"],
            "displayedColumnsChanged": ["asStrips(params)"],
            "sortChanged": ["keepOrder(params)"],
            "filterChanged": ["keepFilters(params)"],
        },
        filterModel=queries.bounds.filter_model,
        **_size(len(rows)),
    )


def _size(rows: int) -> dict[str, Any]:
    """The grid properties that depend on the number of rows: many rows fill the screen."""
    size = controls.grid_size(rows)
    if size["height"] != "auto":
        size["height"] = "max(24rem, calc(100vh - 21rem))"
    return {
        "dashGridOptions": {**controls.linked_grid_options(rows), "headerHeight": 50},
        "style": size,
    }


def _notes(queries: Queries) -> list[str]:
    notes = [sentence(note, queries.others) for note in queries.difficulty.notes]
    if queries.left_out:
        more = wording.count(queries.left_out, "chosen run")
        verb = "is" if queries.left_out == 1 else "are"
        notes.append(f"{more} {verb} not shown: {MOST_RUNS} at most are.")
    return notes


def _csv(view: View) -> File:
    queries = load(view)
    which = "" if queries.show == ALL else queries.show
    parts = (view.address.collection or "", "queries", queries.measure.name, which)
    return files.csv_file(file_table(queries), files.file_name(*parts, suffix=".csv"))


PAGE = Page("queries", render, update, UPDATED, {"queries.csv": _csv})


# The table of the queries: pure functions to columns, rows and CSV of the Queries page.
#
# The field of a column is one of our ids (`run_0`), never a name from the data.

LONGEST_TEXT = 160
KEPT = ("qrels", "m", "base")
"""The parameters that are passed on to the page of a query."""


def columns(queries: Queries) -> list[Column]:
    """Query, text, difference, relevant documents, median, spread, and one column per run."""
    address = queries.address
    of_page = address.only(*KEPT)
    counts = queries.measure.counts
    all_columns = [
        text_column(
            "qid", "Query", "The id of the query", initialPinned="left", initialWidth=76,
            filter=False, cellRenderer="QueryLink",
            cellRendererParams=around_id(of_page.changed(runs=address.all("runs"))),
        ),
    ]  # fmt: skip
    if queries.difficulty.texts:
        # The search of the page covers ids and texts.
        text = text_column(
            "text",
            "Text",
            "What was asked",
            cellClass="cell-text two-lines",
            minWidth=260 if queries.show == DECIDES else 160,
            initialFlex=1,
            filter=False,
        )
        all_columns.append(text)
    if queries.pair is not None:
        run, base = map(queries.selection.short, queries.pair)
        title = f"{queries.measure.name} of {run} less that of {base}"
        column = _number(DIFFERENCE, queries.of_pair, title, counts=counts, width=150)
        column["valueFormatter"] = formatter("signed", counts=counts)
        all_columns.append({**column, "hide": not queries.is_difference_shown})
    all_columns.append(
        _number(
            "rel", COLUMNS["rel"], "How many documents are judged relevant", counts=True, width=60
        )
    )
    runs = wording.count(len(queries.names), "run")
    if len(queries.names) > 2:
        median = f"The median of the values of the {runs} shown"
        all_columns.append(_number("median", COLUMNS["median"], median, counts=counts))
        spread = f"The highest value of the {runs} shown less the lowest"
        column = _number("spread", COLUMNS["spread"], spread, counts=counts)
        all_columns.append({**column, "sortingOrder": ["desc", "asc", None]})
    for number, one in enumerate(queries.difficulty.runs):
        header = queries.labels[one.name] + " (values only)" * one.values_only
        all_columns.append(_run_column(queries, number, one.name, header, of_page))
    return [
        ordered(column, key, f"-{key}", queries.sort)
        for column in all_columns
        for key in [str(column.get("colId", column["field"]))]
    ]


def table_rows(queries: Queries) -> list[Row]:
    """One row per query that is found; values are rounded as in the grid."""
    of = queries.difficulty
    medians, spreads = of.median.tolist(), of.spread.tolist()
    values, relevant = of.values.tolist(), of.relevant.tolist()
    table: list[Row] = []
    for at in queries.found:
        qid = of.qids[at]
        row: Row = {
            "id": qid,
            "qid": qid,
            "href": Address("query", "", qid).path.rpartition("/")[2],
            "rel": relevant[at],
            "median": round(medians[at], DECIMALS),
            "spread": round(spreads[at], DECIMALS),
        }
        if qid in of.texts:
            row["text"] = wording.shorten(of.texts[qid], LONGEST_TEXT)
        if queries.differences is not None:
            row["difference"] = round(float(queries.differences[at]), DECIMALS)
        row |= {f"run_{number}": round(value, DECIMALS) for number, value in enumerate(values[at])}
        table.append(row)
    return table


def file_table(queries: Queries) -> Table:
    """The queries that are shown."""
    of = queries.difficulty
    header, columns = ["qid", "query", "relevant"], []
    if "median" in queries.headers:
        header += ["median", "spread"]
        columns += [of.median, of.spread]
    if queries.is_difference_shown and queries.pair and queries.differences is not None:
        header.append(" − ".join(queries.pair))
        columns.append(queries.differences)
    numbers = np.column_stack([*columns, of.values]).tolist()
    rows = [
        (of.qids[at], of.texts.get(of.qids[at]), int(of.relevant[at]), *numbers[at])
        for at in queries.rows
    ]
    return Table.for_files([*header, *queries.names], rows)


def _run_column(queries: Queries, number: int, name: str, header: str, page: Address) -> Column:
    run = next(run for run in queries.selection.runs if run.name == name)
    low, high = value_range(queries.difficulty.values)
    beside, pair = _beside(queries, name), queries.pair or ()
    return number_column(
        f"run_{number}",
        header,
        f"{queries.measure.name} of {wording.name(name, 200)}",
        queries.measure.counts,
        colId=f"{RUN}{name}",
        headerComponentParams={
            "innerHeaderComponent": "RunHeader",
            "mark": theme.mark_class(queries.selection.slots[run.id]),
            "isBaseline": pair[1:] == (name,) and name == queries.baseline,
            "isOfPair": (name in pair and queries.is_difference_shown) or not pair,
        },
        cellRenderer="QueryLink",
        cellRendererParams=around_id(page.changed(runs=beside)),
        cellClass={"function": f"heatClass(params, {low!r}, {high!r})"},
        initialWidth=_run_width(queries),
        minWidth=26,
    )


def _run_width(queries: Queries) -> int:
    """The width of a run's column, so that twelve fit beside the others on 1,440 pixels."""
    space = 852 if queries.difficulty.texts else 1_040
    return min(96, space // len(queries.names))


def _beside(queries: Queries, name: str) -> tuple[str, ...]:
    """The runs shown on the page of a query if a run's cell is opened: the baseline and the run."""
    if queries.pair is None:
        return (name,)
    run, base = queries.pair
    return (base, run if name == base else name)


def _number(field: str, header: str, tooltip: str, *, counts: bool, width: int = 84) -> Column:
    return number_column(
        field,
        header,
        tooltip,
        counts,
        filter="agNumberColumnFilter",
        filterParams=NUMBER_FILTER,
        cellClass="cell-number",
        initialWidth=width,
    )
