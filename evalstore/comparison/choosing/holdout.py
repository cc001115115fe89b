"""A held-out split of the queries: a run is chosen on one part and tested on the other."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256

import numpy as np
from sqlalchemy import Connection

from evalstore.catalog.chosen_qrels import find_collection_id
from evalstore.catalog.names import listed
from evalstore.catalog.queries import StoredQuery, list_queries, store_attributes
from evalstore.comparison.comparability import RunValues, common_qids, number_of_queries
from evalstore.comparison.loading import LoadedRuns
from evalstore.comparison.significance import aligned
from evalstore.errors import DataError, StoreError
from evalstore.measures import Measure
from evalstore.measures.evaluate import follows_from_values, pooled
from evalstore.stats.inputs import SEED, UNITS_PER_ONE, check_fraction
from evalstore.store import Store
from evalstore.store.queries.queries import load_queries

ATTRIBUTE = "holdout"
"""The attribute of queries that says which are held out: `yes` or `no`."""

HELD_OUT, OTHER = "yes", "no"

LEAST_QUERIES = 3
"""The fewest held-out queries over which runs are compared."""


def split(qids: Collection[str], share: float) -> dict[str, str]:
    """Whether each query is held out: `yes` for this share of them, rounded; `no` for the others.

    The queries with the least SHA-256 of seed and id are held out. So the split depends on the
    queries and on nothing else, and with a larger share the same ones stay held out.

    Raises:
        DataError: the share is not between 0 and 1.
    """
    by_hash = sorted(qids, key=lambda qid: sha256(f"{SEED} {qid}".encode()).digest())
    number = _number(len(by_hash), share)
    return {qid: HELD_OUT if place < number else OTHER for place, qid in enumerate(by_hash)}


def _number(queries: int, share: float) -> int:
    check_fraction("the share of the queries to hold out", share)
    return round(share * queries)


def held_out(qids: Collection[str], share: float) -> frozenset[str]:
    """The held-out queries among these, for judgments that are in no store."""
    return _with_value(split(qids, share))


def _with_value(values: Mapping[str, str]) -> frozenset[str]:
    return frozenset(qid for qid, value in values.items() if value == HELD_OUT)


# The split that is stored with a collection


def stored_held_out(
    collection: str, queries: Iterable[StoredQuery], share: float
) -> frozenset[str] | None:
    """The held-out queries among those of a collection; None if it has no split yet.

    Raises:
        DataError: the collection holds out another share.
    """
    values = {q.qid: q.attributes[ATTRIBUTE] for q in queries if ATTRIBUTE in q.attributes}
    return _checked(collection, values, share) if values else None


def _checked(collection: str, values: Mapping[str, str], share: float) -> frozenset[str]:
    untag = ["evalstore", "queries", "untag", ATTRIBUTE, "--all", f"--collection={collection}"]
    remedy = f"`{shlex.join(untag)}` removes that split"
    others = sorted(set(values.values()) - {HELD_OUT, OTHER})
    if others:
        raise DataError(
            f"the attribute {ATTRIBUTE!r} of the queries of collection {collection!r} must be "
            f"{HELD_OUT} or {OTHER}, and is also {listed(others)}; {remedy}"
        )
    found = _with_value(values)
    wanted = _number(len(values), share)
    if len(found) != wanted:
        raise DataError(
            f"collection {collection!r} holds out {len(found):,} of "
            f"{number_of_queries(len(values))}, and a share of {share:g} would be {wanted:,}; "
            f"{remedy}"
        )
    return found


def none_stored(collection: str, why: str) -> str:
    """The message that the split of a collection is not stored, and why it can't be now."""
    return (
        f"collection {collection!r} has no held-out queries yet, and {why}: "
        "a comparison with a held-out share on the store itself sets them"
    )


