"""Do the same with many files in several processes, and take the results in order."""

from __future__ import annotations

import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass
from threading import Barrier, BrokenBarrierError
from typing import Generic, TypeVar

from evalstore.errors import DataError, EvalstoreError

T = TypeVar("T")

WORTH_IT = 16 << 20
"""Bytes of files from which starting processes costs less than it brings (measured: 0.4 s)."""

START_SECONDS = 10
"""How long a process waits for the others to be there before it begins without them."""


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
) -> Iterator[Done[T]]:
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
    context = _context(preload)
    waiting: deque[tuple[str, Future[T]]] = deque()
    # None begins before all are there: where one dies while another is being started, the pool of
    # Python 3.11 waits for ever for the other.
    together = (context.Barrier(jobs, timeout=START_SECONDS),)
    with ProcessPoolExecutor(jobs, context, initializer=_wait_for_all, initargs=together) as pool:
        for path in paths:
            waiting.append((path, _submitted(pool, work, path)))
            if len(waiting) > 2 * jobs:
                yield _result(*waiting.popleft())
        while waiting:
            yield _result(*waiting.popleft())


def pays(paths: Sequence[str], jobs: int) -> bool:
    """Whether several processes are worth their start."""
    return min(jobs, len(paths)) > 1 and "-" not in paths and _size(paths) >= WORTH_IT


def warm_up(paths: Sequence[str], *, jobs: int, preload: str) -> None:
    """Begin to start what `each` will need, where it will: it gets ready meanwhile."""
    if pays(paths, jobs) and "forkserver" in multiprocessing.get_all_start_methods():
        _context(preload)
        from multiprocessing import forkserver  # noqa: PLC0415  (not on every system)

        forkserver.ensure_running()


def _context(preload: str) -> multiprocessing.context.BaseContext:
    # Forking this process would copy threads' locks; a fork server starts clean and imports once.
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([preload])
    return context


def _size(paths: Sequence[str]) -> int:
    return sum(os.path.getsize(path) for path in paths if os.path.isfile(path))


def _here(work: Callable[[str], T], path: str) -> Done[T]:
    try:
        return Done(path, work(path), None)
    except EvalstoreError as error:
        return Done(path, None, error)


def _wait_for_all(barrier: Barrier) -> None:
    with suppress(BrokenBarrierError):
        barrier.wait()


def _submitted(pool: ProcessPoolExecutor, work: Callable[[str], T], path: str) -> Future[T]:
    try:
        return pool.submit(work, path)
    except BrokenProcessPool as error:  # one died while the others were being read
        failed: Future[T] = Future()
        failed.set_exception(error)
        return failed


def _result(path: str, future: Future[T]) -> Done[T]:
    try:
        return Done(path, future.result(), None)
    except EvalstoreError as error:
        return Done(path, None, error)
    except BrokenProcessPool:
        died = f"{path}: not read, a process died (out of memory?): try --jobs 1"
        return Done(path, None, DataError(died))
