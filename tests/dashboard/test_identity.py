"""The colour and mark of a run: that of its engine, whatever is shown beside it."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from dashboard.theme import (
    SLOTS,
    VERSIONS_APART,
    Scheme,
    identities,
    mark_class,
    series_colour,
    series_dash,
    series_number,
    series_symbol,
)

# The demo: the collection's engines in the order in which they were stored.
ENGINES = ("tfidf", "boolean", "bm25", "name", "ql-stem", "bm25-name")
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
DEMO = {engine: slot for slot, engine in enumerate(ENGINES)}


def test_a_second_run_of_an_engine_has_its_mark_in_another_shade() -> None:
    slots = identities([(1, "bm25", 1), (2, "bm25", 0), (3, "name", 0)], DEMO)
    older, newer = slots[1], slots[2]
    assert (newer, older) == (DEMO["bm25"], DEMO["bm25"] + VERSIONS_APART)
    assert slots[3] == DEMO["name"]
    assert series_symbol(older) == series_symbol(newer)
    for scheme in SCHEMES:
        assert series_colour(older, scheme) != series_colour(newer, scheme)
    assert series_dash(older) != series_dash(newer)
    assert mark_class(older) == f"{mark_class(newer)} version-1"


def test_a_version_has_one_shade_whatever_is_shown_beside_it() -> None:
    """Its place among all runs of its engine decides, so it looks alike on every page."""
    alone = identities([(3, "bm25", 2)], DEMO)
    assert identities([(5, "bm25", 0), (3, "bm25", 2), (4, "bm25", 1)], DEMO)[3] == alone[3]


def test_twelve_versions_in_a_row_are_told_apart_by_shade_and_line_style() -> None:
    for first in (0, 1):
        runs = [(number, "bm25", first + number) for number in range(SLOTS)]
        slots = identities(runs, DEMO).values()
        looks = {(series_colour(slot, "light"), series_dash(slot)) for slot in slots}
        assert len(looks) == SLOTS


def test_of_two_engines_with_one_mark_the_one_that_was_stored_first_keeps_it() -> None:
    slots = {"old": 1, "new": 1 + SLOTS, "next": 2}
    assert identities([(1, "new", 0), (2, "old", 0), (3, "next", 0)], slots) == {1: 3, 2: 1, 3: 2}


def test_a_further_run_does_not_take_what_an_engine_without_its_own_mark_has() -> None:
    slots = {"old": 1, "new": 1 + SLOTS}
    alone = identities([(1, "old", 0), (2, "new", 0)], slots)
    assert alone == {1: 1, 2: 2}
    assert identities([(1, "old", 0), (2, "new", 0), (0, "old", 1)], slots) == {
        **alone,
        0: 1 + VERSIONS_APART,
    }


Runs = list[tuple[int, str, int]]
"""Runs by id, engine and the number of newer runs of the engine."""


@st.composite
def orders(draw: Any) -> tuple[Runs, Runs, dict[str, int]]:
    """Up to twelve runs of up to thirty engines, in two orders, and the engines' slots."""
    slots = {f"e{number}": number for number in range(30)}
    engines = draw(st.lists(st.sampled_from(sorted(slots)), min_size=1, max_size=SLOTS))
    runs = [
        (number, engine, engines[number:].count(engine))
        for number, engine in enumerate(engines, start=1)
    ]
    return runs, draw(st.permutations(runs)), slots


@given(orders())
def test_no_order_of_the_runs_changes_a_mark(given: Any) -> None:
    runs, permuted, slots = given
    assert identities(permuted, slots) == identities(runs, slots)


@given(orders())
def test_up_to_twelve_runs_have_different_marks(given: Any) -> None:
    runs, _, slots = given
    marks = identities(runs, slots)
    assert len(set(marks.values())) == len(runs)
    engines = {engine for _, engine, _ in runs}
    assert len({series_number(slot) for slot in marks.values()}) == len(engines)


@given(orders())
def test_an_engine_has_its_own_mark_unless_an_older_one_shown_has_it(given: Any) -> None:
    runs, _, slots = given
    marks = identities(runs, slots)
    engines = {engine for _, engine, _ in runs}
    for engine in engines:
        own = slots[engine] % SLOTS
        older = any(slots[other] < slots[engine] and slots[other] % SLOTS == own
                    for other in engines)  # fmt: skip
        of_engine = {series_number(marks[run]) for run, its, _ in runs if its == engine}
        assert (own in of_engine) is not older


def test_of_more_engines_than_marks_the_last_share_those_of_their_own() -> None:
    slots = {f"e{number}": number for number in range(SLOTS + 2)}
    marks = identities([(number, engine, 0) for number, engine in enumerate(slots)], slots)
    assert set(marks.values()) == set(range(SLOTS))
    assert marks[SLOTS] == marks[0] == 0
