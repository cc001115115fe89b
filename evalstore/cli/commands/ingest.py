"""`evalstore ingest`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from evalstore.cli import complete
from evalstore.cli.commands.begun_reading import NOTHING, begin_reading, find_sources
from evalstore.cli.commands.ingest_report import end, say_what_texts_are_stored
from evalstore.cli.commands.ingest_to_server import (
    GivenFiles,
    check_options,
    given_beside,
    ingest_to_server,
)
from evalstore.cli.commands.process_settings import set_up_reading
from evalstore.cli.commands.progress import progress
from evalstore.cli.extras_options import (
    collection_facts_from,
    collection_facts_options,
    judges_options,
    run_facts_from,
    run_facts_options,
)
from evalstore.cli.facts_options import facts_from, facts_options
from evalstore.cli.input_format import input_format_option
from evalstore.cli.options import (
    Size,
    collection_option,
    compat_option,
    identical_ids_option,
    is_server,
    jobs_option,
    reading_from,
    reading_options,
    scheduler_option,
    store_or_server_option,
    unfinished_option,
)
from evalstore.cli.output import warn
from evalstore.cli.run_paths import files_from_option, run_paths

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalstore.formats import ReadOptions
    from evalstore.ingest.known_files import KnownFiles
    from evalstore.measures import Measure
    from evalstore.store import Store


@click.command()
@collection_option("The test collection.", required=True)
@click.option(
    "--qrels",
    metavar="FILE",
    shell_complete=complete.files,
    help="Judgments; the collection's default when left out.",
)
@click.option(
    "--default-qrels", is_flag=True, help="Show figures under these judgments from now on."
)
@click.option(
    "--allow-disjoint",
    is_flag=True,
    help="Take judgments, or a run, that share no query with what they belong to.",
)
@click.option(
    "--beir",
    metavar="FOLDER",
    shell_complete=complete.files,
    help="A folder of BEIR: its judgments, queries and documents, where these are not given "
    "otherwise.",
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
@click.option("--all-documents", is_flag=True, help="Store the texts of all documents.")
@click.option(
    "--max-document-bytes",
    type=Size(),
    default="1M",
    show_default=True,
    metavar="SIZE",
    help="Cut longer documents there.",
)
@collection_facts_options
@run_facts_options
@click.option(
    "--engine",
    metavar="NAME",
    help="The engine of these runs.  [default: the run tag, or the run's name where several files "
    "carry one and the same tag, and in folders of PyTerrier]",
)
@click.option(
    "--experiment",
    metavar="NAME",
    help="The group these runs belong to.  [default: the experiment of MLflow]",
)
@click.option(
    "--name",
    metavar="NAME",
    help="The run's name.  [default: the file's name, or that in its folder]",
)
@click.option(
    "--recheck",
    is_flag=True,
    help="Read also the files that are unchanged since they were stored.",
)
@click.option("--replace", is_flag=True, help="Replace a run of the same name and other content.")
@click.option(
    "--keep-top",
    type=click.IntRange(0),
    default=100,
    show_default=True,
    help="Documents per ranking kept as rows for SQL; the whole ranking is kept anyway.",
)
@click.option(
    "--measures",
    metavar="SET|LIST",
    shell_complete=complete.measure_lists,
    help="The measures to store: a set (standard, summary, ...), or names with commas between "
    "them. Others are computed where they are asked for.  [default: the collection's, or standard]",
)
@compat_option
@identical_ids_option
@input_format_option
@unfinished_option
@jobs_option
@scheduler_option
@reading_options
@facts_options
@click.option(
    "--no-checkout",
    is_flag=True,
    help="Record neither the commit of the git checkout that the command runs in, nor host and "
    "account: the runs were made elsewhere.",
)
@click.argument("runs", shell_complete=complete.files, metavar="RUN...", nargs=-1)
@files_from_option
@store_or_server_option
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
    runs: tuple[str, ...],
    files_from: str | None,
    **files: Any,
) -> None:
    """Read, check, evaluate and store runs.

    Each RUN is a file of six columns (qid Q0 docno rank score tag) or of another format that
    `evalstore formats` lists, recognised by its content, plain or gzip; - is standard input. It may
    also be a folder of runs, with their parameters where a table of them, PyTerrier, TIRA or MLflow
    gives them, or a pattern in quotes, as 'runs/**/*.gz' (** stands for any folders). Each run is
    stored as a whole or not at all; a bad one fails alone, and the exit status is 1 then.
    --subtopics, --judgment-groups, --preferences, --known and --collection-size
    belong to the collection, --times and --index-bytes to the one RUN given: `evalstore measure`
    computes with them.

    --param, --tag, --note and the other facts are recorded with every RUN given; for runs that are
    stored already they are added, or replace those stored. A new run also gets the commit and state
    of the git checkout that the command runs in, the host and the account, unless --no-checkout.
    """
    set_up_reading()
    one_run = {"--name": name, "--times": files["times"], "--index-bytes": files["index_bytes"]}
    given = run_paths(runs, files_from)
    _check_one(len(given.paths), one_run)
    if all_documents and documents is None and beir is None:
        raise click.UsageError("--all-documents goes with --documents or --beir")
    to_server = is_server(db)
    if to_server:
        check_options(click.get_current_context())
    from evalstore.evaluation.parallel import cores

    jobs = jobs or cores()
    options = reading_from(files)
    # Where there is a store, most files may be known, and are not read.
    are_new = scheduler is None and not to_server and (recheck or not os.path.exists(db))
    begun = begin_reading(given.paths, options, jobs) if are_new else NOTHING
    from pathlib import Path

    from evalstore.catalog.collection_facts import store_collection_facts
    from evalstore.catalog.given_facts import GivenFacts
    from evalstore.catalog.origin import find_origin
    from evalstore.evaluation.prepare import Request
    from evalstore.formats import read_queries
    from evalstore.formats.any_format import TREC
    from evalstore.ingest.ingest import Interrupted
    from evalstore.ingest.ingest import ingest as ingest_runs
    from evalstore.ingest.store_qrels import store_qrels
    from evalstore.store import Store

    reading = {"ignore_identical_ids": ignore_identical_ids, "allow_disjoint": allow_disjoint}
    known = None if recheck or to_server else _known_files(db, collection, options, **reading)
    sources = find_sources(given.paths, options, known, begun)
    _check_one(len(sources), one_run)
    if beir is not None:
        qrels, queries, documents = _files_of_beir(beir, qrels, queries, documents)
    request = Request(
        collection=collection,
        engine=engine,
        experiment=experiment,
        name=name,
        replace=replace,
        keep_top=keep_top,
        compat=compat,
        measures=_storable(measures),
        options=options,
        allow_disjoint=allow_disjoint,
        ignore_identical_ids=ignore_identical_ids,
        facts=facts_from(files, options, index_bytes=files["index_bytes"]),
        origin=GivenFacts() if no_checkout else find_origin(Path.cwd()),
        run_facts=None if to_server else run_facts_from({**files, "index_bytes": None}, options),
    )
    if to_server:
        given_files = GivenFiles(
            qrels=qrels,
            default_qrels=default_qrels,
            beside=given_beside({**files, "queries": queries}),
            collection_size=files["collection_size"],
            times=files["times"],
            documents=documents,
            all_documents=all_documents,
            max_document_bytes=max_document_bytes,
        )
        return end(ingest_to_server(db, request, sources, given_files), given)
    given_queries = read_queries(queries, options) if queries else None
    collection_facts = collection_facts_from(
        files, judges_options(db, collection, files, options, given_queries)
    )
    with Store.open(db) as store, progress([source.path for source in sources]) as display:
        stored_qrels = store_qrels(
            store,
            collection,
            qrels_path=qrels if begun.qrels is None else None,
            qrels=begun.qrels,
            queries=given_queries,
            options=options,
            default_qrels=default_qrels,
            allow_disjoint=allow_disjoint,
            warn=warn,
        )
        if stored_qrels.qrels.format not in ("", TREC["qrels"]):
            click.echo(f"judgments read as {stored_qrels.qrels.format}")
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
                begun=begun.runs,
                progress=display,
                known=known,
            )
        except Interrupted as interrupt:
            result = interrupt.result
        if documents is not None and not result.not_reached:
            _store_texts(store, collection, documents, options, all_documents, max_document_bytes)
    end(result, given)


def _check_one(count: int, options: Mapping[str, object]) -> None:
    """Refuse options that belong to one run where there are several."""
    given = [option for option, value in options.items() if value is not None]
    if given and count > 1:
        belongs = "belongs" if len(given) == 1 else "belong"
        names = " and ".join(given)
        raise click.UsageError(
            f"{names} {belongs} to one run, and there are {count:,}: give one RUN, or leave it out"
        )


def _storable(measures: str | None) -> tuple[Measure, ...] | None:
    """The measures of --measures; None where it is left out."""
    from evalstore.ingest.storable_measures import storable
    from evalstore.measures import parse_list

    return None if measures is None else storable(parse_list(measures).values())


def _files_of_beir(
    folder: str, qrels: str | None, queries: str | None, documents: str | None
) -> tuple[str, str | None, str | None]:
    """The judgments, queries and documents: those given, else those of a folder of BEIR."""
    from evalstore.formats.tables.beir_folder import find_beir

    beir = find_beir(folder, qrels)
    return beir.qrels, queries or beir.queries, documents or beir.documents


def _store_texts(
    store: Store, collection: str, path: str, options: ReadOptions, every: bool, max_bytes: int
) -> None:
    """Store the texts of documents, and print how many, and how many were cut."""
    from evalstore.formats import read_documents
    from evalstore.formats.urls import shown_path
    from evalstore.ingest.documents import store_texts

    documents = read_documents(path, options)
    texts = store_texts(store, collection, documents, every=every, max_bytes=max_bytes)
    say_what_texts_are_stored(texts)
    if texts.cut:
        warn(
            f"{shown_path(path)}: documents are cut at {max_bytes:,} bytes: {texts.cut:,} of them, "
            f"the first is {texts.first_cut!r}"
        )


def _known_files(
    db: str, collection: str, options: ReadOptions, **reading: bool
) -> KnownFiles | None:
    """The files that need not be read again; None where there is no store yet."""
    from evalstore.errors import StoreError
    from evalstore.ingest.known_files import load_known_files, reading_of
    from evalstore.store import Store
    from evalstore.store.location import is_there

    if not is_there(db):
        return None
    try:
        with Store.open(db, create=False) as store:
            return load_known_files(store, collection, reading_of(options, **reading))
    except StoreError:  # opening it to write tells what is wrong, or makes it
        return None
