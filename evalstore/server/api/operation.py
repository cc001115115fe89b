"""Operations as rows of the API's table; reading their requests and writing their answers.

In this order: operations, parameters of a request, JSON, tables as Arrow and Parquet.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from functools import cache, cached_property, partial
from typing import (
    Annotated,
    Any,
    Literal,
    TypeVar,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

import pyarrow as pa
import pyarrow.parquet as pq
from flask import Request, Response
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import UnsupportedMediaType

from evalstore.client.connection import ROOT
from evalstore.errors import DataError, nearest
from evalstore.server.jobs.uploads import body_pieces
from evalstore.server.people.rights import Permission, Person
from evalstore.store import Store

Method = Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]

IN_BODY = (408, 413, 415)
"""Statuses that refuse a request because of its body."""

JSON = "application/json"
ARROW = "application/vnd.apache.arrow.stream"
PARQUET = "application/vnd.apache.parquet"
TABLES = (JSON, ARROW, PARQUET)
"""Media types of answers that may be large."""


class Parameters(BaseModel):
    """Base of the parameters of an operation, in the query or the body; others are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Content(BaseModel):
    """Base of the parts of an answer, for the description and `to_json`.

    A `validation_alias` is the name of the field in the record of the use case.
    """

    model_config = ConfigDict(extra="forbid")


@dataclass(frozen=True)
class Call:
    """A request that the gate let in.

    Attributes:
        person: the sender; None if not logged in.
        store_of_person: returns the store as the person may see it.
        whole: the whole store, for answers that show nothing of its content.
        media_type: the media type of the answer.
        address: the path and the parameters without those that choose a page; it identifies a list.
    """

    person: Person | None
    store_of_person: Callable[[], Store]
    whole: Store
    media_type: str
    address: str
    public_url: str

    @property
    def store(self) -> Store:
        """The store as the person may see it."""
        return self.store_of_person()


