"""Files that name queries by their texts: Quepid's and OpenSearch's judgments and runs."""

from __future__ import annotations

import io
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from evalstore.errors import DataError, EvalstoreError
from evalstore.formats import (
    Qrels,
    ReadOptions,
    Run,
    read_judgment_groups,
    read_qrels,
    read_run,
)
from evalstore.formats.queries import ids_by_text

TOOLS = Path(__file__).parent / "files_of_tools"
QUERIES = {"q1": "red dress", "q2": 'jeans, "blue"', "q3": "-socks", "q4": "twin", "q5": "twin"}
OPTIONS = ReadOptions(query_ids=ids_by_text(QUERIES))
SNAPSHOT = "Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position\n"


def qrels_of(name: str) -> Qrels:
    return read_qrels(str(TOOLS / name), OPTIONS)


def run_of(name: str) -> Run:
    return read_run(str(TOOLS / name), OPTIONS)


def write(folder: Path, content: object, name: str) -> str:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return str(path)


def refused(folder: Path, content: object, name: str, options: ReadOptions = OPTIONS) -> str:
    """The message for a file: a run where its name begins so, a book, or judgments."""
    path = write(folder, content, name)
    readers = {"run": read_run, "book": read_judgment_groups, "judged": read_qrels}
    with pytest.raises(DataError) as error:
        readers[name.partition(".")[0]](path, options)  # type: ignore[operator]  # they differ in what they return
    return str(error.value).replace(f"{folder}/", "")


# --- as the tools write them ---------------------------------------------------------------------


def test_ratings_of_quepid_are_the_judgments_of_the_queries_with_these_texts() -> None:
    """A cell that begins with - = + or @ has a space in front; a query may have no rating."""
    qrels = qrels_of("quepid_ratings.csv")
    assert qrels.to_dict() == {"q1": {"d7": 1, "d9": 0}, "q2": {"d7": 2}, "q3": {"=d1": 3}}
    assert qrels.format == "quepid-ratings"
    assert [w.partition("csv")[2] for w in qrels.warnings] == [
        ":7: 1 row without a rating; left out"
    ]


def test_older_ratings_of_quepid_name_the_document_doc_id() -> None:
    qrels = qrels_of("quepid_ratings_older.csv")
    assert (qrels.to_dict(), qrels.format) == ({"q1": {"d7": 1}}, "quepid-ratings")
    assert [w.partition("csv")[2] for w in qrels.warnings] == [
        ":3: 2 rows without a rating; left out"
    ]


def test_a_book_of_quepid_has_a_judgment_group_for_each_judge() -> None:
    """Blanks in the names of judges become _; an empty cell is no judgment."""
    book = read_judgment_groups(str(TOOLS / "quepid_book.csv"), OPTIONS)
    rows = zip(
        [book.qids[query] for query in book.row_query],
        book.subtopics.to_pylist(),
        book.docnos.to_pylist(),
        book.grades.tolist(),
        strict=True,
    )
    assert list(rows) == [
        ("q1", b"Ann", b"d7", 1),
        ("q1", b"Bob_Smith", b"d7", 0),
        ("q1", b"Bob_Smith", b"d9", 1),
        ("q2", b"Ann", b"d7", 2),
        ("q2", b"Bob_Smith", b"d7", 2),
    ]
    assert (book.qids, book.format) == (("q1", "q2"), "quepid-book")


def test_a_book_is_the_same_as_trec_evals_judgment_groups(tmp_path: Path) -> None:
    lines = "q1 Ann d7 1\nq1 Bob_Smith d7 0\nq1 Bob_Smith d9 1\nq2 Ann d7 2\nq2 Bob_Smith d7 2\n"
    trec = read_judgment_groups(write(tmp_path, lines, "groups.qrels"))
    book = read_judgment_groups(str(TOOLS / "quepid_book.csv"), OPTIONS)
    assert trec.format == "judgment-groups"
    for name in ("qids", "starts", "lengths", "docnos", "grades", "keys", "subtopics"):
        assert list(getattr(book, name)) == list(getattr(trec, name)), name


def test_a_snapshot_of_quepid_is_a_run_with_the_snapshots_name_and_time() -> None:
    run = run_of("quepid_snapshot.csv")
    assert run.to_dict() == {"q1": {"d7": 1, "d9": 0.5}, "q3": {"=d1": 1}}
    assert (run.format, run.tag) == ("quepid-snapshot", "(3/5/26)_Weekly_check")
    assert run.facts == {"started_at": datetime(2026, 3, 5, 12, tzinfo=UTC)}


