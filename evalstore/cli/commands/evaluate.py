"""`evalstore evaluate`, `explain`, `measures` and `formats`."""

from __future__ import annotations

import atexit
import ctypes
import gc
import os
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import click

from evalstore.cli import complete
from evalstore.cli.errors import message_of
from evalstore.cli.inputs import (
    RunPaths,
    check_exists,
    extras_from,
    extras_options,
    files_from_option,
    is_file,
    run_paths,
)
from evalstore.cli.options import (
    collection_option,
    compat_option,
    format_option,
    identical_ids_option,
    jobs_option,
    level_option,
    measure_option,
    opened_store,
    qrels_option,
    reading_from,
    reading_options,
    scheduler_option,
    store_or_server_option,
    unfinished_option,
)
from evalstore.cli.output import print_notes, printable, table, warn, write_csv, write_json
from evalstore.cli.structure import command, under
from evalstore.errors import EvalstoreError

if TYPE_CHECKING:
    from evalstore.evaluation.evaluate import Evaluated
    from evalstore.evaluation.explain import Explained
    from evalstore.evaluation.parallel import Done


@command()
@click.argument("qrels", shell_complete=complete.files, metavar="QRELS")
@click.argument("runs", shell_complete=complete.files, metavar="RUN...", nargs=-1)
@files_from_option
@measure_option(
    "A measure (nDCG@10, 'P(rel=2)@5', map, P.5,10) or a set (summary, standard, official, "
    "all_trec); may be repeated.  [default: summary]"
)
@click.option("-q", "--per-query", is_flag=True, help="Also the value of every query.")
@format_option("table", "trec", "csv", "json")
@under(
    "Evaluation",
    level_option("The lowest relevant grade, for measures that do not say rel=."),
    click.option(
        "--common",
        is_flag=True,
        help="Average over the queries answered, as trec_eval without -c; else over all judged.",
    ),
    click.option("-M", "--depth", type=click.IntRange(1), help="Only the first N of each ranking."),
    click.option(
        "-J", "--judged-only", is_flag=True, help="Leave out documents without a judgment."
    ),
    click.option(
        "--allow-disjoint",
        is_flag=True,
        help="Take runs that share no query, or no document, with the judgments.",
    ),
    identical_ids_option,
    compat_option,
)
@extras_options
@under("Reading files", reading_options, unfinished_option)
@under("Processes", jobs_option, scheduler_option)
def evaluate(
    qrels: str,
    runs: tuple[str, ...],
    files_from: str | None,
    measures: tuple[str, ...],
    per_query: bool,
    shape: str,
    jobs: int | None,
    scheduler: str | None,
    **values: Any,
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
    from evalstore.evaluation.evaluate import Options, evaluate_files
    from evalstore.evaluation.parallel import cores
    from evalstore.formats import read_qrels
    from evalstore.measures import named_measures

    named = named_measures(measures or ("summary",))
    read_options = reading_from(values)
    judgments = read_qrels(qrels, read_options)
    warn(*judgments.warnings)
    given_options = {one.name: values[one.name] for one in fields(Options) if one.name in values}
    options = Options(**given_options, extras=extras_from(values, read_options))
    ended = evaluate_files(
        judgments,
        given.paths,
        named,
        options,
        read_options,
        jobs=jobs or cores(),
        scheduler=scheduler,
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
    warn(*ended.notes)
    if ended.error is not None:
        message = given.with_line(message_of(ended.error), ended.path)
        click.echo(printable(message), err=True)
    if ended.result is not None:
        warn(*ended.result.warnings)


def run_names(paths: Sequence[str]) -> list[str]:
    """The name of each run: its file name, or its path if two files have the same name."""
    from evalstore.formats.reading.lines import run_name
    from evalstore.formats.reading.paths import shown_path

    names = [run_name(path) for path in paths]
    labels = (
        n if names.count(n) == 1 else shown_path(p) for n, p in zip(names, paths, strict=True)
    )
    return [printable(name) for name in labels]  # a file name may contain a tab or a line end


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
    """A whole number for a count, any other value unchanged."""
    return int(value) if measure in result.counts else value


def _trec(results: Mapping[str, Evaluated], several: bool, per_query: bool) -> None:
    from evalstore.evaluation.evaluate import iter_rows

    for run, result in results.items():
        lines = []
        for name, qid, value in iter_rows(result, per_query=per_query):
            number = f"{value:.0f}" if name in result.counts else f"{value:.4f}"
            # trec_eval prints P_10 of P.10, and iprec_at_recall_0.20 as it is.
            label = re.sub(r"^(\w*[A-Za-z])\.([\d.]+)$", r"\1_\2", name)
            lines.append("\t".join((*([run] if several else []), label, qid or "all", number)))
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
    write_json(documents)


# `evalstore explain`

HEADERS = (
    *("rank", "document", "grade", "relevant", "P@k", "R@k"),
    *("gain", "discount", "DCG", "ideal DCG", "nDCG"),
)


@command()
@click.argument(
    "words",
    shell_complete=complete.runs_or_files,
    metavar="[QRELS] RUN QID",
    nargs=-1,
    required=True,
)
@click.option(
    "--ranks",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="The first ranks to show; of later ones only relevant documents are.",
)
@measure_option("The measure whose value is explained.  [default: AP]")
@level_option("The lowest relevant grade.")
@click.option(
    "--dcg",
    type=click.Choice(["log2", "exp-log2", "jk"]),
    default="log2",
    show_default=True,
    help="Gain and discount, as in nDCG(dcg=...).",
)
@collection_option("The collection of the stored run, where several have one of that name.")
@qrels_option
@reading_options
@store_or_server_option
def explain(
    db: str,
    words: tuple[str, ...],
    ranks: int,
    measures: tuple[str, ...],
    level: float,
    dcg: str,
    collection: str | None,
    qrels: str | None,
    **values: Any,
) -> None:
    """Show, rank by rank, how the value of a query comes about, and what was not retrieved.

    With two words RUN is a stored run, by its name or id; with three QRELS and RUN are files.

    The column "to AP" (or to the measure of -m) has what a rank adds to the value: that of the
    ranking cut after the rank, less that of the ranking cut before it. Below the first ranks
    (--ranks) come those of relevant documents alone; one line sums the others, so that the column
    adds up.

    A grade of - is a document that nobody judged. The relstring is trec_eval's: a digit is a grade,
    - a document outside the qrels, a point one with a negative grade.
    """
    from evalstore.measures import parse

    if len(measures) > 1:
        raise click.UsageError("one measure is explained at a time")
    measure = parse(measures[0]) if measures else None
    if len(words) not in (2, 3):
        raise click.UsageError(
            "give RUN QID of a stored run, or QRELS RUN QID with files; a measure goes with -m"
        )
    if len(words) == 3 and (collection or qrels):
        raise click.UsageError("--collection and --qrels are for a stored run: give RUN QID")

    *files, run, qid = words
    if files:
        from evalstore.evaluation.explain import explain_query
        from evalstore.formats import read_qrels, read_run

        for path in (*files, run):
            check_exists(
                path,
                "three words are QRELS RUN QID, the first two files; of a stored run give RUN QID, "
                "with --qrels NAME",
            )
        options = reading_from(values)
        judgments, ranking = read_qrels(files[0], options), read_run(run, options)
        warn(*judgments.warnings, *ranking.warnings)
        explained = explain_query(
            ranking, judgments, qid, ranks, rel=level, dcg=dcg, measure=measure
        )
    else:
        try:
            with opened_store(db) as store:
                explained = store.explain(
                    run,
                    qid,
                    ranks,
                    collection=collection,
                    qrels=qrels,
                    rel=level,
                    dcg=dcg,
                    measure=measure,
                )
        except EvalstoreError as error:
            if error.problem not in ("no run", "no store") or not is_file(run):
                raise
            what = (
                f"{run} is taken for a stored run, {qid} for a query: of files give QRELS RUN QID"
            )
            raise click.UsageError(printable(what)) from None
    _print(explained)


def _print(explained: Explained) -> None:
    words = f" ({explained.text})" if explained.text else ""
    click.echo(
        printable(
            f"query {explained.qid}{words}: {explained.retrieved:,} documents retrieved; "
            f"the qrels have {explained.judged:,} judged, {explained.relevant:,} relevant; "
            f"relstring {explained.relstring}"
        )
    )
    print_notes(*explained.notes)
    titles = explained.titles
    rows: list[tuple[Any, ...]] = [
        (
            *(at.rank, at.docno, "-" if at.grade is None else f"{at.grade:g}", at.found),
            *(at.precision, at.recall, f"{at.gain:g}", at.discount, at.dcg, at.ideal_dcg),
            *(at.ndcg, at.contribution),
            *([titles.get(at.docno)] if titles else []),
        )
        for at in (*explained.ranks, *explained.hits_below)
    ]
    nothing = (None,) * (len(HEADERS) - 2)
    last = (None,) if titles else ()
    beyond = explained.retrieved - len(rows)
    if beyond > 0:
        rows.append(("...", f"{beyond:,} more (none relevant)", *nothing, explained.rest, *last))
    rows.append(("", explained.measure, *nothing, explained.value, *last))
    to = f"to {explained.measure}"
    headers = (*HEADERS, to, *(["title"] if titles else []))
    drop = ("discount", "gain", "ideal DCG", "DCG", "R@k", "relevant", "nDCG", "title", to, "P@k")
    table(headers, rows, left=2, drop=[name for name in drop if name in headers])
    missed = explained.missed
    if missed:
        many = "document, which adds" if len(missed) == 1 else "documents, which add"
        click.echo(f"\nmissed: {len(missed):,} relevant {many} 0")
        named = [(docno, f"{grade:g}", titles.get(docno)) for docno, grade in missed]
        shown = 3 if titles else 2
        table(("document", "grade", "title")[:shown], [row[:shown] for row in named])
    elif explained.relevant:
        click.echo("\nmissed: nothing")


# `evalstore measures`: the list of measures


@command()
@click.argument("name", shell_complete=complete.measures, metavar="[MEASURE]", required=False)
def measures(name: str | None) -> None:
    """List the measures, or explain one."""
    from evalstore.evaluation.measure_help import explain, listing

    if name is not None:
        click.echo(explain(name))
        return
    table(["family", "measure", "title"], listing(), left=3)
    click.echo("\n`evalstore measures nDCG` explains one.")


# Settings of the process for commands that read many lines: memory and threads of libraries

KEPT_BYTES = 1 << 30
"""Freed memory up to this size is reused, not given back to the system."""
LARGEST_REUSED = 32 << 20
"""Larger pieces of memory always come from the system: the largest value that glibc accepts."""
MALLOPT = {
    "MALLOC_TRIM_THRESHOLD_": (-1, KEPT_BYTES),
    "MALLOC_MMAP_THRESHOLD_": (-3, LARGEST_REUSED),
    "MALLOC_ARENA_MAX": (-8, 1),
}
"""Number in glibc's malloc.h and value of each setting, by its environment variable."""
OBJECTS_BETWEEN_COLLECTIONS = 300_000


def set_up_reading() -> None:
    """Let this process and its child processes reuse freed memory, and start no needless threads.

    Call it before NumPy is imported; settings of the user stay. Otherwise glibc gives memory back
    after each block of a file and the system clears it again: a tenth of the time. The threads of
    OpenBLAS, which nothing here uses, first wait in a loop. Garbage collection of imports and of
    table rows took 0.2 s, and as long again at the end of the program.
    """
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    atexit.register(gc.freeze)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with suppress(OSError, AttributeError, TypeError):  # another C library than glibc
        mallopt = ctypes.CDLL(None).mallopt
        for variable, (number, value) in MALLOPT.items():
            if variable not in os.environ:
                os.environ[variable] = str(value)  # for child processes
                mallopt(number, value)
