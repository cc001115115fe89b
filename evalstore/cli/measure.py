"""`evalstore measure`."""

from __future__ import annotations

import click

from evalstore.cli.options import db_option, measure_option
from evalstore.cli.output import printable


@click.command()
@measure_option("A measure or a set of measures; may be repeated.", required=True)
@click.option("--collection", metavar="NAME", help="Only runs of this collection.")
@click.argument("runs", metavar="[RUN]...", nargs=-1)
@db_option
def measure(
    db: str, measures: tuple[str, ...], collection: str | None, runs: tuple[str, ...]
) -> None:
    """Compute further measures of stored runs, and store them.

    Of every run unless some are named (by name or id), under every qrels they were evaluated
    with. No file is needed.
    """
    from evalstore.measures import parse_all
    from evalstore.store import Store
    from evalstore.usecases.measure import remeasure

    wanted = [measure for text in measures for _, measure in parse_all(text)]
    with Store.open(db, create=False) as store:
        for done in remeasure(store, wanted, runs, collection):
            said = ", ".join(done.new) if done.new else "nothing new"
            click.echo(printable(f"{done.collection}  {done.run}  ({done.qrels}): {said}"))
