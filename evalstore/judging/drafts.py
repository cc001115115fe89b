"""Drafts of qrels: make and list them, give out documents to judge, and take what is said."""

from __future__ import annotations

import hashlib
import random
import secrets
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple, get_args

import numpy as np
from sqlalchemy import Connection

from evalstore.catalog.chosen_qrels import choose_qrels, find_collection_id
from evalstore.catalog.names import check_name, check_text, natural
from evalstore.comparison.loading import LoadedRuns
from evalstore.comparison.unjudged.holes import check_measure
from evalstore.comparison.unjudged.pool import Order, make_pool
from evalstore.errors import Conflict, DataError, NotFound, did_you_mean
from evalstore.formats.qrels import Qrels
from evalstore.formats.reading.rows import valid_id, wrong_value
from evalstore.formats.reading.source import quoted
from evalstore.measures import Measure, parse
from evalstore.store import Store
from evalstore.store.models import draft_t
from evalstore.store.queries import drafts as stored
from evalstore.store.queries import events
from evalstore.store.queries.drafts import (
    DraftDocument,
    Kind,
    Rule,
    State,
    StoredAssessment,
    StoredDraft,
    by_document,
    newest,
)
from evalstore.store.queries.qrels import Origin, load_origins, load_qrels
from evalstore.store.queries.queries import list_qids
from evalstore.store.rows import delete_row

RULES: tuple[Rule, ...] = get_args(Rule)
LONGEST = 10_000
"""The largest number of characters in a comment or passage."""
LONGEST_KEY = 100
"""The largest number of characters in a key."""
LONGEST_KEPT = timedelta(days=365)
"""The longest time between a statement and its arrival."""
MOST_SENT = 1_000
"""The largest number of documents, or of assessments, in a request to a server."""


class PoolDocument(NamedTuple):
    """A document to judge.

    Attributes:
        stratum: the part of the pool that it was drawn from.
        probability: the chance that it was drawn, at most 1; 0 for a document of the stratum that
            was not drawn, which is not to be judged, but counts in measures of samples.
        assigned: the assessor who is to judge it; None for anyone.
    """

    qid: str
    docno: str
    stratum: str | None = None
    probability: float | None = None
    assigned: str | None = None


@dataclass(frozen=True)
class Draft:
    """A draft and its progress.

    Attributes:
        parent: the name of the qrels that it continues; None without one.
        rule: how grades of several assessors become one.
        overlap: how many assessors judge each document.
        pool: how the documents were drawn.
        published: the name of the qrels that was made of it last; None before.
        documents: the number of documents to judge.
        graded: how many of them have as many grades as `overlap` says, or one of an adjudicator.
        graded_by_fewer: how many that are not `graded` have a grade.
        cannot_tell, later: how many that are not `graded` somebody could not judge, or left for
            later; those that somebody else graded count in `graded_by_fewer` too.
        disagreements: how many have different grades and none of an adjudicator.
    """

    collection: str
    name: str
    parent: str | None
    rule: Rule
    overlap: int
    seed: int
    pool: str | None
    who: str
    created_at: datetime
    published: str | None
    documents: int
    graded: int
    graded_by_fewer: int
    cannot_tell: int
    later: int
    disagreements: int


class ToJudge(NamedTuple):
    """A document that an assessor is to judge; `later`: they have put it off before."""

    qid: str
    docno: str
    later: bool = False


class Assessment(NamedTuple):
    """An assessor's statement on a document.

    Attributes:
        grade: finite, and None unless the state is `graded`.
        comment: what else there is to say, in Markdown; the reason of `cannot_tell`.
        passage: the part of the text that decided.
        key: what is sent twice with one key is stored once; None for a new one.
        kind: `adjudicator` for a grade that settles a disagreement.
        at: when it was said; now for None, for a time that is to come, and for one that is more
            than a year ago.
    """

    qid: str
    docno: str
    grade: float | None = None
    state: State = "graded"
    comment: str | None = None
    passage: str | None = None
    key: str | None = None
    kind: Kind = "person"
    at: datetime | None = None


