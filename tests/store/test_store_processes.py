"""Several processes ingest into one store at once: everything is stored once, none fails."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from samples import dump, write_qrels, write_run

from evalstore.store import Store

pytestmark = pytest.mark.slow  # processes of their own

INGEST = """
import sys
from evalstore.usecases.prepare_run import Request
from evalstore.usecases.ingest import ingest
from evalstore.usecases.store_qrels import store_qrels
from evalstore.store import Store

url, qrels, *runs = sys.argv[1:]
print("ready", flush=True)
sys.stdin.readline()
with Store.open(url) as store:
    stored_qrels = store_qrels(store, "test", qrels_path=qrels)
    for outcome in ingest(store, Request("test"), runs, qrels=stored_qrels).outcomes:
        print(outcome.status, outcome.detail, sep=":")
"""


def test_processes_that_ingest_at_once_store_everything_once(
    database_url: str, tmp_path: Path
) -> None:
    """The store does not exist yet: the processes also make it at the same time."""
    qrels = write_qrels(tmp_path)
    shared = [write_run(tmp_path, {"q1": [f"s{i}", "d1"]}, f"shared-{i}.run") for i in range(5)]
    processes = []
    for p in range(4):
        own = [write_run(tmp_path, {"q1": [f"o{p}-{i}"]}, f"own-{p}-{i}.run") for i in range(5)]
        processes.append(
            subprocess.Popen(
                [sys.executable, "-c", INGEST, database_url, qrels, *shared, *own],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        )
    for process in processes:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    said = [process.communicate(timeout=60) for process in processes]
    assert [error for _, error in said] == [""] * 4
    lines = sorted(line for output, _ in said for line in output.splitlines())
    own_lines = [f"stored:own-{p}-{i}" for p in range(4) for i in range(5)]
    shared_lines = [f"stored:shared-{i}" for i in range(5)]
    again = [f"already stored:shared-{i}" for i in range(5)] * 3
    assert lines == sorted(own_lines + shared_lines + again)
    with Store.open(database_url) as store:
        rows = dump(store)
    assert [len(rows[t]) for t in ("collection", "qrels", "run", "evaluation")] == [1, 1, 25, 25]
    assert len(rows["measurement"]) == 25 * 3 * len(rows["measure"])
