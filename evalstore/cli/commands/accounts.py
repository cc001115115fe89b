"""Commands of `evalstore server` for accounts: `users`, `roles`, `tokens`, `login`, `logout`."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalstore.cli import complete
from evalstore.cli.commands.server import (
    Rows,
    password_option,
    prints_rows,
    read_password,
    server,
    tell_password,
)
from evalstore.cli.complete import files
from evalstore.cli.inputs import read_text
from evalstore.cli.options import (
    TOKEN,
    Parsed,
    collection_option,
    db_option,
    kept_tokens,
    may_send_plainly,
    opened_server_store,
    server_store,
)
from evalstore.cli.output import printable, warn
from evalstore.cli.structure import noun
from evalstore.errors import DataError, StoreError

if TYPE_CHECKING:
    from evalstore.server.people.rights import Role
    from evalstore.store import Store
    from evalstore.store.access.sessions import StoredToken


# `evalstore server roles`: the rights of accounts on the team's server

role_option = click.option(
    "--role",
    type=click.Choice(("reader", "judge", "contributor", "administrator")),
    required=True,
    help="A reader reads; a judge also judges what is assigned; a contributor also ingests and "
    "annotates; an administrator also "
    "manages accounts, or what belongs to the collection.",
)
role_collection_option = collection_option("In this collection only; else in the whole store.")
account_argument = click.argument("name", metavar="NAME", shell_complete=complete.accounts)


def _time(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat(timespec="seconds")


@noun("roles", {"list": "server roles"})
@prints_rows(
    ("account", "role", "collection", "from"),
    "no account has a role: `evalstore server roles grant NAME --role ROLE` gives one",
)
def roles(store: Store) -> Rows:
    """List the roles of all accounts, and whether groups of a provider gave them."""
    from evalstore.server.people.accounts import list_all

    return [
        (role.account, role.role, role.collection, "groups" if role.from_groups else "grant")
        for role in list_all(store)[1]
    ]


@roles.command()
@account_argument
@role_option
@role_collection_option
@opened_server_store
def grant(store: Store, name: str, role: Role, collection: str | None) -> None:
    """Grant an account a role, in place of the one it has there."""
    from evalstore.server.people.accounts import grant as grant_role

    grant_role(store, name, role, collection)
    click.echo(printable(f"{name} is {role} of {collection or 'the whole store'}"))


@roles.command()
@account_argument
@role_collection_option
@opened_server_store
def withdraw(store: Store, name: str, collection: str | None) -> None:
    """Withdraw the role of an account, in the whole store or in a collection."""
    from evalstore.server.people.accounts import withdraw as withdraw_role

    withdraw_role(store, name, collection)
    click.echo(printable(f"{name} has no role for {collection or 'the whole store'} any more"))


# `evalstore server tokens`: tokens with which programs use the team's server


LIFETIME = Parsed("lifetime", "server.people.tokens.parse_lifetime")
ADDRESS = Parsed("url", "client.connection.parse_address")


@noun("tokens", {"list": "server tokens"})
@prints_rows(
    ("name", "begins", "scope", "collection", "status", "created", "expires", "last used"),
    "no tokens: `evalstore server tokens create NAME --role ROLE` makes one",
)
def tokens(store: Store) -> Rows:
    """List the tokens, with when each was last used; never the tokens themselves."""
    from evalstore.server.people.accounts import list_all
    from evalstore.server.people.tokens import list_tokens, places_of

    granted, now, rows = list_all(store)[1], datetime.now(UTC), []
    for token in list_tokens(store):
        places = places_of(token, granted)
        where = None if places is None else ", ".join(places)
        times = map(_time, (token.created_at, token.expires_at, token.last_used_at))
        rows.append((token.name, token.prefix, token.scope, where, _status(token, now), *times))
    return rows


@tokens.command()
@click.argument("name", metavar="NAME")
@role_option
@click.option(
    "--collection",
    "collections",
    metavar="NAME",
    multiple=True,
    shell_complete=complete.collection_names,
    help="In this collection only; may be repeated. Else in the whole store.",
)
@click.option(
    "--expires", type=LIFETIME, metavar="TIME", help="When it ends: 90d, 12h or 4w from now."
)
@opened_server_store
def create(
    store: Store, name: str, role: Role, collections: tuple[str, ...], expires: timedelta | None
) -> None:
    """Create a token for a program, and print it alone on standard output.

    The token is of a service account of the same name, which has this role and no other. It is not
    stored and not shown again. A program sends it as the header `Authorization: Bearer TOKEN`.
    """
    from evalstore.server.people.tokens import create_token

    made = create_token(store, name, role, collections or None, expires)
    click.echo(made)


@tokens.command()
@click.argument("name", metavar="NAME", shell_complete=complete.tokens)
@opened_server_store
def revoke(store: Store, name: str) -> None:
    """Revoke a token: from now on it is refused."""
    from evalstore.server.people.tokens import revoke_token

    revoke_token(store, name)
    click.echo(printable(f"revoked {name}"))


def _status(token: StoredToken, now: datetime) -> str:
    if token.revoked_at is not None:
        return "revoked"
    return "expired" if token.expires_at is not None and token.expires_at <= now else "active"


@noun("users", {"list": "server users"})
@prints_rows(("name", "kind", "status", "created", "last login", "roles", "from"), "no accounts")
def users(store: Store) -> Rows:
    """List the accounts of persons and services: their roles, and where people log in.

    `from` is local for accounts of this server, else the provider of the login.
    """
    from evalstore.server.oidc.providers import sources_of_accounts
    from evalstore.server.people.accounts import list_all

    accounts, granted = list_all(store)
    sources, rows = sources_of_accounts(store), []
    for account in accounts:
        of_account = ", ".join(
            role.role if role.collection is None else f"{role.role} of {role.collection}"
            for role in granted
            if role.account == account.name
        )
        status = "disabled" if account.disabled else "active"
        times = (_time(account.created_at), _time(account.last_login_at))
        source = sources.get(account.id, "local")
        rows.append((account.name, account.kind, status, *times, of_account, source))
    return rows


@users.command()
@click.argument("name", metavar="NAME")
@role_option
@role_collection_option
@password_option
@db_option
def add(db: str, name: str, role: Role, collection: str | None, password_file: str | None) -> None:
    """Add a person's account with a role: in the whole store, or in a collection."""
    from evalstore.server.people.accounts import add_person

    password = read_password(password_file)
    with server_store(db) as store:
        new = add_person(store, name, role, collection, password)
    tell_password(new)


