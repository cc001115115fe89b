"""Store a run from a file that was sent: with the reader of the command line.

The file is in the spool under its hash. Messages, run tags and names are those that the file would
have under the name that its sender gave, which is never a part of a path here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from evalstore.catalog.chosen_qrels import choose_qrels
from evalstore.catalog.collection_facts import RunFacts
from evalstore.catalog.given_facts import GivenFacts
from evalstore.catalog.names import check_name
from evalstore.catalog.query_ids import with_query_ids
from evalstore.comparison.cached import kept_qrels
from evalstore.errors import DataError, EvalstoreError, StoreError
from evalstore.evaluation.prepare import KEEP_TOP, Prepared, Request, own_name, prepare_content
from evalstore.formats import Queries, ReadOptions, Run, read_queries, read_times
from evalstore.formats.facts.json_facts import NAMES as FACTS
from evalstore.formats.facts.json_facts import facts_from_json
from evalstore.formats.file_names import run_name, tag_of_file
from evalstore.formats.run_parts import RunParts
from evalstore.formats.run_sources import RunSource, file_sources, use_source
from evalstore.formats.source import blocks, path_text
from evalstore.formats.trec.values import PrintedValues
from evalstore.ingest.storable_measures import storable
from evalstore.ingest.store_qrels import CollectionQrels, store_qrels
from evalstore.ingest.store_run import store_run
from evalstore.ingest.stored_measures import with_measures
from evalstore.measures import named_measures
from evalstore.server.jobs.limits import Limits
from evalstore.server.jobs.queue import FILE, named_files
from evalstore.store import Store
from evalstore.store.queries.runs import lookup_run

LONGEST_FILE_NAME = 1024
NAMES = ("name", "engine", "experiment")
SWITCHES = ("replace", "allow_disjoint", "ignore_identical_ids")
MOST_KEPT = 1_000_000
"""Documents of a ranking that may be kept as rows."""

ROWS_AT_ONCE = 1 << 20
"""Rows of a run file in memory: a server has less of it to spare than who ingests a file."""


@dataclass(frozen=True)
class SentFile:
    """A file in the spool, and the name that its sender gave it.

    Attributes:
        path: where it is.
        name: what its sender calls it.
        options: how it is read.
    """

    path: Path
    name: str
    options: ReadOptions = field(default_factory=ReadOptions)

    def in_words(self, message: str) -> str:
        """A message about the file, with its sender's name of it."""
        named = message.replace(path_text(self.path), path_text(self.name))
        return named.replace(self.path.name, path_text(self.name))


@dataclass(frozen=True)
class SentRequest:
    """What a job is to store.

    Attributes:
        store: where it is stored.
        collection: the name of the collection.
        payload: what the request has beside the contents of its files.
        files: by the parameters that name them (`named_files`).
        limits: what the files may hold.
    """

    store: Store
    collection: str
    payload: Mapping[str, Any]
    files: Mapping[str, SentFile]
    limits: Limits


def check_request(kind: str, payload: Mapping[str, Any]) -> None:
    """Check what can be known of a request before its job.

    Raises:
        DataError: a name or fact that can't be, or nothing to store.
    """
    if not payload:
        raise DataError("nothing is given to store")
    for file in named_files(payload).values():
        check_name("file", file["file"])
    if kind == "ingest run":
        _request("collection", payload)


def sent_file(payload: Mapping[str, Any], path: Path, limits: Limits) -> SentFile:
    """The file of a job, with limits on what it may hold."""
    size = path.stat().st_size
    formats = tuple(payload.get("format", ()))
    options = ReadOptions(
        max_bytes=limits.most_unpacked(size), formats=formats, rows_at_once=ROWS_AT_ONCE
    )
    return SentFile(path, payload["file"], options)


@contextmanager
def checked(file: SentFile, limits: Limits) -> Iterator[None]:
    """Check the number of lines, then turn each error of the block into its sender's words.

    Raises:
        DataError: with the sender's name of the file.
        StoreError: the database can't be read or written, which is no fault of the file.
    """
    try:
        _check_lines(file, limits)
        yield
    except StoreError:
        raise  # it says where the database is, and the job is to be begun again
    except EvalstoreError as error:
        raise DataError(file.in_words(str(error)), problem=error.problem) from None


