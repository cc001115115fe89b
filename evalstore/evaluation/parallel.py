"""Process many files, in one or more processes or on many machines, with results in order."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

from evalstore.errors import DataError, EvalstoreError
from evalstore.formats.reading.paths import shown_path

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
F = TypeVar("F", bound="str | os.PathLike[str]")


WORTH_IT = 16 << 20
"""The size of files from which several processes are faster (starting them takes 0.4 s)."""


def cores() -> int:
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class Done(Generic[T_co]):
    """The result for one file, or the error that it raised.

    `notes` has one sentence for each problem on the way.
    """

    path: str
    result: T_co | None
    error: EvalstoreError | None
    notes: tuple[str, ...] = ()


def path_of(item: str | os.PathLike[str]) -> str:
    """The path of a file, or of an object that has a path."""
    return os.fspath(item)


def result_here(work: Callable[[F], T], path: F) -> Done[T]:
    """The result of the work, done in this process."""
    try:
        return Done(path_of(path), work(path), None)
    except EvalstoreError as error:
        return Done(path_of(path), None, error)


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


# Processes that compute results


class ProcessDied(Exception):
    """A process ended before it had sent its answer."""


class Worker:
    """A process that receives the work once, and then one argument after the other."""

    def __init__(self, context: BaseContext) -> None:
        self.connection, its_end = context.Pipe()
        self._has_work = False
        self.process = context.Process(  # type: ignore[attr-defined]  # every context has `Process`
            target=_answer, args=(its_end, gc.get_threshold()), daemon=True
        )
        self.process.start()
        its_end.close()  # so that reading stops when the process dies

    def end(self) -> None:
        """End the process and forget its connection."""
        self.process.terminate()
        self.process.join()
        self.connection.close()

    def ask(self, work: Callable[[Any], T], argument: Any) -> T:
        """The result of `work`, which is the same in each call, or the error that it raised.

        ProcessDied: there is no answer.
        """
        try:
            if not self._has_work:
                self.connection.send(work)
                self._has_work = True
            self.connection.send(argument)
            result, error = self.connection.recv()
        except (EOFError, OSError) as died:
            raise ProcessDied from died
        if error is not None:
            raise error
        return result  # type: ignore[no-any-return]  # of the work


class Workers(Generic[F, T]):
    """Some processes, each with a thread here; a process that dies is replaced.

    The argument that it was working on fails.
    """

    def __init__(self, work: Callable[[F], T], jobs: int, preload: str) -> None:
        self._work = work
        self._context = server_context(preload)  # runs before threads need it
        self._threads = ThreadPoolExecutor(jobs)
        self._idle: SimpleQueue[Worker | None] = SimpleQueue()  # None for a process to be started
        self._started: list[Worker] = []
        self._closed = False
        for _ in range(jobs):
            self._idle.put(None)

    def submit(self, argument: F) -> Future[T]:
        """Call the work when a process is idle."""
        with interrupts_blocked():  # inherited by the thread and its process
            return self._threads.submit(self._read, argument)

    def close(self) -> None:
        """End the processes, including busy ones, whose results are no longer needed."""
        self._closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in list(self._started):  # so that the threads of busy ones stop waiting
            worker.process.terminate()
        self._threads.shutdown()
        for worker in self._started:
            worker.end()  # even if it was started after the lines above

    def _read(self, argument: F) -> T:
        worker = self._idle.get()
        try:
            if worker is None:
                with interrupts_blocked():  # because starting a fork server unblocks them
                    worker = Worker(self._context)
                self._started.append(worker)
            if self._closed:  # started too late for `close` to know it
                raise CancelledError
            return worker.ask(self._work, argument)
        except ProcessDied:
            if worker is not None:
                self._started.remove(worker)
                worker.end()
            worker = None
            raise
        finally:
            self._idle.put(worker)


def server_context(preload: str) -> BaseContext:
    """The context for starting processes: a fork server, which runs when this returns.

    The server has no threads whose locks would be copied, and imports `preload` only once.
    """
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    from multiprocessing import forkserver, resource_tracker  # noqa: PLC0415  (not on every system)

    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([preload])
    resource_tracker.ensure_running()  # outside the block below, as its start unblocks interrupts
    with interrupts_blocked():
        forkserver.ensure_running()
    return context


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Block Ctrl-C, which a terminal sends to all, in threads and processes started meanwhile.

    Only this thread handles Ctrl-C, at the end of the block if it came during the block.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# The part that runs in the processes


def _answer(connection: Connection, thresholds: tuple[int, int, int]) -> None:
    """Answer the questions of `Worker.ask`; the main function of a process.

    It ignores Ctrl-C, which is needed if signals can't be blocked. It collects garbage as rarely as
    the process that started it (`gc.get_threshold`), and never examines imported objects.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(*thresholds)
    gc.freeze()
    with suppress(EOFError, OSError):  # the process that asks is gone
        work = connection.recv()
        while True:
            connection.send(_answer_to(connection.recv(), work))


def _answer_to(argument: Any, work: Callable[[Any], Any]) -> tuple[Any, BaseException | None]:
    try:
        return work(argument), None
    except BaseException as error:
        if not isinstance(error, EvalstoreError):  # a bug in evalstore: show where
            error.add_note(traceback.format_exc())
        return None, error
