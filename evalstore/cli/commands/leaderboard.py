"""`evalstore leaderboard`, `agreement`, `power` and `history`: many runs of a collection."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import zip_longest
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from evalstore.cli import complete
from evalstore.cli.commands.compare import p_text
from evalstore.cli.commands.evaluate import run_names
from evalstore.cli.commands.ingest import warn_once
from evalstore.cli.inputs import given_runs, is_file
from evalstore.cli.options import (
    DEFAULT_MEASURES,
    FRACTION,
    POSITIVE,
    alpha_option,
    collection_argument,
    collection_option,
    format_option,
    history_test_options,
    local_store,
    measure_option,
    one_measure_option,
    only_collection,
    opened_store,
    own_store,
    qrels_option,
    separation_options,
    shown_measures_option,
    store_or_server_option,
)
from evalstore.cli.output import print_notes, printable, table, warn, write_csv, write_json
from evalstore.cli.structure import command, refuse, under

if TYPE_CHECKING:
    from evalstore.client.any_store import AnyStore
    from evalstore.leaderboard.power import CollectionPower
    from evalstore.leaderboard.ranks import LeaderboardRanks, MeasureRanks, RankedRun
    from evalstore.measures import Measure
    from evalstore.tracking.history import EngineHistory, HistoryRun


LONGEST_GROUP = 12
"""Maximum letters of a group in a table; a longer one shows first, last and number."""


@command()
@click.argument(
    "names", metavar="[COLLECTION | RUN...]", nargs=-1, shell_complete=complete.runs_or_files
)
@click.option(
    "--qrels",
    metavar="NAME|FILE",
    shell_complete=complete.qrels_or_files,
    help="The judgments: a stored qrels, or a file where runs are given as files.  [default: the "
    "collection's default]",
)
@measure_option(
    "A measure to show, computed where it is not stored; may be repeated. The first one ranks.  "
    f"[default: {', '.join(DEFAULT_MEASURES)}]"
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
    names: tuple[str, ...],
    qrels: str | None,
    measures: tuple[str, ...],
    groups: bool,
    intervals: bool,
    baseline: str | None,
    no_baseline: bool,
    save: bool,
    shape: str,
    **tests: Any,
) -> None:
    """Rank the runs of a collection, or run files, and show which of them a test separates.

    With --qrels FILE the RUN files are ranked, without a store; else the stored runs of COLLECTION,
    which need not be named if it is the only one.

    Runs that share a letter in the column "group" are not separated by --test, after its
    correction for all pairs of runs: their order may well be chance. "judged@10" is the share of
    the documents at ranks 1 to 10 that are judged; those that are not count as not relevant.

    Where the collection has a baseline (`evalstore runs baseline`) the column "difference" has the
    first measure of each run less that of the baseline, which is named below the table. A run is
    separated from the baseline if they share no letter.

    Figures are over all queries of the qrels. CSV and JSON have ranks, groups, intervals and
    differences of every measure; `evalstore export leaderboard` writes LaTeX and Markdown.
    `evalstore compare RUN RUN... --no-baseline` compares only some runs.
    """
    if baseline is not None and no_baseline:
        raise click.UsageError("--baseline and --no-baseline exclude each other")
    if save:
        own_store(ctx, db, "--save")
    from evalstore.leaderboard.ranks import COLUMNS, RankSettings, to_dict
    from evalstore.measures import named_measures

    asked = named_measures(measures or DEFAULT_MEASURES)
    first = next(iter(asked))
    in_full = asked if groups or save or shape != "table" else {first: asked[first]}
    others = {name: measure for name, measure in asked.items() if name not in in_full}
    settings = RankSettings(**tests)
    # A stored qrels may have the name of a file.
    of_files = is_file(qrels) and any(is_file(name) or set(name) & set("*?[") for name in names)
    if of_files and save:
        raise click.UsageError("--save is for stored runs; `evalstore ingest` stores files")
    if of_files and baseline is not None and is_file(baseline):
        baseline = run_names([baseline])[0]
    collection = None if of_files else _one_collection(names)
    with ExitStack() as stack:
        if of_files and qrels is not None:
            store, collection = stack.enter_context(_store_of_files(names, qrels, asked))
            qrels = None
        else:
            store = stack.enter_context(opened_store(db))
            collection = only_collection(store, collection)
        ranks = store.leaderboard(
            collection, in_full, qrels, settings, baseline=baseline, no_baseline=no_baseline
        )
        values = _values(store, collection, ranks.qrels, others)
    if save:
        _save(db, ranks)
    for measure in ranks.measures:
        values[measure.measure] = {run.run: run.value for run in measure.runs}
    if shape == "json":
        write_json(to_dict(ranks))
    elif shape == "csv":
        warn(*ranks.every_note)
        rows = ((of.measure, *run.row().values()) for of in ranks.measures for run in of.runs)
        write_csv(COLUMNS, rows)
    else:
        _table(ranks, {name: values[name] for name in asked}, groups, intervals)


def _one_collection(names: Sequence[str]) -> str | None:
    """The collection that is named, if any."""
    if len(names) > 1:
        raise click.UsageError(
            f"one collection is expected, got {len(names):,} names: run files are ranked with "
            "--qrels FILE, and `evalstore compare RUN... --no-baseline` compares some stored runs"
        )
    if names and is_file(names[0]):
        raise click.UsageError("run files are ranked with --qrels FILE")
    return next(iter(names), None)


@contextmanager
def _store_of_files(
    names: Sequence[str], qrels: str, measures: Mapping[str, Measure]
) -> Iterator[tuple[AnyStore, str]]:
    """A store of run files and their judgments for one command, and the name of its collection."""
    from evalstore.catalog.names import qrels_name
    from evalstore.client.any_store import LocalStore
    from evalstore.errors import DataError
    from evalstore.evaluation.ingest_options import IngestOptions
    from evalstore.ingest.ingest import ingest
    from evalstore.ingest.store_qrels import store_qrels
    from evalstore.store import Store

    collection = qrels_name(qrels)
    kept = tuple(one for one in measures.values() if not one.descriptor.facts)
    with TemporaryDirectory() as folder, Store.open(f"sqlite:///{folder}/runs.db") as store:
        judgments = store_qrels(store, collection, qrels_path=qrels, warn=warn)
        paths = given_runs(names, {"qrels": qrels, "files_from": None})
        request = IngestOptions(collection, measures=kept or None)
        outcomes = ingest(store, request, paths, qrels=judgments).outcomes
        for outcome in outcomes:
            if outcome.status == "failed":
                raise DataError(outcome.detail, problem=outcome.problem)
        warn_once(outcomes)
        yield LocalStore(store), collection


def _save(db: str, ranks: LeaderboardRanks) -> None:
    from evalstore.leaderboard.saved_ranks import save_ranks

    with local_store(db) as store:
        save_ranks(store, ranks)
    runs = len(ranks.measures[0].runs)
    names = ", ".join(measure.measure for measure in ranks.measures)
    click.echo(printable(f"saved the ranks of {runs:,} runs on {names}"), err=True)


def _values(
    store: AnyStore, collection: str, qrels: str, measures: Mapping[str, Measure]
) -> dict[str, dict[str, float]]:
    """The figures of further measures, by measure name and then by run."""
    if not measures:
        return {}
    from evalstore.leaderboard.run_list import Choice

    choice = Choice(collection=collection, qrels=qrels)
    runs = store.list_runs(list(measures.values()), choice)
    return {
        name: {run.run: run.values[str(measure)] for run in runs if str(measure) in run.values}
        for name, measure in measures.items()
    }


def _table(
    ranks: LeaderboardRanks,
    values: Mapping[str, Mapping[str, float]],
    groups: bool,
    intervals: bool,
) -> None:
    from evalstore.leaderboard.ranks import sentences, summary

    first = ranks.measures[0]
    if not first.runs:
        for note in ranks.every_note:
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
    rows = []
    for run in first.runs:
        ends = "" if run.rank is None else f"{run.rank_low} to {run.rank_high}"
        share = run.judged_top_10
        row = (
            *("" if run.rank is None else str(run.rank), *([ends] if intervals else [])),
            *(_short(run.rank_group), run.engine, run.run),
            *_figures(run, ranks, values, of_measure, intervals),
            "" if share is None else f"{100 * share:.0f} %",
        )
        rows.append(row)
    others = [header for header in headers[left:] if header not in (first.measure, "judged@10")]
    table(headers, rows, left=left, drop=[*reversed(others), "judged@10", "engine"])
    click.echo()
    click.echo(printable(summary(ranks)))
    print_notes(*ranks.every_note)
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
    """The cells of the measures: the figures, and the columns next to them."""
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


def _interval(run: RankedRun) -> str:
    return "" if run.low is None or run.high is None else f"{run.low:.4f} to {run.high:.4f}"


def _short(letters: str) -> str:
    if len(letters) <= LONGEST_GROUP:
        return letters
    return f"{letters[0]}...{letters[-1]} ({len(letters)})"


# `evalstore agreement`

TITLES = {
    "kendall_tau_b": "Kendall's tau-b",
    "tau_ap": "tau-AP (a row: the reference)",
    "rbo": "rank-biased overlap",
    "overlap": "overlap",
}
FOR_MEASURES = ("qrels", "measures")
FOR_RUNS = ("names", "p", "k", "depth")


@command()
@collection_argument
@click.option(
    "--between",
    type=click.Choice(["measures", "runs"]),
    default="measures",
    show_default=True,
    help="Measures on the order of runs, or runs on the order of documents.",
)
@shown_measures_option
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
    collection: str | None,
    between: str,
    measures: tuple[str, ...],
    qrels: str | None,
    names: tuple[str, ...],
    shape: str,
    **of_lists: Any,
) -> None:
    """Show how far measures agree on the order of runs, or runs on the order of documents.

    Between measures: Kendall's tau-b and tau-AP of the figures of all runs of the collection;
    where lower is better the order is turned round. 1 is the same order, -1 the reverse.

    Between runs (--between runs): rank-biased overlap, Kendall's tau-b of the documents that both
    lists have, and the overlap of the top K; means over the queries that both answer.
    """
    from evalstore.measures import named_measures

    names_of_others, others = (
        (FOR_RUNS, "runs") if between == "measures" else (FOR_MEASURES, "measures")
    )
    refuse(ctx, names_of_others, f"is for --between {others}")
    with opened_store(db) as store:
        collection = only_collection(store, collection)
        if between == "measures":
            asked = named_measures(measures or DEFAULT_MEASURES)
            result = store.measure_agreement(collection, asked, qrels)
        else:
            result = store.run_agreement(collection, names, **of_lists)
    if shape == "json":
        write_json(result.to_dict())
        return
    if shape == "csv":
        warn(*result.notes)
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
    print_notes(*result.notes)


# `evalstore power`


@command()
@collection_argument
@qrels_option
@shown_measures_option
@under(
    "Tests",
    click.option(
        "--test",
        type=click.Choice(["bootstrap", "tukey"]),
        default="bootstrap",
        show_default=True,
        help="The paired bootstrap (1,000 resamples, no correction), or the randomised Tukey HSD "
        "test (5,000 permutations, corrected for all pairs).",
    ),
    alpha_option,
)
@click.option(
    "--difference",
    type=POSITIVE,
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
    collection: str | None,
    qrels: str | None,
    measures: tuple[str, ...],
    levels: bool,
    shape: str,
    **options: Any,
) -> None:
    """Show what measures can show on a collection, and how many queries they need.

    "separated" is the discriminative power: the share of all pairs of runs whose achieved
    significance level is below --alpha. "sd" is the standard deviation of the differences between
    two runs, pooled over all pairs. "needed" is how many queries a paired t test takes to show
    --difference with the chance --power, "detectable" the smallest difference that the queries
    there are show so.
    """
    from evalstore.leaderboard.power import COLUMNS, PowerSettings
    from evalstore.measures import named_measures

    asked = named_measures(measures or DEFAULT_MEASURES)
    settings = PowerSettings(**options)
    with opened_store(db) as store:
        collection = only_collection(store, collection)
        result = store.power(collection, asked, qrels, settings)
    if shape == "json":
        write_json(result.to_dict())
        return
    warn(*(result.every_note if shape == "csv" or levels else ()))
    if levels:
        headers = ["pair", *(measure.measure for measure in result.measures)]
        columns = [measure.levels.tolist() for measure in result.measures]
        rows = [(i, *row) for i, row in enumerate(zip_longest(*columns), 1)]
        (write_csv if shape == "csv" else table)(headers, rows)
    elif shape == "csv":
        write_csv(COLUMNS, (list(measure.row().values()) for measure in result.measures))
    else:
        _power_table(result)


def _power_table(result: CollectionPower) -> None:
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
    print_notes(*result.every_note)
    click.echo(
        f"separated: pairs of runs with a level below {settings.alpha:g} in the {name} test "
        f"({settings.draws:,} resamples, {corrected} for the number of pairs)"
    )
    click.echo(
        f"needed: queries to show a difference of {settings.difference:g} at power "
        f"{settings.power:g}; detectable: the difference that the present queries show so"
    )


# `evalstore history`

WIDEST_LINE = 60
"""Maximum number of values, the newest ones, in a line of bars."""


@command()
@click.argument("engine", metavar="ENGINE", shell_complete=complete.engines)
@one_measure_option("The measure to show, computed where it is not stored.")
@collection_option("The collection, where the engine has runs in several.")
@qrels_option
@click.option("--last", type=click.IntRange(1), metavar="N", help="Only the newest N runs.")
@history_test_options
@format_option("table", "csv", "json")
@store_or_server_option
def history(
    db: str,
    engine: str,
    measure: str,
    collection: str | None,
    qrels: str | None,
    shape: str,
    **chosen: Any,
) -> None:
    """Show the runs of an engine in time, and whether each differs from earlier ones.

    The time (UTC) is when the engine started where that is recorded, else when the run was stored.
    Each run is tested against the one in the line above, and against the reference: the last run
    before that was shown to differ, else the first. This finds a slow drift. p is of --test over
    all queries of the qrels.

    Marks (better, worse) hold: later runs and --last change none, since the level of a test
    depends on the tests before it alone. On average at most 5 % of an engine's (--alpha) are
    false, however often you look.
    """
    from evalstore.measures import named_measures
    from evalstore.tracking.history import COLUMNS

    measures = named_measures(measure)
    if len(measures) != 1:
        raise click.UsageError(f"{printable(measure)} is {len(measures)} measures: name one")
    (one,) = measures.items()
    with opened_store(db) as store:
        timeline = store.history(engine, one, collection, qrels, **chosen)
    if shape == "json":
        write_json(timeline.to_dict())
    elif shape == "csv":
        warn(*timeline.notes)
        write_csv(COLUMNS, (tuple(run.row().values()) for run in timeline.runs))
    else:
        _timeline_table(timeline)


def _timeline_table(timeline: EngineHistory) -> None:
    from evalstore.tracking.history import sentence, sparkline

    queries = "1 query" if timeline.queries == 1 else f"{timeline.queries:,} queries"
    where = f"collection {timeline.collection}, judgments {timeline.qrels}, {queries}"
    click.echo(printable(f"{timeline.engine}: {where}"))
    print_notes(*timeline.notes)
    if not timeline.runs:
        return
    level = f"{100 * (1 - timeline.alpha):g} % interval"
    headers = ["date", "run", timeline.measure, "difference", level, "p", "change"]
    with_reference = any(run.reference_change is not None for run in timeline.runs)
    rows = [_timeline_row(run, with_reference=with_reference) for run in timeline.runs]
    if with_reference:
        headers += ["reference", "less it", "its p", "its change"]
    click.echo()
    table(headers, rows, left=2, drop=("its p", "p", level, "date"))
    values = [run.value for run in timeline.runs]
    bars = sparkline(values[-WIDEST_LINE:])
    newest = f" (the newest {WIDEST_LINE} runs)" if len(values) > WIDEST_LINE else ""
    ends = f"{min(values):.4f} to {max(values):.4f}"
    click.echo()
    if _can_print(bars):
        click.echo(printable(f"{timeline.measure}  {bars}  {ends}{newest}"))
    if text := sentence(timeline):
        click.echo(text)


def _timeline_row(run: HistoryRun, *, with_reference: bool) -> tuple[object, ...]:
    low, high = run.low, run.high
    step = (
        *(f"{run.at:%Y-%m-%d %H:%M}", run.run, run.value, _signed(run.difference)),
        "" if low is None or high is None else f"{low:+.4f} to {high:+.4f}",
        *("" if run.p is None else p_text(run.p), run.change),
    )
    if not with_reference:
        return step
    p = "" if run.reference_p is None else p_text(run.reference_p)
    to_reference = _signed(run.reference_difference)
    return (*step, run.reference if p else "", to_reference, p, run.reference_change)


def _signed(difference: float | None) -> str:
    return "" if difference is None else f"{difference:+.4f}"


def _can_print(text: str) -> bool:
    """Whether standard output can show these characters; in some encodings there are no bars."""
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True
