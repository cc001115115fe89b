"""The cost view: effectiveness against response time or index size."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from dash import html

from dashboard.address import Address
from dashboard.components import controls, elements, shell, wording
from dashboard.components.elements import number, number_heads, scrolling, th, tr
from dashboard.components.problems import read
from dashboard.components.selection import MOST_RUNS
from dashboard.components.wording import MeasureInfo
from dashboard.figures.figure import Figure
from dashboard.figures.interactive import message
from dashboard.page import View
from dashboard.pages.leaderboard import agreement
from dashboard.pages.leaderboard.load import Shown
from dashboard.theme import TOKENS, Scheme
from evalstore.leaderboard.positions import Sorting, Values, all_values, is_stored, place_runs
from evalstore.leaderboard.power import pareto_front, run_costs
from evalstore.tables.table import Table

FIGURE = "cost"
MOST_NAMED = 40
SIZE = (640.0, 390.0)
"""The size in pixels of the narrowest figure with names: a wider one has room for them too. On a
phone the style sheet hides the names."""
LONGEST = 24
"""The longest name beside a mark, in characters."""
MARGIN = 0.08
"""The margin between the figure's edges and the marks, as a fraction of its width and height."""
MORE_DECIMALS = 4
"""The most additional decimals used to make costs distinguishable."""


@dataclass(frozen=True)
class Kind:
    """A kind of cost: its name in the choice, its axis title, and its field of `RunCost`."""

    name: str
    choice: str
    axis: str
    field: str


KINDS = (
    Kind("mean", "Mean time", "Mean response time", "mean"),
    Kind("p95", "95 % of queries", "Response time of 95 % of the queries", "p95"),
    Kind("index", "Index size", "Index size", "index_bytes"),
)


@dataclass(frozen=True)
class Costs:
    """Runs with a cost of one kind and a value of the leading measure, by run id.

    `names` has their names and slots. `without` has the first names of the runs that lack a cost or
    a value, and `lacking` is the number of all of these.
    """

    kind: Kind
    costs: Values
    values: Values
    names: Mapping[int, tuple[str, int]]
    without: tuple[str, ...]
    lacking: int


def load(view: View, shown: Shown) -> Costs:
    """The costs of the kind that the address names, by default the first recorded one."""
    store, board, lead = view.store, shown.board, shown.lead

    def work() -> Costs:
        recorded = run_costs(store, board)
        by_kind = {
            kind.name: {
                run_id: float(value)
                for run_id, cost in recorded.items()
                if (value := getattr(cost, kind.field)) is not None and value > 0
            }
            for kind in KINDS
        }
        first = next((kind.name for kind in KINDS if by_kind[kind.name]), KINDS[0].name)
        asked = shown.address.one("cost")
        kind = next(k for k in KINDS if k.name == (asked if asked in by_kind else first))
        costs = by_kind[kind.name]
        values = all_values(store, board, lead)
        stored = is_stored(store, board, lead)
        by = Sorting(lead, descending=True) if stored else Sorting("run", descending=False)
        placed = place_runs(store, board, by)
        both = [run for run in placed if run.id in costs and run.id in values]
        without = [run for run in placed if run.id not in costs or run.id not in values]
        return Costs(
            kind,
            costs,
            values,
            {run.id: (run.name, shown.slots[run.id]) for run in both},
            tuple(run.name for run in without[:MOST_NAMED]),
            len(without),
        )

    return read(store, work)


def view_body(view: View, shown: Shown, program: str) -> tuple[str | None, list[Any]]:
    """The headline; the figure with its front, the front as a table, runs without a cost."""
    loaded = load(view, shown)
    choice = controls.segments(
        "cost",
        tuple((kind.name, kind.choice) for kind in KINDS),
        loaded.kind.name,
        label="Kind of cost",
    )
    title = f"{shown.columns[0].label} against {loaded.kind.axis.lower()}"
    if not loaded.names:
        program += f" ingest --collection {shlex.quote(shown.board.collection)}"
        what = "index size" if loaded.kind.name == "index" else "response times"
        none = f"No run has {what} recorded beside a figure of {shown.columns[0].label}."
        return none, [shell.card(title, *nothing(loaded.kind, program), aside=choice)]
    front = front_of(loaded, shown.columns[0])
    caption = (
        "The steps join the runs that no other beats; differences are not tested here. A point "
        "opens its run. Compare only what ran on the same machine, which is not recorded."
    )
    rows = [*front, *behind(loaded, front)]
    texts = cost_texts({run_id: loaded.costs[run_id] for run_id in rows}, loaded.kind)
    more = len(loaded.names) - len(rows)
    others = [
        run_table(loaded, shown, rows[len(front) :], texts),
        html.P(f"and {more:,} more", className="hint") if more else None,
    ]
    return _headline(loaded, shown, front, texts), [
        shell.card(
            title,
            html.P(caption, className="caption"),
            elements.graph(FIGURE, figure(loaded, shown, view.scheme), label=title, height=480),
            aside=choice,
        ),
        shell.card("On the front", run_table(loaded, shown, front, texts)),
        *([shell.card("Behind it", *others)] if len(rows) > len(front) else []),
        *([_without(loaded, shown)] if loaded.lacking else []),
    ]


