"""Process many files on the workers of a Dask scheduler, with results in the files' order.

Dask restarts the tasks of dead workers. This module restarts the tasks of a restarted scheduler,
and of a worker that can't read a file. Storing is idempotent: a task that runs twice stores nothing
twice.
"""

from __future__ import annotations

import logging
import os
import pickle
import socket
import stat
import time
import uuid
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from weakref import finalize

from evalstore import __version__
from evalstore.errors import DataError, EvalstoreError, FileError, MissingExtra, StoreError
from evalstore.evaluation.parallel import Done, path_of, result_here
from evalstore.store import Store

if TYPE_CHECKING:
    from distributed import Client, Future


T = TypeVar("T")
F = TypeVar("F", bound="str | os.PathLike[str]")

AHEAD = 4
"""Tasks per worker thread that are started before their results are needed."""

TRIES = 3
"""The number of workers that try to read a file before it counts as failed."""

PATIENCE = 60.0
"""Seconds that a scheduler, or all of its workers, may be away."""

FIRST_PATIENCE = 10.0
"""Seconds to wait for them at the beginning, when nothing is lost by giving up."""

POLL = 2.0
"""Seconds between two checks whether the scheduler and workers are there."""

SECONDS_TO_CLOSE = 30.0
"""Seconds that a client may take to close; Dask itself waits for up to 5 of them."""


@dataclass
class _Task(Generic[F]):
    """A task with its items.

    Attributes:
        future: the task's future; None if this process does the work.
        elsewhere: the addresses of the workers that should do the task; empty for any worker.
        errors: the workers that could not read the only item, and the reasons.
        is_suspect: whether workers died while this task ran together with others.
    """

    items: Sequence[F]
    future: Future[Packed] | None = None
    elsewhere: tuple[str, ...] = ()
    is_suspect: bool = False
    errors: list[tuple[str, EvalstoreError]] = field(default_factory=list)


class _SchedulerLost(Exception):
    """The scheduler has lost the tasks, or is away."""


