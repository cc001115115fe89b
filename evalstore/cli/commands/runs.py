"""Commands of stored runs: `runs`, `rm`, `restore`, `purge`, `rename`, `edit`, `show`, ..."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from evalstore.cli import complete
from evalstore.cli.inputs import facts_from, facts_options
from evalstore.cli.options import (
    Size,
    collection_option,
    db_option,
    format_option,
    is_server,
    measure_option,
    opened_store,
    reading_from,
    reading_options,
    store_or_server_option,
    where_option,
)
from evalstore.cli.output import print_rows, printable, table, warn, write_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalstore.formats import ReadOptions
    from evalstore.store.queries.runs import StoredRun


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
    with opened_store(db) as store:
        listed = store.list_runs(list(named.values()), choice, sort)
    facts = [*HEADERS, *(["tags"] if with_tags else [])]
    headers = [*facts, *named]
    rows = [
        [
            *(run.id, run.collection, run.engine, run.run, run.experiment),
            *(f"{run.date:%Y-%m-%d %H:%M}", run.queries, run.answered),
            *([list(run.tags) if shape == "json" else ", ".join(run.tags)] if with_tags else []),
            *map(run.values.get, named),
        ]
        for run in listed
    ]
    if shape in ("json", "csv"):
        headers.insert(len(facts), "values_only")
        for row, run in zip(rows, listed, strict=True):
            row.insert(len(facts), run.values_only)
        print_rows(shape, headers, rows, nothing="")
    elif listed:
        for row, run in zip(rows, listed, strict=True):
            row[3] = f"{run.run} *" if run.values_only else run.run
        first, *others = named
        least = ["date", "answered", "queries", "experiment", "tags", "id"]
        table(
            headers, rows, left=6, drop=[*least, *reversed(others), "collection", "engine", first]
        )
        if any(run.values_only for run in listed):
            click.echo("* came as values, without rankings")
    elif choice == Choice():
        ingest = "`evalstore ingest --collection NAME --qrels FILE RUN...`"
        # A server has no demo.
        first = f"{ingest} stores some" if is_server(db) else f"`evalstore demo`, or\n{ingest}"
        click.echo(f"no runs yet: {first}")
    else:
        click.echo("no run is like that")


# `evalstore rm`, `restore`, `purge`, `rename`, `edit` and `tag`: change stored runs

run_argument = click.argument("name", metavar="RUN", shell_complete=complete.runs)
run_collection_option = collection_option("The run's collection, where several have it.")


@click.command()
@click.argument("names", shell_complete=complete.runs, metavar="RUN...", nargs=-1, required=True)
@run_collection_option
@store_or_server_option
def rm(db: str, names: tuple[str, ...], collection: str | None) -> None:
    """Mark runs as removed.

    Nothing shows or counts them any more; `evalstore restore` brings them back, `evalstore purge`
    deletes them for good.
    """
    with opened_store(db) as store:
        _print("removed", store.remove_runs(names, collection))


@click.command()
@click.argument("names", shell_complete=complete.removed_runs, metavar="[RUN]...", nargs=-1)
@run_collection_option
@store_or_server_option
def restore(db: str, names: tuple[str, ...], collection: str | None) -> None:
    """Bring back removed runs; without a name, list them."""
    if names:
        with opened_store(db) as store:
            _print("restored", store.restore_runs(names, collection))
        return
    with opened_store(db) as store:
        runs = store.removed_runs(collection)
    if runs:
        rows = [(r.id, r.collection, r.name, f"{r.removed_at:%Y-%m-%d %H:%M}") for r in runs]
        table(["id", "collection", "run", "removed"], rows, left=4)
    else:
        click.echo("no run is removed")


@click.command()
@click.argument("names", shell_complete=complete.removed_runs, metavar="[RUN]...", nargs=-1)
@run_collection_option
@db_option
def purge(db: str, names: tuple[str, ...], collection: str | None) -> None:
    """Delete removed runs for good: all, or those named.

    Says what that freed. Only runs that `evalstore rm` has marked are deleted.
    """
    from evalstore.catalog.runs import purge_runs
    from evalstore.store import Store

    with Store.open(db, create=False) as store:
        purged = purge_runs(store, names, collection)
        url = store.url_shown
    _print("purged", purged.runs)
    if not purged.runs:
        click.echo("no run is removed: nothing to purge")
        return
    many = "runs" if len(purged.runs) > 1 else "run"
    disk = f"{printable(url)}: {in_bytes(purged.before)} -> {in_bytes(purged.after)}"
    if purged.after >= purged.before:
        disk = f"{printable(url)} keeps the room for what comes ({in_bytes(purged.after)})"
    packed = in_bytes(purged.packed_bytes)
    click.echo(f"freed {len(purged.runs):,} {many} with {packed} of packed rankings; {disk}")


@click.command()
@run_argument
@click.argument("new", metavar="NEW_NAME")
@run_collection_option
@store_or_server_option
def rename(db: str, name: str, new: str, collection: str | None) -> None:
    """Give a run another name."""
    from evalstore.catalog.annotate import RunChange

    with opened_store(db) as store:
        done = store.change_run(name, RunChange(name=new), collection)
    click.echo(printable(f"{done.collection}  {done.before} -> {new}"))


@click.command()
@run_argument
@click.option("--engine", metavar="NAME", help="The engine that made the run.")
@click.option("--experiment", metavar="NAME", help='The experiment it belongs to; "" for none.')
@run_collection_option
@store_or_server_option
def edit(
    db: str, name: str, engine: str | None, experiment: str | None, collection: str | None
) -> None:
    """Change the engine or the experiment of a run; `evalstore rename` changes its name."""
    if engine is None and experiment is None:
        raise click.UsageError("say what to change: --engine NAME or --experiment NAME")
    from evalstore.catalog.annotate import RunChange

    change = RunChange(engine=engine, experiment=experiment)
    with opened_store(db) as store:
        changes = store.change_run(name, change, collection).changes
    for kind, (before, now) in changes.items():
        click.echo(printable(f"{name}  {kind}: {before or '(none)'} -> {now or '(none)'}"))
    if not changes:
        click.echo(printable(f"{name}: nothing to change"))


@click.command()
@run_argument
@click.argument("words", metavar="[TAG]...", nargs=-1)
@click.option("--remove", metavar="TAG", multiple=True, help="Take this tag off; may be repeated.")
@run_collection_option
@store_or_server_option
def tag(
    db: str, name: str, words: tuple[str, ...], remove: tuple[str, ...], collection: str | None
) -> None:
    """Put tags on a run, or take them off; prints those it has then."""
    from evalstore.catalog.annotate import RunChange

    change = RunChange(add_tags=words, remove_tags=remove)
    with opened_store(db) as store:
        has = store.change_run(name, change, collection).tags
    click.echo(printable(f"{name}: {', '.join(has) or 'no tags'}"))


def in_bytes(size: int) -> str:
    """A size with its unit as text."""
    if size < 1 << 10:
        return f"{size:,} bytes"
    unit = min(max((size.bit_length() - 1) // 10, 1), 4)
    return f"{size / (1 << 10 * unit):,.1f} {' KMGT'[unit]}iB"


def _print(what: str, runs: Iterable[StoredRun]) -> None:
    for run in runs:
        click.echo(printable(f"{what:<15} {run.collection}  {run.name}"))


# `evalstore show`: everything recorded about a run


@click.command()
@run_argument
@format_option("table", "json")
@run_collection_option
@store_or_server_option
def show(db: str, name: str, shape: str, collection: str | None) -> None:
    """Show all that is recorded of a run: parameters, tags, note, commit, parent, cost, ...

    The table has what was given, and the note stands below it; JSON has every fact, null where it
    was not given. Times are UTC. `evalstore annotate` adds and corrects facts.
    """
    from evalstore.tracking.run_overview import as_dict, rows

    with opened_store(db) as store:
        facts = store.run_facts(name, collection)
    if shape == "json":
        write_json(as_dict(facts))
        return
    listed = [(fact, as_text(value)) for fact, value in rows(facts) if fact != "note"]
    if facts.values_only:
        listed = [
            (fact, "true (no rankings)") if fact == "values_only" else (fact, value)
            for fact, value in listed
        ]
    table(["fact", "value"], listed, left=2)
    for line in ("", *facts.note.splitlines()) if facts.note else ():
        click.echo(printable(line))


def as_text(value: Any) -> str:
    """A fact as text: numbers with all digits, `(none)` if there is none."""
    import json

    if value is None:
        return "(none)"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S}"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


# `evalstore annotate`: add or correct the facts of a stored run

FACTS = (
    *("parameters", "tags", "note", "commit", "host", "started_by", "started_at", "ended_at"),
    *("command", "index_version", "collection_version", "header", "index_bytes", "memory_bytes"),
    *("money", "energy_joules", "parent"),
)
"""Facts that can be removed, by their names in `evalstore show`; a test compares the two."""


@click.command()
@run_argument
@facts_options
@click.option("--index-bytes", type=Size(), help="The size of the index.")
@click.option(
    "--header",
    metavar="FILE",
    shell_complete=complete.files,
    help="The ir_metadata of the run, in YAML; it replaces the one before.",
)
@click.option(
    "--unset",
    type=click.Choice(FACTS),
    metavar="FACT",
    multiple=True,
    help=f"Take a fact away; may be repeated. One of {', '.join(FACTS)}.",
)
@click.option(
    "--unset-param",
    "unset_params",
    metavar="NAME",
    multiple=True,
    help="Take a parameter away; may be repeated.",
)
@reading_options
@run_collection_option
@store_or_server_option
def annotate(
    db: str,
    name: str,
    collection: str | None,
    index_bytes: int | None,
    header: str | None,
    unset: tuple[str, ...],
    unset_params: tuple[str, ...],
    **values: Any,
) -> None:
    """Add or correct what is recorded of a run.

    Parameters and tags are added to those of the run; any other fact replaces the one before. What
    changed is printed, and stands in `evalstore events` with the value before and the value now.
    """
    options = reading_from(values)
    metadata = None if header is None else _header(header, options)
    facts = facts_from(values, options, index_bytes=index_bytes, header=metadata)
    if not (facts or unset or unset_params):
        raise click.UsageError("say what to record: --param NAME=VALUE, --note TEXT, ...")
    from evalstore.catalog.annotate import RunChange

    change = RunChange(facts=facts, unset=unset, unset_parameters=unset_params)
    with opened_store(db) as store:
        changes = store.change_run(name, change, collection).changes
    for fact, (before, now) in changes.items():
        click.echo(printable(f"{name}  {fact}: {as_text(before)} -> {as_text(now)}"))
    if not changes:
        click.echo(printable(f"{name}: nothing to change"))


def _header(path: str, options: ReadOptions) -> dict[str, Any]:
    """The header in a file; warns of fields that the schema does not expect."""
    from evalstore.errors import DataError
    from evalstore.formats.facts.ir_metadata import read_header

    header, warnings = read_header(path, options)
    if not header:
        raise DataError(f"{path}: no metadata: lines of YAML like `tag: bm25` are expected")
    for warning in warnings:
        warn(warning)
    return header
