"""The collection that a request writes into."""

from __future__ import annotations

from flask import g

from evalstore.server.people.rights import Person
from evalstore.server.refused import Refused
from evalstore.store import Store
from evalstore.store.collections import find_collection


def collection_to_write(store: Store, name: str) -> int:
    """The id of a collection that the person of the request may write into.

    Raises:
        Refused: 404 where there is none that the person may know of; 403 where the person may only
            read it.
    """
    with store.read() as connection:
        id_ = find_collection(connection, name)
    if id_ is None or id_ not in g.readable:
        raise Refused(404, f"there is no collection {name!r}")
    person: Person = g.person
    if not person.may("write", id_):
        raise Refused(403, f"{person.name} may read collection {name!r}, and not write into it")
    return id_
