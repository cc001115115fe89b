"""The data of the Query page: the runs of an address, their rankings, the order of the queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dashboard.address import Address
from dashboard.components import judging
from dashboard.components.controls import chosen_measure
from dashboard.components.problems import PageProblem, read
from dashboard.components.selection import (
    Selection,
    baseline_of,
    check_most,
    reference_of,
    select_runs,
    with_first,
)
from dashboard.components.wording import MeasureInfo, measure_info
from dashboard.page import View
from dashboard.pages.query import movement
from dashboard.pages.query.movement import READ
from evalstore.catalog.links import run_names
from evalstore.comparison.ranked_query import (
    QueryOrder,
    QueryRanking,
    RankedQuery,
    leading_runs,
    load_document_texts,
    load_ranked_query,
    query_order,
)
from evalstore.leaderboard.positions import leaderboard_measures

WINDOWS = ("20", "50", "100")
MOST_LISTS = 4
SECTIONS = ("table", "curve")


@dataclass(frozen=True, eq=False)
class QueryView:
    """One query as shown on the page, the baseline's ranking first.

    `selection` has the runs in the order of `query.rankings`. `lists` are the numbers of the
    rankings that are shown as lists. `others` are the runs that can be added; `usual` are those
    shown if the address names none. `order` has the queries, with the differences between the
    baseline and the first chosen run. `texts` has title and text of the documents in the lists.
    `own_grades` are those that the user gave unjudged documents, None if they may not.
    """

    address: Address
    selection: Selection
    measure: MeasureInfo
    measures: tuple[str, ...]
    others: tuple[str, ...]
    query: RankedQuery
    order: QueryOrder
    usual: tuple[str, ...]
    lists: tuple[int, ...]
    texts: Mapping[str, tuple[str, str]]
    own_grades: Mapping[tuple[str, str], float] | None = None

    @property
    def k(self) -> int:
        """The number of ranks in each list."""
        return _k(self.address)

    @property
    def only_moved(self) -> bool:
        """Whether the lists leave out documents that are neither relevant nor moved."""
        return self.address.one("show") == "moved" and len(self.lists) > 1

    @property
    def with_texts(self) -> bool:
        """Whether titles and snippets are shown."""
        return self.can_show_texts and self.address.one("text") != "off"

    @property
    def can_show_texts(self) -> bool:
        """Whether texts exist and there is room for them."""
        return bool(self.texts) and len(self.lists) < MOST_LISTS

    @property
    def opened(self) -> tuple[str, ...]:
        """The sections that are opened."""
        return tuple(name for name in SECTIONS if name in self.address.all("open"))

    @property
    def pair(self) -> tuple[QueryRanking, QueryRanking] | None:
        """The rankings of the baseline and of the first other run; None if there is one run."""
        if len(self.lists) < 2:
            return None
        return self.query.rankings[0], self.query.rankings[self.lists[1]]

    @property
    def listed(self) -> tuple[QueryRanking, ...]:
        """The rankings that are shown as lists."""
        return tuple(self.query.rankings[number] for number in self.lists)

    def rows(self) -> list[list[movement.Row]]:
        """The rows of each list."""
        listed = self.listed
        return [
            movement.window(
                ranking,
                self.k,
                [other for other in listed if other is not ranking] if self.only_moved else (),
            )
            for ranking in listed
        ]


def load(view: View) -> QueryView:
    """Load the data that the address of a view names.

    Raises PageProblem if something is not stored, and Redirect if a run was renamed.
    """
    address, store = view.address, view.store
    collection, qid = address.collection or "", address.name or ""
    qrels = address.one("qrels") or None
    stored = read(store, lambda: leaderboard_measures(store, collection, qrels))
    name, measure = chosen_measure(address, stored)
    base = reference_of(view, measure)
    leading = read(store, lambda: leading_runs(store, collection, measure, qrels, 2, base))
    usual = with_first(leading, base)
    asked = with_first(address.all("runs"), baseline_of(view))
    selection = select_runs(view, asked or usual)
    _check_number(address, selection)
    runs = selection.runs
    way_on = Address("leaderboard", collection, None, address.only("qrels", "m").parameters).href
    query = read(
        store,
        lambda: load_ranked_query(store, collection, qid, runs, measure, qrels),
        way_on,
        "Go to the leaderboard",
    )
    lists = _lists(address, selection)
    other = selection.runs[lists[1]] if len(lists) > 1 else None
    order = read(
        store, lambda: query_order(store, collection, measure, selection.runs[0], other, qrels)
    )
    k = _k(address)
    docnos = [docno for number in lists for docno in query.rankings[number].docnos[:k]]
    docnos += query.missed[:MOST_MISSED]
    texts = read(
        store, lambda: load_document_texts(store, collection, list(dict.fromkeys(docnos)), READ)
    )
    every = read(store, lambda: run_names(store, collection))
    return QueryView(
        address=address,
        selection=selection,
        measure=measure_info(name),
        measures=stored,
        others=tuple(run for run in every if run not in selection.names),
        query=query,
        order=order,
        usual=usual,
        lists=lists,
        texts=texts,
        own_grades=judging.own_grades(view),
    )


MOST_MISSED = 50
"""The most documents that the page names of those that no run found."""


def _k(address: Address) -> int:
    return int(address.one("k")) if address.one("k") in WINDOWS else int(WINDOWS[0])


def _lists(address: Address, selection: Selection) -> tuple[int, ...]:
    """The numbers of the runs in the lists: the baseline, and those in `pair` or the next one."""
    names = selection.names
    chosen = [names.index(name) for name in address.all("pair") if name in names[1:]]
    chosen = list(dict.fromkeys(chosen)) or list(range(1, len(names)))[:1]
    return (0, *chosen[: MOST_LISTS - 1])


def _check_number(address: Address, selection: Selection) -> None:
    leaderboard = Address("leaderboard", address.collection)
    if not selection.runs:
        raise PageProblem(
            "No run to show",
            "This collection has no runs yet.",
            advice="`evalstore ingest` adds some.",
            link=leaderboard.href,
            link_text="Go to the leaderboard",
        )
    check_most(address, selection)
