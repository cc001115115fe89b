"""A large file is read while the store is opened; only the time that it takes is different."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from samples import BM25, TFIDF, run_text, write_qrels, write_run

from evalstore.cli import cli
from evalstore.errors import FileError
from evalstore.evaluation import parallel
from evalstore.formats import ReadOptions, file_stamps, read_ahead, read_run, sources
from evalstore.formats.file_stamps import stamp, watched
from evalstore.formats.read_ahead import ReadAhead
from evalstore.formats.sources import RunSource, use_source
from evalstore.ingest import known_files
from evalstore.store import Store

OPTIONS = ReadOptions()


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file is large enough, and was written long enough ago."""
    monkeypatch.setattr(read_ahead, "WORTH_IT", 1)
    monkeypatch.setattr(file_stamps, "COARSEST_STEP", -(10**18))


def begun(path: str, options: ReadOptions = OPTIONS) -> ReadAhead:
    ahead = read_ahead.read_ahead([path], options)
    assert ahead is not None
    return ahead


def used(source: RunSource, options: ReadOptions = OPTIONS) -> Any:
    return use_source(source, options, lambda content: content)


def test_what_is_read_ahead_is_what_reading_gives(tmp_path: Path, settled: None) -> None:
    path = write_run(tmp_path, BM25)
    content, expected = used(RunSource(path, ahead=begun(path))), read_run(path)
    assert content.qids == expected.qids
    assert content.docnos.equals(expected.docnos)
    assert content.scores.tolist() == expected.scores.tolist()
    assert content.format == expected.format == "trec-run"


def test_the_file_is_not_read_again(
    tmp_path: Path, settled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_run(tmp_path, BM25)
    source = RunSource(path, ahead=begun(path))
    monkeypatch.delattr(sources, "read_large_run_or_values")
    assert len(used(source).qids) == len(BM25)


def test_it_is_taken_once_and_read_after_that(tmp_path: Path, settled: None) -> None:
    path = write_run(tmp_path, BM25)
    source = RunSource(path, ahead=begun(path))
    assert used(source).qids == used(source).qids


def test_what_is_read_with_other_options_is_read_again(
    tmp_path: Path, settled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_run(tmp_path, BM25)
    source = RunSource(path, ahead=begun(path, ReadOptions(formats=("trec-run",))))
    read: list[str] = []
    monkeypatch.setattr(
        sources, "read_large_run_or_values", lambda path, options: read.append(path)
    )
    used(source)
    assert read == [path]


def test_an_error_is_told_when_the_content_is_wanted(tmp_path: Path, settled: None) -> None:
    path = tmp_path / "bad.run"
    path.write_text("q1 Q0 d1 1\n")
    source = RunSource(str(path), ahead=begun(str(path)))
    with pytest.raises(FileError, match=r"bad\.run:1: expected 6 columns, found 4"):
        used(source)


def test_a_file_in_parts_that_has_to_be_read_as_a_whole_is(tmp_path: Path, settled: None) -> None:
    options = ReadOptions(block=300, rows_at_once=40)
    lines = [f"q{n % 30} Q0 d{n} 1 {1000 - n} tag\n" for n in range(300)]  # a query in many places
    path = tmp_path / "bm25.run"
    path.write_text("".join(lines))
    source = RunSource(str(path), ahead=begun(str(path), options))
    content = use_source(
        source, options, lambda content: list(getattr(content, "parts", ())) or content
    )
    assert len(content.qids) == 30


@pytest.mark.parametrize("paths", [(), ("-",), ("missing",), ("https://host/run",)])
def test_only_a_file_is_read_ahead(paths: tuple[str, ...], settled: None) -> None:
    assert read_ahead.read_ahead(paths, OPTIONS) is None


def test_several_files_a_folder_and_a_small_file_are_not_read_ahead(
    tmp_path: Path, settled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_run(tmp_path, BM25)
    assert read_ahead.read_ahead([path, path], OPTIONS) is None
    assert read_ahead.read_ahead([str(tmp_path)], OPTIONS) is None
    monkeypatch.setattr(read_ahead, "WORTH_IT", os.path.getsize(path) + 1)
    assert read_ahead.read_ahead([path], OPTIONS) is None


def test_a_file_that_was_just_written_is_not_read_ahead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its times prove nothing: its bytes have to be hashed before it is read."""
    monkeypatch.setattr(read_ahead, "WORTH_IT", 1)
    monkeypatch.setattr(file_stamps, "COARSEST_STEP", 10**18)
    assert read_ahead.read_ahead([write_run(tmp_path, BM25)], OPTIONS) is None


def test_a_file_that_changed_since_reading_began_gets_no_stamp(
    tmp_path: Path, settled: None
) -> None:
    path = write_run(tmp_path, BM25)
    before = stamp(path)
    with open(path, "a") as file:
        file.write("q9 Q0 d1 1 1.0 bm25\n")
    with watched(path, before) as changed:
        pass
    assert changed.stamp is None


def test_a_run_that_is_read_ahead_is_stored_and_recognised_the_next_time(
    tmp_path: Path, settled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[bool] = []
    take = ReadAhead.take

    def noted(self: ReadAhead) -> Any:
        content = take(self)
        taken.append(content is not None)
        return content

    monkeypatch.setattr(ReadAhead, "take", noted)
    db, run = str(tmp_path / "s.db"), tmp_path / "bm25.run"
    run.write_text(run_text(BM25))
    given = ["--db", db, "ingest", "--collection", "c", "--qrels", write_qrels(tmp_path), str(run)]
    first = CliRunner().invoke(cli, given)
    again = CliRunner().invoke(cli, given)
    assert first.exit_code == again.exit_code == 0, first.output + again.output
    assert taken == [True]
    assert "already stored" in again.output
    with Store.open(db) as store, store.read() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM run_file").scalar() == 1


def test_the_processes_for_the_files_of_a_folder_are_begun_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun_for: list[str] = []
    monkeypatch.setattr(parallel, "start_processes", lambda paths, **more: begun_for.extend(paths))
    runs = tmp_path / "runs"
    runs.mkdir()
    files = {write_run(runs), write_run(runs, TFIDF, "tfidf.run", "tfidf")}
    given = ["--collection", "c", "--qrels", write_qrels(tmp_path), str(runs)]
    done = CliRunner().invoke(cli, ["--db", str(tmp_path / "s.db"), "ingest", *given])
    assert done.exit_code == 0, done.output
    assert files < set(begun_for)


def test_a_run_that_a_database_names_is_not_taken_for_what_was_read_of_the_database(
    tmp_path: Path, settled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, database = write_run(tmp_path), tmp_path / "mlflow.db"
    database.write_bytes(b"no run")
    monkeypatch.setattr(
        known_files, "find_sources", lambda *_: sources.RunSources((RunSource(run),))
    )
    given = ["--collection", "c", "--qrels", write_qrels(tmp_path), str(database)]
    done = CliRunner().invoke(cli, ["--db", str(tmp_path / "s.db"), "ingest", *given])
    assert done.exit_code == 0, done.output