def _headline(loaded: Costs, shown: Shown, front: Sequence[int], texts: Mapping[int, str]) -> str:
    """The cheapest and the best run of the front, and its number of runs."""
    info, cost = shown.columns[0], loaded.kind.axis.lower()
    first, last = (
        f"{shown.label(loaded.names[run_id][0])} "
        f"({wording.value(loaded.values[run_id], counts=info.counts)}, {texts[run_id]})"
        for run_id in (front[0], front[-1])
    )
    if len(front) == 1:
        return f"No run beats {first} on {info.label} or {cost} (not tested)."
    return (
        f"{len(front):,} of {len(loaded.names):,} runs are on the front of {info.label} and {cost} "
        f"(not tested): from {first} to {last}."
    )


def table(view: View, shown: Shown) -> Table:
    """The points of the figure as a file: run, cost, value, and whether none beats it."""
    loaded = load(view, shown)
    front = set(front_of(loaded, shown.columns[0]))
    rows = (
        (name, loaded.costs[run_id], loaded.values[run_id], int(run_id in front))
        for run_id, (name, _) in loaded.names.items()
    )
    cost = "index_bytes" if loaded.kind.name == "index" else f"{loaded.kind.name}_ms"
    return Table.for_files(("run", cost, str(shown.lead), "on_front"), rows)


def nothing(kind: Kind, program: str) -> list[Any]:
    """The commands that record costs, for a collection without any."""
    command = (
        f"{program} --index-bytes BYTES RUN"
        if kind.name == "index"
        else f"{program} --times FILE RUN"
    )
    what = "the size of its index" if kind.name == "index" else "its response times"
    return [
        html.P(f"Give {what} with the run:"),
        shell.commands(command),
    ]


def front_of(loaded: Costs, lead: MeasureInfo) -> tuple[int, ...]:
    """The runs on the Pareto front, the cheapest first."""
    sign = lead.sign_of_better
    values = {run_id: sign * loaded.values[run_id] for run_id in loaded.names}
    return pareto_front(loaded.costs, values)


def behind(loaded: Costs, front: Sequence[int]) -> list[int]:
    """The runs that are not on the front, the cheapest first, up to the number that is listed."""
    on_front = set(front)
    others = (run_id for run_id in loaded.names if run_id not in on_front)
    return sorted(others, key=lambda run_id: loaded.costs[run_id])[:MOST_NAMED]