@users.command()
@account_argument
@password_option
@db_option
def password(db: str, name: str, password_file: str | None) -> None:
    """Give a person another password; all sessions of the account end."""
    from evalstore.server.people.accounts import set_password

    given = read_password(password_file)
    with server_store(db) as store:
        new = set_password(store, name, given)
    tell_password(new)


@users.command()
@account_argument
@opened_server_store
def rm(store: Store, name: str) -> None:
    """Remove an account with its roles, sessions and tokens; what it did stays.

    The last administrator with a password can't be removed.
    """
    from evalstore.server.people.accounts import remove_account

    remove_account(store, name)
    click.echo(printable(f"removed {name}"))


@users.command()
@account_argument
@opened_server_store
def disable(store: Store, name: str) -> None:
    """Disable an account: it can't log in, its tokens don't count, its sessions end."""
    from evalstore.server.people.accounts import set_disabled

    set_disabled(store, name, True)
    click.echo(printable(f"disabled {name}"))


@users.command()
@account_argument
@opened_server_store
def enable(store: Store, name: str) -> None:
    """Enable an account that was disabled."""
    from evalstore.server.people.accounts import set_disabled

    set_disabled(store, name, False)
    click.echo(printable(f"enabled {name}"))


@users.command()
@click.argument("name", metavar="[NAME]", required=False)
@role_option
@role_collection_option
@click.option(
    "--expires",
    type=LIFETIME,
    default="7d",
    show_default=True,
    metavar="TIME",
    help="How long the link counts: 7d, 12h or 2w from now.",
)
@opened_server_store
def invite(
    store: Store, name: str | None, role: Role, collection: str | None, expires: timedelta
) -> None:
    """Print a link that makes one account, alone on standard output.

    Who opens the link chooses a password, and a name unless NAME is given. The link is not stored
    and not shown again. For example: `evalstore server users invite bob --role reader`.
    """
    from evalstore.server.people.invitations import invite as make_invitation
    from evalstore.server.people.invitations import link
    from evalstore.server.setup import settings

    public_url = settings(store).public_url
    secret = make_invitation(store, role, name, collection, expires)
    click.echo(link(public_url, secret))


