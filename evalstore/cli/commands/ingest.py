"""`evalstore ingest`."""

from __future__ import annotations

import dataclasses
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from evalstore.cli import complete
from evalstore.cli.commands.evaluate import set_up_reading
from evalstore.cli.errors import INTERRUPTED, advised
from evalstore.cli.inputs import (
    FACT_FILES,
    FACTS_OF_RUN,
    RunPaths,
    collection_facts_from,
    collection_facts_options,
    explanations_option,
    facts_from,
    facts_options,
    files_from_option,
    input_format_option,
    judges_options,
    main_facts_options,
    run_facts_from,
    run_facts_options,
    run_paths,
)
from evalstore.cli.options import (
    SIZE,
    collection_option,
    compat_option,
    identical_ids_option,
    is_server,
    jobs_option,
    judged_by_option,
    local_store,
    reading_from,
    reading_options,
    saved_maps,
    scheduler_option,
    server,
    store_or_server_option,
    unfinished_option,
)
from evalstore.cli.output import printable, table, warn
from evalstore.cli.structure import command, refuse, under

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from evalstore.evaluation.ingest_options import IngestOptions
    from evalstore.formats import ReadOptions
    from evalstore.formats.sources import RunSource
    from evalstore.ingest.documents import StoredDocuments
    from evalstore.ingest.ingest import Ingested, Outcome
    from evalstore.ingest.store_qrels import CollectionQrels
    from evalstore.ingest.store_run import KnownFiles
    from evalstore.measures import Measure
    from evalstore.store import Store


