"""`evalstore dashboard` and `demo`: on this machine alone."""

from __future__ import annotations

import pytest
from samples import Program

from dashboard import server
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
    assert done.stderr.count("`evalstore serve`") == 1
    assert served == []


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.0.0.2"])
def test_on_this_machine_no_login_is_needed(program: Program, served: list[str], host: str) -> None:
    Store.open("evalstore.db").close()
    assert program("dashboard", "--host", host).stderr == ""
    assert served == [host]
