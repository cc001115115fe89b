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
    from evalstore.usecases import copy as copying

    done: Counter[str] = Counter()
    with Store.open(source, create=False) as given, Store.open(target) as taking:
        for copied in copying.copy(given, taking, collection):
            done[copied.status] += copied.kind in ("run", "qrels") or copied.status == "failed"
            said = f"{copied.collection}  {copied.kind}  {copied.name}"
            if copied.status == "failed":
                click.echo(printable(f"{said}: {copied.detail}"), err=True)
            elif copied.status != "there already":
                detail = f" ({copied.detail})" if copied.detail else ""
                click.echo(printable(f"{copied.status:<15} {said}{detail}"))
    said = ", ".join(
        f"{done[status]:,} {status}"
        for status in ("copied", "completed", "there already", "failed")
        if done[status]
    )
    click.echo(f"runs and qrels: {said or 'none'}")
    if done["failed"]:
        sys.exit(1)
