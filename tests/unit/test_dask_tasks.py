"""`each_on_workers`: what becomes of tasks where workers and schedulers fail."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import distributed
import pytest
from dask_cluster import Cluster, running_cluster
from dask_work import die_of_deadly, read_where_it_is, reveal
from distributed.comm import CommClosedError
from tornado.iostream import IOStream
from tornado.tcpclient import TCPClient

from evalstore.errors import DataError, EvalstoreError
from evalstore.evaluation import dask_tasks
from evalstore.evaluation.dask_tasks import Packed, WorkerStore, each_on_workers

pytestmark = pytest.mark.slow  # processes of their own


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The folders in which the two workers run."""
    return [tmp_path_factory.mktemp(name) for name in ("first", "second")]


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory, folders: list[Path]) -> Iterator[Cluster]:
    with running_cluster(tmp_path_factory.mktemp("dask"), 0) as started:
        for folder in folders:
            started.add_workers(1, "--nanny", cwd=folder)
        yield started


@pytest.fixture
def cluster(started: Cluster) -> Cluster:
    """Two workers: a nanny starts anew, in its time, what the test before has killed."""
    started.wait_for_workers()
    return started


def test_results_come_in_the_order_of_the_items(cluster: Cluster) -> None:
    names = [f"name-{number}" for number in range(100)]
    done = list(each_on_workers(cluster.address, die_of_deadly, names, name="test"))
    assert [one.path for one in done] == names
    assert [one.result for one in done] == [name.upper() for name in names]


