"""A store as Parquet files, and a store built from them: the same answers, to the last bit."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest
from databases import both_databases, postgres_by_night
from full_store import OWNED, content, fill, forget
from parquet_files import files, rows, taken
from samples import BM25, HOSTILE, QRELS, add, write_qrels, write_run

from evalstore.catalog.collections import collections
from evalstore.catalog.qrels import list_qrels, set_default
from evalstore.catalog.runs import restore_runs
from evalstore.errors import NotFound
from evalstore.evaluation.measure import measure
from evalstore.formats.tables.parquet import TABLES, VERSION
from evalstore.ingest.store_run import set_collection_measures
from evalstore.judging.drafts import Assessment, assess, list_drafts, new_draft
from evalstore.judging.publish import edit_judgment, publish
from evalstore.measures import parse
from evalstore.store import Store
from evalstore.store.queries.collections import find_collection
from evalstore.store.queries.drafts import list_whole_drafts
from evalstore.transfer.db_check import db_check
from evalstore.transfer.export_parquet import export_parquet
from evalstore.transfer.import_parquet import check_folder

pytestmark = pytest.mark.slow  # every table is written into files

VIEWS = ("query_values", "leaderboard", "judgments", "relevant_found", "retrieved_docs",
         "leaderboard_ranks", "query_attributes", "run_parameters")  # fmt: skip


# --- there and back -----------------------------------------------------------------------------


@postgres_by_night
def test_a_store_built_from_the_files_answers_as_the_one_they_are_of(
    store: Store, target: Store, folder: Path, tmp_path: Path
) -> None:
    fill(store, tmp_path)
    export_parquet(store, folder)
    statuses = {copied.status for copied in taken(target, folder)}
    assert statuses == {"copied"}
    before, after = content(store), content(target)
    assert after["query_values"]
    assert {view: after[view] for view in VIEWS} == {view: before[view] for view in VIEWS}


@postgres_by_night
def test_the_making_of_judgments_is_carried_with_its_order_and_its_parents(
    store: Store, target: Store, folder: Path, tmp_path: Path
) -> None:
    fill(store, tmp_path)
    undone = [Assessment("q2", "ü", state="undone"), Assessment("q2", "ü", 2), ANN]
    assess(store, "test", "first ✓", "ann ✓", undone)
    new_draft(store, "test", "a later one")
    edit_judgment(store, "test", "judged ✓", "q1", "d1", 0, reason="*wrong* ✓")
    for step in range(3):
        if step == 1:
            later = [Assessment("q1", "d9", 1)]
            assess(store, "test", "a later one", "ann ✓", later, new=True)
            publish(store, "test", "a later one", reason="later")
        export_parquet(store, folder)
        taken(target, folder)
        assert made(target) == made(store)
        before, after = content(store), content(target)
        for table in MAKING:
            assert before[table] == after[table] != [], table


@postgres_by_night
def test_what_belongs_to_a_run_or_qrels_is_added_if_the_store_has_none(
    store: Store, target: Store, folder: Path, tmp_path: Path
) -> None:
    fill(store, tmp_path)
    export_parquet(store, folder)
    taken(target, folder)
    before = content(target)
    forget(target)
    changed = [one for one in taken(target, folder) if one.status != "there already"]
    assert [(one.kind, one.name, one.status, one.detail) for one in changed] == [
        ("qrels", "judged ✓", "completed", "origins of judgments"),
        ("run", "bm25", "completed", "times or explanations"),
    ]
    after = content(target)
    assert {name: after[name] for name in OWNED} == {name: before[name] for name in OWNED}


ANN = Assessment("q1", "d3", state="undone")
MAKING = ("judgment_origin", "draft", "draft_document", "assessment", "explanation")


def made(store: Store) -> tuple[object, ...]:
    """The drafts, what is said in their order, and the versions of the judgments, by names."""
    drafts = list_drafts(store, "test")
    with store.read() as connection:
        collection_id = find_collection(connection, "test")
        assert collection_id is not None
        said = [said for *_, said in list_whole_drafts(connection, collection_id)]
    qrels = sorted((one.name, one.parent, one.who, one.reason, one.rule, one.origins)
                   for one in list_qrels(store, "test"))  # fmt: skip
    return drafts, said, qrels


def test_what_counts_of_every_table_is_carried_and_what_is_removed_is_not(
    store: Store, target: Store, folder: Path, tmp_path: Path
) -> None:
    fill(store, tmp_path)
    restore_runs(store, ["tfidf"])
    export_parquet(store, folder)
    taken(target, folder)
    before, after = content(store), content(target)
    removed = {"collection", "qrels", "judgment", "query"}  # `fill` removes rows of these
    others = {
        "document",
        "saved_view",
        "comment",
        "experiment",
        "saved_leaderboard",
        "saved_rank",
        "run_file",
    }
    for name in before.keys() - removed - others:
        assert after[name] == before[name], name
    for name in removed:
        assert after[name], name
        assert [row for row in after[name] if row not in before[name]] == [], name
    assert after["saved_view"] == after["document"] == after["run_file"] == []


def test_a_store_that_was_built_passes_the_check_of_the_database(
    store: Store, target: Store, folder: Path, tmp_path: Path
) -> None:
    fill(store, tmp_path)
    export_parquet(store, folder)
    taken(target, folder)
    checked = db_check(target)
    assert checked.problems == ()
    assert checked.runs == 4


def test_an_import_again_changes_nothing(small: Store, target: Store, folder: Path) -> None:
    export_parquet(small, folder)
    taken(target, folder)
    before = content(target)
    assert {copied.status for copied in taken(target, folder)} == {"there already"}
    assert content(target) == before


def test_measures_that_were_computed_later_complete_the_runs(
    small: Store, target: Store, folder: Path
) -> None:
    export_parquet(small, folder)
    taken(target, folder)
    measure(small, [parse("P@3")])
    export_parquet(small, folder)
    completed = [copied for copied in taken(target, folder) if copied.kind == "run"]
    assert [copied.status for copied in completed] == ["completed", "completed"]
    assert content(target)["query_values"] == content(small)["query_values"]


def test_an_import_does_not_change_the_default_qrels_of_a_collection_that_has_one(
    small: Store, target: Store, folder: Path, tmp_path: Path
) -> None:
    add(target, tmp_path, write_run(tmp_path),
        qrels=write_qrels(tmp_path, {"q1": {"d1": 1}}, "own.qrels"))  # fmt: skip
    export_parquet(small, folder)
    taken(target, folder)
    default = [row[0] for row in content(target)["qrels"] if row[7]]
    assert default == ["own"]


def test_a_run_of_another_content_and_the_same_name_fails_alone(
    small: Store, target: Store, folder: Path, tmp_path: Path
) -> None:
    export_parquet(small, folder)
    add(target, tmp_path, write_run(tmp_path, {"q1": ["d2"]}, "bm25.run"))
    results = {copied.name: copied for copied in taken(target, folder) if copied.kind == "run"}
    assert results["tfidf"].status == "copied"
    assert results["bm25"].status == "failed"
    assert "has other content in the target" in results["bm25"].detail


def test_the_measures_that_a_collection_stores_are_carried(
    small: Store, target: Store, folder: Path
) -> None:
    set_collection_measures(small, "test", "AP,P@7")
    export_parquet(small, folder)
    taken(target, folder)
    assert [one.measures for one in collections(target)] == ["AP,P@7"]


def test_the_measures_of_a_collection_that_is_there_stay(
    small: Store, target: Store, folder: Path
) -> None:
    export_parquet(small, folder)
    taken(target, folder)
    set_collection_measures(target, "test", "AP")
    set_collection_measures(small, "test", "P@7")
    export_parquet(small, folder)
    taken(target, folder)
    assert [one.measures for one in collections(target)] == ["AP"]


def test_only_the_collections_that_are_named_are_exported_and_imported(
    small: Store, target: Store, folder: Path, tmp_path: Path
) -> None:
    add(small, tmp_path, write_run(tmp_path), collection="other")
    export_parquet(small, folder, ["other"])
    assert {row["collection"] for row in rows(folder, "runs")} == {"other"}
    export_parquet(small, folder, ["test"])
    assert {row["collection"] for row in rows(folder, "runs")} == {"other", "test"}
    taken(target, folder, "test")
    assert [row[0] for row in content(target)["collection"]] == ["test"]


@both_databases
def test_a_collection_that_is_not_there_is_named(small: Store, folder: Path) -> None:
    with pytest.raises(NotFound, match="there is no collection 'tets'; did you mean 'test'"):
        export_parquet(small, folder, ["tets"])
    assert not folder.exists()
    export_parquet(small, folder)
    with pytest.raises(NotFound, match="there is no collection 'tets' in the folder"):
        check_folder(folder, ["tets"])


# --- the tables ---------------------------------------------------------------------------------


def test_rankings_have_a_row_a_document_with_the_grade_under_the_default_qrels(
    small: Store, folder: Path
) -> None:
    export_parquet(small, folder)
    expected = [
        ("test", "bm25", qid, rank, docno, 100.0 - rank, QRELS[qid].get(docno))
        for qid, docnos in sorted(BM25.items())
        for rank, docno in enumerate(docnos, 1)
    ]
    assert [tuple(row.values()) for row in rows(folder, "rankings") if row["run"] == "bm25"] == [
        *expected
    ]


def test_the_grades_of_rankings_follow_the_default_qrels(
    small: Store, folder: Path, tmp_path: Path
) -> None:
    add(small, tmp_path, write_run(tmp_path),
        qrels=write_qrels(tmp_path, {"q1": {"d9": 7}}, "second.qrels"))  # fmt: skip
    export_parquet(small, folder)
    set_default(small, "second")
    export_parquet(small, folder)
    graded = [(row["docno"], row["grade"]) for row in rows(folder, "rankings") if row["grade"]]
    assert graded == [("d9", 7.0)]


def test_every_file_has_the_columns_types_and_version_of_its_table(
    store: Store, folder: Path, tmp_path: Path
) -> None:
    fill(store, tmp_path)
    export_parquet(store, folder)
    for table in TABLES.values():
        parts = list((folder / table.name).glob("**/part.parquet"))
        assert parts, table.name
        for part in parts:
            schema = pq.read_schema(part)
            assert schema.equals(table.schema), part
            assert schema.metadata[b"evalstore.version"] == str(VERSION).encode()


def test_a_table_without_rows_has_a_file_without_rows(store: Store, folder: Path) -> None:
    export_parquet(store, folder)
    for table in TABLES:
        parts = list((folder / table).glob("**/*.parquet"))
        assert [pq.read_metadata(part).num_rows for part in parts] == [0], table
        duckdb.execute(f"SELECT * FROM read_parquet('{folder}/{table}/**/*.parquet')")


def test_paths_hold_keys_and_no_names(store: Store, folder: Path, tmp_path: Path) -> None:
    for name in HOSTILE:
        add(store, tmp_path, write_run(tmp_path), collection=name, name=name[:900])
    export_parquet(store, folder)
    assert {row["collection"] for row in rows(folder, "runs")} == set(HOSTILE)
    for path in files(folder):
        assert len(path) < 100
        assert path.isascii()
        assert not set(path) & set('<>:"|?*\\ ')


def test_rows_are_sorted_by_query_and_rank(store: Store, folder: Path, tmp_path: Path) -> None:
    many = {f"q{number}": ["d2", "d1", "d3"] for number in range(12)}
    add(store, tmp_path, write_run(tmp_path, many), qrels=write_qrels(tmp_path, {"q1": {"d1": 1}}))
    export_parquet(store, folder)
    keys = [(row["qid"], row["rank"]) for row in rows(folder, "rankings")]
    assert len(keys) == 36
    assert keys == sorted(keys)
