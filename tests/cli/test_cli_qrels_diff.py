"""`evalstore qrels diff`: two qrels for people and programs, of files and of a store."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from samples import QRELS, TFIDF, Program, add, write_qrels, write_run

from evalstore.comparison.choosing.baselines import set_baseline
from evalstore.store import Store

CONTRACT = [
    *("both", "only_a", "only_b", "grades", "confusion", "agreement", "kappa", "kappa_linear"),
    *("kappa_quadratic", "alpha_nominal", "alpha_ordinal", "alpha_interval", "relevant_overlap"),
    "leaderboard",
]
OF_RUNS = ["measure", "tau", "tau_ap", "rbo", "kept", "lost", "new", "turned"]
STRICT = {"q1": {"d1": 2, "d2": 0, "d3": 0}, "q2": {"d4": 1, "d5": 0, "d9": 2}}
# Judged in both: q1 d1 (2, 2), d2 (1, 0), d3 (0, 0), q2 d4 (1, 1), d5 (1, 0). test alone: q3 d6.

TEXT = """\
Neither a nor b shows a difference between these runs on P@1. 60 % of the 5 documents that both \
judged have the same grade (kappa 0.44: moderate), and b is stricter by 0.40 grades; a judges 1 \
more and b judges 1 more.
a = test.qrels, b = strict.qrels
note: all runs are equal under a: tau-AP and RBO follow from their names
note: the figures are over different queries: 1 is judged in one of the two alone

