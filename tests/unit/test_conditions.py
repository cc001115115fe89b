"""Conditions on attributes of queries."""

from __future__ import annotations

import pytest

from evalstore.catalog.names import Condition, parse_condition, select_queries
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
        ("n > many", "condition 'n > many', character 5: expected a number after >"),
        ("n<nan", "condition 'n<nan', character 3: expected a number after <"),
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
