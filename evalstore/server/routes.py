"""Every address of the server, with its methods and who may use it: what is not here is refused.

A new address needs a row here, also one that a library adds; a test walks all that Flask knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from dashboard import plotlyjs
from dashboard.access import HEALTH
from evalstore.server.api.operation import ROOT, Operation
from evalstore.server.api.table import OPERATIONS
from evalstore.server.rights import Permission

READS = frozenset({"GET", "HEAD", "OPTIONS"})
WRITES = frozenset({"POST", "OPTIONS"})

LOGIN = "/login"
LOGOUT = "/logout"
ACCOUNT = "/account"
PASSWORD = "/account/password"  # noqa: S105  (an address)
SESSIONS = "/account/sessions"
API_PAGE = "/api"
API_REST = f"{ROOT}/<path:path>"


@dataclass(frozen=True)
class Route:
    """A row of the table.

    Attributes:
        rule: the pattern of the path, as Flask writes it.
        methods: those that are let through.
        permission: what the person needs, somewhere in the store; where a route is about one
            collection, its view asks `Person.may` for that collection too.
        of_methods: what some methods need instead.
        is_page: whether people go there, who are sent to the login; programs are answered 401.
        is_public: whether who is not logged in may read it too, of public collections. Its view
            reads the store of `Gate.store_of_request` and no other.
    """

    rule: str
    methods: frozenset[str]
    permission: Permission
    is_page: bool = False
    is_public: bool = False
    of_methods: Mapping[str, Permission] = field(default_factory=dict)

    def needs(self, method: str) -> Permission:
        """What the person needs for a method."""
        return self.of_methods.get(method, self.permission)


def _routes_of(operations: Iterable[Operation]) -> Iterator[Route]:
    """The rows of the operations of the API, one for each address."""
    by_rule: dict[str, list[Operation]] = {}
    for each in operations:
        by_rule.setdefault(each.rule, []).append(each)
    for rule, together in by_rule.items():
        needs: dict[str, Permission] = {each.method: each.permission for each in together}
        methods = frozenset({"OPTIONS", *needs, *(["HEAD"] if "GET" in needs else [])})
        others = {method: need for method, need in needs.items() if need != together[0].permission}
        yield Route(
            rule,
            methods,
            together[0].permission,
            # Who is not logged in reads what is about one collection.
            is_public=set(needs) == {"GET"} and rule.startswith(f"{ROOT}/collections/"),
            of_methods=others,
        )


OWN: tuple[Route, ...] = (
    Route(HEALTH, READS, "anyone"),
    Route(LOGIN, READS | WRITES, "anyone", is_page=True),
    Route(LOGOUT, WRITES, "anyone", is_page=True),
    Route(ACCOUNT, READS, "session", is_page=True),
    Route(PASSWORD, WRITES, "session", is_page=True),
    Route(SESSIONS, WRITES, "session", is_page=True),
)

API: tuple[Route, ...] = (
    *_routes_of(OPERATIONS),
    Route(API_PAGE, READS, "read", is_page=True),
    # Whatever else is asked there, so that programs are told in their own way that it is not.
    Route(API_REST, READS | WRITES | {"PUT", "PATCH", "DELETE", "TRACE"}, "read"),
)

DASHBOARD: tuple[Route, ...] = (
    Route("/", READS, "read", is_page=True, is_public=True),
    Route("/<path:path>", READS, "read", is_page=True, is_public=True),
    Route("/export/<path:path>", READS, "read", is_page=True, is_public=True),
    Route("/_dash-layout", READS, "read", is_public=True),
    Route("/_dash-dependencies", READS, "read", is_public=True),
    Route("/_dash-update-component", WRITES, "read", is_public=True),
    Route("/_reload-hash", READS, "read", is_public=True),
    Route("/_favicon.ico", READS, "read", is_public=True),
    Route("/assets/<path:filename>", READS, "read", is_public=True),
    Route("/static/<path:filename>", READS, "read", is_public=True),
    Route(
        "/_dash-component-suites/<string:package_name>/<path:fingerprinted_path>",
        READS,
        "read",
        is_public=True,
    ),
    Route(plotlyjs.path(), READS, "read", is_public=True),
)

ROUTES = (*OWN, *API, *DASHBOARD)
