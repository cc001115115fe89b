"""A stored run joined with its judgments: what measures that are not stored are computed from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sqlalchemy import Connection

from evalstore.formats import Qrels, Run
from evalstore.matching import match
from evalstore.measures import Measure
from evalstore.measures.judged import Judged
from evalstore.store.evaluations import StoredEvaluation
from evalstore.store.facts import load_extras
from evalstore.store.rankings import load_run, no_rankings


def load_judged(
    connection: Connection,
    evaluation: StoredEvaluation,
    qrels: Qrels,
    measures: Iterable[Measure],
    run: Run | None = None,
) -> tuple[Run, Judged]:
    """The stored run of an evaluation, and its join with the judgments by the evaluation's rules.

    Args:
        connection: to the store.
        evaluation: of the run.
        qrels: its judgments, as `load_qrels` gives them.
        measures: what is to be computed: the facts that they need are loaded with it.
        run: the rankings, where they have been loaded.

    Raises:
        NoRankings: the run came as values.
    """
    measures = list(measures)
    if evaluation.run.values_only:
        raise no_rankings(evaluation.run, measures)
    run = run or load_run(connection, evaluation.run)
    extras = load_extras(connection, evaluation.collection_id, evaluation.run.id, measures)
    return run, match(run, qrels, compat=evaluation.compat, extras=extras)


def computed_together(measures: Mapping[str, Measure]) -> Iterator[list[str]]:
    """Measures that need no facts together; each of the others, which may lack some, alone."""
    plain = [name for name, measure in measures.items() if not measure.descriptor.needs]
    if plain:
        yield plain
    yield from ([name] for name in measures if name not in plain)
