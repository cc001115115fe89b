"""`evalstore role`: what accounts of the team's server may do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from evalstore.cli import complete
from evalstore.cli.options import db_option, format_option
from evalstore.cli.output import print_rows, printable
from evalstore.cli.stores import server_store

if TYPE_CHECKING:
    from evalstore.server.people.rights import Role

role_option = click.option(
    "--role",
    type=click.Choice(("reader", "contributor", "administrator")),
    required=True,
    help="A reader reads; a contributor also ingests, annotates and judges; an administrator also "
    "manages accounts, or what belongs to the collection.",
)
collection_option = click.option(
    "--collection",
    metavar="NAME",
    shell_complete=complete.collection_names,
    help="In this collection only; else in the whole store.",
)


@click.group()
def role() -> None:
    """Grant roles to accounts of the team's server, and withdraw them."""


@role.command()
@click.argument("name", metavar="NAME", shell_complete=complete.accounts)
@role_option
@collection_option
@db_option
def grant(db: str, name: str, role: Role, collection: str | None) -> None:
    """Grant an account a role, in place of the one it has there."""
    from evalstore.server.people.accounts import grant as grant_role

    with server_store(db) as store:
        grant_role(store, name, role, collection)
    click.echo(printable(f"{name} is {role} of {collection or 'the whole store'}"))


@role.command()
@click.argument("name", metavar="NAME", shell_complete=complete.accounts)
@collection_option
@db_option
def withdraw(db: str, name: str, collection: str | None) -> None:
    """Withdraw the role that an account has in the whole store, or in a collection."""
    from evalstore.server.people.accounts import withdraw as withdraw_role

    with server_store(db) as store:
        withdraw_role(store, name, collection)
    click.echo(printable(f"{name} has no role for {collection or 'the whole store'} any more"))


@role.command("list")
@format_option("table", "csv", "json")
@db_option
def list_command(db: str, shape: str) -> None:
    """List the roles of all accounts, and whether groups of a provider gave them."""
    from evalstore.server.people.accounts import list_all

    with server_store(db) as store:
        _, roles = list_all(store)
    headers = ["account", "role", "collection", "from"]
    rows = [
        (role.account, role.role, role.collection, "groups" if role.from_groups else "grant")
        for role in roles
    ]
    print_rows(
        shape,
        headers,
        rows,
        nothing="no account has a role: `evalstore role grant NAME --role ROLE` gives one",
    )
