"""Put a run into an experiment, unless that has runs which nobody may know of who asks."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import Connection

from evalstore.errors import Conflict
from evalstore.store.experiments import has_runs_elsewhere, list_experiments
from evalstore.store.runs import ensure_experiment


def join_experiment(
    connection: Connection, name: str, now: datetime, collections: Collection[int] | None
) -> int:
    """The id of an experiment, made if there is none of that name.

    Args:
        connection: in a transaction that writes.
        name: of the experiment.
        now: when it is made, if it is.
        collections: the ids of those of which it may have runs; None for all.

    Raises:
        Conflict: it has runs of others. It is hidden from who may not read all of its runs, so a
            further run could hide it from its own people.
    """
    experiment_id = ensure_experiment(connection, name, now)
    if collections is not None and has_runs_elsewhere(connection, experiment_id, collections):
        raise Conflict(f"the name of the experiment {name!r} is taken: give another one")
    return experiment_id


def is_hidden_experiment(
    connection: Connection, name: str | None, collections: Collection[int] | None
) -> bool:
    """Whether an experiment of that name has runs of other collections; None stands for all."""
    if name is None or collections is None:
        return False
    stored = list_experiments(connection, name)
    return any(has_runs_elsewhere(connection, each.id, collections) for each in stored)
