"""`evalstore qrels show`, `edit` and `draft`, and judgments by who gave them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from samples import TFIDF, Program, write, write_qrels, write_run

from evalstore.formats import read_judgment_groups

WHY = ("--reason", "why")
CSV = "qid,docno,stratum,probability\n"


@pytest.fixture
def stored(program: Program, folder: Path) -> None:
    """The runs bm25 and tfidf under the small qrels; two assessors' files."""
    runs = (write_run(folder), write_run(folder, TFIDF, "tfidf.run", "tfidf"))
    qrels = write_qrels(folder)
    program("ingest", "--collection", "test", "--qrels", qrels, *runs, "--allow-disjoint")
    write_qrels(folder, {"q1": {"d9": 1}, "q3": {"d8": 1}}, "ann.qrels")
    write_qrels(folder, {"q1": {"d9": 0}}, "bob.qrels")


@pytest.mark.usefixtures("stored")
def test_a_draft_of_runs_has_what_they_retrieve_and_nobody_judged(program: Program) -> None:
    none = program("qrels", "draft", "new", "d", "tfidf", "--depth", "1", status=1)
    assert none.stderr == (
        "depth 1 of tfidf: qrels 'test' judges every document: take more ranks, other runs, or "
        "begin from other judgments\n"
    )
    made = program("qrels", "draft", "new", "d", "bm25", "tfidf", "--depth", "2")
    assert made.stdout == "test  d from test: 3 documents to judge\n"
    shown = json.loads(program("qrels", "draft", "show", "d", "--format", "json").stdout)
    assert (shown["pool"], shown["rule"]) == ("depth 2 of bm25, tfidf", "majority")


@pytest.mark.usefixtures("stored")
def test_the_collection_of_a_draft_is_that_of_its_runs(program: Program, folder: Path) -> None:
    other = write_run(folder, {"q1": ["d1"]}, "other.run", "other")
    program("ingest", other, "--collection", "second", "--qrels", "test.qrels")
    made = program("qrels", "draft", "new", "d", "bm25", "tfidf", "--depth", "2")
    assert made.stdout == "test  d from test: 3 documents to judge\n"
    of_two = program("qrels", "draft", "new", "e", "bm25", "other", "--depth", "2", status=1)
    assert of_two.stderr.startswith("the runs are of different collections: ")


@pytest.mark.usefixtures("stored")
def test_a_draft_is_that_of_the_only_collection_that_has_its_name(program: Program) -> None:
    program("ingest", "bm25.run", "--collection", "second", "--qrels", "test.qrels")
    for name, collection in (("d", "test"), ("both", "test"), ("both", "second")):
        program("qrels", "draft", "new", name, "--collection", collection)
    shown = json.loads(program("qrels", "draft", "show", "d", "--format", "json").stdout)
    assert shown["collection"] == "test"
    program("qrels", "draft", "add", "d", "ann.qrels", "--assessor", "ann")
    assert program("qrels", "draft", "publish", "d", *WHY).stdout.startswith("test  test-2 of ")
    for name, message in (
        ("both", "several collections have a draft 'both': choose with --collection: 'second',"),
        ("boht", "no collection has a draft 'boht'; did you mean 'both'?\n"),
    ):
        assert program("qrels", "draft", "show", name, status=1).stderr.startswith(message)
    listed = program("qrels", "draft", status=1).stderr
    assert listed == "there are 2 collections: choose with --collection: second, test\n"


@pytest.mark.usefixtures("stored")
def test_who_names_no_draft_is_told_of_those_there_are(program: Program) -> None:
    for name in ("holes", "top"):
        program("qrels", "draft", "new", name)
    for command, *more in (
        ("show",),
        ("add", "ann.qrels", "--assessor", "ann"),
        ("publish", *WHY),
    ):
        failed = program("qrels", "draft", command, "nope", *more, status=1)
        assert failed.stderr == "collection 'test' has no draft 'nope'; it has 'holes', 'top'\n"


@pytest.mark.usefixtures("stored")
def test_a_draft_that_continues_no_qrels_has_all_that_the_runs_retrieve(program: Program) -> None:
    made = program("qrels", "draft", "new", "d", "bm25", "--depth", "1", "--empty")
    assert made.stdout == "test  d: 3 documents to judge\n"


@pytest.mark.usefixtures("stored")
def test_a_draft_of_a_file_keeps_strata_and_probabilities(program: Program, folder: Path) -> None:
    write(folder / "sample.csv", f"{CSV}q1,d9,1-2,1\nq2,d9,3-9,0.25\n")
    made = program("qrels", "draft", "new", "d", "--documents", "sample.csv", "--empty")
    assert made.stdout == "test  d: 2 documents to judge\n"
    program("qrels", "draft", "add", "d", "ann.qrels", "--assessor", "ann")
    program("qrels", "draft", "publish", "d", *WHY)
    asked = "SELECT docno, stratum, probability, name FROM judgment_origin ORDER BY docno"
    rows = json.loads(program("sql", asked, "--format", "json").stdout)
    assert [list(row.values()) for row in rows] == [
        ["d8", None, None, "ann"],
        ["d9", "1-2", 1.0, "ann"],
    ]


