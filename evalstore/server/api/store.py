"""SQL over what the person may read, events, and for programs that watch: health and figures."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import Any

from flask import Response, g
from pydantic import ConfigDict, Field
from werkzeug.exceptions import RequestEntityTooLarge

from dashboard.serving.slots import one_statement
from evalstore.catalog.collections import check_readable
from evalstore.catalog.runs import history
from evalstore.client.connection import SQL_ROWS, SQL_SECONDS
from evalstore.errors import StoreError
from evalstore.server.api.operation import JSON, Call, Content, Name, Parameters, table_response
from evalstore.server.api.paging import PagedOfCollection, page, pages_of
from evalstore.server.api.sending import sending_of_app
from evalstore.server.metrics import figures, metrics_of_app
from evalstore.server.problems import problem
from evalstore.sql.ask import Limits, arrow, ask
from evalstore.sql.typed_values import typed
from evalstore.store.restriction import OF_SERVER

MOST_BYTES = 16 << 20
MOST_BYTES_OF_TABLE = 64 << 20


class Statement(Parameters):
    """A statement."""

    sql: str = Field(description="One SELECT.")
    limit: int = Field(1_000, ge=1, le=SQL_ROWS, description="Rows of JSON at most.", strict=True)
    seconds: float = Field(60, gt=0, le=SQL_SECONDS, description="It may take.")
    typed: bool = Field(
        False,
        strict=True,
        description="JSON as the command line reads it: values that JSON has not are objects "
        'like `{"bytes": "00ff"}`, and `names` and `problem` are there.',
    )


class SqlAnswer(Content):
    """The rows of an answer."""

    model_config = ConfigDict(json_schema_extra={"required": ["columns", "rows", "cut"]})

    columns: list[str] = Field(description="The names; _2 and so on tell them apart.")
    rows: list[list[Any]] = Field(description="A list of values a row.")
    cut: str | None = Field(description="Why rows are missing; null for all of them.")
    names: list[str] = Field(
        [], description="With `typed`: the columns as the statement names them."
    )
    problem: str | None = Field(
        None, description="With `typed`: the kind of problem, where rows are missing."
    )


def sql(call: Call, chosen: Statement) -> dict[str, Any] | Response:
    """Ask the store in SQL, as `evalstore sql`: one SELECT of at most a minute.

    JSON is cut at 16 MiB or at `limit` rows, and then says so. Arrow and Parquet have all rows, of
    64 MiB at most; an answer that is larger is refused with 413.
    """
    is_json = call.media_type == JSON
    most = (chosen.limit, MOST_BYTES) if is_json else (None, MOST_BYTES_OF_TABLE)
    with one_statement():
        answer = ask(call.store, chosen.sql, Limits(chosen.seconds, *most))
    if is_json:
        rows = [list(map(typed, row)) for row in answer.rows] if chosen.typed else answer.rows
        content = {"columns": answer.distinct_columns, "rows": rows, "cut": answer.cut}
        if chosen.typed:
            content |= {"names": answer.columns, "problem": answer.problem}
        return content
    if answer.cut:
        raise RequestEntityTooLarge(
            f"The answer is larger than {MOST_BYTES_OF_TABLE >> 20} MiB: ask for less."
        )
    table = arrow(answer)
    return table_response(call.media_type, table.schema, [table])


# Events


class Event(Content):
    """Something that was done."""

    at: datetime
    who: str
    action: str
    collection: str | None
    subject: str = Field(description="The run, qrels, ... as it was called then.")
    details: dict[str, Any] | None


Events = pages_of(Event, "events", "Events", "A page of events.")


class EventsParameters(PagedOfCollection):
    """Choice of events."""

    subject: Name | None = Field(None, description="Only of this run or qrels.")


def events(call: Call, chosen: EventsParameters) -> dict[str, Any]:
    """Events of the store, with account and time, the oldest first, as `evalstore db events` has.

    Of accounts, roles and tokens administrators alone are told.
    """
    listed = history(call.store, chosen.collection, chosen.subject)
    if call.person is None or not call.person.may("administer"):
        listed = [event for event in listed if event.action not in OF_SERVER]
    # Events are only added, never removed: the number of an event and its time identify it.
    numbered = list(enumerate(listed, 1))
    part, following = page(numbered, lambda row: f"{row[0]} {row[1].at}", call, chosen)
    return {"events": [event for _, event in part], "next": following}


# Health and figures of the server, for programs that watch it


class Health(Content):
    """It works."""

    status: str


def health(call: Call, chosen: Parameters) -> dict[str, Any] | Response:
    """Whether the server answers and can read its store: 200, or 503."""
    try:
        check_readable(call.whole)
    except StoreError as error:
        # The reason may contain a host or a folder, so only the log gets it.
        logging.getLogger("dashboard").warning("%s", error)
        return problem(503, "The store can't be read.")
    return {"status": "ok"}


def metrics(call: Call, chosen: Parameters) -> Response:
    """Requests by route, method and status, with their times, jobs and files that wait.

    They are as Prometheus reads them. It takes a role in the whole store. Requests are those of
    everyone; jobs and files are those of the collections that one may read, for administrators of
    all.
    """
    if call.person is None or not call.person.may("read"):
        return problem(403, "The figures of the server take a role in the whole store.")
    return Response(
        metrics_of_app().text() + figures(sending_of_app().uploads, datetime.now(UTC), g.readable),
        mimetype="text/plain",
        headers={"Content-Type": "text/plain; version=0.0.4; charset=utf-8"},
    )
