"""`evalstore server users invite`, `invitations`, `uninvite` and `sessions`."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime

import pytest
from samples import Program, raw_output_dangers

from evalstore.server.people.login import start_session
from evalstore.store import Store

HOSTILE = "\x1b[2J\u202e<b>=1+1"
LINK = "https://eval.example/invitation?key="


def listed(team: Program) -> list[dict[str, str]]:
    rows: list[dict[str, str]] = json.loads(
        team("server", "users", "invitations", "--format", "json").stdout
    )
    return rows


def test_the_link_is_printed_alone(team: Program) -> None:
    done = team("server", "users", "invite", "bob", "--role", "reader")
    assert done.stdout.startswith(LINK)
    assert len(done.stdout) > len(LINK) + 43
    assert (done.stdout.count("\n"), done.stderr) == (1, "")


def test_invitations_are_listed_without_their_links(team: Program) -> None:
    assert "no invitations" in team("server", "users", "invitations").stdout
    secret = team("server", "users", "invite", "--role", "reader", "--expires", "2w").stdout[
        len(LINK) :
    ]
    team("server", "users", "invite", "bob", "--role", "contributor", "--collection", "test")
    first, second = listed(team)
    assert (first["id"], first["name"], first["role"], first["collection"]) == (
        *(1, None, "reader"),
        None,
    )
    assert (second["name"], second["collection"], second["status"]) == ("bob", "test", "open")
    for shape in ("table", "csv", "json"):
        assert (
            secret.strip() not in team("server", "users", "invitations", "--format", shape).stdout
        )
    rows = list(
        csv.reader(io.StringIO(team("server", "users", "invitations", "--format", "csv").stdout))
    )
    assert rows[0][:4] == ["id", "name", "role", "collection"]


def test_an_invitation_is_withdrawn_by_its_id(team: Program) -> None:
    team("server", "users", "invite", "bob", "--role", "reader")
    assert team("server", "users", "uninvite", "1").stdout == "withdrew invitation 1\n"
    assert listed(team) == []
    missing = team("server", "users", "uninvite", "1", status=1).stderr
    assert "there is no invitation 1" in missing
    assert "`evalstore server users invitations` lists them" in missing
    team("server", "users", "uninvite", "bob", status=2)


@pytest.mark.parametrize("time", ["7", "0d", "-1d", "7 d", "", "1y"])
def test_a_time_is_hours_days_or_weeks(team: Program, time: str) -> None:
    team("server", "users", "invite", "--role", "reader", "--expires", time, status=2)
    assert listed(team) == []


def test_what_can_not_be_is_one_line_and_nothing_is_stored(team: Program) -> None:
    for call in (
        ("ann", "--role", "reader"),
        (HOSTILE, "--role", "reader"),
        ("bob", "--role", "reader", "--collection", HOSTILE),
    ):
        done = team("server", "users", "invite", *call, status=1)
        assert (done.stdout, done.stderr.count("\n")) == ("", 1)
        assert "\x1b" not in done.stderr
        assert "\u202e" not in done.stderr
    assert listed(team) == []
    team("server", "users", "invite", "bob", status=2)
    team("server", "users", "invite", "bob", "--role", "owner", status=2)


def test_a_store_without_a_server_invites_nobody(program: Program) -> None:
    Store.open("evalstore.db").close()
    assert (
        "evalstore server init"
        in program("server", "users", "invite", "--role", "reader", status=1).stderr
    )


def test_sessions_are_listed_of_one_account_or_of_all(team: Program) -> None:
    assert team("server", "users", "sessions").stdout == "nobody is logged in\n"
    now = datetime.now(UTC)
    with Store.open("evalstore.db") as store, store.write() as connection:
        start_session(connection, 1, f"a browser {HOSTILE}", now)
    for call in ((), ("ann",)):
        (row,) = json.loads(team("server", "users", "sessions", *call, "--format", "json").stdout)
        assert (row["account"], row["browser"][:9]) == ("ann", "a browser")
        for shape in ("table", "csv"):
            text = team("server", "users", "sessions", *call, "--format", shape).stdout
            assert not list(raw_output_dangers(text))
    (row,) = json.loads(team("server", "users", "--format", "json").stdout)
    assert row["last login"] == now.isoformat(timespec="seconds")
    assert "there is no account" in team("server", "users", "sessions", "bob", status=1).stderr
