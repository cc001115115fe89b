"""Files of preferences (`qid group subgroup docno level`) and of judgment groups."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from samples import ESCAPE, write

from evalstore.errors import DataError, FileError
from evalstore.formats import (
    Preferences,
    read_judgment_groups,
    read_preferences,
    read_qrels,
)
from evalstore.formats.trec.preferences import Row, preferences_of


@pytest.fixture
def read(tmp_path: Path):
    def read_text(text: str) -> Preferences:
        return read_preferences(write(tmp_path / "prefs", text))

    return read_text


def rows(preferences: Preferences) -> list[tuple[object, ...]]:
    columns = (preferences.groups, preferences.subgroups, preferences.docnos)
    words = [[word.decode() for word in column.to_pylist()] for column in columns]
    qids = np.repeat(preferences.qids, preferences.lengths)
    return list(zip(qids.tolist(), *words, preferences.levels.tolist(), strict=True))


def test_rows_are_sorted_by_query_group_subgroup_and_document(read) -> None:
    preferences = read(
        "# a comment\n\nq2 g s d1 1\n q10\tbob s  d2 .5 \r\nq10 ann t d1 0\nq10 ann s d9 -0\n"
    )
    assert rows(preferences) == [
        ("q10", "ann", "s", "d9", 0.0),
        ("q10", "ann", "t", "d1", 0.0),
        ("q10", "bob", "s", "d2", 0.5),
        ("q2", "g", "s", "d1", 1.0),
    ]
    assert preferences.warnings == ()
    assert repr(preferences) == "<Preferences: 2 queries, 4 levels>"


def test_ids_are_taken_as_they_are(read) -> None:
    (row,) = rows(read("007 NULL =1+1 caf\u00e9#1 1e0\n"))
    assert row == ("007", "NULL", "=1+1", "caf\u00e9#1", 1.0)


def test_a_line_that_stands_twice_counts_once_with_a_warning(read) -> None:
    preferences = read("q g s a 1\nq g s b 0\nq g s a 1.0\nq g s a 1\n")
    assert [row[3] for row in rows(preferences)] == ["a", "b"]
    (warning,) = preferences.warnings
    assert warning.endswith("prefs:3: 2 lines with a level that stands before; it counts once")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no preferences|no lines of preferences"),
        ("# only\n\n", "no lines of preferences"),
        ("q g s a\n", r":1: expected 5 columns .*, found 4: this looks like a qrels"),
        ("q Q0 d 1 2.5 t\n", r":1: expected 5 columns .*, found 6: this looks like a run"),
        ("q g s a 1\nq g s b 1 2 3\n", ":2: expected 5 columns .*, found 7$"),
        ("qid group subgroup docno level\n", ":1: level 'level' is not a decimal number"),
        ("q g s a nan\n", ":1: level 'nan' is not a decimal number"),
        ("q g s a 1_0\n", ":1: level '1_0' is not a decimal number"),
        ("q g s a 0x1\n", ":1: level '0x1' is not a decimal number"),
        ("q g s a 1,5\n", ":1: level '1,5' is not a decimal number"),
        ("q g s a -1\n", ":1: level '-1' is out of range: a level is 0 or more"),
        ("q g s a 1e999\n", ":1: level '1e999' is out of range"),
        ("q g s a 1\nq g s b 2\nq g s a 3\n", ":3: document 'a' has level 3 .*, but 1 on line 1"),
        ("q g s a\x1b[31m 1\n", ":1: docno .* holds blanks or control characters"),
        (f"q g {'s' * 1025} a 1\n", ":1: a judgment subgroup of more than 1,024 bytes"),
        ("q g s a 1\rq g s b 2\r", ":1: a carriage return without a line feed"),
        ("q g s a 1\nq g s \0 1\n", ":2: a NUL byte"),
    ],
)
def test_what_is_refused_with_its_line(read, text: str, message: str) -> None:
    with pytest.raises(FileError, match=message) as caught:
        read(text)
    assert str(caught.value).isprintable()


def test_two_preferences_against_each_other_in_a_group_are_refused(read) -> None:
    with pytest.raises(FileError, match="prefers 'a' over 'b' over 'a'|'b' over 'a' over 'b'"):
        read("q g s a 2\nq g s b 1\nq g t b 2\nq g t a 1\n")


def test_a_cycle_through_several_subgroups_is_refused_with_its_last_line(read) -> None:
    cycle = "q g s a 2\nq g s b 1\nq g t b 2\nq g t c 1\nq g u c 2\nq g u a 1\nq g u z 1\n"
    with pytest.raises(FileError, match="judgment group 'g' of query 'q' prefers") as caught:
        read(cycle)
    assert caught.value.line == 6
    order = str(caught.value).partition("prefers ")[2].replace("'", "").split(" over ")
    assert sorted(order[:-1]) == ["a", "b", "c"]
    assert order[0] == order[-1]
    better = {("a", "b"), ("b", "c"), ("c", "a")}
    assert set(pairwise(order)) == better


def test_the_names_in_a_cycle_are_printable(read) -> None:
    name = "\u202egnp.exe"
    with pytest.raises(FileError) as caught:
        read(f"q g s {name} 2\nq g s b 1\nq g t b 2\nq g t {name} 1\n")
    assert str(caught.value).isprintable()


def test_groups_may_contradict_each_other(read) -> None:
    assert len(rows(read("q g s a 2\nq g s b 1\nq h s b 2\nq h s a 1\n"))) == 4


def test_a_tie_in_one_subgroup_does_not_contradict_an_order_in_another(read) -> None:
    """As for trec_eval: equal levels make no preference."""
    assert len(rows(read("q g s a 1\nq g s b 1\nq g t a 2\nq g t b 1\n"))) == 4


def test_a_document_relevant_and_not_relevant_for_one_group_is_refused(read) -> None:
    with pytest.raises(FileError, match=":4: document 'b' has level 0, .* above 0 in judgment gr"):
        read("q g s a 2\nq g s b 0\nq g t c 2\nq g t b 1\n")
    assert rows(read("q g s b 0\nq h s b 1\n"))


def test_a_long_chain_of_preferences_is_read(read) -> None:
    lines = [f"q g s{i} d{i} 2\nq g s{i} d{i + 1} 1\n" for i in range(3000)]
    assert len(rows(read("".join(lines)))) == 6000


def test_rows_without_lines_are_refused_too() -> None:
    cycle = [
        Row(b"q", b"g", b"s", b"a", 2.0),
        Row(b"q", b"g", b"s", b"b", 1.0),
        Row(b"q", b"g", b"t", b"b", 2.0),
        Row(b"q", b"g", b"t", b"a", 1.0),
    ]
    with pytest.raises(DataError, match="the store: judgment group 'g' of query 'q' prefers"):
        preferences_of("the store", cycle)


# --- judgment groups -----------------------------------------------------------------------------


def test_a_document_has_a_grade_in_each_judgment_group(tmp_path: Path) -> None:
    path = write(tmp_path / "judges", "q ann d 1\nq bob d 0\nq ann d 1\n")
    judgments = read_judgment_groups(path)
    assert judgments.subtopics.to_pylist() == [b"ann", b"bob"]
    assert judgments.grades.tolist() == [1.0, 0.0]
    assert len(judgments.warnings) == 1


def test_two_grades_in_one_judgment_group_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "judges", "q ann d 1\nq ann d 0\n")
    with pytest.raises(FileError, match=":2: .* query 'q' and judgment group 'ann', but 1 on line"):
        read_judgment_groups(path)
    path = write(tmp_path / "judges", f"q {'g' * 1025} d 1\n")
    with pytest.raises(FileError, match=":1: a judgment group of more than 1,024 bytes"):
        read_judgment_groups(path)
    path = write(tmp_path / "judges", f"q {ESCAPE} d 1\n")
    with pytest.raises(FileError):
        read_judgment_groups(path)


def test_judgment_groups_given_as_a_qrels_are_told_to_be_such(tmp_path: Path) -> None:
    path = write(tmp_path / "judges", "q ann d 1\nq bob d 0\n")
    with pytest.raises(FileError, match="or by judgment group"):
        read_qrels(path)
