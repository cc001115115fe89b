"""Runs logged in MLflow, in files and in a database: the same runs, and nothing from outside."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from mlflow_stores import START, Logged, write_database, write_files
from samples import BM25, TFIDF, run_text, write

from evalstore.errors import DataError, FileError
from evalstore.formats.folders import mlflow
from evalstore.formats.sources import RunSource, RunSources, read_source, run_sources

Write = Callable[..., Path]
BOTH = pytest.mark.parametrize("write_store", [write_files, write_database])
TIME = datetime.fromtimestamp(START / 1000, UTC)
OTHER = "cf8ca976ddc541ee8fbec3871900db3a"


def one(path: Path) -> RunSource:
    (source,) = run_sources(str(path)).runs
    return source


def names(path: Path) -> list[str | None]:
    return [source.name for source in run_sources(str(path)).runs]


def refused(path: Path) -> str:
    with pytest.raises(DataError) as caught:
        run_sources(str(path))
    return str(caught.value).replace(str(path), "STORE")


@BOTH
def test_a_run_has_the_facts_that_mlflow_logged(tmp_path: Path, write_store: Write) -> None:
    sources = run_sources(str(write_store(tmp_path, Logged())))
    assert (sources.format, sources.warnings) == ("mlflow", ())
    (source,) = sources.runs
    assert (source.name, source.engine, source.experiment) == ("bm25 k1=0.9", None, "stemming")
    assert source.facts == {
        "parameters": {"k1": 0.9, "stem": True, "index/path": "ix", "name": "007"},
        "tags": ("stage=dev",),
        "commit": "4f2a9c1",
        "started_by": "ann",
        "started_at": TIME,
        "ended_at": TIME.replace(microsecond=474_000),
    }
    assert read_source(source).tag == "bm25"


@BOTH
def test_the_folder_around_the_store_is_the_store_too(tmp_path: Path, write_store: Write) -> None:
    write_store(tmp_path, Logged())
    assert names(tmp_path) == ["bm25 k1=0.9"]


def test_an_experiment_or_a_run_of_the_files_can_be_given(tmp_path: Path) -> None:
    store = write_files(tmp_path, Logged(), Logged(OTHER, "other"))
    (experiment,) = (folder for folder in store.iterdir() if len(folder.name) > 10)
    assert names(experiment) == ["bm25 k1=0.9", "other"]
    source = one(experiment / OTHER)
    assert (source.name, source.experiment) == ("other", "stemming")


@BOTH
def test_runs_are_in_the_order_they_were_made(tmp_path: Path, write_store: Write) -> None:
    late = Logged("0" * 32, "late", start=START + 1)
    assert names(write_store(tmp_path, late, Logged(name="early"))) == ["early", "late"]


@BOTH
def test_deleted_runs_and_runs_without_run_files_are_left_out(
    tmp_path: Path, write_store: Write
) -> None:
    without = Logged(OTHER, "training", artifacts={"model.bin": "\0\1", "log.txt": "hello"})
    store = write_store(tmp_path, Logged(), Logged("0" * 32, "gone", stage="deleted"), without)
    sources = run_sources(str(store))
    assert [source.name for source in sources.runs] == ["bm25 k1=0.9"]
    what = "no run file among the artifacts, left out: training (cf8ca976)"
    assert sources.warnings == (f"{store}: {what}",)


@BOTH
def test_several_run_files_are_several_runs(tmp_path: Path, write_store: Write) -> None:
    artifacts = {"dev.run": run_text(BM25), "test.run": run_text(TFIDF)}
    store = write_store(tmp_path, Logged(name="bm25", artifacts=artifacts))
    assert names(store) == ["bm25_dev", "bm25_test"]


@BOTH
def test_runs_of_one_name_get_the_beginning_of_their_id(tmp_path: Path, write_store: Write) -> None:
    store = write_store(tmp_path, Logged(name="x"), Logged(OTHER, "x"))
    assert sorted(map(str, names(store))) == ["x_6f7df237", "x_cf8ca976"]


@BOTH
def test_an_artifact_that_may_be_judgments_is_left_out_with_a_warning(
    tmp_path: Path, write_store: Write
) -> None:
    unclear = {"config.json": '{"index": {"shards": 3}}'}
    only = write_store(tmp_path, Logged(artifacts=unclear))
    assert "these may be runs or judgments, and are left out: " in refused(only)
    both = {**unclear, "a.run": run_text(BM25)}
    (tmp_path / "b").mkdir()
    source = one(write_store(tmp_path / "b", Logged(artifacts=both)))
    assert "config.json: may be a run or judgments, left out" in source.warnings[0]


@BOTH
@pytest.mark.parametrize(
    ("parameters", "what"),
    [
        ({"a=b": "1"}, "'a=b' is no name of a parameter"),
        ({"k": "x" * 10_001}, "a value of more than 10,000 characters"),
    ],
)
def test_a_parameter_that_cannot_be_is_refused_with_its_run(
    tmp_path: Path, write_store: Write, parameters: dict[str, str], what: str
) -> None:
    with pytest.raises(FileError) as caught:
        read_source(one(write_store(tmp_path, Logged(parameters=parameters))))
    assert what in str(caught.value)


@BOTH
def test_tags_of_several_lines_are_left_out_with_a_warning(
    tmp_path: Path, write_store: Write
) -> None:
    source = one(write_store(tmp_path, Logged(tags={"a": "b\nc", "d": "e"})))
    assert source.facts["tags"] == ("d=e",)
    assert "tags of several lines" in source.warnings[0]


@BOTH
def test_a_time_out_of_range_is_refused(tmp_path: Path, write_store: Write) -> None:
    with pytest.raises(FileError, match="is no time in milliseconds"):
        read_source(one(write_store(tmp_path, Logged(start=10**17))))


@BOTH
def test_a_link_out_of_the_artifacts_is_not_read(tmp_path: Path, write_store: Write) -> None:
    secret = write(tmp_path / "secret.run", run_text(BM25))
    (tmp_path / "store").mkdir()
    store = write_store(tmp_path / "store", Logged(artifacts={"notes.txt": "hello"}))
    (notes,) = (tmp_path / "store").glob("**/notes.txt")
    (notes.parent / "a.run").symlink_to(secret)
    (notes.parent / "folder").symlink_to(tmp_path, target_is_directory=True)
    assert "no runs in this folder" in refused(store)


@BOTH
def test_only_so_many_artifacts_are_looked_at(
    tmp_path: Path, write_store: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mlflow, "MOST_ARTIFACTS", 2)
    artifacts = {f"{number}.run": run_text(BM25) for number in range(5)}
    assert len(names(write_store(tmp_path, Logged(artifacts=artifacts)))) == 2


def test_a_store_of_both_kinds_is_asked_for(tmp_path: Path) -> None:
    write_database(tmp_path, Logged())
    write_files(tmp_path, Logged())
    assert refused(tmp_path).startswith("STORE: a database of MLflow and files of MLflow: give ")
    assert len(names(tmp_path / "mlflow.db")) == 1


# --- files ---------------------------------------------------------------------------------------


def test_what_is_wrong_with_a_file_of_the_store_is_told_with_its_line(tmp_path: Path) -> None:
    store = write_files(tmp_path, Logged())
    (meta,) = store.glob("*/*/meta.yaml")
    meta.write_text("experiment_id: 1\nrun_id: [\n")
    assert f"{meta.relative_to(store)}:3: not YAML" in refused(store)


@pytest.mark.parametrize("kind", ["params", "tags"])
def test_values_are_texts_of_the_store_itself(tmp_path: Path, kind: str) -> None:
    store = write_files(tmp_path, Logged(parameters={}, tags={}))
    (artifacts,) = store.glob("*/*/artifacts")
    folder = artifacts.parent / kind
    folder.mkdir(exist_ok=True)
    (folder / "link").symlink_to(write(tmp_path / "secret", "x"))
    os.mkfifo(folder / "pipe")
    assert one(store).facts.keys().isdisjoint({"parameters"})
    (folder / "bad").write_bytes(b"\xff")
    assert refused(store).endswith(f"{kind}/bad: not UTF-8, or too long for a value")


def test_a_link_is_no_meta_yaml(tmp_path: Path) -> None:
    store = write_files(tmp_path, Logged())
    (meta,) = store.glob("*/*/meta.yaml")
    meta.rename(tmp_path / "meta.yaml")
    meta.symlink_to(tmp_path / "meta.yaml")
    assert "no runs in this folder" in refused(store)


# --- the database --------------------------------------------------------------------------------


def change(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(statement, values)


@pytest.mark.parametrize(
    "uri",
    [
        "file:///etc",
        "/etc",
        "..",
        "../outside",
        "file://host/etc",
        "s3://bucket/1/artifacts",
        "mlflow-artifacts:/1/artifacts",
        "",
    ],
)
def test_artifacts_are_read_beside_the_database_wherever_it_says_they_are(
    tmp_path: Path, uri: str
) -> None:
    (tmp_path / "outside").mkdir()
    write(tmp_path / "outside" / "a.run", run_text(TFIDF))
    (tmp_path / "store").mkdir()
    store = write_database(tmp_path / "store", Logged(), artifacts=uri or " ")
    assert one(store).path.startswith(f"{tmp_path}/store/mlruns/1/")


def test_artifacts_outside_the_folder_of_the_database_are_not_read(tmp_path: Path) -> None:
    write(tmp_path / "a.run", run_text(BM25))
    (tmp_path / "store").mkdir()
    logged = Logged(artifacts={"notes.txt": "hello"})
    for uri in (f"file://{tmp_path}", "..", str(tmp_path)):
        path = write_database(tmp_path / "store", logged, artifacts=uri)
        assert "no run file among the artifacts" in refused(path)
        path.unlink()


def test_reading_changes_no_database(tmp_path: Path) -> None:
    path = write_database(tmp_path, Logged())
    before = path.read_bytes()
    path.chmod(0o400)
    assert len(names(path)) == 1
    assert path.read_bytes() == before
    assert {file.name for file in tmp_path.iterdir()} == {"mlflow.db", "mlruns"}


def test_a_database_of_something_else_is_no_folder_of_runs(tmp_path: Path) -> None:
    path = tmp_path / "evalstore.db"
    change(path, "CREATE TABLE runs (id INTEGER)")
    assert run_sources(str(path)) == RunSources((RunSource(str(path)),))


@pytest.mark.parametrize(
    "statement", ["ALTER TABLE runs DROP COLUMN name", "ALTER TABLE tags DROP COLUMN value"]
)
def test_a_database_without_a_column_is_refused(tmp_path: Path, statement: str) -> None:
    path = write_database(tmp_path, Logged())
    change(path, statement)
    assert refused(path).startswith("STORE: can't be read as MLflow's: no such column")


@pytest.mark.parametrize("kept", [100, 5_000, 13_000])
def test_a_damaged_database_is_refused_in_one_line(tmp_path: Path, kept: int) -> None:
    """Or not even recognised: reading it as a run tells what it is."""
    path = write_database(tmp_path, Logged())
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(FileError) as caught:
        read_source(run_sources(str(path)).runs[0])
    assert str(caught.value).isprintable()


def test_values_of_any_type_are_texts(tmp_path: Path) -> None:
    path = write_database(tmp_path, Logged(parameters={}))
    for value in (3, b"\xff", None, 2.5):
        key = f"p{type(value).__name__}"
        change(path, "INSERT INTO params VALUES (?, ?, ?)", key, value, Logged().number)
    change(path, "UPDATE runs SET start_time = 'soon', end_time = NULL, user_id = NULL")
    facts = one(path).facts
    assert {"pint", "pfloat", "pbytes"} == facts["parameters"].keys()
    assert "started_at" not in facts
