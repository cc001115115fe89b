"""Runs that are logged from code, query by query, into a store or for a later ingest."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import replace as changed
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypedDict, Unpack, cast

from evalstore.api.inputs import Opened, as_qrels
from evalstore.catalog.annotate import Changes, RunChange
from evalstore.catalog.given_facts import GivenFacts
from evalstore.catalog.origin import find_origin
from evalstore.client.connection import Server
from evalstore.client.ingest import send_run
from evalstore.client.remote_store import RemoteStore
from evalstore.errors import Conflict, DataError, EvalstoreError, FileError, NotFound, QrelsMissing
from evalstore.evaluation.ingest_options import IngestOptions
from evalstore.formats.facts.parameters import Parameter
from evalstore.formats.json.evalrun import Docs
from evalstore.formats.sources import RunSource
from evalstore.formats.trec.columns import counted
from evalstore.ingest.ingest import Outcome
from evalstore.ingest.log_run import TAKEN, Journal, LocalTarget, begin_run
from evalstore.ingest.store_qrels import store_qrels

if TYPE_CHECKING:
    from evalstore.api.inputs import QrelsLike


class LoggedRun:
    """A run that is being logged; `Store.start_run` and `Offline.start_run` return one.

    As a context manager it ends the run at the end of the block. If the block ends with an
    exception, the file stays, and a note on the exception says where it is. `log` and `annotate`
    may be called from several threads, but not from forked processes.

    Attributes:
        outcome: the outcome of the stored run, as in `Store.ingest`; None until it has ended, and
            for a run that is logged offline.
    """

    def __init__(self, journal: Journal, store: Callable[[Path], Outcome] | None) -> None:
        """Log into a journal; `store` stores the ended run, or is None for one logged offline."""
        self._journal = journal
        self._store = store
        self.outcome: Outcome | None = None

    @property
    def name(self) -> str:
        """The name of the run."""
        return self._journal.name

    @property
    def path(self) -> Path:
        """The `.evalrun` file; it is deleted once a store has the run."""
        return self._journal.path

    @property
    def logged(self) -> Set[str]:
        """The ids of the queries logged so far, including those from before a resume."""
        return frozenset(self._journal.answers)

    def log(self, query: object, docs: Docs, milliseconds: float | None = None) -> None:
        """Log the answer to a query; it survives the death of the process from here on.

        Args:
            query: the query id, text or a whole number.
            docs: (docno, score) pairs in any order, or scores by docno; the highest score is the
                best. Empty if the engine retrieved nothing.
            milliseconds: how long the answer took.

        Raises:
            errors.DataError: an answer that no run file can hold (a document twice, a score that is
                not finite, ...), or the query was logged before with another answer. The same
                answer again changes nothing.
        """
        self._journal.log(query, docs, milliseconds)

    def annotate(self, **facts: Unpack[FactArguments]) -> None:
        """Add facts that became known meanwhile, like `memory_bytes`.

        Args:
            facts: as in `Store.annotate`: params and tags are added, others replace earlier ones.

        Raises:
            errors.DataError: an invalid fact.
        """
        self._journal.add_facts(given_facts(facts).given())

    def end(self) -> None:
        """End the run and store it, unless it is logged offline; the context manager does so.

        Raises:
            errors.DataError: no query was logged, or the run can't be stored.
            errors.StoreError: the database can't be written; the file stays then, too.
        """
        if not self._journal.answers:
            self._journal.delete()
            raise DataError(f"run {self.name!r} has ended without a query, and is not kept")
        self._journal.end()
        try:
            self._store_ended()
        except BaseException as error:
            error.add_note(
                f"the run is complete in {self.path}: Store.ingest or `evalstore ingest` "
                "stores it, or start_run with resume=True"
            )
            raise

    def _log_all(self, rankings: Mapping[Any, Docs]) -> None:
        """Log answers by query, end the run and store it; if that fails, the file stays."""
        try:
            for query, docs in rankings.items():
                self.log(query, docs)
            self._journal.end()
            self._store_ended()
        finally:
            self._journal.close()

    def _store_ended(self) -> None:
        """Store the run, then delete its file; if storing fails, the file stays."""
        try:
            if self._store is not None:
                self.outcome = self._store(self.path)
                self._journal.delete()
        finally:
            self._journal.close()

    def __enter__(self) -> LoggedRun:
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if not self._journal.is_open:  # it has ended already, or this process is a fork
            return
        if error is None:
            self.end()
        elif self._journal.answers or self._journal.is_resumed:
            queries = counted(len(self._journal.answers), "query")
            error.add_note(
                f"run {self.name!r} has {queries} so far, in {self.path}: start_run with "
                f"name={self.name!r} and resume=True goes on with it"
            )
            self._journal.close()
        else:
            self._journal.delete()

    def __repr__(self) -> str:
        """The name of the run and the number of logged queries."""
        return f"<evalstore.LoggedRun {self.name!r}: {counted(len(self.logged), 'query')}>"


class LoggingRuns(Opened):
    """The part of `Store` that takes runs logged from code, and corrects their facts."""

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
        """Start a run that is logged query by query, and is stored when it has ended.

        Until then it is in a `.evalrun` file (docs/formats.md), which outlives a crash.

        Args:
            engine: the engine's name.
            collection: the collection's name.
            name: the run's name; if None the engine's with the time (UTC).
            qrels: judgments, stored at once; if None the default ones of the collection.
            experiment: the group the run belongs to.
            replace: whether a stored run of the same name and other content is replaced.
            resume: whether to continue a run of that name that was started and has not ended; if
                there is none, it is started. `logged` has the queries that are done.
            journal: the folder of the file; if None the folder of the store's file, or for
                PostgreSQL or a server the current folder.
            checkout: whether the run gets the commit of the git checkout that holds the current
                folder, the host and the account, unless `facts` has others.
            facts: of the run: params, tags, note, ..., as in `annotate`.

        Raises:
            errors.QrelsMissing: no qrels is given and the collection has none.
            errors.Conflict: a run of this name is stored, or was started and is not resumed, or is
                being logged by another process, or was started with other parameters.
            errors.NotFound: there is no such parent.
            errors.DataError: an invalid name, fact or judgment.
        """
        names = {"engine": engine, "collection": collection, "name": name, "experiment": experiment}
        folder = None if journal is None else Path(journal)
        return self._begun(
            names, qrels, folder, facts, replace=replace, resume=resume, checkout=checkout
        )

    def _begun(
        self,
        names: Mapping[str, Any],
        qrels: QrelsLike | None,
        folder: Path | None,
        facts: FactArguments,
        *,
        replace: bool,
        checkout: bool,
        resume: bool = False,
        in_memory: bool = False,
    ) -> LoggedRun:
        """A run that has begun; the name of one that is in memory may have the same content."""
        known = given_facts(facts)
        request = IngestOptions(collection=names["collection"], replace=replace)
        try:
            target = self._log_target(request, qrels)
        except QrelsMissing as error:
            raise QrelsMissing(f"{error} (start_run and ingest take qrels)") from None
        begun = begin_run(
            folder or target.folder,
            **names,
            facts=known,
            origin=find_origin(Path.cwd()) if checkout else GivenFacts(),
            resume=resume,
            store=target.name,
            is_free=target.is_free,
        )
        try:
            if not begun.is_resumed:
                target.check(None if in_memory else begun.name, known.parent)
        except BaseException:
            begun.delete()
            raise
        target.close()
        return LoggedRun(begun, target.store)

    def _log_target(
        self, request: IngestOptions, qrels: QrelsLike | None
    ) -> LocalTarget | ServerTarget:
        """The store with the judgments of the run."""
        judgments = None if qrels is None else as_qrels(qrels)
        database = self._reading() if judgments is None else self._writing()
        stored = store_qrels(database, request.collection, qrels=judgments)
        return LocalTarget(database, stored, request)

    def log_run(
        self,
        rankings: Mapping[Any, Docs],
        *,
        engine: str,
        collection: str,
        name: str | None = None,
        qrels: QrelsLike | None = None,
        experiment: str | None = None,
        replace: bool = False,
        checkout: bool = True,
        **facts: Unpack[FactArguments],
    ) -> Outcome:
        """Store a run that is in memory, with every standard measure: the whole run or nothing.

        The same rankings under the same name again change nothing, so a cell of a notebook can be
        run again.

        It leaves no file; for a run that takes long to compute `start_run` is safer. The other
        arguments are as in `start_run`. `rankings` has for each query (docno, score) pairs in any
        order, or scores by docno; the highest score is the best. Empty if the engine retrieved
        nothing.

        Returns:
            The outcome, as for one run of `ingest`: `same_as` is another run that has the same
            rankings.

        Raises:
            errors.DataError: there is no query, or something that no run file can hold.
            errors.QrelsMissing, errors.Conflict, errors.NotFound: as in `start_run`.
            errors.StoreError: the store can't be written; nothing is stored.
        """
        if not rankings:
            raise DataError("the run has no query")
        names = {"engine": engine, "collection": collection, "name": name, "experiment": experiment}
        with TemporaryDirectory() as folder:
            run = self._begun(
                names,
                qrels,
                Path(folder),
                facts,
                replace=replace,
                checkout=checkout,
                in_memory=True,
            )
            try:
                run._log_all(rankings)
            except EvalstoreError as error:
                _name(error, str(run.path), run.name)
                if error.problem == "run has name":
                    error.args = (f"{error}: {TAKEN}", *error.args[1:])
                raise
            outcome = cast(Outcome, run.outcome)  # it is stored now
            warnings = tuple(text.replace(str(run.path), run.name) for text in outcome.warnings)
            return changed(outcome, path=run.name, warnings=warnings, format="")

    def annotate(
        self,
        run: str,
        collection: str | None = None,
        *,
        unset: Iterable[str] = (),
        unset_params: Iterable[str] = (),
        **facts: Unpack[FactArguments],
    ) -> Changes:
        """Add, correct or remove facts of a stored run; all changes are made, or none.

        Args:
            run: its name, or its id as text.
            collection: the name of its collection, if several have a run of that name.
            unset: names of facts to remove, as in `StoredRun.facts`.
            unset_params: names of parameters to remove.
            facts: params and tags are added to those of the run, others replace earlier ones:
                note, commit, commit_dirty, host, started_by, started_at, ended_at, command,
                index_version, collection_version, parent (the name of a run), index_bytes,
                memory_bytes, money (an amount and a currency: `(0.12, "EUR")`), energy_joules,
                header (ir_metadata, nested as in its schema).

        Returns:
            By fact (`parameters.k1`, `note`), the value before and the value now.

        Raises:
            errors.NotFound: there is no such run, parent or parameter.
            errors.DataError: an invalid fact, or a name that is no fact.
        """
        change = RunChange(
            facts=given_facts(facts), unset=tuple(unset), unset_parameters=tuple(unset_params)
        )
        return self._changer().change_run(run, change, collection).changes


def _name(error: EvalstoreError, path: str, name: str) -> None:
    """Let an error name a run that was in memory, rather than its temporary file."""
    error.args = tuple(
        part.replace(path, name) if isinstance(part, str) else part for part in error.args
    )
    if isinstance(error, FileError):
        error.path = name


class ServerTarget:
    """A server that takes a logged run when it has ended, like `LocalTarget`."""

    folder = Path()

    def __init__(self, server: Server, qrels: str | None, request: IngestOptions) -> None:
        self._server = server
        self._qrels = qrels
        self._request = request
        self.name = str(server.address)

    def is_free(self, name: str) -> bool:
        """Whether no run of the collection has this name."""
        try:
            facts = RemoteStore(self._server).run_facts(name, self._request.collection)
        except NotFound:
            return True
        return facts.name != name

    def check(self, name: str | None, parent: str | None) -> None:
        """Refuse a run that could not be stored."""
        collection = self._request.collection
        if parent is not None:
            RemoteStore(self._server).run_facts(parent, collection)
        if name is not None and not self._request.replace and not self.is_free(name):
            raise Conflict(f"run {name!r} of collection {collection!r} is stored already: {TAKEN}")

    def store(self, path: Path) -> Outcome:
        """Send a run that has ended, and close the connections."""
        try:
            return send_run(self._server, self._request, RunSource(str(path)), self._qrels)
        finally:
            self.close()

    def close(self) -> None:
        """Close the connections."""
        self._server.close()


class Offline:
    """A folder of runs that are logged without a store; `offline` returns one."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        """Log into a folder; it is made by the first run."""
        self._folder = Path(folder)

    def start_run(
        self,
        engine: str,
        collection: str,
        name: str | None = None,
        *,
        experiment: str | None = None,
        resume: bool = False,
        checkout: bool = True,
        **facts: Unpack[FactArguments],
    ) -> LoggedRun:
        """Start a run that is logged query by query into a `.evalrun` file, which stays there.

        `Store.ingest` and `evalstore ingest` can store the file later. The arguments are as in
        `Store.start_run`.

        Raises:
            errors.Conflict: a run of this name is in the folder and is not resumed, or is being
                logged by another process, or was started with other parameters.
            errors.DataError: an invalid name or fact.
        """
        begun = begin_run(
            self._folder,
            engine=engine,
            collection=collection,
            name=name,
            experiment=experiment,
            facts=given_facts(facts),
            origin=find_origin(Path.cwd()) if checkout else GivenFacts(),
            resume=resume,
        )
        return LoggedRun(begun, None)


def offline(folder: str | os.PathLike[str]) -> Offline:
    """Log runs without a store, into files in a folder, for a later ingest."""
    return Offline(folder)


# Facts of runs, as arguments in Python


class FactArguments(TypedDict, total=False):
    """The facts of a run, as keyword arguments; `evalstore.StoredRun.facts` has them."""

    params: Mapping[str, Parameter]
    tags: Iterable[str]
    note: str
    commit: str
    commit_dirty: bool
    host: str
    started_by: str
    started_at: datetime
    ended_at: datetime
    command: str
    index_version: str
    collection_version: str
    parent: str
    index_bytes: int
    memory_bytes: int
    money: tuple[float, str]
    energy_joules: float
    header: Mapping[str, Any]


def given_facts(facts: FactArguments) -> GivenFacts:
    """The facts, after a check.

    Raises:
        TypeError: an argument that is no fact.
        errors.DataError: an invalid fact.
    """
    known = FactArguments.__annotations__
    for name in facts:
        if name not in known:
            raise TypeError(f"there is no argument {name!r}; facts are {', '.join(known)}")
    others = {k: v for k, v in facts.items() if k not in ("params", "tags", "money")}
    money, currency = facts.get("money", (None, None))
    return GivenFacts(
        parameters=facts.get("params", {}),
        tags=tuple(facts.get("tags", ())),
        money=money,
        currency=currency,
        **others,  # type: ignore[arg-type]  # (types as in FactArguments)
    )
