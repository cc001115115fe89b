"""Folders of runs in a store: names, engines, experiments and facts, and runs of the same name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from changed_runs import annotate
from databases import both_databases
from leaderboard_frames import leaderboard
from mlflow_stores import Logged, write_files
from samples import BM25, NOTHING_FOR_Q3, TFIDF, add, dump, statuses, write, write_qrels, write_run

import evalstore as ev
from evalstore.catalog.given_facts import GivenFacts
from evalstore.errors import DataError
from evalstore.evaluation import parallel
from evalstore.evaluation.ingest_options import IngestOptions
from evalstore.ingest.ingest import Interrupted, ingest
from evalstore.ingest.store_qrels import store_qrels
from evalstore.store import Store
from evalstore.store.queries.facts import load_values
from evalstore.store.queries.runs import find_run


def facts(store: Store, run: str) -> dict[str, Any]:
    with store.read() as connection:
        return dict(load_values(connection, find_run(connection, run).id))


def engines(store: Store) -> Any:
    """Engine and name of each run."""
    return leaderboard(store, "test").runs[["engine", "run"]].to_numpy().tolist()


@pytest.fixture
def runs(tmp_path: Path) -> str:
    """A folder of two runs with parameters."""
    folder = tmp_path / "runs"
    folder.mkdir()
    write_run(folder, BM25, "a.run", "a")
    write_run(folder, TFIDF, "b.run", "b")
    write(folder / "p.csv", "run,k1\na,0.9\nb,1.2\n")
    return str(folder)


def test_each_run_of_a_folder_is_stored_with_its_parameters(
    store: Store, tmp_path: Path, runs: str
) -> None:
    assert statuses(add(store, tmp_path, runs)) == ["stored", "stored"]
    assert facts(store, "a")["parameters"] == {"k1": 0.9}
    assert facts(store, "b")["parameters"] == {"k1": 1.2}


def test_facts_given_with_the_ingest_count_more_than_those_of_the_folder(
    store: Store, tmp_path: Path, runs: str
) -> None:
    add(store, tmp_path, runs, facts=GivenFacts(parameters={"k1": 2, "b": 0.4}))
    assert facts(store, "a")["parameters"] == {"k1": 2, "b": 0.4}


def test_a_folder_ingested_again_changes_nothing(store: Store, tmp_path: Path, runs: str) -> None:
    add(store, tmp_path, runs)
    annotate(store, "a", GivenFacts(parameters={"k1": 3}))
    before = dump(store)
    write(Path(runs) / "p.csv", "run,k1\na,7\nb,7\n")
    assert statuses(add(store, tmp_path, runs)) == ["already stored", "already stored"]
    assert dump(store) == before


@both_databases
def test_mlflow_gives_names_experiment_and_facts_unless_others_are_given(
    store: Store, tmp_path: Path
) -> None:
    path = str(write_files(tmp_path, Logged()))
    assert statuses(add(store, tmp_path, path)) == ["stored"]
    stored = facts(store, "bm25 k1=0.9")
    assert (stored["commit"], stored["started_by"], stored["tags"]) == (
        "4f2a9c1",
        "ann",
        ["stage=dev"],
    )
    assert leaderboard(store, "test").runs["experiment"].tolist() == ["stemming"]
    given = {"engine": "mine", "experiment": "other", "facts": GivenFacts(commit="8e01d7b")}
    add(store, tmp_path, path, collection="second", **given)
    row = leaderboard(store, "second").runs.iloc[0]
    assert (row["engine"], row["experiment"]) == ("mine", "other")


def test_what_a_folder_tells_does_not_change_a_stored_run(store: Store, tmp_path: Path) -> None:
    logged = write_files(tmp_path, Logged())
    (artifact,) = logged.glob("**/*.run")
    add(store, tmp_path, str(artifact))
    before = dump(store)
    assert statuses(add(store, tmp_path, str(logged))) == ["already stored"]
    assert dump(store) == before


def test_the_engine_of_a_folder_counts_more_than_the_common_tag(
    store: Store, tmp_path: Path
) -> None:
    folder = tmp_path / "saved"
    folder.mkdir()
    write_run(folder, BM25, "bm25.res.gz", "pyterrier")
    add(store, tmp_path, str(folder))
    assert engines(store) == [["bm25", "bm25"]]


def test_the_common_tag_of_a_folder_names_no_engine(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    for name, rankings in {"a.run": BM25, "b.run": TFIDF}.items():
        write_run(folder, rankings, name, "STANDARD")
    add(store, tmp_path, str(folder))
    assert engines(store) == [["a", "a"], ["b", "b"]]


def test_a_folder_that_cannot_be_read_leaves_the_rule_of_the_common_tag(
    store: Store, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    same = [write_run(tmp_path, run, name, "x") for name, run in {"a": BM25, "b": TFIDF}.items()]
    add(store, tmp_path, *same, str(tmp_path / "empty"))
    assert engines(store) == [["a", "a"], ["b", "b"]]


def test_runs_of_one_file_are_stored_each(store: Store, tmp_path: Path) -> None:
    def scores(rankings: Any) -> dict[str, dict[str, float]]:
        return {qid: {d: -rank for rank, d in enumerate(docs)} for qid, docs in rankings.items()}

    content = {"mteb_model_meta": {"model_name": "m"}, "de": {"test": scores(BM25)}}
    content["fr"] = {"test": scores(TFIDF)}
    path = write(tmp_path / "T_predictions.json", json.dumps(content))
    assert statuses(add(store, tmp_path, path)) == ["stored", "stored"]
    assert engines(store) == [["m", "T_de_test"], ["m", "T_fr_test"]]


@pytest.mark.parametrize("replace", [False, True])
def test_of_two_runs_with_one_name_the_second_fails_and_names_both_files(
    store: Store, tmp_path: Path, replace: bool
) -> None:
    paths = []
    for folder, rankings in {"x": BM25, "y": TFIDF, "z": BM25}.items():
        (tmp_path / folder).mkdir()
        paths.append(write_run(tmp_path / folder, rankings))
    outcomes = add(store, tmp_path, *paths, replace=replace)
    assert statuses(outcomes) == ["stored", "failed", "already stored"]
    assert outcomes[1].detail == f"{paths[1]}: {paths[0]} is a run named 'bm25' too"
    assert outcomes[1].problem == "name twice"


def test_a_run_that_failed_leaves_its_name_to_the_next(store: Store, tmp_path: Path) -> None:
    bad = write(tmp_path / "a.run", "q1 d1 1\n")
    assert statuses(add(store, tmp_path, bad, write_run(tmp_path, BM25, "a.txt"))) == [
        "failed",
        "stored",
    ]


def test_one_name_for_several_runs_is_refused(store: Store, tmp_path: Path, runs: str) -> None:
    with pytest.raises(DataError, match="one name, 'x', for 2 runs"):
        add(store, tmp_path, runs, name="x")
    assert dump(store)["run"] == []


def test_a_folder_that_cannot_be_read_fails_alone(store: Store, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    outcomes = add(store, tmp_path, str(tmp_path / "empty"), write_run(tmp_path))
    assert statuses(outcomes) == ["failed", "stored"]
    assert outcomes[0].detail == f"{tmp_path}/empty: no runs in this folder (run-folder)"


@pytest.mark.parametrize(
    ("field", "value", "what"),
    [
        ("name", "a\x1b[31m", "the name of the run has a control character"),
        ("tags", {"mlflow.user": "a\nb"}, "started by has a control character"),
    ],
)
def test_a_name_or_fact_of_a_folder_is_checked_as_any_other(
    store: Store, tmp_path: Path, field: str, value: Any, what: str
) -> None:
    given: dict[str, Any] = {field: value}
    (outcome,) = add(store, tmp_path, str(write_files(tmp_path, Logged(**given))))
    assert outcome.status == "failed"
    assert what in outcome.detail


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interrupt_names_the_runs_of_a_folder_that_are_not_stored(
    store: Store, tmp_path: Path, runs: str, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "WORTH_IT", 0)
    write_run(Path(runs), NOTHING_FOR_Q3, "c.run", "c")
    qrels = store_qrels(store, "test", qrels_path=write_qrels(tmp_path))

    class StopsAtB:
        def started(self, path: str) -> None:
            if path.endswith("b.run"):
                raise KeyboardInterrupt

        def finished(self, outcome: object) -> None:
            pass

    with pytest.raises(Interrupted) as caught:
        ingest(store, IngestOptions("test"), [runs], qrels=qrels, jobs=jobs, progress=StopsAtB())
    assert statuses(caught.value.result.outcomes) == ["stored"]
    assert caught.value.result.not_reached == (f"{runs}/b.run", f"{runs}/c.run")


def test_python_takes_folders_too(tmp_path: Path, runs: str) -> None:
    write(Path(runs) / "notes.txt", "hello\n")
    with ev.open(tmp_path / "s.db") as opened:
        result = opened.ingest(collection="c", runs=runs, qrels=write_qrels(tmp_path))
        assert [outcome.status for outcome in result.outcomes] == ["stored", "stored"]
        assert result.outcomes[0].warnings == (f"{runs}: no runs, left out: notes.txt",)
        assert opened.run("a").facts.parameters == {"k1": 0.9}
