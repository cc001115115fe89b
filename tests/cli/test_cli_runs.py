"""`evalstore runs`: which runs, in which order, with which figures, in how many columns."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from changed_runs import tag_run
from forked_program import ForkedProgram
from samples import BM25, NOTHING_FOR_Q3, TFIDF, Fill, Program, add, dump, write_qrels, write_run

from evalstore.catalog.names import natural
from evalstore.store import Store

pytestmark = pytest.mark.slow  # terminals and processes


@pytest.fixture
def four(copied: Callable[[Fill], Path]) -> None:
    """Four runs of two engines."""
    copied(fill_four)


def fill_four(store: Store, folder: Path) -> None:
    qrels = write_qrels(folder)
    files = {"run10": BM25, "run2": TFIDF, "run1": NOTHING_FOR_Q3, "best": {"q1": ["d1"]}}
    for name, rankings in files.items():
        path = write_run(folder, rankings, f"{name}.run")
        engine, experiment = ("b", "june") if name == "best" else ("a", None)
        add(store, folder, path, qrels=qrels, engine=engine, experiment=experiment)
    tag_run(store, "run2", ["paper"])


def listed(program: Program, *options: str) -> list[dict[str, str]]:
    done = program("runs", *options, "--format", "csv")
    return list(csv.DictReader(io.StringIO(done.stdout)))


def names(program: Program, *options: str) -> list[str]:
    return [row["run"] for row in listed(program, *options)]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), ["run1", "run2", "run10", "best"]),
        (("--sort", "run"), ["best", "run1", "run2", "run10"]),
        (("--sort", "-run"), ["run10", "run2", "run1", "best"]),
        (("--sort", "id"), ["run10", "run2", "run1", "best"]),
        (("--sort", "P@7", "--limit", "1"), ["run10"]),
        (("--engine", "b"), ["best"]),
        (("--experiment", "june"), ["best"]),
        (("--tag", "paper"), ["run2"]),
        (("--since", "2000-01-01"), ["run1", "run2", "run10", "best"]),
        (("--since", "2999-01-01"), []),
        (("--limit", "2"), ["run1", "run2"]),
    ],
)
def test_runs_are_chosen_and_sorted(
    program: Program, four: None, options: tuple[str, ...], expected: list[str]
) -> None:
    assert names(program, *options) == expected


@pytest.mark.parametrize("by", ["AP", "-AP", "nDCG@7", "-nDCG@7"])
def test_a_measure_sorts_the_best_first_and_with_a_minus_last(
    program: Program, four: None, by: str
) -> None:
    values = [float(row[by.removeprefix("-")]) for row in listed(program, "--sort", by)]
    assert len(set(values)) > 1
    assert values == sorted(values, reverse=not by.startswith("-"))


def test_a_shown_parameter_sorts_as_numbers_and_runs_without_it_come_last(
    program: Program, four: None
) -> None:
    program("runs", "edit", "run2", "--param", "k1=10")
    program("runs", "edit", "run10", "--param", "k1=9")
    shown = ("--columns", "k1", "--sort")
    assert [row["k1"] for row in listed(program, *shown, "k1")] == ["9", "10", "", ""]
    assert [row["k1"] for row in listed(program, *shown, "-k1")] == ["10", "9", "", ""]


def test_a_run_without_the_facts_that_a_measure_needs_has_an_empty_cell_and_comes_last(
    program: Program, four: None
) -> None:
    program("runs", "edit", "run2", "--index-bytes", "4K")
    for sort in ("IndexSize", "-IndexSize"):
        rows = listed(program, "-m", "IndexSize", "-m", "P@7", "--sort", sort)
        sizes = [(row["run"], row["IndexSize"]) for row in rows]
        assert sizes[0] == ("run2", "4096.0")
        assert [size for _, size in sizes[1:]] == ["", "", ""]
        assert all(row["P@7"] for row in rows)


def test_a_measure_that_no_run_has_the_facts_for_is_refused(program: Program, four: None) -> None:
    done = program("runs", "-m", "IndexSize", status=1)
    assert "IndexSize needs the size of the index" in done.stderr


def test_a_leaderboard_shows_a_cost_that_only_some_runs_have_as_a_further_measure(
    program: Program, four: None
) -> None:
    program("runs", "edit", "run2", "--index-bytes", "4K")
    lines = program("leaderboard", "test", "-m", "AP", "-m", "IndexSize").stdout.splitlines()
    assert [line.split()[3] for line in lines if "4096.0000" in line] == ["run2"]


def test_a_measure_that_is_not_stored_is_computed_and_not_stored(
    program: Program, four: None
) -> None:
    with Store.open("evalstore.db") as store:
        before = dump(store)
    computed = {row["run"]: row["P@7"] for row in listed(program, "-m", "P@7")}
    with Store.open("evalstore.db") as store:
        assert dump(store) == before
    program("reevaluate", "-m", "P@7")
    assert {row["run"]: row["P@7"] for row in listed(program, "-m", "P@7")} == computed
    assert float(computed["run10"]) == pytest.approx(5 / 21)


def test_queries_are_those_the_mean_is_over_and_answered_those_of_the_run(
    program: Program, four: None
) -> None:
    facts = {row["run"]: (row["queries"], row["answered"]) for row in listed(program)}
    assert facts == {
        "run10": ("3", "3"),
        "run2": ("3", "3"),
        "run1": ("3", "2"),
        "best": ("3", "1"),
    }
    (best,) = json.loads(program("runs", "--engine", "b", "--format", "json").stdout)
    assert (best["queries"], best["answered"]) == (3, 1)


def test_tags_are_shown_when_asked_for(program: Program, four: None) -> None:
    assert "tags" not in program("runs").stdout
    assert {row["run"]: row["tags"] for row in listed(program, "--tags")}["run2"] == "paper"
    (run2,) = json.loads(program("runs", "--tag", "paper", "--tags", "--format", "json").stdout)
    assert run2["tags"] == ["paper"]


@pytest.mark.parametrize(
    "names", [["run2", "run10"], ["a", "a-1", "B"], ["", "0"], ["x", "x1"], ["run1", "run01"]]
)
def test_names_are_sorted_in_natural_order(names: list[str]) -> None:
    assert sorted(names, key=natural) == names


# --- terminals -----------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [40, 60, 80])
def test_a_narrow_terminal_gets_fewer_columns_and_no_broken_number(
    four: None, program: Program, columns: int, forked: ForkedProgram
) -> None:
    whole = program("runs").stdout.splitlines()
    output = forked.on_terminal("runs", columns=columns, NO_COLOR="1").splitlines()
    lines, note = output[: len(whole)], output[len(whole) :]
    assert all(len(line) <= columns for line in lines)
    words = {word for line in whole for word in line.split()}
    assert {word for line in lines for word in line.split()} <= words
    assert "run" in lines[0].split()
    assert "AP" in lines[0].split()
    gone = set(whole[0].split()) - set(lines[0].split())
    (sentence,) = " ".join(note).split("; ")[:1]
    assert sentence == f"{len(gone)} columns left out: " + sentence.split(": ")[1]
    assert set(sentence.split(": ")[1].split(", ")) == gone


def test_a_wide_terminal_shows_all(four: None, program: Program, forked: ForkedProgram) -> None:
    output = forked.on_terminal("runs", columns=200, NO_COLOR="1")
    assert [line.split() for line in output.splitlines()] == [
        line.split() for line in program("runs").stdout.splitlines()
    ]


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_that_wants_no_colour_gets_no_escape(
    four: None, environment: dict[str, str], forked: ForkedProgram
) -> None:
    assert "\x1b" not in forked.on_terminal("runs", **environment)
    assert "\x1b" in forked.on_terminal("runs")


def test_the_bar_names_the_file_and_a_dumb_terminal_gets_lines(
    folder: Path, forked: ForkedProgram
) -> None:
    call = ("ingest", "--collection", "c", "--qrels", write_qrels(folder), write_run(folder))
    assert "1/1 bm25.run" in forked.on_terminal(*call)
    assert "[1/1, 100%]" in forked.on_terminal(*call, TERM="dumb")


# --- dates and columns ---------------------------------------------------------------------------

SWEEP = (
    "ingest",
    "--collection",
    "test",
    "--qrels",
    "test.qrels",
    "--engine",
    "e",
    "--no-checkout",
)


@pytest.fixture
def sweep(program: Program, folder: Path) -> None:
    """Two runs that tell when they were made, and one that does not."""
    write_qrels(folder)
    for name, k1, month in (("a", "0.9", "05"), ("b", "1.2", "06")):
        write_run(folder, BM25, f"{name}.run")
        at = ("--started-at", f"2026-{month}-03T10:00")
        program(*SWEEP, "--param", f"k1={k1}", "--param", "stem=true", *at, f"{name}.run")
    write_run(folder, TFIDF, "c.run")
    program(*SWEEP, "c.run")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--where", "started_at>=2026-06-01"), ["b"]),
        (("--where", "started_at<2026-06"), ["a"]),
        (("--where", "date=2026-05-03"), ["a"]),
        (("--where", "stored_at>=1d"), ["a", "b", "c"]),
        (("--since", "2026-06"), ["b", "c"]),
        (("--until", "2026-06"), ["a", "b"]),
        (("--since", "2026-05-03", "--until", "2026-05-03"), ["a"]),
        (("--since", "1d"), ["c"]),
        (("--sort", "date"), ["a", "b", "c"]),
    ],
)
def test_runs_are_chosen_by_their_dates(
    program: Program, sweep: None, options: tuple[str, ...], expected: list[str]
) -> None:
    assert names(program, *options) == expected


def test_the_date_of_a_run_is_when_it_ran_else_when_it_was_stored_and_it_is_said_which(
    program: Program, sweep: None
) -> None:
    dates = {row["run"]: (row["date"], row["date_is"]) for row in listed(program)}
    assert dates["a"] == ("2026-05-03 10:00", "started")
    assert dates["c"][1] == "stored"
    lines = {line.split()[3]: line for line in program("runs").stdout.splitlines()[1:]}
    assert " 2026-05-03 10:00  " in lines["a"]
    assert f" {dates['c'][0]} stored  " in lines["c"]


def test_parameters_facts_and_measures_are_columns_where_they_are_named(
    program: Program, sweep: None
) -> None:
    asked = ("runs", "--columns", "k1,stem,started_at,AP", "--sort", "run")
    assert program(*asked).stdout.splitlines()[1:] == [
        "a    0.9  true  2026-05-03T10:00:00+00:00  0.7778",
        "b    1.2  true  2026-05-03T10:00:00+00:00  0.7778".replace("05-03", "06-03"),
        "c                                          0.6944",
    ]
    rows = json.loads(program(*asked, "--format", "json").stdout)
    assert [(row["run"], row["k1"], row["stem"]) for row in rows] == [
        ("a", 0.9, True),
        ("b", 1.2, True),
        ("c", None, None),
    ]
    header, first, *_ = program(*asked, "--format", "csv").stdout.splitlines()
    assert header == "run,k1,stem,started_at,AP"
    assert first.startswith("a,0.9,true,2026-05-03T10:00:00+00:00,0.77777")
    done = program("runs", "--columns", "k2", status=1)
    assert "no run has the fact 'k2'; known: " in done.stderr


def test_a_bound_that_is_no_date_is_refused(program: Program, sweep: None) -> None:
    done = program("runs", "--since", "June", status=2)
    assert "not 'June': write 2026-06-01, 2026-06, 2026, " in done.stderr
