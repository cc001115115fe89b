"""`evalstore ingest --param ...`, `annotate`, `show` and `diff`: the facts of runs."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from samples import BM25, TFIDF, Program, write, write_qrels, write_run

from evalstore.catalog.annotate import UNSETTABLE
from evalstore.cli.commands.runs import FACTS

pytestmark = pytest.mark.slow  # many commands, figures or resamples

ASKED = ("ingest", "--collection", "test", "--qrels", "test.qrels")


@pytest.fixture(autouse=True)
def files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A qrels and two runs in the current folder, which is in no git checkout."""
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(folder.parent))
    write_qrels(folder)
    write_run(folder, BM25, "bm25.run")
    write_run(folder, TFIDF, "tfidf.run", "tfidf")


def facts(program: Program, run: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(program("runs", "show", run, "--format", "json").stdout)
    return read


def make_checkout(folder: Path) -> str:
    """Commit the files of the folder; returns the commit."""
    who = ("-c", "user.name=a", "-c", "user.email=a@b.org", "-c", "commit.gpgsign=false")
    for arguments in (("init", "-q"), ("add", "."), ("commit", "-qm", "first")):
        subprocess.run(["git", "-C", folder, *who, *arguments], check=True)
    done = subprocess.run(
        ["git", "-C", folder, "rev-parse", "HEAD"], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def test_every_option_records_its_fact_with_every_run(program: Program, folder: Path) -> None:
    write(folder / "p.yaml", "k1: 0.5\nb: 0.4\n")
    program(*ASKED, "tfidf.run")
    options = (
        *("--params-file", "p.yaml", "--param", "k1=0.9", "--param", "id='7'", "--tag", "a=b"),
        *("--note", "good", "--commit", "c1", "--dirty", "--machine", "h", "--started-by", "u"),
        *("--started-at", "2026-01-01T10:00+01:00", "--ended-at", "2026-01-01T09:30"),
        *("--command", "search -k", "--index-version", "2", "--collection-version", "3"),
        *("--parent", "tfidf", "--index-bytes", "1G", "--memory-bytes", "500M"),
        *("--money", "0.12", "EUR", "--energy-joules", "7.5"),
    )
    program(*ASKED, *options, "bm25.run")
    expected = {
        **{"parameters": {"k1": 0.9, "b": 0.4, "id": "7"}, "tags": ["a=b"], "note": "good"},
        **{"commit": "c1", "commit_dirty": True, "host": "h", "started_by": "u"},
        **{"started_at": "2026-01-01T09:00:00+00:00", "ended_at": "2026-01-01T09:30:00+00:00"},
        **{"command": "search -k", "index_version": "2", "collection_version": "3"},
        **{"parent": "tfidf", "index_bytes": 2**30, "memory_bytes": 500 * 2**20},
        **{"money": 0.12, "currency": "EUR", "energy_joules": 7.5},
    }
    run_facts = facts(program, "bm25")
    assert {name: run_facts[name] for name in expected} == expected


def test_a_new_run_gets_the_checkout_the_command_runs_in(program: Program, folder: Path) -> None:
    commit = make_checkout(folder)
    program(*ASKED, "bm25.run")
    run_facts = facts(program, "bm25")
    assert (run_facts["commit"], run_facts["commit_dirty"]) == (commit, False)
    assert run_facts["host"]
    assert run_facts["started_by"]
    write_qrels(folder, {"q1": {"d1": 1}})
    program("ingest", "--collection", "other", "--qrels", "test.qrels", "tfidf.run")
    assert facts(program, "tfidf")["commit_dirty"] is True


def test_no_checkout_records_nothing_of_where_the_command_runs(
    program: Program, folder: Path
) -> None:
    make_checkout(folder)
    program(*ASKED, "--no-checkout", "bm25.run")
    run_facts = facts(program, "bm25")
    names = ("commit", "commit_dirty", "host", "started_by")
    assert [run_facts[name] for name in names] == [None] * 4


@pytest.mark.parametrize("fact", [("--param", "k1=1"), ("--index-bytes", "1K")])
def test_a_stored_run_does_not_get_the_facts_of_an_ingest(
    program: Program, fact: tuple[str, str]
) -> None:
    program(*ASKED, "bm25.run")
    done = program(*ASKED, *fact, "bm25.run")
    assert done.stdout == "already stored  bm25\n"
    assert "run 'bm25' was stored before and keeps its facts" in done.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--param", "k1"), "is no parameter: write it like k1=0.9"),
        (("--started-at", "yesterday"), "'yesterday' is no time"),
        (("--money", "12 EUR", "x"), "is not a valid float"),
        (("--money", "0.12", "--energy-joules", "3"), "'--energy-joules' is no currency"),
        (("--money", "0.12", "-"), "'-' is no currency"),
        (("--memory-bytes", "lots"), "is no size"),
    ],
)
def test_an_option_that_can_not_be_read_is_an_error_of_usage(
    program: Program, options: tuple[str, ...], message: str
) -> None:
    assert message in program(*ASKED, *options, "bm25.run", status=2).stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--tag", ""), "the tag has an empty name"),
        (("--note", ""), "note is empty"),
        (("--money", "nan", "EUR"), "money can't be nan"),
        (("--params-file", "bad.json"), "bad.json:2: not JSON"),
        (("--parent", "nothing"), "there is no run 'nothing'"),
    ],
)
def test_a_fact_that_can_not_be_is_an_error_of_data_and_stores_nothing(
    program: Program, folder: Path, options: tuple[str, ...], message: str
) -> None:
    write(folder / "bad.json", '{\n"a": }\n')
    assert message in program(*ASKED, *options, "bm25.run", status=1).stderr
    program("runs", "show", "bm25", status=1)


