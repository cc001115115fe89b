"""The columns and rows of the leaderboard's grid and files."""

from __future__ import annotations

import json
from typing import Any

from dashboard.address import Address
from dashboard.components import wording
from dashboard.components.elements import Column, Row, axis_label
from dashboard.components.wording import MeasureInfo
from dashboard.pages.leaderboard.load import NO_LINE, PASSES, SETTINGS, Loaded, Shown
from dashboard.theme import mark_class
from evalstore.comparison.comparability import LITTLE_JUDGED
from evalstore.leaderboard.positions import LeaderboardRow
from evalstore.leaderboard.ranks import MeasureRanks, RankedRun, has_ranks
from evalstore.measures import Measure
from evalstore.tables.table import Table, written_value

DIRECTIONS = {True: "Higher is better.", False: "Lower is better.", None: ""}


def columns(shown: Shown) -> list[Column]:
    """The columns for the fields of `row`; assets/pages/leaderboard.js draws the cells.

    Parameters, experiments and tags that no run has are left out.
    """
    lead, *others = shown.columns
    runs = shown.shown_runs
    parts: list[Column | None] = [
        _tick(),
        _rank(shown) if has_ranks(shown.lead) else None,
        _sorted(_run(shown), shown, "run", "asc"),
        _groups(shown) if _has_groups(shown) else None,
        _measure(lead, 0, shown),
        *_differences(shown, lead),
        *(
            _parameter(name, number)
            for number, name in enumerate(shown.parameters)
            if any(name in run.parameters for run in runs)
        ),
        _judged(),
        *(_measure(info, number, shown) for number, info in enumerate(others, 1)),
        _number("answered", "answered", ANSWERED, width=88),
        _sorted(
            _text("experiment", "experiment", "The group of runs that it is in"),
            shown,
            "experiment",
            "asc",
        )
        if any(run.experiment for run in runs)
        else None,
        _text("tags", "tags", "What people put on the run") if any(r.tags for r in runs) else None,
        _sorted(_text("date", "date", DATE), shown, "date", "desc"),
    ]
    return [column for column in parts if column is not None]


RANK = (
    "By the leading measure: 1 + how many runs are strictly better. Beside it: the ranks "
    "that the tests of all pairs leave open (95 %, for all runs at once)."
)
RUN = "Enter opens the run, Space ticks it, B makes it the baseline of this view."
GROUP = (
    "A line joins runs that are not told apart by the paired t test with Holm's correction for all "
    "pairs, which is no proof of equality; it is dotted beside runs that are not among them."
)
P = "Of the paired t test against the baseline, after Holm's correction for every run."
JUDGED = (
    "The share of the documents at ranks 1 to 10 that are judged; those that are not count as not "
    "relevant. Hatched below 80 %: the figures may be too low."
)
DATE = "When the engine ran, or else when the run was stored (UTC), which is said beside it."
ANSWERED = "How many of the judged queries the run answers; the others count as empty rankings."

MOVES = "Drag it to move the column, or press Shift and an arrow key; the first measure leads."


FEW_RUNS = 20
"""With so many runs there are few rank groups."""


def _has_groups(shown: Shown) -> bool:
    return has_ranks(shown.lead) and shown.board.evaluated <= (SETTINGS.most_in_groups or 0)


def _groups(shown: Shown) -> Column:
    """The lines of the rank groups; the tooltip of the header says how many are left out."""
    width = 56 if shown.board.evaluated <= FEW_RUNS else 96
    column = _cells("lines", "grp", "", "BoardLines", width=width)
    return {
        **column,
        "headerComponent": "BoardGroups",
        "headerComponentParams": {"help": GROUP},
        "tooltipField": "group",
    }


