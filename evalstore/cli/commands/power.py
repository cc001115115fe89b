"""`evalstore power`: what measures can show on a collection, and how many queries they need."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import click

from evalstore.cli import complete
from evalstore.cli.options import (
    FRACTION,
    alpha_option,
    format_option,
    measure_option,
    qrels_option,
    store_or_server_option,
)
from evalstore.cli.output import printable, table, warn, write_csv, write_json
from evalstore.cli.stores import reading

if TYPE_CHECKING:
    from evalstore.leaderboard.power import CollectionPower

DEFAULT_MEASURES = ("AP", "nDCG@10", "P@10", "Rprec")


@click.command()
@click.argument("collection", shell_complete=complete.collection_names)
@qrels_option
@measure_option(
    "A measure, computed where it is not stored; may be repeated.  "
    "[default: AP, nDCG@10, P@10, Rprec]"
)
@click.option(
    "--test",
    type=click.Choice(["bootstrap", "tukey"]),
    default="bootstrap",
    show_default=True,
    help="The paired bootstrap (1,000 resamples, no correction), or the randomised Tukey HSD test "
    "(5,000 permutations, corrected for all pairs).",
)
@alpha_option
@click.option(
    "--difference",
    type=click.FloatRange(0, min_open=True),
    default=0.05,
    show_default=True,
    help="Of two means: how many queries show it?",
)
@click.option(
    "--power", type=FRACTION, default=0.8, show_default=True, help="The chance to show it."
)
@click.option(
    "--levels", is_flag=True, help="Print the sorted levels of all pairs: a column a measure."
)
@format_option("table", "csv", "json")
@store_or_server_option
def power(
    db: str,
    collection: str,
    qrels: str | None,
    measures: tuple[str, ...],
    test: Any,
    alpha: float,
    difference: float,
    power: float,
    levels: bool,
    shape: str,
) -> None:
    """Tell what measures can show on a collection, and how many queries they need.

    "separated" is the discriminative power: the share of all pairs of runs whose achieved
    significance level is below --alpha. "sd" is the standard deviation of the differences between
    two runs, pooled over all pairs. "needed" is how many queries a paired t test takes to show
    --difference with the chance --power, "detectable" the smallest difference that the queries
    there are show so.
    """
    from evalstore.leaderboard.power import COLUMNS, PowerSettings
    from evalstore.measures import named_measures

    asked = named_measures(measures or DEFAULT_MEASURES)
    settings = PowerSettings(test, alpha, difference, power)
    with reading(db) as reader:
        result = reader.power(collection, asked, qrels, settings)
    if shape == "json":
        write_json(result.to_dict())
        return
    for note in _notes(result) if shape == "csv" or levels else ():
        warn(note)
    if levels:
        headers = ["pair", *(measure.measure for measure in result.measures)]
        columns = [measure.levels.tolist() for measure in result.measures]
        rows = [(i, *row) for i, row in enumerate(zip_longest(*columns), 1)]
        (write_csv if shape == "csv" else table)(headers, rows)
    elif shape == "csv":
        write_csv(COLUMNS, (list(measure.row().values()) for measure in result.measures))
    else:
        _table(result)


def _notes(result: CollectionPower) -> list[str]:
    return [*result.notes, *(note for measure in result.measures for note in measure.notes)]


def _table(result: CollectionPower) -> None:
    settings = result.settings
    headers = ("measure", "runs", "queries", "pairs", "separated", "sd", "needed", "detectable")
    rows = [
        (
            *(one.measure, one.runs, one.queries, len(one.levels), f"{100 * one.share:.1f} %"),
            *(row["sd"], one.queries_needed, row["detectable_difference"]),
        )
        for one in result.measures
        for row in [one.row()]
    ]
    table(headers, rows, drop=("pairs", "sd", "queries", "runs"))
    name = {"bootstrap": "paired bootstrap", "tukey": "randomised Tukey HSD"}[settings.test]
    corrected = {"bootstrap": "not corrected", "tukey": "corrected"}[settings.test]
    click.echo()
    for note in _notes(result):
        click.echo(printable(f"note: {note}"))
    click.echo(
        f"separated: pairs of runs with a level below {settings.alpha:g} in the {name} test "
        f"({settings.draws:,} resamples, {corrected} for the number of pairs)"
    )
    click.echo(
        f"needed: queries to show a difference of {settings.difference:g} at power "
        f"{settings.power:g}; detectable: the difference that the present queries show so"
    )
