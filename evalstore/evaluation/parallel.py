"""The result for one of many files."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, TypeVar

from evalstore.errors import DataError, EvalstoreError
from evalstore.evaluation.processes import (
    Answer,
    Forked,
    ProcessDied,
    Workers,
    forked,
    server_context,
)
from evalstore.formats.reading.paths import shown_path

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class Done(Generic[T_co]):
    """The result for one file, or the error that it raised.

    `notes` are odd things that happened on the way, a sentence each.
    """

    path: str
    result: T_co | None
    error: EvalstoreError | None
    notes: tuple[str, ...] = ()


# Process many files in several processes or on many machines, with results in their order

T = TypeVar("T")
F = TypeVar("F", bound="str | os.PathLike[str]")

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
    processes: Forked | None = None,
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
        processes: those of `start_processes`, which end when the results do.

    Raises:
        DataError: as `each_on_workers`, where a scheduler is given.
    """
    if scheduler is not None:
        # It imports the store, which reading files here does not need.
        from evalstore.evaluation.dask_tasks import each_on_workers  # noqa: PLC0415  (see above)

        name = preload.rpartition(".")[2]
        yield from each_on_workers(scheduler, work, paths, name=name, load=load)
        return
    jobs = min(jobs, len(paths))
    if not pays(paths, jobs, size):
        for path in paths:
            yield _here(work, path)
        return
    workers = Workers(work, jobs, preload, processes)
    left = iter(paths)
    waiting: deque[tuple[F, Future[Answer[T]]]] = deque()
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
    if min(jobs, len(paths)) < 2 or any(_path(path) == "-" for path in paths):
        return False
    return (_size(paths) if size is None else size) >= WORTH_IT


def start_processes(
    paths: Sequence[str | os.PathLike[str]], *, jobs: int, preload: str
) -> Forked | None:
    """Start the processes that `each` will need, if it will, before their work is known.

    They are forked from this process, which loads `preload` for that, where it has one thread;
    elsewhere a server that forks them is started, which loads it in the background.

    Returns:
        The processes, for `each`; who starts them closes them. None where there are none yet.
    """
    if not pays(paths, jobs):
        return None
    processes = forked(min(jobs, len(paths)), preload)
    if processes is None:
        server_context(preload)
    return processes


def _size(paths: Sequence[str | os.PathLike[str]]) -> int:
    return sum(os.path.getsize(path) for path in paths if os.path.isfile(path))


def _path(of: str | os.PathLike[str]) -> str:
    return os.fspath(of)


def _here(work: Callable[[F], T], path: F) -> Done[T]:
    try:
        return Done(_path(path), work(path), None)
    except EvalstoreError as error:
        return Done(_path(path), None, error)


def _result(of: str | os.PathLike[str], future: Future[Answer[T]]) -> Done[T]:
    path = _path(of)
    try:
        return Done(path, future.result().result(), None)
    except EvalstoreError as error:
        return Done(path, None, error)
    except ProcessDied:
        message = f"{shown_path(path)}: not read, its process died (out of memory?)"
        return Done(path, None, DataError(message, problem="process died"))


def on_every_machine(path: str) -> str:
    """A path that means the same file to a worker in another folder; URLs and `-` stay."""
    return path if path == "-" or "://" in path else os.path.abspath(path)
