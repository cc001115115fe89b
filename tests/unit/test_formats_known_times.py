"""Files of two columns: documents known to the user, and response times."""

import pytest

from evalstore.errors import FileError
from evalstore.formats import read_known, read_times


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