def test_judgments_of_opensearch_have_ratings_as_texts() -> None:
    qrels = qrels_of("opensearch_judgments.json")
    assert qrels.to_dict() == {"q1": {"d7": 1, "d9": 0}, "q2": {"d7": 2}}
    assert qrels.format == "opensearch-judgments"


def test_judgments_of_opensearch_may_be_the_answer_to_a_search(tmp_path: Path) -> None:
    stored = json.loads((TOOLS / "opensearch_judgments.json").read_text(encoding="utf-8"))
    hits = [{"_id": "j1", "_source": stored}]
    answer = {"took": 1, "hits": {"total": {"value": 1}, "hits": hits}}
    path = write(tmp_path, answer, "judged.json")
    assert read_qrels(path, OPTIONS).to_dict() == qrels_of("opensearch_judgments.json").to_dict()
    hits *= 2
    message = "one set of judgments is expected, and there are 2: write each to a file of its own"
    assert refused(tmp_path, answer, "judged.json") == f"judged.json: {message}"


def test_evaluation_results_of_opensearch_are_a_run_in_the_order_of_the_documents() -> None:
    run = run_of("opensearch_results.json")
    assert run.to_dict() == {"q1": {"d9": 1, "d7": 0.5}, "q2": {"d7": 1}}
    assert (run.format, run.tag) == ("opensearch-results", "opensearch_results")


@pytest.mark.parametrize("lines", [True, False])
def test_evaluation_results_may_be_a_list_or_one_a_line(tmp_path: Path, lines: bool) -> None:
    results = [{"searchText": "red dress", "documentIds": ["d7", 9]}]
    results += [{"searchText": "-socks", "documentIds": []}]
    text = "\n".join(map(json.dumps, results)) if lines else json.dumps(results, indent=1)
    assert read_run(write(tmp_path, text, "run.json"), OPTIONS).to_dict() == {
        "q1": {"d7": 1, "9": 0.5}
    }


