"""Assertions for tests of search engines, with pytest or any other runner.

from evalstore.testing import assert_no_regression

def test_the_new_run_is_not_worse() -> None:
    assert_no_regression("new.run", "old.run", "qrels.txt", "nDCG@10 not worse by 0.01")
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, get_args

from evalstore.api.inputs import as_qrels, as_queries, as_run, named_runs
from evalstore.api.store import Store, open
from evalstore.catalog.names import parse_conditions
from evalstore.client.local_runs import WithLocalRuns
from evalstore.comparison.claims import comparability_line, sentences, text_in_line
from evalstore.comparison.compare import ComparisonOptions, load
from evalstore.comparison.gate.check import (
    LONGEST_TEXT,
    Checked,
    check_loaded,
    figures_of,
    headline,
    loss_line,
    measures_of,
)
from evalstore.comparison.gate.rules import Rule, parse_rule
from evalstore.comparison.loading import evaluate_given_runs, restrict
from evalstore.comparison.significance import Correction, Test
from evalstore.errors import DataError
from evalstore.formats.reading.source import printable

if TYPE_CHECKING:
    from evalstore.api.inputs import QrelsLike, QueriesLike, RunLike
    from evalstore.measures.join import Extras

Undecided = Literal["pass", "fail"]


def assert_no_regression(
    run: RunLike | int,
    baseline: RunLike | int | None = None,
    qrels: QrelsLike | None = None,
    require: str | Iterable[str] = (),
    *,
    fail_if: str | Iterable[str] = (),
    undecided: Undecided = "pass",
    allow_missing: bool = False,
    store: Store | str | os.PathLike[str] | None = None,
    collection: str | None = None,
    queries: QueriesLike | None = None,
    where: str | Iterable[str] = (),
    test: Test = "t",
    correction: Correction = "holm",
    alpha: float = 0.05,
    worst: int = 10,
    extras: Extras | None = None,
) -> None:
    """Raise an AssertionError if a run is worse than its baseline by rules of docs/checking.md.

    The message names the queries on which the run loses most, then the rules that failed.

    Args:
        run: the new run, as `evaluate` takes it; with `store` a name, an id or a path.
        baseline: the run to compare with; with `store` by default that of the collection.
        qrels: judgments, as `evaluate` takes them; with `store` the name of stored ones.
        require: what must be: `"nDCG@10 not worse by 0.01"`, one rule or several.
        fail_if: what must not be: `"nDCG@10 drop > 0.01 and p < 0.05"`, one rule or several.
        undecided: whether a requirement that the queries neither show nor rule out passes, with a
            warning, or fails.
        allow_missing: whether the run may leave queries without an answer that the baseline
            answers.
        store: the path or URL of a store, or what `open` returned.
        collection: the collection of stored runs, if several have runs of these names.
        queries: texts and attributes of the queries, as `compare` takes them; not with `store`.
        where: conditions on attributes of the queries, as in `compare`.
        test: `t`, `wilcoxon`, `sign` or `randomization`.
        correction: `holm`, `bonferroni`, `bh` or `none`.
        alpha: intervals are of level 1 - alpha.
        worst: the number of queries that the message names.
        extras: data that some measures need besides a run and a qrels; not with `store`.

    Raises:
        AssertionError: a rule fails or has no value, or the runs are not comparable.
        errors.DataError: there is no rule, or an argument is invalid.
        errors.EvalstoreError: a run or judgments can't be read.

    >>> from evalstore.testing import assert_no_regression
    >>> qrels = {"q1": {"d1": 1}, "q2": {"d2": 1}}
    >>> old, new = {"q1": {"d1": 1}, "q2": {"d2": 1}}, {"q1": {"d1": 1}, "q2": {"d9": 2, "d2": 1}}
    >>> assert_no_regression(new, old, qrels, fail_if="RR drop > 0.3")
    >>> assert_no_regression(new, old, qrels, fail_if="RR drop > 0.2")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    AssertionError: run against baseline: 1 of 1 rule failed
    queries on which run loses most (RR):
      q2: 1.0000 to 0.5000 (-0.5000)
    failed: RR drop > 0.2 (RR drop 0.2500)
    ...
    """
    __tracebackhide__ = True  # pytest shows the line of the test, not of this function
    if undecided not in get_args(Undecided):
        raise DataError(f"undecided is 'pass' or 'fail', not {undecided!r}")
    rules = _rules(require, fail_if)
    options = ComparisonOptions(
        test,
        correction,
        alpha,
        no_baseline=baseline is not None,
        collection=collection,
        where=parse_conditions(where),
    )
    if store is not None:
        if queries is not None or extras is not None:
            raise DataError("queries and extras are for runs without a store")
        named = replace(
            options,
            baseline=None if baseline is None else _name(baseline, "baseline"),
            qrels=None if qrels is None else _name(qrels, "qrels"),
        )
        runs = tuple(filter(None, (named.baseline, _name(run, "run"))))
        with nullcontext(store) if isinstance(store, Store) else open(store) as opened:
            loaded = load(WithLocalRuns(opened._reader(), runs), runs, measures_of(rules), named)
            checked = check_loaded(loaded, rules, named, worst, allow_missing=allow_missing)
    else:
        if collection is not None:
            raise DataError("collection is for stored runs: give store, too")
        if baseline is None or qrels is None:
            raise DataError("give baseline and qrels, or store for stored runs")
        loaded = evaluate_given_runs(
            as_qrels(qrels),
            named_runs([as_run(baseline, "baseline"), as_run(run, "run")]),
            measures_of(rules),
            extras=extras,
            queries=None if queries is None else as_queries(queries),
        )
        loaded = restrict(loaded, options.where)
        checked = check_loaded(loaded, rules, options, worst, allow_missing=allow_missing)
    if checked.outcome == "passed":
        return
    if checked.outcome != "undecided" or checked.lacks_figures or undecided == "fail":
        raise AssertionError("\n".join(map(printable, _lines(checked))))
    warnings.warn(printable(f"{headline(checked)}, which counts as passed"), stacklevel=2)


def _rules(require: str | Iterable[str], fail_if: str | Iterable[str]) -> list[Rule]:
    """The rules, parsed, those that say what must be first."""
    required, others = (
        [parse_rule(text) for text in ([texts] if isinstance(texts, str) else texts)]
        for texts in (require, fail_if)
    )
    for rule in required:
        if not rule.requires:
            raise DataError(f"{rule.text!r} says what must not be: give it as fail_if")
    return [*required, *others]


def _name(given: object, what: str) -> str:
    """The name, id or path of what a store has."""
    if isinstance(given, str | int | os.PathLike):
        return os.fspath(given) if isinstance(given, os.PathLike) else str(given)
    raise DataError(
        f"{what}: with a store give a name, an id or a path, not {type(given).__name__}"
    )


def _lines(checked: Checked) -> list[str]:
    """The headline, the queries that lost most, the rules that do not pass, and the claims."""
    lines = [headline(checked)]
    if checked.outcome == "not comparable":
        return lines
    if checked.losses:
        new, measure = checked.compared.runs[1].name, checked.losses[0].pair.measure
        lines.append(f"queries on which {new} loses most ({measure}):")
        texts = checked.compared.texts
        lines += [
            f"  {loss_line(loss)} {text_in_line(texts.get(loss.qid, ''), LONGEST_TEXT)}".rstrip()
            for loss in checked.losses
        ]
    lines += [
        f"{'failed' if result.fails else 'undecided'}: {result.rule.text} ({figures_of(result)})"
        for result in checked.results
        if result.fails is not False
    ]
    compared = checked.compared
    return [*lines, *sentences(compared), comparability_line(compared), *compared.notes]