def test_show_prints_what_was_given_and_the_note_below(program: Program) -> None:
    program(*ASKED, "--no-checkout", "--param", "k1=1e-05", "--note", "# one\n\ntwo", "bm25.run")
    lines = program("runs", "show", "bm25").stdout.splitlines()
    assert "parameters.k1  1e-05" in lines
    assert lines[-4:] == ["", "# one", "", "two"]
    assert not any(line.startswith(("host", "note", "money")) for line in lines)


def test_annotate_prints_what_changed(program: Program) -> None:
    program(*ASKED, "bm25.run")
    asked = ("runs", "edit", "bm25", "--param", "k1=0.9", "--index-bytes", "1K")
    assert program(*asked).stdout.splitlines() == [
        "bm25  parameters.k1: (none) -> 0.9",
        "bm25  index_bytes: (none) -> 1024",
    ]
    assert program(*asked).stdout == "bm25: nothing to change\n"
    taken = program("runs", "edit", "bm25", "--unset", "index_bytes", "--unset-param", "k1")
    assert "index_bytes: 1024 -> (none)" in taken.stdout


def test_annotate_asks_for_something_to_record(program: Program) -> None:
    program(*ASKED, "bm25.run")
    assert "say what to change" in program("runs", "edit", "bm25", status=2).stderr


def test_the_facts_that_can_be_taken_away_are_those_of_the_library() -> None:
    assert set(FACTS) == set(UNSETTABLE)


def test_diff_tells_facts_and_figures(program: Program) -> None:
    program(*ASKED, "--no-checkout", "--param", "k1=0.9", "--param", "b=1", "bm25.run")
    program(*ASKED, "--no-checkout", "--param", "k1=1.2", "--param", "b=1", "tfidf.run")
    program("runs", "edit", "tfidf", "--parent", "bm25")
    lines = program("runs", "diff", "bm25", "tfidf", "-m", "AP", "-m", "NumQ").stdout.splitlines()
    assert lines[0] == "tfidf was derived from bm25"
    assert [line.split()[0] for line in lines[2:5]] == ["fact", "engine", "parameters.k1"]
    assert lines[6].split()[0] == "measure"
    assert lines[7].split()[0] == "AP"
    assert lines[-1] == "the same on every query: NumQ"
    read = json.loads(program("runs", "diff", "bm25", "tfidf", "--format", "json").stdout)
    assert read["facts"][1] == {"fact": "parameters.k1", "a": 0.9, "b": 1.2}
    assert [pair["measure"] for pair in read["moved"]] == ["AP", "nDCG@10"]


def test_diff_of_runs_that_can_not_be_compared_still_tells_their_facts(
    program: Program, folder: Path
) -> None:
    program(*ASKED, "bm25.run")
    write_qrels(folder, {"q1": {"d1": 1}}, "other.qrels")
    program("ingest", "--collection", "other", "--qrels", "other.qrels", "tfidf.run")
    done = program("runs", "diff", "bm25", "tfidf")
    assert "different collections" in done.stderr
    assert "collection" in done.stdout
    assert "measure" not in done.stdout
