"""Figures of assessors, counted by hand."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from math import isnan

import pytest

from evalstore.judging.assessors import AssessorFigures, figures_of
from evalstore.store.queries.drafts import Kind, State, StoredAssessment

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def said(
    *words: tuple[str, str, float | State], kind: Kind = "person", minutes: int = 0
) -> list[StoredAssessment]:
    """What (assessor, docno, grade or other state) say, a minute each."""
    return [
        StoredAssessment(
            "q1",
            docno,
            assessor,
            kind,
            "graded" if isinstance(word, int | float) else word,
            float(word) if isinstance(word, int | float) else None,
            None,
            None,
            f"{minutes} {number} {kind}",
            BEGIN + timedelta(minutes=minutes + number),
        )
        for number, (assessor, docno, word) in enumerate(words)
    ]


def figures(assessments: list[StoredAssessment]) -> dict[str, AssessorFigures]:
    return {one.assessor: one for one in figures_of(assessments, assessments)}


def test_agreement_is_of_documents_that_two_graded_and_drift_compares_its_halves() -> None:
    ann = said(*(("ann", f"d{n}", grade) for n, grade in enumerate([1, 0, 1, 0, 2])))
    bob = said(*(("bob", f"d{n}", grade) for n, grade in enumerate([1, 0, 0, 1])), minutes=10)
    by_name = figures(ann + bob)
    one = by_name["ann"]
    assert (one.graded, one.pairs, by_name["bob"].pairs) == (5, 4, 4)
    assert one.agreement == by_name["bob"].agreement == 0.5
    # Each grades half of the four with 1, so chance agrees on half: nothing beyond chance.
    assert one.kappa == 0.0
    assert (one.first_half, one.second_half) == (1.0, 0.0)


def test_grades_of_one_time_have_no_halves() -> None:
    """Those of a file: nobody knows which were given first."""
    ann = said(*(("ann", f"d{n}", 1) for n in range(4)))
    bob = [replace(one, assessor="bob", judged_at=BEGIN) for one in ann]
    by_name = figures(ann + bob)
    assert (by_name["ann"].first_half, by_name["ann"].second_half) == (1.0, 1.0)
    assert isnan(by_name["bob"].first_half)
    assert isnan(by_name["bob"].second_half)


def test_the_halves_of_three_who_grade_the_same_documents_are_of_whole_documents() -> None:
    grades = {"ann": (1, 1, 0), "bob": (1, 1, 1), "eve": (1, 1, 1)}
    every = [
        one
        for name, given in grades.items()
        for one in said(*((name, f"d{n}", grade) for n, grade in enumerate(given)))
    ]
    ann = figures(every)["ann"]  # two pairs of each document: of d0, then of d1 and d2
    assert (ann.pairs, ann.first_half, ann.second_half) == (6, 1.0, 0.5)


def test_only_what_counts_is_counted() -> None:
    words = said(
        ("ann", "d1", 0),
        ("ann", "d1", "undone"),
        ("ann", "d2", "cannot_tell"),
        ("ann", "d3", "later"),
        ("ann", "d4", "later"),
        ("ann", "d4", 2),
    )
    adjudicated = said(("eve", "d4", 1), kind="adjudicator", minutes=20)
    by_name = figures(words + adjudicated)
    assert list(by_name) == ["ann", "eve"]
    one, eve = by_name["ann"], by_name["eve"]
    assert (one.graded, one.cannot_tell, one.later, one.pairs) == (1, 1, 1, 0)
    assert (one.adjudicated, eve.adjudicated, eve.graded, eve.pairs) == (0, 1, 0, 0)
    assert all(isnan(share) for share in (one.agreement, one.kappa, one.first_half))


@pytest.mark.parametrize(
    ("again", "repeats", "consistency"),
    [
        ((("ann", "d1", 1),), 1, 1.0),
        ((("ann", "d1", 0), ("ann", "d1", 0)), 2, 0.5),
        ((("ann", "d1", "undone"), ("ann", "d1", 0)), 0, None),
        ((("bob", "d1", 0),), 0, None),
    ],
)
def test_a_repeat_is_a_document_graded_again_and_no_correction(
    again: tuple[tuple[str, str, float | State], ...], repeats: int, consistency: float | None
) -> None:
    first = said(("ann", "d1", 1))
    everywhere = [*first, *said(*again, minutes=10)]  # in another draft
    (one,) = figures_of(first, everywhere)
    assert one.repeats == repeats
    assert isnan(one.consistency) if consistency is None else one.consistency == consistency
