"""The tables that the pages of the administrators of the store and of a collection share."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from html import escape
from typing import get_args

from evalstore.server.pages.admin_parts import button, hidden, name_text, table
from evalstore.server.pages.login_pages import time_text
from evalstore.server.people.invitations import status_of
from evalstore.store.access.invitations import StoredInvitation
from evalstore.store.access.tokens import StoredToken
from evalstore.store.queries.collections import Access
from evalstore.store.queries.events import Event

TIMES_OF_TOKEN = (
    *(("90d", "in 90 days"), ("30d", "in 30 days"), ("7d", "in 7 days"), ("365d", "in a year")),
    ("", "never"),
)
TIMES_OF_LINK = (("7d", "in 7 days"), ("1d", "in a day"), ("30d", "in 30 days"))


def invitations_table(withdraw: str, invitations: Sequence[StoredInvitation], now: datetime) -> str:
    """Invitations, each with a button to withdraw it, which sends to that address."""
    rows = [
        (
            name_text(each.name, f"invitation {each.id}, without a name"),
            f"{escape(each.role)} of {place_text(each.collection)}",
            name_text(each.who),
            status_of(each, now),
            time_text(each.expires_at),
            button(withdraw, "Withdraw", f"invitation {each.id}", {"invitation": str(each.id)}),
        )
        for each in invitations
    ]
    headers = ("Name", "Role", "Made by", "Status", "Ends (UTC)", "")
    return table(headers, rows, "No invitation is open.")


def tokens_table(
    revoke: str,
    tokens: Sequence[StoredToken],
    places: Callable[[StoredToken], tuple[str, ...] | None],
    now: datetime,
    back: Mapping[str, str],
) -> str:
    """Tokens, each with a button to revoke it.

    Args:
        revoke: where the buttons send.
        tokens: what is listed.
        places: the collections where a token counts; None for the whole store.
        now: the time.
        back: what the buttons send beside the name.
    """
    rows = [
        (
            name_text(each.name),
            f"<code>{escape(each.prefix)}…</code>",
            f"{escape(each.scope)}, {_places_text(places(each))}",
            _end_of_token(each, now),
            time_text(each.last_used_at),
            button(revoke, "Revoke", each.name, {"name": each.name, **back}),
        )
        for each in tokens
    ]
    headers = ("Name", "Begins", "Scope", "Ends (UTC)", "Last used (UTC)", "")
    return table(headers, rows, "No tokens.")


def events_table(events: Sequence[tuple[int, Event]], *, of_one_collection: bool) -> str:
    """Events with their ids; without the column of the collection where they are all of one."""
    rows = []
    for _, event in events:
        collection = () if of_one_collection else (name_text(event.collection),)
        details = name_text(_details(event)) if event.details else ""
        at, who = time_text(event.at), name_text(event.who)
        rows.append((at, who, escape(event.action), *collection, name_text(event.subject), details))
    headers = ("At (UTC)", "Who", "Action", "Collection", "What", "Details")
    columns = [name for name in headers if not of_one_collection or name != "Collection"]
    return table(columns, rows, "No events.")


def access_form(action: str, collection: str, access: Access) -> str:
    """The form that says who reads a collection."""
    chosen = "".join(
        f"<option{' selected' if value == access else ''}>{value}</option>"
        for value in get_args(Access)
    )
    label = escape(f"Access of {collection}")
    return (
        f'<form class="one" method="post" action="{action}">'
        f'{hidden({"collection": collection})}<select name="access" aria-label="{label}">'
        f'{chosen}</select> <button class="quiet" type="submit" '
        f'aria-label="{escape(f"Change: access of {collection}")}">Change</button></form>'
    )


def place_text(collection: str | None) -> str:
    """Where a role counts; None for the whole store."""
    return name_text(collection, "the whole store")


def _places_text(places: tuple[str, ...] | None) -> str:
    if places is None:
        return place_text(None)
    return ", ".join(map(place_text, places)) or "nowhere"


def _end_of_token(token: StoredToken, now: datetime) -> str:
    if token.expires_at is None:
        return "never"
    over = " (over)" if token.expires_at <= now else ""
    return time_text(token.expires_at) + over


def _details(event: Event) -> str:
    texts = {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in (event.details or {}).items()
    }
    return ", ".join(f"{name}: {text}" for name, text in texts.items())