def new_draft(
    store: Store,
    collection: str,
    name: str,
    *,
    parent: str | None = None,
    documents: Sequence[PoolDocument] = (),
    rule: Rule = "majority",
    overlap: int = 1,
    seed: int = 0,
    pool: str | None = None,
) -> Draft:
    """Make a draft, which continues the qrels `parent` if one is named.

    Queries are judged in natural order; `seed` shuffles the documents of each. A document that is
    given twice counts once, the first one. Each is judged by `overlap` assessors, at least 1; the
    rules that make one grade of theirs are in `publish`. `pool` says how the documents were drawn.

    Raises:
        DataError: a name, an id or a number that is not allowed.
        Conflict: there is a draft of this name.
        NotFound: there is no such collection or qrels.
    """
    check_name("draft", name)
    check_rule(rule)
    if overlap < 1:
        raise DataError(f"the overlap is {overlap}: each document is judged once or more")
    placed = _placed(documents, seed)

    def work(connection: Connection) -> Draft:
        now = datetime.now(UTC)
        collection_id = find_collection_id(connection, collection)
        parent_id = None if parent is None else choose_qrels(connection, collection, parent)[1].id
        if stored.find_draft(connection, collection_id, name) is not None:
            raise Conflict(f"collection {collection!r} has a draft named {name!r} already")
        draft_id = stored.add_draft(
            connection,
            collection_id,
            name=name,
            parent_id=parent_id,
            rule=rule,
            overlap=overlap,
            seed=seed,
            pool=None if pool is None else check_text("pool", pool),
            who=events.who(),
            created_at=now,
        )
        stored.add_documents(connection, collection_id, draft_id, placed)
        events.log(
            connection, "new", collection, name, now, kind="draft",
            documents=stored.count_documents(connection, draft_id),
        )  # fmt: skip
        return _with_counts(connection, collection, find_draft(connection, collection, name))

    return store.transact(work)


def pool_of_runs(
    load: Callable[[Mapping[str, Measure]], LoadedRuns],
    depth: int,
    order: Order,
    *,
    measure: str,
    budget: int | None,
    anew: bool = False,
    without: Container[tuple[str, str]] = (),
) -> tuple[list[PoolDocument], str, str]:
    """The documents of runs to judge, how they were drawn, and the qrels of the runs.

    `load` returns the runs with their values on some measures: on `measure` for the order `settle`.
    The other arguments are those of `make_pool`.

    Raises:
        DataError: there is no document to judge, or `make_pool` raises it.
    """
    settled = (measure, parse(measure)) if order == "settle" else None
    if settled is not None:
        check_measure(*settled)
    loaded = load(dict([settled] if settled else []))
    pool = make_pool(
        loaded, depth, order, budget=budget, anew=anew, measure=settled, without=without
    )
    drawn = f"depth {depth:,} of {', '.join(run.name for run in loaded.runs)}"
    if budget is not None and len(pool) == budget:
        drawn += f", {budget:,} by {order}"
    if not pool:
        raise DataError(
            f"{drawn}: qrels {loaded.runs[0].qrels!r} {'or a draft has' if without else 'judges'} "
            "every document: take more ranks, other runs, or begin from other judgments"
        )
    return [PoolDocument(qid, docno) for qid, docno in pool], drawn, loaded.runs[0].qrels


def documents_in_drafts(store: Store, collection: str) -> set[tuple[str, str]]:
    """The documents in any draft of a collection, as (qid, docno)."""
    with store.read() as connection:
        drafts = stored.list_drafts(connection, find_collection_id(connection, collection))
        documents = [stored.load_documents(connection, draft.id) for draft in drafts]
    return {(one.qid, one.docno) for of_draft in documents for one in of_draft}


def add_documents(
    store: Store, collection: str, draft: str, documents: Sequence[PoolDocument]
) -> Draft:
    """Add documents to a draft, after those that it has; what it has already stays as it is.

    They are shuffled as by `new_draft`.

    Raises:
        DataError: an id or a probability that is not allowed.
        NotFound: there is no such collection or draft.
    """

    def work(connection: Connection) -> Draft:
        found = find_draft(connection, collection, draft)
        have = stored.load_documents(connection, found.id, undrawn=True)
        known = {(one.qid, one.docno) for one in have}
        others = [one for one in documents if (one.qid, one.docno) not in known]
        placed = _placed(others, found.seed, len(have))
        collection_id = find_collection_id(connection, collection)
        stored.add_documents(connection, collection_id, found.id, placed)
        if placed:
            events.log(connection, "edit", collection, draft, kind="draft", documents=len(placed))
        return _with_counts(connection, collection, found)

    return store.transact(work)


