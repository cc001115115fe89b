"""The rules of `evalstore check`: what they say, and where they are wrong."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
from compared_runs import numbered, run_values
from hypothesis import given
from hypothesis import strategies as st

from evalstore.comparison.gate.check import (
    Checked,
    check_loaded,
    figures_of,
)
from evalstore.comparison.gate.rules import (
    FIGURES,
    MOST_CHARACTERS,
    Combined,
    Condition,
    RuleError,
    parse_rule,
)
from evalstore.comparison.loading import LoadedRuns
from evalstore.comparison.significance import Settings

DOCS = Path(__file__).parents[2] / "docs" / "checking.md"


def checked(
    rule: str, old: list[float], new: list[float], measure: str = "AP", **more: object
) -> Checked:
    runs = (
        run_values("old", numbered(old), measure=measure),
        run_values("new", numbered(new), measure=measure, **more),
    )
    return check_loaded(LoadedRuns(runs), [parse_rule(rule)], Settings(resamples=1_000))


def fails(rule: str, old: list[float], new: list[float], measure: str = "AP") -> bool | None:
    return checked(rule, old, new, measure).results[0].fails


# --- the language --------------------------------------------------------------------------------


def test_a_condition_without_a_measure_is_about_the_one_named_last() -> None:
    rule = parse_rule("nDCG@10 drop > 0.01 and p < 0.05 or AP low < -0.1 and p < 0.1")
    first, second = rule.expression.parts  # type: ignore[union-attr]
    assert rule.expression.kind == "or"  # type: ignore[union-attr]
    assert [str(condition) for condition in first.parts] == [  # type: ignore[union-attr]
        "nDCG@10 drop > 0.01",
        "nDCG@10 p < 0.05",
    ]
    assert [str(condition) for condition in second.parts] == [  # type: ignore[union-attr]
        "AP low < -0.1",
        "AP p < 0.1",
    ]
    assert list(rule.measures) == ["nDCG@10", "AP"]


def test_and_or_and_not_may_be_written_in_capitals() -> None:
    assert (
        parse_rule("NOT AP p<1 AND d<1").expression == parse_rule("not AP p<1 and d<1").expression
    )


def test_and_binds_more_tightly_than_or_and_parentheses_group() -> None:
    def shape(text: str) -> object:
        def of(expression: object) -> object:
            if isinstance(expression, Condition):
                return expression.figure
            assert isinstance(expression, Combined)
            return (expression.kind, *map(of, expression.parts))

        return of(parse_rule(text).expression)

    assert shape("AP p<1 or d<1 and low<1") == ("or", "p", ("and", "d", "low"))
    assert shape("(AP p<1 or d<1) and low<1") == ("and", ("or", "p", "d"), "low")
    assert shape("not AP p<1 and d<1") == ("and", ("not", "p"), "d")
    assert shape("not (AP p<1 and d<1)") == ("not", ("and", "p", "d"))


@pytest.mark.parametrize(
    "measure",
    [
        *(
            "AP",
            "nDCG@10",
            "P(rel=2)@5",
            "RBP(p=0.8)",
            "map",
            "P_5",
            "P.5",
            "11pt_avg",
            "IPrec@0.1",
        ),
        *("nDCG(dcg='exp-log2')@10", "alpha_nDCG(alpha=0.5,judged_only=True)@10", "set_F.0.5"),
    ],
)
def test_every_notation_of_a_measure_can_stand_in_a_rule(measure: str) -> None:
    assert list(parse_rule(f"{measure} value < 0.5").measures) == [measure]


@pytest.mark.parametrize(
    ("rule", "position", "message"),
    [
        ("", 1, "expected one of drop, rise,"),
        ("AP", 3, "found the end"),
        ("AP drop", 8, "expected one of > >= < <=, found the end"),
        ("AP drop = 1", 9, "expected one of > >= < <=, found '='"),
        ("AP drop > x", 11, "expected a number, found 'x'"),
        ("AP drop >", 10, "expected a number, found the end"),
        ("AP drop > 1e999", 11, "too large"),
        ("AP dorp > 1", 4, "did you mean 'drop'?"),
        ("AP worse > 1", 4, "did you mean 'drop'?"),
        ("nDGC@10 drop > 1", 1, "did you mean 'nDCG'?"),
        ("drop > 1", 1, "name a measure first"),
        ("p < 1 and AP drop > 1", 1, "name a measure first"),
        ("summary drop > 1", 1, "names 13 measures where one is wanted"),
        ("NumRet drop > 1", 8, "use 'difference'"),
        ("AP not better by 1", 8, "expected 'worse', found 'better'"),
        ("AP not worse than 1", 14, "expected 'by', found 'than'"),
        ("AP same in 0.1", 9, "expected 'within', found 'in'"),
        ("AP same within 0", 4, "the margin must be above 0"),
        ("same within 0.1", 1, "name a measure first"),
        ("NumRet not worse by 1", 8, "use 'same within'"),
        ("AP not worse by 0.1 and p < 0.05", 1, "give two rules"),
        ("AP drop > 1 && p < 1", 13, "'&' means nothing here: write 'and'"),
        ("AP p < 5 %", 4, "p is not given in %"),
        ("AP drop > 1 AP", 13, "expected 'and', 'or' or the end, found 'AP'"),
        ("AP drop > 1 and", 16, "found the end"),
        ("(AP drop > 1", 13, "expected ')', found the end"),
        ("AP drop > 1)", 12, "found ')'"),
        ("AP drop > 1 ; rm", 13, "';' means nothing here"),
        ("AP drop > 1 and d > 2 & p < 1", 23, "'&' means nothing here"),
        ("not " * 60 + "AP p < 1", 201, "nests at most 50 deep"),
        ("(" * 60 + "AP p < 1", 51, "nests at most 50 deep"),
    ],
)
def test_a_rule_that_cant_be_read_is_refused_with_the_position(
    rule: str, position: int, message: str
) -> None:
    with pytest.raises(RuleError) as caught:
        parse_rule(rule)
    assert caught.value.position == position
    assert f"character {position}: " in str(caught.value)
    assert message in str(caught.value)


def test_a_rule_of_any_length_is_refused_beyond_a_limit() -> None:
    parse_rule(" " * (MOST_CHARACTERS - 8) + "AP p < 1")
    with pytest.raises(RuleError, match="at most 2,000"):
        parse_rule(" " * MOST_CHARACTERS + "AP p < 1")


@given(st.text(alphabet="ABCP drop><=().@0123456789%andorot\x1b", max_size=40))
def test_no_text_makes_the_reader_fail_otherwise(text: str) -> None:
    try:
        parse_rule(text)
    except RuleError as error:
        position = error.position
    else:
        position = 1
    assert 1 <= position <= len(text) + 1


# --- the figures ---------------------------------------------------------------------------------

OLD = [0.5, 0.5, 0.5, 0.5]
NEW = [0.4, 0.4, 0.6, 0.5]  # by hand: mean 0.475, drop 0.025 = 5 %, largest drop 0.1


@pytest.mark.parametrize(
    ("rule", "holds"),
    [
        ("AP drop > 0.0249", True),
        ("AP drop >= 0.025", True),
        ("AP drop > 0.025", False),
        ("AP drop >= 5 %", True),
        ("AP drop > 5 %", False),
        ("AP rise < -0.0249", True),
        ("AP difference <= -5 %", True),
        ("AP value < 0.476", True),
        ("AP value < 0.475", False),
        ("AP worst_drop >= 0.1", True),
        ("AP worst_drop > 0.1", False),
        ("AP wins >= 1 and ties >= 1 and losses >= 2", True),
        ("AP losses >= 50 % and losses <= 50 %", True),
        ("AP low < -0.025 and high > -0.025", True),
        ("AP d < 0", True),
        ("AP p < 1 and p > 0", True),
        ("queries < 4", False),
        ("queries <= 4", True),
        ("missing > 0", False),
        ("not AP drop > 0.01", False),
        ("AP drop > 1 or drop > 0.01", True),
    ],
)
def test_figures_by_hand(rule: str, holds: bool) -> None:
    assert fails(rule, OLD, NEW) is holds


def test_a_drop_of_what_is_just_the_limit_is_not_above_it() -> None:
    assert 0.30 - 0.29 > 0.01  # in doubles
    assert fails("AP drop > 0.01", [0.30], [0.29]) is False


def test_where_lower_is_better_a_rise_of_the_mean_is_a_drop() -> None:
    assert fails("ResponseTime drop >= 5", [10.0, 10.0], [15.0, 15.0], "ResponseTime") is True
    assert fails("ResponseTime worst_drop >= 5", [10.0, 9.0], [15.0, 9.0], "ResponseTime") is True


def test_worst_drop_is_0_where_the_new_run_is_never_worse() -> None:
    assert fails("AP worst_drop > 0", [0.1, 0.2], [0.1, 0.3]) is False


def test_missing_counts_what_the_baseline_answers_and_the_new_run_does_not() -> None:
    result = checked("missing > 0", OLD, NEW, missing=["q02", "q03"])
    assert result.outcome == "failed"
    assert result.results[0].conditions[0].value == 2
    other_way = (
        run_values("old", numbered(OLD), missing=["q02"]),
        run_values("new", numbered(NEW)),
    )
    done = check_loaded(LoadedRuns(other_way), [parse_rule("missing > 0")])
    assert done.outcome == "passed"


def test_p_is_corrected_for_the_measures_of_its_own_rule_so_that_no_other_opens_the_gate() -> None:
    old, new = [0.5, 0.4, 0.6, 0.5, 0.3, 0.4, 0.2], [0.3, 0.3, 0.5, 0.2, 0.1, 0.2, 0.1]
    runs = []
    for name, values in {"old": old, "new": new}.items():
        run = run_values(name, numbered(values))
        runs.append(replace(run, values={"AP": run.values["AP"], "RR": run.values["AP"]}))
    loaded = LoadedRuns(tuple(runs))

    def p_of_first(*rules: str) -> float:
        return check_loaded(loaded, list(map(parse_rule, rules))).results[0].conditions[0].value

    alone = p_of_first("AP p < 0.05")
    assert p_of_first("AP p < 0.05", "RR p < 0.05") == alone
    assert p_of_first("AP p < 0.05 or RR p < 0.05") == pytest.approx(2 * alone)
    assert p_of_first("AP p < 0.05 or RR drop > 1") == alone


def test_p_is_never_below_what_so_few_queries_could_show() -> None:
    """3 losses of nearly one size: the t test alone gives p < 0.001, signs at best 0.25."""
    old, new = [0.5, 0.5, 0.5], [0.3, 0.3, 0.3001]
    assert checked("AP p < 0.05", old, new).results[0].conditions[0].value == 0.25


def test_where_lower_is_better_low_is_the_end_of_the_loss() -> None:
    old, new = [100.0, 110, 120, 130], [160.0, 168, 180, 191]
    assert fails("ResponseTime low < -50", old, new, measure="ResponseTime") is True
    assert fails("ResponseTime high > 0", old, new, measure="ResponseTime") is False


# --- requirements --------------------------------------------------------------------------------

SPREAD = [(-1) ** n * 0.01 for n in range(40)]


def changed(by: float, queries: int = 40) -> tuple[list[float], list[float]]:
    """Values, and others that are higher by so much on average, by 0.01 more or less each."""
    old = [0.3 + n / 100 for n in range(queries)]
    return old, [value + by + SPREAD[n] for n, value in enumerate(old)]


@pytest.mark.parametrize(
    ("by", "outcome"),
    [(0.0, "passed"), (-0.005, "passed"), (-0.02, "failed"), (-0.01, "undecided"), (0.1, "passed")],
)
def test_a_run_is_not_worse_if_its_interval_leaves_out_a_loss_as_large_as_the_margin(
    by: float, outcome: str
) -> None:
    assert checked("AP not worse by 0.01", *changed(by)).outcome == outcome


@pytest.mark.parametrize(
    ("by", "outcome"),
    [(0.0, "passed"), (0.02, "failed"), (-0.02, "failed"), (0.01, "undecided")],
)
def test_a_run_is_the_same_if_two_one_sided_tests_show_a_difference_within_the_margin(
    by: float, outcome: str
) -> None:
    assert checked("AP same within 0.01", *changed(by)).outcome == outcome


def test_a_margin_in_percent_is_of_the_baselines_mean() -> None:
    """1 % of a mean near 0.5 is 0.005."""
    assert checked("AP not worse by 1 %", *changed(-0.02)).outcome == "failed"
    assert checked("AP not worse by 10 %", *changed(-0.02)).outcome == "passed"


def test_an_undecided_requirement_says_how_many_queries_would_decide_it() -> None:
    result = checked("AP not worse by 0.01", *changed(-0.008, queries=20)).results[0]
    needed = result.conditions[0].queries_needed
    assert needed is not None
    assert needed > 20
    assert (
        figures_of(result) == f"AP gain -0.0080; undecided, about {needed} queries would decide it"
    )


def test_requirements_joined_by_and_must_all_be_shown() -> None:
    rule = "AP not worse by 0.03 and same within 0.01"
    assert parse_rule(rule).requires
    assert checked(rule, *changed(0.0)).outcome == "passed"
    assert checked(rule, *changed(-0.02)).outcome == "failed"


def test_where_lower_is_better_a_slower_run_is_worse() -> None:
    old = [100.0 + n for n in range(20)]
    slower = [value + 30 + n % 3 for n, value in enumerate(old)]
    rule = "ResponseTime not worse by 10"
    assert fails(rule, old, slower, measure="ResponseTime") is True
    assert fails(rule, slower, old, measure="ResponseTime") is False


def test_queries_that_the_new_run_lost_fail_unless_that_is_allowed() -> None:
    values = [0.5] * 30
    lost = checked("AP drop > 0.5", values, values, missing=["q01", "q02"])
    assert [result.rule.text for result in lost.results] == ["missing > 0", "AP drop > 0.5"]
    assert lost.outcome == "failed"
    assert checked("missing > 2", values, values, missing=["q01", "q02"]).outcome == "passed"
    runs = (
        run_values("old", numbered(values)),
        run_values("new", numbered(values), missing=["q01"]),
    )
    rules = [parse_rule("AP drop > 0.5")]
    assert check_loaded(LoadedRuns(runs), rules, allow_missing=True).outcome == "passed"


def test_a_very_small_limit_of_p_is_not_rounded_away() -> None:
    rule = parse_rule("AP p < 1e-12")
    assert isinstance(rule.expression, Condition)
    result = checked("AP p < 1e-12", [0.5 + i / 1000 for i in range(60)], [0.1] * 60)
    assert result.results[0].fails is True


# --- what can't be told --------------------------------------------------------------------------


def test_a_figure_without_a_value_leaves_open_only_what_it_would_decide() -> None:
    one = ([0.5], [0.4])  # one query: no d
    assert math.isnan(checked("AP d < 0", *one).results[0].conditions[0].value)
    assert fails("AP d < 0", *one) is None
    assert fails("not AP d < 0", *one) is None
    assert fails("AP d < 0 and drop > 0", *one) is None
    assert fails("AP d < 0 and drop > 1", *one) is False
    assert fails("AP d < 0 or drop > 0", *one) is True
    assert checked("AP d < 0", *one).outcome == "undecided"


@pytest.mark.parametrize("rule", ["AP low < -0.02", "AP high < 0.02", "AP high > 1"])
def test_one_query_has_no_interval_to_decide_by(rule: str) -> None:
    result = checked(rule, [0.5], [0.4])
    assert result.outcome == "undecided"
    assert figures_of(result.results[0]).endswith("has no value")


def test_an_infinite_figure_can_be_shown() -> None:
    result = checked("AP d < 0", [0.5, 0.6], [0.4, 0.5])  # the same difference twice
    assert result.outcome == "failed"
    assert figures_of(result.results[0]) == "AP d -inf"


def test_a_share_of_nothing_has_no_value() -> None:
    assert fails("AP drop > 1 %", [0.0, 0.0], [0.1, 0.1]) is None


def test_every_figure_is_documented_and_none_else() -> None:
    rows = [
        line for line in DOCS.read_text(encoding="utf-8").splitlines() if line.startswith("| `")
    ]
    documented = [word for row in rows for word in row.split("|")[1].replace("`", "").split(", ")]
    assert [word.strip() for word in documented] == list(FIGURES)
