"""What the API is made of: operations, and what their views get and give."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from flask import Response
from pydantic import BaseModel, ConfigDict

from evalstore.server.people.rights import Permission, Person
from evalstore.store import Store

ROOT = "/api/v1"

Method = Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]

JSON = "application/json"
ARROW = "application/vnd.apache.arrow.stream"
PARQUET = "application/vnd.apache.parquet"
TABLES = (JSON, ARROW, PARQUET)
"""The media types of an answer that may be large."""


class Parameters(BaseModel):
    """What an operation takes: of the query of the address, or of the body; nothing else."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Content(BaseModel):
    """A part of an answer as JSON has it; the description and the tests are made of it."""

    model_config = ConfigDict(extra="forbid")

    @classmethod
    def fields_of(cls, row: object) -> dict[str, Any]:
        """The fields of this part, by their names, as the attributes of a row have them."""
        return {name: getattr(row, name) for name in cls.model_fields}


@dataclass(frozen=True)
class Asked:
    """A request that was let in.

    Attributes:
        person: who asks; None for who is not logged in.
        store_of_person: gives the store as the person may see it.
        whole: the whole store, for what tells nothing of its content.
        media_type: in which the answer is to be.
        address: the path and the parameters but those of a page, to tell lists apart.
        public_url: the address of the server.
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
        method: of the request; GET allows HEAD too.
        path: below `ROOT`, as Flask writes it, with names as `<name:collection>`.
        permission: what the person needs, as `Route.permission`.
        summary: one line.
        view: gets an `Asked`, the parameters and the names of the path, by their names; gives the
            content of the answer as JSON has it, or a response.
        parameters: in the body as JSON for POST and PATCH, else in the query of the address. The
            body of a PUT is the bytes of a file.
        answer: the content as JSON; None where the answer is no JSON of ours.
        media_types: of the answer, the first where the request does not say which; none where the
            answer has no content.
        done: the contents of answers that do not refuse, by status, where that is not 200 with
            `answer` alone.
        headers: those of the request that say which bytes of a file come, with what they mean.
        answer_headers: those of the answer, with what they mean.
        statuses: further ones that refuse.
        is_long: whether it may compute for many seconds; only some of these run at a time.
    """

    method: Method
    path: str
    permission: Permission
    summary: str
    view: Callable[..., Mapping[str, Any] | Response]
    parameters: type[Parameters] = Parameters
    answer: type[Content] | None = None
    media_types: tuple[str, ...] = (JSON,)
    done: Mapping[int, type[Content] | None] = field(default_factory=dict)
    statuses: tuple[int, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    answer_headers: Mapping[str, str] = field(default_factory=dict)
    is_long: bool = False

    @property
    def takes_json(self) -> bool:
        """Whether its parameters are in the body."""
        return self.method in ("POST", "PATCH")

    @property
    def answers(self) -> Mapping[int, type[Content] | None]:
        """The contents of the answers that do not refuse, by status."""
        return self.done or {200: self.answer}

    @property
    def rule(self) -> str:
        """The pattern of the whole path."""
        return ROOT + self.path

    @property
    def description(self) -> str:
        """What it does, from its view."""
        return " ".join((self.view.__doc__ or "").split())
