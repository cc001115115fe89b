"""The pages of the administrators: plain HTML, without JavaScript."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from html import escape
from urllib.parse import urlencode

from evalstore.catalog.names import LONGEST_ACCOUNT_NAME, LONGEST_NAME
from evalstore.server.pages.admin_parts import (
    button,
    choice,
    collection_choice,
    form,
    hidden,
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
    place_text,
    tokens_table,
)
from evalstore.server.pages.administration import Overview
from evalstore.server.pages.login_pages import READ_BY, notice, page, time_text
from evalstore.server.people.tokens import places_of
from evalstore.server.routes import (
    ACCOUNT,
    ADMIN,
    CREATE_TOKEN,
    DISABLE,
    ENABLE,
    END_SESSION,
    GRANT,
    INVITE,
    RESET_PASSWORD,
    REVOKE_TOKEN,
    SET_ACCESS,
    UNINVITE,
    WITHDRAW_ROLE,
    collection_path,
)
from evalstore.store.access.accounts import StoredAccount
from evalstore.store.access.roles import StoredRole
from evalstore.store.access.sessions import StoredSession
from evalstore.store.access.tokens import StoredToken

SECTIONS = ("Accounts", "Invitations", "Tokens", "Sessions", "Collections", "Events")


def account_path(account_id: int) -> str:
    """The path of the page of an account."""
    return f"{ADMIN}/accounts/{account_id}"


def admin_page(prefix: str, shown: Overview, *, warning: str = "", note: str = "") -> str:
    """The page of the whole server.

    Args:
        prefix: the path before every path of the server.
        shown: what is shown.
        warning: what went wrong.
        note: HTML of what was done, with a secret that is shown this once.
    """
    links = " ".join(f'<a href="#{name.lower()}">{name}</a>' for name in SECTIONS)
    parts = (_accounts, _invitations, _tokens, _sessions, _collections, _events)
    sections = "\n".join(
        f'<section id="{name.lower()}" aria-labelledby="h-{name.lower()}">'
        f'<h2 id="h-{name.lower()}">{name}</h2>\n{part(prefix, shown)}</section>'
        for name, part in zip(SECTIONS, parts, strict=True)
    )
    return page(
        "Administration",
        f"""<main class="full">
<p><a href="{prefix}/">Back to the dashboard</a> <a href="{prefix}{ACCOUNT}">Your account</a></p>
<h1>Administration</h1>
{notice("alert", warning)}{_done(note)}<nav aria-label="Sections">{links}</nav>
{sections}
</main>""",
    )


def account_page(
    prefix: str, shown: Overview, account: StoredAccount, *, warning: str = "", note: str = ""
) -> str:
    """The page of one account; the arguments are those of `admin_page`."""
    back = {"account": str(account.id)}
    name = {"name": account.name, **back}
    status = "disabled" if account.disabled else "active"
    change, action = ("Enable", ENABLE) if account.disabled else ("Disable", DISABLE)
    forms = [button(f"{prefix}{action}", change, account.name, name)]
    if account.kind == "person":
        reset = f"{prefix}{RESET_PASSWORD}"
        forms.append(button(reset, "Make a new password", account.name, name))
    roles = [role for role in shown.roles if role.account == account.name]
    collections = [each.name for each in shown.collections]
    grant = [hidden(name), role_choice("role"), collection_choice("collection", collections)]
    sessions = [each for each in shown.sessions if each.account_id == account.id]
    tokens = [each for each in shown.tokens if each.account_id == account.id]
    events = f"{prefix}{ADMIN}?{urlencode({'account': account.name})}#events"
    return page(
        f"Account {account.name}",
        f"""<main class="full">
