"""Two qrels of a store, here or behind a server, and the leaderboards of its runs under them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from evalstore.client.any_store import AnyStore
from evalstore.comparison.qrels.agreement import AgreementSettings, judgment_agreement
from evalstore.comparison.qrels.compared import ComparedQrels
from evalstore.comparison.qrels.leaderboards import Leaderboards, compare_leaderboards
from evalstore.errors import DataError, NotFound, did_you_mean
from evalstore.leaderboard.ranks import RankSettings
from evalstore.leaderboard.run_list import Choice
from evalstore.measures import Measure


def compare_stored_qrels(
    store: AnyStore,
    a: str,
    b: str,
    collection: str | None,
    name: str,
    measure: Measure,
    settings: AgreementSettings | None = None,
    *,
    baseline: str | None = None,
    families: Mapping[str, str] | None = None,
) -> ComparedQrels:
    """Compare two stored qrels, and on a measure the leaderboards of the runs evaluated under both.

    Claims are of the pairs with the run `baseline` (a name or id) or the collection's baseline, or
    else of all pairs. Without a collection, it is the only one that has both qrels. `families` are
    those of the runs, by the name of the run or of its engine; None for the facts `family` of the
    runs.

    Raises:
        NotFound: there is no such collection, qrels or run.
        DataError: the qrels are of different collections, or share no judged document.
        MeasureError: the measure can't be computed for any run, or no difference on it is tested.
    """
    collection = collection_of_both(store, a, b, collection)
    judgments = judgment_agreement(
        store.load_qrels(collection, a), store.load_qrels(collection, b), settings
    )
    leaderboards, notes = leaderboards_of_stored_qrels(
        store, a, b, collection, name, measure, baseline=baseline, families=families
    )
    return ComparedQrels(judgments, leaderboards, notes)


def leaderboards_of_stored_qrels(
    store: AnyStore,
    a: str,
    b: str,
    collection: str,
    name: str,
    measure: Measure,
    settings: RankSettings | None = None,
    *,
    baseline: str | None = None,
    families: Mapping[str, str] | None = None,
) -> tuple[Leaderboards | None, tuple[str, ...]]:
    """Compare the leaderboards on a measure of the runs evaluated under both qrels, with notes.

    None for fewer than two runs. See `compare_stored_qrels`; `settings` limit the tests by which
    each leaderboard is ranked.
    """
    measures, settings = {name: measure}, settings or RankSettings()
    ranked = [store.leaderboard(collection, measures, one, settings) for one in (a, b)]
    under_a, under_b = ([run.run for run in of.measures[0].runs] for of in ranked)
    both = [run for run in under_a if run in set(under_b)]
    notes = tuple(dict.fromkeys(note for of in ranked for note in of.every_note))
    if len(both) < 2:
        none = f"no leaderboard: {len(both)} of the runs of {collection!r} evaluated under both"
        return None, (none, *notes)
    chosen = store.runs_to_compare(both, baseline, collection)
    loaded_a, loaded_b = (
        replace(
            store.load_runs(chosen.runs, measures, collection=collection, qrels=one),
            baseline=chosen.baseline,
        )
        for one in (a, b)
    )
    notes = notes if chosen.note is None else (*notes, chosen.note)
    stated = families_of_runs(store, collection, families)
    return compare_leaderboards(loaded_a, loaded_b, name, measure, stated), notes


def families_of_runs(
    store: AnyStore, collection: str, given: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The families of the runs of a collection: given by run or engine, else their facts."""
    fact = "family"
    try:
        runs = store.list_runs([], Choice(collection, columns=(fact,) if given is None else ()))
    except NotFound:  # no run has the fact
        return {}
    if given is None:
        stated = {run.run: run.columns.get(fact) for run in runs}
    else:
        stated = {run.run: given.get(run.run, given.get(run.engine)) for run in runs}
    return {run: str(family) for run, family in stated.items() if family is not None}


def collection_of_both(store: AnyStore, a: str, b: str, collection: str | None) -> str:
    """The named collection, or the only one that has qrels of both names.

    NotFound for an unknown name, DataError for qrels of different collections.
    """
    if collection is not None:
        return collection
    stored = store.list_qrels()
    having = {one: [q.collection for q in stored if q.name == one] for one in (a, b)}
    for one, collections in having.items():
        if not collections:
            hint = did_you_mean(one, [q.name for q in stored])
            raise NotFound(f"there is no qrels {one!r} in the store{hint}")
    shared = [name for name in having[a] if name in having[b]]
    if not shared:
        of_a, of_b = (" and ".join(map(repr, having[one])) for one in (a, b))
        raise DataError(
            f"the qrels are of different collections: {a!r} of {of_a}, {b!r} of {of_b}; two qrels "
            "of one collection can be compared"
        )
    if len(shared) > 1:
        raise NotFound(
            f"several collections have qrels {a!r} and {b!r}: name one of "
            f"{', '.join(map(repr, shared))}"
        )
    return shared[0]
