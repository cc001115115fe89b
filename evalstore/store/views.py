"""The views: the store with names instead of ids. They are the contract for SQL users.

The text here is what the newest migration creates; a test compares them in a migrated database.
"""

from __future__ import annotations

LEADERBOARD = """
SELECT collection.name AS collection,
       qrels.name AS qrels,
       experiment.name AS experiment,
       engine.name AS engine,
       run.name AS run,
       measure.name AS measure,
       aggregate.value AS value,
       aggregate.queries AS queries
FROM aggregate
JOIN evaluation ON evaluation.id = aggregate.evaluation_id
JOIN measure ON measure.id = aggregate.measure_id
JOIN qrels ON qrels.id = evaluation.qrels_id
JOIN run ON run.id = evaluation.run_id
JOIN engine ON engine.id = run.engine_id
JOIN collection ON collection.id = run.collection_id
LEFT JOIN experiment ON experiment.id = run.experiment_id
WHERE run.deleted_at IS NULL
"""

QUERY_VALUES = """
SELECT collection.name AS collection,
       qrels.name AS qrels,
       engine.name AS engine,
       run.name AS run,
       query.qid AS qid,
       query.text AS query,
       measure.name AS measure,
       measurement.value AS value
FROM measurement
JOIN evaluation ON evaluation.id = measurement.evaluation_id
JOIN measure ON measure.id = measurement.measure_id
JOIN query ON query.id = measurement.query_id
JOIN qrels ON qrels.id = evaluation.qrels_id
JOIN run ON run.id = evaluation.run_id
JOIN engine ON engine.id = run.engine_id
JOIN collection ON collection.id = run.collection_id
WHERE run.deleted_at IS NULL
"""

VIEWS: dict[str, str] = {"leaderboard": LEADERBOARD, "query_values": QUERY_VALUES}
