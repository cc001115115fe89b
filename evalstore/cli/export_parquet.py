"""`evalstore export parquet`."""

from __future__ import annotations

import sys
from itertools import count
from pathlib import Path

import click

from evalstore.cli import complete
from evalstore.cli.options import db_option
from evalstore.cli.output import printable


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--collection",
    "collections",
    metavar="NAME",
    multiple=True,
    shell_complete=complete.collection_names,
    help="Only this collection; may be repeated. The files of others in DIR stay as they are.",
)
@db_option
def parquet(db: str, folder: Path, collections: tuple[str, ...]) -> None:
    """Write the store as partitioned Parquet files, for DuckDB, Polars, pandas and Spark.

    DIR is made if there is none. Again it writes only the files whose content changed, and deletes
    those of runs and qrels that the store has no more. DIR/views.sql makes the store's views in
    DuckDB; `evalstore import parquet` builds a store from DIR. docs/parquet.md describes the
    tables.
    """
    from evalstore.formats.parquet_folder import WrittenFile
    from evalstore.store import Store
    from evalstore.usecases.export_parquet import NOT_CARRIED, export_parquet

    numbers = count(1)

    def show(_: WrittenFile) -> None:
        click.echo(f"\r{next(numbers):,} files written", nl=False, err=True)

    progress = show if sys.stderr.isatty() else lambda _: None
    with Store.open(db, create=False) as store:
        done = export_parquet(store, folder, collections, progress=progress)
    if sys.stderr.isatty():
        click.echo(err=True)
    files = f"{done.written:,} file{'' if done.written == 1 else 's'} written"
    click.echo(
        printable(
            f"{folder}: {files}, {done.unchanged:,} unchanged, {done.removed:,} removed; "
            f"{done.rows:,} rows, {done.bytes:,} bytes"
        )
    )
    click.echo(f"not exported: {'; '.join(NOT_CARRIED)}")
