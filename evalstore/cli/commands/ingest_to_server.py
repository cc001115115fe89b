"""`evalstore ingest` through the team's server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from evalstore.cli.commands.ingest_report import say_what_texts_are_stored
from evalstore.cli.commands.progress import progress
from evalstore.cli.extras_options import FACT_FILES
from evalstore.cli.output import warn
from evalstore.cli.stores import server

if TYPE_CHECKING:
    from evalstore.client.connection import Server
    from evalstore.evaluation.prepare import Request
    from evalstore.formats.run_sources import RunSource
    from evalstore.ingest.ingest import Ingested

NOT_SENT = ("encoding", "max_bytes", "unfinished", "jobs", "scheduler")
"""Options that a server does not take: how files are read."""


class GivenFiles(NamedTuple):
    """What is stored beside runs.

    Attributes:
        qrels: the file of the judgments; None for the default ones of the collection.
        default_qrels: whether these judgments become the default.
        beside: the files of queries and of facts of the collection, by the names of the options.
        collection_size: how many documents the collection has, if that is given.
        times: the file of the response times of the run, if there is one.
        documents: the file of the documents, if there is one.
        all_documents: whether the texts of all documents are stored.
        max_document_bytes: longer documents are cut there.
    """

    qrels: str | None
    default_qrels: bool
    beside: Mapping[str, str]
    collection_size: int | None
    times: str | None
    documents: str | None
    all_documents: bool
    max_document_bytes: int


def check_options(ctx: click.Context) -> None:
    """Refuse options that can't be sent.

    Raises:
        click.UsageError: one of them is given.
    """
    for name in NOT_SENT:
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            raise click.UsageError(
                f"--{name.replace('_', '-')} can't be sent to a server: how files are read can be "
                "said only where the store is"
            )


def given_beside(values: Mapping[str, Any]) -> dict[str, str]:
    """The files of queries and facts among the options; an empty name is none."""
    return {name: values[name] for name in ("queries", *FACT_FILES) if values[name]}


def ingest_to_server(
    url: str, request: Request, sources: Sequence[RunSource], files: GivenFiles
) -> Ingested:
    """Send queries, facts, judgments, runs and documents, in the order that a store takes them in.

    What judgments were read as, and how many texts were stored, is printed.

    Raises:
        EvalstoreError: a file that is no run can't be stored, or the server can't be reached.
    """
    from evalstore.client.ingest import ingest, opened_times
    from evalstore.ingest.ingest import Interrupted

    with ExitStack() as stack:
        times = stack.enter_context(opened_times(files.times)) if files.times else None
        reached = stack.enter_context(server(url))
        with progress([source.path for source in sources]) as display:
            qrels = _send_qrels(reached, request, files)
            try:
                result = ingest(
                    reached, request, sources, qrels=qrels, progress=display, times=times
                )
            except Interrupted as interrupt:
                result = interrupt.result
        if files.documents is not None and not result.not_reached:
            _send_documents(reached, request.collection, files.documents, files)
    return result


def _send_qrels(reached: Server, request: Request, files: GivenFiles) -> str | None:
    """Send judgments, queries and facts; the name of the judgments, None for the default ones."""
    from evalstore.client.collection_files import send_facts, send_qrels
    from evalstore.formats.any_format import TREC

    given: dict[str, Any] = {
        "options": request.options,
        "beside": files.beside,
        "collection_size": files.collection_size,
        "warn": warn,
    }
    if files.qrels is None:
        send_facts(reached, request.collection, **given)
        return None
    sent = send_qrels(
        reached,
        request.collection,
        files.qrels,
        default_qrels=files.default_qrels,
        allow_disjoint=request.allow_disjoint,
        **given,
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
