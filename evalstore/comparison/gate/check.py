"""A check of runs for continuous integration: the decision on its rules, and reports."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal
from xml.etree import ElementTree as ET

from evalstore.comparison.claims import (
    Regression,
    comparability_line,
    regressions,
    sentences,
    text_in_line,
)
from evalstore.comparison.compare import compare_loaded
from evalstore.comparison.gate.rules import (
    Condition,
    Decided,
    Figures,
    Requirement,
    Rule,
    RuleResult,
    decide,
    leaves,
    parse_rule,
)
from evalstore.comparison.loading import LoadedRuns
from evalstore.comparison.significance import Compared, Pair, Settings
from evalstore.errors import DataError
from evalstore.formats.reading.source import printable
from evalstore.measures import Measure, parse
from evalstore.tables.renderers import code, paragraph

Outcome = Literal["passed", "failed", "undecided", "not comparable"]


@dataclass(frozen=True)
class Checked:
    """A new run (b) checked against a baseline (a), with results in the order of the rules.

    If the runs are not comparable, no result is decided. The losses, the largest first, are by the
    first measure of the first rule that fails, or of the first rule if none fails.
    """

    compared: Compared
    results: tuple[RuleResult, ...]
    losses: tuple[Regression, ...] = field(repr=False)

    @property
    def outcome(self) -> Outcome:
        """`failed` if a rule fails, else `undecided` if one is, else `passed`."""
        if self.compared.comparable == "no":
            return "not comparable"
        fails = [result.fails for result in self.results]
        if True in fails:
            return "failed"
        return "undecided" if None in fails else "passed"

    @property
    def lacks_figures(self) -> bool:
        """Whether a rule is undecided because a figure that it needs has no value."""
        return any(
            result.fails is None and any(math.isnan(one.value) for one in result.conditions)
            for result in self.results
        )

    def to_dict(self) -> dict[str, object]:
        """Outcome, rules with their figures, losses, and the comparison, for JSON."""
        return {
            "outcome": self.outcome,
            "rules": [
                {
                    "rule": result.rule.text,
                    "fails": result.fails,
                    "conditions": [_condition(decided) for decided in result.conditions],
                }
                for result in self.results
            ],
            "losses": [
                {
                    **{"query": loss.qid, "measure": loss.pair.measure},
                    **{"a": loss.value_a, "b": loss.value_b, "difference": loss.difference},
                }
                for loss in self.losses
            ],
            **self.compared.to_dict(),
        }


def _condition(decided: Decided) -> dict[str, object]:
    value = decided.value if math.isfinite(decided.value) else None
    written: dict[str, object] = {
        "condition": str(decided.condition),
        "value": value,
        "holds": decided.holds,
    }
    if isinstance(decided.condition, Condition):
        return written
    return {**written, "queries_needed": decided.queries_needed}


def measures_of(rules: Sequence[Rule]) -> dict[str, Measure]:
    """The measures of the rules in their order, AP if they name none; DataError without rules."""
    if not rules:
        raise DataError("no rule is given to check")
    measures = {name: measure for rule in rules for name, measure in rule.measures.items()}
    return measures or {"AP": parse("AP")}


def check_loaded(
    loaded: LoadedRuns,
    rules: Sequence[Rule],
    settings: Settings | None = None,
    most_losses: int = 10,
    *,
    allow_missing: bool = False,
) -> Checked:
    """Compare a new run with a baseline and decide rules.

    Queries that only the baseline answers fail the check, unless `allow_missing` or a rule names
    `missing` itself.
    """
    measures: Mapping[str, Measure] = measures_of(rules)
    compared = compare_loaded(loaded, measures, settings)
    if compared.comparable == "no":
        return Checked(compared, tuple(RuleResult(rule, None, ()) for rule in rules), ())
    figures = Figures(compared)
    of_missing = any(
        isinstance(one, Condition) and one.figure == "missing"
        for rule in rules
        for one in leaves(rule.expression)
    )
    if figures.missing and not (allow_missing or of_missing):
        rules = [parse_rule("missing > 0"), *rules]
    results = tuple(decide(rule, figures) for rule in rules)
    failing = next((r.rule for r in results if r.fails and r.rule.measures), None)
    measure = next(iter(failing.measures if failing else measures))
    return Checked(compared, results, tuple(regressions(compared, most_losses, measure)))


# JUnit XML, which continuous integration shows as tests: each rule is a test case


def junit(checked: Checked) -> str:
    """The rules as test cases: a failure if one fails, an error if undecided or not comparable."""
    comparable = checked.outcome != "not comparable"
    suite = _suite(
        len(checked.results),
        failures=sum(result.fails is True for result in checked.results),
        errors=sum(result.fails is None for result in checked.results),
    )
    losses = [loss_line(loss) for loss in checked.losses]
    for result in checked.results:
        case = _case(suite, result.rule.text)
        if result.fails is True:
            _problem(case, "failure", figures_of(result), losses)
        elif result.fails is None:
            why = figures_of(result) if comparable else comparability_line(checked.compared)
            _problem(case, "error", why, [])
    lines = [headline(checked), comparability_line(checked.compared), *sentences(checked.compared)]
    ET.SubElement(suite, "system-out").text = _plain("\n".join(map(printable, lines)))
    return _document(suite)


def junit_error(message: str) -> str:
    """JUnit XML for a check that could not be made."""
    suite = _suite(1, failures=0, errors=1)
    _problem(_case(suite, "the runs can be compared"), "error", message, [])
    return _document(suite)


def _suite(tests: int, *, failures: int, errors: int) -> ET.Element:
    counts = {"tests": tests, "failures": failures, "errors": errors, "skipped": 0}
    attributes = {name: str(count) for name, count in counts.items()}
    return ET.Element("testsuite", {"name": "evalstore check", **attributes})


def _case(suite: ET.Element, name: str) -> ET.Element:
    return ET.SubElement(suite, "testcase", {"classname": "evalstore.check", "name": _plain(name)})


def _problem(case: ET.Element, kind: str, message: str, lines: list[str]) -> None:
    problem = ET.SubElement(case, kind, {"message": _plain(printable(message))})
    problem.text = _plain("\n".join(map(printable, lines)))


def _plain(text: str) -> str:
    """Text without the characters that XML can't hold."""
    return "".join(c if c in "\n\t" or "\x20" <= c not in "\ufffe\uffff" else " " for c in text)