def in_order(documents: Iterable[PoolDocument], seed: int) -> list[PoolDocument]:
    """The documents in the order in which they are shown: by query, those of each shuffled.

    One that is given twice counts once, the first one. DataError for an id or a probability that is
    not allowed.
    """
    by_query: dict[str, dict[str, PoolDocument]] = defaultdict(dict)
    for document in documents:
        qid = valid_id(document.qid, "query id", "draft: ")
        docno = valid_id(document.docno, "docno", f"draft, query {quoted(qid)}: ")
        chance = document.probability
        if document.stratum is not None:
            valid_id("_".join(document.stratum.split()), "stratum", f"draft, query {quoted(qid)}: ")
        is_undrawn = chance == 0 and document.stratum is not None
        if chance is not None and not is_undrawn and not 0 < chance <= 1:
            raise DataError(
                f"draft, query {quoted(qid)}: document {quoted(docno)}: the probability is "
                f"{chance:g}, not above 0 and at most 1"
            )
        by_query[qid].setdefault(docno, document)
    ordered: list[PoolDocument] = []
    for qid in sorted(by_query, key=natural):
        own = sorted(by_query[qid])
        random.Random(f"{seed} {qid}").shuffle(own)  # noqa: S311  (an order, no secret)
        ordered += (by_query[qid][docno] for docno in own)
    return ordered


def _placed(documents: Iterable[PoolDocument], seed: int, first: int = 0) -> list[DraftDocument]:
    ordered = in_order(documents, seed)
    drawn = (one for one in ordered if one.probability != 0)
    return [
        *(
            DraftDocument(of.qid, of.docno, place, of.stratum, of.probability, of.assigned)
            for place, of in enumerate(drawn, first)
        ),
        *(
            DraftDocument(of.qid, of.docno, stored.UNDRAWN, of.stratum, None, None)
            for of in ordered
            if of.probability == 0
        ),
    ]


def check_rule(rule: str) -> None:
    """Refuse what is no rule."""
    if rule not in RULES:
        raise DataError(f"there is no rule {rule!r}{did_you_mean(rule, RULES)}")


def find_draft(connection: Connection, collection: str, name: str) -> StoredDraft:
    """The draft of a collection with this name; NotFound if there is none."""
    collection_id = find_collection_id(connection, collection)
    draft = stored.find_draft(connection, collection_id, name)
    if draft is None:
        names = [one.name for one in stored.list_drafts(connection, collection_id)]
        raise NotFound(no_draft(collection, name, names))
    return draft


def no_draft(collection: str, name: str, names: Sequence[str]) -> str:
    """The sentence on a draft that a collection lacks; `names` are those that it has."""
    hint = did_you_mean(name, names)
    if names and not hint:
        hint = f"; it has {', '.join(map(repr, names))}"
    return f"collection {collection!r} has no draft {name!r}{hint}"


def list_drafts(store: Store, collection: str) -> list[Draft]:
    """The drafts of a collection with their progress, the oldest first."""
    with store.read() as connection:
        listed = stored.list_drafts(connection, find_collection_id(connection, collection))
        return [_with_counts(connection, collection, draft) for draft in listed]


def remove_draft(store: Store, collection: str, draft: str) -> None:
    """Delete a draft with all that was said in it; qrels that were made of it stay."""

    def work(connection: Connection) -> None:
        found = find_draft(connection, collection, draft)
        delete_row(connection, draft_t, found.id)
        events.log(connection, "rm", collection, draft, kind="draft")

    store.transact(work)