def _check_lines(file: SentFile, limits: Limits) -> None:
    """Refuse a file of too many lines before its lines are kept in memory."""
    if file.options.max_bytes <= limits.lines:
        return
    lines = 0
    for block in blocks(str(file.path), file.options):
        lines += block.count(b"\n")
        if lines > limits.lines:
            what = f"more than {limits.lines:,} lines, which this server takes"
            raise DataError(f"{path_text(file.path)}: {what}")


def ingest_run(sent: SentRequest) -> dict[str, Any]:
    """Read, check, evaluate and store a run; returns what the API says of it.

    Raises:
        EvalstoreError: as `evalstore ingest` says it; nothing is stored then.
    """
    store, collection, payload, files = sent.store, sent.collection, sent.payload, sent.files
    file, request = files[FILE], _request(collection, payload)
    if "times" in files:
        with checked(files["times"], sent.limits):
            times = read_times(str(files["times"].path), files["times"].options)
        request = replace(request, run_facts=RunFacts(times=times))
    with checked(file, sent.limits):
        warnings: list[str] = []
        qrels = _qrels(store, collection, payload.get("qrels"), warnings)
        request = with_measures(store, request)
        path = str(file.path)
        options = with_query_ids(store, collection, [path], "run", file.options)
        source = _source(path, tuple(payload.get("part", ())), options)

        def prepared_of(content: Run | RunParts | PrintedValues) -> Prepared:
            if content.tag == tag_of_file(path):  # a format without run tags
                content = replace(content, tag=tag_of_file(file.name))
            of_file = "_".join((run_name(file.name), *source.part))
            name = request.name or own_name(content) or of_file
            return prepare_content(content, name, qrels.qrels, request, in_place=True)

        prepared = use_source(source, options, prepared_of)
        status, name = store_run(store, qrels, prepared, request)
        with store.read() as connection:
            run = lookup_run(connection, qrels.collection_id, name=name)
    return {
        "status": status,
        "run": {"id": None if run is None else run.id, "name": name, "collection": collection},
        "qrels": qrels.qrels_name,
        "format": prepared.format,
        "values_only": prepared.content is None,
        "warnings": [file.in_words(text) for text in (*warnings, *prepared.warnings)],
    }


def read_sent_queries(file: SentFile, limits: Limits) -> Queries:
    """Read queries; errors and warnings have their sender's name of the file.

    Raises:
        DataError: the first line that breaks a rule.
    """
    with checked(file, limits):
        queries = read_queries(str(file.path), file.options)
    return replace(queries, warnings=tuple(map(file.in_words, queries.warnings)))


def _qrels(store: Store, collection: str, name: str | None, warnings: list[str]) -> CollectionQrels:
    """The judgments that a run is evaluated with: those that are named, or the default ones."""
    if name is None:
        return store_qrels(store, collection, warn=warnings.append)
    with store.read() as connection:
        collection_id, chosen = choose_qrels(connection, collection, name)
    return CollectionQrels(collection_id, chosen.id, chosen.name, kept_qrels(store, chosen))


def _source(path: str, part: tuple[str, ...], options: ReadOptions) -> RunSource:
    """The run of a file; of a file of several runs the part that is asked for.

    Only the file itself is looked into: no folder, and no database that names other files.
    """
    parts = [source for source in file_sources(path, options) if source.part]
    if not parts and not part:
        return RunSource(path)
    for source in parts:
        if source.part == part:
            return replace(source, name=None)
    known = ", ".join(repr(list(source.part)) for source in parts[:20])
    if not parts:
        raise DataError(f"{path_text(path)}: this file has no parts")
    raise DataError(f"{path_text(path)}: {len(parts):,} runs: say which part is meant: {known}")


def _request(collection: str, payload: Mapping[str, Any]) -> Request:
    given: dict[str, Any] = {name: payload[name] for name in (*NAMES, *SWITCHES) if name in payload}
    facts = {name: payload[name] for name in FACTS if name in payload}
    names = payload.get("measures")
    return Request(
        collection,
        **given,
        keep_top=payload.get("keep_top", KEEP_TOP),
        compat=payload.get("compat", "exact"),
        measures=None if names is None else storable(named_measures(names).values()),
        facts=GivenFacts(**facts_from_json(facts)),
        origin=GivenFacts(**facts_from_json(payload.get("origin", {}))),
    )
