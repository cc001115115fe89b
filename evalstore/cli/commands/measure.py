"""`evalstore measure`."""

from __future__ import annotations

from typing import Any

import click

from evalstore.cli import complete
from evalstore.cli.extras_options import (
    collection_facts_from,
    collection_facts_options,
    cost_options,
    costs_from,
    judges_options,
    run_facts_from,
    run_facts_options,
)
from evalstore.cli.options import (
    collection_option,
    db_option,
    measure_option,
    reading_from,
    reading_options,
    scheduler_option,
)
from evalstore.cli.output import printable


@click.command()
@measure_option("A measure or a set of measures; may be repeated.", required=True)
@collection_option("Only runs of this collection.")
@collection_facts_options
@run_facts_options
@cost_options
@scheduler_option
@reading_options
@click.argument("runs", shell_complete=complete.runs, metavar="[RUN]...", nargs=-1)
@db_option
def measure(
    db: str,
    measures: tuple[str, ...],
    collection: str | None,
    runs: tuple[str, ...],
    scheduler: str | None,
    **files: Any,
) -> None:
    """Compute further measures of stored runs, and store them.

    Of every run unless some are named (by name or id), under every qrels they were evaluated
    with; where none is named, those that lack what a measure needs are left out. What some
    measures need beside a run and its qrels is stored first where it is given here: for a
    collection (--subtopics, --judgment-groups, --preferences, --known, --collection-size; say
    --collection), or for one RUN (--times, --index-bytes, --memory-bytes, --money,
    --energy-joules).
    """
    options = reading_from(files)
    collection_facts = collection_facts_from(files, judges_options(db, collection, files, options))
    run_facts = run_facts_from(files, options, **costs_from(files))
    if collection_facts is not None and collection is None:
        raise click.UsageError("say --collection: these facts belong to a collection")
    if run_facts is not None and len(runs) != 1:
        raise click.UsageError("--times, --index-bytes and costs belong to one run: name one RUN")
    from evalstore.catalog.collection_facts import store_collection_facts, store_run_facts
    from evalstore.evaluation.measure import Measured
    from evalstore.evaluation.measure import measure as measure_runs
    from evalstore.measures import parse_all
    from evalstore.store import Store

    def show(done: Measured) -> None:
        new = ", ".join(done.new) if done.new else "nothing new"
        if done.lacking:
            new += f"; came as values, without rankings, so not {', '.join(done.lacking)}"
        new = "; ".join((new, *done.problems))
        click.echo(printable(f"{done.collection}  {done.run}  ({done.qrels}): {new}"))

    wanted = [parsed for text in measures for _, parsed in parse_all(text)]
    with Store.open(db, create=False) as store:
        if collection_facts is not None and collection is not None:
            store_collection_facts(store, collection, collection_facts)
        if run_facts is not None:
            store_run_facts(store, runs[0], run_facts, collection)
        measure_runs(store, wanted, runs, collection, scheduler=scheduler, progress=show)
