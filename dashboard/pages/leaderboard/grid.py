"""The columns of the leaderboard's grid."""

from __future__ import annotations

from typing import Any

from dashboard.components import wording
from dashboard.components.grids import Column
from dashboard.components.measure_info import MeasureInfo
from dashboard.pages.leaderboard.load import Shown
from evalstore.leaderboard.position_claims import MOST_IN_GROUPS
from evalstore.leaderboard.positions import has_ranks
from evalstore.measures import Measure

ARROWS = {True: " ↑", False: " ↓", None: ""}
DIRECTIONS = {True: "Higher is better.", False: "Lower is better.", None: ""}


def columns(shown: Shown) -> list[Column]:
    """The columns: tick, rank, run, groups, the leading measure, and what else is known of a run.

    The fields are those of `rows.row`; what cells show is in assets/leaderboard.js.
    """
    lead, *others = shown.columns
    parts: list[Column | None] = [
        _cells("tick", "", "Choose the run for a comparison (Space)", "BoardTick", width=40),
        _rank(shown) if has_ranks(shown.lead) else None,
        _sorted(_cells("run", "run", RUN, "BoardRun", width=210, pinned=None), shown, "run", "asc"),
        _text("group", "grp", GROUP, width=64) if _has_groups(shown) else None,
        _measure(lead, 0, shown),
        *_differences(shown, lead),
        *(_measure(info, number, shown) for number, info in enumerate(others, 1)),
        _judged(),
        _number("answered", "answered", ANSWERED, width=100),
        _sorted(
            _text("experiment", "experiment", "The group of runs that it is in"),
            shown,
            "experiment",
            "asc",
        ),
        _text("tags", "tags", "What people put on the run"),
        _sorted(_text("date", "date", "When the run was stored (UTC)"), shown, "date", "desc"),
    ]
    return [column for column in parts if column is not None]


RANK = (
    "By the leading measure: 1 + how many runs are strictly better. Beside it: how far the rank "
    "could move with other queries (95 %, bootstrap)."
)
RUN = "Enter opens the run, Space ticks it, B makes it the baseline of this view."
GROUP = (
    "Runs that share a letter are not told apart by the paired t test with Holm's correction for "
    "all pairs, which is no proof of equality."
)
JUDGED = (
    "The share of the documents at ranks 1 to 10 that are judged; those that are not count as not "
    "relevant. Hatched below 80 %: the figures may be too low."
)
ANSWERED = "How many of the judged queries the run answers; the others count as empty rankings."

MOVES = "Drag it to move the column, or press Shift and an arrow key; the first measure leads."


def _has_groups(shown: Shown) -> bool:
    return has_ranks(shown.lead) and shown.board.evaluated <= MOST_IN_GROUPS


def _differences(shown: Shown, lead: MeasureInfo) -> list[Column]:
    """The difference to the baseline, and its interval on an axis that all rows share."""
    if shown.baseline is None:
        return []
    base = wording.name(shown.baseline, 24)
    difference = _number(
        "difference",
        f"− {base}",
        f"{lead.name} of the run less {lead.name} of {base}. ▲ better, ▼ worse: shown by the "
        "paired t test after Holm's correction. △ ahead, ▽ behind: only before it.",
        width=118,
        renderer="BoardDifference",
    )
    interval = _cells(
        "interval",
        "",
        "The 95 % interval of the difference; the point is the difference.",
        "BoardInterval",
        width=180,
    )
    interval["headerComponent"] = "BoardAxis"
    return [difference, interval] if has_ranks(shown.lead) else [difference]


def _measure(info: MeasureInfo, number: int, shown: Shown) -> Column:
    direction = DIRECTIONS[info.higher_is_better]
    column = _number(
        f"v{number}",
        f"{info.name}{ARROWS[info.higher_is_better]}",
        f"{info.help} {direction}".strip() + f"\n{MOVES}",
        width=max(92, 9 * len(info.name) + 48),
        renderer="BoardLead" if number == 0 else None,
    )
    column["tooltipValueGetter"] = {"function": "reasonOfNone(params)"}
    column["suppressMovable"] = False
    first = "asc" if info.higher_is_better is False else "desc"
    return _sorted(column, shown, info.name, first)


def _sorted(column: Column, shown: Shown, name: str, first: str) -> Column:
    """A column whose header sorts by it: a link that changes the address."""
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
    """The rank and its interval, which has two numbers of as many digits as there are runs."""
    width = 54 + 16 * max(2, len(str(shown.board.runs)))
    return _number("rank", "rank", RANK, width=width, renderer="BoardRank")


def _judged() -> Column:
    column = _number("judged", "judged@10", JUDGED, width=104)
    column["cellClassRules"] = {"board-little": "params.data && params.data.little"}
    column["tooltipValueGetter"] = {"function": "reasonOfLittle(params)"}
    return column


def _cells(field: str, header: str, tooltip: str, renderer: str | None, **more: Any) -> Column:
    """A column; without a renderer, a component for each cell, the browser draws it much faster."""
    column: Column = {
        "field": field,
        "colId": field,
        "headerName": header,
        "headerTooltip": tooltip,
        "sortable": False,
        # The order of the measures stands in the address, that of other columns nowhere.
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
