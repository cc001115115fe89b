"""A check of runs for continuous integration: rules, the decision on them, and reports."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple
from xml.etree import ElementTree as ET

import numpy as np

from evalstore.comparison.claims import Regression, regressions, sentences, text_in_line, verdict
from evalstore.comparison.compare import compare_loaded
from evalstore.comparison.loading import LoadedRuns
from evalstore.comparison.significance import Compared, Pair, Settings
from evalstore.errors import DataError, MeasureError, did_you_mean
from evalstore.formats.reading.source import printable
from evalstore.measures import Measure, parse
from evalstore.stats.inputs import UNITS_PER_ONE
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
        """`failed` if a rule fails; `undecided` if needed figures are missing; else `passed`."""
        if self.compared.comparable == "no":
            return "not comparable"
        fails = [result.fails for result in self.results]
        if True in fails:
            return "failed"
        return "undecided" if None in fails else "passed"

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
    return {"condition": str(decided.condition), "value": value, "holds": decided.holds}


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
) -> Checked:
    """Compare a new run with a baseline and decide rules; p is corrected for all their measures."""
    measures: Mapping[str, Measure] = measures_of(rules)
    compared = compare_loaded(loaded, measures, settings)
    if compared.comparable == "no":
        return Checked(compared, tuple(RuleResult(rule, None, ()) for rule in rules), ())
    figures = Figures(compared)
    results = tuple(decide(rule, figures) for rule in rules)
    failing = next((r.rule for r in results if r.fails and r.rule.measures), None)
    measure = next(iter(failing.measures if failing else measures))
    return Checked(compared, results, tuple(regressions(compared, most_losses, measure)))


# The figures that rules can name

NAN = float("nan")


@dataclass(frozen=True)
class Figures:
    """The comparison of a baseline (a) with a new run (b), in which figures are looked up."""

    compared: Compared

    @cached_property
    def pairs(self) -> Mapping[str, Pair]:
        """The pair's figures by measure; empty if the runs share no query."""
        return {pair.measure: pair for pair in self.compared.pairs}

    @property
    def missing(self) -> int:
        """The number of judged queries that only the baseline answers."""
        old, new = self.compared.runs
        return len(old.answered_qids - new.answered_qids)


@dataclass(frozen=True)
class Figure:
    """A figure that a rule may name, of a measure or of the whole comparison.

    `percent_of` returns the number that is 100 %, or None if there is none. If `rounded`, the
    figure is compared in units of 1e-9, as values and their means are: a drop of 0.30 - 0.29 is not
    above 0.01.
    """

    meaning: str
    value: Callable[[Figures, Pair], float]
    of_measure: bool = True
    needs_direction: bool = False
    percent_of: Callable[[Pair], float] | None = None
    rounded: bool = True


def figure_value(figures: Figures, measure: str, figure: str, percent: bool) -> float:
    """The value of one of `FIGURES`, NaN if there is none; `measure` is empty if none is needed."""
    wanted = FIGURES[figure]
    name = measure or next(iter(figures.pairs), "")
    if name not in figures.pairs:
        return NAN
    pair = figures.pairs[name]
    value = wanted.value(figures, pair)
    if not percent or wanted.percent_of is None:
        return value
    whole = wanted.percent_of(pair)
    return 100 * value / whole if whole else NAN


def _worse_by(pair: Pair) -> float:
    return -pair.difference if pair.direction > 0 else pair.difference


def _end(end: float) -> float:
    """The end of an interval; NaN if there is only one query."""
    return end if np.isfinite(end) else NAN


def _worst_drop(figures: Figures, pair: Pair) -> float:
    differences = np.array(list(figures.compared.differences(pair).values()))
    return max(float((-pair.direction * differences).max()), 0.0)


def _baseline_mean(pair: Pair) -> float:
    return abs(pair.mean_a)


def _queries(pair: Pair) -> float:
    return pair.queries


