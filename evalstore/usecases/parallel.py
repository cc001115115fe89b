"""Do the same with many files in several processes, and take the results in order."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.context import BaseContext
from queue import SimpleQueue
from typing import Generic, TypeVar

from evalstore.errors import DataError, EvalstoreError

T = TypeVar("T")

WORTH_IT = 16 << 20
"""Bytes of files from which starting processes costs less than it brings (measured: 0.4 s)."""


@dataclass(frozen=True)
class Done(Generic[T]):
    """What became of one file: a result, or the error that it raised."""

    path: str
    result: T | None
    error: EvalstoreError | None


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def each(
    work: Callable[[str], T], paths: Sequence[str], *, jobs: int, preload: str
) -> Generator[Done[T], None, None]:
    """Call `work` with every path; yields in the order of the paths, a few ahead at a time.

    Args:
        work: picklable where `jobs` is over 1; what it raises of evalstore's own is passed on.
        paths: the files; standard input (`-`) is always read in this process.
        jobs: how many processes; 1 is this one.
        preload: the module that holds `work`, imported once for all processes.
    """
    jobs = min(jobs, len(paths))
    if not pays(paths, jobs):
        for path in paths:
            yield _here(work, path)
        return
    workers = _Workers(work, jobs, _context(preload))
    waiting: deque[tuple[str, Future[T]]] = deque()
    try:
        for path in paths:
            waiting.append((path, workers.submit(path)))
            if len(waiting) > 2 * jobs:
                yield _result(*waiting.popleft())
        while waiting:
            yield _result(*waiting.popleft())
    finally:
        workers.close()


class _Workers(Generic[T]):
    """Some processes, each in a pool of its own: one that dies takes no other's file with it.

    A pool of several would be broken as a whole; and where one of its processes dies while another
    is being started, the pool of Python 3.11 waits for ever.
    """

    def __init__(self, work: Callable[[str], T], jobs: int, context: BaseContext) -> None:
        self._work = work
        self._context = context
        self._threads = ThreadPoolExecutor(jobs)
        self._idle: SimpleQueue[ProcessPoolExecutor] = SimpleQueue()
        self._pids: dict[ProcessPoolExecutor, int] = {}
        self._closed = False
        for _ in range(jobs):
            self._idle.put(self._pool())

    def submit(self, path: str) -> Future[T]:
        """Read a file when a process is idle."""
        with _interrupts_blocked():  # so are they in the thread, and in the process it starts
            return self._threads.submit(self._read, path)

    def close(self) -> None:
        """End the processes, also those that are at work: nobody waits for their results."""
        self._closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        for pid in list(self._pids.values()):
            with suppress(ProcessLookupError):  # it has just died
                os.kill(pid, signal.SIGTERM)
        self._threads.shutdown()
        while not self._idle.empty():
            self._idle.get().shutdown()

    def _read(self, path: str) -> T:
        pool = self._idle.get()
        try:
            if pool not in self._pids:
                self._pids[pool] = pool.submit(os.getpid).result()
            if self._closed:  # it was being started: `close` did not know it yet
                raise CancelledError
            return pool.submit(self._work, path).result()
        except BrokenProcessPool:
            self._pids.pop(pool, None)
            pool.shutdown()
            pool = self._pool()
            raise
        finally:
            self._idle.put(pool)

    def _pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(1, self._context, initializer=_ignore_interrupts)


def pays(paths: Sequence[str], jobs: int) -> bool:
    """Whether several processes are worth their start."""
    return min(jobs, len(paths)) > 1 and "-" not in paths and _size(paths) >= WORTH_IT


def warm_up(paths: Sequence[str], *, jobs: int, preload: str) -> None:
    """Begin to start what `each` will need, where it will: it gets ready meanwhile."""
    if pays(paths, jobs):
        _context(preload)


def _context(preload: str) -> BaseContext:
    """How processes are started; the server that starts them is running already.

    Forking this process would copy threads' locks; a fork server starts clean and imports once.
    """
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    from multiprocessing import forkserver, resource_tracker  # noqa: PLC0415  (not on every system)

    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([preload])
    resource_tracker.ensure_running()  # by itself: starting it unblocks interrupts
    with _interrupts_blocked():
        forkserver.ensure_running()
    return context


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Keep Ctrl-C from the threads and processes started meanwhile: it is for this thread alone.

    A terminal sends it to every process. What is started here inherits the block, from its first
    instruction on; this thread gets a Ctrl-C that came meanwhile at the end.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _ignore_interrupts() -> None:
    """The same where signals can't be blocked."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _size(paths: Sequence[str]) -> int:
    return sum(os.path.getsize(path) for path in paths if os.path.isfile(path))


def _here(work: Callable[[str], T], path: str) -> Done[T]:
    try:
        return Done(path, work(path), None)
    except EvalstoreError as error:
        return Done(path, None, error)


def _result(path: str, future: Future[T]) -> Done[T]:
    try:
        return Done(path, future.result(), None)
    except EvalstoreError as error:
        return Done(path, None, error)
    except BrokenProcessPool:
        message = f"{path}: not read, its process died (out of memory?)"
        return Done(path, None, DataError(message, problem="process died"))