def _with_counts(connection: Connection, collection: str, draft: StoredDraft) -> Draft:
    counting = newest(stored.load_assessments(connection, draft.id))
    counts: Counter[str] = Counter()
    for of_document in by_document(counting).values():
        grades = [one for one in of_document if one.state == "graded"]
        settled = any(one.kind == "adjudicator" for one in grades)
        is_graded = is_judged_by_enough(grades, draft.overlap)
        states = {one.state for one in of_document}
        counts["graded"] += is_graded
        counts["graded_by_fewer"] += bool(grades) and not is_graded
        counts["cannot_tell"] += not is_graded and "cannot_tell" in states
        counts["later"] += not is_graded and "cannot_tell" not in states and "later" in states
        counts["disagreements"] += not settled and len({one.grade for one in grades}) > 1
    facts = *astuple(draft)[1:], stored.count_documents(connection, draft.id)  # without the id
    names = ("graded", "graded_by_fewer", "cannot_tell", "later", "disagreements")
    return Draft(collection, *(*facts, *(counts[name] for name in names)))


def is_judged_by_enough(grades: Sequence[StoredAssessment], overlap: int) -> bool:
    """Whether the grades of a document are as many as asked for, or one is of an adjudicator."""
    return len(grades) >= overlap or any(one.kind == "adjudicator" for one in grades)


def graded_by_assessor(
    store: Store, collection: str, qrels: str | None = None, *, seen_by: str | None = None
) -> list[tuple[str, str, str, float]]:
    """The judgments of a qrels by who gave them: (qid, assessor, docno, grade), in byte order.

    A document that was judged in a draft has a row for each assessor, with the grade that was
    published, whatever was said later. Others, and those of a draft that was removed, have one row:
    of the people, the model or the file of the origin. So have, with `seen_by`, documents that this
    assessor has not graded: nobody sees another's grade first. A document of the pool that nobody
    judged has no row.
    """
    with store.read() as connection:
        collection_id, chosen = choose_qrels(connection, collection, qrels)
        grades = load_qrels(connection, chosen).to_dict()
        origins = load_origins(connection, chosen.id)
        facts = chosen.origin or {}
        name = str(facts.get("name") or facts.get("model") or chosen.name)
        said = [
            by_document(stored.load_assessments(connection, draft.id))
            for draft in stored.list_drafts(connection, collection_id)
        ]
    rows = []
    for qid, of_query in grades.items():
        for docno, grade in of_query.items():
            origin = origins.get((qid, docno))
            if origin is not None and origin.kind == "pool":
                continue
            of_drafts = [of.get((qid, docno), []) for of in said if origin is not None]
            by: dict[str, float] = {}
            if seen_by is None or any(_has_graded(seen_by, each) for each in of_drafts):
                by = next((of for each in of_drafts if (of := _published(each, origin))), {})
            by = by or {origin.name if origin else name: grade}
            rows += [(qid, assessor, docno, given) for assessor, given in by.items()]
    return sorted(rows)


def _has_graded(assessor: str, said: Iterable[StoredAssessment]) -> bool:
    return any(one.assessor == assessor and one.grade is not None for one in newest(said))


def _published(said: Sequence[StoredAssessment], origin: Origin | None) -> dict[str, float]:
    """The grades by assessor of which a judgment was made; empty if it was made of others."""
    if origin is None or origin.judged_at is None:
        return {}
    until = [one for one in said if one.judged_at <= origin.judged_at]
    graded = [one for one in newest(until) if one.grade is not None]
    for rule in ("majority", "adjudicated"):
        decided = deciding(rule, graded)
        newest_at = max((one.judged_at for one in decided), default=None)
        if newest_at == origin.judged_at and named_people(decided) == origin.name:
            return {one.assessor: one.grade for one in graded if one.grade is not None}
    return {}


def deciding(rule: str, graded: Sequence[StoredAssessment]) -> Sequence[StoredAssessment]:
    """The grades of a document that make the published one: an adjudicator's, or else all."""
    adjudicated = [one for one in graded if one.kind == "adjudicator"]
    if rule == "adjudicated" and adjudicated:
        return [max(adjudicated, key=lambda one: one.judged_at)]
    return graded


def named_people(graded: Iterable[StoredAssessment]) -> str:
    """The people of a judgment, as its origin names them."""
    return ", ".join(sorted({one.assessor for one in graded}))