def _document(suite: ET.Element) -> str:
    suites = ET.Element("testsuites", {**suite.attrib})
    suites.append(suite)
    ET.indent(suites)
    text = ET.tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


# Lines for a terminal, and Markdown for a pull request

WORDS = {True: "fails", False: "passes", None: "undecided"}
LONGEST_TEXT = 120
NO_WIDTH = "\N{ZERO WIDTH SPACE}"


def headline(checked: Checked) -> str:
    """The outcome in one line."""
    if checked.outcome == "not comparable":
        return comparability_line(checked.compared)
    failing = sum(result.fails is True for result in checked.results)
    rules = f"{len(checked.results)} rule{'s' * (len(checked.results) != 1)}"
    old, new = (run.name for run in checked.compared.runs)
    sentence = f"{new} against {old}: {failing} of {rules} failed"
    undecided = sum(result.fails is None for result in checked.results)
    return f"{sentence}, {undecided} UNDECIDED" if undecided else sentence


def loss_line(loss: Regression) -> str:
    """A query with its value in both runs: `q1: 0.9000 to 0.1000 (-0.8000)`."""
    return f"{loss.qid}: {loss.value_a:.4f} to {loss.value_b:.4f} ({loss.difference:+.4f})"


def figures_of(result: RuleResult) -> str:
    """The figures that decided a rule: `nDCG@10 drop 0.0213, nDCG@10 p 0.0041`."""
    return ", ".join(dict.fromkeys(map(_figure, result.conditions)))


def _figure(decided: Decided) -> str:
    condition = decided.condition
    if isinstance(condition, Requirement):
        return _requirement(condition, decided)
    name = f"{condition.measure} {condition.figure}".lstrip()
    if math.isnan(decided.value):
        return f"{name} has no value"
    return f"{name} {_number(decided.value)}{' %' * condition.percent}"


