"""Changes to what is stored: runs, the baseline of a collection and its default qrels."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from flask import g
from pydantic import Field, StringConstraints
from sqlalchemy import Connection

from evalstore.catalog import runs as change_runs
from evalstore.catalog.annotate import ChangedRun, RunChange, apply_change
from evalstore.catalog.chosen_qrels import find_collection_id
from evalstore.catalog.given_facts import GivenFacts
from evalstore.catalog.qrels import find_qrels
from evalstore.client.any_store import DefaultQrels, LocalStore
from evalstore.comparison.choosing import baselines
from evalstore.formats.facts.parameters import facts_from_json
from evalstore.server.api.operation import Call, Content, Name, OfCollection, Parameters
from evalstore.server.api.paging import PagedOfCollection, page_of, pages_of
from evalstore.server.people.rights import Person
from evalstore.server.problems import HttpError
from evalstore.store.queries import events
from evalstore.store.queries.runs import StoredRun, find_run
from evalstore.store.queries.tracking import Comment
from evalstore.tracking import comments

# The facts of a run in requests

Text = Annotated[str | None, Field(strict=True)]
MOST_TAGS = 1_000
Texts = Annotated[list[str] | None, Field(strict=True, max_length=MOST_TAGS)]
Number = Annotated[float | None, Field(strict=True)]
Whole = Annotated[int | None, Field(strict=True)]
Switch = Annotated[bool | None, Field(strict=True)]


class FactsOfRun(Parameters):
    """Facts of a run, as `evalstore runs edit` takes them. What is null is as if left out."""

    parameters: dict[str, Any] | None = Field(
        None, description="Of the run: texts, numbers or booleans by name."
    )
    tags: Texts = Field(None, description="They are added to those of the run.")
    note: Text = None
    commit: Text = None
    commit_dirty: Switch = None
    host: Text = None
    started_by: Text = None
    command: Text = None
    index_version: Text = None
    collection_version: Text = None
    parent: Text = Field(None, description="The run that it was made from.")
    started_at: Text = Field(None, description="A time as in ISO 8601.")
    ended_at: Text = Field(None, description="A time as in ISO 8601.")
    index_bytes: Whole = None
    memory_bytes: Whole = None
    money: Number = None
    currency: Text = None
    energy_joules: Number = None


MOST_RUNS = 1_000
"""Maximum number of runs in a request."""

Tags = Annotated[list[Name], Field(max_length=MOST_TAGS)]


class FactsToSet(FactsOfRun):
    """Facts that are set."""

    header: dict[str, Any] | None = Field(
        None, description="The ir_metadata of the run; it replaces the one before."
    )


class RunToChange(Parameters):
    """Changes of a run; null is the same as left out."""

    collection: OfCollection = None
    name: Text = Field(None, description="Its new name.")
    engine: Text = Field(None, description="The engine that made it.")
    experiment: Text = Field(None, description='The experiment that it belongs to; "" for none.')
    add_tags: Tags = Field([], description="Tags to put on it.")
    remove_tags: Tags = Field([], description="Tags to take off.")
    facts: FactsToSet | None = Field(
        None, description="Facts to set, by their names, as of `POST .../runs`; and `header`."
    )
    unset: Tags = Field([], description="Names of facts to take away.")
    unset_parameters: Tags = Field([], description="Names of parameters to take away.")

    def change(self) -> RunChange:
        """The change for the use case; DataError for an invalid name or fact."""
        given = {name: of for name, of in self.facts or () if of is not None}
        header = given.pop("header", None)
        return RunChange(
            name=self.name,
            engine=self.engine,
            experiment=self.experiment,
            add_tags=tuple(self.add_tags),
            remove_tags=tuple(self.remove_tags),
            facts=GivenFacts(header=header, **facts_from_json(given)),
            unset=tuple(self.unset),
            unset_parameters=tuple(self.unset_parameters),
        )


class CommentToAdd(Parameters):
    """A comment."""

    text: Annotated[str, Field(strict=True, description="Markdown, of 10,000 characters at most.")]
    collection: OfCollection = None


class RunChanged(Content):
    """A run that was changed."""

    collection: str
    before: str = Field(description="Its name before.")
    run: str = Field(validation_alias="name", description="Its name now.")
    changes: dict[str, list[Any]] = Field(
        description="By what changed, the value before and the value now."
    )
    tags: list[str] = Field(description="All of its tags now.")


class RunsChosen(Parameters):
    """Runs, by their names or ids."""

    runs: list[Name] = Field(
        min_length=1, max_length=MOST_RUNS, description="Names or ids of runs."
    )
    collection: OfCollection = None


class RunOfCollection(Content):
    """A run."""

    collection: str
    run: str = Field(validation_alias="name")


class RunsOfCollections(Content):
    """Runs."""

    runs: list[RunOfCollection]


class RemovedRun(RunOfCollection):
    """A run that is marked as removed."""

    id: int
    tag: str
    values_only: bool
    removed_at: datetime


RemovedRuns = pages_of(
    RemovedRun, "runs", "RemovedRuns", "A page of the runs that are marked as removed."
)


class RunChosen(Parameters):
    """A run, by its name or id."""

    run: Name = Field(description="The name or id of a run.")
    collection: OfCollection = None


class QrelsToChange(Parameters):
    """Changes of judgments."""

    is_default: Literal[True] = Field(
        description="Figures of the collection are shown under them from now on."
    )
    collection: Name | None = Field(
        None, description="Where several collections have judgments of that name."
    )


class QrelsChanged(Content):
    """Judgments that are the default of their collection."""

    collection: str
    name: str
    was_default: bool = Field(description="Whether they were that before.")


def change_run(call: Call, given: RunToChange, run: str) -> ChangedRun:
    """Change a run: its name, engine and experiment, its tags and facts; all of it or nothing.

    As `evalstore runs edit` and `tag`; each kind of change is an event.
    """
    change = given.change()
    stored = run_to_write(call, run, given.collection)
    return apply_change(call.whole, stored.name, change, stored.collection)


def comment_on_run(call: Call, given: CommentToAdd, run: str) -> Comment:
    """Comment on a run, as `evalstore runs comment`; the text that one sent last is kept once."""
    stored = run_to_write(call, run, given.collection)
    return comments.comment_on_run(call.whole, stored.name, given.text, stored.collection)


def list_removed_runs(call: Call, chosen: PagedOfCollection) -> dict[str, Any]:
    """The runs that are marked as removed, as `evalstore runs restore` lists them."""
    removed = change_runs.removed_runs(call.store, chosen.collection)
    return page_of("runs", removed, lambda run: run.id, call, chosen)


def remove_runs(call: Call, chosen: RunsChosen) -> dict[str, Any]:
    """Mark runs as removed, as `evalstore runs rm`: all of them or none."""
    runs = [run_to_write(call, run, chosen.collection) for run in chosen.runs]
    done = change_runs.remove_runs(call.whole, [(run.name, run.collection) for run in runs])
    return {"runs": done}


def restore_runs(call: Call, chosen: RunsChosen) -> dict[str, Any]:
    """Bring back runs that were removed, as `evalstore runs restore`: all of them or none."""
    runs = [run_to_write(call, run, chosen.collection, removed=True) for run in chosen.runs]
    done = change_runs.restore_runs(call.whole, [(run.name, run.collection) for run in runs])
    return {"runs": done}


def choose_baseline(call: Call, chosen: RunChosen) -> StoredRun:
    """Make a run the baseline of its collection, as `evalstore runs baseline`."""
    stored = run_to_write(call, chosen.run, chosen.collection)
    return baselines.set_baseline(call.whole, stored.name, stored.collection)


def unset_baseline(call: Call, chosen: Parameters, collection: str) -> StoredRun:
    """Leave a collection without a baseline, as `evalstore runs baseline --unset`."""
    collection_to_write(call, collection)
    return baselines.unset_baseline(call.whole, collection)


def change_qrels(call: Call, given: QrelsToChange, qrels: str) -> dict[str, Any]:
    """Make judgments the default of their collection, as `evalstore qrels default`."""
    with call.store.read() as connection:
        stored = find_qrels(connection, qrels, given.collection)
    collection_to_write(call, stored.collection)
    made: DefaultQrels = LocalStore(call.whole).set_default_qrels(stored.name, stored.collection)
    return made._asdict()


# The collection that a request writes into


def collection_to_write(
    call: Call, name: str, permission: Literal["judge", "write"] = "write"
) -> int:
    """The id of a collection that the sender of the request may write into, or judge in.

    Raises NotFound, in the words of the command line, if the person may not know the collection;
    HttpError 403 if the person may only read it.
    """
    with call.store.read() as connection:
        id_ = find_collection_id(connection, name)
    person: Person = g.person
    if not person.may(permission, id_):
        what = "write into it" if permission == "write" else "judge in it"
        raise HttpError(403, f"{person.name} may read collection {name!r}, and not {what}")
    return id_


def run_to_write(
    call: Call, run: str, collection: str | None, *, removed: bool = False
) -> StoredRun:
    """A run, by name or id, in a collection that the sender of the request may write into.

    Raises NotFound if the person may not know the run, and HttpError like `collection_to_write`.
    """
    with call.store.read() as connection:
        stored = find_run(connection, run, collection, removed=removed)
    collection_to_write(call, stored.collection)
    return stored


# Gates: results of `evalstore check`, for the log and for webhooks

Outcome = Literal["passed", "failed", "undecided", "not comparable"]
GateText = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=1_000)]


class GateRule(Parameters):
    """A rule of a gate, and whether it fails; null where it can't be decided."""

    rule: GateText
    fails: bool | None


