"""A full disk, a closed output, a reader that goes away, Ctrl-C: one line, and no traceback."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest
from commands import CALLS, OTHERS, UNTESTED, status_of_error
from forked_program import ForkedProgram
from nightly import one_in
from samples import Program, write_qrels, write_run
from test_cli_help import ALL, found

from evalstore.store import Store

Call = Callable[[tuple[str, ...], str], tuple[int, str]]

pytestmark = pytest.mark.slow  # a process for each command and fault

PROGRAM = (sys.executable, "-m", "evalstore")
EVERY = [*CALLS, *OTHERS]

FAULTS = ("full", "pipe", "closed", "interrupt")
WITH_EVERY_FAULT = {
    ("export", "run", "bm25"),  # writes lines
    ("runs",),  # a table
    ("export", "report", "bm25", "--output", "r.html"),  # a file, and a line about it
    ("collections", "rm", "test"),  # into the store
    ("server", "start", "--port", "0"),  # serves until it is stopped
}
SLOW = ("demo", "--no-serve")  # takes seconds, unless it ends before it does anything


@pytest.fixture
def call(forked: ForkedProgram, filled_folder: Path, folder: Path) -> Call:
    """Call the program in a copy of the folder, with something broken."""
    shutil.copytree(filled_folder, folder, dirs_exist_ok=True)
    return calling(forked)


@pytest.fixture
def call_in_vain(
    forked: ForkedProgram, filled_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Call]:
    """The same in the folder itself, where a command ends before it does anything."""
    before = contents_of(filled_folder)
    monkeypatch.chdir(filled_folder)
    yield calling(forked)
    assert contents_of(filled_folder) == before


def contents_of(folder: Path) -> dict[Path, bytes]:
    """All files of a folder."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def calling(forked: ForkedProgram) -> Call:
    """What calls the program in the current folder; a traceback fails the test."""

    def call(arguments: tuple[str, ...], fault: str) -> tuple[int, str]:
        status, errors = forked.with_fault(arguments, fault)
        assert "Traceback" not in errors, errors
        assert "Exception ignored" not in errors, errors
        return status, errors

    return call


def calls_with(fault: str) -> list[tuple[str, ...]]:
    """The calls with this fault: all commands end in the same way, so that one fault is enough."""
    chosen = {call: FAULTS[number % len(FAULTS)] for number, call in enumerate(EVERY)}
    chosen[SLOW] = "closed"
    return [call for call in EVERY if call in WITH_EVERY_FAULT or chosen[call] == fault]


def test_every_command_is_called_here() -> None:
    called = {path for path in ALL for call in EVERY if call[: len(path)] == path}
    leaves = {path for path in ALL if not isinstance(found(path), click.Group)}
    assert leaves - called == UNTESTED


@pytest.mark.parametrize("arguments", calls_with("full"), ids=" ".join)
def test_a_full_disk_is_one_line_and_status_1(call: Call, arguments: tuple[str, ...]) -> None:
    status, errors = call(arguments, "full")
    assert errors.splitlines()[-1] == "standard output: no space left on device"
    assert status == 1


@pytest.mark.parametrize("arguments", calls_with("closed"), ids=" ".join)
def test_a_closed_output_is_one_line_and_status_1_and_nothing_is_done(
    call_in_vain: Call, arguments: tuple[str, ...]
) -> None:
    status, errors = call_in_vain(arguments, "closed")
    (line,) = errors.splitlines()
    assert line.startswith("standard output is closed")
    assert status == 1


@pytest.mark.parametrize("arguments", one_in(2, calls_with("pipe")), ids=" ".join)
def test_a_reader_that_went_away_is_no_error(call: Call, arguments: tuple[str, ...]) -> None:
    status, errors = call(arguments, "pipe")
    assert "standard output" not in errors
    assert status == 0


@pytest.mark.parametrize("arguments", calls_with("interrupt"), ids=" ".join)
def test_an_interrupt_at_the_beginning_is_status_130_and_nothing_is_done(
    call_in_vain: Call, arguments: tuple[str, ...]
) -> None:
    assert call_in_vain(arguments, "interrupt") == (130, "interrupted\n")


@pytest.mark.parametrize("arguments", CALLS, ids=" ".join)
def test_two_slashes_are_told_what_is_meant(program: Program, arguments: tuple[str, ...]) -> None:
    status = status_of_error(arguments)
    done = program(*arguments, "--db", "sqlite://evalstore.db", status=status)
    (line,) = done.stderr.splitlines()
    assert "write sqlite:///evalstore.db for a file" in line


@pytest.mark.parametrize(
    ("output", "status", "message"),
    [
        (">&-", 1, "standard output is closed"),
        (">/dev/full", 1, "standard output: no space left on device"),
        ("| true; exit ${PIPESTATUS[0]}", 0, ""),
    ],
)
def test_a_whole_process_ends_in_the_same_way(
    call: Call, output: str, status: int, message: str
) -> None:
    """The calls above end without the last steps of Python; these do not."""
    command = f"{' '.join(PROGRAM)} export run bm25 {output}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == status
    assert done.stderr.startswith(message)
    assert len(done.stderr.splitlines()) == bool(message)


@pytest.mark.parametrize(
    "arguments",
    [
        ("export", "run", "bm25"),
        ("export", "leaderboard", "test", "--format", "csv"),
        ("sql", "SELECT 1"),
    ],
)
def test_a_file_that_can_not_be_written_is_one_line(call: Call, arguments: tuple[str, ...]) -> None:
    assert call((*arguments, "-o", "/dev/full"), "") == (
        1,
        "/dev/full: no space left on device\n",
    )
    assert Path("/dev/full").is_char_device()


# --- Ctrl-C in an ingest -------------------------------------------------------------------------

PATIENCE = 300

SEVERAL_PROCESSES = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from evalstore.evaluation import parallel; parallel.WORTH_IT = 0; "
    "from evalstore.cli import main; main()"
)


def writer_of(pipe: Path, process: subprocess.Popen[str]) -> int:
    """The end of a pipe for who writes, once the process has opened the pipe to read it."""
    while True:
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:  # nobody has opened it
            assert process.poll() is None
            time.sleep(0.02)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_an_interrupted_ingest_says_what_is_stored_and_what_is_not(folder: Path, jobs: str) -> None:
    """The second file is a pipe into which nobody writes: the interrupt comes while it is read."""
    qrels, first = write_qrels(folder), write_run(folder)
    os.mkfifo(folder / "endless.run")
    process = subprocess.Popen(
        [
            *(sys.executable, "-c", SEVERAL_PROCESSES, "ingest", "--collection", "test"),
            *("--jobs", jobs, "--qrels", qrels, first, "endless.run", "third.run"),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr
    assert process.stderr.readline().endswith("bm25.run\n")  # it is stored
    writer = writer_of(folder / "endless.run", process)
    os.killpg(process.pid, signal.SIGINT)  # to all of its processes, as a terminal does
    output, errors = process.communicate(timeout=PATIENCE)
    os.close(writer)
    assert output == "stored          bm25\n1 stored, 2 not reached\n"
    assert errors == "interrupted; not stored: endless.run, third.run\n"
    assert process.returncode == 130
    with Store.open("evalstore.db") as store:
        assert len(store.damages()) == 0
