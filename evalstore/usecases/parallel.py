"""Process many files in several processes or on many machines, with results in their order."""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import signal
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

from evalstore.errors import DataError, EvalstoreError
from evalstore.formats.urls import shown_path
from evalstore.usecases.done import Done

__all__ = ["Done", "cores", "each", "on_every_machine", "pays", "warm_up"]

T = TypeVar("T")
F = TypeVar("F", bound="str | os.PathLike[str]")

LARGE = 16 << 10
"""Bytes of an array from which it is sent as it is, without being copied into a pickle."""

WORTH_IT = 16 << 20
"""Bytes of files from which several processes are faster (starting them takes 0.4 s)."""


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def each(
    work: Callable[[F], T],
    paths: Sequence[F],
    *,
    jobs: int,
    preload: str,
    size: int | None = None,
    scheduler: str | None = None,
    load: Callable[[F], Any] | None = None,
) -> Generator[Done[T], None, None]:
    """Call `work` with every path; yields results in the order of the paths.

    At most about 2 x `jobs` files are processed ahead of the one that is yielded.

    Args:
        work: picklable where `jobs` is over 1; an EvalstoreError that it raises is a result.
        paths: the files, or objects that have one (`os.PathLike`); standard input (`-`) is always
            read in this process.
        jobs: how many processes; 1 is this one.
        preload: the module that holds `work`, imported once for all processes.
        size: the bytes of all files, where `paths` are names of something else.
        scheduler: the address of a Dask scheduler whose workers do it in place of processes here.
        load: on workers, gives what is sent to them in the place of a path.

    Raises:
        DataError: as `each_on_workers`, where a scheduler is given.
    """
    if scheduler is not None:
        # It imports the store, which reading files here does not need.
        from evalstore.usecases.dask_tasks import each_on_workers  # noqa: PLC0415  (see above)

        name = preload.rpartition(".")[2]
        yield from each_on_workers(scheduler, work, paths, name=name, load=load)
        return
    jobs = min(jobs, len(paths))
    if not pays(paths, jobs, size):
        for path in paths:
            yield _here(work, path)
        return
    workers = _Workers(work, jobs, _context(preload))
    waiting: deque[tuple[F, Future[T]]] = deque()
    try:
        for path in paths:
            waiting.append((path, workers.submit(path)))
            if len(waiting) > 2 * jobs:
                yield _result(*waiting.popleft())
        while waiting:
            yield _result(*waiting.popleft())
    finally:
        workers.close()


class _Workers(Generic[F, T]):
    """Some processes, each with a thread of this process that waits for its answers.

    A process receives the work once and then one path after the other. One that dies fails its own
    file alone, and another is started in its place.
    """

    def __init__(self, work: Callable[[F], T], jobs: int, context: BaseContext) -> None:
        self._work = work
        self._context = context
        self._threads = ThreadPoolExecutor(jobs)
        self._idle: SimpleQueue[_Worker | None] = SimpleQueue()  # None: it is to be started
        self._started: list[_Worker] = []
        self._closed = False
        for _ in range(jobs):
            self._idle.put(None)

    def submit(self, path: F) -> Future[T]:
        """Read a file when a process is idle."""
        with _interrupts_blocked():  # the thread and the process that it starts inherit this
            return self._threads.submit(self._read, path)

    def close(self) -> None:
        """End the processes, including busy ones, whose results are no longer needed."""
        self._closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in list(self._started):  # the threads of busy ones stop waiting
            worker.process.terminate()
        self._threads.shutdown()
        for worker in self._started:
            worker.end()  # also one that was started after the lines above

    def _read(self, path: F) -> T:
        worker = self._idle.get()
        try:
            if worker is None:
                worker = _Worker(self._work, self._context)
                self._started.append(worker)
            if self._closed:  # it was being started: `close` did not know it yet
                raise CancelledError
            return worker.ask(path)  # type: ignore[no-any-return]  # what `work` returns
        except _ProcessDied:
            if worker is not None:
                self._started.remove(worker)
                worker.end()
            worker = None
            raise
        finally:
            self._idle.put(worker)


class _ProcessDied(Exception):
    """A process ended before it had answered."""


class _Worker:
    """A process that calls `work` with one argument after the other."""

    def __init__(self, work: Callable[[Any], Any], context: BaseContext) -> None:
        self.connection, its_end = context.Pipe()
        self.process = context.Process(  # type: ignore[attr-defined]  # every context has it
            target=_answer, args=(its_end, work, gc.get_threshold()), daemon=True
        )
        self.process.start()
        its_end.close()  # so that reading ends when the process dies

    def end(self) -> None:
        """End the process and forget its connection."""
        self.process.terminate()
        self.process.join()
        self.connection.close()

    def ask(self, argument: Any) -> Any:
        """The result of `work`, or the error that it raised.

        Raises:
            _ProcessDied: there is none.
        """
        try:
            self.connection.send(argument)
            result, error = _received(self.connection)
        except (EOFError, OSError) as died:
            raise _ProcessDied from died
        if error is not None:
            raise error
        return result


