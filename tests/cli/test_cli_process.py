"""The program as a process: closed pipes, narrow encodings, arguments that are no text."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from samples import write_qrels, write_run

from evalstore import __version__

pytestmark = pytest.mark.slow  # processes of their own

PROGRAM = (sys.executable, "-m", "evalstore")


def test_a_reader_that_goes_away_is_no_error(folder: Path) -> None:
    many = {f"q{i}": {"d": 1} for i in range(20_000)}
    qrels, run = write_qrels(folder, many), write_run(folder, {qid: ["d"] for qid in many})
    with subprocess.Popen(
        [*PROGRAM, "evaluate", qrels, run, "-m", "AP", "-q", "--format", "csv"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout
        assert process.stderr
        assert process.stdout.readline() == b"query,measure,value\n"
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_an_output_in_a_narrow_encoding_gets_escapes_and_no_crash(folder: Path) -> None:
    qrels, run = write_qrels(folder, {"käse🦉": {"d": 1}}), write_run(folder, {"käse🦉": ["d"]})
    done = subprocess.run(
        [*PROGRAM, "evaluate", qrels, run, "-m", "AP", "-q", "--format", "trec"],
        env={**os.environ, "PYTHONIOENCODING": "latin-1"},
        capture_output=True,
        check=True,
    )
    assert done.stdout.startswith(b"AP\tk\xe4se\\U0001f989\t1.0000")


def test_an_argument_that_is_no_text_is_one_line_and_status_1(folder: Path) -> None:
    done = subprocess.run(
        [*PROGRAM, "runs", "--collection", b"\xff"], capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, b"")
    assert len(done.stderr.splitlines()) == 1


def test_the_module_is_the_program() -> None:
    done = subprocess.run([*PROGRAM, "--version"], capture_output=True, check=True, text=True)
    assert done.stdout == f"evalstore, version {__version__}\n"
