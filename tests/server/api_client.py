"""A server over two collections, and programs that ask its API."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import two_collections
from team_server import ADMINISTRATOR, PASSWORD, URL, Served
from two_collections import OPEN, PRIVATE, id_of
from werkzeug.test import TestResponse

from evalstore.server.people.tokens import create_token
from evalstore.server.setup import set_up
from evalstore.store import Store
from evalstore.store.models import collection_t
from evalstore.store.rows import change_row

ROOT = "/api/v1"
PROBLEM = "application/problem+json"
ARROW = "application/vnd.apache.arrow.stream"
PARQUET = "application/vnd.apache.parquet"


READERS: dict[str, Callable[[bytes], pa.Table]] = {
    ARROW: lambda data: pa.ipc.open_stream(data).read_all(),
    PARQUET: lambda data: pq.read_table(io.BytesIO(data)),
}


@dataclass(frozen=True)
class Program:
    """A program with a token."""

    served: Served
    token: str

    def ask(self, path: str, method: str = "GET", **options: Any) -> TestResponse:
        """Send a request; `accept` is the media type, other options are those of the client."""
        headers = {"Authorization": f"Bearer {self.token}", **options.pop("headers", {})}
        if "accept" in options:
            headers["Accept"] = options.pop("accept")
        client = self.served.app.test_client()
        options |= {"base_url": URL, "headers": headers, "buffered": True}
        return client.open(ROOT + path, method=method, **options)

    def get(self, path: str) -> Any:
        """The JSON of an address that answers."""
        answer = self.ask(path)
        assert answer.status_code == 200, answer.text
        return answer.get_json()

    def refused(self, path: str, method: str = "GET", **options: Any) -> tuple[int, str]:
        """The status and the sentence of an address that refuses."""
        answer = self.ask(path, method, **options)
        assert answer.mimetype == PROBLEM, (answer.status_code, answer.text)
        problem = answer.get_json()
        assert problem["status"] == answer.status_code
        return answer.status_code, problem["detail"]


@dataclass(frozen=True)
class Team:
    """A server over `two_collections`, of which one is private.

    Attributes:
        store: the whole store.
        reader: a program that may read the open collection alone.
        administrator: one that may do everything.
    """

    store: Store
    reader: Program
    administrator: Program


@dataclass(frozen=True)
class Tokens:
    """The tokens of a team."""

    reader: str
    administrator: str


def fill(store: Store, folder: Path) -> Tokens:
    """Fill an empty store with both collections and the accounts of a team."""
    two_collections.fill(store, folder)
    set_up(store, URL, ADMINISTRATOR, PASSWORD)
    with store.write() as connection:
        change_row(connection, collection_t, id_of(store, PRIVATE), access="private")
    return Tokens(
        create_token(store, "reader", "reader", OPEN),
        create_token(store, "admin", "administrator"),
    )


def team_of(store: Store, tokens: Tokens) -> Team:
    """A server over a store that was filled so."""
    served = Served(store)
    reader, administrator = (
        Program(served, each) for each in (tokens.reader, tokens.administrator)
    )
    return Team(store, reader, administrator)
