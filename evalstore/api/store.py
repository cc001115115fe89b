"""The store of the Python API: frames, runs and judgments; `ev.open` returns one."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NoReturn, Unpack

import pandas as pd

from evalstore.api.comparison import Comparison, baseline_number
from evalstore.api.drafts import DraftsOfStore
from evalstore.api.evaluation import evaluate
from evalstore.api.holes import HolesOfRuns
from evalstore.api.inputs import (
    as_paths,
    as_qrels,
    as_queries,
    as_run,
    is_one_run,
    named_runs,
)
from evalstore.api.logged_runs import FactArguments, LoggingRuns, ServerTarget, given_facts
from evalstore.api.many_runs import ListedRuns, ManyRuns, Measures
from evalstore.api.reproduction import ReproducedRuns
from evalstore.api.tracking import Tracking
from evalstore.api.two_qrels import QrelsOfStore
from evalstore.catalog.chosen_qrels import choose_qrels
from evalstore.catalog.given_facts import GivenFacts
from evalstore.catalog.names import parse_conditions, qrels_name
from evalstore.catalog.origin import find_origin
from evalstore.client.any_store import AnyStore, LocalStore
from evalstore.client.connection import Server, is_address, parse_address
from evalstore.client.ingest import CollectionFiles, ingest, send_collection
from evalstore.client.remote_store import RemoteStore
from evalstore.comparison.compare import ComparisonOptions, compare_loaded, load
from evalstore.comparison.significance import Correction, Over, Test
from evalstore.errors import DataError, EvalstoreError, NotComparable, StoreError
from evalstore.evaluation.ingest_options import IngestOptions, storable
from evalstore.evaluation.measure import measure
from evalstore.formats import Run
from evalstore.formats.reading.source import quoted
from evalstore.formats.sources import RunSource, find_sources
from evalstore.ingest.ingest import Ingested, Outcome, Silent, ingest_run
from evalstore.ingest.ingest import ingest as ingest_files
from evalstore.ingest.store_qrels import CollectionQrels, store_qrels, withdraw
from evalstore.ingest.store_run import with_measures
from evalstore.measures import named_measures
from evalstore.measures.judged import CompatMode
from evalstore.sql.ask import Limits
from evalstore.stats.inputs import SEED
from evalstore.store import Store as Database
from evalstore.store.database import is_there
from evalstore.store.queries.evaluations import find_evaluation
from evalstore.store.queries.facts import RunFacts
from evalstore.store.queries.qrels import load_qrels
from evalstore.transfer.copy import Copied
from evalstore.transfer.export_parquet import Exported, export_parquet
from evalstore.transfer.import_parquet import check_folder, import_parquet

if TYPE_CHECKING:
    from evalstore.api.inputs import QrelsLike, QueriesLike, Runs


def open(
    location: str | os.PathLike[str], *, token: str | None = None, plain_http: bool = False
) -> Store:
    """Open a store: a SQLite file by path, a database by URL, or a team's server by its URL.

    A store that does not exist is made by the first `ingest`; reading does not make one. A store
    behind a server can be read, and takes `ingest`, `start_run`, `log_run`, `annotate`,
    `set_baseline` and judgments.

    Args:
        location: the path or URL.
        token: of the account that uses the server.
        plain_http: whether the token may be sent to another machine without encryption.

    Raises:
        errors.StoreError: no store can be there, it can't be reached, or its schema has another
            version; or the token would be sent without encryption.
        errors.DataError: a token was given for a location that is no server.
    """
    path = os.fspath(location)
    if is_address(path):
        return ServerStore(path, token, plain_http=plain_http)
    if token is not None:
        raise DataError("a token is for a server: https://...")
    return Store(path)


class Store(
    ListedRuns,
    ManyRuns,
    HolesOfRuns,
    ReproducedRuns,
    QrelsOfStore,
    DraftsOfStore,
    Tracking,
    LoggingRuns,
):
    """Collections, their judgments, and runs with their values; `open` returns one.

    Close it when done, or use it as a context manager.
    """

    def __init__(self, location: str) -> None:
        """Open the store at a path or URL, if it exists."""
        self._location = location
        self._database: Database | None = None
        if is_there(location):
            self._database = Database.open(location, create=False)

    def collections(self) -> pd.DataFrame:
        """A row per collection (index): documents, queries, qrels, runs, default_qrels.

        `documents` is missing if the size was not given; `qrels` and `runs` are counts.
        """
        rows = [asdict(row) for row in self._reader().collections()]
        columns = ["documents", "queries", "qrels", "runs", "default_qrels", "created_at"]
        frame = pd.DataFrame(rows, columns=["name", *columns])
        return frame.astype({"documents": "Int64"}).set_index("name").rename_axis("collection")

    def qrels(self, collection: str | None = None) -> pd.DataFrame:
        """One row per set of judgments: collection, name, queries, judgments, relevant, is_default.

        Args:
            collection: only judgments of the collection with that name.
        """
        rows = [asdict(row) for row in self._reader().list_qrels(collection)]
        columns = ["collection", "name", "queries", "judgments", "relevant", "is_default"]
        return pd.DataFrame(rows, columns=[*columns, "created_at"])

    def compare(
        self,
        runs: Sequence[str | int],
        measures: Measures = ("AP", "nDCG@10"),
        *,
        collection: str | None = None,
        qrels: str | None = None,
        where: str | Iterable[str] = (),
        baseline: str | int | None = None,
        no_baseline: bool = False,
        test: Test = "t",
        correction: Correction = "holm",
        alpha: float = 0.05,
        tie_width: float = 0.0,
        resamples: int | None = None,
        seed: int = SEED,
        over: Over = "judged",
        margin: float | None = None,
        holdout: float | None = None,
        predicted_by: str | None = None,
        scheduler: str | None = None,
    ) -> Comparison:
        """Compare runs: whether they may be compared, then each pair and measure; see `ev.compare`.

        Args:
            runs: names or ids; one alone is compared with the baseline.
            measures: objects or texts; those that are not stored are computed.
            collection: the name of their collection, if several have runs of these names.
            qrels: the judgments; if None the default ones of the collection, or else the newest
                that all the runs were evaluated with.
            where: conditions on attributes of the queries, as in `ev.compare`.
            baseline: the one of `runs` that the others are compared with; if None the baseline of
                the collection if it is among three runs or more, else all pairs are compared.
            no_baseline: whether the collection's baseline is not to be used.
            test: `t`, `wilcoxon`, `sign` or `randomization`, as in `ev.compare`.
            correction: `holm`, `bonferroni`, `bh` or `none`.
            alpha: a corrected p below it counts.
            tie_width: a query on which the values differ by at most this is a tie.
            resamples: of the randomization test; None for as many as are needed.
            seed: of what draws random numbers.
            over: `judged` or `common` queries, as in `ev.compare`.
            margin: within which runs are equivalent, as in `ev.compare`.
            holdout: the share of the judged queries to compare over alone, as in `ev.compare`. The
                first use stores with the collection which ones (their attribute `holdout`).
            predicted_by: the qrels of a model, as in `ev.compare`.
            scheduler: the address of a Dask scheduler whose workers do it (docs/dask.md).

        Raises:
            errors.NotFound: a run or qrels that the store does not hold.
            errors.DataError: fewer than two runs, no measure, or an invalid argument; another share
                is held out already, or none is and a server can't store it.
        """
        names = [str(run) for run in runs]
        named = named_measures(measures)
        base = None if baseline is None else str(baseline)
        if base is not None:
            baseline_number(base, names)
        options = ComparisonOptions(
            test,
            correction,
            alpha,
            tie_width,
            resamples,
            seed,
            scheduler=scheduler,
            over=over,
            margin=margin,
            baseline=base,
            no_baseline=no_baseline,
            collection=collection,
            qrels=qrels,
            where=parse_conditions(where),
            holdout=holdout,
            predicted_by=predicted_by,
        )
        loaded = load(self._reader(), names, named, options)
        return Comparison(compare_loaded(loaded, named, options))

    def run(self, name: str | int, collection: str | None = None) -> StoredRun:
        """A stored run: its facts, rankings and values.

        Args:
            name: its name or its id.
            collection: the name of its collection, if several have a run of that name.

        Raises:
            errors.NotFound: there is no such run, or several collections have one.
        """
        store = self._reader()
        return StoredRun(store, store.run_facts(str(name), collection))

    def ingest(
        self,
        *,
        collection: str,
        runs: Runs,
        qrels: QrelsLike | None = None,
        queries: QueriesLike | None = None,
        engine: str | None = None,
        experiment: str | None = None,
        replace: bool = False,
        compat: CompatMode = "exact",
        measures: Measures | None = None,
        default_qrels: bool = False,
        allow_disjoint: bool = False,
        ignore_identical_ids: bool = False,
        jobs: int = 1,
        scheduler: str | None = None,
        checkout: bool = True,
        **facts: Unpack[FactArguments],
    ) -> Ingested:
        """Store runs with their measures; a run that is stored already is not changed.

        Each run is stored as a whole or not at all; one that fails, fails alone, and is among the
        `outcomes` of the result with its reason.

        Args:
            collection: its name; made if there is none.
            runs: paths of files or of folders of runs, `Run` objects, frames or dictionaries: one,
                several, or by name.
            qrels: the judgments; if None the default ones of the collection.
            queries: texts and attributes: what `read_queries` gives, a path, `{qid: text}`,
                `{qid: {"text": ..., "lang": ...}}`, or a frame whose further columns are
                attributes. Stored attributes of other queries, and of other names, stay.
            engine: the engine of all runs; if None the tag of each run.
            experiment: the group the runs belong to.
            replace: whether a run of the same name and other content is replaced.
            compat: which release of trec_eval the values agree with.
            measures: measures to store for new runs, objects or texts: sets like "summary", names;
                if None the collection's, or else the set "standard". Others are computed when they
                are asked for.
            default_qrels: whether values are shown under these judgments from now on.
            allow_disjoint: whether runs and judgments may share no query with what they belong to.
            ignore_identical_ids: leave out retrieved documents whose id is the query's.
            jobs: how many processes read files; a server reads them itself.
            scheduler: the address of a Dask scheduler whose workers read files (docs/dask.md).
            checkout: whether a new run gets the commit of the git checkout that holds the current
                folder, the host and the account, unless `facts` has others.
            facts: of all the runs: params, tags, note, ..., as in `annotate`.

        Raises:
            errors.DataError: invalid judgments, queries, names, facts or measures; or a scheduler,
                if the store is behind a server.
            errors.NotFound: no qrels is given and the collection has none.
            errors.StoreError: the server can't be reached, or refuses the token.
        """
        options = IngestOptions(
            collection=collection,
            engine=engine,
            experiment=experiment,
            replace=replace,
            compat=compat,
            measures=None if measures is None else storable(named_measures(measures).values()),
            allow_disjoint=allow_disjoint,
            ignore_identical_ids=ignore_identical_ids,
            facts=given_facts(facts),
            origin=find_origin(Path.cwd()) if checkout else GivenFacts(),
        )
        return self._ingest(
            options,
            runs,
            qrels,
            queries,
            default_qrels=default_qrels,
            jobs=jobs,
            scheduler=scheduler,
        )

    def measure(
        self,
        measures: Measures,
        runs: Sequence[str | int] = (),
        collection: str | None = None,
        *,
        scheduler: str | None = None,
    ) -> None:
        """Compute measures of stored runs and store them.

        Args:
            measures: objects or texts.
            runs: names or ids; all if none is given.
            collection: only runs of the collection of that name.
            scheduler: the address of a Dask scheduler whose workers do it (docs/dask.md).

        Raises:
            errors.NotFound: a run that the store does not hold.
            errors.MeasureError: a measure needs facts that the store does not have, for a named run
                or for all runs; what can be computed is stored.
        """
        names = [str(run) for run in runs]
        measure(
            self._writing(),
            list(named_measures(measures).values()),
            names,
            collection,
            scheduler=scheduler,
        )

    def sql(
        self, statement: str, *, limit: int | None = None, timeout: float = 60.0
    ) -> pd.DataFrame:
        """The answer to one SELECT as a frame; nothing can be changed.

        Args:
            statement: SQL over the tables and views of docs/schema.md.
            limit: the maximum number of rows.
            timeout: the maximum number of seconds.

        Raises:
            errors.DataError: the statement is wrong, is no query, or took too long; or the answer
                is larger than 256 MiB.
        """
        answer = self._reader().ask(statement, Limits(timeout, limit))
        if answer.cut and len(answer.rows) != limit:
            raise DataError(f"SQL: the answer is {answer.cut}: ask for less")
        return pd.DataFrame(answer.rows, columns=list(answer.distinct_columns))

    def export_parquet(
        self, folder: str | os.PathLike[str], collections: Iterable[str] = ()
    ) -> Exported:
        """Write the store as partitioned Parquet files, as `evalstore export parquet` does.

        Args:
            folder: one that an export wrote before, that is empty, or that does not exist.
            collections: only these; all if empty.

        Returns:
            The numbers of files that were written, unchanged and removed, of rows and of bytes.

        Raises:
            errors.NotFound: there is no such collection.
            errors.DataError: the folder holds something else, or can't be written.
        """
        return export_parquet(self._reading(), Path(folder), tuple(collections))

    def import_parquet(
        self, folder: str | os.PathLike[str], collections: Iterable[str] = ()
    ) -> tuple[Copied, ...]:
        """Add the rows of a folder that the store lacks, as `evalstore db import` does.

        Args:
            folder: one that an export wrote.
            collections: only these; all if empty.

        Returns:
            A result per item; `status` is `copied`, `completed`, `there already` or `failed`, and
            `detail` says why it failed.

        Raises:
            errors.NotFound: the folder has no such collection; nothing was stored.
            errors.DataError: the folder is no export, or damaged; nothing was stored.
        """
        checked = check_folder(Path(folder), tuple(collections))
        return import_parquet(self._writing(), checked)

    def close(self) -> None:
        """Close the connections."""
        if self._database is not None:
            self._database.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        """The location of the store, without a password."""
        name = self._database.url_shown if self._database is not None else "not made yet"
        return f"<evalstore.Store {name}>"

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
        """Store judgments, queries and runs."""
        path = os.fspath(qrels) if isinstance(qrels, str | os.PathLike) else None
        judgments = None if qrels is None or path is not None else as_qrels(qrels)
        database = self._writing()
        stored = store_qrels(
            database,
            options.collection,
            qrels_path=path,
            qrels=judgments,
            queries=None if queries is None else as_queries(queries),
            default_qrels=default_qrels,
            allow_disjoint=options.allow_disjoint,
        )
        paths = as_paths(runs)
        if paths is None:
            done = self._ingest_in_memory(options, runs, stored)
        else:
            done = ingest_files(
                database, options, paths, qrels=stored, jobs=jobs, scheduler=scheduler
            )
        if done.of_other_queries:
            withdraw(database, options.collection, stored)
        return done

    def _ingest_in_memory(
        self, options: IngestOptions, runs: Runs, stored: CollectionQrels
    ) -> Ingested:
        database = self._writing()
        if isinstance(runs, Mapping) and not (runs and is_one_run(runs)):
            given = {str(name): run for name, run in runs.items()}
        else:
            given = dict(named_runs(runs))
        options = with_measures(database, options)
        outcomes = []
        for name, run in given.items():
            try:
                source = RunSource(name, name=name, content=as_run(run, name))
                outcomes.append(replace(ingest_run(database, stored, options, source), format=""))
            except EvalstoreError as error:
                outcomes.append(Outcome(name, "failed", str(error), problem=error.problem))
        return Ingested(tuple(outcomes))

    def _reading(self) -> Database:
        if self._database is None:
            self._database = Database.open(self._location, create=False)
        return self._database

    def _writing(self) -> Database:
        if self._database is None:
            self._database = Database.open(self._location)
        return self._database


# A store behind a team's server


class ServerStore(Store):
    """A store that is reached through a server.

    It is read like any other, and takes `ingest`, `start_run`, `log_run`, `annotate`,
    `set_baseline` and judgments; other methods raise StoreError. `ingest` sends nothing that is
    stored already, and continues an interrupted upload. The server reads the files, so `jobs`
    changes nothing, and a `scheduler` is refused. Queries that are sent must all have a text.
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
        """Send files that are not stored yet; `jobs` changes nothing, as the server reads them."""
        if scheduler is not None:
            raise DataError("a server reads the files itself: a scheduler can't be sent to it")
        name = self._send_qrels(options, qrels, queries, default_qrels)
        paths = as_paths(runs)
        if paths is not None:
            sources = [s for path in paths for s in find_sources(path, options.options).runs]
            return ingest(self._server, options, sources, qrels=name, progress=Silent())
        with TemporaryDirectory() as folder:
            files = _written(runs, Path(folder))
            result = ingest(self._server, options, files, qrels=name, progress=Silent())
        return Ingested(tuple(map(_of_memory, files, result.outcomes)))

    def _log_target(self, request: IngestOptions, qrels: QrelsLike | None) -> ServerTarget:
        """The server and the judgments of the run, which is logged in the current folder."""
        return ServerTarget(self._server, self._send_qrels(request, qrels), request)

    def _send_qrels(
        self,
        options: IngestOptions,
        qrels: QrelsLike | None,
        queries: QueriesLike | None = None,
        default_qrels: bool = False,
    ) -> str | None:
        """Send judgments and queries; return the judgments' name, or None for the default ones."""
        with TemporaryDirectory() as folder:
            path_of_queries = _file_of_queries(queries, Path(folder))
            files = CollectionFiles(
                None if qrels is None else _file_of(qrels, Path(folder)),
                {} if path_of_queries is None else {"queries": path_of_queries},
                default_qrels=default_qrels,
                allow_disjoint=options.allow_disjoint,
            )
            sent = send_collection(self._server, options.collection, files)
            return None if sent is None else sent.name

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


