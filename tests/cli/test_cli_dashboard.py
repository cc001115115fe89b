"""`evalstore dashboard` and `demo`: on this machine alone, unless it is wished otherwise."""

from __future__ import annotations

import pytest
from samples import Program

from dashboard.serving import server
from evalstore.store import Store

COMMANDS = ("dashboard", "demo")


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The hosts that a server would have listened on; none is started."""
    hosts: list[str] = []
    monkeypatch.setattr(server, "run", lambda _, host, *__, **___: hosts.append(host))
    return hosts


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "eval.example", ""])  # noqa: S104
@pytest.mark.parametrize("command", COMMANDS)
def test_to_serve_others_without_a_login_is_a_wrong_use(
    program: Program, served: list[str], command: str, host: str
) -> None:
    done = program(command, "--host", host, status=2)
    assert done.stderr.count("--no-login") == 1
    assert done.stderr.count("`evalstore server start`") == 1
    assert served == []


def test_it_is_done_when_it_is_wished_and_said(program: Program, served: list[str]) -> None:
    Store.open("evalstore.db").close()
    done = program("dashboard", "--host", "192.0.2.1", "--no-login")
    assert "everyone who reaches 192.0.2.1 can read this store" in done.stderr
    assert served == ["192.0.2.1"]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.0.0.2"])
def test_on_this_machine_no_login_is_needed(program: Program, served: list[str], host: str) -> None:
    Store.open("evalstore.db").close()
    assert program("dashboard", "--host", host).stderr == ""
    assert served == [host]