def test_a_connection_that_breaks_while_a_result_comes_is_made_again(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = distributed.Future.result
    breaks = [CommClosedError("connection reset by peer")]

    def breaking_once(future: Any, *args: Any, **kwargs: Any) -> Any:
        if breaks:
            raise breaks.pop()
        return result(future, *args, **kwargs)

    monkeypatch.setattr(distributed.Future, "result", breaking_once)
    names = [f"name-{number}" for number in range(5)]
    done = list(each_on_workers(cluster.address, die_of_deadly, names, name="test"))
    assert not breaks
    assert [one.result for one in done] == [name.upper() for name in names]


@pytest.mark.nightly
def test_no_socket_is_left_open_where_a_scheduler_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = TCPClient.connect
    loops: list[asyncio.AbstractEventLoop] = []  # a client of Dask has its own
    connecting: set[asyncio.Task[Any] | None] = set()
    slow: list[IOStream] = []
    is_lost = False

    async def slow_when_lost(client: TCPClient, *args: Any, **kwargs: Any) -> IOStream:
        loop = asyncio.get_running_loop()
        loops.append(loop)
        if is_lost and loop is loops[0] and not slow:
            connecting.add(asyncio.current_task())
        stream = await connect(client, *args, **kwargs)
        if is_lost and loop is loops[0] and not slow:
            slow.append(stream)
            await asyncio.sleep(5)  # the client still connects when the loss is noticed
        return stream

    with running_cluster(tmp_path, 1) as cluster:
        monkeypatch.setattr(TCPClient, "connect", slow_when_lost)
        names = [f"name-{number}" for number in range(5)]
        done = each_on_workers(cluster.address, die_of_deadly, names, name="test")
        results = [next(done).result]
        cluster.scheduler.kill()
        cluster.scheduler.join()
        is_lost = True
        time.sleep(3)  # Dask's own client asks for the workers every 2 s
        cluster.restart_scheduler(1)
        results += [one.result for one in done]
    assert results == [name.upper() for name in names]
    assert len(connecting) == 1
    assert [stream.closed() for stream in slow] == [True]


def test_a_connection_that_does_not_end_in_time_fails_nothing(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    close = distributed.Client.close
    late: list[float] = []

    def close_late(client: distributed.Client, timeout: float | None = None) -> None:
        close(client)
        if timeout is None:  # a client of another test, which is freed now
            return
        late.append(timeout)
        raise TimeoutError(f"timed out after {timeout} s.")

    monkeypatch.setattr(distributed.Client, "close", close_late)
    done = each_on_workers(cluster.address, die_of_deadly, ["a", "b"], name="test")
    assert [one.result for one in done] == ["A", "B"]
    monkeypatch.setattr(dask_tasks, "__version__", "99.0")
    with pytest.raises(EvalstoreError, match=r"evalstore is version"):
        list(each_on_workers(cluster.address, die_of_deadly, ["a"], name="test"))
    assert len(late) == 2


def test_a_file_that_kills_its_workers_fails_alone_and_names_the_last_one(
    cluster: Cluster,
) -> None:
    names = [f"name-{number}" for number in range(20)]
    names.insert(7, "deadly")
    done = list(each_on_workers(cluster.address, die_of_deadly, names, name="test"))
    failed = [one for one in done if one.error is not None]
    assert [one.path for one in failed] == ["deadly"]
    assert "2 times its worker died, the last one was tcp://127.0.0.1:" in str(failed[0].error)
    assert [one.result for one in done if one.error is None] == [
        name.upper() for name in names if name != "deadly"
    ]


def test_a_file_that_one_worker_lacks_is_read_by_another_and_the_first_is_named(
    cluster: Cluster, folders: list[Path]
) -> None:
    names = [f"file-{number}" for number in range(40)]
    for name in names:  # half the files on one worker only, the others on the other one only
        (folders[int(name[-1]) % 2] / name).write_text(name)
    done = list(each_on_workers(cluster.address, read_where_it_is, names, name="test"))
    assert [one.result for one in done] == names
    notes = [note for one in done for note in one.notes]
    assert notes
    assert all("no such file: on worker tcp://127.0.0.1:" in note for note in notes)


def test_a_file_that_no_worker_can_read_names_all_that_tried(cluster: Cluster) -> None:
    (done,) = each_on_workers(cluster.address, read_where_it_is, ["nowhere"], name="test")
    assert done.result is None
    assert str(done.error).startswith("nowhere: no such file: on workers tcp://127.0.0.1:")
    assert str(done.error).count("tcp://") == 2


def test_a_pipe_is_read_by_this_process(cluster: Cluster, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDWR)
    (done,) = each_on_workers(cluster.address, partial(os.stat), [str(pipe)], name="test")
    os.close(reader)
    assert done.result is not None


def test_no_password_is_in_the_logs_of_the_scheduler_and_the_workers(cluster: Cluster) -> None:
    work = partial(reveal, secret="open-sesame")
    with pytest.raises(ZeroDivisionError):
        list(each_on_workers(cluster.address, work, ["a"], name="test"))
    assert "ZeroDivisionError" in cluster.log()
    assert "open-sesame" not in cluster.log()


def test_what_dask_shows_of_arguments_holds_no_password() -> None:
    url = "postgresql+psycopg://ana:open-sesame@host/db"
    assert "open-sesame" not in repr(WorkerStore(url))
    assert "open-sesame" not in repr(Packed.of(url))


def test_a_scheduler_without_workers_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_cluster(tmp_path, 0) as empty:
        monkeypatch.setattr(dask_tasks, "FIRST_PATIENCE", 5.0)  # so long it waits for a worker
        with pytest.raises(DataError, match=r"has no workers: `dask worker tcp://.*` starts one"):
            list(each_on_workers(empty.address, die_of_deadly, ["a"], name="test"))


def test_a_scheduler_that_is_not_there_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_tasks, "FIRST_PATIENCE", 1.0)
    with pytest.raises(DataError, match=r"the scheduler tcp://127.0.0.1:9 is not reached"):
        list(each_on_workers("tcp://127.0.0.1:9", die_of_deadly, ["a"], name="test"))


def test_a_worker_with_another_version_is_refused_with_both_versions(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_tasks, "__version__", "99.0")
    with pytest.raises(EvalstoreError, match=r"evalstore is version .*, and version 99\.0 here"):
        list(each_on_workers(cluster.address, die_of_deadly, ["a"], name="test"))