def figure(loaded: Costs, shown: Shown, scheme: Scheme = "light") -> Figure:
    """Draw a mark for each run over the logarithm of its cost, and the front as steps.

    Runs on the front have names beside their marks, and other runs too if there is room.
    """
    lead, kind = shown.columns[0], loaded.kind
    run_ids = list(loaded.names)
    if not run_ids:
        return message("No run has this cost recorded.", scheme)
    token = TOKENS[scheme]
    drawn = Figure(scheme, hovermode="closest")
    front = front_of(loaded, lead)
    drawn.add_scatter(
        x=[loaded.costs[run_id] for run_id in front],
        y=[loaded.values[run_id] for run_id in front],
        mode="lines",
        line={"shape": "hv", "width": 1.5, "color": token["zero"]},
        hoverinfo="skip",
    )
    cost = MeasureInfo(kind.axis, kind.axis, "", higher_is_better=False, counts=True)
    marks = agreement.add_points(
        drawn, run_ids, loaded.costs, loaded.values, loaded.names, (cost, lead), shown, scheme
    )
    texts = cost_texts({run_id: loaded.costs[run_id] for run_id in run_ids}, kind)
    for words, run_id in zip(marks["customdata"], run_ids, strict=True):
        words[1] = f"{kind.axis} {texts[run_id]}"
    across = axis_range([math.log10(loaded.costs[run_id]) for run_id in run_ids])
    up = axis_range([loaded.values[run_id] for run_id in run_ids])
    placed = name_places(loaded, front, across, up)
    names = {run_id: wording.plot_name(loaded.names[run_id][0], LONGEST) for run_id in placed}
    marks |= {
        "mode": "markers+text",
        "text": [names.get(run_id, "") for run_id in run_ids],
        "textposition": [placed.get(run_id, PLACES[0]) for run_id in run_ids],
        "textfont": {
            "color": [token["ink"] if run_id in front else token["muted"] for run_id in run_ids],
            "size": 12,
        },
        "cliponaxis": False,
    }
    unit, size = ("MB", 1e6) if kind.name == "index" else ("ms", 1.0)
    ticks = log_ticks([loaded.costs[run_id] for run_id in run_ids])
    drawn.update_xaxes(
        type="log",
        range=list(across),
        title=f"{kind.axis} ({unit}, logarithmic) ↓",
        tickvals=ticks,
        ticktext=[f"{tick / size:,g}" for tick in ticks],
    )
    drawn.update_yaxes(title=f"{wording.plot_name(lead.label)}{lead.arrow}", range=list(up))
    drawn.update_layout(showlegend=False)
    return drawn


def name_places(
    loaded: Costs, front: Sequence[int], across: tuple[float, float], up: tuple[float, float]
) -> dict[int, str]:
    """The places of run names beside their marks, by run id; names without room are left out.

    Runs on the front are placed first, with their names above it, where there are no steps and no
    marks. The other runs follow if there are few. `across` has the ends of the cost axis, as
    logarithms, and `up` those of the value axis.
    """
    run_ids = list(loaded.names)
    costs = np.log10([loaded.costs[run_id] for run_id in run_ids])
    values = np.array([loaded.values[run_id] for run_id in run_ids], np.float64)
    points = np.column_stack(
        [
            (ends - low) / (high - low) * pixels
            for ends, (low, high), pixels in zip((costs, values), (across, up), SIZE, strict=True)
        ]
    )
    rows = {run_id: row for row, run_id in enumerate(run_ids)}
    others = behind(loaded, front) if len(run_ids) <= MOST_RUNS else []
    lengths = {
        rows[run_id]: len(wording.name(loaded.names[run_id][0], LONGEST))
        for run_id in [*front[:MOST_NAMED], *others]
    }
    places = label_places(points, lengths, SIZE, above=[rows[run_id] for run_id in front])
    return {run_ids[row]: place for row, place in places.items()}


def axis_range(values: Sequence[float]) -> tuple[float, float]:
    """The ends of an axis, a little beyond the lowest and the highest value."""
    low, high = min(values), max(values)
    margin = MARGIN * ((high - low) or 1.0)
    return low - margin, high + margin


def log_ticks(values: Sequence[float]) -> list[float]:
    """Ticks at 1, 2 and 5 times each power of ten, from below the lowest to above all values.

    If fewer than two are among the values, they are closer: at 1 to 9, else at each tenth of these.
    """
    least, most = min(values), max(values)
    powers = range(math.floor(math.log10(least)), math.ceil(math.log10(most)) + 1)
    ticks: list[float] = []
    for tenths in ((10, 20, 50), range(10, 100, 10), range(10, 100)):
        ticks = [step * 10.0 ** (power - 1) for power in powers for step in tenths]
        if sum(least <= tick <= most for tick in ticks) > 1:
            break
    return ticks


def run_table(loaded: Costs, shown: Shown, run_ids: Sequence[int], texts: Mapping[int, str]) -> Any:
    """A table of runs with their costs (from `texts`) and values, equivalent to the figure."""
    lead = shown.columns[0]
    rows = []
    for run_id in run_ids:
        name, slot = loaded.names[run_id]
        href = Address("run", shown.board.collection, name).href
        rows.append(
            tr(
                [
                    th(controls.engine(slot, name, href=href), scope="row"),
                    number(texts[run_id]),
                    number(wording.value(loaded.values[run_id], counts=lead.counts)),
                ]
            )
        )
    head = number_heads("Run", f"{loaded.kind.axis} ↓", lead.name)
    return scrolling(elements.table(head, rows), members="a")


