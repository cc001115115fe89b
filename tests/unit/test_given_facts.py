"""The rules for facts of a run, before they are stored."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import numpy as np
import pytest

from evalstore.catalog.given_facts import GivenFacts
from evalstore.errors import DataError

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"note": " "}, "note is empty"),
        ({"note": "a\0b"}, "note has a control character"),
        ({"note": "\ud800"}, "note has a control character"),
        ({"note": "x" * 100_001}, "note has more than 100,000 characters"),
        ({"commit": "a\nb"}, "commit has a control character"),
        ({"host": "\u202egnp"}, "host has a control character"),
        ({"index_version": "x" * 1_001}, "index version has more than 1,000 characters"),
        ({"tags": ("",)}, "tag has an empty name"),
        ({"tags": ("a\nb",)}, "tag has a control character"),
        ({"memory_bytes": -1}, "memory bytes can't be -1"),
        ({"index_bytes": 2**63}, "index bytes can't be 9,223,372,036,854,775,808"),
        ({"energy_joules": float("nan")}, "energy joules can't be nan"),
        ({"money": float("inf"), "currency": "EUR"}, "money can't be inf"),
        ({"money": 1.0}, "with its currency"),
        ({"currency": "EUR"}, "with its currency"),
        ({"started_at": NOON, "ended_at": NOON - timedelta(1)}, "before the start"),
        ({"parameters": {"a=b": 1}}, "no name of a parameter"),
        ({"parameters": {'a"b': 1}}, "no name of a parameter"),
        ({"parameters": {"a\\b": 1}}, "no name of a parameter"),
        ({"parameters": {"k": {1, 2}}}, "'k' is of type set"),
        ({"parameters": {"k": [float("nan")]}}, "'k' holds nan, no finite number"),
        ({"parameters": {"a.b": 1, "a": {"b": 2}}}, "'a.b' stands twice"),
        ({"parameters": {"k": "a\0"}}, "'k' has a control character"),
        ({"parameters": {"k": "x" * 10_001}}, "'k' has more than 10,000 characters"),
        ({"parameters": {"k": 10**4_000}}, "too large"),
        ({"parameters": {str(i): i for i in range(1_001)}}, "more than 1,000 parameters"),
    ],
)
def test_a_fact_that_can_not_be_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        GivenFacts(**given)


def test_a_parameter_is_a_number_a_boolean_or_a_text() -> None:
    given: dict[str, Any] = {
        **{"bool": True, "int": np.int64(3), "float": np.float32(0.5), "text": "a\n\tü"},
        **{"nan": float("nan"), "inf": float("-inf"), "long": 10**18},
    }
    parameters = GivenFacts(parameters=given).parameters
    assert parameters == {
        **{"bool": True, "int": 3, "float": 0.5, "text": "a\n\tü"},
        **{"nan": "nan", "inf": "-inf", "long": "1000000000000000000"},
    }
    kinds = {name: type(value) for name, value in parameters.items()}
    assert kinds["bool"] is bool
    assert kinds["int"] is int
    assert kinds["float"] is float


def test_nested_parameters_are_those_of_a_file() -> None:
    given: Any = {"index": {"stemmer": "porter", "stop": None}, "layers": [1, {"k": "ü"}], "t": ()}
    assert GivenFacts(parameters=given).parameters == {
        "index.stemmer": "porter",
        "layers": '[1, {"k": "ü"}]',
        "t": "[]",
    }


def test_a_time_without_a_zone_is_utc() -> None:
    assert GivenFacts(started_at=NOON.replace(tzinfo=None)).started_at == NOON
    other = NOON.astimezone(timezone(timedelta(hours=2)))
    assert GivenFacts(started_at=other).started_at == NOON


def test_nothing_given_is_false() -> None:
    assert not GivenFacts()
    assert GivenFacts(commit_dirty=False)
    assert GivenFacts(parameters={"k": 0})


def test_facts_are_completed_by_others_where_they_are_not_given() -> None:
    own = GivenFacts(parameters={"k": 1}, host="a")
    other = GivenFacts(parameters={"b": 2}, host="b", commit="c", commit_dirty=True, tags=("t",))
    assert own.or_else(other) == GivenFacts(
        parameters={"b": 2, "k": 1}, host="a", commit="c", commit_dirty=True, tags=("t",)
    )


def test_whether_the_checkout_is_dirty_is_not_said_of_another_commit() -> None:
    checkout = GivenFacts(commit="c", commit_dirty=True)
    assert GivenFacts(commit="d").or_else(checkout) == GivenFacts(commit="d")
