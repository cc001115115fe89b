"""Failures in a row: those of logins, and of names that were guessed, make the next one wait."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from sqlalchemy import Connection

from evalstore.errors import DataError
from evalstore.store import Store
from evalstore.store.access import login_attempts
from evalstore.store.access.login_attempts import Attempts

FREE_FAILURES = 5
"""Failures before the first wait: people mistype."""
LONGEST_WAIT = timedelta(minutes=15)
REMEMBERED = timedelta(days=1)
"""How long failures count after the last wait."""


class LockedOut(DataError):
    """So many attempts failed that the next one has to wait; `seconds` says how long."""

    def __init__(self, what: str, seconds: int) -> None:
        super().__init__(f"too many {what}: try again in {seconds} seconds")
        self.seconds = seconds


def count_failure(
    connection: Connection,
    key: str,
    address: str,
    now: datetime,
    what: str = "logins failed",
) -> None:
    """Count a failure, in a transaction that writes.

    Args:
        connection: to the store.
        key: a hash of who or what fails; people type passwords where a name belongs.
        address: where it came from; empty where that does not matter.
        now: the time.
        what: there were too many of, for the message.

    Raises:
        LockedOut: so many failed before that it has to wait; then this one does not count.
    """
    check_unlocked(connection, key, address, now, what)
    login_attempts.delete_old_attempts(connection, now - REMEMBERED)
    before = login_attempts.find_attempts(connection, key, address)
    is_old = before is None or before.locked_until < now - REMEMBERED
    failures = 1 if is_old or before is None else before.failures + 1
    login_attempts.set_attempts(
        connection, key, address, Attempts(failures, now + wait_after(failures))
    )


def check_unlocked(
    connection: Connection, key: str, address: str, now: datetime, what: str
) -> None:
    """Check that the next attempt need not wait; the arguments are those of `count_failure`.

    Raises:
        LockedOut: it has to.
    """
    before = login_attempts.find_attempts(connection, key, address)
    if before is not None and before.locked_until > now:
        raise LockedOut(what, int((before.locked_until - now).total_seconds()) + 1)


def wait_after(failures: int) -> timedelta:
    """How long the next attempt waits after so many failures in a row: 1 s, 2 s, 4 s, ..."""
    if failures < FREE_FAILURES:
        return timedelta()
    doubled = min(failures - FREE_FAILURES, 20)  # 2 ** 20 s is longer than the longest wait
    return min(timedelta(seconds=2**doubled), LONGEST_WAIT)


def guess(store: Store, whose: str, is_right: Callable[[Connection], bool], now: datetime) -> bool:
    """Whether a name is what its asker takes it for; each that is not counts as a failure.

    Who may not see the list of accounts learns by this whether one has a name, so there are few
    guesses. Right ones forgive no wrong ones: one name that is known would allow guesses for ever.

    Args:
        store: what has the names.
        whose: the guesses are counted by this; it has no name in it that was guessed.
        is_right: looks the name up.
        now: the time.

    Raises:
        LockedOut: too many were wrong before; nothing was looked up.
    """
    what = "names were guessed"

    def work(connection: Connection) -> bool:
        check_unlocked(connection, whose, "", now, what)
        right = is_right(connection)
        if not right:
            count_failure(connection, whose, "", now, what)
        return right

    return store.transact(work)
