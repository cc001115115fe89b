CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
)

CREATE TABLE document (
	collection_id INTEGER NOT NULL, 
	docno TEXT NOT NULL, 
	title TEXT, 
	packed BLOB, 
	CONSTRAINT pk_document PRIMARY KEY (collection_id, docno), 
	CONSTRAINT fk_document_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE
)

CREATE TABLE judgment (
	qrels_id INTEGER NOT NULL, 
	query_id INTEGER NOT NULL, 
	docno TEXT NOT NULL, 
	grade DOUBLE NOT NULL, 
	CONSTRAINT pk_judgment PRIMARY KEY (qrels_id, query_id, docno), 
	CONSTRAINT fk_judgment_qrels_id FOREIGN KEY(qrels_id) REFERENCES qrels (id) ON DELETE CASCADE, 
	CONSTRAINT fk_judgment_query_id FOREIGN KEY(query_id) REFERENCES "query" (id) ON DELETE CASCADE
)
 WITHOUT ROWID

CREATE TABLE aggregate (
	evaluation_id INTEGER NOT NULL, 
	measure_id INTEGER NOT NULL, 
	value DOUBLE NOT NULL, 
	spread DOUBLE, 
	queries INTEGER NOT NULL, 
	CONSTRAINT pk_aggregate PRIMARY KEY (evaluation_id, measure_id), 
	CONSTRAINT fk_aggregate_evaluation_id FOREIGN KEY(evaluation_id) REFERENCES evaluation (id) ON DELETE CASCADE, 
	CONSTRAINT fk_aggregate_measure_id FOREIGN KEY(measure_id) REFERENCES measure (id) ON DELETE CASCADE
)
 WITHOUT ROWID

CREATE INDEX ix_aggregate_measure_id ON aggregate (measure_id)

CREATE TABLE "collection" (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	name TEXT NOT NULL, 
	documents BIGINT, 
	created_at DATETIME NOT NULL, 
	deleted_at DATETIME, access TEXT DEFAULT 'store' NOT NULL, measures TEXT, mappings JSON, grade_labels JSON, document_link TEXT, guidelines TEXT, 
	CONSTRAINT uq_collection_name UNIQUE (name)
)

CREATE TABLE "query" (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	collection_id INTEGER NOT NULL, 
	qid TEXT NOT NULL, 
	text TEXT, 
	CONSTRAINT fk_query_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE, 
	CONSTRAINT uq_query_collection_id_qid UNIQUE (collection_id, qid)
)

CREATE TABLE "experiment" (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	name TEXT NOT NULL, 
	created_at DATETIME NOT NULL, question TEXT, conclusion TEXT, 
	CONSTRAINT uq_experiment_name UNIQUE (name)
)

CREATE TABLE "engine" (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	name TEXT NOT NULL, 
	CONSTRAINT uq_engine_name UNIQUE (name)
)

CREATE TABLE "measure" (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	name TEXT NOT NULL, 
	family TEXT NOT NULL, 
	direction SMALLINT NOT NULL, 
	aggregate TEXT NOT NULL, 
	CONSTRAINT uq_measure_name UNIQUE (name)
)

CREATE TABLE "event" (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	at DATETIME NOT NULL, 
	who TEXT NOT NULL, 
	action TEXT NOT NULL, 
	collection TEXT, 
	subject TEXT NOT NULL, 
	details JSON
, collection_id INTEGER)

CREATE TABLE subtopic_judgment (
	collection_id INTEGER NOT NULL, 
	query_id INTEGER NOT NULL, 
	docno TEXT NOT NULL, 
	subtopic TEXT NOT NULL, 
	grade DOUBLE NOT NULL, 
	CONSTRAINT pk_subtopic_judgment PRIMARY KEY (collection_id, query_id, docno, subtopic), 
	CONSTRAINT fk_subtopic_judgment_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE, 
	CONSTRAINT fk_subtopic_judgment_query_id FOREIGN KEY(query_id) REFERENCES "query" (id) ON DELETE CASCADE
)
 WITHOUT ROWID

CREATE TABLE known_document (
	collection_id INTEGER NOT NULL, 
	query_id INTEGER NOT NULL, 
	docno TEXT NOT NULL, 
	CONSTRAINT pk_known_document PRIMARY KEY (collection_id, query_id, docno), 
	CONSTRAINT fk_known_document_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE, 
	CONSTRAINT fk_known_document_query_id FOREIGN KEY(query_id) REFERENCES "query" (id) ON DELETE CASCADE
)
 WITHOUT ROWID

CREATE TABLE response_time (
	run_id INTEGER NOT NULL, 
	query_id INTEGER NOT NULL, 
	milliseconds DOUBLE NOT NULL, 
	CONSTRAINT pk_response_time PRIMARY KEY (run_id, query_id), 
	CONSTRAINT fk_response_time_run_id FOREIGN KEY(run_id) REFERENCES run (id) ON DELETE CASCADE, 
	CONSTRAINT fk_response_time_query_id FOREIGN KEY(query_id) REFERENCES "query" (id) ON DELETE CASCADE
)
 WITHOUT ROWID

CREATE TABLE query_attribute (
	query_id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	value TEXT NOT NULL, 
	CONSTRAINT pk_query_attribute PRIMARY KEY (query_id, name), 
	CONSTRAINT fk_query_attribute_query_id FOREIGN KEY(query_id) REFERENCES "query" (id) ON DELETE CASCADE
)
 WITHOUT ROWID

