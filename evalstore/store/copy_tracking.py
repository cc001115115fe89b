"""Experiments and baselines of one store copied into another."""

from __future__ import annotations

from sqlalchemy import Connection, insert, select

from evalstore.store import models
from evalstore.store.baselines import find_baseline, set_baseline
from evalstore.store.experiments import list_experiments, set_experiment_texts
from evalstore.store.runs import content_hash_of, lookup_run

experiment_t = models.table(models.Experiment)
run_t = models.table(models.Run)


def copy_experiments(reader: Connection, writer: Connection, collection_id: int | None) -> int:
    """Add the experiments that the target lacks, and the texts that those it has lack.

    Args:
        reader: of the source.
        writer: of the target.
        collection_id: only the experiments of the runs of this collection of the source; all where
            None.

    Returns:
        How many experiments were added or completed.
    """
    names = select(experiment_t.c.name)
    if collection_id is not None:
        names = names.where(
            experiment_t.c.id.in_(
                select(run_t.c.experiment_id).where(run_t.c.collection_id == collection_id)
            )
        )
    chosen = set(reader.execute(names).scalars())
    present = {stored.name: stored for stored in list_experiments(writer)}
    changed = 0
    for theirs in list_experiments(reader):
        if theirs.name not in chosen:
            continue
        ours = present.get(theirs.name)
        if ours is None:
            values = {name: getattr(theirs, name) for name in ("name", "created_at")}
            texts = {"question": theirs.question, "conclusion": theirs.conclusion}
            writer.execute(insert(experiment_t).values(**values, **texts))
            changed += 1
            continue
        question = ours.question or theirs.question
        conclusion = ours.conclusion or theirs.conclusion
        if (question, conclusion) != (ours.question, ours.conclusion):
            set_experiment_texts(writer, ours.id, question, conclusion)
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
