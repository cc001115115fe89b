"""Experiments (named groups of runs): list, create, edit, rename and remove them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection

from evalstore.catalog.names import check_name, check_text, natural
from evalstore.errors import Conflict, DataError, NotFound, did_you_mean
from evalstore.leaderboard.run_list import Choice, ListedRun, list_runs
from evalstore.measures import Measure
from evalstore.store import Store
from evalstore.store.queries import events
from evalstore.store.queries.runs import (
    StoredExperiment,
    delete_experiment,
    list_experiments,
    set_experiment_name,
    write_texts,
)

LONGEST_TEXT = 1 << 20
"""The longest question or conclusion, in bytes."""


@dataclass(frozen=True)
class ExperimentRuns:
    """An experiment with its runs, sorted by collection, engine and name in natural order."""

    experiment: StoredExperiment
    runs: tuple[ListedRun, ...]


def experiments(store: Store) -> list[StoredExperiment]:
    """The experiments, in natural order of their names."""
    with store.read() as connection:
        return sorted(list_experiments(connection), key=lambda stored: natural(stored.name))


def experiment_runs(store: Store, name: str, measures: Sequence[Measure]) -> ExperimentRuns:
    """Load an experiment and its runs' figures under the default qrels of their collections."""
    with store.read() as connection:
        stored = _find(connection, name)
    runs = list_runs(store, measures, Choice(experiment=name)) if stored.runs else []
    return ExperimentRuns(stored, tuple(runs))


def new_experiment(
    store: Store, name: str, question: str | None = None, conclusion: str | None = None
) -> None:
    """Create an experiment without runs; Conflict if the name is taken."""
    check_name("experiment", name)
    texts = _checked("question", question), _checked("conclusion", conclusion)

    def work(connection: Connection) -> None:
        _check_free(connection, name)
        now = datetime.now(UTC)
        write_texts(connection, name, now, texts)
        events.log(connection, "new", None, name, now, kind="experiment")

    store.transact(work)


def edit_experiment(
    store: Store, name: str, question: str | None = None, conclusion: str | None = None
) -> tuple[str, ...]:
    """Change the question or the conclusion of an experiment; an empty text removes it.

    Returns the names of the texts that changed; the event records the texts before the change.
    """
    given = {"question": question, "conclusion": conclusion}
    texts = {kind: _checked(kind, text) for kind, text in given.items() if text is not None}

    def work(connection: Connection) -> tuple[str, ...]:
        stored = _find(connection, name)
        before = {"question": stored.question, "conclusion": stored.conclusion}
        after = {**before, **texts}
        changed = tuple(kind for kind in before if before[kind] != after[kind])
        if changed:
            pair = after["question"], after["conclusion"]
            write_texts(connection, name, stored.created_at, pair)
            details = {"before": {kind: before[kind] for kind in changed}}
            events.log(connection, "edit", None, name, kind="experiment", **details)
        return changed

    return store.transact(work)


def rename_experiment(store: Store, name: str, new: str) -> None:
    """Rename an experiment; Conflict if the new name is taken."""
    check_name("experiment", new)

    def work(connection: Connection) -> None:
        _find(connection, name)
        if new == name:
            return
        _check_free(connection, new)
        set_experiment_name(connection, name, new)
        events.log(connection, "rename", None, new, kind="experiment", before=name)

    store.transact(work)


def remove_experiment(store: Store, name: str) -> StoredExperiment:
    """Delete an experiment and return it; its runs remain, and the event records its texts."""

    def work(connection: Connection) -> StoredExperiment:
        stored = _find(connection, name)
        delete_experiment(connection, name)
        details = {"question": stored.question, "conclusion": stored.conclusion}
        events.log(connection, "rm", None, name, kind="experiment", runs=stored.runs, **details)
        return stored

    return store.transact(work)


def _find(connection: Connection, name: str) -> StoredExperiment:
    stored = list_experiments(connection, name)
    return named_experiment(stored or list_experiments(connection), name)


def named_experiment(stored: Sequence[StoredExperiment], name: str) -> StoredExperiment:
    """The experiment of that name; NotFound if there is none."""
    for experiment in stored:
        if experiment.name == name:
            return experiment
    names = [each.name for each in stored]
    raise NotFound(f"there is no experiment {name!r} in the store{did_you_mean(name, names)}")


def _check_free(connection: Connection, name: str) -> None:
    if list_experiments(connection, name):
        raise Conflict(f"there is an experiment {name!r} already")


def _checked(kind: str, text: str | None) -> str | None:
    """A text that databases accept; None if it is empty."""
    if text is None or not text.strip():
        return None
    if len(check_text(kind, text).encode()) > LONGEST_TEXT:
        raise DataError(f"the {kind} is longer than {LONGEST_TEXT:,} bytes")
    return text.strip()
