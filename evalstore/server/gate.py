"""Access checks for every request: the host that it names, the site it comes from, its sender.

An address without a row in the table of routes is 403 for everyone. The gate also chooses the
store that a request may read: see `store_of_request`.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from flask import Flask, Response, g, request

from dashboard import address
from dashboard.components import ids
from dashboard.components.files import FILES
from dashboard.components.problems import PageProblem
from dashboard.serving.access import sent_path
from dashboard.serving.response_cache import PATH as CALLBACKS
from evalstore.catalog.links import save_view
from evalstore.client.connection import ROOT
from evalstore.errors import StoreError
from evalstore.server.pages.rendering import page_answer, redirect, render
from evalstore.server.people.login import person_of_session
from evalstore.server.people.rights import NEEDS, Permission, Person, readable
from evalstore.server.people.tokens import person_of_token
from evalstore.server.problems import nothing_here, problem
from evalstore.server.retry import retry
from evalstore.server.routes import LOGIN, ROUTES, Route
from evalstore.server.setup import PublicUrl
from evalstore.store import Store
from evalstore.store.queries import events
from evalstore.store.queries.collections import access_of_collections, find_collection
from evalstore.store.queries.events import find_view

COOKIE = "evalstore_session"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
BY_RULE = {route.rule: route for route in ROUTES}
WHO_ARE_YOU = {"WWW-Authenticate": 'Bearer realm="evalstore"'}


@dataclass(frozen=True)
class Gate:
    """Checks each request: lets it in or answers it."""

    store: Store
    public_url: PublicUrl

    def admit(self) -> Response | None:
        """Check the request that Flask handles; None lets it in, with `g.person` set."""
        g.person = None
        rule = request.url_rule
        route = None if rule is None else BY_RULE.get(rule.rule)
        refusal = self._refusal(route)
        needs = "read" if route is None else route.needs(request.method)
        if refusal is not None or needs == "anyone":
            return refusal
        g.person, g.readable = person, collections = retry(self._person)
        if person is None:
            if needs != "read" or not self._is_public(route, collections):
                return self._unknown(route)
        else:
            events.ACTING.set(person.name)
            # Flask answers a person who may read if the path, or the method there, does not exist.
            may = person.may_somewhere(needs) or (needs == "read" and bool(collections))
            if not may:
                if route is not None and route.is_hidden:
                    return nothing_here()
                return problem(403, _lacks(person, needs))
            if needs == "session":
                return None
        return self._choose_store(person, collections)

    def _refusal(self, route: Route | None) -> Response | None:
        """The refusal of a request that nobody may make, whoever sends it."""
        if not self.public_url.names(request.environ.get("HTTP_HOST", "")):
            return self._other_host()
        known = request.url_rule is not None
        if known and (route is None or request.method not in route.methods):
            return problem(403, "Nobody may do that at this address.")
        if request.method not in SAFE and not self._is_from_own_page():
            return problem(403, "A page of another site may not use this server.")
        if "Transfer-Encoding" in request.headers and not request.path.startswith(f"{ROOT}/"):
            # A thread would wait for the end of the body. The API has a time limit for that.
            return problem(411, "Send the length of what you send: Content-Length.")
        return None

    def _other_host(self) -> Response:
        """The answer under a wrong host name: a page for a browser, else problem details."""
        if _is_navigation() and not request.path.startswith(f"{ROOT}/"):
            return page_answer(render("other_host.html", "", url=str(self.public_url)), 400)
        return problem(400, f"This server is at {self.public_url}, not at that host name.")

    def _is_from_own_page(self) -> bool:
        """Whether a request that changes something comes from a page of this server or a program.

        Browsers say which site a request comes from, and add no Authorization header by themselves.
        """
        origin = request.headers.get("Origin")
        if origin is not None and origin != self.public_url.origin:
            return False
        site = request.headers.get("Sec-Fetch-Site")
        if site is not None:
            return site == "same-origin"
        return origin is not None or "Authorization" in request.headers

    def _person(self) -> tuple[Person | None, frozenset[int]]:
        """The sender of the request, and the ids of the collections that this person may read."""
        with self.store.snapshot():
            person = self._known_person()
            with self.store.read() as connection:
                return person, readable(person, access_of_collections(connection))

    def _known_person(self) -> Person | None:
        """The person whose token is in the header, or else whose session is in the cookie."""
        now = datetime.now(UTC)
        if "Authorization" in request.headers:
            token = _bearer_token()
            return None if token is None else person_of_token(self.store, token, now)
        id_ = request.cookies.get(COOKIE)
        return person_of_session(self.store, id_, now) if id_ else None

    def _unknown(self, route: Route | None) -> Response:
        if route is not None and route.is_page and _is_navigation():
            # The path and query as the browser sent them: an encoded slash in a name stays encoded.
            query = request.query_string.decode("ascii", "ignore")
            path = sent_path(request.environ) + (f"?{query}" if query else "")
            return redirect(f"{self.public_url.prefix}{LOGIN}?next={quote(path, safe='/')}")
        sentence = "Log in, or send a token that counts: `Authorization: Bearer evs_...`."
        if _bearer_token() is not None:
            sentence = (
                "This token does not count: it is wrong, has expired or was revoked, or its "
                "account was disabled."
            )
        return problem(401, sentence, WHO_ARE_YOU)

    def _is_public(self, route: Route | None, collections: frozenset[int]) -> bool:
        """Whether a request is allowed although the sender is not logged in.

        It is if it asks for a page, a file or the API of a public collection, or for something that
        every page needs, while there is a public collection. With a token it never is, so that the
        sender of a wrong token gets an error.
        """
        if (
            not collections
            or route is None
            or not route.is_public
            or "Authorization" in request.headers
        ):
            return False
        store = self.store.restricted_to(collections)
        named = (request.view_args or {}).get("collection")
        if named is not None:
            with store.read() as connection:
                return "\0" not in named and find_collection(connection, named) is not None
        path = sent_path(request.environ) if route.is_page else _page_asked_for()
        return path is None or _collection_of(store, path) is not None

    def _choose_store(self, person: Person | None, collections: frozenset[int]) -> Response | None:
        """Set the store that the request reads: the whole store for its administrators.

        All others, also those who may read every collection, get a store with their collections
        only, because events of accounts are for administrators.
        """
        if person is not None and person.may("administer"):
            g.store = self.store
            return None
        try:
            may_publish = (
                [] if person is None else [id_ for id_ in collections if person.may("write", id_)]
            )
            g.store = self.store.restricted_to(collections, may_publish)
        except StoreError as error:
            logging.getLogger("dashboard").error("%s", error)
            return problem(503, "The store of this server is not set up for people to read.")
        return None

    def store_of_request(self) -> Store:
        """The store as the sender of the request may see it.

        At an address that is open to everyone the sender is unknown: the store has no collections.
        """
        store = g.get("store")
        return store if isinstance(store, Store) else self.store.restricted_to(())

    def store_to_write(self, collection: str, permission: Permission = "write") -> Store | None:
        """The whole store, if the sender of the request may write into a collection."""
        person = g.get("person")
        if not isinstance(person, Person):
            return None
        with self.store.read() as connection:
            id_ = find_collection(connection, collection)
        return self.store if id_ in g.readable and person.may(permission, id_) else None

    def save_view(self, store: Store, address: str, collection: str | None) -> str:
        """Save a long address of the dashboard, return its key; StoreError if not logged in."""
        if g.get("person") is None:
            raise StoreError("only who is logged in can save an address")
        return save_view(store, address, collection, whole=self.store)


def register(server: Flask) -> None:
    """Forget the sender after each request, because the thread answers other requests."""

    @server.teardown_request
    def forget(_: BaseException | None) -> None:
        events.ACTING.set(None)


def _page_asked_for() -> object:
    """The path of the page that a Dash callback is for; None for any other request.

    Dash finds the callback by the text of its outputs, and passes the inputs by their order; the
    first input is the path.
    """
    if request.path != CALLBACKS or request.method != "POST":
        return None
    asked: Any = request.get_json(silent=True)
    try:
        return asked["inputs"][0]["value"] if f"{ids.PAGE}.children" in asked["output"] else None
    except (KeyError, IndexError, TypeError):
        return ""  # no callback has such inputs


def _collection_of(store: Store, path: object) -> int | None:
    """The id of the collection that the page or file at a path is about, or None."""
    if not isinstance(path, str):
        return None
    try:
        if path.startswith(f"{FILES}/"):
            asked = address.parse(path.removeprefix(FILES).rpartition("/")[0], "")
        else:
            asked = address.parse(path, "")
    except PageProblem:
        return None
    with store.read() as connection:
        if asked.page == "view":
            view = find_view(connection, asked.name or "")
            return view and view.collection_id
        if asked.collection is None:
            return None
        return find_collection(connection, asked.collection)


def _lacks(person: Person, needs: Permission) -> str:
    """A sentence that the person lacks a permission, with the role that gives it."""
    if needs not in NEEDS:
        return f"{person.name} may not do that with a token: log in with a browser."
    role, what = NEEDS[needs], "it" if person.token is None else "a token that has it"
    return (
        f"{person.name} may not do that, which takes the role {role}: ask an administrator for "
        f"{what}."
    )


def _bearer_token() -> str | None:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def _is_navigation() -> bool:
    """Whether a person opens the address in a browser, rather than a script fetching it."""
    if request.method not in {"GET", "HEAD"} or "Authorization" in request.headers:
        return False
    mode = request.headers.get("Sec-Fetch-Mode")
    if mode is not None:
        return mode == "navigate"
    return "text/html" in request.headers.get("Accept", "")


def person_of_request() -> Person:
    """The sender of the request, in a view that needs a login."""
    person = g.person
    assert isinstance(person, Person)  # noqa: S101  (the gate lets nobody else in)
    return person
