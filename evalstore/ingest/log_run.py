"""Log a run from code, query by query, and store it when it has ended."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evalstore.catalog.given_facts import GivenFacts
from evalstore.catalog.names import check_name
from evalstore.errors import Conflict, DataError
from evalstore.evaluation.prepare import Request, prepare
from evalstore.formats.run_sources import RunSource
from evalstore.ingest.ingest import Outcome
from evalstore.ingest.run_journal import Journal
from evalstore.ingest.store_qrels import CollectionQrels
from evalstore.ingest.store_run import store_run
from evalstore.ingest.stored_measures import with_measures
from evalstore.store import Store
from evalstore.store.queries.runs import find_run, lookup_run

SUFFIX = ".evalrun"
LONGEST_FILE_NAME = 150


def begin_run(
    folder: Path,
    *,
    engine: str,
    collection: str,
    name: str | None,
    experiment: str | None,
    facts: GivenFacts,
    origin: GivenFacts,
    resume: bool,
    store: str = "",
    is_free: Callable[[str], bool] = lambda name: True,
) -> Journal:
    """Begin a run that is logged into a file of a folder, or go on with one.

    Args:
        folder: where the file is; made if it is missing.
        engine: the name of its engine.
        collection: the name of its collection.
        name: its own; where None the engine's with the time, and a number where that is taken.
        experiment: the name of its experiment, if any.
        facts: those that are given.
        origin: where it runs; of a run that is begun.
        resume: whether the run goes on where it was begun before; only a run with a name.
        store: the name of the store that will take the run; stores may share a folder.
        is_free: whether the run may have a name, asked where it is made up.

    Raises:
        DataError: a name that can't be, or a run without a name that is to be resumed.
        Conflict, FileError: as `Journal`.
    """
    names = {"engine": engine, "collection": collection}
    if experiment is not None:
        names["experiment"] = experiment
    for kind, text in names.items():
        check_name(kind, text)
    folder = folder.absolute()  # the program may change its current folder
    now = datetime.now(UTC)
    assumed = {"started_at": now, **given(origin)}
    if facts.commit is not None:
        assumed.pop("commit_dirty", None)  # of the commit that was found, not of the one given
    if name is not None:
        path = folder / file_name(store, collection, check_name("run", name))
        return Journal(path, {"run": name, **names}, given(facts), assumed, resume=resume)
    if resume:
        raise DataError("a run is resumed by its name: give it one when it is started")
    base, number = f"{engine[:900]}-{now:%Y%m%d-%H%M%S}", 1
    while True:
        name = base if number == 1 else f"{base}-{number}"
        path = folder / file_name(store, collection, name)
        if is_free(name) and not path.exists():
            return Journal(path, {"run": name, **names}, given(facts), assumed, resume=False)
        number += 1


def given(facts: GivenFacts) -> dict[str, Any]:
    """The facts that are given, by name."""
    values = {field.name: getattr(facts, field.name) for field in fields(facts)}
    return {name: value for name, value in values.items() if value not in (None, (), {})}


def file_name(*names: str) -> str:
    """The name of the file of a run, of those of store, collection and run: `cacm.bm25.evalrun`.

    Characters that a file system may not take become `_`, and a hash of the names is added where
    something was changed.
    """
    name = ".".join(filter(None, names))
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", name)[:LONGEST_FILE_NAME]
    if plain != name:
        plain += "-" + hashlib.sha256("\0".join(names).encode()).hexdigest()[:8]
    return plain + SUFFIX


def default_folder(store: Store) -> Path:
    """Where runs are logged that a store will take: beside its file, else the current folder."""
    return Path() if store.file is None else store.file.parent


def is_free(store: Store, qrels: CollectionQrels, name: str) -> bool:
    """Whether no run of the collection has this name."""
    with store.read() as connection:
        return lookup_run(connection, qrels.collection_id, name=name) is None


def check_storable(
    store: Store,
    collection: str,
    qrels: CollectionQrels,
    *,
    name: str,
    parent: str | None,
    replace: bool,
) -> None:
    """Refuse a run before it begins that could not be stored when it has ended.

    Raises:
        Conflict: a run of the collection has its name, and is not to be replaced.
        NotFound: the collection has no run of the name or id of the parent.
    """
    with store.read() as connection:
        if parent is not None:
            find_run(connection, parent, collection)
        if replace:
            return
        taken = lookup_run(connection, qrels.collection_id, name=name)
    if taken is not None:
        state = "removed, and keeps its name" if taken.removed_at else "stored already"
        raise Conflict(f"run {name!r} of collection {collection!r} is {state}")


def store_logged(store: Store, qrels: CollectionQrels, request: Request, path: Path) -> Outcome:
    """Store a run that has ended, from its file.

    Raises:
        DataError: the run or its facts can't be stored.
        StoreError: the database can't be written; nothing of the run is stored.
    """
    request = with_measures(store, request)
    prepared = prepare(RunSource(str(path)), qrels.qrels, request)
    status, name = store_run(store, qrels, prepared, request)
    return Outcome(str(path), status, name, prepared.warnings, format=prepared.format)
