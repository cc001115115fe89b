"""The program as people and CI call it, against `evalstore server start` as a process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from samples import TFIDF, write_run
from server_process import ServerProcess, serving

pytestmark = pytest.mark.slow  # processes are started


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with serving(tmp_path_factory.mktemp("server")) as process:
        yield process


def call(served: ServerProcess, folder: Path, *arguments: str, **variables: str) -> tuple[int, str]:
    """The exit status and what is printed, of a command with the server as --db."""
    done = subprocess.run(
        [sys.executable, "-m", "evalstore", "--db", f"http://127.0.0.1:{served.port}", *arguments],
        cwd=folder,
        env={**os.environ, "XDG_CONFIG_HOME": str(folder), **variables},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    return done.returncode, done.stdout + done.stderr


def test_a_gate_in_ci_is_one_command_with_one_secret(served: ServerProcess, tmp_path: Path) -> None:
    write_run(tmp_path, TFIDF, "new.run", "new")
    gate = ("check", "new.run", "--baseline", "bm25", "--fail-if")
    secret = {"EVALSTORE_TOKEN": served.token}
    status, printed = call(served, tmp_path, *gate, "AP drop > 0.01", **secret)
    assert (status, printed.splitlines()[0]) == (1, "new against bm25: 1 of 1 rule failed")
    assert call(served, tmp_path, *gate, "AP drop > 9", **secret)[0] == 0
    assert call(served, tmp_path, *gate, "AP drop > 9")[0] == 2  # without the secret


def test_after_login_runs_are_stored_and_listed(served: ServerProcess, tmp_path: Path) -> None:
    write_run(tmp_path, TFIDF, "tfidf.run", "tfidf")
    (tmp_path / "token").write_text(served.token)
    url = f"http://127.0.0.1:{served.port}"
    assert call(served, tmp_path, "server", "login", url, "--token-file", "token")[0] == 0
    stored = call(served, tmp_path, "ingest", "--collection", "test", "tfidf.run")
    assert stored == (0, "stored          tfidf\n[1/1, 100%] tfidf.run\n")
    assert "tfidf" in call(served, tmp_path, "runs")[1]
    assert call(served, tmp_path, "compare", "bm25", "tfidf")[0] == 0
