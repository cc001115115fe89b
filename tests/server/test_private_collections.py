"""A server with a private collection: who has no role in it finds nothing of it, anywhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote

import pytest
import two_collections
from browserless import Browserless, as_json
from pages_of_two_collections import ADDRESSES, FILES
from postgres import Server, running_server
from team_server import ADMINISTRATOR, PASSWORD, URL, Served
from two_collections import OPEN, PRIVATE, markers_in
from ways_into_sql import MORE_NAMES, READS

from evalstore.server.accounts import add_person, grant
from evalstore.server.setup import set_up
from evalstore.server.tokens import create_token
from evalstore.store import Store
from evalstore.usecases.collections import set_collection_access

pytestmark = pytest.mark.slow  # a server is started

DATABASES = ("sqlite", pytest.param("postgres", marks=pytest.mark.postgres))
WAYS = {
    database: {**READS, **MORE_NAMES[database], "events of accounts": "SELECT * FROM event"}
    for database in MORE_NAMES
}
STRANGERS = ("a reader of the store", "a contributor of the other collection", "a token")
"""Who may read the open collection alone."""


@pytest.fixture(scope="module")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server, started when the first test wants it."""
    with running_server() as server:
        yield server


@pytest.fixture(scope="module", params=DATABASES)
def team(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """A server over both collections, of which one is private, on each database in turn."""
    folder = tmp_path_factory.mktemp("team")
    url = f"sqlite:///{folder / 'store.db'}"
    if request.param == "postgres":
        url = request.getfixturevalue("postgres").new_database()
    with Store.open(url) as store:
        two_collections.fill(store, folder)
        set_up(store, URL, ADMINISTRATOR, PASSWORD)
        set_collection_access(store, PRIVATE, "private")
        add_person(store, "bob", "reader", None, PASSWORD)
        add_person(store, "evangeline", "contributor", OPEN, PASSWORD)
        add_person(store, "zoe", "reader", None, PASSWORD)
        grant(store, "zoe", "reader", PRIVATE)
        yield Served(store)


@pytest.fixture(scope="module")
def clients(team: Served) -> dict[str, Browserless]:
    """Everyone, logged in."""
    people = ("bob", "evangeline", "zoe", ADMINISTRATOR)
    browsers = {name: team.new_browser() for name in (*people, "the token")}
    for name in people:
        assert team.log_in(name, browser=browsers[name]).status_code == 303
    token = create_token(team.store, "ci", "administrator", OPEN)
    browsers["the token"].environ_base["HTTP_AUTHORIZATION"] = f"Bearer {token}"
    named = dict(zip(STRANGERS, ("bob", "evangeline", "the token"), strict=True))
    return {
        **{who: Browserless(browsers[name]) for who, name in named.items()},
        "a reader of it": Browserless(browsers["zoe"]),
        "an administrator": Browserless(browsers[ADMINISTRATOR]),
    }


@pytest.fixture(params=STRANGERS)
def stranger(request: pytest.FixtureRequest, clients: dict[str, Browserless]) -> Browserless:
    """Each who may read the open collection alone, in turn."""
    return clients[request.param]


@pytest.mark.parametrize("who", ["a reader of it", "an administrator"])
def test_who_has_a_role_in_a_private_collection_reads_it(
    clients: dict[str, Browserless], who: str
) -> None:
    assert PRIVATE in as_json(clients[who].follow("/"))
    assert "zanzibar-derived" in as_json(clients[who].follow(f"/c/{PRIVATE}/run/zanzibar-derived"))
    assert clients[who].client.get(f"/export/c/{PRIVATE}/leaderboard.csv").status_code == 200


def test_pages_show_nothing_of_it(stranger: Browserless) -> None:
    for address in ADDRESSES:
        asked = markers_in(address)
        answer = as_json(stranger.follow(address))
        assert [marker for marker in markers_in(answer) if marker not in asked] == [], address


def test_files_show_nothing_of_it(stranger: Browserless) -> None:
    for address in FILES:
        answer = stranger.client.get(address)
        assert answer.status_code == 200, (address, answer.text)
        assert markers_in(answer.get_data().decode("latin-1")) == [], address


def test_it_is_answered_as_a_collection_that_does_not_exist(stranger: Browserless) -> None:
    for path in ("/c/{}", "/c/{}/compare?runs=bm25", "/c/{}/run/bm25", "/c/{}/queries"):
        private = as_json(stranger.page(path.format(PRIVATE)))
        assert private.replace(PRIVATE, "nowherex") == as_json(
            stranger.page(path.format("nowherex"))
        )
        answers = [
            stranger.client.get(path.format(name), headers={"Accept": "text/html"})
            for name in (PRIVATE, "nowherex")
        ]
        assert answers[0].status_code == answers[1].status_code
        private_page, missing_page = (without_nonces(answer.text) for answer in answers)
        assert private_page == missing_page
    private, missing = (
        stranger.client.get(f"/export/c/{name}/leaderboard.csv") for name in (PRIVATE, "nowherex")
    )
    assert private.status_code == missing.status_code == 404
    assert private.text.replace(PRIVATE, "nowherex") == missing.text


def without_nonces(page: str) -> str:
    """A page without the random texts by which its policy knows its scripts."""
    return re.sub(r'nonce="[^"]*"', "", page)


def without_statement(answer: str, sql: str) -> str:
    """What a page or file says beside the statement itself, which it repeats in many forms."""
    for word in ("zanzibar", "P@17"):
        if word.lower() in sql.lower():
            return ""
    return answer


def test_sql_tells_nothing_of_it(stranger: Browserless, team: Served) -> None:
    for way, sql in WAYS[database_of(team)].items():
        page = as_json(stranger.follow(f"/sql?s={quote(sql, safe='')}"))
        file = stranger.client.get(f"/export/sql/rows.csv?s={quote(sql, safe='')}").text
        for answer in (page, file):
            assert markers_in(without_statement(answer, sql)) == [], way
    assert len(WAYS[database_of(team)]) > 60


def test_a_statement_that_names_it_has_no_rows(stranger: Browserless) -> None:
    for sql in (
        "SELECT count(*) AS n FROM collection WHERE name = 'zanzibar'",
        "SELECT count(*) AS n FROM run AS r JOIN engine AS e ON e.id = r.engine_id"
        " WHERE e.name LIKE 'zanzibar%'",
        "SELECT count(*) AS n FROM measure WHERE name = 'P@17'",
        "SELECT count(*) AS n FROM event WHERE collection = 'zanzibar'",
        "SELECT count(*) AS n FROM saved_view WHERE address LIKE '%zanzibar%'",
    ):
        answer = stranger.client.get(f"/export/sql/rows.csv?s={quote(sql, safe='')}")
        assert answer.text.split() == ["n", "0"], sql


def test_events_of_accounts_and_roles_are_shown_to_administrators_alone(
    clients: dict[str, Browserless],
) -> None:
    sql = "SELECT action, subject FROM event WHERE action IN ('account', 'role', 'token', 'server')"
    path = f"/export/sql/rows.csv?s={quote(sql, safe='')}"
    for who, asked in clients.items():
        rows = asked.client.get(path).text.splitlines()[1:]
        assert bool(rows) == (who == "an administrator"), who
        assert ("evangeline" in asked.text("/")) == (who == "an administrator"), who


def test_the_lines_of_the_log_are_not_for_readers_but_name_who_asked(
    team: Served, clients: dict[str, Browserless]
) -> None:
    clients["a reader of the store"].client.get("/export/measures/measures.csv")
    assert '"who": "bob"' in team.log.getvalue().splitlines()[-1]


def database_of(team: Served) -> str:
    return "postgres" if team.store.file is None else "sqlite"
