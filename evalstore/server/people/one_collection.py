"""What the administrators of a collection change in it, without learning of anything beside it.

Each change is refused in the same way where what it names belongs to another collection and where
it is not there. Whether an account has a name can't be hidden from who may give it a role; so that
names are not found by trying, wrong ones make the next one wait.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection

from evalstore.errors import Conflict, NotFound
from evalstore.server.people import accounts as people
from evalstore.server.people import invitations as invited
from evalstore.server.people import tokens as programs
from evalstore.server.people.login import guess
from evalstore.server.people.rights import Role
from evalstore.store import Store
from evalstore.store.access import accounts, invitations, roles, tokens
from evalstore.store.access.invitations import StoredInvitation
from evalstore.store.access.roles import StoredRole
from evalstore.store.access.tokens import StoredToken


@dataclass(frozen=True)
class OneCollection:
    """A collection and who administers it.

    Attributes:
        store: the whole store.
        id: of the collection.
        name: of the collection.
        by: the id of the account that makes changes.
    """

    store: Store
    id: int
    name: str
    by: int

    def roles(self) -> list[StoredRole]:
        """The roles in the collection itself, by the name of the account."""
        with self.store.read() as connection:
            return roles.list_roles(connection, self.id)

    def invitations(self) -> list[StoredInvitation]:
        """The invitations to the collection, the oldest first."""
        with self.store.read() as connection:
            listed = invitations.list_invitations(connection)
        return [each for each in listed if each.collection_id == self.id]

    def tokens(self) -> list[StoredToken]:
        """The tokens of the collection alone that are not revoked, by name."""
        with self.store.read() as connection:
            listed = tokens.list_tokens(connection)
        return [each for each in listed if each.collection_id == self.id and not each.revoked_at]

    def grant(self, name: str, role: Role, now: datetime) -> None:
        """Give an account a role in the collection, in place of the one that it was granted there.

        Raises:
            LockedOut: too many names were wrong.
            NotFound: no account has this name.
        """
        if not self._guess(lambda connection: _has_account(connection, name), now):
            raise NotFound(f"there is no account {name!r}", problem="no account")
        people.grant(self.store, name, role, self.name)

    def withdraw(self, name: str) -> None:
        """Take away the role that an account was granted in the collection.

        Raises:
            NotFound: it has none.
        """
        granted = {role.account for role in self.roles() if not role.from_groups}
        if name not in granted:
            raise NotFound(f"{name!r} was granted no role here")
        people.withdraw(self.store, name, self.name)

    def invite(self, role: Role, lifetime: timedelta) -> str:
        """Invite a person, who chooses a name; returns the secret of the link."""
        return invited.invite(self.store, role, None, self.name, lifetime)

    def withdraw_invitation(self, invitation_id: int | None) -> None:
        """Withdraw an invitation to the collection that was not used.

        Raises:
            NotFound: there is no such one.
        """
        if invitation_id is None or invitation_id not in {each.id for each in self.invitations()}:
            raise NotFound("there is no such invitation here")
        invited.withdraw_invitation(self.store, invitation_id)

    def create_token(self, name: str, role: Role, lifetime: timedelta | None, now: datetime) -> str:
        """Make a token of the collection; returns it.

        Raises:
            Conflict: the name is taken, here or elsewhere.
            DataError: the name is not fit.
            LockedOut: too many names were taken.
        """
        if not self._guess(lambda connection: self._is_free(connection, name), now):
            raise Conflict(f"the name {name!r} is taken: take another one for the token")
        return programs.create_token(self.store, name, role, self.name, lifetime)

    def revoke_token(self, name: str) -> None:
        """Take back a token of the collection.

        Raises:
            NotFound: there is no such one.
        """
        if name not in {token.name for token in self.tokens()}:
            raise NotFound(f"there is no token {name!r} here", problem="no token")
        programs.revoke_token(self.store, name)

    def _guess(self, is_right: Callable[[Connection], bool], now: datetime) -> bool:
        return guess(self.store, f"names of accounts, asked by {self.by}", is_right, now)

    def _is_free(self, connection: Connection, name: str) -> bool:
        """Whether a token here may have a name: no account has it, or one of such tokens alone."""
        account = accounts.find_account(connection, name)
        if account is None:
            return True
        places = set(roles.roles_of(connection, account.id)) | {
            token.collection_id
            for token in tokens.list_tokens(connection)
            if token.account_id == account.id
        }
        return account.kind == "service" and places == {self.id}


def _has_account(connection: Connection, name: str) -> bool:
    return accounts.find_account(connection, name) is not None
