"""`--scheduler`: the work of ingest on workers of Dask, with what can go wrong there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from dask_cluster import Cluster, running_cluster
from leaderboard_frames import collections
from postgres import Server
from samples import BM25, write_qrels, write_run

from evalstore.errors import DataError, MeasureError
from evalstore.evaluation import dask_tasks
from evalstore.evaluation.dask_tasks import WorkerStore
from evalstore.evaluation.ingest_options import IngestOptions
from evalstore.evaluation.measure import measure
from evalstore.ingest import ingest as ingest_module
from evalstore.ingest.ingest import Ingested, Outcome, ingest
from evalstore.ingest.reevaluate import read_or_name, reevaluate
from evalstore.ingest.store_qrels import store_qrels
from evalstore.ingest.store_run import load_known_files, set_collection_measures
from evalstore.leaderboard.run_list import Choice, list_runs
from evalstore.measures import parse
from evalstore.store import Store
from evalstore.transfer.db_check import db_check

pytestmark = pytest.mark.slow  # processes of their own

RUNS = 20


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running_cluster(tmp_path_factory.mktemp("dask"), workers=2) as started:
        yield started


@pytest.fixture
def database_url(new_store: Callable[[], str]) -> str:
    """The URL of an empty store."""
    return new_store()


class AfterFirst:
    """Does something once, when the first run is stored."""

    def __init__(self, action: Callable[[], None]) -> None:
        self._action: Callable[[], None] | None = action

    def started(self, path: str) -> None:
        """Nothing."""

    def finished(self, outcome: Outcome) -> None:
        if self._action is not None:
            action, self._action = self._action, None
            action()


def write_runs(folder: Path, count: int = RUNS) -> list[str]:
    """Runs, each of other content."""
    return [
        write_run(folder, {**BM25, "q1": [f"n{i}", "d1"]}, f"run-{i:02}.run", f"engine{i}")
        for i in range(count)
    ]


def ingest_runs(
    url: str, folder: Path, runs: list[str], scheduler: str | None, after_first: AfterFirst | None
) -> Ingested:
    with Store.open(url) as store:
        qrels = store_qrels(store, "c", qrels_path=write_qrels(folder))
        request = IngestOptions("c")
        return ingest(store, request, runs, qrels=qrels, scheduler=scheduler, progress=after_first)


def values(url: str) -> list[tuple[object, ...]]:
    """Every value of every run, by names: ids depend on the order of writing."""
    with Store.open(url) as store, store.read() as connection:
        rows = connection.exec_driver_sql(
            "SELECT run.name, engine.name, query.qid, measure.name, measurement.value "
            "FROM measurement JOIN evaluation ON evaluation.id = measurement.evaluation_id "
            "JOIN run ON run.content_id = evaluation.content_id "
            "JOIN engine ON engine.id = run.engine_id "
            "JOIN query ON query.id = measurement.query_id "
            "JOIN measure ON measure.id = measurement.measure_id"
        )
        return sorted(map(tuple, rows))


def check_complete(url: str, runs: int = RUNS) -> None:
    with Store.open(url) as store:
        assert list(db_check(store).problems) == []
        assert collections(store)["runs"].tolist() == [runs]


def test_workers_store_the_same_as_this_process(
    cluster: Cluster, database_url: str, new_store: Callable[[], str], tmp_path: Path
) -> None:
    runs = write_runs(tmp_path)
    done = ingest_runs(database_url, tmp_path, runs, cluster.address, None)
    assert done.counts == {"stored": RUNS}
    assert [outcome.path for outcome in done.outcomes] == runs
    other = new_store()
    ingest_runs(other, tmp_path, runs, None, None)
    assert values(database_url) == values(other)
    again = ingest_runs(database_url, tmp_path, runs, cluster.address, None)
    assert again.counts == {"already stored": RUNS}
    check_complete(database_url)


def test_what_workers_read_is_recognised_later_and_never_sent(
    cluster: Cluster, database_url: str, tmp_path: Path
) -> None:
    runs = write_runs(tmp_path, 5)
    ingest_runs(database_url, tmp_path, runs[:4], cluster.address, None)
    request = IngestOptions("c")
    with Store.open(database_url) as store:
        qrels = store_qrels(store, "c", qrels_path=None)
        known = load_known_files(store, request)
        done = ingest(store, request, runs, qrels=qrels, scheduler=cluster.address, known=known)
        assert done.counts == {"already stored": 4, "stored": 1}
        assert done.recognised == 4
        known = load_known_files(store, request)
        nowhere = ingest(
            store, request, runs, qrels=qrels, scheduler="tcp://127.0.0.1:9", known=known
        )
    assert nowhere.recognised == 5


def test_workers_store_the_measures_of_the_collection_and_others_are_computed_from_hits(
    cluster: Cluster, database_url: str, new_store: Callable[[], str], tmp_path: Path
) -> None:
    runs = write_runs(tmp_path, 5)
    aggregates = []
    for url, scheduler in ((database_url, cluster.address), (new_store(), None)):
        with Store.open(url) as store:
            store_qrels(store, "c", qrels_path=write_qrels(tmp_path))
            set_collection_measures(store, "c", "P@5")
        ingest_runs(url, tmp_path, runs, scheduler, None)
        assert {row[3] for row in values(url)} == {"P@5"}
        with Store.open(url) as store:
            listed = list_runs(store, [parse("nDCG@10"), parse("map")], Choice())
        aggregates.append([run.values for run in listed])
    assert all({"nDCG@10", "AP"} <= set(of) for of in aggregates[0])
    assert aggregates[0] == aggregates[1]


def test_a_bad_file_fails_alone_and_names_the_workers(
    cluster: Cluster, database_url: str, tmp_path: Path
) -> None:
    runs = write_runs(tmp_path, 5)
    Path(runs[2]).write_text("not a run\n")
    done = ingest_runs(database_url, tmp_path, runs, cluster.address, None)
    assert done.counts == {"stored": 4, "failed": 1}
    detail = done.outcomes[2].detail
    assert detail.startswith(f"{runs[2]}:1: ")
    assert detail.count("tcp://127.0.0.1:") == 2
    check_complete(database_url, 4)


def test_a_worker_that_is_killed_loses_nothing(
    cluster: Cluster, database_url: str, tmp_path: Path
) -> None:
    runs = write_runs(tmp_path)
    cluster.add_workers(1)
    after_first = AfterFirst(lambda: cluster.kill_worker(0))
    done = ingest_runs(database_url, tmp_path, runs, cluster.address, after_first)
    assert set(done.counts) <= {"stored", "already stored"}
    assert len(done.outcomes) == RUNS
    check_complete(database_url)


def test_a_scheduler_that_is_started_again_loses_nothing(
    cluster: Cluster, database_url: str, tmp_path: Path
) -> None:
    runs = write_runs(tmp_path)
    after_first = AfterFirst(lambda: cluster.restart_scheduler(workers=2))
    done = ingest_runs(database_url, tmp_path, runs, cluster.address, after_first)
    assert set(done.counts) <= {"stored", "already stored"}
    assert len(done.outcomes) == RUNS
    check_complete(database_url)


@pytest.mark.nightly
def test_where_the_scheduler_stays_away_the_rest_is_stored_by_the_same_call_later(
    database_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    runs = write_runs(tmp_path)
    with running_cluster(tmp_path, workers=1) as cluster:
        monkeypatch.setattr(dask_tasks, "PATIENCE", 2.0)
        after_first = AfterFirst(cluster.scheduler.kill)
        with pytest.raises(DataError, match=r"the scheduler tcp://127\.0\.0\.1:\d+ is not reached"):
            ingest_runs(database_url, tmp_path, runs, cluster.address, after_first)
    assert "Traceback" not in capfd.readouterr().err
    again = ingest_runs(database_url, tmp_path, runs, None, None)
    # Workers go on with the tasks that they have: a fast database may have all runs by then.
    assert again.counts["already stored"] > 0
    assert again.counts["stored"] + again.counts["already stored"] == RUNS
    check_complete(database_url)


def test_a_worker_that_does_not_reach_the_database_gives_the_run_back(
    cluster: Cluster, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere = "postgresql+psycopg://nobody@127.0.0.1:9/nowhere"
    monkeypatch.setattr(ingest_module, "WorkerStore", lambda url: WorkerStore(nowhere))
    done = ingest_runs(database_url, tmp_path, write_runs(tmp_path, 3), cluster.address, None)
    assert done.counts == {"stored": 3}
    check_complete(database_url, 3)


@pytest.mark.postgres
def test_workers_write_into_postgresql_themselves(
    cluster: Cluster, postgres: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: object) -> None:
        raise AssertionError("this process writes")

    monkeypatch.setattr(ingest_module, "store_run", refuse)
    url = postgres.new_store()
    done = ingest_runs(url, tmp_path, write_runs(tmp_path, 3), cluster.address, None)
    assert done.counts == {"stored": 3}
    check_complete(url, 3)


def reevaluate_and_measure(
    url: str, folder: Path, scheduler: str | None
) -> tuple[list[str], list[tuple[str, ...]]]:
    """The status of every run, and what was measured of every evaluation."""
    new = write_qrels(folder, {"q1": {"d1": 2, "n3": 1}, "q2": {"d7": 1}}, "new.qrels")
    with Store.open(url) as store:
        done = reevaluate(store, "c", read_or_name(store, "c", new), scheduler=scheduler)
        measured = measure(store, [parse("P@3"), parse("RBP(p=0.7)")], scheduler=scheduler)
    return [run.status for run in done.runs], [one.new for one in measured]


def test_workers_reevaluate_and_measure_as_this_process_does(
    cluster: Cluster, database_url: str, new_store: Callable[[], str], tmp_path: Path
) -> None:
    runs = write_runs(tmp_path, 6)
    results = []
    urls = (database_url, new_store())
    for url, scheduler in zip(urls, (cluster.address, None), strict=True):
        ingest_runs(url, tmp_path, runs, None, None)
        results.append(reevaluate_and_measure(url, tmp_path, scheduler))
    assert results[0] == results[1]
    assert results[0][0] == ["evaluated"] * 6
    assert results[0][1] == [("P@3", "RBP(p=0.7)")] * 12
    assert values(urls[0]) == values(urls[1])
    check_complete(database_url, 6)
    statuses, measured = reevaluate_and_measure(database_url, tmp_path, cluster.address)
    assert statuses == ["already evaluated"] * 6
    assert measured == [()] * 12


def test_of_what_lacks_facts_a_named_run_fails_and_nothing_is_stored(
    cluster: Cluster, database_url: str, tmp_path: Path
) -> None:
    ingest_runs(database_url, tmp_path, write_runs(tmp_path, 2), None, None)
    before = values(database_url)
    asked = [parse("P@3"), parse("alpha_nDCG@10")]
    with Store.open(database_url) as store, pytest.raises(MeasureError):
        measure(store, asked, ["run-00"], scheduler=cluster.address)
    assert values(database_url) == before
