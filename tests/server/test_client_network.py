"""What a client does where the network breaks, and to whom it gives its token."""

from __future__ import annotations

import json
import os
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import requests
from breaking_proxy import BreakingProxy, breaking_proxy
from click.testing import CliRunner, Result
from listening import Listening, listening
from samples import TFIDF, add, write_run

from evalstore.cli import cli
from evalstore.client import ingest as sending
from evalstore.client.connection import Server, Unreachable, parse_address
from evalstore.errors import StoreError
from evalstore.server.jobs import uploads
from evalstore.server.people.tokens import create_token, revoke_token
from evalstore.store import Store

pytestmark = pytest.mark.slow  # connections that break

PIECE = 40_000


@pytest.fixture
def proxy() -> Iterator[BreakingProxy]:
    with breaking_proxy() as listens:
        yield listens


@pytest.fixture
def served(
    proxy: BreakingProxy,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Listening]:
    """A server behind the proxy; the settings of the user are in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    monkeypatch.setattr(sending, "PIECE", PIECE)
    monkeypatch.setattr(sending, "SHORTEST_PAUSE", 0.01)
    monkeypatch.setattr(uploads, "SECONDS_TO_WAIT", 0)
    folder = tmp_path_factory.mktemp("server")
    with Store.open(str(folder / "store.db")) as store:
        add(store, folder, write_run(folder))
        with listening(store, proxy.port) as listens:
            proxy.target = listens.port
            yield listens


@pytest.fixture
def token(served: Listening) -> str:
    return create_token(served.store, "ci", "contributor")


def call(*arguments: str, given: str | None = None) -> Result:
    done = CliRunner().invoke(cli, list(arguments), input=given, catch_exceptions=False)
    assert "Traceback" not in done.output
    return done


def large_run(folder: Path) -> str:
    """A run of some 300 KB."""
    lines = (f"q{q} Q0 d{d} {d} {9000 - d} large\n" for q in (1, 2, 3) for d in range(1, 4001))
    path = folder / "large.run"
    path.write_text("".join(lines))
    return str(path)


def test_an_upload_goes_on_where_the_network_broke(
    served: Listening,
    proxy: BreakingProxy,
    token: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("EVALSTORE_TOKEN", token)
    file = large_run(tmp_path)
    size = os.path.getsize(file)
    proxy.limits = [30_000, 1, 300, 20_000]
    done = call("ingest", "--collection", "test", file, "--db", served.url)
    assert (done.exit_code, done.stdout) == (0, "stored          large\n"), done.stderr
    assert proxy.broken == 4
    pieces = [path for method, path, _ in served.requests if method == "PUT"]
    # Each break costs a piece at most.
    assert len(pieces) <= -(-size // PIECE) + proxy.broken


def test_an_upload_that_never_gets_through_ends_with_what_to_do(
    served: Listening,
    proxy: BreakingProxy,
    token: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("EVALSTORE_TOKEN", token)
    monkeypatch.setattr(sending, "PATIENCE", 0.3)
    file = large_run(tmp_path)
    proxy.limits = [300] * 1000
    done = call("ingest", "--collection", "test", file, "--db", served.url)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "and the same command goes on from there" in done.stderr
    proxy.limits = []
    monkeypatch.setattr(sending, "PATIENCE", 60)
    assert call("ingest", "--collection", "test", file, "--db", served.url).exit_code == 0


def test_a_run_is_stored_and_not_already_there_where_only_the_answer_was_lost(
    served: Listening, token: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    once, lost = Server.once, []

    def answer(self: Server, method: str, path: str, **sent: Any) -> requests.Response:
        came = once(self, method, path, **sent)
        if path.endswith("/runs") and came.status_code == 201 and not lost:
            lost.append(came)
            raise Unreachable(self.address, requests.exceptions.ChunkedEncodingError())
        return came

    monkeypatch.setattr(Server, "once", answer)
    monkeypatch.setenv("EVALSTORE_TOKEN", token)
    file = write_run(tmp_path, TFIDF, "tfidf.run", "tfidf")
    ingest = ("ingest", "--collection", "test", file, "--db", served.url)
    assert call(*ingest).stdout == "stored          tfidf\n"
    assert lost
    assert call(*ingest).stdout == "already stored  tfidf\n"


def test_a_run_that_another_account_stores_meanwhile_is_there_already(
    served: Listening, token: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_run(tmp_path, TFIDF, "tfidf.run", "tfidf")
    ingest = ("ingest", "--collection", "test", file, "--db", served.url)
    other, send = create_token(served.store, "other", "contributor"), sending.send

    def send_after_another(*given: Any) -> None:
        monkeypatch.setattr(sending, "send", send)
        with monkeypatch.context() as patch:
            patch.setenv("EVALSTORE_TOKEN", other)
            assert call(*ingest).stdout == "stored          tfidf\n"

    monkeypatch.setattr(sending, "send", send_after_another)
    monkeypatch.setenv("EVALSTORE_TOKEN", token)
    assert call(*ingest).stdout == "already stored  tfidf\n"


def test_login_tries_a_token_and_keeps_it_for_its_owner_alone(
    served: Listening, token: str, tmp_path: Path
) -> None:
    done = call("server", "login", served.url, given=f"{token}\n")
    file = tmp_path / "settings" / "evalstore" / "tokens.json"
    assert done.stdout == f"token for {served.url} kept in {file}\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert [path.name for path in file.parent.iterdir()] == ["tokens.json"]
    assert json.loads(file.read_text()) == {served.url: token}
    assert "bm25" in call("runs", "--db", f"{served.url}/").stdout
    assert call("server", "logout", served.url).stdout == f"token for {served.url} forgotten\n"
    assert json.loads(file.read_text()) == {}
    assert call("server", "logout", served.url).exit_code == 1
    refused = call("runs", "--db", served.url)
    assert refused.exit_code == 1
    assert refused.stderr == (
        f"{served.url} takes a token, and there is none for it: `evalstore server login URL` keeps "
        "a token, or set EVALSTORE_TOKEN\n"
    )


def test_a_token_is_read_from_a_file_and_a_wrong_one_is_not_kept(
    served: Listening, token: str, tmp_path: Path
) -> None:
    file = tmp_path / "token"
    file.write_text(f"{token}\n")
    assert call("server", "login", served.url, "--token-file", str(file)).exit_code == 0
    for text in ("evs_wrong", "", "two words", "line\x1b[31m", "é"):
        file.write_text(f"{text}\n")
        done = call("server", "login", served.url, "--token-file", str(file))
        assert (done.exit_code, done.stdout) == (1, ""), text
        assert not text.strip() or text not in done.stderr
    assert call("runs", "--db", served.url).exit_code == 0
    assert call("server", "login", served.url, "--token-file", "missing").stderr == (
        "missing: no such file or directory\n"
    )


@pytest.mark.parametrize("fault", ["wrong", "expired", "revoked"])
def test_a_token_that_does_not_count_is_told_of(
    served: Listening, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    token = "evs_wrong"
    if fault == "expired":
        token = create_token(served.store, "old", "reader", lifetime=timedelta(microseconds=1))
    elif fault == "revoked":
        token = create_token(served.store, "gone", "reader")
        revoke_token(served.store, "gone")
    monkeypatch.setenv("EVALSTORE_TOKEN", token)
    done = call("runs", "--db", served.url)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "does not take this token: it is wrong, has expired or was revoked" in done.stderr
    assert token not in done.stderr


def test_the_variable_counts_before_the_token_that_is_kept(
    served: Listening, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    call("server", "login", served.url, given=token)
    monkeypatch.setenv("EVALSTORE_TOKEN", "evs_other")
    assert call("runs", "--db", served.url).exit_code == 1
    monkeypatch.setenv("EVALSTORE_TOKEN", "")
    assert call("runs", "--db", served.url).exit_code == 0


def test_tokens_that_others_can_read_are_not_used(
    served: Listening, token: str, tmp_path: Path
) -> None:
    call("server", "login", served.url, given=token)
    file = tmp_path / "settings" / "evalstore" / "tokens.json"
    file.chmod(0o644)
    done = call("runs", "--db", served.url)
    assert done.exit_code == 1
    assert "other accounts can read the tokens in it (mode 0644)" in done.stderr
    assert token not in done.stderr


class Elsewhere(BaseHTTPRequestHandler):
    """Leads every request to another address, and keeps the headers it saw."""

    to = ""
    seen: list[str | None]

    def do_GET(self) -> None:
        self.seen.append(self.headers.get("Authorization"))
        self.send_response(302 if self.to else 200)
        if self.to:
            self.send_header("Location", self.to)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""


@contextmanager
def elsewhere(to: str) -> Iterator[tuple[str, list[str | None]]]:
    handler = type("Handler", (Elsewhere,), {"to": to, "seen": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", handler.seen  # type: ignore[attr-defined]
        server.shutdown()
        thread.join()


def test_a_redirect_is_not_followed_and_gets_no_token(tmp_path: Path) -> None:
    with elsewhere("") as (other, seen), elsewhere(f"{other}/api/v1/runs") as (first, _):
        server = Server(parse_address(first), "evs_secret")
        with pytest.raises(StoreError, match=f"leads to {other}/api/v1/runs"):
            server.get("/runs")
        server.close()
    assert seen == []


def test_what_netrc_has_for_a_server_is_not_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login ann password secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    with elsewhere("") as (url, seen):
        for token in (None, "evs_own"):
            server = Server(parse_address(url), token)
            with pytest.raises(StoreError, match="not as a server of evalstore does"):
                server.get("/runs")
            server.close()
    assert seen == [None, "Bearer evs_own"]


def test_a_token_goes_without_encryption_only_to_this_machine_or_where_that_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("EVALSTORE_TOKEN", "evs_secret")
    done = call("runs", "--db", "http://eval.invalid")
    assert done.exit_code == 1
    assert done.stderr == (
        "http://eval.invalid is not encrypted, so the token is not sent: everyone on the way could "
        "read it: use https, or set EVALSTORE_PLAIN_HTTP=1 if the network is trusted\n"
    )
    monkeypatch.setenv("EVALSTORE_PLAIN_HTTP", "1")
    assert "can't be reached" in call("runs", "--db", "http://eval.invalid").stderr
    for url in (
        "http://localhost",
        "http://[::1]:8050",
        "http://127.1.2.3",
        "https://eval.invalid",
    ):
        assert parse_address(url).is_safe
    assert not parse_address("http://127.0.0.1.example.org").is_safe


@pytest.mark.parametrize(
    "url",
    [
        "https://ann:secret@eval.example.org",
        "https://evs_secret@eval.example.org/",
        "https://eval.example.org?token=evs_secret",
        "https://eval.example.org#evs_secret",
        "https://",
        "http:eval.example.org",
        "https://eval.example.org/a/../b",
        "https://eval.example.org:99999",
        "https://\x1b[31m",
    ],
)
def test_what_is_no_address_of_a_server_is_refused_without_its_secrets(url: str) -> None:
    for arguments, status in ((("runs", "--db", url), 1), (("server", "login", url), 2)):
        done = call(*arguments)
        assert (done.exit_code, done.stdout) == (status, "")
        assert "secret" not in done.stderr
        assert "\x1b" not in done.stderr


def test_an_address_may_have_a_path_before_that_of_the_server() -> None:
    assert str(parse_address("HTTPS://Eval.example.org:443/a/b/")) == "https://eval.example.org/a/b"
