"""`evalstore leaderboard`, `power` and `agreement`: statistics over all runs of a collection."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from samples import (
    HOSTILE,
    Program,
    add,
    raw_output_dangers,
    write_qrels,
    write_run,
)

from evalstore.store import Store

pytestmark = pytest.mark.slow  # many resamples

RANK_COLUMNS = [
    *("measure", "rank", "rank_low", "rank_high", "rank_group", "engine", "run"),
    *("value", "low", "high", "judged_top_10", "difference", "verdict"),
]


@pytest.fixture
def hostile(folder: Path) -> Path:
    """Two runs of a collection whose names can all do harm on a terminal."""
    name = "\u202egnp.exe\u200f"
    qrels = write_qrels(folder, {"q1": {"d1": 1}, "q2": {"d1": 1}}, "hostile.qrels")
    with Store.open(str(folder / "evalstore.db")) as store:
        for number, docnos in enumerate((["d1", "d2"], ["d2", "d1"])):
            run = write_run(folder, dict.fromkeys(("q1", "q2"), docnos), f"{number}.run")
            named = {"engine": name, "name": f"{name}{number}", "collection": name}
            add(store, folder, run, qrels=qrels, **named)
    return folder


def as_json(program: Program, *arguments: str) -> Any:
    return json.loads(program(*arguments, "--format", "json").stdout)


def as_csv(program: Program, *arguments: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(program(*arguments, "--format", "csv").stdout)))


# --- leaderboard ---------------------------------------------------------------------------------


@pytest.mark.usefixtures("stored")
def test_a_leaderboard_shows_ranks_letters_judged_shares_and_what_they_mean(
    program: Program,
) -> None:
    lines = program("leaderboard", "test", "-m", "AP", "-m", "P@7").stdout.splitlines()
    assert lines[0].split() == ["rank", "group", "engine", "run", "AP", "P@7", "judged@10"]
    # AP by hand: bm25 7/9, tfidf 25/36, partial 1/6. P@7: 5/21, 4/21, 1/21. Judged: 5 of 7, 5 of 6,
    # 1 of 2 documents.
    assert lines[1].split() == ["1", "a", "bm25", "bm25", "0.7778", "0.2381", "71", "%"]
    assert lines[2].split() == ["2", "a", "tfidf", "tfidf", "0.6944", "0.1905", "83", "%"]
    assert lines[3].split() == ["3", "a", "partial", "partial", "0.1667", "0.0476", "50", "%"]
    assert lines[4:] == [
        "",
        "no run is shown to be best on AP over 3 queries of the judgments test: bm25 (0.7778), "
        "tfidf and partial share the lead",
        "note: not all of the 3 judged queries are answered by partial (2); the others count as "
        "empty rankings",
        "runs that share a letter are not separated by the paired t test with Holm's correction "
        "for all 3 pairs (alpha 0.05)",
        "AP: of 2 pairs of neighbours 2 are not separated",
    ]


@pytest.mark.usefixtures("stored")
def test_groups_beside_a_measure_without_ranks_are_those_of_the_others(program: Program) -> None:
    for unranked in ("NumRet", "GMAP"):
        asked = ("leaderboard", "test", "-m", "AP", "-m", unranked, "--groups")
        done = program(*asked).stdout
        assert f"{unranked} has no ranks" in done
        assert "AP: of 2 pairs of neighbours 2 are not separated" in done


@pytest.mark.usefixtures("stored")
def test_groups_and_intervals_are_shown_where_asked_for(program: Program) -> None:
    asked = ("leaderboard", "test", "-m", "AP", "-m", "P@5", "--groups", "--intervals")
    lines = program(*asked).stdout.splitlines()
    assert lines[0].split("  ") != []
    for header in ("rank 95 %", "AP 95 %", "P@5 group"):
        assert header in lines[0]
    assert "1 to 3" in lines[1]
    assert lines[-1] == "P@5: of 2 pairs of neighbours 2 are not separated"


@pytest.mark.usefixtures("stored")
def test_csv_and_json_have_every_measure_in_full(program: Program) -> None:
    asked = ("leaderboard", "test", "-m", "AP", "-m", "NumRet")
    header, *rows = as_csv(program, *asked)
    assert header == RANK_COLUMNS
    assert [row[0] for row in rows] == ["AP"] * 3 + ["NumRet"] * 3
    assert rows[0][1:7] == ["1", "1", "3", "a", "bm25", "bm25"]
    assert rows[-1][1:5] == ["", "", "", ""]
    document = as_json(program, *asked)
    assert list(document) == [
        *("collection", "qrels", "queries", "test", "correction", "alpha", "baseline", "notes"),
        "summary",
        "measures",
    ]
    first, second = document["measures"]
    assert list(first["runs"][0]) == RANK_COLUMNS[1:]
    values = first["runs"][0].values()
    assert ["" if value is None else str(value) for value in values] == rows[0][1:]
    assert (first["not_separated"], second["not_separated"]) == (2, None)
    assert second["notes"] == ["NumRet has no ranks: neither a high nor a low value is better"]


@pytest.mark.usefixtures("stored")
def test_the_chosen_test_is_named(program: Program) -> None:
    asked = ("leaderboard", "test", "-m", "AP", "--test", "tukey", "--alpha", "0.3")
    assert (
        "runs that share a letter are not separated by the randomised Tukey HSD test of all 3 "
        "pairs (alpha 0.3)"
    ) in program(*asked).stdout.splitlines()


def test_a_look_at_a_leaderboard_writes_nothing_and_save_does(
    stored: Path, program: Program
) -> None:
    asked = "SELECT measure, run, rank FROM leaderboard_ranks ORDER BY measure, rank"
    before = (stored / "evalstore.db").read_bytes()
    program("leaderboard", "test", "-m", "AP", "-m", "P@5")
    assert (stored / "evalstore.db").read_bytes() == before
    done = program("leaderboard", "test", "-m", "AP", "-m", "P@5", "--save")
    assert done.stderr == "saved the ranks of 3 runs on AP, P@5\n"
    rows = as_csv(program, "sql", asked)
    assert rows[1:4] == [["AP", "bm25", "1"], ["AP", "tfidf", "2"], ["AP", "partial", "3"]]
    assert len(rows) == 7


@pytest.mark.usefixtures("stored")
def test_what_can_not_be_saved_says_how_to_mend_it(program: Program) -> None:
    done = program("leaderboard", "test", "-m", "P@7", "--save", status=1)
    assert done.stderr == (
        "P@7 is not stored for bm25 and 2 more runs, so its ranks can't be saved: "
        "`evalstore reevaluate -m MEASURE` stores it\n"
    )
    assert done.stdout == ""


@pytest.mark.usefixtures("stored")
def test_long_groups_are_cut_in_the_table_alone() -> None:
    from evalstore.cli.commands.leaderboard import _short

    assert _short("abcdefghijkl") == "abcdefghijkl"
    assert _short("abcdefghijklm") == "a...m (13)"


# --- power and agreement -------------------------------------------------------------------------


@pytest.mark.usefixtures("stored")
def test_power_prints_a_row_a_measure_and_what_it_means(program: Program) -> None:
    lines = program("power", "test", "-m", "AP", "-m", "P@5").stdout.splitlines()
    assert lines[0].split() == [
        *("measure", "runs", "queries", "pairs", "separated", "sd", "needed", "detectable")
    ]
    assert lines[1].split()[:4] == ["AP", "3", "3", "3"]
    assert "paired bootstrap test (1,000 resamples, not corrected" in lines[-2]
    assert lines[-1].startswith("needed: queries to show a difference of 0.05 at power 0.8")


@pytest.mark.usefixtures("stored")
def test_power_gives_the_sorted_levels_of_all_pairs(program: Program) -> None:
    asked = ("power", "test", "-m", "AP", "-m", "P@5")
    [first, _] = as_json(program, *asked)["measures"]
    assert first["levels"] == sorted(first["levels"])
    header, *rows = as_csv(program, *asked, "--levels")
    assert header == ["pair", "AP", "P@5"]
    assert [float(row[1]) for row in rows] == first["levels"]
    header, *rows = as_csv(program, *asked)
    assert header == [key for key in first if key != "levels"]
    assert float(rows[0][header.index("share")]) == first["share"]


@pytest.mark.usefixtures("stored")
def test_agreement_prints_a_matrix_a_coefficient(program: Program) -> None:
    lines = program("agreement", "test", "-m", "AP", "-m", "RR").stdout.splitlines()
    assert lines[0] == "Kendall's tau-b"
    assert lines[1].split() == ["AP", "RR"]
    assert lines[2].split()[0] == "AP"
    assert "tau-AP (a row: the reference)" in lines
    assert "over 3 runs" in lines
    assert "note: a tau of 3 runs says nothing: by chance alone it takes any value" in lines
    assert lines[-1].startswith("note: not all of the 3 judged queries are answered by partial (2)")
    header, *rows = as_csv(program, "agreement", "test", "-m", "AP", "-m", "RR")
    assert header == ["a", "b", "runs", "kendall_tau_b", "tau_ap"]
    assert [row[:3] for row in rows] == [["AP", "RR", "3"], ["RR", "AP", "3"]]


@pytest.mark.usefixtures("stored")
def test_agreement_between_runs_takes_its_own_options(program: Program) -> None:
    asked = ("agreement", "test", "--between", "runs", "--run", "bm25", "--run", "2", "--k", "1")
    document = as_json(program, *asked)
    assert list(document) == [
        *("collection", "between", "names", "queries", "rbo", "kendall_tau_b", "overlap", "notes")
    ]
    assert document["names"] == ["bm25", "tfidf"]
    # First documents by hand: d1 and d3, d5 and d5, d8 and d6.
    assert document["overlap"][0][1] == pytest.approx(1 / 3)
    assert "--k is for --between runs" in program("agreement", "test", "--k", "1", status=2).stderr
    done = program("agreement", "test", "--between", "runs", "-m", "AP", status=2)
    assert "--measure is for --between measures" in done.stderr


# --- all three -----------------------------------------------------------------------------------


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("command", ["leaderboard", "power", "agreement"])
def test_a_collection_that_is_not_there_is_one_line_and_status_1(
    program: Program, command: str
) -> None:
    done = program(command, "tset", status=1)
    assert done.stderr == "there is no collection 'tset' in the store; did you mean 'test'?\n"
    assert program(command).stdout == program(command, "test").stdout


@pytest.mark.usefixtures("hostile")
@pytest.mark.parametrize(
    "command",
    [
        ("leaderboard", "--groups", "--intervals"),
        ("leaderboard", "--save"),
        ("power",),
        ("agreement",),
        ("agreement", "--between", "runs"),
    ],
)
def test_no_name_reaches_a_terminal_as_a_command_to_it(
    program: Program, command: tuple[str, ...]
) -> None:
    done = program(command[0], "\u202egnp.exe\u200f", *command[1:])
    assert list(raw_output_dangers(done.output)) == []
    if command[0] == "leaderboard":
        assert "\\u202egnp.exe\\u200f1" in done.stdout
        assert len(done.stdout.splitlines()[0]) == len(done.stdout.splitlines()[1])


@pytest.mark.parametrize("name", HOSTILE)
def test_csv_gives_names_back_as_they_are(program: Program, folder: Path, name: str) -> None:
    with Store.open(str(folder / "evalstore.db")) as store:
        named = dict.fromkeys(("collection", "engine", "name"), name)
        add(store, folder, write_run(folder), **named)
    arguments = ["leaderboard", "-m", "AP", "--format", "csv", "--", name]
    [_, row] = csv.reader(io.StringIO(program(*arguments).stdout))
    assert row[5:7] == [name, name]


# --- run files -----------------------------------------------------------------------------------


@pytest.mark.usefixtures("files")
def test_a_leaderboard_of_files_is_that_of_the_same_runs_stored(program: Program) -> None:
    files = ("bm25.run", "tfidf.run")
    asked = ("leaderboard", *files, "--qrels", "test.qrels", "-m", "AP", "-m", "nDCG@7")
    of_files = program(*asked, "--baseline", "bm25.run", "--format", "csv").stdout
    assert not Path("evalstore.db").exists()
    program("ingest", "--collection", "test", "--qrels", "test.qrels", *files)
    stored = program(
        "leaderboard", "-m", "AP", "-m", "nDCG@7", "--baseline", "bm25", "--format", "csv"
    )
    assert of_files == stored.stdout
    summary = (
        "no run is shown to be best on AP over 3 queries of the judgments test: bm25 (0.7778) and "
        "tfidf share the lead"
    )
    assert summary in program(*asked).stdout.splitlines()
    assert json.loads(program(*asked, "--format", "json").stdout)["summary"] == summary


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("bm25.run",), "run files are ranked with --qrels FILE"),
        (("a", "b"), "one collection is expected, got 2 names: run files are ranked with"),
        (("bm25.run", "--qrels", "test.qrels", "--save"), "--save is for stored runs"),
    ],
)
def test_what_is_no_collection_says_how_files_are_ranked(
    program: Program, words: tuple[str, ...], message: str
) -> None:
    assert message in program("leaderboard", *words, status=2).stderr