@users.command()
@prints_rows(
    ("id", "name", "role", "collection", "status", "made by", "created", "expires"),
    "no invitations: `evalstore server users invite --role ROLE` makes one",
)
def invitations(store: Store) -> Rows:
    """List the invitations; never their links."""
    from evalstore.server.people.invitations import list_invitations, status_of

    now, rows = datetime.now(UTC), []
    for each in list_invitations(store):
        status, times = status_of(each, now), (_time(each.created_at), _time(each.expires_at))
        rows.append((each.id, each.name, each.role, each.collection, status, each.who, *times))
    return rows


@users.command()
@click.argument(
    "invitation", metavar="ID", type=click.IntRange(1), shell_complete=complete.invitations
)
@opened_server_store
def uninvite(store: Store, invitation: int) -> None:
    """Withdraw an invitation: its link does not count any more.

    `evalstore server users invitations` lists the ids.
    """
    from evalstore.server.people.invitations import withdraw_invitation

    withdraw_invitation(store, invitation)
    click.echo(f"withdrew invitation {invitation}")


@users.command()
@click.argument("name", metavar="[NAME]", required=False, shell_complete=complete.accounts)
@prints_rows(("account", "browser", "logged in", "last seen"), "nobody is logged in")
def sessions(store: Store, name: str | None) -> Rows:
    """List the sessions of an account, or of all: which browsers are logged in."""
    from evalstore.server.people.login import list_named_sessions

    return [
        (account, each.agent, _time(each.created_at), _time(each.last_seen_at))
        for account, each in list_named_sessions(store, name, datetime.now(UTC))
    ]


@users.command("logout")
@account_argument
@opened_server_store
def end_sessions(store: Store, name: str) -> None:
    """End all sessions of an account: its browsers have to log in again."""
    from evalstore.server.people.login import end_sessions

    ended = end_sessions(store, name)
    click.echo(f"ended {ended} session{'' if ended == 1 else 's'}")


# `evalstore server login`, `evalstore server logout`: the token for a team's server


@server.command()
@click.argument("address", metavar="URL", type=ADDRESS)
@click.option(
    "--token-file",
    type=click.Path(dir_okay=False, path_type=Path),
    shell_complete=files,
    help="Read the token from the first line of a file.  [default: from the terminal, or standard "
    "input]",
)
def login(address: Any, token_file: Path | None) -> None:
    """Keep a token for a team's server, so that commands with --db URL use it.

    An administrator of the server makes it with `evalstore server tokens create`. It is tried
    before it is kept, in a file of your settings that only you can read. One token is kept for each
    server; EVALSTORE_TOKEN counts before it.
    """
    from contextlib import closing

    from evalstore.client.connection import Server

    token = _token(token_file)
    with closing(Server(address, token, plain_http=may_send_plainly())) as server:
        try:
            server.get("/collections", limit=1)
        except StoreError as error:
            if error.problem != "token refused":
                raise
            command = "`evalstore server tokens create NAME --role ROLE`"
            raise StoreError(f"{error}; an administrator makes one with {command}") from None
    kept_tokens().keep(address, token)
    click.echo(f"token for {address} kept in {printable(str(kept_tokens().path))}")
    if os.environ.get(TOKEN, "").strip():
        warn(f"{TOKEN} is set, and counts before the token that is kept")


@server.command()
@click.argument("address", metavar="URL", type=ADDRESS)
def logout(address: Any) -> None:
    """Forget the token for a team's server; it stays valid until it is revoked there."""
    if not kept_tokens().forget(address):
        raise DataError(f"no token for {address} is kept")
    click.echo(f"token for {address} forgotten")


def _token(file: Path | None) -> str:
    """The token, from the file, typed without echo, or from standard input; never an argument."""
    if file is not None:
        text = read_text(str(file)).partition("\n")[0]
    elif sys.stdin.isatty():
        text = click.prompt("Token", hide_input=True, default="", show_default=False, err=True)
    else:
        text = sys.stdin.readline()
    if not text.strip():
        raise DataError("no token was given: type it, or send it to standard input")
    return str(text.strip())


for each in (users, roles, tokens):
    server.add_command(each)
