"""Many files in several processes: the same results, in the same order, whatever happens to one."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from evalstore.errors import FileError
from evalstore.evaluation import parallel
from evalstore.evaluation.parallel import each, pays
from evalstore.formats import read_run

pytestmark = pytest.mark.slow  # processes of their own

PRELOAD = "evalstore.formats"


@pytest.fixture(autouse=True)
def always_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "WORTH_IT", 0)


@pytest.mark.parametrize("jobs", [1, 2, 40])
def test_results_come_in_the_order_of_the_paths(jobs: int) -> None:
    asked = [f"{i} * {i}" for i in range(20)]
    done = list(each(eval, asked, jobs=jobs, preload=PRELOAD))
    assert [one.path for one in done] == asked
    assert [one.result for one in done] == [i * i for i in range(20)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_bad_file_fails_alone(tmp_path: Path, jobs: int) -> None:
    good = tmp_path / "good.run"
    good.write_text("q1 Q0 d1 1 2.5 tag\n")
    paths = [str(good), str(tmp_path / "missing.run"), str(good)]
    first, second, third = each(read_run, paths, jobs=jobs, preload=PRELOAD)
    assert first.result is not None
    assert third.result is not None
    assert second.result is None
    assert isinstance(second.error, FileError)
    assert str(second.error) == f"{paths[1]}: no such file or directory"


@pytest.mark.parametrize("dies_at", [0, 7, 20])
def test_a_process_that_dies_is_an_error_of_its_file_alone(dies_at: int) -> None:
    dies = "__import__('os')._exit(1)"
    asked = ["1"] * 20
    asked.insert(dies_at, dies)
    done = list(each(eval, asked, jobs=2, preload=PRELOAD))
    assert [one.path for one in done] == asked
    died = done.pop(dies_at).error
    assert died is not None
    assert died.problem == "process died"
    assert [one.result for one in done] == [1] * 20


def test_processes_that_all_die_are_an_error_of_every_file() -> None:
    done = list(each(eval, ["__import__('os')._exit(1)"] * 6, jobs=3, preload=PRELOAD))
    assert [one.error and one.error.problem for one in done] == ["process died"] * 6


class Counted:
    """A work that notes in a file how often it was unpacked."""

    def __init__(self, notes: Path) -> None:
        self.notes = notes

    def __setstate__(self, state: dict[str, Path]) -> None:
        self.__dict__.update(state)
        with self.notes.open("a") as notes:
            notes.write("unpacked\n")

    def __call__(self, path: str) -> str:
        return path


def test_each_process_receives_the_work_once(tmp_path: Path) -> None:
    """It holds the judgments: megabytes that need not be sent with every file."""
    work = Counted(tmp_path / "notes")
    done = list(each(work, [str(i) for i in range(20)], jobs=2, preload=PRELOAD))
    assert [one.result for one in done] == [str(i) for i in range(20)]
    assert len(work.notes.read_text().splitlines()) <= 2


@pytest.mark.parametrize("count", [10, 100_000])
def test_arrays_come_back_as_they_were_and_can_be_written_to(count: int) -> None:
    asked = [f"__import__('numpy').arange({count})"] * 2
    for one in each(eval, asked, jobs=2, preload=PRELOAD):
        assert one.result is not None
        one.result[0] = 7
        assert one.result.tolist() == [7, *range(1, count)]


def test_an_interrupt_reaches_no_process() -> None:
    """Ctrl-C in a terminal goes to all of them; only the one that writes decides."""
    signals = "__import__('signal')"
    interrupted = f"{signals}.raise_signal({signals}.SIGINT) or 'read on'"
    done = list(each(eval, [interrupted] * 4, jobs=2, preload=PRELOAD))
    assert [one.result for one in done] == ["read on"] * 4


def test_who_takes_no_more_results_waits_for_no_process() -> None:
    """A file may be a pipe into which nobody writes."""
    done = each(eval, ["1", "__import__('time').sleep(1000)"], jobs=2, preload=PRELOAD)
    assert next(done).result == 1
    done.close()


def test_a_process_that_is_being_started_when_nobody_wants_results_reads_nothing() -> None:
    """Closed at once: the second process is not there yet, and is not forgotten either."""
    for _ in range(5):
        done = each(eval, ["1", *["__import__('time').sleep(1000)"] * 3], jobs=4, preload=PRELOAD)
        assert next(done).result == 1
        done.close()


def test_processes_end_when_the_one_that_started_them_is_killed() -> None:
    program = f"""
import time
from evalstore.evaluation import parallel
parallel.WORTH_IT = 0
done = parallel.each(eval, ["1"] * 4, jobs=3, preload={PRELOAD!r})
print(next(done).result, flush=True)
time.sleep(1000)
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdout.readline() == b"1\n"
        process.kill()
        # It ends when nobody has the pipe open any more.
        assert process.communicate(timeout=300)[0] == b""


def test_this_process_is_interrupted_as_before() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever the tests run under
    done = iter(each(eval, ["1"] * 4, jobs=2, preload=PRELOAD))
    assert next(done).result == 1
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    assert [one.result for one in done] == [1, 1, 1]


def test_a_mistake_of_our_own_is_not_taken_for_a_bad_file() -> None:
    with pytest.raises(ZeroDivisionError):
        list(each(eval, ["1", "1 / 0"], jobs=2, preload=PRELOAD))


def test_processes_are_started_only_where_they_pay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "WORTH_IT", 10)
    small, large = tmp_path / "small", tmp_path / "large"
    small.write_bytes(b"1" * 4)
    large.write_bytes(b"1" * 6)
    assert pays([str(small), str(large)], jobs=2)
    assert not pays([str(small), str(small)], jobs=2)
    assert not pays([str(large), str(large)], jobs=1)
    assert not pays([str(large) * 2], jobs=2)
    assert not pays([str(large), str(large), "-"], jobs=2)