def _differences(shown: Shown, lead: MeasureInfo) -> list[Column]:
    """The difference to the baseline, and its interval on an axis shared by all rows."""
    if shown.baseline is None:
        return []
    base = shown.label(shown.baseline)
    difference = _number(
        "difference",
        wording.less(base),
        f"{lead.name} of the run less {lead.name} of {base}. ▲ better, ▼ worse: shown by the "
        "paired t test after Holm's correction. △ ahead, ▽ behind: only before it.",
        width=108,
        renderer="BoardDifference",
    )
    interval = _cells(
        "interval",
        "",
        "The 95 % interval of the difference; the point is the difference.",
        "BoardInterval",
        width=120,
    )
    interval["headerComponent"] = "BoardAxis"
    p = _number("p", "p", P, width=80)
    return [difference, interval, p] if has_ranks(shown.lead) else [difference]


def _measure(info: MeasureInfo, number: int, shown: Shown) -> Column:
    direction = DIRECTIONS[info.higher_is_better]
    column = _number(
        f"v{number}",
        f"{info.name}{info.arrow}",
        f"{info.help} {direction}".strip() + f"\n{MOVES}",
        width=max(76, 8 * len(info.name) + 46) + (0 if number else 16),
        renderer="BoardLead" if number == 0 else None,
    )
    column["tooltipValueGetter"] = {"function": "reasonOfNone(params)"}
    column["suppressMovable"] = False
    first = "asc" if info.higher_is_better is False else "desc"
    return _sorted(column, shown, info.name, first)


def _parameter(name: str, number: int) -> Column:
    header = wording.name(name, 24)
    return _text(f"p{number}", header, f"The parameter {wording.name(name)} of the engine.")


def _sorted(column: Column, shown: Shown, name: str, first: str) -> Column:
    """A column that is sorted by its header: a link that changes the address."""
    by = shown.sorting.by
    here = str(by) == name if isinstance(by, Measure) else by == name
    direction = "desc" if shown.sorting.descending else "asc"
    column["headerComponent"] = "BoardSort"
    column["headerComponentParams"] = {
        "name": name,
        "first": first,
        "now": direction if here else None,
    }
    return column


def _rank(shown: Shown) -> Column:
    """The rank and its interval, whose numbers have up to as many digits as the number of runs."""
    width = 46 + 16 * max(2, len(str(shown.board.runs)))
    return {**_number("rank", "rank", RANK, width=width, renderer="BoardRank"), "minWidth": 24}


def _tick() -> Column:
    help_ = "Choose the run for a comparison (Space)"
    return _cells("tick", "", help_, "BoardTick", width=36, minWidth=20)


def _run(shown: Shown) -> Column:
    """The name of the run, as wide as the longest label."""
    longest = max((len(shown.label(run.name)) for run in shown.shown_runs), default=0)
    return _cells("run", "run", RUN, "BoardRun", width=74 + round(7.2 * max(12, longest)))


def _judged() -> Column:
    column = _number("judged", "judged@10", JUDGED, width=98)
    column["cellClassRules"] = {"board-little": "params.data && params.data.little"}
    column["tooltipValueGetter"] = {"function": "reasonOfLittle(params)"}
    return column


def _cells(field: str, header: str, tooltip: str, renderer: str | None, **more: Any) -> Column:
    """A column; without a renderer (a component per cell), the browser draws it much faster."""
    column: Column = {
        "field": field,
        "colId": field,
        "headerName": header,
        "headerTooltip": tooltip,
        "sortable": False,
        # The order of the measures is in the address; the order of other columns is not stored.
        "suppressMovable": True,
        "width": 130,
        **more,
    }
    if renderer is not None:
        column["cellRenderer"] = renderer
    return column


def _text(field: str, header: str, tooltip: str, **more: Any) -> Column:
    return _cells(field, header, tooltip, None, tooltipField=field, **more)


def _number(
    field: str, header: str, tooltip: str, *, width: int, renderer: str | None = None
) -> Column:
    column = _cells(field, header, tooltip, renderer, width=width)
    return {**column, "type": "numericColumn", "cellClass": "cell-number"}


# The rows of the leaderboard: the data of each run for the grid and the files

SIGNS = {"better": "▲", "worse": "▼", "ahead": "△", "behind": "▽"}
DIGITS = 6
"""Significant digits of numbers that are only used to draw a line."""

NOTHING = RankedRun(0, "", "", 0.0)
"""The claims on a run about which nothing is claimed."""


