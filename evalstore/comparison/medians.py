"""The median of a collection's runs, for every query: what one of them is compared with."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from evalstore.comparison.collection_values import load_collection_values
from evalstore.comparison.comparability import RunValues
from evalstore.comparison.loading import Medians
from evalstore.measures import Measure
from evalstore.store import Store
from evalstore.store.queries.evaluations import list_evaluations


def medians_of_collection(store: Store, run: RunValues, measures: Mapping[str, Measure]) -> Medians:
    """The median of each query over the active runs of a stored run's collection.

    The runs are those evaluated under the same qrels by the same rules, the run itself included,
    as NIST's reports have it. Runs for which one of the measures can't be computed, for want of
    facts or of rankings, are left out. A query that a run does not answer counts with the value of
    an empty ranking. With an even number of runs the median is the mean of the two values in the
    middle.

    Args:
        store: where the runs are.
        run: as `load_stored_runs` gives it.
        measures: by the names they are shown by; those that are not stored are computed.
    """
    collection = str(run.collection)
    with store.read() as connection:
        ids = {
            evaluation.run.id
            for evaluation in list_evaluations(connection, None, collection)
            if evaluation.qrels.name == run.qrels and evaluation.compat == run.compat
        }
    loaded = load_collection_values(store, collection, measures, run.qrels, ids)
    having = [{one.id for one in of.runs} for of in loaded.measures.values()]
    common = set.intersection(*having)
    wanted = frozenset(run.qids)  # not all where the run was restricted to some
    rows = np.array([qid in wanted for qid in loaded.qids], bool)
    medians = {}
    for name, of in loaded.measures.items():
        columns = np.array([one.id in common for one in of.runs], bool)
        medians[name] = np.median(of.values[np.ix_(rows, columns)], axis=1)
    return Medians(len(common), medians)