class GateParameters(Parameters):
    """The result of a gate."""

    run: GateText = Field(
        min_length=1,
        description="The run that was checked, by name or id; of one that is not stored the name "
        "of its file.",
    )
    is_stored: bool = Field(True, description="Whether the run is stored.")
    outcome: Outcome = Field(description="The outcome of `evalstore check`.")
    baseline: GateText | None = Field(None, description="The run that it was compared with.")
    summary: GateText = Field("", description="The outcome in one line.")
    rules: list[GateRule] = Field([], max_length=100, description="The rules, each with `fails`.")


class Gate(Content):
    """A gate that was recorded."""

    collection: str
    run: str
    outcome: str
    at: str


def record_gate(call: Call, given: GateParameters, collection: str) -> dict[str, Any]:
    """Record the result of a gate as an event; webhooks are told of those that did not pass."""
    collection_to_write(call, collection)
    now = datetime.now(UTC)

    def work(connection: Connection) -> str:
        stored = given.is_stored
        name = find_run(connection, given.run, collection).name if stored else given.run
        details = given.model_dump(exclude={"run", "is_stored"} if stored else {"run"})
        events.log(connection, "gate", collection, name, now, **details)
        return name

    name = call.whole.transact(work)
    return {"collection": collection, "run": name, "outcome": given.outcome, "at": now.isoformat()}
