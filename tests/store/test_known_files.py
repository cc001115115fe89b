"""A file whose run is stored is recognised without being read, and never wrongly."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from changed_runs import rename_run
from databases import both_databases
from samples import BM25, QRELS, TFIDF, add, run_text, write_qrels, write_run

import evalstore.ingest.ingest as use_case
from evalstore.catalog.given_facts import GivenFacts
from evalstore.catalog.runs import purge_runs, remove_runs
from evalstore.evaluation.ingest_options import IngestOptions
from evalstore.evaluation.prepare import prepare
from evalstore.formats import ReadOptions
from evalstore.formats.reading import file_stamps
from evalstore.formats.reading.file_stamps import stamp, watched
from evalstore.formats.reading.source import beginning
from evalstore.ingest.ingest import Ingested, ingest
from evalstore.ingest.store_qrels import store_qrels
from evalstore.ingest.store_run import load_known_files
from evalstore.store import Store

pytestmark = pytest.mark.slow  # many ingests

YEAR_2020 = 1_577_836_800 * 10**9


class Again:
    """Ingests the same paths with other requests, and counts the files that are read."""

    def __init__(self, store: Store, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.store, self.folder = store, folder
        self.read: list[str] = []

        def counted(source: Any, **more: Any) -> Any:
            self.read.append(source.path)
            return prepare(source, **more)

        patch.setattr(use_case, "prepare", counted)

    def __call__(
        self, *paths: str, recheck: bool = False, grades: Any = QRELS, **more: Any
    ) -> Ingested:
        self.read.clear()
        request = IngestOptions("test", **more)
        qrels = store_qrels(
            self.store, "test", qrels_path=write_qrels(self.folder, grades), allow_disjoint=True
        )
        known = load_known_files(self.store, request)
        return ingest(self.store, request, paths, qrels=qrels, known=None if recheck else known)


@pytest.fixture
def again(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Again:
    return Again(store, tmp_path, monkeypatch)


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """No step of the clock: the times of a file that was just written prove that it is the same."""
    monkeypatch.setattr(file_stamps, "COARSEST_STEP", -(10**18))


@pytest.fixture
def no_hashing(settled: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes are hashed when a file is read, and not to recognise it."""

    def refuse(path: str, before: object) -> None:
        raise AssertionError(f"{path} is hashed")

    monkeypatch.setattr("evalstore.ingest.store_run.hashed", refuse)


def statuses(result: Ingested) -> list[str]:
    return [outcome.status for outcome in result.outcomes]


def test_an_unchanged_file_is_neither_read_nor_hashed(
    again: Again, tmp_path: Path, no_hashing: None
) -> None:
    paths = write_run(tmp_path), write_run(tmp_path, TFIDF, "tfidf.run", "tfidf")
    again(*paths)
    result = again(*paths)
    assert (again.read, statuses(result), result.recognised) == ([], ["already stored"] * 2, 2)
    assert [outcome.detail for outcome in result.outcomes] == ["bm25", "tfidf"]


def test_recheck_reads_all(again: Again, tmp_path: Path, no_hashing: None) -> None:
    path = write_run(tmp_path)
    again(path)
    result = again(path, recheck=True)
    assert (again.read, statuses(result), result.recognised) == ([path], ["already stored"], 0)


