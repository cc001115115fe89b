"""Conditions on attributes of queries."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from evalstore.catalog.names import Condition, parse_condition, select_queries, span_of_date
from evalstore.errors import DataError
from evalstore.formats import Queries

QIDS = ("q1", "q2", "q3", "q4")
QUERIES = Queries(
    {"q1": "how do I split", "q2": "sort", "q3": "a b"},
    {
        "q1": {"lang": "de", "level": "2"},
        "q2": {"lang": "en", "level": "10"},
        "q3": {"lang": "de", "level": "hard"},
        "elsewhere": {"lang": "fr", "other": "x"},
    },
)


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("lang=de", Condition("lang", "=", "de")),
        (" lang != de ", Condition("lang", "!=", "de")),
        ("length>=4", Condition("length", ">=", "4")),
        ("length < -1e3", Condition("length", "<", "-1e3")),
        ("metadata.url=a=b", Condition("metadata.url", "=", "a=b")),
        ("the level<=2.5", Condition("the level", "<=", "2.5")),
    ],
)
def test_a_condition_is_a_name_an_operator_and_a_value(text: str, condition: Condition) -> None:
    assert parse_condition(text) == condition
    assert parse_condition(str(condition)) == condition


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lang", "condition 'lang', character 5: expected one of =, !=, <, <=, > or >="),
        ("", "condition '', character 1: expected one of =, !=, <, <=, > or >="),
        ("=de", "condition '=de', character 1: expected a name"),
        ("lang= ", "condition 'lang= ', character 7: expected a value"),
        ("lang==de", "condition 'lang==de', character 6: expected a value, not '='"),
        ("n=>3", "condition 'n=>3', character 3: expected a value, not '>'"),
        ("n > many", "condition 'n > many', character 5: expected a number or a date after >"),
        ("n<nan", "condition 'n<nan', character 3: expected a number or a date after <"),
        ("a\x1b[31m", r"condition 'a\x1b[31m', character 7: expected one of"),
    ],
)
def test_what_is_no_condition_is_refused_with_the_position(text: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        parse_condition(text)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("conditions", "selected"),
    [
        (["lang=de"], ["q1", "q3"]),
        (["lang!=de"], ["q2", "q4"]),
        (["level>=2"], ["q1", "q2"]),
        (["level>2"], ["q2"]),
        (["level<=2"], ["q1"]),
        (["level<2"], []),
        (["lang=de", "level=hard"], ["q3"]),
        (["length=4"], ["q1"]),
        (["length<3"], ["q2", "q3"]),
        ([], list(QIDS)),
    ],
)
def test_the_queries_for_which_all_conditions_hold(
    conditions: list[str], selected: list[str]
) -> None:
    """A query without the attribute is none of its values; `length` counts the words of texts."""
    parsed = [parse_condition(text) for text in conditions]
    assert select_queries(parsed, QIDS, QUERIES) == selected


def test_a_given_length_goes_before_the_number_of_words() -> None:
    queries = Queries({"q1": "a b c"}, {"q2": {"length": "9"}})
    assert select_queries([parse_condition("length>1")], ["q1", "q2"], queries) == ["q2"]


def test_the_text_007_is_not_the_text_7_but_the_same_number() -> None:
    queries = Queries({}, {"q1": {"n": "007"}, "q2": {"n": "7"}})
    assert select_queries([parse_condition("n=007")], ["q1", "q2"], queries) == ["q1"]
    assert select_queries([parse_condition("n>=7")], ["q1", "q2"], queries) == ["q1", "q2"]


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        (
            "lnag=de",
            "no query has the attribute 'lnag'; did you mean 'lang'?; known: lang, length, level",
        ),
        (
            "lang=dee",
            "no query has 'lang=dee'; did you mean 'de'?; the values of 'lang' are de, en",
        ),
        ("lang!=fr", "no query has 'lang=fr'; the values of 'lang' are de, en"),
        ("other=x", "no query has the attribute 'other'; known: lang, length, level"),
    ],
)
def test_an_attribute_or_a_value_that_no_query_has_is_an_error(
    condition: str, message: str
) -> None:
    with pytest.raises(DataError) as caught:
        select_queries([parse_condition(condition)], QIDS, QUERIES)
    assert str(caught.value) == message


def test_queries_without_any_attribute_say_so() -> None:
    with pytest.raises(DataError) as caught:
        select_queries([parse_condition("lang=de")], QIDS, Queries({}))
    assert str(caught.value).startswith("no query has the attribute 'lang': no attributes or texts")
    assert caught.value.problem == "no attributes"


NOW = datetime(2026, 11, 26, 15, 30, 20, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("2026-06-01", "2026-06-01T00:00", "2026-06-02T00:00"),
        ("2026-02", "2026-02-01T00:00", "2026-03-01T00:00"),
        ("2024-12", "2024-12-01T00:00", "2025-01-01T00:00"),
        ("2024", "2024-01-01T00:00", "2025-01-01T00:00"),
        ("2026-06-01T14:30", "2026-06-01T14:30", "2026-06-01T14:31"),
        ("2026-06-01 14:30:05", "2026-06-01T14:30:05", "2026-06-01T14:30:06"),
        ("2026-06-01T14:30+02:00", "2026-06-01T12:30", "2026-06-01T12:31"),
        ("today", "2026-11-26T00:00", "2026-11-27T00:00"),
        ("yesterday", "2026-11-25T00:00", "2026-11-26T00:00"),
        ("7d", "2026-11-19T15:30:20", "2026-11-19T15:30:20.000001"),
        ("2w", "2026-11-12T15:30:20", "2026-11-12T15:30:20.000001"),
        ("12h", "2026-11-26T03:30:20", "2026-11-26T03:30:20.000001"),
    ],
)
def test_a_date_is_a_span_in_utc(text: str, start: str, end: str) -> None:
    expected = tuple(datetime.fromisoformat(each).replace(tzinfo=UTC) for each in (start, end))
    assert span_of_date(text, NOW) == expected


@pytest.mark.parametrize("text", ["June", "2026-13", "2026-02-30", "7", "1.5d", "", "26-06-01"])
def test_what_is_no_date_is_none(text: str) -> None:
    assert span_of_date(text, NOW) is None


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("started_at>=2026-06-01", ["noon", "next"]),
        ("started_at>2026-06-01", ["next"]),
        ("started_at<2026-06-01", ["before"]),
        ("started_at<=2026-06-01", ["before", "noon"]),
        ("started_at=2026-06-01", ["noon"]),
        ("started_at!=2026-06-01", ["before", "next"]),
        ("started_at>=2026-06", ["noon", "next"]),
    ],
)
def test_a_condition_on_a_date_means_the_whole_day(condition: str, holds: list[str]) -> None:
    times = {
        "before": datetime(2026, 5, 31, 23, 59, tzinfo=UTC),
        "noon": datetime(2026, 6, 1, 12, tzinfo=UTC),
        "next": datetime(2026, 6, 2, tzinfo=UTC),
    }
    parsed = parse_condition(condition)
    assert [name for name, time in times.items() if parsed.holds_at(time)] == holds


def test_a_condition_on_a_date_names_the_forms_of_one() -> None:
    with pytest.raises(DataError, match=r"started_at is a date, not 'June': write 2026-06-01, "):
        parse_condition("started_at=June").holds_at(NOW)
