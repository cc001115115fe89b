"""A server with two collections, and who administers one of them, for tests."""

from __future__ import annotations

import html
import re

from flask.testing import FlaskClient
from team_server import PASSWORD, Served
from werkzeug.test import TestResponse

from evalstore.catalog.collections import new_collection, set_collection_access
from evalstore.server.people.accounts import add_person, list_all
from evalstore.server.people.invitations import invite
from evalstore.server.people.tokens import create_token
from evalstore.server.routes import OF_COLLECTION, collection_path
from evalstore.store import Store
from evalstore.store.queries import events
from evalstore.store.queries.collections import find_collection

EVE = "eve"
"""Who administers the collection `test`, and nothing else."""
OTHER = "hidden-set"
"""A private collection of which she is to learn nothing."""
POSTS = [route.rule for route in OF_COLLECTION if "POST" in route.methods]


def with_two_collections(team: Served) -> Served:
    """The same server, where eve administers a collection, and others have a private one."""
    new_collection(team.store, OTHER)
    set_collection_access(team.store, OTHER, "private")
    add_person(team.store, EVE, "administrator", "test", PASSWORD)
    add_person(team.store, "bob", "reader", OTHER, PASSWORD)
    create_token(team.store, "other-ci", "contributor", OTHER)
    invite(team.store, "reader", "carol", OTHER)
    team.log_in(EVE)
    return team


def id_of(store: Store, name: str) -> int:
    with store.read() as connection:
        collection_id = find_collection(connection, name, removed=None)
    assert collection_id is not None
    return collection_id


def path_of(team: Served, rest: str = "", collection: str = "test") -> str:
    return f"{collection_path(id_of(team.store, collection))}{rest}"


def post(team: Served, rest: str, **form: str) -> TestResponse:
    return team.browser.post(path_of(team, rest), data=form)


def secret_in(answer: TestResponse) -> str:
    match = re.search(r'<p role="status">[^<]*<code>([^<]+)</code> It is not shown', answer.text)
    assert match, answer.text
    return html.unescape(match[1])


def roles_of(store: Store, name: str) -> list[tuple[str, str | None]]:
    return [(role.role, role.collection) for role in list_all(store)[1] if role.account == name]


def last_event(store: Store) -> tuple[str, str, str | None, str]:
    with store.read() as connection:
        (event,) = events.events(connection, last=1)
    return event.who, event.action, event.collection, event.subject


def browser_of(team: Served, name: str) -> FlaskClient:
    browser = team.new_browser()
    assert team.log_in(name, browser=browser).status_code == 303
    return browser
