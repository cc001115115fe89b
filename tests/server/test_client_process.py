"""The program as people and CI call it: with one secret, and with a token that is kept."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from listening import Listening, listening
from own_store import filled
from samples import TFIDF, write_run

from evalstore.cli import cli
from evalstore.server.people.tokens import create_token
from evalstore.store import Store

pytestmark = pytest.mark.slow  # a process is started

GATE = ("check", "new.run", "--baseline", "bm25", "--fail-if")


@pytest.fixture
def served(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Listening]:
    """A server whose collection `test` has the run bm25; the caller has no token yet."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    file = tmp_path_factory.mktemp("server") / "store.db"
    file.write_bytes(filled())
    with Store.open(str(file)) as store, listening(store) as listens:
        yield listens


def call(served: Listening, *arguments: str) -> tuple[int, str]:
    """The exit status and what is printed, of a command with the server as --db."""
    done = CliRunner().invoke(cli, ["--db", served.url, *arguments])
    return done.exit_code, done.stdout + done.stderr


def test_a_gate_in_ci_is_one_command_with_one_secret(served: Listening, tmp_path: Path) -> None:
    write_run(tmp_path, TFIDF, "new.run", "new")
    assert call(served, *GATE, "AP drop > 9")[0] == 2  # without the secret
    done = subprocess.run(
        [sys.executable, "-m", "evalstore", "--db", served.url, *GATE, "AP drop > 0.01"],
        env={**os.environ, "EVALSTORE_TOKEN": create_token(served.store, "ci", "contributor")},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 1
    assert done.stdout.splitlines()[0] == "new against bm25: 1 of 1 rule failed"


def test_after_login_runs_are_stored_and_listed(served: Listening, tmp_path: Path) -> None:
    write_run(tmp_path, TFIDF, "tfidf.run", "tfidf")
    (tmp_path / "token").write_text(create_token(served.store, "ci", "contributor"))
    assert call(served, "server", "login", served.url, "--token-file", "token")[0] == 0
    stored = call(served, "ingest", "--collection", "test", "tfidf.run")
    assert stored == (0, "stored          tfidf\n[1/1, 100%] tfidf.run\n")
    assert "tfidf" in call(served, "runs")[1]
    assert call(served, "compare", "bm25", "tfidf")[0] == 0