CREATE TABLE group_judgment (
	collection_id INTEGER NOT NULL, 
	query_id INTEGER NOT NULL, 
	docno TEXT NOT NULL, 
	judgment_group TEXT NOT NULL, 
	grade DOUBLE NOT NULL, 
	CONSTRAINT pk_group_judgment PRIMARY KEY (collection_id, query_id, docno, judgment_group), 
	CONSTRAINT fk_group_judgment_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE, 
	CONSTRAINT fk_group_judgment_query_id FOREIGN KEY(query_id) REFERENCES "query" (id) ON DELETE CASCADE
)
 WITHOUT ROWID

CREATE TABLE preference_judgment (
	collection_id INTEGER NOT NULL, 
	query_id INTEGER NOT NULL, 
	judgment_group TEXT NOT NULL, 
	subgroup TEXT NOT NULL, 
	docno TEXT NOT NULL, 
	level DOUBLE NOT NULL, 
	CONSTRAINT pk_preference_judgment PRIMARY KEY (collection_id, query_id, judgment_group, subgroup, docno), 
	CONSTRAINT fk_preference_judgment_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE, 
	CONSTRAINT fk_preference_judgment_query_id FOREIGN KEY(query_id) REFERENCES "query" (id) ON DELETE CASCADE
)
 WITHOUT ROWID

CREATE TABLE saved_leaderboard (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	qrels_id INTEGER NOT NULL, 
	measure_id INTEGER NOT NULL, 
	runs INTEGER NOT NULL, 
	test TEXT NOT NULL, 
	alpha DOUBLE NOT NULL, 
	created_at DATETIME NOT NULL, family TEXT DEFAULT '' NOT NULL, 
	CONSTRAINT fk_saved_leaderboard_qrels_id FOREIGN KEY(qrels_id) REFERENCES qrels (id) ON DELETE CASCADE, 
	CONSTRAINT fk_saved_leaderboard_measure_id FOREIGN KEY(measure_id) REFERENCES measure (id) ON DELETE CASCADE, 
	CONSTRAINT uq_saved_leaderboard_qrels_id_measure_id UNIQUE (qrels_id, measure_id)
)

CREATE INDEX ix_saved_leaderboard_measure_id ON saved_leaderboard (measure_id)

CREATE TABLE run_parent (
	run_id INTEGER NOT NULL, 
	parent_id INTEGER NOT NULL, 
	CONSTRAINT pk_run_parent PRIMARY KEY (run_id), 
	CONSTRAINT fk_run_parent_run_id FOREIGN KEY(run_id) REFERENCES run (id) ON DELETE CASCADE, 
	CONSTRAINT fk_run_parent_parent_id FOREIGN KEY(parent_id) REFERENCES run (id) ON DELETE CASCADE
)

CREATE INDEX ix_run_parent_parent_id ON run_parent (parent_id)

CREATE TABLE baseline (
	collection_id INTEGER NOT NULL, 
	run_id INTEGER NOT NULL, 
	CONSTRAINT pk_baseline PRIMARY KEY (collection_id), 
	CONSTRAINT fk_baseline_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE, 
	CONSTRAINT fk_baseline_run_id FOREIGN KEY(run_id) REFERENCES run (id) ON DELETE CASCADE
)

CREATE INDEX ix_baseline_run_id ON baseline (run_id)

CREATE TABLE engine_slot (
	collection_id INTEGER NOT NULL, 
	engine_id INTEGER NOT NULL, 
	slot INTEGER NOT NULL, 
	CONSTRAINT pk_engine_slot PRIMARY KEY (collection_id, engine_id), 
	CONSTRAINT fk_engine_slot_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE, 
	CONSTRAINT fk_engine_slot_engine_id FOREIGN KEY(engine_id) REFERENCES engine (id) ON DELETE CASCADE, 
	CONSTRAINT uq_engine_slot_collection_id_slot UNIQUE (collection_id, slot)
)

CREATE INDEX ix_engine_slot_engine_id ON engine_slot (engine_id)

CREATE TABLE saved_view (
	"key" TEXT NOT NULL, 
	address TEXT NOT NULL, 
	created_at DATETIME NOT NULL, collection_id INTEGER, name TEXT, who TEXT, 
	CONSTRAINT pk_saved_view PRIMARY KEY ("key")
)

CREATE INDEX ix_event_collection_id ON event (collection_id)

CREATE INDEX ix_saved_view_collection_id ON saved_view (collection_id)

CREATE TABLE run_file (
	run_id INTEGER NOT NULL, 
	path_hash TEXT NOT NULL, 
	size BIGINT NOT NULL, 
	version TEXT, 
	bytes_hash TEXT NOT NULL, 
	reading TEXT NOT NULL, 
	CONSTRAINT pk_run_file PRIMARY KEY (run_id, path_hash), 
	CONSTRAINT fk_run_file_run_id FOREIGN KEY(run_id) REFERENCES run (id) ON DELETE CASCADE
)
 WITHOUT ROWID

CREATE TABLE server_account (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	name TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	password_hash TEXT, 
	disabled BOOLEAN DEFAULT 0 NOT NULL, 
	created_at DATETIME NOT NULL, 
	last_login_at DATETIME, 
	CONSTRAINT uq_server_account_name UNIQUE (name)
)

