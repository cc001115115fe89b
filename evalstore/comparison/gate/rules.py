"""Rules of a gate: the figures they name, their language, and the decision on them.

There are two kinds. A condition says what must not be (`nDCG@10 drop > 0.01 and p < 0.05`): the
gate fails if it holds. A requirement says what must be (`nDCG@10 not worse by 0.01`, `AP same
within 0.01`): the gate passes if the data show it, fails if they show the contrary, and else is
undecided.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from evalstore.comparison.comparability import F64
from evalstore.comparison.significance import CORRECTIONS, Compared, Pair
from evalstore.errors import DataError, MeasureError, did_you_mean
from evalstore.measures import Measure, parse
from evalstore.measures.evaluate import is_of_means
from evalstore.stats import queries_needed
from evalstore.stats.inputs import UNITS_PER_ONE
from evalstore.stats.paired import equivalence_of_rows

NAN = float("nan")


@dataclass(frozen=True)
class Figures:
    """The comparison of a baseline (a) with a new run (b), in which figures are looked up.

    `p_of` is the p by measure, corrected for the measures whose p the rule uses.
    """

    compared: Compared
    p_of: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def pairs(self) -> Mapping[str, Pair]:
        """The pair's figures by measure; empty if the runs share no query."""
        return {pair.measure: pair for pair in self.compared.pairs}

    @property
    def missing(self) -> int:
        """The number of judged queries that only the baseline answers."""
        old, new = self.compared.runs
        return len(old.answered_qids - new.answered_qids)

    def of_rule(self, rule: Rule) -> Figures:
        """The figures with p corrected for the measures whose p the rule uses, and no others.

        So no further rule makes a p larger, and opens the gate.
        """
        settings = self.compared.settings
        used = dict.fromkeys(
            one.measure
            for one in leaves(rule.expression)
            if isinstance(one, Condition) and one.figure == "p"
        )
        names = [name for name in used if name in self.pairs]
        pairs = [self.pairs[name] for name in names]
        alone = np.array([pair.attainable_p(settings.test) for pair in pairs])
        p = CORRECTIONS[settings.correction](alone).tolist() if pairs else []
        return replace(self, p_of=dict(zip(names, p, strict=True)))


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


def gain_interval(pair: Pair) -> tuple[float, float]:
    """The interval of the gain: of the difference, turned round if lower is better.

    Both ends are NaN if it has no ends, as for one query.
    """
    low, high = pair.interval
    if not (math.isfinite(low) and math.isfinite(high)):
        return NAN, NAN
    return (low, high) if pair.direction >= 0 else (-high, -low)


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
        "the worse end of the interval of the difference, below 0 for a loss, whether higher or "
        "lower values are better",
        lambda _, pair: gain_interval(pair)[0],
    ),
    "high": Figure("the better end of it, likewise", lambda _, pair: gain_interval(pair)[1]),
    "p": Figure(
        "of the test, corrected for the measures whose p the same rule names",
        lambda figures, pair: figures.p_of[pair.measure],
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
        "how many judged queries are compared", lambda _, p: p.queries, of_measure=False
    ),
    "missing": Figure(
        "how many judged queries the baseline answers and the new run does not",
        lambda figures, _: figures.missing,
        of_measure=False,
    ),
}
"""The figures by the names that rules use."""

OTHER_WORDS = {
    **dict.fromkeys(("worse", "loss", "lower", "decrease", "fall"), "drop"),
    **dict.fromkeys(("better", "gain", "higher", "increase"), "rise"),
    **dict.fromkeys(("mean", "score"), "value"),
}
"""The figure that is meant by a word that rules do not have."""


# The language of rules
#
#     rule         = all ("or" all)*
#     all          = single ("and" single)*
#     single       = "not" single | "(" rule ")" | condition | requirement
#     condition    = [measure] figure operator number ["%"]
#     requirement  = [measure] ("not worse by" | "same within") number ["%"]
#
# A condition without a measure refers to the measure named last: in `nDCG@10 drop > 0.01 and
# p < 0.05`, p is that of nDCG@10. The figures are listed in `FIGURES`; the operators are >, >=, <
# and <=. One rule has conditions or requirements, not both.

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


class Requirement(NamedTuple):
    """A demand on the difference on a measure, with a margin."""

    measure: str
    kind: Literal["not worse by", "same within"]
    number: float
    percent: bool

    def __str__(self) -> str:
        """The requirement in the notation of rules."""
        return f"{self.measure} {self.kind} {self.number:g}{' %' * self.percent}"


class Combined(NamedTuple):
    """Conditions joined by "and" or "or", or one condition that is negated."""

    kind: Literal["and", "or", "not"]
    parts: tuple[Expression, ...]


Expression = Condition | Requirement | Combined


@dataclass(frozen=True)
class Rule:
    """A rule as text and as an expression, and its measures by the names used in it.

    `requires` says that the expression is what must be, not what must not be.
    """

    text: str
    expression: Expression
    measures: Mapping[str, Measure]
    requires: bool = False


class Decided(NamedTuple):
    """A condition with the value of its figure, or a requirement with the gain of the new run.

    `holds` is None if the figure has no value, or the data show neither the requirement nor the
    contrary; then `queries_needed` says how many would with power 0.8, None if no number would.
    """

    condition: Condition | Requirement
    value: float
    holds: bool | None
    queries_needed: int | None = None


