"""`evalstore copy`."""

from __future__ import annotations

import sys
from collections import Counter

import click

from evalstore.cli.output import printable


@click.command()
@click.option("--from", "source", metavar="URL", required=True, help="The store to copy from.")
@click.option("--to", "target", metavar="URL", required=True, help="The one to copy to.")
@click.option("--collection", metavar="NAME", help="Only this collection.")
def copy(source: str, target: str, collection: str | None) -> None:
    """Copy a store, or a collection, into another database.

    It adds what is missing and changes nothing that is there, so it can be repeated. Each run is
    one transaction; one that fails, fails alone, and the exit status is 1 then.
    """
    from evalstore.store import Store
    from evalstore.transfer.copy import Copied
    from evalstore.transfer.copy import copy as copy_store

    def show(copied: Copied) -> None:
        what = "  ".join(filter(None, (copied.collection, copied.kind, copied.name)))
        if copied.status == "failed":
            click.echo(printable(f"{what}: {copied.detail}"), err=True)
        elif copied.status != "there already":
            detail = f" ({copied.detail})" if copied.detail else ""
            click.echo(printable(f"{copied.status:<15} {what}{detail}"))

    with Store.open(source, create=False) as source_store, Store.open(target) as target_store:
        done = copy_store(source_store, target_store, collection, progress=show)
    counts = Counter(c.status for c in done if c.kind in ("run", "qrels") or c.status == "failed")
    summary = ", ".join(
        f"{counts[status]:,} {status}"
        for status in ("copied", "completed", "there already", "failed")
        if counts[status]
    )
    click.echo(f"runs and qrels: {summary or 'none'}")
    if counts["failed"]:
        sys.exit(1)