CREATE TABLE server_login_attempt (
	name_hash TEXT NOT NULL, 
	address TEXT NOT NULL, 
	failures INTEGER NOT NULL, 
	locked_until DATETIME NOT NULL, 
	CONSTRAINT pk_server_login_attempt PRIMARY KEY (name_hash, address)
)

CREATE TABLE server_setting (
	name TEXT NOT NULL, 
	value TEXT NOT NULL, 
	CONSTRAINT pk_server_setting PRIMARY KEY (name)
)

CREATE TABLE server_identity (
	issuer TEXT NOT NULL, 
	subject TEXT NOT NULL, 
	account_id INTEGER NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT pk_server_identity PRIMARY KEY (issuer, subject), 
	CONSTRAINT fk_server_identity_account_id FOREIGN KEY(account_id) REFERENCES server_account (id) ON DELETE CASCADE
)

CREATE INDEX ix_server_identity_account_id ON server_identity (account_id)

CREATE TABLE server_invitation (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	hash TEXT NOT NULL, 
	name TEXT, 
	collection_id INTEGER, 
	role TEXT NOT NULL, 
	who TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	expires_at DATETIME NOT NULL, 
	used_at DATETIME, 
	CONSTRAINT fk_server_invitation_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE, 
	CONSTRAINT uq_server_invitation_hash UNIQUE (hash)
)

CREATE INDEX ix_server_invitation_collection_id ON server_invitation (collection_id)

CREATE TABLE server_job (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	kind TEXT NOT NULL, 
	collection_id INTEGER, 
	who TEXT NOT NULL, 
	payload JSON NOT NULL, 
	request_hash TEXT NOT NULL, 
	state TEXT NOT NULL, 
	attempts INTEGER NOT NULL, 
	created_at DATETIME NOT NULL, 
	lease_until DATETIME, 
	heartbeat_at DATETIME, 
	ended_at DATETIME, 
	not_before DATETIME, 
	result JSON, 
	error TEXT, 
	CONSTRAINT fk_server_job_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE
)

CREATE INDEX ix_server_job_collection_id ON server_job (collection_id)

CREATE INDEX ix_server_job_state_lease_until ON server_job (state, lease_until)

CREATE INDEX ix_server_job_collection_id_request_hash ON server_job (collection_id, request_hash)

CREATE TABLE server_role (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	account_id INTEGER NOT NULL, 
	collection_id INTEGER, 
	role TEXT NOT NULL, 
	from_groups BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT fk_server_role_account_id FOREIGN KEY(account_id) REFERENCES server_account (id) ON DELETE CASCADE, 
	CONSTRAINT fk_server_role_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE, 
	CONSTRAINT uq_server_role_account_id_collection_id_from_groups UNIQUE (account_id, collection_id, from_groups)
)

CREATE INDEX ix_server_role_collection_id ON server_role (collection_id)

CREATE UNIQUE INDEX uq_server_role_store ON server_role (account_id, from_groups) WHERE collection_id IS NULL

CREATE TABLE server_session (
	hash TEXT NOT NULL, 
	account_id INTEGER NOT NULL, 
	created_at DATETIME NOT NULL, 
	last_seen_at DATETIME NOT NULL, 
	expires_at DATETIME NOT NULL, 
	agent TEXT NOT NULL, 
	CONSTRAINT pk_server_session PRIMARY KEY (hash), 
	CONSTRAINT fk_server_session_account_id FOREIGN KEY(account_id) REFERENCES server_account (id) ON DELETE CASCADE
)

CREATE INDEX ix_server_session_account_id ON server_session (account_id)

CREATE TABLE server_token (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	name TEXT NOT NULL, 
	hash TEXT NOT NULL, 
	prefix TEXT NOT NULL, 
	account_id INTEGER NOT NULL, 
	collection_id INTEGER, 
	scope TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	expires_at DATETIME, 
	last_used_at DATETIME, 
	revoked_at DATETIME, 
	CONSTRAINT fk_server_token_account_id FOREIGN KEY(account_id) REFERENCES server_account (id) ON DELETE CASCADE, 
	CONSTRAINT fk_server_token_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE, 
	CONSTRAINT uq_server_token_hash UNIQUE (hash)
)

CREATE INDEX ix_server_token_account_id ON server_token (account_id)

CREATE INDEX ix_server_token_collection_id ON server_token (collection_id)

CREATE UNIQUE INDEX uq_server_token_name ON server_token (name) WHERE revoked_at IS NULL

CREATE TABLE server_upload (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	collection_id INTEGER NOT NULL, 
	sha256 TEXT NOT NULL, 
	size BIGINT NOT NULL, 
	received BIGINT NOT NULL, 
	who TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	received_at DATETIME NOT NULL, 
	CONSTRAINT fk_server_upload_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE, 
	CONSTRAINT uq_server_upload_collection_id_sha256 UNIQUE (collection_id, sha256)
)

CREATE TABLE server_webhook (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	url TEXT NOT NULL, 
	collection_id INTEGER, 
	tells_of TEXT NOT NULL, 
	secret TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	event_id INTEGER NOT NULL, 
	last_at DATETIME, 
	last_result TEXT, 
	CONSTRAINT fk_server_webhook_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE
)

CREATE INDEX ix_server_webhook_collection_id ON server_webhook (collection_id)

