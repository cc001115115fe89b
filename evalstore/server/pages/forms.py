"""What a form sends: texts, and what is chosen among some values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar, get_args

from evalstore.errors import DataError
from evalstore.server.people.rights import Role

LARGEST_FORM = 32 * 1024
"""Bytes."""
LARGEST_ID = 2**31 - 1
"""Of a row, on PostgreSQL."""

T = TypeVar("T", bound=str)
Form = Mapping[str, str]


def texts(sent: Mapping[str, str]) -> Form:
    """What was sent, without the one character that PostgreSQL has in no text."""
    return {name: value.replace("\0", "\ufffd") for name, value in sent.items()}


def role(form: Form) -> Role:
    """The role that was chosen.

    Raises:
        DataError: none, or one that there is not.
    """
    chosen: Role = one_of(form, "role", get_args(Role))
    return chosen


def one_of(form: Form, name: str, values: tuple[T, ...]) -> T:
    """The one of some values that was chosen.

    Raises:
        DataError: none of them.
    """
    for value in values:
        if form.get(name) == value:
            return value
    raise DataError(f"{name} is one of {', '.join(values)}")


def collection(form: Form) -> str | None:
    """The collection that was chosen; None for the whole store."""
    return form.get("collection") or None


def number(text: str) -> int | None:
    """The id that a text is."""
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(LARGEST_ID))
    return int(text) if is_number and int(text) <= LARGEST_ID else None
