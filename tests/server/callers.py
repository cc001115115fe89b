"""Everyone who may ask the server for something: roles, sessions and tokens of all kinds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from flask.testing import FlaskClient
from samples import BM25, TFIDF, add, write_run
from team_server import ADMINISTRATOR, COOKIE, PASSWORD, URL, Served
from two_collections import id_of

from evalstore.catalog.collections import set_collection_access
from evalstore.server.people.accounts import grant, set_disabled
from evalstore.server.people.login import IDLE, start_session
from evalstore.server.people.rights import ROLES, Role
from evalstore.server.people.tokens import create_token, revoke_token, secret_hash
from evalstore.server.setup import set_up
from evalstore.store import Store, models
from evalstore.store.access import accounts

SHARED, PRIVATE, PUBLIC, MISSING = "shared", "hidden", "open", "nothing"
"""Collections by who reads them: roles in the whole store, roles in it alone, everyone, and one
that is not there."""

SPARE = "spare"
"""A run of each collection that may be removed."""

STORE = None
"""The place of a role in the whole store."""

Kind = Literal["nobody", "session", "token", "bad session", "bad token"]


@dataclass(frozen=True)
class Caller:
    """Somebody who sends requests.

    Attributes:
        name: what the person is, for messages; the account is called so too.
        kind: how the person says who it is; bad ones say it in vain.
        roles: by the name of a collection; None stands for the whole store.
        only: the collection that the token is narrowed to.
        reads_only: whether the token is for reading.
    """

    name: str
    kind: Kind
    roles: Mapping[str | None, Role]
    only: str | None = None
    reads_only: bool = False


PEOPLE: Mapping[str, Mapping[str | None, Role]] = {
    **{f"{role} of the store": {STORE: role} for role in ROLES},
    **{f"{role} of the shared collection": {SHARED: role} for role in ROLES},
    **{f"{role} of the private collection": {PRIVATE: role} for role in ROLES},
    "reader of the store who contributes to the private collection": {
        STORE: "reader",
        PRIVATE: "contributor",
    },
    "contributor of the public collection": {PUBLIC: "contributor"},
    "account without a role": {},
}
"""The roles of those who log in with a browser."""

TOKENS = (
    Caller("token of a reader of the store", "token", {STORE: "reader"}, reads_only=True),
    Caller("token of an administrator of the store", "token", {STORE: "administrator"}),
    *(
        Caller(f"token of the private collection: {role}", "token", {PRIVATE: role}, PRIVATE)
        for role in ROLES[1:]
    ),
    # The account got more than its token says: the token takes it away all the same.
    Caller(
        "token for reading of an administrator",
        "token",
        {STORE: "administrator"},
        reads_only=True,
    ),
    Caller(
        "token of the shared collection of an administrator",
        "token",
        {STORE: "administrator", SHARED: "contributor"},
        SHARED,
    ),
)
"""Who sends a token that counts."""

DISABLED = "disabled administrator"
BAD_SESSIONS = (
    "session that was invented",
    "session that was ended",
    "session that is too old",
    "session that was not used for long",
    "session of a disabled account",
)
BAD_TOKENS = (
    "token that is wrong",
    "token that has expired",
    "token that was revoked",
    "token of a disabled account",
    "token that is the id of a session",
)

CALLERS = (
    Caller("nobody", "nobody", {}),
    *(Caller(name, "session", granted) for name, granted in PEOPLE.items()),
    *TOKENS,
    *(Caller(name, "bad session", {}) for name in BAD_SESSIONS),
    *(Caller(name, "bad token", {}) for name in BAD_TOKENS),
)


@dataclass(frozen=True)
class Callers:
    """A server over the collections, and browsers and programs of everyone.

    Attributes:
        served: the server.
        accounts: the ids of those of people, by their names; one is disabled.
        tokens: by the names of the callers.
    """

    served: Served
    accounts: Mapping[str, int]
    tokens: Mapping[str, str]

    @cached_property
    def page_callback(self) -> Any:
        """The callback that shows a page, as browsers are told of it."""
        administrator = next(each for each in CALLERS if each.name == "administrator of the store")
        listed = self.client(administrator).get("/_dash-dependencies").get_json()
        return next(each for each in listed if "page.children" in each["output"])

    def client(self, caller: Caller) -> FlaskClient:
        """A client of somebody; who uses a browser gets a session of its own."""
        client = self.served.new_browser()
        if caller.kind in {"token", "bad token"}:
            client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {self.tokens[caller.name]}"
        elif caller.kind == "session":
            client.set_cookie(COOKIE, self._session(caller.name), domain="eval.example")
        elif caller.kind == "bad session":
            client.set_cookie(COOKIE, self._bad_session(caller.name), domain="eval.example")
        return client

    def _session(self, account: str) -> str:
        """The id of a new session."""
        with self.served.store.write() as connection:
            return start_session(connection, self.accounts[account], "", datetime.now(UTC))

    def _bad_session(self, name: str) -> str:
        """The id of a session that counts nothing; but for that it would be an administrator's."""
        if name == "session that was invented":
            return "Zm9yZ2VkIHNlc3Npb24gaWQgb2YgbWluZQ"
        account = DISABLED if name == "session of a disabled account" else ADMINISTRATOR
        id_ = self._session(account)
        session, now = models.table(models.Session), datetime.now(UTC)
        this = session.c.hash == secret_hash(id_)
        spoiled = {
            "session that was ended": session.delete().where(this),
            "session that is too old": session.update().where(this).values(expires_at=now),
            "session that was not used for long": (
                session.update().where(this).values(last_seen_at=now - IDLE - timedelta(minutes=1))
            ),
        }
        if name in spoiled:
            with self.served.store.write() as connection:
                connection.execute(spoiled[name])
        return id_