def grid_rows(shown: Shown, loaded: Loaded) -> list[Row]:
    """The rows in the form that the grid needs."""
    return [row(shown, loaded, one) for one in loaded.rows]


def baseline_rows(shown: Shown, loaded: Loaded) -> list[Row]:
    """The row of the baseline, which stays on top; empty without a baseline."""
    if loaded.baseline is None:
        return []
    own = row(shown, loaded, loaded.baseline)
    own["lines"] = own.get("lines", "").replace(PASSES, NO_LINE)  # it is not in its place
    return [{**own, "id": f"baseline-{own['id']}"}]


def row(shown: Shown, loaded: Loaded, board_row: LeaderboardRow) -> Row:
    """A row of the grid: texts as shown, and numbers for what is drawn.

    It is small, since hundreds of rows are sent: unknown values are left out.
    """
    run, claims = board_row.run, loaded.ranked.get(board_row.run.id, NOTHING)
    values = board_row.values
    cells: Row = {
        "id": str(run.id),
        "run": run.name,
        "mark": mark_class(shown.slots.get(run.id, run.slot)),
        "href": Address("run", shown.board.collection, run.name).href,
        "date": f"{run.date:%Y-%m-%d}{'' if run.started_at else ' stored'}",
        "rank": board_row.rank,
        "base": run.name == shown.baseline,
        **_difference(shown, board_row, loaded),
    }
    for number, info in enumerate(shown.columns):
        cells[f"v{number}"] = wording.value(values.get(info.name), counts=info.counts)
    for number, name in enumerate(shown.parameters):
        if name in run.parameters:
            cells[f"p{number}"] = _one_parameter(run.parameters[name])
    optional: dict[str, Any] = {
        "engine": run.engine if run.engine != run.name else "",
        "experiment": run.experiment,
        "tags": ", ".join(run.tags),
        "parameters": _parameters(run.parameters),
        "ranks": _span(claims.rank_low, claims.rank_high),
        "group": claims.rank_group,
        "lines": _lines(shown, loaded, run.id),
        "hover": _hover(shown, claims),
    }
    if loaded.claims is not None:
        optional["claims"] = claims_key(loaded.claims)
    if run.values_only:
        optional["values_only"] = True
    label = shown.label(run.name)
    if label != run.name:
        optional["label"] = label
    covered = loaded.coverage.get(run.id)
    if covered is not None:
        optional["answered"] = f"{covered.answered:,}/{shown.board.queries:,}"
        if covered.judged is not None:
            optional["judged"] = f"{100 * covered.judged:.0f} %"
            optional["little"] = covered.judged < LITTLE_JUDGED
    return cells | {name: value for name, value in optional.items() if value}


def _lines(shown: Shown, loaded: Loaded, run_id: int) -> str:
    """The lines beside a run; in another order than of ranks they join no runs."""
    parts = loaded.lines.parts.get(run_id, "")
    return parts if isinstance(shown.sorting.by, Measure) else parts.replace(PASSES, NO_LINE)


def claims_key(claims: MeasureRanks) -> str:
    """A key for the claims with which a row was made."""
    return f"{claims.canonical}/{claims.pairs}/{_reach(claims):.6g}"


def axis(claims: MeasureRanks) -> Row | None:
    """The axis for differences with their intervals: its end, and the label of a value on it."""
    reach = _reach(claims)
    if not reach:
        return None
    value, text = axis_label(reach)
    return {"reach": reach, "value": value, "text": text}


def _reach(claims: MeasureRanks) -> float:
    """The end of the axis, which has some space beside the longest interval; 0 without any."""
    ends = (
        end
        for run in claims.runs
        if run.p is not None
        for end in (run.difference_low, run.difference_high, run.difference)
        if end is not None
    )
    return 1.05 * max(map(abs, ends), default=0.0)


