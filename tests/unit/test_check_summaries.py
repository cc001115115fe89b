"""What `evalstore check` writes: Markdown for a pull request, JUnit XML."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from compared_runs import numbered, run_values
from samples import HOSTILE

from evalstore.comparison.gate.check import (
    Checked,
    check_loaded,
    junit,
    junit_error,
    markdown,
    markdown_error,
    text,
)
from evalstore.comparison.gate.rules import (
    parse_rule,
)
from evalstore.comparison.loading import LoadedRuns
from evalstore.comparison.significance import Settings
from evalstore.formats import Queries
from evalstore.tables.renderers import code

OLD = {"q1": 0.5, "q2": 0.9, "q3": 0.5}
NEW = {"q1": 0.6, "q2": 0.1, "q3": 0.4}


def checked(*rules: str, new: str = "new", texts: dict[str, str] | None = None) -> Checked:
    runs = (run_values("old", OLD), run_values(new, NEW))
    parsed = [parse_rule(rule) for rule in rules]
    return check_loaded(LoadedRuns(runs, Queries(texts or {})), parsed, Settings(resamples=1_000))


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.replace(r"\|", "").strip("|").split("|")]


def test_the_regressed_queries_stand_first_the_largest_loss_on_top() -> None:
    lines = markdown(checked("AP drop > 0.1", texts={"q2": "zwei"})).splitlines()
    assert lines[0] == "## evalstore check: failed"
    assert lines[2] == "new against old: 1 of 1 rule failed."
    headings = [line for line in lines if line.startswith("### ")]
    assert headings == ["### Regressed queries (`AP`)", "### Rules", "### Figures"]
    first = lines.index(headings[0]) + 4
    assert cells(lines[first]) == ["`q2`", "zwei", "0.9000", "0.1000", "-0.8000"]
    assert cells(lines[first + 1]) == ["`q3`", "", "0.5000", "0.4000", "-0.1000"]
    assert lines[first + 2] == ""


def test_the_losses_are_those_of_the_first_rule_that_fails() -> None:
    old, new = run_values("old", OLD), run_values("new", NEW)
    same = old.values["AP"]
    runs = (
        replace(old, values={"AP": same, "RR": same}),
        replace(new, values={"AP": same, "RR": new.values["AP"]}),
    )
    rules = [parse_rule("AP drop > 0.1"), parse_rule("RR drop > 0.1")]
    done = check_loaded(LoadedRuns(runs), rules, Settings(resamples=1_000))
    assert [result.fails for result in done.results] == [False, True]
    assert {loss.pair.measure for loss in done.losses} == {"RR"}


def test_junit_has_a_test_case_a_rule_with_its_failure() -> None:
    suite = ET.fromstring(junit(checked("AP drop > 0.1", "missing > 0"))).find("testsuite")
    assert suite is not None
    assert {k: suite.get(k) for k in ("tests", "failures", "errors")} == {
        "tests": "2",
        "failures": "1",
        "errors": "0",
    }
    failed, passed = suite.findall("testcase")
    assert (failed.get("name"), passed.get("name")) == ("AP drop > 0.1", "missing > 0")
    failure = failed.find("failure")
    assert failure is not None
    assert failure.get("message") == "AP drop 0.2667"
    assert (failure.text or "").startswith("q2: 0.9000 to 0.1000 (-0.8000)")
    assert list(passed) == []


def test_an_undecided_rule_is_an_error_in_junit() -> None:
    runs = (run_values("old", {"q1": 0.5}), run_values("new", {"q1": 0.4}))
    done = check_loaded(LoadedRuns(runs), [parse_rule("AP d < 0")], Settings(resamples=1_000))
    case = ET.fromstring(junit(done)).find("testsuite/testcase")
    assert case is not None
    assert [child.tag for child in case] == ["error"]


def test_runs_that_cant_be_compared_are_an_error_that_says_why() -> None:
    loaded = LoadedRuns((), obstacle="the runs are of different collections: a 'x', b 'y'")
    done = check_loaded(loaded, [parse_rule("AP drop > 0")])
    assert done.outcome == "not comparable"
    assert "different collections" in markdown(done)
    case = ET.fromstring(junit(done)).find("testsuite/testcase")
    assert case is not None
    error = case.find("error")
    assert error is not None
    assert case.get("name") == "AP drop > 0"
    assert "different collections" in (error.get("message") or "")
    assert done.to_dict()["rules"] == [{"rule": "AP drop > 0", "fails": None, "conditions": []}]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_and_texts_stay_in_their_cell(name: str) -> None:
    done = checked("AP drop > 0.1", new=name, texts={"q2": name})
    lines = markdown(done).splitlines()
    at = lines.index("### Regressed queries (`AP`)")
    for line in lines[at + 2 : at + 6]:
        assert len(cells(line)) == 5
    for at, line in enumerate(lines):
        if line.startswith("### Figures"):
            assert {len(cells(row)) for row in lines[at + 2 : at + 5]} == {9}
    ET.fromstring(junit(done))
    ET.fromstring(junit_error(name))
    assert len(markdown_error(name).splitlines()) == 3


def test_words_that_github_would_link_are_broken() -> None:
    assert text("ask @bob about #12 at http://x.org") == (
        r"ask \@{0}bob about \#{0}12 at http\:{0}//x.org".replace("{0}", "\u200b")
    )
    assert text("nDCG@10 <b>*x*</b> [a](b) | `c`") == (
        r"nDCG@10 \<b\>\*x\*\</b\> \[a\](b) \| \`c\`"
    )


def test_a_name_with_ticks_stays_one_code_span() -> None:
    assert code("a`b``c") == "```a`b``c```"
    assert code("`a`") == "`` `a` ``"
    assert code("a|b") == r"`a\|b`"


def test_numbered_names_of_queries_are_kept() -> None:
    done = check_loaded(
        LoadedRuns((run_values("a", numbered([0.5])), run_values("b", numbered([0.4])))),
        [parse_rule("AP drop > 0")],
    )
    assert [loss.qid for loss in done.losses] == ["q01"]
