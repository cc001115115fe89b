"""Attributes of the queries of a stored collection."""

from __future__ import annotations

from pathlib import Path

import pytest
from databases import both_databases
from samples import Filled, add, write_qrels, write_run

from evalstore.catalog.names import parse_conditions
from evalstore.catalog.queries import list_queries, tag_queries, untag_queries
from evalstore.catalog.runs import history
from evalstore.comparison.compare import compare_loaded, split_by
from evalstore.comparison.loading import load_stored_runs, restrict
from evalstore.errors import DataError, NotFound
from evalstore.formats import Queries
from evalstore.ingest.store_qrels import store_qrels
from evalstore.measures import named_measures
from evalstore.store import Store
from evalstore.transfer.copy import copy


def fill(store: Store, folder: Path) -> None:
    """A collection of q1 (de), q2 (en) and q3, of which q1 and q2 have texts."""
    queries = Queries(
        {"q1": "one word more", "q2": "two"},
        {"q1": {"lang": "de", "level": "007"}, "q2": {"lang": "en"}},
    )
    store_qrels(store, "test", qrels_path=write_qrels(folder), queries=queries)


@pytest.fixture
def tagged(copied: Filled) -> Store:
    return copied(fill)


def attributes(store: Store, collection: str = "test") -> dict[str, dict[str, str]]:
    stored = list_queries(store, collection)
    return {query.qid: dict(query.attributes) for query in stored if query.attributes}


def test_attributes_are_stored_with_the_queries(tagged: Store) -> None:
    assert attributes(tagged) == {"q1": {"lang": "de", "level": "007"}, "q2": {"lang": "en"}}
    assert [(q.qid, q.text) for q in list_queries(tagged, "test")] == [
        ("q1", "one word more"),
        ("q2", "two"),
        ("q3", None),
    ]


def test_queries_can_be_listed_by_their_attributes(tagged: Store) -> None:
    for condition, qids in (("lang=de", ["q1"]), ("lang!=de", ["q2", "q3"]), ("length<3", ["q2"])):
        listed = list_queries(tagged, "test", parse_conditions(condition))
        assert [query.qid for query in listed] == qids


@both_databases
def test_queries_given_again_replace_values_and_leave_what_they_do_not_name(
    tagged: Store, tmp_path: Path
) -> None:
    changed = Queries({}, {"q1": {"lang": "fr"}, "q3": {"lang": "de"}})
    store_qrels(tagged, "test", qrels_path=write_qrels(tmp_path), queries=changed)
    assert attributes(tagged) == {
        "q1": {"lang": "fr", "level": "007"},
        "q2": {"lang": "en"},
        "q3": {"lang": "de"},
    }


def test_each_change_is_an_event_and_no_change_is_none(tagged: Store, tmp_path: Path) -> None:
    def changes() -> list[object]:
        return [event.details for event in history(tagged) if event.action == "tag"]

    first = {"kind": "queries", "changed": {"lang": 2, "level": 1}}
    assert changes() == [first]
    same = Queries({}, {"q1": {"lang": "de"}})
    store_qrels(tagged, "test", qrels_path=write_qrels(tmp_path), queries=same)
    assert tag_queries(tagged, "test", {"q1": {"lang": "de"}}) == {}
    assert changes() == [first]
    tag_queries(tagged, "test", {"q1": {"lang": "en"}})
    untag_queries(tagged, "test", "lang", ["q1"])
    assert changes()[1:] == [
        {"kind": "queries", "changed": {"lang": 1}},
        {"kind": "queries", "removed": {"lang": 1}},
    ]


@both_databases
def test_an_attribute_is_removed_of_some_queries_or_of_all(tagged: Store, tmp_path: Path) -> None:
    other = Queries({}, {"q1": {"lang": "de"}})
    store_qrels(tagged, "other", qrels_path=write_qrels(tmp_path), queries=other)
    assert untag_queries(tagged, "test", "lang", ["q1", "q1", "q3"]) == 1
    assert attributes(tagged) == {"q1": {"level": "007"}, "q2": {"lang": "en"}}
    assert untag_queries(tagged, "test", "lang") == 1
    assert attributes(tagged) == {"q1": {"level": "007"}}
    assert attributes(tagged, "other") == {"q1": {"lang": "de"}}


def test_of_attributes_that_can_not_be_set_none_is(tagged: Store) -> None:
    before = attributes(tagged)
    for wrong, error, message in (
        (
            {"q1": {"lang": "x"}, "q9": {"lang": "x"}},
            NotFound,
            "collection 'test' has no query 'q9'",
        ),
        ({"q1": {"lang": "x", "a=b": "y"}}, DataError, "attribute name 'a=b' holds one of"),
        ({"q1": {"lang": "x"}, "q2": {"lang": " "}}, DataError, "query 'q2': attribute 'lang' has"),
    ):
        with pytest.raises(error, match=message):
            tag_queries(tagged, "test", wrong)
    with pytest.raises(NotFound, match="there is no collection 'none' in the store"):
        tag_queries(tagged, "none", {"q1": {"lang": "x"}})
    with pytest.raises(NotFound, match="has the attribute 'langs'; did you mean 'lang'"):
        untag_queries(tagged, "test", "langs")
    assert attributes(tagged) == before


def test_a_copy_adds_the_attributes_that_the_target_lacks(tagged: Store, tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'other.db'}") as target:
        own = Queries({}, {"q1": {"lang": "fr"}})
        store_qrels(target, "test", qrels_path=write_qrels(tmp_path), queries=own)
        copy(tagged, target)
        assert attributes(target) == {"q1": {"lang": "fr", "level": "007"}, "q2": {"lang": "en"}}


def test_stored_runs_are_compared_over_the_queries_of_a_value(
    tagged: Store, tmp_path: Path
) -> None:
    for name, top in (("a", "x"), ("b", "d1")):
        run = write_run(tmp_path, {"q1": [top, "d1x"], "q2": ["d2"]}, f"{name}.run", name)
        add(tagged, tmp_path, run)
    measures = named_measures(["P@1"])
    loaded = load_stored_runs(tagged, ["a", "b"], measures)
    only = compare_loaded(restrict(loaded, parse_conditions("lang=de")), measures)
    assert only.restriction == "the 1 of 3 queries with lang=de"
    assert only.qids == ("q1",)
    slices = split_by(compare_loaded(loaded, measures), "lang")
    assert [(part.label, part.qids) for part in slices.slices] == [
        ("de", ("q1",)),
        ("en", ("q2",)),
        ("(none)", ("q3",)),
    ]
    assert [part.pairs[0].difference for part in slices.slices] == [1, 0, 0]  # none answers q3
