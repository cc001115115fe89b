"""What is changed about a stored run at once: its names, tags and facts; all of it or nothing."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection

from evalstore.catalog.annotate import Changes, change_facts, check_unset
from evalstore.catalog.given_facts import GivenFacts
from evalstore.catalog.names import check_name
from evalstore.catalog.runs import change_run, change_tags
from evalstore.store import Store
from evalstore.store.queries.runs import find_run, run_tags


@dataclass(frozen=True)
class RunChange:
    """What is to change about a run; None, or empty, where nothing is given.

    Attributes:
        name: its new name.
        engine: the engine that made it.
        experiment: the experiment that it belongs to; "" for none.
        add_tags, remove_tags: tags that are put on it and taken off.
        facts: those that are set; parameters and tags are added to those of the run.
        unset: names of facts that are taken away (`annotate.UNSETTABLE`).
        unset_parameters: names of parameters that are taken away.

    Raises:
        DataError: a name or tag that can't be shown, a name that is no fact, or a fact that is both
            set and taken away.
    """

    name: str | None = None
    engine: str | None = None
    experiment: str | None = None
    add_tags: tuple[str, ...] = ()
    remove_tags: tuple[str, ...] = ()
    facts: GivenFacts = field(default_factory=GivenFacts)
    unset: tuple[str, ...] = ()
    unset_parameters: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check what is given."""
        names = {"run": self.name, "engine": self.engine, "experiment": self.experiment or None}
        for kind, name in names.items():
            if name is not None:
                check_name(kind, name)
        for tag in self.add_tags:
            check_name("tag", tag)
        check_unset(self.facts, self.unset)


@dataclass(frozen=True)
class ChangedRun:
    """A run that was changed.

    Attributes:
        collection: the name of its collection.
        before: its name before.
        name: its name now.
        changes: by what changed (`name`, `engine`, `experiment`, `tags`, and facts as of
            `annotate.Changes`), the value before and the value now.
        tags: its tags now, in byte order.
    """

    collection: str
    before: str
    name: str
    changes: Changes
    tags: tuple[str, ...]


def apply_change(
    store: Store, run: str, change: RunChange, collection: str | None = None
) -> ChangedRun:
    """Change a stored run; each kind of change is an event.

    Args:
        store: where the run is.
        run: its name or id.
        change: what is to change.
        collection: the name of its collection, where several have a run of that name.

    Raises:
        NotFound: there is no such run, parent or parameter.
        Conflict: another run of the collection has the new name.
        DataError: facts that can't be together.
    """

    def work(connection: Connection) -> ChangedRun:
        stored = find_run(connection, run, collection)
        now = datetime.now(UTC)
        had = run_tags(connection, stored.id)
        names = change_run(
            connection,
            stored,
            now=now,
            name=change.name,
            engine=change.engine,
            experiment=change.experiment,
        )
        named = replace(stored, name=change.name or stored.name)
        change_tags(connection, named, change.add_tags, change.remove_tags, now)
        facts = change_facts(
            connection,
            named,
            change.facts,
            now,
            unset=change.unset,
            unset_parameters=change.unset_parameters,
        )
        has = run_tags(connection, stored.id)
        changes: dict[str, tuple[Any, Any]] = {**names, **facts}
        if has != had:
            changes["tags"] = (had or None, has or None)
        return ChangedRun(stored.collection, stored.name, named.name, changes, tuple(has))

    return store.transact(work)
