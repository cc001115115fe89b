"""`evalstore qrels`: the sets of judgments of a store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from evalstore.cli import complete
from evalstore.cli.options import (
    collection_option,
    db_option,
    format_option,
    own_store,
    store_or_server_option,
)
from evalstore.cli.output import printable, table, write_csv, write_json
from evalstore.cli.stores import changing, reading

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evalstore.store.queries.qrels import QrelsSummary

qrels_collection_option = collection_option("The collection, where several have such a qrels.")


@click.group()
def qrels() -> None:
    """List the qrels, choose the default, rename and remove them."""


@qrels.command("list")
@collection_option("Only of this collection.")
@click.option("--removed", is_flag=True, help="Those that are marked as removed.")
@format_option("table", "csv", "json")
@store_or_server_option
@click.pass_context
def list_command(
    ctx: click.Context, /, db: str, collection: str | None, removed: bool, shape: str
) -> None:
    """List the qrels; figures are shown under the default of a collection."""
    if removed:
        from evalstore.catalog.qrels import list_qrels
        from evalstore.store import Store

        with Store.open(own_store(ctx, db, "--removed"), create=False) as store:
            stored: Sequence[QrelsSummary] = list_qrels(store, collection, removed=True)
    else:
        with reading(db) as reader:
            stored = reader.list_qrels(collection)
    headers = ["collection", "qrels", "default", "queries", "judgments", "relevant", "date"]
    rows = [
        (
            *(q.collection, q.name, "yes" if q.is_default else "no"),
            *(q.queries, q.judgments, q.relevant, f"{q.created_at:%Y-%m-%d %H:%M}"),
        )
        for q in stored
    ]
    if shape == "csv":
        write_csv(headers, rows)
    elif shape == "json":
        write_json(
            [
                {**dict(zip(headers, row, strict=True)), "default": q.is_default}
                for row, q in zip(rows, stored, strict=True)
            ]
        )
    elif rows:
        table(headers, rows, left=3)
    else:
        click.echo("no qrels is removed" if removed else "no qrels yet")


@qrels.command()
@click.argument("name", metavar="QRELS", shell_complete=complete.qrels_names)
@qrels_collection_option
@store_or_server_option
def default(db: str, name: str, collection: str | None) -> None:
    """Make a qrels the one under which the figures of its collection are shown."""
    with changing(db) as changer:
        stored = changer.set_default_qrels(name, collection)
    state = "is the default already" if stored.was_default else "is now the default"
    click.echo(printable(f"{stored.collection}  {stored.name} {state}"))


@qrels.command()
@click.argument("name", metavar="QRELS", shell_complete=complete.qrels_names)
@click.argument("new", metavar="NEW_NAME")
@qrels_collection_option
@db_option
def rename(db: str, name: str, new: str, collection: str | None) -> None:
    """Give a qrels another name."""
    from evalstore.catalog.qrels import rename_qrels
    from evalstore.store import Store

    with Store.open(db, create=False) as store:
        before = rename_qrels(store, name, new, collection)
    click.echo(printable(f"{before.collection}  {before.name} -> {new}"))


@qrels.command()
@click.argument("names", metavar="QRELS...", nargs=-1, required=True)
@qrels_collection_option
@db_option
def rm(db: str, names: tuple[str, ...], collection: str | None) -> None:
    """Mark qrels as removed.

    Nothing shows them or what was computed under them any more; where the default of a collection
    is removed, the newest that is left becomes the default. `evalstore qrels restore` brings them
    back, `evalstore qrels purge` deletes them for good.
    """
    from evalstore.catalog.qrels import list_qrels, remove_qrels
    from evalstore.store import Store

    with Store.open(db, create=False) as store:
        removed = remove_qrels(store, names, collection)
        defaults = [q for q in list_qrels(store) if q.is_default]
    _print("removed", removed)
    changed = {qrels.collection for qrels in removed if qrels.is_default}
    _print("now the default", (qrels for qrels in defaults if qrels.collection in changed))


@qrels.command()
@click.argument("names", metavar="QRELS...", nargs=-1, required=True)
@qrels_collection_option
@db_option
def restore(db: str, names: tuple[str, ...], collection: str | None) -> None:
    """Bring back removed qrels; the default of the collection stays what it is."""
    from evalstore.catalog.qrels import restore_qrels
    from evalstore.store import Store

    with Store.open(db, create=False) as store:
        _print("restored", restore_qrels(store, names, collection))


@qrels.command()
@click.argument("names", metavar="[QRELS]...", nargs=-1)
@qrels_collection_option
@db_option
def purge(db: str, names: tuple[str, ...], collection: str | None) -> None:
    """Delete removed qrels for good: all, or those named.

    Their judgments and all that was computed under them go with them. Only qrels that
    `evalstore qrels rm` has marked are deleted.
    """
    from evalstore.catalog.qrels import purge_qrels
    from evalstore.store import Store

    with Store.open(db, create=False) as store:
        purged = purge_qrels(store, names, collection)
    _print("purged", purged)
    if not purged:
        click.echo("no qrels is removed: nothing to purge")


def _print(status: str, qrels: Iterable[QrelsSummary]) -> None:
    for one in qrels:
        click.echo(printable(f"{status:<15} {one.collection}  {one.name}"))
