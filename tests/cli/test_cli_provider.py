"""`evalstore server providers`: where people log in beside the server itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from samples import Program, add, write_run

from evalstore.cli import cli
from evalstore.store import Store

HOSTILE = "\x1b[2J\u202e<b>=1+1"
ISSUER = "https://login.example/realm"


@pytest.fixture
def team(team: Program, folder: Path) -> Program:
    """The program in a folder with a store that has a server, and the secret of a provider."""
    secret = folder / "secret"
    secret.write_text("hush\n", encoding="utf-8")
    secret.chmod(0o600)
    return team


def call(name: str = "corp", *options: str, issuer: str = ISSUER) -> tuple[str, ...]:
    given = ("--issuer", issuer, "--client-id", "evalstore", "--client-secret-file", "secret")
    return ("server", "providers", "add", name, *given, *options)


def listed(team: Program) -> list[dict[str, str]]:
    return json.loads(team("server", "providers", "--format", "json").stdout)  # type: ignore[no-any-return]  # a list of objects


def test_a_provider_is_added_with_the_address_to_register_and_listed(
    team: Program, folder: Path
) -> None:
    maps = ("--group", "team=reader:test", "--group", "cn=leads,ou=ir=administrator")
    done = team(*call("corp", *maps, "--default-role", "reader", "--groups-claim", "roles"))
    assert done.stdout == (
        "people come back from corp to https://eval.example/login/oidc/corp/callback\n"
    )
    assert done.stderr == ""
    assert listed(team) == [
        {
            "name": "corp",
            "issuer": ISSUER,
            "client id": "evalstore",
            "secret file": str(folder / "secret"),
            "scopes": "openid profile",
            "groups claim": "roles",
            "roles": "team=reader:test, cn=leads,ou=ir=administrator",
            "default role": "reader",
        }
    ]
    assert "corp" in team("server", "providers").stdout
    assert "hush" not in team("server", "providers").stdout + team("db", "events").stdout
    assert "provider added" in team("db", "events").stdout


def test_a_provider_is_removed_and_its_name_is_free_again(team: Program) -> None:
    team(*call())
    assert team("server", "providers", "rm", "corp").stdout == "removed corp\n"
    assert listed(team) == []
    assert "no providers" in team("server", "providers").stdout
    missing = team("server", "providers", "rm", "corp", status=1).stderr
    assert "`evalstore server providers`" in missing
    team(*call())


def test_a_name_and_an_issuer_are_there_once(team: Program) -> None:
    team(*call("corp", "--default-role", "reader"))
    assert "already" in team(*call("corp", issuer="https://other.example"), status=1).stderr
    assert "'corp' has that issuer" in team(*call("other"), status=1).stderr
    assert len(listed(team)) == 1


@pytest.mark.parametrize(
    "issuer",
    [
        "http://login.example",
        "login.example",
        "ftp://login.example",
        "https://",
        "https://user@login.example",
        "https://login.example?x=1",
        "https://login.example#x",
        "https://login.example/a b",
        "https://login.example/\x1b[2J",
        "https://[::1",
        "file:///etc/passwd",
        "",
    ],
)
def test_an_issuer_is_https_and_nothing_but_an_address(team: Program, issuer: str) -> None:
    done = team(*call(issuer=issuer), status=1)
    assert done.stderr.count("\n") == 1
    assert "\x1b" not in done.output
    assert listed(team) == []


@pytest.mark.parametrize("host", ["127.0.0.1:9000", "localhost:9000", "[::1]:9000"])
def test_an_issuer_on_this_machine_need_not_be_https(team: Program, host: str) -> None:
    team(*call("corp", "--default-role", "reader", issuer=f"http://{host}"))


@pytest.mark.parametrize("mapping", ["team", "team=", "=reader", "team=boss", "team=reader:", ""])
def test_a_mapping_that_is_not_written_right_is_a_mistake_of_usage(
    team: Program, mapping: str
) -> None:
    assert "GROUP=ROLE" in team(*call("corp", "--group", mapping), status=2).stderr


def test_a_mapping_names_a_collection_that_is_there(team: Program) -> None:
    done = team(*call("corp", "--group", "team=reader:other"), status=1)
    assert "there is no collection 'other'" in done.stderr
    assert listed(team) == []


@pytest.mark.parametrize("name", ["", "a/b", "..", "a b", "x" * 41, "\u00e9", HOSTILE])
def test_a_name_is_one_that_an_address_can_have(team: Program, name: str) -> None:
    done = team(*call(name), status=1)
    assert "\x1b" not in done.output
    assert "\u202e" not in done.output


def test_hostile_names_of_groups_and_collections_are_escaped(team: Program, folder: Path) -> None:
    with Store.open("evalstore.db") as store:
        add(store, folder, write_run(folder), collection="\u202e<b>=1+1")
    team(*call("corp", "--group", f"{HOSTILE}=reader:\u202e<b>=1+1", "--groups-claim", "<b>=1+1"))
    output = team("server", "providers").output
    assert "\x1b" not in output
    assert "\u202e" not in output


def test_scopes_have_openid_among_them(team: Program) -> None:
    assert "openid" in team(*call("corp", "--scopes", "profile"), status=1).stderr
    assert "openid" in team(*call("corp", "--scopes", "openid  \n"), status=1).stderr


def test_a_secret_that_is_not_there_or_empty_is_refused(team: Program, folder: Path) -> None:
    (folder / "secret").write_text(" \n", encoding="utf-8")
    assert "no secret" in team(*call(), status=1).stderr
    (folder / "secret").write_bytes(b"\xff\xfe")
    assert "can't be read" in team(*call(), status=1).stderr
    (folder / "secret").unlink()
    assert "secret: " in team(*call(), status=1).stderr


def test_what_is_probably_not_meant_is_warned_of(team: Program, folder: Path) -> None:
    (folder / "secret").chmod(0o644)
    warnings = team(*call()).stderr.splitlines()
    assert "nobody is let in" in warnings[0]
    assert "everyone on this machine can read" in warnings[1]


def test_a_store_without_a_server_has_no_providers_to_add(program: Program, folder: Path) -> None:
    Store.open("evalstore.db").close()
    (folder / "secret").write_text("hush", encoding="utf-8")
    assert "evalstore server init" in program(*call(), status=1).stderr


def test_names_of_providers_are_completed(team: Program) -> None:
    team(*call())
    completion = ShellComplete(cli, {}, "evalstore", "_EVALSTORE_COMPLETE")
    items = completion.get_completions(["server", "providers", "rm"], "c")
    assert [item.value for item in items] == ["corp"]


def test_user_list_says_where_accounts_come_from(team: Program) -> None:
    (ann,) = json.loads(team("server", "users", "--format", "json").stdout)
    assert (ann["name"], ann["from"]) == ("ann", "local")
