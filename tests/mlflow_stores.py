"""Stores of MLflow, written as mlflow-skinny 3.17.2 writes them.

The files, tables, columns and values are those that these calls left, with a store in files and one
in SQLite, without what evalstore does not read (metrics, traces, models, ...):

    mlflow.create_experiment("stemming")
    with mlflow.start_run(run_name="bm25 k1=0.9", tags={"stage": "dev", ...}):
        mlflow.log_params({"k1": 0.9, "stem": True, "index/path": "ix", "name": "007"})
        mlflow.log_artifact("ranking.run", "runs")
        mlflow.log_text("hello", "notes.txt")
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from samples import BM25, run_text

PARAMETERS = {"k1": "0.9", "stem": "True", "index/path": "ix", "name": "007"}
TAGS = {
    "mlflow.user": "ann",
    "mlflow.source.name": "make.py",
    "mlflow.source.type": "LOCAL",
    "mlflow.source.git.commit": "4f2a9c1",
    "stage": "dev",
}
START = 1795290133454


@dataclass(frozen=True)
class Logged:
    """A run of MLflow; `artifacts` are texts by path."""

    number: str = "6f7df237b2ac44c4b431b5aac95b03d6"
    name: str = "bm25 k1=0.9"
    parameters: Mapping[str, str] = field(default_factory=lambda: dict(PARAMETERS))
    tags: Mapping[str, str] = field(default_factory=lambda: dict(TAGS))
    artifacts: Mapping[str, str] = field(
        default_factory=lambda: {"runs/ranking.run": run_text(BM25), "notes.txt": "hello"}
    )
    start: int = START
    stage: str = "active"

    @property
    def all_tags(self) -> dict[str, str]:
        return {**self.tags, "mlflow.runName": self.name}


def write_files(folder: Path, *runs: Logged, experiment: str = "stemming") -> Path:
    """A store in files with one experiment; returns the folder of the store."""
    store = folder / "mlruns"
    write_meta(store / "0", {"artifact_location": "file:///elsewhere", "experiment_id": "'0'"})
    (store / ".trash").mkdir(parents=True)
    at = store / "658434380741705320"
    write_meta(
        at,
        {
            "artifact_location": "file:///elsewhere/mlruns/658434380741705320",
            "creation_time": str(START),
            "experiment_id": "'658434380741705320'",
            "lifecycle_stage": "active",
            "name": experiment,
        },
    )
    for run in runs:
        write_meta(
            at / run.number,
            {
                "artifact_uri": f"file:///elsewhere/mlruns/658434380741705320/{run.number}",
                "end_time": str(run.start + 20),
                "entry_point_name": "''",
                "experiment_id": "'658434380741705320'",
                "lifecycle_stage": run.stage,
                "run_id": run.number,
                "run_name": json.dumps(run.name),
                "source_type": "4",
                "start_time": str(run.start),
                "status": "3",
                "tags": "[]",
                "user_id": "ann",
            },
        )
        write_texts(at / run.number / "params", run.parameters)
        write_texts(at / run.number / "tags", run.all_tags)
        write_texts(at / run.number / "artifacts", run.artifacts)
    return store


def write_meta(folder: Path, values: Mapping[str, str]) -> None:
    lines = (f"{name}: {value}\n" for name, value in values.items())
    write_texts(folder, {"meta.yaml": "".join(lines)})


def write_texts(folder: Path, texts: Mapping[str, str]) -> None:
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def write_database(folder: Path, *runs: Logged, artifacts: str | None = None) -> Path:
    """A store in SQLite, its artifacts in `mlruns` beside it; returns the file.

    `artifacts` is what the database says of where they are, instead.
    """
    path = folder / "mlflow.db"
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript(
            """
            CREATE TABLE experiments (experiment_id INTEGER PRIMARY KEY, name VARCHAR(256),
                artifact_location VARCHAR(256), lifecycle_stage VARCHAR(32));
            CREATE TABLE runs (run_uuid VARCHAR(32) PRIMARY KEY, name VARCHAR(250),
                user_id VARCHAR(256), status VARCHAR(9), start_time BIGINT, end_time BIGINT,
                lifecycle_stage VARCHAR(20), artifact_uri VARCHAR(200), experiment_id INTEGER);
            CREATE TABLE params (key VARCHAR(250), value VARCHAR(8000), run_uuid VARCHAR(32));
            CREATE TABLE tags (key VARCHAR(250), value VARCHAR(8000), run_uuid VARCHAR(32));
            INSERT INTO experiments VALUES (0, 'Default', 'mlruns/0', 'active'),
                (1, 'stemming', 'mlruns/1', 'active');
            """
        )
        for run in runs:
            at = folder / "mlruns" / "1" / run.number / "artifacts"
            write_texts(at, run.artifacts)
            row = (run.number, run.name, "ann", "FINISHED", run.start, run.start + 20, run.stage)
            uri = artifacts or f"file://{at}"
            database.execute("INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1)", (*row, uri))
            for table, values in (("params", run.parameters), ("tags", run.all_tags)):
                rows = [(name, value, run.number) for name, value in values.items()]
                database.executemany(f"INSERT INTO {table} VALUES (?, ?, ?)", rows)
    return path