def next_documents(
    store: Store, collection: str, draft: str, assessor: str, limit: int = 20
) -> list[ToJudge]:
    """The documents that an assessor is to judge next; nothing of what others said.

    They are assigned to the assessor or to nobody, and the assessor has not judged them. A document
    that is assigned to nobody and has as many grades of others as the overlap says is left out.
    What was left for later comes last. Assessors who work at the same time begin at different
    queries.
    """
    with store.read() as connection:
        found = find_draft(connection, collection, draft)
        documents = stored.load_documents(connection, found.id)
        assessments = stored.load_assessments(connection, found.id)
    state_of: dict[tuple[str, str], State] = {}
    grades_of_others: Counter[tuple[str, str]] = Counter()
    for one in newest(assessments):
        if one.assessor == assessor:
            state_of[one.qid, one.docno] = one.state
        else:
            grades_of_others[one.qid, one.docno] += one.state == "graded"
    open_documents = [
        ToJudge(one.qid, one.docno, state_of.get((one.qid, one.docno)) == "later")
        for one in _from_own_query(documents, assessments, assessor)
        if state_of.get((one.qid, one.docno)) in (None, "later")
        and one.assigned in (None, assessor)
        and (one.assigned or grades_of_others[one.qid, one.docno] < found.overlap)
    ]
    return sorted(open_documents, key=lambda one: one.later)[:limit]


GOLDEN = 0.618_033_988_749_895
"""Multiples of it, modulo 1, are far from each other, however many there are."""


def _from_own_query(
    documents: list[DraftDocument], assessments: Iterable[StoredAssessment], assessor: str
) -> list[DraftDocument]:
    """The documents, those of the query first at which an assessor begins."""
    known = list(dict.fromkeys(one.assessor for one in assessments))
    number = known.index(assessor) if assessor in known else len(known)
    qids = list(dict.fromkeys(one.qid for one in documents))
    begin = int(number * GOLDEN % 1 * len(qids))
    early = set(qids[:begin])
    return sorted(documents, key=lambda one: one.qid in early)


def assess(
    store: Store,
    collection: str,
    draft: str,
    assessor: str,
    items: Sequence[Assessment],
    *,
    new: bool = False,
    given: bool = False,
) -> list[str]:
    """Store what an assessor says of documents; all of it or nothing.

    What has a key that the draft knows is not stored again. With `new`, documents that the draft
    does not have are added to it. With `given`, documents that are assigned to another assessor are
    refused; an adjudicator judges any. An event names who stored what another one says.

    Returns:
        The keys of the items, in their order: all of them are stored now.

    Raises:
        DataError: what can't be stored, a document that the draft does not have, or one that it
            assigns to another assessor.
    """
    check_name("assessor", assessor)
    now = datetime.now(UTC)
    said = [_checked(item, assessor, now) for item in items]

    def work(connection: Connection) -> list[str]:
        found = find_draft(connection, collection, draft)
        collection_id = find_collection_id(connection, collection)
        documents = stored.load_documents(connection, found.id, undrawn=True)
        known = {(one.qid, one.docno) for one in documents}
        others = [PoolDocument(*key) for one in said if (key := (one.qid, one.docno)) not in known]
        _check_queries(connection, collection, others)
        if others and not new:
            raise DataError(
                f"draft {draft!r} has no document {quoted(others[0].docno)} of query "
                f"{quoted(others[0].qid)}"
            )
        if given:
            _check_given(draft, assessor, documents, said)
        placed = _placed(others, found.seed, len(documents))
        stored.add_documents(connection, collection_id, found.id, placed)
        if any(one.key.startswith(OF_FILE) for one in said):
            said_new = _of_files(said, stored.load_assessments(connection, found.id))
        else:
            said_new = said
        added = stored.add_assessments(connection, collection_id, found.id, said_new)
        if added and assessor != events.who():
            events.log(
                connection, "edit", collection, draft, now, kind="draft", assessor=assessor,
                assessments=added,
            )  # fmt: skip
        return [one.key for one in said]

    return store.transact(work)


def _check_queries(
    connection: Connection, collection: str, documents: Sequence[PoolDocument]
) -> None:
    """Refuse documents of queries that the collection lacks, unless it has none yet.

    A query that is mistyped would count as one on which every run fails.
    """
    qids = list_qids(connection, find_collection_id(connection, collection)) if documents else ()
    unknown = next((one.qid for one in documents if qids and one.qid not in qids), None)
    if unknown is not None:
        raise DataError(
            f"there is no query {unknown!r} in collection {collection!r}"
            f"{did_you_mean(unknown, qids)}"
        )


