"""A collection is made over the API, on each database, by who may write into the whole store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import pytest
from api_client import Program, Team
from two_collections import OPEN, PRIVATE

from evalstore.catalog.collections import collections, purge_collections, remove_collections
from evalstore.errors import NotFound
from evalstore.server.people.rights import Role
from evalstore.server.people.tokens import create_token, revoke_token
from evalstore.store.queries import events
from evalstore.store.queries.collections import find_collection

pytestmark = pytest.mark.slow  # a worker stores what is sent

PATH = "/collections"


@pytest.fixture
def contributor(api: Team) -> Program:
    """A program that may write into every collection that it may read."""
    return program(api, "contributor")


def program(api: Team, role: Role, collection: str | None = None) -> Program:
    return Program(api.reader.served, create_token(api.store, "ci", role, collection))


@pytest.fixture(autouse=True)
def cleaned(api: Team) -> Iterator[None]:
    """The store without the tokens and collections of a test."""
    yield
    with suppress(NotFound):
        revoke_token(api.store, "ci")
    made = [row.name for row in collections(api.store) if row.name not in {OPEN, PRIVATE}]
    remove_collections(api.store, made)
    purge_collections(api.store)


@pytest.mark.parametrize("name", ["new", "beir/scifact", "<b>&amp;", "a%2Fb", "ü ✓", "../x"])
@pytest.mark.each_database
def test_a_collection_is_made_and_then_read(contributor: Program, name: str) -> None:
    answer = contributor.ask(PATH, "POST", json={"name": name})
    assert answer.status_code == 201, answer.text
    made = answer.get_json()
    assert (made["name"], made["qrels"], made["runs"]) == (name, 0, 0)
    assert made in contributor.get(PATH)["collections"]


def test_it_is_an_event_of_who_made_it(api: Team, contributor: Program) -> None:
    contributor.ask(PATH, "POST", json={"name": "new"})
    with api.store.read() as connection:
        last = events.events(connection, subject="new", last=1)[0]
    assert (last.who, last.action, last.collection) == ("ci", "new", "new")


@pytest.mark.each_database
def test_the_same_again_answers_with_the_collection_that_is_there(contributor: Program) -> None:
    answer = contributor.ask(PATH, "POST", json={"name": OPEN})
    assert answer.status_code == 200
    assert answer.get_json() in contributor.get(PATH)["collections"]


@pytest.mark.parametrize("taken", ["a private one", "a removed one"])
def test_a_name_that_one_may_not_know_of_is_refused_without_saying_why(
    api: Team, contributor: Program, taken: str
) -> None:
    name = PRIVATE
    if taken == "a removed one":
        name = "gone"
        assert contributor.ask(PATH, "POST", json={"name": name}).status_code == 201
        remove_collections(api.store, [name])
    status, sentence = contributor.refused(PATH, "POST", json={"name": name})
    assert status == 409
    assert sentence == f"there is a collection named {name!r} already, maybe a removed one"


@pytest.mark.parametrize(
    ("role", "collection"), [("reader", None), ("contributor", OPEN), ("administrator", OPEN)]
)
def test_it_takes_the_role_of_a_contributor_in_the_whole_store(
    api: Team, role: Role, collection: str | None
) -> None:
    status, _ = program(api, role, collection).refused(PATH, "POST", json={"name": "new"})
    assert status == 403
    with api.store.read() as connection:
        assert find_collection(connection, "new") is None


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({}, "the parameter 'name' is missing"),
        ({"name": " "}, "the collection has an empty name"),
        ({"name": "a\nb"}, "the name of the collection has a control character: 'a\\nb'"),
        ({"name": 5}, "parameter 'name': input should be a valid string"),
        ({"name": "x" * 1025}, "the name of the collection is longer than 1,024 bytes"),
        ({"name": "new", "acess": "public"}, "there is no parameter 'acess'"),
    ],
)
def test_a_name_that_can_not_be_is_refused(
    contributor: Program, content: dict[str, object], sentence: str
) -> None:
    assert contributor.refused(PATH, "POST", json=content) == (400, sentence)


def test_a_reader_s_list_still_answers_to_a_reader(api: Team) -> None:
    assert [row["name"] for row in api.reader.get(PATH)["collections"]] == [OPEN]
