"""A gate for continuous integration: whether a new run breaks a rule against its baseline."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from evalstore.comparison.check_figures import Figures
from evalstore.comparison.check_rules import Decided, Rule, RuleResult, decide
from evalstore.comparison.loading import LoadedRuns, compare_loaded
from evalstore.comparison.regressions import Regression, regressions
from evalstore.comparison.significance import Compared, Settings
from evalstore.errors import DataError
from evalstore.measures import Measure, parse

Outcome = Literal["passed", "failed", "undecided", "not comparable"]


@dataclass(frozen=True)
class Checked:
    """A new run checked against a baseline.

    Attributes:
        compared: the baseline (a) and the new run (b) on the measures of the rules.
        results: of the rules, in their order; none is decided where the runs are not comparable.
        losses: the queries on which the new run is worse, by the first measure of the first rule
            that fails (of the first rule where none does), the largest loss first.
    """

    compared: Compared
    results: tuple[RuleResult, ...]
    losses: tuple[Regression, ...] = field(repr=False)

    @property
    def outcome(self) -> Outcome:
        """`failed` where a rule fails; `undecided` where figures lack to tell; else `passed`."""
        if self.compared.comparable == "no":
            return "not comparable"
        fails = [result.fails for result in self.results]
        if True in fails:
            return "failed"
        return "undecided" if None in fails else "passed"

    def to_dict(self) -> dict[str, object]:
        """Outcome, rules with their figures, losses, and the comparison, as JSON has them."""
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
    """The measures that rules name, in their order; AP where they name none.

    Raises:
        DataError: there is no rule.
    """
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
    """Compare a new run with a baseline and decide rules on the figures.

    Args:
        loaded: the baseline and the new run, with the values of `measures_of(rules)`.
        rules: each fails the check where it holds.
        settings: how the runs are compared; p is corrected for the measures of all the rules.
        most_losses: how many queries are listed.

    Raises:
        DataError: there is no rule.
    """
    measures: Mapping[str, Measure] = measures_of(rules)
    compared = compare_loaded(loaded, measures, 0, settings)
    if compared.comparable == "no":
        return Checked(compared, tuple(RuleResult(rule, None, ()) for rule in rules), ())
    figures = Figures(compared)
    results = tuple(decide(rule, figures) for rule in rules)
    failing = next((r.rule for r in results if r.fails and r.rule.measures), None)
    measure = next(iter(failing.measures if failing else measures))
    return Checked(compared, results, tuple(regressions(compared, most_losses, measure)))
