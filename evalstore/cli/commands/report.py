"""`evalstore report`: a comparison, or one run, as a page in a file."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalstore.cli.complete import files
from evalstore.cli.output import printable
from evalstore.cli.run_paths import given_runs
from evalstore.cli.runs_to_compare import (
    DEFAULT_MEASURES,
    comparison_options,
    load_and_compare,
    load_runs,
    runs_argument,
    source_options,
    with_baseline,
)
from evalstore.cli.stores import reading
from evalstore.cli.write_file import written

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dashboard.report.parts import Origin
    from evalstore.comparison.comparability import RunValues
    from evalstore.comparison.loading import Medians

FOR_SEVERAL = ("test", "correction", "alpha")


@click.command()
@runs_argument()
@click.option(
    "--html",
    "output",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    shell_complete=files,
    help="The page to write; an existing file is replaced.",
)
@comparison_options
@source_options
@click.pass_context
def report(ctx: click.Context, /, runs: tuple[str, ...], output: Path, **options: Any) -> None:
    """Write a report as a page in one file, which needs no network and no server.

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
    from evalstore.comparison.claims import verdict

    loaded, compared = load_and_compare(ctx, runs, options, FOR_REPORTS)
    slots = _slots(loaded.runs, options["db"])
    page = comparison_report(loaded, compared, compared.baseline, _origin(ctx), slots)
    _write(output, page)
    if compared.comparable == "no":
        click.echo(printable(verdict(compared)), err=True)
        sys.exit(1)


def _of_one(
    ctx: click.Context, runs: tuple[str, ...], output: Path, options: dict[str, Any]
) -> None:
    from dashboard.figures.frames import FOR_REPORTS
    from dashboard.report.run import run_report
    from evalstore.errors import DataError
    from evalstore.measures import named_measures

    for name in FOR_SEVERAL:
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name} is for two runs or more")
    asked = options["measures"] or DEFAULT_MEASURES
    measures = named_measures(asked)
    loaded = load_runs(ctx, runs, named_measures([*FOR_REPORTS, *asked]), options)
    if loaded.obstacle is not None:
        raise DataError(loaded.obstacle)
    medians = _medians(loaded.runs[0], runs[0], options["db"])
    _write(output, run_report(loaded, measures, medians, _origin(ctx)))


def _slots(runs: Sequence[RunValues], db: str) -> list[int]:
    """The slots of colour and mark of stored runs; none where they are files."""
    collections = {run.collection for run in runs}
    if len(collections) != 1 or "" in collections:
        return []
    from dashboard.components.identity import identities
    from evalstore.errors import NotFound

    collection = collections.pop()
    with reading(db) as reader:
        try:
            stored = [reader.run_facts(run.name, collection) for run in runs]
        except NotFound:  # a file, compared with stored runs
            return []
        of_engines = reader.engine_slots(collection)
    slots = identities([(run.id, run.engine) for run in stored], of_engines)
    return [slots[run.id] for run in stored]


def _medians(run: RunValues, given: str, db: str) -> Medians | None:
    """The medians of a stored run's collection; None for a run given as a file."""
    if not run.collection:
        return None
    from evalstore.errors import NotFound
    from evalstore.measures import named_measures

    with reading(db) as reader:
        try:
            reader.run_facts(given, run.collection)
        except NotFound:  # a file, under the judgments of a server
            return None
        return reader.medians(run, named_measures(["AP"]))


def _write(output: Path, page: str) -> None:
    with written(output) as stream:
        stream.write(page)
    if output.is_file():  # and not /dev/stdout
        click.echo(f"{printable(str(output))}: {len(page.encode()) / 1e6:.1f} MB")


def _origin(ctx: click.Context) -> Origin:
    """The command, the time and the versions, for the section on how a report was computed."""
    import platform
    from datetime import UTC, datetime
    from importlib.metadata import version

    from dashboard.report.parts import Origin
    from evalstore import __version__

    return Origin(
        command=_command_line(ctx),
        made_at=datetime.now(UTC),
        versions={
            "evalstore": __version__,
            "Python": platform.python_version(),
            "NumPy": version("numpy"),
            "SciPy": version("scipy"),
        },
    )


def _command_line(ctx: click.Context) -> str:
    """The command as it was given, without the store, whose address may hold a password."""
    words = ["evalstore", str(ctx.info_name)]
    for parameter in ctx.command.params:
        name = str(parameter.name)
        given = ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if not given or name == "db":
            continue
        value = ctx.params[name]
        if getattr(parameter, "is_flag", False):
            words.append(parameter.opts[-1])
            continue
        for one in value if isinstance(value, tuple) else (value,):
            option = [] if isinstance(parameter, click.Argument) else [parameter.opts[-1]]
            words += [*option, str(one)]
    return shlex.join(words)