def test_standard_input_is_read_too(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("opensearch_results.json", "rank_llm.jsonl", "quepid_snapshot.csv"):
        data = io.BytesIO((TOOLS / name).read_bytes())
        stream = io.TextIOWrapper(io.BufferedReader(data))  # type: ignore[type-var]
        monkeypatch.setattr(sys, "stdin", stream)
        assert read_run("-", OPTIONS).to_dict() == run_of(name).to_dict()


# --- which query ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(path.name for path in TOOLS.glob("[qo]*")))
def test_without_texts_of_queries_the_file_is_refused(name: str) -> None:
    reader: Any = read_qrels
    reader = read_run if "snapshot" in name or "results" in name else reader
    reader = read_judgment_groups if "book" in name else reader
    for options in (None, ReadOptions(query_ids={})):
        with pytest.raises(EvalstoreError) as error:
            reader(str(TOOLS / name), options)
        message = "it names queries by their texts, and no texts of queries are known"
        assert str(error.value).endswith(f"{name}: {message}")
        assert error.value.problem == "no query texts"


def test_texts_are_equal_character_by_character_but_for_blanks_around_them(tmp_path: Path) -> None:
    rows = "query,docid,rating\n  red dress ,d7,1\n"
    assert read_qrels(write(tmp_path, rows, "a.csv"), OPTIONS).to_dict() == {"q1": {"d7": 1}}
    for other in ("Red dress", "red  dress", "red dress.", "red dre\u0301ss"):
        message = refused(tmp_path, f"query,docid,rating\n{other},d7,1\n", "judged.csv")
        assert message == f"judged.csv:2: a text that is not the text of a query: {other!r}"


def test_texts_of_no_query_are_named_with_the_first_line(tmp_path: Path) -> None:
    rows = "red dress,d7,1\na,d7,1\nb,d7,1\nb,d8,1\nc,d7,1\nd,d7,1\n"
    assert refused(tmp_path, f"query,docid,rating\n{rows}", "judged.csv") == (
        "judged.csv:3: 4 texts that are not the text of a query: 'a', 'b', 'c', ..."
    )
    judged = {"judgmentRatings": [{"query": "a", "ratings": [{"docId": "d", "rating": 1}]}]}
    assert refused(tmp_path, judged, "judged.json") == (
        "judged.json: a text that is not the text of a query: 'a'"
    )


def test_a_text_of_several_queries_is_refused_with_their_ids(tmp_path: Path) -> None:
    assert refused(tmp_path, "query,docid,rating\nred dress,d7,1\ntwin,d7,1\n", "judged.csv") == (
        "judged.csv:3: a text that is the text of several queries: 'twin' ('q4', 'q5')"
    )


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("red dress,d7\n", "judged.csv:2: expected 3 columns (query, docid, rating), found 2"),
        ("red dress,d7,1,x\n", "judged.csv:2: expected 3 columns (query, docid, rating), found 4"),
        ("red dress,d7,nan\n", "judged.csv:2: grade 'nan' is not a finite decimal number"),
        ("red dress,d7,inf\n", "judged.csv:2: grade 'inf' is not a finite decimal number"),
        ("red dress,d7,1e999\n", "judged.csv:2: grade inf is not a finite number"),
        ("red dress,d7,0x1\n", "judged.csv:2: grade '0x1' is not a finite decimal number"),
        ("red dress,,1\n", "judged.csv:2: an empty docno"),
        ("red dress,d 7,1\n", "judged.csv:2: docno 'd 7' holds blanks or control characters"),
        (
            "red dress,d7,1\nred dress,d7,0\n",
            "judged.csv:3: document 'd7' graded 0 for query 'q1', but 1 on line 2; keep one",
        ),
        ('red dress,"d7,1\n', "judged.csv:2: not CSV (unexpected end of data)"),
        ("red dress,,\n", "judged.csv: no rows: a qrels is expected"),
        ("", "judged.csv: no rows: a qrels is expected"),
    ],
)
def test_a_wrong_line_of_ratings_is_named(tmp_path: Path, rows: str, message: str) -> None:
    assert refused(tmp_path, f"query,docid,rating\n{rows}", "judged.csv").startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ann\nred dress,d7\n", "book.csv:2: expected 3 columns as in the first line, found 2"),
        ("ann\nred dress,d7,x\n", "book.csv:2: grade 'x' is not a finite decimal number"),
        ("ann\nred dress,d7,3e9\n", "book.csv:2: grade 3e+09 is out of range"),
        ("ann\nred dress,d 7,1\n", "book.csv:2: docno 'd 7' holds blanks or control characters"),
        ("ann,ann\nred dress,d7,1,1\n", "book.csv:1: two columns are named 'ann'"),
        ("ann,\nred dress,d7,1,1\n", "book.csv:1: a column without the name of a judge"),
        ("ann\nred dress,d7,\n", "book.csv: no rows with a rating: judgments are expected"),
        (
            "ann\nred dress,d7,1\nred dress,d7,1\n",
            "book.csv:3: document 'd7' judged twice for query 'q1' (first on line 2); keep one",
        ),
    ],
)
def test_a_wrong_line_of_a_book_is_named(tmp_path: Path, text: str, message: str) -> None:
    assert refused(tmp_path, f"query,docid,{text}", "book.csv").startswith(message)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("s,t,1,red dress,d7\n", "run.csv:2: expected 6 columns as in the first line, found 5"),
        ("s,t,1,red dress,d7,0\n", "run.csv:2: rank '0' is not a whole number from 1 on"),
        ("s,t,1,red dress,d7,nan\n", "run.csv:2: rank 'nan' is not a whole number from 1 on"),
        (
            "s,t,1,red dress,d7,1\ns,t,1,red dress,d8,1\n",
            "run.csv:3: rank 1 stands twice for query 'q1' (first on line 2)",
        ),
        (
            "s,t,1,red dress,d7,1\ns,t,1,red dress,d7,2\n",
            "run.csv:3: document 'd7' retrieved twice for query 'q1' (first on line 2)",
        ),
        (
            "s,t,1,red dress,d7,1\nu,t,1,red dress,d8,1\n",
            "run.csv: one run is expected, and there are 2 snapshots ('s t 1', 'u t 1'): write",
        ),
        ("", "run.csv: no rows: a run is expected"),
    ],
)
def test_a_wrong_line_of_a_snapshot_is_named(tmp_path: Path, rows: str, message: str) -> None:
    assert refused(tmp_path, SNAPSHOT + rows, "run.csv").startswith(message)


RATING = '{"docId": "d7", "rating": %s}'


