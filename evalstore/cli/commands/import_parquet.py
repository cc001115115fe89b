"""`evalstore import`."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import click

from evalstore.cli.options import db_option
from evalstore.cli.output import printable


@click.group()
def import_() -> None:
    """Build a store, or complete one, from what was exported."""


@import_.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--collection",
    "collections",
    metavar="NAME",
    multiple=True,
    help="Only this collection; may be repeated.",
)
@db_option
def parquet(db: str, folder: Path, collections: tuple[str, ...]) -> None:
    """Store what `evalstore export parquet` wrote into DIR.

    A missing store is made. Every file is checked first: nothing is stored of a folder that is
    damaged. It adds what is missing and changes nothing that is there, so it can be repeated. Each
    run is one transaction; one that fails, fails alone, and the exit status is 1 then.
    """
    from evalstore.store import Store
    from evalstore.transfer.copy import Copied
    from evalstore.transfer.import_parquet import check_folder, import_parquet

    def show(copied: Copied) -> None:
        what = "  ".join((copied.collection, copied.kind, copied.name))
        if copied.status == "failed":
            click.echo(printable(f"{what}: {copied.detail}"), err=True)
        elif copied.status != "there already":
            detail = f" ({copied.detail})" if copied.detail else ""
            click.echo(printable(f"{copied.status:<15} {what}{detail}"))

    content = check_folder(folder, collections)  # before a missing store is made
    with Store.open(db) as store:
        done = import_parquet(store, content, progress=show)
    counts = Counter(c.status for c in done if c.kind in ("run", "qrels") or c.status == "failed")
    summary = ", ".join(
        f"{counts[status]:,} {status}"
        for status in ("copied", "completed", "there already", "failed")
        if counts[status]
    )
    click.echo(f"runs and qrels: {summary or 'none'}")
    if counts["failed"]:
        sys.exit(1)
