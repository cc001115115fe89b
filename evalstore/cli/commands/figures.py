"""`evalstore export figure` and `evalstore export report`: figures and reports of runs as files."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from evalstore.cli.chosen_runs import (
    DEFAULT_MEASURES,
    comparison_options,
    load_and_compare,
    load_runs,
    runs_argument,
    source_options,
    with_baseline,
)
from evalstore.cli.complete import files
from evalstore.cli.inputs import given_runs
from evalstore.cli.options import Number, only_collection, opened_store, output_option
from evalstore.cli.output import printable, warn, written, written_bytes
from evalstore.cli.structure import command, is_typed, refuse, words_of

if TYPE_CHECKING:
    from dashboard.figures.drawings import Drawing
    from evalstore.comparison.comparability import RunValues
    from evalstore.comparison.loading import LoadedRuns, Medians
    from evalstore.measures import Measure


SUFFIXES = (".svg", ".png", ".pdf", ".html")
MANY = 1_000_000


class Kind(NamedTuple):
    """A kind of figure: number of runs, options in `OF_SOME_KINDS`, default measure."""

    least: int
    most: int
    options: tuple[str, ...] = ()
    measure: str = ""


KINDS: Mapping[str, Kind] = {
    "recall-precision": Kind(1, MANY),
    "precision-at-k": Kind(1, MANY),
    "recall-at-k": Kind(1, MANY),
    "differences": Kind(2, 2, ("measures", "baseline", "order"), "Rprec"),
    "scatter": Kind(2, 2, ("measures", "baseline"), "AP"),
    "intervals": Kind(
        2, MANY, ("measures", "baseline", "no_baseline", "test", "correction", "alpha"), "AP"
    ),
    "median": Kind(1, 1, ("measures", "order"), "AP"),
    "sweep": Kind(0, MANY, ("measures", "along", "lines"), "AP"),
}
OF_SOME_KINDS = (
    *("measures", "baseline", "no_baseline", "order", "test", "correction", "alpha"),
    *("along", "lines"),
)
OF_STATIC_FIGURES = ("width", "height", "dpi")


@command("figure")
@click.argument("kind", metavar="KIND", type=click.Choice(list(KINDS)))
@runs_argument()
@output_option(
    "The file to write: .svg, .png, .pdf, or .html, which is interactive.",
    required=True,
    complete=files,
)
@click.option(
    "--order",
    type=click.Choice(("query", "difference")),
    default="query",
    show_default=True,
    help="Of the queries, in differences and median.",
)
@click.option("--along", metavar="PARAMETER", help="The parameter on the axis of a sweep.")
@click.option(
    "--lines", metavar="PARAMETER", default="", help="In a sweep, a line a value of this parameter."
)
@click.option("--width", type=Number(2, 40), default=6.4, show_default=True, help="Inches.")
@click.option("--height", type=Number(1, 40), default=4.0, show_default=True, help="Inches.")
@click.option(
    "--dpi", type=click.IntRange(30, 1200), default=200, show_default=True, help="Of a PNG."
)
@comparison_options
@source_options
@click.pass_context
def figure(
    ctx: click.Context, /, kind: str, runs: tuple[str, ...], output: Path, **options: Any
) -> None:
    """Draw a figure of runs into a file.

    KIND is recall-precision (interpolated precision at the 11 recall levels); precision-at-k or
    recall-at-k (at cutoffs from 5 to 1,000); differences (run - baseline for every query, of
    R-precision unless -m names another measure); scatter (the run against the baseline, a point a
    query, of AP); intervals (the mean difference of every pair with its interval, of AP);
    median (a stored run - the median of its collection's runs for every query, of AP); or sweep
    (AP against the parameter --along, a point a stored run: those given, or all).

    Of two runs the first is the baseline unless --baseline says otherwise. Runs that can't be
    compared are not drawn: the exit status is 1.
    """
    runs = given_runs(runs, options) if runs or kind != "sweep" else ()
    _check(ctx, kind, with_baseline(runs, options["baseline"]), output)
    drawing = _sweep(runs, options) if kind == "sweep" else _drawing(ctx, kind, runs, options)
    warn(*drawing.notes)
    if output.suffix.lower() == ".html":
        _write_page(output, drawing)
    else:
        _write_static(output, drawing, options)
    click.echo(printable(str(output)))


def _check(ctx: click.Context, kind: str, runs: Sequence[str], output: Path) -> None:
    """Refuse runs and options that this kind does not take, before anything is read."""
    suffix = output.suffix.lower()
    if suffix not in SUFFIXES:
        ending = f"ends in {printable(suffix)}" if suffix else "has no suffix"
        raise click.UsageError(f"--output {ending}; there are {', '.join(SUFFIXES)}")
    takes = KINDS[kind]
    if not takes.least <= len(runs) <= takes.most:
        expected = {1: "one run", 2: "two runs"}.get(takes.most, "two runs or more")
        raise click.UsageError(f"{kind} takes {expected}; got {len(runs)}")
    refuse(ctx, {*OF_SOME_KINDS} - {*takes.options}, f"means nothing for {kind}")
    if suffix == ".html":
        refuse(ctx, OF_STATIC_FIGURES, f"means nothing for {suffix}")


def _one_measure(kind: str, options: Mapping[str, Any]) -> tuple[str, Measure]:
    from evalstore.measures import named_measures

    measures = named_measures(options["measures"] or (KINDS[kind].measure,))
    if len(measures) > 1:
        raise click.UsageError(f"{kind} is drawn of one measure")
    (one,) = measures.items()
    return one


def _drawing(
    ctx: click.Context, kind: str, runs: Sequence[str], options: Mapping[str, Any]
) -> Drawing:
    from dashboard.figures import drawings, frames
    from evalstore.measures import named_measures

    if kind == "intervals":
        names = options["measures"] or (KINDS[kind].measure,)
        _, compared = load_and_compare(ctx, runs, {**options, "measures": names})
        _tell(compared.comparable, compared.reasons)
        return drawings.intervals(compared)
    if kind in frames.FOR_CURVES:
        loaded = load_runs(ctx, runs, named_measures(frames.FOR_CURVES[kind]), options)
        _check_comparable(loaded, {})
        if kind == "recall-precision":
            return drawings.recall_precision(loaded)
        return drawings.at_cutoffs(loaded, "P" if kind == "precision-at-k" else "R")
    measure = _one_measure(kind, options)
    runs = with_baseline(runs, options["baseline"])
    loaded = load_runs(ctx, runs, dict([measure]), options)
    baseline = loaded.baseline or 0
    _check_comparable(loaded, dict([measure]))
    if kind == "differences":
        return drawings.differences(loaded, measure, baseline, options["order"])
    if kind == "scatter":
        return drawings.scatter(loaded, measure, baseline)
    return _median(loaded, measure, options)


def _sweep(runs: Sequence[str], options: Mapping[str, Any]) -> Drawing:
    from dashboard.figures import drawings
    from dashboard.figures.frames import Swept, is_number
    from evalstore.errors import DataError
    from evalstore.leaderboard.run_list import Choice

    along, lines = options["along"], options["lines"]
    if not along:
        raise click.UsageError("sweep needs --along PARAMETER, the one on the axis")
    _, measure = _one_measure("sweep", options)
    columns = tuple(filter(None, (along, lines)))
    with opened_store(options["db"]) as store:
        collection = only_collection(store, options["collection"])
        choice = Choice(collection=collection, qrels=options["qrels"], columns=columns)
        listed = store.list_runs([measure], choice, None)
    unknown = set(runs) - {run.run for run in listed}
    if unknown:
        raise DataError(f"no run {min(unknown)!r} in collection {collection!r}")
    chosen = [run for run in listed if (not runs or run.run in runs) and str(measure) in run.values]
    swept = [
        Swept(run.run, run.columns, run.values[str(measure)], run.answered >= run.queries)
        for run in chosen
    ]
    if not any(is_number(run.parameters.get(along)) for run in swept):
        raise DataError(f"none of these {len(swept):,} runs has a number as parameter {along!r}")
    return drawings.sweep(swept, measure, along, lines)


def _median(
    loaded: LoadedRuns, measure: tuple[str, Measure], options: Mapping[str, Any]
) -> Drawing:
    from dashboard.figures import drawings

    (run,) = loaded.runs
    if not run.collection:
        raise click.UsageError("median is of stored runs: a file has no collection")
    with opened_store(options["db"]) as store:
        medians = store.medians(run, dict([measure]))
    return drawings.median(loaded, measure, medians, options["order"])


def _check_comparable(loaded: LoadedRuns, measures: Mapping[str, Measure]) -> None:
    """Refuse runs that can't be compared."""
    from evalstore.comparison.comparability import comparability, pairs_of

    if loaded.obstacle is not None:
        _tell("no", (loaded.obstacle,))
    if len(loaded.runs) == 1:
        return
    verdict = comparability(loaded.runs, measures, pairs_of(len(loaded.runs), None))
    _tell(verdict.comparable, verdict.reasons)


def _tell(comparable: str, reasons: Sequence[str]) -> None:
    """Warn of differences between the runs; refuse runs that can't be compared."""
    from evalstore.errors import NotComparable

    if comparable == "no":
        raise NotComparable(f"not comparable, because {'; '.join(reasons)}")
    warn(*reasons)


def _write_page(output: Path, drawing: Drawing) -> None:
    from dashboard.report.page import render

    caption = " ".join((drawing.caption, *drawing.notes))
    page = render("figure", drawing.title, {"figure": drawing.interactive()}, caption=caption)
    with written(output) as stream:
        stream.write(page)


def _write_static(output: Path, drawing: Drawing, options: Mapping[str, Any]) -> None:
    from dashboard.figures.static import save

    drawn = drawing.static((options["width"], options["height"]))
    form: Any = output.suffix.lower().removeprefix(".")
    with written_bytes(output) as stream:
        save(drawn, stream, form, options["dpi"])


# `evalstore export report`

FOR_SEVERAL = ("test", "correction", "alpha")


@command()
@runs_argument()
@output_option("The page to write; an existing file is replaced.", required=True, complete=files)
@comparison_options
@source_options
@click.pass_context
def report(ctx: click.Context, /, runs: tuple[str, ...], output: Path, **options: Any) -> None:
    """Write a report as one HTML file that needs no network.

    Of two runs or more: whether they may be compared, the figures and tests of `evalstore compare`,
    recall-precision curves, differences by query, and a table of all queries. Where the runs can't
    be compared the page says why, and the exit status is 1.

    Of one run: what NIST prints for each run of TREC, with the average precision of each query
    against the median of the collection's runs. Runs given as files, with --qrels FILE, have no
    collection, and so no median.
    """
    runs = given_runs(runs, options)
    if len(with_baseline(runs, options["baseline"])) == 1:
        _of_one(ctx, runs, output, options)
        return
    from dashboard.figures.frames import FOR_REPORTS
    from dashboard.report.comparison import comparison_report
    from dashboard.report.page import origin_here
    from evalstore.comparison.claims import comparability_line

    loaded, compared = load_and_compare(ctx, runs, options, FOR_REPORTS)
    slots = _slots(loaded.runs, options["db"])
    origin = origin_here(_command_line(ctx))
    page = comparison_report(loaded, compared, compared.baseline, origin, slots)
    _write(output, page)
    if compared.comparable == "no":
        click.echo(printable(comparability_line(compared)), err=True)
        sys.exit(1)


def _of_one(
    ctx: click.Context, runs: tuple[str, ...], output: Path, options: dict[str, Any]
) -> None:
    from dashboard.figures.frames import FOR_REPORTS
    from dashboard.report.comparison import run_report
    from dashboard.report.page import origin_here
    from evalstore.errors import DataError
    from evalstore.measures import named_measures

    refuse(ctx, FOR_SEVERAL, "is for two runs or more")
    asked = options["measures"] or DEFAULT_MEASURES
    measures = named_measures(asked)
    loaded = load_runs(ctx, runs, named_measures([*FOR_REPORTS, *asked]), options)
    if loaded.obstacle is not None:
        raise DataError(loaded.obstacle)
    medians = _medians(loaded.runs[0], runs[0], options["db"])
    _write(output, run_report(loaded, measures, medians, origin_here(_command_line(ctx))))


def _slots(runs: Sequence[RunValues], db: str) -> list[int]:
    """The colour and mark numbers of stored runs; an empty list if they are files."""
    collections = {run.collection for run in runs}
    if len(collections) != 1 or "" in collections:
        return []
    from dashboard.theme import identities
    from evalstore.leaderboard.run_list import Choice

    collection = collections.pop()
    with opened_store(db) as store:
        stored = store.list_runs([], Choice(collection=collection))
        of_engines = store.engine_slots(collection)
    newest_first = sorted(stored, key=lambda run: -run.id)
    newer = Counter[str]()
    places = {}
    for run in newest_first:
        places[run.run] = run.id, run.engine, newer[run.engine]
        newer[run.engine] += 1
    if any(run.name not in places for run in runs):  # a file, compared with stored runs
        return []
    slots = identities([places[run.name] for run in runs], of_engines)
    return [slots[places[run.name][0]] for run in runs]


def _medians(run: RunValues, given: str, db: str) -> Medians | None:
    """The medians of a stored run's collection; None for a run from a file."""
    if not run.collection:
        return None
    from evalstore.errors import NotFound
    from evalstore.measures import named_measures

    with opened_store(db) as store:
        try:
            store.run_facts(given, run.collection)
        except NotFound:  # a file, under the judgments of a server
            return None
        return store.medians(run, named_measures(["AP"]))


def _write(output: Path, page: str) -> None:
    with written(output) as stream:
        stream.write(page)
    if output.is_file():  # not for /dev/stdout
        click.echo(f"{printable(str(output))}: {len(page.encode()) / 1e6:.1f} MB")


def _command_line(ctx: click.Context) -> str:
    """The command as it was typed, without the store, whose address may contain a password."""
    words = ["evalstore", *words_of(ctx)]
    for parameter in ctx.command.params:
        name = str(parameter.name)
        if not is_typed(ctx, name) or name == "db":
            continue
        value = ctx.params[name]
        if getattr(parameter, "is_flag", False):
            words.append(parameter.opts[-1])
            continue
        for one in value if isinstance(value, tuple) else (value,):
            option = [] if isinstance(parameter, click.Argument) else [parameter.opts[-1]]
            words += [*option, str(one)]
    return shlex.join(words)
