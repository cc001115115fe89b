"""A store as Parquet files, and a store built from them: the same answers, to the last bit."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from full_store import content, fill
from samples import BM25, HOSTILE, QRELS, TFIDF, add, write_qrels, write_run

from evalstore.errors import DataError, EvalstoreError, NotFound
from evalstore.formats.parquet_folder import MANIFEST
from evalstore.formats.parquet_tables import TABLES, VERSION
from evalstore.measures import parse
from evalstore.store import Store
from evalstore.usecases.change_runs import remove_runs, rename_run, restore_runs
from evalstore.usecases.collections import rename_collection
from evalstore.usecases.copy import Copied
from evalstore.usecases.db_check import db_check
from evalstore.usecases.export_parquet import Exported, export_parquet
from evalstore.usecases.facts import RunFacts, store_run_facts
from evalstore.usecases.import_parquet import check_folder, import_parquet
from evalstore.usecases.measure import measure
from evalstore.usecases.qrels import set_default

VIEWS = ("query_values", "leaderboard", "judgments", "relevant_found", "retrieved_docs",
         "leaderboard_ranks", "query_attributes", "run_parameters")  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "parquet"


@pytest.fixture
def target(tmp_path: Path) -> Iterator[Store]:
    with Store.open(f"sqlite:///{tmp_path / 'target.db'}") as opened:
        yield opened


@pytest.fixture
def small(store: Store, tmp_path: Path) -> Store:
    """Two runs under one qrels."""
    add(store, tmp_path, write_run(tmp_path), write_run(tmp_path, TFIDF, "tfidf.run", "tfidf"))
    return store


def taken(target: Store, folder: Path, *collections: str) -> tuple[Copied, ...]:
    return import_parquet(target, check_folder(folder, collections))


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.glob("**/*")
        if path.is_file()
    }


def rows(folder: Path, table: str) -> list[dict[str, Any]]:
    """The rows of all files of a table, without the columns of partitions."""
    parts = sorted((folder / table).glob("**/part.parquet"))
    return [row for part in parts for row in pq.ParquetFile(part).read().to_pylist()]


# --- there and back -----------------------------------------------------------------------------


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


def test_what_counts_of_every_table_is_carried_and_what_is_removed_is_not(
    store: Store, target: Store, folder: Path, tmp_path: Path
) -> None:
    fill(store, tmp_path)
    restore_runs(store, ["tfidf"])
    export_parquet(store, folder)
    taken(target, folder)
    before, after = content(store), content(target)
    removed = {"collection", "qrels", "judgment", "query"}  # `fill` removes rows of these
    others = {"document", "saved_view", "experiment", "saved_leaderboard", "saved_rank"}
    for name in before.keys() - removed - others:
        assert after[name] == before[name], name
    for name in removed:
        assert after[name], name
        assert [row for row in after[name] if row not in before[name]] == [], name
    assert after["saved_view"] == after["document"] == []


def test_a_store_that_was_built_passes_the_check_of_the_database(
    store: Store, target: Store, folder: Path, tmp_path: Path
) -> None:
    fill(store, tmp_path)
    export_parquet(store, folder)
    taken(target, folder)
    checked = db_check(target)
    assert checked.problems == ()
    assert checked.runs == 3


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


@pytest.mark.parametrize("table", TABLES)
def test_a_table_without_rows_has_a_file_without_rows(
    store: Store, folder: Path, table: str
) -> None:
    export_parquet(store, folder)
    parts = list((folder / table).glob("**/*.parquet"))
    assert [pq.read_metadata(part).num_rows for part in parts] == [0]
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


# --- again --------------------------------------------------------------------------------------


def test_an_export_again_writes_no_file_of_a_table(small: Store, folder: Path) -> None:
    first = export_parquet(small, folder)
    before = {path: path.stat().st_mtime_ns for path in folder.glob("*/**/part.parquet")}
    again = export_parquet(small, folder)
    assert (again.written, again.unchanged, again.removed) == (0, first.written, 0)
    assert {path: path.stat().st_mtime_ns for path in before} == before


def written_again(store: Store, folder: Path) -> tuple[Exported, set[str]]:
    """The tables of which files are written, after a change."""
    tables: set[str] = set()
    done = export_parquet(store, folder, progress=lambda file: tables.add(file.table))
    return done, tables


@pytest.mark.parametrize(
    ("change", "tables"),
    [
        (lambda store: measure(store, [parse("P@3")], ["bm25"]),
         {"hits", "values", "leaderboard"}),
        (lambda store: store_run_facts(store, "bm25", RunFacts({"q1": 1.0})),
         {"hits", "values", "response_times"}),
        (lambda store: rename_run(store, "bm25", "other"),
         {"rankings", "hits", "values", "leaderboard", "runs", "evaluations"}),
    ],
    ids=["measure", "facts", "rename"],
)  # fmt: skip
def test_an_export_again_writes_what_changed(
    small: Store, folder: Path, change: Callable[[Store], object], tables: set[str]
) -> None:
    export_parquet(small, folder)
    change(small)
    done, written = written_again(small, folder)
    assert written == tables
    assert done.written == len(tables)  # nothing of the other run


def test_a_run_that_is_new_is_written_alone(small: Store, folder: Path, tmp_path: Path) -> None:
    export_parquet(small, folder)
    add(small, tmp_path, write_run(tmp_path, {"q1": ["d1"]}, "new.run"))
    done, tables = written_again(small, folder)
    assert {"rankings", "hits", "values"} <= tables
    assert len(list((folder / "rankings").glob("**/part.parquet"))) == 3
    assert done.removed == 0


def test_times_that_changed_places_are_written_although_their_mean_is_the_same(
    small: Store, folder: Path
) -> None:
    for times in ({"q1": 1.0, "q2": 2.0, "q3": 3.0}, {"q1": 3.0, "q2": 2.0, "q3": 1.0}):
        store_run_facts(small, "bm25", RunFacts(times))
        measure(small, [parse("ResponseTime")], ["bm25"])
        export_parquet(small, folder)
    values = {row["qid"]: row["value"] for row in rows(folder, "values")
              if row["measure"] == "ResponseTime"}  # fmt: skip
    assert values == {"q1": 3.0, "q2": 2.0, "q3": 1.0}


def test_files_of_runs_that_were_removed_are_deleted_and_others_stay(
    small: Store, folder: Path
) -> None:
    export_parquet(small, folder)
    note = folder / "rankings" / "note.txt"
    note.write_text("mine")
    remove_runs(small, ["tfidf"])
    done = export_parquet(small, folder)
    assert done.removed == 3
    assert {row["run"] for row in rows(folder, "rankings")} == {"bm25"}
    assert note.read_text() == "mine"


def test_a_collection_with_another_name_takes_the_place_of_the_old_one(
    small: Store, folder: Path
) -> None:
    export_parquet(small, folder)
    rename_collection(small, "test", "new")
    export_parquet(small, folder)
    assert {row["collection"] for row in rows(folder, "values")} == {"new"}


def test_an_export_that_was_interrupted_goes_on(small: Store, folder: Path, target: Store) -> None:
    def stop(_: object) -> None:
        if len(list(folder.glob("*/**/part.parquet"))) == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export_parquet(small, folder, progress=stop)
    with pytest.raises(DataError, match="the export was interrupted: export again"):
        check_folder(folder)
    done = export_parquet(small, folder)
    assert done.unchanged == 5
    taken(target, folder)
    assert content(target)["query_values"] == content(small)["query_values"]


# --- what is no folder of ours ------------------------------------------------------------------


def test_nothing_is_written_into_a_folder_of_something_else(small: Store, folder: Path) -> None:
    folder.mkdir()
    (folder / "thesis.tex").write_text("text")
    with pytest.raises(DataError, match="is not empty and was not written by an export"):
        export_parquet(small, folder)
    assert files(folder) == {"thesis.tex": b"text"}


def damaged(folder: Path, table: str = "rankings") -> Path:
    return sorted((folder / table).glob("**/part.parquet"))[0]


def cut(folder: Path) -> None:
    file = damaged(folder)
    file.write_bytes(file.read_bytes()[:-1])


def flip(folder: Path) -> None:
    file = damaged(folder, "values")
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


def edit_manifest(**changes: object) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        manifest = json.loads((folder / MANIFEST).read_text())
        (folder / MANIFEST).write_text(json.dumps({**manifest, **changes}))

    return edit


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "cut": (cut, "is damaged"),
    "flipped": (flip, "is damaged"),
    "missing": (lambda folder: damaged(folder).unlink(), "is missing"),
    "no manifest": (lambda folder: (folder / MANIFEST).unlink(), "has no manifest.json"),
    "no JSON": (lambda folder: (folder / MANIFEST).write_text("{"), "it is not JSON"),
    "other program": (edit_manifest(format="x"), "is no manifest of an export of Parquet"),
    "newer": (edit_manifest(version=2), "are of version 2, this program's of version 1"),
    "path out": (
        edit_manifest(files=[{"table": "runs", "collection": "", "key": "", "rows": 0, "bytes": 0,
                              "sha256": "", "path": "runs/../../part.parquet"}]),
        "is no entry of a file",
    ),
    "no list": (edit_manifest(files="x"), "it lists no files"),
    "no such folder": (lambda folder: folder.rename(folder.with_name("x")), "no such folder"),
}  # fmt: skip


@pytest.mark.parametrize("case", DAMAGES)
def test_nothing_is_imported_of_a_folder_that_is_damaged_or_of_another_version(
    small: Store, folder: Path, case: str
) -> None:
    export_parquet(small, folder)
    damage, message = DAMAGES[case]
    damage(folder)
    with pytest.raises(EvalstoreError, match=message):
        check_folder(folder)


def put(folder: Path, table: str, content: pa.Table) -> None:
    """Put other rows into a file, with a manifest that agrees."""
    import hashlib

    path = damaged(folder, table)
    pq.write_table(content, path)
    manifest = json.loads((folder / MANIFEST).read_text())
    for entry in manifest["files"]:
        if entry["path"] == path.relative_to(folder).as_posix():
            data = path.read_bytes()
            entry["bytes"], entry["sha256"] = len(data), hashlib.sha256(data).hexdigest()
    (folder / MANIFEST).write_text(json.dumps(manifest))


def test_a_run_whose_rankings_are_not_those_of_its_hash_is_not_stored(
    small: Store, target: Store, folder: Path
) -> None:
    export_parquet(small, folder)
    rankings = pq.ParquetFile(damaged(folder)).read()
    put(folder, "rankings", rankings.slice(0, 2))
    failed = [copied for copied in taken(target, folder) if copied.status == "failed"]
    assert len(failed) == 1
    assert "are not those that its content hash stands for" in failed[0].detail
    assert len(content(target)["run"]) == 1
    assert db_check(target).problems == ()


def test_a_file_with_other_columns_is_refused(small: Store, folder: Path) -> None:
    export_parquet(small, folder)
    queries = pq.ParquetFile(damaged(folder, "queries")).read()
    put(folder, "queries", queries.rename_columns(["collection", "qid", "text"]))
    with pytest.raises(DataError, match=r"queries/.*part\.parquet"):
        check_folder(folder)
