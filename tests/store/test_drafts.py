"""Drafts of qrels: who judges what next, and what is said of documents is stored once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from databases import both_databases
from samples import Filled, add, write_qrels, write_run

from evalstore.catalog.qrels import purge_qrels, remove_qrels
from evalstore.errors import Conflict, DataError, NotFound
from evalstore.formats import read_qrels
from evalstore.judging.assessors import assessors, judged_by, own_grades
from evalstore.judging.drafts import (
    Assessment,
    Draft,
    PoolDocument,
    add_documents,
    assess,
    assessments_of,
    list_drafts,
    new_draft,
    next_documents,
    remove_draft,
)
from evalstore.store import Store
from evalstore.store.queries import events

POOL = [PoolDocument(qid, f"x{number}") for qid in ("q2", "q10", "q1") for number in range(8)]


def fill(store: Store, folder: Path) -> None:
    add(store, folder, write_run(folder))


@pytest.fixture
def filled(copied: Filled) -> Store:
    return copied(fill)


def to_judge(store: Store, assessor: str, draft: str = "d") -> list[tuple[str, str]]:
    return [(one.qid, one.docno) for one in next_documents(store, "test", draft, assessor, 99)]


def one(store: Store) -> Draft:
    [draft] = list_drafts(store, "test")
    return draft


def test_the_documents_of_each_query_are_shuffled_by_the_seed(filled: Store) -> None:
    made = new_draft(filled, "test", "d", documents=POOL, seed=1, pool="by hand")
    new_draft(filled, "test", "again", documents=POOL[::-1], seed=1)
    new_draft(filled, "test", "other", documents=POOL, seed=2)
    order = to_judge(filled, "ann")
    assert [qid for qid, _ in order] == ["q1"] * 8 + ["q2"] * 8 + ["q10"] * 8
    assert sorted(order) == sorted((document.qid, document.docno) for document in POOL)
    assert order == to_judge(filled, "ann", "again") != to_judge(filled, "ann", "other")
    assert sorted(to_judge(filled, "ann", "other")) == sorted(order)
    assert (made.documents, made.pool, made.who) == (24, "by hand", events.who())


def test_a_document_is_for_the_assessor_it_is_assigned_to_or_for_as_many_as_overlap(
    filled: Store,
) -> None:
    pool = [PoolDocument("q1", "a", assigned="bob"), PoolDocument("q1", "b")]
    new_draft(filled, "test", "d", documents=pool, overlap=2)
    for assessor in ("ann", "bob"):
        assert ("q1", "b") in to_judge(filled, assessor)
        assess(filled, "test", "d", assessor, [Assessment("q1", "b", 1)])
        assert ("q1", "b") not in to_judge(filled, assessor)
    assert to_judge(filled, "cid") == to_judge(filled, "ann") == []
    assert to_judge(filled, "bob") == [("q1", "a")]


def test_what_is_left_for_later_comes_last_and_what_is_undone_comes_again(filled: Store) -> None:
    new_draft(filled, "test", "d", documents=POOL)
    first, second, third, *others = to_judge(filled, "ann")
    assess(
        filled,
        "test",
        "d",
        "ann",
        [
            Assessment(*first, state="later"),
            Assessment(*second, 1),
            Assessment(*second, state="undone"),
            Assessment(*third, state="cannot_tell", comment="no text"),
        ],
    )
    assert to_judge(filled, "ann") == [second, *others, first]
    assert next_documents(filled, "test", "d", "ann", 99)[-1].later
    draft = one(filled)
    assert (draft.graded, draft.cannot_tell, draft.later) == (0, 1, 1)


def test_assessors_at_the_same_time_begin_at_different_queries(filled: Store) -> None:
    new_draft(filled, "test", "d", documents=POOL)
    begun = []
    for assessor in ("ann", "bob"):
        first = to_judge(filled, assessor)[0]
        assess(filled, "test", "d", assessor, [Assessment(*first, 1)])
        assert to_judge(filled, assessor)[0][0] == first[0]
        begun.append(first[0])
    assert begun == ["q1", "q2"]


@both_databases
def test_of_a_file_that_is_added_again_what_is_new_is_stored_and_another_one_is_not_it(
    filled: Store, tmp_path: Path
) -> None:
    new_draft(filled, "test", "d")
    files = (
        *(("1.qrels", "ann", {"x1": 1, "x2": 0}), ("1.qrels", "ann", {"x2": 0, "x1": 1})),
        *(("1.qrels", "bob", {"x1": 1, "x2": 0}), ("1.qrels", "ann", {"x1": 1, "x2": 1})),
        *(("2.qrels", "ann", {"x1": 1, "x2": 0}), ("1.qrels", "ann", {"x1": 1, "x2": 1})),
    )
    stored = []
    for name, assessor, grades in files:
        judgments = read_qrels(write_qrels(tmp_path, {"q1": grades}, name))
        assess(filled, "test", "d", assessor, assessments_of(judgments, assessor), new=True)
        stored.append({one.assessor: one.repeats for one in assessors(filled, "test", "d")})
    # The second file repeats two grades; then the first one sets one of them back.
    assert stored == [{"ann": 0}, {"ann": 0}, {"ann": 0, "bob": 0}, {"ann": 1, "bob": 0},
                      {"ann": 3, "bob": 0}, {"ann": 4, "bob": 0}]  # fmt: skip
    assert own_grades(filled, "test", "d", "ann") == {("q1", "x1"): 1, ("q1", "x2"): 1}


def test_what_a_model_says_replaces_no_grade_of_a_person_and_is_no_progress(filled: Store) -> None:
    new_draft(filled, "test", "d", documents=POOL)
    said = [Assessment("q1", "x1", 1), Assessment("q1", "x1", 2, kind="model")]
    assess(filled, "test", "d", "ann", [*said, Assessment("q1", "x2", 2, kind="model")])
    assert one(filled).graded == 1
    assert own_grades(filled, "test", "d", "ann") == {("q1", "x1"): 1}
    open_documents = {(of.qid, of.docno) for of in next_documents(filled, "test", "d", "bob")}
    assert ("q1", "x2") in open_documents
    assert ("q1", "x1") not in open_documents


def test_a_model_has_figures_of_its_own_beside_people(filled: Store) -> None:
    new_draft(filled, "test", "d", documents=POOL)
    assess(filled, "test", "d", "ann", [Assessment("q1", "x1", 1)])
    assess(filled, "test", "d", "bot", [Assessment("q1", "x1", 1, kind="model")])
    found = [(of.assessor, of.graded, of.pairs) for of in assessors(filled, "test", "d")]
    assert found == [("ann", 1, 1), ("bot", 1, 1)]


def test_a_qrels_that_a_draft_continues_is_not_deleted(filled: Store) -> None:
    new_draft(filled, "test", "d", parent="test", documents=POOL)
    remove_qrels(filled, ["test"], "test")
    with pytest.raises(Conflict, match="draft 'd' continues qrels 'test': restore the qrels, or"):
        purge_qrels(filled, ["test"], "test")
    remove_draft(filled, "test", "d")
    assert [one.name for one in purge_qrels(filled, ["test"], "test")] == ["test"]


def test_a_file_can_not_add_a_query_that_the_collection_lacks(filled: Store) -> None:
    new_draft(filled, "test", "d")
    with pytest.raises(DataError, match="there is no query 'q77' in collection 'test'"):
        assess(filled, "test", "d", "ann", [Assessment("q77", "x1", 1)], new=True)


def test_what_is_sent_twice_with_one_key_is_stored_once(filled: Store) -> None:
    new_draft(filled, "test", "d", documents=POOL)
    said = [Assessment("q1", "x1", 1, key="a"), Assessment("q1", "x2", 0, key="b")]
    assert assess(filled, "test", "d", "ann", said[:1]) == ["a"]
    again = said[0]._replace(grade=2)
    assert assess(filled, "test", "d", "ann", [again, said[1]]) == ["a", "b"]
    assert one(filled).graded == 2
    assess(filled, "test", "d", "bob", [Assessment("q1", "x1", 1)])
    assert one(filled).disagreements == 0  # the second grade with the key "a" was not stored


@both_databases
def test_what_arrives_late_has_the_time_at_which_it_was_said(filled: Store) -> None:
    """A time that is to come, or long ago, is a wrong clock: then it is that of the arrival."""
    new_draft(filled, "test", "d", documents=POOL)
    begin = datetime.now(UTC)
    said, cest = begin - timedelta(hours=3), timezone(timedelta(hours=2))
    times = {
        **{"x1": said, "x2": said.astimezone(cest), "x3": said.replace(tzinfo=None), "x4": None},
        **{"x5": begin + timedelta(hours=1), "x6": datetime(1970, 1, 1, tzinfo=cest)},
    }
    items = [Assessment("q1", docno, 1, at=at) for docno, at in times.items()]
    assess(filled, "test", "d", "ann", items, new=True)
    end = datetime.now(UTC)
    judged = {each.docno: each.judged_at for each in judged_by(filled, "test", "d", "ann")}
    assert {docno for docno, at in judged.items() if at == said} == {"x1", "x2", "x3"}
    assert all(begin <= judged[docno] <= end for docno in ("x4", "x5", "x6"))


@both_databases
def test_the_grade_that_was_given_last_counts_and_not_the_one_that_arrives_last(
    filled: Store,
) -> None:
    new_draft(filled, "test", "d", documents=POOL)
    assess(filled, "test", "d", "ann", [Assessment("q1", "x1", 2)])
    earlier = datetime.now(UTC) - timedelta(hours=3)
    assess(filled, "test", "d", "ann", [Assessment("q1", "x1", 0, at=earlier)])
    assert own_grades(filled, "test", "d", "ann") == {("q1", "x1"): 2.0}


def test_an_adjudicator_settles_a_disagreement(filled: Store) -> None:
    new_draft(filled, "test", "d", documents=POOL, overlap=2)
    for assessor, grade in (("ann", 1), ("bob", 2)):
        assess(filled, "test", "d", assessor, [Assessment("q1", "x1", grade)])
    assert (one(filled).graded, one(filled).disagreements) == (1, 1)
    assess(filled, "test", "d", "eve", [Assessment("q1", "x1", 0, kind="adjudicator")])
    assert (one(filled).graded, one(filled).disagreements) == (1, 0)


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (Assessment("q1", "x1", float("nan")), "is not a finite number"),
        (Assessment("q1", "x1"), "a grade is given if the state is 'graded'"),
        (Assessment("q1", "x1", 1, state="later"), "a grade is given if the state is 'graded'"),
        (Assessment("q1", "x1", -1), "a negative grade is no judgment"),
        (Assessment("q1", "x1", state="gone"), "is nothing that can be said"),  # type: ignore[arg-type]
        (Assessment("q1", "", 1), "docno"),
        (Assessment("q1", "x1", 1, comment="x" * 10_001), "longer than 10,000"),
        (Assessment("q1", "x1", 1, comment="\0"), "can't be stored"),
        (Assessment("q1", "x1", 1, key="x" * 101), "longer than 100"),
        (Assessment("q1", "other", 1), "has no document 'other' of query 'q1'"),
    ],
)
def test_nothing_is_stored_of_what_can_not_be_said(
    filled: Store, item: Assessment, message: str
) -> None:
    new_draft(filled, "test", "d", documents=POOL)
    with pytest.raises(DataError, match=message):
        assess(filled, "test", "d", "ann", [Assessment("q1", "x1", 1), item])
    assert one(filled).graded == 0


def test_documents_can_be_added_with_what_is_said_of_them(filled: Store) -> None:
    new_draft(filled, "test", "d")
    assess(filled, "test", "d", "ann", [Assessment("q1", "d9", 1)], new=True)
    assert (one(filled).documents, one(filled).graded) == (1, 1)


def test_an_assessor_is_held_to_what_the_draft_gives_them(filled: Store) -> None:
    pool = [PoolDocument("q1", "a", assigned="bob"), PoolDocument("q1", "b")]
    new_draft(filled, "test", "d", documents=pool)
    with pytest.raises(DataError, match="document 'a' is assigned to another assessor than 'ann'"):
        assess(filled, "test", "d", "ann", [Assessment("q1", "a", 0)], given=True)
    settled = [Assessment("q1", "a", 0, kind="adjudicator")]
    for assessor, said in (("bob", [Assessment("q1", "a", 1)]), ("ann", settled)):
        assess(filled, "test", "d", assessor, said, given=True)
    for assessor, grade in (("ann", 1), ("bob", 2)):  # both had it on the screen: none is lost
        assess(filled, "test", "d", assessor, [Assessment("q1", "b", grade)], given=True)
    assert one(filled).disagreements == 1


@both_databases
def test_documents_are_added_after_those_that_a_draft_has(filled: Store) -> None:
    new_draft(filled, "test", "whole", documents=POOL, seed=1)
    parts = [[one for one in POOL if one.qid == qid] for qid in ("q1", "q2", "q10")]
    new_draft(filled, "test", "d", documents=parts[0], seed=1)
    for part in (parts[1], [parts[1][0]._replace(assigned="bob"), *parts[2]]):
        made = add_documents(filled, "test", "d", part)
    assert made.documents == len(POOL)
    assert to_judge(filled, "ann") == to_judge(filled, "ann", "whole")
    with filled.read() as connection:
        logged = events.events(connection)[-2:]
    assert [(one.action, one.subject, one.details) for one in logged] == [
        ("edit", "d", {"kind": "draft", "documents": 8})
    ] * 2


def test_a_draft_is_refused_or_removed(filled: Store) -> None:
    new_draft(filled, "test", "d", documents=POOL)
    with pytest.raises(Conflict, match="has a draft named 'd' already"):
        new_draft(filled, "test", "d")
    with pytest.raises(DataError, match="no rule 'mode'"):
        new_draft(filled, "test", "e", rule="mode")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="the overlap is 0"):
        new_draft(filled, "test", "e", overlap=0)
    with pytest.raises(DataError, match="the probability is 0"):
        new_draft(filled, "test", "e", documents=[PoolDocument("q1", "d1", probability=0.0)])
    with pytest.raises(NotFound, match="has no qrels 'tset'; did you mean 'test'"):
        new_draft(filled, "test", "e", parent="tset")
    with pytest.raises(NotFound, match="has no draft 'D'; did you mean 'd'"):
        remove_draft(filled, "test", "D")
    remove_draft(filled, "test", "d")
    assert list_drafts(filled, "test") == []
