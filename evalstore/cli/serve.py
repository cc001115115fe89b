"""`evalstore dashboard` and `evalstore demo`: what people look at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

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
@click.pass_obj
def dashboard(db: str, host: str, port: int) -> None:
    """Start the web dashboard."""
    from evalstore.store import Store

    with Store.open(db) as store:
        _serve(store, host, port)


@click.command()
@host_option
@port_option
@click.option("--no-serve", is_flag=True, help="Build the store and stop.")
@click.pass_obj
def demo(db: str, host: str, port: int, no_serve: bool) -> None:
    """Build the demo store and show it.

    The documents are the docstrings and topics of the running Python, the queries are questions
    people ask of them, and the engines are small but different. Building it again changes
    nothing.
    """
    from evalstore.demo.store import COLLECTION, build_store
    from evalstore.store import Store

    with Store.open(db) as store:
        built = build_store(store, warn=warn)
        click.echo(
            f"collection {COLLECTION!r} in {store.url_shown}: {built.documents:,} documents, "
            f"{built.queries} queries, {built.runs} runs ({built.new} new)"
        )
        if not no_serve:
            _serve(store, host, port)


def _serve(store: Store, host: str, port: int) -> None:
    from dashboard.app import serve

    if host not in ("127.0.0.1", "localhost", "::1"):
        warn(f"anyone who reaches {host} can read this store: the dashboard has no login")
    serve(
        store,
        host=host,
        port=port,
        on_ready=lambda address: click.echo(f"dashboard at {address} (Ctrl-C stops it)"),
    )
