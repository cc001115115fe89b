"""Files that grow line by line: whole lines or nothing, one writer, mended after a crash."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import evalstore as ev
from evalstore.errors import Conflict, DataError, FileError
from evalstore.formats import ReadOptions, read_run
from evalstore.ingest import log_run
from evalstore.ingest.log_run import LineFile, Locked

START = b'{"x"'
HAS_FORK = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks as POSIX does")


@pytest.fixture
def file(tmp_path: Path) -> Iterator[LineFile]:
    opened = LineFile(tmp_path / "folder" / "a", new=True)
    yield opened
    opened.close()


def test_a_line_is_in_the_file_when_append_returns(file: LineFile) -> None:
    file.append(b"one\n")
    assert file.path.read_bytes() == b"one\n"
    file.append(b"two\n")
    assert file.path.read_bytes() == b"one\ntwo\n"


@pytest.mark.parametrize("new", [True, False])
def test_a_file_has_one_writer(file: LineFile, new: bool) -> None:
    with pytest.raises(FileExistsError if new else Locked):
        LineFile(file.path, new=new)
    file.close()
    LineFile(file.path, new=False).close()


def test_a_file_that_was_deleted_before_it_was_locked_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    path.touch()
    lock = log_run.lock

    def late(file: Any) -> bool:
        path.unlink()
        return lock(file)

    monkeypatch.setattr(log_run, "lock", late)
    with pytest.raises(Locked):
        LineFile(path, new=False)


@pytest.mark.parametrize(
    ("content", "mended"),
    [
        (b"", b""),
        (b'{"x', b""),
        (b'{"x": 1}\n', b'{"x": 1}\n'),
        (b'{"x": 1}', b'{"x": 1}\n'),
        (b'{"x": 1}\n{"y": ', b'{"x": 1}\n'),
        (b'{"x": 1}\n\0\0\0\0', b'{"x": 1}\n'),
        (b'{"x": 1}\n{"y": "\xc3', b'{"x": 1}\n'),
        (b'{"x": 1}\n' + b"[" * 100_000, b'{"x": 1}\n'),
    ],
)
def test_what_a_crash_left_of_a_line_is_removed(
    tmp_path: Path, content: bytes, mended: bytes
) -> None:
    (tmp_path / "a").write_bytes(content)
    file = LineFile(tmp_path / "a", new=False)
    assert (file.mend(START) > 0) == bool(mended)
    assert file.path.read_bytes() == mended
    file.append(b"next\n")
    file.close()
    assert file.path.read_bytes() == mended + b"next\n"


def test_a_file_of_another_kind_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a thesis")
    file = LineFile(tmp_path / "a", new=False)
    with pytest.raises(FileError, match='a:1: a line that begins with {"x" is first'):
        file.mend(START)
    file.close()
    assert file.path.read_bytes() == b"a thesis"


class Full:
    """A file whose disk is full after some bytes."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._left = 7

    def write(self, data: memoryview) -> int:
        if not self._left:
            raise OSError(28, "No space left on device")
        written: int = self._file.write(data[: self._left])
        self._left -= written
        return written

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def test_a_full_disk_leaves_nothing_of_the_line(
    file: LineFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.append(b"one\n")
    with monkeypatch.context() as patch:
        patch.setattr(file, "_file", Full(file._file))
        with pytest.raises(FileError, match="a: no space left on device"):
            file.append(b"two and more\n")
    file.append(b"two\n")
    assert file.path.read_bytes() == b"one\ntwo\n"


def test_a_folder_that_can_not_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FileError, match="a: not a directory"):
        LineFile(tmp_path / "file" / "a", new=True)


# --- runs ----------------------------------------------------------------------------------------


