"""Evaluate runs without a store: a qrels, some runs, some measures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from evalstore.evaluation.parallel import Done, each, on_every_machine, pays
from evalstore.evaluation.prepare import without_identical_ids
from evalstore.formats import Qrels, ReadOptions, Run, read_run, ties
from evalstore.measures import Measure, aggregate, evaluate
from evalstore.measures.join import Extras, check_judged_documents, check_shared_queries, match
from evalstore.measures.judged import CompatMode


@dataclass(frozen=True)
class Options:
    """Options of an evaluation.

    Attributes:
        common: average over the queries that the run answered, instead of all queries of the qrels.
        level: the lowest relevant grade, for measures without a `rel` parameter.
        depth: the number of documents after which every ranking is cut.
        judged_only: drop documents without a judgment (after `depth`).
        allow_disjoint: whether to accept a run that shares no query with the qrels.
        ignore_identical_ids: leave out retrieved documents whose id is the query's, before any
            other option applies.
    """

    compat: CompatMode = "exact"
    common: bool = False
    level: float = 1
    depth: int | None = None
    judged_only: bool = False
    extras: Extras | None = None
    allow_disjoint: bool = False
    ignore_identical_ids: bool = False


@dataclass(frozen=True)
class Evaluated:
    """The values of one run; measures have the names by which they were requested.

    Attributes:
        path: the file, or the name of the run in messages.
        qids: the queries evaluated, in byte order.
        values: one value per query, by measure.
        counts: the measures whose values are whole numbers.
        over_queries_only: the measures without values per query (GMAP).
        warnings: one sentence for each accepted problem.
    """

    path: str
    qids: tuple[str, ...]
    values: Mapping[str, npt.NDArray[np.float64]]
    aggregates: Mapping[str, float]
    counts: frozenset[str]
    over_queries_only: frozenset[str]
    warnings: tuple[str, ...]


def evaluate_run(
    run: Run, qrels: Qrels, measures: Mapping[str, Measure], options: Options | None = None
) -> Evaluated:
    """Compute measures of one run; `measures` is keyed by the names to show."""
    options = options or Options()
    if options.ignore_identical_ids:
        run = without_identical_ids(run)
    warnings = check_shared_queries(run, qrels, allow_disjoint=options.allow_disjoint)
    judged = match(
        run,
        qrels,
        compat=options.compat,
        common=options.common,
        depth=options.depth,
        judged_only=options.judged_only,
        extras=options.extras,
    )
    if options.depth is None and not options.judged_only:
        judged_documents = check_judged_documents(
            run, qrels, judged, allow_disjoint=options.allow_disjoint
        )
        warnings = (*warnings, *judged_documents)
    named = {name: measure.at_level(options.level) for name, measure in measures.items()}
    values = evaluate(judged, named.values())
    return Evaluated(
        path=run.path,
        qids=judged.qids,
        values={name: values[m] for name, m in named.items()},
        aggregates={name: aggregate(m, values[m], judged) for name, m in named.items()},
        counts=frozenset(name for name, m in named.items() if m.descriptor.counts),
        over_queries_only=frozenset(
            name for name, m in named.items() if m.descriptor.over_queries_only
        ),
        warnings=(*run.warnings, *warnings),
    )


def evaluate_file(
    path: str,
    qrels: Qrels,
    measures: Mapping[str, Measure],
    options: Options | None = None,
    read_options: ReadOptions | None = None,
) -> Evaluated:
    """Read a run and compute measures of it with `evaluate_run`; FileError if it can't be read."""
    run = ties.settled(read_run(path, read_options), in_place=True)
    return replace(evaluate_run(run, qrels, measures, options), path=path)


def evaluate_files(
    qrels: Qrels,
    paths: Sequence[str],
    measures: Mapping[str, Measure],
    options: Options | None = None,
    read_options: ReadOptions | None = None,
    *,
    jobs: int = 1,
    scheduler: str | None = None,
    progress: Callable[[Done[Evaluated]], None] | None = None,
) -> list[Done[Evaluated]]:
    """Evaluate run files in `jobs` processes (1: this one), or on the workers of a Dask scheduler.

    `progress` is called with the result or error of each file, in the files' order; the returned
    results have the same order. DataError: the scheduler can't be used.
    """
    read_options = read_options or ReadOptions()
    sent = paths if scheduler is None else [on_every_machine(path) for path in paths]
    if scheduler is not None or pays(paths, jobs):
        read_options = replace(read_options, threads=1)
    work = partial(
        evaluate_file,
        qrels=qrels.sorted_once(),
        measures=measures,
        options=options,
        read_options=read_options,
    )
    ended: list[Done[Evaluated]] = []
    given = each(work, sent, jobs=jobs, preload=__name__, scheduler=scheduler)
    with closing(given) as results:
        for path, done in zip(paths, results, strict=True):
            result = None if done.result is None else replace(done.result, path=path)
            ended.append(replace(done, path=path, result=result))
            if progress is not None:
                progress(ended[-1])
    return ended


def iter_rows(result: Evaluated, *, per_query: bool) -> Iterator[tuple[str, str | None, float]]:
    """(measure, qid, value) by query, then by measure; aggregates come last, with None as qid."""
    if per_query:
        measures_shown = {
            n: v for n, v in result.values.items() if n not in result.over_queries_only
        }
        for position, qid in enumerate(result.qids):
            for name, values in measures_shown.items():
                yield name, qid, float(values[position])
    for name, value in result.aggregates.items():
        yield name, None, value
