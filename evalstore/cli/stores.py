"""The store that --db names: opened here, or reached through the team's server."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from evalstore.cli.options import is_server
from evalstore.errors import DataError

if TYPE_CHECKING:
    from evalstore.client.changer_part import Changer
    from evalstore.client.connection import Server
    from evalstore.client.kept_tokens import KeptTokens
    from evalstore.client.reader_ import Reader
    from evalstore.store import Store

TOKEN = "EVALSTORE_TOKEN"  # noqa: S105  (the name of a variable)
PLAIN_HTTP = "EVALSTORE_PLAIN_HTTP"


@contextmanager
def reading(db: str) -> Iterator[Reader]:
    """What reads the store, which must be there.

    Raises:
        StoreError: it is not there, or can't be reached.
    """
    if is_server(db):
        from evalstore.client.reader import ServerReader

        with server(db) as reached:
            yield ServerReader(reached)
        return
    from evalstore.client.local import StoreReader
    from evalstore.store import Store

    with Store.open(db, create=False) as store:
        yield StoreReader(store)


@contextmanager
def server_store(db: str) -> Iterator[Store]:
    """The store of the team's server, opened here on the server's machine.

    Raises:
        EvalstoreError: it is not there, can't be opened, or was not set up by `server init`.
    """
    from evalstore.server.setup import settings
    from evalstore.store import Store
    from evalstore.store.other_stores import NoStore

    try:
        store = Store.open(db, create=False)
    except NoStore as error:
        raise NoStore(str(error), problem="no server") from None
    with store:
        settings(store)
        yield store


@contextmanager
def changing(db: str) -> Iterator[Changer]:
    """What changes the store, which must be there.

    Raises:
        StoreError: it is not there, or can't be reached.
    """
    if is_server(db):
        from evalstore.client.changer import ServerChanger

        with server(db) as reached:
            yield ServerChanger(reached)
        return
    from evalstore.client.changer_part import StoreChanger
    from evalstore.store import Store

    with Store.open(db, create=False) as store:
        yield StoreChanger(store)


@contextmanager
def server(url: str) -> Iterator[Server]:
    """The server at a URL, with the token of EVALSTORE_TOKEN or else the one that is kept.

    Raises:
        DataError: EVALSTORE_TOKEN has what can't be a token.
        StoreError: it can't be the URL of a server, or the kept tokens can't be read.
    """
    from evalstore.client.address import parse_address
    from evalstore.client.connection import Server, check_token

    address = parse_address(url)
    given = os.environ.get(TOKEN, "").strip()
    if given:
        try:
            check_token(given)
        except DataError as error:
            raise DataError(f"{TOKEN}: {error}") from None
    token = given or kept_tokens().find(address)
    with closing(Server(address, token, plain_http=may_send_plainly())) as reached:
        yield reached


def may_send_plainly() -> bool:
    """Whether a token may be sent to another machine without encryption."""
    return os.environ.get(PLAIN_HTTP) == "1"


def kept_tokens() -> KeptTokens:
    """The tokens that `evalstore login` keeps, in the user's folder of settings."""
    from evalstore.client.kept_tokens import KeptTokens

    return KeptTokens(Path(click.get_app_dir("evalstore")) / "tokens.json")
