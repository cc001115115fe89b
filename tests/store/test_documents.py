"""The texts of documents: which are stored, how they are replaced, and where they are cut."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from databases import both_databases
from samples import BM25, QRELS, Filled, add, dump, write_run
from sqlalchemy import text

from evalstore.errors import DataError, NotFound
from evalstore.formats import Document
from evalstore.ingest.documents import store_texts
from evalstore.store import Store
from evalstore.store.queries.documents import CHUNK, delete_documents, load_documents
from evalstore.transfer.copy import copy
from evalstore.transfer.db_check import db_check

RETRIEVED = {docno for docnos in BM25.values() for docno in docnos}


def document(docno: str, words: str = "words") -> Document:
    return Document(docno, f"title of {docno}", words)


def many(count: int) -> Iterator[Document]:
    """More documents than are in memory at once."""
    return (document(f"d{number}") for number in range(count))


def stored(store: Store) -> dict[str, tuple[str | None, str | None]]:
    with store.read() as connection:
        return {docno: (title, words) for docno, title, words in load_documents(connection, 1)}


def fill(store: Store, folder: Path) -> None:
    add(store, folder, write_run(folder))


@pytest.fixture
def filled(copied: Filled) -> Store:
    return copied(fill)


@both_databases
def test_of_many_documents_those_judged_or_at_the_top_of_a_run_are_stored(filled: Store) -> None:
    done = store_texts(filled, "test", many(2 * CHUNK + 7))
    assert done.read == 2 * CHUNK + 7
    assert done.stored == len(stored(filled))
    assert stored(filled).keys() >= RETRIEVED & {f"d{number}" for number in range(CHUNK)}
    assert done.stored < 50
    assert dump(filled)["collection"][0][2] == 2 * CHUNK + 7


@both_databases
def test_all_documents_are_stored_where_all_are_asked_for(filled: Store) -> None:
    done = store_texts(filled, "test", many(2 * CHUNK + 7), every=True)
    assert (done.read, done.stored) == (2 * CHUNK + 7, 2 * CHUNK + 7)
    assert len(stored(filled)) == 2 * CHUNK + 7


@both_databases
def test_texts_given_again_replace_the_earlier_ones_and_no_others(filled: Store) -> None:
    store_texts(filled, "test", [document("d1", "old"), document("d2", "old")])
    done = store_texts(filled, "test", [document("d2", "new"), document("unwanted")])
    assert (done.read, done.stored) == (2, 1)
    assert {docno: words for docno, (_, words) in stored(filled).items()} == {
        "d1": "old",
        "d2": "new",
    }


@pytest.mark.parametrize("between", [0, CHUNK + 1])
@both_databases
def test_a_document_that_stands_twice_is_refused_and_nothing_is_stored(
    filled: Store, between: int
) -> None:
    store_texts(filled, "test", [document("d1", "old")])
    before = dump(filled)

    def twice() -> Iterator[Document]:
        yield document("d1", "new")
        yield from (document(f"other{number}") for number in range(between))
        yield document("d1", "newer")

    for every in (False, True):
        with pytest.raises(DataError, match="'d1' stands twice"):
            store_texts(filled, "test", twice(), every=every)
        assert dump(filled) == before
    store_texts(filled, "test", [document("d1", "newest")])
    assert stored(filled)["d1"][1] == "newest"


@both_databases
def test_a_long_text_is_cut_at_a_whole_letter_and_that_is_counted(filled: Store) -> None:
    documents = [
        Document("d1", "", "x" * 10),
        Document("d2", "", "é" * 6),
        Document("d3", "title", "x" * 6),
        Document("d4", "t" * 11, "x"),
        Document("d5", "title", "x" * 5),
    ]
    done = store_texts(filled, "test", documents, every=True, max_bytes=11)
    assert (done.read, done.stored, done.cut, done.first_cut) == (5, 5, 2, "d2")
    assert stored(filled) == {
        "d1": ("", "x" * 10),
        "d2": ("", "é" * 5),
        "d3": ("title", "x" * 6),
        "d4": ("t" * 11, ""),
        "d5": ("title", "x" * 5),
    }


JUDGED = sorted({docno for grades in QRELS.values() for docno in grades})


@both_databases
def test_judged_documents_without_a_text_are_counted_and_named(filled: Store) -> None:
    padded = [document(f"D{docno[1:].zfill(4)}") for docno in JUDGED]
    done = store_texts(filled, "test", padded)
    assert (done.missing, done.examples) == (len(JUDGED), tuple(JUDGED[:3]))
    assert done.warnings("docs.jsonl", 1) == [
        f"docs.jsonl: {len(JUDGED)} judged documents have no text: 'd1', 'd2', 'd3', "
        "...; the file has 'D0001', judged is 'd1': write ids alike"
    ]
    all_but_one = store_texts(filled, "test", map(document, JUDGED[1:]))
    assert all_but_one.warnings("a", 1) == ["a: 1 judged document has no text: 'd1'"]
    assert store_texts(filled, "test", [document("d1")]).warnings("a", 1) == []


def test_there_must_be_such_a_collection(filled: Store) -> None:
    with pytest.raises(NotFound, match="no collection 'other'"):
        store_texts(filled, "other", many(1))


@both_databases
def test_an_event_tells_how_many_texts_were_stored(filled: Store) -> None:
    store_texts(filled, "test", many(9))
    *_, event = dump(filled)["event"]
    assert event[3:6] == ("facts", "test", "test")
    assert event[6] == {"kind": "documents", "read": 9, "stored": len(stored(filled))}


@both_databases
def test_a_damaged_text_is_a_problem_that_the_check_names(filled: Store) -> None:
    store_texts(filled, "test", [document("d1", "word " * 99), document("d2")])
    assert db_check(filled).problems == ()
    with filled.write() as connection:
        connection.execute(
            text("UPDATE document SET packed = substr(packed, 1, 9) WHERE docno = 'd1'")
        )
    (problem,) = db_check(filled).problems
    assert problem.startswith("document 'd1' of collection 'test': a damaged packed text")


def test_a_copy_has_all_texts_and_keeps_those_that_the_target_has(
    filled: Store, tmp_path: Path
) -> None:
    store_texts(filled, "test", many(2 * CHUNK + 7), every=True)
    with Store.open(str(tmp_path / "target.db")) as target:
        copy(filled, target)
        assert stored(target) == stored(filled)
        store_texts(target, "test", [document("d1", "its own")], every=True)
        with filled.write() as connection:
            delete_documents(connection, 1, ["d2"])
        store_texts(filled, "test", [document("new")], every=True)
        copy(filled, target)
        copied = stored(target)
    assert copied["d1"][1] == "its own"
    assert "d2" in copied
    assert copied["new"][1] == "words"
