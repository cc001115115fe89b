"""`evalstore agreement`: how far measures, or runs, agree."""

from __future__ import annotations

import math

import click

from evalstore.cli import complete
from evalstore.cli.options import (
    FRACTION,
    format_option,
    measure_option,
    qrels_option,
    store_or_server_option,
)
from evalstore.cli.output import printable, table, warn, write_csv, write_json
from evalstore.cli.stores import reading

DEFAULT_MEASURES = ("AP", "nDCG@10", "P@10", "Rprec")
TITLES = {
    "kendall_tau_b": "Kendall's tau-b",
    "tau_ap": "tau-AP (a row: the reference)",
    "rbo": "rank-biased overlap",
    "overlap": "overlap",
}
FOR_MEASURES = ("qrels", "measures")
FOR_RUNS = ("names", "p", "k", "depth")


@click.command()
@click.argument("collection", shell_complete=complete.collection_names)
@click.option(
    "--between",
    type=click.Choice(["measures", "runs"]),
    default="measures",
    show_default=True,
    help="Measures on the order of runs, or runs on the order of documents.",
)
@measure_option(
    "A measure, computed where it is not stored; may be repeated.  "
    "[default: AP, nDCG@10, P@10, Rprec]"
)
@qrels_option
@click.option(
    "--run",
    "names",
    metavar="RUN",
    shell_complete=complete.runs,
    multiple=True,
    help="A run by name or id; may be repeated.  [default: all]",
)
@click.option(
    "--p",
    type=FRACTION,
    default=0.9,
    show_default=True,
    help="Of the rank-biased overlap: the chance that a user looks at the next document.",
)
@click.option(
    "--k",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="The overlap is of the top K.",
)
@click.option(
    "--depth",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    help="Cut lists after so many documents.",
)
@format_option("table", "csv", "json")
@store_or_server_option
@click.pass_context
def agreement(
    ctx: click.Context,
    /,
    db: str,
    collection: str,
    between: str,
    measures: tuple[str, ...],
    qrels: str | None,
    names: tuple[str, ...],
    p: float,
    k: int,
    depth: int,
    shape: str,
) -> None:
    """Tell how far measures agree on the order of runs, or runs on the order of documents.

    Between measures: Kendall's tau-b and tau-AP of the figures of all runs of the collection;
    where lower is better the order is turned round. 1 is the same order, -1 the reverse.

    Between runs (--between runs): rank-biased overlap, Kendall's tau-b of the documents that both
    lists have, and the overlap of the top K; means over the queries that both answer.
    """
    from evalstore.measures import named_measures

    for name in FOR_RUNS if between == "measures" else FOR_MEASURES:
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            option = {"names": "run", "measures": "measure"}.get(name, name)
            other = "runs" if between == "measures" else "measures"
            raise click.UsageError(f"--{option} is for --between {other}")
    with reading(db) as reader:
        if between == "measures":
            asked = named_measures(measures or DEFAULT_MEASURES)
            result = reader.measure_agreement(collection, asked, qrels)
        else:
            result = reader.run_agreement(collection, names, p=p, k=k, depth=depth)
    if shape == "json":
        write_json(result.to_dict())
        return
    if shape == "csv":
        for note in result.notes:
            warn(note)
        write_csv(result.columns, result.rows())
        return
    for name, matrix in result.coefficients.items():
        rows = [
            (label, *(None if math.isnan(value) else value for value in row))
            for label, row in zip(result.names, matrix.tolist(), strict=True)
        ]
        click.echo(TITLES[name])
        table(("", *result.names), rows)
        click.echo()
    if between == "measures":
        click.echo(f"over {int(result.counts.max()):,} runs")
    for note in result.notes:
        click.echo(printable(f"note: {note}"))