@pytest.mark.usefixtures("stored")
def test_documents_of_a_pool_that_nobody_judged_are_counted_apart(
    program: Program, folder: Path
) -> None:
    write(folder / "sample.csv", f"{CSV}q1,d9,x,0.5\nq1,d7,x,0\n")
    program("qrels", "draft", "new", "d", "--documents", "sample.csv")
    program("qrels", "draft", "add", "d", "ann.qrels", "--assessor", "ann")
    made = program("qrels", "draft", "publish", "d", *WHY).stdout
    assert "\n1 document of the pool has no judgment\njudgments: 2 added, " in made
    shown = program("qrels", "show", "test-2").stdout.splitlines()
    facts = [line.split(maxsplit=1) for line in shown if line.startswith("origins ")]
    assert facts == [["origins", "file=6, person=2"]]
    assert shown[-1].split() == ["unjudged", "in", "the", "pool", "1"]


@pytest.mark.usefixtures("stored")
def test_a_line_of_a_negative_grade_is_no_judgment_of_an_assessor(
    program: Program, folder: Path
) -> None:
    """As `evalstore holes` writes them, for somebody to replace."""
    write_qrels(folder, {"q1": {"d9": -1, "d8": 2}}, "some.qrels")
    program("qrels", "draft", "new", "d", "--empty")
    added = program("qrels", "draft", "add", "d", "some.qrels", "--assessor", "ann")
    assert added.stdout == "d: 1 judgment of ann\n"
    assert json.loads(program("qrels", "draft", "--format", "json").stdout)[0]["graded"] == 1


DOCUMENTS = "".join(f'{{"docno": "d{n}", "text": "t"}}\n' for n in (1, 8, 9))


@pytest.mark.usefixtures("stored")
def test_judgments_off_the_scale_and_of_unknown_documents_are_taken_with_a_warning(
    program: Program, folder: Path
) -> None:
    program("qrels", "draft", "new", "d")
    lines = "# by zed\nq1 0 d1 3\nq1 0 nodoc 0\nq2 0 d9 9\n"
    add = ("qrels", "draft", "add", "d", "zed.qrels", "--assessor", "zed")
    write(folder / "zed.qrels", lines)
    above = "9 is above 3, the highest grade of the judgments"
    of_zed = f"warning: zed.qrels: {above} (query 'q2', document 'd9')\n"
    assert program(*add).stderr == of_zed
    write(folder / "docs.jsonl", DOCUMENTS)
    program("ingest", "--collection", "test", "--documents", "docs.jsonl", "bm25.run")
    nodoc = "collection 'test' stores no document 'nodoc'"
    of_nodoc = f"warning: zed.qrels: {nodoc} (query 'q1', document 'nodoc')\n"
    assert program(*add).stderr == of_zed + of_nodoc
    write(folder / "zed.qrels", f"q3 0 d9 4\n{lines}q3 0 other 1\n")
    assert program(*add).stderr == (
        "warning: zed.qrels: 2 grades are above 3, the highest grade of the judgments (the first: "
        "query 'q2', document 'd9')\n"
        "warning: zed.qrels: collection 'test' does not store 2 of these documents (the first: "
        "query 'q1', document 'nodoc')\n"
    )
    # The scale is that of the judgments from which the draft begins.
    write(folder / "ten.qrels", "q1 0 d1 10\nq3 0 d9 0\n")
    program("reevaluate", "--collection", "test", "--qrels", "ten.qrels", "-m", "AP")
    program("qrels", "draft", "new", "of-ten", "--from", "ten")
    added = program("qrels", "draft", "add", "of-ten", "zed.qrels", "--assessor", "zed")
    assert "above" not in added.stderr
    edited = program("qrels", "edit", "test", "q1", "nodoc", "9", *WHY).stderr
    assert edited == f"warning: {above}\nwarning: {nodoc}\n"


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q1 d1 x\n", "pool:1: expected 2 or 4 columns, found 3"),
        ("# a pool\nq1 d1 x 0,5\n", "pool:2: the probability '0,5' is not a number"),
        ("q1 d1\nq1 d2 x 2\n", "pool:2: draft, query 'q1': document 'd2': the probability is 2"),
        (f"{CSV}q1,,x,1\n", "pool:2: draft, query 'q1': an empty docno"),
        (f'{CSV}q1,"d1,x,1\n', "pool:2: not CSV (unexpected end of data)"),
        (f"{CSV}q1,d1\n", "pool:2: expected 4 columns, found 2"),
        (CSV, "pool: there is no document to judge"),
    ],
)
def test_a_wrong_file_of_documents_is_refused(
    program: Program, folder: Path, text: str, message: str
) -> None:
    write(folder / "pool", text)
    failed = program("qrels", "draft", "new", "d", "--documents", "pool", status=1)
    assert message in failed.stderr
    assert program("qrels", "draft").stdout == "no drafts yet\n"


