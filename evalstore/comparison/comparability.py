"""Whether runs may be compared: the same collection, judgments, queries, depth and rules."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Literal

import numpy as np
import numpy.typing as npt

from evalstore.catalog.names import listed, natural
from evalstore.measures import Measure
from evalstore.measures.join import TOP

F64 = npt.NDArray[np.float64]
I64 = npt.NDArray[np.int64]
Bool = npt.NDArray[np.bool_]
Comparable = Literal["yes", "partly", "no"]

JUDGED_GAP = 0.1
"""The difference between shares of judged documents above which a note is given."""
LITTLE_JUDGED = 0.8
"""The share of judged documents below which figures may be too low."""


@dataclass(frozen=True, eq=False)
class RunValues:
    """A run, by a name unique among the compared runs, and its values under one qrels.

    Attributes:
        depth: length of its longest ranking over the judged queries; 0 if not known.
        judged_in_top: the share (0 to 1) of the documents at ranks 1 to 10 that are judged, over
            the judged queries; NaN if it retrieved nothing, or if that is not known.
        answered: bool per query, whether the run has a ranking for it; True for every query if a
            run without rankings doesn't say how many documents it retrieved.
        weights: by measure, float64 per query, how much the query counts in the measure's own
            aggregate; 0 if the run has no value of it. Measures without an entry: 1 everywhere.
        is_cut: whether its rankings were cut at that depth (`was_cut`).
        values_only: whether it was imported as values, with 4 decimals, without rankings.
    """

    name: str
    collection: str
    qrels: str
    qrels_hash: str
    compat: str
    depth: int
    judged_in_top: float
    qids: tuple[str, ...]
    answered: Bool
    values: Mapping[str, F64]
    weights: Mapping[str, F64] = field(default_factory=dict, repr=False)
    is_cut: bool = True
    values_only: bool = False

    @cached_property
    def answered_qids(self) -> frozenset[str]:
        """The judged queries for which the run has a ranking."""
        return frozenset(q for q, there in zip(self.qids, self.answered, strict=True) if there)

    def weights_of(self, measure: str, qids: Sequence[str]) -> F64:
        """The weights of queries in a measure's aggregate, in the order of `qids`."""
        if measure not in self.weights:
            return np.ones(len(qids))
        weight_of = dict(zip(self.qids, self.weights[measure].tolist(), strict=True))
        return np.array([weight_of.get(qid, 0.0) for qid in qids], np.float64)

    def over(self, qids: Collection[str]) -> RunValues:
        """The run with its values of some queries; depth and judged share remain those of all."""
        rows = np.array([qid in qids for qid in self.qids], bool)
        return replace(
            self,
            qids=tuple(qid for qid in self.qids if qid in qids),
            answered=self.answered[rows],
            values={measure: values[rows] for measure, values in self.values.items()},
            weights={measure: weights[rows] for measure, weights in self.weights.items()},
        )


def common_qids(runs: Sequence[RunValues]) -> frozenset[str]:
    """The judged queries for which each of some runs (at least one) has a ranking."""
    return frozenset.intersection(*(run.answered_qids for run in runs))


def over_common(runs: Sequence[RunValues]) -> tuple[RunValues, ...]:
    """The runs (at least one) over the queries that all of them answer."""
    shared = common_qids(runs)
    return tuple(run.over(shared) for run in runs)


@dataclass(frozen=True)
class Comparability:
    """Whether runs may be compared (`partly` if something differs), and reasons as sentences."""

    comparable: Comparable
    reasons: tuple[str, ...]


def comparability(
    runs: Sequence[RunValues],
    measures: Mapping[str, Measure],
    pairs: Sequence[tuple[int, int]],
    *,
    common: bool = False,
) -> Comparability:
    """Check whether the runs of each pair may be compared on these measures.

    They may not if the collection, the judgments (by hash) or the rules of computation differ, or
    if no pair shares an answered query. They may only partly if queries are missing from some runs
    or have no value, or if the longest rankings differ in length. With `common`, queries that not
    all runs answer are left out; otherwise they count as empty rankings.
    """
    obstacles = [
        *_differing(runs, "collection", "collections", [run.collection for run in runs]),
        *_differing(
            runs, "qrels", "judgments", [run.qrels for run in runs], [r.qrels_hash for r in runs]
        ),
        *_differing(runs, "compat", "rules of trec_eval", [run.compat for run in runs]),
    ]
    if obstacles:
        return Comparability("no", tuple(obstacles))
    if common and not common_qids(runs):
        return Comparability("no", ("the runs share no judged query that all of them answer",))
    if not any(common_qids((runs[a], runs[b])) for a, b in pairs):
        return Comparability("no", ("the runs share no judged query that both answer",))
    reasons = [
        *_missing_queries(runs, common=common),
        *_without_values(runs, measures),
        *_differing_depth(runs, measures),
    ]
    return Comparability("partly" if reasons else "yes", tuple(reasons))


