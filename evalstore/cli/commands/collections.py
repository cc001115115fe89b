"""`evalstore collection`: the collections of a store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from evalstore.cli import complete
from evalstore.cli.options import db_option, format_option, own_store, store_or_server_option
from evalstore.cli.output import print_rows, printable
from evalstore.cli.stores import reading

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalstore.store.queries.collections import Access, StoredCollection


LONGEST = 60
"""Characters of the measures of a collection in a table."""


@click.group()
def collection() -> None:
    """List, rename and remove collections; say who reads them, and what is stored of their runs."""


@collection.command("list")
@click.option("--removed", is_flag=True, help="Those that are marked as removed.")
@format_option("table", "csv", "json")
@store_or_server_option
@click.pass_context
def list_command(ctx: click.Context, /, db: str, removed: bool, shape: str) -> None:
    """List the collections, how much belongs to each, and who reads them on the team's server."""
    from evalstore.ingest.storable_measures import STANDARD

    if removed:
        from evalstore.catalog.collections import collections
        from evalstore.store import Store

        with Store.open(own_store(ctx, db, "--removed"), create=False) as store:
            stored: Sequence[StoredCollection] = collections(store, removed=True)
    else:
        with reading(db) as reader:
            stored = reader.collections()
    headers = ["collection", "documents", "queries", "qrels", "default qrels", "runs"]
    headers += ["access", "measures"]
    rows = [
        (
            *(c.name, c.documents, c.queries, c.qrels, c.default_qrels, c.runs),
            *(c.access, _shown(c.measures or STANDARD, shape)),
        )
        for c in stored
    ]
    print_rows(
        shape,
        headers,
        rows,
        left=1,
        nothing="no collection is removed" if removed else "no collections yet",
    )


@collection.command()
@click.argument("name", metavar="COLLECTION", shell_complete=complete.collection_names)
@click.argument("new", metavar="NEW_NAME")
@db_option
def rename(db: str, name: str, new: str) -> None:
    """Give a collection another name."""
    from evalstore.catalog.collections import rename_collection
    from evalstore.store import Store

    with Store.open(db, create=False) as store:
        rename_collection(store, name, new)
    click.echo(printable(f"{name} -> {new}"))


@collection.command()
@click.argument("name", metavar="COLLECTION", shell_complete=complete.collection_names)
@click.argument("who", metavar="ACCESS", type=click.Choice(("store", "private", "public")))
@db_option
def access(db: str, name: str, who: Access) -> None:
    """Say who reads a collection on the team's server.

    ACCESS is `store` (who has a role in the whole store or in the collection), `private` (who has
    a role in the collection itself, and administrators of the store) or `public` (everyone,
    without a login too). For example: `evalstore collection access core17 private`.
    """
    from evalstore.catalog.collections import set_collection_access
    from evalstore.store import Store

    with Store.open(db, create=False) as store:
        set_collection_access(store, name, who)
    click.echo(printable(f"{name}: {who}"))


def _shown(measures: str, shape: str) -> str:
    """The measures of a collection; the first of many in a table."""
    is_long = shape == "table" and len(measures) > LONGEST
    return f"{measures[: LONGEST - 3]}..." if is_long else measures


@collection.command()
@click.argument("name", metavar="COLLECTION", shell_complete=complete.collection_names)
@click.argument("chosen", metavar="SET|LIST", shell_complete=complete.measure_lists)
@db_option
def measures(db: str, name: str, chosen: str) -> None:
    """Say which measures an ingest into a collection stores.

    SET|LIST is a set of measures (standard, summary, ...), or names with commas between them. What
    is stored already stays; other measures are computed where they are asked for. For example:
    `evalstore collection measures core17 'AP,nDCG@10,P@10'`.
    """
    from evalstore.ingest.stored_measures import set_collection_measures
    from evalstore.store import Store

    with Store.open(db, create=False) as store:
        written = set_collection_measures(store, name, chosen)
    click.echo(printable(f"{name}: {written}"))


@collection.command()
@click.argument("names", metavar="COLLECTION...", nargs=-1, required=True)
@db_option
def rm(db: str, names: tuple[str, ...]) -> None:
    """Mark collections as removed, with all their runs and qrels.

    Nothing shows or counts them any more; `evalstore collection restore` brings them back,
    `evalstore collection purge` deletes them for good.
    """
    from evalstore.catalog.collections import remove_collections
    from evalstore.store import Store

    with Store.open(db, create=False) as store:
        remove_collections(store, names)
    _print("removed", names)


@collection.command()
@click.argument("names", metavar="COLLECTION...", nargs=-1, required=True)
@db_option
def restore(db: str, names: tuple[str, ...]) -> None:
    """Bring back removed collections, with all their runs and qrels."""
    from evalstore.catalog.collections import restore_collections
    from evalstore.store import Store

    with Store.open(db, create=False) as store:
        restore_collections(store, names)
    _print("restored", names)


@collection.command()
@click.argument("names", metavar="[COLLECTION]...", nargs=-1)
@db_option
def purge(db: str, names: tuple[str, ...]) -> None:
    """Delete removed collections for good: all, or those named.

    Their runs, qrels, query texts and documents go with them. Only collections that
    `evalstore collection rm` has marked are deleted.
    """
    from evalstore.catalog.collections import purge_collections
    from evalstore.store import Store

    with Store.open(db, create=False) as store:
        purged = purge_collections(store, names)
    _print("purged", purged)
    if not purged:
        click.echo("no collection is removed: nothing to purge")


def _print(status: str, names: tuple[str, ...] | list[str]) -> None:
    for name in dict.fromkeys(names):
        click.echo(printable(f"{status:<15} {name}"))
