"""An export again writes what changed; nothing is taken from a folder that is not as written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from changed_runs import rename_run
from full_store import content
from parquet_files import files, rows, taken
from samples import add, write_run

from evalstore.catalog.collection_facts import RunCosts, store_run_facts
from evalstore.catalog.collections import rename_collection
from evalstore.catalog.runs import remove_runs
from evalstore.errors import DataError, EvalstoreError
from evalstore.evaluation.measure import measure
from evalstore.formats.tables.parquet import MANIFEST
from evalstore.measures import parse
from evalstore.store import Store
from evalstore.transfer.db_check import db_check
from evalstore.transfer.export_parquet import Exported, export_parquet
from evalstore.transfer.import_parquet import check_folder

pytestmark = pytest.mark.slow  # every table is written into files and read

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
        (lambda store: store_run_facts(store, "bm25", RunCosts({"q1": 1.0})),
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
        store_run_facts(small, "bm25", RunCosts(times))
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


def test_a_damaged_file_is_written_again_when_it_is_deleted_as_the_message_says(
    small: Store, folder: Path, target: Store
) -> None:
    export_parquet(small, folder)
    file = next(folder.glob("values/**/part.parquet"))
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    with pytest.raises(DataError, match="is damaged.*delete it and export again"):
        check_folder(folder)
    file.unlink()
    assert export_parquet(small, folder).written == 1
    taken(target, folder)


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
    "newer": (edit_manifest(version=6), "are of version 6, this program's of version 5"),
    "older": (edit_manifest(version=2), "are of version 2"),
    "no version": (edit_manifest(version=None), "are of version None"),
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


LATER = {
    "collections": ["mappings", "grade_labels", "document_link", "guidelines"],
    "qrels": ["origin", "who", "reason", "rule", "parent"],
}
"""The columns that version 3 lacks."""
LATER_TABLES = ("judgment_origins", "drafts", "draft_documents", "assessments", "explanations")


def test_an_export_of_an_earlier_version_is_imported(
    small: Store, target: Store, folder: Path
) -> None:
    export_parquet(small, folder)
    for table, columns in LATER.items():
        put(folder, table, pq.ParquetFile(damaged(folder, table)).read().drop_columns(columns))
    listed = json.loads((folder / MANIFEST).read_text())["files"]
    earlier = [file for file in listed if file["table"] not in LATER_TABLES]
    edit_manifest(version=3, files=earlier)(folder)
    assert {copied.status for copied in taken(target, folder)} == {"copied"}
    assert content(target)["query_values"] == content(small)["query_values"]


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


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("{", "", "it is not JSON; name an empty folder"),
        ('"version": 5', '"version": 4', "of version 4, .* into an empty folder"),
    ],
)
def test_an_export_into_a_folder_that_it_can_not_go_on_with_says_what_to_do(
    small: Store, folder: Path, before: str, after: str, message: str
) -> None:
    export_parquet(small, folder)
    manifest = folder / "manifest.json"
    text = manifest.read_text()
    assert before in text
    manifest.write_text(text.replace(before, after, 1))
    with pytest.raises(DataError, match=message):
        export_parquet(small, folder)