def _without_values(runs: Sequence[RunValues], measures: Mapping[str, Measure]) -> list[str]:
    """A sentence for each measure on the queries on which some runs have no value of it."""
    sentences = []
    for name in measures:
        lacking = {
            run.name: int((run.weights[name] == 0).sum()) for run in runs if name in run.weights
        }
        counts = [f"{run} on {number:,}" for run, number in lacking.items() if number]
        if counts:
            of = number_of_queries(len(runs[0].qids))
            sentences.append(
                f"no value of {name}: {', '.join(counts)} of {of}, which are left out of their "
                "comparisons"
            )
    return sentences


def notes_on(runs: Sequence[RunValues], queries: int) -> tuple[str, ...]:
    """Sentences that don't prevent a comparison, but that a reader of its figures needs."""
    notes = notes_on_values([run.name for run in runs if run.values_only])
    shares = {run.name: run.judged_in_top for run in runs if not np.isnan(run.judged_in_top)}
    if shares and max(shares.values()) - min(shares.values()) > JUDGED_GAP:
        least, most = min(shares, key=shares.__getitem__), max(shares, key=shares.__getitem__)
        same = len({run.answered_qids for run in runs}) == 1
        where = "" if same else ", each over the queries it answers"
        notes.append(
            f"judged are {_percent(shares[least])} of the top {TOP} of {least} and "
            f"{_percent(shares[most])} of the top {TOP} of {most}{where}; documents without a "
            f"judgment count as not relevant, so {least} may be better than it looks"
        )
    if shares and max(shares.values()) == 0:
        notes.append(
            f"no document in the top {TOP} of any run is judged: are these the judgments of the "
            "collection that was searched?"
        )
    if queries < FEW_QUERIES:
        are, them = ("is", "it") if queries == 1 else ("are", "them")
        notes.append(
            f"{number_of_queries(queries)} {are} few: only large differences can be shown with "
            f"{them}"
        )
    return tuple(notes)


def notes_on_values(names: Sequence[str]) -> list[str]:
    """A sentence on the runs that were imported as values, if there are any."""
    if not names:
        return []
    without = "a ranking" if len(names) == 1 else "rankings"
    return [
        f"{listed(names)} came as values of 4 decimals, without {without}: ties with other runs, "
        "and differences below 0.0001, are approximate"
    ]


FEW_QUERIES = 25
"""Below this number a comparison warns: at 80 % power, 25 queries detect no d smaller than 0.58."""


def number_of_queries(number: int) -> str:
    """`1 query` or `2 queries`."""
    return f"{number:,} {'query' if number == 1 else 'queries'}"


def judged_shares(runs: Sequence[RunValues]) -> str:
    """The judged share of each run's top 10; for many runs, only the lowest and the highest."""
    known = [run for run in runs if not run.values_only and not np.isnan(run.judged_in_top)]
    if len(runs) > MOST_SHARES and len(known) == len(runs):
        least, most = (choose(known, key=lambda run: run.judged_in_top) for choose in (min, max))
        if _percent(least.judged_in_top) == _percent(most.judged_in_top):
            return f"judged in the top {TOP}: {_percent(most.judged_in_top)} of every run"
        return (
            f"judged in the top {TOP}: from {least.name} {_percent(least.judged_in_top)} to "
            f"{most.name} {_percent(most.judged_in_top)}"
        )
    shares = ", ".join(
        f"{run.name} {'not known' if run.values_only else _percent(run.judged_in_top)}"
        for run in runs
    )
    return f"judged in the top {TOP}: {shares}"


MOST_SHARES = 4
"""The most runs for which the verdict gives each share of judged documents."""


def _percent(share: float) -> str:
    return "none retrieved" if np.isnan(share) else f"{100 * share:.0f} %"


