"""Permissions of a person: rules of roles, tokens and access to collections, without a store.

The rows of `server/routes.py` and `server/api/routes.py` have the permission of each page or
operation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from evalstore.store.access.sessions import Scope
from evalstore.store.queries.collections import Access

Role = Literal["reader", "judge", "contributor", "administrator"]
ROLES: tuple[Role, ...] = get_args(Role)
"""The roles in ascending order: each role includes the rights of those before it."""

Permission = Literal["anyone", "session", "read", "judge", "write", "manage", "administer"]
"""The permission of a route: `session` needs a login with a browser, `judge` a judge of documents,
`write` a contributor, `manage` an administrator of a collection, `administer` an administrator of
the whole store."""

NEEDS: Mapping[Permission, Role] = {
    "read": "reader",
    "judge": "judge",
    "write": "contributor",
    "manage": "administrator",
    "administer": "administrator",
}


@dataclass(frozen=True)
class Person:
    """The sender of a request: an account, by a session or by a token.

    Attributes:
        since: when the account was added; anything older is from an earlier account of that name.
        roles: the roles by collection id; None is the whole store.
        session: the hash of the session; None for a token.
        token: the name of the token; None for a session.
        token_id: the id of the token; None for a session.
        scope: the limit of the token.
        only: the id of the only collection of the token; None if it is not limited to one.
    """

    account_id: int
    name: str
    since: datetime
    roles: Mapping[int | None, str]
    session: str | None = None
    token: str | None = None
    token_id: int | None = None
    scope: Scope = "write"
    only: int | None = None

    def may(self, permission: Permission, collection_id: int | None = None) -> bool:
        """Whether the person has a permission in a collection, or, if None, in the whole store.

        For reading private collections see `readable`.
        """
        if permission == "anyone":
            return True
        if permission == "session":
            return self.session is not None
        if self.scope == "read" and permission != "read":
            return False
        if self.only is not None and collection_id != self.only:
            return False
        roles = (self.roles.get(None), self.roles.get(collection_id))
        return any(_reaches(role, permission) for role in roles)

    def may_somewhere(self, permission: Permission) -> bool:
        """Whether the person has a permission in the whole store or in some collection."""
        if permission in {"anyone", "session", "administer"}:
            return self.may(permission)
        places = set(self.roles) | {self.only}
        return any(self.may(permission, place) for place in places)


def readable(person: Person | None, access: Mapping[int, Access]) -> frozenset[int]:
    """The ids of the collections that a person may read; None is a person not logged in.

    A reader, judge or contributor of the whole store learns nothing of private collections;
    administrators of the whole store read all.
    """
    return frozenset(id_ for id_, kind in access.items() if _may_read(person, id_, kind))


def _may_read(person: Person | None, collection_id: int, access: Access) -> bool:
    if access == "public":
        return person is None or person.only in {None, collection_id}
    if person is None or not person.may("read", collection_id):
        return False
    if access == "store":
        return True
    return collection_id in person.roles or person.roles.get(None) == "administrator"


def _reaches(role: str | None, permission: Permission) -> bool:
    return role in ROLES and ROLES.index(role) >= ROLES.index(NEEDS[permission])