class RuleResult(NamedTuple):
    """Whether a rule fails the check; None if it is undecided, or a figure has no value."""

    rule: Rule
    fails: bool | None
    conditions: tuple[Decided, ...]


def parse_rule(text: str) -> Rule:
    """Read a rule; a RuleError says where reading failed and what is expected there."""
    return _Parser(text).rule()


def decide(rule: Rule, figures: Figures) -> RuleResult:
    """Decide whether a rule fails the check, with the value of each figure it names."""
    decided: list[Decided] = []
    holds = _decide(rule.expression, figures.of_rule(rule), decided)
    fails = holds if holds is None or not rule.requires else not holds
    return RuleResult(rule, fails, tuple(decided))


def leaves(expression: Expression) -> Iterator[Condition | Requirement]:
    """The conditions or requirements of an expression, in its order."""
    if isinstance(expression, Combined):
        for part in expression.parts:
            yield from leaves(part)
    else:
        yield expression


def _decide_requirement(required: Requirement, figures: Figures) -> Decided:
    """Decide by the interval of the gain whether a requirement, or its contrary, is shown."""
    pair = figures.pairs.get(required.measure)
    if pair is None or math.isnan(gain_interval(pair)[0]):
        return Decided(required, NAN, None)
    margin = required.number * (abs(pair.mean_a) / 100 if required.percent else 1)
    low, high = gain_interval(pair)
    gain = -_worse_by(pair) if pair.direction else pair.difference
    if required.kind == "not worse by":
        holds = True if low > -margin else False if high < -margin else None
        room = gain + margin
    else:
        outside = low > margin or high < -margin
        holds = True if _is_within(pair, margin, figures) else False if outside else None
        room = margin - abs(gain)
    settings = figures.compared.settings
    needed = None
    if holds is None and is_of_means(figures.compared.measures[pair.measure]):
        deviation = float(_differences(pair, figures).std(ddof=1))
        needed = queries_needed(room, deviation, alpha=settings.alpha)
    return Decided(required, gain, holds, needed)


def _differences(pair: Pair, figures: Figures) -> F64:
    """The differences of the queries, in the unit of the pair's difference (that of a sum)."""
    rows = np.array(list(figures.compared.differences(pair).values()), np.float64)
    is_sum = figures.compared.measures[pair.measure].descriptor.aggregate == "sum"
    return rows * len(rows) if is_sum else rows


def _is_within(pair: Pair, margin: float, figures: Figures) -> bool:
    """Whether two one-sided tests show that the difference is within the margin."""
    low, high = pair.interval
    if not is_of_means(figures.compared.measures[pair.measure]):
        return -margin < low and high < margin
    p = equivalence_of_rows(_differences(pair, figures)[None, :], margin)
    return bool(p[0] < figures.compared.settings.alpha)


def _decide(expression: Expression, figures: Figures, decided: list[Decided]) -> bool | None:
    """Decide in three-valued logic: None only if a missing figure could change the result."""
    if isinstance(expression, Requirement):
        decided.append(_decide_requirement(expression, figures))
        return decided[-1].holds
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
        self.kinds: set[type[Condition | Requirement]] = set()

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
        if len(self.kinds) > 1:
            raise RuleError(
                self.text,
                1,
                "a condition and a requirement can't stand in one rule: give two rules",
            )
        return Rule(self.text, expression, self.measures, requires=Requirement in self.kinds)

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

    def condition(self) -> Condition | Requirement:
        if self.next.kind == "word" and self.next.text not in (*FIGURES, "same"):
            self.named_measure(self.take())
        if self.next.text in ("not", "same"):
            return self.requirement()
        self.kinds.add(Condition)
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

    def requirement(self) -> Requirement:
        first = self.take()
        if not self.measure:
            raise self.fail(first, f"name a measure first, as in 'nDCG@10 {first.text} ...'")
        words = ("worse", "by") if first.text == "not" else ("within",)
        for word in words:
            token = self.take()
            if token.text != word:
                raise self.fail(token, f"expected '{word}', found {_found(token)}")
        if first.text == "not" and not self.has_direction():
            raise self.fail(
                first, f"{self.measure} says nothing of better or worse; use 'same within'"
            )
        number, percent = self.number()
        if number <= 0:
            raise self.fail(first, "the margin must be above 0")
        self.kinds.add(Requirement)
        kind: Literal["not worse by", "same within"] = (
            "not worse by" if first.text == "not" else "same within"
        )
        return Requirement(self.measure, kind, number, percent)

    def has_direction(self) -> bool:
        return self.measures[self.measure].descriptor.higher_is_better is not None

    def named_measure(self, token: _Token) -> None:
        try:
            self.measures[token.text] = parse(token.text)
        except MeasureError as error:
            after = self.next
            if after.text in (*FIGURES, "not", "same"):
                raise self.fail(token, str(error)) from None
            # It is not a measure, and no figure follows: probably a mistyped figure.
            known = "" if self.measure or token is not self.tokens[0] else f"; {error}"
            raise self.fail(token, _no_figure(token.text) + known) from None
        self.measure = token.text

    def check_direction(self, token: _Token) -> None:
        if not self.has_direction() and FIGURES[token.text].needs_direction:
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
    meant = OTHER_WORDS.get(text.casefold())
    near = did_you_mean(text, known) if meant is None else f"; did you mean {meant!r}?"
    return f"{text!r} is none of {', '.join(known)}{near}"
