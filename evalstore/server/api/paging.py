"""Lists in pages: each page ends with a cursor, which marks its last row."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from pydantic import Field, create_model

from evalstore.client.connection import LARGEST_PAGE
from evalstore.errors import DataError
from evalstore.server.api.operation import Call, Content, Name, Parameters

IN_PAGE = ("limit", "cursor")
"""The parameters that choose a page of a list, not the list itself."""

T = TypeVar("T")


class Paged(Parameters):
    """Which page of a list."""

    limit: int = Field(100, ge=1, le=LARGEST_PAGE, description="Rows of a page.")
    cursor: str | None = Field(
        None, description="`next` of the page before; without it the first page."
    )


class PagedOfCollection(Paged):
    """A page of a list that may be of one collection."""

    collection: Name | None = Field(None, description="Only of this collection.")


def pages_of(row: type[Content], rows: str, name: str, text: str) -> type[Content]:
    """The class for a page of a list: its rows under the name `rows`, and `next`."""
    fields: Any = {rows: (list[row], ...), "next": (str | None, ...)}  # type: ignore[valid-type]  # a class that is given
    return create_model(name, __base__=Content, __doc__=text, **fields)


def page_of(
    rows: str, listed: Sequence[T], key: Callable[[T], str | int], call: Call, chosen: Paged
) -> dict[str, Any]:
    """A page of a list in the form of `pages_of`; the other arguments are passed to `page`."""
    part, following = page(listed, key, call, chosen)
    return {rows: part, "next": following}


def page(
    rows: Sequence[T], key: Callable[[T], str | int], call: Call, chosen: Paged
) -> tuple[list[T], str | None]:
    """A page of a list, and the cursor of the next page; None after the last page.

    A page begins after the last row of the previous page, or, if that row is gone, at its place.
    `key` gives a different text or number for each row. DataError if the cursor does not belong to
    this list.
    """
    start = 0
    if chosen.cursor is not None:
        position, last = read_cursor(call, chosen.cursor)
        start = position if isinstance(position, int) and position >= 0 else 0
        if not (0 < start <= len(rows) and key(rows[start - 1]) == last):
            keys = [key(row) for row in rows]
            start = keys.index(last) + 1 if last in keys else max(start - 1, 0)
    part = list(rows[start : start + chosen.limit])
    end = start + len(part)
    is_last = end >= len(rows)
    return part, None if is_last else cursor(call, end, key(rows[end - 1]))


def cursor(call: Call, position: int, last: str | int) -> str:
    """The cursor after a row, given the number of the row (from 1) and its key."""
    text = json.dumps([_list_of(call), position, last])
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_cursor(call: Call, text: str) -> tuple[int, str | int]:
    """The number and the key of the row before a page; DataError for a wrong cursor."""
    try:
        padded = text + "=" * (-len(text) % 4)
        read = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, RecursionError):
        read = None
    if isinstance(read, list) and len(read) == 3 and read[0] == _list_of(call):
        position, last = read[1:]
        if type(position) is int and type(last) in (int, str) and "\0" not in str(last):
            return position, last
    raise DataError("the cursor is not one of this list: ask for the first page without a cursor")


def _list_of(call: Call) -> str:
    """A short text that differs for every list."""
    return hashlib.sha256(call.address.encode()).hexdigest()[:12]
