"""Store runs through a server: files are sent, and its reader checks them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import IO, Any, Protocol

from evalstore.catalog.given_facts import GivenFacts
from evalstore.client.connection import Server
from evalstore.client.sending import FileToSend, opened
from evalstore.client.stored_file import store_file
from evalstore.errors import DataError, EvalstoreError, StoreError
from evalstore.evaluation.prepare import Request
from evalstore.formats import read_times
from evalstore.formats.facts.json_facts import NAMES as FACTS
from evalstore.formats.facts.json_facts import json_of_facts
from evalstore.formats.file_names import run_name
from evalstore.formats.run_sources import RunSource
from evalstore.formats.source import path_text
from evalstore.ingest.ingest import Ingested, Interrupted, Outcome, Progress, find_common_tag
from evalstore.ingest.log_run import given


class Sending(Progress, Protocol):
    """Receives the progress of an ingest through a server."""

    def sent(self, count: int) -> None:
        """Called when so many further bytes of the file are on the server."""


def ingest(
    server: Server,
    request: Request,
    sources: Sequence[RunSource],
    *,
    qrels: str | None,
    progress: Sending,
    times: FileToSend | None = None,
    standard_input: IO[bytes] | None = None,
) -> Ingested:
    """Store runs, one after the other; an error in one does not affect the others.

    Nothing is sent that is stored already. Where the server can't be reached any more, the runs
    that are left fail without being tried.

    Args:
        server: the server.
        request: the collection, names and options; how files are read is the server's to decide,
            but for the formats that are named.
        sources: what `ingest.ingest.find_sources` gives.
        qrels: the name of the judgments, which the collection has; None for its default ones.
        progress: called for each file when it is begun, with what of it is sent, and when it is
            done.
        times: the file of the response times of the run, where there is one run.
        standard_input: what `-` reads.

    Raises:
        Interrupted: on Ctrl-C; its `result` tells which files are stored.
    """
    paths = [source.path for source in sources if source.engine is None and source.error is None]
    tag = None if request.engine is not None else find_common_tag(paths, request.options)
    request = replace(request, engine_after_run=tag is not None)
    outcomes: list[Outcome] = []
    warnings: set[str] = set()
    is_lost = False
    try:
        for source in sources:
            progress.started(source.path)
            if is_lost:
                outcome = _failed(
                    source, DataError(f"{path_text(source.label)}: not tried any more")
                )
            else:
                send = partial(
                    send_run, server, request, source, qrels, progress.sent, times, standard_input
                )
                outcome, is_lost = _outcome(send, source)
            # Judgments that were chosen are told of with every run: once is enough.
            new = tuple(text for text in outcome.warnings if text not in warnings)
            warnings.update(new)
            outcomes.append(replace(outcome, warnings=new))
            progress.finished(outcomes[-1])
    except KeyboardInterrupt:
        left = tuple(source.label for source in sources[len(outcomes) :])
        raise Interrupted(Ingested(tuple(outcomes), left, tag)) from None
    return Ingested(tuple(outcomes), common_tag=tag)


def _outcome(send: Callable[[], Outcome], source: RunSource) -> tuple[Outcome, bool]:
    """What became of a run, and whether the server is lost to the others too."""
    try:
        return send(), False
    except StoreError as error:
        return _failed(source, error), True
    except EvalstoreError as error:
        return _failed(source, error), False


@contextmanager
def opened_times(path: str, standard_input: IO[bytes] | None = None) -> Iterator[FileToSend]:
    """A file of response times, which is read here before anything is sent.

    Raises:
        FileError: it can't be read, or breaks a rule.
    """
    with opened(path, standard_input or sys.stdin.buffer, read_times) as file:
        with file.errors_name_it():
            read_times(file.path_here)
        yield file


def send_run(
    server: Server,
    request: Request,
    source: RunSource,
    qrels: str | None,
    sent: Callable[[int], None] = lambda _: None,
    times: FileToSend | None = None,
    standard_input: IO[bytes] | None = None,
) -> Outcome:
    """Store one run; arguments are those of `ingest`.

    Raises:
        DataError: the run can't be stored.
        StoreError: the server can't be reached, or refuses the token.
    """
    if source.error is not None:
        raise source.error
    body = run_request(request, source, qrels)
    with opened(source.path, standard_input or sys.stdin.buffer) as file:
        beside = {} if times is None else {"times": times}
        content = store_file(
            server, request.collection, "runs", file, body, beside=beside, sent=sent
        )
    return Outcome(
        source.path,
        content["status"],
        content["run"]["name"],
        (*source.warnings, *content["warnings"]),
        format=content["format"],
        values_only=content.get("values_only", False),
    )


def _failed(source: RunSource, error: EvalstoreError) -> Outcome:
    message = str(error)
    named = source.path in message or path_text(source.path) in message
    detail = message if named else f"{source.label}: {message}"
    return Outcome(source.path, "failed", detail, source.warnings, problem=error.problem)


def run_request(request: Request, source: RunSource, qrels: str | None) -> dict[str, Any]:
    """What is asked of the server for a run, without the hash of its file.

    Raises:
        DataError: a fact that can't be sent.
    """
    name = request.name or source.name
    engine = request.engine or source.engine
    if engine is None and request.engine_after_run:
        engine = name or run_name(source.path)
    facts = request.facts.or_else(GivenFacts(**source.facts))
    values = given(facts)
    unknown = set(values) - set(FACTS)
    if unknown:
        raise DataError(f"{' and '.join(sorted(unknown))} of a run can't be sent to a server")
    body: dict[str, Any] = {
        "name": name,
        "engine": engine,
        "experiment": request.experiment or source.experiment,
        "replace": request.replace,
        "keep_top": request.keep_top,
        "compat": request.compat,
        "measures": None if request.measures is None else list(map(str, request.measures)),
        "allow_disjoint": request.allow_disjoint,
        "ignore_identical_ids": request.ignore_identical_ids,
        "format": list(request.options.formats) or None,
        "part": list(source.part) or None,
        "qrels": qrels,
        **json_of_facts(values),
    }
    origin = json_of_facts(given(request.origin))
    return {
        name: value
        for name, value in {**body, "origin": origin or None}.items()
        if value is not None and value is not False
    }
