"""`evalstore compare`: is the difference real, and may these runs be compared at all."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalstore.cli import complete
from evalstore.cli.evaluate import run_names
from evalstore.cli.options import (
    compat_option,
    db_option,
    extras_from,
    extras_options,
    format_option,
    measure_option,
    reading_from,
    reading_options,
)
from evalstore.cli.output import printable, table, warn, write_csv, write_json
from evalstore.errors import EvalstoreError

if TYPE_CHECKING:
    from evalstore.measures import Measure
    from evalstore.usecases.significance import Compared, Pair, Settings

DEFAULT_MEASURES = ("AP", "nDCG@10")
TESTS = ("t", "wilcoxon", "sign", "randomization")
CORRECTIONS = ("holm", "bonferroni", "bh", "none")
WIDEST_BAR = 50
FIRST_TO_LEAVE_OUT = ("p", "d", "queries", "mean a", "mean b", "W/T/L", "interval")
FOR_STORED_RUNS = ("collection",)
FOR_FILES = (
    *("compat", "collection_size", "known", "subtopics", "judgment_groups", "preferences"),
    *("times", "index_bytes", "encoding", "max_bytes"),
)


@click.command()
@click.argument(
    "runs", shell_complete=complete.runs_or_files, metavar="RUN...", nargs=-1, required=True
)
@measure_option(
    "A measure to compare on, computed where it is not stored; may be repeated.  "
    "[default: AP, nDCG@10]"
)
@click.option(
    "--baseline",
    metavar="RUN",
    shell_complete=complete.runs_or_files,
    help="Compare every other run with this one.  [default: all pairs]",
)
@click.option(
    "--test",
    type=click.Choice(TESTS),
    default="t",
    show_default=True,
    help="Whose p decides what is claimed.",
)
@click.option(
    "--correction",
    type=click.Choice(CORRECTIONS),
    default="holm",
    show_default=True,
    help="Of p, for all the pairs and measures shown.",
)
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.05,
    show_default=True,
    help="A corrected p below it counts.",
)
@click.option(
    "--qrels",
    metavar="NAME|FILE",
    shell_complete=complete.qrels_or_files,
    help="The stored judgments, or a file where the runs are files.  [default: the default]",
)
@click.option(
    "--collection",
    metavar="NAME",
    shell_complete=complete.collection_names,
    help="The stored runs', where several have them.",
)
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
@compat_option
@extras_options
@reading_options
@db_option
@click.pass_context
def compare(
    ctx: click.Context,
    /,
    db: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    baseline: str | None,
    test: Any,
    correction: Any,
    alpha: float,
    qrels: str | None,
    collection: str | None,
    plot: bool,
    worst: int,
    shape: str,
    **files: Any,
) -> None:
    """Compare runs: is the difference real, on which queries, and may they be compared at all.

    Runs are named as in the store, by name or id; or given as files, with --qrels FILE and no
    store. Differences are the second run less the first (b - a). The exit status is 1 where the
    runs can't be compared.

    p is that of --test; "p corr." is after --correction. d is Cohen's, of the paired differences;
    W/T/L are the queries on which b wins, ties and loses. With the t test the interval is
    Student's, with any other test the BCa bootstrap's.
    """
    from evalstore.measures import named_measures
    from evalstore.usecases.significance import Settings

    if baseline is not None and baseline not in runs:
        runs = (baseline, *runs)
    if len(runs) < 2:
        raise click.UsageError("give two runs or more")
    number = None if baseline is None else runs.index(baseline)
    settings = Settings(test, correction, alpha)
    asked = named_measures(measures or DEFAULT_MEASURES)
    of_files = (
        qrels is not None
        and Path(qrels).is_file()
        and any(run == "-" or Path(run).is_file() for run in runs)
    )
    _refuse_options_of_the_other(ctx, of_files)
    if of_files and qrels is not None:
        compared = _from_files(qrels, runs, asked, number, settings, files)
    else:
        compared = _from_store(db, runs, asked, number, settings, collection, qrels)
    write = {"table": _table, "csv": _csv, "json": _json}[shape]
    write(compared)
    if shape == "table":
        _worst(compared, worst)
        if plot:
            _plot(compared)
    if compared.comparable == "no":
        sys.exit(1)


def _refuse_options_of_the_other(ctx: click.Context, of_files: bool) -> None:
    """Refuse an option that is for stored runs where files are compared, or the reverse."""
    names = FOR_STORED_RUNS if of_files else FOR_FILES
    for name in names:
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            kind = "stored runs" if of_files else "files, which --qrels FILE says to compare"
            raise click.UsageError(f"--{name.replace('_', '-')} is for {kind}")


def _from_files(
    qrels: str,
    runs: Sequence[str],
    measures: Mapping[str, Measure],
    baseline: int | None,
    settings: Settings,
    files: Mapping[str, Any],
) -> Compared:
    from evalstore.formats import read_qrels, read_run
    from evalstore.usecases.compare_given import compare_runs
    from evalstore.usecases.names import free_name

    options = reading_from(files)
    judgments = read_qrels(qrels, options)
    read = [read_run(path, options) for path in runs]
    for warning in (*judgments.warnings, *(w for run in read for w in run.warnings)):
        warn(warning)
    names: list[str] = []
    for name in run_names(runs):
        names.append(free_name(name, names))
    return compare_runs(
        judgments,
        dict(zip(names, read, strict=True)),
        measures,
        baseline,
        settings,
        compat=files["compat"],
        extras=extras_from(files, options),
    )


def _from_store(
    db: str,
    runs: Sequence[str],
    measures: Mapping[str, Measure],
    baseline: int | None,
    settings: Settings,
    collection: str | None,
    qrels: str | None,
) -> Compared:
    from evalstore.store import Store
    from evalstore.usecases.compare_stored import compare_stored

    try:
        with Store.open(db, create=False) as store:
            return compare_stored(
                store, runs, measures, baseline, settings, collection=collection, qrels=qrels
            )
    except EvalstoreError as error:
        if error.problem in ("no run", "no store") and all(Path(run).is_file() for run in runs):
            raise click.UsageError("to compare files give their judgments: --qrels FILE") from None
        raise


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


def _worst(compared: Compared, most: int) -> None:
    """The queries on which b loses most to a, of all pairs, by the first measure."""
    from evalstore.usecases.regressions import regressions

    listed = regressions(compared, most)
    if not listed:
        return
    measure = listed[0].pair.measure
    click.echo(f"\nlargest losses of b on {printable(measure)}:")
    texts = any(one.qid in compared.texts for one in listed)
    rows = [
        (
            *(one.qid, *([compared.texts.get(one.qid, "")] if texts else [])),
            *(one.pair.a, one.pair.b, one.value_a, one.value_b, f"{one.difference:+.4f}"),
        )
        for one in listed
    ]
    names = ["query", *(["text"] if texts else []), "a", "b"]
    drop = ["value a", "value b", "a", "b", "text"]
    table([*names, "value a", "value b", "b - a"], rows, left=len(names), drop=drop)


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
