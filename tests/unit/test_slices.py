"""A comparison restricted to some queries, or split by an attribute of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from compared_runs import run_values

from evalstore.catalog.names import parse_conditions
from evalstore.comparison.claims import comparability_line
from evalstore.comparison.compare import Slices, compare_loaded, groups, split_by
from evalstore.comparison.loading import LoadedRuns, restrict
from evalstore.comparison.significance import Pair, Settings
from evalstore.errors import DataError
from evalstore.formats import Queries
from evalstore.measures import named_measures

AP = named_measures(["AP"])
QIDS = [f"q{number:02}" for number in range(1, 25)]
LANGUAGES = ["de"] * 11 + ["en"] * 9 + ["fr"] * 2


def loaded(missing: tuple[str, ...] = ()) -> LoadedRuns:
    """Three runs over 24 queries: 11 German, 9 English, 2 French, 2 of no language."""
    draw = np.random.default_rng(7)
    runs = [
        run_values(name, dict(zip(QIDS, draw.random(24).round(1).tolist(), strict=True)))
        for name in "abc"
    ]
    answered = np.array([qid not in missing for qid in QIDS])
    languages = zip(QIDS, LANGUAGES, strict=False)
    queries = Queries(
        dict.fromkeys(QIDS, "some words"), {qid: {"lang": lang} for qid, lang in languages}
    )
    return LoadedRuns((runs[0], replace(runs[1], answered=answered), runs[2]), queries)


def by_language(settings: Settings | None = None, **more: tuple[str, ...]) -> Slices:
    return split_by(compare_loaded(loaded(**more), AP, settings), "lang")


def uncorrected(pair: Pair) -> dict[str, object]:
    of_family = ("p_corrected", "verdict", "reason", "family")
    return {name: value for name, value in pair.row().items() if not name.startswith(of_family)}


def test_every_query_is_in_one_slice_and_those_without_the_attribute_are_a_slice() -> None:
    slices = by_language()
    assert [part.value for part in slices.slices] == ["de", "en", "fr", None]
    assert [part.label for part in slices.slices] == ["de", "en", "fr", "(none)"]
    assert sorted(qid for part in slices.slices for qid in part.qids) == QIDS


@pytest.mark.parametrize("test", ["t", "randomization"])
def test_a_slice_has_the_figures_of_a_comparison_of_just_these_queries(test: str) -> None:
    settings = Settings(test=test, resamples=200)  # type: ignore[arg-type]
    slices = by_language(settings, missing=("q03", "q15"))
    for part in slices.slices[:3]:
        only = restrict(loaded(missing=("q03", "q15")), parse_conditions(f"lang={part.value}"))
        alone = compare_loaded(only, AP, settings)
        assert [uncorrected(p) for p in part.pairs] == [uncorrected(p) for p in alone.pairs]


def test_wins_ties_and_losses_of_the_slices_add_up_to_those_of_the_whole() -> None:
    slices = by_language(missing=("q03", "q15"))
    for number, pair in enumerate(slices.whole.pairs):
        parts = [part.pairs[number] for part in slices.slices]
        assert {(part.a, part.b) for part in parts} == {(pair.a, pair.b)}
        for name in ("queries", "wins", "ties", "losses"):
            assert sum(getattr(part, name) for part in parts) == getattr(pair, name)


def test_p_is_corrected_over_all_slices_pairs_and_measures_shown() -> None:
    slices = by_language(Settings(correction="bonferroni"))
    assert slices.comparisons == 4 * 3
    for part in slices.slices:
        for pair in part.pairs:
            assert pair.p_corrected["t"] == pytest.approx(min(pair.p["t"] * 12, 1.0))


def test_the_whole_keeps_its_own_correction() -> None:
    whole = compare_loaded(loaded(), AP)
    assert split_by(whole, "lang").whole is whole


def test_a_slice_of_fewer_than_ten_queries_says_that_it_is_small() -> None:
    slices = by_language()
    assert [part.is_small for part in slices.slices] == [False, True, True, True]
    assert slices.notes == (
        "slices of fewer than 10 queries are small, and only large differences can be shown in "
        "them: en (9), fr (2), (none) (2)",
    )
    assert slices.sentences[0].startswith("lang de (11 queries): ")
    assert slices.sentences[3].startswith("lang en (9 queries, a small slice): ")
    assert slices.sentences[9].startswith("lang (none) (2 queries, a small slice): ")
    assert all("over 12 comparisons" in sentence for sentence in slices.sentences)


def test_a_slice_whose_queries_have_no_value_has_no_figures_and_is_named() -> None:
    runs = loaded()
    known = {"AP": np.array([float(qid not in ("q21", "q22")) for qid in QIDS])}
    runs = replace(runs, runs=tuple(replace(run, weights=known) for run in runs.runs))
    slices = split_by(compare_loaded(runs, AP), "lang")
    assert slices.comparisons == 3 * 3
    assert slices.notes[-1] == "no figures, because no two runs can be compared on them: fr"


def test_runs_that_are_not_comparable_have_no_slices() -> None:
    compared = compare_loaded(LoadedRuns((), obstacle="other collections"), AP)
    assert split_by(compared, "lang").slices == ()


def test_a_restriction_is_said_with_the_verdict_and_in_json() -> None:
    only = restrict(loaded(), parse_conditions(["lang!=de", "length>=2"]))
    compared = compare_loaded(only, AP)
    phrase = "the 13 of 24 queries with lang!=de and length>=2"
    assert compared.restriction == phrase
    assert comparability_line(compared).startswith(
        f"comparable: same judgments, only {phrase}, depth 100"
    )
    assert compared.to_dict()["restricted_to"] == phrase
    assert {pair.queries for pair in compared.pairs} == {13}


def test_the_verdict_of_a_restricted_comparison_is_of_its_queries() -> None:
    runs = loaded(missing=("q01",))
    german = compare_loaded(restrict(runs, parse_conditions("lang=de")), AP)
    assert comparability_line(german).startswith(
        "partly comparable: only the 11 of 24 queries with lang=de; "
        "10 of 11 queries answered by all 3 runs; q01 missing from b"
    )
    english = compare_loaded(restrict(runs, parse_conditions("lang=en")), AP)
    assert english.comparable == "yes"


def test_a_restriction_that_leaves_no_query_is_an_error() -> None:
    with pytest.raises(DataError, match="none of the 24 queries has length>400"):
        restrict(loaded(), parse_conditions("length>400"))


# --- groups --------------------------------------------------------------------------------------


def grouped(*values: str) -> dict[str | None, int]:
    """How many queries each group has, of queries with these values."""
    qids = [f"q{number}" for number in range(len(values))]
    attributes = {qid: {"n": value} for qid, value in zip(qids, values, strict=True) if value}
    return {value: len(of) for value, of in groups("n", qids, Queries({}, attributes)).items()}


def test_groups_are_in_natural_order() -> None:
    assert list(grouped("v10", "v2", "", "V1")) == ["V1", "v2", "v10", None]


def test_up_to_five_numbers_are_a_group_each() -> None:
    assert grouped("10", "9", "-1", "2.5", "2", "2") == {
        **{"-1": 1, "2": 2, "2.5": 1, "9": 1, "10": 1}
    }


def test_more_numbers_are_split_into_ranges_of_about_equally_many_queries() -> None:
    assert grouped(*map(str, range(1, 13))) == {
        "1 to 3": 3,
        "4 to 6": 3,
        "7 to 9": 3,
        "10 to 12": 3,
    }


def test_equal_numbers_are_never_separated() -> None:
    assert grouped(*["1"] * 9, "1.0", "2", "3", "4", "5", "6") == {"1 to 2": 11, "3 to 6": 4}


def test_numbers_among_which_is_a_word_are_values_like_others() -> None:
    assert len(grouped(*map(str, range(9)), "many")) == 10


def test_an_attribute_of_more_than_fifty_values_is_refused() -> None:
    with pytest.raises(DataError) as caught:
        grouped(*(f"u{number}" for number in range(51)))
    assert str(caught.value) == (
        "the attribute 'n' has 51 different values; a comparison is split by at most 50"
    )


def test_a_value_of_five_thousand_digits_is_a_value() -> None:
    long = "1" * 5000
    assert grouped(long, "2", "x") == {"2": 1, "x": 1, long: 1}
