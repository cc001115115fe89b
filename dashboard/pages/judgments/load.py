"""The data of the Judgments page: the two qrels of an address, compared."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from dashboard.address import Address
from dashboard.components.controls import chosen_measure
from dashboard.components.problems import read, sentence
from dashboard.components.wording import MeasureInfo, clean, measure_info
from dashboard.page import View
from evalstore.catalog.chosen_qrels import kept_collection, named_qrels
from evalstore.client.any_store import LocalStore
from evalstore.client.two_qrels import leaderboards_of_stored_qrels, reuse_of_stored_qrels
from evalstore.comparison.cached import kept_qrels
from evalstore.comparison.qrels.agreement import JudgmentAgreement, judgment_agreement
from evalstore.comparison.qrels.compared import ComparedQrels
from evalstore.comparison.qrels.documents import NOT_JUDGED, JudgedDocuments, judged_documents
from evalstore.comparison.qrels.leaderboards import Leaderboards
from evalstore.comparison.qrels.reuse import Reuse
from evalstore.errors import DataError, NotFound
from evalstore.formats import Qrels
from evalstore.leaderboard.positions import leaderboard_measures
from evalstore.leaderboard.ranks import RankSettings
from evalstore.measures import Measure
from evalstore.store import Store
from evalstore.store.queries.qrels import StoredQrels

NONE = "none"
"""The grade of documents that are not judged, in addresses."""
SETTINGS = RankSettings(most_in_groups=300)
SIZE_OF_ROW = 1024
"""The approximate memory of a run or claim under two qrels, in bytes."""


class Chosen(NamedTuple):
    """The qrels of a collection, the default first, and the two of an address; b can be missing."""

    collection_id: int
    every: tuple[StoredQrels, ...]
    a: StoredQrels | None
    b: StoredQrels | None


class Boards(NamedTuple):
    """The leaderboards under two qrels with notes; None with the reason, a sentence."""

    leaderboards: Leaderboards | None
    notes: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, eq=False)
class TwoQrels:
    """Two qrels of a collection as the page shows them.

    `boards` are None until they are computed. `cell` is the opened cell of the confusion matrix,
    the grades in a and b, as in `JudgedDocuments`.
    """

    address: Address
    chosen: Chosen
    a: StoredQrels
    b: StoredQrels
    name: str
    measure: Measure
    measures: tuple[str, ...]
    judgments: JudgmentAgreement
    boards: Boards | None
    cell: tuple[float, float] | None

    @property
    def info(self) -> MeasureInfo:
        """The measure of the leaderboards, in words."""
        return measure_info(self.name)

    @property
    def compared(self) -> ComparedQrels:
        """The comparison, with the leaderboards if they are known."""
        boards = self.boards or Boards(None)
        return ComparedQrels(self.judgments, boards.leaderboards, boards.notes)

    def under(self, qrels: StoredQrels, page: str, name: str | None = None) -> Address:
        """Another page of the collection under one of the qrels, with the same measure."""
        default = qrels.id == self.chosen.every[0].id
        kept = self.address.only("runs", "base").to(page, name)
        return kept.changed(qrels=None if default else qrels.name, m=self.address.all("m"))


def choose(view: View) -> Chosen:
    """The qrels that an address names: `qrels` is a, and `other` is b.

    By default a is the default one, and b the first of the others, which is the newest.
    """
    address, store = view.address, view.store
    collection = address.collection or ""
    stored = read(store, lambda: kept_collection(store, collection))

    def named() -> Chosen:
        if not stored.qrels:
            return Chosen(stored.id, (), None, None)
        a = named_qrels(stored.qrels, collection, address.one("qrels") or None)
        other = address.one("other")
        b = named_qrels(stored.qrels, collection, other) if other else None
        left = [qrels for qrels in stored.qrels if qrels != a]
        if b in (None, a):
            b = next(iter(left), None)
        return Chosen(stored.id, stored.qrels, a, b)

    way_on = address.changed(qrels=None, other=None, cell=None)
    return read(store, named, way_on.href, "Choose two qrels")


def load(view: View, chosen: Chosen, a: StoredQrels, b: StoredQrels, *, wait: bool) -> TwoQrels:
    """Compare two qrels; the leaderboards only if they are kept already, or with `wait`."""
    address, store = view.address, view.store
    stored = read(store, lambda: leaderboard_measures(store, address.collection or "", a.name))
    name, measure = chosen_measure(address, stored)
    way_on = address.changed(other=None, cell=None)
    judgments = read(store, lambda: _agreement(store, a, b), way_on.href, "Choose another pair")
    two = TwoQrels(
        *(address, chosen, a, b, name, measure, stored, judgments),
        boards=None,
        cell=_cell(address, judgments),
    )
    if wait or store.has_kept(_key(two)):
        two = replace(two, boards=read(store, lambda: _boards(store, two)))
    return two


def _agreement(store: Store, a: StoredQrels, b: StoredQrels) -> JudgmentAgreement:
    return store.keep(
        ("agreement of qrels", a.id, b.id),
        lambda: judgment_agreement(_qrels(store, a), _qrels(store, b)),
        lambda of: of.tables.nbytes + SIZE_OF_ROW,
    )


def _qrels(store: Store, stored: StoredQrels) -> Qrels:
    """The judgments under the present name, which errors mention."""
    kept = kept_qrels(store, stored)
    return kept if kept.path == stored.name else replace(kept, path=stored.name)


def _key(two: TwoQrels) -> tuple[object, ...]:
    base = two.address.one("base")
    return ("leaderboards of qrels", two.a.id, two.b.id, two.name, base)


def _boards(store: Store, two: TwoQrels) -> Boards:
    collection, base = two.address.collection or "", two.address.one("base") or None

    def compute() -> Boards:
        try:
            return Boards(
                *leaderboards_of_stored_qrels(
                    *(LocalStore(store), two.a.name, two.b.name, collection),
                    *(two.name, two.measure, SETTINGS),
                    baseline=base,
                )
            )
        except (DataError, NotFound) as error:
            return Boards(None, reason=sentence(clean(str(error))))

    return store.keep(_key(two), compute, _size)


def _size(boards: Boards) -> int:
    of = boards.leaderboards
    return SIZE_OF_ROW * (1 if of is None else len(of.changes.runs) + len(of.claims or ()))


def reused(view: View, qrels: StoredQrels) -> Reuse | str:
    """Each engine left out of the pool of a qrels; a sentence if that can't be computed."""
    store, collection = view.store, view.address.collection or ""
    stored = read(store, lambda: leaderboard_measures(store, collection, qrels.name))
    measure = chosen_measure(view.address, stored)

    def compute() -> Reuse | str:
        try:
            return reuse_of_stored_qrels(LocalStore(store), collection, qrels.name, *measure)
        except DataError as error:
            return sentence(clean(str(error)))

    return read(store, compute)


def documents(store: Store, two: TwoQrels) -> JudgedDocuments:
    """The documents of the opened cell, or all if none is open."""
    every = read(store, lambda: judged_documents(_qrels(store, two.a), _qrels(store, two.b)))
    return every if two.cell is None else every.with_grades(*two.cell)


def _cell(address: Address, of: JudgmentAgreement) -> tuple[float, float] | None:
    """The cell that an address names, such as `cell=2,none`; None if the matrix has none."""
    names = {grade_name(grade): float(grade) for grade in of.grade_numbers}
    grades = [{**names, NONE: NOT_JUDGED}.get(text) for text in address.all("cell")]
    if len(grades) != 2 or None in grades or grades == [NOT_JUDGED, NOT_JUDGED]:
        return None
    a, b = grades
    return (a, b) if a is not None and b is not None else None


def grade_name(grade: float) -> str:
    """A grade in addresses and headings."""
    return f"{grade:g}"
