"""`evalstore compare`, `values`, `check` and `reproduce`: runs beside each other, gates."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from evalstore.cli import complete
from evalstore.cli.chosen_runs import (
    are_files,
    by_option,
    chosen_options,
    comparison_options,
    load_and_compare,
    load_runs,
    runs_argument,
    slices_by,
    source_options,
    warn_of,
)
from evalstore.cli.errors import message_of
from evalstore.cli.inputs import given_runs, one_run
from evalstore.cli.options import (
    FRACTION,
    format_option,
    is_server,
    measure_option,
    scheduler_option,
    server,
    test_options,
)
from evalstore.cli.output import (
    print_notes,
    printable,
    table,
    warn,
    write_csv,
    write_json,
    write_losses,
    written,
)
from evalstore.cli.structure import command
from evalstore.errors import EvalstoreError

if TYPE_CHECKING:
    from evalstore.comparison.compare import Slices
    from evalstore.comparison.gate.check import Checked
    from evalstore.comparison.gate.rules import Rule
    from evalstore.comparison.significance import Compared, Pair, Settings
    from evalstore.leaderboard.reproduction import Reproduction
    from evalstore.tables.renderers import Format
    from evalstore.tables.table import Style


VALUES_OF = "nDCG@10"
WIDEST_BAR = 50
FIRST_TO_LEAVE_OUT = ("p", "d", "queries", "mean a", "mean b", "W/T/L", "interval")


@command()
@runs_argument()
@comparison_options
@click.option("--plot", is_flag=True, help="Also a histogram of the differences per query.")
@click.option(
    "--worst",
    type=click.IntRange(0),
    metavar="N",
    default=10,
    show_default=True,
    help="The queries on which a run loses most, by the first measure.",
)
@by_option
@click.option(
    "-q",
    "--per-query",
    is_flag=True,
    help="In JSON also the values of every query; in CSV a row a pair and query instead.",
)
@click.option(
    "--holdout",
    type=FRACTION,
    metavar="SHARE",
    help="Compare over this share of the queries alone; of several runs with a baseline only the "
    "one that is best on the other queries.",
)
@click.option(
    "--predicted-by",
    metavar="NAME|FILE",
    shell_complete=complete.qrels_or_files,
    help="Judgments of a model: those of the queries that --qrels does not judge make the "
    "differences more precise.",
)
@scheduler_option
@format_option("table", "csv", "json")
@source_options
@click.pass_context
def compare(
    ctx: click.Context,
    /,
    runs: tuple[str, ...],
    plot: bool,
    worst: int,
    by: str | None,
    per_query: bool,
    shape: str,
    **options: Any,
) -> None:
    """Compare runs: is the difference real, on which queries, and may they be compared at all.

    Runs are named as in the store, by name or id; or given as files, with --qrels FILE and no
    store. Differences are the second run less the first (b - a). The exit status is 1 where the
    runs can't be compared.

    One stored run is compared with the baseline of its collection (`evalstore runs baseline`). If
    three runs or more include it, all others are compared with it alone; --no-baseline compares all
    pairs. Of three or more the first line says which is best on the first measure, by the tests of
    `evalstore leaderboard`, which are of all pairs.

    p is that of --test; "p corr." is p after --correction for all lines of the table. d is Cohen's,
    of the paired differences; W/T/L are the queries on which b wins, ties and loses. The interval
    is of one difference, before any correction.

    --where compares only some queries (--where lang=de, --where 'length>=4'), --by adds the figures
    of every group of them, with p corrected over the groups. Attributes are the further columns or
    keys of the queries file, or set by `evalstore queries tag`; length is the number of words.

    --holdout chooses on one part of the queries and tests on the other: of the runs beside the
    baseline, the best by the first measure. Which queries are held out is stored with a collection
    as their attribute holdout (yes or no), so that everybody tests on the same ones.

    --predicted-by adds the difference that people's judgments of all queries would show, estimated
    from people's of few (--qrels) and a model's of many: on the shared queries the model is
    corrected, so that its bias does no harm. Both must be random samples of the same queries.
    """
    from evalstore.comparison.claims import regressions
    from evalstore.comparison.comparison_table import comparison_document

    if per_query and shape == "table":
        raise click.UsageError(
            "--per-query is for --format json or csv; `evalstore values` prints a table"
        )
    _, compared = load_and_compare(ctx, given_runs(runs, options), options)
    slices = slices_by(compared, by)
    if shape == "csv":
        _csv(compared, slices, per_query)
    elif shape == "json":
        warn_of(compared, slices)
        write_json(comparison_document(compared, slices, values=per_query))
    else:
        _table(compared)
        if slices is not None:
            _slice_table(slices)
        write_losses(regressions(compared, worst), compared.texts)
        if plot:
            _plot(compared)
    if compared.comparable == "no":
        sys.exit(1)


def _table(compared: Compared) -> None:
    from evalstore.comparison.claims import comparability_line, sentences
    from evalstore.leaderboard.ranks import summary_of_comparison

    if best := summary_of_comparison(compared):
        click.echo(printable(best))
    click.echo(printable(comparability_line(compared)))
    print_notes(*compared.notes)
    if not compared.pairs:
        return
    click.echo()
    _pair_table(compared.settings, [((), pair) for pair in compared.pairs])
    click.echo()
    for sentence in (*sentences(compared), *(of.sentence for of in compared.predicted)):
        click.echo(printable(sentence))


def _pair_table(
    settings: Settings, pairs: Sequence[tuple[tuple[str, ...], Pair]], *first: str
) -> None:
    """Print the figures of pairs; the columns `first` come before them."""
    test = settings.test
    level = f"{100 * (1 - settings.alpha):g} % interval"
    headers = (
        *first,
        *("a", "b", "measure", "queries", "mean a", "mean b", "b - a", level),
        *("p", "p corr.", "d", "W/T/L"),
    )
    rows = [
        (
            *before,
            *(pair.a, pair.b, pair.measure, pair.queries, pair.mean_a, pair.mean_b),
            *(f"{pair.difference:+.4f}", interval_text(pair)),
            *(p_text(pair.p[test]), p_text(pair.p_corrected[test])),
            *(_finite(pair.cohens_d, ".2f"), f"{pair.wins}/{pair.ties}/{pair.losses}"),
        )
        for before, pair in pairs
    ]
    drop = [level if header == "interval" else header for header in FIRST_TO_LEAVE_OUT]
    table(headers, rows, left=len(first) + 3, drop=drop)


def _slice_table(slices: Slices) -> None:
    """Print the figures of every slice, below the figures of all queries."""
    if not slices.slices:
        return
    over = f"p corr. is over {slices.comparisons:,} comparisons"
    click.echo()
    click.echo(printable(f"by {slices.attribute}, {len(slices.slices):,} slices; {over}:"))
    print_notes(*slices.notes)
    pairs = [((part.label,), pair) for part in slices.slices for pair in part.pairs]
    _pair_table(slices.settings, pairs, slices.attribute)
    click.echo()
    for sentence in slices.sentences:
        click.echo(printable(sentence))


def interval_text(pair: Pair) -> str:
    """The interval of the mean difference; empty if it has no limits."""
    low, high = (_finite(end, "+.4f") for end in pair.interval)
    return f"{low} to {high}" if low else ""


def p_text(p: float) -> str:
    """A p value with 4 decimals, or `<` and the smallest such number."""
    from evalstore.tables.table import written_value

    return written_value(p, "p", 4)


def _finite(number: float, digits: str) -> str:
    """A number as text; an empty text for NaN and infinity."""
    return f"{number:{digits}}" if abs(number) < float("inf") else ""


def _csv(compared: Compared, slices: Slices | None, per_query: bool) -> None:
    """The pairs as rows; slices add a column, which is empty in rows for all queries."""
    from evalstore.comparison.comparison_table import comparison_table, differences_table
    from evalstore.tables.renderers import header_and_rows

    warn_of(compared, slices)
    for of in compared.predicted:  # CSV has the figures of people's judgments alone
        click.echo(printable(of.sentence), err=True)
    if per_query:
        write_csv(*header_and_rows(differences_table(compared)))
    else:
        write_csv(*header_and_rows(comparison_table(compared, slices)))


def _plot(compared: Compared) -> None:
    """Print a histogram of the differences for every pair and measure."""
    from evalstore.comparison.claims import histogram

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


# `evalstore values`


@command()
@runs_argument()
@measure_option(
    f"A measure, computed where it is not stored; may be repeated.  [default: {VALUES_OF}]"
)
@click.option(
    "--worst",
    type=click.IntRange(1),
    metavar="N",
    help="Only the N queries with the worst values of the first measure, of several runs with the "
    "worst mean; the worst first.",
)
@format_option("table", "csv", "tsv", "json", "markdown", "latex", "trec")
@source_options
@click.pass_context
def values(
    ctx: click.Context,
    /,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    worst: int | None,
    shape: str,
    **options: Any,
) -> None:
    """List the values of runs for each query: stored runs, or files with --qrels FILE.

    A query that a run does not answer has the value of an empty ranking; a value that is undefined
    is empty. --where chooses queries: --where lang=de, --where 'length>=4'.
    """
    from evalstore.comparison.comparison_table import values_export
    from evalstore.errors import NotComparable
    from evalstore.measures import named_measures
    from evalstore.tables.renderers import export_text
    from evalstore.tables.table import written_value

    asked = named_measures(measures or [VALUES_OF])
    loaded = load_runs(ctx, given_runs(runs, options), asked, options)
    if loaded.obstacle is not None:
        raise NotComparable(loaded.obstacle)
    export = values_export(loaded, asked, worst)
    warn(*loaded.notes)
    if loaded.restriction is not None:
        click.echo(printable(f"over {loaded.restriction}"), err=True)
    if shape != "table":
        click.echo(export_text(export, cast("Format", shape)), nl=False)
        return
    click.echo(printable(export.table.title), err=True)
    shown = export.table.in_documents
    headers = [export.table.columns[number].heading or "" for number in shown]
    rows = [
        [written_value(row[n], export.table.columns[n].style, 4) for n in shown]
        for row in export.table.rows
    ]
    table(headers, rows, left=len(headers) - len(loaded.runs) * len(asked))


# `evalstore check`

COULD_NOT_COMPARE = 2
UNDECIDED = 3
WORDS = {True: "FAILED", False: "passed", None: "UNDECIDED"}


@command()
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
    help="What must not be, as 'nDCG@10 drop > 0.01 and p < 0.05'; may be repeated.",
)
@click.option(
    "--require",
    "requirements",
    metavar="RULE",
    multiple=True,
    help="What must be, as 'nDCG@10 not worse by 0.01' or 'AP same within 0.01'; may be repeated.",
)
@click.option(
    "--undecided",
    type=click.Choice(["pass", "fail"]),
    default="pass",
    show_default=True,
    help="What a requirement makes of the check that the queries neither show nor rule out.",
)
@click.option(
    "--allow-missing",
    is_flag=True,
    help="Let NEW leave queries without an answer that the baseline answers; without it, they fail "
    "the check.",
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
    requirements: Sequence[str],
    undecided: str,
    allow_missing: bool,
    worst: int,
    shape: str,
    markdown_file: Path | None,
    junit_file: Path | None,
    **options: Any,
) -> None:
    """Fail where the run NEW is worse than its baseline: a gate for continuous integration.

    Without --baseline it is the one that `evalstore runs baseline` chose for the collection of NEW.

    --fail-if 'AP drop > 0.01' lets the mean be lower by 0.01 at most; --require 'AP not worse by
    0.01' passes only if the queries also show it.

    --require says what must be: a measure, `not worse by` or `same within`, and a margin. It passes
    if the queries show it, fails if they show the contrary, and is else undecided.

    --fail-if says what must not be: a measure, one of drop, rise, difference, value, low, high, p,
    d, wins, ties, losses, worst_drop (queries and missing take no measure), one of > >= < <=, and
    a number. `drop > 0.01` is a difference of the means, `drop > 1 %` one per cent of the
    baseline's mean. Rules are joined by and, or, not and parentheses; one without a measure is
    about the measure named last. drop is how much worse the mean of NEW is, worst_drop how much
    worse NEW is on its worst query, low and high are the worse and the better end of the interval
    of the difference, and missing counts the queries that only the baseline answers.

    The exit status is 0 where the check passes, 1 where a rule fails, 2 where the command is wrong,
    the runs could not be compared or a figure that a rule needs has no value, and 3 where a
    requirement is undecided and --undecided is fail.

    Through the team's server the result is recorded there, and told to its webhooks, where the
    token may write.
    """
    from evalstore.comparison.gate.check import (
        headline,
        junit,
        junit_error,
        markdown,
        markdown_error,
    )

    parsed = _parsed(rules, requirements)
    try:
        checked = _checked(ctx, new, baseline, parsed, worst, options, allow_missing=allow_missing)
        _write(markdown_file, markdown(checked))
        _write(junit_file, junit(checked))
    except EvalstoreError as error:
        message = message_of(error)
        click.echo(printable(message), err=True)
        # Replace any summary of an earlier check. If it can't be written, that was the error.
        with suppress(EvalstoreError):
            _write(markdown_file, markdown_error(message))
            _write(junit_file, junit_error(message))
        sys.exit(COULD_NOT_COMPARE)
    if shape == "text":
        _text(checked)
    elif shape == "markdown":
        click.echo(markdown(checked), nl=False)
    else:
        if checked.outcome != "passed":
            warn(headline(checked))
        write_json(checked.to_dict())
    if is_server(options["db"]):
        _record(new, checked, options)
    sys.exit(_exit_status(checked, undecided))


def _parsed(rules: Sequence[str], requirements: Sequence[str]) -> list[Rule]:
    """The rules of --fail-if and of --require."""
    from evalstore.comparison.gate.rules import RuleError, parse_rule

    if not (rules or requirements):
        raise click.UsageError("give a rule: --require or --fail-if")
    parsed = []
    for option, texts in (("--fail-if", rules), ("--require", requirements)):
        for text in texts:
            try:
                rule = parse_rule(text)
            except RuleError as error:
                raise click.UsageError(printable(f"{option} {error}")) from None
            if option == "--require" and not rule.requires:
                raise click.UsageError(
                    printable(f"--require {text!r} says what must not be: give it to --fail-if")
                )
            parsed.append(rule)
    return parsed


def _exit_status(checked: Checked, undecided: str) -> int:
    """The exit status of a check; what is undecided is told on standard error."""
    from evalstore.comparison.gate.check import figures_of

    if checked.outcome != "undecided" or checked.lacks_figures:
        return {"passed": 0, "failed": 1}.get(checked.outcome, COULD_NOT_COMPARE)
    for result in checked.results:
        if result.fails is None:
            warn(f"UNDECIDED: {result.rule.text} ({figures_of(result)})")
    if undecided == "fail":
        return UNDECIDED
    warn("undecided counts as passed; with --undecided fail the exit status is 3")
    return 0


def _checked(
    ctx: click.Context,
    new: str,
    baseline: str | None,
    rules: Sequence[Rule],
    worst: int,
    options: Mapping[str, Any],
    *,
    allow_missing: bool,
) -> Checked:
    from evalstore.comparison.gate.check import check_loaded, measures_of

    new = one_run(new, options)
    runs: tuple[str, ...] = (new,)
    if baseline is not None:
        runs = (one_run(baseline, options), new)
    elif are_files((new,), options):
        raise click.UsageError("files are in no collection with a baseline: give --baseline OLD")
    # Two runs are compared as they are named, even if both are the same run.
    chosen = chosen_options(options, no_baseline=baseline is not None)
    loaded = load_runs(ctx, runs, measures_of(rules), options, chosen)
    return check_loaded(loaded, rules, chosen, worst, allow_missing=allow_missing)


def _record(new: str, checked: Checked, options: Mapping[str, Any]) -> None:
    """Record the result on the server; warn if that fails."""
    from evalstore.client.remote_store import record_gate

    try:
        with server(options["db"]) as reached:
            record_gate(reached, one_run(new, options), options["collection"], checked)
    except EvalstoreError as error:
        warn(f"the result of this gate is not recorded: {error}")


def _write(file: Path | None, text: str) -> None:
    if file is not None:
        with written(file) as stream:
            stream.write(text)


def _text(checked: Checked) -> None:
    from evalstore.comparison.claims import comparability_line, sentences
    from evalstore.comparison.gate.check import figures_of, headline

    click.echo(printable(headline(checked)))
    if checked.outcome == "not comparable":
        return
    for result in checked.results:
        # What must not be is a condition that reads as fulfilled where the rule passes.
        not_so = " is not so" if result.fails is False and not result.rule.requires else ""
        line = f"{WORDS[result.fails]}: {result.rule.text}{not_so} ({figures_of(result)})"
        click.echo(printable(line))
    click.echo()
    for sentence in (*sentences(checked.compared), comparability_line(checked.compared)):
        click.echo(printable(sentence))
    print_notes(*checked.compared.notes)
    write_losses(checked.losses, checked.compared.texts)


# `evalstore reproduce`


@command()
@runs_argument("original", "ORIGINAL")
@runs_argument("reproduction", "REPRODUCTION")
@click.option(
    "--baseline",
    metavar="RUN",
    shell_complete=complete.runs_or_files,
    help="The run over which ORIGINAL was an improvement.",
)
@click.option(
    "--reproduced-baseline",
    metavar="RUN",
    shell_complete=complete.runs_or_files,
    help="The reproduction of the baseline; --baseline if left out.",
)
@measure_option("A measure, may be repeated.  [default: AP, nDCG@10, P@10]")
@click.option(
    "-q", "--per-query", is_flag=True, help="Also ktu and rbo of every query; JSON always has them."
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

    if baseline is None and reproduced_baseline is not None:
        raise click.UsageError("--reproduced-baseline needs --baseline")
    asked = named_measures(measures or DEFAULT_MEASURES)
    named = [original, reproduction, baseline, reproduced_baseline or baseline]
    runs = [one_run(run, options) for run in named if run is not None]
    found = reproduction_of(load_runs(ctx, runs, asked, options), asked)
    if shape == "table":
        _figures_table(found, per_query, reproduced_baseline not in (None, baseline))
        return
    warn(*found.notes)
    if shape == "json":
        write_json(found.to_dict())
    else:
        write_csv(COLUMNS, found.rows(per_query=per_query))


def _figures_table(found: Reproduction, per_query: bool, two_baselines: bool) -> None:
    from evalstore.comparison.comparability import number_of_queries
    from evalstore.leaderboard.reproduction import COLUMNS
    from evalstore.tables.table import written_value

    title = f"{found.run.reproduction} as a reproduction of {found.run.original}"
    if found.baseline is not None:
        again = f"{found.baseline.reproduction} of " if two_baselines else ""
        title += f", baseline {again}{found.baseline.original}"
    click.echo(printable(f"{title}, {number_of_queries(found.queries)}"))
    if found.sentence:
        click.echo(printable(found.sentence))
    print_notes(*found.notes)
    click.echo()
    shown = [0, 1, *([2] if per_query else []), 3, *([] if found.baseline is None else [4])]
    rows = []
    for row in found.rows(per_query=per_query):
        style: Style = "p" if row[0] in ("ttest", "ttest_unpaired") else "number"
        rows.append([written_value(row[column], style, 4) for column in shown])
    table([COLUMNS[column] for column in shown], rows, left=2 + per_query, drop=("baseline",))
