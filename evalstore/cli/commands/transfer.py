"""`evalstore export`: runs, judgments, tables, figures, reports and the store as files."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from evalstore.cli import complete
from evalstore.cli.chosen_runs import (
    by_option,
    comparison_options,
    load_and_compare,
    runs_argument,
    slices_by,
    source_options,
    warn_of,
)
from evalstore.cli.commands.figures import figure, report
from evalstore.cli.inputs import given_runs
from evalstore.cli.options import (
    DEFAULT_MEASURES,
    Command,
    Parsed,
    collection_argument,
    collection_option,
    measure_option,
    only_collection,
    opened_own_store,
    opened_store,
    output_option,
    qrels_option,
    separation_options,
    store_or_server_option,
)
from evalstore.cli.output import printable, warn, written
from evalstore.cli.structure import Group, together

if TYPE_CHECKING:
    from evalstore.formats.lists import Lists
    from evalstore.store import Store
    from evalstore.tables.renderers import Format


# Runs and judgments as files: the options of `evalstore export run` and `export qrels`

Content = Literal["run", "qrels"]
GROUPS = "judgment-groups"


def file_options(
    content: Content, default: str, also: Sequence[str] = ()
) -> Callable[[Command], Command]:
    """Options for the format and file of runs or judgments: --format, -o.

    `also` are names of formats that the command writes itself.
    """

    def parse(name: str) -> str:
        from evalstore.errors import DataError, did_you_mean
        from evalstore.formats.any_format import written_formats

        names = [*written_formats(content), *also]
        if name not in names:
            what = f"{name!r} is none of the formats {', '.join(names)}"
            raise DataError(f"{what}{did_you_mean(name, names)}")
        return name

    return together(
        click.option(
            "--format",
            "form",
            type=Parsed("format", parse),
            metavar="NAME",
            shell_complete=complete.written_formats(content),
            help=f"The format, one of those above.  [default: by the end of FILE: "
            f"{default}; else TREC]",
        ),
        output_option(
            "The file to write; gzip where its name ends in .gz.  [default: standard output]"
        ),
    )


def write_lists(lists: Lists, content: Content, form: str | None, output: Path | None) -> None:
    """Write to the file or unchanged to standard output: ids are UTF-8, even on other terminals."""
    from evalstore.formats.any_format import choose_writer, write_file

    if output is not None:
        write_file(lists, content, str(output), form)
        return
    choose_writer(content, form)(lists, sys.stdout.buffer)
    sys.stdout.buffer.flush()


SUFFIXES: Mapping[str, Format] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".json": "json",
    ".md": "markdown",
    ".tex": "latex",
    ".trec": "trec",
}
"""The format for each ending of a file name."""


@click.group(cls=Group, earlier={"duckdb": "export parquet", "all": "export parquet"})
def export() -> None:
    """Write runs, judgments, comparisons, leaderboards, figures or the store as files."""


export.add_command(figure)
export.add_command(report)


@export.command()
@click.argument("name", metavar="RUN", shell_complete=complete.runs)
@collection_option("The run's collection, where several have it.")
@file_options("run", ".json, .csv, .parquet")
@store_or_server_option
def run(db: str, name: str, collection: str | None, form: str | None, output: Path | None) -> None:
    """Write a run, by its name or id, as a file: same documents, order and scores.

    The formats are trec-run; run-json, as pytrec_eval and ranx read it; mteb-predictions;
    msmarco-run, which has ranks only: the scores are lost; and run-frame, CSV, or Parquet where the
    name of FILE ends in .parquet.
    """
    with opened_store(db) as store, store.run_lists(name, collection) as lists:
        write_lists(lists, "run", form, output)


@export.command()
@collection_argument
@qrels_option
@file_options("qrels", ".json, .tsv (BEIR), .csv, .parquet", (GROUPS,))
@store_or_server_option
def qrels(
    db: str, collection: str | None, qrels: str | None, form: str | None, output: Path | None
) -> None:
    """Write the judgments of a collection as a file.

    The formats are trec-qrels, the only one with the strata of a sample; qrels-json, as pytrec_eval
    and ranx read it; beir-qrels, which has whole grades only; and qrels-frame, CSV, or Parquet
    where the name of FILE ends in .parquet. judgment-groups has a line for each assessor of a
    draft, by whose name it groups the judgments; of others, for the file or model that they come
    from.
    """
    from evalstore.formats.lists import lists_of

    with opened_store(db) as store:
        if form == GROUPS:
            rows = store.graded_by_assessor(only_collection(store, collection), qrels)
            _write("".join(map(_group_line, rows)), output)
            return
        judgments = store.load_qrels(only_collection(store, collection), qrels)
        write_lists(lists_of(judgments), "qrels", form, output)


def _group_line(row: tuple[str, str, str, float]) -> str:
    """A line of judgment groups; blanks in the name of an assessor would end the column."""
    from evalstore.formats.reading.lines import number_text

    qid, assessor, docno, grade = row
    return f"{qid} {'_'.join(assessor.split())} {docno} {number_text(grade)}\n"


table_options = together(
    click.option(
        "--format",
        "shape",
        type=click.Choice(tuple(SUFFIXES.values())),
        help=f"What to write.  [default: by the end of FILE: {', '.join(SUFFIXES)}]",
    ),
    output_option("The file to write.  [default: standard output]"),
    click.option(
        "--digits",
        type=click.IntRange(0, 17),
        default=4,
        show_default=True,
        metavar="N",
        help="The decimals (markdown, latex).",
    ),
    click.option(
        "--guard-formulas",
        is_flag=True,
        help="Put ' before texts that a spreadsheet would take for a formula (csv, tsv).",
    ),
    click.option("-q", "--per-query", is_flag=True, help="Also the value of every query (trec)."),
)
"""Options for a table's format and file: --format, -o, --digits, --guard-formulas, -q."""