@contextmanager
def serving_callers(folder: Path) -> Iterator[Callers]:
    """A server over the collections with the accounts of everyone."""
    with Store.open(f"sqlite:///{folder / 'store.db'}") as store:
        runs = {"bm25": BM25, "tfidf": TFIDF, SPARE: {"q1": ["d2"]}}
        paths = [write_run(folder, runs[name], f"{name}.run", name) for name in runs]
        for collection in (SHARED, PRIVATE, PUBLIC):
            add(store, folder, *paths, collection=collection)
        set_up(store, URL, ADMINISTRATOR, PASSWORD)
        set_collection_access(store, PRIVATE, "private")
        set_collection_access(store, PUBLIC, "public")
        people = _people(store)
        yield Callers(Served(store), people, _tokens(store) | _bad_tokens(store, people))


def _people(store: Store) -> dict[str, int]:
    """The accounts of people with their roles; no passwords, which take long to hash."""
    places = {name: id_of(store, name) for name in (SHARED, PRIVATE, PUBLIC)}
    now, ids = datetime.now(UTC), {}
    with store.write() as connection:
        for name, granted in (PEOPLE | {DISABLED: {STORE: "administrator"}}).items():
            ids[name] = accounts.add_account(connection, name, "person", None, now)
            for place, role in granted.items():
                collection_id = None if place is None else places[place]
                accounts.set_role(connection, ids[name], collection_id, role)
        accounts.change_account(connection, ids[DISABLED], disabled=True)
        first = accounts.find_account(connection, ADMINISTRATOR)
    assert first is not None
    return {**ids, ADMINISTRATOR: first.id}


def _tokens(store: Store) -> dict[str, str]:
    """The tokens that count."""
    made = {}
    for caller in TOKENS:
        role: Role = "reader" if caller.reads_only else caller.roles[caller.only]
        made[caller.name] = create_token(store, caller.name, role, caller.only)
        for place, granted in caller.roles.items():
            grant(store, caller.name, granted, place)
    return made


def _bad_tokens(store: Store, people: Mapping[str, int]) -> dict[str, str]:
    """Tokens that count nothing; but for that they would be administrators'."""
    made = {name: create_token(store, name, "administrator") for name in BAD_TOKENS}
    made["token that is wrong"] += "x"
    revoke_token(store, "token that was revoked")
    set_disabled(store, "token of a disabled account", True)
    token, now = models.table(models.Token), datetime.now(UTC)
    with store.write() as connection:
        is_old = token.c.name == "token that has expired"
        connection.execute(token.update().where(is_old).values(expires_at=now))
        session = start_session(connection, people[ADMINISTRATOR], "", now)
    return {**made, "token that is the id of a session": session}