def cost_texts(costs: Values, kind: Kind) -> dict[int, str]:
    """Costs with their unit, by run id, with enough decimals to show that they differ."""
    if kind.name == "index" or not costs:
        return {run_id: f"{value:,.0f} bytes" for run_id, value in costs.items()}
    # One decimal, or enough for two digits of the lowest cost.
    least = max(1, 1 - math.floor(math.log10(min(costs.values()))))
    different = len(set(costs.values()))
    for decimals in range(least, least + MORE_DECIMALS + 1):
        texts = {run_id: f"{value:,.{decimals}f} ms" for run_id, value in costs.items()}
        if len(set(texts.values())) == different:
            break
    return texts


def _without(loaded: Costs, shown: Shown) -> Any:
    names: list[Any] = []
    for name in loaded.without:
        href = Address("run", shown.board.collection, name).href
        names += [html.A(html.Bdi(shown.label(name)), href=href), ", "]
    more = loaded.lacking - len(loaded.without)
    last = f" and {more:,} more" if more else ""
    words = wording.count(loaded.lacking, "run")
    return html.P([f"{words} without this cost or figure: ", *names[:-1], last], className="hint")


# Names beside the marks of a figure, placed so that none covers a mark or another name

F64 = npt.NDArray[np.float64]
Box = tuple[float, float, float, float]
"""The left, bottom, right and top of a text or a step."""

CHARACTER, LINE = 7.6, 14.0
"""The width of a character and the height of a line, in pixels, for 12 px text."""
MARK = 5.0
"""Half the size of a mark, in pixels."""
OFFSET = 1 + MARK / 0.8
"""The distance from the middle of a mark to its text, as plotly.js sets it."""
PLACES = (
    *("middle right", "middle left", "top center", "bottom center"),
    *("top right", "top left", "bottom right", "bottom left"),
)
"""The positions of a text, with plotly's names, in the order in which they are tried."""
ABOVE = ("top left", "top center", "middle left", *(place for place in PLACES if "right" in place))


def label_places(
    points: F64, lengths: Mapping[int, int], size: tuple[float, float], above: Sequence[int] = ()
) -> dict[int, str]:
    """The position of each text, by the row of its point; texts without room are left out.

    `points` are float64, n x 2: pixels from the left and from the bottom. `lengths` are the numbers
    of characters, in the order in which texts are placed. Texts of the rows in `above`, which steps
    join in this order, are preferably placed above and left of their marks. A text stands on a step
    only if there is no other room.
    """
    place_of: dict[int, str] = {}
    boxes: list[Box] = []
    steps = [
        step
        for (x, y), (next_x, next_y) in pairwise(points[list(above)].tolist())
        for step in ((x, y, next_x, y), (next_x, min(y, next_y), next_x, max(y, next_y)))
    ]
    for row, length in lengths.items():
        x, y = points[row]
        others = np.delete(points, row, axis=0)
        tried = ABOVE if row in above else PLACES
        free = [
            (place, box)
            for place in tried
            if _inside(box := _box(float(x), float(y), length * CHARACTER, place), size)
            and not _covers(box, others)
            and not _meets(box, boxes)
        ]
        clear = [one for one in free if not _meets(one[1], steps)]
        for place, box in (clear or free)[:1]:
            place_of[row] = place
            boxes.append(box)
    return place_of


def _box(x: float, y: float, width: float, place: str) -> Box:
    """The left, bottom, right and top of a text at a position beside the mark at x, y."""
    up, along = place.split()
    left = {"left": x - OFFSET - width, "center": x - width / 2, "right": x + OFFSET}[along]
    bottom = {"top": y + OFFSET, "middle": y - LINE / 2, "bottom": y - OFFSET - LINE}[up]
    return left, bottom, left + width, bottom + LINE


def _inside(box: Box, size: tuple[float, float]) -> bool:
    left, bottom, right, top = box
    return left >= 0 and bottom >= 0 and right <= size[0] and top <= size[1]


def _covers(box: Box, points: F64) -> bool:
    left, bottom, right, top = box
    x, y = points[:, 0], points[:, 1]
    across = (x > left - MARK) & (x < right + MARK)
    return bool((across & (y > bottom - MARK) & (y < top + MARK)).any())


def _meets(box: Box, boxes: Sequence[Box]) -> bool:
    left, bottom, right, top = box
    return any(
        left < other[2] and right > other[0] and bottom < other[3] and top > other[1]
        for other in boxes
    )
