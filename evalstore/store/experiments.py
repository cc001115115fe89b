"""Experiments: named groups of runs, with a question and a conclusion."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, func, select, update

from evalstore.store import models
from evalstore.store.rows import insert_row

experiment_t = models.table(models.Experiment)
run_t = models.table(models.Run)
collection_t = models.table(models.Collection)


@dataclass(frozen=True)
class StoredExperiment:
    """An experiment.

    Attributes:
        question: what it is to find out, in Markdown; None where not given.
        conclusion: what was found out, in Markdown; None where not given.
        runs: the number of its runs; removed ones are not counted.
    """

    id: int
    name: str
    created_at: datetime
    question: str | None
    conclusion: str | None
    runs: int


def list_experiments(connection: Connection, name: str | None = None) -> list[StoredExperiment]:
    """All experiments, or the one of that name if there is one."""
    runs = (
        select(func.count())
        .select_from(run_t)
        .join(collection_t, collection_t.c.id == run_t.c.collection_id)
        .where(
            run_t.c.experiment_id == experiment_t.c.id,
            run_t.c.deleted_at.is_(None),
            collection_t.c.deleted_at.is_(None),
        )
        .scalar_subquery()
    )
    chosen = select(
        experiment_t.c.id,
        experiment_t.c.name,
        experiment_t.c.created_at,
        experiment_t.c.question,
        experiment_t.c.conclusion,
        runs,
    )
    if name is not None:
        chosen = chosen.where(experiment_t.c.name == name)
    return [StoredExperiment(*row) for row in connection.execute(chosen)]


def has_runs_elsewhere(
    connection: Connection, experiment_id: int, collections: Collection[int]
) -> bool:
    """Whether an experiment has runs of other collections than these; removed ones count too."""
    others = select(run_t.c.id).where(
        run_t.c.experiment_id == experiment_id, run_t.c.collection_id.not_in(collections)
    )
    return connection.execute(others.limit(1)).first() is not None


def add_experiment(connection: Connection, name: str, now: datetime) -> int:
    """Store an experiment without runs; returns its id."""
    return insert_row(connection, experiment_t, name=name, created_at=now)


def set_experiment_name(connection: Connection, experiment_id: int, name: str) -> None:
    """Give an experiment another name."""
    chosen = update(experiment_t).where(experiment_t.c.id == experiment_id)
    connection.execute(chosen.values(name=name))


def set_experiment_texts(
    connection: Connection, experiment_id: int, question: str | None, conclusion: str | None
) -> None:
    """Set the question and the conclusion of an experiment; None for none."""
    chosen = update(experiment_t).where(experiment_t.c.id == experiment_id)
    connection.execute(chosen.values(question=question, conclusion=conclusion))


def delete_experiment(connection: Connection, experiment_id: int) -> None:
    """Delete an experiment; its runs stay, without an experiment."""
    connection.execute(delete(experiment_t).where(experiment_t.c.id == experiment_id))