def held_out_of_store(
    store: Store, collection: str, qids: Collection[str], share: float, *, reads_only: bool = False
) -> frozenset[str]:
    """The held-out queries of a collection, by the split that is stored with it.

    Without one, that of the judged queries `qids` is stored, as an attribute of the queries.

    Raises:
        DataError: another share is held out; or nothing is, and `reads_only`.
        StoreError: nothing is held out, and the store can't be changed.
    """
    found = stored_held_out(collection, list_queries(store, collection), share)
    if found is not None:
        return found
    if reads_only:
        raise DataError(none_stored(collection, "this only reads the store"))
    own = split(qids, share)

    def work(connection: Connection) -> frozenset[str]:
        collection_id = find_collection_id(connection, collection)
        stored = load_queries(connection, collection_id).attributes
        values = {qid: of[ATTRIBUTE] for qid, of in stored.items() if ATTRIBUTE in of}
        if not values:  # nor has another process stored it in the meantime
            values = own
            attributes = {qid: {ATTRIBUTE: value} for qid, value in own.items()}
            store_attributes(connection, collection, collection_id, attributes, datetime.now(UTC))
        return _checked(collection, values, share)

    try:
        return store.transact(work)
    except StoreError as error:
        why = f"they can't be stored ({error})"
        raise StoreError(none_stored(collection, why)) from error


# The comparison over the held-out queries


def hold_out(
    loaded: LoadedRuns,
    held: Collection[str],
    measures: Mapping[str, Measure],
    *,
    common: bool = False,
) -> LoadedRuns:
    """Keep only the held-out queries and, of several runs with a baseline, one run to test.

    That is the run with the best figure of the first measure over the other queries (with `common`,
    over those of them that all runs answer), the first one of equals. A note says so. Without a
    baseline, or of two runs, all stay.

    Raises:
        DataError: fewer than three queries are held out; or a run is to be chosen, and there are no
            other queries, or by a measure that does not say which run is better.
    """
    if not loaded.runs:
        return loaded
    qids = loaded.runs[0].qids
    tested = [qid for qid in qids if qid in held]
    if len(tested) < LEAST_QUERIES:
        raise DataError(
            f"{len(tested):,} of {number_of_queries(len(qids))} held out: a test needs "
            f"{LEAST_QUERIES} at least"
        )
    if loaded.baseline is not None and len(loaded.runs) > 2:
        loaded = _with_best(loaded, [qid for qid in qids if qid not in held], measures, common)
    of_all = f"the {len(tested):,} of {len(qids):,} held-out queries"
    within = f"the {len(tested):,} held-out of {loaded.restriction}"
    return replace(
        loaded,
        runs=tuple(run.over(frozenset(tested)) for run in loaded.runs),
        restriction=of_all if loaded.restriction is None else within,
        settings=None,  # which says to choose on other queries, as here
    )


def _with_best(
    loaded: LoadedRuns, qids: Sequence[str], measures: Mapping[str, Measure], common: bool
) -> LoadedRuns:
    """The baseline and the best of the other runs over some queries, in their order."""
    if common:
        shared = common_qids(loaded.runs)
        qids = [qid for qid in qids if qid in shared]
    if not qids:
        raise DataError("there are no queries that are not held out, to choose a run on")
    name, measure = next(iter(measures.items()))
    others = [number for number in range(len(loaded.runs)) if number != loaded.baseline]
    best = max(others, key=lambda number: _figure(loaded.runs[number], name, measure, qids))
    kept = [number for number in range(len(loaded.runs)) if number in (best, loaded.baseline)]
    return replace(
        loaded.only(kept),
        baseline=kept.index(loaded.baseline or 0),
        notes=(
            *loaded.notes,
            f"{loaded.runs[best].name} was chosen of {len(others):,} runs by {name} on the other "
            f"{number_of_queries(len(qids))}",
        ),
    )


def _figure(run: RunValues, name: str, measure: Measure, qids: Sequence[str]) -> float:
    """The figure of a run over some queries, rounded to 1e-9; more is better, -inf without one."""
    higher = measure.descriptor.higher_is_better
    if higher is None or measure.descriptor.of_run or not follows_from_values(measure):
        raise DataError(f"a run can't be chosen by {name}: put another measure first")
    values = aligned(run, name, qids)
    known = ~np.isnan(values)
    if not known.any():
        return -np.inf
    figure = pooled(measure, values[known], run.weights_of(name, qids)[None, known])
    return float(np.rint(figure[0] * UNITS_PER_ONE)) * (1 if higher else -1)