def _requirement(required: Requirement, decided: Decided) -> str:
    """The gain of the new run, and how many queries would decide if these do not."""
    if math.isnan(decided.value):
        return f"{required.measure} has no interval"
    words = f"{required.measure} gain {_number(decided.value)}"
    if decided.holds is not None:
        return words
    if decided.queries_needed is None:
        return f"{words}; undecided, and no number of queries would decide it"
    return f"{words}; undecided, about {decided.queries_needed:,} queries would decide it"


def _number(value: float) -> str:
    if math.isinf(value):
        return f"{value:+}"
    if value == int(value) and abs(value) < 1e9:
        return f"{int(value)}"
    return f"{value:.4f}" if abs(value) >= 0.00005 else f"{value:.1e}"


def markdown(checked: Checked) -> str:
    """A summary for a pull request; names and texts are escaped."""
    if checked.outcome == "not comparable":
        return markdown_error(headline(checked))
    lines = [f"## evalstore check: {checked.outcome}", "", f"{text(headline(checked))}.", ""]
    old, new = (code(run.name) for run in checked.compared.runs)
    if checked.losses:
        measure = checked.losses[0].pair.measure
        lines += [f"### Regressed queries ({code(measure)})", ""]
        texts = checked.compared.texts
        lines += _table(
            ("query", "text", old, new, "difference"),
            "ll---",
            (
                (
                    code(loss.qid),
                    text(text_in_line(texts.get(loss.qid, ""), LONGEST_TEXT)),
                    *(f"{value:.4f}" for value in (loss.value_a, loss.value_b)),
                    f"{loss.difference:+.4f}",
                )
                for loss in checked.losses
            ),
        )
    lines += ["### Rules", ""]
    lines += _table(
        ("rule", "", "figures"),
        "lll",
        (
            (
                code(r.rule.text),
                f"**{WORDS[r.fails]}**" if r.fails else WORDS[r.fails],
                text(figures_of(r)),
            )
            for r in checked.results
        ),
    )
    lines += ["### Figures", ""]
    lines += _table(
        ("measure", "queries", old, new, "difference", "interval", "p", "p corrected", "W/T/L"),
        "l--------",
        (_figures_row(pair, checked) for pair in checked.compared.pairs),
    )
    lines += [f"- {text(sentence)}" for sentence in sentences(checked.compared)]
    about = (comparability_line(checked.compared), *checked.compared.notes)
    lines += [f"- {text(line)}" for line in about]
    return "\n".join([*lines, ""])


def markdown_error(message: str) -> str:
    """The Markdown summary for a check that could not be made."""
    return f"## evalstore check: not comparable\n\n{text(message)}\n"


def _figures_row(pair: Pair, checked: Checked) -> Sequence[str]:
    test = checked.compared.settings.test
    low, high = pair.interval
    return (
        *(code(pair.measure), f"{pair.queries}", f"{pair.mean_a:.4f}", f"{pair.mean_b:.4f}"),
        f"{pair.difference:+.4f}",
        f"{low:+.4f} to {high:+.4f}" if math.isfinite(low) else "",
        *(_number(pair.p[test]), _number(pair.p_corrected[test])),
        f"{pair.wins}/{pair.ties}/{pair.losses}",
    )


def _table(headers: Sequence[str], sides: str, rows: Iterable[Sequence[str]]) -> list[str]:
    """A table in Markdown; `sides` has one letter per column: l for left, - for right."""
    rules = ("---" if side == "l" else "---:" for side in sides)
    lines = (headers, tuple(rules), *rows)
    return [*("| " + " | ".join(line) + " |" for line in lines), ""]


def text(words: str) -> str:
    """Escape words for Markdown, so that they appear unchanged on one line and link to nothing.

    GitHub and GitLab turn @names, #numbers and addresses into links even if they are escaped; a
    zero-width space prevents that.
    """
    return re.sub(r"\\@|\\#(?=\d)|\\:(?=//)|\bwww(?=\\\.)", rf"\g<0>{NO_WIDTH}", paragraph(words))
