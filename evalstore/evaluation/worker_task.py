"""What runs on a worker of Dask: a few items of the work of `dask_tasks`.

A password may be within the work, as part of a store's URL. Dask shows the arguments of tasks in
its logs and its dashboard, so the classes here show nothing of what they hold.
"""

from __future__ import annotations

import pickle
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from typing import Any
from weakref import finalize

from evalstore import __version__
from evalstore.errors import EvalstoreError, StoreError
from evalstore.store import Store


@dataclass(frozen=True, repr=False)
class Packed:
    """An object as bytes.

    Dask would give the arrays of an object that it unpacks itself as read-only ones.
    """

    pickled: bytes

    @classmethod
    def of(cls, content: object) -> Packed:
        """Pack an object."""
        return cls(pickle.dumps(content, pickle.HIGHEST_PROTOCOL))

    def content(self) -> Any:
        """The object. Only evalstore packs: who can send us bytes can run code here anyway."""
        return pickle.loads(self.pickled)  # noqa: S301  (as the docstring says)

    def __repr__(self) -> str:
        return f"<{len(self.pickled):,} bytes of evalstore>"


class Work:
    """The function that is called with every item, unpacked once for each worker."""

    def __init__(self, call: Callable[[Any], Any]) -> None:
        self.call = call

    def __repr__(self) -> str:
        return "<work of evalstore>"


class WorkerStore:
    """A store that is opened where it is needed, once, and kept open.

    Args:
        url: of a database on a server.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._begin()

    def _begin(self) -> None:
        self._lock = Lock()
        self._store: Store | None = None
        self._tried = False

    def open(self) -> Store | None:
        """The store; None where this machine can't open it."""
        with self._lock:
            if not self._tried:
                self._tried = True
                with suppress(StoreError):
                    self._store = Store.open(self._url, create=False)
                    finalize(self, self._store.close)
            return self._store

    def __getstate__(self) -> str:
        return self._url

    def __setstate__(self, url: str) -> None:
        self._url = url
        self._begin()

    def __repr__(self) -> str:
        return "<store of evalstore>"


@dataclass(frozen=True)
class Ended:
    """What a task gives back.

    Attributes:
        worker: its address and the name of its machine.
        address: by which Dask knows the worker.
        version: of evalstore there; the task did nothing where it is not the expected one.
        results: for each item, its result or the error that it raised.
    """

    worker: str
    address: str
    version: str
    results: tuple[tuple[Any, EvalstoreError | None], ...]


def unpack_work(packed: Packed, version: str) -> Work | None:
    """The work; None where evalstore has another version here, and may not understand it."""
    return Work(packed.content()) if version == __version__ else None


def run_items(work: Work | None, packed: Packed, version: str) -> Packed:
    """Call the work with every item of a task; gives `Ended`, packed."""
    from distributed import get_worker  # noqa: PLC0415  (an extra; this runs on workers alone)

    address = get_worker().address
    worker = f"{address} ({socket.gethostname()})"
    if work is None or version != __version__:
        return Packed.of(Ended(worker, address, __version__, ()))
    results = tuple(_result(work, item) for item in _items(packed))
    return Packed.of(Ended(worker, address, __version__, results))


def _items(packed: Packed) -> Sequence[Any]:
    items: Sequence[Any] = packed.content()
    return items


def _result(work: Work, item: object) -> tuple[Any, EvalstoreError | None]:
    try:
        return work.call(item), None
    except EvalstoreError as error:
        return None, error