def _list_formats(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    """Print the formats of files and folders that are read, and exit, if --formats is given."""
    del param
    if not value:
        return
    from evalstore.formats.registry import folder_formats, formats

    listed: list[tuple[Any, str]] = [
        *((form, str(form.content)) for form in formats()),
        *((form, "folder of runs") for form in folder_formats()),
    ]
    cells = [(form.name, holds, form.title, form.example.splitlines()[0]) for form, holds in listed]
    table(("format", "holds", "what it is", "its first line, or file"), cells, left=4)
    ctx.exit()


@command()
@click.argument("runs", shell_complete=complete.files, metavar="RUN...", nargs=-1)
@collection_option("The test collection; made if there is none of that name.", required=True)
@click.option(
    "--qrels",
    metavar="FILE",
    shell_complete=complete.files,
    help="A file of judgments, stored as well.  [default: the stored default of the collection]",
)
@click.option(
    "--queries",
    metavar="FILE",
    shell_complete=complete.files,
    help="Queries with their texts and attributes: TSV, JSON lines or topics.",
)
@click.option(
    "--documents",
    metavar="FILE",
    shell_complete=complete.files,
    help="Texts of the documents, JSON lines or TSV: stored of those that are judged, or that a "
    "run keeps as rows.",
)
@click.option(
    "--engine",
    metavar="NAME",
    help="The engine of these runs.  [default: the run tag, or the run's name where several files "
    "carry one and the same tag, and in folders of PyTerrier]",
)
@click.option(
    "--name",
    metavar="NAME",
    help="The run's name.  [default: the file's name, or that in its folder]",
)
@click.option(
    "--experiment",
    metavar="NAME",
    help="The group these runs belong to.  [default: the experiment of MLflow]",
)
@main_facts_options
@click.option(
    "--formats",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_formats,
    help="List the formats of files that are read, each with an example, and exit.",
)
@click.option("--replace", is_flag=True, help="Replace a run of the same name and other content.")
@click.option("--quiet", is_flag=True, help="Print no progress, and no line for a stored run.")
@store_or_server_option
@under(
    "Collection",
    click.option(
        "--default-qrels", is_flag=True, help="Show figures under these judgments from now on."
    ),
    judged_by_option,
    click.option(
        "--beir",
        metavar="FOLDER",
        shell_complete=complete.files,
        help="A folder of BEIR: its judgments, queries and documents, where these are not given "
        "otherwise.",
    ),
    click.option("--all-documents", is_flag=True, help="Store the texts of all documents."),
    click.option(
        "--max-document-bytes",
        type=SIZE,
        default="1M",
        show_default=True,
        metavar="SIZE",
        help="Cut longer documents there.",
    ),
)
@under(
    "Evaluation",
    click.option(
        "--measures",
        metavar="SET|LIST",
        shell_complete=complete.measure_lists,
        help="The measures to store: a set (standard, summary, ...), or names with commas between "
        "them. Others are computed where they are asked for.  [default: the collection's, or "
        "standard]",
    ),
    click.option(
        "--keep-top",
        type=click.IntRange(0),
        default=100,
        show_default=True,
        help="Documents per ranking kept as rows for SQL; the whole ranking is kept anyway.",
    ),
    click.option(
        "--allow-disjoint",
        is_flag=True,
        help="Take judgments, or a run, that share no query with what they belong to.",
    ),
    identical_ids_option,
    compat_option,
)
@collection_facts_options
@run_facts_options
@facts_options
@under(
    FACTS_OF_RUN,
    explanations_option,
    click.option(
        "--no-checkout",
        is_flag=True,
        help="Record neither the commit of the git checkout that the command runs in, nor host and "
        "account: the runs were made elsewhere.",
    ),
)
@under(
    "Reading files",
    files_from_option,
    input_format_option,
    click.option(
        "--recheck",
        is_flag=True,
        help="Read also the files that are unchanged since they were stored.",
    ),
    unfinished_option,
    reading_options,
)
@under("Processes", jobs_option, scheduler_option)
def ingest(
    db: str,
    collection: str,
    qrels: str | None,
    default_qrels: bool,
    allow_disjoint: bool,
    beir: str | None,
    queries: str | None,
    documents: str | None,
    all_documents: bool,
    max_document_bytes: int,
    engine: str | None,
    experiment: str | None,
    name: str | None,
    recheck: bool,
    replace: bool,
    keep_top: int,
    measures: str | None,
    compat: Any,
    ignore_identical_ids: bool,
    jobs: int | None,
    scheduler: str | None,
    no_checkout: bool,
    quiet: bool,
    runs: tuple[str, ...],
    files_from: str | None,
    **files: Any,
) -> None:
    """Read, check, evaluate and store runs.

    The first time give the judgments, too: --qrels FILE; later runs are evaluated under them.

    Each RUN is a file of six columns (qid Q0 docno rank score tag) or of another format that
    --formats lists, recognised by its content, plain or gzip; - is standard input. It may
    also be a folder of runs, with their parameters where a table of them, PyTerrier, TIRA or MLflow
    gives them, or a pattern in quotes, as 'runs/**/*.gz' (** stands for any folders).

    Each run is stored as a whole or not at all; a bad one fails alone, and the exit status is 1
    then. A warning that holds for several runs is printed once.

    --subtopics, --judgment-groups, --preferences, --known and --collection-size belong to the
    collection, --times, --explanations and --index-bytes to the one RUN given, also if it is stored
    already.

    --param, --tag, --note and the other facts are recorded with every RUN given; a run that is
    stored already keeps its own (`evalstore runs edit` changes them). A new run also gets the
    commit and state of the git checkout that the command runs in, the host and the account, unless
    --no-checkout. From Python: `store.log_run` and `store.start_run`.
    """
    set_up_reading()
    one_run = {"--name": name} | {f"--{n.replace('_', '-')}": files[n] for n in OF_ONE_RUN}
    given = _run_paths(runs, files_from, qrels, files["judged_by"])
    _check_one(len(given.paths), one_run)
    if all_documents and documents is None and beir is None:
        raise click.UsageError("--all-documents goes with --documents or --beir")
    to_server = is_server(db)
    if to_server:
        why = "how files are read can be said only where the store is"
        refuse(click.get_current_context(), NOT_SENT, f"can't be sent to a server: {why}")
    from evalstore.evaluation.parallel import cores

    jobs = jobs or cores()
    options = reading_from({**files, "maps": saved_maps(db, collection, files["maps"])})
    from pathlib import Path

    from evalstore.catalog.collection_facts import store_collection_facts
    from evalstore.catalog.given_facts import GivenFacts
    from evalstore.catalog.origin import find_origin
    from evalstore.evaluation.ingest_options import IngestOptions
    from evalstore.formats import read_queries
    from evalstore.ingest.ingest import Interrupted
    from evalstore.ingest.ingest import ingest as ingest_runs
    from evalstore.ingest.store_qrels import store_qrels
    from evalstore.store import Store

    reading = IngestOptions(
        collection,
        options=options,
        allow_disjoint=allow_disjoint,
        ignore_identical_ids=ignore_identical_ids,
    )
    known = None if recheck or to_server else _known_files(db, reading)
    sources = _sources(given.paths, options, known)
    _check_one(len(sources), one_run)
    if beir is not None:
        qrels, queries, documents = _files_of_beir(beir, qrels, queries, documents)
    texts = None if documents is None else Texts(documents, all_documents, max_document_bytes)
    request = dataclasses.replace(
        reading,
        engine=engine,
        experiment=experiment,
        name=name,
        replace=replace,
        keep_top=keep_top,
        compat=compat,
        measures=_storable(measures),
        facts=facts_from(files, options, index_bytes=files["index_bytes"]),
        origin=GivenFacts() if no_checkout else find_origin(Path.cwd()),
        run_facts=None if to_server else run_facts_from({**files, "index_bytes": None}, options),
    )
    if to_server:
        values = {**files, "qrels": qrels, "default_qrels": default_qrels, "queries": queries}
        done = ingest_to_server(db, request, sources, values, texts, quiet)
        return end(done, given, quiet)
    given_queries = read_queries(queries, options) if queries else None
    collection_facts = collection_facts_from(
        files, judges_options(db, collection, files, options, given_queries)
    )
    with Store.open(db) as store, progress([source.path for source in sources], quiet) as display:
        stored_qrels = store_qrels(
            store,
            collection,
            qrels_path=qrels,
            queries=given_queries,
            options=options,
            default_qrels=default_qrels,
            allow_disjoint=allow_disjoint,
            warn=warn,
        )
        _print_format(stored_qrels.qrels.format)
        if collection_facts is not None:
            store_collection_facts(store, collection, collection_facts)
        try:
            result = ingest_runs(
                store,
                request,
                sources,
                qrels=stored_qrels,
                jobs=jobs,
                scheduler=scheduler,
                progress=display,
                known=known,
            )
        except Interrupted as interrupt:
            result = interrupt.result
        _finish(store, request, stored_qrels, result, texts)
    end(result, given, quiet)


def _run_paths(
    runs: Sequence[str], files_from: str | None, qrels: str | None, judged_by: object
) -> RunPaths:
    """The files of runs; UsageError if there are only judgments, or a judge without any."""
    if judged_by is not None and qrels is None:
        raise click.UsageError("--judged-by goes with --qrels FILE")
    if qrels is not None and not runs and files_from is None:
        raise click.UsageError(
            "Missing argument 'RUN...': give files, or a list with --files-from; judgments "
            "alone are stored, for a collection with runs, by `evalstore reevaluate --qrels FILE`"
        )
    return run_paths(runs, files_from)


def _files_of_beir(
    folder: str, qrels: str | None, queries: str | None, documents: str | None
) -> tuple[str, str | None, str | None]:
    """The given files of judgments, queries and documents, or else those of a BEIR folder."""
    from evalstore.formats.tables.texts import find_beir

    beir = find_beir(folder, qrels)
    return beir.qrels, queries or beir.queries, documents or beir.documents


class Texts(NamedTuple):
    """The file of documents whose texts are stored: of all, or only of those that are shown."""

    path: str
    every: bool
    max_bytes: int


def _check_one(count: int, options: Mapping[str, object]) -> None:
    """Refuse options that belong to a single run if there are several."""
    given = [option for option, value in options.items() if value is not None]
    if given and count > 1:
        belongs = "belongs" if len(given) == 1 else "belong"
        names = " and ".join(given)
        raise click.UsageError(
            f"{names} {belongs} to one run, and there are {count:,}: give one RUN, or leave it out"
        )


def _sources(
    paths: Sequence[str], options: ReadOptions, known: KnownFiles | None
) -> list[RunSource]:
    """The runs of every path; prints the format of folders and of files with several runs."""
    from evalstore.formats.reading.paths import shown_path
    from evalstore.formats.sources import find_sources

    options = dataclasses.replace(options, is_known=None if known is None else known.is_known)
    sources: list[RunSource] = []
    for path in paths:
        found = find_sources(path, options)
        if found.format or len(found.runs) > 1:
            runs = f"{len(found.runs):,} run{'s' * (len(found.runs) != 1)}"
            form = f" read as {found.format}" if found.format else ""
            click.echo(printable(f"{shown_path(path)}: {runs}{form}"))
        warn(*found.warnings)
        sources += found.runs
    return sources


def _storable(measures: str | None) -> tuple[Measure, ...] | None:
    """The measures of --measures; None if it is not given."""
    from evalstore.evaluation.ingest_options import storable
    from evalstore.measures import parse_list

    return None if measures is None else storable(parse_list(measures).values())


def _print_format(name: str) -> None:
    """Print the format of the judgments, unless they were stored already, or are TREC's."""
    from evalstore.formats.any_format import TREC

    if name not in ("", TREC["qrels"]):
        click.echo(f"judgments read as {name}")


def _finish(
    store: Store,
    request: IngestOptions,
    qrels: CollectionQrels,
    result: Ingested,
    texts: Texts | None,
) -> None:
    """Store the texts of documents; delete new judgments of whose queries no run has one."""
    from evalstore.ingest.store_qrels import withdraw

    if result.of_other_queries:
        withdraw(store, request.collection, qrels)
    elif texts is not None and not result.not_reached:
        _store_texts(store, request.collection, texts, request.options)


def _store_texts(store: Store, collection: str, texts: Texts, options: ReadOptions) -> None:
    """Store the texts of documents; print how many there are, and how many were cut."""
    from evalstore.formats import read_documents
    from evalstore.formats.reading.paths import shown_path
    from evalstore.ingest.documents import store_texts

    documents = read_documents(texts.path, options)
    stored = store_texts(store, collection, documents, every=texts.every, max_bytes=texts.max_bytes)
    _print_texts(stored)
    warn(*stored.warnings(shown_path(texts.path), texts.max_bytes))


def _print_texts(texts: StoredDocuments) -> None:
    """Print the number of documents whose texts were stored."""
    click.echo(f"texts of {texts.stored:,} of {texts.read:,} documents stored")


def _known_files(db: str, request: IngestOptions) -> KnownFiles | None:
    """The files that don't have to be read again; None if there is no store yet."""
    from evalstore.errors import StoreError
    from evalstore.ingest.store_run import load_known_files
    from evalstore.store.database import is_there

    if not is_there(db):
        return None
    try:
        with local_store(db) as store:
            return load_known_files(store, request)
    except StoreError:  # opening it for writing gives the reason, or makes it
        return None


# `evalstore ingest` through the team's server

OF_ONE_RUN = ("times", "explanations", "index_bytes")
"""Options of facts of a single run."""
NOT_SENT = ("encoding", "max_bytes", "unfinished", "jobs", "scheduler")
"""Options for reading files, which a server does not take."""


def ingest_to_server(
    url: str,
    request: IngestOptions,
    sources: Sequence[RunSource],
    values: Mapping[str, Any],
    texts: Texts | None,
    quiet: bool,
) -> Ingested:
    """Send queries, facts, judgments, runs and documents, in the order in which a store needs them.

    `values` has the files. Prints the format of judgments and the number of stored texts.
    """
    from evalstore.client.ingest import (
        CollectionFiles,
        ingest,
        opened_beside,
        send_collection,
        send_documents,
    )
    from evalstore.ingest.ingest import Interrupted

    files = CollectionFiles(
        qrels=values["qrels"],
        beside={name: values[name] for name in ("queries", *FACT_FILES) if values[name]},
        collection_size=values["collection_size"],
        default_qrels=values["default_qrels"],
        allow_disjoint=request.allow_disjoint,
        options=request.options,
    )
    with ExitStack() as stack:
        beside = stack.enter_context(opened_beside(values))
        reached = stack.enter_context(server(url))
        with progress([source.path for source in sources], quiet) as display:
            qrels = send_collection(reached, request.collection, files, warn)
            _print_format("" if qrels is None else qrels.format)
            name = None if qrels is None else qrels.name
            try:
                result = ingest(
                    reached, request, sources, qrels=name, progress=display, beside=beside
                )
            except Interrupted as interrupt:
                result = interrupt.result
        if texts is not None and not result.not_reached:
            with progress([texts.path], quiet) as display:
                display.started(texts.path)
                stored = send_documents(
                    *(reached, request.collection, texts.path),
                    every=texts.every,
                    max_bytes=texts.max_bytes,
                    warn=warn,
                    sent=display.sent,
                )
            _print_texts(stored)
    return result


# Output of `evalstore ingest`

SPECIFIC = re.compile(r"(?:'[^']*'|\d[\d.,]*)(?:[, ]+(?:'[^']*'|\.\.\.|\d[\d.,]*))*")
"""The names in quotes and the numbers of a warning, and lists of them."""
MOST_NAMED = 5
"""The most runs that a warning names."""


def end(result: Ingested, given: RunPaths, is_quiet: bool) -> None:
    """Print the outcomes (if quiet, failures), counts and engine names; exit with the status."""
    from evalstore.formats.any_format import TREC

    warn_once(result.outcomes)
    for outcome in result.outcomes:
        failed = outcome.status == "failed"
        if is_quiet and not failed:
            continue
        detail = advised(outcome.detail, outcome.problem)
        if failed:
            detail = given.with_line(detail, outcome.path)
        if outcome.format not in ("", TREC["run"]):
            kind = ": values only" if outcome.values_only else ""
            detail += f"  (read as {outcome.format}{kind})"
        if outcome.same_as:
            detail += f"  (same rankings as {outcome.same_as})"
        click.echo(printable(f"{outcome.status:<15} {detail}"), err=failed)
    if len(result.outcomes) > 1 or result.not_reached:
        counts = [f"{count:,} {status}" for status, count in result.counts.items()]
        if result.not_reached:
            counts.append(f"{len(result.not_reached):,} not reached")
        click.echo(", ".join(counts))
    if result.recognised and len(result.outcomes) > 1:
        files = "1 file" if result.recognised == 1 else f"{result.recognised:,} files"
        since = "it was" if result.recognised == 1 else "they were"
        click.echo(f"{files} unchanged since {since} stored")
    _advise(result)
    if result.not_reached:
        left = ", ".join(result.not_reached)
        click.echo(printable(f"interrupted; not stored: {left}"), err=True)
        sys.exit(INTERRUPTED)
    if result.counts["failed"]:
        sys.exit(1)


def warn_once(outcomes: Sequence[Outcome]) -> None:
    """Print the warnings: as one those of several runs that differ only in what is `SPECIFIC`."""
    from evalstore.catalog.names import listed
    from evalstore.formats.reading.source import path_text

    alike: dict[str, dict[str, str]] = {}
    for outcome in outcomes:
        path = path_text(outcome.path)
        name = path if outcome.status == "failed" else outcome.detail
        for warning in outcome.warnings:
            said = SPECIFIC.sub("#", warning.removeprefix(path))
            alike.setdefault(said, {}).setdefault(name, warning)
    for by_run in alike.values():
        first, *others = by_run
        runs = f"{len(others):,} other run{'s' * (len(others) > 1)}: {listed(others, MOST_NAMED)}"
        warn(by_run[first] + (f" (likewise {runs})" if others else ""))


def _advise(result: Ingested) -> None:
    """Print what to do about runs that are not stored as a reader may expect."""
    if result.counts["restored"]:
        click.echo("what is restored was removed: `evalstore runs rm` removes it again", err=True)
    if any(outcome.keeps_facts for outcome in result.outcomes):
        click.echo("`evalstore runs edit RUN` changes the facts of a stored run", err=True)
    if result.common_tag is not None and (result.counts["stored"] or result.counts["replaced"]):
        tag = printable(repr(result.common_tag))
        click.echo(
            f"all runs carry the run tag {tag}: each engine is named after its run; "
            "--engine NAME or `evalstore runs edit` names another"
        )


# The progress of an ingest: a bar on a terminal, lines elsewhere

LINES = 10
"""Maximum of lines of progress where there is no bar."""
LONGEST_NAME = 24
"""Maximum characters of a file name in the bar, so that it fits in 80 columns with the sizes."""


class Lines:
    """Up to ten lines on standard error, with the finished files and their share of the bytes."""

    def __init__(self, paths: Sequence[str], is_quiet: bool) -> None:
        self._files = len(paths)
        self._is_quiet = is_quiet
        self._total = sum(map(size, paths))
        self._done = 0
        self._bytes = 0

    def started(self, path: str) -> None:
        """Print nothing."""

    def sent(self, count: int) -> None:
        """Print nothing."""

    def finished(self, outcome: Outcome) -> None:
        """Print the progress."""
        from evalstore.formats.reading.paths import shown_path

        self._done += 1
        self._bytes += size(outcome.path)
        tenth, before = (done * LINES // self._files for done in (self._done, self._done - 1))
        if self._is_quiet or tenth == before:
            return
        share = f", {self._bytes / self._total:.0%}" if self._total else ""
        line = f"[{self._done}/{self._files}{share}] {printable(shown_path(outcome.path))}"
        click.echo(line, err=True)


class Bar:
    """A bar that advances by the bytes of the files and names the current one."""

    def __init__(self, bar: Progress, task: TaskID, files: int) -> None:
        self._bar = bar
        self._task = task
        self._files = files
        self._done = 0
        self._sent = 0

    def started(self, path: str) -> None:
        """Show the name of the file."""
        from evalstore.formats.reading.paths import shown_path

        name = printable(os.path.basename(shown_path(path)))
        if len(name) > LONGEST_NAME:
            name = f"…{name[1 - LONGEST_NAME :]}"
        text = f"{self._done + 1}/{self._files} {name}"
        self._bar.update(self._task, description=text)

    def sent(self, count: int) -> None:
        """Advance by bytes of the current file that have arrived on a server."""
        self._sent += count
        self._bar.advance(self._task, count)

    def finished(self, outcome: Outcome) -> None:
        """Advance by the bytes that were not sent."""
        self._done += 1
        self._bar.advance(self._task, size(outcome.path) - self._sent)
        self._sent = 0


@contextmanager
def progress(paths: Sequence[str], is_quiet: bool) -> Iterator[Lines | Bar]:
    """A bar if standard error is a terminal that can draw one, else lines; neither if quiet."""
    if is_quiet or not sys.stderr.isatty():
        yield Lines(paths, is_quiet)
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    console = Console(stderr=True, highlight=False)
    if console.is_dumb_terminal:
        yield Lines(paths, is_quiet)
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(None), DownloadColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        yield Bar(bar, bar.add_task("", total=sum(map(size, paths)) or None), len(paths))


def size(path: str) -> int:
    """The size of a file in bytes; 0 if it is no regular file (standard input, a pipe)."""
    return os.path.getsize(path) if os.path.isfile(path) else 0
