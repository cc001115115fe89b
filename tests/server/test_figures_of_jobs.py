"""The figures of jobs, uploads and the spool, for Prometheus."""

from __future__ import annotations

import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from api_client import Team
from prometheus_client.parser import text_string_to_metric_families
from sending import Sender, run_file
from team_server import URL, Served
from two_collections import OPEN, PRIVATE, id_of

from evalstore.catalog.collections import new_collection, set_collection_access
from evalstore.server.jobs.uploads import Limits
from evalstore.server.metrics import shared_folder
from evalstore.server.people.accounts import grant
from evalstore.server.people.rights import Role
from evalstore.server.people.tokens import create_token
from evalstore.store import Store
from evalstore.store.access import jobs

AGO = timedelta(minutes=5)


def figures(team: Served, role: Role = "reader") -> dict[Any, float]:
    """The figures but those of requests, by name and labels, as a token for reading gets them."""
    token = create_token(team.store, f"watch as {role}", "reader")
    grant(team.store, f"watch as {role}", role)
    headers = {"Authorization": f"Bearer {token}"}
    answer = team.browser.get("/api/v1/metrics", base_url=URL, headers=headers)
    assert answer.status_code == 200
    families = list(text_string_to_metric_families(answer.text))
    assert {family.type for family in families if "request" not in family.name} == {"gauge"}
    return {
        (sample.name.removeprefix("evalstore_"), *sample.labels.values()): sample.value
        for family in families
        for sample in family.samples
        if "request" not in family.name
    }


def add(
    store: Store,
    kind: str,
    asked: timedelta,
    *ends: str,
    not_before: datetime | None = None,
    collection_id: int | None = None,
) -> None:
    """A job that was asked for so long ago; it ended at once where `ends` names its last state."""
    now = datetime.now(UTC)
    with store.write() as connection:
        at = now - asked
        id_ = jobs.add_job(connection, kind, collection_id, "ci", {}, "0" * 64, at, not_before)
        if not ends:
            return
        if ends == ("cancelled",):
            jobs.cancel_job(connection, id_, at)
            return
        # The oldest job that waits is taken: jobs that are to wait are added last.
        taken = jobs.take_job(connection, now, now)
        assert taken is not None
        assert taken.id == id_
        if ends != ("running",):
            error = "no" if ends == ("failed",) else None
            jobs.end_job(connection, id_, 1, at, error=error)


def test_without_jobs_and_files_all_figures_are_there_and_nothing_waits(team: Served) -> None:
    values = figures(team)
    assert values["jobs", "file", "waiting"] == 0
    assert values["jobs_oldest_waiting_seconds", "webhook"] == 0
    assert values["jobs_ended_last_hour", "webhook", "failed"] == 0
    assert values[("upload_files",)] == 0
    assert values[("upload_bytes",)] == 0
    assert values[("upload_quota_bytes",)] == Limits().quota_bytes
    assert values[("spool_kept_free_bytes",)] == Limits().free_bytes


@pytest.mark.each_database
def test_jobs_are_counted_by_what_they_are_about_and_by_state(team: Served) -> None:
    store = team.store
    for state in ("done", "failed", "cancelled"):
        add(store, "ingest run", timedelta(hours=2), state)
        add(store, "ingest run", AGO, state)
    add(store, "ingest qrels", AGO, "done")
    add(store, jobs.DELIVERY, AGO, "failed")
    add(store, "ingest run", AGO, "running")
    add(store, "ingest queries", AGO)
    add(store, "ingest run", timedelta(0))
    values = figures(team)
    counted = {key[1:]: value for key, value in values.items() if key[0] == "jobs" and value}
    assert counted == {("file", "running"): 1, ("file", "waiting"): 2}
    ended = {
        key[1:]: values[key] for key in values if key[0] == "jobs_ended_last_hour" and values[key]
    }
    assert ended == {
        ("file", "done"): 2,
        ("file", "failed"): 1,
        ("file", "cancelled"): 1,
        ("webhook", "failed"): 1,
    }
    assert values["jobs_oldest_waiting_seconds", "file"] >= AGO.total_seconds()
    assert values["jobs_oldest_waiting_seconds", "webhook"] == 0


@pytest.mark.each_database
def test_a_delivery_that_is_to_be_tried_later_waits_and_is_not_late(team: Served) -> None:
    later = datetime.now(UTC) + timedelta(hours=1)
    add(team.store, jobs.DELIVERY, AGO, not_before=later)
    values = figures(team)
    assert values["jobs", "webhook", "waiting"] == 1
    assert values["jobs_oldest_waiting_seconds", "webhook"] == 0


@pytest.mark.each_database
def test_files_that_wait_are_counted_with_what_is_to_come(team: Served) -> None:
    sender = Sender(team, create_token(team.store, "ci", "contributor"))
    content = run_file()
    sender.send(content)
    assert sender.piece(run_file("second"), 0, 5).status_code == 202
    values = figures(team)
    size = len(content) + len(run_file("second"))
    assert (values[("upload_files",)], values[("upload_bytes",)]) == (2, size)
    assert values[("upload_largest_collection_bytes",)] == size
    assert values[("spool_free_bytes",)] > 0


def test_only_who_may_read_a_collection_is_told_of_its_jobs_and_files(team: Served) -> None:
    store, content = team.store, run_file("half")
    new_collection(store, "hidden")
    set_collection_access(store, "hidden", "private")
    nothing = figures(team)
    token = create_token(store, "to it", "contributor", "hidden")
    Sender(team, token, "hidden").piece(content, 0, 5)
    hidden = id_of(store, "hidden")
    for state in ("done", "failed", "cancelled", "running"):
        add(store, "ingest run", AGO, state, collection_id=hidden)
    add(store, jobs.DELIVERY, AGO, collection_id=hidden)
    free = ("spool_free_bytes",)  # of the disk
    assert {**figures(team, "contributor"), free: 0} == {**nothing, free: 0}
    values = figures(team, "administrator")
    assert values[("upload_bytes",)] == len(content)
    assert values["jobs", "file", "running"] == 1
    assert values["jobs_ended_last_hour", "file", "failed"] == 1
    assert values["jobs_oldest_waiting_seconds", "webhook"] >= AGO.total_seconds()


def test_no_figure_names_a_collection(api: Team) -> None:
    served, content = api.reader.served, run_file("half")
    for collection in (OPEN, PRIVATE):
        token = create_token(api.store, f"to {collection}", "administrator")
        Sender(served, token, collection).piece(content, 0, 5)
    values = figures(served, "administrator")
    assert values[("upload_bytes",)] == 2 * len(content)
    assert values[("upload_largest_collection_bytes",)] == len(content)
    assert OPEN not in str(values)
    assert PRIVATE not in str(values)


@pytest.mark.skipif(sys.platform == "win32", reason="files are not locked there")
def test_the_folder_of_a_server_that_was_killed_is_deleted_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    killed = tmp_path / "evalstore-metrics-killed"
    killed.mkdir()
    (killed / "in-use").touch()
    (killed / "counter_1.db").touch()
    with shared_folder():
        [running] = tmp_path.iterdir()
        with shared_folder():
            assert running.is_dir()
    assert list(tmp_path.iterdir()) == []