OF_FILE = "file:"
"""The beginning of the key of a judgment in a file; the name of the file is in the rest."""


def _of_files(
    said: Sequence[StoredAssessment], before: Iterable[StoredAssessment]
) -> list[StoredAssessment]:
    """Of judgments in files those that are new; others stay as they are.

    A file can grow or be corrected, and is sent again as a whole. What it says is new if it never
    said so of the document, or if files have said something else of it since; its key gets the next
    number.
    """
    times: Counter[str] = Counter()
    last: dict[tuple[str, str, str, str], float | None] = {}
    for one in before:
        if one.key.startswith(OF_FILE):
            times[one.key.rpartition(" ")[0]] += 1
            last[one.assessor, one.kind, one.qid, one.docno] = one.grade
    told = []
    for one in said:
        if not one.key.startswith(OF_FILE):
            told.append(one)
        elif not times[one.key] or last[one.assessor, one.kind, one.qid, one.docno] != one.grade:
            told.append(replace(one, key=f"{one.key} {times[one.key] + 1}"))
    return told


def assessments_of(judgments: Qrels, assessor: str, kind: Kind = "person") -> list[Assessment]:
    """The judgments of a file as what an assessor says; a negative grade is no judgment.

    Their keys are made of the file's name, so that a file that is sent again, also with more or
    with corrected judgments, adds what is new.
    """
    source = [kind, assessor, Path(judgments.path).name]
    items = []
    for qid, of_query in judgments.to_dict().items():
        for docno, grade in of_query.items():
            if grade < 0:
                continue
            key = hashlib.sha256("\n".join([*source, qid, docno]).encode()).hexdigest()
            items.append(Assessment(qid, docno, grade, kind=kind, key=f"{OF_FILE}{key}"))
    return items


def _check_given(
    draft: str,
    assessor: str,
    documents: Iterable[DraftDocument],
    said: Iterable[StoredAssessment],
) -> None:
    """Refuse a document that is assigned to another; a grade more than the overlap is kept."""
    assigned = {(one.qid, one.docno): one.assigned for one in documents}
    for one in said:
        if one.kind == "person" and assigned.get((one.qid, one.docno)) not in (None, assessor):
            raise DataError(
                f"draft {draft!r}, query {quoted(one.qid)}: document {quoted(one.docno)} is "
                f"assigned to another assessor than {assessor!r}"
            )


def _checked(item: Assessment, assessor: str, now: datetime) -> StoredAssessment:
    qid = valid_id(item.qid, "query id", "assessment: ")
    docno = valid_id(item.docno, "docno", f"assessment, query {quoted(qid)}: ")
    where = f"assessment, query {quoted(qid)}, document {quoted(docno)}"
    if item.state not in get_args(State) or item.kind not in get_args(Kind):
        raise DataError(f"{where}: {item.state!r} by {item.kind!r} is nothing that can be said")
    if (item.grade is None) is (item.state == "graded"):
        raise DataError(f"{where}: a grade is given if the state is 'graded', and only then")
    grade = None if item.grade is None else float(item.grade)
    if grade is not None and (wrong := wrong_value(np.array([grade]), "qrels")) is not None:
        raise DataError(f"{where}: {wrong[1]}")
    if grade is not None and grade < 0:
        raise DataError(f"{where}: a negative grade is no judgment: leave the document out")
    for name, text in (("comment", item.comment), ("passage", item.passage)):
        if text is not None and len(check_text(name, text)) > LONGEST:
            raise DataError(f"{where}: the {name} is longer than {LONGEST:,} characters")
    key = item.key or secrets.token_hex(16)
    if len(check_text("key", key)) > LONGEST_KEY:
        raise DataError(f"{where}: the key is longer than {LONGEST_KEY} characters")
    return StoredAssessment(
        qid, docno, assessor, item.kind, item.state, grade,
        item.comment or None, item.passage or None, key, _said_at(item.at, now),
    )  # fmt: skip


def _said_at(at: datetime | None, now: datetime) -> datetime:
    """The time of a statement: what a browser sends late was said earlier."""
    if at is None:
        return now
    at = at.replace(tzinfo=UTC) if at.tzinfo is None else at
    return at.astimezone(UTC) if now - LONGEST_KEPT <= at <= now else now
