"""The rules by which grades of several assessors become one, and the names of versions."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from evalstore.judging.drafts import RULES
from evalstore.judging.publish import grade_by, next_name
from evalstore.store.queries.drafts import Kind, Rule, StoredAssessment

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)


def said(grades: str) -> list[StoredAssessment]:
    """Assessments, a word each, one after the other: a grade, with `a` of an adjudicator, with `m`
    of a model; `?` is no grade.
    """
    made = []
    for number, word in enumerate(grades.split()):
        kinds: dict[str, Kind] = {"a": "adjudicator", "m": "model"}
        kind = kinds.get(word[-1], "person")
        grade = None if word == "?" else float(word.rstrip("am"))
        state = "cannot_tell" if grade is None else "graded"
        at = NOON + timedelta(minutes=number)
        made.append(
            StoredAssessment(
                "q", "d", f"p{number}", kind, state, grade, None, None, f"{number}", at
            )
        )
    return made


@pytest.mark.parametrize(
    ("grades", "expected"),
    [  # majority, mean, minimum, adjudicated
        ("2", (2, 2, 2, 2)),
        ("1 1", (1, 1, 1, 1)),
        ("0 2 2", (2, 4 / 3, 0, None)),
        ("3 1", (1, 2, 1, None)),  # a tie goes to the lower grade
        ("3 3 1 1 0", (1, 1.6, 0, None)),
        ("0 2 2 1a", (2, 1.25, 0, 1)),
        ("0 2a 3a", (0, 5 / 3, 0, 3)),  # the last adjudicator
        ("1 ? 1", (1, 1, 1, 1)),
        ("-1 1", (-1, 0, -1, None)),
        ("0 3m 3m", (0, 0, 0, 0)),  # a model never counts
        ("? ?", (None, None, None, None)),
        ("3m", (None, None, None, None)),
    ],
)
def test_a_rule_makes_one_grade_of_several(grades: str, expected: tuple[float | None, ...]) -> None:
    rules: tuple[Rule, ...] = RULES
    assert rules == ("majority", "mean", "minimum", "adjudicated")
    assert [grade_by(rule, said(grades)) for rule in rules] == pytest.approx(list(expected))


@pytest.mark.parametrize(
    ("name", "taken", "expected"),
    [
        ("main", [], "main"),
        ("main", ["main"], "main-2"),
        ("main", ["main", "main-2"], "main-3"),
        ("main-2", ["main", "main-2"], "main-3"),
        ("trec-8", ["trec-8"], "trec-8-2"),  # no version of "trec"
    ],
)
def test_a_version_has_the_next_number(name: str, taken: list[str], expected: str) -> None:
    assert next_name(name, taken) == expected