@dataclass(frozen=True)
class Operation:
    """A row of the table of the API.

    Attributes:
        method: the HTTP method; GET allows HEAD too.
        path: below `ROOT`, as Flask writes it, with names as `<name:collection>`.
        permission: the permission that the person needs, as `Route.permission`.
        view: a function of a `Call`, the parameters and the names of the path; it returns a record
            with the fields of `answer`, a dictionary, or a response.
        answer: the content as JSON; None if the answer is not JSON of this API.
        media_types: possible media types of the answer, the first by default; empty if the answer
            has no content.
        done: contents by status, if there is more than 200 with `answer`.
        headers: request headers that say which bytes of a file are sent, with their meanings.
        answer_headers: headers of the answer, with their meanings.
        refusals: error statuses beyond those that all such operations have.
        is_long: whether it may compute for many seconds; only a few of these run at a time.
    """

    method: Method
    path: str
    permission: Permission
    summary: str
    view: Callable[..., Any]
    answer: type[Content] | None = None
    media_types: tuple[str, ...] = (JSON,)
    done: Mapping[int, type[Content] | None] = field(default_factory=dict)
    refusals: tuple[int, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    answer_headers: Mapping[str, str] = field(default_factory=dict)
    is_long: bool = False

    @cached_property
    def parameters(self) -> type[Parameters]:
        """The parameters of the view: JSON for POST and PATCH, else the query of the address."""
        _, kind, *_ = get_type_hints(self.view).values()
        return cast("type[Parameters]", kind)

    @property
    def takes_json(self) -> bool:
        """Whether parameters are JSON in the body; the body of a PUT is the bytes of a file."""
        return self.method in ("POST", "PATCH")

    @property
    def statuses(self) -> set[int]:
        """The error statuses beyond those of all operations."""
        of_body = IN_BODY if self.method in ("POST", "PATCH", "PUT") else ()
        return {*self.refusals, *of_body, *([429] if self.is_long else [])}

    @property
    def answers(self) -> Mapping[int, type[Content] | None]:
        """The contents of successful answers, by status."""
        return self.done or {200: self.answer}

    @property
    def rule(self) -> str:
        """The pattern of the whole path."""
        return ROOT + self.path

    @property
    def description(self) -> str:
        """The description, taken from the docstring of the view."""
        return " ".join((self.view.__doc__ or "").split())


# The parameters of a request; DataError says in a sentence which one is wrong

LARGEST_BODY = 256 * 1024
"""Maximum bytes of JSON in a body."""
MOST_NAMED = 50
"""Maximum number of runs, measures or conditions in a request."""

Name = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$")]
"""Any text without NUL, which a database can't store."""

Measures = Annotated[
    list[Name],
    Field(
        min_length=1,
        max_length=MOST_NAMED,
        description="Measures, computed where they are not stored; may be repeated.",
    ),
]
QrelsOrDefault = Annotated[
    Name | None, Field(description="The judgments.  The default ones where not named.")
]
OfCollection = Annotated[
    Name | None, Field(description="Where several collections have runs of these names.")
]

P = TypeVar("P", bound=Parameters)
M = TypeVar("M", bound=BaseModel)


def from_query(model: type[P], query: MultiDict[str, str]) -> P:
    """Read parameters from the query of an address; DataError for an invalid one."""
    given: dict[str, Any] = {}
    fields = model.model_fields
    for name, values in query.lists():
        if name in fields and get_origin(fields[name].annotation) is list:
            given[name] = values
        elif len(values) > 1:
            raise DataError(f"the parameter {name!r} is given more than once")
        else:
            given[name] = values[0]
    return _read(model, given)


def from_body(model: type[P], request: Request) -> P:
    """Read parameters from the JSON of a body.

    Raises UnsupportedMediaType if the header says that the body is not JSON, HttpError if it is too
    large or too slow, DataError if it is not a JSON object or has a wrong parameter.
    """
    if request.mimetype != JSON:
        raise UnsupportedMediaType(f"Send the parameters as {JSON}.")
    try:
        given = json.loads(b"".join(body_pieces(LARGEST_BODY)), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        reason = "too deep" if isinstance(error, RecursionError) else str(error)
        raise DataError(f"the body is no JSON: {reason}") from None
    if not isinstance(given, dict):
        raise DataError("the body is no JSON object")
    return _read(model, given)


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def _read(model: type[P], given: Mapping[str, Any]) -> P:
    try:
        return model.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
    path = [part for part in first["loc"] if isinstance(part, str)]
    name = ".".join(path)
    if first["type"] == "extra_forbidden":
        raise DataError(f"there is no parameter {name!r}{_hint(model, path)}")
    if first["type"] == "missing":
        raise DataError(f"the parameter {name!r} is missing")
    message = first["msg"][:1].lower() + first["msg"][1:]
    raise DataError(f"parameter {name!r}: {message}")


def _hint(model: type[BaseModel], path: list[str]) -> str:
    """A similar name for an unknown one; inside another parameter, else all names there are."""
    *outer, last = path
    for name in outer:
        inner = _class_in(model.model_fields[name].annotation, BaseModel)
        if inner is None:
            return ""
        model = inner
    alike = nearest(last, model.model_fields)
    if alike:
        return f"; did you mean {'.'.join([*outer, alike[0]])!r}?"
    return f"; there are {', '.join(model.model_fields)}" if outer else ""


def _class_in(annotation: Any, kind: type[M]) -> type[M] | None:
    """The subclass of a class in an annotation such as `list[X]` or `X | None`."""
    parts = get_args(annotation) or (annotation,)
    return next((of for of in parts if isinstance(of, type) and issubclass(of, kind)), None)


# Records and values of answers as JSON


def to_json(value: Any, content: type[Content] | None = None) -> Any:
    """Convert a value to dictionaries, lists, texts, numbers, booleans and None.

    NaN and infinity become None, bytes hexadecimal text, times ISO 8601. The value is a record of a
    use case (the attributes that `content` names are taken), a list of such records, or a
    dictionary with the names of the JSON.
    """
    if hasattr(value, "tolist"):  # an array or a number of NumPy
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    parts = {} if content is None else _parts(content)
    is_part = value is None or isinstance(value, Mapping) or type(value) in (list, tuple)
    if content is not None and not is_part:  # a record, which may be a named tuple
        value = {name: getattr(value, attribute) for name, (attribute, _) in parts.items()}
    if isinstance(value, Mapping):
        return {
            str(name): to_json(part, parts[name][1] if name in parts else None)
            for name, part in value.items()
        }
    if isinstance(value, list | tuple):
        return [to_json(part, content) for part in value]
    return value.hex() if isinstance(value, bytes) else value


@cache
def _parts(content: type[Content]) -> Mapping[str, tuple[str, type[Content] | None]]:
    """The attribute of a record for each field, and the content class of that field."""
    return {
        name: (str(field.validation_alias or name), _class_in(field.annotation, Content))
        for name, field in content.model_fields.items()
    }


# Large answers as Arrow or Parquet: first written to a temporary file, then sent.
#
# So they need little memory, and no connection to the database waits for a slow client.

BLOCK = 64 * 1024
ROWS_TOGETHER = 100_000
"""Rows in a batch of Arrow and in a row group of Parquet."""


def table_response(media_type: str, schema: pa.Schema, parts: Iterable[pa.Table]) -> Response:
    """An answer with the rows of all tables, as Arrow or Parquet."""
    file = tempfile.TemporaryFile()  # noqa: SIM115  (it is closed when the answer is)
    try:
        kind = pa.ipc.new_stream if media_type == ARROW else pq.ParquetWriter
        with kind(file, schema) as writer:
            for part in _grouped(parts):
                writer.write_table(part)
        size = file.tell()
        file.seek(0)
    except BaseException:
        file.close()
        raise
    answer = Response(iter(partial(file.read, BLOCK), b""), mimetype=media_type)
    answer.content_length = size
    answer.call_on_close(file.close)
    return answer


def _grouped(parts: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """The same rows in fewer, larger tables."""
    waiting: list[pa.Table] = []
    for part in parts:
        waiting.append(part)
        if sum(table.num_rows for table in waiting) >= ROWS_TOGETHER:
            yield pa.concat_tables(waiting).combine_chunks()
            waiting = []
    if waiting:
        yield pa.concat_tables(waiting).combine_chunks()
