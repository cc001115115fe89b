"""`evalstore demo`: the bundled experiment."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from evalstore.cli.commands.dashboard import (
    check_host,
    compute_in_one_thread,
    host_option,
    no_login_option,
    port_option,
    serve_store,
)
from evalstore.cli.complete import DEFAULT_DB
from evalstore.cli.options import db_option
from evalstore.cli.output import printable, warn

if TYPE_CHECKING:
    from evalstore.store import Store

COMMANDS_TO_TRY = (
    "history ql-stem -m AP",
    "diff ql-stem-2026-07 ql-stem-2026-09",
    "show ql-stem-2026-09",
    "leaderboard python-docs -m ResponseTime -m IndexSize",
    "compare bm25 ql-stem -m AP --by area",
    "reevaluate --collection python-docs --qrels qrels --before qrels-draft -m AP",
    "experiment show demo",
)


@click.command()
@host_option
@port_option
@no_login_option
@click.option("--no-serve", is_flag=True, help="Build the store and stop.")
@db_option
def demo(db: str, host: str, port: int, no_login: bool, no_serve: bool) -> None:
    """Build the demo store and show it.

    The documents are the docstrings and topics of the running Python, the queries are questions
    people ask of them, and the engines are small but different. Rankings, judgments, response
    times and sizes are real; the dates, commits and parents of the runs are made up, so that
    there is a history to show. Building it again changes nothing.
    """
    if not no_serve:
        check_host(host, no_login)
        compute_in_one_thread()

    from evalstore.demo.store import COLLECTION, build_store
    from evalstore.store import Store

    with Store.open(db) as store:
        built = build_store(store, warn=warn)
        click.echo(
            f"collection {COLLECTION!r} in {store.url_shown}: {built.documents:,} documents, "
            f"{built.queries} queries, {built.runs} runs ({built.new} new)"
        )
        click.echo("The dates, commits and parents of its runs are made up; all else is real. Try:")
        for command in COMMANDS_TO_TRY:
            click.echo(f"  {printable(_program(store, db))} {command}")
        if not no_serve:
            serve_store(store, host, port, no_login)


def _program(store: Store, db: str) -> str:
    """How a command on the store begins; the URL of a server may have a password."""
    if db == DEFAULT_DB:
        return "evalstore"
    return "evalstore --db URL" if store.file is None else f"evalstore --db {shlex.quote(db)}"