FIGURES: Mapping[str, Figure] = {
    "drop": Figure(
        "by how much the mean of the new run is worse than the baseline's, in % of the baseline's",
        lambda _, pair: _worse_by(pair),
        needs_direction=True,
        percent_of=_baseline_mean,
    ),
    "rise": Figure(
        "by how much it is better, likewise",
        lambda _, pair: -_worse_by(pair),
        needs_direction=True,
        percent_of=_baseline_mean,
    ),
    "difference": Figure(
        "the mean of the new run less the baseline's, whatever is better, likewise",
        lambda _, pair: pair.difference,
        percent_of=_baseline_mean,
    ),
    "value": Figure("the mean of the new run", lambda _, pair: pair.mean_b),
    "low": Figure(
        "the lower end of the interval of the difference", lambda _, p: _end(p.interval.low)
    ),
    "high": Figure("the upper end of it", lambda _, pair: _end(pair.interval.high)),
    "p": Figure(
        "of the test, corrected for all the measures that the rules name",
        lambda figures, pair: pair.p_corrected[figures.compared.settings.test],
        rounded=False,
    ),
    "d": Figure("Cohen's d of the paired differences", lambda _, pair: pair.cohens_d),
    "wins": Figure(
        "on how many queries the new run is better, in % of the queries of both",
        lambda _, pair: pair.wins,
        needs_direction=True,
        percent_of=_queries,
    ),
    "ties": Figure("equal, likewise", lambda _, pair: pair.ties, percent_of=_queries),
    "losses": Figure(
        "worse, likewise",
        lambda _, pair: pair.losses,
        needs_direction=True,
        percent_of=_queries,
    ),
    "worst_drop": Figure(
        "by how much the new run is worse on the query where it loses most; 0 where it never does",
        _worst_drop,
        needs_direction=True,
    ),
    "queries": Figure(
        "how many judged queries both runs answer", lambda _, p: p.queries, of_measure=False
    ),
    "missing": Figure(
        "how many judged queries the baseline answers and the new run does not",
        lambda figures, _: figures.missing,
        of_measure=False,
    ),
}
"""The figures by the names that rules use."""


# The language of rules: a check fails if a rule holds, such as `nDCG@10 drop > 0.01 and p < 0.05`.
#
#     rule       = all ("or" all)*
#     all        = single ("and" single)*
#     single     = "not" single | "(" rule ")" | condition
#     condition  = [measure] figure operator number ["%"]
#
# A condition without a measure refers to the measure named last: `p` above is the p of nDCG@10.
# The figures are listed in `FIGURES`; the operators are >, >=, < and <=.

OPERATORS: Mapping[str, Callable[[int | float, int | float], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
MOST_CHARACTERS = 2_000
"""The longest rule that is accepted, since parentheses can nest as deep as a rule is long."""

MOST_NESTED = 50
TOKEN = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w.@(])\s*(?P<percent>%?))"
    r"|(?P<operator>[<>=!]+)"
    r"|(?P<keyword>(?i:and|or|not)(?![\w@.]))"
    r"|(?P<parenthesis>[()])"
    r"|(?P<word>\w[\w.,+-]*(?:\((?:[^()]|\([^()]*\))*\))?(?:@[\w.,]+)?)"
)


class RuleError(DataError):
    """An error for a rule that can't be read; `position` counts its characters from 1."""

    def __init__(self, rule: str, position: int, message: str) -> None:
        super().__init__(f"{rule!r}, character {position}: {message}")
        self.position = position


class Condition(NamedTuple):
    """A figure of a measure compared with a number; `measure` is empty if the figure needs none."""

    measure: str
    figure: str
    operator: str
    number: float
    percent: bool

    def __str__(self) -> str:
        """The condition in the notation of rules."""
        number = f"{self.number:g}{' %' * self.percent}"
        return f"{self.measure} {self.figure} {self.operator} {number}".lstrip()


class Combined(NamedTuple):
    """Conditions joined by "and" or "or", or one condition that is negated."""

    kind: Literal["and", "or", "not"]
    parts: tuple[Expression, ...]


Expression = Condition | Combined


@dataclass(frozen=True)
class Rule:
    """A rule as text and as an expression, and its measures by the names used in it."""

    text: str
    expression: Expression
    measures: Mapping[str, Measure]


class Decided(NamedTuple):
    """A condition with the value of its figure; `holds` is None if the figure has no value."""

    condition: Condition
    value: float
    holds: bool | None


class RuleResult(NamedTuple):
    """Whether a rule fails the check; None if figures that would decide it have no value."""

    rule: Rule
    fails: bool | None
    conditions: tuple[Decided, ...]