CREATE TABLE experiment_about (
	id INTEGER NOT NULL, 
	experiment_id INTEGER NOT NULL, 
	collection_id INTEGER, 
	CONSTRAINT pk_experiment_about PRIMARY KEY (id), 
	CONSTRAINT fk_experiment_about_experiment_id FOREIGN KEY(experiment_id) REFERENCES experiment (id) ON DELETE CASCADE, 
	CONSTRAINT fk_experiment_about_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE SET NULL
)

CREATE INDEX ix_experiment_about_experiment_id ON experiment_about (experiment_id)

CREATE INDEX ix_experiment_about_collection_id ON experiment_about (collection_id)

CREATE TABLE "retrieved" (
	content_id INTEGER NOT NULL,
	query_id INTEGER NOT NULL,
	rank INTEGER NOT NULL,
	docno TEXT NOT NULL,
	score DOUBLE NOT NULL,
	CONSTRAINT pk_retrieved PRIMARY KEY (content_id, query_id, rank)
)
 WITHOUT ROWID

CREATE TABLE "hit" (
	evaluation_id INTEGER NOT NULL,
	query_id INTEGER NOT NULL,
	rank INTEGER NOT NULL,
	docno TEXT NOT NULL,
	grade DOUBLE NOT NULL,
	score DOUBLE NOT NULL,
	CONSTRAINT pk_hit PRIMARY KEY (evaluation_id, query_id, rank)
)
 WITHOUT ROWID

CREATE TABLE "measurement" (
	evaluation_id INTEGER NOT NULL,
	measure_id INTEGER NOT NULL,
	query_id INTEGER NOT NULL,
	value DOUBLE NOT NULL,
	CONSTRAINT pk_measurement PRIMARY KEY (evaluation_id, measure_id, query_id)
)
 WITHOUT ROWID

CREATE TABLE content (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	collection_id INTEGER NOT NULL, 
	content_hash TEXT NOT NULL, 
	CONSTRAINT fk_content_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE, 
	CONSTRAINT uq_content_collection_id_content_hash UNIQUE (collection_id, content_hash)
)

CREATE TABLE "run" (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	collection_id INTEGER NOT NULL, 
	engine_id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	tag TEXT NOT NULL, 
	queries INTEGER NOT NULL, 
	retrieved BIGINT NOT NULL, 
	parameters JSON, 
	tags JSON, 
	"commit" TEXT, 
	created_at DATETIME NOT NULL, 
	deleted_at DATETIME, 
	index_bytes BIGINT, 
	note TEXT, 
	commit_dirty BOOLEAN, 
	host TEXT, 
	started_by TEXT, 
	started_at DATETIME, 
	ended_at DATETIME, 
	command TEXT, 
	index_version TEXT, 
	collection_version TEXT, 
	header JSON, 
	memory_bytes BIGINT, 
	money DOUBLE, 
	currency TEXT, 
	energy_joules DOUBLE, 
	values_only BOOLEAN DEFAULT 0 NOT NULL, 
	experiment TEXT, 
	content_id INTEGER NOT NULL, 
	CONSTRAINT uq_run_collection_id_name UNIQUE (collection_id, name), 
	CONSTRAINT fk_run_engine_id FOREIGN KEY(engine_id) REFERENCES engine (id) ON DELETE CASCADE, 
	CONSTRAINT fk_run_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE, 
	CONSTRAINT fk_run_content_id FOREIGN KEY(content_id) REFERENCES content (id) ON DELETE CASCADE
)

CREATE INDEX ix_run_experiment ON run (experiment)

CREATE INDEX ix_run_engine_id ON run (engine_id)

CREATE INDEX ix_run_content_id ON run (content_id)

CREATE TABLE "ranking" (
	content_id INTEGER NOT NULL, 
	query_id INTEGER NOT NULL, 
	retrieved INTEGER NOT NULL, 
	packed BLOB NOT NULL, 
	CONSTRAINT pk_ranking PRIMARY KEY (content_id, query_id), 
	CONSTRAINT fk_ranking_query_id FOREIGN KEY(query_id) REFERENCES "query" (id) ON DELETE CASCADE, 
	CONSTRAINT fk_ranking_content_id FOREIGN KEY(content_id) REFERENCES content (id) ON DELETE CASCADE
)

CREATE TABLE "evaluation" (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	content_id INTEGER NOT NULL, 
	qrels_id INTEGER NOT NULL, 
	evaluator TEXT NOT NULL, 
	compat TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	CONSTRAINT fk_evaluation_qrels_id FOREIGN KEY(qrels_id) REFERENCES qrels (id) ON DELETE CASCADE, 
	CONSTRAINT fk_evaluation_content_id FOREIGN KEY(content_id) REFERENCES content (id) ON DELETE CASCADE, 
	CONSTRAINT uq_evaluation_content_id_qrels_id UNIQUE (content_id, qrels_id)
)

CREATE INDEX ix_evaluation_qrels_id ON evaluation (qrels_id)

CREATE TRIGGER delete_retrieved_of_content AFTER DELETE ON "content"
BEGIN
    DELETE FROM retrieved WHERE content_id = OLD.id;
END

CREATE TRIGGER check_changed_retrieved_content_id BEFORE UPDATE OF content_id ON retrieved
WHEN NOT EXISTS (SELECT 1 FROM "content" WHERE id = NEW.content_id)
BEGIN
    SELECT RAISE(ABORT, 'a row of "retrieved" belongs to no content');
END

