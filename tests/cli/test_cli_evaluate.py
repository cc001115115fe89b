"""`evalstore evaluate`: no database, four formats, figures under the names they were asked by."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from samples import BM25, NOTHING_FOR_Q3, TFIDF, Program, write, write_qrels, write_run

# AP by hand: q1 (1/1 + 2/3) / 2, q2 1, q3 1/2.
AP = {"q1": (1 + 2 / 3) / 2, "q2": 1.0, "q3": 0.5}
MAP = sum(AP.values()) / 3


@pytest.fixture
def files(folder: Path) -> tuple[str, str, str]:
    """A qrels and two runs in the current folder, by relative names."""
    write_qrels(folder)
    write_run(folder, BM25, "bm25.run")
    write_run(folder, TFIDF, "tfidf.run.gz", "tfidf")
    return "test.qrels", "bm25.run", "tfidf.run.gz"


def rows_of(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


# --- trec --------------------------------------------------------------------------------------


def test_trec_is_name_query_value_with_4_decimals_and_the_aggregate_under_all(
    program: Program, files: tuple[str, str, str]
) -> None:
    asked = ("-m", "P.10", "-m", "iprec_at_recall_0.20", "--format", "trec")
    lines = program("evaluate", *files[:2], *asked).stdout.splitlines()
    assert [line.split("\t")[0] for line in lines] == ["P_10", "iprec_at_recall_0.20"]
    done = program("evaluate", *files[:2], "-m", "map", "-m", "nDCG@10", "--format", "trec")
    name, query, value = done.stdout.splitlines()[0].split("\t")
    assert (name, query, value) == ("map", "all", "0.7778")
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == ["map", "nDCG@10"]


def test_trec_with_q_has_a_line_per_query_before_the_aggregate(
    program: Program, files: tuple[str, str, str]
) -> None:
    done = program("evaluate", *files[:2], "-m", "AP", "-q", "--format", "trec")
    assert done.stdout == "AP\tq1\t0.8333\nAP\tq2\t1.0000\nAP\tq3\t0.5000\nAP\tall\t0.7778\n"


def test_trec_of_several_runs_has_the_runs_name_first(
    program: Program, files: tuple[str, str, str]
) -> None:
    done = program("evaluate", *files, "-m", "AP", "--format", "trec")
    assert done.stdout == "bm25\tAP\tall\t0.7778\ntfidf\tAP\tall\t0.6944\n"


def test_trec_prints_counts_as_whole_numbers_as_trec_eval_does(
    program: Program, files: tuple[str, str, str]
) -> None:
    done = program("evaluate", *files[:2], "-m", "num_rel_ret", "-q", "--format", "trec")
    assert [line.split("\t")[2] for line in done.stdout.splitlines()] == ["2", "2", "1", "5"]


# --- csv ---------------------------------------------------------------------------------------


def test_csv_has_full_precision_and_an_empty_query_on_aggregate_rows(
    program: Program, files: tuple[str, str, str]
) -> None:
    done = program("evaluate", *files[:2], "-m", "AP", "-q", "--format", "csv")
    header, *rows = rows_of(done.stdout)
    assert header == ["query", "measure", "value"]
    assert [(query, float(value)) for query, _, value in rows] == [*AP.items(), ("", MAP)]


def test_csv_of_several_runs_has_the_runs_name_first(
    program: Program, files: tuple[str, str, str]
) -> None:
    header, *rows = rows_of(program("evaluate", *files, "-m", "AP", "--format", "csv").stdout)
    assert header == ["run", "query", "measure", "value"]
    assert [row[:3] for row in rows] == [["bm25", "", "AP"], ["tfidf", "", "AP"]]


# --- json --------------------------------------------------------------------------------------


def test_json_is_aggregates_and_queries(program: Program, files: tuple[str, str, str]) -> None:
    done = program("evaluate", *files[:2], "-m", "AP", "-m", "num_rel_ret", "--format", "json")
    (answer,) = json.loads(done.stdout).values()
    assert answer == {
        "aggregate": {"AP": MAP, "num_rel_ret": 5},
        "queries": {
            "q1": {"AP": AP["q1"], "num_rel_ret": 2},
            "q2": {"AP": AP["q2"], "num_rel_ret": 2},
            "q3": {"AP": AP["q3"], "num_rel_ret": 1},
        },
    }


def test_json_of_several_runs_is_by_run(program: Program, files: tuple[str, str, str]) -> None:
    answer = json.loads(program("evaluate", *files, "-m", "AP", "--format", "json").stdout)
    assert list(answer) == ["bm25", "tfidf"]
    assert answer["bm25"] == {
        "aggregate": {"AP": MAP},
        "queries": {qid: {"AP": value} for qid, value in AP.items()},
    }


# --- table -------------------------------------------------------------------------------------


def test_a_table_has_a_row_a_measure_and_a_column_a_run(
    program: Program, files: tuple[str, str, str]
) -> None:
    lines = program("evaluate", *files, "-m", "AP", "-m", "NumRet").stdout.splitlines()
    assert [line.split() for line in lines] == [
        ["measure", "bm25", "tfidf"],
        ["AP", "0.7778", "0.6944"],
        ["NumRet", "7", "6"],
    ]


def test_a_table_with_q_has_a_row_per_query_and_measure(
    program: Program, files: tuple[str, str, str]
) -> None:
    lines = program("evaluate", *files, "-m", "AP", "-q").stdout.splitlines()
    assert [line.split() for line in lines] == [
        ["query", "measure", "bm25", "tfidf"],
        ["q1", "AP", "0.8333", "0.2500"],
        ["q2", "AP", "1.0000", "0.8333"],
        ["q3", "AP", "0.5000", "1.0000"],
        ["(all)", "AP", "0.7778", "0.6944"],
    ]


def test_without_m_the_summary_is_shown(program: Program, files: tuple[str, str, str]) -> None:
    lines = program("evaluate", *files[:2]).stdout.splitlines()
    names = [line.split()[0] for line in lines[1:]]
    assert {"AP", "nDCG@10", "P@10", "RR"} <= set(names)


# --- names and order ---------------------------------------------------------------------------


def test_a_measure_appears_under_the_name_it_was_asked_by(
    program: Program, files: tuple[str, str, str]
) -> None:
    asked = ("map", "AP", "P.5,10", "P@5", "ndcg_cut_10", "recip_rank", "P(rel=2)@5")
    options = [word for name in asked for word in ("-m", name)]
    done = program("evaluate", *files[:2], *options, "--format", "json")
    (answer,) = json.loads(done.stdout).values()
    assert list(answer["aggregate"]) == [
        *("map", "AP", "P_5", "P_10", "P@5", "ndcg_cut_10", "recip_rank", "P(rel=2)@5"),
    ]
    assert answer["aggregate"]["map"] == answer["aggregate"]["AP"]
    assert answer["aggregate"]["P_5"] == answer["aggregate"]["P@5"]


def test_queries_stand_in_byte_order_for_programs_and_in_natural_order_for_people(
    program: Program, folder: Path
) -> None:
    qids = ["2", "10", "1", "01", "B", "a", "ä", "a-1", "all"]
    qrels = write_qrels(folder, {qid: {"d": 1} for qid in qids})
    run = write_run(folder, {qid: ["d"] for qid in reversed(qids)})
    asked = ("evaluate", qrels, run, "-m", "AP", "-q", "--format")
    expected = sorted(qids, key=str.encode)
    trec = program(*asked, "trec").stdout.splitlines()
    assert [line.split("\t")[1] for line in trec] == [*expected, "all"]
    assert [row[0] for row in rows_of(program(*asked, "csv").stdout)[1:]] == [*expected, ""]
    (answer,) = json.loads(program(*asked, "json").stdout).values()
    assert list(answer["queries"]) == expected
    table = program(*asked, "table").stdout.splitlines()
    natural = ["a", "a-1", "all", "B", "ä", "1", "01", "2", "10"]
    assert [line.split()[0] for line in table[1:]] == [*natural, "(all)"]


def test_a_query_named_all_is_not_the_aggregate(program: Program, folder: Path) -> None:
    qrels = write_qrels(folder, {"all": {"d": 1}, "q": {"d": 1}})
    run = write_run(folder, {"all": ["d"]})
    asked = ("evaluate", qrels, run, "-m", "AP", "-q", "--format")
    assert rows_of(program(*asked, "csv").stdout)[1:] == [
        ["all", "AP", "1.0"],
        ["q", "AP", "0.0"],
        ["", "AP", "0.5"],
    ]
    (answer,) = json.loads(program(*asked, "json").stdout).values()
    assert answer["aggregate"] == {"AP": 0.5}
    assert answer["queries"]["all"] == {"AP": 1.0}


def test_runs_whose_files_have_the_same_name_are_told_apart_by_their_paths(
    program: Program, folder: Path
) -> None:
    (folder / "a").mkdir()
    (folder / "b").mkdir()
    write_run(folder / "a", BM25, "x.run")
    write_run(folder / "b", TFIDF, "x.txt")
    qrels = write_qrels(folder)
    done = program("evaluate", qrels, "a/x.run", "b/x.txt", "-m", "AP", "--format", "json")
    assert list(json.loads(done.stdout)) == ["a/x.run", "b/x.txt"]


# --- which queries count -----------------------------------------------------------------------


def test_queries_without_an_answer_count_unless_common_is_said(
    program: Program, folder: Path
) -> None:
    qrels, run = write_qrels(folder), write_run(folder, NOTHING_FOR_Q3)
    asked = ("evaluate", qrels, run, "-m", "AP", "--format", "csv")
    assert rows_of(program(*asked).stdout)[1][2] == str(0.5 / 3)
    assert rows_of(program(*asked, "--common").stdout)[1][2] == "0.25"


def test_the_relevance_level_may_be_moved(program: Program, files: tuple[str, str, str]) -> None:
    asked = ("evaluate", *files[:2], "-m", "NumRel", "-m", "NumRel(rel=3)", "-l", "2")
    rows = rows_of(program(*asked, "--format", "csv").stdout)[1:]
    assert [row[2] for row in rows] == ["2", "1"]


# --- what goes wrong ---------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_bad_run_is_one_line_on_standard_error_and_the_others_are_evaluated(
    program: Program,
    files: tuple[str, str, str],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    jobs: str,
) -> None:
    monkeypatch.setattr("evalstore.evaluation.parallel.WORTH_IT", 0)
    write(folder / "bad.run", "q1 Q0 d1 1 9 t\nq1 Q0 d2 2\n")
    done = program(
        *("evaluate", files[0], files[1], "bad.run", "-m", "AP", "--format", "trec"),
        *("--jobs", jobs),
        status=1,
    )
    assert done.stdout == "bm25\tAP\tall\t0.7778\n"
    (line,) = done.stderr.splitlines()
    assert line.startswith("bad.run:2: expected 6 columns, found 4")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["missing.qrels", "bm25.run"], "missing.qrels: "),
        (["test.qrels", "missing.run"], "missing.run: "),
        (["bm25.run", "test.qrels"], "bm25.run:1: "),
        (["test.qrels", "."], ".: "),
        (["test.qrels", "bm25.run", "-m", "nDGC@10"], "did you mean 'nDCG'"),
        (["test.qrels", "bm25.run", "-m", ""], ""),
        (["test.qrels", "bm25.run", "-m", "P@0"], "P@0"),
        (["test.qrels", "bm25.run", "--encoding", "nonsense"], "nonsense"),
        (["test.qrels", "bm25.run", "--max-bytes", "10"], "more than 10 bytes"),
    ],
)
def test_bad_data_is_one_line_and_status_1(
    program: Program, files: tuple[str, str, str], arguments: list[str], said: str
) -> None:
    done = program("evaluate", *arguments, status=1)
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert said in line


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["test.qrels"],
        ["test.qrels", "bm25.run", "--format", "xml"],
        ["test.qrels", "bm25.run", "--nonsense"],
        ["test.qrels", "bm25.run", "-l", "zero"],
        ["test.qrels", "bm25.run", "--max-bytes", "-1"],
        ["-", "-"],
    ],
)
def test_wrong_usage_is_status_2(
    program: Program, files: tuple[str, str, str], arguments: list[str]
) -> None:
    done = program("evaluate", *arguments, status=2)
    assert done.stdout == ""
    assert "Usage:" in done.stderr


def test_evaluate_makes_no_database(program: Program, files: tuple[str, str, str]) -> None:
    program("evaluate", *files)
    assert not Path("evalstore.db").exists()


def test_odd_input_is_a_warning_on_standard_error_and_no_failure(
    program: Program, files: tuple[str, str, str], folder: Path
) -> None:
    run = write_run(folder, {**BM25, "unjudged": ["d1"]}, "odd.run")
    done = program("evaluate", files[0], run, "-m", "AP", "--format", "trec")
    assert done.stdout == "AP\tall\t0.7778\n"
    (line,) = done.stderr.splitlines()
    assert line.startswith("warning: ")
    assert "1 of 4 queries have no judgments" in line
