"""`evalstore server`, `serve`, `user`, `role` and `token`: the team's server from its machine."""

from __future__ import annotations

import json
from pathlib import Path

import prometheus_client  # noqa: F401  (it looks at the environment when imported: before `serve`)
import pytest
from click.shell_completion import ShellComplete
from samples import Program, add, write_run

from dashboard.serving import server
from evalstore.catalog.collections import new_collection
from evalstore.cli import cli
from evalstore.server.people.accounts import list_all
from evalstore.store import Store

PASSWORD = "correct horse battery"
HOSTILE = "\x1b[2J\u202e<b>=1+1"


@pytest.fixture
def team(team: Program, folder: Path) -> Program:
    """The program in a folder with a store that has a server, and the password of `ann`."""
    (folder / "password").write_text(f"{PASSWORD}\nmore\n", encoding="utf-8")
    return team


def test_init_prints_the_password_it_made_once(program: Program) -> None:
    done = program("server", "init", "--public-url", "https://eval.example", "--admin", "ann")
    name, password = done.stdout.strip().split(": ")
    assert (name, len(password) >= 20) == ("password of ann", True)
    assert "not shown again" in done.stderr
    again = ("server", "init", "--public-url", "https://eval.example", "--admin", "bob")
    assert "has a server already" in program(*again, status=1).stderr


def test_nothing_is_printed_of_a_password_that_was_given(team: Program, folder: Path) -> None:
    admin = ("--admin", "ann", "--password-file", "password", "--db", "new.db")
    team("server", "init", "--public-url", "https://eval.example", *admin)
    given = ("server", "users", "add", "bob", "--role", "reader", "--password-file")
    assert team(*given, "password").output == ""
    (folder / "other").write_bytes(b"\xff\xfe")
    assert (
        team("server", "users", "password", "bob", "--password-file", "other", status=2).stdout
        == ""
    )
    assert (
        team(
            "server", "users", "password", "bob", "--password-file", "-", given=f"{PASSWORD}2\n"
        ).output
        == ""
    )


@pytest.mark.parametrize("url", ["eval.example", "ftp://eval.example", "https://e.example/api", ""])
def test_init_refuses_what_is_no_address_of_a_server(program: Program, url: str) -> None:
    done = program("server", "init", "--public-url", url, "--admin", "ann", status=1)
    assert done.stderr.count("\n") == 1
    assert "no server" not in done.stderr


@pytest.mark.parametrize(
    ("url", "warns"),
    [("http://eval.example", True), ("https://eval.example", False), ("http://[::1]:80", False)],
)
def test_an_address_that_everyone_on_the_way_can_read_is_warned_of(
    program: Program, url: str, warns: bool
) -> None:
    done = program("server", "init", "--public-url", url, "--admin", "ann")
    assert ("unencrypted" in done.stderr) == warns


def test_a_short_password_is_refused_and_nothing_stored(program: Program, folder: Path) -> None:
    (folder / "password").write_text("short\n", encoding="utf-8")
    call = ("server", "init", "--public-url", "https://e.example", "--admin", "ann")
    assert "12 characters" in program(*call, "--password-file", "password", status=1).stderr
    assert "evalstore server init" in program("server", "start", status=1).stderr


@pytest.mark.parametrize(
    "call",
    [
        "server start",
        "server worker",
        "server limits",
        "server limits lines=5",
        "server url https://eval.example",
        "server providers",
        "server webhooks",
        "server users add bob --role reader",
        "server users",
        "server roles grant bob --role reader",
        "server roles",
        "server tokens create ci --role reader",
        "server tokens",
    ],
)
def test_before_init_each_command_of_the_server_names_it_in_one_line(
    program: Program, folder: Path, call: str
) -> None:
    """Where there is no store, where others are beside it, and where it is not a server's yet."""
    (folder / "empty").mkdir()
    missing = program(*call.split(), "--db", "empty/no.db", status=1).stderr
    Store.open("evalstore.db").close()
    others = program(*call.split(), "--db", "zzz", status=1).stderr
    own = program(*call.split(), status=1).stderr
    for message, why in ((missing, "no store"), (others, "no store"), (own, "has no server yet")):
        assert why in message
        assert message.count("\n") == 1
        init = "`evalstore server init --public-url URL --admin NAME --db DATABASE`"
        assert message.count(init) == 1
    with Store.open("evalstore.db", create=False) as store:
        assert list_all(store) == ([], [])
    assert not (folder / "empty" / "no.db").exists()