@pytest.mark.parametrize(
    ("rating", "message"),
    [
        (RATING % '"nan"', ", query 'red dress', document 'd7': grade 'nan' is not a number"),
        (RATING % '"1_0"', ", query 'red dress', document 'd7': grade '1_0' is not a number"),
        (RATING % "true", ", query 'red dress', document 'd7': grade True is not a number"),
        (RATING % "null", ", query 'red dress', document 'd7': grade None is not a number"),
        (RATING % "NaN", ", query 'q1': document 'd7': grade nan is not a finite number"),
        (RATING % ("1" + "0" * 400), ", query 'red dress', document 'd7': grade is out of range"),
        ('{"docId": "d7"}', ", query 'red dress', document 'd7': grade None is not a number"),
        ('{"rating": 1}', ", query 'red dress', ratings[0]: docno None is not text and not a who"),
        ('{"docId": [], "rating": 1}', ", query 'red dress', ratings[0]: docno [] is not text"),
        (f"{RATING % 1}, {RATING % 1}", ", query 'red dress': document 'd7' stands twice; keep"),
        ('{"docId": "d7", "docId": "d8", "rating": 1}', ": key 'docId' stands twice in an object"),
        ("7", ", query 'red dress', ratings[0]: an object is expected"),
        ("[" * 200_000, ": not JSON (nested too deep)"),
    ],
)
def test_a_wrong_rating_of_opensearch_is_named(tmp_path: Path, rating: str, message: str) -> None:
    text = '{"judgmentRatings": [\n{"query": "red dress", "ratings": [' + rating + "]}]}"
    assert refused(tmp_path, text, "judged.json").startswith(f"judged.json{message}")


@pytest.mark.parametrize(
    ("results", "message"),
    [
        ([{"documentIds": []}], "[0]: a text is expected under 'searchText'"),
        (
            [{"searchText": "red dress", "documentIds": "d7"}],
            ", query 'red dress': a list is expected under 'documentIds'",
        ),
        (
            [{"searchText": "red dress", "documentIds": ["d7", "d7"]}],
            ", query 'red dress': document 'd7' stands twice; keep one",
        ),
        (
            [{"searchText": "red dress", "documentIds": ["d7"]}] * 2,
            "[1]: query 'red dress' stands twice; keep one",
        ),
        (
            [
                {"searchText": "red dress", "documentIds": ["d7"], "searchConfigurationId": "c1"},
                {"searchText": "-socks", "documentIds": ["d7"], "searchConfigurationId": "c2"},
            ],
            ": one run is expected, and there are several search configurations ('c1' and 'c2')",
        ),
    ],
)
def test_wrong_results_of_opensearch_are_named(
    tmp_path: Path, results: object, message: str
) -> None:
    options = ReadOptions(query_ids=OPTIONS.query_ids, formats=("opensearch-results",))
    assert refused(tmp_path, results, "run.json", options).startswith(f"run.json{message}")


# --- which format --------------------------------------------------------------------------------


def test_a_file_that_holds_something_else_is_refused_by_what_it_is(tmp_path: Path) -> None:
    book = (TOOLS / "quepid_book.csv").read_text(encoding="utf-8")
    with pytest.raises(
        DataError, match=r"a book of Quepid \(quepid-book\), not judgments"
    ) as error:
        read_qrels(write(tmp_path, book, "a.csv"), OPTIONS)
    assert error.value.problem == "judgment groups"
    with pytest.raises(DataError, match=r"\(quepid-book\), not a run$"):
        read_run(write(tmp_path, book, "a.csv"), OPTIONS)
    with pytest.raises(DataError, match=r"looks like .* \(quepid-snapshot\), not judgments"):
        read_qrels(str(TOOLS / "quepid_snapshot.csv"), OPTIONS)


def test_ratings_of_one_judge_called_rating_are_judgments_and_no_book(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"looks like .* \(quepid-ratings\), not judgment groups"):
        read_judgment_groups(str(TOOLS / "quepid_ratings.csv"), OPTIONS)


def test_a_frame_with_the_texts_of_queries_beside_their_ids_is_a_frame(tmp_path: Path) -> None:
    path = write(tmp_path, "qid,query,docno,label\nq9,red dress,d7,1\n", "a.csv")
    qrels = read_qrels(path, OPTIONS)
    assert (qrels.to_dict(), qrels.format) == ({"q9": {"d7": 1}}, "qrels-frame")


def test_ratings_without_a_first_line_of_names_are_read_where_the_format_is_named(
    tmp_path: Path,
) -> None:
    path = write(tmp_path, "red dress,d7,1\n", "a.csv")
    with pytest.raises(DataError, match="this looks like CSV"):
        read_qrels(path, OPTIONS)
    named = ReadOptions(query_ids=OPTIONS.query_ids, formats=("quepid-ratings",))
    assert read_qrels(path, named).to_dict() == {"q1": {"d7": 1}}
