"""Gates: what `evalstore check` decided of a run, for the log and for webhooks."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints
from sqlalchemy import Connection

from evalstore.server.api.collections_to_write import collection_to_write
from evalstore.server.api.operation import Asked, Content, Parameters
from evalstore.store.queries import events
from evalstore.store.queries.runs import find_run

Outcome = Literal["passed", "failed", "undecided", "not comparable"]
Text = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=1_000)]


class GateRule(Parameters):
    """A rule of a gate, and whether it fails; null where it can't be decided."""

    rule: Text
    fails: bool | None


class GateParameters(Parameters):
    """The result of a gate."""

    run: Text = Field(
        min_length=1,
        description="The run that was checked, by name or id; of one that is not stored the name "
        "of its file.",
    )
    is_stored: bool = Field(True, description="Whether the run is stored.")
    outcome: Outcome = Field(description="The outcome of `evalstore check`.")
    baseline: Text | None = Field(None, description="The run that it was compared with.")
    summary: Text = Field("", description="The outcome in one line.")
    rules: list[GateRule] = Field([], max_length=100, description="The rules, each with `fails`.")


class Gate(Content):
    """A gate that was recorded."""

    collection: str
    run: str
    outcome: str
    at: str


def record_gate(asked: Asked, given: GateParameters, collection: str) -> dict[str, Any]:
    """Record the result of a gate as an event; webhooks are told of those that did not pass."""
    collection_to_write(asked, collection)
    now = datetime.now(UTC)

    def work(connection: Connection) -> str:
        stored = given.is_stored
        name = find_run(connection, given.run, collection).name if stored else given.run
        details = given.model_dump(exclude={"run", "is_stored"} if stored else {"run"})
        events.log(connection, "gate", collection, name, now, **details)
        return name

    name = asked.whole.transact(work)
    return {
        "collection": collection,
        "run": name,
        "outcome": given.outcome,
        "at": now.isoformat(),
    }
