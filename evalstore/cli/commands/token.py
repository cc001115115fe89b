"""`evalstore token`: the tokens by which programs use the team's server."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import click

from evalstore.cli import complete
from evalstore.cli.commands.role import role_option
from evalstore.cli.options import db_option, format_option
from evalstore.cli.output import print_rows, printable
from evalstore.cli.stores import server_store

if TYPE_CHECKING:
    from evalstore.server.people.rights import Role
    from evalstore.store.access.tokens import StoredToken


class Lifetime(click.ParamType[timedelta]):
    """How long something counts: 90d, 12h, 4w."""

    name = "lifetime"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> timedelta:
        """The time."""
        if isinstance(value, timedelta):
            return value
        from evalstore.errors import DataError
        from evalstore.server.people.lifetimes import parse_lifetime

        try:
            return parse_lifetime(value)
        except DataError as error:
            self.fail(printable(str(error)), param, ctx)


@click.group()
def token() -> None:
    """Make and revoke the tokens by which programs use the team's server."""


@token.command()
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
    "--expires", type=Lifetime(), metavar="TIME", help="When it ends: 90d, 12h or 4w from now."
)
@db_option
def create(
    db: str, name: str, role: Role, collections: tuple[str, ...], expires: timedelta | None
) -> None:
    """Create a token for a program, and print it alone on standard output.

    The token is of a service account of the same name, which has this role and no other. It is not
    stored and not shown again. A program sends it as the header `Authorization: Bearer TOKEN`.
    """
    from evalstore.server.people.tokens import create_token

    with server_store(db) as store:
        made = create_token(store, name, role, collections or None, expires)
    click.echo(made)


@token.command()
@click.argument("name", metavar="NAME", shell_complete=complete.tokens)
@db_option
def revoke(db: str, name: str) -> None:
    """Revoke a token: from now on it is refused."""
    from evalstore.server.people.tokens import revoke_token

    with server_store(db) as store:
        revoke_token(store, name)
    click.echo(printable(f"revoked {name}"))


@token.command("list")
@format_option("table", "csv", "json")
@db_option
def list_command(db: str, shape: str) -> None:
    """List the tokens, with when each was last used; never the tokens themselves."""
    from evalstore.server.people.accounts import list_all
    from evalstore.server.people.tokens import list_tokens, places_of

    with server_store(db) as store:
        tokens, roles = list_tokens(store), list_all(store)[1]
    headers = ["name", "begins", "scope", "collection", "status", "created", "expires", "last used"]
    now = datetime.now(UTC)
    rows = [
        (
            token.name,
            token.prefix,
            token.scope,
            None if (places := places_of(token, roles)) is None else ", ".join(places),
            _status(token, now),
            _time(token.created_at),
            _time(token.expires_at),
            _time(token.last_used_at),
        )
        for token in tokens
    ]
    print_rows(
        shape,
        headers,
        rows,
        nothing="no tokens: `evalstore token create NAME --role ROLE` makes one",
    )


def _status(token: StoredToken, now: datetime) -> str:
    if token.revoked_at is not None:
        return "revoked"
    return "expired" if token.expires_at is not None and token.expires_at <= now else "active"


def _time(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat(timespec="seconds")
