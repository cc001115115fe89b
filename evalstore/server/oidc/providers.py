"""Providers of logins (OpenID Connect), and the roles that their groups give.

A provider is a setting of the server. The store has only the path of the file with the client's
secret, so no backup of the database contains the secret.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urlsplit

from sqlalchemy import Connection

from evalstore.client.connection import is_loopback
from evalstore.errors import Conflict, DataError, NotFound, did_you_mean
from evalstore.server.people.accounts import collection_of
from evalstore.server.people.rights import ROLES, Role
from evalstore.server.setup import settings
from evalstore.store import Store
from evalstore.store.access import accounts, sessions
from evalstore.store.access.settings import delete_setting, load_settings, set_settings
from evalstore.store.queries import events

KEY = "provider_"
"""Prefix of the names of these settings in the store."""

LARGEST_SECRET = 10_000
LONGEST_TEXT = 1_000

SCOPES = "openid profile"
GROUPS_CLAIM = "groups"


@dataclass(frozen=True)
class GroupRole:
    """The role of a group in a collection; None means the whole store."""

    group: str
    role: Role
    collection_id: int | None


@dataclass(frozen=True)
class Provider:
    """A provider of logins.

    Attributes:
        name: its name on this server, in addresses and on the button of the login page.
        issuer: its address, exactly as the provider itself writes it.
        client_id: the name of this server at the provider.
        secret_file: the absolute path of the file with the client secret.
        groups_claim: the claim of the ID token or of UserInfo that lists groups.
        default_role: the role in the whole store of a person who is in none of the groups; None
            means that such a person is not let in.
    """

    name: str
    issuer: str
    client_id: str
    secret_file: str
    scopes: str = SCOPES
    groups_claim: str = GROUPS_CLAIM
    group_roles: tuple[GroupRole, ...] = ()
    default_role: Role | None = None

    def roles_of(
        self, groups: Collection[str], collections: Collection[int]
    ) -> dict[int | None, Role]:
        """The highest role in each collection of a person in some groups; empty: no access.

        Roles in collections other than the given ones do not count.
        """
        highest: dict[int | None, Role] = {}
        for each in self.group_roles:
            place, before = each.collection_id, highest.get(each.collection_id, ROLES[0])
            if each.group in groups and (place is None or place in collections):
                highest[place] = max(each.role, before, key=ROLES.index)
        if not highest and self.default_role is not None:
            return {None: self.default_role}
        return highest

    def secret(self) -> str:
        """The client secret, read from its file; DataError if that fails."""
        return read_secret(self.secret_file)


def read_secret(path: str) -> str:
    """The secret in a file, without white space around it; DataError if there is none."""
    try:
        with Path(path).open("rb") as file:
            text = file.read(LARGEST_SECRET).decode("utf-8").strip()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise DataError(f"{path}: the secret can't be read: {reason}") from None
    if not text:
        raise DataError(f"{path}: there is no secret in it")
    return text


def parse_mapping(text: str) -> tuple[str, Role, str | None]:
    """The group, the role and the collection of `GROUP=ROLE` or `GROUP=ROLE:COLLECTION`.

    The name of a group may contain `=`, as in LDAP. DataError if the text has another form.
    """
    match = re.fullmatch(rf"(.+)=({'|'.join(ROLES)})(?::(.+))?", text, re.DOTALL)
    if match is None:
        raise DataError(
            f"{text!r} is not written like GROUP=ROLE or GROUP=ROLE:COLLECTION, "
            f"where a role is {', '.join(ROLES[:-1])} or {ROLES[-1]}"
        )
    group, role, collection = match.groups()
    return group, role, collection  # type: ignore[return-value]  # the pattern has roles only


def check_issuer(issuer: str) -> None:
    """Check the address of a provider; DataError if it is invalid or could be forged."""
    try:
        parts = urlsplit(issuer)
        host, _ = parts.hostname or "", parts.port
    except ValueError as error:
        raise DataError(f"{issuer!r} is no URL: {error}") from None
    fits = len(issuer) <= LONGEST_TEXT and re.fullmatch(r"[!-~]+", issuer)
    if not fits or not host or parts.query or parts.fragment or parts.username is not None:
        raise DataError(f"{issuer!r} is no issuer: write it like https://login.example.org/realm")
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(host)):
        raise DataError(f"the issuer {issuer!r} is not https: others could forge its answers")


def add_provider(
    store: Store,
    name: str,
    issuer: str,
    client_id: str,
    secret_file: str,
    *,
    scopes: str = SCOPES,
    groups_claim: str = GROUPS_CLAIM,
    mapped: Sequence[tuple[str, Role, str | None]] = (),
    default_role: Role | None = None,
) -> Provider:
    """Let people log in at a provider, from now on; nothing is sent to the provider.

    The arguments are the attributes of `Provider`; `mapped` are groups with a role and the name of
    a collection, or None for the whole store. Raises Conflict if the name or issuer is taken,
    DataError for an invalid value, NotFound without such a collection, NotSetUp without a server.
    """
    settings(store)
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}", name):
        raise DataError(f"{name!r} can't be a name: 1 to 40 letters, digits and . _ - only")
    check_issuer(issuer)
    for what, text in (("client id", client_id), ("claim", groups_claim)):
        if not text or len(text) > LONGEST_TEXT or not text.isprintable():
            raise DataError(f"{text!r} can't be the {what} of a provider")
    if "openid" not in scopes.split() or not re.fullmatch(r"[!-~]+( [!-~]+)*", scopes):
        raise DataError(f"the scopes {scopes!r} are not words with `openid` among them")
    path = str(Path(secret_file).absolute())
    read_secret(path)

    def work(connection: Connection) -> Provider:
        providers = _providers(load_settings(connection))
        if name in providers:
            raise Conflict(f"there is a provider {name!r} already: remove it first")
        for other in providers.values():
            if other.issuer == issuer:
                raise Conflict(f"the provider {other.name!r} has that issuer already")
        group_roles = tuple(
            GroupRole(group, role, collection_of(connection, collection))
            for group, role, collection in mapped
        )
        provider = Provider(
            name, issuer, client_id, path, scopes, groups_claim, group_roles, default_role
        )
        stored = json.dumps(asdict(provider), ensure_ascii=False)
        set_settings(connection, {KEY + name: stored})
        events.log(connection, "server", None, name, change="provider added", issuer=issuer)
        return provider

    return store.transact(work)


def remove_provider(store: Store, name: str) -> None:
    """Remove a login provider; NotFound if there is none.

    The sessions of its accounts end, and roles that came from groups are removed. The accounts
    stay, and are used again if a provider with the same issuer is added.
    """

    def work(connection: Connection) -> None:
        providers = _providers(load_settings(connection))
        if name not in providers:
            hint = did_you_mean(name, providers)
            raise NotFound(f"there is no provider {name!r}{hint}", problem="no provider")
        for account_id in accounts.accounts_of_issuer(connection, providers[name].issuer):
            sessions.delete_sessions(connection, account_id)
            for place in accounts.roles_from(connection, account_id, from_groups=True):
                accounts.delete_role(connection, account_id, place, from_groups=True)
        delete_setting(connection, KEY + name)
        events.log(connection, "server", None, name, change="provider removed")

    store.transact(work)


def load_providers(store: Store) -> dict[str, Provider]:
    """The providers by name, in the order of names."""
    with store.read() as connection:
        return _providers(load_settings(connection))


def sources_of_accounts(store: Store) -> dict[int, str]:
    """The provider of each account that logs in at one, or the issuer if it was removed.

    Accounts that are missing here are local.
    """
    with store.read() as connection:
        names = {p.issuer: p.name for p in _providers(load_settings(connection)).values()}
        issuers = accounts.issuers_of_accounts(connection)
    return {account_id: names.get(of[-1], of[-1]) for account_id, of in issuers.items()}


def _providers(stored: Mapping[str, str]) -> dict[str, Provider]:
    texts = [text for key, text in sorted(stored.items()) if key.startswith(KEY)]
    providers = [_provider(json.loads(text)) for text in texts]
    return {provider.name: provider for provider in providers}


def _provider(values: dict[str, object]) -> Provider:
    group_roles = values.pop("group_roles")
    assert isinstance(group_roles, list)  # noqa: S101  (as `add_provider` stores it)
    return Provider(**values, group_roles=tuple(GroupRole(**each) for each in group_roles))  # type: ignore[arg-type]  # as above