def parse_rule(text: str) -> Rule:
    """Read a rule; a RuleError says where reading failed and what is expected there."""
    return _Parser(text).rule()


def decide(rule: Rule, figures: Figures) -> RuleResult:
    """Decide whether a rule fails the check, with the value of each figure it names."""
    decided: list[Decided] = []
    fails = _decide(rule.expression, figures, decided)
    return RuleResult(rule, fails, tuple(decided))


def _decide(expression: Expression, figures: Figures, decided: list[Decided]) -> bool | None:
    """Decide in three-valued logic: None only if a missing figure could change the result."""
    if isinstance(expression, Condition):
        value = figure_value(figures, expression.measure, expression.figure, expression.percent)
        holds = None
        if not math.isnan(value):
            number = expression.number
            if FIGURES[expression.figure].rounded:
                holds = OPERATORS[expression.operator](_units(value), _units(number))
            else:
                holds = OPERATORS[expression.operator](value, number)
        decided.append(Decided(expression, value, holds))
        return holds
    parts = [_decide(part, figures, decided) for part in expression.parts]
    if expression.kind == "not":
        return None if parts[0] is None else not parts[0]
    deciding = expression.kind == "or"
    if deciding in parts:
        return deciding
    return None if None in parts else not deciding


def _units(value: float) -> int | float:
    return round(value * UNITS_PER_ONE) if math.isfinite(value) else value


class _Token(NamedTuple):
    kind: str
    text: str
    position: int


def _tokens(text: str) -> Iterator[_Token]:
    at = 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            hint = {"&": ": write 'and'", "|": ": write 'or'"}.get(text[at], "")
            raise RuleError(text, at + 1, f"{text[at]!r} means nothing here{hint}")
        kind = match.lastgroup or ""
        kind = "number" if kind == "percent" else kind
        if kind != "space":
            word = match[0].lower() if kind == "keyword" else match[0]
            yield _Token(kind, word, at + 1)
        at = match.end()
    yield _Token("end", "", len(text) + 1)


class _Parser:
    """A parser that reads a rule from left to right and looks one token ahead."""

    def __init__(self, text: str) -> None:
        self.text = text
        if len(text) > MOST_CHARACTERS:
            raise RuleError(
                text[:20] + "...", MOST_CHARACTERS, f"a rule has at most {MOST_CHARACTERS:,}"
            )
        self.tokens = list(_tokens(text))
        self.at = 0
        self.nested = 0
        self.measure = ""
        self.measures: dict[str, Measure] = {}

    @property
    def next(self) -> _Token:
        return self.tokens[self.at]

    def take(self) -> _Token:
        token = self.tokens[self.at]
        self.at += 1
        return token

    def fail(self, token: _Token, message: str) -> RuleError:
        return RuleError(self.text, token.position, message)

    def rule(self) -> Rule:
        expression = self.any_of()
        if self.next.kind != "end":
            raise self.fail(
                self.next, f"expected 'and', 'or' or the end, found {_found(self.next)}"
            )
        return Rule(self.text, expression, self.measures)

    def any_of(self) -> Expression:
        return self.combined("or", self.all_of)

    def all_of(self) -> Expression:
        return self.combined("and", self.single)

    def combined(self, kind: Literal["and", "or"], part: Callable[[], Expression]) -> Expression:
        parts = [part()]
        while self.next.text == kind:
            self.take()
            parts.append(part())
        return parts[0] if len(parts) == 1 else Combined(kind, tuple(parts))

    def single(self) -> Expression:
        token = self.next
        if token.text not in ("not", "("):
            return self.condition()
        self.take()
        self.nested += 1
        if self.nested > MOST_NESTED:
            raise self.fail(token, f"a rule nests at most {MOST_NESTED} deep")
        if token.text == "not":
            expression: Expression = Combined("not", (self.single(),))
        else:
            expression = self.any_of()
            if self.next.text != ")":
                raise self.fail(self.next, f"expected ')', found {_found(self.next)}")
            self.take()
        self.nested -= 1
        return expression

    def condition(self) -> Condition:
        if self.next.kind == "word" and self.next.text not in FIGURES:
            self.named_measure(self.take())
        token = self.take()
        if token.text not in FIGURES:
            raise self.fail(token, _no_figure(token.text))
        figure = FIGURES[token.text]
        if figure.of_measure and not self.measure:
            raise self.fail(token, f"name a measure first, as in 'nDCG@10 {token.text} ...'")
        if figure.of_measure:
            self.check_direction(token)
        sign = self.take()
        if sign.text not in OPERATORS:
            raise self.fail(sign, f"expected one of {' '.join(OPERATORS)}, found {_found(sign)}")
        number, percent = self.number()
        if percent and figure.percent_of is None:
            raise self.fail(token, f"{token.text} is not given in %")
        measure = self.measure if figure.of_measure else ""
        return Condition(measure, token.text, sign.text, number, percent)

    def named_measure(self, token: _Token) -> None:
        try:
            self.measures[token.text] = parse(token.text)
        except MeasureError as error:
            after = self.next
            if after.kind == "word" and after.text in FIGURES:
                raise self.fail(token, str(error)) from None
            # It is not a measure, and no figure follows: probably a mistyped figure.
            known = "" if self.measure or token is not self.tokens[0] else f"; {error}"
            raise self.fail(token, _no_figure(token.text) + known) from None
        self.measure = token.text

    def check_direction(self, token: _Token) -> None:
        if self.measures[self.measure].descriptor.aggregate == "geometric mean":
            raise self.fail(
                token,
                f"{self.measure} is a geometric mean, and differences of values per query say "
                "nothing of it; name another measure",
            )
        better = self.measures[self.measure].descriptor.higher_is_better
        if better is None and FIGURES[token.text].needs_direction:
            raise self.fail(
                token,
                f"{self.measure} says nothing of better or worse, so it has no {token.text}; "
                "use 'difference'",
            )

    def number(self) -> tuple[float, bool]:
        token = self.take()
        if token.kind != "number":
            raise self.fail(token, f"expected a number, found {_found(token)}")
        number = float(token.text.rstrip("% \t\n"))
        if math.isinf(number):
            raise self.fail(token, "the number is too large")
        return number, token.text.endswith("%")


