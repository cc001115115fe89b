"""Passwords: what hashing costs, how many at once, which are fit."""

from __future__ import annotations

import argon2
import pytest

from evalstore.errors import DataError
from evalstore.server.people import accounts as passwords
from evalstore.server.people.accounts import AT_ONCE, Passwords, TooManyLogins, new_password

PASSWORD = "correct horse battery"


def test_hashing_costs_at_least_what_owasp_asks_for() -> None:
    """19 MiB and 2 passes of argon2id, of its Password Storage Cheat Sheet."""
    hasher = argon2.PasswordHasher.func()  # type: ignore[attr-defined]  # without the tests' cheaper ones
    assert hasher.type is argon2.Type.ID
    assert hasher.memory_cost >= 19 * 1024
    assert hasher.time_cost >= 2


def test_a_hash_is_another_one_each_time_and_fits_its_password_alone() -> None:
    hashing = Passwords()
    one, other = hashing.hash(PASSWORD), hashing.hash(PASSWORD)
    assert one != other
    assert hashing.check(one, PASSWORD)
    assert not hashing.check(one, PASSWORD + " ")
    assert not hashing.check("", PASSWORD)
    assert not hashing.check("no hash", PASSWORD)


def test_nothing_fits_an_account_without_a_password() -> None:
    hashing = Passwords()
    for password in ("", PASSWORD, "None"):
        assert not hashing.check(None, password)


@pytest.mark.parametrize("password", ["", "short", "x" * 11, "x" * 1025, "ü" * 513])
def test_short_and_huge_passwords_are_refused(password: str) -> None:
    with pytest.raises(DataError):
        Passwords().hash(password)


def test_only_some_are_hashed_at_once_and_the_next_one_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(passwords, "SECONDS_TO_WAIT", 0.01)
    hashing = Passwords()
    stored = hashing.hash(PASSWORD)
    for _ in range(AT_ONCE):
        hashing._free.acquire()
    with pytest.raises(TooManyLogins):
        hashing.check(stored, PASSWORD)
    hashing._free.release()
    assert hashing.check(stored, PASSWORD)
    assert hashing.check(stored, PASSWORD)  # the turn was given back


def test_a_password_that_is_made_here_can_not_be_guessed() -> None:
    made = {new_password() for _ in range(100)}
    assert len(made) == 100
    assert min(map(len, made)) >= 20
