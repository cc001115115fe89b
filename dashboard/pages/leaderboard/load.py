"""What the leaderboard shows: the choices of an address, and the data that they name."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, TypeVar, cast

from dashboard.address import Address
from dashboard.components import wording
from dashboard.components.measure_info import (
    LEADERBOARD,
    MeasureInfo,
    leaderboard_default,
    measure_info,
)
from dashboard.components.problems import read
from dashboard.page import View
from evalstore.errors import MeasureError, NoRankings
from evalstore.leaderboard.position_claims import BoardClaims, Coverage, board_claims, coverage
from evalstore.leaderboard.positions import (
    NAMED_ORDERS,
    Board,
    BoardRow,
    Sorting,
    Values,
    board_rows,
    computed_values,
    find_board,
    is_stored,
    number_found,
    place_runs,
)
from evalstore.measures import Measure, parse
from evalstore.store import Store

VIEWS = ("table", "agreement", "cost")


@dataclass(frozen=True)
class Shown:
    """What an address of the leaderboard shows.

    Attributes:
        address: as it was asked for.
        board: the runs that it is about.
        asked: the measures as the address writes them, or the default ones.
        measures: those that are understood, by canonical name, in the order of the address; the
            leading one is the first to be shown.
        lead: the measure that ranks and differences are of.
        sorting: the order of the rows.
        problems: a sentence for each measure that is not understood.
    """

    address: Address
    board: Board
    asked: tuple[str, ...]
    measures: dict[str, Measure]
    lead: Measure
    sorting: Sorting
    problems: tuple[str, ...]

    @cached_property
    def columns(self) -> list[MeasureInfo]:
        """The measures in the order of their columns."""
        names = dict.fromkeys([str(self.lead), *self.measures])
        return [measure_info(name) for name in names]

    @property
    def baseline(self) -> str | None:
        """The name of the baseline."""
        return None if self.board.baseline is None else self.board.baseline.name

    @property
    def view(self) -> str:
        """Which of `VIEWS` is shown."""
        view = self.address.one("view")
        return view if view in VIEWS else VIEWS[0]


def load(view: View) -> Shown:
    """Find the board of an address, and read what is chosen on it.

    Raises:
        PageProblem: there is no such collection, qrels or baseline.
    """
    address, store = view.address, view.store
    qrels, base = address.one("qrels") or None, address.one("base") or None
    way_on = address.changed(qrels=None, base=None).href
    board = read(
        store,
        lambda: find_board(store, address.collection or "", qrels, base),
        way_on if qrels or base else "",
        "Go to the leaderboard" if qrels or base else "",
    )
    asked = address.all("m") or default_measures(board)
    measures: dict[str, Measure] = {}
    problems = []
    for text in asked:
        try:
            measure = parse(text)
            measures.setdefault(str(measure), measure)
        except MeasureError as error:
            problems.append(wording.name(str(error), 300))
    if not measures:
        measures = {name: parse(name) for name in default_measures(board)}
    sorting = _sorting(address.one("sort"), measures)
    lead = sorting.by if isinstance(sorting.by, Measure) else next(iter(measures.values()))
    return Shown(address, board, asked, measures, lead, sorting, tuple(problems))


def default_measures(board: Board) -> tuple[str, ...]:
    """The measures of a board unless others are chosen."""
    stored = tuple(name for name in board.measures if _is_known(name))
    return leaderboard_default(stored) or LEADERBOARD[:1]


def _is_known(name: str) -> bool:
    """Whether this version knows a measure that is stored."""
    try:
        return bool(parse(name))
    except MeasureError:
        return False


def _sorting(text: str, measures: dict[str, Measure]) -> Sorting:
    """The order that an address asks for: `-AP` from the highest, `AP` from the lowest."""
    name, descending = text.removeprefix("-"), text.startswith("-")
    if name in NAMED_ORDERS:
        return Sorting(name, descending)
    try:
        measure = measures[str(parse(name))]
    except (MeasureError, KeyError):
        first = next(iter(measures.values()))
        return Sorting(first, first.descriptor.higher_is_better is not False)
    return Sorting(measure, descending)


@dataclass(frozen=True)
class Loaded:
    """Some rows of a board with what is known of them.

    Attributes:
        rows: the runs in their order.
        found: how many runs there are in all.
        baseline: the baseline as a row; None where there is none.
        claims: what may be claimed; None where that is not computed yet.
        coverage: by run id; empty where it is not known yet.
    """

    rows: tuple[BoardRow, ...]
    found: int
    baseline: BoardRow | None
    claims: BoardClaims | None
    coverage: dict[int, Coverage]


def load_rows(
    store: Store,
    shown: Shown,
    memory: Memory,
    start: int = 0,
    end: int | None = None,
    *,
    with_claims: bool = True,
) -> Loaded:
    """The rows of a board from position `start` to before `end`; all where None.

    With claims also what takes longer: the tests of all runs, and how much of them is judged. They
    are computed where `memory` does not hold them.
    """

    def work() -> Loaded:
        ids = _placed(store, shown, memory, start, end)
        base = None if shown.board.baseline is None else shown.board.baseline.id
        every = [*ids, *([base] if base is not None and base not in ids else [])]
        rows = board_rows(
            store,
            shown.board,
            shown.lead,
            list(shown.measures.values()),
            every,
            _computed(store, shown, memory, every),
        )
        claims, covered = None, {}
        if with_claims:
            claims = claims_of(store, shown, memory)
            covered = coverage(store, shown.board, every)
        by_id = {row.run.id: row for row in rows}
        return Loaded(
            rows=tuple(by_id[run_id] for run_id in ids if run_id in by_id),
            found=number_found(store, shown.board, shown.address.one("find")),
            baseline=None if base is None else by_id.get(base),
            claims=claims,
            coverage=covered,
        )

    return read(store, work)


def claims_of(store: Store, shown: Shown, memory: Memory) -> BoardClaims:
    """What may be claimed of the runs on the leading measure."""
    board, name = shown.board, str(shown.lead)
    keep = partial(memory.get, ("standings", board.state, name))

    def compute() -> BoardClaims:
        try:
            return board_claims(store, board, shown.lead, keep)
        except (MeasureError, NoRankings) as error:
            return BoardClaims(name, {}, 0, all_pairs=False, reach=0, notes=(str(error),))

    return memory.get(_claims_key(shown), compute)


def has_claims(shown: Shown, memory: Memory) -> bool:
    """Whether the claims are kept, so that rows can have them at once."""
    return _claims_key(shown) in memory


def _claims_key(shown: Shown) -> tuple[object, ...]:
    base = shown.board.baseline
    return ("claims", shown.board.state, str(shown.lead), None if base is None else base.id)


def _placed(store: Store, shown: Shown, memory: Memory, start: int, end: int | None) -> list[int]:
    """The ids of the runs at these positions."""
    values = None
    if isinstance(shown.sorting.by, Measure) and not _is_stored(store, shown, memory, shown.lead):
        values = all_values(store, shown, memory, shown.lead)
    placed = place_runs(
        store,
        shown.board,
        shown.sorting,
        shown.address.one("find"),
        limit=None if end is None else max(0, end - start),
        offset=start,
        values=values,
    )
    return [run.id for run in placed]


def all_values(store: Store, shown: Shown, memory: Memory, measure: Measure) -> Values:
    """The figures of a measure for all runs of a board."""
    name = str(measure)
    return memory.get(
        ("values", shown.board.state, name),
        lambda: computed_values(store, shown.board, [measure])[name],
    )


def _is_stored(store: Store, shown: Shown, memory: Memory, measure: Measure) -> bool:
    key = ("stored", shown.board.state, str(measure))
    return memory.get(key, lambda: is_stored(store, shown.board, measure))


def _computed(store: Store, shown: Shown, memory: Memory, run_ids: list[int]) -> dict[str, Values]:
    """The figures of these runs for the measures that are not stored for all."""
    computed: dict[str, Values] = {}
    for name, measure in shown.measures.items():
        if _is_stored(store, shown, memory, measure):
            continue
        if measure is shown.lead:
            computed[name] = all_values(store, shown, memory, measure)
            continue
        key = ("some values", shown.board.state, name)
        known = memory.get(key, dict[int, float | None])
        missing = [run_id for run_id in run_ids if run_id not in known]
        if missing:
            new = computed_values(store, shown.board, [measure], missing)[name]
            known.update({run_id: new.get(run_id) for run_id in missing})
        computed[name] = {id_: value for id_ in run_ids if (value := known[id_]) is not None}
    return computed


# What an app has computed for its leaderboards, kept for the next request

T = TypeVar("T")

MOST = 48


class Memory:
    """Results by key, the last used ones; each is computed once, also where two ask for it.

    Keys hold the state of the board, so what was computed before a change is not found after it.
    It may be lost at any time: another process of the server has one of its own.
    """

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._results: OrderedDict[Hashable, Any] = OrderedDict()
        self._locks: dict[Hashable, threading.Lock] = {}
        self._lock = threading.Lock()

    def get(self, key: Hashable, compute: Callable[[], T]) -> T:
        """The result of `compute`, or the one that was kept for this key."""
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
                return cast(T, self._results[key])
            own = self._locks.setdefault(key, threading.Lock())
        with own:
            with self._lock:
                if key in self._results:
                    return cast(T, self._results[key])
            try:
                result = compute()
            finally:
                with self._lock:
                    self._locks.pop(key, None)
            with self._lock:
                self._results[key] = result
                while len(self._results) > self._most:
                    self._results.popitem(last=False)
            return result

    def __contains__(self, key: Hashable) -> bool:
        """Whether a result is kept for this key."""
        with self._lock:
            return key in self._results
