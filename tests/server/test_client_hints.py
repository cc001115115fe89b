"""What the commands say through a server that somebody does not reach, or who begins with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from listening import Listening, listening

from evalstore.cli import cli
from evalstore.server.people.tokens import create_token
from evalstore.store import Store

pytestmark = pytest.mark.slow  # calls commands through a server


@pytest.fixture
def served(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Listening]:
    """A server without any collection; the settings of the user are in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    with (
        Store.open(str(tmp_path_factory.mktemp("server") / "store.db")) as store,
        listening(store) as listens,
    ):
        yield listens


@pytest.fixture
def token(served: Listening) -> str:
    return create_token(served.store, "ci", "contributor")


def call(*arguments: str, given: str | None = None) -> Result:
    done = CliRunner().invoke(cli, arguments, input=given, catch_exceptions=False)
    assert "Traceback" not in done.output
    return done


def test_an_empty_store_behind_a_server_is_not_said_to_take_the_demo(
    served: Listening, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVALSTORE_TOKEN", token)
    done = call("runs", "--db", served.url)
    assert (done.exit_code, done.stdout) == (
        0,
        "no runs yet: `evalstore ingest --collection NAME --qrels FILE RUN...` stores some\n",
    )
    assert "evalstore demo" in call("runs", "--db", str(served.store.file)).stdout
