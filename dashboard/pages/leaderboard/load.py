"""The data of the leaderboard: the choices in an address, and the rows that they select."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from dashboard.address import Address
from dashboard.components import wording
from dashboard.components.problems import read, sentence
from dashboard.components.selection import slots_of
from dashboard.components.wording import LEADERBOARD, MeasureInfo, leaderboard_default, measure_info
from dashboard.page import View
from dashboard.pages.leaderboard import filters
from evalstore.catalog.chosen_qrels import evaluates_rest
from evalstore.catalog.names import listed, natural
from evalstore.comparison.collection_values import (
    MOST_RUNS,
    CollectionValues,
    load_collection_values,
)
from evalstore.errors import DataError, MeasureError, NoRankings, NotFound
from evalstore.leaderboard.positions import (
    NAMED_ORDERS,
    Coverage,
    Leaderboard,
    LeaderboardRow,
    Sorting,
    all_values,
    coverage,
    find_leaderboard,
    kept_collection_runs,
    leaderboard_rows,
    oldest_run,
    place_runs,
    role_of_oldest,
    some_values,
)
from evalstore.leaderboard.ranks import MeasureRanks, RankedRun, RankSettings, ranks_of
from evalstore.measures import Measure, parse
from evalstore.store import Store
from evalstore.store.queries.leaderboard import LeaderboardRun

MOST_PARAMETERS = 20
"""The most parameters shown as columns."""
"""The longest label of a run in characters; the whole name is shown on hover."""
VIEWS = ("table", "agreement", "cost", "sweep")
SIZE_OF_CLAIMS = 1024
"""The approximate memory of the claims on a run, in bytes."""
SETTINGS = RankSettings(most_in_groups=300)
"""The settings of the command with a limit on runs: all pairs of 300 take 0.2 s for 200 queries."""


@dataclass(frozen=True)
class Shown:
    """The choices in an address of the leaderboard.

    `asked` are the measures as the address writes them, or the default ones; `measures` are those
    that can be parsed, by canonical name. `lead` is the measure of ranks and differences.
    `problems` has a sentence for each measure that can't be parsed. `proposed` is the role of the
    baseline (`role_of_oldest`) if nobody chose it. `runs` are all those of the leaderboard by id,
    and `chosen` the ids of those that the filters choose, None without filters; `refused` is the
    sentence on a filter that can't be applied: then no run is chosen.
    """

    address: Address
    board: Leaderboard
    asked: tuple[str, ...]
    measures: dict[str, Measure]
    lead: Measure
    sorting: Sorting
    problems: tuple[str, ...]
    runs: Mapping[int, LeaderboardRun]
    chosen: frozenset[int] | None = None
    refused: str = ""
    proposed: str = ""

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
    def chosen_baseline(self) -> str | None:
        """The name of the baseline, if it is that of the address or of the collection."""
        return None if self.proposed else self.baseline

    @cached_property
    def shown_runs(self) -> list[LeaderboardRun]:
        """The runs that the filters choose, and the baseline."""
        base = None if self.board.baseline is None else self.board.baseline.id
        chosen = self.chosen
        return [
            run
            for run_id, run in self.runs.items()
            if chosen is None or run_id in chosen or run_id == base
        ]

    @cached_property
    def slots(self) -> dict[int, int]:
        """The slots of all runs by id, with the shades of versions."""
        return slots_of(self.runs.values())

    @cached_property
    def _labels(self) -> dict[str, str]:
        # Of all runs, so that a filter does not change the label of a run.
        return wording.labels(run.name for run in self.runs.values())

    def label(self, name: str) -> str:
        """The name of a run as its row shows it: a long one keeps what differs from the others."""
        return self._labels.get(name, name)

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters shown as columns."""
        return tuple(dict.fromkeys(self.address.all("cols")))[:MOST_PARAMETERS]

    @property
    def view(self) -> str:
        """The shown view, one of `VIEWS`."""
        view = self.address.one("view")
        return view if view in VIEWS else VIEWS[0]


