-- The views of a store over its Parquet files, for DuckDB: the same names, the same columns.
-- Read it in the folder (duckdb -init views.sql), or say where the folder is before:
--     SET file_search_path = 'FOLDER';
-- Times are shown as UTC without a zone, as the store's own views show them on SQLite.

CREATE OR REPLACE VIEW parquet_runs AS
SELECT * FROM read_parquet('runs/*/*.parquet', hive_partitioning = false);

CREATE OR REPLACE VIEW parquet_queries AS
SELECT * FROM read_parquet('queries/*/*.parquet', hive_partitioning = false);

CREATE OR REPLACE VIEW parquet_evaluations AS
SELECT * FROM read_parquet('evaluations/*/*.parquet', hive_partitioning = false);

-- The files of rankings, hits and values have the name of the first run that has them
-- (content_of): runs with the same rankings share them.
CREATE OR REPLACE VIEW rankings AS
SELECT d.* REPLACE (r.run AS run)
FROM read_parquet('rankings/*/*/*.parquet', hive_partitioning = false) AS d
JOIN parquet_runs AS r ON r.collection = d.collection AND r.content_of = d.run;

CREATE OR REPLACE VIEW leaderboard AS
SELECT collection, qrels, experiment, engine, run, measure, value, queries, spread
FROM read_parquet('leaderboard/*/*.parquet', hive_partitioning = false);

CREATE OR REPLACE VIEW query_values AS
SELECT v.collection, v.qrels, r.engine, r.run, v.qid, q.query, v.measure, v.value
FROM read_parquet('values/*/*/*.parquet', hive_partitioning = false) AS v
JOIN parquet_runs AS r ON r.collection = v.collection AND r.content_of = v.run
JOIN parquet_queries AS q ON q.collection = v.collection AND q.qid = v.qid;

CREATE OR REPLACE VIEW judgments AS
SELECT j.collection, j.qrels, j.qid, q.query, j.docno, j.grade
FROM read_parquet('judgments/*/*/*.parquet', hive_partitioning = false) AS j
JOIN parquet_queries AS q ON q.collection = j.collection AND q.qid = j.qid;

-- All ranks; the store's view has the top of each list that it keeps as rows (kept_top).
CREATE OR REPLACE VIEW retrieved_docs AS
SELECT d.collection, e.qrels, r.engine, d.run, d.qid, q.query, d.rank, d.docno, d.score, j.grade
FROM rankings AS d
JOIN parquet_evaluations AS e ON e.collection = d.collection AND e.run = d.run
JOIN parquet_runs AS r ON r.collection = d.collection AND r.run = d.run
JOIN parquet_queries AS q ON q.collection = d.collection AND q.qid = d.qid
LEFT JOIN read_parquet('judgments/*/*/*.parquet', hive_partitioning = false) AS j
  ON j.collection = d.collection AND j.qrels = e.qrels AND j.qid = d.qid AND j.docno = d.docno;

CREATE OR REPLACE VIEW relevant_found AS
SELECT h.collection, h.qrels, r.engine, r.run, h.qid, q.query, h.rank, h.docno, h.grade, h.score
FROM read_parquet('hits/*/*/*.parquet', hive_partitioning = false) AS h
JOIN parquet_runs AS r ON r.collection = h.collection AND r.content_of = h.run
JOIN parquet_queries AS q ON q.collection = h.collection AND q.qid = h.qid;

CREATE OR REPLACE VIEW relevant_missed AS
SELECT e.collection, e.qrels, r.engine, e.run, j.qid, j.query, j.docno, j.grade
FROM parquet_evaluations AS e
JOIN parquet_runs AS r ON r.collection = e.collection AND r.run = e.run AND NOT r.values_only
JOIN judgments AS j ON j.collection = e.collection AND j.qrels = e.qrels AND j.grade >= 1
ANTI JOIN read_parquet('hits/*/*/*.parquet', hive_partitioning = false) AS h
  ON h.collection = e.collection AND h.qrels = e.qrels AND h.run = r.content_of
  AND h.qid = j.qid AND h.docno = j.docno;

CREATE OR REPLACE VIEW rprec_differences AS
SELECT a.collection, a.qrels, a.engine AS engine_a, a.run AS run_a,
       b.engine AS engine_b, b.run AS run_b, a.qid, a.query,
       a.value AS value_a, b.value AS value_b, a.value - b.value AS difference
FROM query_values AS a
JOIN query_values AS b
  ON b.collection = a.collection AND b.qrels = a.qrels AND b.measure = a.measure
  AND b.qid = a.qid AND b.run <> a.run
WHERE a.measure = 'Rprec';

CREATE OR REPLACE VIEW query_attributes AS
SELECT * FROM read_parquet('query_attributes/*/*.parquet', hive_partitioning = false);

CREATE OR REPLACE VIEW run_parameters AS
SELECT * FROM read_parquet('run_parameters/*/*.parquet', hive_partitioning = false);

CREATE OR REPLACE VIEW runs_overview AS
SELECT r.run_id, r.collection, r.experiment, r.engine, r.run, r.tag, r.queries_answered,
       r.documents_retrieved, r.ingested_at AT TIME ZONE 'UTC' AS ingested_at,
       (SELECT count(*) FROM parquet_evaluations AS e
        WHERE e.collection = r.collection AND e.run = r.run) AS evaluations,
       r.values_only
FROM parquet_runs AS r;

CREATE OR REPLACE VIEW leaderboard_ranks AS
SELECT * FROM read_parquet('leaderboard_ranks/*/*.parquet', hive_partitioning = false);

CREATE OR REPLACE VIEW engine_history AS
SELECT l.collection, l.qrels, l.engine, l.run,
       coalesce(r.started_at, r.ingested_at) AT TIME ZONE 'UTC' AS "at",
       l.measure, l.value,
       lag(l.value) OVER in_time AS previous,
       l.value - lag(l.value) OVER in_time AS difference
FROM leaderboard AS l
JOIN parquet_runs AS r ON r.collection = l.collection AND r.run = l.run
WINDOW in_time AS (
  PARTITION BY l.collection, l.qrels, l.engine, l.measure
  ORDER BY coalesce(r.started_at, r.ingested_at), r.run_id
);

-- The facts of a run, as the table of the store has them.
CREATE OR REPLACE VIEW run AS
SELECT * RENAME (run_id AS id, run AS name), ingested_at AT TIME ZONE 'UTC' AS created_at
FROM parquet_runs;
