"""The pure parts of the Query page: movement, snippets, the strip."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest

from dashboard.pages.query import lists
from dashboard.pages.query.movement import (
    READ,
    Row,
    came_from,
    goes_to,
    lines,
    marked,
    query_words,
    snippet,
    summary,
    window,
)
from evalstore.catalog.links import LinkedRun
from evalstore.comparison.ranked_query import QueryRanking
from evalstore.formats import Run

NOTHING = Run("r", "r", (), np.zeros(0), np.zeros(0), pa.array([], pa.binary()), np.zeros(0), ())  # type: ignore[arg-type]


def ranking(
    docnos: Sequence[str], grades: dict[str, float] | None = None, no_ranking: str = ""
) -> QueryRanking:
    graded = tuple(map((grades or {}).get, docnos))
    run = LinkedRun(1, "run", "engine", "0", 0)
    return QueryRanking(run, tuple(docnos), graded, None, "", no_ranking, "exact", NOTHING)


def filler(count: int, letter: str) -> list[str]:
    return [f"{letter}{number}" for number in range(count)]


# --- movement ------------------------------------------------------------------------------------

GRADES = {"d1": 1.0, "d9": 2.0, "d5": 1.0}


def test_the_summary_names_what_entered_and_left_the_top_10_the_best_rank_first() -> None:
    grades = dict.fromkeys([*filler(70, "x"), *filler(70, "y"), *filler(9, "z")], 0.0)
    grades |= GRADES | {"d3": 1.0}
    base = ranking([*filler(1, "x"), "d5", "d3", *filler(62, "y"), "d1"], grades)
    run = ranking(["x0", "d9", *filler(3, "z"), "d1", *filler(10, "y"), "d5"], grades)
    assert summary(base, run, 20, ("bm25", "ax")) == (
        "bm25 → ax: 2 relevant entered the top 10: d9 not retrieved → 2, d1 66 → 6; "
        "2 dropped out: d5 2 → 17, d3 3 → not retrieved. 12 of the top 20 shared."
    )


def test_the_summary_of_the_same_ranking_says_that_nothing_moved() -> None:
    one = ranking(["d1", "d2"], GRADES | {"d2": 0.0})
    assert summary(one, one, 20, ("a", "b")) == (
        "a → b: no relevant document entered the top 10; none dropped out. 2 of the top 2 shared."
    )


def test_the_summary_names_four_documents_and_counts_the_others() -> None:
    grades = dict.fromkeys(filler(6, "d"), 1.0)
    text = summary(ranking([]), ranking(filler(6, "d"), grades), 20, ("a", "b"))
    assert text.count("not retrieved →") == 4
    assert " and 2 more; none dropped out." in text


def test_the_summary_says_how_many_of_the_two_top_10_are_not_judged() -> None:
    base, run = ranking([*filler(12, "x"), "d1"], GRADES), ranking(["d1", "y", "z"], GRADES)
    assert summary(base, run, 20, ("a", "b")).endswith(" Not judged in the top 10: 10 and 2.")


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (12, 58, " d9 (grade 2): 13 → 59."),
        (58, 12, " d9 (grade 2): 59 → 13."),
        (12, None, " d9 (grade 2): 13 → not retrieved."),
        (12, 20, ""),  # it is not even twice as far down
    ],
)
def test_the_summary_names_a_far_move_below_the_top_10_of_the_highest_grade(
    before: int, after: int | None, said: str
) -> None:
    docnos = filler(60, "x")
    base = ranking([*docnos[:before], "d9", *docnos[before:]], GRADES)
    run = ranking(docnos if after is None else [*docnos[:after], "d9", *docnos[after:]], GRADES)
    text = summary(base, run, 20, ("a", "b"))
    assert re.search(rf"; none dropped out\.{re.escape(said)} \d+ of the top 20 shared", text)


def test_the_summary_says_where_there_is_no_ranking() -> None:
    without = ranking([], no_ranking="it does not answer this query")
    sentence = "b has no ranking to show: it does not answer this query."
    assert summary(ranking(["d1"]), without, 20, ("a", "b")) == sentence


def test_unjudged_and_negative_documents_never_count_as_relevant() -> None:
    grades = {"d1": -1.0}
    text = summary(ranking([]), ranking(["d1", "d2"], grades), 20, ("a", "b"))
    assert "no relevant document entered" in text


@pytest.mark.parametrize(
    ("rank", "before", "text"),
    [
        (2, 66, "▲ from 66"),
        (3, 2, "▼ from 2"),
        (1, 1, "="),
        (8, None, "new"),
        (1, 1234, "▲ from 1,234"),
    ],
)
def test_the_movement_names_the_other_rank(rank: int, before: int | None, text: str) -> None:
    assert came_from(rank, before) == text


def test_an_exit_names_the_rank_in_the_other_list() -> None:
    ends = ["→ 37", "→ not in top 1,000", "="]
    assert [goes_to(5, after, 1_000) for after in (37, None, 5)] == ends
    assert goes_to(5, None, 0) == "→ –"  # the other list is empty, or not known


def test_the_window_keeps_relevant_and_moved_documents_when_asked() -> None:
    one = ranking(["d1", "a", "b", "c"], GRADES)
    other = ranking(["d1", "a", "c", "b"], GRADES)
    assert [row.docno for row in window(one, 3)] == ["d1", "a", "b"]
    assert [(row.rank, row.docno) for row in window(one, 4, [other])] == [
        (1, "d1"), (3, "b"), (4, "c"),
    ]  # fmt: skip


def test_lines_join_documents_of_both_lists_and_ends_are_for_relevant_ones_alone() -> None:
    left = [Row(1, "a", 0.0), Row(2, "b", None), Row(3, "d1", 1.0)]
    right = [Row(1, "d9", 2.0), Row(2, "c", 0.0), Row(3, "a", 0.0)]
    drawn = [(line.docno, line.left, line.right, line.is_relevant) for line in lines(left, right)]
    assert drawn == [("a", 1, 3, False), ("d1", 3, None, True), ("d9", None, 1, True)]


def test_lines_follow_the_rows_that_are_shown_not_the_ranks() -> None:
    (line,) = lines([Row(7, "a", 0.0)], [Row(9, "a", 0.0)])
    assert (line.left, line.right) == (1, 1)


# --- snippets ------------------------------------------------------------------------------------


def text_of(pieces: Sequence[tuple[str, bool]]) -> str:
    return "".join(text for text, _ in pieces)


def test_query_words_are_found_whatever_their_case_and_only_as_whole_words() -> None:
    words = query_words("The Lambda functions")
    pieces = snippet("LAMBDA and functional functions", words)
    assert [text for text, is_word in pieces if is_word] == ["LAMBDA", "functions"]
    assert text_of(pieces) == "LAMBDA and functional functions"


def test_short_and_stop_words_count_only_where_the_query_has_no_others() -> None:
    assert query_words("how do I split the string") == {"split", "string"}
    assert query_words("how to go") == {"how", "to", "go"}
    assert query_words("to go") == {"to", "go"}
    assert query_words(None) == query_words("?!") == frozenset()


def test_the_stretch_has_the_most_different_words_of_the_query() -> None:
    text = "apple " + "x " * 300 + "apple pie with cream" + " y" * 300
    stretch = text_of(snippet(text, query_words("apple pie cream")))
    assert "apple pie with cream" in stretch
    assert stretch.startswith("… ")
    assert stretch.endswith(" …")


def test_a_million_characters_become_one_short_line() -> None:
    text = "line\n" * 200_000 + "needle"
    line = text_of(snippet(text, query_words("needle")))
    assert len(line) < 200
    assert "\n" not in line
    assert "needle" not in line  # after what is read
    assert "needle" in text_of(snippet("x " * (READ // 4) + "needle", query_words("needle")))


@pytest.mark.parametrize("text", ["", " ", "\u202eevil\x00", "a" * 100_000, "<b>bold</b>"])
def test_any_text_makes_a_line_without_control_characters(text: str) -> None:
    line = text_of(snippet(text, query_words("evil bold")))
    assert not {"\u202e", "\x00"} & set(line)
    assert len(line) <= 170


def test_marked_pieces_join_to_the_text() -> None:
    text = "a needle, two needles; Needle!"
    pieces = list(marked(text, query_words("needle")))
    assert text_of(pieces) == text
    assert [piece for piece in pieces if piece[1]] == [("needle", True), ("Needle", True)]


# --- the strip -----------------------------------------------------------------------------------


def test_the_strip_has_a_character_a_rank_and_numbers_documents_alike_in_all_rows() -> None:
    one = ranking(["d1", "a", "d9", "b"], {**GRADES, "a": 0.0})
    other = ranking(["d9", "d1"], GRADES)
    numbers = lists.numbered([one, other])
    data = [json.loads(lists.strip_data(row, numbers)) for row in (one, other)]
    assert data[0]["grades"] == "102?"
    assert data[0]["length"] == 4
    assert data[1]["documents"] == [data[0]["documents"][2], data[0]["documents"][0]]


def test_of_a_deep_ranking_the_relevant_documents_are_drawn_at_every_rank() -> None:
    docnos = [*filler(4_999, "x"), "d9"]
    deep = ranking(docnos, GRADES)
    numbers = lists.numbered([deep])
    data = json.loads(lists.strip_data(deep, numbers))
    assert data["deep"] == [[5_000, "2", numbers["d9"]]]
    assert len(data["grades"]) == lists.EVERY
    assert len(data["documents"]) == lists.KNOWN


@pytest.mark.parametrize(
    ("grade", "step"),
    [(None, "?"), (-1.0, "?"), (0.0, "0"), (0.5, "0"), (1.0, "1"), (2.7, "2"), (9.0, "3")],
)
def test_the_height_is_the_grade_up_to_3(grade: float | None, step: str) -> None:
    assert lists.step(grade) == step


def test_the_strip_is_described_in_words() -> None:
    one = ranking(["d1", "a", "d9"], GRADES)
    assert lists.in_words(one, 3) == "2 of 3 relevant documents found, at ranks 1, 3"
    assert lists.in_words(ranking(["a"]), 1) == "0 of 1 relevant document found"
    many = ranking(filler(40, "d"), dict.fromkeys(filler(40, "d"), 1.0))
    assert lists.in_words(many, 40).endswith(", 11, 12 and further down")