<p><a href="{prefix}{ADMIN}">Administration</a> <a href="{escape(events)}">Its events</a></p>
<h1>Account {name_text(account.name)}</h1>
{notice("alert", warning)}{_done(note)}<p>Status: {status}<br>
From: {_origin(shown, account)}<br>
Added (UTC): {time_text(account.created_at)}<br>
Last login (UTC): {time_text(account.last_login_at)}</p>
<div class="buttons">{"".join(forms)}</div>
<h2>Roles</h2>
{_roles_table(prefix, roles, name)}
{form(f"{prefix}{GRANT}", grant, "Give the role")}
<h2>Sessions</h2>
{_sessions_table(prefix, sessions, None, back)}
<h2>Tokens</h2>
{_tokens_table(prefix, shown, tokens, back)}
</main>""",
    )


def secret_note(text: str, secret: str) -> str:
    """HTML that tells a secret: it is shown this once."""
    return f"{escape(text)} <code>{escape(secret)}</code> It is not shown again."


def _done(note: str) -> str:
    return f'<p role="status">{note}</p>\n' if note else ""


def _accounts(prefix: str, shown: Overview) -> str:
    rows = [
        (
            f'<a href="{prefix}{account_path(each.id)}">{name_text(each.name)}</a>',
            _origin(shown, each),
            "<br>".join(_role_text(role) for role in shown.roles if role.account == each.name)
            or "none",
            "disabled" if each.disabled else "active",
            time_text(each.last_login_at) if each.kind == "person" else "",
        )
        for each in shown.accounts
    ]
    return table(("Name", "From", "Roles", "Status", "Last login (UTC)"), rows, "No accounts.")


def _invitations(prefix: str, shown: Overview) -> str:
    fields = [
        text_field("i-name", "name", "Name (may be left out)", longest=LONGEST_ACCOUNT_NAME),
        role_choice("i-role"),
        collection_choice("i-collection", [each.name for each in shown.collections]),
        choice("i-expires", "expires", "Ends", TIMES_OF_LINK),
    ]
    invitations = invitations_table(f"{prefix}{UNINVITE}", shown.invitations, shown.now)
    return invitations + form(f"{prefix}{INVITE}", fields, "Make a link")


def _tokens(prefix: str, shown: Overview) -> str:
    fields = [
        text_field("t-name", "name", "Name", longest=LONGEST_ACCOUNT_NAME, required=True),
        role_choice("t-role"),
        collection_choice("t-collection", [each.name for each in shown.collections]),
        choice("t-expires", "expires", "Ends", TIMES_OF_TOKEN),
    ]
    tokens = _tokens_table(prefix, shown, shown.tokens, {})
    return tokens + form(f"{prefix}{CREATE_TOKEN}", fields, "Create a token")


def _tokens_table(
    prefix: str, shown: Overview, tokens: Sequence[StoredToken], back: dict[str, str]
) -> str:
    places = partial(places_of, all_roles=shown.roles)
    return tokens_table(f"{prefix}{REVOKE_TOKEN}", tokens, places, shown.now, back)


def _sessions(prefix: str, shown: Overview) -> str:
    names = {account.id: account.name for account in shown.accounts}
    return _sessions_table(prefix, shown.sessions, names, {})


def _sessions_table(
    prefix: str,
    sessions: Sequence[StoredSession],
    names: dict[int, str] | None,
    back: dict[str, str],
) -> str:
    """A table of sessions; with the names of accounts by their ids, or where None without them."""
    rows = []
    for each in sessions:
        name = None if names is None else names.get(each.account_id, "")
        about = f"session of {name}" if name else "session"
        rows.append(
            (
                *(() if name is None else (name_text(name),)),
                name_text(each.agent or "unknown"),
                time_text(each.created_at),
                time_text(each.last_seen_at),
                button(f"{prefix}{END_SESSION}", "End", about, {"session": each.hash, **back}),
            )
        )
    headers = ("Browser", "Logged in (UTC)", "Last seen (UTC)", "")
    return table(headers if names is None else ("Account", *headers), rows, "No sessions.")


def _collections(prefix: str, shown: Overview) -> str:
    rows = [
        (
            f'<a href="{prefix}{collection_path(each.id)}">{name_text(each.name)}</a>',
            f"{each.runs:,}",
            READ_BY[each.access],
            access_form(f"{prefix}{SET_ACCESS}", each.name, each.access),
        )
        for each in shown.collections
    ]
    return table(("Collection", "Runs", "Read by", "Access"), rows, "No collections.")


def _events(prefix: str, shown: Overview) -> str:
    chosen = shown.chosen
    fields = [
        text_field("e-account", "account", "Account", chosen.account, longest=LONGEST_NAME),
        text_field(
            "e-collection", "collection", "Collection", chosen.collection, longest=LONGEST_NAME
        ),
    ]
    return (
        form(f"{prefix}{ADMIN}#events", fields, "Show", method="get")
        + events_table(shown.events, of_one_collection=False)
        + _turning(prefix, shown)
    )


def _turning(prefix: str, shown: Overview) -> str:
    """The links to the newest and to older events."""
    chosen = shown.chosen
    same = {
        name: value
        for name, value in (("account", chosen.account), ("collection", chosen.collection))
        if value
    }
    links = []
    if chosen.before is not None:
        links.append((same, "The newest"))
    if shown.has_older:
        links.append(({**same, "before": str(shown.events[-1][0])}, "Older"))
    return (
        '<p class="turn">'
        + " ".join(
            f'<a href="{escape(f"{prefix}{ADMIN}?{urlencode(query)}#events")}">{text}</a>'
            for query, text in links
        )
        + "</p>"
    )


def _roles_table(prefix: str, roles: Sequence[StoredRole], name: dict[str, str]) -> str:
    rows = [
        (
            escape(role.role),
            place_text(role.collection),
            button(
                *(f"{prefix}{WITHDRAW_ROLE}", "Withdraw"),
                f"{role.role} of {role.collection or 'the whole store'}",
                {**name, "collection": role.collection or ""},
            ),
        )
        for role in roles
    ]
    return table(("Role", "Where", ""), rows, "No role: this account may do nothing.")


def _role_text(role: StoredRole) -> str:
    return f"{escape(role.role)} of {place_text(role.collection)}"


def _origin(shown: Overview, account: StoredAccount) -> str:
    """By what an account logs in."""
    if account.kind == "service":
        return "service, with tokens"
    ways = [escape(issuer) for issuer in shown.issuers.get(account.id, ())]
    if account.password_hash is not None:
        ways.insert(0, "password")
    return ", ".join(ways) or "no way to log in"
