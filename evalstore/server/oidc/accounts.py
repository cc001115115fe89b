"""Accounts of people who log in at a provider: made at the first login, their roles at each one.

An account is known by (issuer, subject). It is never one that was there before: names and e-mail
addresses are the person's or the provider's to choose, so they prove nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import Connection

from evalstore.catalog.names import LONGEST_ACCOUNT_NAME, check_account_name, has_at_sign
from evalstore.errors import DataError
from evalstore.server.oidc.client import Identity, LoginFailed
from evalstore.server.oidc.providers import Provider
from evalstore.server.people.accounts import account_named
from evalstore.server.people.rights import Role
from evalstore.server.people.sessions import AGE_FROM_PROVIDER, start_session
from evalstore.store import Store
from evalstore.store.access import accounts, identities, roles, sessions
from evalstore.store.access.accounts import StoredAccount
from evalstore.store.queries import events
from evalstore.store.queries.collections import names_of_collections

NAMELESS = "user"
"""The name of an account whose provider tells none that is fit."""


def log_in(store: Store, provider: Provider, identity: Identity, agent: str, now: datetime) -> str:
    """Start a session of who was identified; returns its id for the cookie.

    The roles that come from groups are set anew; those that an administrator granted stay. Who is
    in no mapped group loses the former and all sessions, even with a role that was granted.

    Raises:
        LoginFailed: the account is disabled, or no group of the person has a role.
    """

    def work(connection: Connection) -> str | LoginFailed:
        names = names_of_collections(connection)
        given = provider.roles_of(identity.groups, names.keys())
        account = _account(connection, identity)
        if account is not None and account.disabled:
            sentence = f"your account {account.name!r} is disabled: ask an administrator"
            return LoginFailed(sentence, f"{account.name} is disabled")
        if account is None and given:
            account = _add_account(connection, provider, identity, now)
        if account is not None:
            with events.acting(account.name):
                _set_roles(connection, provider, account, given, names, now)
        if account is None or not given:
            if account is not None:
                sessions.delete_sessions(connection, account.id)
            sentence = "you are in no group that may use this server: ask an administrator"
            return LoginFailed(sentence, f"{identity.subject!r} is in no mapped group")
        return start_session(connection, account.id, agent, now, AGE_FROM_PROVIDER)

    done = store.transact(work)
    if isinstance(done, LoginFailed):
        raise done
    return done


def _account(connection: Connection, identity: Identity) -> StoredAccount | None:
    account_id = identities.find_identity(connection, identity.issuer, identity.subject)
    return None if account_id is None else accounts.account_of(connection, account_id)


def _add_account(
    connection: Connection, provider: Provider, identity: Identity, now: datetime
) -> StoredAccount:
    name = _free_name(connection, identity.name, provider)
    account_id = accounts.add_account(connection, name, "person", None, now)
    identities.add_identity(connection, identity.issuer, identity.subject, account_id, now)
    with events.acting(name):
        details = {"change": "added", "provider": provider.name}
        events.log(connection, "account", None, name, now, **details)
    return account_named(connection, name)


def _free_name(connection: Connection, wanted: str, provider: Provider) -> str:
    """The name that a person wants, or where another account has it the same with a number.

    One with an `@` is followed by the provider: a user of the server's machine is named
    `user@host`, and has neither a space nor a parenthesis.
    """
    try:
        check_account_name(wanted)
        name = wanted
    except DataError:
        name = NAMELESS
    of_provider = f" ({provider.name})" if has_at_sign(name) else ""
    number, ending = 1, of_provider
    while True:
        free = f"{name[: LONGEST_ACCOUNT_NAME - len(ending)].rstrip()}{ending}"
        if accounts.find_account(connection, free) is None:
            return free
        number += 1
        ending = f"-{number}{of_provider}"


def _set_roles(
    connection: Connection,
    provider: Provider,
    account: StoredAccount,
    given: Mapping[int | None, Role],
    names: Mapping[int, str],
    now: datetime,
) -> None:
    """Set the roles of an account that come from groups; each change is an event."""
    before = roles.roles_from(connection, account.id, from_groups=True)
    for place in before.keys() | given.keys():
        role = given.get(place)
        if before.get(place) == role:
            continue
        details: dict[str, object] = {"role": role}
        if role is None:
            roles.delete_role(connection, account.id, place, from_groups=True)
            details = {"withdrawn": True}
        else:
            roles.set_role(connection, account.id, place, role, from_groups=True)
        collection = None if place is None else names.get(place)
        details |= {"by groups of": provider.name}
        events.log(connection, "role", collection, account.name, now, **details)
