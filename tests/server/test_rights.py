"""What roles, tokens and the access of a collection let a person do."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

import pytest
from team_server import Served

from evalstore.catalog.names import looks
from evalstore.errors import Conflict
from evalstore.server.people.accounts import add_person
from evalstore.server.people.rights import ROLES, Permission, Person, readable
from evalstore.server.people.tokens import create_token
from evalstore.store.access.sessions import Scope
from evalstore.store.queries.collections import Access

PERMISSIONS: tuple[Permission, ...] = ("read", "judge", "write", "administer")
STORE, PRIVATE, PUBLIC = 1, 2, 3
ACCESS: Mapping[int, Access] = {STORE: "store", PRIVATE: "private", PUBLIC: "public"}


def person(
    roles: Mapping[int | None, str], scope: Scope = "write", only: int | None = None
) -> Person:
    return Person(7, "ann", datetime(2026, 1, 1, tzinfo=UTC), roles, scope=scope, only=only)


@pytest.mark.parametrize("number", range(4))
def test_each_role_may_what_those_before_it_may(number: int) -> None:
    one = person({None: ROLES[number]})
    assert [one.may(p) for p in PERMISSIONS] == [n <= number for n in range(4)]


def test_a_role_in_a_collection_is_none_elsewhere() -> None:
    one = person({STORE: "administrator"})
    assert one.may("administer", STORE)
    assert not one.may("read", PRIVATE)
    assert not one.may("read")
    assert one.may_somewhere("write")
    assert not one.may_somewhere("administer")


def test_the_higher_of_two_roles_counts() -> None:
    assert person({None: "reader", STORE: "contributor"}).may("write", STORE)
    assert person({None: "contributor", STORE: "reader"}).may("write", STORE)


def test_a_token_only_takes_away() -> None:
    assert not person({None: "administrator"}, "read").may("write")
    assert person({None: "administrator"}, "read").may("read")
    narrowed = person({None: "administrator"}, only=STORE)
    assert narrowed.may("write", STORE)
    assert not narrowed.may("write", PRIVATE)
    assert not narrowed.may("administer")
    assert not person({}, only=STORE).may("read", STORE)
    assert readable(narrowed, ACCESS) == {STORE}


def test_an_unknown_role_may_nothing() -> None:
    one = person({None: "owner", STORE: ""})
    assert not any(one.may_somewhere(permission) for permission in PERMISSIONS)


@pytest.mark.parametrize(
    ("roles", "ids"),
    [
        ({}, {PUBLIC}),
        ({None: "reader"}, {STORE, PUBLIC}),
        ({None: "contributor"}, {STORE, PUBLIC}),
        ({None: "administrator"}, {STORE, PRIVATE, PUBLIC}),
        ({STORE: "reader"}, {STORE, PUBLIC}),
        ({PRIVATE: "reader"}, {PRIVATE, PUBLIC}),
        ({None: "reader", PRIVATE: "reader"}, {STORE, PRIVATE, PUBLIC}),
    ],
)
def test_a_private_collection_is_read_by_who_has_a_role_in_it(
    roles: Mapping[int | None, str], ids: set[int]
) -> None:
    assert readable(person(roles), ACCESS) == ids


def test_who_is_not_logged_in_reads_what_is_public() -> None:
    assert readable(None, ACCESS) == {PUBLIC}


def test_names_that_look_alike_have_one_form() -> None:
    for name, other in (("ann", "\u0430nn"), ("Tom", "\u03a4om"), ("ｃi", "\u0441\u0456")):
        assert name != other
        assert looks(name) == looks(other)
    assert looks("ann") != looks("Ann")
    assert looks("анна") != looks("anna")


def test_an_account_that_looks_like_another_is_refused(served: Served) -> None:
    add_person(served.store, "bob", "reader")
    with pytest.raises(Conflict, match="looks like the account 'bob': give another name"):
        add_person(served.store, "b\u043eb", "reader")
    with pytest.raises(Conflict, match="looks like the account 'bob'"):
        create_token(served.store, "b\u043eb", "reader")
    add_person(served.store, "Bob", "reader")
