"""Qrels of a store, here or behind a server: compared, and with groups of its runs left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from evalstore.client.any_store import AnyStore
from evalstore.comparison.loading import LoadedRuns
from evalstore.comparison.qrels.agreement import AgreementSettings, judgment_agreement
from evalstore.comparison.qrels.compared import ComparedQrels
from evalstore.comparison.qrels.leaderboards import Leaderboards, compare_leaderboards
from evalstore.comparison.qrels.repeats import Repeats, judgment_repeats, with_runs
from evalstore.comparison.qrels.reuse import DEPTH, Reuse, leave_one_out
from evalstore.comparison.unjudged.holes import check_measure
from evalstore.errors import DataError, NotFound, did_you_mean
from evalstore.leaderboard.ranks import RankSettings
from evalstore.leaderboard.run_list import Choice
from evalstore.measures import Measure

GROUPS = ("engine", "run")
"""The groups of runs that are no fact."""


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
    collection = collection_of_all(store, (a, b), collection)
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
    loaded, notes = _loaded_under(store, (a, b), collection, (name, measure), settings, baseline)
    if not loaded:
        return None, notes
    stated = families_of_runs(store, collection, families)
    return compare_leaderboards(loaded[0], loaded[1], name, measure, stated), notes


def _loaded_under(
    store: AnyStore,
    names: Sequence[str],
    collection: str,
    measure: tuple[str, Measure],
    settings: RankSettings | None,
    baseline: str | None,
) -> tuple[list[LoadedRuns], tuple[str, ...]]:
    """The runs evaluated under all of some qrels, loaded under each, with notes.

    Loads nothing if fewer than two runs are evaluated under all qrels; the first note says so.
    """
    measures, settings = dict([measure]), settings or RankSettings()
    ranked = [store.leaderboard(collection, measures, one, settings) for one in names]
    first, *others = ([run.run for run in of.measures[0].runs] for of in ranked)
    every = [run for run in first if all(run in set(of) for of in others)]
    notes = tuple(dict.fromkeys(note for of in ranked for note in of.every_note))
    if len(every) < 2:
        all_ = "both" if len(names) == 2 else f"all {len(names)}"
        none = f"no leaderboard: {len(every)} of the runs of {collection!r} evaluated under {all_}"
        return [], (none, *notes)
    chosen = store.runs_to_compare(every, baseline, collection)
    loaded = [
        replace(
            store.load_runs(chosen.runs, measures, collection=collection, qrels=one),
            baseline=chosen.baseline,
        )
        for one in names
    ]
    return loaded, notes if chosen.note is None else (*notes, chosen.note)


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


def repeats_of_stored_qrels(
    store: AnyStore,
    names: Sequence[str],
    collection: str | None,
    name: str,
    measure: Measure,
    level: float = 1,
    *,
    baseline: str | None = None,
) -> Repeats:
    """Compare several stored qrels, and on a measure the runs evaluated under all of them.

    Claims are as those of `compare_stored_qrels`. Runs are left out if there are fewer than two.

    Raises:
        NotFound: there is no such collection, qrels or run.
        DataError: fewer than two qrels, those of different collections, or no document that all
            judge.
        MeasureError: the measure can't be computed for any run, or no difference on it is tested.
    """
    collection = collection_of_all(store, names, collection)
    repeats = judgment_repeats([store.load_qrels(collection, one) for one in names], level)
    loaded, notes = _loaded_under(store, names, collection, (name, measure), None, baseline)
    if loaded:
        repeats = with_runs(repeats, loaded, name, measure)
    return replace(repeats, notes=(*notes, *repeats.notes))


def reuse_of_stored_qrels(
    store: AnyStore,
    collection: str,
    qrels: str | None,
    name: str,
    measure: Measure,
    *,
    by: str = "engine",
    depth: int = DEPTH,
    level: float = 1,
) -> Reuse:
    """Leave each group of the stored runs out; see `leave_one_out`.

    Runs of equal engine, of equal name (`run`), or with an equal fact `by` (a parameter like
    `team`) are a group; a run without the fact is one of its own. Runs that came as values are left
    out, and a note says so.

    Raises:
        NotFound: there is no such collection or qrels.
        DataError: there are fewer than two groups.
        MeasureError: the measure is no mean over queries, or needs more than judgments.
    """
    check_measure(name, measure)
    columns = () if by in GROUPS else (by,)
    listed = store.list_runs([], Choice(collection=collection, qrels=qrels, columns=columns))
    runs = [run for run in listed if not run.values_only]
    if not runs:
        raise DataError(f"no run of {collection!r} with rankings is evaluated under the qrels")
    facts = {run.run: getattr(run, by) if by in GROUPS else run.columns.get(by) for run in runs}
    group_of = {run: f"{run} alone" if of is None else str(of) for run, of in facts.items()}
    loaded = store.load_runs(
        list(group_of), {name: measure}, collection=collection, qrels=qrels or runs[0].qrels
    )
    found = leave_one_out(loaded, name, measure, list(group_of.values()), depth=depth, level=level)
    lacking = [run.run for run in listed if run.values_only]
    if lacking:
        without = f"left out, as they came as values: {', '.join(lacking)}"
        found = replace(found, notes=(*found.notes, without))
    return found


def collection_of_all(store: AnyStore, names: Sequence[str], collection: str | None) -> str:
    """The named collection, or the only one that has qrels of all these names.

    NotFound for an unknown name, DataError for qrels of different collections.
    """
    if collection is not None:
        return collection
    stored = store.list_qrels()
    having = {one: [q.collection for q in stored if q.name == one] for one in names}
    for one, collections in having.items():
        if not collections:
            hint = did_you_mean(one, [q.name for q in stored])
            raise NotFound(f"there is no qrels {one!r} in the store{hint}")
    shared = [
        name for name in having[names[0]] if all(name in others for others in having.values())
    ]
    if not shared:
        of_each = ", ".join(
            f"{one!r} of {' and '.join(map(repr, collections))}"
            for one, collections in having.items()
        )
        raise DataError(
            f"the qrels are of different collections: {of_each}; qrels of one collection can be "
            "compared"
        )
    if len(shared) > 1:
        each = " and ".join(map(repr, names))
        raise NotFound(
            f"several collections have qrels {each}: name one of {', '.join(map(repr, shared))}"
        )
    return shared[0]
