"""The Measures page: every measure of the registry, with an example that is computed."""

from __future__ import annotations

import csv

import pytest
from browserless import Browserless, as_json, text_of
from nightly import one_in

from dashboard.address import Address
from evalstore.evaluation.measure_help import example_by_rank, example_values
from evalstore.measures import parse, registry


def test_every_measure_is_listed_with_a_link(app: Browserless) -> None:
    page = as_json(app.page("/measures")["page"]["children"])
    for name in registry():
        assert f'"href": "{Address("measures", None, name).href}"' in page


@pytest.mark.slow
@pytest.mark.parametrize("name", one_in(5, registry()))
def test_a_measure_has_its_formula_when_to_use_it_and_computed_values(
    app: Browserless, name: str
) -> None:
    text = app.text(f"/measures/{name}")
    descriptor = registry()[name]
    formula = descriptor.formula.replace(" x ", " × ")
    for words in (descriptor.title, formula, descriptor.advice, descriptor.source):
        assert " ".join(words.split()) in text
    for notation, value in example_values(parse(descriptor.example)):
        assert f"{notation} {value}" in text


def test_the_search_finds_names_titles_and_the_names_of_trec_eval(app: Browserless) -> None:
    first = app.page("/measures")
    answer = app.go("/measures?find=recip", first["rendered"]["data"])
    names = text_of(answer["measure-list"]["children"])
    assert "RR" in names
    assert "Bpref" not in names
    assert "No measure has “zzz”" in app.text("/measures?find=zzz")


@pytest.mark.parametrize(
    ("find", "name"),
    [("ndcg@10", "nDCG"), ("hit rate", "Success"), ("hit_rate@5", "Success"), ("ndcg_cut", "nDCG")],
)
def test_the_search_finds_a_measure_with_a_cutoff_and_by_names_elsewhere(
    app: Browserless, find: str, name: str
) -> None:
    answer = app.go(f"/measures?find={find}", app.page("/measures")["rendered"]["data"])
    assert name in text_of(answer["measure-list"]["children"]).split()
    of_all = f"of {len(registry())} measures, each"
    assert of_all in text_of(answer["measure-headline"]["children"])


def test_an_unknown_measure_is_answered_with_the_way_to_all(app: Browserless) -> None:
    text = app.text("/measures/nonsense")
    assert "There is no such measure" in text
    assert "nonsense" in text


def test_the_example_by_rank_ends_at_the_value_of_the_whole_ranking() -> None:
    for descriptor in registry().values():
        measure = parse(descriptor.example)
        by_rank = example_by_rank(measure)
        if by_rank:
            [(_, whole), *_] = example_values(measure)
            counts = measure.descriptor.counts and by_rank[-1] == int(by_rank[-1])
            assert (f"{by_rank[-1]:.0f}" if counts else f"{by_rank[-1]:.4f}") == whole, measure


def test_precision_at_each_rank_of_the_example_is_as_by_hand() -> None:
    # Relevant are ranks 1, 4, 5 and 8 of ten; R = 6.
    assert example_by_rank(parse("SetP")) == pytest.approx(
        [1, 1 / 2, 1 / 3, 2 / 4, 3 / 5, 3 / 6, 3 / 7, 4 / 8, 4 / 9, 4 / 10]
    )


def test_the_list_can_be_had_as_csv_as_the_search_shows_it(app: Browserless) -> None:
    every = list(csv.DictReader(app.client.get("/export/measures/measures.csv").text.splitlines()))
    assert [row["measure"] for row in every] == list(registry())
    text = app.client.get("/export/measures/measures.csv?find=reciprocal").text
    rows = list(csv.DictReader(text.splitlines()))
    assert {row["measure"] for row in rows} < {row["measure"] for row in every}
    assert rows[0]["direction"] == "higher is better"


def test_the_example_of_a_measure_can_be_had_as_csv(app: Browserless) -> None:
    text = app.client.get("/export/measures/P@5/example.csv").text
    rows = list(csv.DictReader(text.splitlines()))
    assert [int(row["rank"]) for row in rows] == list(range(1, len(rows) + 1))
    assert app.client.get("/export/measures/nonsense/example.csv").status_code == 404
