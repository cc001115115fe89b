"""`evalstore dashboard`: the store in a browser."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING

import click

from evalstore.cli.complete import DEFAULT_DB
from evalstore.cli.options import db_option
from evalstore.cli.output import printable, warn

if TYPE_CHECKING:
    from evalstore.store import Store


port_option = click.option(
    "--port", type=click.IntRange(0, 65535), default=8050, show_default=True, help="The port."
)
host_option = click.option(
    "--host", default="127.0.0.1", show_default=True, help="The address to listen on."
)
no_login_option = click.option(
    "--no-login",
    is_flag=True,
    help="Let everyone read the store who reaches --host, when that is not this machine alone.",
)


@click.command()
@host_option
@port_option
@no_login_option
@db_option
def dashboard(db: str, host: str, port: int, no_login: bool) -> None:
    """Start the web dashboard.

    It shows one store in a browser: leaderboards, comparisons, ranked lists, history, SQL. What is
    chosen on a page stands in its address, so a link shows the same view to another person:
    docs/dashboard.md lists the pages, addresses and keys.

    Ctrl-C stops it; what is being answered is finished first. It has no login, so only this machine
    reaches it: `evalstore serve` is for a team.
    """
    check_host(host, no_login)
    compute_in_one_thread()

    from evalstore.store import Store

    with Store.open(db, create=False) as store:
        serve_store(store, host, port, no_login)


def compute_in_one_thread() -> None:
    """Let NumPy use one thread for a multiplication; before NumPy is imported.

    The dashboard answers many at once, in processes and threads of its own: where each product
    of matrices takes all processors too, they wait for each other, ten times as long.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def check_host(host: str, no_login: bool) -> None:
    """Refuse, as a wrong use of the command, to let others read the store unasked."""
    from dashboard.serving.access import LoginMissing, check_login

    try:
        check_login(host, open_to_all=no_login)
    except LoginMissing as error:
        raise click.UsageError(
            f"{error}: `evalstore serve` has one; add --no-login if they may, or leave out --host"
        ) from error


def serve_store(store: Store, host: str, port: int, no_login: bool) -> None:
    """Serve the dashboard over a store until interrupted."""
    from dashboard.app import serve
    from evalstore.client.connection import is_loopback

    if not is_loopback(host):
        warn(f"everyone who reaches {host} can read this store: the dashboard has no login")
    serve(
        store,
        host=host,
        port=port,
        open_to_all=no_login,
        on_ready=lambda address: click.echo(f"dashboard at {address} (Ctrl-C stops it)"),
    )


# `evalstore demo`: the bundled experiment

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
