"""The pages of the login: plain HTML in the dashboard's colours, without JavaScript."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from html import escape
from typing import NamedTuple
from urllib.parse import quote

from dashboard import theme
from evalstore.server.people.passwords import SHORTEST
from evalstore.server.routes import ADMIN, API_PAGE, LOGIN, LOGOUT, OIDC, PASSWORD, SESSIONS
from evalstore.store.access.sessions import StoredSession
from evalstore.store.queries.collections import Access

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)

USED = ("page", "surface", "surface-2", "ink", "muted", "line", "accent", "on-accent", "warn")

READ_BY: dict[Access, str] = {
    "store": "who has a role for the whole store, or here",
    "private": "who has a role here, and administrators of the whole store",
    "public": "everyone, without a login too",
}
"""Who reads a collection, in words."""
WRITES = "read, ingest, annotate and judge"
CREATES = "<p>You may create collections, over the HTTP API.</p>"
MANAGES = "administer: who reads it, its roles, invitations, tokens, events"


class Allowed(NamedTuple):
    """A collection that an account may read.

    Attributes:
        name: of the collection.
        access: who reads it.
        may_write: whether the account may store something in it.
        managed_at: the path of the page where the account administers it; None where it may not.
    """

    name: str
    access: Access
    may_write: bool
    managed_at: str | None


STYLE = """
body{background:var(--page);color:var(--ink);font:15px/1.5 var(--font);margin:0}
main{max-width:24rem;margin:8vh auto;padding:1.5rem 1.75rem;background:var(--surface);
border:1px solid var(--line);border-radius:10px}
main.wide{max-width:46rem;margin-top:2rem}main.full{max-width:76rem;margin-top:2rem}
h1{font-size:1.35rem;margin:0 0 1rem}h2{font-size:1.05rem;margin:1.75rem 0 .5rem}
label{display:block;font-weight:600;margin:.9rem 0 .25rem}
input,select{box-sizing:border-box;width:100%;max-width:24rem;min-height:40px;padding:0 .7rem;
font:inherit;color:inherit;background:var(--surface);
border:1px solid var(--muted);border-radius:8px}
button{min-height:40px;padding:0 1rem;font:inherit;font-weight:600;border-radius:8px;cursor:pointer;
background:var(--accent);color:var(--on-accent);border:1px solid var(--accent);margin-top:1rem}
a.button{display:block;text-align:center;padding:.5rem 1rem;font-weight:600;border-radius:8px;
border:1px solid var(--accent);text-decoration:none}
button.quiet{background:none;color:var(--accent);border-color:var(--line);margin:0}
a{color:var(--accent)}:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
[role=alert]{border-left:4px solid var(--warn);padding:.1rem .8rem;margin:0 0 1rem}
[role=status]{border-left:4px solid var(--accent);padding:.1rem .8rem;margin:0 0 1rem}
code{overflow-wrap:anywhere}
main.full p>a,nav a{margin-right:1rem}section{scroll-margin-top:1rem}
.fields{display:flex;flex-wrap:wrap;gap:0 1rem;align-items:flex-end;margin:.5rem 0 1.5rem}
.fields p{margin:0;flex:1 1 11rem;max-width:16rem}.fields button{flex:none}
.buttons{display:flex;flex-wrap:wrap;gap:.75rem}
.one select{width:auto;min-width:7rem}.one button{white-space:nowrap}
.full td{overflow-wrap:normal;min-width:4.5rem}.full bdi{overflow-wrap:anywhere}
.full time{white-space:nowrap}
.hint{color:var(--muted);font-size:.9rem}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.45rem .5rem;
border-bottom:1px solid var(--line);overflow-wrap:anywhere;vertical-align:top}
th{overflow-wrap:normal}
@media (max-width:40em){thead,td:empty{display:none}
td:not(:empty){display:block;border:0;padding:.15rem 0}
tr{display:block;border-bottom:1px solid var(--line);padding:.6rem 0}
.fields p{flex-basis:100%;max-width:none}
td[data-label]::before{content:attr(data-label) ": ";color:var(--muted)}}
"""


FROM_PROVIDER = """<p class="hint">You log in at a provider, which has your password. Your roles
that come from groups there are set at each login.</p>"""


def login_page(
    prefix: str,
    next_: str,
    name: str = "",
    warning: str = "",
    providers: Sequence[str] = (),
    *,
    note: str = "",
) -> str:
    """The form to log in, and a button for each provider; then the browser goes to `next_`."""
    # Links: forms may not lead elsewhere (`form-action`), and a provider is elsewhere.
    buttons = "".join(
        f'''<p><a class="button" href="{prefix}{OIDC.replace("<provider>", quote(provider))}'''
        f"""?next={quote(next_)}">Log in with {escape(provider)}</a></p>\n"""
        for provider in providers
    )
    return page(
        "Log in",
        f"""<main>
<h1>Log in to evalstore</h1>
{notice("alert", warning)}{notice("status", note)}<form method="post" action="{prefix}{LOGIN}">
<input type="hidden" name="next" value="{escape(next_)}">
<label for="name">Name</label>
<input id="name" name="name" value="{escape(name)}" autocomplete="username" autocapitalize="none"
 spellcheck="false" required maxlength="100" {"" if name else "autofocus"}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required
 maxlength="1024" {"autofocus" if name else ""}>
<button type="submit">Log in</button>
</form>
{buttons}<p class="hint">An administrator gives you an account, and another password if you
lost yours.</p>
</main>""",
    )


