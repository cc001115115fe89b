"""`evalstore.testing.assert_no_regression`: what it raises, and from which sources."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from samples import (
    BM25,
    HOSTILE,
    NOTHING_FOR_Q3,
    QRELS,
    TFIDF,
    Rankings,
    add,
    write,
    write_qrels,
    write_run,
)

import evalstore as ev
from evalstore.errors import DataError, NotFound
from evalstore.store import Store
from evalstore.testing import assert_no_regression

DROPS = "AP drop > 0.05"  # by hand: AP 7/9 against 25/36, a drop of 0.0833
HEADLINE = "tfidf against bm25: 1 of 1 rule failed"


def scores(rankings: Rankings) -> dict[str, dict[str, float]]:
    return {qid: {d: -rank for rank, d in enumerate(ds)} for qid, ds in rankings.items()}


def message(*arguments: Any, **options: Any) -> list[str]:
    """The lines of the error that the assertion raises."""
    with pytest.raises(AssertionError) as raised:
        assert_no_regression(*arguments, **options)
    return str(raised.value).splitlines()


@pytest.fixture
def store(tmp_path: Path) -> str:
    """A store with both runs, of which bm25 is the baseline, and a file that it has not."""
    path = str(tmp_path / "evalstore.db")
    with Store.open(path) as opened:
        runs = write_run(tmp_path), write_run(tmp_path, TFIDF, "tfidf.run", "tfidf")
        add(opened, tmp_path, *runs)
    with ev.open(path) as opened_by_user:
        opened_by_user.set_baseline("bm25")
    write_run(tmp_path, TFIDF, "new.run", "new")
    return path


def test_files_fail_with_the_headline_the_regressed_queries_and_then_the_rules(
    tmp_path: Path,
) -> None:
    new, old = write_run(tmp_path, TFIDF, "tfidf.run"), write_run(tmp_path)
    texts = {"q1": "one\n  two"}
    lines = message(new, old, write_qrels(tmp_path), fail_if=DROPS, queries=texts)
    assert lines[:3] == [
        HEADLINE,
        "queries on which tfidf loses most (AP):",
        "  q1: 0.8333 to 0.2500 (-0.5833) one two",
    ]
    assert lines[-1].startswith("3 queries are few")
    rule = lines.index("failed: AP drop > 0.05 (AP drop 0.0833)")
    assert lines[rule + 1].startswith("tfidf is behind bm25 on AP by 0.0833")
    assert_no_regression(new, old, write_qrels(tmp_path), fail_if="AP drop > 0.5")


def test_dictionaries_are_called_run_and_baseline() -> None:
    lines = message(scores(TFIDF), scores(BM25), QRELS, fail_if=[DROPS, "AP drop > 0.5"])
    assert lines[0] == "run against baseline: 1 of 2 rules failed"
    assert not [line for line in lines if "> 0.5" in line]


def test_stored_runs_and_files_are_compared_as_evalstore_check_does(
    store: str, tmp_path: Path
) -> None:
    for options in ({}, {"baseline": "bm25"}, {"baseline": 1, "qrels": "test"}):
        assert message("tfidf", fail_if=DROPS, store=store, **options)[0] == HEADLINE
    with ev.open(store) as opened:
        of_file = message(tmp_path / "new.run", fail_if=DROPS, store=opened, collection="test")
        assert of_file[0] == "new against bm25: 1 of 1 rule failed"
        assert len(opened.runs()) == 2
    with pytest.raises(NotFound):
        assert_no_regression("nothing", fail_if=DROPS, store=store)


def test_what_is_undecided_passes_with_a_warning_or_fails() -> None:
    given = (scores(TFIDF), scores(BM25), QRELS, "AP not worse by 0.1")
    with pytest.warns(UserWarning, match="0 of 1 rule failed, 1 UNDECIDED, which counts") as told:
        assert_no_regression(*given)
    assert told[0].filename == __file__
    lines = message(*given, undecided="fail")
    assert [line for line in lines if line.startswith("undecided: AP not worse by 0.1 (AP gain")]


def test_queries_that_the_run_lost_fail_unless_they_may_be_missing() -> None:
    given = (scores(NOTHING_FOR_Q3), scores(BM25), QRELS)
    assert "failed: missing > 0 (missing 1)" in message(*given, fail_if="AP drop > 0.9")
    assert_no_regression(*given, fail_if="AP drop > 0.9", allow_missing=True)


def test_a_figure_without_a_value_fails() -> None:
    one = {"q1": {"d1": 1.0}}
    lines = message(one, one, {"q1": {"d1": 1}}, "AP not worse by 0.1")
    assert [line for line in lines if "has no interval" in line]


def test_only_the_queries_of_a_condition_count() -> None:
    queries = {"q1": {"text": "a", "lang": "de"}, "q2": {"text": "b"}, "q3": {"text": "c"}}
    given: dict[str, Any] = {"fail_if": "AP drop > 0.58", "queries": queries}
    assert_no_regression(scores(TFIDF), scores(BM25), QRELS, **given)
    assert (
        "1 rule failed" in message(scores(TFIDF), scores(BM25), QRELS, where="lang=de", **given)[0]
    )


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, "no rule is given to check"),
        ({"require": DROPS}, "says what must not be: give it as fail_if"),
        ({"fail_if": "AP drop >> 1"}, "character 9"),
        ({"fail_if": DROPS, "undecided": "perhaps"}, "undecided is 'pass' or 'fail'"),
        ({"fail_if": DROPS, "collection": "test"}, "collection is for stored runs"),
        ({"fail_if": DROPS, "baseline": None}, "give baseline and qrels, or store"),
        ({"fail_if": DROPS, "store": "x.db"}, "with a store give a name, an id or a path"),
        ({"fail_if": DROPS, "store": "x.db", "queries": {}}, "are for runs without a store"),
    ],
)
def test_arguments_that_do_not_fit_say_so(options: dict[str, Any], told: str) -> None:
    given: dict[str, Any] = {"run": scores(TFIDF), "baseline": scores(BM25), "qrels": QRELS}
    with pytest.raises(DataError, match=re.escape(told)):
        assert_no_regression(**given | options)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_query_stays_on_its_line_of_the_message(name: str) -> None:
    qid = name.replace(" ", "_")
    old = {qid: {"d1": 1.0, "d2": 0.0}, "q2": {"d1": 1.0}}
    new = {qid: {"d1": 0.0, "d2": 1.0}, "q2": {"d1": 1.0}}
    qrels = {qid: {"d1": 1}, "q2": {"d1": 1}}
    lines = message(new, old, qrels, fail_if="AP drop > 0", queries={qid: f"{name}\n\x1b[31m"})
    assert lines[3] == "failed: AP drop > 0 (AP drop 0.2500)"
    assert "\x1b" not in "".join(lines)


@pytest.mark.slow  # pytest is started
def test_pytest_shows_the_line_of_the_test_and_the_message(tmp_path: Path) -> None:
    test = (
        "from evalstore.testing import assert_no_regression\n"
        "def test_it():\n"
        f"    assert_no_regression({scores(TFIDF)}, {scores(BM25)}, {QRELS}, fail_if={DROPS!r})\n"
    )
    write(tmp_path / "test_it.py", test)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", tmp_path]
    done = subprocess.run([*command, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "E       AssertionError: run against baseline: 1 of 1 rule failed" in done.stdout
    assert "test_it.py:3: AssertionError" in done.stdout
    assert "evalstore/testing.py" not in done.stdout
