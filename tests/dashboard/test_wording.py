from __future__ import annotations

import math

import pytest

from dashboard.components import controls, wording


def test_a_long_name_keeps_both_its_ends() -> None:
    assert wording.shorten("bm25.k1-0.9.b-0.4.run", 11) == "bm25.…4.run"
    assert len(wording.shorten("x" * 1000, 28)) == 28
    assert wording.shorten("short", 28) == "short"


@pytest.mark.parametrize(
    ("names", "labels"),
    [
        (
            ["ranker-index_passages-v2-k1_0.9-b_0.4", "ranker-index_passages-v2-k1_1.2-b_0.75"],
            ["…k1_0.9-b_0.4", "…k1_1.2-b_0.75"],
        ),
        (
            ["one.ranker-index_passages-v2-k1_0.9", "two.ranker-index_passages-v2-k1_1.2"],
            ["one.…k1_0.9", "two.…k1_1.2"],
        ),
        (["/data/runs/of/today/bm25.filtered.run"], ["/data/runs/of/to…25.filtered.run"]),
        (["a-passages-of-the-second-index-b", "b-passages-of-the-second-index-a"],
         ["a-passages-of-the-second-index-b", "b-passages-of-the-second-index-a"]),
        (["a" * 40 + "-one-two", "a" * 40 + "-two-one"], ["a" * 16 + "…" + "aaaaaaa-one-two",
                                                         "a" * 16 + "…" + "aaaaaaa-two-one"]),
        (["short", "na\nmes"], ["short", "na mes"]),
    ],
)  # fmt: skip
def test_long_names_are_shortened_where_they_do_not_differ(
    names: list[str], labels: list[str]
) -> None:
    assert wording.labels(names) == dict(zip(names, labels, strict=True))


def test_a_name_in_a_picture_has_no_markup_left() -> None:
    name = wording.plot_name("<b>bm25</b> & co")
    assert "<" not in name
    assert "&lt;b&gt;bm25&lt;/b&gt; &amp; co" in name


def test_quotes_in_a_picture_stay_quotes_as_plotly_does_not_decode_them() -> None:
    assert '"it\'s"' in wording.plot_name('"it\'s"')


def test_a_name_cannot_turn_the_text_around_it() -> None:
    name = wording.plot_name("\u202eevil\u2066")
    assert "\u202e" not in name
    assert name.startswith("\u2068")
    assert name.endswith("\u2069")


def test_control_characters_do_not_reach_the_page() -> None:
    assert wording.clean("a\x1b[31mb\x00c") == "a\ufffd[31mb\ufffdc"
    assert wording.clean("a\tb\nc") == "a b c"


def test_a_query_in_a_hover_box_is_wrapped_cut_and_escaped() -> None:
    paragraph = wording.plot_paragraph("<script>" + "word " * 500)
    assert paragraph.count("<br>") == 3
    assert paragraph.replace("<br>", "").count("<") == 0
    assert paragraph.rstrip("\u2069").endswith("…")
    assert wording.plot_paragraph(None) == ""


@pytest.mark.parametrize(
    ("number", "counts", "shown"),
    [
        (0.12345, False, "+0.1235"),
        (-0.12345, False, "−0.1235"),
        (0.0, False, "0.0000"),
        (-0.0, False, "0.0000"),
        (0.00005, False, "+0.0001"),
        (-0.00004, False, "−0.00004"),
        (0.00000012345, False, "+0.00000012"),
        (-1200.0, True, "−1,200"),
        (math.nan, False, "–"),
        (None, False, "–"),
    ],
)
def test_a_difference_is_written_with_its_sign(
    number: float | None, counts: bool, shown: str
) -> None:
    assert wording.difference(number, counts=counts) == shown


def test_counts_read_as_sentences_do() -> None:
    assert wording.count(1, "query", "queries") == "1 query"
    assert wording.count(6980, "query", "queries") == "6,980 queries"
    assert wording.value(1000.0, counts=True) == "1,000"
    assert wording.value(2.5, counts=True) == "2.5"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (-0.00002, "−0.00002"),
        (0.0000312, "+0.000031"),
        (3e-12, "+3e-12"),
        (-0.00004999, "−0.00005"),
        (0.00005, "+0.0001"),
        (0.0, "0.0000"),
    ],
)
def test_a_difference_that_is_not_nothing_never_looks_like_nothing(
    number: float, text: str
) -> None:
    assert wording.difference(number) == text


def test_a_name_written_right_to_left_does_not_turn_its_sentence() -> None:
    said = "מנוע חיפוש is better than bm25 by 0.05"
    assert wording.isolated(said) == "\u2068מנוע חיפוש\u2069 is better than bm25 by 0.05"
    assert wording.isolated("bm25 is better than מנוע") == "bm25 is better than \u2068מנוע\u2069"
    assert wording.isolated("− 0.05") == "− 0.05"


def test_long_names_of_a_select_are_shortened_where_they_are_alike() -> None:
    names = [f"anserini.bm25-index_msmarco-passage-k1_{k1}-b_0.4" for k1 in (0.9, 1.2)]
    offered = controls.options([*names, "dense"])
    assert [option["value"] for option in offered] == [*names, "dense"]
    assert [option["label"] for option in offered] == ["…k1_0.9-…", "…k1_1.2-…", "dense"]


def test_no_two_long_names_have_one_label_and_none_is_an_ellipsis_alone() -> None:
    index = "-index_msmarco-passage-v2-k1_2.0-b_0.75"
    names = [f"anserini.bm25{index}", f"anserini.bm25-rm3{index}"]
    labels = wording.labels(names, 28)
    assert labels == {names[0]: "anserini.bm25-…k1_2.0-b_0.75", names[1]: "…bm25-rm3-…"}
    alike = [f"{'a' * 30}{letter}{'b' * 30}" for letter in "xy"]
    assert len(set(wording.labels(alike, 16).values())) == 2
