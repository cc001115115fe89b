"""What the server is to answer to whom: a rule over the table of routes and what callers may do.

It asks nothing of the code that decides it: the table of routes says what an address needs, the
callers say what they have, and the rule is written here a second time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from callers import MISSING, PRIVATE, PUBLIC, SHARED, STORE, Caller
from team_server import URL

from dashboard.serving.access import HEALTH
from evalstore.client.connection import ROOT
from evalstore.server.people.rights import NEEDS, ROLES, Permission
from evalstore.server.routes import ROUTES, Route

METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "TRACE")
CHANGES = ("POST", "PUT", "PATCH", "DELETE", "TRACE")
PAGES = next(route for route in ROUTES if route.rule == "/<path:path>")

Expected = Literal["let in", 401, 403, 404, 405]

COLLECTIONS = (SHARED, PRIVATE, PUBLIC, MISSING)
PLACES = (STORE, SHARED, PRIVATE, PUBLIC)

OF_WHOLE_STORE = {
    ("/api/v1/metrics", "GET"),
    ("/api/v1/metrics", "HEAD"),
    (f"{ROOT}/collections", "POST"),
}
"""What takes the permission in the whole store, as it is about more than a collection."""

JOB = f"{ROOT}/jobs/<int:job>"
ASKED_FOR_JOB = "contributor of the shared collection"


@dataclass(frozen=True)
class Origin:
    """Where a request comes from, as a browser or a program says.

    Attributes:
        headers: that say so.
        is_own_page: whether they prove that it comes from a page of this server.
        is_foreign: whether they say that it does not.
    """

    headers: dict[str, str]
    is_own_page: bool = False
    is_foreign: bool = False


ORIGINS = {
    "a page of the server": Origin(
        {"Origin": URL, "Sec-Fetch-Site": "same-origin"}, is_own_page=True
    ),
    "a page of the server in an old browser": Origin({"Origin": URL}, is_own_page=True),
    "who says nothing": Origin({}),
    "another site": Origin(
        {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}, is_foreign=True
    ),
    "another site in an old browser": Origin({"Origin": "https://evil.example"}, is_foreign=True),
    "a page without an origin": Origin({"Origin": "null"}, is_foreign=True),
    "another site that hides its origin": Origin({"Sec-Fetch-Site": "cross-site"}, is_foreign=True),
    "another host of the domain": Origin({"Sec-Fetch-Site": "same-site"}, is_foreign=True),
    "the bar of addresses": Origin({"Sec-Fetch-Site": "none"}, is_foreign=True),
}


@dataclass(frozen=True)
class Question:
    """A request: a row of the table with an example of its path and of what is sent.

    Attributes:
        route: the row.
        method: of the request.
        collection: that it is about, in the path or in what is sent; None for no single one.
    """

    route: Route
    method: str
    collection: str | None


def expected(question: Question, caller: Caller, origin: Origin) -> Expected:
    """What a question is to be answered."""
    route, method, collection = question.route, question.method, question.collection
    if route.rule == HEALTH:  # watched by programs that know no host name: before all else
        return "let in" if method in route.methods else 405
    if method in {"GET", "HEAD"} and method not in route.methods and not _is_api(route):
        # The dashboard has a page for every path, which may say that there is none.
        route, collection = PAGES, None
    sends_token = caller.kind in {"token", "bad token"}
    # Browsers send cookies by themselves, and no header Authorization.
    is_trusted = origin.is_own_page or (sends_token and not origin.is_foreign)
    if method in CHANGES and not is_trusted:
        return 403
    is_known = caller.kind in {"session", "token"}
    if method not in route.methods:
        return 405 if is_known else 401
    if route.needs(method) == "anyone":
        return "let in"
    if is_known:
        return _expected_of_known(Question(route, method, collection), caller)
    is_open = route.needs(method) == "read" and _is_open(route, collection)
    return "let in" if is_open and not sends_token else 401


def _is_open(route: Route, collection: str | None) -> bool:
    """Whether who is not logged in reads at an address, while there is a public collection."""
    is_of_every_page = collection is None and not route.is_page
    return route.is_public and (collection == PUBLIC or is_of_every_page)


def _expected_of_known(asked: Question, caller: Caller) -> Expected:
    """The same where the server knows who asks, and the address has the method."""
    need = asked.route.needs(asked.method)
    no: Expected = 404 if asked.route.is_hidden else 403
    if need == "session":
        return "let in" if caller.kind == "session" else 403
    if need == "administer":
        return "let in" if has(caller, need, STORE) else no
    somewhere = any(has(caller, need, place) for place in PLACES)
    if not somewhere and not (need == "read" and any(reads(caller, one) for one in COLLECTIONS)):
        return no
    # Flask answers OPTIONS itself, with the methods.
    return "let in" if asked.method == "OPTIONS" else _expected_of_view(asked, caller)


def _expected_of_view(asked: Question, caller: Caller) -> Expected:
    """The same of who has the permission somewhere: whether it is there where it is needed."""
    route, need, collection = asked.route, asked.route.needs(asked.method), asked.collection
    if (route.rule, asked.method) in OF_WHOLE_STORE:
        return "let in" if has(caller, need, STORE) else 403
    if route.rule == JOB:
        is_own = caller.name == ASKED_FOR_JOB
        return "let in" if is_own or has(caller, "administer", STORE) else 404
    # The page of any address is let in: what is on it comes by a callback.
    if collection is None or route is PAGES:
        return "let in"
    if not reads(caller, collection):
        return 404
    no: Expected = 404 if route.is_hidden else 403
    return "let in" if need == "read" or has(caller, need, collection) else no


def has(caller: Caller, permission: Permission, place: str | None) -> bool:
    """Whether somebody has the role for a permission in a collection, or in the whole store."""
    if caller.reads_only and permission != "read":
        return False
    if caller.only is not None and place != caller.only:
        return False
    role = ROLES.index(NEEDS[permission])
    held = (caller.roles.get(STORE), caller.roles.get(place))
    return any(each is not None and ROLES.index(each) >= role for each in held)


def reads(caller: Caller, collection: str) -> bool:
    """Whether somebody may read a collection."""
    if collection == MISSING or caller.only not in {None, collection}:
        return False
    if collection == PUBLIC or collection in caller.roles:
        return True
    enough = ROLES[:] if collection == SHARED else ROLES[-1:]
    return caller.roles.get(STORE) in enough


def _is_api(route: Route) -> bool:
    return route.rule.startswith(ROOT)
