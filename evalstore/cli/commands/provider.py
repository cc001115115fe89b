"""`evalstore server provider`: where people log in beside the server itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from evalstore.cli import complete
from evalstore.cli.options import db_option, format_option
from evalstore.cli.output import print_rows, printable, warn
from evalstore.cli.stores import server_store

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalstore.server.oidc.providers import Provider
    from evalstore.server.people.rights import Role


@click.group()
def provider() -> None:
    """Let people log in at providers (OpenID Connect), and list these."""


@provider.command()
@click.argument("name", metavar="NAME")
@click.option(
    "--issuer",
    required=True,
    metavar="URL",
    help="The provider's address, exactly as it names itself.",
)
@click.option("--client-id", required=True, metavar="ID", help="What this server is called there.")
@click.option(
    "--client-secret-file",
    required=True,
    type=click.Path(),
    metavar="FILE",
    help="The file with the secret of this client. The store has its path only, so `evalstore "
    "serve` must be able to read it.",
)
@click.option(
    "--groups-claim",
    default="groups",
    show_default=True,
    metavar="CLAIM",
    help="The claim of the ID token, or of UserInfo, that lists groups.",
)
@click.option(
    "--scopes",
    default="openid profile",
    show_default=True,
    metavar="SCOPES",
    help="What a login asks for, separated by spaces.",
)
@click.option(
    "--map",
    "mappings",
    multiple=True,
    metavar="GROUP=ROLE[:COLLECTION]",
    help="Who is in this group has this role, in a collection or in the whole store. Can be given "
    "several times.",
)
@click.option(
    "--default-role",
    type=click.Choice(("reader", "contributor", "administrator")),
    help="The role in the whole store of who is in none of these groups; else they are not let in.",
)
@db_option
def add(
    db: str,
    name: str,
    issuer: str,
    client_id: str,
    client_secret_file: str,
    groups_claim: str,
    scopes: str,
    mappings: tuple[str, ...],
    default_role: Role | None,
) -> None:
    """Let people log in at a provider. It counts at once, without a restart.

    Register the address that is printed at the provider, as the one to come back to. For example:
    `evalstore server provider add okta --issuer https://login.example.org --client-id evalstore
    --client-secret-file secret --map ir-team=contributor --map ir-leads=administrator`.
    """
    from evalstore.errors import DataError
    from evalstore.server.oidc.providers import add_provider, parse_mapping
    from evalstore.server.oidc.routes import callback_url
    from evalstore.server.setup import settings

    try:
        mapped = [parse_mapping(text) for text in mappings]
    except DataError as error:
        raise click.BadParameter(printable(str(error)), param_hint="--map") from None
    with server_store(db) as store:
        new = add_provider(
            store,
            name,
            issuer,
            client_id,
            client_secret_file,
            scopes=scopes,
            groups_claim=groups_claim,
            mapped=mapped,
            default_role=default_role,
        )
        url = callback_url(settings(store).public_url, new)
    _warn_of(new)
    click.echo(printable(f"people come back from {name} to {url}"))


@provider.command("list")
@format_option("table", "csv", "json")
@db_option
def list_command(db: str, shape: str) -> None:
    """List the providers, with the roles of their groups."""
    from evalstore.server.oidc.providers import load_providers
    from evalstore.store.queries.collections import names_of_collections

    with server_store(db) as store:
        providers = load_providers(store)
        with store.read() as connection:
            collections = names_of_collections(connection)
    headers = ["name", "issuer", "client id", "secret file", "scopes", "groups claim", "roles"]
    headers.append("default role")
    rows = [
        (
            each.name,
            each.issuer,
            each.client_id,
            each.secret_file,
            each.scopes,
            each.groups_claim,
            ", ".join(_mappings(each, collections)),
            each.default_role,
        )
        for each in providers.values()
    ]
    print_rows(
        shape, headers, rows, nothing="no providers: people log in with a name and a password"
    )


@provider.command()
@click.argument("name", metavar="NAME", shell_complete=complete.providers)
@db_option
def rm(db: str, name: str) -> None:
    """Let nobody log in at a provider any more: sessions end, roles from its groups go.

    The accounts stay, and are the same ones if a provider of that issuer is added again.
    """
    from evalstore.server.oidc.providers import remove_provider

    with server_store(db) as store:
        remove_provider(store, name)
    click.echo(printable(f"removed {name}"))


def _mappings(provider: Provider, collections: Mapping[int, str]) -> list[str]:
    """What groups may do, as it is given; of a collection that is purged only that it is."""
    return [
        f"{each.group}={each.role}"
        + (
            ""
            if each.collection_id is None
            else f":{collections.get(each.collection_id, '(purged)')}"
        )
        for each in provider.group_roles
    ]


def _warn_of(provider: Provider) -> None:
    """Say what is probably not meant."""
    from pathlib import Path

    if not provider.group_roles and provider.default_role is None:
        warn("nobody is let in: no group has a role, and there is no --default-role")
    if Path(provider.secret_file).stat().st_mode & 0o004:
        warn(f"everyone on this machine can read {provider.secret_file}")
