"""`evalstore compare`: stored runs or files, one verdict, three formats."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from samples import QRELS, TFIDF, Program, add, write_qrels, write_run

from evalstore.store import Store

pytestmark = pytest.mark.slow  # many resamples

FILES = ("bm25.run", "tfidf.run", "--qrels", "test.qrels")
PAIR_KEYS = [
    *("a", "b", "measure", "queries", "mean_a", "mean_b", "difference", "interval"),
    *("p", "p_corrected", "cohens_d", "wins", "ties", "losses"),
    *("verdict", "reason", "sentence", "bounds", "family"),
]


def as_json(program: Program, *arguments: str, status: int = 0) -> dict[str, object]:
    done = program("compare", *arguments, "--format", "json", status=status)
    document: dict[str, object] = json.loads(done.stdout)
    return document


@pytest.mark.usefixtures("files")
def test_json_has_exactly_the_documented_keys_and_figures_by_hand(program: Program) -> None:
    document = as_json(program, *FILES, "-m", "AP")
    assert list(document) == ["comparable", "reasons", "notes", "pairs"]
    assert (document["comparable"], document["reasons"]) == ("yes", [])
    [pair] = document["pairs"]  # type: ignore[misc]
    assert list(pair) == PAIR_KEYS
    assert list(pair["p"]) == list(pair["p_corrected"])
    assert list(pair["p"]) == ["t", "wilcoxon", "sign", "randomization"]
    # AP by hand: bm25 5/6, 1, 1/2; tfidf 1/4, 5/6, 1.
    means = ((5 / 6 + 1 + 1 / 2) / 3, (1 / 4 + 5 / 6 + 1) / 3)
    assert (pair["a"], pair["b"], pair["measure"], pair["queries"]) == ("bm25", "tfidf", "AP", 3)
    assert (pair["mean_a"], pair["mean_b"]) == (pytest.approx(means[0]), pytest.approx(means[1]))
    assert pair["difference"] == pytest.approx(means[1] - means[0])
    assert (pair["wins"], pair["ties"], pair["losses"]) == (1, 0, 2)
    assert pair["interval"][0] < pair["difference"] < pair["interval"][1]
    assert (pair["verdict"], pair["family"]) == ("undecided", "Holm over 1 pair")
    assert pair["reason"].startswith("no result of so few queries could show this; p = 0.816")
    assert pair["sentence"].startswith("tfidf is behind bm25 on AP by 0.0833 (")
    assert pair["bounds"] is None


@pytest.mark.usefixtures("files")
def test_where_unjudged_documents_could_turn_a_difference_the_runs_are_partly_comparable(
    program: Program,
) -> None:
    """P@1 by hand: 1, 1, 0 (d8 is not judged) for bm25, and 0, 1, 1 for tfidf."""
    document = as_json(program, *FILES, "-m", "P@1")
    [pair] = document["pairs"]  # type: ignore[misc]
    assert (pair["difference"], pair["bounds"]) == (0, [pytest.approx(-1 / 3), 0])
    assert "; open: 1 unjudged document could turn it (between −0.3333 and 0" in pair["sentence"]
    assert document["comparable"] == "partly"
    assert document["reasons"] == [
        "unlike shares are judged, and more judgments could turn tfidf and bm25 on P@1"
    ]


@pytest.mark.usefixtures("stored")
def test_stored_runs_and_files_give_the_same(program: Program) -> None:
    measures = ("-m", "AP", "-m", "P@7", "-m", "NumRet")  # P@7 is not stored, but computed
    of_files = as_json(program, *FILES, *measures)
    assert as_json(program, "bm25", "tfidf", *measures) == of_files
    assert as_json(program, "1", "2", *measures) == of_files
    assert as_json(program, "bm25", "tfidf", "--qrels", "test", *measures) == of_files


@pytest.mark.usefixtures("files")
def test_the_table_says_verdict_figures_sentence_and_worst_queries(program: Program) -> None:
    lines = program("compare", *FILES, "-m", "AP").stdout.splitlines()
    assert lines[0].startswith("comparable: same judgments, 3 of 3 queries, depth 3, compat exact")
    assert lines[1].startswith("note: ")
    header = next(line for line in lines if line.startswith("a "))
    assert header.split("  ")[0] == "a"
    assert "95 % interval" in header
    assert "1/0/2" in lines[lines.index(header) + 1]
    assert any(line.startswith("tfidf is behind bm25 on AP by 0.0833 (") for line in lines)
    worst = lines.index("largest losses of b on AP:")
    assert [line.split()[0] for line in lines[worst + 2 :]] == ["q1", "q2"]


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("baseline", [(), ("--baseline", "tfidf"), ("--baseline", "bm25")])
def test_three_runs_begin_with_the_sentence_of_their_leaderboard(
    program: Program, baseline: tuple[str, ...]
) -> None:
    rules = ("-m", "AP", "--test", "wilcoxon", "--correction", "bonferroni", "--alpha", "0.2")
    ranked = program("leaderboard", "test", *rules, *baseline).stdout.splitlines()
    assert (line := ranked[ranked.index("") + 1]).startswith("no run is shown to be best on AP")
    names = ("bm25", "tfidf", "partial")
    assert program("compare", *names, *rules, *baseline).stdout.splitlines()[0] == line
    option, named = (baseline[:1], [f"{run}.run" for run in baseline[1:]])
    runs = [f"{run}.run" for run in names]
    of_files = program("compare", *runs, *FILES[2:], *rules, *option, *named).stdout
    assert of_files.splitlines()[0] == line


@pytest.mark.usefixtures("files")
def test_only_runs_that_can_be_ranked_have_the_sentence(program: Program) -> None:
    three = ("compare", *FILES, "partial.run", "-m", "AP")
    assert program(*three).stdout.startswith("no run is shown to be best on AP over 3 queries of")
    for call in ((*three, "--correction", "none"), (*three[:-1], "NumRet"), ("compare", *FILES)):
        assert " comparable" in f" {program(*call).stdout}"[:20]
    only = program(*three, "--queries", "common").stdout
    assert only.startswith("no run is shown to be best on AP over 2 queries of the judgments test")


@pytest.mark.usefixtures("files")
def test_worst_says_how_many_queries_are_listed(program: Program) -> None:
    one = program("compare", *FILES, "-m", "AP", "--worst", "1").stdout
    assert [line.split()[0] for line in one.splitlines()[-1:]] == ["q1"]
    assert "largest losses" not in program("compare", *FILES, "--worst", "0").stdout


@pytest.mark.usefixtures("files")
def test_plot_is_a_histogram_of_the_differences(program: Program) -> None:
    text = program("compare", *FILES, "-m", "AP", "--plot").stdout
    plot = text.split("tfidf - bm25, AP: differences of 3 queries\n")[1]
    assert sum(int(line.split()[-1]) for line in plot.splitlines()) == 3
    assert plot.count("#") == 3


@pytest.mark.usefixtures("files")
def test_csv_has_a_row_a_pair_and_measure_and_the_verdict_in_each(program: Program) -> None:
    done = program("compare", *FILES, "-m", "AP", "-m", "P@1", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [(row["comparable"], row["measure"]) for row in rows] == [
        ("partly", "AP"),
        ("partly", "P@1"),
    ]
    assert float(rows[0]["p_corrected_t"]) >= float(rows[0]["p_t"])


@pytest.mark.usefixtures("files")
def test_a_baseline_is_compared_with_each_other_run(program: Program) -> None:
    runs = ("bm25.run", "partial.run", "--qrels", "test.qrels", "-m", "AP")
    document = as_json(program, *runs, "--baseline", "tfidf.run")
    pairs = [(pair["a"], pair["b"]) for pair in document["pairs"]]  # type: ignore[attr-defined]
    assert pairs == [("tfidf", "bm25"), ("tfidf", "partial")]


@pytest.mark.usefixtures("stored")
def test_a_query_that_a_run_does_not_answer_makes_it_partly(program: Program) -> None:
    document = as_json(program, "bm25", "partial", "-m", "AP")
    assert document["comparable"] == "partly"
    answered = "2 of 3 queries answered by both; q3 missing from partial"
    assert document["reasons"][0] == f"{answered}; they count as empty rankings"  # type: ignore[index]
    assert document["pairs"][0]["queries"] == 3  # type: ignore[index]
    assert as_json(program, "bm25.run", "partial.run", *FILES[2:], "-m", "AP") == document
    common = as_json(program, "bm25", "partial", "-m", "AP", "--queries", "common")
    assert common["reasons"][0] == f"{answered}; the others are left out"  # type: ignore[index]
    assert common["pairs"][0]["queries"] == 2  # type: ignore[index]


@pytest.mark.usefixtures("files")
def test_queries_takes_a_word_and_a_file_each_once(program: Program) -> None:
    Path("queries.tsv").write_text("q1\tthe first query\n")
    asked = ("compare", *FILES, "-m", "AP", "--queries", "common", "--queries")
    assert "the first query" in program(*asked, "queries.tsv").stdout
    done = program(*asked, "judged", status=2)
    assert "--queries is given twice: common and judged" in done.stderr


@pytest.mark.usefixtures("files")
def test_runs_are_equivalent_only_within_a_margin_above_0(program: Program) -> None:
    done = program("compare", *FILES, "--margin", "0", status=2)
    assert "--margin" in done.stderr
    qids = [f"q{number}" for number in range(6)]
    Path("six.qrels").write_text("".join(f"{qid} 0 d1 1\n" for qid in qids))
    for name in ("a", "b"):
        write_run(Path(), {qid: ["d1"] for qid in qids}, f"{name}.run", name)
    asked = ("a.run", "b.run", "--qrels", "six.qrels", "-m", "AP", "--margin", "0.01")
    assert as_json(program, *asked)["pairs"][0]["verdict"] == "equivalent"  # type: ignore[index]


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("shape", ["table", "csv", "json"])
def test_what_can_not_be_compared_says_why_gives_no_figure_and_ends_with_1(
    program: Program, shape: str
) -> None:
    write_run(Path(), {"q9": ["d1"]}, "other.run")
    arguments = ("bm25.run", "other.run", "--qrels", "test.qrels", "--format", shape)
    done = program("compare", *arguments, status=1)
    assert "not comparable, because the runs share no judged query that both answer" in done.output
    assert "better than" not in done.output
    if shape == "json":
        document = json.loads(done.stdout)
        assert (document["comparable"], document["pairs"]) == ("no", [])


def test_runs_of_different_collections_are_not_comparable(program: Program, stored: Path) -> None:
    with Store.open("evalstore.db") as store:
        other = write_run(stored, TFIDF, "another.run")
        add(store, stored, other, collection="other")
    document = as_json(program, "bm25", "another", status=1)
    assert document == {
        "comparable": "no",
        "reasons": ["the runs are of different collections: bm25 'test', another 'other'"],
        "notes": [],
        "pairs": [],
    }


@pytest.mark.usefixtures("files")
def test_json_holds_no_nan_and_no_infinity(program: Program) -> None:
    """One query has no interval and no standard deviation; equal differences no finite d."""
    write_qrels(Path(), {"q1": QRELS["q1"]}, "one.qrels")
    document = as_json(program, *FILES[:2], "--qrels", "one.qrels", "-m", "AP")
    [pair] = document["pairs"]  # type: ignore[misc]
    assert (pair["interval"], pair["cohens_d"]) == ([None, None], None)


@pytest.mark.usefixtures("files")
def test_the_order_of_the_lines_changes_nothing(program: Program) -> None:
    expected = as_json(program, *FILES)
    for name in ("bm25.run", "tfidf.run", "test.qrels"):
        lines = Path(name).read_text().splitlines(keepends=True)
        Path(name).write_text("".join(reversed(lines)))
    assert as_json(program, *FILES) == expected


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("bm25.run", "--qrels", "test.qrels"), "give two runs or more"),
        (("bm25.run", "tfidf.run"), "to compare files give their judgments: --qrels FILE"),
        (("bm25.run", "tfidf.run", "--qrels", "none"), "there is no file none"),
        (("bm25.run", "tfidf"), "bm25.run is a file, and not all runs are"),
        ((*FILES, "--alpha", "2"), "--alpha"),
        ((*FILES, "--collection", "test"), "--collection is for stored runs"),
        (("bm25", "tfidf", "--compat", "trec_eval-9"), "--compat is for files"),
        (("bm25", "tfidf", "--times", "t.tsv"), "--times is for files"),
        ((*FILES, "--test", "f"), "--test"),
    ],
)
def test_usage_that_can_not_be_ends_with_2(
    program: Program, arguments: tuple[str, ...], message: str
) -> None:
    assert message in program("compare", *arguments, status=2).stderr


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("bm25", "tfdif"), "there is no run 'tfdif' in the store; did you mean 'tfidf'?"),
        (("bm25", "tfidf", "--qrels", "tset"), "has no qrels 'tset'; did you mean 'test'?"),
        (("bm25", "tfidf", "--qrels", "test.qrels"), "test.qrels is a file, and the runs are"),
        (("bm25", "tfidf", "-m", "nDGC"), "nDCG"),
        (("bm25.run", "none.run", "--qrels", "test.qrels"), "none.run"),
    ],
)
def test_a_wrong_name_is_one_line_and_ends_with_1(
    program: Program, arguments: tuple[str, ...], message: str
) -> None:
    done = program("compare", *arguments, status=1)
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.usefixtures("stored")
def test_nothing_is_written(program: Program) -> None:
    before = Path("evalstore.db").read_bytes()
    program("compare", "bm25", "tfidf", "-m", "P@7")
    assert Path("evalstore.db").read_bytes() == before


@pytest.mark.usefixtures("files")
def test_two_files_of_the_same_name_keep_their_paths(program: Program) -> None:
    os.mkdir("new")
    write_run(Path("new"), TFIDF, "bm25.run")
    document = as_json(program, "bm25.run", "new/bm25.run", "--qrels", "test.qrels", "-m", "AP")
    [pair] = document["pairs"]  # type: ignore[misc]
    assert (pair["a"], pair["b"]) == ("bm25.run", "new/bm25.run")


@pytest.mark.usefixtures("stored")
def test_a_comparison_does_not_wait_for_pandas(folder: Path) -> None:
    script = (
        "import sys; from evalstore.cli import cli; "
        "cli(['compare', 'bm25', 'tfidf'], standalone_mode=False); "
        "assert 'pandas' not in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.usefixtures("files")
def test_values_per_query_and_notes_are_in_json_and_csv_on_request(program: Program) -> None:
    document = as_json(program, *FILES, "-m", "AP", "-q")
    few = "3 queries are few: only large differences can be shown with them"
    assert document["notes"][-1] == few  # type: ignore[index]
    assert document["queries"] == [
        {
            "qid": qid,
            "query": None,
            "values": {"bm25": {"AP": pytest.approx(a)}, "tfidf": {"AP": pytest.approx(b)}},
        }
        for qid, a, b in AP_BY_HAND
    ]
    done = program("compare", *FILES, "-m", "AP", "-q", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [(row["qid"], float(row["value_a"]), float(row["value_b"])) for row in rows] == [
        (qid, pytest.approx(a), pytest.approx(b)) for qid, a, b in AP_BY_HAND
    ]
    assert [float(row["difference"]) for row in rows] == pytest.approx(
        [b - a for _, a, b in AP_BY_HAND]
    )
    done = program("compare", *FILES, "-q", status=2)
    assert "`evalstore values` prints a table" in done.stderr


AP_BY_HAND = [("q1", 5 / 6, 1 / 4), ("q2", 1.0, 5 / 6), ("q3", 0.5, 1.0)]


# --- evalstore values ----------------------------------------------------------------------------


@pytest.mark.usefixtures("files")
def test_values_are_a_row_a_query_and_a_column_a_run_and_measure(program: Program) -> None:
    asked = ("values", *FILES, "-m", "map")
    done = program(*asked)
    assert done.stderr == "map of each query under the judgments test.qrels\n"
    assert done.stdout.splitlines() == [
        "query    bm25   tfidf",
        "q1     0.8333  0.2500",
        "q2     1.0000  0.8333",
        "q3     0.5000  1.0000",
    ]
    header, first, *_ = program(*asked, "-m", "P@1", "--format", "csv").stdout.splitlines()
    assert header == "qid,query,bm25 map,bm25 P@1,tfidf map,tfidf P@1"
    assert first.split(",")[:2] == ["q1", ""]
    latex = program(*asked, "--format", "latex").stdout
    assert r"]{map of each query under the judgments test.qrels.}" in latex


@pytest.mark.usefixtures("files")
def test_values_over_the_common_queries_are_of_those_that_all_runs_answer(
    program: Program, tmp_path: Path
) -> None:
    few = write_run(tmp_path, {"q2": ["d5"], "q3": ["d6"]}, "few.run")
    asked = ("values", "bm25.run", few, "--qrels", "test.qrels", "--queries", "common")
    done = program(*asked, "-m", "AP", "--format", "csv")
    assert [line.split(",")[0] for line in done.stdout.splitlines()] == ["qid", "q2", "q3"]
    assert done.stderr == "over the 2 of 3 queries that all runs answer\n"
    other = write_run(tmp_path, {"q9": ["d5"]}, "other.run")
    refused = program("values", *FILES[:1], other, *FILES[2:], *asked[-2:], status=1)
    assert "the runs share no judged query that all of them answer" in refused.stderr


@pytest.mark.usefixtures("files")
def test_the_worst_queries_come_first_and_json_has_one_shape_for_one_run_and_for_many(
    program: Program,
) -> None:
    for runs, worst in ((("bm25.run",), ["q3", "q1"]), (("bm25.run", "tfidf.run"), ["q1", "q3"])):
        asked = (*runs, "--qrels", "test.qrels", "-m", "AP", "--worst", "2", "--format", "json")
        rows = json.loads(program("values", *asked).stdout)
        assert [row["qid"] for row in rows] == worst
        assert [list(row["values"]) for row in rows] == [[run[:-4] for run in runs]] * 2
        assert all(isinstance(row["values"]["bm25"]["AP"], float) for row in rows)


def test_values_of_stored_runs_are_those_of_their_files(
    program: Program, store: Store, tmp_path: Path, files: None
) -> None:
    add(store, tmp_path, "bm25.run", "tfidf.run", qrels="test.qrels")
    url = store.engine.url.render_as_string(hide_password=False)
    stored = program("values", "bm25", "tfidf", "-m", "nDCG@7", "--db", url)
    assert stored.stdout == program("values", *FILES, "-m", "nDCG@7").stdout


@pytest.mark.usefixtures("files")
def test_all_pairs_of_many_runs_are_compared_only_on_request(
    program: Program, tmp_path: Path
) -> None:
    many = [write_run(tmp_path, TFIDF, f"run{number}.run") for number in range(26)]
    asked = ("compare", *many, "--qrels", "test.qrels", "-m", "AP", "--format", "csv")
    done = program(*asked, status=2)
    assert "26 runs are 325 pairs: --baseline RUN compares every other run with one" in done.stderr
    with_baseline = program(*asked, "--baseline", many[0])
    assert len(with_baseline.stdout.splitlines()) == 1 + 25


def test_a_models_judgments_of_further_queries_correct_the_difference(
    program: Program, stored: Path
) -> None:
    few = write_qrels(stored, {qid: QRELS[qid] for qid in ("q1", "q2")}, "few.qrels")
    with Store.open(str(stored / "evalstore.db")) as store:
        add(store, stored, *(str(stored / f"{run}.run") for run in ("bm25", "tfidf")), qrels=few)
    asked = ("-m", "P@1", "--predicted-by")
    of_files = as_json(program, *FILES[:3], "few.qrels", *asked, "test.qrels")
    of_store = as_json(program, "bm25", "tfidf", "--qrels", "few", *asked, "test")
    [one], [other] = (of["predicted"] for of in (of_files, of_store))  # type: ignore[misc]
    assert {**one, "predicted_by": "test"} == other
    assert (one["queries"], one["predicted_queries"], one["difference_alone"]) == (2, 1, -0.5)
    text = program("compare", *FILES[:3], "few.qrels", *asked, "test.qrels").stdout
    assert "tfidf less bm25 on P@1, corrected by the judgments of test.qrels on 1 further" in text
    with_itself = (*FILES, *asked, "test.qrels")
    message = "judges no query that 'test.qrels' does not: its judgments add nothing"
    assert message in program("compare", *with_itself, status=1).stderr