def load(view: View) -> Shown:
    """Find the leaderboard of an address, and read the choices; raise PageProblem on an error."""
    address, store = view.address, view.store
    qrels, base = address.one("qrels") or None, address.one("base") or None
    way_on = address.changed(qrels=None, base=None).href
    board = read(
        store,
        lambda: find_leaderboard(store, address.collection or "", qrels, base),
        way_on if qrels or base else "",
        "Go to the leaderboard" if qrels or base else "",
    )
    usual = default_measures(board)
    proposed = None
    if board.baseline is None:
        proposed = read(store, lambda: oldest_run(store, board, parse(usual[0])))
        board = replace(board, baseline=proposed)
    asked = address.all("m") or usual
    measures: dict[str, Measure] = {}
    problems = []
    for text in asked:
        try:
            measure = parse(text)
            measures.setdefault(str(measure), measure)
        except MeasureError as error:
            problems.append(wording.name(str(error), 300))
    if not measures:
        measures = {name: parse(name) for name in usual}
    sorting = _sorting(address.one("sort"), measures)
    lead = sorting.by if isinstance(sorting.by, Measure) else next(iter(measures.values()))
    chosen, refused = _chosen(store, board, address)
    return Shown(
        address,
        board,
        asked,
        measures,
        lead,
        sorting,
        tuple(problems),
        read(store, lambda: kept_collection_runs(store, board.collection_id)),
        chosen,
        refused,
        "" if proposed is None else role_of_oldest(proposed),
    )


def _chosen(
    store: Store, board: Leaderboard, address: Address
) -> tuple[frozenset[int] | None, str]:
    """The runs that the filters choose, and the sentence on one that can't be applied."""

    def choose() -> tuple[frozenset[int] | None, str]:
        try:
            return filters.chosen_runs(store, board, address), ""
        except (DataError, NotFound) as error:
            return frozenset(), sentence(wording.clean(str(error)))

    return read(store, choose)


def default_measures(board: Leaderboard) -> tuple[str, ...]:
    """The default measures of a leaderboard."""
    stored = tuple(name for name in board.measures if _is_known(name))
    return leaderboard_default(stored) or LEADERBOARD[:1]


def _is_known(name: str) -> bool:
    """Whether this version knows a stored measure."""
    try:
        return bool(parse(name))
    except MeasureError:
        return False


def _sorting(text: str, measures: dict[str, Measure]) -> Sorting:
    """The order that an address requests: `-AP` from the highest, `AP` from the lowest."""
    name, descending = text.removeprefix("-"), text.startswith("-")
    if name in NAMED_ORDERS:
        return Sorting(name, descending)
    try:
        measure = measures[str(parse(name))]
    except (MeasureError, KeyError):
        first = next(iter(measures.values()))
        return Sorting(first, first.descriptor.higher_is_better is not False)
    return Sorting(measure, descending)


# The rank groups as lines: a lane for each letter, from its first to its last run

MOST_LANES = 16
"""The most lanes in the width of the column."""
HAS, PASSES, NO_LINE = "|", ":", " "
"""The parts of a line beside a run: of its group, of a group of runs above and below it, none."""


@dataclass(frozen=True)
class Lines:
    """The lines beside each run, by its id: a text with one of the parts for each lane.

    `lanes` is their number, and `left_out` that of groups for which there is no lane.
    """

    parts: Mapping[int, str]
    lanes: int = 0
    left_out: int = 0


def lines(groups: Sequence[tuple[int, str]]) -> Lines:
    """The lines of groups, given by the ids of runs and their letters, the best run first.

    A lane is used again for a group that begins two runs or more after another one's end, if there
    are no others left: two groups in a lane look like one.
    """
    spans: dict[str, tuple[int, int]] = {}
    for place, (_, letters) in enumerate(groups):
        for letter in letters:
            spans[letter] = (spans.get(letter, (place, place))[0], place)
    ends: list[int] = []
    lanes: dict[str, int] = {}
    for letter, (first, last) in sorted(spans.items(), key=lambda one: one[1]):
        lane = len(ends)
        if lane == MOST_LANES:
            lane = min(range(lane), key=ends.__getitem__)
            if ends[lane] + 1 >= first:
                continue
        ends[lane:] = [last, *ends[lane + 1 :]]
        lanes[letter] = lane
    cells = [[NO_LINE] * len(ends) for _ in groups]
    for letter, lane in lanes.items():
        first, last = spans[letter]
        for place in range(first, last + 1):
            cells[place][lane] = HAS if letter in groups[place][1] else PASSES
    parts = {run: "".join(cells[place]) for place, (run, _) in enumerate(groups)}
    return Lines(parts, len(ends), len(spans) - len(lanes))


# The rows


@dataclass(frozen=True)
class Loaded:
    """Some rows of a leaderboard with the data known about them.

    `found` is the number of runs in total. `claims` are None, and `coverage` (by run id) is empty,
    until they are computed.
    """

    rows: tuple[LeaderboardRow, ...]
    found: int
    baseline: LeaderboardRow | None
    claims: MeasureRanks | None
    coverage: dict[int, Coverage]

    @cached_property
    def ranked(self) -> dict[int, RankedRun]:
        """The claims on each run, by its id."""
        return {} if self.claims is None else {run.run_id: run for run in self.claims.runs}

    @cached_property
    def lines(self) -> Lines:
        """The rank groups as lines beside the runs."""
        ranked = () if self.claims is None else self.claims.runs
        return lines([(run.run_id, run.rank_group) for run in ranked])


