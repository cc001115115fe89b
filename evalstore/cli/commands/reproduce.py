"""`evalstore reproduce`: how far a run reproduces another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from evalstore.cli import complete
from evalstore.cli.chosen_runs import load_runs, runs_argument, source_options
from evalstore.cli.inputs import one_run
from evalstore.cli.options import format_option, measure_option
from evalstore.cli.output import printable, table, warn, write_csv, write_json
from evalstore.cli.structure import command

if TYPE_CHECKING:
    from evalstore.leaderboard.reproduction import Reproduction
    from evalstore.tables.table import Style


@command()
@runs_argument("original", "ORIGINAL")
@runs_argument("reproduction", "REPRODUCTION")
@click.option(
    "--baseline",
    metavar="RUN",
    shell_complete=complete.runs_or_files,
    help="The run over which ORIGINAL was an improvement; with --reproduced-baseline.",
)
@click.option(
    "--reproduced-baseline",
    metavar="RUN",
    shell_complete=complete.runs_or_files,
    help="The reproduction of the baseline.",
)
@measure_option("A measure, may be repeated.  [default: AP, nDCG@10, P@10]")
@click.option(
    "-q",
    "--per-query",
    is_flag=True,
    help="Also ktu and rbo of every query; JSON always has them.",
)
@format_option("table", "csv", "json")
@source_options
@click.pass_context
def reproduce(
    ctx: click.Context,
    /,
    original: str,
    reproduction: str,
    baseline: str | None,
    reproduced_baseline: str | None,
    measures: tuple[str, ...],
    per_query: bool,
    shape: str,
    **options: Any,
) -> None:
    """Show how far a run reproduces another one: rankings, values, effect over a baseline.

    Runs are named as in the store, by name or id; or given as files, with --qrels FILE and no
    store. The figures are those of repro_eval (Breuer et al., SIGIR 2020), under its names.

    Rankings, first 1,000 documents, means over the queries that both runs answer: ktu is Kendall's
    tau Union, rbo is rank-biased overlap with p 0.95, below 1 for shorter rankings even if equal.

    Values, over all judged queries (no answer is an empty ranking): rmse is the root of the mean
    squared difference, nrmse its share of the largest one possible: 0 is the same. ttest is the p
    of the paired t test, ttest_unpaired of the unpaired one.

    Effect: er is the reproduced over the original mean improvement over the baseline: 1 is the
    same. dri is the original less the reproduced relative improvement: 0 is the same.
    """
    from evalstore.leaderboard.reproduction import COLUMNS, DEFAULT_MEASURES, reproduction_of
    from evalstore.measures import named_measures

    if (baseline is None) != (reproduced_baseline is None):
        raise click.UsageError("--baseline and --reproduced-baseline need each other")
    asked = named_measures(measures or DEFAULT_MEASURES)
    named = [original, reproduction, baseline, reproduced_baseline]
    runs = [one_run(run, options) for run in named if run is not None]
    found = reproduction_of(load_runs(ctx, runs, asked, options), asked)
    if shape == "table":
        _table(found, per_query)
        return
    for note in found.notes:
        warn(note)
    if shape == "json":
        write_json(found.to_dict())
    else:
        write_csv(COLUMNS, found.rows(per_query=per_query))


def _table(found: Reproduction, per_query: bool) -> None:
    from evalstore.comparison.comparability import number_of_queries
    from evalstore.leaderboard.reproduction import COLUMNS
    from evalstore.tables.table import written_value

    title = f"{found.run.reproduction} as a reproduction of {found.run.original}"
    if found.baseline is not None:
        title += f", baseline {found.baseline.reproduction} of {found.baseline.original}"
    click.echo(printable(f"{title}, {number_of_queries(found.queries)}"))
    for note in found.notes:
        click.echo(printable(f"note: {note}"))
    click.echo()
    shown = [0, 1, *([2] if per_query else []), 3, *([] if found.baseline is None else [4])]
    rows = []
    for row in found.rows(per_query=per_query):
        style: Style = "p" if row[0] in ("ttest", "ttest_unpaired") else "number"
        rows.append([written_value(row[column], style, 4) for column in shown])
    table([COLUMNS[column] for column in shown], rows, left=2 + per_query, drop=("baseline",))
