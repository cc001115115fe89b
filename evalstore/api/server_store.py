"""A store behind a team's server, as Python users see it; `open` gives one."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NoReturn, Unpack

from evalstore.api.inputs import as_paths, as_qrels, as_queries, as_run, is_one_run, named_runs
from evalstore.api.logged_runs import FactArguments, LoggedRun, given_facts
from evalstore.api.store import Store
from evalstore.catalog.given_facts import GivenFacts
from evalstore.catalog.names import qrels_name
from evalstore.catalog.origin import find_origin
from evalstore.client.connection import Server, parse_address
from evalstore.client.ingest import ingest, send_facts, send_qrels, send_run
from evalstore.client.remote_store import RemoteStore
from evalstore.errors import Conflict, DataError, NotFound, QrelsMissing, StoreError
from evalstore.evaluation.ingest_options import IngestOptions
from evalstore.formats import ReadOptions
from evalstore.formats.source import quoted
from evalstore.formats.sources import RunSource, find_sources
from evalstore.ingest.ingest import Ingested, Outcome
from evalstore.ingest.log_run import begin_run

if TYPE_CHECKING:
    from evalstore.api.inputs import QrelsLike, QueriesLike, Runs


class ServerStore(Store):
    """A store that is reached through a server.

    It is read as any other, and takes `ingest`, `start_run`, `log_run`, `annotate` and
    `set_baseline`; other methods raise StoreError. `ingest` sends nothing that is stored, and goes
    on where it broke off; the server reads the files, so `jobs` changes nothing, and a `scheduler`
    is refused. Queries that are sent have a text each.
    """

    def __init__(self, url: str, token: str | None = None, *, plain_http: bool = False) -> None:
        """Prepare requests to the server; nothing is sent."""
        self._server = Server(parse_address(url), token, plain_http=plain_http)

    def _reader(self) -> RemoteStore:
        return RemoteStore(self._server)

    def _changer(self) -> RemoteStore:
        return RemoteStore(self._server)

    def _ingest(
        self,
        options: IngestOptions,
        runs: Runs,
        qrels: QrelsLike | None,
        queries: QueriesLike | None,
        *,
        default_qrels: bool,
        jobs: int,
        scheduler: str | None,
    ) -> Ingested:
        """Send files: nothing that is stored, and what breaks off goes on.

        `jobs` changes nothing: the server reads the files. Queries have a text each.
        """
        if scheduler is not None:
            raise DataError("a server reads the files itself: a scheduler can't be sent to it")
        name = self._send_qrels(options, qrels, queries, default_qrels)
        paths = as_paths(runs)
        if paths is not None:
            sources = [s for path in paths for s in find_sources(path, options.options).runs]
            return ingest(self._server, options, sources, qrels=name, progress=_Silent())
        with _written(runs) as files:
            result = ingest(self._server, options, files, qrels=name, progress=_Silent())
        return Ingested(tuple(map(_of_memory, files, result.outcomes)))

    def start_run(
        self,
        engine: str,
        collection: str,
        name: str | None = None,
        *,
        qrels: QrelsLike | None = None,
        experiment: str | None = None,
        replace: bool = False,
        resume: bool = False,
        journal: str | os.PathLike[str] | None = None,
        checkout: bool = True,
        **facts: Unpack[FactArguments],
    ) -> LoggedRun:
        """As of a `Store`: the run is sent when it has ended.

        The `.evalrun` file is in the current folder where `journal` names no other.
        """
        known = given_facts(facts)
        request = IngestOptions(collection=collection, replace=replace)
        try:
            qrels_name = self._send_qrels(request, qrels)
        except QrelsMissing as error:
            raise QrelsMissing(f"{error} (start_run and ingest take qrels)") from None
        begun = begin_run(
            Path() if journal is None else Path(journal),
            engine=engine,
            collection=collection,
            name=name,
            experiment=experiment,
            facts=known,
            origin=find_origin(Path.cwd()) if checkout else GivenFacts(),
            resume=resume,
            store=str(self._server.address),
            is_free=lambda made_up: not self._is_stored(made_up, collection),
        )
        try:
            if not begun.is_resumed:
                if known.parent is not None:
                    self._reader().run_facts(known.parent, collection)
                if not replace and self._is_stored(begun.name, collection):
                    raise Conflict(
                        f"run {begun.name!r} of collection {collection!r} is stored already"
                    )
        except BaseException:
            begun.delete()
            raise
        return LoggedRun(begun, self._storing(request, qrels_name))

    def _storing(self, request: IngestOptions, qrels: str | None) -> Callable[[Path], Outcome]:
        def store(path: Path) -> Outcome:
            try:
                return send_run(self._server, request, RunSource(str(path)), qrels)
            finally:
                self._server.close()

        return store

    def _send_qrels(
        self,
        options: IngestOptions,
        qrels: QrelsLike | None,
        queries: QueriesLike | None = None,
        default_qrels: bool = False,
    ) -> str | None:
        """Send judgments and queries; the name of the judgments, None for the default ones."""
        with ExitStack() as files:
            path_of_queries = files.enter_context(_file_of_queries(queries))
            beside = {} if path_of_queries is None else {"queries": path_of_queries}
            if qrels is None:
                send_facts(self._server, options.collection, options=ReadOptions(), beside=beside)
                return None
            return send_qrels(
                self._server,
                options.collection,
                files.enter_context(_file_of(qrels)),
                options=ReadOptions(),
                beside=beside,
                default_qrels=default_qrels,
                allow_disjoint=options.allow_disjoint,
            ).name

    def _is_stored(self, name: str, collection: str) -> bool:
        try:
            return self._reader().run_facts(name, collection).name == name
        except NotFound:
            return False

    def close(self) -> None:
        """Close the connections."""
        self._server.close()

    def __repr__(self) -> str:
        """The address of the server."""
        return f"<evalstore.Store {self._server.address}>"

    def _reading(self) -> NoReturn:
        raise StoreError(
            f"{self._server.address} is a server, and this does not work through one: open the "
            "store itself, where the server runs"
        )

    def _writing(self) -> NoReturn:
        self._reading()


class _Silent:
    def started(self, path: str) -> None:
        """Do nothing."""

    def sent(self, count: int) -> None:
        """Do nothing."""

    def finished(self, outcome: Outcome) -> None:
        """Do nothing."""


@contextmanager
def _file_of(qrels: QrelsLike) -> Iterator[str]:
    """The file of judgments; what is in memory is written into one."""
    if isinstance(qrels, str | os.PathLike):
        yield os.fspath(qrels)
        return
    judgments = as_qrels(qrels)
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{qrels_name(judgments.path)}.qrels"
        judgments.write(path, "trec-qrels")
        yield str(path)


@contextmanager
def _file_of_queries(queries: QueriesLike | None) -> Iterator[str | None]:
    """The file of queries; what is in memory is written into one. None where there is no query.

    Raises:
        DataError: a query in memory that can't be, or has no text.
    """
    if queries is None or isinstance(queries, str | os.PathLike):
        yield None if queries is None else os.fspath(queries)
        return
    given = as_queries(queries)
    without = [qid for qid in given.attributes if qid not in given.texts]
    if without:
        raise DataError(f"queries, query {quoted(without[0])}: no text, which a server needs")
    lines = [
        json.dumps({**given.attributes.get(qid, {}), "query_id": qid, "text": text})
        for qid, text in given.items()
    ]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "queries.jsonl"
        path.write_text("\n".join(lines), encoding="utf-8")
        yield str(path) if lines else None


@contextmanager
def _written(runs: Runs) -> Iterator[list[RunSource]]:
    """Runs in memory as files."""
    if isinstance(runs, Mapping) and not is_one_run(runs):
        given = {str(name): as_run(run, str(name)) for name, run in runs.items()}
    else:
        given = named_runs(runs)
    with TemporaryDirectory() as folder:
        sources = []
        for number, (name, run) in enumerate(given.items()):
            path = Path(folder) / f"{number}.run"
            run.write(path, "trec-run")
            source = RunSource(
                str(path),
                name=name,
                engine=run.names.get("engine"),
                experiment=run.names.get("experiment"),
                facts={fact: value for fact, value in run.facts.items() if fact != "header"},
            )  # the header is in the file
            sources.append(source)
        yield sources


def _of_memory(source: RunSource, outcome: Outcome) -> Outcome:
    """The outcome of a run that was in memory: by its name, not by the file that it was sent as."""
    name = source.name or source.path
    detail = outcome.detail.replace(source.path, name)
    warnings = tuple(text.replace(source.path, name) for text in outcome.warnings)
    return replace(outcome, path=name, detail=detail, warnings=warnings, format="")
