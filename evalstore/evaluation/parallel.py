"""Process many files, in one or more processes or on many machines, with results in order."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future
from itertools import islice
from typing import Any, TypeVar

from evalstore.errors import DataError, EvalstoreError
from evalstore.evaluation.processes import (
    Done,
    ProcessDied,
    Workers,
    path_of,
    result_here,
)
from evalstore.formats.reading.paths import shown_path

T = TypeVar("T")
F = TypeVar("F", bound="str | os.PathLike[str]")


WORTH_IT = 16 << 20
"""The size of files from which several processes are faster (starting them takes 0.4 s)."""


def cores() -> int:
    """The number of processors that this process may use."""
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
    """Call `work` with every path in `jobs` processes (1: this one); yields results in path order.

    At most about 2 x `jobs` files are processed ahead of the yielded one. `work` must be picklable
    if `jobs` is over 1; an EvalstoreError that it raises is a result. Paths may be objects with a
    path (`os.PathLike`), or names of other things with `size` bytes; standard input (`-`) is always
    read in this process. The module `preload`, which contains `work`, is imported once for all
    processes. The workers of a Dask `scheduler` can replace local processes; `load` is then used as
    in `each_on_workers`.
    """
    if scheduler is not None:
        # This module imports the store, which is not needed to read files here.
        from evalstore.evaluation.dask_tasks import each_on_workers  # noqa: PLC0415  (see above)

        name = preload.rpartition(".")[2]
        yield from each_on_workers(scheduler, work, paths, name=name, load=load)
        return
    jobs = min(jobs, len(paths))
    if not pays(paths, jobs, size):
        for path in paths:
            yield result_here(work, path)
        return
    workers = Workers(work, jobs, preload)
    left = iter(paths)
    waiting: deque[tuple[F, Future[T]]] = deque()
    try:
        while True:
            for path in islice(left, 2 * jobs + 1 - len(waiting)):
                waiting.append((path, workers.submit(path)))
            if not waiting:
                return
            yield _result(*waiting.popleft())
    finally:
        workers.close()


def pays(paths: Sequence[str | os.PathLike[str]], jobs: int, size: int | None = None) -> bool:
    """Whether several processes are faster than one; `size` as in `each`."""
    if min(jobs, len(paths)) < 2 or any(path_of(path) == "-" for path in paths):
        return False
    return (_size(paths) if size is None else size) >= WORTH_IT


def _size(paths: Sequence[str | os.PathLike[str]]) -> int:
    return sum(os.path.getsize(path) for path in paths if os.path.isfile(path))


def _result(of: str | os.PathLike[str], future: Future[T]) -> Done[T]:
    path = path_of(of)
    try:
        return Done(path, future.result(), None)
    except EvalstoreError as error:
        return Done(path, None, error)
    except ProcessDied:
        message = f"{shown_path(path)}: not read, its process died (out of memory?)"
        return Done(path, None, DataError(message, problem="process died"))


def on_every_machine(path: str) -> str:
    """A path that also works for a worker in another folder; URLs and `-` stay unchanged."""
    return path if path == "-" or "://" in path else os.path.abspath(path)