CREATE TABLE saved_rank (
	saved_leaderboard_id INTEGER NOT NULL,
	run_id INTEGER NOT NULL,
	rank INTEGER NOT NULL,
	rank_low INTEGER NOT NULL,
	rank_high INTEGER NOT NULL,
	rank_group TEXT NOT NULL,
	low DOUBLE,
	high DOUBLE,
	judged_top_10 DOUBLE,
	verdict TEXT, reason TEXT, sentence TEXT, bounds_low DOUBLE, bounds_high DOUBLE,
	CONSTRAINT pk_saved_rank PRIMARY KEY (saved_leaderboard_id, run_id),
	CONSTRAINT fk_saved_rank_saved_leaderboard_id FOREIGN KEY(saved_leaderboard_id)
		REFERENCES saved_leaderboard (id) ON DELETE CASCADE,
	CONSTRAINT fk_saved_rank_run_id FOREIGN KEY(run_id) REFERENCES run (id) ON DELETE CASCADE
)
 WITHOUT ROWID

CREATE INDEX ix_saved_rank_run_id ON saved_rank (run_id)

CREATE TABLE comment (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	collection_id INTEGER NOT NULL, 
	run_id INTEGER, 
	query_id INTEGER, 
	who TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	text TEXT NOT NULL, 
	CONSTRAINT fk_comment_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE, 
	CONSTRAINT fk_comment_run_id FOREIGN KEY(run_id) REFERENCES run (id) ON DELETE CASCADE, 
	CONSTRAINT fk_comment_query_id FOREIGN KEY(query_id) REFERENCES "query" (id) ON DELETE CASCADE
)

CREATE INDEX ix_comment_collection_id ON comment (collection_id)

CREATE INDEX ix_comment_run_id ON comment (run_id)

CREATE INDEX ix_comment_query_id ON comment (query_id)

CREATE TABLE "qrels" (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	collection_id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	content_hash TEXT NOT NULL, 
	queries INTEGER NOT NULL, 
	judgments BIGINT NOT NULL, 
	relevant BIGINT NOT NULL, 
	highest_grade DOUBLE NOT NULL, 
	created_at DATETIME NOT NULL, 
	is_default BOOLEAN DEFAULT 0 NOT NULL, 
	deleted_at DATETIME, 
	parent_id INTEGER, 
	who TEXT, 
	reason TEXT, 
	rule TEXT, 
	origin JSON, 
	CONSTRAINT fk_qrels_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE, 
	CONSTRAINT uq_qrels_collection_id_name UNIQUE (collection_id, name), 
	CONSTRAINT uq_qrels_collection_id_content_hash UNIQUE (collection_id, content_hash), 
	CONSTRAINT fk_qrels_parent_id FOREIGN KEY(parent_id) REFERENCES qrels (id) ON DELETE SET NULL
)

CREATE UNIQUE INDEX uq_qrels_default ON qrels (collection_id) WHERE is_default

CREATE VIEW leaderboard AS
SELECT collection.name AS collection,
       qrels.name AS qrels,
       run.experiment AS experiment,
       engine.name AS engine,
       run.name AS run,
       measure.name AS measure,
       aggregate.value AS value,
       aggregate.queries AS queries,
       aggregate.spread AS spread
FROM aggregate
JOIN evaluation ON evaluation.id = aggregate.evaluation_id
JOIN measure ON measure.id = aggregate.measure_id
JOIN qrels ON qrels.id = evaluation.qrels_id
JOIN run ON run.content_id = evaluation.content_id
JOIN engine ON engine.id = run.engine_id
JOIN collection ON collection.id = run.collection_id
WHERE run.deleted_at IS NULL
  AND qrels.deleted_at IS NULL
  AND collection.deleted_at IS NULL

CREATE VIEW query_values AS
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
JOIN run ON run.content_id = evaluation.content_id
JOIN engine ON engine.id = run.engine_id
JOIN collection ON collection.id = run.collection_id
WHERE run.deleted_at IS NULL
  AND qrels.deleted_at IS NULL
  AND collection.deleted_at IS NULL

CREATE VIEW judgments AS
SELECT collection.name AS collection,
       qrels.name AS qrels,
       query.qid AS qid,
       query.text AS query,
       judgment.docno AS docno,
       judgment.grade AS grade
FROM judgment
JOIN qrels ON qrels.id = judgment.qrels_id
JOIN query ON query.id = judgment.query_id
JOIN collection ON collection.id = qrels.collection_id
WHERE qrels.deleted_at IS NULL
  AND collection.deleted_at IS NULL

CREATE VIEW retrieved_docs AS
SELECT collection.name AS collection,
       qrels.name AS qrels,
       engine.name AS engine,
       run.name AS run,
       query.qid AS qid,
       query.text AS query,
       retrieved.rank AS rank,
       retrieved.docno AS docno,
       retrieved.score AS score,
       judgment.grade AS grade
FROM evaluation
JOIN qrels ON qrels.id = evaluation.qrels_id
JOIN run ON run.content_id = evaluation.content_id
JOIN engine ON engine.id = run.engine_id
JOIN collection ON collection.id = run.collection_id
JOIN retrieved ON retrieved.content_id = evaluation.content_id
JOIN query ON query.id = retrieved.query_id
LEFT JOIN judgment ON judgment.qrels_id = evaluation.qrels_id
    AND judgment.query_id = retrieved.query_id
    AND judgment.docno = retrieved.docno
