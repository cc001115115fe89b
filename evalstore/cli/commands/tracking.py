"""`evalstore history`: the runs of an engine in time."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from evalstore.cli import complete
from evalstore.cli.commands.compare import p_text
from evalstore.cli.options import (
    alpha_option,
    collection_option,
    format_option,
    qrels_option,
    store_or_server_option,
)
from evalstore.cli.output import printable, table, warn, write_csv, write_json
from evalstore.cli.stores import reading

if TYPE_CHECKING:
    from evalstore.tracking.history import EngineHistory, HistoryRun

WIDEST_LINE = 60
"""A line of bars shows so many values, the newest."""


@click.command()
@click.argument("engine", metavar="ENGINE", shell_complete=complete.engines)
@click.option(
    "-m",
    "--measure",
    metavar="MEASURE",
    default="nDCG@10",
    show_default=True,
    shell_complete=complete.measures,
    help="The measure to show, computed where it is not stored.",
)
@collection_option("The collection, where the engine has runs in several.")
@qrels_option
@click.option("--last", type=click.IntRange(1), metavar="N", help="Only the newest N runs.")
@alpha_option
@format_option("table", "csv", "json")
@store_or_server_option
def history(
    db: str,
    engine: str,
    measure: str,
    collection: str | None,
    qrels: str | None,
    last: int | None,
    alpha: float,
    shape: str,
) -> None:
    """Show the runs of an engine in time, and whether each differs from the one before.

    The time (UTC) is when the engine started where that is recorded, else when the run was stored.
    Each difference is to the run in the line above. Its p is of the paired t test over all queries
    of the qrels, "p corr." after Holm's correction for all differences shown; only that says
    whether a run is better or worse than the one before.
    """
    from evalstore.measures import named_measures
    from evalstore.tracking.history import COLUMNS

    measures = named_measures(measure)
    if len(measures) != 1:
        raise click.UsageError(f"{printable(measure)} is {len(measures)} measures: name one")
    (one,) = measures.items()
    with reading(db) as reader:
        timeline = reader.history(engine, one, collection, qrels, last=last, alpha=alpha)
    if shape == "json":
        write_json(timeline.to_dict())
    elif shape == "csv":
        for note in timeline.notes:
            warn(note)
        write_csv(COLUMNS, (tuple(run.row().values()) for run in timeline.runs))
    else:
        _table(timeline)


def _table(timeline: EngineHistory) -> None:
    from evalstore.tracking.history import sentence, sparkline

    queries = "1 query" if timeline.queries == 1 else f"{timeline.queries:,} queries"
    where = f"collection {timeline.collection}, judgments {timeline.qrels}, {queries}"
    click.echo(printable(f"{timeline.engine}: {where}"))
    for note in timeline.notes:
        click.echo(printable(f"note: {note}"))
    if not timeline.runs:
        return
    level = f"{100 * (1 - timeline.alpha):g} % interval"
    headers = ("date", "run", timeline.measure, "difference", level, "p", "p corr.", "change")
    click.echo()
    table(headers, map(_row, timeline.runs), left=2, drop=("p", level, "date"))
    values = [run.value for run in timeline.runs]
    bars = sparkline(values[-WIDEST_LINE:])
    newest = f" (the newest {WIDEST_LINE} runs)" if len(values) > WIDEST_LINE else ""
    ends = f"{min(values):.4f} to {max(values):.4f}"
    click.echo()
    if _can_print(bars):
        click.echo(printable(f"{timeline.measure}  {bars}  {ends}{newest}"))
    if text := sentence(timeline):
        click.echo(text)


def _row(run: HistoryRun) -> tuple[object, ...]:
    low, high = run.low, run.high
    return (
        *(f"{run.at:%Y-%m-%d %H:%M}", run.run, run.value),
        "" if run.difference is None else f"{run.difference:+.4f}",
        "" if low is None or high is None else f"{low:+.4f} to {high:+.4f}",
        *(_p(run.p), _p(run.p_corrected), run.change),
    )


def _p(p: float | None) -> str:
    return "" if p is None else p_text(p)


def _can_print(text: str) -> bool:
    """Whether standard output has these characters; in some encodings there are no bars."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True
