"""`evalstore dashboard`: the store in a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from evalstore.cli.options import db_option
from evalstore.cli.output import warn

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

    evalstore dashboard --db team.db --port 9000
    """
    from evalstore.store import Store

    with Store.open(db, create=False) as store:
        serve_store(store, host, port)


def serve_store(store: Store, host: str, port: int) -> None:
    """Serve the dashboard over a store until interrupted."""
    from dashboard.app import serve

    if host not in ("127.0.0.1", "localhost", "::1"):
        warn(f"anyone who reaches {host} can read this store: the dashboard has no login")
    serve(
        store,
        host=host,
        port=port,
        on_ready=lambda address: click.echo(f"dashboard at {address} (Ctrl-C stops it)"),
    )