WHERE run.deleted_at IS NULL
  AND qrels.deleted_at IS NULL
  AND collection.deleted_at IS NULL

CREATE VIEW relevant_found AS
SELECT collection.name AS collection,
       qrels.name AS qrels,
       engine.name AS engine,
       run.name AS run,
       query.qid AS qid,
       query.text AS query,
       hit.rank AS rank,
       hit.docno AS docno,
       hit.grade AS grade,
       hit.score AS score
FROM hit
JOIN evaluation ON evaluation.id = hit.evaluation_id
JOIN query ON query.id = hit.query_id
JOIN qrels ON qrels.id = evaluation.qrels_id
JOIN run ON run.content_id = evaluation.content_id
JOIN engine ON engine.id = run.engine_id
JOIN collection ON collection.id = run.collection_id
WHERE run.deleted_at IS NULL
  AND qrels.deleted_at IS NULL
  AND collection.deleted_at IS NULL

CREATE VIEW query_attributes AS
SELECT collection.name AS collection,
       query.qid AS qid,
       query_attribute.name AS name,
       query_attribute.value AS value
FROM query_attribute
JOIN query ON query.id = query_attribute.query_id
JOIN collection ON collection.id = query.collection_id
WHERE collection.deleted_at IS NULL

CREATE VIEW engine_history AS
SELECT collection.name AS collection,
       qrels.name AS qrels,
       engine.name AS engine,
       run.name AS run,
       coalesce(run.started_at, run.created_at) AS at,
       measure.name AS measure,
       aggregate.value AS value,
       lag(aggregate.value) OVER in_time AS previous,
       aggregate.value - lag(aggregate.value) OVER in_time AS difference
FROM aggregate
JOIN evaluation ON evaluation.id = aggregate.evaluation_id
JOIN measure ON measure.id = aggregate.measure_id
JOIN qrels ON qrels.id = evaluation.qrels_id
JOIN run ON run.content_id = evaluation.content_id
JOIN engine ON engine.id = run.engine_id
JOIN collection ON collection.id = run.collection_id
WHERE run.deleted_at IS NULL
  AND qrels.deleted_at IS NULL
  AND collection.deleted_at IS NULL
WINDOW in_time AS (
  PARTITION BY collection.name, qrels.name, engine.name, measure.name
  ORDER BY coalesce(run.started_at, run.created_at), run.id
)

CREATE VIEW run_parameters AS
SELECT collection.name AS collection,
       engine.name AS engine,
       run.name AS run,
       parameter.name AS name,
       CASE
         WHEN parameter.type = 'text' THEN parameter.value
         ELSE rtrim(substr(parameter.rest, 1, instr(parameter.rest, ',') - 1), '}')
       END AS value
FROM (
    SELECT run.id AS run_id,
           entry.key AS name,
           entry.type AS type,
           entry.value AS value,
           substr(
             run.parameters,
             instr(run.parameters, '"' || entry.key || '": ') + length(entry.key) + 4
           ) || ',' AS rest
    FROM run
    JOIN json_each(run.parameters) AS entry
) AS parameter
JOIN run ON run.id = parameter.run_id
JOIN collection ON collection.id = run.collection_id
JOIN engine ON engine.id = run.engine_id
WHERE run.deleted_at IS NULL
  AND collection.deleted_at IS NULL

CREATE VIEW relevant_missed AS
SELECT collection.name AS collection,
       qrels.name AS qrels,
       engine.name AS engine,
       run.name AS run,
       query.qid AS qid,
       query.text AS query,
       judgment.docno AS docno,
       judgment.grade AS grade
FROM evaluation
JOIN qrels ON qrels.id = evaluation.qrels_id
JOIN run ON run.content_id = evaluation.content_id
JOIN engine ON engine.id = run.engine_id
JOIN collection ON collection.id = run.collection_id
JOIN judgment ON judgment.qrels_id = evaluation.qrels_id AND judgment.grade >= 1
JOIN query ON query.id = judgment.query_id
WHERE run.deleted_at IS NULL
  AND qrels.deleted_at IS NULL
  AND collection.deleted_at IS NULL
  AND NOT run.values_only
  AND NOT EXISTS (
    SELECT 1
    FROM hit
    WHERE hit.evaluation_id = evaluation.id
      AND hit.query_id = judgment.query_id
      AND hit.docno = judgment.docno
  )

CREATE VIEW runs_overview AS
SELECT run.id AS run_id,
       collection.name AS collection,
       run.experiment AS experiment,
       engine.name AS engine,
       run.name AS run,
       run.tag AS tag,
       run.queries AS queries_answered,
       CASE WHEN run.values_only THEN NULL ELSE run.retrieved END AS documents_retrieved,
       run.created_at AS ingested_at,
       (
         SELECT count(*)
         FROM evaluation
         JOIN qrels ON qrels.id = evaluation.qrels_id
         WHERE evaluation.content_id = run.content_id
           AND qrels.deleted_at IS NULL
       ) AS evaluations,
       run.values_only AS values_only
FROM run
JOIN collection ON collection.id = run.collection_id
JOIN engine ON engine.id = run.engine_id
WHERE run.deleted_at IS NULL
  AND collection.deleted_at IS NULL

