"""The collection that a request writes into."""

from __future__ import annotations

from flask import g

from evalstore.catalog.chosen_qrels import find_collection_id
from evalstore.server.api.operation import Asked
from evalstore.server.people.rights import Person
from evalstore.server.refused import Refused
from evalstore.store.queries.runs import StoredRun, find_run


def collection_to_write(asked: Asked, name: str) -> int:
    """The id of a collection that the person of the request may write into.

    Raises:
        NotFound: there is none that the person may know of, in the words of the command line.
        Refused: 403 where the person may only read it.
    """
    with asked.store.read() as connection:
        id_ = find_collection_id(connection, name)
    person: Person = g.person
    if not person.may("write", id_):
        raise Refused(403, f"{person.name} may read collection {name!r}, and not write into it")
    return id_


def run_to_write(
    asked: Asked, run: str, collection: str | None, *, removed: bool = False
) -> StoredRun:
    """A run by its name or id, of a collection that the person may write into.

    Args:
        asked: the request.
        run: its name or id.
        collection: the name of its collection, where several that the person may read have one.
        removed: whether it is one that is marked as removed.

    Raises:
        NotFound: there is none that the person may know of.
        Refused: as of `collection_to_write`.
    """
    with asked.store.read() as connection:
        stored = find_run(connection, run, collection, removed=removed)
    collection_to_write(asked, stored.collection)
    return stored
