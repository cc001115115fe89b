"""`evalstore runs` and its commands: `show`, `diff`, `edit`, `tag`, `baseline`, `rm`, ..."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from evalstore.cli import complete
from evalstore.cli.chosen_runs import warn_of
from evalstore.cli.commands.compare import interval_text, p_text
from evalstore.cli.inputs import FACTS_OF_RUN, facts_from, facts_options, main_facts_options
from evalstore.cli.options import (
    DEFAULT_MEASURES,
    SIZE,
    collection_option,
    date_options,
    format_option,
    is_server,
    measure_option,
    only_collection,
    opened_own_store,
    opened_store,
    qrels_option,
    reading_from,
    reading_options,
    shown_measures_option,
    store_or_server_option,
    warn_of_judgments,
    where_option,
)
from evalstore.cli.output import print_rows, printable, table, warn, write_json
from evalstore.cli.structure import noun, under

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evalstore.client.differences import Difference
    from evalstore.formats import ReadOptions
    from evalstore.leaderboard.run_list import Columns, ListedRun
    from evalstore.store import Store
    from evalstore.store.queries.runs import StoredRun


HEADERS = ("id", "collection", "engine", "run", "experiment", "date", "queries", "answered")
COMPARED = ("AP", "nDCG@10")


@noun(
    "runs",
    {
        "list": "runs",
        "ls": "runs",
        "rename": "runs edit RUN --name NAME",
        "annotate": "runs edit",
        "delete": "runs rm",
        "remove": "runs rm",
        "add": "ingest",
        "undo": "runs restore",
        "undelete": "runs restore",
    },
)
@collection_option("Only this collection.")
@qrels_option
@shown_measures_option
@click.option(
    "--sort",
    metavar="[-]BY",
    help="By a measure, the best first, or by a column (run, date, k1 where --columns names it); "
    "- turns it round.  "
    "[default: collection, engine, run]",
)
@click.option("--engine", metavar="NAME", help="Only runs of this engine.")
@click.option("--experiment", metavar="NAME", help="Only runs of this experiment.")
@click.option("--tag", metavar="TAG", help="Only runs with this tag.")
@where_option(
    "Only runs with such a fact: k1>=0.9, started_at>=2026-06, header.method.name=BM25; may be "
    "repeated.",
    complete.run_conditions,
)
@click.option(
    "--find",
    metavar="TEXT",
    help="Only runs with these words in a name, tag, note, parameter or header.",
)
@date_options
@click.option(
    "--columns",
    metavar="NAME,...",
    help="Instead of all columns these: parameters (k1), other facts (commit), measures.",
)
@click.option("--limit", metavar="N", type=click.IntRange(1), help="Only the first N.")
@click.option("--tags", "with_tags", is_flag=True, help="Also the tags.")
@format_option("table", "csv", "json")
@store_or_server_option
def runs(
    db: str,
    measures: tuple[str, ...],
    sort: str | None,
    columns: str | None,
    with_tags: bool,
    shape: str,
    **conditions: Any,
) -> None:
    """List the stored runs and their figures.

    "queries" is how many queries a figure is over, all of the qrels; "answered" how many of any
    the run has a ranking for. Runs that came as values, without rankings, have a * after the name,
    and "values_only" in CSV and JSON. A terminal that is too narrow gets fewer columns, never
    broken numbers.

    The date of a run is when its engine started (started_at), else when the run was stored
    (stored_at): "stored" beside it, "date_is" in CSV and JSON.

    --where names a fact as `evalstore runs show` does; a parameter may be named alone (k1). = and
    != compare text or numbers, <, <=, > and >= compare numbers and dates.
    """
    from evalstore.leaderboard.run_list import FACTS, Choice, read_columns
    from evalstore.measures import parse
    from evalstore.measures.notation import outside_parentheses

    shown = None if columns is None else read_columns([*outside_parentheses(columns), *measures])
    default = DEFAULT_MEASURES if shown is None else shown.measures.values()
    named = {str(m): m for m in map(parse, measures or default)}
    by = (sort or "").removeprefix("-")
    if by and by not in FACTS and not (shown and by in shown.facts):
        named.setdefault(str(parse(by)), parse(by))
    choice = Choice(**conditions, columns=() if shown is None else shown.facts)
    with opened_store(db) as store:
        listed = store.list_runs(list(named.values()), choice, sort)
        warn_of_judgments(store, listed)
    if shown is not None:
        _print_columns(shown, listed, shape)
        return
    facts = [*HEADERS, *(["tags"] if with_tags else [])]
    if shape != "table":
        facts += ["values_only", "date_is"]
    headers = [*facts, *named]
    rows = []
    for run in listed:
        star = " *" if shape == "table" and run.values_only else ""
        tags = run.tags if shape == "json" else ", ".join(run.tags)
        cells = {**vars(run), "run": run.run + star, "date": _date(run, shape), "tags": tags}
        rows.append([*map(cells.get, facts), *map(run.values.get, named)])
    if shape != "table":
        print_rows(shape, headers, rows, nothing="")
    elif listed:
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
        with opened_store(db) as store:
            removed = store.removed_runs(None)
        if removed:
            click.echo(f"{len(removed):,} removed: `evalstore runs restore` lists them")
    else:
        click.echo("no run is like that")


def _date(run: ListedRun, shape: str) -> str:
    """The date of a run; in a table with a word if it is only known when the run was stored."""
    text = f"{run.date:%Y-%m-%d %H:%M}"
    return f"{text} stored" if shape == "table" and run.date_is == "stored" else text


def _print_columns(shown: Columns, listed: Sequence[ListedRun], shape: str) -> None:
    """Print the named columns, after the name of the run."""
    before = [] if "run" in shown.names else ["run"]
    rows = []
    for run in listed:
        cells = dict(zip(shown.names, shown.row(run), strict=True))
        if "date" in cells:
            cells["date"] = _date(run, shape)
        if "stored_at" in cells:
            cells["stored_at"] = f"{run.stored_at:%Y-%m-%d %H:%M}"
        for name in shown.facts if shape != "json" else ():
            cells[name] = None if cells[name] is None else as_text(cells[name])
        if "tags" in cells:
            cells["tags"] = list(run.tags) if shape == "json" else ", ".join(run.tags)
        rows.append([*([run.run] if before else []), *cells.values()])
    print_rows(shape, [*before, *shown.names], rows, nothing="no run is like that", left=1)


# `evalstore runs rm`, `restore`, `purge` and `tag`

run_argument = click.argument("run", metavar="RUN", shell_complete=complete.runs)
run_collection_option = collection_option("The run's collection, where several have it.")


@runs.command()
@click.argument("names", shell_complete=complete.runs, metavar="RUN...", nargs=-1, required=True)
@run_collection_option
@store_or_server_option
def rm(db: str, names: tuple[str, ...], collection: str | None) -> None:
    """Mark runs as removed.

    Nothing shows or counts them any more; `evalstore runs restore` lists them and brings them back,
    as does ingesting the same rankings again; `evalstore runs purge` deletes them for good.
    """
    with opened_store(db) as store:
        _print("removed", store.remove_runs(names, collection))


@runs.command()
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


@runs.command()
@click.argument("names", shell_complete=complete.removed_runs, metavar="[RUN]...", nargs=-1)
@run_collection_option
@opened_own_store
def purge(store: Store, names: tuple[str, ...], collection: str | None) -> None:
    """Delete removed runs for good: all, or those named.

    Says what that freed. Only runs that `evalstore runs rm` has marked are deleted.
    """
    from evalstore.catalog.runs import purge_runs

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


@runs.command()
@run_argument
@click.argument("words", metavar="[TAG]...", nargs=-1)
@click.option("--remove", metavar="TAG", multiple=True, help="Take this tag off; may be repeated.")
@run_collection_option
@store_or_server_option
def tag(
    db: str, run: str, words: tuple[str, ...], remove: tuple[str, ...], collection: str | None
) -> None:
    """Put tags on a run, or take them off; prints those it has then."""
    from evalstore.catalog.annotate import RunChange

    change = RunChange(add_tags=words, remove_tags=remove)
    with opened_store(db) as store:
        has = store.change_run(run, change, collection).tags
    click.echo(printable(f"{run}: {', '.join(has) or 'no tags'}"))


def in_bytes(size: int) -> str:
    """A size with its unit as text."""
    if size < 1 << 10:
        return f"{size:,} bytes"
    unit = min(max((size.bit_length() - 1) // 10, 1), 4)
    return f"{size / (1 << 10 * unit):,.1f} {' KMGT'[unit]}iB"


def _print(what: str, runs: Iterable[StoredRun]) -> None:
    for run in runs:
        click.echo(printable(f"{what:<15} {run.collection}  {run.name}"))


# `evalstore runs show`: everything recorded about a run


@runs.command()
@run_argument
@format_option("table", "json")
@run_collection_option
@store_or_server_option
def show(db: str, run: str, shape: str, collection: str | None) -> None:
    """Show all that is recorded of a run: parameters, tags, note, commit, parent, cost, comments.

    The table has what was given, and note and comments stand below it; JSON has every fact, null
    where it was not given. Times are UTC. `evalstore runs edit` adds and corrects facts.
    """
    from evalstore.tracking.run_overview import as_dict, rows

    with opened_store(db) as store:
        facts = store.run_facts(run, collection)
        comments = store.run_comments(facts.name, facts.collection)
    if shape == "json":
        said = [{**vars(each), "created_at": each.created_at.isoformat()} for each in comments]
        write_json({**as_dict(facts), "comments": said})
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
    for each in comments:
        head = f"{each.who}, {each.created_at:%Y-%m-%d %H:%M}:"
        for line in ("", head, *each.text.splitlines()):
            click.echo(printable(line))


# `evalstore runs comment`


@runs.command()
@run_argument
@click.argument("text")
@run_collection_option
@store_or_server_option
def comment(db: str, run: str, text: str, collection: str | None) -> None:
    """Comment on a run, in Markdown.

    `evalstore runs show` and the page of the run show who wrote it and when. On the page you can
    delete your comments.
    """
    with opened_store(db) as store:
        added = store.comment_on_run(run, text, collection)
    click.echo(printable(f"{run}: comment {added.id}"))


def as_text(value: Any) -> str:
    """A fact as text: numbers with all digits, `(none)` if there is none."""
    import json

    if value is None:
        return "(none)"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S}"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


# `evalstore runs diff`


@runs.command()
@click.argument("a", metavar="A", shell_complete=complete.runs)
@click.argument("b", metavar="B", shell_complete=complete.runs)
@measure_option(
    "A measure to compare on, computed where it is not stored; may be repeated.  "
    f"[default: {', '.join(COMPARED)}]"
)
@collection_option("The runs' collection, where several have them.")
@qrels_option
@format_option("table", "json")
@store_or_server_option
def diff(
    db: str,
    a: str,
    b: str,
    measures: tuple[str, ...],
    collection: str | None,
    qrels: str | None,
    shape: str,
) -> None:
    """Show what differs between two stored runs, and which figures moved.

    Of parameters, tags, commit, versions and costs only those that differ are listed; notes and
    times are not compared. The figures are those of `evalstore compare`: the mean difference
    b - a, its 95 % interval, and the p of the t test after Holm's correction.
    """
    from evalstore.client.differences import diff_runs
    from evalstore.measures import named_measures

    named = named_measures(measures or COMPARED)
    with opened_store(db) as store:
        difference = diff_runs(store, a, b, named, collection=collection, qrels=qrels)
    warn_of(difference.compared)
    if shape == "json":
        write_json(difference.to_dict())
    else:
        _tables(difference)


def _tables(difference: Difference) -> None:
    a, b = (f"{end}: {facts.name}" for end, facts in (("a", difference.a), ("b", difference.b)))
    if difference.line is not None:
        click.echo(printable(difference.line) + "\n")
    if difference.facts:
        facts = [(fact.fact, as_text(fact.a), as_text(fact.b)) for fact in difference.facts]
        table(["fact", a, b], facts, left=3)
    else:
        click.echo(printable(f"{a}, {b}: no recorded fact differs"))
    if difference.moved:
        test = difference.compared.settings.test
        rows = [
            (
                *(pair.measure, pair.mean_a, pair.mean_b, f"{pair.difference:+.4f}"),
                *(interval_text(pair), p_text(pair.p_corrected[test])),
            )
            for pair in difference.moved
        ]
        click.echo()
        headers = ["measure", "mean a", "mean b", "b - a", "95 % interval", "p corr."]
        table(headers, rows, drop=["mean a", "mean b"])
    if difference.unchanged:
        click.echo()
        click.echo(printable(f"the same on every query: {', '.join(difference.unchanged)}"))


# `evalstore runs baseline`


@runs.command()
@click.argument("run", metavar="[RUN]", shell_complete=complete.runs, required=False)
@click.option("--unset", is_flag=True, help="Leave the collection without a baseline.")
@run_collection_option
@format_option("table", "csv", "json")
@store_or_server_option
def baseline(db: str, run: str | None, unset: bool, collection: str | None, shape: str) -> None:
    """Choose the run of a collection that others are compared with; without RUN, list them.

    `evalstore check`, and `evalstore compare` with one run, compare it with the baseline of its
    collection. `compare` with three runs or more that include the baseline compares all others with
    it. The leaderboard shows differences to it. It stays the baseline when it is renamed or
    replaced (`evalstore ingest --replace`), does not count while it is marked as removed, and
    ceases to be the baseline when it is purged.
    """
    if unset and run is not None:
        raise click.UsageError("--unset takes no RUN: the collection is enough")
    with opened_store(db) as store:
        if unset:
            name = only_collection(store, collection)
            before = store.unset_baseline(name)
            click.echo(printable(f"{name} has no baseline any more; it was {before.name}"))
            return
        if run is not None:
            chosen = store.set_baseline(run, collection)
            click.echo(printable(f"baseline of {chosen.collection}: {chosen.name}"))
            return
        stored = store.baselines()
    rows = [
        (*each[:3], "removed" if each.is_removed else "active")
        for each in stored
        if collection in (None, each.collection)
    ]
    nothing = "no collection has a baseline: `evalstore runs baseline RUN` chooses one"
    print_rows(shape, ["collection", "engine", "run", "status"], rows, nothing=nothing)


# `evalstore runs edit`: add or correct the facts of a stored run

FACTS = (
    *("parameters", "tags", "note", "commit", "host", "started_by", "started_at", "ended_at"),
    *("command", "index_version", "collection_version", "header", "index_bytes", "memory_bytes"),
    *("money", "energy_joules", "parent"),
)
"""Facts that can be removed, by their names in `evalstore runs show`; a test compares the two."""


@runs.command()
@run_argument
@click.option("--name", "new_name", metavar="NAME", help="Another name for the run.")
@click.option("--engine", metavar="NAME", help="The engine that made the run.")
@click.option("--experiment", metavar="NAME", help='The experiment it belongs to; "" for none.')
@main_facts_options
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
@click.option(
    "--unset-tag",
    "unset_tags",
    metavar="TAG",
    multiple=True,
    help="Take a tag off; may be repeated.",
)
@run_collection_option
@store_or_server_option
@facts_options
@under(
    FACTS_OF_RUN,
    click.option("--index-bytes", type=SIZE, help="The size of the index."),
    click.option(
        "--header",
        metavar="FILE",
        shell_complete=complete.files,
        help="The ir_metadata of the run, in YAML; it replaces the one before.",
    ),
)
@reading_options
def edit(
    db: str,
    run: str,
    collection: str | None,
    new_name: str | None,
    engine: str | None,
    experiment: str | None,
    index_bytes: int | None,
    header: str | None,
    unset: tuple[str, ...],
    unset_params: tuple[str, ...],
    unset_tags: tuple[str, ...],
    **values: Any,
) -> None:
    """Change a run: its name, engine, experiment, and all that is recorded of it.

    Parameters and tags are added to those of the run; any other fact replaces the one before. What
    changed is printed, and is in `evalstore db events` with the value before and the value now. All
    is changed, or nothing.
    """
    options = reading_from(values)
    metadata = None if header is None else _header(header, options)
    facts = facts_from(values, options, index_bytes=index_bytes, header=metadata)
    renamed = (new_name, engine, experiment)
    if not (facts or unset or unset_params or unset_tags) and renamed == (None, None, None):
        raise click.UsageError(
            "say what to change: --name NAME, --param NAME=VALUE, --note TEXT, ..."
        )
    from evalstore.catalog.annotate import RunChange

    change = RunChange(
        name=new_name,
        engine=engine,
        experiment=experiment,
        facts=facts,
        unset=unset,
        unset_parameters=unset_params,
        remove_tags=unset_tags,
    )
    with opened_store(db) as store:
        done = store.change_run(run, change, collection)
    for fact, (before, now) in done.changes.items():
        click.echo(printable(f"{run}  {fact}: {as_text(before)} -> {as_text(now)}"))
    if not done.changes:
        click.echo(printable(f"{run}: nothing to change"))


def _header(path: str, options: ReadOptions) -> dict[str, Any]:
    """The header in a file; warns of fields that the schema does not expect."""
    from evalstore.errors import DataError
    from evalstore.formats.facts.ir_metadata import read_header

    header, warnings = read_header(path, options)
    if not header:
        raise DataError(f"{path}: no metadata: lines of YAML like `tag: bm25` are expected")
    warn(*warnings)
    return header
