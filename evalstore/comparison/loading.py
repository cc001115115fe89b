"""Values of runs per query, stored or computed: the input of comparisons, checks and reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from sqlalchemy import Connection

from evalstore.catalog.chosen_qrels import evaluates_rest, kept_collection, named_qrels
from evalstore.catalog.names import Condition, free_name, select_queries
from evalstore.catalog.qrels import origin_note
from evalstore.comparison.cached import (
    JudgedQueries,
    kept_judged_queries,
    kept_judged_tops,
    kept_qrels,
    kept_tops,
)
from evalstore.comparison.choosing.luck import LoadSettings, OtherSettings, load_settings
from evalstore.comparison.comparability import (
    F64,
    I64,
    RunValues,
    number_of_queries,
    over_common,
    was_cut,
)
from evalstore.errors import DataError
from evalstore.evaluation.prepare import without_identical_ids
from evalstore.formats import Qrels, Run, ties
from evalstore.formats.lists import qrels_hash
from evalstore.formats.queries import Queries
from evalstore.measures import Measure, evaluate
from evalstore.measures.evaluate import weights_of
from evalstore.measures.join import (
    Extras,
    check_judged_documents,
    judged_in_top,
    match,
)
from evalstore.measures.judged import CompatMode, Judged
from evalstore.store import Store
from evalstore.store.queries.comparison import load_answers
from evalstore.store.queries.evaluations import (
    StoredEvaluation,
    list_evaluations,
    load_value_tables,
)
from evalstore.store.queries.qrels import StoredQrels
from evalstore.store.queries.rankings import load_run
from evalstore.store.queries.runs import StoredRun, find_runs


@dataclass(frozen=True)
class RunsToCompare:
    """Stored runs (names or ids) to compare, with the baseline of their collection.

    The baseline is the number of a run; None means all pairs. If nobody named the baseline, the
    note says which one was chosen. Without a collection, each run is looked up in all collections.
    """

    runs: tuple[str, ...]
    baseline: int | None
    collection: str | None
    note: str | None = None


class Rankings(NamedTuple):
    """The rankings of runs, None for a run that came as values, and the judgments."""

    runs: tuple[Run | None, ...]
    qrels: Qrels


LoadRankings = Callable[[int | None], Rankings]
"""Reads the rankings of some runs, at least down to a rank (None: whole), ties in order."""


@dataclass(frozen=True, eq=False)
class LoadedRuns:
    """Runs under one qrels, read from files or from a store; empty if there is an obstacle.

    Attributes:
        restriction: the queries that the values cover, as a phrase that every output shows (`the 12
            of 35 queries with lang=de`); None for all judged queries.
        baseline: the number of the run with which all others are compared; None for all pairs.
        shared_qrels: if there is an obstacle, the names of the qrels under which all runs have
            values.
        rankings: reads the rankings of `runs` and the judgments; None if they are not known.
        settings: reads the other settings of the engines of `runs`; None if they are not known.
        model: the same runs under a model's judgments, to correct differences; None without.
    """

    runs: tuple[RunValues, ...]
    queries: Queries = field(default_factory=lambda: Queries({}), repr=False)
    obstacle: str | None = None
    restriction: str | None = None
    notes: tuple[str, ...] = ()
    baseline: int | None = None
    shared_qrels: tuple[str, ...] = ()
    rankings: LoadRankings | None = field(default=None, repr=False)
    settings: LoadSettings | None = field(default=None, repr=False)
    model: tuple[RunValues, ...] | None = field(default=None, repr=False)

    @property
    def texts(self) -> Mapping[str, str]:
        """The known texts of the queries."""
        return self.queries.texts

    def all_rankings(self, depth: int | None) -> tuple[list[Run], Qrels]:
        """The rankings of every run, at least down to a rank (None: whole), and the judgments.

        DataError: there is an obstacle, they are not known, or a run came as values.
        """
        if self.obstacle is not None:
            raise DataError(self.obstacle)
        if self.rankings is None:
            raise DataError("the rankings of these runs are not known")
        read, qrels = self.rankings(depth)
        lacking = [of.name for of, run in zip(self.runs, read, strict=True) if run is None]
        if lacking:
            raise DataError(f"{' and '.join(lacking)} came as values, without rankings")
        return [run for run in read if run is not None], qrels

    def with_rankings(self, runs: Sequence[Run], qrels: Qrels) -> LoadedRuns:
        """The same runs with rankings that were read, and are not read again."""
        return replace(self, rankings=lambda _: Rankings(tuple(runs), qrels))

    def only(self, numbers: Sequence[int]) -> LoadedRuns:
        """Some of the runs, by number, in that order."""
        runs = tuple(self.runs[number] for number in numbers)
        every = self.rankings
        if every is None:
            return replace(self, runs=runs)

        def rankings(depth: int | None) -> Rankings:
            read, qrels = every(depth)
            return Rankings(tuple(read[number] for number in numbers), qrels)

        return replace(self, runs=runs, rankings=rankings)


def restrict(loaded: LoadedRuns, conditions: Sequence[Condition]) -> LoadedRuns:
    """Keep only the queries for which all conditions hold; DataError if none is left."""
    if not conditions or not loaded.runs:
        return loaded
    qids = loaded.runs[0].qids
    selected = select_queries(conditions, qids, loaded.queries)
    text = " and ".join(map(str, conditions))
    if not selected:
        raise DataError(f"none of the {len(qids):,} queries has {text}")
    return replace(
        loaded,
        runs=tuple(run.over(frozenset(selected)) for run in loaded.runs),
        restriction=f"the {len(selected):,} of {len(qids):,} queries with {text}",
    )


def answered_by_all(loaded: LoadedRuns) -> LoadedRuns:
    """Keep only the queries that every run answers; DataError if there is none."""
    if not loaded.runs:
        return loaded
    runs = over_common(loaded.runs)
    shared = len(runs[0].qids)
    if not shared:
        raise DataError("the runs share no judged query that all of them answer")
    among = "" if loaded.restriction is None else f" among {loaded.restriction}"
    all_ = number_of_queries(len(loaded.runs[0].qids))
    return replace(
        loaded, runs=runs, restriction=f"the {shared:,} of {all_} that all runs answer{among}"
    )


@dataclass(frozen=True, eq=False)
class Medians:
    """The medians over a number of runs: by measure, float64, one value per query."""

    runs: int
    values: Mapping[str, F64] = field(repr=False)


def evaluate_given_runs(
    qrels: Qrels,
    runs: Mapping[str, Run],
    measures: Mapping[str, Measure],
    *,
    compat: CompatMode = "exact",
    extras: Extras | None = None,
    queries: Queries | None = None,
    ignore_identical_ids: bool = False,
    allow_disjoint: bool = False,
) -> LoadedRuns:
    """Evaluate runs, given by name, under the same judgments, without a store.

    Disjoint is raised, unless that is allowed, for a run whose answers to judged queries have no
    judged document. Runs without a common query are not comparable, which is no error.
    """
    identity = qrels_hash(qrels)
    prepared = qrels.sorted_once()
    evaluated = []
    notes = []
    compared: list[Run] = []
    for name, given in runs.items():
        run = without_identical_ids(given) if ignore_identical_ids else given
        left_out = len(given.scores) - len(run.scores)
        if left_out:
            notes.append(
                f"{name} is compared without {left_out:,} documents whose id is the query's"
            )
        compared.append(run)
        judged = match(run, prepared, compat=compat, extras=extras)
        # A low share of judged documents is part of every comparison.
        check_judged_documents(run, prepared, judged, allow_disjoint=allow_disjoint)
        values = evaluate(judged, measures.values())
        evaluated.append(
            RunValues(
                name=name,
                collection="",
                qrels=qrels.path,
                qrels_hash=identity,
                compat=compat,
                depth=int(judged.retrieved.max(initial=0)),
                is_cut=was_cut(judged.retrieved[judged.retrieved > 0].tolist()),
                judged_in_top=judged_in_top(judged),
                qids=judged.qids,
                answered=judged.answered,
                values={label: values[measure] for label, measure in measures.items()},
                weights=_weights(judged, measures),
            )
        )
    known = Queries({}) if queries is None else queries

    def rankings(_: int | None) -> Rankings:
        return Rankings(tuple(in_order(run, compat) for run in compared), prepared)

    return LoadedRuns(tuple(evaluated), known, notes=tuple(notes), rankings=rankings)


def in_order(run: Run, compat: str) -> Run:
    """The run with every tie in order, by the rules of an evaluation."""
    return ties.settled(ties.rounded(run) if compat == "trec_eval-9" else run)


def _weights(judged: Judged, measures: Mapping[str, Measure]) -> dict[str, F64]:
    """The weights of the queries by measure, for measures that give them."""
    weights = {name: weights_of(measure, judged) for name, measure in measures.items()}
    return {name: of for name, of in weights.items() if of is not None}


def load_stored_runs(
    store: Store,
    runs: Sequence[str],
    measures: Mapping[str, Measure],
    *,
    collection: str | None = None,
    qrels: str | None = None,
    most_values: int | None = None,
) -> LoadedRuns:
    """Load stored runs (names or ids) with their values under the same judgments; write nothing.

    Values that are not stored are computed. Without `qrels`, the collection's default qrels is
    used, or else the newest one with which all the runs were evaluated. DataError for more than
    `most_values` (runs x measures x queries), MeasureError or NoRankings if a run lacks a measure.
    """
    if not runs:
        raise DataError("no run is named")
    with store.read() as connection:
        stored = find_runs(connection, runs, collection)
        names: list[str] = []
        for run in stored:
            names.append(free_name(run.name, names))
        collections = list(dict.fromkeys(run.collection for run in stored))
        if len(collections) > 1:
            pairs = zip(names, stored, strict=True)
            each = ", ".join(f"{name} {run.collection!r}" for name, run in pairs)
            return LoadedRuns((), obstacle=f"the runs are of different collections: {each}")
        evaluations = list_evaluations(connection, sorted({run.id for run in stored}), None)
        own = kept_collection(store, collections[0])
        lacking = {each.name: _lacking(each, evaluations, stored) for each in own.qrels}
        allowed = own.qrels if qrels is None else [named_qrels(own.qrels, collections[0], qrels)]
        chosen = next((each for each in allowed if not lacking[each.name]), None)
        if chosen is None:
            return _not_evaluated(collections[0], lacking, qrels)
        evaluation_of = {e.run.id: e for e in evaluations if e.qrels.id == chosen.id}
        judged = kept_judged_queries(store, own.id, chosen.id)
        remedy = "name fewer runs or measures"
        check_number_of_values(len(stored), len(measures), len(judged.qids), most_values, remedy)

        def load(ids: list[int]) -> dict[int, RunValues]:
            wanted = frozenset(ids)
            missing = {id_: of for id_, of in evaluation_of.items() if of.id in wanted}
            return _run_values(store, connection, chosen, judged, missing, measures)

        def size(run: RunValues) -> int:
            return sum(values.nbytes for values in (run.answered, *run.values.values()))

        # Rankings and judgments never change; facts and imported values can be replaced.
        lasting = not any(run.values_only for run in stored) and not any(
            measure.descriptor.needs for measure in measures.values()
        )
        key, ids = ("run values", *measures.items()), [of.id for of in evaluation_of.values()]
        kept = store.keep_each(key, ids, load, size, lasting=lasting)
    run_values = tuple(
        replace(
            kept[evaluation_of[run.id].id], name=name, collection=run.collection, qrels=chosen.name
        )
        for run, name in zip(stored, names, strict=True)
    )
    compat_of = {run.id: evaluation_of[run.id].compat for run in stored}

    def rankings(depth: int | None) -> Rankings:
        with store.read() as connection:
            runs = (_ranking(store, connection, run, compat_of[run.id], depth) for run in stored)
            return Rankings(tuple(runs), kept_qrels(store, chosen))

    id_of = {name: run.id for run, name in zip(stored, names, strict=True)}

    def settings(measures: Mapping[str, Measure]) -> Mapping[str, OtherSettings]:
        with store.read() as connection:
            return load_settings(store, connection, chosen.id, judged, id_of, measures)

    note = origin_note(chosen)
    notes = () if note is None else (note,)
    return LoadedRuns(run_values, judged.queries, notes=notes, rankings=rankings, settings=settings)


def _ranking(
    store: Store, connection: Connection, run: StoredRun, compat: CompatMode, depth: int | None
) -> Run | None:
    """The rankings of a stored run, at least down to a rank; None if it was given as values."""
    if run.values_only:
        return None
    if depth is None or compat == "trec_eval-9":  # whose rules can make other ties than are stored
        return in_order(load_run(connection, run), compat)
    tops = kept_tops(store, connection, run, depth)
    return Run(
        path=run.name,
        tag=run.tag,
        qids=tops.qids,
        starts=tops.ends[:-1],
        lengths=np.diff(tops.ends),
        docnos=tops.docnos,
        scores=np.zeros(len(tops.docnos)),
        is_settled=True,
    )


def _lacking(
    qrels: StoredQrels, evaluations: Sequence[StoredEvaluation], runs: Sequence[StoredRun]
) -> list[str]:
    """The names of the runs that were not evaluated under this qrels, each once."""
    evaluated = {one.run.id for one in evaluations if one.qrels.id == qrels.id}
    return list(dict.fromkeys(run.name for run in runs if run.id not in evaluated))


def _not_evaluated(
    collection: str, lacking: Mapping[str, Sequence[str]], name: str | None
) -> LoadedRuns:
    """The reason why runs can't be compared under a qrels (None: under any), with advice.

    `lacking` maps each qrels, the default one first, to the runs that were not evaluated under it.
    """
    shared = tuple(qrels for qrels, missing in lacking.items() if not missing)
    chosen = name or next(iter(lacking), None)
    if chosen is None:
        return LoadedRuns((), obstacle=f"collection {collection!r} has no qrels yet")
    missing = lacking[chosen]
    verb = "is" if len(missing) == 1 else "are"
    texts = [
        "the runs were never evaluated with the same qrels" if not shared else "",
        f"{', '.join(missing)} {verb} not evaluated under qrels {chosen!r}",
        f"all are under {', '.join(map(repr, shared))}" if shared else "",
        f"`{evaluates_rest(collection, chosen)}` evaluates the rest",
    ]
    return LoadedRuns((), obstacle="; ".join(filter(None, texts)), shared_qrels=shared)


def _run_values(
    store: Store,
    connection: Connection,
    qrels: StoredQrels,
    judged: JudgedQueries,
    evaluation_of: Mapping[int, StoredEvaluation],
    measures: Mapping[str, Measure],
) -> dict[int, RunValues]:
    """The values of runs, by evaluation id, under the names of the stored runs."""
    ids = list(evaluation_of)
    tops = kept_judged_tops(store, connection, qrels.id, ids)
    values, weights = _values(store, connection, judged.ids, evaluation_of, measures)
    answers = dict(zip(ids, load_answers(connection, qrels.id, judged.ids, ids), strict=True))
    for id_, evaluation in evaluation_of.items():
        if evaluation.run.values_only and (answers[id_] < 0).all():
            answers[id_] = np.zeros(len(judged.ids), np.int64)
    lengths = {id_: of_run[of_run >= 0].tolist() for id_, of_run in answers.items()}
    return {
        evaluation.id: RunValues(
            name=evaluation.run.name,
            collection=evaluation.run.collection,
            qrels=qrels.name,
            qrels_hash=qrels.content_hash,
            compat=evaluation.compat,
            depth=int(answers[id_].max(initial=0)),
            is_cut=any(lengths[id_]) and was_cut(lengths[id_]),
            judged_in_top=tops[id_],
            qids=judged.qids,
            answered=answers[id_] >= 0,
            values={name: values[id_, str(m)] for name, m in measures.items()},
            weights={
                name: weights[id_, str(m)]
                for name, m in measures.items()
                if (id_, str(m)) in weights
            },
            values_only=evaluation.run.values_only,
        )
        for id_, evaluation in evaluation_of.items()
    }


def _values(
    store: Store,
    connection: Connection,
    query_ids: I64,
    evaluation_of: Mapping[int, StoredEvaluation],
    measures: Mapping[str, Measure],
) -> tuple[dict[tuple[int, str], F64], dict[tuple[int, str], F64]]:
    """The values of the judged queries and their weights by run id and measure.

    Values are stored if possible, else computed. Weights, which few measures have, are computed;
    a run that was imported as values has none.
    """
    by_name = {str(measure): measure for measure in measures.values()}
    evaluations = [evaluation.id for evaluation in evaluation_of.values()]
    qrels_id = next(iter(evaluation_of.values())).qrels.id
    tables = load_value_tables(connection, qrels_id, query_ids, by_name, evaluations)
    values = {
        (run, name): np.ascontiguousarray(table[:, column])
        for name, table in tables.items()
        for column, run in enumerate(evaluation_of)
        if not np.isnan(table[:, column]).all()
    }
    weights: dict[tuple[int, str], F64] = {}
    for run, evaluation in evaluation_of.items():
        lacking = [
            one
            for name, one in by_name.items()
            if (run, name) not in values
            or (one.descriptor.weigh is not None and not evaluation.run.values_only)
        ]
        if not lacking:
            continue
        from evalstore.evaluation.measure import compute_values  # noqa: PLC0415  (slow, and rarely needed)

        qrels = kept_qrels(store, evaluation.qrels)
        computed = compute_values(connection, evaluation, qrels, lacking)
        for error in computed.lacking.values():
            raise error
        weights |= {(run, name): of for name, of in computed.weights.items()}
        values |= {(run, name): of for name, of in computed.rows.values.items()}
    return values, weights


def check_number_of_values(
    runs: int, measures: int, queries: int, most: int | None, remedy: str
) -> None:
    """Raise a DataError that suggests the `remedy` for more values than `most` (None: no limit)."""
    count = runs * measures * queries
    if most is not None and count > most:
        raise DataError(f"these are {count:,} values, of {most:,} at most: {remedy}")