def _file_of(qrels: QrelsLike, folder: Path) -> str:
    """The file with the judgments; judgments in memory are written into the folder."""
    if isinstance(qrels, str | os.PathLike):
        return os.fspath(qrels)
    judgments = as_qrels(qrels)
    path = folder / f"{qrels_name(judgments.path)}.qrels"
    judgments.write(path, "trec-qrels")
    return str(path)


def _file_of_queries(queries: QueriesLike | None, folder: Path) -> str | None:
    """The file with the queries, written into the folder if in memory; None without queries.

    Raises:
        DataError: a query in memory is invalid or has no text.
    """
    if queries is None or isinstance(queries, str | os.PathLike):
        return None if queries is None else os.fspath(queries)
    given = as_queries(queries)
    without = [qid for qid in given.attributes if qid not in given.texts]
    if without:
        raise DataError(f"queries, query {quoted(without[0])}: no text, which a server needs")
    lines = [
        json.dumps({**given.attributes.get(qid, {}), "query_id": qid, "text": text})
        for qid, text in given.items()
    ]
    path = folder / "queries.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path) if lines else None


def _written(runs: Runs, folder: Path) -> list[RunSource]:
    """Runs in memory, written to files in the folder."""
    given = {} if isinstance(runs, Mapping) and not runs else named_runs(runs)
    sources = []
    for number, (name, run) in enumerate(given.items()):
        path = folder / f"{number}.run"
        run.write(path, "trec-run")
        source = RunSource(
            str(path),
            name=name,
            engine=run.names.get("engine"),
            experiment=run.names.get("experiment"),
            facts={fact: value for fact, value in run.facts.items() if fact != "header"},
        )  # the header is in the file
        sources.append(source)
    return sources


