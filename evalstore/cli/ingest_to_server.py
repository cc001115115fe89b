"""`evalstore ingest` through the team's server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import click

from evalstore.cli.ingest_report import say_what_texts_are_stored
from evalstore.cli.output import warn
from evalstore.cli.progress import progress
from evalstore.cli.stores import server

if TYPE_CHECKING:
    from evalstore.client.connection import Server
    from evalstore.formats.run_sources import RunSource
    from evalstore.usecases.ingest import Ingested
    from evalstore.usecases.prepare_run import Request

NOT_SENT = {
    **dict.fromkeys(
        ("subtopics", "judgment_groups", "preferences", "known", "collection_size", "times"),
        "what some measures need",
    ),
    **dict.fromkeys(
        ("encoding", "max_bytes", "unfinished", "jobs", "scheduler"), "how files are read"
    ),
}
"""Options that a server does not take, and what they are about."""


class GivenFiles(NamedTuple):
    """What is stored beside runs.

    Attributes:
        qrels: the file of the judgments; None for the default ones of the collection.
        default_qrels: whether these judgments become the default.
        queries: the file of the queries, if there is one.
        documents: the file of the documents, if there is one.
        all_documents: whether the texts of all documents are stored.
        max_document_bytes: longer documents are cut there.
    """

    qrels: str | None
    default_qrels: bool
    queries: str | None
    documents: str | None
    all_documents: bool
    max_document_bytes: int


def check_options(ctx: click.Context) -> None:
    """Refuse options that can't be sent.

    Raises:
        click.UsageError: one of them is given.
    """
    for name, subject in NOT_SENT.items():
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            raise click.UsageError(
                f"--{name.replace('_', '-')} can't be sent to a server: {subject} can be said only "
                "where the store is"
            )


def ingest_to_server(
    url: str, request: Request, sources: Sequence[RunSource], files: GivenFiles
) -> Ingested:
    """Send queries, judgments, runs and documents, in the order in which a store takes them.

    What judgments were read as, and how many texts were stored, is printed.

    Raises:
        EvalstoreError: a file that is no run can't be stored, or the server can't be reached.
    """
    from evalstore.client.ingest import ingest
    from evalstore.usecases.ingest import Interrupted

    with server(url) as reached:
        with progress([source.path for source in sources]) as display:
            qrels = _send_qrels(reached, request, files)
            try:
                result = ingest(reached, request, sources, qrels=qrels, progress=display)
            except Interrupted as interrupt:
                result = interrupt.result
        if files.documents is not None and not result.not_reached:
            _send_documents(reached, request.collection, files.documents, files)
    return result


def _send_qrels(reached: Server, request: Request, files: GivenFiles) -> str | None:
    """Send judgments and queries; gives the name of the judgments, None for the default ones."""
    from evalstore.client.collection_files import check_qrels, send_qrels, send_queries
    from evalstore.formats.any_format import TREC

    if files.qrels is None:
        check_qrels(reached, request.collection)
        if files.queries is not None:
            send_queries(reached, request.collection, files.queries, warn=warn)
        return None
    sent = send_qrels(
        reached,
        request.collection,
        files.qrels,
        options=request.options,
        queries=files.queries,
        default_qrels=files.default_qrels,
        allow_disjoint=request.allow_disjoint,
        warn=warn,
    )
    if sent.format not in ("", TREC["qrels"]):
        click.echo(f"judgments read as {sent.format}")
    return sent.name


def _send_documents(reached: Server, collection: str, path: str, files: GivenFiles) -> None:
    from evalstore.client.collection_files import send_documents

    with progress([path]) as display:
        display.started(path)
        texts = send_documents(
            reached,
            collection,
            path,
            every=files.all_documents,
            max_bytes=files.max_document_bytes,
            warn=warn,
            sent=display.sent,
        )
    say_what_texts_are_stored(texts)