def test_serve_listens_where_it_is_told(team: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    served: list[tuple[object, ...]] = []
    monkeypatch.setattr(
        server, "run", lambda _, host, port, *__, **___: served.append((host, port))
    )
    team("server", "start", "--host", "0.0.0.0", "--port", "9000")  # noqa: S104  (not listened on)
    team("server", "start", "--behind-proxy")
    assert served == [("0.0.0.0", 9000), ("127.0.0.1", 8050)]  # noqa: S104  (as above)


def test_a_token_is_printed_alone_and_listed_without_it(team: Program) -> None:
    call = ("server", "tokens", "create", "ci", "--role", "contributor", "--collection", "test")
    token = team(*call, "--expires", "90d").stdout
    assert token.startswith("evs_")
    assert token.count("\n") == 1
    (listed,) = json.loads(team("server", "tokens", "--format", "json").stdout)
    assert (listed["name"], listed["begins"], listed["status"]) == ("ci", token[:8], "active")
    assert (listed["scope"], listed["collection"], listed["last used"]) == ("write", "test", None)
    assert token.strip() not in team("server", "tokens").output + team("db", "events").output
    assert team(*call, status=1).stdout == ""
    team("server", "tokens", "revoke", "ci")
    assert json.loads(team("server", "tokens", "--format", "json").stdout)[0]["status"] == "revoked"
    assert "`evalstore server tokens`" in team("server", "tokens", "revoke", "ci", status=1).stderr


def test_a_token_can_have_several_collections(team: Program, folder: Path) -> None:
    with Store.open(str(folder / "evalstore.db")) as store:
        new_collection(store, "more")
    team(
        "server",
        "tokens",
        "create",
        "ci",
        "--role=reader",
        "--collection=test",
        "--collection=more",
    )
    team("server", "tokens", "create", "all", "--role=reader")
    listed = json.loads(team("server", "tokens", "--format", "json").stdout)
    assert [each["collection"] for each in listed] == [None, "more, test"]


@pytest.mark.parametrize("time", ["90", "0d", "-1d", "1y", "d", "1.5d", "99999999d", "٣d"])
def test_a_time_to_live_is_hours_days_or_weeks(team: Program, time: str) -> None:
    team("server", "tokens", "create", "ci", "--role", "reader", f"--expires={time}", status=2)


def test_roles_are_granted_listed_and_withdrawn(team: Program) -> None:
    team("server", "users", "add", "bob", "--role", "reader")
    team("server", "roles", "grant", "bob", "--role", "contributor", "--collection", "test")
    listed = json.loads(team("server", "roles", "--format", "json").stdout)
    assert [tuple(each.values()) for each in listed] == [
        ("ann", "administrator", None, "grant"),
        ("bob", "reader", None, "grant"),
        ("bob", "contributor", "test", "grant"),
    ]
    team("server", "roles", "withdraw", "bob")
    (_, bob) = json.loads(team("server", "users", "--format", "json").stdout)
    assert (bob["name"], bob["roles"]) == ("bob", "contributor of test")
    assert "`evalstore server users`" in team("server", "roles", "withdraw", "eve", status=1).stderr
    team("server", "roles", "grant", "bob", "--role", "owner", status=2)


def test_the_last_administrator_is_neither_removed_nor_disabled(team: Program) -> None:
    for call in (
        ("server", "users", "rm"),
        ("server", "users", "disable"),
        ("server", "roles", "withdraw"),
    ):
        assert "last administrator" in team(*call, "ann", status=1).stderr
    team("server", "users", "add", "bob", "--role", "administrator")
    assert team("server", "users", "rm", "ann").stdout == "removed ann\n"


def test_accounts_are_disabled_enabled_and_logged_out(team: Program) -> None:
    team("server", "users", "add", "bob", "--role", "reader")
    team("server", "users", "disable", "bob")
    assert json.loads(team("server", "users", "--format", "json").stdout)[1]["status"] == "disabled"
    team("server", "users", "enable", "bob")
    assert team("server", "users", "logout", "bob").stdout == "ended 0 sessions\n"


def test_the_address_is_changed_later(team: Program) -> None:
    assert "https://new.example" in team("server", "url", "https://new.example").stdout
    team("server", "url", "https://new.example/c/x", status=1)


@pytest.mark.parametrize(
    ("words", "begun", "offered"),
    [
        ("server users rm", "b", ["bob"]),
        ("server users password", "", ["ann", "bob", "ci"]),
        ("server roles grant", "a", ["ann"]),
        ("server users sessions", "b", ["bob"]),
        ("server users uninvite", "", ["1"]),
        ("server tokens revoke", "", ["ci"]),
        ("server users add eve --role reader --collection", "t", ["test"]),
    ],
)
def test_names_are_completed(team: Program, words: str, begun: str, offered: list[str]) -> None:
    team("server", "users", "add", "bob", "--role", "reader")
    team("server", "tokens", "create", "ci", "--role", "reader")
    team("server", "users", "invite", "--role", "reader")
    completion = ShellComplete(cli, {}, "evalstore", "_EVALSTORE_COMPLETE")
    items = completion.get_completions(words.split(), begun)
    assert [item.value for item in items] == offered


def test_there_is_no_way_yet_to_make_a_collection_private(team: Program) -> None:
    """It would be promised and not kept while the dashboard reads the whole store."""
    assert "private" not in team("collections", "--help").output
    assert "private" not in team("server", "roles", "grant", "--help").output


@pytest.mark.parametrize(
    "call",
    [("server", "users", "rm"), ("server", "users", "logout"), ("server", "tokens", "revoke")],
)
def test_a_hostile_name_is_shown_escaped(team: Program, call: tuple[str, ...]) -> None:
    done = team(*call, HOSTILE, status=1)
    assert "\x1b" not in done.output
    assert "\u202e" not in done.output


def test_a_hostile_name_of_a_collection_is_escaped_in_lists(team: Program, folder: Path) -> None:
    name = "\u202e<b>=1+1"
    with Store.open("evalstore.db") as store:
        add(store, folder, write_run(folder), collection=name)
    team("server", "users", "add", "bob", "--role", "reader", "--collection", name)
    team("server", "users", "invite", "--role", "reader", "--collection", name)
    for call in (
        ("server", "users"),
        ("server", "roles"),
        ("server", "tokens"),
        ("server", "users", "invitations"),
    ):
        assert "\u202e" not in team(*call).output


def test_limits_are_listed_and_changed_and_each_change_is_an_event(team: Program) -> None:
    listed = team("server", "limits").stdout.split()
    assert listed[listed.index("upload_bytes") + 1] == "2147483648"
    assert listed[-1].endswith("evalstore.db-spool")
    changed = json.loads(team("server", "limits", "lines=5", "ratio=7", "--format", "json").stdout)
    assert (changed["lines"], changed["ratio"], changed["uploads"]) == (5, 7, 4)
    assert "lines,5" in team("server", "limits", "--format", "csv").stdout
    assert "lines" in team("db", "events").stdout


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("linse=5", "there is no limit 'linse'; did you mean 'lines'?"),
        ("lines=0", "the limit lines can't be '0'"),
        ("lines=-1", "the limit lines can't be '-1'"),
        ("lines=\u0665", "the limit lines can't be"),
        ("lines=99999999999999999999", "the limit lines can't be"),
        ("lines=\x1b[31m", "the limit lines can't be '\\x1b[31m'"),
        ("\x1b[31m=1", "there is no limit '\\x1b[31m'"),
        ("spool=here", "is an absolute path, not 'here'"),
    ],
)
def test_a_limit_that_can_not_be_is_one_line(team: Program, change: str, sentence: str) -> None:
    assert sentence in team("server", "limits", change, status=1).stderr


def test_a_limit_without_a_value_is_a_wrong_use(team: Program) -> None:
    assert (
        "'lines' is not written like NAME=VALUE"
        in team("server", "limits", "lines", status=2).stderr
    )


def test_a_worker_needs_the_store_of_a_server(program: Program) -> None:
    Store.open("evalstore.db").close()
    assert "has no server yet" in program("server", "worker", status=1).stderr
    assert "has no server yet" in program("server", "limits", "lines=5", status=1).stderr


def test_the_access_of_a_collection_is_an_event_and_only_its_three_names_count(
    team: Program,
) -> None:
    assert team("collections", "access", "test", "private").stdout == "test: private\n"
    assert "access" in team("db", "events", "--collection", "test").stdout
    assert "is not one of" in team("collections", "access", "test", "open", status=2).stderr
    missing = team("collections", "access", HOSTILE, "public", status=1).stderr
    assert "there is no collection" in missing
    assert "\x1b" not in missing
