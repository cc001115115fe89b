"""Versions of qrels: drafts that are published, and judgments that are corrected."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from databases import both_databases
from samples import QRELS, TFIDF, Filled, add, write_qrels, write_run
from sqlalchemy import text

from evalstore.catalog.qrels import list_qrels, purge_qrels, remove_qrels
from evalstore.errors import Conflict, DataError, NotFound
from evalstore.judging.drafts import (
    Assessment,
    PoolDocument,
    assess,
    graded_by_assessor,
    list_drafts,
    new_draft,
    remove_draft,
)
from evalstore.judging.publish import edit_judgment, publish
from evalstore.leaderboard.ranks import leaderboard_ranks
from evalstore.measures import named_measures
from evalstore.store import Store
from evalstore.store.queries import events
from evalstore.store.queries.qrels import (
    Origin,
    QrelsSummary,
    StoredQrels,
    load_origins,
    load_qrels,
)
from evalstore.transfer.copy import copy

POOL = [
    PoolDocument("q1", "d9", "top", 0.5),
    PoolDocument("q2", "d9"),
    PoolDocument("q1", "d2"),
    PoolDocument("q3", "d8"),
]


def fill(store: Store, folder: Path) -> None:
    add(store, folder, write_run(folder), write_run(folder, TFIDF, "tfidf.run", "tfidf"))


@pytest.fixture
def filled(copied: Filled) -> Store:
    return copied(fill)


def judged(store: Store) -> None:
    """A draft of 4 documents: q1 d9 and d2 are graded by two, q2 d9 by one, q3 d8 by nobody."""
    new_draft(store, "test", "d", parent="test", documents=POOL, overlap=2, pool="depth 3")
    ann = [Assessment("q1", "d9", 1), Assessment("q2", "d9", 0), Assessment("q1", "d2", 2)]
    assess(store, "test", "d", "ann", [*ann, Assessment("q3", "d8", state="cannot_tell")])
    assess(store, "test", "d", "bob", [Assessment("q1", "d9", 1), Assessment("q1", "d2", 0)])


def summary(store: Store, name: str) -> QrelsSummary:
    [found] = [qrels for qrels in list_qrels(store, "test") if qrels.name == name]
    return found


def grades(store: Store, name: str) -> dict[str, dict[str, float]]:
    found = summary(store, name)
    with store.read() as connection:
        return load_qrels(connection, StoredQrels(found.id, name, found.content_hash)).to_dict()


def origins(store: Store, name: str) -> dict[tuple[str, str], Origin]:
    with store.read() as connection:
        found = load_origins(connection, summary(store, name).id)
    return {key: origin._replace(judged_at=None) for key, origin in found.items()}


def test_a_draft_becomes_a_version_of_its_parent(filled: Store) -> None:
    judged(filled)
    with events.acting("eve"):
        done = publish(filled, "test", "d", reason=" holes of tfidf ")
    assert grades(filled, "test-2") == {
        "q1": {"d1": 2, "d2": 0, "d3": 0, "d9": 1},  # d2: 2 and 0 is a tie
        "q2": {"d4": 1, "d5": 1, "d9": 0},
        "q3": {"d6": 3},
    }
    made = summary(filled, "test-2")
    assert done.qrels == made
    assert (made.parent, made.who, made.reason) == ("test", "eve", "holes of tfidf")
    assert (made.rule, made.is_default) == ("majority", False)
    assert (done.judged, done.undecided, done.unjudged) == (3, 0, 1)
    assert grades(filled, "test") == QRELS
    [draft] = list_drafts(filled, "test")
    assert (draft.parent, draft.published) == ("test", "test-2")


def test_each_judgment_keeps_its_origin(filled: Store) -> None:
    judged(filled)
    publish(filled, "test", "d", "second", reason="first draft")
    new_draft(filled, "test", "e", parent="second", documents=[PoolDocument("q2", "d9")])
    assess(filled, "test", "e", "cid", [Assessment("q2", "d9", 1)])
    publish(filled, "test", "e", "third", reason="again", default=True)
    by_both = Origin("person", "ann, bob", "depth 3")
    assert origins(filled, "third") == {
        ("q1", "d2"): by_both,
        ("q1", "d9"): by_both._replace(stratum="top", probability=0.5),
        ("q2", "d9"): Origin("person", "cid"),
    }
    third = summary(filled, "third")
    assert third.origin == {"kind": "file", "name": "test"}
    assert (third.origins, third.is_default) == ({"file": 5, "person": 3}, True)
    assert summary(filled, "test").origins == {"file": 6}


def test_times_of_judgments_are_written_as_all_others(filled: Store) -> None:
    judged(filled)
    publish(filled, "test", "d", reason="why")
    with filled.read() as connection:
        times = connection.execute(text("SELECT judged_at FROM judgment_origin")).scalars().all()
        others = connection.execute(text("SELECT created_at FROM qrels")).scalars().all()
    form = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}")
    assert times
    assert [time for time in (*times, *others) if not form.fullmatch(time)] == []


def test_the_stored_runs_are_evaluated_and_what_changes_is_shown(filled: Store) -> None:
    judged(filled)
    done = publish(filled, "test", "d", reason="why", measures=named_measures("P@5"))
    assert done.runs is not None
    assert [run.status for run in done.runs.runs] == ["evaluated", "evaluated"]
    assert done.changes is not None
    assert (done.changes.before.name, done.changes.after.name) == ("test", "test-2")
    [measure] = done.changes.measures
    # bm25: q1 d1 d9 d2, q2 d5 d4, q3 d6; of d9 and d2 only the one is relevant now, before only d2.
    assert {run.run: (run.before, run.after) for run in measure.runs} == {
        "bm25": pytest.approx((1 / 3, 1 / 3)),
        "tfidf": pytest.approx((4 / 15, 4 / 15)),
    }
    ranked = leaderboard_ranks(filled, "test", named_measures("P@5"), "test-2")
    assert len(ranked.measures[0].runs) == 2


def test_a_version_keeps_the_grade_of_each_assessor_whatever_is_said_later(filled: Store) -> None:
    judged(filled)
    publish(filled, "test", "d", "first", reason="why", rule="minimum")
    assess(filled, "test", "d", "ann", [Assessment("q1", "d2", 1)])
    assess(filled, "test", "d", "cid", [Assessment("q1", "d9", 0)])
    publish(filled, "test", "d", "second", reason="why", rule="minimum")
    assess(filled, "test", "d", "bob", [Assessment("q1", "d9", state="undone")])

    def of(qrels: str) -> list[tuple[str, str, float]]:
        given = graded_by_assessor(filled, "test", qrels)
        return [(who, docno, grade) for qid, who, docno, grade in given
                if qid == "q1" and docno in ("d2", "d9")]  # fmt: skip

    first = [("ann", "d2", 2), ("ann", "d9", 1), ("bob", "d2", 0), ("bob", "d9", 1)]
    assert of("first") == first
    yesterday = datetime.now(UTC) - timedelta(days=1)
    late = Assessment("q1", "d2", 2, at=yesterday)
    assess(filled, "test", "d", "ann", [late])
    assert of("second") == [("ann", "d2", 1), *first[1:], ("cid", "d9", 0)]
    remove_draft(filled, "test", "d")
    assert of("first") == [("ann, bob", "d2", 0), ("ann, bob", "d9", 1)]


def test_an_adjudicated_judgment_is_the_adjudicators_alone(filled: Store) -> None:
    judged(filled)
    assess(filled, "test", "d", "cid", [Assessment("q1", "d2", 2, kind="adjudicator")])
    for rule, people in (("adjudicated", "cid"), ("mean", "ann, bob, cid")):
        made = publish(filled, "test", "d", rule, reason="why", rule=rule)
        assert made.qrels.name == rule
        of_document = origins(filled, rule)
        assert of_document["q1", "d2"].name == people
        assert of_document["q1", "d9"].name == "ann, bob"
        rows = graded_by_assessor(filled, "test", rule)
        assert [(who, grade) for _, who, docno, grade in rows if docno == "d2"] == [
            *(("ann", 2), ("bob", 0), ("cid", 2)),
        ]


@pytest.mark.parametrize(
    ("rule", "d2", "undecided"),
    [("majority", 0.0, 0), ("mean", 1.0, 0), ("minimum", 0.0, 0), ("adjudicated", 1.0, 1)],
)
def test_another_rule_can_be_given(filled: Store, rule: str, d2: float, undecided: int) -> None:
    """By `adjudicated`, d2 keeps the judgment of the parent, and is counted."""
    judged(filled)
    done = publish(filled, "test", "d", "new", reason="why", rule=rule)  # type: ignore[arg-type]
    assert (grades(filled, "new")["q1"]["d2"], done.undecided) == (d2, undecided)
    assert done.qrels.rule == rule


def test_a_draft_without_a_parent_holds_what_was_judged_alone(filled: Store) -> None:
    new_draft(filled, "test", "d", documents=POOL)
    assess(filled, "test", "d", "ann", [Assessment("q1", "d9", 1)])
    done = publish(filled, "test", "d", reason="why")
    assert grades(filled, "d") == {"q1": {"d9": 1}}
    assert (done.qrels.origin, done.qrels.origins) == ({"kind": "person"}, {"person": 1})
    assert done.changes is not None
    assert done.changes.before.name == "test"


def test_nothing_is_stored_of_what_can_not_be_published(filled: Store) -> None:
    new_draft(filled, "test", "d", parent="test", documents=[PoolDocument("q1", "d1")])
    new_draft(filled, "test", "e", documents=[PoolDocument("q1", "d1")])
    for message, kind, given in (
        ("nothing is new: these are the judgments of qrels 'test'", DataError, {}),
        ("say why", DataError, {"reason": " "}),
        ("has a qrels named 'test' already", Conflict, {"name": "test"}),
        ("no rule 'mode'", DataError, {"rule": "mode"}),
        ("has no draft 'f'", NotFound, {"draft": "f"}),
        ("draft 'e' has no judgment", DataError, {"draft": "e"}),
    ):
        asked = {"draft": "d", "reason": "why", **given}
        with pytest.raises(kind, match=message):
            publish(filled, "test", **asked)
    assert [qrels.name for qrels in list_qrels(filled)] == ["test"]


def test_one_judgment_is_corrected_with_a_reason(filled: Store) -> None:
    with events.acting("ann"):
        done = edit_judgment(filled, "test", "test", "q1", "d1", 1, reason="a typing error")
        edit_judgment(filled, "test", "test-2", "q2", "d9", 1, reason="a hole", default=True)
    assert grades(filled, "test-3") == {
        "q1": {"d1": 1, "d2": 1, "d3": 0},
        "q2": {"d4": 1, "d5": 1, "d9": 1},
        "q3": {"d6": 3},
    }
    assert done.changes is not None
    counts = done.changes.judgments
    assert (counts.added, counts.removed, counts.changed) == (0, 0, 1)
    third = summary(filled, "test-3")
    assert (third.parent, third.who, third.reason) == ("test-2", "ann", "a hole")
    assert (third.rule, third.is_default) == (None, True)
    by_ann = Origin("person", "ann")
    assert origins(filled, "test-3") == {("q1", "d1"): by_ann, ("q2", "d9"): by_ann}


def test_a_judgment_is_taken_back(filled: Store) -> None:
    edit_judgment(filled, "test", "test", "q1", "d1", 1, reason="why")
    edit_judgment(filled, "test", "test-2", "q1", "d1", None, reason="a spam page", name="less")
    assert grades(filled, "less")["q1"] == {"d2": 1, "d3": 0}
    assert origins(filled, "less") == {}


@pytest.mark.parametrize(
    ("qid", "docno", "grade", "message"),
    [
        ("q1", "d1", 2, "query 'q1': 'd1' is graded 2 already"),
        ("q1", "d9", None, "query 'q1': 'd9' is not judged"),
        ("q0", "d1", 1, "there is no query 'q0'"),
        ("q1", "", 1, "docno"),
        ("q1", "d1", float("inf"), "is not a finite number"),
    ],
)
def test_an_edit_that_changes_nothing_or_is_not_allowed_is_refused(
    filled: Store, qid: str, docno: str, grade: float | None, message: str
) -> None:
    with pytest.raises((DataError, NotFound), match=message):
        edit_judgment(filled, "test", "test", qid, docno, grade, reason="why")


def test_an_edit_that_is_turned_back_is_what_was_there_before(filled: Store) -> None:
    edit_judgment(filled, "test", "test", "q1", "d1", 1, reason="why")
    with pytest.raises(DataError, match="these are the judgments of qrels 'test'"):
        edit_judgment(filled, "test", "test-2", "q1", "d1", 2, reason="no")


@both_databases
def test_a_version_outlives_its_parent(filled: Store) -> None:
    judged(filled)
    publish(filled, "test", "d", reason="why", default=True)
    remove_qrels(filled, ["test"])
    purge_qrels(filled, ["test"])
    made = summary(filled, "test-2")
    assert (made.parent, made.origins) == (None, {"file": 5, "person": 3})
    [draft] = list_drafts(filled, "test")
    assert (draft.parent, draft.published) == (None, "test-2")


def test_parents_and_drafts_are_copied_with_their_versions(filled: Store, tmp_path: Path) -> None:
    judged(filled)
    publish(filled, "test", "d", reason="why", default=True)
    with Store.open(str(tmp_path / "other.db")) as other:
        copy(filled, other)
        copied, made = summary(other, "test-2"), summary(filled, "test-2")
        assert replace(copied, id=made.id) == made
        assert list_drafts(other, "test") == list_drafts(filled, "test")
        assess(filled, "test", "d", "cid", [Assessment("q2", "d9", 1)])
        before = list_drafts(other, "test")
        copy(filled, other)
        assert list_drafts(other, "test") == list_drafts(filled, "test") != before


def test_a_file_of_the_same_judgments_is_the_version(filled: Store, tmp_path: Path) -> None:
    edit_judgment(filled, "test", "test", "q1", "d1", 1, reason="why")
    path = write_qrels(tmp_path, grades(filled, "test-2"), "exported.qrels")  # type: ignore[arg-type]
    add(filled, tmp_path, write_run(tmp_path), qrels=path)
    assert [qrels.name for qrels in list_qrels(filled)] == ["test", "test-2"]
