"""Agreement of the assessors of a draft: their disagreements, and figures of each."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evalstore.catalog.chosen_qrels import find_collection_id
from evalstore.judging.drafts import find_draft
from evalstore.stats.grades import cohen_kappa
from evalstore.store import Store
from evalstore.store.queries.drafts import (
    StoredAssessment,
    by_document,
    list_drafts,
    load_assessments,
    newest,
)
from evalstore.store.queries.drafts import find_draft as load_draft
from evalstore.store.queries.events import who


class Given(NamedTuple):
    """The grade that an assessor gave a document, with the comment and passage, if any."""

    assessor: str
    grade: float
    comment: str | None
    passage: str | None


class Disagreement(NamedTuple):
    """A document with different grades and none of an adjudicator."""

    qid: str
    docno: str
    given: tuple[Given, ...]


@dataclass(frozen=True)
class AssessorFigures:
    """Figures of an assessor in a draft.

    A pair is a document that the assessor and another one graded, once for each other one. A repeat
    is a document that the assessor graded again, here or in another draft of the collection; a
    grade that replaces an undone one is no repeat. NaN without pairs or repeats. What somebody says
    as an adjudicator is in `adjudicated` alone.

    Attributes:
        graded, cannot_tell, later, adjudicated: the numbers of documents.
        pairs: the number of pairs.
        agreement: the share of pairs with equal grades.
        kappa: Cohen's kappa of the pairs, unweighted.
        first_half, second_half: the agreement in each half of the pairs, in the order in which the
            assessor graded them: the second begins nearest to the middle where the time changes.
            NaN if all have one time, as those of a file.
        repeats: the number of repeats.
        consistency: the share of repeats with the grade of the time before.
    """

    assessor: str
    graded: int
    cannot_tell: int
    later: int
    pairs: int
    agreement: float
    kappa: float
    first_half: float
    second_half: float
    repeats: int
    consistency: float
    adjudicated: int


def disagreements(store: Store, collection: str, draft: str) -> list[Disagreement]:
    """The documents of a draft to adjudicate, in the order in which they were judged."""
    with store.read() as connection:
        said = load_assessments(connection, find_draft(connection, collection, draft).id)
    grades = (one for one in newest(said) if one.grade is not None)
    return [
        Disagreement(
            qid,
            docno,
            tuple(
                Given(one.assessor, one.grade, one.comment, one.passage)
                for one in graded
                if one.grade is not None
            ),
        )
        for (qid, docno), graded in by_document(grades).items()
        if len({one.grade for one in graded}) > 1
        and not any(one.kind == "adjudicator" for one in graded)
    ]


def acting() -> str:
    """The assessor who acts now: the account of the server's request, or else the user."""
    return who()


def judged_by(
    store: Store, collection: str, draft: str, assessor: str, *, adjudicated: bool = False
) -> list[StoredAssessment]:
    """The documents of a draft that an assessor graded, or could not tell, the last one first."""
    with store.read() as connection:
        said = load_assessments(connection, find_draft(connection, collection, draft).id)
    own = [
        one
        for one in newest(said)
        if one.assessor == assessor
        and one.state in ("graded", "cannot_tell")
        and (one.kind == "adjudicator") is adjudicated
    ]
    return sorted(own, key=lambda one: one.judged_at)[::-1]


def own_grades(
    store: Store, collection: str, draft: str, assessor: str
) -> dict[tuple[str, str], float]:
    """The grades of an assessor that count, by query and docno; none if there is no such draft."""
    with store.read() as connection:
        found = load_draft(connection, find_collection_id(connection, collection), draft)
        said = [] if found is None else load_assessments(connection, found.id)
    return {
        (one.qid, one.docno): one.grade
        for one in newest(said)
        if one.assessor == assessor and one.grade is not None
    }


def assessors(store: Store, collection: str, draft: str) -> list[AssessorFigures]:
    """The figures of each assessor of a draft, in the order of their first words."""
    with store.read() as connection:
        chosen = find_draft(connection, collection, draft)
        drafts = list_drafts(connection, find_collection_id(connection, collection))
        said = {one.id: load_assessments(connection, one.id) for one in drafts}
    return figures_of(said[chosen.id], [one for each in said.values() for one in each])


def figures_of(
    said: Sequence[StoredAssessment], everywhere: Sequence[StoredAssessment]
) -> list[AssessorFigures]:
    """The figures of each assessor; both lists the oldest first, `everywhere` with `said`."""
    judged = [one for one in said if one.kind != "adjudicator"]
    counting = list(newest(judged, models=True))
    adjudicated = Counter(
        one.assessor
        for one in newest(one for one in said if one.kind == "adjudicator")
        if one.grade is not None
    )
    of_document = by_document(one for one in counting if one.grade is not None)
    repeats = _repeats(everywhere)
    figures = []
    for assessor in dict.fromkeys(one.assessor for one in said):
        own = [one for one in counting if one.assessor == assessor]
        # `newest` is in the order of the first mention, and what counts may have been said later.
        graded = sorted(
            (one for one in own if one.grade is not None), key=lambda one: one.judged_at
        )
        shared = [
            (one.judged_at, one.grade, other.grade)
            for one in graded
            for other in of_document[one.qid, one.docno]
            if other.assessor != assessor and one.grade is not None and other.grade is not None
        ]
        pairs = [(mine, theirs) for _, mine, theirs in shared]
        same = [mine == theirs for mine, theirs in pairs]
        times = [at for at, _, _ in shared]
        later = [at for at in range(1, len(times)) if times[at - 1] < times[at]]
        half = min(later, key=lambda at: abs(2 * at - len(times)), default=0)
        again = repeats.get(assessor, [])
        figures.append(
            AssessorFigures(
                assessor,
                len(graded),
                sum(one.state == "cannot_tell" for one in own),
                sum(one.state == "later" for one in own),
                len(pairs),
                _share(same),
                _kappa(pairs),
                _share(same[:half]) if half else math.nan,
                _share(same[half:]) if half else math.nan,
                len(again),
                _share(again),
                adjudicated[assessor],
            )
        )
    return figures


def _repeats(said: Iterable[StoredAssessment]) -> dict[str, list[bool]]:
    """Whether each document graded again got the same grade, by assessor."""
    before: dict[tuple[str, str, str], float | None] = {}
    repeats: dict[str, list[bool]] = defaultdict(list)
    for one in sorted(said, key=lambda one: one.judged_at):  # of several drafts; the sort is stable
        key = one.assessor, one.qid, one.docno
        if one.kind != "adjudicator" and one.grade is not None:
            if (earlier := before.get(key)) is not None:
                repeats[one.assessor].append(earlier == one.grade)
            before[key] = one.grade
        elif one.state == "undone":
            before.pop(key, None)
    return repeats


def _kappa(pairs: Sequence[tuple[float, float]]) -> float:
    if not pairs:
        return math.nan
    own, others = zip(*pairs, strict=True)
    return cohen_kappa(own, others)


def _share(true: Sequence[bool]) -> float:
    return sum(true) / len(true) if true else math.nan
