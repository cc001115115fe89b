"""The median of a collection's runs, for every query: what one of them is compared with."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from evalstore.measures import Measure
from evalstore.store import Store
from evalstore.store.evaluations import list_evaluations, stored_measures
from evalstore.usecases.comparability import RunValues
from evalstore.usecases.loaded_runs import Medians
from evalstore.usecases.stored_runs import load_stored_runs


def medians_of_collection(store: Store, run: RunValues, measures: Mapping[str, Measure]) -> Medians:
    """The median of each query over the active runs of a stored run's collection.

    The runs are those evaluated under the same qrels by the same rules, the run itself included,
    as NIST's reports have it; runs that came as values without one of the measures are left out. A
    query that a run does not answer counts with the value of an empty
    ranking. With an even number of runs the median is the mean of the two values in the middle.

    Args:
        store: where the runs are.
        run: as `load_stored_runs` gives it.
        measures: by the names they are shown by; those that are not stored are computed.
    """
    with store.read() as connection:
        names = [
            evaluation.run.name
            for evaluation in list_evaluations(connection, None, run.collection)
            if evaluation.qrels.name == run.qrels
            and evaluation.compat == run.compat
            and (
                not evaluation.run.values_only
                or stored_measures(connection, evaluation.id).issuperset(
                    map(str, measures.values())
                )
            )
        ]
    loaded = load_stored_runs(
        store, names, measures, collection=run.collection, qrels=run.qrels
    ).runs
    wanted = frozenset(run.qids)  # not all where the run was restricted to some
    rows = np.array([qid in wanted for qid in loaded[0].qids], bool)
    return Medians(
        len(loaded),
        {name: np.median([one.values[name][rows] for one in loaded], axis=0) for name in measures},
    )
