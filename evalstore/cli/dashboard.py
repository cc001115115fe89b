"""`evalstore dashboard`: the store in a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from evalstore.cli.options import db_option

if TYPE_CHECKING:
    from evalstore.store import Store

port_option = click.option(
    "--port", type=click.IntRange(0, 65535), default=8050, show_default=True, help="The port."
)
host_option = click.option(
    "--host", default="127.0.0.1", show_default=True, help="The address to listen on."
)


@click.command()
@host_option
@port_option
@db_option
def dashboard(db: str, host: str, port: int) -> None:
    """Start the web dashboard.

    It shows one store in a browser: leaderboards, comparisons, ranked lists, history, SQL. What is
    chosen on a page stands in its address, so a link shows the same view to another person:
    docs/dashboard.md lists the pages, addresses and keys.

    Ctrl-C stops it; what is being answered is finished first. It has no login, so only this machine
    reaches it: `evalstore serve` is for a team.
    """
    check_host(host)

    from evalstore.store import Store

    with Store.open(db, create=False) as store:
        serve_store(store, host, port)


def check_host(host: str) -> None:
    """Refuse, as a wrong use of the command, to let others read the store."""
    from dashboard.access import LoginMissing, check_login

    try:
        check_login(host)
    except LoginMissing as error:
        raise click.UsageError(
            f"{error}: `evalstore serve` serves a team; or leave out --host"
        ) from error


def serve_store(store: Store, host: str, port: int) -> None:
    """Serve the dashboard over a store until interrupted."""
    from dashboard.app import serve

    serve(
        store,
        host=host,
        port=port,
        on_ready=lambda address: click.echo(f"dashboard at {address} (Ctrl-C stops it)"),
    )