def _differing(
    runs: Sequence[RunValues],
    attribute: str,
    kind: str,
    names: Sequence[str],
    identities: Sequence[str] | None = None,
) -> list[str]:
    """A sentence if an attribute is not the same for all runs."""
    if len(set(identities or names)) == 1:
        return []
    each = ", ".join(f"{run.name} {name!r}" for run, name in zip(runs, names, strict=True))
    return [f"the runs have different {kind}: {each}"]


def _missing_queries(runs: Sequence[RunValues], *, common: bool) -> list[str]:
    """A sentence on the judged queries that not every run answers."""
    judged = list(dict.fromkeys(qid for run in runs for qid in run.qids))
    shared = common_qids(runs)
    if len(shared) == len(judged):
        return []
    missing: dict[tuple[str, ...], list[str]] = {}
    for run in runs:
        gone = tuple(sorted(set(judged) - run.answered_qids, key=natural))
        if gone:
            missing.setdefault(gone, []).append(run.name)
    parts = (f"{listed(gone)} missing from {', '.join(n)}" for gone, n in missing.items())
    by = "both" if len(runs) == 2 else f"all {len(runs):,} runs"
    consequence = "the others are left out" if common else "they count as empty rankings"
    return [
        f"{len(shared):,} of {number_of_queries(len(judged))} answered by {by}; "
        f"{'; '.join(parts)}; {consequence}"
    ]


def was_cut(lengths: Collection[int]) -> bool:
    """Whether rankings of these lengths (one per query, none of 0) were cut at a common depth.

    True if at least half of them are as long as the longest: engines that return all documents they
    find have rankings of many lengths.
    """
    longest = max(lengths, default=0)
    return 2 * sum(length == longest for length in lengths) >= len(lengths) > 0


def _differing_depth(runs: Sequence[RunValues], measures: Mapping[str, Measure]) -> list[str]:
    """A sentence if a run was cut at a lower depth than another, with the affected measures."""
    least = _cut_above_others(runs)
    if least is None:
        return []
    deeper = _looking_below(least, measures)
    depths = ", ".join(f"{run.name} {run.depth:,}" for run in runs if run.depth)
    seen = (
        f"{', '.join(deeper)} may see documents that only the deeper rankings have"
        if deeper
        else "no measure compared here looks so deep"
    )
    return [f"the rankings differ in depth: {depths}; {seen}"]


def common_depth(runs: Sequence[RunValues], measure: Measure) -> int | None:
    """The depth at which a run was cut above another, if the measure looks below it; else None.

    None also if a run came without rankings: of these nothing can be computed at another depth.
    """
    least = _cut_above_others(runs)
    if least is None or any(run.values_only for run in runs):
        return None
    return least if _looking_below(least, {"": measure}) else None


def _cut_above_others(runs: Sequence[RunValues]) -> int | None:
    least = min((run.depth for run in runs if run.is_cut), default=None)
    return None if least is None or all(run.depth <= least for run in runs) else least


def _looking_below(rank: float, measures: Mapping[str, Measure]) -> list[str]:
    return [
        name
        for name, m in measures.items()
        if m.descriptor.family != "cost" and (not isinstance(m.cutoff, int) or m.cutoff > rank)
    ]


def differing_lengths(lengths: Mapping[str, float], measures: Mapping[str, Measure]) -> list[str]:
    """A sentence if some runs retrieved less than half as many documents per query as another.

    `lengths` are the means by run, which are stored; depths would be read from all rankings.
    """
    most = max(lengths.values(), default=0)
    short = [run for run, length in lengths.items() if length < most / 2]
    deeper = _looking_below(min(lengths.values(), default=0), measures)
    if not short or not deeper:
        return []
    others = [run for run in lengths if run not in short]

    def span(runs: Sequence[str]) -> str:
        ends = (f"{end(lengths[run] for run in runs):,.0f}" for end in (min, max))
        return " to ".join(dict.fromkeys(ends))

    number = f"{len(others):,} {'run' if len(others) == 1 else 'runs'}"
    return [
        f"the rankings differ in length: {span(others)} documents per query for {number}, "
        f"{span(short)} for {listed(short)}; {', '.join(deeper)} may see documents that only the "
        "longer rankings have"
    ]


def pairs_of(runs: int, baseline: int | None) -> tuple[tuple[int, int], ...]:
    """The pairs (a, b) to compare: all pairs, or the baseline with each other run."""
    if baseline is None:
        return tuple(combinations(range(runs), 2))
    return tuple((baseline, other) for other in range(runs) if other != baseline)