def account_page(
    prefix: str,
    name: str,
    roles: Sequence[tuple[str, str]],
    allowed: Sequence[Allowed],
    sessions: Sequence[StoredSession],
    current: str | None,
    *,
    is_administrator: bool = False,
    may_create: bool = False,
    has_password: bool = True,
    warning: str = "",
    note: str = "",
) -> str:
    """The page of one's own account.

    Args:
        prefix: the path before every path of the server.
        name: of the account.
        roles: each role, with the collection or the words "the whole store".
        allowed: each collection that it may read.
        sessions: its sessions.
        current: the hash of the session that asks.
        is_administrator: whether it administers the whole store.
        may_create: whether it may create collections.
        has_password: whether it is a local account, whose password can be changed here.
        warning: what went wrong.
        note: what was done.
    """
    link = ""
    if is_administrator:
        words = "Administration: accounts, tokens, sessions, events"
        link = f'<p><a href="{prefix}{ADMIN}">{words}</a></p>\n'
    granted = "".join(f"<li>{escape(role)} of {escape(place)}</li>" for role, place in roles)
    rows = "".join(_session_row(prefix, session, current) for session in sessions)
    return page(
        f"Account {name}",
        f"""<main class="wide">
<p><a href="{prefix}/">Back to the dashboard</a></p>
<h1>Account <bdi>{escape(name)}</bdi></h1>
{notice("alert", warning)}{notice("status", note)}<ul>{granted}</ul>
{link}<p><a href="{prefix}{API_PAGE}">The HTTP API, for programs</a></p>
<form method="post" action="{prefix}{LOGOUT}"><button type="submit">Log out</button></form>
{_password_form(prefix, name) if has_password else FROM_PROVIDER}
<h2>Sessions</h2>
<table>
<thead><tr><th scope="col">Browser</th><th scope="col">Logged in (UTC)</th>
<th scope="col">Last seen (UTC)</th><th scope="col"><span>End</span></th></tr></thead>
<tbody>{rows}</tbody>
</table>
<h2>What you may do</h2>
{_allowed_table(prefix, allowed)}
{CREATES if may_create else ""}
</main>""",
    )


def _password_form(prefix: str, name: str) -> str:
    return f"""<h2>Change the password</h2>
<form method="post" action="{prefix}{PASSWORD}">
<input type="hidden" name="username" value="{escape(name)}" autocomplete="username">
<label for="password">Current password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required
 maxlength="1024">
<label for="new">New password</label>
<input id="new" name="new" type="password" autocomplete="new-password" required
 minlength="{SHORTEST}" maxlength="1024" aria-describedby="rule">
<p class="hint" id="rule">At least {SHORTEST} characters. All other sessions end.</p>
<button type="submit">Change the password</button>
</form>"""


def _allowed_table(prefix: str, allowed: Sequence[Allowed]) -> str:
    if not allowed:
        return "<p>You may read no collection yet: an administrator gives you a role.</p>"
    rows = "".join(
        f"<tr><td><bdi>{escape(each.name)}</bdi></td>"
        f'<td data-label="Read by">{READ_BY[each.access]}</td>'
        f'<td data-label="You may">{_may_text(prefix, each)}</td>'
        "</tr>"
        for each in allowed
    )
    return f"""<table>
<thead><tr><th scope="col">Collection</th><th scope="col">Read by</th><th scope="col">You may</th>
</tr></thead>
<tbody>{rows}</tbody>
</table>"""


def _may_text(prefix: str, allowed: Allowed) -> str:
    text = WRITES if allowed.may_write else "read"
    if allowed.managed_at is None:
        return text
    return f'{text}; <a href="{prefix}{allowed.managed_at}">{MANAGES}</a>'


def _session_row(prefix: str, session: StoredSession, current: str | None) -> str:
    end = (
        "this one"
        if session.hash == current
        else f"""<form method="post" action="{prefix}{SESSIONS}">
<input type="hidden" name="session" value="{escape(session.hash)}">
<button class="quiet" type="submit">End</button></form>"""
    )
    return (
        f"<tr><td>{escape(session.agent) or 'unknown'}</td>"
        f'<td data-label="Logged in (UTC)">{time_text(session.created_at)}</td>'
        f'<td data-label="Last seen (UTC)">{time_text(session.last_seen_at)}</td>'
        f"<td>{end}</td></tr>"
    )


def time_text(time: datetime | None) -> str:
    """A time, for people and for programs; "never" for None."""
    if time is None:
        return "never"
    return f'<time datetime="{time.isoformat()}">{time:%Y-%m-%d %H:%M}</time>'


def notice(role: str, text: str) -> str:
    """A sentence that stands out, as an `alert` or a `status`; nothing where it is empty."""
    return f'<p role="{role}">{escape(text)}</p>\n' if text else ""


def _variables(scheme: theme.Scheme) -> str:
    colours = [f"--{name}:{theme.TOKENS[scheme][name]}" for name in USED]
    return ";".join([*colours, f"color-scheme:{scheme}", f"--font:{theme.FONT}"])


def other_host_page(url: str) -> str:
    """What is shown at another host name than that of the public URL."""
    there = f'<a href="{escape(url)}/">{escape(url)}</a>'
    return page(
        "Another address",
        f"<main><h1>Another address</h1><p>This server is at {there}, and not at the host name "
        "that was asked for.</p></main>",
    )


def page(title: str, body: str) -> str:
    """A page of HTML; the body is trusted, names in it are escaped."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="same-origin">
<link rel="icon" href="data:,">
<title>{escape(title)} · evalstore</title>
<style>:root{{{_variables("light")}}}
@media (prefers-color-scheme:dark){{:root{{{_variables("dark")}}}}}{STYLE}</style>
</head>
<body>
{body}
</body>
</html>
"""
