"""`evalstore leaderboard`: the runs of a collection, and which of them are separated."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import click

from evalstore.cli import complete
from evalstore.cli.options import (
    format_option,
    measure_option,
    own_store,
    qrels_option,
    separation_options,
    store_or_server_option,
)
from evalstore.cli.output import printable, table, warn, write_csv, write_json
from evalstore.cli.stores import reading

if TYPE_CHECKING:
    from evalstore.client.reader_ import Reader
    from evalstore.leaderboard.ranks import LeaderboardRanks, MeasureRanks, RankedRun
    from evalstore.measures import Measure

DEFAULT_MEASURES = ("AP", "nDCG@10", "P@10", "Rprec")
LONGEST_GROUP = 12
"""Of more letters a table shows the first and the last, and how many there are."""


@click.command()
@click.argument("collection", shell_complete=complete.collection_names)
@qrels_option
@measure_option(
    "A measure to show, computed where it is not stored; may be repeated. The first one ranks.  "
    "[default: AP, nDCG@10, P@10, Rprec]"
)
@click.option("--groups", is_flag=True, help="Also the rank groups of the other measures.")
@click.option(
    "--intervals", is_flag=True, help="Also the intervals of the rank and of the first measure."
)
@separation_options
@click.option(
    "--baseline",
    metavar="RUN",
    shell_complete=complete.runs,
    help="Show differences to this run.  [default: the collection's baseline, if it has one]",
)
@click.option("--no-baseline", is_flag=True, help="Show no differences to the baseline.")
@click.option("--save", is_flag=True, help="Also store the ranks, for SQL (leaderboard_ranks).")
@format_option("table", "csv", "json")
@store_or_server_option
@click.pass_context
def leaderboard(
    ctx: click.Context,
    /,
    db: str,
    collection: str,
    qrels: str | None,
    measures: tuple[str, ...],
    groups: bool,
    intervals: bool,
    test: Any,
    alpha: float,
    baseline: str | None,
    no_baseline: bool,
    save: bool,
    shape: str,
) -> None:
    """Rank the runs of a collection, and tell which of them are separated.

    Runs that share a letter in the column "group" are not separated by --test, after its
    correction for all pairs of runs: their order may well be chance. "judged@10" is the share of
    the documents at ranks 1 to 10 that are judged; those that are not count as not relevant.

    Where the collection has a baseline (`evalstore baseline`) the column "difference" has the first
    measure of each run less that of the baseline, which is named below the table. A run is
    separated from the baseline where they share no letter.

    Figures are over all queries of the qrels. CSV and JSON have ranks, groups, intervals and
    differences of every measure.
    """
    if baseline is not None and no_baseline:
        raise click.UsageError("--baseline and --no-baseline exclude each other")
    if save:
        own_store(ctx, db, "--save")
    from evalstore.leaderboard.ranks import RankSettings
    from evalstore.measures import named_measures

    asked = named_measures(measures or DEFAULT_MEASURES)
    first = next(iter(asked))
    in_full = asked if groups or save or shape != "table" else {first: asked[first]}
    others = {name: measure for name, measure in asked.items() if name not in in_full}
    settings = RankSettings(test=test, alpha=alpha)
    with reading(db) as reader:
        ranks = reader.leaderboard(
            collection, in_full, qrels, settings, baseline=baseline, no_baseline=no_baseline
        )
        values = _values(reader, collection, ranks.qrels, others)
    if save:
        _save(db, ranks)
    for measure in ranks.measures:
        values[measure.measure] = {run.run: run.value for run in measure.runs}
    if shape == "json":
        _json(ranks)
    elif shape == "csv":
        _csv(ranks)
    else:
        _table(ranks, {name: values[name] for name in asked}, groups, intervals)


def _save(db: str, ranks: LeaderboardRanks) -> None:
    from evalstore.leaderboard.saved_ranks import save_ranks
    from evalstore.store import Store

    with Store.open(db, create=False) as store:
        save_ranks(store, ranks)
    runs = len(ranks.measures[0].runs)
    names = ", ".join(measure.measure for measure in ranks.measures)
    click.echo(printable(f"saved the ranks of {runs:,} runs on {names}"), err=True)


def _values(
    reader: Reader, collection: str, qrels: str, measures: Mapping[str, Measure]
) -> dict[str, dict[str, float]]:
    """The figures of further measures: by name, then by the run."""
    if not measures:
        return {}
    from evalstore.leaderboard.run_list import Choice

    choice = Choice(collection=collection, qrels=qrels)
    runs = reader.list_runs(list(measures.values()), choice)
    return {
        name: {run.run: run.values[str(measure)] for run in runs if str(measure) in run.values}
        for name, measure in measures.items()
    }


def _json(ranks: LeaderboardRanks) -> None:
    from evalstore.leaderboard.ranks import to_dict

    write_json(to_dict(ranks))


def _csv(ranks: LeaderboardRanks) -> None:
    from evalstore.leaderboard.ranks import COLUMNS

    for note in _notes(ranks):
        warn(note)
    write_csv(
        COLUMNS,
        (
            (measure.measure, *run.row().values())
            for measure in ranks.measures
            for run in measure.runs
        ),
    )


def _notes(ranks: LeaderboardRanks) -> list[str]:
    return [*ranks.notes, *(note for measure in ranks.measures for note in measure.notes)]


def _table(
    ranks: LeaderboardRanks,
    values: Mapping[str, Mapping[str, float]],
    groups: bool,
    intervals: bool,
) -> None:
    from evalstore.leaderboard.ranks import sentences

    first = ranks.measures[0]
    if not first.runs:
        for note in _notes(ranks):
            click.echo(printable(note))
        return
    baseline = ranks.baseline
    level = f"{100 * (1 - ranks.settings.alpha):g} %"
    of_measure = {measure.measure: measure for measure in ranks.measures} if groups else {}
    headers = ["rank", *([f"rank {level}"] if intervals else []), "group", "engine", "run"]
    left = len(headers)
    for name in values:
        headers.append(name)
        if name == first.measure:
            headers += [f"{name} {level}"] if intervals else []
            headers += ["difference"] if baseline is not None else []
        elif name in of_measure:
            headers.append(f"{name} group")
    headers.append("judged@10")
    rows = [
        (
            *(_rank(run), *([_rank_interval(run)] if intervals else [])),
            *(_short(run.rank_group), run.engine, run.run),
            *_figures(run, ranks, values, of_measure, intervals),
            _percent(run.judged_top_10),
        )
        for run in first.runs
    ]
    others = [header for header in headers[left:] if header not in (first.measure, "judged@10")]
    table(headers, rows, left=left, drop=[*reversed(others), "judged@10", "engine"])
    click.echo()
    for note in _notes(ranks):
        click.echo(printable(f"note: {note}"))
    explained = ranks.measures if groups else ranks.measures[:1]
    by_measure = [sentences(measure, ranks.settings) for measure in explained]
    for sentence in dict.fromkeys(
        sentence for of_all in zip_longest(*by_measure) for sentence in of_all if sentence
    ):
        click.echo(printable(sentence))
    if baseline is not None:
        text = f"difference: {first.measure} less that of the baseline, {baseline.name}"
        click.echo(printable(text))
    if any(_short(run.rank_group) != run.rank_group for m in explained for run in m.runs):
        click.echo("long groups show the first and the last letter; --format csv has all")


def _figures(
    run: RankedRun,
    ranks: LeaderboardRanks,
    values: Mapping[str, Mapping[str, float]],
    of_measure: Mapping[str, MeasureRanks],
    intervals: bool,
) -> list[float | str | None]:
    """The cells of the measures: the figures, and beside them what was asked for."""
    cells: list[float | str | None] = []
    for name, by_run in values.items():
        cells.append(by_run.get(run.run))
        if name == ranks.measures[0].measure:
            cells += [_interval(run)] if intervals else []
            cells += [_difference(run, ranks)] if ranks.baseline is not None else []
        elif name in of_measure:
            group = {other.run: other.rank_group for other in of_measure[name].runs}
            cells.append(_short(group.get(run.run, "")))
    return cells


def _difference(run: RankedRun, ranks: LeaderboardRanks) -> str:
    if ranks.baseline is not None and run.run == ranks.baseline.name:
        return "baseline"
    return "" if run.difference is None else f"{run.difference:+.4f}"


def _rank(run: RankedRun) -> str:
    return "" if run.rank is None else str(run.rank)


def _rank_interval(run: RankedRun) -> str:
    return "" if run.rank is None else f"{run.rank_low} to {run.rank_high}"


def _interval(run: RankedRun) -> str:
    return "" if run.low is None or run.high is None else f"{run.low:.4f} to {run.high:.4f}"


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.0f} %"


def _short(letters: str) -> str:
    if len(letters) <= LONGEST_GROUP:
        return letters
    return f"{letters[0]}...{letters[-1]} ({len(letters)})"