@export.command()
@runs_argument()
@comparison_options
@by_option
@table_options
@source_options
@click.pass_context
def comparison(
    ctx: click.Context,
    /,
    runs: tuple[str, ...],
    by: str | None,
    shape: Format | None,
    output: Path | None,
    digits: int,
    guard_formulas: bool,
    per_query: bool,
    **options: Any,
) -> None:
    """Write a comparison of runs as a table: LaTeX, Markdown, CSV, JSON or TREC.

    csv and json are what `evalstore compare`, which has the same options, prints in these formats.
    latex needs the package booktabs. trec has the means of every run over the queries that all of
    them answer. The exit status is 1 where the runs can't be compared; then the table has no
    figures.
    """
    chosen = _format(shape, output, per_query)
    _, compared = load_and_compare(ctx, given_runs(runs, options), options)
    from evalstore.comparison.comparison_table import comparison_export

    slices = slices_by(compared, by)
    warn_of(compared, slices)
    exported = comparison_export(compared, slices, per_query=per_query)
    from evalstore.tables.renderers import export_text

    _write(export_text(exported, chosen, digits=digits, guard_formulas=guard_formulas), output)
    if compared.comparable == "no":
        sys.exit(1)


@export.command()
@collection_argument
@qrels_option
@measure_option(
    "A measure to show, computed where it is not stored; may be repeated. The first one orders the "
    f"runs.  [default: {', '.join(DEFAULT_MEASURES)}]"
)
@click.option(
    "--baseline",
    metavar="RUN",
    shell_complete=complete.runs,
    help="Test every other run against this one.  [default: the collection's baseline; without "
    "one, or with --test tukey, all pairs]",
)
@click.option("--no-baseline", is_flag=True, help="Test all pairs, although there is a baseline.")
@click.option("--groups", is_flag=True, help="Columns of rank groups instead of superscripts.")
@click.option("--intervals", is_flag=True, help="Also the rank and its interval.")
@click.option("--judged", is_flag=True, help="Also the share of the top 10 that is judged.")
@separation_options
@table_options
@store_or_server_option
def leaderboard(
    db: str,
    collection: str | None,
    qrels: str | None,
    measures: tuple[str, ...],
    baseline: str | None,
    no_baseline: bool,
    groups: bool,
    intervals: bool,
    judged: bool,
    shape: Format | None,
    output: Path | None,
    digits: int,
    guard_formulas: bool,
    per_query: bool,
    **tests: Any,
) -> None:
    """Write the leaderboard of a collection as a table: LaTeX, Markdown, CSV, JSON or TREC.

    A row is a run, a column a measure. In markdown and latex the best figures are bold, and
    superscripts name the runs that a run beats by --test; with a baseline, named by --baseline or
    chosen by `evalstore runs baseline`, they show whether it is better or worse than that run.
    latex needs the package booktabs.
    """
    chosen = _format(shape, output, per_query)
    if baseline is not None and tests["test"] == "tukey":
        raise click.UsageError("--test tukey is of all pairs of runs: it takes no --baseline")
    if baseline is not None and no_baseline:
        raise click.UsageError("--baseline and --no-baseline exclude each other")
    from evalstore.leaderboard.ranks import RankSettings
    from evalstore.leaderboard.table import Details, TextStyle
    from evalstore.measures import named_measures

    named = named_measures(measures or DEFAULT_MEASURES)
    settings = RankSettings(**tests)
    details = Details(baseline, groups, intervals, judged, per_query, no_baseline)
    style = TextStyle(chosen, digits, guard_formulas)
    with opened_store(db) as store:
        collection = only_collection(store, collection)
        written_table = store.write_leaderboard(collection, named, qrels, settings, details, style)
    if chosen in ("csv", "tsv", "trec"):
        warn(*written_table.notes)
    _write(written_table.text, output)


