"""Experiments: names that runs share, and what is written about them.

The name is in the rows of the runs, so who may read a run knows it, and nothing tells of other runs
that have it. The texts, and when the experiment was first named, have a row of their own, for who
may read all collections that the texts are about.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, case, delete, func, insert, literal, select, update

from evalstore.store import models
from evalstore.store.rows import ensure_row

experiment_t = models.table(models.Experiment)
about_t = models.table(models.ExperimentAbout)
run_t = models.table(models.Run)
collection_t = models.table(models.Collection)


@dataclass(frozen=True)
class StoredExperiment:
    """An experiment.

    Attributes:
        created_at: when it was first named; where nothing is written about it, or that may not be
            read, when the oldest of its runs was stored.
        question: what it is to find out, in Markdown; None where not given.
        conclusion: what was found out, in Markdown; None where not given.
        runs: the number of its runs; removed ones are not counted.
    """

    name: str
    created_at: datetime
    question: str | None
    conclusion: str | None
    runs: int


def list_experiments(connection: Connection, name: str | None = None) -> list[StoredExperiment]:
    """All experiments, or the one of that name if there is one."""
    is_active = run_t.c.deleted_at.is_(None) & collection_t.c.deleted_at.is_(None)
    named = (
        select(run_t.c.experiment, func.min(run_t.c.created_at), func.count(case((is_active, 1))))
        .join(collection_t, collection_t.c.id == run_t.c.collection_id)
        .where(run_t.c.experiment.is_not(None))
        .group_by(run_t.c.experiment)
    )
    texts = select(
        experiment_t.c.name,
        experiment_t.c.created_at,
        experiment_t.c.question,
        experiment_t.c.conclusion,
    )
    if name is not None:
        named = named.where(run_t.c.experiment == name)
        texts = texts.where(experiment_t.c.name == name)
    experiments = {
        row[0]: StoredExperiment(row[0], row[1], None, None, row[2])
        for row in connection.execute(named)
    }
    for row in connection.execute(texts):
        runs = experiments[row.name].runs if row.name in experiments else 0
        experiments[row.name] = StoredExperiment(*row, runs)
    return list(experiments.values())


def join_experiment(connection: Connection, name: str, collection_id: int) -> None:
    """Say that a run of a collection joins an experiment of this name.

    Texts that were written before any run are about the collection of the first one.
    """
    is_about = select(about_t.c.id).where(about_t.c.experiment_id == experiment_t.c.id)
    first = select(experiment_t.c.id, literal(collection_id)).where(
        experiment_t.c.name == name, ~is_about.exists()
    )
    connection.execute(insert(about_t).from_select(["experiment_id", "collection_id"], first))


def write_texts(
    connection: Connection,
    name: str,
    created_at: datetime,
    texts: tuple[str | None, str | None],
    about: Collection[int | None] = (),
) -> None:
    """Write the question and the conclusion of an experiment.

    Args:
        connection: in a transaction that writes.
        name: of the experiment.
        created_at: when it was first named, where nothing is written about it yet.
        texts: both of them; None for none.
        about: the ids of the collections that they are about, None for one that is not here; where
            empty, those of all of its runs. What earlier texts were about stays.
    """
    key = ensure_row(connection, models.Experiment, {"name": name}, created_at=created_at)
    values = dict(zip(("question", "conclusion"), texts, strict=True))
    connection.execute(update(experiment_t).where(experiment_t.c.id == key).values(values))
    of_runs = select(run_t.c.collection_id).where(run_t.c.experiment == name).distinct()
    stored = select(about_t.c.collection_id).where(about_t.c.experiment_id == key)
    collections = set(about or connection.execute(of_runs).scalars())
    for collection_id in collections - set(connection.execute(stored).scalars()):
        row = {"experiment_id": key, "collection_id": collection_id}
        connection.execute(insert(about_t).values(row))


def list_about(connection: Connection) -> dict[str, set[int | None]]:
    """What the texts of each experiment are about, by its name: the ids of collections.

    None stands for a collection that is no more; the set is empty where no run has joined yet.
    """
    rows = connection.execute(
        select(experiment_t.c.name, about_t.c.id, about_t.c.collection_id).outerjoin(
            about_t, about_t.c.experiment_id == experiment_t.c.id
        )
    )
    about: dict[str, set[int | None]] = {}
    for name, key, collection_id in rows:
        about.setdefault(name, set())
        if key is not None:
            about[name].add(collection_id)
    return about


def set_experiment_name(connection: Connection, name: str, new: str) -> None:
    """Give an experiment, and so its runs, another name."""
    connection.execute(update(experiment_t).where(experiment_t.c.name == name).values(name=new))
    connection.execute(update(run_t).where(run_t.c.experiment == name).values(experiment=new))


def delete_experiment(connection: Connection, name: str) -> None:
    """Delete an experiment; its runs stay, without an experiment."""
    connection.execute(delete(experiment_t).where(experiment_t.c.name == name))
    connection.execute(update(run_t).where(run_t.c.experiment == name).values(experiment=None))
