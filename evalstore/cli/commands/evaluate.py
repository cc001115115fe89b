"""`evalstore evaluate`."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from evalstore.cli import complete
from evalstore.cli.commands.process_settings import set_up_reading
from evalstore.cli.errors import message_of
from evalstore.cli.extras_options import extras_from, extras_options
from evalstore.cli.options import (
    compat_option,
    format_option,
    identical_ids_option,
    jobs_option,
    level_option,
    measure_option,
    reading_from,
    reading_options,
    scheduler_option,
    unfinished_option,
)
from evalstore.cli.output import printable, table, warn, write_csv, write_json
from evalstore.cli.run_paths import RunPaths, files_from_option, run_paths

if TYPE_CHECKING:
    from evalstore.evaluation.evaluate import Evaluated
    from evalstore.evaluation.parallel import Done


@click.command()
@click.argument("qrels", shell_complete=complete.files, metavar="QRELS")
@click.argument("runs", shell_complete=complete.files, metavar="RUN...", nargs=-1)
@files_from_option
@measure_option(
    "A measure (nDCG@10, 'P(rel=2)@5', map, P.5,10) or a set (summary, standard, official, "
    "all_trec); may be repeated.  [default: summary]"
)
@click.option("-q", "--per-query", is_flag=True, help="Also the value of every query.")
@format_option("table", "trec", "csv", "json")
@compat_option
@level_option("The lowest relevant grade, for measures that do not say rel=.")
@click.option("--common", is_flag=True, help="Average over the queries answered, not all judged.")
@click.option("-M", "--depth", type=click.IntRange(1), help="Only the first N of each ranking.")
@click.option("-J", "--judged-only", is_flag=True, help="Leave out documents without a judgment.")
@click.option(
    "--allow-disjoint", is_flag=True, help="Take runs that share no query with the judgments."
)
@identical_ids_option
@extras_options
@jobs_option
@scheduler_option
@unfinished_option
@reading_options
def evaluate(
    qrels: str,
    runs: tuple[str, ...],
    files_from: str | None,
    measures: tuple[str, ...],
    per_query: bool,
    shape: str,
    compat: Any,
    level: float,
    common: bool,
    depth: int | None,
    judged_only: bool,
    allow_disjoint: bool,
    ignore_identical_ids: bool,
    jobs: int | None,
    scheduler: str | None,
    **files: object,
) -> None:
    """Evaluate runs without a database.

    QRELS has four columns (qid, iteration, docno, grade); a RUN six (qid Q0 docno rank score
    tag). Both may be gzip; - is standard input. A RUN may be a pattern in quotes, as
    'runs/**/*.gz': ** stands for any folders.
    """
    set_up_reading()
    if [qrels, files_from, *runs].count("-") > 1:
        raise click.UsageError("standard input can be read once: give - once")
    given = run_paths(runs, files_from)
    from evalstore.evaluation.parallel import cores, start_processes

    jobs = jobs or cores()
    processes = None
    if scheduler is None:
        processes = start_processes(given.paths, jobs=jobs, preload="evalstore.evaluation.evaluate")
        if processes is not None:
            click.get_current_context().call_on_close(processes.close)
    from evalstore.evaluation.evaluate import Options, evaluate_files
    from evalstore.formats import read_qrels
    from evalstore.measures import named_measures

    named = named_measures(measures or ("summary",))
    read_options = reading_from(files)
    judgments = read_qrels(qrels, read_options)
    for warning in judgments.warnings:
        warn(warning)
    options = Options(
        compat=compat,
        common=common,
        level=level,
        depth=depth,
        judged_only=judged_only,
        allow_disjoint=allow_disjoint,
        extras=extras_from(files, read_options),
        ignore_identical_ids=ignore_identical_ids,
    )
    ended = evaluate_files(
        judgments,
        given.paths,
        named,
        options,
        read_options,
        jobs=jobs,
        scheduler=scheduler,
        processes=processes,
        progress=lambda done: _report(done, given),
    )
    done = [one.result for one in ended if one.result is not None]
    if done:
        names = run_names([result.path for result in done])
        write = {"table": _table, "trec": _trec, "csv": _csv, "json": _json}[shape]
        write(dict(zip(names, done, strict=True)), len(given.paths) > 1, per_query)
    if len(done) < len(given.paths):
        sys.exit(1)


def _report(ended: Done[Evaluated], given: RunPaths) -> None:
    """Print the warnings or the error of a file."""
    for note in ended.notes:
        warn(note)
    if ended.error is not None:
        message = given.with_line(message_of(ended.error), ended.path)
        click.echo(printable(message), err=True)
    if ended.result is not None:
        for warning in ended.result.warnings:
            warn(warning)


def run_names(paths: Sequence[str]) -> list[str]:
    """The name of each run: its file's, or the path where two files have the same name."""
    from evalstore.formats.file_names import run_name
    from evalstore.formats.urls import shown_path

    names = [run_name(path) for path in paths]
    labels = (
        n if names.count(n) == 1 else shown_path(p) for n, p in zip(names, paths, strict=True)
    )
    return [printable(name) for name in labels]  # a file's name may hold a tab or a line end


def _table(results: Mapping[str, Evaluated], several: bool, per_query: bool) -> None:
    from evalstore.catalog.names import natural

    first = next(iter(results.values()))
    rows: list[tuple[Any, ...]] = []
    if per_query:
        qids = sorted({qid for r in results.values() for qid in r.qids}, key=natural)
        places = [{qid: i for i, qid in enumerate(r.qids)} for r in results.values()]
        measures = [name for name in first.values if name not in first.over_queries_only]
        for qid in qids:
            for name in measures:
                cells = (
                    _number(r, name, float(r.values[name][at[qid]])) if qid in at else None
                    for r, at in zip(results.values(), places, strict=True)
                )
                rows.append((qid, name, *cells))
    for name in first.aggregates:
        cells = (_number(r, name, r.aggregates[name]) for r in results.values())
        rows.append((*(("(all)",) if per_query else ()), name, *cells))
    headers = [*(["query"] if per_query else []), "measure", *results]
    table(headers, rows, left=2 if per_query else 1)


def _number(result: Evaluated, measure: str, value: float) -> int | float:
    """A count as a whole number, anything else as it is."""
    return int(value) if measure in result.counts else value


def _trec(results: Mapping[str, Evaluated], several: bool, per_query: bool) -> None:
    from evalstore.evaluation.evaluate import iter_rows

    for run, result in results.items():
        lines = []
        for name, qid, value in iter_rows(result, per_query=per_query):
            number = f"{value:.0f}" if name in result.counts else f"{value:.4f}"
            lines.append("\t".join((*([run] if several else []), name, qid or "all", number)))
        click.echo("\n".join(lines))


def _csv(results: Mapping[str, Evaluated], several: bool, per_query: bool) -> None:
    from evalstore.evaluation.evaluate import iter_rows

    rows = (
        (*([run] if several else []), qid, name, _number(result, name, value))
        for run, result in results.items()
        for name, qid, value in iter_rows(result, per_query=per_query)
    )
    write_csv([*(["run"] if several else []), "query", "measure", "value"], rows)


def _json(results: Mapping[str, Evaluated], several: bool, per_query: bool) -> None:
    documents = {}
    for run, result in results.items():
        document: dict[str, Any] = {
            "aggregate": {n: _number(result, n, v) for n, v in result.aggregates.items()},
            "queries": {
                qid: {n: _number(result, n, float(v[i])) for n, v in result.values.items()}
                for i, qid in enumerate(result.qids)
            },
        }
        documents[run] = document
    write_json(documents if several else next(iter(documents.values())))