@export.command()
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--collection",
    "collections",
    metavar="NAME",
    multiple=True,
    shell_complete=complete.collection_names,
    help="Only this collection; may be repeated. The files of others in DIR stay as they are.",
)
@opened_own_store
def parquet(store: Store, folder: Path, collections: tuple[str, ...]) -> None:
    """Write the store as partitioned Parquet files, for DuckDB, Polars, pandas and Spark.

    DIR is made if there is none. Again it writes only the files whose content changed, and deletes
    those of runs and qrels that the store has no more. DIR/views.sql makes the store's views in
    DuckDB, which `evalstore sql --views` lists; `evalstore db import` builds a store from DIR.
    """
    from evalstore.formats.tables.parquet import WrittenFile
    from evalstore.transfer.export_parquet import NOT_CARRIED, export_parquet

    numbers = count(1)

    def show(_: WrittenFile) -> None:
        click.echo(f"\r{next(numbers):,} files written", nl=False, err=True)

    progress = show if sys.stderr.isatty() else lambda _: None
    done = export_parquet(store, folder, collections, progress=progress)
    if sys.stderr.isatty():
        click.echo(err=True)
    files = f"{done.written:,} file{'' if done.written == 1 else 's'} written"
    click.echo(
        printable(
            f"{folder}: {files}, {done.unchanged:,} unchanged, {done.removed:,} removed; "
            f"{done.rows:,} rows, {done.bytes:,} bytes"
        )
    )
    click.echo(f"not exported: {'; '.join(NOT_CARRIED)}")


def _format(shape: Format | None, output: Path | None, per_query: bool) -> Format:
    """The format asked for, or that of the file's suffix if it can hold the values asked for."""
    chosen = shape or SUFFIXES.get("" if output is None else output.suffix.lower())
    if chosen is None:
        formats = ", ".join(SUFFIXES.values())
        if output is None:
            raise click.UsageError(f"say what to write with --format: {formats}")
        raise click.UsageError(
            f"the name '{printable(str(output))}' ends like no format ({', '.join(SUFFIXES)}): "
            "say which with --format"
        )
    if per_query and chosen != "trec":
        raise click.UsageError("--per-query is for --format trec")
    return chosen


def _write(text: str, output: Path | None) -> None:
    """Write to the file, or to standard output; on a terminal control characters are escaped."""
    if output is not None:
        with written(output) as stream:
            stream.write(text)
    elif sys.stdout.isatty():
        harmless = re.sub(r"[^\n\t]+", lambda match: printable(match[0]), text)
        click.echo(harmless, nl=False, color=True)
    else:
        click.echo(text, nl=False, color=True)  # else click removes escapes
