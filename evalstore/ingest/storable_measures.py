"""The measures that an ingest can store; no store is used."""

from __future__ import annotations

from collections.abc import Iterable

from evalstore.errors import MeasureError
from evalstore.measures import NEEDS, Measure

STANDARD = "standard"
"""The set of measures that is stored where nothing else is said."""


def storable(measures: Iterable[Measure]) -> tuple[Measure, ...]:
    """The measures, each once, if an ingest can store them.

    It stores only measures of a run and a qrels. Values of the others would be out of date when the
    fact that they need or use (response times, judgments by subtopic, ...) is given or changed.

    Raises:
        MeasureError: a measure that uses more than a run and a qrels.
    """
    each = tuple(dict.fromkeys(measures))
    for measure in each:
        needs = sorted(measure.descriptor.facts)
        if needs:
            raise MeasureError(
                f"an ingest can't store {measure}, which uses {NEEDS[needs[0]]}",
                problem="measure of facts",
            )
    return each
