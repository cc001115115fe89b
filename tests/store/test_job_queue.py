"""The queue of jobs: each is begun by one worker, and again when that worker dies."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from databases import both_databases
from samples import add, write_run
from sqlalchemy import text

from evalstore.errors import StoreError
from evalstore.server.jobs.queue import MOST_ATTEMPTS, JobQueue
from evalstore.server.problems import HttpError
from evalstore.store import Store
from evalstore.store.access import jobs
from evalstore.store.access.jobs import add_blob, find_blob
from evalstore.store.queries import events
from evalstore.store.queries.collections import find_collection
from evalstore.store.schema import HEAD

NO_LEASE = timedelta(0)


@pytest.fixture
def collection_id(store: Store, tmp_path: Path) -> int:
    """The id of a collection."""
    add(store, tmp_path, write_run(tmp_path))
    with store.read() as connection:
        id_ = find_collection(connection, "test")
    assert id_ is not None
    return id_


@both_databases
def test_jobs_are_begun_in_the_order_they_were_asked_for(store: Store, collection_id: int) -> None:
    queue = JobQueue(store)
    asked = [queue.add("ingest run", collection_id, {"blob": str(i)}) for i in range(3)]
    begun = [queue.take() for _ in range(4)]
    assert [job and job.id for job in begun] == [*asked, None]


@both_databases
def test_workers_that_look_at_the_same_time_never_get_the_same_job(
    store: Store, collection_id: int
) -> None:
    queue = JobQueue(store)
    asked = {queue.add("ingest run", collection_id, {"blob": str(i)}) for i in range(12)}
    begun: list[int] = []

    def work() -> None:
        while (job := queue.take()) is not None:
            begun.append(job.id)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(begun) == sorted(asked)


@both_databases
def test_the_same_request_of_the_same_person_is_one_job_while_it_is_not_done(
    store: Store, collection_id: int
) -> None:
    queue = JobQueue(store)
    with events.acting("ann"):
        first = queue.add("ingest run", collection_id, {"blob": "a", "name": "x"})
        assert queue.add("ingest run", collection_id, {"name": "x", "blob": "a"}) == first
        assert queue.add("ingest run", collection_id, {"blob": "a"}) != first
    with events.acting("bob"):
        assert queue.add("ingest run", collection_id, {"blob": "a", "name": "x"}) != first
    job = queue.take()
    assert job is not None
    assert (job.id, job.who) == (first, "ann")
    queue.end(job, {"run": 1})
    with events.acting("ann"):
        assert queue.add("ingest run", collection_id, {"blob": "a", "name": "x"}) != first
    (done,) = queue.done_before("ingest run", collection_id, {"blob": "a", "name": "x"})
    assert (done.id, done.result) == (first, {"run": 1})


@both_databases
def test_a_job_whose_lease_is_over_is_begun_again_by_another(
    store: Store, collection_id: int
) -> None:
    dead = JobQueue(store, lease=NO_LEASE)
    dead.add("ingest run", collection_id, {"blob": "a"})
    first = dead.take()
    second = JobQueue(store).take()
    assert first is not None
    assert second is not None
    assert (first.id, first.attempts, second.attempts) == (second.id, 1, 2)
    assert JobQueue(store).take() is None


@both_databases
def test_who_lost_a_job_changes_nothing_of_it(store: Store, collection_id: int) -> None:
    slow = JobQueue(store, lease=NO_LEASE)
    slow.add("ingest run", collection_id, {"blob": "a"})
    lost = slow.take()
    queue = JobQueue(store)
    own = queue.take()
    assert lost is not None
    assert own is not None
    assert not queue.renew(lost)
    assert not queue.end(lost, error="too late")
    assert not queue.release(lost)
    assert queue.renew(own)
    assert queue.end(own, {"ok": True})
    ended = queue.find(own.id)
    assert ended is not None
    assert (ended.state, ended.result, ended.error) == ("done", {"ok": True}, None)


@both_databases
def test_a_renewed_lease_keeps_a_job(store: Store, collection_id: int) -> None:
    short = JobQueue(store, lease=NO_LEASE)
    short.add("ingest run", collection_id, {"blob": "a"})
    job = short.take()
    assert job is not None
    assert JobQueue(store).renew(job)
    assert JobQueue(store).take() is None


@both_databases
def test_a_job_that_ends_its_workers_is_given_up(store: Store, collection_id: int) -> None:
    queue = JobQueue(store, lease=NO_LEASE)
    id_ = queue.add("ingest run", collection_id, {"blob": "a"})
    for _ in range(MOST_ATTEMPTS):
        assert queue.take() is not None
    assert queue.take() is None
    job = queue.find(id_)
    assert job is not None
    assert (job.state, job.error) == (
        "failed",
        "given up: 3 times its worker ended, or the database failed, while it was done",
    )


@both_databases
def test_a_lease_from_before_the_clock_was_set_back_is_over(
    store: Store, collection_id: int
) -> None:
    dead = JobQueue(store, lease=timedelta(hours=1))
    dead.add("ingest run", collection_id, {"blob": "a"})
    assert dead.take() is not None
    assert dead.take() is None
    again = JobQueue(store).take()
    assert again is not None
    assert again.attempts == 2


@both_databases
def test_another_schema_is_no_attempt_of_a_job(store: Store, collection_id: int) -> None:
    queue = JobQueue(store)
    queue.add("ingest run", collection_id, {"blob": "a"})
    job = queue.take()
    assert job is not None
    with store.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    assert queue.release(job)
    with pytest.raises(StoreError, match="is at schema 9999"):
        queue.take()
    with store.write() as connection:
        connection.execute(text(f"UPDATE alembic_version SET version_num = '{HEAD}'"))
    again = queue.take()
    assert again is not None
    assert again.attempts == 1


@both_databases
def test_a_job_is_added_only_while_its_files_are_here(store: Store, collection_id: int) -> None:
    queue, now = JobQueue(store), datetime.now(UTC)
    payload = {"blob": "a"}
    with pytest.raises(HttpError, match="sha256:a is not here") as refused:
        queue.add("ingest run", collection_id, payload, files=["a"])
    assert refused.value.status == 409
    with store.write() as connection:
        add_blob(connection, collection_id, "a", 0, "ann", now)
    queue.add("ingest run", collection_id, payload, files=["a"])
    job = queue.take()
    assert job is not None
    other = queue.add("ingest run", collection_id, {**payload, "name": "x"}, files=["a"])
    assert queue.end(job, {})
    with store.read() as connection:
        assert find_blob(connection, collection_id, "a") is not None  # the other job needs it
    last = queue.take()
    assert last is not None
    assert last.id == other
    assert queue.end(last, {})
    with store.read() as connection:
        assert find_blob(connection, collection_id, "a") is None


@both_databases
def test_a_job_that_is_released_waits_again_and_the_attempt_counts(
    store: Store, collection_id: int
) -> None:
    queue = JobQueue(store)
    queue.add("ingest run", collection_id, {"blob": "a"})
    job = queue.take()
    assert job is not None
    assert queue.release(job)
    again = queue.take()
    assert again is not None
    assert again.attempts == 2


@both_databases
def test_only_a_job_that_waits_is_cancelled(store: Store, collection_id: int) -> None:
    queue = JobQueue(store)
    queue.add("ingest run", collection_id, {"blob": "a"})
    queue.add("ingest run", collection_id, {"blob": "b"})
    begun = queue.take()
    waiting = queue.find(2)
    assert begun is not None
    assert waiting is not None
    assert not queue.cancel(begun)
    assert queue.cancel(waiting)
    assert queue.take() is None


@both_databases
def test_a_full_queue_refuses_more(store: Store, collection_id: int) -> None:
    queue = JobQueue(store, most_waiting=2)
    for blob in "ab":
        queue.add("ingest run", collection_id, {"blob": blob})
    with pytest.raises(HttpError, match="too many jobs wait") as refused:
        queue.add("ingest run", collection_id, {"blob": "c"})
    assert refused.value.status == 429
    queue.take()
    queue.add("ingest run", collection_id, {"blob": "c"})


@both_databases
def test_a_job_can_be_taken_while_a_run_is_stored_where_rows_are_locked(
    store: Store, collection_id: int
) -> None:
    if store.file is not None:
        pytest.skip("SQLite locks the whole database")
    queue = JobQueue(store)
    queue.add("ingest run", collection_id, {"blob": "a"})
    with store.write():  # as a transaction that stores a large run
        assert queue.take() is not None


@both_databases
def test_old_jobs_are_forgotten(store: Store, collection_id: int) -> None:
    queue = JobQueue(store)
    id_ = queue.add("ingest run", collection_id, {"blob": "a"})
    job = queue.take()
    assert job is not None
    queue.end(job, {})
    ended = queue.find(id_)
    assert ended is not None
    assert ended.ended_at is not None
    before = ended.ended_at + timedelta(seconds=1)
    store.queue(lambda connection: jobs.delete_old_jobs(connection, before))
    assert queue.find(id_) is None
