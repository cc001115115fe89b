"""`evalstore server webhook`: addresses that are told of new runs and of gates that failed."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import click

from evalstore.cli import complete
from evalstore.cli.options import db_option, format_option
from evalstore.cli.output import print_rows, printable
from evalstore.cli.stores import server_store

if TYPE_CHECKING:
    from evalstore.server.webhooks.registered import Kind

HEADERS = ("id", "url", "collection", "tells of", "created", "last told", "result")


@click.group()
def webhook() -> None:
    """Tell other programs of new runs, and of gates that failed.

    docs/serving.md says what is sent, and how a receiver checks the signature.
    """


@webhook.command()
@click.argument("url", metavar="URL")
@click.option(
    "--collection",
    metavar="NAME",
    shell_complete=complete.collection_names,
    help="Tell of this collection only.  [default: all that are not private]",
)
@click.option(
    "--on",
    "kinds",
    type=click.Choice(["run", "gate"]),
    multiple=True,
    help="What to tell of: new runs, or gates that did not pass.  [default: both]",
)
@db_option
def add(db: str, url: str, collection: str | None, kinds: tuple[Kind, ...]) -> None:
    """Add a webhook, and print the secret of its signatures alone on standard output.

    The secret is not shown again. The URL is https, to an address of the internet; `evalstore
    server webhook allow` allows others.
    """
    from evalstore.server.webhooks.registered import KINDS, add_webhook

    with server_store(db) as store:
        new = add_webhook(store, url, collection, kinds or KINDS)
    click.echo(new.secret)
    click.echo(f"webhook {new.id}: its secret is not shown again", err=True)


@webhook.command("list")
@format_option("table", "csv", "json")
@db_option
def list_command(db: str, shape: str) -> None:
    """List the webhooks, with what came of the last message; never their secrets."""
    from evalstore.server.webhooks.registered import list_webhooks

    with server_store(db) as store:
        rows = [
            (
                hook.id,
                hook.url,
                hook.collection,
                hook.tells_of,
                _time(hook.created_at),
                _time(hook.last_at),
                hook.last_result,
            )
            for hook in list_webhooks(store)
        ]
    print_rows(
        shape, HEADERS, rows, nothing="no webhooks: `evalstore server webhook add URL` adds one"
    )


@webhook.command()
@click.argument("webhook_id", metavar="ID", type=click.IntRange(1, 2**31 - 1))
@db_option
def rm(db: str, webhook_id: int) -> None:
    """Remove a webhook: it is told nothing any more."""
    from evalstore.server.webhooks.registered import remove_webhook

    with server_store(db) as store:
        remove_webhook(store, webhook_id)
    click.echo(f"removed webhook {webhook_id}")


@webhook.command()
@click.argument("webhook_id", metavar="ID", type=click.IntRange(1, 2**31 - 1))
@db_option
def test(db: str, webhook_id: int) -> None:
    """Send a message of the event `test` at once, and say what is answered."""
    from evalstore.server.webhooks.deliveries import try_webhook

    with server_store(db) as store:
        status = try_webhook(store, webhook_id)
    click.echo(f"webhook {webhook_id} answered {status}")


@webhook.command()
@click.argument("name", metavar="[CIDR|HOST]", required=False)
@click.option("--remove", is_flag=True, help="Take it back.")
@db_option
def allow(db: str, name: str | None, remove: bool) -> None:
    """Allow webhooks to a network like 10.1.0.0/16, or to a host of it; list them without a name.

    A host that is allowed may have private addresses, and be told by http. To this machine, and to
    link-local addresses, where clouds keep credentials, only an allowed network leads.
    """
    from evalstore.server.webhooks import registered as webhooks

    if name is None and remove:
        raise click.UsageError("--remove needs the network or the host")
    with server_store(db) as store:
        if name is None:
            for allowed in webhooks.allowed_names(store):
                click.echo(printable(allowed))
        elif remove:
            written = webhooks.forbid(store, name)
            click.echo(printable(f"{written} is not allowed any more"))
        else:
            click.echo(printable(f"{webhooks.allow(store, name)} is allowed"))


def _time(time: datetime | None) -> str | None:
    return None if time is None else f"{time:%Y-%m-%d %H:%M}"
