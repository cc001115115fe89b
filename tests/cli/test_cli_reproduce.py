"""`evalstore reproduce`: files and stored runs, with and without a baseline."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from samples import NOTHING_FOR_Q3, Program, add, write_run

from evalstore.store import Store

FILES = ("bm25.run", "tfidf.run", "--qrels", "test.qrels")
BASELINES = ("--baseline", "tfidf.run", "--reproduced-baseline", "bm25.run")
# bm25: q1 d1 d9 d2, q2 d5 d4, q3 d8 d6; tfidf: q1 d3 d1, q2 d5 d9 d4, q3 d6.
TABLE = """\
tfidf as a reproduction of bm25, 3 queries
The paired t test does not tell the two runs apart on P@1 (smallest p 1.0000).
note: judged are 71 % of the top 10 of bm25 and 83 % of the top 10 of tfidf; documents without a \
judgment count as not relevant, so bm25 may be better than it looks
note: 3 queries are few: only large differences can be shown with them
note: the rankings of bm25 and tfidf differ in length on 3 of 3 queries: ktu compares them down to \
the end of the shorter (repro_eval refuses them)
note: ktu of bm25 and tfidf is not defined on 1 of 3 queries, where a ranking has a single document
note: rbo goes down to 1,000 documents: equal rankings as short as those of bm25 have 0.2933

figure          measure    value
ktu                      -1.0000
rbo                       0.1523
rmse            P@1       0.8165
nrmse           P@1       0.8165
ttest           P@1       1.0000
ttest_unpaired  P@1       1.0000
"""


@pytest.fixture
def stored(files: Path) -> None:
    with Store.open(str(files / "evalstore.db")) as store:
        add(store, files, str(files / "bm25.run"), str(files / "tfidf.run"))


@pytest.mark.usefixtures("files")
def test_the_table_has_figures_of_rankings_and_values(program: Program) -> None:
    assert program("reproduce", *FILES, "-m", "P@1").stdout == TABLE


@pytest.mark.usefixtures("files")
def test_json_has_the_baseline_and_the_effects(program: Program) -> None:
    given = (*FILES, *BASELINES, "-m", "P@1", "--format", "json")
    found = json.loads(program("reproduce", *given).stdout)
    assert (found["original"], found["reproduction"]) == ("bm25.run", "tfidf.run")
    assert found["queries"] == 3
    assert found["sentence"] == (
        "The paired t test does not tell the two runs apart on P@1 (smallest p 1.0000)."
    )  # no share of an effect, as the means are equal
    # P@1 of q1, q2, q3: bm25 1 1 0, tfidf 0 1 1.
    assert found["rmse"]["P@1"] == found["baseline"]["rmse"]["P@1"] == pytest.approx((2 / 3) ** 0.5)
    assert found["er"] == {"P@1": None}  # the means are equal
    assert found["dri"] == {"P@1": 0.0}
    assert found["per_query"]["q2"]["ktu"] == -1.0
    assert found["per_query"]["q3"]["ktu"] is None


@pytest.mark.usefixtures("stored")
def test_stored_runs_have_the_figures_of_their_files(program: Program) -> None:
    of_files = program("reproduce", *FILES, *BASELINES, "--format", "csv", "-q").stdout
    named = ("bm25", "2", "--baseline", "tfidf", "--reproduced-baseline", "1")
    assert program("reproduce", *named, "--format", "csv", "-q").stdout == of_files
    rows = list(csv.DictReader(io.StringIO(of_files)))
    assert list(rows[0]) == ["figure", "measure", "query", "value", "baseline"]
    assert [row["query"] for row in rows if row["figure"] == "ktu"] == ["", "q1", "q2", "q3"]
    assert {row["measure"] for row in rows} == {"", "AP", "nDCG@10", "P@10"}


@pytest.mark.usefixtures("stored")
def test_one_baseline_is_that_of_both(program: Program) -> None:
    for runs, baseline in ((FILES, "tfidf.run"), (("bm25", "tfidf"), "tfidf")):
        text = program("reproduce", *runs, "--baseline", baseline).stdout
        assert ", baseline tfidf" in text.splitlines()[0]
        assert " of tfidf" not in text.splitlines()[0].partition(", baseline ")[2]
        alone = program("reproduce", *runs, "--baseline", baseline, "--format", "json")
        found = json.loads(alone.stdout)
        assert found["baseline"]["rmse"]["AP"] == 0


@pytest.mark.usefixtures("files")
def test_queries_that_one_run_does_not_answer_are_told_of(program: Program, files: Path) -> None:
    write_run(files, NOTHING_FOR_Q3, "less.run", "less")
    shown = program("reproduce", "bm25.run", "less.run", "--qrels", "test.qrels").stdout
    assert "note: 2 of 3 queries answered by both; q3 missing from less" in shown
    assert "are over the 2 queries that both answer; 1 more are answered by one alone" in shown


@pytest.mark.usefixtures("files")
def test_some_queries_alone_are_compared(program: Program) -> None:
    given = ("-m", "AP", "--format", "json", "--where", "length>=2", "--queries", "queries.tsv")
    Path("queries.tsv").write_text("q1\tone\nq2\ttwo words\nq3\tthree words too\n", "utf-8")
    found = json.loads(program("reproduce", *FILES, *given).stdout)
    assert (found["queries"], list(found["per_query"])) == (2, ["q2", "q3"])
    assert found["notes"][0] == "only the 2 of 3 queries with length>=2"


@pytest.mark.usefixtures("files")
def test_a_measure_that_may_leave_0_to_1_has_no_nrmse(program: Program) -> None:
    given = ("-m", "DCG@2", "--format", "json")
    found = json.loads(program("reproduce", *FILES, *given).stdout)
    assert found["nrmse"] == {"DCG@2": None}
    assert found["rmse"]["DCG@2"] > 0


@pytest.mark.usefixtures("files")
def test_what_gives_no_figures_is_refused(program: Program) -> None:
    alone = program("reproduce", *FILES, "--reproduced-baseline", "bm25.run", status=2)
    assert "--reproduced-baseline needs --baseline" in alone.stderr
    no_mean = program("reproduce", *FILES, "-m", "GMAP", status=1)
    assert no_mean.stderr == "GMAP is no mean of the values of queries\n"
