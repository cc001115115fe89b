"""Who is not logged in reads public collections over the API, and learns of nothing else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from api_client import Team
from team_server import URL
from two_collections import OPEN, PRIVATE, id_of, markers_in
from werkzeug.test import TestResponse

from evalstore.server.api.routes import OPERATIONS
from evalstore.store.models import collection_t
from evalstore.store.rows import change_row

READ = [
    "/runs/bm25",
    "/runs/bm25/rankings",
    "/runs/bm25/values",
    "/leaderboard",
    "/values",
    "/queries",
    "/comparison?run=bm25&run=tfidf",
]


@pytest.fixture
def public(api: Team) -> Iterator[Team]:
    """The server with the open collection public."""
    with api.store.write() as connection:
        change_row(connection, collection_t, id_of(api.store, OPEN), access="public")
    yield api
    with api.store.write() as connection:
        change_row(connection, collection_t, id_of(api.store, OPEN), access="store")


def ask(api: Team, path: str, method: str = "GET", **headers: str) -> TestResponse:
    """A request without token and cookie."""
    client = api.reader.served.app.test_client(use_cookies=False)
    sent = {"Origin": URL, **headers}
    return client.open(
        f"/api/v1{path}", method=method, base_url=URL, headers=sent, json={}, buffered=True
    )


@pytest.mark.parametrize("path", READ)
def test_a_public_collection_is_read_without_a_token(public: Team, path: str) -> None:
    answer = ask(public, f"/collections/{OPEN}{path}")
    assert answer.status_code == 200, answer.text
    assert answer.get_json() == public.reader.get(f"/collections/{OPEN}{path}")
    assert markers_in(answer.text) == []


@pytest.mark.parametrize("name", [PRIVATE, "nothing", "a%00b"])
@pytest.mark.parametrize("path", READ)
def test_any_other_collection_is_answered_alike(public: Team, path: str, name: str) -> None:
    answer = ask(public, f"/collections/{name}{path}")
    assert answer.status_code == 401
    assert answer.text == ask(public, f"/collections/none{path}").text


@pytest.mark.parametrize(
    "path", ["/collections", "/qrels", f"/qrels?collection={OPEN}", "/runs", "/events", "/metrics"]
)
def test_what_is_of_all_collections_takes_a_login(public: Team, path: str) -> None:
    assert ask(public, path).status_code == 401


def test_nothing_is_written_without_a_login(public: Team) -> None:
    for each in OPERATIONS:
        if each.method not in {"GET", "HEAD"}:
            path = each.path.replace("<name:collection>", OPEN).replace("<int:job>", "1")
            path = path.replace("<blob>", f"sha256:{'0' * 64}")
            assert ask(public, path, each.method).status_code == 401, each.path


def test_a_wrong_token_is_told_also_of_a_public_collection(public: Team) -> None:
    path = f"/collections/{OPEN}/leaderboard"
    assert ask(public, path, Authorization="Bearer evs_wrong").status_code == 401


def test_a_collection_that_is_not_public_takes_a_login(api: Team) -> None:
    assert ask(api, f"/collections/{OPEN}/leaderboard").status_code == 401
