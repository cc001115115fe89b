"""Judgments of stratified samples in a store: ingested, or judged in a draft, and out again."""

from __future__ import annotations

from pathlib import Path

import pytest
from databases import both_databases
from leaderboard_frames import leaderboard
from samples import Filled, add, write_qrels, write_run

from evalstore.catalog.qrels import list_qrels, origin_note, set_default
from evalstore.comparison.cached import kept_qrels
from evalstore.errors import DataError
from evalstore.evaluation.measure import measure
from evalstore.formats import Qrels, read_qrels, read_run
from evalstore.ingest.store_qrels import store_qrels
from evalstore.judging.drafts import (
    Assessment,
    PoolDocument,
    add_documents,
    assess,
    graded_by_assessor,
    list_drafts,
    new_draft,
    next_documents,
)
from evalstore.judging.publish import edit_judgment, publish
from evalstore.measures import aggregate, evaluate, parse
from evalstore.measures.join import match
from evalstore.store import Store
from evalstore.store.queries.qrels import (
    JudgmentChanges,
    StoredQrels,
    count_judgment_changes,
    load_qrels,
)
from evalstore.transfer.copy import copy
from evalstore.transfer.db_check import db_check

MEASURES = [parse("xinfAP"), parse("infNDCG")]

SAMPLE = "q1 0 d1 top 2\nq1 0 d2 rest -1\nq1 0 d9 rest 1\nq3 0 d6 top 1\nq3 0 d8 rest -1\n"


def fill(store: Store, folder: Path) -> None:
    add(store, folder, write_run(folder), qrels=write_qrels(folder, {"q1": {"d7": 1}}))


@pytest.fixture
def filled(copied: Filled) -> Store:
    return copied(fill)


def loaded(store: Store, name: str) -> Qrels:
    [found] = [qrels for qrels in list_qrels(store, "test") if qrels.name == name]
    with store.read() as connection:
        return load_qrels(connection, StoredQrels(found.id, name, found.content_hash))


def lines(qrels: Qrels, tmp_path: Path) -> str:
    qrels.write(tmp_path / "out.qrels")
    return (tmp_path / "out.qrels").read_text()


def ingested(store: Store, tmp_path: Path, text: str = SAMPLE) -> str:
    (tmp_path / "sample.qrels").write_text(text)
    return store_qrels(store, "test", qrels_path=str(tmp_path / "sample.qrels")).qrels_name


def test_strata_of_a_file_are_stored_and_written_again(filled: Store, tmp_path: Path) -> None:
    name = ingested(filled, tmp_path)
    assert lines(loaded(filled, name), tmp_path) == SAMPLE
    assert loaded(filled, "test").strata is None


def test_strata_are_added_to_the_same_judgments(filled: Store, tmp_path: Path) -> None:
    plain = "".join(f"{q} 0 {d} {g}\n" for q, _, d, _, g in map(str.split, SAMPLE.splitlines()))
    name = ingested(filled, tmp_path, plain)
    assert loaded(filled, name).strata is None
    [stored] = [qrels for qrels in list_qrels(filled, "test") if qrels.name == name]
    kept = StoredQrels(stored.id, name, stored.content_hash)
    assert kept_qrels(filled, kept).strata is None
    for _ in range(2):
        assert ingested(filled, tmp_path) == name
        assert lines(kept_qrels(filled, kept), tmp_path) == SAMPLE
    assert ingested(filled, tmp_path, plain) == name
    assert lines(loaded(filled, name), tmp_path) == SAMPLE


POOL = [
    PoolDocument("q1", "d1", "top", 1.0),
    PoolDocument("q1", "d2", "the rest", 0.5),
    PoolDocument("q1", "d9", "the rest", 0.0),
    PoolDocument("q3", "d6", "top", 1.0),
    PoolDocument("q3", "d8", "the rest", 0.0),
]


def judged(store: Store, pool: list[PoolDocument] = POOL) -> str:
    new_draft(store, "test", "d", parent="test", documents=pool)
    assess(store, "test", "d", "ann", [Assessment("q1", "d1", 2), Assessment("q1", "d2", 1)])
    return publish(store, "test", "d", "sampled", reason="a sample").qrels.name


