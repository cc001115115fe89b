"""All addresses of the server, with their methods and permissions; any other address is refused.

A new address needs a row here, even if a library adds it; a test checks all that Flask knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from dashboard import vendored
from dashboard.serving.access import HEALTH
from evalstore.client.connection import ROOT
from evalstore.server.api.operation import Operation
from evalstore.server.api.routes import OPERATIONS
from evalstore.server.people.rights import Permission

READS = frozenset({"GET", "HEAD", "OPTIONS"})
WRITES = frozenset({"POST", "OPTIONS"})

LOGIN = "/login"
OIDC = f"{LOGIN}/oidc/<provider>"
OIDC_CALLBACK = f"{OIDC}/callback"
LOGOUT = "/logout"
ACCOUNT = "/account"
PASSWORD = "/account/password"  # noqa: S105  (an address)
SESSIONS = "/account/sessions"
ADMIN = "/admin"
ADMIN_ACCOUNT = f"{ADMIN}/accounts/<int:account_id>"
DISABLE = f"{ADMIN}/accounts/disable"
ENABLE = f"{ADMIN}/accounts/enable"
RESET_PASSWORD = f"{ADMIN}/accounts/password"
GRANT = f"{ADMIN}/roles/grant"
WITHDRAW_ROLE = f"{ADMIN}/roles/withdraw"
INVITE = f"{ADMIN}/invitations/create"
UNINVITE = f"{ADMIN}/invitations/withdraw"
CREATE_TOKEN = f"{ADMIN}/tokens/create"
REVOKE_TOKEN = f"{ADMIN}/tokens/revoke"
END_SESSION = f"{ADMIN}/sessions/end"
SET_ACCESS = f"{ADMIN}/collections/access"
COLLECTION = f"{ADMIN}/collections/<int:collection_id>"
COLLECTION_GRANT = f"{COLLECTION}/roles/grant"
COLLECTION_WITHDRAW_ROLE = f"{COLLECTION}/roles/withdraw"
COLLECTION_INVITE = f"{COLLECTION}/invitations/create"
COLLECTION_UNINVITE = f"{COLLECTION}/invitations/withdraw"
COLLECTION_CREATE_TOKEN = f"{COLLECTION}/tokens/create"
COLLECTION_REVOKE_TOKEN = f"{COLLECTION}/tokens/revoke"
COLLECTION_SET_ACCESS = f"{COLLECTION}/access"
INVITATION = "/invitation"
API_PAGE = "/api"
API_ROOT = f"{ROOT}/"
API_REST = f"{ROOT}/<path:path>"


@dataclass(frozen=True)
class Route:
    """A row of the table.

    Attributes:
        rule: the pattern of the path, as Flask writes it.
        methods: the methods that are allowed.
        permission: the permission that the person needs, somewhere in the store; in a route of one
            collection the view also asks `Person.may` for that collection.
        of_methods: other permissions, by method.
        is_page: whether people open it: they are sent to the login; programs get 401.
        is_hidden: whether a refusal says that nothing is there.
        is_public: whether anybody may use it, by methods that need `read`, for public collections.
            Its view reads only the store of `Gate.store_of_request`.
    """

    rule: str
    methods: frozenset[str]
    permission: Permission
    is_page: bool = False
    is_hidden: bool = False
    is_public: bool = False
    of_methods: Mapping[str, Permission] = field(default_factory=dict)

    def needs(self, method: str) -> Permission:
        """The permission for a method."""
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
            # Addresses of one collection can be read without a login.
            is_public=needs.get("GET") == "read" and rule.startswith(f"{ROOT}/collections/"),
            of_methods=others,
        )


OWN: tuple[Route, ...] = (
    Route(HEALTH, READS, "anyone"),
    Route(LOGIN, READS | WRITES, "anyone", is_page=True),
    Route(OIDC, READS, "anyone", is_page=True),
    Route(OIDC_CALLBACK, READS, "anyone", is_page=True),
    Route(LOGOUT, WRITES, "anyone", is_page=True),
    Route(INVITATION, READS | WRITES, "anyone", is_page=True),
    Route(ACCOUNT, READS, "session", is_page=True),
    Route(PASSWORD, WRITES, "session", is_page=True),
    Route(SESSIONS, WRITES, "session", is_page=True),
)

ADMINISTRATION: tuple[Route, ...] = (
    Route(ADMIN, READS, "administer", is_page=True, is_hidden=True),
    Route(ADMIN_ACCOUNT, READS, "administer", is_page=True, is_hidden=True),
    *(
        Route(rule, WRITES, "administer", is_page=True, is_hidden=True)
        for rule in (
            *(DISABLE, ENABLE, RESET_PASSWORD, GRANT, WITHDRAW_ROLE, INVITE, UNINVITE),
            *(CREATE_TOKEN, REVOKE_TOKEN, END_SESSION, SET_ACCESS),
        )
    ),
)

OF_COLLECTION: tuple[Route, ...] = (
    Route(COLLECTION, READS, "manage", is_page=True, is_hidden=True),
    *(
        Route(rule, WRITES, "manage", is_page=True, is_hidden=True)
        for rule in (
            *(COLLECTION_GRANT, COLLECTION_WITHDRAW_ROLE, COLLECTION_INVITE, COLLECTION_UNINVITE),
            *(COLLECTION_CREATE_TOKEN, COLLECTION_REVOKE_TOKEN, COLLECTION_SET_ACCESS),
        )
    ),
)

API: tuple[Route, ...] = (
    *_routes_of(OPERATIONS),
    Route(API_PAGE, READS, "read", is_page=True),
    # All other paths below the API's root, so that programs get problem details.
    Route(API_ROOT, READS | WRITES | {"PUT", "PATCH", "DELETE", "TRACE"}, "read"),
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
    Route("/typed-measure", READS, "read", is_public=True),
    # The view asks for more in the collection, and for what only contributors do.
    Route("/judge", WRITES, "judge"),
    Route("/_favicon.ico", READS, "read", is_public=True),
    Route("/assets/<path:filename>", READS, "read", is_public=True),
    Route("/static/<path:filename>", READS, "read", is_public=True),
    Route(
        "/_dash-component-suites/<string:package_name>/<path:fingerprinted_path>",
        READS,
        "read",
        is_public=True,
    ),
    *(Route(script.path(), READS, "read", is_public=True) for script in vendored.SCRIPTS),
)

ROUTES = (*OWN, *ADMINISTRATION, *OF_COLLECTION, *API, *DASHBOARD)


def collection_path(collection_id: int, rule: str = COLLECTION) -> str:
    """The path of a rule below the page where a collection is administered."""
    return rule.replace("<int:collection_id>", str(collection_id))
