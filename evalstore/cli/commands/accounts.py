"""`evalstore user`: the accounts of the team's server."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import click

from evalstore.cli import complete
from evalstore.cli.commands.role import collection_option, role_option
from evalstore.cli.commands.server import password_option, read_password, tell_password
from evalstore.cli.commands.token import Lifetime
from evalstore.cli.options import db_option, format_option
from evalstore.cli.output import print_rows, printable
from evalstore.cli.stores import server_store

if TYPE_CHECKING:
    from evalstore.server.people.rights import Role


@click.group()
def user() -> None:
    """Add, invite, list and remove the accounts of the team's server."""


@user.command()
@click.argument("name", metavar="NAME")
@role_option
@collection_option
@password_option
@db_option
def add(db: str, name: str, role: Role, collection: str | None, password_file: str | None) -> None:
    """Add a person's account, with a role in the whole store or in a collection."""
    from evalstore.server.people.accounts import add_person

    password = read_password(password_file)
    with server_store(db) as store:
        new = add_person(store, name, role, collection, password)
    tell_password(new)


@user.command("list")
@format_option("table", "csv", "json")
@db_option
def list_command(db: str, shape: str) -> None:
    """List the accounts of persons and services: their roles, and where people log in.

    `from` is local for accounts of this server, else the provider of the login.
    """
    from evalstore.server.oidc.providers import sources_of_accounts
    from evalstore.server.people.accounts import list_all

    with server_store(db) as store:
        accounts, roles = list_all(store)
        sources = sources_of_accounts(store)
    headers = ["name", "kind", "status", "created", "last login", "roles", "from"]
    rows = [
        (
            account.name,
            account.kind,
            "disabled" if account.disabled else "active",
            account.created_at.isoformat(timespec="seconds"),
            account.last_login_at and account.last_login_at.isoformat(timespec="seconds"),
            ", ".join(
                role.role if role.collection is None else f"{role.role} of {role.collection}"
                for role in roles
                if role.account == account.name
            ),
            sources.get(account.id, "local"),
        )
        for account in accounts
    ]
    print_rows(shape, headers, rows, nothing="no accounts")


@user.command()
@click.argument("name", metavar="NAME", shell_complete=complete.accounts)
@password_option
@db_option
def password(db: str, name: str, password_file: str | None) -> None:
    """Give a person another password; all sessions of the account end."""
    from evalstore.server.people.accounts import set_password

    given = read_password(password_file)
    with server_store(db) as store:
        new = set_password(store, name, given)
    tell_password(new)


@user.command()
@click.argument("name", metavar="NAME", shell_complete=complete.accounts)
@db_option
def rm(db: str, name: str) -> None:
    """Remove an account with its roles, sessions and tokens; what it did stays.

    The last administrator with a password can't be removed.
    """
    from evalstore.server.people.accounts import remove_account

    with server_store(db) as store:
        remove_account(store, name)
    click.echo(printable(f"removed {name}"))


@user.command()
@click.argument("name", metavar="NAME", shell_complete=complete.accounts)
@db_option
def disable(db: str, name: str) -> None:
    """Disable an account: it can't log in, its tokens don't count, its sessions end."""
    from evalstore.server.people.accounts import set_disabled

    with server_store(db) as store:
        set_disabled(store, name, True)
    click.echo(printable(f"disabled {name}"))


@user.command()
@click.argument("name", metavar="NAME", shell_complete=complete.accounts)
@db_option
def enable(db: str, name: str) -> None:
    """Enable an account that was disabled."""
    from evalstore.server.people.accounts import set_disabled

    with server_store(db) as store:
        set_disabled(store, name, False)
    click.echo(printable(f"enabled {name}"))


@user.command()
@click.argument("name", metavar="[NAME]", required=False)
@role_option
@collection_option
@click.option(
    "--expires",
    type=Lifetime(),
    default="7d",
    show_default=True,
    metavar="TIME",
    help="How long the link counts: 7d, 12h or 2w from now.",
)
@db_option
def invite(
    db: str, name: str | None, role: Role, collection: str | None, expires: timedelta
) -> None:
    """Invite a person by a link that works once, and print the link alone on standard output.

    Who opens the link chooses a password, and a name unless NAME is given. The link is not stored
    and not shown again. For example: `evalstore user invite bob --role reader`.
    """
    from evalstore.server.people.invitations import invite as make_invitation
    from evalstore.server.people.invitations import link
    from evalstore.server.setup import settings

    with server_store(db) as store:
        public_url = settings(store).public_url
        secret = make_invitation(store, role, name, collection, expires)
    click.echo(link(public_url, secret))


@user.command()
@format_option("table", "csv", "json")
@db_option
def invitations(db: str, shape: str) -> None:
    """List the invitations; never their links."""
    from evalstore.server.people.invitations import list_invitations, status_of

    with server_store(db) as store:
        stored = list_invitations(store)
    headers = ["id", "name", "role", "collection", "status", "made by", "created", "expires"]
    now = datetime.now(UTC)
    rows = [
        (
            each.id,
            each.name,
            each.role,
            each.collection,
            status_of(each, now),
            each.who,
            each.created_at.isoformat(timespec="seconds"),
            each.expires_at.isoformat(timespec="seconds"),
        )
        for each in stored
    ]
    print_rows(
        shape,
        headers,
        rows,
        nothing="no invitations: `evalstore user invite --role ROLE` makes one",
    )


@user.command()
@click.argument(
    "invitation", metavar="ID", type=click.IntRange(1), shell_complete=complete.invitations
)
@db_option
def uninvite(db: str, invitation: int) -> None:
    """Withdraw an invitation: its link does not count any more.

    `evalstore user invitations` lists the ids.
    """
    from evalstore.server.people.invitations import withdraw_invitation

    with server_store(db) as store:
        withdraw_invitation(store, invitation)
    click.echo(f"withdrew invitation {invitation}")


@user.command()
@click.argument("name", metavar="[NAME]", required=False, shell_complete=complete.accounts)
@format_option("table", "csv", "json")
@db_option
def sessions(db: str, name: str | None, shape: str) -> None:
    """List the sessions of an account, or of all: which browsers are logged in."""
    from evalstore.server.people.sessions import list_named_sessions

    with server_store(db) as store:
        listed = list_named_sessions(store, name, datetime.now(UTC))
    headers = ["account", "browser", "logged in", "last seen"]
    rows = [
        (
            account,
            session.agent,
            session.created_at.isoformat(timespec="seconds"),
            session.last_seen_at.isoformat(timespec="seconds"),
        )
        for account, session in listed
    ]
    print_rows(shape, headers, rows, nothing="nobody is logged in")


@user.command()
@click.argument("name", metavar="NAME", shell_complete=complete.accounts)
@db_option
def logout(db: str, name: str) -> None:
    """End all sessions of an account: its browsers have to log in again."""
    from evalstore.server.people.sessions import end_sessions

    with server_store(db) as store:
        ended = end_sessions(store, name)
    click.echo(f"ended {ended} session{'' if ended == 1 else 's'}")
