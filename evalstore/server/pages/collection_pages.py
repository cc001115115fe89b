"""The page where one collection is administered: plain HTML, without JavaScript.

It has what belongs to the collection and nothing of other collections, accounts or the server.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape

from dashboard.address import Address
from evalstore.catalog.names import LONGEST_ACCOUNT_NAME
from evalstore.server import routes
from evalstore.server.pages.admin_parts import (
    button,
    choice,
    form,
    name_text,
    role_choice,
    table,
    text_field,
)
from evalstore.server.pages.admin_tables import (
    TIMES_OF_LINK,
    TIMES_OF_TOKEN,
    access_form,
    events_table,
    invitations_table,
    tokens_table,
)
from evalstore.server.pages.login_pages import READ_BY, notice, page
from evalstore.store.access.invitations import StoredInvitation
from evalstore.store.access.roles import StoredRole
from evalstore.store.access.tokens import StoredToken
from evalstore.store.queries.collections import Access
from evalstore.store.queries.events import Event

SECTIONS = ("Readers", "Roles", "Invitations", "Tokens", "Events")


@dataclass(frozen=True)
class CollectionShown:
    """What the page shows of a collection.

    Attributes:
        id, name, access: of the collection.
        roles: the roles in it, by the name of the account.
        invitations: those to it that can be used, now or when who made them may invite again.
        tokens: those of it alone that are not revoked.
        events: a page of its events, with their ids, the newest first.
        has_older: whether there are older events.
        before: only events before the one with this id are shown; None for the newest.
        now: the time.
        of_store: whether who asks administers the whole store.
    """

    id: int
    name: str
    access: Access
    roles: Sequence[StoredRole]
    invitations: Sequence[StoredInvitation]
    tokens: Sequence[StoredToken]
    events: Sequence[tuple[int, Event]]
    has_older: bool
    before: int | None
    now: datetime
    of_store: bool


def collection_page(
    prefix: str, shown: CollectionShown, *, warning: str = "", note: str = ""
) -> str:
    """The page of a collection.

    Args:
        prefix: the path before every path of the server.
        shown: what is shown.
        warning: what went wrong.
        note: HTML of what was done, with a secret that is shown this once.
    """
    to_admin = f' <a href="{prefix}{routes.ADMIN}">Administration</a>' if shown.of_store else ""
    board = escape(prefix + Address("leaderboard", shown.name).path)
    links = " ".join(f'<a href="#{name.lower()}">{name}</a>' for name in SECTIONS)
    parts = (_readers, _roles, _invitations, _tokens, _events)
    sections = "\n".join(
        f'<section id="{name.lower()}" aria-labelledby="h-{name.lower()}">'
        f'<h2 id="h-{name.lower()}">{name}</h2>\n{part(prefix, shown)}</section>'
        for name, part in zip(SECTIONS, parts, strict=True)
    )
    done = f'<p role="status">{note}</p>\n' if note else ""
    return page(
        f"Access to {shown.name}",
        f"""<main class="full">
<p><a href="{board}">Back to the collection</a> <a href="{prefix}{routes.ACCOUNT}">Your \
account</a>{to_admin}</p>
<h1>Access to {name_text(shown.name)}</h1>
{notice("alert", warning)}{done}<nav aria-label="Sections">{links}</nav>
{sections}
</main>""",
    )


def _to(prefix: str, shown: CollectionShown, rule: str) -> str:
    return prefix + routes.collection_path(shown.id, rule)


def _readers(prefix: str, shown: CollectionShown) -> str:
    change = access_form(_to(prefix, shown, routes.COLLECTION_SET_ACCESS), shown.name, shown.access)
    kinds = "".join(
        f"<li><strong>{kind}</strong>: {escape(words)}</li>" for kind, words in READ_BY.items()
    )
    return f"""<p>Read by {READ_BY[shown.access]}.</p>
<ul class="hint">{kinds}</ul>
{change}"""


def _roles(prefix: str, shown: CollectionShown) -> str:
    withdraw = _to(prefix, shown, routes.COLLECTION_WITHDRAW_ROLE)
    rows = [
        (
            name_text(each.account),
            escape(each.role),
            "groups of a provider of logins" if each.from_groups else "granted",
            "" if each.from_groups else _withdraw_button(withdraw, each),
        )
        for each in shown.roles
    ]
    fields = [
        text_field("r-name", "name", "Name", longest=LONGEST_ACCOUNT_NAME, required=True),
        role_choice("r-role"),
    ]
    return (
        '<p class="hint">Roles in this collection. Who has one for the whole store is not listed; '
        "its administrators administer every collection.</p>"
        + table(("Account", "Role", "From", ""), rows, "Nobody has a role in this collection.")
        + '<p class="hint">The account that has exactly this name gets the role; who has no '
        "account yet can be invited.</p>"
        + form(_to(prefix, shown, routes.COLLECTION_GRANT), fields, "Give the role")
    )


def _withdraw_button(action: str, role: StoredRole) -> str:
    about = f"{role.role}, {role.account}"
    return button(action, "Withdraw", about, {"name": role.account})


def _invitations(prefix: str, shown: CollectionShown) -> str:
    fields = [role_choice("i-role"), choice("i-expires", "expires", "Ends", TIMES_OF_LINK)]
    withdraw = _to(prefix, shown, routes.COLLECTION_UNINVITE)
    return (
        invitations_table(withdraw, shown.invitations, shown.now)
        + '<p class="hint">Who opens the link makes an account that has the role in this '
        "collection.</p>"
        + form(_to(prefix, shown, routes.COLLECTION_INVITE), fields, "Make a link")
    )


def _tokens(prefix: str, shown: CollectionShown) -> str:
    fields = [
        text_field("t-name", "name", "Name", longest=LONGEST_ACCOUNT_NAME, required=True),
        role_choice("t-role"),
        choice("t-expires", "expires", "Ends", TIMES_OF_TOKEN),
    ]
    revoke = _to(prefix, shown, routes.COLLECTION_REVOKE_TOKEN)
    return tokens_table(
        revoke, shown.tokens, lambda token: (token.collection or "",), shown.now, {}
    ) + form(_to(prefix, shown, routes.COLLECTION_CREATE_TOKEN), fields, "Create a token")


def _events(prefix: str, shown: CollectionShown) -> str:
    here = prefix + routes.collection_path(shown.id)
    links = []
    if shown.before is not None:
        links.append(f'<a href="{here}#events">The newest</a>')
    if shown.has_older:
        links.append(f'<a href="{here}?before={shown.events[-1][0]}#events">Older</a>')
    turning = f'<p class="turn">{" ".join(links)}</p>' if links else ""
    return events_table(shown.events, of_one_collection=True) + turning
