"""Small files of a run or a collection: known documents, response times, explanations."""

import pytest

from evalstore.errors import FileError
from evalstore.formats import read_explanations, read_known, read_times


@pytest.fixture
def written(tmp_path):
    def write(text):
        path = tmp_path / "pairs.txt"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


def test_known_documents_are_gathered_by_query(written):
    path = written("# qid docno\nq1 d1\nq1\td2\n\nq2  NA\n")
    assert read_known(path) == {"q1": {"d1", "d2"}, "q2": {"NA"}}


def test_times_are_numbers_of_milliseconds_by_query(written):
    assert read_times(written("007 12\n7 0.5\n")) == {"007": 12.0, "7": 0.5}


@pytest.mark.parametrize("word", ["-1", "nan", "inf", "1_0", "soon"])
def test_a_time_that_is_no_number_from_0_is_refused_with_its_line(written, word):
    with pytest.raises(FileError, match=r"pairs\.txt:2: .* is no number of milliseconds"):
        read_times(written(f"q1 1\nq2 {word}\n"))


def test_a_query_with_two_times_is_refused(written):
    with pytest.raises(FileError, match=r"pairs\.txt:2: query 'q1' stands twice"):
        read_times(written("q1 1\nq1 2\n"))


@pytest.mark.parametrize("read", [read_known, read_times])
def test_another_number_of_columns_is_refused(written, read):
    with pytest.raises(FileError, match=r"pairs\.txt:1: expected 2 columns \(qid and .*found 3"):
        read(written("q1 Q0 d1\n"))


@pytest.mark.parametrize("read", [read_known, read_times])
def test_a_file_without_lines_is_refused(written, read):
    with pytest.raises(FileError, match="no lines of qid and"):
        read(written("# nothing\n"))


def test_an_explanation_is_all_that_stands_after_the_second_tab(written):
    path = written("q1\td1\tBM25 2.1: title\t1.4\n\nq2\tNA\tbody\n")
    assert read_explanations(path) == {("q1", "d1"): "BM25 2.1: title\t1.4", ("q2", "NA"): "body"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("q1 d1 why\n", r"pairs\.txt:1: expected 3 columns \(qid, docno and .*found 1"),
        ("q1\td1\t \n", r"pairs\.txt:1: the explanation is empty"),
        ("q1\td1\ta\nq1\td1\tb\n", r"pairs\.txt:2: document 'd1' of query 'q1' stands twice"),
        ("q1\td1\t" + "x" * 10_001 + "\n", r"pairs\.txt:1: .* 10,001 characters: at most 10,000"),
        ("\n", r"no lines of qid, docno and explanation"),
    ],
)
def test_what_is_no_explanation_is_refused_with_its_line(written, text, problem):
    with pytest.raises(FileError, match=problem):
        read_explanations(written(text))
