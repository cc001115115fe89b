"""Reads of one thread that share a transaction, for a program that reads often for one answer."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field

from sqlalchemy import Connection, Engine

from evalstore.errors import StoreError
from evalstore.store import database

State = tuple[object, object]


@dataclass
class OneState:
    """One state of a store and a transaction that sees it or a later one.

    The state is asked for first: what is computed from the transaction may then be newer than the
    state that it is kept for, never older.

    Attributes:
        engine: of the store.
        ask_state: asks the database for its state.
    """

    engine: Engine
    ask_state: Callable[[], State]
    _state: State | None = None
    _reads: int = 0
    _connection: Connection | None = None
    _open: ExitStack = field(default_factory=ExitStack)

    def state(self) -> State:
        """The state, asked for once.

        First asked for within a read it is one that no other has: the store may have changed since
        that read began.
        """
        if self._state is None and self._reads:
            self._state = object(), object()
        if self._state is None:
            self.close()
            self._state = self.ask_state()
        return self._state

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """The connection, in the transaction that the first read begins."""
        self._reads += 1
        try:
            if self._connection is None:
                self._connection = self._open.enter_context(database.reading(self.engine))
            with database.errors_in_one_line(self.engine):
                yield self._connection
        except StoreError:
            self.close()  # a transaction that has failed answers no more
            raise
        finally:
            self._reads -= 1

    def close(self) -> None:
        """End the transaction; a failure of that takes nothing back that was read."""
        self._connection = None
        with suppress(StoreError):
            self._open.close()


class OneStates(threading.local):
    """The state that each thread reads in, if it has asked for one."""

    current: OneState | None = None

    @contextmanager
    def last(self, engine: Engine, ask_state: Callable[[], State]) -> Iterator[None]:
        """Let this thread read in one state; within such a block it stays the same one."""
        if self.current is not None:
            yield
            return
        self.current = OneState(engine, ask_state)
        try:
            yield
        finally:
            self.current.close()
            self.current = None
