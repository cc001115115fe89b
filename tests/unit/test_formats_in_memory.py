"""Runs and judgments from frames and dictionaries, and back: the rules are those of files."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalstore.errors import DataError
from evalstore.formats import Qrels, Run, read_qrels, read_run, ties
from evalstore.formats.lists import qrels_hash, run_hash
from evalstore.formats.reading import ids

pytestmark = pytest.mark.slow  # many generated frames

SCORES = {"q2": {"b": 1.0, "é": 2.5, "a": 1.0}, "q10": {"a": -1e-7}}
GRADES = {"q2": {"b": 1, "a": 0, "c": -1}, "q10": {"a": 2.5}}


def frame(table: dict[str, dict[str, float]], qid: str, docno: str, value: str) -> pd.DataFrame:
    rows = [(q, d, v) for q, documents in table.items() for d, v in documents.items()]
    return pd.DataFrame(rows, columns=[qid, docno, value])


# --- what is the same whichever way it came ------------------------------------------------------

RUN_COLUMNS = [
    ("query_id", "doc_id", "score"),  # ir_measures
    ("qid", "docno", "score"),  # PyTerrier
    ("q_id", "doc_id", "score"),  # ranx
]
QRELS_COLUMNS = [
    ("query_id", "doc_id", "relevance"),
    ("qid", "docno", "label"),
    ("q_id", "doc_id", "score"),
    ("qid", "docno", "grade"),
]


@pytest.mark.parametrize("columns", RUN_COLUMNS)
def test_the_columns_of_others_make_the_same_run(columns: tuple[str, str, str]) -> None:
    expected = Run.from_dict(SCORES)
    given = frame(SCORES, *columns)
    given["rank"], given["query"] = 0, "what is it"
    for ordered in (given, given.iloc[[3, 2, 0, 1]], given.iloc[[0, 3, 1, 2]]):
        run = Run.from_frame(ordered)
        assert run_hash(ties.settled(run)) == run_hash(ties.settled(expected))
        assert run.warnings == ()


@pytest.mark.parametrize("columns", QRELS_COLUMNS)
def test_the_columns_of_others_make_the_same_qrels(columns: tuple[str, str, str]) -> None:
    expected = Qrels.from_dict(GRADES)
    assert qrels_hash(Qrels.from_frame(frame(GRADES, *columns))) == qrels_hash(expected)


KINDS: dict[str, Any] = {
    "objects": lambda s: s.astype(object),
    "text": lambda s: s.astype("str"),
    "Arrow text": lambda s: s.astype(pd.ArrowDtype(__import__("pyarrow").string())),
    "categories": lambda s: s.astype("category"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_ids_of_any_kind_of_text_are_the_same(kind: str) -> None:
    given = frame(SCORES, "qid", "docno", "score")
    given["qid"], given["docno"] = KINDS[kind](given["qid"]), KINDS[kind](given["docno"])
    assert Run.from_frame(given).to_dict() == Run.from_dict(SCORES).to_dict()
    # A part of a frame may be a view into the columns of the whole.
    assert Run.from_frame(given[1:3]).to_dict() == {"q2": {"é": 2.5, "a": 1.0}}


@pytest.mark.parametrize("kind", ["int64", "uint64", "int32", "Int64", object])
def test_whole_numbers_become_ids_by_their_digits(kind: Any) -> None:
    big = 2**53 + 1 if kind != "int32" else 2**31 - 1
    given = pd.DataFrame({"qid": [1, 10], "docno": [big, 7], "score": [1.0, 2.0]})
    given["docno"] = given["docno"].astype(kind)
    given["qid"] = given["qid"].astype(kind)
    assert Run.from_frame(given).to_dict() == {"1": {str(big): 1.0}, "10": {"7": 2.0}}
    as_dict = {1: {big: 1.0}, 10: {np.int64(7): 2.0}}
    assert Run.from_dict(as_dict).to_dict() == {"1": {str(big): 1.0}, "10": {"7": 2.0}}  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["float32", "int8", "uint16", "Float64", object])
def test_scores_of_any_kind_of_number_are_float64(kind: Any) -> None:
    given = pd.DataFrame({"qid": ["q"] * 2, "docno": ["a", "b"], "score": [1, 2]})
    given["score"] = given["score"].astype(kind)
    run = Run.from_frame(given)
    assert run.scores.dtype == np.float64
    assert run.to_dict() == {"q": {"b": 2.0, "a": 1.0}}


TABLES = st.dictionaries(
    st.text("q1é0-", min_size=1, max_size=12),
    st.dictionaries(
        st.text("abé中#'\"", min_size=1, max_size=20),
        st.sampled_from([0.0, 1.0, -2.5, 1e300, 1 / 3, 5e-324]),
        min_size=1,
        max_size=6,
    ),
    min_size=1,
    max_size=4,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("in memory")


@given(TABLES, st.sampled_from(["a.run", "a.run.gz"]))
def test_a_run_goes_out_and_comes_back_the_same(
    folder: Path, table: dict[str, dict[str, float]], name: str
) -> None:
    run = Run.from_dict(table, tag="some.tag")
    run.write(folder / name)
    expected = run_hash(ties.settled(run))
    read = read_run(str(folder / name))
    assert read.warnings == ()
    assert run_hash(ties.settled(read)) == expected
    again = [Run.from_dict(run.to_dict(), tag="some.tag")]
    again.append(Run.from_frame(run.to_frame(), tag="some.tag"))
    assert [run_hash(ties.settled(other)) for other in again] == [expected] * 2
    assert run.to_dict() == table


@given(TABLES.filter(lambda t: all(abs(g) < 2**31 for d in t.values() for g in d.values())))
def test_judgments_go_out_and_come_back_the_same(
    folder: Path, table: dict[str, dict[str, float]]
) -> None:
    qrels = Qrels.from_dict(table)
    qrels.write(folder / "a.qrels")
    others = [read_qrels(str(folder / "a.qrels")), Qrels.from_frame(qrels.to_frame())]
    others.append(Qrels.from_dict(qrels.to_dict()))
    assert [qrels_hash(other) for other in others] == [qrels_hash(qrels)] * 3


def test_a_frame_of_a_run_has_ranks_by_score_and_docno_descending() -> None:
    given = Run.from_dict(SCORES).to_frame()
    assert given.columns.tolist() == ["qid", "docno", "rank", "score"]
    assert given["rank"].dtype == np.int64
    assert given["score"].dtype == np.float64
    assert given.values.tolist() == [
        ["q10", "a", 1, -1e-7],
        ["q2", "é", 1, 2.5],
        ["q2", "b", 2, 1.0],
        ["q2", "a", 3, 1.0],
    ]


@pytest.mark.parametrize("size", [7, 9000])
def test_rows_of_one_size_and_of_several_are_taken_alike(size: int) -> None:
    """Ids of one size go a faster way."""
    rows = np.random.default_rng(1).permutation(size)
    for words in ([b"%05d" % i for i in range(size)], [b"%d" % i for i in range(size)]):
        column = ids.column(words)
        assert ids.take(column, rows).to_pylist() == [words[row] for row in rows]
        part = column.slice(3)
        assert ids.take(part, rows[rows < size - 3]).to_pylist() == [
            words[row + 3] for row in rows if row < size - 3
        ]


def test_a_query_without_documents_is_as_one_that_is_not_there() -> None:
    assert Run.from_dict({"a": {}, "b": {"d": 1}}).qids == ("b",)


# --- what is refused -----------------------------------------------------------------------------

BAD_IDS = [
    ("", "an empty docno"),
    ("a b", "docno 'a b' holds blanks or control characters"),
    ("a\x1b[31m", r"docno 'a\x1b[31m' holds blanks or control characters"),
    ("a\x85", r"docno 'a\x85' holds blanks or control characters"),
    ("a\ud800", r"docno 'a\ud800' holds blanks or control characters"),
    ("d" * 1025, "a docno of more than 1,024 bytes"),
    (1.5, "docno 1.5 is not text and not a whole number"),
    (None, "docno None is not text"),
    (True, "docno True is not text"),
    (b"d", "docno b'd' is not text"),
]


@pytest.mark.parametrize(("bad", "what"), BAD_IDS)
def test_an_id_that_no_file_could_hold_is_refused_with_its_row_or_key(bad: Any, what: str) -> None:
    given = pd.DataFrame({"qid": ["q1", "q2"], "docno": ["d", "d"], "score": [1.0, 2.0]})
    given["docno"] = pd.Series(["d", bad], dtype=object)
    with pytest.raises(DataError) as caught:
        Run.from_frame(given, name="bm25")
    assert str(caught.value).startswith(f"bm25, row 1: {what}")
    with pytest.raises(DataError) as caught:
        Qrels.from_dict({"q1": {"d": 1}, "q2": {bad: 1}})
    assert str(caught.value).startswith(f"qrels, query 'q2': {what}")
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("bad", ["", "a b", "#1", "\0", None, 2.0])
def test_a_query_id_that_no_file_could_hold_is_refused(bad: Any) -> None:
    given = pd.DataFrame({"qid": pd.Series(["q", bad], dtype=object), "docno": "d", "score": 1})
    with pytest.raises(DataError, match="^run, row 1: .*query id"):
        Run.from_frame(given)
    with pytest.raises(DataError, match="^run: .*query id"):
        Run.from_dict({"q": {"d": 1}, bad: {"d": 1}})


def test_a_missing_value_that_made_whole_numbers_floats_is_explained() -> None:
    given = pd.DataFrame({"qid": ["q"] * 2, "docno": [1, None], "score": [1, 2]})
    with pytest.raises(DataError, match=r"row 0: docno 1\.0 .*a missing value makes whole numbers"):
        Run.from_frame(given)


@pytest.mark.parametrize(
    ("bad", "what"),
    [
        (math.nan, "nan is not a"),
        (math.inf, "inf is not a finite number"),
        ("1.5", "'1.5' is not a number"),
        (None, "is not a"),
        (True, "True is not a number"),
        (1j, "1j is not a number"),
        (10**400, "is out of range"),
    ],
)
def test_a_value_that_is_no_finite_number_is_refused(bad: Any, what: str) -> None:
    given = pd.DataFrame({"qid": ["q"] * 2, "docno": ["a", "b"], "score": [1.0, 2.0]})
    given["score"] = pd.Series([1.0, bad], dtype=object)
    with pytest.raises(DataError) as caught:
        Run.from_frame(given)
    assert str(caught.value).startswith("run, row 1: score")
    assert what in str(caught.value)
    with pytest.raises(DataError) as caught:
        Qrels.from_dict({"q": {"a": 1.0, "b": bad}})
    assert str(caught.value).startswith("qrels, query 'q': document 'b': grade")


def test_numbers_in_a_column_of_numbers_are_checked_too() -> None:
    given = pd.DataFrame({"qid": ["q"] * 3, "docno": list("abc"), "score": [1, np.nan, np.inf]})
    with pytest.raises(DataError, match="^run, row 1: score nan is not a finite number$"):
        Run.from_frame(given)
    with pytest.raises(DataError, match="^qrels, row 0: grade 3e[+]09 is out of range$"):
        Qrels.from_frame(given.assign(score=3e9))
    with pytest.raises(DataError, match="^run, row 0: score True is not a number$"):
        Run.from_frame(given.assign(score=[True, False, True]))
    with pytest.raises(DataError, match="^run, row 0: score '1' is not a number$"):
        Run.from_frame(given.assign(score=["1", "2", "3"]))


def test_a_document_twice_in_a_query_is_refused_with_both_rows() -> None:
    given = pd.DataFrame({"qid": list("abab"), "docno": list("xxyx"), "score": [1, 2, 3, 4]})
    with pytest.raises(DataError) as caught:
        Run.from_frame(given)
    what = "document 'x' retrieved twice for query 'b' (first in row 1); keep one of the two"
    assert str(caught.value) == f"run, row 3: {what}"
    with pytest.raises(DataError, match="row 3: document 'x' graded 4 .* but 2 in row 1; keep one"):
        Qrels.from_frame(given)
    many = pd.concat(
        [
            given.iloc[:3],
            *(given.iloc[[1, 0]].assign(docno=f"y{i}") for i in range(5)),
            given.iloc[3:],
        ]
    )
    with pytest.raises(DataError, match=r"run, row 13: document 'x' .* \(first in row 1\)"):
        Run.from_frame(many)  # queries take turns
    once = Qrels.from_frame(given.assign(score=1))
    assert once.warnings == (
        "qrels, row 3: 1 row with a judgment that stands before; it counts once",
    )
    assert len(once.grades) == 3
    with pytest.raises(DataError, match="query 'q': document '1' is given twice"):
        Run.from_dict({"q": {1: 1.0, "1": 2.0}})  # type: ignore[dict-item]
    with pytest.raises(DataError, match="query '1' is given twice"):
        Run.from_dict({1: {"a": 1.0}, "1": {"a": 2.0}})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("columns", "what"),
    [
        (["qid", "score"], "no column for the docno: one of docno, doc_id; it has: 'qid', 'score'"),
        (["qid", "query_id", "docno", "score"], "several columns for the query id: qid, query_id"),
        (["qid", "docno", "docno", "score"], "several columns for the docno: docno, docno"),
        (["qid", "docno", "sc\x1b"], r"no column for the score: one of score; it has: .*x1b"),
    ],
)
def test_a_frame_without_the_columns_is_refused_with_those_it_has(
    columns: list[str], what: str
) -> None:
    with pytest.raises(DataError, match=what):
        Run.from_frame(pd.DataFrame([[1] * len(columns)], columns=columns))


@pytest.mark.parametrize("nothing", [{}, {"q": {}}])
def test_nothing_is_refused_as_an_empty_file_is(nothing: dict[str, dict[str, float]]) -> None:
    with pytest.raises(DataError, match="^run: it holds no documents$"):
        Run.from_dict(nothing)
    with pytest.raises(DataError, match="^run: the frame has no rows$"):
        Run.from_frame(pd.DataFrame({"qid": [], "docno": [], "score": []}))


@pytest.mark.parametrize("wrong", [{"q": ["a"]}, {"q": 1.0}, {"q": "text"}, ["q"]])
def test_another_shape_than_a_dictionary_of_dictionaries_is_refused(wrong: Any) -> None:
    with pytest.raises(DataError, match="expected {"):
        Run.from_dict(wrong)


@pytest.mark.parametrize("tag", ["", "two words", "a\nb"])
def test_a_run_tag_that_no_file_could_hold_is_refused(tag: str) -> None:
    with pytest.raises(DataError, match="run tag"):
        Run.from_dict({"q": {"a": 1}}, tag=tag)


def test_a_file_that_cannot_be_written_is_an_error_with_its_name(tmp_path: Path) -> None:
    for name in ("no/where.run", "no/where.run.gz"):
        with pytest.raises(DataError, match=r"where\.run.*: no such file or directory"):
            Run.from_dict({"q": {"a": 1}}).write(tmp_path / name)