def test_what_was_not_drawn_or_not_judged_is_in_the_pool_of_the_version(
    filled: Store, tmp_path: Path
) -> None:
    """A judgment beside the sample is a stratum of its own, `-`."""
    assert lines(loaded(filled, judged(filled)), tmp_path) == (
        "q1 0 d1 top 2\nq1 0 d2 the_rest 1\nq1 0 d7 - 1\nq1 0 d9 the_rest -1\n"
        "q3 0 d6 top -1\nq3 0 d8 the_rest -1\n"
    )


@both_databases
def test_what_nobody_judged_of_a_pool_is_no_judgment_of_people(filled: Store) -> None:
    name = judged(filled)
    [qrels] = [qrels for qrels in list_qrels(filled, "test") if qrels.name == name]
    assert qrels.origins == {"file": 1, "person": 2, "pool": 3}
    assert origin_note(qrels) == (
        "the judgments of qrels 'sampled' have different origins: 1 from a file, 2 by people; "
        "3 documents of the pool have no judgment"
    )
    rows = graded_by_assessor(filled, "test", name)
    assert {(assessor, docno) for _, assessor, docno, _ in rows} == {
        *(("ann", "d1"), ("ann", "d2"), ("test", "d7")),
    }
    with filled.read() as connection:
        [before] = [of.id for of in list_qrels(filled, "test") if of.name == "test"]
        changes = count_judgment_changes(connection, before, qrels.id)
    assert changes == JudgmentChanges(added=2, removed=0, changed=0)


def test_what_was_not_drawn_is_not_to_be_judged(filled: Store) -> None:
    new_draft(filled, "test", "d", documents=POOL)
    asked = next_documents(filled, "test", "d", "ann")
    assert {one.docno for one in asked} == {"d1", "d2", "d6"}
    [draft] = list_drafts(filled, "test")
    assert draft.documents == 3
    with pytest.raises(DataError, match="no judgment that can be published"):
        publish(filled, "test", "d", reason="nothing is judged")


def test_a_sample_that_is_sent_in_parts_is_added_once(filled: Store) -> None:
    new_draft(filled, "test", "d", documents=POOL[:3])
    for _ in range(2):
        assert add_documents(filled, "test", "d", POOL).documents == 3


def test_a_document_that_was_judged_but_not_drawn_leaves_its_stratum(
    filled: Store, tmp_path: Path
) -> None:
    new_draft(filled, "test", "d", documents=POOL)
    said = [Assessment("q1", "d2", 1), Assessment("q1", "d9", 2)]
    assess(filled, "test", "d", "ann", said, new=True)
    publish(filled, "test", "d", "sampled", reason="one more")
    assert lines(loaded(filled, "sampled"), tmp_path) == (
        "q1 0 d1 top -1\nq1 0 d2 the_rest 1\nq1 0 d9 - 2\nq3 0 d6 top -1\nq3 0 d8 the_rest -1\n"
    )


def test_without_the_documents_that_were_not_drawn_there_are_no_strata(filled: Store) -> None:
    """The strata would look as if they were judged completely."""
    drawn = [one for one in POOL if one.probability]
    qrels = loaded(filled, judged(filled, drawn))
    assert qrels.strata is None
    assert qrels.to_dict() == {"q1": {"d1": 2, "d2": 1, "d7": 1}}


def test_a_correction_keeps_the_stratum(filled: Store, tmp_path: Path) -> None:
    name = ingested(filled, tmp_path)
    for docno, grade, reason in (("d1", 1.0, "too high"), ("d2", 1.0, "not drawn")):
        name = edit_judgment(filled, "test", name, "q1", docno, grade, reason=reason).qrels.name
    assert lines(loaded(filled, name), tmp_path) == SAMPLE.replace("top 2", "top 1").replace(
        "d2 rest -1", "d2 - 1"
    )


@both_databases
def test_a_store_measures_as_its_file_does_and_so_does_a_copy(
    filled: Store, tmp_path: Path
) -> None:
    """Judgments without strata are left out."""
    name = judged(filled)
    lines(loaded(filled, name), tmp_path)
    of_file = match(read_run(write_run(tmp_path)), read_qrels(str(tmp_path / "out.qrels")))
    with Store.open(str(tmp_path / "other.db")) as other:
        copy(filled, other)
        assert next_documents(other, "test", "d", "ann") == next_documents(
            filled, "test", "d", "ann"
        )
        for each in (filled, other):
            set_default(each, name)
            measure(each, MEASURES)
            board = leaderboard(each, "test")
            for one in MEASURES:
                expected = aggregate(one, evaluate(of_file, [one])[one])
                assert board.values[str(one)].tolist() == [expected]
            assert db_check(each).problems == ()
