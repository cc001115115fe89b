"""`evalstore demo`: the bundled experiment."""

from __future__ import annotations

import click

from evalstore.cli.dashboard import (
    check_host,
    host_option,
    no_login_option,
    port_option,
    serve_store,
)
from evalstore.cli.options import db_option
from evalstore.cli.output import warn


@click.command()
@host_option
@port_option
@no_login_option
@click.option("--no-serve", is_flag=True, help="Build the store and stop.")
@db_option
def demo(db: str, host: str, port: int, no_login: bool, no_serve: bool) -> None:
    """Build the demo store and show it.

    The documents are the docstrings and topics of the running Python, the queries are questions
    people ask of them, and the engines are small but different. Building it again changes
    nothing.
    """
    if not no_serve:
        check_host(host, no_login)

    from evalstore.demo.store import COLLECTION, build_store
    from evalstore.store import Store

    with Store.open(db) as store:
        built = build_store(store, warn=warn)
        click.echo(
            f"collection {COLLECTION!r} in {store.url_shown}: {built.documents:,} documents, "
            f"{built.queries} queries, {built.runs} runs ({built.new} new)"
        )
        if not no_serve:
            serve_store(store, host, port, no_login)
