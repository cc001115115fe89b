"""The rules for names that users give, and the names of runs and qrels that come from files."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection

from evalstore.errors import DataError
from evalstore.formats.file_names import run_name
from evalstore.formats.natural_order import natural as natural  # noqa: PLC0414  (use cases import it from here)

LONGEST_NAME = 1024
"""Bytes."""
LONGEST_ACCOUNT_NAME = 100


def check_name(kind: str, name: str) -> str:
    """The name, if it is allowed: not empty, not too long, without control characters.

    Raises:
        DataError: the name is not allowed.
    """
    if not name.strip():
        raise DataError(f"the {kind} has an empty name")
    if len(name.encode(errors="replace")) > LONGEST_NAME:
        raise DataError(f"the name of the {kind} is longer than {LONGEST_NAME:,} bytes")
    if any(ord(c) < 32 or 127 <= ord(c) < 160 or 0xD800 <= ord(c) < 0xE000 for c in name):
        raise DataError(f"the name of the {kind} has a control character: {name!r}")
    return name


def check_account_name(name: str) -> None:
    """Check the name of an account or a token.

    Raises:
        DataError: it is empty, long, or has characters that can't be seen.
    """
    is_seen = name.isprintable() and name == name.strip()
    if not name or len(name) > LONGEST_ACCOUNT_NAME or not is_seen:
        raise DataError(
            f"{name!r} can't be a name: 1 to {LONGEST_ACCOUNT_NAME} printable characters, "
            "no space at its ends"
        )


def has_at_sign(name: str) -> bool:
    """Whether a name has an `@`, or a character that is the same to a reader.

    Events name a user of the server's machine as `user@host`, so accounts are not named so.
    """
    return "@" in unicodedata.normalize("NFKC", name)


def check_new_account_name(name: str) -> None:
    """Check the name of an account or a token that is to be added.

    Raises:
        DataError: as `check_account_name`, or it could be taken for a user of a machine.
    """
    check_account_name(name)
    if has_at_sign(name):
        raise DataError(
            f"{name!r} can't be a name: it has an @, by which events know users of the machine"
        )


def qrels_name(path: str) -> str:
    """The name of a qrels from a file, by the rule of `run_name` and without `.qrels`."""
    name = run_name(path)
    return check_name("qrels", name.removesuffix(".qrels") or name)


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, with a number appended if it is taken: `qrels (2)`."""
    version = 2
    free = name
    while free in taken:
        free = f"{name} ({version})"
        version += 1
    return free
