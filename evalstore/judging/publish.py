"""New versions of qrels: a draft that is published, or one judgment that is corrected.

Where several assessors judged a document, a rule makes one grade of theirs:

- `majority`: the grade that most gave; of several, the lowest.
- `mean`: the mean of the grades.
- `minimum`: the lowest grade.
- `adjudicated`: the last grade of an adjudicator, or else the grade on which all agree.

By the first three rules an adjudicator is one assessor among others. The last grade of each
assessor counts. What models say in a draft never does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from statistics import fmean
from typing import Any

from sqlalchemy import Connection

from evalstore.catalog.chosen_qrels import choose_qrels, find_collection_id
from evalstore.catalog.names import check_name, check_text
from evalstore.catalog.qrels import facts_of, find_qrels
from evalstore.comparison.qrels.changes import QrelsChanges, qrels_changes
from evalstore.errors import Conflict, DataError, NotFound, did_you_mean
from evalstore.formats import Qrels
from evalstore.formats.lists import qrels_hash
from evalstore.formats.reading.source import quoted
from evalstore.ingest.reevaluate import Choice, Reevaluated, reevaluate
from evalstore.judging.drafts import (
    LONGEST,
    check_rule,
    deciding,
    find_draft,
    is_judged_by_enough,
    named_people,
)
from evalstore.measures import Measure, named_measures
from evalstore.store import Store
from evalstore.store.database import lock_collection
from evalstore.store.models import draft_t
from evalstore.store.queries import drafts as stored
from evalstore.store.queries import events
from evalstore.store.queries.drafts import (
    UNDRAWN,
    Rule,
    StoredAssessment,
    StoredDraft,
    by_document,
    newest,
)
from evalstore.store.queries.qrels import (
    Origin,
    QrelsSummary,
    StoredQrels,
    add_origins,
    add_qrels,
    list_qrels,
    load_origins,
    load_qrels,
    set_default_qrels,
)
from evalstore.store.queries.queries import list_qids
from evalstore.store.rows import change_row

Key = tuple[str, str]
"""A query id and a docno."""

MEASURES = ("AP", "nDCG@10")
"""The measures whose changes are computed unless others are named."""


@dataclass(frozen=True)
class Published:
    """A new version of a qrels, and what it changes.

    Attributes:
        judged: how many documents got a grade from people.
        overlap: how many assessors were to judge each.
        judged_by_fewer: how many of the judged ones have fewer grades, and none of an adjudicator.
        undecided: how many did not, because assessors disagree and nobody adjudicated. They keep
            the judgment of the parent, if it has one.
        unjudged: how many others of the draft have no grade.
        runs: what became of the stored runs; None if there is no qrels to compare with.
        changes: from the parent, or else from the default qrels; None without evaluated runs.
    """

    qrels: QrelsSummary
    judged: int
    overlap: int
    judged_by_fewer: int
    undecided: int
    unjudged: int
    runs: Reevaluated | None
    changes: QrelsChanges | None

    def to_dict(self) -> dict[str, Any]:
        """The version for JSON: its facts, the numbers, the runs, and what changes."""
        return {
            **facts_of(self.qrels),
            "judged": self.judged,
            "overlap": self.overlap,
            "judged_by_fewer": self.judged_by_fewer,
            "undecided": self.undecided,
            "unjudged": self.unjudged,
            "runs": [] if self.runs is None else [vars(run) for run in self.runs.runs],
            "changes": None if self.changes is None else self.changes.to_dict(),
        }


@dataclass(frozen=True)
class _Version:
    """A version to store: all of its judgments, and the origins of those that it does not share."""

    parent: StoredQrels | None
    rule: Rule | None
    grades: Mapping[str, Mapping[str, float]]
    origin: dict[str, Any]
    origins: Mapping[Key, Origin]


def publish(
    store: Store,
    collection: str,
    draft: str,
    name: str | None = None,
    *,
    reason: str,
    rule: Rule | None = None,
    default: bool = False,
    measures: Mapping[str, Measure] | None = None,
) -> Published:
    """Make a qrels of a draft, and evaluate the stored runs under it; the draft stays open.

    Without a `name` it is that of the parent with the next number (`NAME-2`), or that of the draft.
    `reason` is for those who see its figures; `rule` is that of the draft unless another is given.
    With `default`, figures are shown under it from now on. `measures` are those whose changes are
    computed, `MEASURES` if None.

    Raises:
        DataError: nothing is judged, or the judgments are those of a stored qrels.
        Conflict: there is a qrels of this name.
        NotFound: there is no such collection or draft.
    """
    if rule is not None:
        check_rule(rule)
    counts: dict[str, int] = {}

    def work(connection: Connection) -> str:
        found = find_draft(connection, collection, draft)
        collection_id = find_collection_id(connection, collection)
        version, numbers = _folded(connection, collection, found, rule or found.rule)
        counts.update(numbers)
        if not version.grades:
            raise DataError(f"draft {draft!r} has no judgment that can be published")
        made = _stored(connection, collection, collection_id, version, name, draft, reason)
        change_row(connection, draft_t, found.id, published_id=made.id)
        if default:
            set_default_qrels(connection, collection_id, made.id)
        return made.name

    made = store.transact(work)
    return _evaluated(store, collection, made, measures, **counts)


def edit_judgment(
    store: Store,
    collection: str,
    qrels: str,
    qid: str,
    docno: str,
    grade: float | None,
    *,
    reason: str,
    name: str | None = None,
    default: bool = False,
) -> Published:
    """Make a version of a qrels with one judgment changed, and evaluate the stored runs under it.

    A `grade` of None leaves the document unjudged. The other arguments are those of `publish`.

    Raises:
        DataError: the judgment is that already, or is the only one.
        Conflict: there is a qrels of this name.
        NotFound: there is no such collection, qrels or query.
    """

    def work(connection: Connection) -> str:
        collection_id, parent = choose_qrels(connection, collection, qrels)
        qids = list_qids(connection, collection_id)
        if qid not in qids:
            hint = did_you_mean(qid, qids)
            raise NotFound(f"there is no query {qid!r} in collection {collection!r}{hint}")
        grades = load_qrels(connection, parent).to_dict()
        of_query = grades.setdefault(qid, {})
        if of_query.get(docno) == grade:
            state = "not judged" if grade is None else f"graded {grade:g} already"
            raise DataError(f"qrels {qrels!r}, query {quoted(qid)}: {quoted(docno)} is {state}")
        origins = dict(load_origins(connection, parent.id))
        if grade is None:
            del of_query[docno]
            origins.pop((qid, docno), None)
        else:
            now = datetime.now(UTC)
            before = origins.get((qid, docno)) if of_query.get(docno, -1) >= 0 else None
            of_query[docno] = grade
            origin = Origin("person", events.who(), judged_at=now)
            if before is not None:  # it was drawn, and is still
                origin = origin._replace(stratum=before.stratum, probability=before.probability)
            origins[qid, docno] = origin
        if not any(grades.values()):
            raise DataError(f"qrels {qrels!r} has no other judgment: a version would be empty")
        version = _Version(parent, None, grades, _origin(connection, collection, parent), origins)
        made = _stored(connection, collection, collection_id, version, name, qrels, reason)
        if default:
            set_default_qrels(connection, collection_id, made.id)
        return made.name

    made = store.transact(work)
    judged = int(grade is not None)
    return _evaluated(store, collection, made, None, judged=judged, unjudged=1 - judged)


# From what assessors said to grades


def grade_by(rule: Rule, assessments: Sequence[StoredAssessment]) -> float | None:
    """The grade of a document by a rule; None without grades, or if nobody settles a disagreement.

    `assessments` are those of one document that count, the oldest first.
    """
    graded = [one for one in assessments if one.grade is not None and one.kind != "model"]
    grades = [one.grade for one in graded if one.grade is not None]
    if not grades:
        return None
    if rule == "majority":
        counts = Counter(grades)
        most = max(counts.values())
        return min(grade for grade, count in counts.items() if count == most)
    if rule == "mean":
        return fmean(grades)
    if rule == "minimum":
        return min(grades)
    decided = {one.grade for one in deciding(rule, graded)}
    return decided.pop() if len(decided) == 1 else None


def _folded(
    connection: Connection, collection: str, draft: StoredDraft, rule: Rule
) -> tuple[_Version, dict[str, int]]:
    """The version that a draft makes by a rule, and its numbers for `Published`."""
    parent = None
    grades: dict[str, dict[str, float]] = {}
    origins: dict[Key, Origin] = {}
    origin: dict[str, Any] = {"kind": "person"}
    if draft.parent is not None:
        parent = choose_qrels(connection, collection, draft.parent)[1]
        grades = load_qrels(connection, parent).to_dict()
        origins = dict(load_origins(connection, parent.id))
        origin = _origin(connection, collection, parent)
    said = by_document(newest(stored.load_assessments(connection, draft.id)))
    counts = dict.fromkeys(("judged", "judged_by_fewer", "undecided", "unjudged"), 0)
    counts["overlap"] = draft.overlap
    documents = stored.load_documents(connection, draft.id, undrawn=True)
    is_sample = any(document.place == UNDRAWN for document in documents)
    pooled: dict[Key, Origin] = {}
    for document in documents:
        key = document.qid, document.docno
        graded = [one for one in said.get(key, ()) if one.grade is not None]
        grade = grade_by(rule, graded)
        is_drawn = document.place != UNDRAWN
        stratum, chance = document.stratum, document.probability
        if grade is None:
            if is_drawn:
                counts["undecided" if graded else "unjudged"] += 1
            if is_sample and stratum and grades.get(key[0], {}).get(key[1], -1) < 0:
                pooled[key] = Origin("pool", draft.name, draft.pool, stratum, chance)
            continue
        counts["judged"] += 1
        counts["judged_by_fewer"] += not is_judged_by_enough(graded, draft.overlap)
        decided = deciding(rule, graded)
        grades.setdefault(document.qid, {})[document.docno] = grade
        origins[key] = Origin(
            "person",
            named_people(decided),
            draft.pool,
            stratum if is_drawn else None,  # the sample knows nothing of it
            chance,
            max(one.judged_at for one in decided),
        )
    for (qid, docno), of_pool in pooled.items() if counts["judged"] else ():
        grades.setdefault(qid, {})[docno] = -1.0
        origins[qid, docno] = of_pool
    return _Version(parent, rule, grades, origin, origins), counts


def _origin(connection: Connection, collection: str, parent: StoredQrels) -> dict[str, Any]:
    """The origin of the judgments that a version takes from its parent: that of the parent."""
    return find_qrels(connection, parent.name, collection).origin or {
        "kind": "file",
        "name": parent.name,
    }


# The version that is stored, and the runs under it


def _stored(
    connection: Connection,
    collection: str,
    collection_id: int,
    version: _Version,
    name: str | None,
    made_of: str,
    reason: str,
) -> StoredQrels:
    """Store a version under a name, or one made of that of the parent or draft."""
    if not reason.strip():
        raise DataError("say why, for those who will see figures under the new judgments")
    if len(check_text("reason", reason)) > LONGEST:
        raise DataError(f"the reason is longer than {LONGEST:,} characters")
    lock_collection(connection, collection)
    taken = list_qrels(connection, collection_id, removed=None)
    names = [qrels.name for qrels in taken]
    if name is None:
        name = made_of if version.parent is None else version.parent.name
        name = next_name(name, names)
    elif check_name("qrels", name) in names:
        raise Conflict(f"collection {collection!r} has a qrels named {name!r} already")
    qrels = replace(Qrels.from_dict(version.grades, name=name), origin=version.origin)
    content_hash = qrels_hash(qrels)
    same = next((one.name for one in taken if one.content_hash == content_hash), None)
    if same is not None:
        raise DataError(f"nothing is new: these are the judgments of qrels {same!r}")
    now = datetime.now(UTC)
    qrels_id = add_qrels(
        *(connection, collection_id, name, qrels, now),
        parent_id=None if version.parent is None else version.parent.id,
        who=events.who(),
        reason=reason.strip(),
        rule=version.rule,
    )
    add_origins(connection, collection_id, qrels_id, version.origins)
    events.log(
        connection, "publish", collection, name, now, kind="qrels", judgments=len(qrels.grades),
        parent=None if version.parent is None else version.parent.name,
    )  # fmt: skip
    return StoredQrels(qrels_id, name, content_hash)


def next_name(name: str, taken: Collection[str]) -> str:
    """The name if it is free, or else with the next free number: `NAME-2`, also for `NAME-2`."""
    if name not in taken:
        return name
    numbered = re.fullmatch(r"(.+)-[0-9]+", name)
    base = numbered[1] if numbered and numbered[1] in taken else name
    number = 2
    while f"{base}-{number}" in taken:
        number += 1
    return f"{base}-{number}"


def _evaluated(
    store: Store,
    collection: str,
    name: str,
    measures: Mapping[str, Measure] | None,
    *,
    judged: int,
    unjudged: int,
    undecided: int = 0,
    overlap: int = 1,
    judged_by_fewer: int = 0,
) -> Published:
    """Evaluate the runs of a collection under a new version."""
    with store.read() as connection:
        qrels = find_qrels(connection, name, collection)
        others = list_qrels(connection, find_collection_id(connection, collection))
    runs, changes = None, None
    if len(others) > 1:
        before = qrels.parent if qrels.parent in {one.name for one in others} else None
        runs = reevaluate(store, collection, name, Choice(before, allow_disjoint=True))
        if any(run.status in ("evaluated", "already evaluated") for run in runs.runs):
            named = measures or named_measures(MEASURES)
            changes = qrels_changes(store, collection, named, runs.before, runs.after)
    return Published(qrels, judged, overlap, judged_by_fewer, undecided, unjudged, runs, changes)