def each_on_workers(
    scheduler: str,
    work: Callable[[Any], T],
    paths: Sequence[F],
    *,
    name: str,
    load: Callable[[F], Any] | None = None,
) -> Generator[Done[T], None, None]:
    """Call `work` with every path on workers; yields results in the order of the paths.

    `work` is picklable; an EvalstoreError that it raises is a result. Workers read a file from the
    same path; standard input and pipes are read by this process. `load` replaces a path by the
    object to send. Dask's dashboard shows `name`.

    Raises:
        DataError: the scheduler can't be reached or has no workers, or evalstore has another
            version there. Results stored before remain stored.
    """
    if not paths:
        return
    with _quiet_dask(), closing(_Tasks(scheduler, work, name, load)) as tasks:
        waiting = tasks.waiting
        # Every thread gets some tasks; objects that are loaded here for them are sent one by one.
        most = 1 if load else min(GROUP_ITEMS, len(paths) // (AHEAD * tasks.threads))
        for group in groups(paths, max(1, most)):
            waiting.append(tasks.begin(_Task(group)))
            if len(waiting) > AHEAD * tasks.threads:
                yield from tasks.results(waiting[0])
                waiting.popleft()
        while waiting:
            yield from tasks.results(waiting[0])
            waiting.popleft()


@contextmanager
def _quiet_dask() -> Iterator[None]:
    """Silence Dask's client, which would print tracebacks of lost connections among other lines."""
    try:
        import distributed  # noqa: F401, PLC0415  (an extra; it sets the levels of its loggers)
    except ImportError:
        raise MissingExtra("--scheduler", "dask", "dask") from None
    loggers = [logging.getLogger(name) for name in ("distributed", "distributed.client")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


class _Tasks(Generic[F, T]):
    """The tasks of one call of `each_on_workers`, and the connection to the scheduler."""

    def __init__(
        self,
        scheduler: str,
        work: Callable[[Any], T],
        name: str,
        load: Callable[[F], Any] | None,
    ) -> None:
        self._scheduler = scheduler
        self._work = work
        self._name = name
        self._load = load
        self.waiting: deque[_Task[F]] = deque()
        self._packed = Packed.of(work)
        self._client, self._unpacked = self._connected(FIRST_PATIENCE)
        self.threads = self._check_workers()

    def begin(self, task: _Task[F]) -> _Task[F]:
        """Send a task to the scheduler; items that only this process can read are read later."""
        if only_here(task.items[0]):
            return task
        items = [item if self._load is None else self._load(item) for item in task.items]
        task.future = self._submit(run_items, self._unpacked, Packed.of(items), task.elsewhere)
        return task

    def results(self, task: _Task[F]) -> Iterator[Done[T]]:
        """Wait for a task; if a worker could not read an item, try it on other workers."""
        if task.future is None:
            yield result_here(self._work, task.items[0])
            return
        ended = self._ended(task)
        if isinstance(ended, EvalstoreError):  # workers died: which item is the cause?
            if task.is_suspect:
                yield Done(path_of(task.items[0]), None, ended)
                return
            # Dask also suspects tasks that were only waiting on a worker that died. When each
            # suspect is run again alone, only the cause fails.
            for item in task.items:
                yield from self._alone(_Task([item], is_suspect=True))
            return
        task.future = None  # so Dask can free the result
        for item, (result, error) in zip(task.items, ended.results, strict=True):
            if not isinstance(error, FileError):
                yield Done(path_of(item), result, error, _notes(task, ended.worker))
                continue
            before = {worker.split()[0] for worker, _ in task.errors}
            errors = [*task.errors, (ended.worker, error)]
            tried = {*before, ended.worker.split()[0]}
            others = tuple(set(self._workers()) - tried)
            if len(errors) < TRIES and others and ended.address not in before:
                yield from self._alone(_Task([item], elsewhere=others, errors=errors))
            else:
                yield Done(path_of(item), None, _on_workers(errors))

    def close(self) -> None:
        """Cancel the tasks that were not started, and close the connection."""
        futures = [task.future for task in self.waiting if task.future is not None]
        self.waiting.clear()
        if futures and self._client.status == "running":
            with suppress(OSError, TimeoutError, CancelledError):
                self._client.cancel(futures)
        self._disconnect()

    def _alone(self, task: _Task[F]) -> Iterator[Done[T]]:
        """Run a task before waiting ones; like these, it is restarted if the scheduler is lost."""
        self.waiting.append(self.begin(task))
        try:
            yield from self.results(task)
        finally:
            self.waiting.remove(task)

    def _ended(self, task: _Task[F]) -> Ended | EvalstoreError:
        """The result of a task after it has ended; an error if the task made workers die."""
        from distributed import KilledWorker  # noqa: PLC0415  (an extra)

        while True:
            try:
                ended: Ended = self._waited(task).content()
                if ended.version != __version__:
                    raise _other_version(ended.worker, ended.version)
                return ended
            except KilledWorker as error:
                return DataError(
                    f"{path_of(task.items[0])}: not read: {error.allowed_failures + 1} times its "
                    f"worker died, the last one was {error.last_worker.address} (out of memory?)"
                )
            except ImportError as error:
                raise DataError(
                    f"a worker of {self._scheduler} can't run evalstore: {error}"
                ) from None
            except _SchedulerLost:
                self._begin_again()

    def _waited(self, task: _Task[F]) -> Packed:
        """The packed result of a task; DataError if there are no workers for too long."""
        from distributed.comm import CommClosedError  # noqa: PLC0415  (an extra)

        deadline = time.monotonic() + PATIENCE
        while True:
            if task.future is None or self._client.status != "running":
                raise _SchedulerLost
            try:
                packed: Packed = task.future.result(timeout=POLL)
                return packed
            except (CancelledError, CommClosedError):  # the latter if a result was on its way
                raise _SchedulerLost from None
            except TimeoutError:
                pass
            if self._workers():
                deadline = time.monotonic() + PATIENCE
            elif time.monotonic() > deadline:
                raise DataError(
                    f"the scheduler {self._scheduler} has had no workers for {PATIENCE:g} s; "
                    "what is stored is recognised when the same is begun again"
                )

    def _begin_again(self) -> None:
        """Connect to a scheduler that was restarted, and start all waiting tasks again."""
        deadline = time.monotonic() + PATIENCE
        # Dask reconnects by itself, but the scheduler then lacks our tasks. A client that is closed
        # while it reconnects never closes the socket that it was about to get.
        while self._client.status == "connecting" and time.monotonic() < deadline:
            time.sleep(0.1)
        self._disconnect()
        self._client, self._unpacked = self._connected(max(POLL, deadline - time.monotonic()))
        self._await_workers(PATIENCE)
        for task in self.waiting:
            if task.future is not None:
                self.begin(task)

    def _connected(self, patience: float) -> tuple[Client, Future[Any]]:
        """A connection, and the work for the workers, which unpack it."""
        import dask  # noqa: PLC0415  (an extra)
        from distributed import Client  # noqa: PLC0415  (an extra)

        # Dask would also request the list of workers every 2 s in the background, and a client that
        # is closed while this request connects never closes the socket. `_workers` requests it when
        # needed.
        try:
            with dask.config.set({"distributed.client.scheduler-info-interval": "1000d"}):
                client = Client(
                    self._scheduler, timeout=patience, set_as_default=False, name="evalstore"
                )
        except (OSError, ValueError, TypeError) as error:
            line = (str(error).splitlines() or [type(error).__name__])[0]
            raise DataError(f"the scheduler {self._scheduler} is not reached: {line}") from None
        self._client = client
        return client, self._submit(unpack_work, self._packed, None, ())

    def _disconnect(self) -> None:
        """Close the client; one that takes too long is closed when the process ends."""
        with suppress(TimeoutError):
            self._client.close(timeout=SECONDS_TO_CLOSE)

    def _submit(
        self, call: Callable[..., Any], first: Any, packed: Packed | None, workers: Sequence[str]
    ) -> Future[Any]:
        import dask  # noqa: PLC0415  (an extra)

        arguments = (first, __version__) if packed is None else (first, packed, __version__)
        # Dask would warn about large judgments, although it gets them only once.
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
            return self._client.submit(
                call,
                *arguments,
                key=f"{self._name}-{uuid.uuid4().hex}",
                workers=list(workers) or None,
                allow_other_workers=bool(workers),
                pure=False,
            )

    def _workers(self) -> dict[str, Any]:
        """The workers, by address; empty while the scheduler is away."""
        try:
            return dict(self._client.scheduler_info()["workers"])
        except (OSError, KeyError, TimeoutError):
            return {}

    def _await_workers(self, patience: float) -> dict[str, Any]:
        deadline = time.monotonic() + patience
        while not (workers := self._workers()):
            if time.monotonic() > deadline:
                raise DataError(
                    f"the scheduler {self._scheduler} has no workers: "
                    f"`dask worker {self._scheduler}` starts one"
                )
            time.sleep(0.1)
        return workers

    def _check_workers(self) -> int:
        """The number of threads; DataError for no workers, or for another version of evalstore."""
        try:
            workers = self._await_workers(FIRST_PATIENCE)
            versions = self._client.get_versions(packages=["evalstore"])["workers"]
            for address, known in versions.items():
                version = known["packages"].get("evalstore") if known else __version__
                if version != __version__:
                    raise _other_version(address, version)
        except BaseException:
            self._disconnect()
            raise
        return max(1, sum(int(worker["nthreads"]) for worker in workers.values()))


def _notes(task: _Task[Any], worker: str) -> tuple[str, ...]:
    """A sentence for each worker that could not read a file which another worker could read."""
    return tuple(
        f"{error}: on worker {failed}; worker {worker} could read it"
        for failed, error in task.errors
    )


def _on_workers(errors: Sequence[tuple[str, EvalstoreError]]) -> EvalstoreError:
    """The last error, with the workers that had it, or with the errors of the other workers."""
    _, last = errors[-1]
    alike = [worker for worker, error in errors if str(error) == str(last)]
    others = [f"{error} on worker {worker}" for worker, error in errors if worker not in alike]
    workers = f"worker{'s' * (len(alike) > 1)} {', '.join(alike)}"
    return DataError("; ".join([f"{last}: on {workers}", *others]), problem=last.problem)


def _other_version(worker: str, version: str | None) -> DataError:
    there = "is not installed" if version is None else f"is version {version}"
    return DataError(
        f"worker {worker}: evalstore {there}, and version {__version__} here: "
        "install the same version on every worker"
    )


# Groups of files, each one task of Dask

GROUP_BYTES = 4 << 20
"""Bytes of small files in one task: some 0.1 s of work, when a task costs some milliseconds."""

GROUP_ITEMS = 32
"""The largest number of files in one task."""


def groups(paths: Sequence[F], most: int) -> Iterator[Sequence[F]]:
    """The items of each task, in their order; small files are grouped, at most `most` per task."""
    group: list[F] = []
    size = 0
    for path in paths:
        bytes_ = _size(path)
        if group and (len(group) == most or size + bytes_ > GROUP_BYTES or only_here(path)):
            yield group
            group, size = [], 0
        group.append(path)
        size += bytes_
        if only_here(path):
            yield group
            group, size = [], 0
    if group:
        yield group


def _size(path: str | os.PathLike[str]) -> int:
    """The size of a file in bytes; a file that can't be found here counts as large."""
    try:
        return os.path.getsize(path)
    except (OSError, ValueError):
        return GROUP_BYTES


def only_here(path: str | os.PathLike[str]) -> bool:
    """Whether only this process can read the path, or the path is an already known error."""
    if getattr(path, "error", None) is not None or path_of(path) == "-":
        return True
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISSOCK(mode)


# The part that runs on a Dask worker. The work may contain a password, in the URL of a store. Dask
# shows the arguments of tasks in its logs and its dashboard, so these classes hide their content.


@dataclass(frozen=True, repr=False)
class Packed:
    """An object as bytes: Dask would unpack the object's own arrays as read-only ones."""

    pickled: bytes

    @classmethod
    def of(cls, content: object) -> Packed:
        """Pack an object."""
        return cls(pickle.dumps(content, pickle.HIGHEST_PROTOCOL))

    def content(self) -> Any:
        """The object; only evalstore packs, and other senders could run code here anyway."""
        return pickle.loads(self.pickled)  # noqa: S301  (as the docstring says)

    def __repr__(self) -> str:
        return f"<{len(self.pickled):,} bytes of evalstore>"


class Work:
    """The function that is called with every item, unpacked once on each worker."""

    def __init__(self, call: Callable[[Any], Any]) -> None:
        self.call = call

    def __repr__(self) -> str:
        return "<work of evalstore>"


class WorkerStore:
    """A store on a server that is opened once, when it is needed."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._begin()

    def _begin(self) -> None:
        self._lock = Lock()
        self._store: Store | None = None
        self._tried = False

    def open(self) -> Store | None:
        """The store; None if this machine can't open it."""
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
    """The result of a task.

    Attributes:
        worker: the worker's address and the name of its machine.
        address: the worker's name in Dask.
        version: the version of evalstore there; the task did nothing if it is not the expected one.
        results: the result of each item, or the error that it raised.
    """

    worker: str
    address: str
    version: str
    results: tuple[tuple[Any, EvalstoreError | None], ...]


def unpack_work(packed: Packed, version: str) -> Work | None:
    """The work; None if evalstore has another version here and may not understand it."""
    return Work(packed.content()) if version == __version__ else None


def run_items(work: Work | None, packed: Packed, version: str) -> Packed:
    """Call the work with every item of a task; returns a packed `Ended`."""
    from distributed import get_worker  # noqa: PLC0415  (an extra; this runs only on workers)

    address = get_worker().address
    worker = f"{address} ({socket.gethostname()})"
    if work is None or version != __version__:
        return Packed.of(Ended(worker, address, __version__, ()))
    results = tuple(_result(work, item) for item in packed.content())
    return Packed.of(Ended(worker, address, __version__, results))


def _result(work: Work, item: object) -> tuple[Any, EvalstoreError | None]:
    try:
        return work.call(item), None
    except EvalstoreError as error:
        return None, error
