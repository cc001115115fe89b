"""The slots of engines: the numbers by which charts give each engine its colour and mark."""

from __future__ import annotations

from itertools import count

from sqlalchemy import Connection, bindparam, func, insert, select

from evalstore.store import models
from evalstore.store.locks import lock_slot_of_engine, try_lock_slot

slot_t = models.table(models.EngineSlot)
collection_t = models.table(models.Collection)
engine_t = models.table(models.Engine)


OF_COLLECTION = slot_t.c.collection_id == bindparam("of_collection")
OWN_AND_HIGHEST = select(
    select(slot_t.c.slot)
    .where(OF_COLLECTION, slot_t.c.engine_id == bindparam("of_engine"))
    .scalar_subquery(),
    select(func.max(slot_t.c.slot)).where(OF_COLLECTION).scalar_subquery(),
)
IS_TAKEN = select(slot_t.c.slot).where(OF_COLLECTION, slot_t.c.slot == bindparam("wanted"))


def ensure_slot(
    connection: Connection, collection_id: int, engine_id: int, preferred: int | None = None
) -> None:
    """Give an engine a slot of a collection, unless it has one: the preferred, or the next one."""
    own, highest = _own_and_highest(connection, collection_id, engine_id)
    if own is None and lock_slot_of_engine(connection, collection_id, engine_id):
        # Another may have given it one meanwhile.
        own, highest = _own_and_highest(connection, collection_id, engine_id)
    if own is not None:
        return
    if preferred is not None and _take(connection, collection_id, preferred):
        slot = preferred
    else:  # one that another transaction is taking is left to it
        slots = count(0 if highest is None else highest + 1)
        slot = next(slot for slot in slots if _take(connection, collection_id, slot))
    values = {"collection_id": collection_id, "engine_id": engine_id, "slot": slot}
    connection.execute(insert(slot_t), values)


def _own_and_highest(
    connection: Connection, collection_id: int, engine_id: int
) -> tuple[int | None, int | None]:
    """The slot of an engine, and the highest slot of the collection; None where there is none."""
    values = {"of_collection": collection_id, "of_engine": engine_id}
    row = connection.execute(OWN_AND_HIGHEST, values).one()
    return row[0], row[1]


def _take(connection: Connection, collection_id: int, slot: int) -> bool:
    """Take a slot until the end of the transaction, unless it is taken."""
    if not try_lock_slot(connection, collection_id, slot):
        return False
    values = {"of_collection": collection_id, "wanted": slot}
    return connection.execute(IS_TAKEN, values).scalar() is None


def load_slots(connection: Connection, collection: str) -> dict[str, int]:
    """The slot of every engine of a collection, by the engine's name; slots count from 0."""
    rows = connection.execute(
        select(engine_t.c.name, slot_t.c.slot)
        .join(slot_t, slot_t.c.engine_id == engine_t.c.id)
        .join(collection_t, collection_t.c.id == slot_t.c.collection_id)
        .where(collection_t.c.name == collection)
    )
    return {row[0]: row[1] for row in rows}
