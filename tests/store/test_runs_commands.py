"""What the commands that change a store print, on both databases."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from databases import both_databases
from samples import ESCAPE, HOSTILE, add, raw_output_dangers, write_run

from evalstore.cli import cli
from evalstore.store import Store

Program = Callable[..., str]


@pytest.fixture
def store(small: Store) -> Store:
    """The runs bm25 and tfidf."""
    return small


@pytest.fixture
def program(store: Store) -> Program:
    """Call `evalstore --db ...` on the store."""

    def call(*arguments: str, status: int = 0) -> str:
        done = CliRunner().invoke(cli, ["--db", store.url, *arguments], catch_exceptions=False)
        assert done.exit_code == status, done.output
        return done.output

    return call


def test_runs_are_removed_listed_and_restored(program: Program) -> None:
    assert program("runs", "restore") == "no run is removed\n"
    assert program("runs", "rm", "bm25", "tfidf") == (
        "removed         test  bm25\nremoved         test  tfidf\n"
    )
    listed = [line.split()[1:3] for line in program("runs", "restore").splitlines()]
    assert listed == [["collection", "run"], ["test", "bm25"], ["test", "tfidf"]]
    assert program("runs", "restore", "bm25") == "restored        test  bm25\n"
    assert "was removed: `evalstore runs restore` brings it back" in program(
        "runs", "rm", "tfidf", status=1
    )


def test_a_purge_says_what_it_freed(program: Program) -> None:
    assert program("runs", "purge") == "no run is removed: nothing to purge\n"
    assert "is not removed: `evalstore runs rm` comes first" in program(
        "runs", "purge", "bm25", status=1
    )
    program("runs", "rm", "bm25")
    gone, freed = program("runs", "purge").splitlines()
    assert gone == "purged          test  bm25"
    assert freed.startswith("freed 1 run with ")
    assert "of packed rankings; " in freed


def test_a_run_is_renamed_and_tagged(program: Program) -> None:
    assert program("runs", "edit", "bm25", "--name", "first try") == (
        "bm25  name: bm25 -> first try\n"
    )
    assert program("runs", "tag", "first try", "b", "a") == "first try: a, b\n"
    assert (
        program("runs", "tag", "first try", "--remove", "a", "--remove", "b")
        == "first try: no tags\n"
    )
    assert "there is a run named 'tfidf'" in program(
        "runs", "edit", "first try", "--name", "tfidf", status=1
    )


@both_databases
def test_events_are_listed_in_three_shapes(program: Program) -> None:
    program("runs", "rm", "bm25")
    header, *_, last = program("db", "events").splitlines()
    assert header.split() == ["at", "who", "action", "collection", "subject", "details"]
    assert last.split()[3:] == ["rm", "test", "bm25"]
    rows = list(csv.DictReader(io.StringIO(program("db", "events", "--format", "csv"))))
    events = json.loads(program("db", "events", "--format", "json"))
    assert [row["action"] for row in rows] == [event["action"] for event in events]
    assert [row["at"] for row in rows] == [event["at"] for event in events]
    assert all(event["at"].endswith("+00:00") for event in events)
    assert len(program("db", "events", "--last", "1", "--run", "bm25").splitlines()) == 2


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_name_does_nothing_but_stand_there(program: Program, name: str) -> None:
    for words in (
        ("runs", "edit", "bm25", f"--name={name}"),
        ("runs", "tag", "--", name, name),
        ("runs", "rm", "--", name),
        ("runs", "restore"),
        ("db", "events"),
        ("runs", "restore", "--", name),
        ("runs", "rm", "--", name),
        ("runs", "purge", "--", name),
    ):
        assert not list(raw_output_dangers(program(*words))), words
    assert not list(
        raw_output_dangers(program("runs", "edit", "tfidf", "--name", ESCAPE, status=1))
    )


def test_a_store_is_copied_and_what_was_done_is_said(
    program: Program, store: Store, tmp_path: Path
) -> None:
    target = f"sqlite:///{tmp_path / 'target.db'}"
    copied = program("db", "copy", "--from", store.url, "--to", target)
    assert "copied          test  run  bm25\n" in copied
    assert copied.endswith("runs and qrels: 3 copied\n")
    again = program("db", "copy", "--from", store.url, "--to", target, "--collection", "test")
    assert again == "runs and qrels: 3 there already\n"
    with Store.open(target) as copy:
        add(copy, tmp_path, write_run(tmp_path, {"q1": ["d1"]}), replace=True)
    failed = program("db", "copy", "--from", store.url, "--to", target, status=1)
    assert "test  run  bm25: run 'bm25' has other content in the target" in failed
    assert failed.endswith("runs and qrels: 2 there already, 1 failed\n")


def test_nothing_is_copied_from_a_store_that_is_not_there(
    program: Program, store: Store, tmp_path: Path
) -> None:
    nowhere = tmp_path / "nowhere.db"
    message = program("db", "copy", "--from", f"sqlite:///{nowhere}", "--to", store.url, status=1)
    assert message.startswith(f"there is no store at sqlite:///{nowhere}")
    assert not nowhere.exists()
