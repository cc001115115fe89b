"""`evalstore plot`: a figure of runs as a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from evalstore.cli.complete import files
from evalstore.cli.output import printable, warn
from evalstore.cli.run_paths import given_runs
from evalstore.cli.runs_to_compare import (
    comparison_options,
    load_and_compare,
    load_runs,
    runs_argument,
    source_options,
    with_baseline,
)
from evalstore.cli.stores import reading
from evalstore.cli.write_file import written, written_bytes

if TYPE_CHECKING:
    from dashboard.figures.drawings import Drawing
    from evalstore.comparison.loading import LoadedRuns
    from evalstore.measures import Measure

SUFFIXES = (".svg", ".png", ".pdf", ".html")
MANY = 1_000_000


class Kind(NamedTuple):
    """What a kind of figure takes: how many runs, which options, the measure unless one is given.

    `options` are those of `OF_SOME_KINDS`.
    """

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
}
OF_SOME_KINDS = ("measures", "baseline", "no_baseline", "order", "test", "correction", "alpha")
OF_STATIC_FIGURES = ("width", "height", "dpi")


@click.command()
@click.argument("kind", metavar="KIND", type=click.Choice(list(KINDS)))
@runs_argument()
@click.option(
    "--out",
    "output",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    shell_complete=files,
    help="The file to write: .svg, .png, .pdf, or .html, which is interactive.",
)
@click.option(
    "--order",
    type=click.Choice(("query", "difference")),
    default="query",
    show_default=True,
    help="Of the queries, in differences and median.",
)
@click.option(
    "--width", type=click.FloatRange(2, 40), default=6.4, show_default=True, help="Inches."
)
@click.option(
    "--height", type=click.FloatRange(1, 40), default=4.0, show_default=True, help="Inches."
)
@click.option(
    "--dpi", type=click.IntRange(30, 1200), default=200, show_default=True, help="Of a PNG."
)
@comparison_options
@source_options
@click.pass_context
def plot(
    ctx: click.Context, /, kind: str, runs: tuple[str, ...], output: Path, **options: Any
) -> None:
    """Draw a figure of runs into a file.

    KIND is recall-precision (interpolated precision at the 11 recall levels); precision-at-k or
    recall-at-k (at cutoffs from 5 to 1,000); differences (run - baseline for every query, of
    R-precision unless -m names another measure); scatter (the run against the baseline, a point a
    query, of AP); intervals (the mean difference of every pair with its interval, of AP); or
    median (a stored run - the median of its collection's runs for every query, of AP).

    Of two runs the first is the baseline unless --baseline says otherwise. Runs that can't be
    compared are not drawn: the exit status is 1.
    """
    runs = given_runs(runs, options)
    _check(ctx, kind, with_baseline(runs, options["baseline"]), output)
    drawing = _drawing(ctx, kind, runs, options)
    for note in drawing.notes:
        warn(note)
    if output.suffix.lower() == ".html":
        _write_page(output, drawing)
    else:
        _write_static(output, drawing, options)
    click.echo(printable(str(output)))


def _check(ctx: click.Context, kind: str, runs: Sequence[str], output: Path) -> None:
    """Refuse what this kind does not take, before anything is read."""
    suffix = output.suffix.lower()
    if suffix not in SUFFIXES:
        ending = f"ends in {printable(suffix)}" if suffix else "has no suffix"
        raise click.UsageError(f"--out {ending}; there are {', '.join(SUFFIXES)}")
    takes = KINDS[kind]
    if not takes.least <= len(runs) <= takes.most:
        if takes.least == takes.most:
            expected = "one run" if takes.least == 1 else "two runs"
        else:
            expected = "two runs or more"
        raise click.UsageError(f"{kind} takes {expected}; got {len(runs)}")
    unused = [name for name in OF_SOME_KINDS if name not in takes.options]
    if suffix == ".html":
        unused += OF_STATIC_FIGURES
    for name in unused:
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            option = "measure" if name == "measures" else name.replace("_", "-")
            what = suffix if name in OF_STATIC_FIGURES else kind
            raise click.UsageError(f"--{option} means nothing for {what}")
    if kind != "intervals" and len(ctx.params["measures"]) > 1:
        raise click.UsageError(f"{kind} is drawn of one measure")


def _drawing(
    ctx: click.Context, kind: str, runs: Sequence[str], options: Mapping[str, Any]
) -> Drawing:
    from dashboard.figures import drawings, frames
    from evalstore.measures import named_measures

    names = options["measures"] or (KINDS[kind].measure,)
    if kind == "intervals":
        compared = load_and_compare(ctx, runs, {**options, "measures": names})[1]
        _tell(compared.comparable, compared.reasons)
        return drawings.intervals(compared)
    if kind in frames.FOR_CURVES:
        loaded = load_runs(ctx, runs, named_measures(frames.FOR_CURVES[kind]), options)
        _check_comparable(loaded, {})
        if kind == "recall-precision":
            return drawings.recall_precision(loaded)
        return drawings.at_cutoffs(loaded, "P" if kind == "precision-at-k" else "R")
    measures = named_measures(names)
    if len(measures) > 1:
        raise click.UsageError(f"{kind} is drawn of one measure")
    (measure,) = measures.items()
    runs = with_baseline(runs, options["baseline"])
    baseline = 0 if options["baseline"] is None else runs.index(options["baseline"])
    loaded = load_runs(ctx, runs, measures, options)
    _check_comparable(loaded, measures)
    if kind == "differences":
        return drawings.differences(loaded, measure, baseline, options["order"])
    if kind == "scatter":
        return drawings.scatter(loaded, measure, baseline)
    return _median(loaded, measure, options)


def _median(
    loaded: LoadedRuns, measure: tuple[str, Measure], options: Mapping[str, Any]
) -> Drawing:
    from dashboard.figures import drawings

    (run,) = loaded.runs
    if not run.collection:
        raise click.UsageError("median is of stored runs: a file has no collection")
    with reading(options["db"]) as reader:
        medians = reader.medians(run, dict([measure]))
    return drawings.median(loaded, measure, medians, options["order"])


def _check_comparable(loaded: LoadedRuns, measures: Mapping[str, Measure]) -> None:
    """Refuse runs that can't be compared, or of which no query is answered by all."""
    from dashboard.figures.frames import shared_queries
    from evalstore.comparison.comparability import comparability, pairs_of
    from evalstore.errors import NotComparable

    if loaded.obstacle is not None:
        _tell("no", (loaded.obstacle,))
    if len(loaded.runs) == 1:
        return
    verdict = comparability(loaded.runs, measures, pairs_of(len(loaded.runs), None))
    _tell(verdict.comparable, verdict.reasons)
    if not shared_queries(loaded.runs):
        raise NotComparable("no query is answered by all of these runs")


def _tell(comparable: str, reasons: Sequence[str]) -> None:
    """Warn of runs that differ in something; refuse those that can't be compared."""
    from evalstore.errors import NotComparable

    if comparable == "no":
        raise NotComparable(f"not comparable, because {'; '.join(reasons)}")
    for reason in reasons:
        warn(reason)


def _write_page(output: Path, drawing: Drawing) -> None:
    from dashboard.report.page import Html, escaped, figure, joined, page

    body = joined(
        Html(f"<h1>{escaped(drawing.title)}</h1>"),
        figure("figure", drawing.title, " ".join((drawing.caption, *drawing.notes))),
    )
    with written(output) as stream:
        stream.write(page(drawing.title, body, {"figure": drawing.interactive()}))


def _write_static(output: Path, drawing: Drawing, options: Mapping[str, Any]) -> None:
    from dashboard.figures.static import save

    drawn = drawing.static((options["width"], options["height"]))
    form: Any = output.suffix.lower().removeprefix(".")
    with written_bytes(output) as stream:
        save(drawn, stream, form, options["dpi"])
