"""What processes that read runs have loaded before they are given one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # a program of its own

PROGRAM = """
import sys
import evalstore.evaluation.prepare
import evalstore.evaluation.loaded_for_workers
from evalstore.formats import read_qrels
from evalstore.formats.sources import RunSource
from evalstore.measures import parse_list
from evalstore.evaluation.ingest_options import IngestOptions
from evalstore.evaluation.prepare import prepare

run, qrels = sys.argv[1:]
judgments = read_qrels(qrels)
request = IngestOptions("web", measures=tuple(parse_list("standard").values()))
loaded = set(sys.modules)
prepared = prepare(RunSource(run), judgments, request)
list(prepared.content.packed)  # a thread packs
print(*sorted(set(sys.modules) - loaded))
"""


def test_a_process_loads_nothing_more_for_its_first_run(tmp_path: Path) -> None:
    """What is loaded before is loaded once for all of them."""
    run, qrels = tmp_path / "bm25.run", tmp_path / "web.qrels"
    run.write_text("q1 Q0 d1 1 2.5 bm25\nq1 Q0 d2 2 1.5 bm25\n")
    qrels.write_text("q1 0 d2 1\n")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(run), str(qrels)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == []
