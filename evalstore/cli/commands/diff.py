"""`evalstore diff`: what differs between two runs, beside the figures that moved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from evalstore.cli import complete
from evalstore.cli.commands.compare import interval_text, p_text
from evalstore.cli.commands.show import as_text
from evalstore.cli.options import (
    collection_option,
    format_option,
    measure_option,
    store_or_server_option,
)
from evalstore.cli.output import printable, table, write_json
from evalstore.cli.runs_to_compare import DEFAULT_MEASURES, warn_of
from evalstore.cli.stores import reading

if TYPE_CHECKING:
    from evalstore.client.differences import Difference


@click.command()
@click.argument("a", metavar="A", shell_complete=complete.runs)
@click.argument("b", metavar="B", shell_complete=complete.runs)
@measure_option(
    "A measure to compare on, computed where it is not stored; may be repeated.  "
    f"[default: {', '.join(DEFAULT_MEASURES)}]"
)
@collection_option("The runs' collection, where several have them.")
@click.option(
    "--qrels",
    metavar="NAME",
    shell_complete=complete.qrels_names,
    help="The judgments.  [default: the default]",
)
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

    named = named_measures(measures or DEFAULT_MEASURES)
    with reading(db) as reader:
        difference = diff_runs(reader, a, b, named, collection=collection, qrels=qrels)
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
