"""`evalstore reevaluate`: stored runs under new judgments, or with further measures."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from evalstore.cli import complete
from evalstore.cli.errors import INTERRUPTED, advised
from evalstore.cli.inputs import (
    collection_facts_from,
    collection_facts_options,
    cost_options,
    costs_from,
    judges_options,
    run_facts_from,
    run_facts_options,
)
from evalstore.cli.options import (
    DEFAULT_MEASURES,
    collection_option,
    db_option,
    format_option,
    jobs_option,
    judged_by_option,
    local_store,
    measure_option,
    only_collection,
    reading_from,
    reading_options,
    saved_maps,
    scheduler_option,
)
from evalstore.cli.output import print_notes, printable, table, warn, write_csv, write_json
from evalstore.cli.structure import command, refuse, under

if TYPE_CHECKING:
    from evalstore.comparison.qrels.changes import MeasureChanges, QrelsChanges
    from evalstore.evaluation.measure import Measured
    from evalstore.ingest.reevaluate import Reevaluated, ReevaluatedRun


MOST_PAIRS = 10
"""Maximum number of swapped pairs of a measure in the table; JSON has all."""
FOR_JUDGMENTS = ("before", "default_qrels", "allow_disjoint", "judged_by", "jobs")
"""Parameters that count with --qrels only."""
FOR_MEASURES = (
    *("runs", "collection_size", "preferences", "judgment_groups", "subtopics", "known", "times"),
    *("index_bytes", "memory_bytes", "money", "energy_joules"),
)
"""Parameters that count without --qrels only."""


@command()
@click.argument("runs", shell_complete=complete.runs, metavar="[RUN]...", nargs=-1)
@collection_option("The collection.  [default: the only one]")
@measure_option(
    "A measure, or a set of measures; may be repeated. Without --qrels it is computed and stored; "
    "with --qrels it is one to show, computed where it is not stored.  "
    f"[default with --qrels: {', '.join(DEFAULT_MEASURES)}]"
)
@format_option("table", "csv", "json")
@db_option
@under(
    "New judgments",
    click.option(
        "--qrels",
        metavar="NAME|FILE",
        shell_complete=complete.qrels_or_files,
        help="The new judgments: a file, or a stored qrels where there is no such file.",
    ),
    judged_by_option,
    click.option(
        "--before",
        metavar="NAME",
        shell_complete=complete.qrels_names,
        help="The stored judgments to compare with.  [default: the collection's default, or the "
        "newest others if the new ones are the default]",
    ),
    click.option(
        "--default-qrels",
        is_flag=True,
        help="Show figures under the new judgments from now on, once every run is evaluated.",
    ),
    click.option(
        "--allow-disjoint",
        is_flag=True,
        help="Take judgments that share no query with the collection, or with a run.",
    ),
)
@collection_facts_options
@run_facts_options
@cost_options
@reading_options
@under("Processes", jobs_option, scheduler_option)
@click.pass_context
def reevaluate(
    ctx: click.Context,
    /,
    db: str,
    runs: tuple[str, ...],
    collection: str | None,
    measures: tuple[str, ...],
    qrels: str | None,
    before: str | None,
    default_qrels: bool,
    allow_disjoint: bool,
    jobs: int | None,
    scheduler: str | None,
    shape: str,
    **files: Any,
) -> None:
    """Evaluate stored runs again: under new judgments, or with further measures.

    With --qrels, every run of the collection under new judgments, to show what changes: they are
    stored as a further qrels, and each run gets the measures that it has under the judgments
    before, from its stored rankings. The values under those stay. Each run is stored as a whole or
    not at all; after an interruption the same command goes on. Then, for each measure: the figures
    and ranks before and after, the pairs of runs that swapped their order, and Kendall's tau-b and
    tau-AP between the two leaderboards.

    With --measure alone, further measures of every run unless some are named (by name or id), under
    every qrels they were evaluated with; where none is named, those that lack what a measure needs
    are left out. What some measures need beside a run and its qrels is stored first where it is
    given here: for a collection (say --collection), or for one RUN (times, index, costs).
    """
    if qrels is not None:
        refuse(ctx, FOR_MEASURES, "counts without --qrels only")
    else:
        refuse(ctx, FOR_JUDGMENTS, "counts with --qrels only")
        if not measures:
            raise click.UsageError("give the new judgments with --qrels, or --measure MEASURE")
        measured = _measure(db, measures, collection, runs, scheduler, shape, files)
        _print_measured(measured, shape)
        return
    from evalstore.client.any_store import LocalStore
    from evalstore.comparison.qrels.changes import CHANGE_COLUMNS, qrels_changes
    from evalstore.evaluation.parallel import cores
    from evalstore.ingest.reevaluate import Choice, read_or_name
    from evalstore.ingest.reevaluate import reevaluate as reevaluate_runs
    from evalstore.measures import named_measures

    named = named_measures(measures or DEFAULT_MEASURES)
    with local_store(db) as store:
        collection = only_collection(LocalStore(store), collection)
        options = reading_from({**files, "maps": saved_maps(db, collection, files["maps"])})
        judgments = read_or_name(store, collection, qrels, options)
        choice = Choice(before, default_qrels, allow_disjoint)
        try:
            done = reevaluate_runs(
                store,
                collection,
                judgments,
                choice,
                jobs=jobs or cores(),
                scheduler=scheduler,
                progress=_progress,
            )
        except KeyboardInterrupt:
            click.echo("interrupted; the same command goes on with the other runs", err=True)
            sys.exit(INTERRUPTED)
        changes = qrels_changes(store, collection, named, done.before, done.after)
    warn(*done.warnings)
    failed = [run for run in done.runs if run.status == "failed"]
    if shape == "json":
        write_json({**changes.to_dict(), "evaluated": [_run(run) for run in done.runs]})
    elif shape == "csv":
        warn(*changes.every_note)
        write_csv(CHANGE_COLUMNS, changes.rows())
    else:
        _changes_table(changes, done)
    if failed and default_qrels:
        warn(f"some runs failed: qrels {done.after!r} is not made the default")
    if failed:
        sys.exit(1)


def _measure(
    db: str,
    measures: tuple[str, ...],
    collection: str | None,
    runs: tuple[str, ...],
    scheduler: str | None,
    shape: str,
    files: dict[str, Any],
) -> list[Measured]:
    """Compute and store further measures; a table is printed line by line."""
    options = reading_from(files)
    collection_facts = collection_facts_from(files, judges_options(db, collection, files, options))
    run_facts = run_facts_from(files, options, **costs_from(files))
    if collection_facts is not None and collection is None:
        raise click.UsageError("say --collection: these facts belong to a collection")
    if run_facts is not None and len(runs) != 1:
        raise click.UsageError("--times, --index-bytes and costs belong to one run: name one RUN")
    from evalstore.catalog.collection_facts import store_collection_facts, store_run_facts
    from evalstore.evaluation.measure import measure
    from evalstore.measures import parse_all

    measured: list[Measured] = []

    def show(done: Measured) -> None:
        measured.append(done)
        if shape == "table":
            new = ", ".join(done.new) if done.new else "nothing new"
            if done.lacking:
                new += f"; came as values, without rankings, so not {', '.join(done.lacking)}"
            new = "; ".join((new, *done.problems))
            click.echo(printable(f"{done.collection}  {done.run}  ({done.qrels}): {new}"))

    wanted = [parsed for text in measures for _, parsed in parse_all(text)]
    with local_store(db) as store:
        if collection_facts is not None and collection is not None:
            store_collection_facts(store, collection, collection_facts)
        if run_facts is not None:
            store_run_facts(store, runs[0], run_facts, collection)
        measure(store, wanted, runs, collection, scheduler=scheduler, progress=show)
    return measured


def _print_measured(measured: list[Measured], shape: str) -> None:
    rows = [asdict(done) for done in measured]
    if shape == "json":
        write_json(rows)
    elif shape == "csv":
        headers = ("collection", "run", "qrels", "new", "lacking", "problems")
        cells = (
            [", ".join(cell) if isinstance(cell, tuple) else cell for cell in row.values()]
            for row in rows
        )
        write_csv(headers, cells)


def _progress(run: ReevaluatedRun) -> None:
    warn(*run.warnings)
    reason = advised(run.reason, run.problem)
    line = f"{run.status:<17} {run.run}{': ' * bool(reason)}{reason}"
    click.echo(printable(line), err=True)


def _run(run: ReevaluatedRun) -> dict[str, object]:
    return {
        "run": run.run,
        "engine": run.engine,
        "status": run.status,
        "reason": run.reason or None,
        "warnings": list(run.warnings),
    }


def _changes_table(changes: QrelsChanges, done: Reevaluated) -> None:
    from evalstore.tables.table import finite

    headers = ("measure", "engine", "run", "before", "after", "difference", "rank")
    rows = [
        (*row[:5], f"{row[5]:+.4f}", f"{row[6]}" if row[6] == row[7] else f"{row[6]} -> {row[7]}")
        for row in changes.rows()
    ]
    if rows:
        table(headers, rows, left=3, drop=["engine", "difference"])
        click.echo()
        table(
            ("measure", "runs", "pairs swapped", "Kendall's tau-b", "tau-AP"),
            [
                (
                    *(measure.measure, len(measure.runs), len(measure.swapped)),
                    *(finite(measure.kendall_tau_b), finite(measure.tau_ap)),
                )
                for measure in changes.measures
            ],
        )
        click.echo()
    for measure in changes.measures:
        for line in _swapped(measure):
            click.echo(printable(line))
    print_notes(*changes.every_note)
    counts = changes.judgments
    click.echo(
        printable(
            f"judgments: {counts.added:,} added, {counts.changed:,} graded otherwise, "
            f"{counts.removed:,} removed, from qrels {changes.before.name!r} "
            f"({changes.before.judgments:,}) to {changes.after.name!r} "
            f"({changes.after.judgments:,})"
        )
    )
    if not done.is_default:
        click.echo(
            printable(
                f"figures are shown under qrels {changes.before.name!r} as before: "
                f"`evalstore qrels default` chooses another"
            )
            if changes.before.is_default
            else "the default qrels is another one: `evalstore qrels` shows it"
        )


def _swapped(measure: MeasureChanges) -> list[str]:
    lines = [
        f"{measure.measure}: {pair.a.run} was better than {pair.b.run} "
        f"({pair.a.before:.4f}, {pair.b.before:.4f}), now {pair.b.run} is better "
        f"({pair.b.after:.4f}, {pair.a.after:.4f})"
        for pair in measure.swapped[:MOST_PAIRS]
    ]
    more = len(measure.swapped) - MOST_PAIRS
    if more > 0:
        lines.append(f"{measure.measure}: {more:,} more pairs swapped; --format json has all")
    return lines
