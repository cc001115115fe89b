"""`evalstore runs`: the stored runs and their figures."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from evalstore.cli import complete
from evalstore.cli.options import (
    collection_option,
    format_option,
    is_server,
    measure_option,
    store_or_server_option,
    where_option,
)
from evalstore.cli.output import table, write_csv, write_json
from evalstore.cli.stores import reading

if TYPE_CHECKING:
    from evalstore.leaderboard.run_list import ListedRun

HEADERS = ("id", "collection", "engine", "run", "experiment", "date", "queries", "answered")
DEFAULT_MEASURES = ("AP", "nDCG@10", "P@10", "Rprec")
DATES = ("%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S")


@click.command()
@collection_option("Only this collection.")
@click.option(
    "--qrels",
    metavar="NAME",
    shell_complete=complete.qrels_names,
    help="Figures under this qrels.  [default: the newest]",
)
@measure_option(
    "A measure to show, computed where it is not stored; may be repeated.  "
    "[default: AP, nDCG@10, P@10, Rprec]"
)
@click.option(
    "--sort",
    metavar="[-]BY",
    help="By a measure, the best first, or by a column (run, date, ...); - turns it round.  "
    "[default: collection, engine, run]",
)
@click.option("--engine", metavar="NAME", help="Only runs of this engine.")
@click.option("--experiment", metavar="NAME", help="Only runs of this experiment.")
@click.option("--tag", metavar="TAG", help="Only runs with this tag.")
@where_option(
    "Only runs with such a fact: k1>=0.9, header.method.name=BM25; may be repeated.",
    complete.run_conditions,
)
@click.option(
    "--find",
    metavar="TEXT",
    help="Only runs with these words in a name, tag, note, parameter or header.",
)
@click.option(
    "--since", metavar="DATE", type=click.DateTime(DATES), help="Only runs stored since (UTC)."
)
@click.option("--limit", metavar="N", type=click.IntRange(1), help="Only the first N.")
@click.option("--tags", "with_tags", is_flag=True, help="Also the tags.")
@format_option("table", "csv", "json")
@store_or_server_option
def runs(
    db: str,
    collection: str | None,
    qrels: str | None,
    measures: tuple[str, ...],
    sort: str | None,
    engine: str | None,
    experiment: str | None,
    tag: str | None,
    where: tuple[Any, ...],
    find: str | None,
    since: datetime | None,
    limit: int | None,
    with_tags: bool,
    shape: str,
) -> None:
    """List the stored runs and their figures.

    "queries" is how many queries a figure is over, all of the qrels; "answered" how many of any
    the run has a ranking for. Runs that came as values, without rankings, have a * after the name,
    and "values_only" in CSV and JSON. A terminal that is too narrow gets fewer columns, never
    broken numbers.

    --where names a fact as `evalstore show` does; a parameter may be named alone (k1). = and !=
    compare text or numbers, <, <=, > and >= compare numbers.
    """
    from evalstore.leaderboard.run_list import FACTS, Choice
    from evalstore.measures import parse

    named = {str(m): m for m in map(parse, measures or DEFAULT_MEASURES)}
    by = (sort or "").removeprefix("-")
    if by and by not in FACTS:
        named.setdefault(str(parse(by)), parse(by))
    choice = Choice(
        collection=collection,
        qrels=qrels,
        engine=engine,
        experiment=experiment,
        tag=tag,
        where=where,
        find=find,
        since=since and since.replace(tzinfo=UTC),
        limit=limit,
    )
    with reading(db) as reader:
        listed = reader.list_runs(list(named.values()), choice, sort)
    facts = [*HEADERS, *(["tags"] if with_tags else [])]
    headers = [*facts, *named]
    in_files = [*facts, "values_only", *named]

    def marked(run: ListedRun, tags: object) -> list[object]:
        row = list(_row(run, with_tags, tags, list(named)))
        return [*row[: len(facts)], run.values_only, *row[len(facts) :]]

    if shape == "json":
        lines = (marked(run, list(run.tags)) for run in listed)
        write_json([dict(zip(in_files, line, strict=True)) for line in lines])
        return
    if shape == "csv":
        write_csv(in_files, (marked(run, ", ".join(run.tags)) for run in listed))
    elif listed:
        rows = (_row(run, with_tags, ", ".join(run.tags), list(named)) for run in listed)
        rows = (
            [*row[:3], f"{row[3]} *", *row[4:]] if run.values_only else row
            for row, run in zip(rows, listed, strict=True)
        )
        first, *others = named
        least = ["date", "answered", "queries", "experiment", "tags", "id"]
        table(
            headers, rows, left=6, drop=[*least, *reversed(others), "collection", "engine", first]
        )
        if any(run.values_only for run in listed):
            click.echo("* came as values, without rankings")
    elif choice == Choice():
        ingest = "`evalstore ingest --collection NAME --qrels FILE RUN...`"
        # A server takes no demo.
        first = f"{ingest} stores some" if is_server(db) else f"`evalstore demo`, or\n{ingest}"
        click.echo(f"no runs yet: {first}")
    else:
        click.echo("no run is like that")


def _row(run: ListedRun, with_tags: bool, tags: object, measures: list[str]) -> list[object]:
    facts = (run.id, run.collection, run.engine, run.run, run.experiment)
    date = run.date.strftime("%Y-%m-%d %H:%M")
    values = [run.values.get(measure) for measure in measures]
    return [*facts, date, run.queries, run.answered, *([tags] if with_tags else []), *values]
