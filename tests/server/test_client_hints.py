"""What the commands say through a server that somebody does not reach, or who begins with it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from browserless import Browserless, as_json
from click.testing import CliRunner, Result
from listening import Listening, listening
from team_server import ADMINISTRATOR, PASSWORD, URL, Served

from evalstore.cli import cli
from evalstore.client import connection
from evalstore.server.people.tokens import create_token
from evalstore.server.setup import set_up
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


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("evs_a\nevs_b", "the token has a line break in it: give the line with the token alone"),
        ("evs_a\r\nb", "the token has a line break in it: give the line with the token alone"),
        ("Bearer evs_a", "the token has a space in it: give the token alone, as in `evs_...`"),
        ("evs_\x1b[31m", "the token has characters that no token has"),
    ],
)
def test_what_is_wrong_with_the_token_of_the_variable_is_named_with_the_variable(
    served: Listening, monkeypatch: pytest.MonkeyPatch, text: str, fault: str
) -> None:
    monkeypatch.setenv("EVALSTORE_TOKEN", text)
    done = call("runs", "--db", served.url)
    assert (done.exit_code, done.stderr) == (1, f"EVALSTORE_TOKEN: {fault}\n")
    assert served.requests == []


def test_a_line_break_at_the_end_of_the_variable_does_no_harm(
    served: Listening, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVALSTORE_TOKEN", f"{token}\r\n")
    assert call("runs", "--db", served.url).exit_code == 0


def test_who_has_a_wrong_token_is_told_where_it_may_come_from(
    served: Listening, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = f"{served.url} does not take this token: it is wrong, has expired or was revoked"
    done = call("server", "login", served.url, given="evs_wrong\n")
    assert (done.exit_code, done.stderr) == (
        1,
        f"{refused}; an administrator makes one with "
        "`evalstore server tokens create NAME --role ROLE`\n",
    )
    monkeypatch.setenv("EVALSTORE_TOKEN", "evs_wrong")
    assert call("runs", "--db", served.url).stderr == (
        f"{refused}: `evalstore server login URL` keeps another one, and EVALSTORE_TOKEN, if set, "
        "counts before it\n"
    )


def test_login_tells_of_the_variable_that_counts_before_what_is_kept(
    served: Listening, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert call("server", "login", served.url, given=token).stderr == ""
    monkeypatch.setenv("EVALSTORE_TOKEN", "evs_other")
    done = call("server", "login", served.url, given=token)
    assert (done.exit_code, done.stderr) == (
        0,
        "warning: EVALSTORE_TOKEN is set, and counts before the token that is kept\n",
    )


@contextmanager
def not_encrypted(answer: bytes) -> Iterator[str]:
    """The https address of a program that answers each connection with a text, or not at all."""
    with socket.create_server(("127.0.0.1", 0)) as listens:
        taken: list[socket.socket] = []

        def serve() -> None:
            while True:
                try:
                    connected, _ = listens.accept()
                except OSError:
                    return
                taken.append(connected)
                if answer:
                    connected.recv(1000)
                    connected.sendall(answer)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield f"https://127.0.0.1:{listens.getsockname()[1]}"
        finally:
            for connected in taken:
                connected.close()


def test_https_at_a_port_of_http_is_said_to_be_the_likely_cause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("EVALSTORE_TOKEN", "evs_any")
    with not_encrypted(b"HTTP/1.1 400 Bad Request\r\n\r\n") as url:
        assert call("runs", "--db", url).stderr == (
            f"{url} can't be reached: it does not speak https: give its address with http://, if "
            "it is meant\n"
        )
    monkeypatch.setattr(connection, "CONNECT_SECONDS", 0.1)
    monkeypatch.setattr(connection, "ANSWER_SECONDS", 0.1)
    with not_encrypted(b"") as url:
        assert call("runs", "--db", url).stderr == (
            f"{url} can't be reached: it did not answer in time: check that it speaks https, and "
            "not http\n"
        )


def test_commands_are_advised_through_the_server_that_shows_the_page(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'secret.db'}") as store:
        set_up(store, URL, ADMINISTRATOR, PASSWORD)
        served = Served(store)
        served.log_in()
        page = as_json(Browserless(served.browser).page("/"))
    ingest = f"evalstore --db {URL} ingest --collection NAME --qrels QRELS RUN..."
    assert f'"{ingest}"' in page
    assert "demo" not in page
    assert "secret.db" not in page
