"""`evalstore check`: a gate for continuous integration."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalstore.cli import complete
from evalstore.cli.chosen_runs import (
    are_files,
    load_chosen,
    runs_and_baseline,
    runs_argument,
    source_options,
    test_options,
)
from evalstore.cli.errors import message_of
from evalstore.cli.inputs import one_run
from evalstore.cli.options import format_option, is_server, server
from evalstore.cli.output import printable, warn, write_json, write_losses, written
from evalstore.errors import EvalstoreError

if TYPE_CHECKING:
    from evalstore.comparison.check import Checked, Rule

COULD_NOT_COMPARE = 2
WORDS = {True: "FAILED", False: "passed", None: "can't be decided"}


@click.command()
@runs_argument("new", "NEW")
@click.option(
    "--baseline",
    metavar="OLD",
    shell_complete=complete.runs_or_files,
    help="The run to compare with, by name, id or file.  [default: the collection's baseline]",
)
@click.option(
    "--fail-if",
    "rules",
    metavar="RULE",
    multiple=True,
    required=True,
    help="What must not be, as 'nDCG@10 drop > 0.01 and p < 0.05'; may be repeated.",
)
@test_options
@click.option(
    "--worst",
    type=click.IntRange(0),
    metavar="N",
    default=10,
    show_default=True,
    help="The queries on which NEW loses most.",
)
@format_option("text", "markdown", "json")
@click.option(
    "--markdown",
    "markdown_file",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write the summary for a pull request.",
)
@click.option(
    "--junit",
    "junit_file",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write JUnit XML.",
)
@source_options
@click.pass_context
def check(
    ctx: click.Context,
    /,
    new: str,
    baseline: str | None,
    rules: Sequence[str],
    worst: int,
    shape: str,
    markdown_file: Path | None,
    junit_file: Path | None,
    **options: Any,
) -> None:
    """Fail where the run NEW is worse than its baseline: a gate for continuous integration.

    Without --baseline it is the one that `evalstore baseline set` chose for the collection of NEW.

    A rule says what must not be: a measure, one of drop, rise, difference, value, low, high, p,
    d, wins, ties, losses, worst_drop (queries and missing take no measure), one of > >= < <=, and
    a number, of some figures also in %. Conditions are joined by and, or, not and parentheses; one
    without a measure is about the measure named last. docs/checking.md describes each.

    The exit status is 0 where no rule holds, 1 where one does, and 2 where the runs could not be
    compared.

    Through the team's server the result is recorded there, and told to its webhooks, where the
    token may write.
    """
    from evalstore.comparison.check import RuleError, parse_rule

    try:
        parsed = [parse_rule(rule) for rule in rules]
    except RuleError as error:
        raise click.UsageError(printable(f"--fail-if {error}")) from None
    try:
        checked = _checked(ctx, new, baseline, parsed, worst, options)
        _write_files(checked, markdown_file, junit_file)
    except EvalstoreError as error:
        message = message_of(error)
        click.echo(printable(message), err=True)
        with suppress(EvalstoreError):  # a file that can't be written was the error itself
            _write_error(message, markdown_file, junit_file)
        sys.exit(COULD_NOT_COMPARE)
    {"text": _text, "markdown": _markdown, "json": _json}[shape](checked)
    if is_server(options["db"]):
        _record(new, checked, options)
    sys.exit({"passed": 0, "failed": 1}.get(checked.outcome, COULD_NOT_COMPARE))


def _checked(
    ctx: click.Context,
    new: str,
    baseline: str | None,
    rules: Sequence[Rule],
    worst: int,
    options: Mapping[str, Any],
) -> Checked:
    from evalstore.comparison.check import check_loaded, measures_of
    from evalstore.comparison.loading import RunsToCompare
    from evalstore.comparison.significance import Settings

    new = one_run(new, options)
    baseline = None if baseline is None else one_run(baseline, options)
    settings = Settings(options["test"], options["correction"], options["alpha"])
    if baseline is not None:
        chosen = RunsToCompare((baseline, new), 0, options["collection"])
    elif are_files((new,), options):
        raise click.UsageError("files are in no collection with a baseline: give --baseline OLD")
    else:
        chosen = runs_and_baseline(ctx, (new,), None, options)
    loaded = load_chosen(ctx, chosen, measures_of(rules), options)
    return check_loaded(loaded, rules, settings, worst)


def _record(new: str, checked: Checked, options: Mapping[str, Any]) -> None:
    """Record the result on the server; where that fails, a warning says so."""
    from evalstore.client.remote_changes import record_gate

    try:
        with server(options["db"]) as reached:
            record_gate(reached, one_run(new, options), options["collection"], checked)
    except EvalstoreError as error:
        warn(f"the result of this gate is not recorded: {error}")


def _write_files(checked: Checked, markdown_file: Path | None, junit_file: Path | None) -> None:
    if markdown_file is not None:
        from evalstore.comparison.check_reports import markdown

        with written(markdown_file) as stream:
            stream.write(markdown(checked))
    if junit_file is not None:
        from evalstore.comparison.check_reports import junit

        with written(junit_file) as stream:
            stream.write(junit(checked))


def _write_error(message: str, markdown_file: Path | None, junit_file: Path | None) -> None:
    """Leave no summary of an earlier check where this one could not be made."""
    if markdown_file is not None:
        from evalstore.comparison.check_reports import markdown_error

        with written(markdown_file) as stream:
            stream.write(markdown_error(message))
    if junit_file is not None:
        from evalstore.comparison.check_reports import junit_error

        with written(junit_file) as stream:
            stream.write(junit_error(message))


def _text(checked: Checked) -> None:
    from evalstore.comparison.check_reports import figures_of, headline
    from evalstore.comparison.claims import sentences, verdict

    click.echo(printable(headline(checked)))
    if checked.outcome == "not comparable":
        return
    for result in checked.results:
        line = f"{WORDS[result.fails]}: {result.rule.text} ({figures_of(result)})"
        click.echo(printable(line))
    click.echo()
    for sentence in (*sentences(checked.compared), verdict(checked.compared)):
        click.echo(printable(sentence))
    for note in checked.compared.notes:
        click.echo(printable(f"note: {note}"))
    write_losses(checked.losses, checked.compared.texts)


def _markdown(checked: Checked) -> None:
    from evalstore.comparison.check_reports import markdown

    click.echo(markdown(checked), nl=False)


def _json(checked: Checked) -> None:
    from evalstore.comparison.check_reports import headline

    if checked.outcome != "passed":
        warn(headline(checked))
    write_json(checked.to_dict())
