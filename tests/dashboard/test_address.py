"""Addresses: read and written, with any name in them; and those of earlier versions."""

from __future__ import annotations

from urllib.parse import quote

import pytest
import sample_stores
from hypothesis import given
from hypothesis import strategies as st

from dashboard.address import LONGEST, MOST_VALUES, NAMED, OF_COLLECTION, Address, parse
from dashboard.components.problems import PageProblem

names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=20).filter(
    lambda text: text == text.strip()
)
addresses = st.one_of(
    st.builds(Address, st.sampled_from(OF_COLLECTION), names),
    st.builds(Address, st.sampled_from(NAMED), names, names),
    st.builds(Address, st.just("measures"), st.none(), st.none() | names),
    st.builds(Address, st.sampled_from(["home", "sql"])),
    st.builds(Address, st.just("view"), st.none(), names),
)
parameters = st.dictionaries(
    st.sampled_from(["runs", "base", "find", "sort"]), st.lists(names, min_size=1, max_size=3)
)


def read_back(address: Address) -> Address:
    path, _, search = address.href.partition("?")
    return parse(path, search)


@given(addresses, parameters)
def test_an_address_is_read_as_it_was_written(
    address: Address, chosen: dict[str, list[str]]
) -> None:
    whole = address.changed(**chosen)
    assert read_back(whole) == whole


@pytest.mark.parametrize(
    "name",
    [
        *sample_stores.NAMES,
        ".",
        "..",
        "%2E",
        "%252e%2E",
        "a/b",
        "a%2Fb",
        "a/%252fb",
        "a,b",
        "a+b",
        "%2C",
        "?#",
    ],
)
def test_a_name_of_any_kind_stands_in_paths_and_lists(name: str) -> None:
    address = Address("run", name, name, {"runs": (name, "other")})
    assert read_back(address) == address
    assert all(part not in (".", "..") for part in address.path.replace("%2E", ".").split("/"))


def test_a_list_is_split_before_it_is_decoded() -> None:
    assert parse("/c/x/compare", "?runs=a%2Cb,c").all("runs") == ("a,b", "c")


def test_commas_in_the_parentheses_of_a_measure_do_not_split() -> None:
    chosen = ("AP", "nDCG(rel=2,dcg=x)@10")
    assert parse("/c/x", "?m=AP,nDCG(rel=2,dcg=x)@10").all("m") == chosen
    assert parse("/c/x", Address("leaderboard", "x", None, {"m": chosen}).search).all("m") == chosen


def test_a_text_with_commas_is_read_as_one() -> None:
    assert parse("/sql", "?s=select+1,%202").one("s") == "select 1, 2"
    statement = "select 1, 2"
    assert parse("/sql", Address("sql").changed(s=statement).search).one("s") == statement


def test_what_is_empty_is_left_out() -> None:
    assert Address("leaderboard", "c").changed(find="", runs=(), base=None).href == "/c/c"


def test_a_slash_at_the_end_is_no_empty_name() -> None:
    assert parse("/c/x/", "").href == "/c/x"
    assert parse("", "").page == "home"


@pytest.mark.parametrize(
    "path", ["/nowhere", "/c", "/c/x/nothing", "/c/x/run", "/c/x/run/a/b", "/v", "/sql/x"]
)
def test_other_paths_are_no_page(path: str) -> None:
    with pytest.raises(PageProblem, match="no such page"):
        parse(path, "")


def test_a_list_may_be_given_in_several_parts() -> None:
    assert parse("/c/x/compare", "?runs=a,b&m=AP&runs=c").all("runs") == ("a", "b", "c")
    most = "&".join(f"runs={number}" for number in range(MOST_VALUES))
    assert len(parse("/c/x/compare", f"?{most}").all("runs")) == MOST_VALUES
    with pytest.raises(PageProblem, match="has more than 300 values"):
        parse("/c/x/compare", f"?{most}&runs=one")


def test_an_address_that_is_too_long_is_refused() -> None:
    with pytest.raises(PageProblem, match="not understood"):
        parse("/c/x", "?find=" + "x" * LONGEST)


def test_names_are_encoded_as_a_browser_does() -> None:
    text = "a b ü'(1)*!~,"
    assert quote(text, safe="!'()*-._~") in Address("run", "c", text).path


@pytest.mark.parametrize("name", ["runs", "m", "least", "anything"])
def test_an_address_that_names_too_much_is_refused_before_any_name_is_looked_up(name: str) -> None:
    most = ",".join(str(number) for number in range(MOST_VALUES))
    assert len(parse("/c/x/compare", f"?{name}={most}").all(name)) == MOST_VALUES
    with pytest.raises(PageProblem, match="has more than 300 values, the most that are shown"):
        parse("/c/x/compare", f"?{name}={most},one%20more")
