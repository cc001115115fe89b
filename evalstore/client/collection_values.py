"""The values of all runs of a collection of a server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from evalstore.client.answers import as_object
from evalstore.client.connection import Server, in_path
from evalstore.comparison.collection_values import CollectionRun, CollectionValues, MeasureValues
from evalstore.measures import Measure


def load_collection_values(
    server: Server,
    collection: str,
    measures: Mapping[str, Measure],
    qrels: str | None = None,
    *,
    aggregates_only: bool = False,
) -> CollectionValues:
    """As `comparison.collection_values`; the ids of runs and judgments are not known, and 0.

    A server does not say which notes are on other runs: all of them count as on these.
    """
    content = server.get(
        f"/collections/{in_path(collection)}/values",
        measure=list(measures),
        qrels=qrels,
        aggregates_only=aggregates_only,
    )
    return as_object(
        CollectionValues,
        content,
        qrels_id=0,
        runs=tuple(map(_run, content["runs"])),
        measures={
            of["measure"]: _values(of, measures[of["measure"]]) for of in content["measures"]
        },
        notes_on_others=(),
        notes_on_these=tuple(content["notes"]),
        not_evaluated=(),
    )


def _values(content: Mapping[str, Any], measure: Measure) -> MeasureValues:
    runs = content["runs"]
    queries = len(runs[0]["values"]) if runs else 0
    by_run = np.array([run["values"] for run in runs], np.float64).reshape(len(runs), queries)
    return as_object(
        MeasureValues,
        content,
        measure=measure,
        runs=tuple(map(_run, runs)),
        values=np.ascontiguousarray(by_run.T),
        aggregates=np.array([run["value"] for run in runs], np.float64),
    )


def _run(content: Mapping[str, Any]) -> CollectionRun:
    return as_object(CollectionRun, content, id=0, evaluation_id=0, name=content["run"])