def _answer(
    connection: Connection, work: Callable[[Any], Any], thresholds: tuple[int, int, int]
) -> None:
    """Answer what `_Worker.ask` sends; this is what a process does.

    It ignores Ctrl-C, needed where signals can't be blocked, and looks for garbage as rarely as the
    process that started it (`gc.get_threshold`), never among what was imported for all.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(*thresholds)
    gc.freeze()
    with suppress(EOFError, OSError):  # the process that asks is gone
        while True:
            _send(connection, *_answer_to(connection.recv(), work))


def _answer_to(argument: Any, work: Callable[[Any], Any]) -> tuple[bytes, list[memoryview]]:
    try:
        return _pickled((work(argument), None))
    except BaseException as error:
        if not isinstance(error, EvalstoreError):  # a mistake of ours: tell where
            error.add_note(traceback.format_exc())
        return _pickled((None, error))


def _pickled(thing: Any) -> tuple[bytes, list[memoryview]]:
    """A pickle without its large arrays, and these."""
    arrays: list[memoryview] = []

    def is_small(array: pickle.PickleBuffer) -> bool:
        raw = array.raw()
        if raw.nbytes >= LARGE:
            arrays.append(raw)
        return raw.nbytes < LARGE

    return pickle.dumps(thing, pickle.HIGHEST_PROTOCOL, buffer_callback=is_small), arrays


def _send(connection: Connection, pickled: bytes, arrays: list[memoryview]) -> None:
    connection.send(len(arrays))
    connection.send_bytes(pickled)
    for array in arrays:
        connection.send_bytes(array)


def _received(connection: Connection) -> Any:
    count = connection.recv()
    pickled = connection.recv_bytes()
    arrays = [bytearray(connection.recv_bytes()) for _ in range(count)]  # to be written to
    return pickle.loads(pickled, buffers=arrays)  # noqa: S301  (what a process of ours has sent)


def pays(paths: Sequence[str | os.PathLike[str]], jobs: int, size: int | None = None) -> bool:
    """Whether several processes are faster than one; `size` as in `each`."""
    if min(jobs, len(paths)) < 2 or any(_path(path) == "-" for path in paths):
        return False
    return (_size(paths) if size is None else size) >= WORTH_IT


def warm_up(paths: Sequence[str | os.PathLike[str]], *, jobs: int, preload: str) -> None:
    """Start the server that `each` will need, if it will, so that it loads in the background."""
    if pays(paths, jobs):
        _context(preload)


def _context(preload: str) -> BaseContext:
    """The way to start processes: by a fork server, which is running when this returns.

    Forking this process would copy locks held by threads; a fork server has no threads, and
    imports `preload`, the formats and the measures only once.
    """
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    from multiprocessing import forkserver, resource_tracker  # noqa: PLC0415  (not on every system)

    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([preload, "evalstore.usecases.loaded_for_workers"])
    resource_tracker.ensure_running()  # outside the block below, as its start unblocks interrupts
    with _interrupts_blocked():
        forkserver.ensure_running()
    return context


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Block Ctrl-C in the threads and processes that are started in this context.

    A terminal sends Ctrl-C to every process, but only this thread shall handle it. Threads and
    processes inherit the block when they start. This thread receives a delayed Ctrl-C at the end.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _size(paths: Sequence[str | os.PathLike[str]]) -> int:
    return sum(os.path.getsize(path) for path in paths if os.path.isfile(path))


def _path(of: str | os.PathLike[str]) -> str:
    return os.fspath(of)


def _here(work: Callable[[F], T], path: F) -> Done[T]:
    try:
        return Done(_path(path), work(path), None)
    except EvalstoreError as error:
        return Done(_path(path), None, error)


def _result(of: str | os.PathLike[str], future: Future[T]) -> Done[T]:
    path = _path(of)
    try:
        return Done(path, future.result(), None)
    except EvalstoreError as error:
        return Done(path, None, error)
    except _ProcessDied:
        message = f"{shown_path(path)}: not read, its process died (out of memory?)"
        return Done(path, None, DataError(message, problem="process died"))


def on_every_machine(path: str) -> str:
    """A path that means the same file to a worker in another folder; URLs and `-` stay."""
    return path if path == "-" or "://" in path else os.path.abspath(path)