def test_files_of_a_folder_are_not_opened(
    again: Again, tmp_path: Path, no_hashing: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    write_run(folder)
    write_run(folder, TFIDF, "tfidf.run", "tfidf")
    again(str(folder))

    opened: list[str] = []

    def noted(path: str, *more: Any) -> str:
        opened.append(path)
        return beginning(path, *more)

    monkeypatch.setattr("evalstore.formats.folders.plain.beginning", noted)
    monkeypatch.setattr("evalstore.formats.any_format.beginning", noted)
    assert again(str(folder)).recognised == 2
    assert [path for path in opened if path.startswith(str(folder))] == []


def test_a_file_of_the_same_size_and_time_with_other_bytes_is_read(
    again: Again, tmp_path: Path, settled: None
) -> None:
    path = Path(write_run(tmp_path))
    os.utime(path, ns=(YEAR_2020, YEAR_2020))
    again(str(path))
    path.write_text(run_text(BM25).replace("d1", "d7"))
    os.utime(path, ns=(YEAR_2020, YEAR_2020))
    result = again(str(path))
    assert (again.read, statuses(result)) == ([str(path)], ["failed"])
    assert result.outcomes[0].problem == "run has name"


def test_a_file_that_was_just_written_is_recognised_by_its_bytes(
    again: Again, tmp_path: Path
) -> None:
    """Its times prove nothing: it could change again in the same step of the clock."""
    path = Path(write_run(tmp_path))
    again(str(path))
    assert again(str(path)).recognised == 1
    status = path.stat()
    path.write_text(run_text(BM25).replace("d1", "d7"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert statuses(again(str(path))) == ["failed"]


@pytest.mark.parametrize("change", ["moved", "copied", "touched", "mode"])
def test_a_file_with_the_same_bytes_is_recognised_and_the_next_time_faster(
    again: Again, tmp_path: Path, settled: None, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path(write_run(tmp_path))
    again(str(path))
    other = tmp_path / "elsewhere" / "bm25.run"
    other.parent.mkdir()
    if change == "moved":
        path = path.rename(other)
    elif change == "copied":
        other.write_bytes(path.read_bytes())
        path = other
    elif change == "touched":
        os.utime(path, ns=(YEAR_2020, YEAR_2020))
    else:
        path.chmod(0o600)
    result = again(str(path))
    assert (again.read, statuses(result), result.recognised) == ([], ["already stored"], 1)

    def refuse(path: str, before: object) -> None:
        raise AssertionError(f"{path} is hashed")

    monkeypatch.setattr("evalstore.ingest.store_run.hashed", refuse)
    assert again(str(path)).recognised == 1


def test_a_removed_run_is_restored_without_reading_its_file(
    again: Again, store: Store, tmp_path: Path, no_hashing: None
) -> None:
    path = write_run(tmp_path)
    again(path)
    remove_runs(store, ["bm25"])
    result = again(path)
    assert (again.read, statuses(result)) == ([], ["restored"])


def test_a_purged_run_is_read_again(
    again: Again, store: Store, tmp_path: Path, settled: None
) -> None:
    path = write_run(tmp_path)
    again(path)
    remove_runs(store, ["bm25"])
    purge_runs(store, ["bm25"])
    result = again(path)
    assert (again.read, statuses(result)) == ([path], ["stored"])


def test_a_renamed_run_keeps_its_name(
    again: Again, store: Store, tmp_path: Path, no_hashing: None
) -> None:
    path = write_run(tmp_path)
    again(path)
    rename_run(store, "bm25", "other")
    assert [outcome.detail for outcome in again(path).outcomes] == ["other"]


@pytest.mark.parametrize(
    "more",
    [
        {"engine": "e2"},
        {"experiment": "x"},
        {"facts": GivenFacts(tags=("t",))},
    ],
)
def test_that_a_run_keeps_its_facts_is_said_without_reading(
    again: Again, tmp_path: Path, no_hashing: None, more: dict[str, Any]
) -> None:
    path = write_run(tmp_path)
    again(path)
    (outcome,) = again(path, **more).outcomes
    assert (outcome.status, again.read) == ("already stored", [])
    assert outcome.warnings[0].startswith("run 'bm25' was stored before and keeps its facts")


def test_a_file_under_another_name_is_another_run(
    again: Again, tmp_path: Path, no_hashing: None
) -> None:
    path = write_run(tmp_path)
    again(path)
    (outcome,) = again(path, name="n2").outcomes
    assert (outcome.status, outcome.same_as, again.read) == ("stored", "bm25", [path])
    assert statuses(again(path, name="n2")) == ["already stored"]
    assert statuses(again(path)) == ["already stored"]


@pytest.mark.parametrize(
    "more",
    [
        {"ignore_identical_ids": True},
        {"allow_disjoint": True},
        {"options": ReadOptions(encoding="latin-1")},
        {"options": ReadOptions(formats=("trec-run",))},
    ],
)
def test_a_file_that_is_read_in_another_way_is_read(
    again: Again, tmp_path: Path, settled: None, more: dict[str, Any]
) -> None:
    path = write_run(tmp_path)
    again(path)
    again(path, **more)
    assert again.read == [path]


def test_another_release_of_evalstore_reads_all(
    again: Again, tmp_path: Path, settled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_run(tmp_path)
    again(path)
    monkeypatch.setattr("evalstore.ingest.store_run.__version__", "999")
    again(path)
    assert again.read == [path]


def test_a_run_without_values_under_the_judgments_is_read(
    again: Again, tmp_path: Path, settled: None
) -> None:
    path = write_run(tmp_path)
    again(path)
    result = again(path, grades={**QRELS, "q4": {"d1": 1}})
    assert (again.read, statuses(result)) == ([path], ["evaluated"])


def test_a_run_with_values_of_another_compat_is_read(
    again: Again, tmp_path: Path, settled: None
) -> None:
    path = write_run(tmp_path)
    again(path)
    result = again(path, compat="trec_eval-9")
    assert (again.read, result.outcomes[0].problem) == ([path], "other compat")


def test_an_engine_is_named_as_if_all_files_were_read(
    again: Again, store: Store, tmp_path: Path, settled: None
) -> None:
    """All carry one run tag, a default of a program: also beside those that are not read."""
    paths = [write_run(tmp_path, BM25, "a.run", "t"), write_run(tmp_path, TFIDF, "b.run", "t")]
    again(*paths)
    other = {**BM25, "q1": ["d2"]}
    result = again(*paths, write_run(tmp_path, other, "c.run", "t"))
    assert (result.common_tag, result.recognised) == ("t", 2)
    assert statuses(result) == ["already stored", "already stored", "stored"]


def test_two_files_of_one_name_are_told_although_one_is_not_read(
    again: Again, tmp_path: Path, settled: None
) -> None:
    path = write_run(tmp_path)
    again(path)
    (tmp_path / "other").mkdir()
    second = write_run(tmp_path / "other", TFIDF)
    result = again(path, second)
    assert [outcome.problem for outcome in result.outcomes] == [None, "name twice"]


@pytest.mark.parametrize("seconds_ago", [0, 3600])
def test_a_file_that_changes_while_it_is_read_gets_no_stamp(
    tmp_path: Path, seconds_ago: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if seconds_ago:
        monkeypatch.setattr(file_stamps, "COARSEST_STEP", -(10**18))
    path = tmp_path / "run"
    path.write_bytes(b"a")
    before = path.stat()
    with watched(str(path)) as file:
        path.write_bytes(b"b")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert file.stamp is None


def test_a_file_of_several_runs_is_not_hashed_for_each_of_them(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str, before: object) -> None:
        raise AssertionError(f"{path} is hashed")

    monkeypatch.setattr(file_stamps, "hashed", refuse)
    path = tmp_path / "predictions.json"
    splits = {name: {"q1": {"d1": score}} for name, score in (("dev", 1.0), ("test", 2.0))}
    path.write_text(json.dumps({"mteb_model_meta": {"model_name": "m"}, "default": splits}))
    assert [one.status for one in add(store, tmp_path, str(path))] == ["stored", "stored"]


def test_a_time_in_the_future_proves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text("x")
    os.utime(path, ns=(10**18 * 4, 10**18 * 4))
    now = stamp(str(path))
    assert now is not None
    assert now.version is None


def test_only_files_have_stamps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)
    Path("-").write_text("a file of this name is not standard input")
    for path in (tmp_path, tmp_path / "pipe", tmp_path / "missing", "-", "a\0b"):
        assert stamp(str(path)) is None


@both_databases
def test_the_store_has_no_path(again: Again, store: Store, tmp_path: Path) -> None:
    again(write_run(tmp_path))
    with store.read() as connection:
        row = connection.exec_driver_sql("SELECT path_hash, version FROM run_file").one()
    assert len(row[0]) == 64
    assert str(tmp_path) not in repr(row)