def test_several_threads_log_into_one_run(tmp_path: Path) -> None:
    def log(thread: int) -> None:
        for number in range(50):
            run.log(f"{thread}-{number}", {"d1": thread, "d2": number})
            with suppress(DataError):  # all of them log this one, and one of them can
                run.log("shared", {"d1": thread})

    with ev.offline(tmp_path).start_run("e", "c", "a") as run:
        threads = [threading.Thread(target=log, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    logged = read_run(str(run.path))
    assert len(logged.qids) == 8 * 50 + 1
    assert len(logged.to_dict()["shared"]) == 1


def test_a_run_is_logged_by_one_object_at_a_time(tmp_path: Path) -> None:
    offline = ev.offline(tmp_path)
    run = offline.start_run("e", "c", "a")
    run.log("q1", {"d1": 1})
    with pytest.raises(Conflict, match="run 'a' was begun before, in .*: resume=True goes on"):
        offline.start_run("e", "c", "a")
    with pytest.raises(Conflict, match="run 'a' is being logged already"):
        offline.start_run("e", "c", "a", resume=True)
    run.end()
    with pytest.raises(DataError, match="run 'a' has ended"):
        run.log("q2", {"d1": 1})


@HAS_FORK
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_forked_process_neither_logs_nor_ends_the_run_nor_keeps_it_locked(tmp_path: Path) -> None:
    with ev.offline(tmp_path).start_run("e", "c", "a") as run:
        run.log("q1", {"d1": 1})
        child = os.fork()
        if child == 0:
            status = 1
            with suppress(BaseException):
                try:
                    run.log("q2", {"d1": 1})
                except DataError as error:
                    run.__exit__(None, None, None)
                    status = 0 if "by the process that started it" in str(error) else 2
            os._exit(status)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        run.log("q3", {"d1": 1})
    assert read_run(str(run.path)).qids == ("q1", "q3")


def test_a_query_is_logged_twice_only_with_the_same_answer(tmp_path: Path) -> None:
    with ev.offline(tmp_path).start_run("e", "c", "a") as run:
        run.log("q1", [("d1", 2), ("d2", 1)], milliseconds=5)
        run.log("q1", {"d2": 1, "d1": 2.0}, milliseconds=7)
        for other in ({"d1": 2}, {"d1": 2, "d2": 1.5}, {}):
            with pytest.raises(DataError, match="a: query 'q1' was logged before, with other docu"):
                run.log("q1", other)
        assert run.logged == {"q1"}
    assert read_run(str(run.path)).times == {"q1": 5.0}


def test_an_answer_that_is_refused_leaves_nothing(tmp_path: Path) -> None:
    with ev.offline(tmp_path).start_run("e", "c", "a") as run:
        run.log("q1", {"d1": 1})
        before = run.path.read_bytes()
        with pytest.raises(DataError, match="is not a finite number"):
            run.log("q2", {"d1": 1, "d2": float("inf")})
        with pytest.raises(DataError, match="memory bytes can't be -1"):
            run.annotate(memory_bytes=-1)
        assert run.path.read_bytes() == before


@pytest.mark.parametrize(
    ("engine", "params", "message"),
    [
        ("f", {"k1": 1}, "begun with another engine, 'e' and not 'f'"),
        ("e", {"k1": 2}, "begun with another parameter k1, 1 and not 2"),
        ("e", {}, "begun with another parameter k1, 1 and not None"),
    ],
)
def test_another_run_is_not_resumed(
    tmp_path: Path, engine: str, params: dict[str, Any], message: str
) -> None:
    offline = ev.offline(tmp_path)
    run = offline.start_run("e", "c", "a", params={"k1": 1})
    run.log("q1", {"d1": 1})
    with pytest.raises(KeyError), run:
        raise KeyError
    with pytest.raises(Conflict, match=message):
        offline.start_run(engine, "c", "a", params=params, resume=True)
    assert read_run(str(run.path), ReadOptions(unfinished=True)).qids == ("q1",)


def test_the_current_folder_may_change_while_a_run_is_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other").mkdir()
    with pytest.raises(DataError), ev.offline("runs").start_run("e", "c", "a") as run:
        monkeypatch.chdir(tmp_path / "other")
    assert not run.path.exists()
    assert run.path.parent == tmp_path / "runs"


def test_a_run_without_a_name_is_not_resumed(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="a run is resumed by its name"):
        ev.offline(tmp_path).start_run("e", "c", resume=True)


def test_facts_given_otherwise_when_a_run_is_resumed_replace_those_before(tmp_path: Path) -> None:
    offline = ev.offline(tmp_path)
    first: dict[str, Any] = {"note": "one", "tags": ["a"]}
    run = offline.start_run("e", "c", "a", **first)
    run.log("q1", {"d1": 1})
    run.annotate(note="from the block", tags=["b"])
    with pytest.raises(KeyError), run:
        raise KeyError
    with offline.start_run("e", "c", "a", resume=True, **first, commit="4f2a9c1") as run:
        pass
    facts = read_run(str(run.path)).facts
    assert (facts["note"], facts["tags"]) == ("from the block", ("a", "b"))
    assert facts["commit"] == "4f2a9c1"


@pytest.mark.parametrize("name", ["../../etc/passwd", "a\u202eb", "x" * 1000, "🦉", ".", "con"])
def test_names_of_any_kind_are_files_of_the_folder(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "folder"
    with ev.offline(folder).start_run(name, name, name) as run:
        run.log("q1", {"d1": 1})
    [path] = folder.iterdir()
    assert path == run.path
    assert len(path.name) < 200
    assert read_run(str(path)).names == {"run": name, "engine": name, "collection": name}
