"""The result for one of many files, and processes that compute results, for `parallel.each`."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

from evalstore.errors import EvalstoreError

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
F = TypeVar("F")
P = TypeVar("P", bound="str | os.PathLike[str]")


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


def result_here(work: Callable[[P], T], path: P) -> Done[T]:
    """The result of the work, done in this process."""
    try:
        return Done(path_of(path), work(path), None)
    except EvalstoreError as error:
        return Done(path_of(path), None, error)


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
