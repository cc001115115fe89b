"""The pages of an invitation: the form to take it, and the answer where it does not count."""

from __future__ import annotations

from html import escape

from evalstore.catalog.names import LONGEST_ACCOUNT_NAME
from evalstore.server.pages.login_pages import notice, page
from evalstore.server.people.passwords import SHORTEST
from evalstore.server.routes import INVITATION, LOGIN
from evalstore.store.access.invitations import StoredInvitation


def invitation_page(
    prefix: str, invitation: StoredInvitation, secret: str, name: str = "", warning: str = ""
) -> str:
    """The form for the name, unless the invitation has one, and the password.

    Args:
        prefix: the path before every path of the server.
        invitation: one that counts.
        secret: of its link.
        name: what was typed as the name.
        warning: what went wrong.
    """
    is_chosen = invitation.name is None
    where = (
        "the whole store"
        if invitation.collection is None
        else f"the collection <bdi>{escape(invitation.collection)}</bdi>"
    )
    return page(
        "Invitation",
        f"""<main>
<h1>Your account at evalstore</h1>
{notice("alert", warning)}<p>You are invited as {escape(invitation.role)} of {where}. This link
works once, until {invitation.expires_at:%Y-%m-%d %H:%M} UTC.</p>
<form method="post" action="{prefix}{INVITATION}">
<input type="hidden" name="key" value="{escape(secret)}">
<label for="name">Name</label>
<input id="name" name="name" value="{escape(invitation.name or name)}" autocomplete="username"
 autocapitalize="none" spellcheck="false" required maxlength="{LONGEST_ACCOUNT_NAME}"
 {"autofocus" if is_chosen else "readonly"}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required
 minlength="{SHORTEST}" maxlength="1024" aria-describedby="rule" {"" if is_chosen else "autofocus"}>
<p class="hint" id="rule">At least {SHORTEST} characters.</p>
<button type="submit">Make the account</button>
</form>
</main>""",
    )


def over_page(prefix: str, warning: str) -> str:
    """The answer to a link that does not count."""
    return page(
        "Invitation",
        f"""<main>
<h1>Invitation</h1>
{notice("alert", warning)}<p><a href="{prefix}{LOGIN}">Log in</a></p>
</main>""",
    )