def _found(token: _Token) -> str:
    return repr(token.text) if token.text else "the end"


def _no_figure(text: str) -> str:
    known: Sequence[str] = tuple(FIGURES)
    if not text:
        return f"expected one of {', '.join(known)}, found the end"
    return f"{text!r} is none of {', '.join(known)}{did_you_mean(text, known)}"


# JUnit XML, which continuous integration shows as tests: each rule is a test case


def junit(checked: Checked) -> str:
    """The rules as test cases: a failure if one fails, an error if undecided or not comparable."""
    comparable = checked.outcome != "not comparable"
    suite = _suite(
        len(checked.results),
        failures=sum(result.fails is True for result in checked.results),
        errors=sum(result.fails is None for result in checked.results),
    )
    losses = [
        f"{loss.qid}: {loss.value_a:.4f} to {loss.value_b:.4f} ({loss.difference:+.4f})"
        for loss in checked.losses
    ]
    for result in checked.results:
        case = _case(suite, result.rule.text)
        if result.fails is True:
            _problem(case, "failure", figures_of(result), losses)
        elif result.fails is None:
            why = figures_of(result) if comparable else verdict(checked.compared)
            _problem(case, "error", why, [])
    lines = [headline(checked), verdict(checked.compared), *sentences(checked.compared)]
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
        return verdict(checked.compared)
    failing = sum(result.fails is True for result in checked.results)
    rules = f"{len(checked.results)} rule{'s' * (len(checked.results) != 1)}"
    old, new = (run.name for run in checked.compared.runs)
    sentence = f"{new} against {old}: {failing} of {rules} failed"
    undecided = sum(result.fails is None for result in checked.results)
    return f"{sentence}, {undecided} can't be decided" if undecided else sentence


def figures_of(result: RuleResult) -> str:
    """The figures that decided a rule: `nDCG@10 drop 0.0213, nDCG@10 p 0.0041`."""
    return ", ".join(dict.fromkeys(map(_figure, result.conditions)))


def _figure(decided: Decided) -> str:
    condition = decided.condition
    name = f"{condition.measure} {condition.figure}".lstrip()
    if math.isnan(decided.value):
        return f"{name} has no value"
    return f"{name} {_number(decided.value)}{' %' * condition.percent}"


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
    lines += [f"- {text(line)}" for line in (verdict(checked.compared), *checked.compared.notes)]
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