def _difference(shown: Shown, board_row: LeaderboardRow, loaded: Loaded) -> Row:
    """The difference to the baseline; with claims also its interval and sign."""
    lead, base = str(shown.lead), loaded.baseline
    if base is None or base.run.id == board_row.run.id:
        return {}
    own, other = board_row.values.get(lead), base.values.get(lead)
    if own is None or other is None:
        return {"difference": "–"}
    claims = loaded.ranked.get(board_row.run.id, NOTHING)
    counts = shown.columns[0].counts
    cells: Row = {"difference": wording.difference(own - other, counts=counts)}
    if claims.sign:
        cells |= {"sign": SIGNS[claims.sign], "verdict": claims.sign}
    if claims.difference_low is not None and claims.difference_high is not None:
        ends = (claims.difference_low, own - other, claims.difference_high)
        cells["interval"] = [float(f"{end:.{DIGITS}g}") for end in ends]
        cells["about"] = _about_difference(claims, loaded.claims)
    if claims.p_corrected is not None:
        cells["p"] = written_value(claims.p_corrected, "p", 4)
    return cells


def _span(low: int | None, high: int | None) -> str:
    if low is None or high is None:
        return ""
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


def _parameters(parameters: dict[str, Any]) -> str:
    text = ", ".join(f"{key} = {value}" for key, value in sorted(parameters.items()))
    return wording.shorten(wording.clean(text), 300)


def _one_parameter(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return wording.shorten(wording.clean(text), 100)


def _hover(shown: Shown, claims: RankedRun) -> str:
    """The hover text of a figure: its interval."""
    if claims.low is None or claims.high is None:
        return ""
    counts = shown.columns[0].counts
    low, high = (wording.value(end, counts=counts) for end in (claims.low, claims.high))
    return f"95 % interval {low} to {high}"


def _about_difference(claims: RankedRun, all_claims: MeasureRanks | None) -> str:
    """The hover text of a difference: its interval, and the p of the test."""
    assert claims.difference_low is not None and claims.difference_high is not None  # noqa: S101, PT018  (the caller checked it)
    parts = [f"95 % {wording.interval(claims.difference_low, claims.difference_high)}"]
    if claims.p is not None and claims.p_corrected is not None and all_claims is not None:
        alone, corrected = (written_value(p, "p", 4) for p in (claims.p, claims.p_corrected))
        parts.append(f"p {corrected} after {all_claims.family}, {alone} alone")
    return "; ".join(parts)


HEADER = (
    *("rank", "rank_low", "rank_high", "rank_group", "run", "engine"),
    *("low", "high", "difference", "difference_low", "difference_high", "p", "p_corrected"),
    *("judged_top_10", "answered", "queries", "experiment", "tags", "date", "date_is"),
)


def wide_table(shown: Shown, loaded: Loaded) -> Table:
    """One row per run; interval, difference and p are for the first measure."""
    measures = [info.name for info in shown.columns]
    rows = []
    for one in loaded.rows:
        run, claims = one.run, loaded.ranked.get(one.run.id, NOTHING)
        covered = loaded.coverage.get(run.id)
        cells = (
            *(one.rank, claims.rank_low, claims.rank_high, claims.rank_group, run.name, run.engine),
            *(one.values.get(name) for name in measures),
            *(claims.low, claims.high, claims.difference),
            *(claims.difference_low, claims.difference_high, claims.p, claims.p_corrected),
            *((covered.judged, covered.answered) if covered else (None, None)),
            shown.board.queries,
            *(run.experiment, ", ".join(run.tags), run.date.isoformat(), run.date_is),
            *(run.parameters.get(name) for name in shown.parameters),
        )
        rows.append(cells)
    return Table.for_files([*HEADER[:6], *measures, *HEADER[6:], *shown.parameters], rows)


def long_table(shown: Shown, loaded: Loaded) -> Table:
    """One row per run and measure; an empty value is not known."""
    names = (
        "run",
        "engine",
        "measure",
        "value",
        "queries",
        "experiment",
        "tags",
        "date",
        "date_is",
    )
    rows = [
        (
            *(run.name, run.engine, info.name, one.values.get(info.name), shown.board.queries),
            *(run.experiment, ", ".join(run.tags), run.date.isoformat(), run.date_is),
        )
        for one in loaded.rows
        for run in [one.run]
        for info in shown.columns
    ]
    return Table.for_files(names, rows)