@pytest.mark.usefixtures("stored")
def test_documents_with_fewer_judges_than_the_overlap_are_counted(program: Program) -> None:
    program("qrels", "draft", "new", "d", "--overlap", "2")
    for assessor in ("ann", "bob"):
        program("qrels", "draft", "add", "d", f"{assessor}.qrels", "--assessor", assessor)
    shown = json.loads(program("qrels", "draft", "show", "d", "--format", "json").stdout)
    assert (shown["graded"], shown["graded_by_fewer"]) == (1, 1)
    made = program("qrels", "draft", "publish", "d", *WHY).stdout
    assert made.startswith("test  test-2 of test: 2 judged, 1 of them by fewer than 2\n")


@pytest.mark.usefixtures("stored")
def test_what_assessors_disagree_on_is_undecided_until_somebody_adjudicates(
    program: Program, folder: Path
) -> None:
    program("qrels", "draft", "new", "d", "--rule", "adjudicated")
    for assessor in ("ann smith", "bob"):
        file = f"{assessor.split()[0]}.qrels"
        program("qrels", "draft", "add", "d", file, "--assessor", assessor)
    made = json.loads(program("qrels", "draft", "publish", "d", *WHY, "--format", "json").stdout)
    assert (made["name"], made["judged"], made["undecided"]) == ("test-2", 1, 1)
    adjudicator = ("--assessor", "eve", "--adjudicator")
    program("qrels", "draft", "add", "d", "bob.qrels", *adjudicator)
    made = json.loads(program("qrels", "draft", "publish", "d", *WHY, "--format", "json").stdout)
    assert (made["name"], made["judged"], made["undecided"]) == ("test-3", 2, 0)
    asked = ("export", "qrels", "test", "--qrels", "test-3", "--format", "judgment-groups")
    program(*asked, "-o", "groups")
    groups = read_judgment_groups(str(folder / "groups"))
    text = (folder / "groups").read_text(encoding="utf-8")
    assert [line for line in text.splitlines() if "d9" in line or "d8" in line] == [
        "q1 ann_smith d9 1",
        "q1 bob d9 0",
        "q1 eve d9 0",
        "q3 ann_smith d8 1",
    ]
    assert len(groups.grades) == 10


@pytest.mark.usefixtures("stored")
def test_a_qrels_is_shown_with_its_versions_and_origins(program: Program) -> None:
    program("qrels", "edit", "test", "q1", "d1", "1", *WHY)
    program("qrels", "edit", "test-2", "q1", "d9", "1", "--name", "last", *WHY)
    shown = json.loads(program("qrels", "show", "test-2", "--format", "json").stdout)
    listed = json.loads(program("qrels", "--format", "json").stdout)
    assert {one["qrels"]: one["origin"] for one in listed} == {
        "test": "file",
        "test-2": "mixed",
        "last": "mixed",
    }
    names = ("parent", "reason", "ancestors", "versions", "origins")
    assert [shown[name] for name in names] == [
        *("test", "why", ["test"], ["last"]),
        {"file": 5, "person": 1},
    ]
    failed = program("qrels", "show", "tset", status=1)
    assert failed.stderr == "there is no qrels 'tset' in the store; did you mean 'test'?\n"


NOTE = "the judgments of qrels 'test-2' have different origins: 5 from a file, 1 by people"


@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize(
    "call",
    [
        ("leaderboard", "test", "--qrels", "test-2"),
        ("compare", "bm25", "tfidf", "--qrels", "test-2"),
        ("history", "bm25", "--qrels", "test-2"),
        ("check", "bm25", "--baseline", "tfidf", "--qrels", "test-2", "--fail-if", "AP drop > 1"),
        ("explain", "bm25", "q1", "--qrels", "test-2"),
        ("runs", "--qrels", "test-2"),
        ("agreement", "test", "--qrels", "test-2"),
        ("export", "leaderboard", "test", "--qrels", "test-2", "--format", "markdown"),
        ("export", "report", "bm25", "tfidf", "--qrels", "test-2", "-o", "report.html"),
    ],
    ids=lambda call: " ".join(call[:2]),
)
def test_figures_under_judgments_of_several_origins_say_so(
    program: Program, folder: Path, call: tuple[str, ...]
) -> None:
    program("qrels", "edit", "test", "q1", "d1", "1", *WHY)
    done = program(*call)
    files = [path.read_text(encoding="utf-8") for path in folder.glob("report.html")]
    printed = "".join([done.stdout, done.stderr, *files])
    assert NOTE in printed.replace("&#x27;", "'").replace("&#39;", "'").replace("’", "'")


@pytest.mark.usefixtures("stored")
def test_a_wrong_call_is_refused(program: Program) -> None:
    for call, message in (
        (("edit", "test", "q1", "d1", *WHY), "give a GRADE, or --unjudge"),
        (("edit", "test", "q1", "d1", "1", "--unjudge", *WHY), "give a GRADE, or --unjudge"),
        (("edit", "test", "q1", "d1", "1"), "Missing option '--reason'"),
        (("draft", "new", "d", "bm25"), "RUN and --depth belong together"),
        (("draft", "new", "d", "--empty", "--from", "test"), "exclude each other"),
    ):
        assert message in program("qrels", *call, status=2).stderr