CREATE VIEW rprec_differences AS
SELECT collection.name AS collection,
       qrels.name AS qrels,
       engine_a.name AS engine_a,
       run_a.name AS run_a,
       engine_b.name AS engine_b,
       run_b.name AS run_b,
       query.qid AS qid,
       query.text AS query,
       a.value AS value_a,
       b.value AS value_b,
       a.value - b.value AS difference
FROM evaluation AS evaluation_a
JOIN evaluation AS evaluation_b ON evaluation_b.qrels_id = evaluation_a.qrels_id
JOIN measure ON measure.name = 'Rprec'
JOIN measurement AS a ON a.evaluation_id = evaluation_a.id AND a.measure_id = measure.id
JOIN measurement AS b ON b.evaluation_id = evaluation_b.id AND b.measure_id = measure.id
    AND b.query_id = a.query_id
JOIN query ON query.id = a.query_id
JOIN qrels ON qrels.id = evaluation_a.qrels_id
JOIN collection ON collection.id = qrels.collection_id
JOIN run AS run_a ON run_a.content_id = evaluation_a.content_id AND run_a.deleted_at IS NULL
JOIN run AS run_b ON run_b.content_id = evaluation_b.content_id AND run_b.deleted_at IS NULL
    AND run_b.id <> run_a.id
JOIN engine AS engine_a ON engine_a.id = run_a.engine_id
JOIN engine AS engine_b ON engine_b.id = run_b.engine_id
WHERE qrels.deleted_at IS NULL
  AND collection.deleted_at IS NULL

CREATE VIEW leaderboard_ranks AS
SELECT collection.name AS collection,
       qrels.name AS qrels,
       engine.name AS engine,
       run.name AS run,
       measure.name AS measure,
       aggregate.value AS value,
       saved_rank.low AS low,
       saved_rank.high AS high,
       saved_rank.rank AS rank,
       saved_rank.rank_low AS rank_low,
       saved_rank.rank_high AS rank_high,
       saved_rank.rank_group AS rank_group,
       saved_rank.judged_top_10 AS judged_top_10,
       saved_leaderboard.runs AS runs,
       saved_leaderboard.test AS test,
       saved_leaderboard.alpha AS alpha,
       saved_rank.verdict AS verdict,
       saved_leaderboard.family AS family,
       saved_rank.reason AS reason,
       saved_rank.sentence AS sentence,
       saved_rank.bounds_low AS bounds_low,
       saved_rank.bounds_high AS bounds_high
FROM saved_leaderboard
JOIN saved_rank ON saved_rank.saved_leaderboard_id = saved_leaderboard.id
JOIN run ON run.id = saved_rank.run_id
JOIN evaluation ON evaluation.content_id = run.content_id
    AND evaluation.qrels_id = saved_leaderboard.qrels_id
JOIN aggregate ON aggregate.evaluation_id = evaluation.id
    AND aggregate.measure_id = saved_leaderboard.measure_id
JOIN measure ON measure.id = saved_leaderboard.measure_id
JOIN qrels ON qrels.id = evaluation.qrels_id
JOIN engine ON engine.id = run.engine_id
JOIN collection ON collection.id = run.collection_id
JOIN (
    SELECT saved_leaderboard.id AS id,
           count(*) AS runs,
           count(saved_rank.rank) AS ranked
    FROM saved_leaderboard
    JOIN evaluation ON evaluation.qrels_id = saved_leaderboard.qrels_id
    JOIN run ON run.content_id = evaluation.content_id AND run.deleted_at IS NULL
    LEFT JOIN saved_rank ON saved_rank.saved_leaderboard_id = saved_leaderboard.id
        AND saved_rank.run_id = run.id
    GROUP BY saved_leaderboard.id
) AS present ON present.id = saved_leaderboard.id
    AND present.runs = saved_leaderboard.runs
    AND present.ranked = saved_leaderboard.runs
WHERE run.deleted_at IS NULL
  AND qrels.deleted_at IS NULL
  AND collection.deleted_at IS NULL

CREATE TABLE judgment_origin (
	qrels_id INTEGER NOT NULL, 
	query_id INTEGER NOT NULL, 
	docno TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	name TEXT NOT NULL, 
	pool TEXT, 
	stratum TEXT, 
	probability DOUBLE, 
	judged_at DATETIME, 
	CONSTRAINT pk_judgment_origin PRIMARY KEY (qrels_id, query_id, docno), 
	CONSTRAINT fk_judgment_origin_qrels_id FOREIGN KEY(qrels_id) REFERENCES qrels (id) ON DELETE CASCADE, 
	CONSTRAINT fk_judgment_origin_query_id FOREIGN KEY(query_id) REFERENCES "query" (id) ON DELETE CASCADE
)
 WITHOUT ROWID

CREATE TABLE draft (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	collection_id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	parent_id INTEGER, 
	rule TEXT NOT NULL, 
	overlap INTEGER NOT NULL, 
	seed INTEGER NOT NULL, 
	pool TEXT, 
	who TEXT NOT NULL, 
	created_at DATETIME NOT NULL, 
	published_id INTEGER, 
	CONSTRAINT fk_draft_collection_id FOREIGN KEY(collection_id) REFERENCES collection (id) ON DELETE CASCADE, 
	CONSTRAINT fk_draft_parent_id FOREIGN KEY(parent_id) REFERENCES qrels (id) ON DELETE SET NULL, 
	CONSTRAINT fk_draft_published_id FOREIGN KEY(published_id) REFERENCES qrels (id) ON DELETE SET NULL, 
	CONSTRAINT uq_draft_collection_id_name UNIQUE (collection_id, name)
)

