"""`evalstore reevaluate`: evaluate the stored runs under new judgments, and show what changes."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING

import click

from evalstore.cli import complete
from evalstore.cli.errors import INTERRUPTED, advised
from evalstore.cli.options import (
    collection_option,
    db_option,
    format_option,
    jobs_option,
    measure_option,
    reading_from,
    reading_options,
    scheduler_option,
)
from evalstore.cli.output import printable, table, warn, write_csv, write_json

if TYPE_CHECKING:
    from typing import Any

    from evalstore.comparison.qrels_changes import MeasureChanges, QrelsChanges
    from evalstore.ingest.reevaluate import Reevaluated, ReevaluatedRun

DEFAULT_MEASURES = ("AP", "nDCG@10", "P@10", "Rprec")
MOST_PAIRS = 10
"""The table names so many swapped pairs of a measure; JSON has all."""


@click.command()
@collection_option("The collection whose runs are evaluated.", required=True)
@click.option(
    "--qrels",
    metavar="FILE|NAME",
    shell_complete=complete.qrels_or_files,
    required=True,
    help="The new judgments: a file, or a stored qrels where there is no such file.",
)
@click.option(
    "--before",
    metavar="NAME",
    shell_complete=complete.qrels_names,
    help="The stored judgments to compare with.  [default: the collection's default, or the "
    "newest others if the new ones are the default]",
)
@click.option(
    "--default-qrels",
    is_flag=True,
    help="Show figures under the new judgments from now on, once every run is evaluated.",
)
@click.option(
    "--allow-disjoint",
    is_flag=True,
    help="Take judgments that share no query with the collection, or with a run.",
)
@measure_option(
    "A measure to show, computed where it is not stored; may be repeated.  "
    f"[default: {', '.join(DEFAULT_MEASURES)}]"
)
@jobs_option
@scheduler_option
@reading_options
@format_option("table", "csv", "json")
@db_option
def reevaluate(
    db: str,
    collection: str,
    qrels: str,
    before: str | None,
    default_qrels: bool,
    allow_disjoint: bool,
    measures: tuple[str, ...],
    jobs: int | None,
    scheduler: str | None,
    shape: str,
    **files: Any,
) -> None:
    """Evaluate every stored run of a collection under new judgments, and show what changes.

    The judgments are stored as a further qrels; each run gets the measures that it has under the
    judgments before, from its stored rankings. The values under those stay. Each run is stored as
    a whole or not at all; after an interruption the same command goes on.

    Then, for each measure: the figures and ranks before and after, the pairs of runs that swapped
    their order, and Kendall's tau-b and tau-AP between the two leaderboards.
    """
    from evalstore.comparison.qrels_changes import qrels_changes
    from evalstore.evaluation.parallel import cores
    from evalstore.ingest.reevaluate import Choice, read_or_name
    from evalstore.ingest.reevaluate import reevaluate as reevaluate_runs
    from evalstore.measures import named_measures
    from evalstore.store import Store

    named = named_measures(measures or DEFAULT_MEASURES)
    with Store.open(db, create=False) as store:
        judgments = read_or_name(store, collection, qrels, reading_from(files))
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
    for warning in done.warnings:
        warn(warning)
    failed = [run for run in done.runs if run.status == "failed"]
    if shape == "json":
        write_json({**changes.to_dict(), "evaluated": [_run(run) for run in done.runs]})
    elif shape == "csv":
        _csv(changes)
    else:
        _table(changes, done)
    if failed and default_qrels:
        warn(f"some runs failed: qrels {done.after!r} is not made the default")
    if failed:
        sys.exit(1)


def _progress(run: ReevaluatedRun) -> None:
    for warning in run.warnings:
        warn(warning)
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


def _csv(changes: QrelsChanges) -> None:
    from evalstore.comparison.qrels_changes import CHANGE_COLUMNS

    for note in changes.every_note:
        warn(note)
    write_csv(CHANGE_COLUMNS, changes.rows())


def _table(changes: QrelsChanges, done: Reevaluated) -> None:
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
                    *(_coefficient(measure.kendall_tau_b), _coefficient(measure.tau_ap)),
                )
                for measure in changes.measures
            ],
        )
        click.echo()
    for measure in changes.measures:
        for line in _swapped(measure):
            click.echo(printable(line))
    for note in changes.every_note:
        click.echo(printable(f"note: {note}"))
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
            else "the default qrels is another one: `evalstore qrels list` shows it"
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


def _coefficient(value: float) -> float | None:
    return None if math.isnan(value) else value
