"""`evalstore ingest` through the team's server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from evalstore.cli.output import warn
from evalstore.cli.progress import progress
from evalstore.cli.stores import server

if TYPE_CHECKING:
    from evalstore.formats.run_sources import RunSource
    from evalstore.usecases.ingest import Ingested
    from evalstore.usecases.prepare_run import Request

NOT_SENT = {
    **dict.fromkeys(
        ("beir", "queries", "documents", "all_documents", "max_document_bytes"), "texts"
    ),
    **dict.fromkeys(
        ("subtopics", "judgment_groups", "preferences", "known", "collection_size", "times"),
        "what some measures need",
    ),
    "measures": "which measures are stored",
    **dict.fromkeys(
        ("encoding", "max_bytes", "unfinished", "jobs", "scheduler"), "how files are read"
    ),
}
"""Options that a server does not take, and what they are about."""


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
    url: str,
    request: Request,
    sources: Sequence[RunSource],
    qrels_path: str | None,
    default_qrels: bool,
) -> Ingested:
    """Send judgments, if they are given, and runs; prints what judgments were read as.

    Raises:
        EvalstoreError: the judgments can't be stored, or the server can't be reached.
    """
    from evalstore.client.ingest import check_qrels, ingest, send_qrels
    from evalstore.formats.any_format import TREC
    from evalstore.usecases.ingest import Interrupted

    with server(url) as reached, progress([source.path for source in sources]) as display:
        qrels = None
        if qrels_path is None:
            check_qrels(reached, request.collection)
        else:
            sent = send_qrels(
                reached,
                request.collection,
                qrels_path,
                options=request.options,
                default_qrels=default_qrels,
                allow_disjoint=request.allow_disjoint,
                warn=warn,
            )
            qrels = sent.name
            if sent.format not in ("", TREC["qrels"]):
                click.echo(f"judgments read as {sent.format}")
        try:
            return ingest(reached, request, sources, qrels=qrels, progress=display)
        except Interrupted as interrupt:
            return interrupt.result
