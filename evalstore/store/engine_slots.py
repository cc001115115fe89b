"""The slots of engines: the numbers by which charts give each engine its colour and mark."""

from __future__ import annotations

from sqlalchemy import Connection, func, insert, select

from evalstore.store import models

slot_t = models.table(models.EngineSlot)
collection_t = models.table(models.Collection)
engine_t = models.table(models.Engine)


def ensure_slot(
    connection: Connection, collection_id: int, engine_id: int, preferred: int | None = None
) -> None:
    """Give an engine a slot of a collection, unless it has one: the preferred, or the next one."""
    own = slot_t.c.collection_id == collection_id
    has = select(slot_t.c.slot).where(own, slot_t.c.engine_id == engine_id)
    if connection.execute(has).scalar() is not None:
        return
    taken = select(slot_t.c.slot).where(own, slot_t.c.slot == preferred)
    if preferred is not None and connection.execute(taken).scalar() is None:
        slot = preferred
    else:
        slot = _next_slot(connection, collection_id)
    values = {"collection_id": collection_id, "engine_id": engine_id, "slot": slot}
    connection.execute(insert(slot_t).values(values))


def _next_slot(connection: Connection, collection_id: int) -> int:
    own = slot_t.c.collection_id == collection_id
    highest = connection.execute(select(func.max(slot_t.c.slot)).where(own)).scalar()
    return 0 if highest is None else int(highest) + 1


def load_slots(connection: Connection, collection: str) -> dict[str, int]:
    """The slot of every engine of a collection, by the engine's name; slots count from 0."""
    rows = connection.execute(
        select(engine_t.c.name, slot_t.c.slot)
        .join(slot_t, slot_t.c.engine_id == engine_t.c.id)
        .join(collection_t, collection_t.c.id == slot_t.c.collection_id)
        .where(collection_t.c.name == collection)
    )
    return {row[0]: row[1] for row in rows}