grade in a  0 in b  1 in b  2 in b  3 in b  not judged  b - a
0                1       0       0       0           0  +0.00
1                2       1       0       0           0  -0.67
2                0       0       1       0           0  +0.00
3                0       0       0       0           1
not judged       0       0       1       0
"""


@pytest.fixture
def judged(folder: Path) -> Path:
    """Files of two qrels and two runs."""
    write_qrels(folder, QRELS)
    write_qrels(folder, STRICT, "strict.qrels")
    write_run(folder)
    write_run(folder, TFIDF, "tfidf.run", "tfidf")
    return folder


@pytest.fixture
def stored(judged: Path) -> Path:
    """A store of both, and a third run that was evaluated under `test` alone."""
    runs = [str(judged / name) for name in ("bm25.run", "tfidf.run")]
    with Store.open(str(judged / "evalstore.db")) as store:
        add(store, judged, *runs)
        add(store, judged, *runs, qrels=str(judged / "strict.qrels"))
        add(store, judged, write_run(judged, {"q1": ["d2"]}, "other.run", "other"))
    return judged


FILES = ("qrels", "diff", "test.qrels", "strict.qrels")
RUNS = ("--runs", "bm25.run", "tfidf.run", "-m", "P@1")


@pytest.mark.usefixtures("judged")
def test_json_has_the_names_of_the_contract(program: Program) -> None:
    document = json.loads(program(*FILES, "--format", "json").stdout)
    assert set(CONTRACT) <= set(document)
    assert document["leaderboard"] is None
    assert (document["both"], document["only_a"], document["only_b"]) == (5, 1, 1)
    assert document["grades"] == [0, 1, 2, 3]
    assert document["confusion"] == [[1, 0, 0, 0], [2, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0]]
    assert document["not_judged_in_a"] == [0, 0, 1, 0]
    assert document["relevant_overlap"] == pytest.approx(2 / 6)
    assert document["relevant_overlap_both"] == pytest.approx(2 / 4)
    assert len(document["intervals"]["relevant_overlap_both"]) == 2
    document = json.loads(program(*FILES, *RUNS, "--format", "json").stdout)
    assert list(document["leaderboard"])[: len(OF_RUNS)] == OF_RUNS
    # bm25 has d1 and d5 first, tfidf d3, d5 and d6: 2/3 each under test; 1/2 and 0 under strict.
    assert document["leaderboard"]["tau"] is None
    assert document["leaderboard"]["largest_drop"]["run"] == "tfidf"


@pytest.mark.usefixtures("judged")
def test_the_text_begins_with_what_may_be_concluded(program: Program) -> None:
    text = program(*FILES, *RUNS).stdout
    assert text.startswith(TEXT)
    assert "\n\nclaims of all pairs: 0 kept, 0 lost, 0 new, 0 turned\n" in text
    assert "largest drop: tfidf, from rank 1 to 2\n" in text
    assert "\noverlap of the relevant               0.5000" in text
    assert "\n  not judged counts as not relevant   0.3333" in text
    of_ap = program(*FILES, *RUNS[:3], "-m", "AP").stdout
    assert " half of what changes between the runs: q" in of_ap
    assert text.splitlines()[-1].split() == ["tfidf", "0.6667", "0.0000", "-0.6667", "1", "2"]


@pytest.mark.usefixtures("judged")
def test_a_row_a_query(program: Program) -> None:
    assert program(*FILES, "-q", "--format", "csv").stdout.splitlines() == [
        "qid,both,only_a,only_b,agreement,kappa,kappa_binary,bias,relevant_overlap",
        "q1,3,0,0,0.6666666666666666,0.5,0.4,-0.3333333333333333,0.5",
        "q2,2,0,1,0.5,0.0,0.0,-0.5,0.3333333333333333",
        "q3,0,1,0,,,,,0.0",
    ]
    assert program(*FILES, "-q").stdout.splitlines()[-1].split() == ["q3", "0", "1", "0", "0.0000"]
    figures = program(*FILES, *RUNS, "--format", "csv").stdout.splitlines()
    assert figures[:4] == ["figure,value,low,high", "both,5,,", "only_a,1,,", "only_b,1,,"]
    assert figures[-1] == "turned,0,,"


@pytest.mark.usefixtures("stored")
def test_stored_qrels_are_compared_with_the_runs_evaluated_under_both(program: Program) -> None:
    stored = ("qrels", "diff", "test", "strict", "-m", "P@1", "--format", "json")
    document = json.loads(program(*stored).stdout)
    assert [run["run"] for run in document["leaderboard"]["runs"]] == ["bm25", "tfidf"]
    of_files = json.loads(program(*FILES, *RUNS, "--format", "json").stdout)
    for name in (*CONTRACT[:-1], "intervals", "queries"):
        assert document[name] == of_files[name], name
    for name in (*OF_RUNS, "runs", "top_10"):
        assert document["leaderboard"][name] == of_files["leaderboard"][name], name
    named = json.loads(program(*stored, "--collection", "test").stdout)
    assert named == document
    with_files = program(*stored[:-2], "--runs", "bm25.run", "tfidf.run", "--format", "json").stdout
    assert json.loads(with_files)["leaderboard"] == of_files["leaderboard"]


def test_claims_are_of_the_baseline_of_the_collection(program: Program, stored: Path) -> None:
    more = write_run(stored, {"q1": ["d3", "d1"]}, "more.run", "more")
    with Store.open(str(stored / "evalstore.db")) as store:
        for qrels in ("test", "strict"):
            add(store, stored, more, qrels=str(stored / f"{qrels}.qrels"))
        set_baseline(store, "tfidf", "test")
    asked = ("qrels", "diff", "test", "strict", "--format", "json")
    assert json.loads(program(*asked).stdout)["leaderboard"]["baseline"] == "tfidf"
    named = json.loads(program(*asked, "--baseline", "more").stdout)
    assert named["leaderboard"]["baseline"] == "more"


def test_what_can_not_be_compared(program: Program, stored: Path) -> None:
    other = write_qrels(stored, {"q1": {"d77": 1}}, "other.qrels")
    with Store.open(str(stored / "evalstore.db")) as store:
        add(store, stored, str(stored / "bm25.run"), qrels=other, collection="another")
    for names, message in (
        (("test.qrels", "other.qrels"), "share 1 query and no judged document"),
        (("test", "strct"), "there is no qrels 'strct' in the store; did you mean 'strict'?"),
        (("test", "other"), "the qrels are of different collections: 'test' of 'test', 'other' of"),
        (("test", "strct", "--collection", "test"), "did you mean 'strict'?"),
        (("test", "strict", "--collection", "tset"), "no collection 'tset' in the store; did you"),
    ):
        assert message in program("qrels", "diff", *names, status=1).stderr
    mixed = program("qrels", "diff", "test", "strict.qrels", status=2).stderr
    assert "strict.qrels is a file, and there is no file test: give files, or stored" in mixed
    both = program("qrels", "diff", *FILES[2:], "--collection", "test", status=1).stderr
    assert both.endswith("; files take no --collection\n")


def test_families_are_of_a_file_or_the_parameter_of_the_runs(
    program: Program, stored: Path
) -> None:
    (stored / "families").write_text("bm25 gpt\nother-engine llama\n", "utf-8")
    asked = (*FILES, *RUNS[:3], "-m", "P@1", "--families", "families")
    [of_files] = json.loads(program(*asked, "--format", "json").stdout)["families"]
    # Judged in both, bm25 has d1 and d2 for q1, d5 and d4 for q2.
    assert (of_files["family"], of_files["runs"], of_files["favoured"]) == ("gpt", 1, "no")
    text = program(*asked).stdout
    assert text.splitlines()[-2].startswith("family  runs  documents    b - a")
    stored_qrels = ("qrels", "diff", "test", "strict", "-m", "P@1", "--format", "json")
    assert json.loads(program(*stored_qrels).stdout)["families"] == []
    program("runs", "edit", "bm25", "--param", "family=gpt")
    assert json.loads(program(*stored_qrels).stdout)["families"] == [of_files]
    without_runs = program(*FILES, "--families", "families", status=2).stderr
    assert "--baseline and --families belong to --runs" in without_runs
    (stored / "families").write_text("bm52 gpt\n", "utf-8")
    assert "families: it names the engine or run of none" in program(*asked).stderr
    (stored / "families").write_text("bm25 gpt\nbm25 llama\n", "utf-8")
    wrong = program(*asked, status=1).stderr
    assert "families:2: 'bm25' has another family above: gpt" in wrong


@pytest.mark.usefixtures("stored")
def test_repeats_of_files_and_of_a_store(program: Program) -> None:
    files = ("qrels", "repeats", "test.qrels", "strict.qrels")
    text = program(*files, *RUNS).stdout
    assert text.startswith("2 repeats give 60.0 % of 5 documents one grade (variance 0.200); 2 are")
    assert "bm25   0.5833  0.1179  0.5000  0.6667       1\n" in text
    of_files = json.loads(program(*files, *RUNS, "--format", "json").stdout)
    asked = ("qrels", "repeats", "test", "strict", "-m", "P@1", "--format", "json")
    of_store = json.loads(program(*asked).stdout)
    for name in (
        "documents",
        "partly",
        "same",
        "agreement",
        "variance",
        "turned",
        "runs",
        "claims",
    ):
        assert of_store[name] == of_files[name], name
    assert "two qrels or more" in program(*files[:3], status=2).stderr
    assert "give them with --runs" in program(*files, "--baseline", "bm25", status=2).stderr
