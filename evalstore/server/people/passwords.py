"""Passwords: hashed with argon2id, only a few at a time because each takes much memory."""

from __future__ import annotations

import secrets
import threading
from contextlib import AbstractContextManager

from evalstore.errors import DataError, EvalstoreError, MissingExtra
from evalstore.server.request_limit import slot

SHORTEST = 12
"""Minimum characters of a password."""
LONGEST = 1024
"""Maximum bytes of a password: hashing takes time that others wait for."""

AT_ONCE = 2
"""Passwords that a process hashes at once; each takes 64 MB and a core for 50 ms."""
SECONDS_TO_WAIT = 10.0


class TooManyLogins(EvalstoreError):
    """Too many passwords are being checked; this one was not."""


class Passwords:
    """Hashes and checks passwords."""

    def __init__(self) -> None:
        try:
            from argon2 import PasswordHasher  # noqa: PLC0415  (only the server needs it)
        except ImportError:
            raise MissingExtra("the server", "server", "argon2") from None
        self._hasher = PasswordHasher()  # RFC 9106, with less memory: 64 MiB, 3 passes
        self._free = threading.BoundedSemaphore(AT_ONCE)
        self._of_nobody = self._hasher.hash(secrets.token_hex())

    def hash(self, password: str) -> str:
        """The hash to store, with its parameters.

        Raises DataError if a password is too short or too long, TooManyLogins while others
        are being hashed.
        """
        if len(password) < SHORTEST:
            raise DataError(f"a password has at least {SHORTEST} characters, this one has fewer")
        if len(password.encode("utf-8", "surrogatepass")) > LONGEST:
            raise DataError(f"a password has at most {LONGEST:,} bytes, this one has more")
        with self._turn():
            return self._hasher.hash(password)

    def check(self, stored: str | None, password: str) -> bool:
        """Whether the password matches the stored hash; never if nothing is stored.

        It takes the same time whether the account exists or not. TooManyLogins if too many others
        are being checked.
        """
        from argon2.exceptions import Argon2Error, InvalidHashError  # noqa: PLC0415  (as above)

        if len(password.encode("utf-8", "surrogatepass")) > LONGEST:
            return False
        with self._turn():
            try:
                is_right = self._hasher.verify(stored or self._of_nobody, password)
            except (Argon2Error, InvalidHashError, UnicodeEncodeError):
                return False
        return bool(is_right) and stored is not None

    def _turn(self) -> AbstractContextManager[None]:
        refusal = TooManyLogins("too many people are logging in: try again in some seconds")
        return slot(self._free, refusal, SECONDS_TO_WAIT)

    def is_old(self, stored: str) -> bool:
        """Whether a hash was made with other parameters than the current ones."""
        return bool(self._hasher.check_needs_rehash(stored))


def new_password() -> str:
    """A password of 160 random bits, which the person who gets it should change."""
    return secrets.token_urlsafe(20)