def _of_memory(source: RunSource, outcome: Outcome) -> Outcome:
    """The outcome of a run in memory, under its name instead of the name of the sent file."""
    name = source.name or source.path
    detail = outcome.detail.replace(source.path, name)
    warnings = tuple(text.replace(source.path, name) for text in outcome.warnings)
    return replace(outcome, path=name, detail=detail, warnings=warnings, format="")


# A stored run in the Python API: its facts, ranking and values


@dataclass(frozen=True)
class StoredRun:
    """A run in a store.

    Attributes:
        facts: everything recorded about it: its names and counts, `parameters`, `tags`, `note`,
            `commit`, `commit_dirty`, `host`, `started_by`, `started_at`, `ended_at`, `command`,
            `index_version`, `collection_version`, `parent`, `index_bytes`, `memory_bytes`,
            `money`, `currency`, `energy_joules`, `header`; None for facts that were not given.
    """

    _store: AnyStore
    facts: RunFacts

    @property
    def name(self) -> str:
        """The name, unique in its collection."""
        return self.facts.name

    @property
    def values_only(self) -> bool:
        """Whether it was stored as measure values with 4 decimals, without rankings."""
        return self.facts.values_only

    @property
    def ranking(self) -> Run:
        """The whole run from the stored lists: the same documents, order and scores.

        If it is written to a file, its header is written too.

        Raises:
            errors.NoRankings: it was stored as values.
        """
        run = self._store.load_run(self.facts)
        header = self.facts.header
        return replace(run, facts={"header": header}) if header else run

    def to_frame(self) -> pd.DataFrame:
        """The rankings as a frame, in the form of `Run.to_frame`.

        Raises:
            errors.NoRankings: it was stored as values.
        """
        return self.ranking.to_frame()

    def values(self, measures: Measures = "standard", qrels: str | None = None) -> pd.DataFrame:
        """The value of every query (index `qid`), one column per measure, under its requested name.

        Args:
            measures: objects or texts.
            qrels: the name of a qrels; if None the default one of the collection. Through a
                server, only one that the run was evaluated with.

        Raises:
            errors.NotFound: the collection has no such qrels.
            errors.NotComparable: through a server, the run was never evaluated with it.
            errors.NoRankings: it was stored as values, and a measure is not among them.
        """
        if self.values_only or not isinstance(self._store, LocalStore):
            return self._stored_values(measures, qrels)
        with self._store.store.read() as connection:
            _, chosen = choose_qrels(connection, self.facts.collection, qrels)
            evaluation = find_evaluation(connection, self.facts.id, chosen.id)
            loaded = load_qrels(connection, chosen)
        result = evaluate(
            loaded,
            {self.name: self.ranking},
            measures,
            compat="exact" if evaluation is None else evaluation.compat,
            allow_disjoint=True,
        )
        return result.per_query.droplevel("run")

    def _stored_values(self, measures: Measures, qrels: str | None) -> pd.DataFrame:
        """The values that are stored, or that the server computes."""
        loaded = self._store.load_runs(
            [str(self.facts.id)],
            named_measures(measures),
            collection=self.facts.collection,
            qrels=qrels,
        )
        if loaded.obstacle is not None:
            raise NotComparable(f"run {self.name!r} has no values under that qrels")
        run = loaded.runs[0]
        return pd.DataFrame(dict(run.values), index=pd.Index(run.qids, name="qid"))

    def __repr__(self) -> str:
        """The names of the run."""
        return f"<evalstore.StoredRun {self.facts.collection!r} {self.name!r}>"
