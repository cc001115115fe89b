"""`evalstore ingest --measures` and `evalstore collections measures`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from samples import ESCAPE, HOSTILE, TFIDF, Program, write_qrels, write_run

pytestmark = pytest.mark.slow  # many commands

INGEST = ("ingest", "--collection", "test", "--qrels", "test.qrels")
STORED = "SELECT DISTINCT measure FROM leaderboard WHERE run = '{}' ORDER BY 1"


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_qrels(tmp_path)
    write_run(tmp_path)
    write_run(tmp_path, TFIDF, "tfidf.run", "tfidf")


def stored(program: Program, run: str) -> list[str]:
    rows = json.loads(program("sql", STORED.format(run), "--format", "json").stdout)
    return [row["measure"] for row in rows]


def test_an_ingest_stores_the_list_that_it_is_given(program: Program) -> None:
    program(*INGEST, "--measures", "AP,nDCG(dcg='exp-log2',rel=2)@10,P.5,10", "bm25.run")
    assert stored(program, "bm25") == ["AP", "P@10", "P@5", "nDCG(dcg='exp-log2',rel=2)@10"]


def test_an_ingest_stores_a_set_or_else_what_the_collection_says(program: Program) -> None:
    program(*INGEST, "--measures", "summary", "bm25.run")
    assert len(stored(program, "bm25")) == 13
    assert program("collections", "measures", "test", "AP,P@5").stdout == "test: AP,P@5\n"
    program(*INGEST, "tfidf.run")
    assert stored(program, "tfidf") == ["AP", "P@5"]
    listed = json.loads(program("collections", "--format", "json").stdout)
    assert [row["measures"] for row in listed] == ["AP,P@5"]
    assert "measures" in program("db", "events", "--collection", "test").stdout


def test_a_list_of_collections_shows_the_first_of_many_measures(program: Program) -> None:
    program(*INGEST, "bm25.run")
    program("collections", "measures", "test", ",".join(f"P@{depth}" for depth in range(1, 300)))
    table = program("collections").stdout
    assert "P@1,P@2," in table
    assert max(map(len, table.splitlines())) < 160
    (listed,) = json.loads(program("collections", "--format", "json").stdout)
    assert listed["measures"].endswith(",P@299")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("AP,nonsense", "no measure is called 'nonsense'"),
        (",", "no measure is asked for"),
        ("alpha_nDCG@5", "an ingest can't store alpha_nDCG@5, which uses judgments by subtopic"),
    ],
)
def test_what_can_not_be_stored_is_refused_and_nothing_is_stored(
    program: Program, text: str, message: str
) -> None:
    result = program(*INGEST, "--measures", text, "bm25.run", status=1)
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert not Path("evalstore.db").exists()
    program(*INGEST, "bm25.run")
    assert message in program("collections", "measures", "test", text, status=1).stderr


@pytest.mark.parametrize("name", [*HOSTILE, ESCAPE])
def test_a_hostile_list_is_a_sentence(program: Program, name: str) -> None:
    program(*INGEST, "bm25.run")
    result = program("collections", "measures", "test", name, status=1)
    assert "\x1b" not in result.stderr
    assert result.stderr.count("\n") == 1


def test_figures_are_the_same_whatever_was_stored(program: Program) -> None:
    commands = [
        ("leaderboard", "test", "--format", "json"),
        ("compare", "bm25", "tfidf", "-m", "nDCG@10", "--format", "json"),
        ("history", "bm25", "-m", "Rprec", "--format", "json"),
        ("export", "leaderboard", "test", "--format", "csv"),
        ("check", "bm25", "--baseline", "tfidf", "--fail-if", "P@10 drop > 1"),
        ("agreement", "test", "--format", "json"),
        ("power", "test", "--format", "json"),
    ]
    outputs = []
    for database, measures in (("full.db", "standard"), ("few.db", "AP")):
        program(*INGEST, "--measures", measures, "--db", database, "bm25.run", "tfidf.run")
        outputs.append([program(*command, "--db", database).stdout for command in commands])
    full, few = ([_without_dates(text) for text in texts] for texts in outputs)
    assert few == full


def _without_dates(text: str) -> list[str]:
    return [line for line in text.splitlines() if '"at": ' not in line]