def load_rows(
    store: Store,
    shown: Shown,
    start: int = 0,
    end: int | None = None,
    *,
    with_claims: bool = True,
    pinned: bool = False,
) -> Loaded:
    """Load the rows of a leaderboard from `start` up to, but not including, `end`; None means all.

    With claims, it also loads what takes longer: the tests of all runs, and their judged shares.
    The rows leave out a baseline that is `pinned` on top of them.
    """

    def work() -> Loaded:
        board, lead = shown.board, shown.lead
        placed = placed_runs(store, shown)
        base = None if board.baseline is None else board.baseline.id
        if pinned:
            placed = [run for run in placed if run.id != base]
        ids = [run.id for run in placed[start:end]]
        every = [*ids, *([base] if base is not None and base not in ids else [])]
        values = {
            name: all_values(store, board, measure)
            if measure is lead
            else some_values(store, board, measure, every)
            for name, measure in shown.measures.items()
        }
        rows = leaderboard_rows(store, board, lead, list(shown.measures.values()), every, values)
        by_id = {row.run.id: row for row in rows}
        return Loaded(
            rows=tuple(by_id[run_id] for run_id in ids if run_id in by_id),
            found=len(placed),
            baseline=None if base is None else by_id.get(base),
            claims=claims_of(store, shown) if with_claims else None,
            coverage=coverage(store, board, every) if with_claims else {},
        )

    return read(store, work)


def names_of_parameters(shown: Shown) -> list[str]:
    """The parameters of the runs, those of most runs first."""
    names = Counter(name for run in shown.runs.values() for name in run.parameters)
    return [name for name, _ in sorted(names.items(), key=lambda one: (-one[1], natural(one[0])))]


def placed_runs(store: Store, shown: Shown) -> list[LeaderboardRun]:
    """The runs that search and filters find, in their order."""
    by = shown.sorting.by
    values = all_values(store, shown.board, by) if isinstance(by, Measure) else None
    placed = place_runs(store, shown.board, shown.sorting, shown.address.one("find"), values)
    chosen = shown.chosen
    return placed if chosen is None else [run for run in placed if run.id in chosen]


def claims_of(store: Store, shown: Shown) -> MeasureRanks:
    """The runs with ranks, and differences to the baseline, on the leading measure."""
    board, name = shown.board, str(shown.lead)
    base = None if board.baseline is None else board.baseline.id

    def compute() -> MeasureRanks:
        try:
            loaded = load_collection_values(
                store, board.collection, {name: shown.lead}, board.qrels
            )
        except (MeasureError, NoRankings) as error:
            return MeasureRanks(name, name, 0, (), None, (str(error),))
        (ranks,) = ranks_of(loaded.measures, {}, SETTINGS, base)
        notes = (*_on_others(board, loaded), *loaded.notes_on_these, *ranks.notes)
        return replace(ranks, notes=notes)

    return store.keep(_claims_key(shown), compute, lambda claims: SIZE_OF_CLAIMS * len(claims.runs))


def claims_at(view: View, measure: str, base: str) -> MeasureRanks:
    """The claims of a collection's leaderboard on a measure, for the page of another view.

    `base` is the name of the baseline; empty for the collection's own.
    """
    address = Address("leaderboard", view.address.collection, None, {"m": (measure,)})
    chosen = address.changed(qrels=view.address.all("qrels"), base=base)
    return read(view.store, lambda: claims_of(view.store, load(View(view.store, chosen))))


def _on_others(board: Leaderboard, loaded: CollectionValues) -> tuple[str, ...]:
    """A sentence on the runs of the leaderboard that have no values, with advice."""
    others = loaded.not_evaluated
    if not others:
        return ()
    have = "has" if len(others) == 1 else "have"
    return (
        f"{len(others):,} of {board.runs:,} runs {have} no values under qrels {board.qrels!r}: "
        f"{listed(others, MOST_RUNS)}; `{evaluates_rest(board.collection, board.qrels)}` "
        "evaluates those that have rankings",
    )


def has_claims(store: Store, shown: Shown) -> bool:
    """Whether the claims are cached, so that rows can have them at once."""
    return store.has_kept(_claims_key(shown))


def _claims_key(shown: Shown) -> tuple[object, ...]:
    board, base = shown.board, shown.board.baseline
    return ("claims", board.qrels_id, str(shown.lead), None if base is None else base.id)
