"""Texts of experiments, and baselines, of one store copied into another."""

from __future__ import annotations

from sqlalchemy import Connection, select

from evalstore.store import models
from evalstore.store.queries.experiments import list_about, list_experiments, write_texts
from evalstore.store.queries.runs import content_hash_of, lookup_run
from evalstore.store.queries.tracking import find_baseline, set_baseline

collection_t = models.table(models.Collection)


def copy_experiments(reader: Connection, writer: Connection, collection_id: int | None) -> int:
    """Add the texts of experiments that the target lacks.

    They are about the collections of the same names, which are there by now if they are copied.

    Args:
        reader: of the source.
        writer: of the target.
        collection_id: only the texts about this collection of the source; all where None.

    Returns:
        How many experiments were added or completed.
    """
    collections = select(collection_t.c.id, collection_t.c.name)
    name_of = {row.id: row.name for row in reader.execute(collections)}
    id_of = {row.name: row.id for row in writer.execute(collections)}
    written = list_about(writer)
    present = {stored.name: stored for stored in list_experiments(writer)}
    about = list_about(reader)
    changed = 0
    for theirs in list_experiments(reader):
        of_theirs = about.get(theirs.name)
        if of_theirs is None or collection_id not in {None, *of_theirs}:
            continue
        ours = present.get(theirs.name)
        had = (ours.question, ours.conclusion) if ours else (None, None)
        texts = had[0] or theirs.question, had[1] or theirs.conclusion
        if theirs.name not in written or texts != had:
            here = {id_of.get(name_of.get(one or 0, "")) for one in of_theirs}
            write_texts(writer, theirs.name, theirs.created_at, texts, here)
            changed += 1
    return changed


def copy_baseline(reader: Connection, writer: Connection, theirs: int, here: int) -> str | None:
    """Give the collection `here` the baseline of the collection `theirs`, if it has none.

    Returns:
        The name of the run in the target; None where nothing was changed.
    """
    baseline = find_baseline(reader, theirs)
    if baseline is None or find_baseline(writer, here) is not None:
        return None
    run = lookup_run(writer, here, content=content_hash_of(reader, baseline.id))
    if run is None:
        return None
    set_baseline(writer, here, run.id)
    return run.name
