"""Evaluate files without a database: a qrels, some runs, some measures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from evalstore.formats import Qrels, ReadOptions, read_run
from evalstore.matching import Extras, match, unjudged_warning
from evalstore.measures import Compat, Measure, aggregate, evaluate, parse_all
from evalstore.usecases.parallel import Done, each, pays


@dataclass(frozen=True)
class Options:
    """How to evaluate.

    Attributes:
        compat: which trec_eval the values agree with.
        common: average over the queries that the run answered, not over all of the qrels.
        level: the lowest relevant grade of measures that do not say their own.
        depth: cut every ranking after so many documents.
        judged_only: then drop documents without a judgment.
        extras: what some measures need beside a run and a qrels.
    """

    compat: Compat = "exact"
    common: bool = False
    level: float = 1
    depth: int | None = None
    judged_only: bool = False
    extras: Extras | None = None


@dataclass(frozen=True)
class Evaluated:
    """The values of one run.

    Attributes:
        path: the file.
        qids: the queries evaluated, in byte order.
        values: by the name each measure was asked by, float64 per query.
        aggregates: by the same names, one figure each.
        counts: the names whose values are whole numbers.
        over_queries_only: the names that say something of all queries together only (GMAP).
        warnings: what was accepted although it is odd.
    """

    path: str
    qids: tuple[str, ...]
    values: Mapping[str, npt.NDArray[np.float64]]
    aggregates: Mapping[str, float]
    counts: frozenset[str]
    over_queries_only: frozenset[str]
    warnings: tuple[str, ...]


def asked_measures(texts: Sequence[str]) -> dict[str, Measure]:
    """The measures asked for, by the name each is shown by, in the order asked.

    Raises:
        MeasureError: a text that names no measure.
    """
    return dict(pair for text in texts for pair in parse_all(text))


def evaluate_files(
    qrels: Qrels,
    paths: Sequence[str],
    measures: Mapping[str, Measure],
    options: Options | None = None,
    read_options: ReadOptions | None = None,
    *,
    jobs: int = 1,
) -> Iterator[Done[Evaluated]]:
    """Evaluate runs in several processes; yields a result or an error for each, in order."""
    read_options = read_options or ReadOptions()
    if pays(paths, jobs):
        read_options = replace(read_options, threads=1)
    qrels = qrels.sorted_once()
    work = partial(
        evaluate_file, qrels=qrels, measures=measures, options=options, read_options=read_options
    )
    return each(work, paths, jobs=jobs, preload=__name__)


def evaluate_file(
    path: str,
    qrels: Qrels,
    measures: Mapping[str, Measure],
    options: Options | None = None,
    read_options: ReadOptions | None = None,
) -> Evaluated:
    """Read a run and compute measures of it.

    Raises:
        FileError: the run breaks a rule.
    """
    options = options or Options()
    run = read_run(path, read_options)
    warnings = [*run.warnings, *unjudged_warning(run, qrels)]
    judged = match(
        run,
        qrels,
        compat=options.compat,
        common=options.common,
        depth=options.depth,
        judged_only=options.judged_only,
        extras=options.extras,
    )
    asked = {name: measure.at_level(options.level) for name, measure in measures.items()}
    values = evaluate(judged, asked.values())
    return Evaluated(
        path=path,
        qids=judged.qids,
        values={name: values[m] for name, m in asked.items()},
        aggregates={name: aggregate(m, values[m], judged) for name, m in asked.items()},
        counts=frozenset(name for name, m in asked.items() if m.descriptor.counts),
        over_queries_only=frozenset(
            name for name, m in asked.items() if m.descriptor.over_queries_only
        ),
        warnings=tuple(warnings),
    )


def iter_rows(result: Evaluated, *, per_query: bool) -> Iterator[tuple[str, str | None, float]]:
    """(measure, qid, value) by query and then measure; the aggregates last, their qid None."""
    if per_query:
        shown = {n: v for n, v in result.values.items() if n not in result.over_queries_only}
        for place, qid in enumerate(result.qids):
            for name, values in shown.items():
                yield name, qid, float(values[place])
    for name, value in result.aggregates.items():
        yield name, None, value
