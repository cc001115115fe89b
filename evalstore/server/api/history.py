"""The runs of an engine in time."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from evalstore.errors import DataError
from evalstore.measures import named_measures
from evalstore.server.api.leaderboard import Alpha
from evalstore.server.api.operation import Asked, Content, Parameters
from evalstore.server.api.parameters import Name
from evalstore.server.api.plain import plain
from evalstore.tracking.history import engine_history


class HistoryParameters(Parameters):
    """Whose history, by which measure."""

    engine: Annotated[Name, Field(description="Its name.")]
    measure: Annotated[Name, Field(description="One, computed where it is not stored.")] = "nDCG@10"
    collection: Annotated[
        Name | None, Field(description="Where the engine has runs in several.")
    ] = None
    qrels: Annotated[Name | None, Field(description="The judgments; else the default.")] = None
    last: Annotated[int | None, Field(ge=1, description="Only the newest so many runs.")] = None
    alpha: Alpha = 0.05


class RunInTime(Content):
    """A run of an engine, and its difference to the run before."""

    run_id: int
    run: str
    at: datetime
    value: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_corrected: float | None
    change: str | None


class History(Content):
    """The runs of an engine in a collection, the oldest first."""

    engine: str
    collection: str
    qrels: str
    measure: str
    direction: Annotated[int, Field(description="1 where higher is better, -1 where lower is.")]
    queries: int
    alpha: float
    runs: list[RunInTime]
    notes: list[str]


def history(asked: Asked, chosen: HistoryParameters) -> dict[str, Any]:
    """The runs of an engine in time, and whether each differs from the one before.

    The figures are those of `evalstore history`.
    """
    measures = named_measures(chosen.measure)
    if len(measures) != 1:
        raise DataError(f"a history is of one measure; {chosen.measure!r} is {len(measures)}")
    (one,) = measures.items()
    timeline = engine_history(
        asked.store,
        chosen.engine,
        one,
        chosen.collection,
        chosen.qrels,
        last=chosen.last,
        alpha=chosen.alpha,
    )
    content: dict[str, Any] = plain(asdict(timeline))
    return content