CREATE TABLE draft_document (
	draft_id INTEGER NOT NULL, 
	query_id INTEGER NOT NULL, 
	docno TEXT NOT NULL, 
	place INTEGER NOT NULL, 
	stratum TEXT, 
	probability DOUBLE, 
	assigned TEXT, 
	CONSTRAINT pk_draft_document PRIMARY KEY (draft_id, query_id, docno), 
	CONSTRAINT fk_draft_document_draft_id FOREIGN KEY(draft_id) REFERENCES draft (id) ON DELETE CASCADE, 
	CONSTRAINT fk_draft_document_query_id FOREIGN KEY(query_id) REFERENCES "query" (id) ON DELETE CASCADE
)
 WITHOUT ROWID

CREATE TABLE assessment (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	draft_id INTEGER NOT NULL, 
	query_id INTEGER NOT NULL, 
	docno TEXT NOT NULL, 
	assessor TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	state TEXT NOT NULL, 
	grade DOUBLE, 
	comment TEXT, 
	passage TEXT, 
	"key" TEXT NOT NULL, 
	judged_at DATETIME NOT NULL, 
	CONSTRAINT fk_assessment_draft_id FOREIGN KEY(draft_id) REFERENCES draft (id) ON DELETE CASCADE, 
	CONSTRAINT fk_assessment_query_id FOREIGN KEY(query_id) REFERENCES "query" (id) ON DELETE CASCADE, 
	CONSTRAINT uq_assessment_draft_id_key UNIQUE (draft_id, "key")
)

CREATE TABLE explanation (
	run_id INTEGER NOT NULL, 
	query_id INTEGER NOT NULL, 
	docno TEXT NOT NULL, 
	text TEXT NOT NULL, 
	CONSTRAINT pk_explanation PRIMARY KEY (run_id, query_id, docno), 
	CONSTRAINT fk_explanation_run_id FOREIGN KEY(run_id) REFERENCES run (id) ON DELETE CASCADE, 
	CONSTRAINT fk_explanation_query_id FOREIGN KEY(query_id) REFERENCES "query" (id) ON DELETE CASCADE
)
 WITHOUT ROWID

CREATE TRIGGER delete_retrieved_of_query AFTER DELETE ON "query"
BEGIN
    DELETE FROM retrieved WHERE query_id = OLD.id;
END

CREATE TRIGGER check_changed_retrieved_query_id BEFORE UPDATE OF query_id ON retrieved
WHEN NOT EXISTS (SELECT 1 FROM "query" WHERE id = NEW.query_id)
BEGIN
    SELECT RAISE(ABORT, 'a row of "retrieved" belongs to no query');
END

CREATE TRIGGER delete_hit_of_evaluation AFTER DELETE ON "evaluation"
BEGIN
    DELETE FROM hit WHERE evaluation_id = OLD.id;
END

CREATE TRIGGER check_changed_hit_evaluation_id BEFORE UPDATE OF evaluation_id ON hit
WHEN NOT EXISTS (SELECT 1 FROM "evaluation" WHERE id = NEW.evaluation_id)
BEGIN
    SELECT RAISE(ABORT, 'a row of "hit" belongs to no evaluation');
END

CREATE TRIGGER delete_hit_of_query AFTER DELETE ON "query"
BEGIN
    DELETE FROM hit WHERE query_id = OLD.id;
END

CREATE TRIGGER check_changed_hit_query_id BEFORE UPDATE OF query_id ON hit
WHEN NOT EXISTS (SELECT 1 FROM "query" WHERE id = NEW.query_id)
BEGIN
    SELECT RAISE(ABORT, 'a row of "hit" belongs to no query');
END

CREATE TRIGGER delete_measurement_of_evaluation AFTER DELETE ON "evaluation"
BEGIN
    DELETE FROM measurement WHERE evaluation_id = OLD.id;
END

CREATE TRIGGER check_changed_measurement_evaluation_id BEFORE UPDATE OF evaluation_id ON measurement
WHEN NOT EXISTS (SELECT 1 FROM "evaluation" WHERE id = NEW.evaluation_id)
BEGIN
    SELECT RAISE(ABORT, 'a row of "measurement" belongs to no evaluation');
END

CREATE TRIGGER delete_measurement_of_measure AFTER DELETE ON "measure"
BEGIN
    DELETE FROM measurement WHERE measure_id = OLD.id;
END

CREATE TRIGGER check_changed_measurement_measure_id BEFORE UPDATE OF measure_id ON measurement
WHEN NOT EXISTS (SELECT 1 FROM "measure" WHERE id = NEW.measure_id)
BEGIN
    SELECT RAISE(ABORT, 'a row of "measurement" belongs to no measure');
END

CREATE TRIGGER delete_measurement_of_query AFTER DELETE ON "query"
BEGIN
    DELETE FROM measurement WHERE query_id = OLD.id;
END

CREATE TRIGGER check_changed_measurement_query_id BEFORE UPDATE OF query_id ON measurement
WHEN NOT EXISTS (SELECT 1 FROM "query" WHERE id = NEW.query_id)
BEGIN
    SELECT RAISE(ABORT, 'a row of "measurement" belongs to no query');
END

INSERT INTO "alembic_version" VALUES('0016');
