"""A Dask scheduler and its workers as processes of this machine, started as docs/dask.md says."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess
from pathlib import Path

import dask
import pytest
from dask_programs import run
from distributed import Client
from free_ports import free_port

from evalstore.evaluation import dask_tasks

PATIENCE = 300
"""Seconds that a busy machine may take to start a process, or to answer."""

PROCESSES = ForkServerContext()
"""Dask is imported once, and not by each process: that takes two seconds."""

PROCESSES.set_forkserver_preload(
    [
        "distributed.cli.dask_scheduler",
        "distributed.cli.dask_worker",
        "dask.cli",
        "evalstore.ingest.ingest",
        "pandas",
        "pytest",
    ]
)


class Cluster:
    """A scheduler on a free port of the loopback address, and workers of one thread each."""

    def __init__(self, log: Path) -> None:
        port = free_port()
        self.address = f"tcp://127.0.0.1:{port}"
        self._port = str(port)
        self._log = log
        self.workers: list[BaseProcess] = []
        self.scheduler = self._start_scheduler()

    def add_workers(self, count: int, *options: str, cwd: Path | None = None) -> None:
        """Start workers and wait until the scheduler has them; without a nanny."""
        for _ in range(count):
            asked = ["worker", self.address, "--nthreads", "1", "--no-dashboard"]
            self.workers.append(self._start([*asked, *(options or ("--no-nanny",))], cwd))
        self.wait_for_workers()

    def wait_for_workers(self) -> None:
        """Wait until the scheduler has all workers, also those that nannies start again."""
        with self._client(self.scheduler) as client:
            client.wait_for_workers(len(self.workers), timeout=PATIENCE)

    def kill_worker(self, number: int) -> None:
        """Kill a worker as the system does where memory is short."""
        worker = self.workers.pop(number)
        worker.kill()
        worker.join()

    def restart_scheduler(self, workers: int) -> None:
        """Kill the scheduler, and start it again with new workers, as a supervisor does."""
        self.scheduler.kill()
        self.scheduler.join()
        self._stop(self.workers)
        self.workers = []
        self.scheduler = self._start_scheduler()
        self.add_workers(workers)

    def log(self) -> str:
        """What all processes wrote."""
        return self._log.read_text(errors="replace") if self._log.exists() else ""

    def stop(self) -> None:
        """End all processes."""
        self._stop([*self.workers, self.scheduler])

    def _stop(self, processes: list[BaseProcess]) -> None:
        for process in processes:
            if process.is_alive():
                assert process.pid
                # Without a scheduler a worker ends by itself, and is alive here a moment longer.
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)  # a nanny's worker too
            process.join()

    def _start_scheduler(self) -> BaseProcess:
        asked = ["scheduler", "--host", "127.0.0.1", "--port", self._port, "--no-dashboard"]
        scheduler = self._start(asked, None)
        while not self._listens():
            self._check(scheduler)
            time.sleep(0.05)
        self._client(scheduler).close()  # it answers
        return scheduler

    def _check(self, scheduler: BaseProcess) -> None:
        """Fail at once if the scheduler has ended: a client would wait for it all its patience."""
        assert scheduler.exitcode is None, f"ended with {scheduler.exitcode}: {self.log()}"

    def _listens(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", int(self._port))) == 0

    def _client(self, scheduler: BaseProcess) -> Client:
        """A client without questions in the background: closed during one, it leaves a socket."""
        self._check(scheduler)
        with dask.config.set({"distributed.client.scheduler-info-interval": "1000d"}):
            return Client(self.address, timeout=PATIENCE, set_as_default=False)

    def _start(self, arguments: list[str], cwd: Path | None) -> BaseProcess:
        process = PROCESSES.Process(target=run, args=(arguments, str(self._log), str(cwd or ".")))
        process.start()
        return process


@contextmanager
def running_cluster(folder: Path, workers: int, *options: str) -> Iterator[Cluster]:
    """A cluster that ends with the context; who asks it is patient meanwhile."""
    cluster = Cluster(folder / "dask.log")
    try:
        if workers:
            cluster.add_workers(workers, *options)
        with pytest.MonkeyPatch.context() as patch:
            for name in ("FIRST_PATIENCE", "PATIENCE"):
                patch.setattr(dask_tasks, name, float(PATIENCE))
            yield cluster
    finally:
        cluster.stop()
