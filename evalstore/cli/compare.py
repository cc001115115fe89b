"""`evalstore compare`: is the difference real, and may these runs be compared at all."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from evalstore.cli.losses import write_losses
from evalstore.cli.options import format_option
from evalstore.cli.output import printable, table, warn, write_csv, write_json
from evalstore.cli.runs_to_compare import (
    compare_named,
    comparison_options,
    runs_argument,
    source_options,
)

if TYPE_CHECKING:
    from evalstore.usecases.significance import Compared, Pair

WIDEST_BAR = 50
FIRST_TO_LEAVE_OUT = ("p", "d", "queries", "mean a", "mean b", "W/T/L", "interval")


@click.command()
@runs_argument()
@comparison_options
@click.option("--plot", is_flag=True, help="Also a histogram of the differences per query.")
@click.option(
    "--worst",
    type=click.IntRange(0),
    metavar="N",
    default=10,
    show_default=True,
    help="The queries on which a run loses most, by the first measure.",
)
@format_option("table", "csv", "json")
@source_options
@click.pass_context
def compare(
    ctx: click.Context,
    /,
    runs: tuple[str, ...],
    plot: bool,
    worst: int,
    shape: str,
    **options: Any,
) -> None:
    """Compare runs: is the difference real, on which queries, and may they be compared at all.

    Runs are named as in the store, by name or id; or given as files, with --qrels FILE and no
    store. Differences are the second run less the first (b - a). The exit status is 1 where the
    runs can't be compared.

    p is that of --test; "p corr." is after --correction. d is Cohen's, of the paired differences;
    W/T/L are the queries on which b wins, ties and loses. With the t test the interval is
    Student's, with any other test the BCa bootstrap's.
    """
    compared = compare_named(ctx, runs, options)
    write = {"table": _table, "csv": _csv, "json": _json}[shape]
    write(compared)
    if shape == "table":
        from evalstore.usecases.regressions import regressions

        write_losses(regressions(compared, worst), compared.texts)
        if plot:
            _plot(compared)
    if compared.comparable == "no":
        sys.exit(1)


def _table(compared: Compared) -> None:
    from evalstore.usecases.claims import sentences, verdict

    click.echo(printable(verdict(compared)))
    for note in compared.notes:
        click.echo(printable(f"note: {note}"))
    if not compared.pairs:
        return
    click.echo()
    test = compared.settings.test
    level = f"{100 * (1 - compared.settings.alpha):g} % interval"
    headers = (
        *("a", "b", "measure", "queries", "mean a", "mean b", "b - a", level),
        *("p", "p corr.", "d", "W/T/L"),
    )
    rows = [
        (
            *(pair.a, pair.b, pair.measure, pair.queries, pair.mean_a, pair.mean_b),
            *(f"{pair.difference:+.4f}", _interval(pair)),
            *(_p(pair.p[test]), _p(pair.p_corrected[test])),
            *(_finite(pair.cohens_d, ".2f"), f"{pair.wins}/{pair.ties}/{pair.losses}"),
        )
        for pair in compared.pairs
    ]
    drop = [level if header == "interval" else header for header in FIRST_TO_LEAVE_OUT]
    table(headers, rows, left=3, drop=drop)
    click.echo()
    for sentence in sentences(compared):
        click.echo(printable(sentence))


def _interval(pair: Pair) -> str:
    low, high = (_finite(end, "+.4f") for end in pair.interval)
    return f"{low} to {high}" if low else ""


def _p(p: float) -> str:
    """A p with 4 decimals; one that they would make 0 is below the least of them."""
    return f"{p:.4f}" if p >= 0.00005 else "<0.0001"


def _finite(number: float, digits: str) -> str:
    """A number as text; nothing for NaN and infinity."""
    return f"{number:{digits}}" if abs(number) < float("inf") else ""


def _csv(compared: Compared) -> None:
    from evalstore.usecases.significance import COLUMNS

    _warn_of(compared)
    rows = [
        (compared.comparable, *(_cell(value) for value in pair.row().values()))
        for pair in compared.pairs
    ]
    write_csv(("comparable", *COLUMNS), rows)


def _cell(value: str | int | float) -> str | int | float | None:
    """A figure, or None (an empty cell) for NaN and infinity."""
    return None if isinstance(value, float) and not abs(value) < float("inf") else value


def _json(compared: Compared) -> None:
    _warn_of(compared)
    write_json(compared.to_dict())


def _warn_of(compared: Compared) -> None:
    """Say on standard error what stands above a table."""
    from evalstore.usecases.claims import verdict

    if compared.comparable != "yes":
        click.echo(printable(verdict(compared)), err=True)
    for note in compared.notes:
        warn(note)


def _plot(compared: Compared) -> None:
    """A histogram of the differences of every pair and measure."""
    from evalstore.usecases.regressions import histogram

    for pair in compared.pairs:
        bins = histogram(list(compared.differences(pair).values()))
        most = max(one.count for one in bins)
        scale = min(1.0, WIDEST_BAR / most)
        title = f"{pair.b} - {pair.a}, {pair.measure}: differences of {pair.queries:,} queries"
        click.echo(f"\n{printable(title)}")
        ends = [[f"{end:+g}" if end else "0" for end in (one.low, one.high)] for one in bins]
        labels = [low if low == high else f"{low} to {high}" for low, high in ends]
        width = max(map(len, labels))
        for label, one in zip(labels, bins, strict=True):
            bar = "#" * (max(round(one.count * scale), 1) if one.count else 0)
            click.echo(f"{label.rjust(width)}  {bar} {one.count}".rstrip())
