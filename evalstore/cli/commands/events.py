"""`evalstore events`: who did what, and when."""

from __future__ import annotations

import click

from evalstore.cli.options import collection_option, format_option, store_or_server_option
from evalstore.cli.output import table, write_csv, write_json
from evalstore.cli.stores import reading


@click.command()
@collection_option("Only of this collection.")
@click.option("--run", "subject", metavar="NAME", help="Only of this run or qrels.")
@click.option("--last", type=click.IntRange(1), metavar="N", help="Only the newest N.")
@format_option("table", "csv", "json")
@store_or_server_option
def events(
    db: str, collection: str | None, subject: str | None, last: int | None, shape: str
) -> None:
    """List who did what to the store, and when (UTC); the newest is last."""
    import json

    with reading(db) as reader:
        listed = reader.events(collection, subject, last)
    headers = ["at", "who", "action", "collection", "subject", "details"]
    if shape == "json":
        write_json([{**vars(event), "at": event.at.isoformat()} for event in listed])
        return
    rows = [
        (
            event.at.isoformat() if shape == "csv" else f"{event.at:%Y-%m-%d %H:%M:%S}",
            event.who,
            event.action,
            event.collection,
            event.subject,
            event.details and json.dumps(event.details, ensure_ascii=False),
        )
        for event in listed
    ]
    if shape == "csv":
        write_csv(headers, rows)
    elif rows:
        table(headers, rows, left=len(headers))
    else:
        click.echo("nothing has happened yet")
