CREATE FUNCTION check_added_hit_list() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO {schema}, pg_temp
    AS $$
BEGIN
    IF EXISTS (
        SELECT FROM (SELECT DISTINCT evaluation_id AS id FROM added) AS used
        WHERE NOT EXISTS (SELECT FROM evaluation WHERE evaluation.id = used.id)
    ) THEN
        RAISE foreign_key_violation
        USING MESSAGE = 'a row of "hit_list" belongs to no evaluation';
    END IF;
    IF EXISTS (
        SELECT FROM (SELECT DISTINCT query_id AS id FROM added) AS used
        WHERE NOT EXISTS (SELECT FROM query WHERE query.id = used.id)
    ) THEN
        RAISE foreign_key_violation
        USING MESSAGE = 'a row of "hit_list" belongs to no query';
    END IF;
    RETURN NULL;
END
$$;
CREATE FUNCTION check_added_retrieved_list() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO {schema}, pg_temp
    AS $$
BEGIN
    IF EXISTS (
        SELECT FROM (SELECT DISTINCT content_id AS id FROM added) AS used
        WHERE NOT EXISTS (SELECT FROM content WHERE content.id = used.id)
    ) THEN
        RAISE foreign_key_violation
        USING MESSAGE = 'a row of "retrieved_list" belongs to no content';
    END IF;
    IF EXISTS (
        SELECT FROM (SELECT DISTINCT query_id AS id FROM added) AS used
        WHERE NOT EXISTS (SELECT FROM query WHERE query.id = used.id)
    ) THEN
        RAISE foreign_key_violation
        USING MESSAGE = 'a row of "retrieved_list" belongs to no query';
    END IF;
    RETURN NULL;
END
$$;
CREATE FUNCTION check_added_value_list() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO {schema}, pg_temp
    AS $$
BEGIN
    IF EXISTS (
        SELECT FROM (SELECT DISTINCT unnest(query_ids) AS id FROM added) AS used
        WHERE NOT EXISTS (SELECT FROM query WHERE query.id = used.id)
    ) THEN
        RAISE foreign_key_violation
        USING MESSAGE = 'a row of "value_list" refers to a query that does not exist';
    END IF;
    RETURN NULL;
END
$$;
CREATE FUNCTION delete_hit_list_of_evaluation() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO {schema}, pg_temp
    AS $$
BEGIN
    DELETE FROM hit_list USING gone WHERE hit_list.evaluation_id = gone.id;
    RETURN NULL;
END
$$;
CREATE FUNCTION delete_hit_list_of_query() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO {schema}, pg_temp
    AS $$
BEGIN
    DELETE FROM hit_list USING gone WHERE hit_list.query_id = gone.id;
    RETURN NULL;
END
$$;
CREATE FUNCTION delete_retrieved_list_of_content() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO {schema}, pg_temp
    AS $$
BEGIN
    DELETE FROM retrieved_list USING gone WHERE retrieved_list.content_id = gone.id;
    RETURN NULL;
END
$$;
CREATE FUNCTION delete_retrieved_list_of_query() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO {schema}, pg_temp
    AS $$
BEGIN
    DELETE FROM retrieved_list USING gone WHERE retrieved_list.query_id = gone.id;
    RETURN NULL;
END
$$;
CREATE TABLE aggregate (
    evaluation_id integer NOT NULL,
    measure_id integer NOT NULL,
    value double precision NOT NULL,
    spread double precision,
    queries integer NOT NULL
);
COMMENT ON TABLE aggregate IS 'The one figure of a measure for all queries.';
COMMENT ON COLUMN aggregate.evaluation_id IS 'the evaluation';
COMMENT ON COLUMN aggregate.measure_id IS 'the measure';
COMMENT ON COLUMN aggregate.value IS 'unrounded; the mean, or the measure''s own';
COMMENT ON COLUMN aggregate.spread IS 'standard deviation over the queries; null for fewer than two';
COMMENT ON COLUMN aggregate.queries IS 'how many queries it is over';
CREATE TABLE alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE assessment (
    id integer NOT NULL,
    draft_id integer NOT NULL,
    query_id integer NOT NULL,
    docno text NOT NULL COLLATE pg_catalog."C",
    assessor text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    grade double precision,
    comment text COLLATE pg_catalog."C",
    passage text COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    judged_at timestamp with time zone NOT NULL
);
COMMENT ON TABLE assessment IS 'What somebody said of a document; the newest row of each assessor counts.';
COMMENT ON COLUMN assessment.id IS 'made by the database';
COMMENT ON COLUMN assessment.draft_id IS 'the draft';
COMMENT ON COLUMN assessment.query_id IS 'the query';
COMMENT ON COLUMN assessment.docno IS 'the document';
COMMENT ON COLUMN assessment.assessor IS 'who says it';
COMMENT ON COLUMN assessment.kind IS 'person, model or adjudicator';
COMMENT ON COLUMN assessment.state IS 'graded, cannot_tell, later or undone';
COMMENT ON COLUMN assessment.grade IS 'null unless it is graded';
COMMENT ON COLUMN assessment.comment IS 'what else they say, in Markdown';
COMMENT ON COLUMN assessment.passage IS 'the part of the text that decided';
COMMENT ON COLUMN assessment.key IS 'given by the sender: what is sent twice is stored once';
COMMENT ON COLUMN assessment.judged_at IS 'when it was received';
CREATE SEQUENCE assessment_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE assessment_id_seq OWNED BY assessment.id;
CREATE TABLE baseline (
    collection_id integer NOT NULL,
    run_id integer NOT NULL
);
COMMENT ON TABLE baseline IS 'The run that the others of a collection are compared with unless told otherwise.';
COMMENT ON COLUMN baseline.collection_id IS 'the collection';
COMMENT ON COLUMN baseline.run_id IS 'the run';
CREATE TABLE collection (
    id integer NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    documents bigint,
    created_at timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone,
    access text DEFAULT 'store'::text NOT NULL COLLATE pg_catalog."C",
    measures text COLLATE pg_catalog."C",
    mappings json,
    grade_labels json,
    document_link text COLLATE pg_catalog."C",
    guidelines text COLLATE pg_catalog."C"
);
COMMENT ON TABLE collection IS 'A test collection: documents, queries and what was judged.';
COMMENT ON COLUMN collection.id IS 'made by the database';
COMMENT ON COLUMN collection.name IS 'unique in the store';
COMMENT ON COLUMN collection.documents IS 'how many documents it has; null where that was not said';
COMMENT ON COLUMN collection.created_at IS 'when it was first named';
COMMENT ON COLUMN collection.deleted_at IS 'when it was marked as removed; null for collections that count';
COMMENT ON COLUMN collection.access IS 'who reads it on the team''s server: store (who reads the store), private (only who has a role in it) or public (everyone)';
COMMENT ON COLUMN collection.measures IS 'the measures that an ingest stores: a set, or names with commas between; null for the set standard';
COMMENT ON COLUMN collection.mappings IS 'how files of other programs are read: the paths of fields by a name';
COMMENT ON COLUMN collection.grade_labels IS 'the names of the grades for those who judge, by grade as text';
COMMENT ON COLUMN collection.document_link IS 'the address of a document''s text, with {docno} in it';
COMMENT ON COLUMN collection.guidelines IS 'how to judge, in Markdown';
CREATE SEQUENCE collection_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE collection_id_seq OWNED BY collection.id;
CREATE TABLE comment (
    id integer NOT NULL,
    collection_id integer NOT NULL,
    run_id integer,
    query_id integer,
    who text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    text text NOT NULL COLLATE pg_catalog."C"
);
COMMENT ON TABLE comment IS 'A comment of a person on a run or on a query.';
COMMENT ON COLUMN comment.id IS 'made by the database';
COMMENT ON COLUMN comment.collection_id IS 'the collection of the run or query';
COMMENT ON COLUMN comment.run_id IS 'the run; null for a comment on a query';
COMMENT ON COLUMN comment.query_id IS 'the query; null for a comment on a run';
COMMENT ON COLUMN comment.who IS 'who wrote it, as in `event`';
COMMENT ON COLUMN comment.created_at IS 'when it was written';
COMMENT ON COLUMN comment.text IS 'what it says, in Markdown';
CREATE SEQUENCE comment_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE comment_id_seq OWNED BY comment.id;
CREATE TABLE content (
    id integer NOT NULL,
    collection_id integer NOT NULL,
    content_hash text NOT NULL COLLATE pg_catalog."C"
);
COMMENT ON TABLE content IS 'The rankings (or the values) of runs: stored once for all runs that have the same.';
COMMENT ON COLUMN content.id IS 'made by the database';
COMMENT ON COLUMN content.collection_id IS 'the collection';
COMMENT ON COLUMN content.content_hash IS 'SHA-256 of the rankings, or of the values';
CREATE SEQUENCE content_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE content_id_seq OWNED BY content.id;
CREATE TABLE document (
    collection_id integer NOT NULL,
    docno text NOT NULL COLLATE pg_catalog."C",
    title text COLLATE pg_catalog."C",
    packed bytea
);
COMMENT ON TABLE document IS 'The text of a document, optional: for reading a ranking.';
COMMENT ON COLUMN document.collection_id IS 'the collection';
COMMENT ON COLUMN document.docno IS 'its id, as text';
COMMENT ON COLUMN document.title IS 'its title';
COMMENT ON COLUMN document.packed IS 'its words: a byte 0 and UTF-8, or a byte 1 and a zlib stream of UTF-8';
CREATE TABLE draft (
    id integer NOT NULL,
    collection_id integer NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    parent_id integer,
    rule text NOT NULL COLLATE pg_catalog."C",
    overlap integer NOT NULL,
    seed integer NOT NULL,
    pool text COLLATE pg_catalog."C",
    who text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    published_id integer
);
COMMENT ON TABLE draft IS 'A set of documents to judge, which becomes a new qrels when it is published.';
COMMENT ON COLUMN draft.id IS 'made by the database';
COMMENT ON COLUMN draft.collection_id IS 'the collection';
COMMENT ON COLUMN draft.name IS 'unique in the collection';
COMMENT ON COLUMN draft.parent_id IS 'the qrels whose judgments it continues; null without one';
COMMENT ON COLUMN draft.rule IS 'how grades of several judges become one: majority, mean, minimum or adjudicated';
COMMENT ON COLUMN draft.overlap IS 'how many assessors judge each document';
COMMENT ON COLUMN draft.seed IS 'of the order in which documents are shown';
COMMENT ON COLUMN draft.pool IS 'how the documents were drawn';
COMMENT ON COLUMN draft.who IS 'who made it, as in `event`';
COMMENT ON COLUMN draft.created_at IS 'when it was made';
COMMENT ON COLUMN draft.published_id IS 'the qrels that was made of it last; null before';
CREATE TABLE draft_document (
    draft_id integer NOT NULL,
    query_id integer NOT NULL,
    docno text NOT NULL COLLATE pg_catalog."C",
    place integer NOT NULL,
    stratum text COLLATE pg_catalog."C",
    probability double precision,
    assigned text COLLATE pg_catalog."C"
);
COMMENT ON TABLE draft_document IS 'A document to judge for a query.';
COMMENT ON COLUMN draft_document.draft_id IS 'the draft';
COMMENT ON COLUMN draft_document.query_id IS 'the query';
COMMENT ON COLUMN draft_document.docno IS 'the document';
COMMENT ON COLUMN draft_document.place IS 'from 0, in the order in which documents are shown';
COMMENT ON COLUMN draft_document.stratum IS 'the part of the pool that it was drawn from';
COMMENT ON COLUMN draft_document.probability IS 'the chance that it was drawn, above 0 and at most 1';
COMMENT ON COLUMN draft_document.assigned IS 'the assessor who is to judge it; null for anyone';
CREATE SEQUENCE draft_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE draft_id_seq OWNED BY draft.id;
CREATE TABLE engine (
    id integer NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C"
);
COMMENT ON TABLE engine IS 'A retrieval system under comparison.';
COMMENT ON COLUMN engine.id IS 'made by the database';
COMMENT ON COLUMN engine.name IS 'the run tag unless another was given';
CREATE TABLE evaluation (
    id integer NOT NULL,
    content_id integer NOT NULL,
    qrels_id integer NOT NULL,
    evaluator text NOT NULL COLLATE pg_catalog."C",
    compat text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL
);
COMMENT ON TABLE evaluation IS 'The evaluation of rankings under a qrels, for all runs that have them.';
COMMENT ON COLUMN evaluation.id IS 'made by the database';
COMMENT ON COLUMN evaluation.content_id IS 'the rankings';
COMMENT ON COLUMN evaluation.qrels_id IS 'the qrels';
COMMENT ON COLUMN evaluation.evaluator IS 'the version of evalstore that computed it';
COMMENT ON COLUMN evaluation.compat IS 'exact, trec_eval-9 or trec_eval-10';
COMMENT ON COLUMN evaluation.created_at IS 'when it was computed';
CREATE TABLE measure (
    id integer NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    family text NOT NULL COLLATE pg_catalog."C",
    direction smallint NOT NULL,
    aggregate text NOT NULL COLLATE pg_catalog."C"
);
COMMENT ON TABLE measure IS 'A measure.';
COMMENT ON COLUMN measure.id IS 'made by the database';
COMMENT ON COLUMN measure.name IS 'canonical, like nDCG@10';
COMMENT ON COLUMN measure.family IS 'what kind of measure it is';
COMMENT ON COLUMN measure.direction IS '1: more is better, -1: less is better, 0: neither';
COMMENT ON COLUMN measure.aggregate IS 'how values become one figure: mean, sum, ...';
CREATE TABLE qrels (
    id integer NOT NULL,
    collection_id integer NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    content_hash text NOT NULL COLLATE pg_catalog."C",
    queries integer NOT NULL,
    judgments bigint NOT NULL,
    relevant bigint NOT NULL,
    highest_grade double precision NOT NULL,
    created_at timestamp with time zone NOT NULL,
    is_default boolean DEFAULT false NOT NULL,
    deleted_at timestamp with time zone,
    parent_id integer,
    who text COLLATE pg_catalog."C",
    reason text COLLATE pg_catalog."C",
    rule text COLLATE pg_catalog."C",
    origin json
);
COMMENT ON TABLE qrels IS 'One set of judgments of a collection; a changed file is a new set.';
COMMENT ON COLUMN qrels.id IS 'made by the database';
COMMENT ON COLUMN qrels.collection_id IS 'the collection';
COMMENT ON COLUMN qrels.name IS 'the file''s name, unique in the collection';
COMMENT ON COLUMN qrels.content_hash IS 'SHA-256 of the content';
COMMENT ON COLUMN qrels.queries IS 'how many queries have judgments';
COMMENT ON COLUMN qrels.judgments IS 'how many judgments';
COMMENT ON COLUMN qrels.relevant IS 'how many with a grade of 1 or more';
COMMENT ON COLUMN qrels.highest_grade IS 'the highest grade';
COMMENT ON COLUMN qrels.created_at IS 'when it was ingested';
COMMENT ON COLUMN qrels.is_default IS 'whether it is the one that figures are shown under';
COMMENT ON COLUMN qrels.deleted_at IS 'when it was marked as removed; null for qrels that count';
COMMENT ON COLUMN qrels.parent_id IS 'the qrels that it was made of; null for a file';
COMMENT ON COLUMN qrels.who IS 'who made this version, as in `event`; null for a file';
COMMENT ON COLUMN qrels.reason IS 'why this version was made; null for a file';
COMMENT ON COLUMN qrels.rule IS 'how grades of several judges became one: majority, mean, minimum or adjudicated';
COMMENT ON COLUMN qrels.origin IS 'where its judgments come from: `kind` (file, person, model), and of a model its facts; null for a file';
CREATE TABLE run (
    id integer NOT NULL,
    collection_id integer NOT NULL,
    engine_id integer NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    tag text NOT NULL COLLATE pg_catalog."C",
    queries integer NOT NULL,
    retrieved bigint NOT NULL,
    parameters json,
    tags json,
    commit text COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    deleted_at timestamp with time zone,
    index_bytes bigint,
    note text COLLATE pg_catalog."C",
    commit_dirty boolean,
    host text COLLATE pg_catalog."C",
    started_by text COLLATE pg_catalog."C",
    started_at timestamp with time zone,
    ended_at timestamp with time zone,
    command text COLLATE pg_catalog."C",
    index_version text COLLATE pg_catalog."C",
    collection_version text COLLATE pg_catalog."C",
    header json,
    memory_bytes bigint,
    money double precision,
    currency text COLLATE pg_catalog."C",
    energy_joules double precision,
    values_only boolean DEFAULT false NOT NULL,
    experiment text COLLATE pg_catalog."C",
    content_id integer NOT NULL
);
COMMENT ON TABLE run IS 'A record of an engine that answered a collection''s queries: its name, facts and date.';
COMMENT ON COLUMN run.id IS 'made by the database';
COMMENT ON COLUMN run.collection_id IS 'the collection';
COMMENT ON COLUMN run.engine_id IS 'the engine';
COMMENT ON COLUMN run.name IS 'the file''s name unless another was given';
COMMENT ON COLUMN run.tag IS 'the run tag in the file';
COMMENT ON COLUMN run.queries IS 'how many queries it answers';
COMMENT ON COLUMN run.retrieved IS 'how many documents in all lists';
COMMENT ON COLUMN run.parameters IS 'settings of the engine';
COMMENT ON COLUMN run.tags IS 'words that people put on it';
COMMENT ON COLUMN run.commit IS 'the version of the engine''s code';
COMMENT ON COLUMN run.created_at IS 'when it was ingested';
COMMENT ON COLUMN run.deleted_at IS 'when it was marked as removed; null for runs that count';
COMMENT ON COLUMN run.index_bytes IS 'the size of the engine''s index; null where not given';
COMMENT ON COLUMN run.note IS 'what people wrote about it, in Markdown';
COMMENT ON COLUMN run.commit_dirty IS 'whether files differed from the commit; null where that is not known';
COMMENT ON COLUMN run.host IS 'the machine that the engine ran on';
COMMENT ON COLUMN run.started_by IS 'the account that started the engine';
COMMENT ON COLUMN run.started_at IS 'when the engine started';
COMMENT ON COLUMN run.ended_at IS 'when it was done';
COMMENT ON COLUMN run.command IS 'the command line of the engine';
COMMENT ON COLUMN run.index_version IS 'the version of the index';
COMMENT ON COLUMN run.collection_version IS 'the version of the documents that were indexed';
COMMENT ON COLUMN run.header IS 'the ir_metadata that headed the run file';
COMMENT ON COLUMN run.memory_bytes IS 'the most memory that the engine used';
COMMENT ON COLUMN run.money IS 'what all queries together cost';
COMMENT ON COLUMN run.currency IS 'in which currency, like EUR';
COMMENT ON COLUMN run.energy_joules IS 'the energy that all queries together took';
COMMENT ON COLUMN run.values_only IS 'whether it came as values of measures, without rankings';
COMMENT ON COLUMN run.experiment IS 'the name of the experiment that it belongs to, if any';
COMMENT ON COLUMN run.content_id IS 'its rankings, which other runs may share';
CREATE VIEW engine_history AS
 SELECT collection.name AS collection,
    qrels.name AS qrels,
    engine.name AS engine,
    run.name AS run,
    COALESCE(run.started_at, run.created_at) AS at,
    measure.name AS measure,
    aggregate.value,
    lag(aggregate.value) OVER in_time AS previous,
    (aggregate.value - lag(aggregate.value) OVER in_time) AS difference
   FROM ((((((aggregate
     JOIN evaluation ON ((evaluation.id = aggregate.evaluation_id)))
     JOIN measure ON ((measure.id = aggregate.measure_id)))
     JOIN qrels ON ((qrels.id = evaluation.qrels_id)))
     JOIN run ON ((run.content_id = evaluation.content_id)))
     JOIN engine ON ((engine.id = run.engine_id)))
     JOIN collection ON ((collection.id = run.collection_id)))
  WHERE ((run.deleted_at IS NULL) AND (qrels.deleted_at IS NULL) AND (collection.deleted_at IS NULL))
  WINDOW in_time AS (PARTITION BY collection.name, qrels.name, engine.name, measure.name ORDER BY COALESCE(run.started_at, run.created_at), run.id);
COMMENT ON VIEW engine_history IS 'The figures of each engine''s runs in time, each beside that of the run before.';
COMMENT ON COLUMN engine_history.collection IS 'the test collection';
COMMENT ON COLUMN engine_history.qrels IS 'the set of judgments';
COMMENT ON COLUMN engine_history.engine IS 'the retrieval system';
COMMENT ON COLUMN engine_history.run IS 'the run''s name, unique in the collection';
COMMENT ON COLUMN engine_history.at IS 'when the engine started, where given, else when the run was stored (UTC)';
COMMENT ON COLUMN engine_history.measure IS 'the measure''s canonical name, like nDCG@10';
COMMENT ON COLUMN engine_history.value IS 'the measure''s value, unrounded';
COMMENT ON COLUMN engine_history.previous IS 'the value of the engine''s run before; null for its first run';
COMMENT ON COLUMN engine_history.difference IS 'value - previous';
CREATE SEQUENCE engine_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE engine_id_seq OWNED BY engine.id;
CREATE TABLE engine_slot (
    collection_id integer NOT NULL,
    engine_id integer NOT NULL,
    slot integer NOT NULL
);
COMMENT ON TABLE engine_slot IS 'The number of an engine in a collection, by which charts give it a colour and a mark.';
COMMENT ON COLUMN engine_slot.collection_id IS 'the collection';
COMMENT ON COLUMN engine_slot.engine_id IS 'the engine';
COMMENT ON COLUMN engine_slot.slot IS 'from 0, in the order of the engines'' first runs; never changed';
CREATE SEQUENCE evaluation_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE evaluation_id_seq OWNED BY evaluation.id;
CREATE TABLE event (
    id integer NOT NULL,
    at timestamp with time zone NOT NULL,
    who text NOT NULL COLLATE pg_catalog."C",
    action text NOT NULL COLLATE pg_catalog."C",
    collection text COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    details json,
    collection_id integer
);
COMMENT ON TABLE event IS 'Who did what to the store, and when.';
COMMENT ON COLUMN event.id IS 'made by the database';
COMMENT ON COLUMN event.at IS 'when';
COMMENT ON COLUMN event.who IS 'user@host, as the system of that time said';
COMMENT ON COLUMN event.action IS 'ingest, replace, measure, rm, restore, purge, ...';
COMMENT ON COLUMN event.collection IS 'the collection''s name at that time';
COMMENT ON COLUMN event.subject IS 'the name of the run or qrels at that time';
COMMENT ON COLUMN event.details IS 'what else there is to say';
COMMENT ON COLUMN event.collection_id IS 'the collection''s id, which stays when it is renamed or deleted; null for none';
CREATE SEQUENCE event_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE event_id_seq OWNED BY event.id;
CREATE TABLE experiment (
    id integer NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    question text COLLATE pg_catalog."C",
    conclusion text COLLATE pg_catalog."C"
);
COMMENT ON TABLE experiment IS 'What is written about an experiment, a named group of runs.';
COMMENT ON COLUMN experiment.id IS 'made by the database';
COMMENT ON COLUMN experiment.name IS 'unique in the store; `run.experiment` of its runs';
COMMENT ON COLUMN experiment.created_at IS 'when it was first named';
COMMENT ON COLUMN experiment.question IS 'what it is to find out, in Markdown';
COMMENT ON COLUMN experiment.conclusion IS 'what was found out, in Markdown';
CREATE TABLE experiment_about (
    id integer NOT NULL,
    experiment_id integer NOT NULL,
    collection_id integer
);
COMMENT ON TABLE experiment_about IS 'A collection that the texts of an experiment are about: that of a run it had then.';
COMMENT ON COLUMN experiment_about.id IS 'made by the database';
COMMENT ON COLUMN experiment_about.experiment_id IS 'the experiment';
COMMENT ON COLUMN experiment_about.collection_id IS 'the collection; null for one that is no more, or is in another store';
CREATE SEQUENCE experiment_about_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE experiment_about_id_seq OWNED BY experiment_about.id;
CREATE SEQUENCE experiment_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE experiment_id_seq OWNED BY experiment.id;
CREATE TABLE explanation (
    run_id integer NOT NULL,
    query_id integer NOT NULL,
    docno text NOT NULL COLLATE pg_catalog."C",
    text text NOT NULL COLLATE pg_catalog."C"
);
COMMENT ON TABLE explanation IS 'The engine''s explanation of the score of a document for a query.';
COMMENT ON COLUMN explanation.run_id IS 'the run';
COMMENT ON COLUMN explanation.query_id IS 'the query';
COMMENT ON COLUMN explanation.docno IS 'the document';
COMMENT ON COLUMN explanation.text IS 'what the engine said';
CREATE TABLE group_judgment (
    collection_id integer NOT NULL,
    query_id integer NOT NULL,
    docno text NOT NULL COLLATE pg_catalog."C",
    judgment_group text NOT NULL COLLATE pg_catalog."C",
    grade double precision NOT NULL
);
COMMENT ON TABLE group_judgment IS 'The grade that a judgment group (a judge) gave a document, for averages over groups.';
COMMENT ON COLUMN group_judgment.collection_id IS 'the collection';
COMMENT ON COLUMN group_judgment.query_id IS 'the query';
COMMENT ON COLUMN group_judgment.docno IS 'the document';
COMMENT ON COLUMN group_judgment.judgment_group IS 'who judged';
COMMENT ON COLUMN group_judgment.grade IS '1 and more is relevant; negative: in the pool, not judged';
CREATE TABLE hit_list (
    evaluation_id integer NOT NULL,
    query_id integer NOT NULL,
    ranks integer[] NOT NULL,
    docnos text[] NOT NULL COLLATE pg_catalog."C",
    grades double precision[] NOT NULL,
    scores double precision[] NOT NULL,
    CONSTRAINT ck_hit_list_lengths CHECK (((cardinality(docnos) = cardinality(ranks)) AND (cardinality(grades) = cardinality(ranks)) AND (cardinality(scores) = cardinality(ranks))))
);
ALTER TABLE ONLY hit_list ALTER COLUMN ranks SET STORAGE EXTERNAL;
ALTER TABLE ONLY hit_list ALTER COLUMN docnos SET STORAGE EXTERNAL;
ALTER TABLE ONLY hit_list ALTER COLUMN scores SET STORAGE EXTERNAL;
COMMENT ON TABLE hit_list IS 'The relevant documents that the run retrieved for a query.';
COMMENT ON COLUMN hit_list.evaluation_id IS 'the evaluation';
COMMENT ON COLUMN hit_list.query_id IS 'the query';
COMMENT ON COLUMN hit_list.ranks IS 'the rank of each of these documents, from 1';
COMMENT ON COLUMN hit_list.docnos IS 'the documents';
COMMENT ON COLUMN hit_list.grades IS 'the grade of each of them, 1 or more';
COMMENT ON COLUMN hit_list.scores IS 'what the engine gave each of them';
CREATE VIEW hit AS
 SELECT hit_list.evaluation_id,
    hit_list.query_id,
    element.rank,
    element.docno,
    element.grade,
    element.score
   FROM hit_list,
    LATERAL UNNEST(hit_list.ranks, hit_list.docnos, hit_list.grades, hit_list.scores) element(rank, docno, grade, score);
COMMENT ON VIEW hit IS 'A relevant document that the run retrieved, at its true rank, however deep.';
COMMENT ON COLUMN hit.evaluation_id IS 'the evaluation';
COMMENT ON COLUMN hit.query_id IS 'the query';
COMMENT ON COLUMN hit.rank IS 'from 1';
COMMENT ON COLUMN hit.docno IS 'the document';
COMMENT ON COLUMN hit.grade IS 'its grade, 1 or more';
COMMENT ON COLUMN hit.score IS 'what the engine gave it';
CREATE TABLE judgment (
    qrels_id integer NOT NULL,
    query_id integer NOT NULL,
    docno text NOT NULL COLLATE pg_catalog."C",
    grade double precision NOT NULL
);
COMMENT ON TABLE judgment IS 'The grade of a document for a query.';
COMMENT ON COLUMN judgment.qrels_id IS 'the qrels';
COMMENT ON COLUMN judgment.query_id IS 'the query';
COMMENT ON COLUMN judgment.docno IS 'the document';
COMMENT ON COLUMN judgment.grade IS '1 and more is relevant; negative: in the pool, not judged';
CREATE TABLE judgment_origin (
    qrels_id integer NOT NULL,
    query_id integer NOT NULL,
    docno text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    pool text COLLATE pg_catalog."C",
    stratum text COLLATE pg_catalog."C",
    probability double precision,
    judged_at timestamp with time zone
);
COMMENT ON TABLE judgment_origin IS 'The origin of a judgment, for judgments that have another one than their qrels.';
COMMENT ON COLUMN judgment_origin.qrels_id IS 'the qrels';
COMMENT ON COLUMN judgment_origin.query_id IS 'the query';
COMMENT ON COLUMN judgment_origin.docno IS 'the document';
COMMENT ON COLUMN judgment_origin.kind IS 'person, model or file';
COMMENT ON COLUMN judgment_origin.name IS 'the people with commas between, the model, or the file';
COMMENT ON COLUMN judgment_origin.pool IS 'how the documents to judge were drawn; null where that is not known';
COMMENT ON COLUMN judgment_origin.stratum IS 'the part of the pool that the document was drawn from';
COMMENT ON COLUMN judgment_origin.probability IS 'the chance that it was drawn, above 0 and at most 1';
COMMENT ON COLUMN judgment_origin.judged_at IS 'when it was judged; null where that is not known';
CREATE TABLE query (
    id integer NOT NULL,
    collection_id integer NOT NULL,
    qid text NOT NULL COLLATE pg_catalog."C",
    text text COLLATE pg_catalog."C"
);
COMMENT ON TABLE query IS 'A query of a collection.';
COMMENT ON COLUMN query.id IS 'made by the database';
COMMENT ON COLUMN query.collection_id IS 'the collection';
COMMENT ON COLUMN query.qid IS 'its id, as text: 1, 01 and 1.0 are three queries';
COMMENT ON COLUMN query.text IS 'its words; null where not given';
CREATE VIEW judgments AS
 SELECT collection.name AS collection,
    qrels.name AS qrels,
    query.qid,
    query.text AS query,
    judgment.docno,
    judgment.grade
   FROM (((judgment
     JOIN qrels ON ((qrels.id = judgment.qrels_id)))
     JOIN query ON ((query.id = judgment.query_id)))
     JOIN collection ON ((collection.id = qrels.collection_id)))
  WHERE ((qrels.deleted_at IS NULL) AND (collection.deleted_at IS NULL));
COMMENT ON VIEW judgments IS 'The grade of each judged document.';
COMMENT ON COLUMN judgments.collection IS 'the test collection';
COMMENT ON COLUMN judgments.qrels IS 'the set of judgments';
COMMENT ON COLUMN judgments.qid IS 'the query''s id, as text';
COMMENT ON COLUMN judgments.query IS 'the query''s words, or null';
COMMENT ON COLUMN judgments.docno IS 'the document''s id, as text';
COMMENT ON COLUMN judgments.grade IS '1 and more is relevant; negative: in the pool, not judged; null: unjudged';
CREATE TABLE known_document (
    collection_id integer NOT NULL,
    query_id integer NOT NULL,
    docno text NOT NULL COLLATE pg_catalog."C"
);
COMMENT ON TABLE known_document IS 'A document that the user of a query knew before, for measures of novelty.';
COMMENT ON COLUMN known_document.collection_id IS 'the collection';
COMMENT ON COLUMN known_document.query_id IS 'the query';
COMMENT ON COLUMN known_document.docno IS 'the document';
CREATE VIEW leaderboard AS
 SELECT collection.name AS collection,
    qrels.name AS qrels,
    run.experiment,
    engine.name AS engine,
    run.name AS run,
    measure.name AS measure,
    aggregate.value,
    aggregate.queries,
    aggregate.spread
   FROM ((((((aggregate
     JOIN evaluation ON ((evaluation.id = aggregate.evaluation_id)))
     JOIN measure ON ((measure.id = aggregate.measure_id)))
     JOIN qrels ON ((qrels.id = evaluation.qrels_id)))
     JOIN run ON ((run.content_id = evaluation.content_id)))
     JOIN engine ON ((engine.id = run.engine_id)))
     JOIN collection ON ((collection.id = run.collection_id)))
  WHERE ((run.deleted_at IS NULL) AND (qrels.deleted_at IS NULL) AND (collection.deleted_at IS NULL));
COMMENT ON VIEW leaderboard IS 'One figure per run, qrels and measure.';
COMMENT ON COLUMN leaderboard.collection IS 'the test collection';
COMMENT ON COLUMN leaderboard.qrels IS 'the set of judgments';
COMMENT ON COLUMN leaderboard.experiment IS 'the group the run belongs to, or null';
COMMENT ON COLUMN leaderboard.engine IS 'the retrieval system';
COMMENT ON COLUMN leaderboard.run IS 'the run''s name, unique in the collection';
COMMENT ON COLUMN leaderboard.measure IS 'the measure''s canonical name, like nDCG@10';
COMMENT ON COLUMN leaderboard.value IS 'the measure''s value, unrounded';
COMMENT ON COLUMN leaderboard.queries IS 'how many queries the value is over';
COMMENT ON COLUMN leaderboard.spread IS 'standard deviation over the queries; null for fewer than two';
CREATE TABLE saved_leaderboard (
    id integer NOT NULL,
    qrels_id integer NOT NULL,
    measure_id integer NOT NULL,
    runs integer NOT NULL,
    test text NOT NULL COLLATE pg_catalog."C",
    alpha double precision NOT NULL,
    created_at timestamp with time zone NOT NULL,
    family text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C"
);
COMMENT ON TABLE saved_leaderboard IS 'The ranks of runs on a measure, stored by `evalstore leaderboard --save`.';
COMMENT ON COLUMN saved_leaderboard.id IS 'made by the database';
COMMENT ON COLUMN saved_leaderboard.qrels_id IS 'the qrels';
COMMENT ON COLUMN saved_leaderboard.measure_id IS 'the measure';
COMMENT ON COLUMN saved_leaderboard.runs IS 'how many runs were ranked: all that were active';
COMMENT ON COLUMN saved_leaderboard.test IS 'what separates runs: t (with Holm), tukey or max-t';
COMMENT ON COLUMN saved_leaderboard.alpha IS 'a corrected p below it separates two runs';
COMMENT ON COLUMN saved_leaderboard.created_at IS 'when it was computed';
COMMENT ON COLUMN saved_leaderboard.family IS 'the correction of the tests against the baseline, in words';
CREATE TABLE saved_rank (
    saved_leaderboard_id integer NOT NULL,
    rank integer NOT NULL,
    rank_low integer NOT NULL,
    rank_high integer NOT NULL,
    rank_group text NOT NULL COLLATE pg_catalog."C",
    low double precision,
    high double precision,
    judged_top_10 double precision,
    run_id integer NOT NULL,
    verdict text COLLATE pg_catalog."C",
    reason text COLLATE pg_catalog."C",
    sentence text COLLATE pg_catalog."C",
    bounds_low double precision,
    bounds_high double precision
);
COMMENT ON TABLE saved_rank IS 'The rank of a run on a saved leaderboard.';
COMMENT ON COLUMN saved_rank.saved_leaderboard_id IS 'the saved_leaderboard';
COMMENT ON COLUMN saved_rank.rank IS '1 + how many runs are strictly better';
COMMENT ON COLUMN saved_rank.rank_low IS 'the low end of the interval of the rank';
COMMENT ON COLUMN saved_rank.rank_high IS 'the high end of the interval of the rank';
COMMENT ON COLUMN saved_rank.rank_group IS 'letters: runs that share one are not separated';
COMMENT ON COLUMN saved_rank.low IS 'the low end of the interval of the value; null for one query';
COMMENT ON COLUMN saved_rank.high IS 'the high end of the interval of the value; null for one query';
COMMENT ON COLUMN saved_rank.judged_top_10 IS 'the share of the top 10 that is judged; null where nothing was retrieved';
COMMENT ON COLUMN saved_rank.run_id IS 'the run';
COMMENT ON COLUMN saved_rank.verdict IS 'of the difference to the baseline, as in a comparison; null for the baseline';
COMMENT ON COLUMN saved_rank.reason IS 'of the verdict';
COMMENT ON COLUMN saved_rank.sentence IS 'the whole claim';
COMMENT ON COLUMN saved_rank.bounds_low IS 'the least difference that judgments could make, or null';
COMMENT ON COLUMN saved_rank.bounds_high IS 'the greatest';
CREATE VIEW leaderboard_ranks AS
 SELECT collection.name AS collection,
    qrels.name AS qrels,
    engine.name AS engine,
    run.name AS run,
    measure.name AS measure,
    aggregate.value,
    saved_rank.low,
    saved_rank.high,
    saved_rank.rank,
    saved_rank.rank_low,
    saved_rank.rank_high,
    saved_rank.rank_group,
    saved_rank.judged_top_10,
    saved_leaderboard.runs,
    saved_leaderboard.test,
    saved_leaderboard.alpha,
    saved_rank.verdict,
    saved_leaderboard.family,
    saved_rank.reason,
    saved_rank.sentence,
    saved_rank.bounds_low,
    saved_rank.bounds_high
   FROM (((((((((saved_leaderboard
     JOIN saved_rank ON ((saved_rank.saved_leaderboard_id = saved_leaderboard.id)))
     JOIN run ON ((run.id = saved_rank.run_id)))
     JOIN evaluation ON (((evaluation.content_id = run.content_id) AND (evaluation.qrels_id = saved_leaderboard.qrels_id))))
     JOIN aggregate ON (((aggregate.evaluation_id = evaluation.id) AND (aggregate.measure_id = saved_leaderboard.measure_id))))
     JOIN measure ON ((measure.id = saved_leaderboard.measure_id)))
     JOIN qrels ON ((qrels.id = evaluation.qrels_id)))
     JOIN engine ON ((engine.id = run.engine_id)))
     JOIN collection ON ((collection.id = run.collection_id)))
     JOIN ( SELECT saved_leaderboard_1.id,
            count(*) AS runs,
            count(saved_rank_1.rank) AS ranked
           FROM (((saved_leaderboard saved_leaderboard_1
             JOIN evaluation evaluation_1 ON ((evaluation_1.qrels_id = saved_leaderboard_1.qrels_id)))
             JOIN run run_1 ON (((run_1.content_id = evaluation_1.content_id) AND (run_1.deleted_at IS NULL))))
             LEFT JOIN saved_rank saved_rank_1 ON (((saved_rank_1.saved_leaderboard_id = saved_leaderboard_1.id) AND (saved_rank_1.run_id = run_1.id))))
          GROUP BY saved_leaderboard_1.id) present ON (((present.id = saved_leaderboard.id) AND (present.runs = saved_leaderboard.runs) AND (present.ranked = saved_leaderboard.runs))))
  WHERE ((run.deleted_at IS NULL) AND (qrels.deleted_at IS NULL) AND (collection.deleted_at IS NULL));
COMMENT ON VIEW leaderboard_ranks IS 'The ranks that `evalstore leaderboard --save` stored; none once the runs are others.';
COMMENT ON COLUMN leaderboard_ranks.collection IS 'the test collection';
COMMENT ON COLUMN leaderboard_ranks.qrels IS 'the set of judgments';
COMMENT ON COLUMN leaderboard_ranks.engine IS 'the retrieval system';
COMMENT ON COLUMN leaderboard_ranks.run IS 'the run''s name, unique in the collection';
COMMENT ON COLUMN leaderboard_ranks.measure IS 'the measure''s canonical name, like nDCG@10';
COMMENT ON COLUMN leaderboard_ranks.value IS 'the measure''s value, unrounded';
COMMENT ON COLUMN leaderboard_ranks.low IS 'the low end of the interval of the value';
COMMENT ON COLUMN leaderboard_ranks.high IS 'the high end of the interval of the value';
COMMENT ON COLUMN leaderboard_ranks.rank IS '1 + how many runs are strictly better';
COMMENT ON COLUMN leaderboard_ranks.rank_low IS 'the low end of the interval of the rank';
COMMENT ON COLUMN leaderboard_ranks.rank_high IS 'the high end of the interval of the rank';
COMMENT ON COLUMN leaderboard_ranks.rank_group IS 'letters: runs that share one are not separated by the test';
COMMENT ON COLUMN leaderboard_ranks.judged_top_10 IS 'the share of the documents at ranks 1 to 10 that are judged, or null';
COMMENT ON COLUMN leaderboard_ranks.runs IS 'how many runs were ranked';
COMMENT ON COLUMN leaderboard_ranks.test IS 'what separates runs: t (paired t, Holm''s correction), tukey or max-t (both randomised)';
COMMENT ON COLUMN leaderboard_ranks.alpha IS 'a corrected p below it separates two runs; intervals are of level 1 - alpha';
COMMENT ON COLUMN leaderboard_ranks.verdict IS 'of the difference to the baseline: better, worse, equivalent, undecided or none; null for the baseline';
COMMENT ON COLUMN leaderboard_ranks.family IS 'the correction of the tests against the baseline, in words';
COMMENT ON COLUMN leaderboard_ranks.reason IS 'of the verdict';
COMMENT ON COLUMN leaderboard_ranks.sentence IS 'the whole claim';
COMMENT ON COLUMN leaderboard_ranks.bounds_low IS 'the least difference that judgments could make, or null';
COMMENT ON COLUMN leaderboard_ranks.bounds_high IS 'the greatest';
CREATE SEQUENCE measure_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE measure_id_seq OWNED BY measure.id;
CREATE TABLE value_list (
    evaluation_id integer NOT NULL,
    measure_id integer NOT NULL,
    query_ids integer[] NOT NULL,
    query_values double precision[] NOT NULL,
    CONSTRAINT ck_value_list_lengths CHECK ((cardinality(query_ids) = cardinality(query_values)))
);
ALTER TABLE ONLY value_list ALTER COLUMN query_ids SET STORAGE EXTERNAL;
ALTER TABLE ONLY value_list ALTER COLUMN query_values SET STORAGE EXTERNAL;
COMMENT ON TABLE value_list IS 'The values of a measure for the queries of an evaluation.';
COMMENT ON COLUMN value_list.evaluation_id IS 'the evaluation';
COMMENT ON COLUMN value_list.measure_id IS 'the measure';
COMMENT ON COLUMN value_list.query_ids IS 'the queries';
COMMENT ON COLUMN value_list.query_values IS 'the value of each of these queries, unrounded';
CREATE VIEW measurement AS
 SELECT value_list.evaluation_id,
    value_list.measure_id,
    element.query_id,
    element.value
   FROM value_list,
    LATERAL ROWS FROM(unnest(value_list.query_ids), unnest(value_list.query_values), generate_subscripts(value_list.query_ids, 1)) element(query_id, value, "position");
COMMENT ON VIEW measurement IS 'The value of a measure for a query.';
COMMENT ON COLUMN measurement.evaluation_id IS 'the evaluation';
COMMENT ON COLUMN measurement.measure_id IS 'the measure';
COMMENT ON COLUMN measurement.query_id IS 'the query';
COMMENT ON COLUMN measurement.value IS 'unrounded';
CREATE TABLE preference_judgment (
    collection_id integer NOT NULL,
    query_id integer NOT NULL,
    judgment_group text NOT NULL COLLATE pg_catalog."C",
    subgroup text NOT NULL COLLATE pg_catalog."C",
    docno text NOT NULL COLLATE pg_catalog."C",
    level double precision NOT NULL
);
COMMENT ON TABLE preference_judgment IS 'The level of a document among others: in a subgroup the higher level is preferred.';
COMMENT ON COLUMN preference_judgment.collection_id IS 'the collection';
COMMENT ON COLUMN preference_judgment.query_id IS 'the query';
COMMENT ON COLUMN preference_judgment.judgment_group IS 'who judged';
COMMENT ON COLUMN preference_judgment.subgroup IS 'documents compared with each other';
COMMENT ON COLUMN preference_judgment.docno IS 'the document';
COMMENT ON COLUMN preference_judgment.level IS 'higher is preferred; 0 is not relevant';
CREATE SEQUENCE qrels_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE qrels_id_seq OWNED BY qrels.id;
CREATE TABLE query_attribute (
    query_id integer NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL COLLATE pg_catalog."C"
);
COMMENT ON TABLE query_attribute IS 'What a query is like: its language, its category.';
COMMENT ON COLUMN query_attribute.query_id IS 'the query';
COMMENT ON COLUMN query_attribute.name IS 'what the attribute is called, like lang';
COMMENT ON COLUMN query_attribute.value IS 'its value as text, never empty';
CREATE VIEW query_attributes AS
 SELECT collection.name AS collection,
    query.qid,
    query_attribute.name,
    query_attribute.value
   FROM ((query_attribute
     JOIN query ON ((query.id = query_attribute.query_id)))
     JOIN collection ON ((collection.id = query.collection_id)))
  WHERE (collection.deleted_at IS NULL);
COMMENT ON VIEW query_attributes IS 'The attributes of queries.';
COMMENT ON COLUMN query_attributes.collection IS 'the test collection';
COMMENT ON COLUMN query_attributes.qid IS 'the query''s id, as text';
COMMENT ON COLUMN query_attributes.name IS 'what the attribute is called, like lang';
COMMENT ON COLUMN query_attributes.value IS 'its value, as text';
CREATE SEQUENCE query_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE query_id_seq OWNED BY query.id;
CREATE VIEW query_values AS
 SELECT collection.name AS collection,
    qrels.name AS qrels,
    engine.name AS engine,
    run.name AS run,
    query.qid,
    query.text AS query,
    measure.name AS measure,
    measurement.value
   FROM (((((((measurement
     JOIN evaluation ON ((evaluation.id = measurement.evaluation_id)))
     JOIN measure ON ((measure.id = measurement.measure_id)))
     JOIN query ON ((query.id = measurement.query_id)))
     JOIN qrels ON ((qrels.id = evaluation.qrels_id)))
     JOIN run ON ((run.content_id = evaluation.content_id)))
     JOIN engine ON ((engine.id = run.engine_id)))
     JOIN collection ON ((collection.id = run.collection_id)))
  WHERE ((run.deleted_at IS NULL) AND (qrels.deleted_at IS NULL) AND (collection.deleted_at IS NULL));
COMMENT ON VIEW query_values IS 'The value of each measure for each query of each run.';
COMMENT ON COLUMN query_values.collection IS 'the test collection';
COMMENT ON COLUMN query_values.qrels IS 'the set of judgments';
COMMENT ON COLUMN query_values.engine IS 'the retrieval system';
COMMENT ON COLUMN query_values.run IS 'the run''s name, unique in the collection';
COMMENT ON COLUMN query_values.qid IS 'the query''s id, as text';
COMMENT ON COLUMN query_values.query IS 'the query''s words, or null';
COMMENT ON COLUMN query_values.measure IS 'the measure''s canonical name, like nDCG@10';
COMMENT ON COLUMN query_values.value IS 'the measure''s value, unrounded';
CREATE TABLE ranking (
    content_id integer NOT NULL,
    query_id integer NOT NULL,
    retrieved integer NOT NULL,
    packed bytea NOT NULL
);
ALTER TABLE ONLY ranking ALTER COLUMN packed SET STORAGE EXTERNAL;
COMMENT ON TABLE ranking IS 'The whole ranked list for a query, packed: the source of truth.';
COMMENT ON COLUMN ranking.content_id IS 'the content';
COMMENT ON COLUMN ranking.query_id IS 'the query';
COMMENT ON COLUMN ranking.retrieved IS 'the length of the list';
COMMENT ON COLUMN ranking.packed IS 'documents and scores, see store/packing.py';
CREATE VIEW relevant_found AS
 SELECT collection.name AS collection,
    qrels.name AS qrels,
    engine.name AS engine,
    run.name AS run,
    query.qid,
    query.text AS query,
    hit.rank,
    hit.docno,
    hit.grade,
    hit.score
   FROM ((((((hit
     JOIN evaluation ON ((evaluation.id = hit.evaluation_id)))
     JOIN query ON ((query.id = hit.query_id)))
     JOIN qrels ON ((qrels.id = evaluation.qrels_id)))
     JOIN run ON ((run.content_id = evaluation.content_id)))
     JOIN engine ON ((engine.id = run.engine_id)))
     JOIN collection ON ((collection.id = run.collection_id)))
  WHERE ((run.deleted_at IS NULL) AND (qrels.deleted_at IS NULL) AND (collection.deleted_at IS NULL));
COMMENT ON VIEW relevant_found IS 'The relevant documents each run retrieved, at whatever rank.';
COMMENT ON COLUMN relevant_found.collection IS 'the test collection';
COMMENT ON COLUMN relevant_found.qrels IS 'the set of judgments';
COMMENT ON COLUMN relevant_found.engine IS 'the retrieval system';
COMMENT ON COLUMN relevant_found.run IS 'the run''s name, unique in the collection';
COMMENT ON COLUMN relevant_found.qid IS 'the query''s id, as text';
COMMENT ON COLUMN relevant_found.query IS 'the query''s words, or null';
COMMENT ON COLUMN relevant_found.rank IS 'the place in the ranking, from 1';
COMMENT ON COLUMN relevant_found.docno IS 'the document''s id, as text';
COMMENT ON COLUMN relevant_found.grade IS '1 and more is relevant; negative: in the pool, not judged; null: unjudged';
COMMENT ON COLUMN relevant_found.score IS 'what the engine gave the document';
CREATE VIEW relevant_missed AS
 SELECT collection.name AS collection,
    qrels.name AS qrels,
    engine.name AS engine,
    run.name AS run,
    query.qid,
    query.text AS query,
    judgment.docno,
    judgment.grade
   FROM ((((((evaluation
     JOIN qrels ON ((qrels.id = evaluation.qrels_id)))
     JOIN run ON ((run.content_id = evaluation.content_id)))
     JOIN engine ON ((engine.id = run.engine_id)))
     JOIN collection ON ((collection.id = run.collection_id)))
     JOIN judgment ON (((judgment.qrels_id = evaluation.qrels_id) AND (judgment.grade >= (1)::double precision))))
     JOIN query ON ((query.id = judgment.query_id)))
  WHERE ((run.deleted_at IS NULL) AND (qrels.deleted_at IS NULL) AND (collection.deleted_at IS NULL) AND (NOT run.values_only) AND (NOT (EXISTS ( SELECT 1
           FROM hit_list
          WHERE ((hit_list.evaluation_id = evaluation.id) AND (hit_list.query_id = judgment.query_id) AND (judgment.docno = ANY (hit_list.docnos)))))));
COMMENT ON VIEW relevant_missed IS 'The relevant documents each run with rankings did not retrieve at any rank.';
COMMENT ON COLUMN relevant_missed.collection IS 'the test collection';
COMMENT ON COLUMN relevant_missed.qrels IS 'the set of judgments';
COMMENT ON COLUMN relevant_missed.engine IS 'the retrieval system';
COMMENT ON COLUMN relevant_missed.run IS 'the run''s name, unique in the collection';
COMMENT ON COLUMN relevant_missed.qid IS 'the query''s id, as text';
COMMENT ON COLUMN relevant_missed.query IS 'the query''s words, or null';
COMMENT ON COLUMN relevant_missed.docno IS 'the document''s id, as text';
COMMENT ON COLUMN relevant_missed.grade IS '1 and more is relevant; negative: in the pool, not judged; null: unjudged';
CREATE TABLE response_time (
    run_id integer NOT NULL,
    query_id integer NOT NULL,
    milliseconds double precision NOT NULL
);
COMMENT ON TABLE response_time IS 'The time that an engine took to answer a query.';
COMMENT ON COLUMN response_time.run_id IS 'the run';
COMMENT ON COLUMN response_time.query_id IS 'the query';
COMMENT ON COLUMN response_time.milliseconds IS 'the time in milliseconds';
CREATE TABLE retrieved_list (
    content_id integer NOT NULL,
    query_id integer NOT NULL,
    ranks integer[] NOT NULL,
    docnos text[] NOT NULL COLLATE pg_catalog."C",
    scores double precision[] NOT NULL,
    CONSTRAINT ck_retrieved_list_lengths CHECK (((cardinality(docnos) = cardinality(ranks)) AND (cardinality(scores) = cardinality(ranks))))
);
ALTER TABLE ONLY retrieved_list ALTER COLUMN ranks SET STORAGE EXTERNAL;
ALTER TABLE ONLY retrieved_list ALTER COLUMN docnos SET STORAGE EXTERNAL;
ALTER TABLE ONLY retrieved_list ALTER COLUMN scores SET STORAGE EXTERNAL;
COMMENT ON TABLE retrieved_list IS 'The top of a ranking (100 documents unless said otherwise).';
COMMENT ON COLUMN retrieved_list.content_id IS 'the content';
COMMENT ON COLUMN retrieved_list.query_id IS 'the query';
COMMENT ON COLUMN retrieved_list.ranks IS 'the rank of each of these documents, from 1';
COMMENT ON COLUMN retrieved_list.docnos IS 'the documents';
COMMENT ON COLUMN retrieved_list.scores IS 'what the engine gave each of them';
CREATE VIEW retrieved AS
 SELECT retrieved_list.content_id,
    retrieved_list.query_id,
    element.rank,
    element.docno,
    element.score
   FROM retrieved_list,
    LATERAL UNNEST(retrieved_list.ranks, retrieved_list.docnos, retrieved_list.scores) element(rank, docno, score);
COMMENT ON VIEW retrieved IS 'The top of each ranking as rows (100 documents unless said otherwise).';
COMMENT ON COLUMN retrieved.content_id IS 'the content';
COMMENT ON COLUMN retrieved.query_id IS 'the query';
COMMENT ON COLUMN retrieved.rank IS 'from 1';
COMMENT ON COLUMN retrieved.docno IS 'the document';
COMMENT ON COLUMN retrieved.score IS 'what the engine gave it';
CREATE VIEW retrieved_docs AS
 SELECT collection.name AS collection,
    qrels.name AS qrels,
    engine.name AS engine,
    run.name AS run,
    query.qid,
    query.text AS query,
    retrieved.rank,
    retrieved.docno,
    retrieved.score,
    judgment.grade
   FROM (((((((evaluation
     JOIN qrels ON ((qrels.id = evaluation.qrels_id)))
     JOIN run ON ((run.content_id = evaluation.content_id)))
     JOIN engine ON ((engine.id = run.engine_id)))
     JOIN collection ON ((collection.id = run.collection_id)))
     JOIN retrieved ON ((retrieved.content_id = evaluation.content_id)))
     JOIN query ON ((query.id = retrieved.query_id)))
     LEFT JOIN judgment ON (((judgment.qrels_id = evaluation.qrels_id) AND (judgment.query_id = retrieved.query_id) AND (judgment.docno = retrieved.docno))))
  WHERE ((run.deleted_at IS NULL) AND (qrels.deleted_at IS NULL) AND (collection.deleted_at IS NULL));
COMMENT ON VIEW retrieved_docs IS 'The top of each ranking, with the grade of each document under each qrels.';
COMMENT ON COLUMN retrieved_docs.collection IS 'the test collection';
COMMENT ON COLUMN retrieved_docs.qrels IS 'the set of judgments';
COMMENT ON COLUMN retrieved_docs.engine IS 'the retrieval system';
COMMENT ON COLUMN retrieved_docs.run IS 'the run''s name, unique in the collection';
COMMENT ON COLUMN retrieved_docs.qid IS 'the query''s id, as text';
COMMENT ON COLUMN retrieved_docs.query IS 'the query''s words, or null';
COMMENT ON COLUMN retrieved_docs.rank IS 'the place in the ranking, from 1';
COMMENT ON COLUMN retrieved_docs.docno IS 'the document''s id, as text';
COMMENT ON COLUMN retrieved_docs.score IS 'what the engine gave the document';
COMMENT ON COLUMN retrieved_docs.grade IS '1 and more is relevant; negative: in the pool, not judged; null: unjudged';
CREATE VIEW rprec_differences AS
 SELECT collection.name AS collection,
    qrels.name AS qrels,
    engine_a.name AS engine_a,
    run_a.name AS run_a,
    engine_b.name AS engine_b,
    run_b.name AS run_b,
    query.qid,
    query.text AS query,
    a.value AS value_a,
    b.value AS value_b,
    (a.value - b.value) AS difference
   FROM (((((((((((evaluation evaluation_a
     JOIN evaluation evaluation_b ON ((evaluation_b.qrels_id = evaluation_a.qrels_id)))
     JOIN measure ON ((measure.name = 'Rprec'::text)))
     JOIN measurement a ON (((a.evaluation_id = evaluation_a.id) AND (a.measure_id = measure.id))))
     JOIN measurement b ON (((b.evaluation_id = evaluation_b.id) AND (b.measure_id = measure.id) AND (b.query_id = a.query_id))))
     JOIN query ON ((query.id = a.query_id)))
     JOIN qrels ON ((qrels.id = evaluation_a.qrels_id)))
     JOIN collection ON ((collection.id = qrels.collection_id)))
     JOIN run run_a ON (((run_a.content_id = evaluation_a.content_id) AND (run_a.deleted_at IS NULL))))
     JOIN run run_b ON (((run_b.content_id = evaluation_b.content_id) AND (run_b.deleted_at IS NULL) AND (run_b.id <> run_a.id))))
     JOIN engine engine_a ON ((engine_a.id = run_a.engine_id)))
     JOIN engine engine_b ON ((engine_b.id = run_b.engine_id)))
  WHERE ((qrels.deleted_at IS NULL) AND (collection.deleted_at IS NULL));
COMMENT ON VIEW rprec_differences IS 'R-precision of run A less that of run B, for each pair of runs and each query.';
COMMENT ON COLUMN rprec_differences.collection IS 'the test collection';
COMMENT ON COLUMN rprec_differences.qrels IS 'the set of judgments';
COMMENT ON COLUMN rprec_differences.engine_a IS 'the engine of run A';
COMMENT ON COLUMN rprec_differences.run_a IS 'run A';
COMMENT ON COLUMN rprec_differences.engine_b IS 'the engine of run B';
COMMENT ON COLUMN rprec_differences.run_b IS 'run B';
COMMENT ON COLUMN rprec_differences.qid IS 'the query''s id, as text';
COMMENT ON COLUMN rprec_differences.query IS 'the query''s words, or null';
COMMENT ON COLUMN rprec_differences.value_a IS 'R-precision of run A';
COMMENT ON COLUMN rprec_differences.value_b IS 'R-precision of run B';
COMMENT ON COLUMN rprec_differences.difference IS 'value_a - value_b: positive where A is better';
CREATE TABLE run_file (
    run_id integer NOT NULL,
    path_hash text NOT NULL COLLATE pg_catalog."C",
    size bigint NOT NULL,
    version text COLLATE pg_catalog."C",
    bytes_hash text NOT NULL COLLATE pg_catalog."C",
    reading text NOT NULL COLLATE pg_catalog."C"
);
COMMENT ON TABLE run_file IS 'A file that a run was read from, by which it is recognised without being read again.';
COMMENT ON COLUMN run_file.run_id IS 'the run';
COMMENT ON COLUMN run_file.path_hash IS 'SHA-256 of its absolute path, or of its URL without secrets';
COMMENT ON COLUMN run_file.size IS 'in bytes';
COMMENT ON COLUMN run_file.version IS 'inode and times of a file, ETag of an object; null where these prove nothing';
COMMENT ON COLUMN run_file.bytes_hash IS 'SHA-256 of its bytes; empty for an object of an object store';
COMMENT ON COLUMN run_file.reading IS 'SHA-256 of the options that it was read with, and of the version of evalstore';
CREATE SEQUENCE run_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE run_id_seq OWNED BY run.id;
CREATE VIEW run_parameters AS
 SELECT collection.name AS collection,
    engine.name AS engine,
    run.name AS run,
    parameter.name,
    parameter.value
   FROM (((run
     CROSS JOIN LATERAL json_each_text(run.parameters) parameter(name, value))
     JOIN collection ON ((collection.id = run.collection_id)))
     JOIN engine ON ((engine.id = run.engine_id)))
  WHERE ((run.deleted_at IS NULL) AND (collection.deleted_at IS NULL));
COMMENT ON VIEW run_parameters IS 'The parameters of the engines that made the runs.';
COMMENT ON COLUMN run_parameters.collection IS 'the test collection';
COMMENT ON COLUMN run_parameters.engine IS 'the retrieval system';
COMMENT ON COLUMN run_parameters.run IS 'the run''s name, unique in the collection';
COMMENT ON COLUMN run_parameters.name IS 'what the parameter is called, like k1';
COMMENT ON COLUMN run_parameters.value IS 'its value, as text; numbers as they were given, booleans true or false';
CREATE TABLE run_parent (
    run_id integer NOT NULL,
    parent_id integer NOT NULL
);
COMMENT ON TABLE run_parent IS 'The run that a run was derived from.';
COMMENT ON COLUMN run_parent.run_id IS 'the run';
COMMENT ON COLUMN run_parent.parent_id IS 'the run it came from';
CREATE VIEW runs_overview AS
 SELECT run.id AS run_id,
    collection.name AS collection,
    run.experiment,
    engine.name AS engine,
    run.name AS run,
    run.tag,
    run.queries AS queries_answered,
        CASE
            WHEN run.values_only THEN NULL::bigint
            ELSE run.retrieved
        END AS documents_retrieved,
    run.created_at AS ingested_at,
    ( SELECT count(*) AS count
           FROM (evaluation
             JOIN qrels ON ((qrels.id = evaluation.qrels_id)))
          WHERE ((evaluation.content_id = run.content_id) AND (qrels.deleted_at IS NULL))) AS evaluations,
    run.values_only
   FROM ((run
     JOIN collection ON ((collection.id = run.collection_id)))
     JOIN engine ON ((engine.id = run.engine_id)))
  WHERE ((run.deleted_at IS NULL) AND (collection.deleted_at IS NULL));
COMMENT ON VIEW runs_overview IS 'One row per run.';
COMMENT ON COLUMN runs_overview.run_id IS 'the run''s id, as `evalstore runs` shows it';
COMMENT ON COLUMN runs_overview.collection IS 'the test collection';
COMMENT ON COLUMN runs_overview.experiment IS 'the group the run belongs to, or null';
COMMENT ON COLUMN runs_overview.engine IS 'the retrieval system';
COMMENT ON COLUMN runs_overview.run IS 'the run''s name, unique in the collection';
COMMENT ON COLUMN runs_overview.tag IS 'the run tag in the file';
COMMENT ON COLUMN runs_overview.queries_answered IS 'how many queries the run answers';
COMMENT ON COLUMN runs_overview.documents_retrieved IS 'how many documents in all its lists; null where it has none';
COMMENT ON COLUMN runs_overview.ingested_at IS 'when it was stored (UTC)';
COMMENT ON COLUMN runs_overview.evaluations IS 'under how many qrels it was evaluated';
COMMENT ON COLUMN runs_overview.values_only IS 'whether it came as values of measures, without rankings';
CREATE SEQUENCE saved_leaderboard_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE saved_leaderboard_id_seq OWNED BY saved_leaderboard.id;
CREATE TABLE saved_view (
    key text NOT NULL COLLATE pg_catalog."C",
    address text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    collection_id integer,
    name text COLLATE pg_catalog."C",
    who text COLLATE pg_catalog."C"
);
COMMENT ON TABLE saved_view IS 'A long address of the dashboard under a short key.';
COMMENT ON COLUMN saved_view.key IS 'as in /v/h7k2: made of the address, so that one has one key';
COMMENT ON COLUMN saved_view.address IS 'path and query string';
COMMENT ON COLUMN saved_view.created_at IS 'when it was saved, or named';
COMMENT ON COLUMN saved_view.collection_id IS 'the collection whose page it is; null for pages of none, like that of SQL';
COMMENT ON COLUMN saved_view.name IS 'its name, given by a person; null for a view that is only linked';
COMMENT ON COLUMN saved_view.who IS 'who gave the name, as in `event`; null without one';
CREATE TABLE server_account (
    id integer NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    password_hash text COLLATE pg_catalog."C",
    disabled boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_login_at timestamp with time zone
);
COMMENT ON TABLE server_account IS 'A person who logs in, or a service that has tokens.';
COMMENT ON COLUMN server_account.id IS 'made by the database';
COMMENT ON COLUMN server_account.name IS 'unique in the store';
COMMENT ON COLUMN server_account.kind IS 'person or service';
COMMENT ON COLUMN server_account.password_hash IS 'argon2id with its parameters; null for accounts without a password';
COMMENT ON COLUMN server_account.disabled IS 'whether it may do nothing for now';
COMMENT ON COLUMN server_account.created_at IS 'when it was added';
COMMENT ON COLUMN server_account.last_login_at IS 'when it last logged in; null where it never did';
CREATE SEQUENCE server_account_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE server_account_id_seq OWNED BY server_account.id;
CREATE TABLE server_identity (
    issuer text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    account_id integer NOT NULL,
    created_at timestamp with time zone NOT NULL
);
COMMENT ON TABLE server_identity IS 'Who an account is at a provider of logins (OpenID Connect).';
COMMENT ON COLUMN server_identity.issuer IS 'the provider''s address';
COMMENT ON COLUMN server_identity.subject IS 'the provider''s id of the person, never an e-mail address';
COMMENT ON COLUMN server_identity.account_id IS 'the account';
COMMENT ON COLUMN server_identity.created_at IS 'when it first logged in';
CREATE TABLE server_invitation (
    id integer NOT NULL,
    hash text NOT NULL COLLATE pg_catalog."C",
    name text COLLATE pg_catalog."C",
    collection_id integer,
    role text NOT NULL COLLATE pg_catalog."C",
    who text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone
);
COMMENT ON TABLE server_invitation IS 'A link by which one person makes an account, once.';
COMMENT ON COLUMN server_invitation.id IS 'made by the database';
COMMENT ON COLUMN server_invitation.hash IS 'SHA-256 of the secret in the link';
COMMENT ON COLUMN server_invitation.name IS 'of the account; null where the person chooses it';
COMMENT ON COLUMN server_invitation.collection_id IS 'the collection; null for the whole store';
COMMENT ON COLUMN server_invitation.role IS 'the role that the account gets';
COMMENT ON COLUMN server_invitation.who IS 'who made it, as in `event`';
COMMENT ON COLUMN server_invitation.created_at IS 'when it was made';
COMMENT ON COLUMN server_invitation.expires_at IS 'when it ends';
COMMENT ON COLUMN server_invitation.used_at IS 'when it was used; null while it can';
CREATE SEQUENCE server_invitation_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE server_invitation_id_seq OWNED BY server_invitation.id;
CREATE TABLE server_job (
    id integer NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    collection_id integer,
    who text NOT NULL COLLATE pg_catalog."C",
    payload json NOT NULL,
    request_hash text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C",
    attempts integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    lease_until timestamp with time zone,
    heartbeat_at timestamp with time zone,
    ended_at timestamp with time zone,
    not_before timestamp with time zone,
    result json,
    error text COLLATE pg_catalog."C"
);
COMMENT ON TABLE server_job IS 'Work to do after the request that asked for it; it survives the end of processes.';
COMMENT ON COLUMN server_job.id IS 'made by the database';
COMMENT ON COLUMN server_job.kind IS 'what is to be done: ingest, ...';
COMMENT ON COLUMN server_job.collection_id IS 'the collection; null for the whole store';
COMMENT ON COLUMN server_job.who IS 'who asked for it, as in `event`';
COMMENT ON COLUMN server_job.payload IS 'what it needs to know';
COMMENT ON COLUMN server_job.request_hash IS 'SHA-256 of kind and payload';
COMMENT ON COLUMN server_job.state IS 'waiting, running, done, failed or cancelled';
COMMENT ON COLUMN server_job.attempts IS 'how often it was begun';
COMMENT ON COLUMN server_job.created_at IS 'when it was asked for';
COMMENT ON COLUMN server_job.lease_until IS 'until then the worker that began it has it; null while it waits';
COMMENT ON COLUMN server_job.heartbeat_at IS 'when its worker last said that it works on it';
COMMENT ON COLUMN server_job.ended_at IS 'when it was done or failed';
COMMENT ON COLUMN server_job.not_before IS 'it is not begun before this time; null for at once';
COMMENT ON COLUMN server_job.result IS 'what came of it';
COMMENT ON COLUMN server_job.error IS 'why it failed, as the command line says it';
CREATE SEQUENCE server_job_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE server_job_id_seq OWNED BY server_job.id;
CREATE TABLE server_login_attempt (
    name_hash text NOT NULL COLLATE pg_catalog."C",
    address text NOT NULL COLLATE pg_catalog."C",
    failures integer NOT NULL,
    locked_until timestamp with time zone NOT NULL
);
COMMENT ON TABLE server_login_attempt IS 'Failed logins in a row to a name from an address.';
COMMENT ON COLUMN server_login_attempt.name_hash IS 'a keyed hash: people type passwords where the name belongs';
COMMENT ON COLUMN server_login_attempt.address IS 'where they came from; of IPv6 the network';
COMMENT ON COLUMN server_login_attempt.failures IS 'how many';
COMMENT ON COLUMN server_login_attempt.locked_until IS 'until then further ones are refused';
CREATE TABLE server_role (
    id integer NOT NULL,
    account_id integer NOT NULL,
    collection_id integer,
    role text NOT NULL COLLATE pg_catalog."C",
    from_groups boolean DEFAULT false NOT NULL
);
COMMENT ON TABLE server_role IS 'What an account may do in the whole store, or in one collection.';
COMMENT ON COLUMN server_role.id IS 'made by the database';
COMMENT ON COLUMN server_role.account_id IS 'the account';
COMMENT ON COLUMN server_role.collection_id IS 'the collection; null for the whole store';
COMMENT ON COLUMN server_role.role IS 'reader, contributor or administrator';
COMMENT ON COLUMN server_role.from_groups IS 'whether it came from groups of a provider of logins, and is set at each login';
CREATE SEQUENCE server_role_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE server_role_id_seq OWNED BY server_role.id;
CREATE TABLE server_session (
    hash text NOT NULL COLLATE pg_catalog."C",
    account_id integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    agent text NOT NULL COLLATE pg_catalog."C"
);
COMMENT ON TABLE server_session IS 'A login of a browser; its cookie holds a random id, of which the hash is stored.';
COMMENT ON COLUMN server_session.hash IS 'SHA-256 of the id in the cookie';
COMMENT ON COLUMN server_session.account_id IS 'the account';
COMMENT ON COLUMN server_session.created_at IS 'when the login was';
COMMENT ON COLUMN server_session.last_seen_at IS 'of its last request, to some minutes';
COMMENT ON COLUMN server_session.expires_at IS 'when it ends in any case';
COMMENT ON COLUMN server_session.agent IS 'how the browser names itself, shortened';
CREATE TABLE server_setting (
    name text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL COLLATE pg_catalog."C"
);
COMMENT ON TABLE server_setting IS 'A setting of the server: its public URL, its secret.';
COMMENT ON COLUMN server_setting.name IS 'public_url, secret';
COMMENT ON COLUMN server_setting.value IS 'its value';
CREATE TABLE server_token (
    id integer NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    hash text NOT NULL COLLATE pg_catalog."C",
    prefix text NOT NULL COLLATE pg_catalog."C",
    account_id integer NOT NULL,
    collection_id integer,
    scope text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    last_used_at timestamp with time zone,
    revoked_at timestamp with time zone
);
COMMENT ON TABLE server_token IS 'A secret by which a program acts as an account, perhaps with fewer rights.';
COMMENT ON COLUMN server_token.id IS 'made by the database';
COMMENT ON COLUMN server_token.name IS 'unique among the tokens that are not revoked';
COMMENT ON COLUMN server_token.hash IS 'SHA-256 of the token';
COMMENT ON COLUMN server_token.prefix IS 'its first characters, to recognise it by';
COMMENT ON COLUMN server_token.account_id IS 'the account';
COMMENT ON COLUMN server_token.collection_id IS 'the collection; null for the whole store';
COMMENT ON COLUMN server_token.scope IS 'read or write';
COMMENT ON COLUMN server_token.created_at IS 'when it was made';
COMMENT ON COLUMN server_token.expires_at IS 'when it ends; null for never';
COMMENT ON COLUMN server_token.last_used_at IS 'of its last request, to some minutes; null for never';
COMMENT ON COLUMN server_token.revoked_at IS 'when it was taken back; null for tokens that count';
CREATE SEQUENCE server_token_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE server_token_id_seq OWNED BY server_token.id;
CREATE TABLE server_upload (
    id integer NOT NULL,
    collection_id integer NOT NULL,
    sha256 text NOT NULL COLLATE pg_catalog."C",
    size bigint NOT NULL,
    received bigint NOT NULL,
    who text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    received_at timestamp with time zone NOT NULL
);
COMMENT ON TABLE server_upload IS 'A file that is being sent, or was sent, into a collection.';
COMMENT ON COLUMN server_upload.id IS 'made by the database';
COMMENT ON COLUMN server_upload.collection_id IS 'the collection';
COMMENT ON COLUMN server_upload.sha256 IS 'SHA-256 of the whole file, as its sender says';
COMMENT ON COLUMN server_upload.size IS 'bytes of the whole file';
COMMENT ON COLUMN server_upload.received IS 'how many of them are here';
COMMENT ON COLUMN server_upload.who IS 'who sends it, as in `event`';
COMMENT ON COLUMN server_upload.created_at IS 'when it began';
COMMENT ON COLUMN server_upload.received_at IS 'when the last piece came';
CREATE SEQUENCE server_upload_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE server_upload_id_seq OWNED BY server_upload.id;
CREATE TABLE server_webhook (
    id integer NOT NULL,
    url text NOT NULL COLLATE pg_catalog."C",
    collection_id integer,
    tells_of text NOT NULL COLLATE pg_catalog."C",
    secret text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    event_id integer NOT NULL,
    last_at timestamp with time zone,
    last_result text COLLATE pg_catalog."C"
);
COMMENT ON TABLE server_webhook IS 'An address that is told of new runs or of gates that did not pass.';
COMMENT ON COLUMN server_webhook.id IS 'made by the database';
COMMENT ON COLUMN server_webhook.url IS 'where it is told';
COMMENT ON COLUMN server_webhook.collection_id IS 'the collection; null for the whole store';
COMMENT ON COLUMN server_webhook.tells_of IS 'run, gate, or both with a comma';
COMMENT ON COLUMN server_webhook.secret IS 'the key of its signatures';
COMMENT ON COLUMN server_webhook.created_at IS 'when it was added';
COMMENT ON COLUMN server_webhook.event_id IS 'the last event that was looked at for it';
COMMENT ON COLUMN server_webhook.last_at IS 'when it was last told something';
COMMENT ON COLUMN server_webhook.last_result IS 'what came of that';
CREATE SEQUENCE server_webhook_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE server_webhook_id_seq OWNED BY server_webhook.id;
CREATE TABLE subtopic_judgment (
    collection_id integer NOT NULL,
    query_id integer NOT NULL,
    docno text NOT NULL COLLATE pg_catalog."C",
    subtopic text NOT NULL COLLATE pg_catalog."C",
    grade double precision NOT NULL
);
COMMENT ON TABLE subtopic_judgment IS 'The grade of a document for a subtopic of a query, for measures of diversity.';
COMMENT ON COLUMN subtopic_judgment.collection_id IS 'the collection';
COMMENT ON COLUMN subtopic_judgment.query_id IS 'the query';
COMMENT ON COLUMN subtopic_judgment.docno IS 'the document';
COMMENT ON COLUMN subtopic_judgment.subtopic IS 'the subtopic';
COMMENT ON COLUMN subtopic_judgment.grade IS '1 and more is relevant to the subtopic';
ALTER TABLE ONLY assessment ALTER COLUMN id SET DEFAULT nextval('assessment_id_seq'::regclass);
ALTER TABLE ONLY collection ALTER COLUMN id SET DEFAULT nextval('collection_id_seq'::regclass);
ALTER TABLE ONLY comment ALTER COLUMN id SET DEFAULT nextval('comment_id_seq'::regclass);
ALTER TABLE ONLY content ALTER COLUMN id SET DEFAULT nextval('content_id_seq'::regclass);
ALTER TABLE ONLY draft ALTER COLUMN id SET DEFAULT nextval('draft_id_seq'::regclass);
ALTER TABLE ONLY engine ALTER COLUMN id SET DEFAULT nextval('engine_id_seq'::regclass);
ALTER TABLE ONLY evaluation ALTER COLUMN id SET DEFAULT nextval('evaluation_id_seq'::regclass);
ALTER TABLE ONLY event ALTER COLUMN id SET DEFAULT nextval('event_id_seq'::regclass);
ALTER TABLE ONLY experiment ALTER COLUMN id SET DEFAULT nextval('experiment_id_seq'::regclass);
ALTER TABLE ONLY experiment_about ALTER COLUMN id SET DEFAULT nextval('experiment_about_id_seq'::regclass);
ALTER TABLE ONLY measure ALTER COLUMN id SET DEFAULT nextval('measure_id_seq'::regclass);
ALTER TABLE ONLY qrels ALTER COLUMN id SET DEFAULT nextval('qrels_id_seq'::regclass);
ALTER TABLE ONLY query ALTER COLUMN id SET DEFAULT nextval('query_id_seq'::regclass);
ALTER TABLE ONLY run ALTER COLUMN id SET DEFAULT nextval('run_id_seq'::regclass);
ALTER TABLE ONLY saved_leaderboard ALTER COLUMN id SET DEFAULT nextval('saved_leaderboard_id_seq'::regclass);
ALTER TABLE ONLY server_account ALTER COLUMN id SET DEFAULT nextval('server_account_id_seq'::regclass);
ALTER TABLE ONLY server_invitation ALTER COLUMN id SET DEFAULT nextval('server_invitation_id_seq'::regclass);
ALTER TABLE ONLY server_job ALTER COLUMN id SET DEFAULT nextval('server_job_id_seq'::regclass);
ALTER TABLE ONLY server_role ALTER COLUMN id SET DEFAULT nextval('server_role_id_seq'::regclass);
ALTER TABLE ONLY server_token ALTER COLUMN id SET DEFAULT nextval('server_token_id_seq'::regclass);
ALTER TABLE ONLY server_upload ALTER COLUMN id SET DEFAULT nextval('server_upload_id_seq'::regclass);
ALTER TABLE ONLY server_webhook ALTER COLUMN id SET DEFAULT nextval('server_webhook_id_seq'::regclass);
INSERT INTO alembic_version VALUES
	('0016');
ALTER TABLE ONLY alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY aggregate
    ADD CONSTRAINT pk_aggregate PRIMARY KEY (evaluation_id, measure_id);
ALTER TABLE ONLY assessment
    ADD CONSTRAINT pk_assessment PRIMARY KEY (id);
ALTER TABLE ONLY baseline
    ADD CONSTRAINT pk_baseline PRIMARY KEY (collection_id);
ALTER TABLE ONLY collection
    ADD CONSTRAINT pk_collection PRIMARY KEY (id);
ALTER TABLE ONLY comment
    ADD CONSTRAINT pk_comment PRIMARY KEY (id);
ALTER TABLE ONLY content
    ADD CONSTRAINT pk_content PRIMARY KEY (id);
ALTER TABLE ONLY document
    ADD CONSTRAINT pk_document PRIMARY KEY (collection_id, docno);
ALTER TABLE ONLY draft
    ADD CONSTRAINT pk_draft PRIMARY KEY (id);
ALTER TABLE ONLY draft_document
    ADD CONSTRAINT pk_draft_document PRIMARY KEY (draft_id, query_id, docno);
ALTER TABLE ONLY engine
    ADD CONSTRAINT pk_engine PRIMARY KEY (id);
ALTER TABLE ONLY engine_slot
    ADD CONSTRAINT pk_engine_slot PRIMARY KEY (collection_id, engine_id);
ALTER TABLE ONLY evaluation
    ADD CONSTRAINT pk_evaluation PRIMARY KEY (id);
ALTER TABLE ONLY event
    ADD CONSTRAINT pk_event PRIMARY KEY (id);
ALTER TABLE ONLY experiment
    ADD CONSTRAINT pk_experiment PRIMARY KEY (id);
ALTER TABLE ONLY experiment_about
    ADD CONSTRAINT pk_experiment_about PRIMARY KEY (id);
ALTER TABLE ONLY explanation
    ADD CONSTRAINT pk_explanation PRIMARY KEY (run_id, query_id, docno);
ALTER TABLE ONLY group_judgment
    ADD CONSTRAINT pk_group_judgment PRIMARY KEY (collection_id, query_id, docno, judgment_group);
ALTER TABLE ONLY hit_list
    ADD CONSTRAINT pk_hit_list PRIMARY KEY (evaluation_id, query_id);
ALTER TABLE ONLY judgment
    ADD CONSTRAINT pk_judgment PRIMARY KEY (qrels_id, query_id, docno);
ALTER TABLE ONLY judgment_origin
    ADD CONSTRAINT pk_judgment_origin PRIMARY KEY (qrels_id, query_id, docno);
ALTER TABLE ONLY known_document
    ADD CONSTRAINT pk_known_document PRIMARY KEY (collection_id, query_id, docno);
ALTER TABLE ONLY measure
    ADD CONSTRAINT pk_measure PRIMARY KEY (id);
ALTER TABLE ONLY preference_judgment
    ADD CONSTRAINT pk_preference_judgment PRIMARY KEY (collection_id, query_id, judgment_group, subgroup, docno);
ALTER TABLE ONLY qrels
    ADD CONSTRAINT pk_qrels PRIMARY KEY (id);
ALTER TABLE ONLY query
    ADD CONSTRAINT pk_query PRIMARY KEY (id);
ALTER TABLE ONLY query_attribute
    ADD CONSTRAINT pk_query_attribute PRIMARY KEY (query_id, name);
ALTER TABLE ONLY ranking
    ADD CONSTRAINT pk_ranking PRIMARY KEY (content_id, query_id);
ALTER TABLE ONLY response_time
    ADD CONSTRAINT pk_response_time PRIMARY KEY (run_id, query_id);
ALTER TABLE ONLY retrieved_list
    ADD CONSTRAINT pk_retrieved_list PRIMARY KEY (content_id, query_id);
ALTER TABLE ONLY run
    ADD CONSTRAINT pk_run PRIMARY KEY (id);
ALTER TABLE ONLY run_file
    ADD CONSTRAINT pk_run_file PRIMARY KEY (run_id, path_hash);
ALTER TABLE ONLY run_parent
    ADD CONSTRAINT pk_run_parent PRIMARY KEY (run_id);
ALTER TABLE ONLY saved_leaderboard
    ADD CONSTRAINT pk_saved_leaderboard PRIMARY KEY (id);
ALTER TABLE ONLY saved_rank
    ADD CONSTRAINT pk_saved_rank PRIMARY KEY (saved_leaderboard_id, run_id);
ALTER TABLE ONLY saved_view
    ADD CONSTRAINT pk_saved_view PRIMARY KEY (key);
ALTER TABLE ONLY server_account
    ADD CONSTRAINT pk_server_account PRIMARY KEY (id);
ALTER TABLE ONLY server_identity
    ADD CONSTRAINT pk_server_identity PRIMARY KEY (issuer, subject);
ALTER TABLE ONLY server_invitation
    ADD CONSTRAINT pk_server_invitation PRIMARY KEY (id);
ALTER TABLE ONLY server_job
    ADD CONSTRAINT pk_server_job PRIMARY KEY (id);
ALTER TABLE ONLY server_login_attempt
    ADD CONSTRAINT pk_server_login_attempt PRIMARY KEY (name_hash, address);
ALTER TABLE ONLY server_role
    ADD CONSTRAINT pk_server_role PRIMARY KEY (id);
ALTER TABLE ONLY server_session
    ADD CONSTRAINT pk_server_session PRIMARY KEY (hash);
ALTER TABLE ONLY server_setting
    ADD CONSTRAINT pk_server_setting PRIMARY KEY (name);
ALTER TABLE ONLY server_token
    ADD CONSTRAINT pk_server_token PRIMARY KEY (id);
ALTER TABLE ONLY server_upload
    ADD CONSTRAINT pk_server_upload PRIMARY KEY (id);
ALTER TABLE ONLY server_webhook
    ADD CONSTRAINT pk_server_webhook PRIMARY KEY (id);
ALTER TABLE ONLY subtopic_judgment
    ADD CONSTRAINT pk_subtopic_judgment PRIMARY KEY (collection_id, query_id, docno, subtopic);
ALTER TABLE ONLY value_list
    ADD CONSTRAINT pk_value_list PRIMARY KEY (evaluation_id, measure_id);
ALTER TABLE ONLY assessment
    ADD CONSTRAINT uq_assessment_draft_id_key UNIQUE (draft_id, key);
ALTER TABLE ONLY collection
    ADD CONSTRAINT uq_collection_name UNIQUE (name);
ALTER TABLE ONLY content
    ADD CONSTRAINT uq_content_collection_id_content_hash UNIQUE (collection_id, content_hash);
ALTER TABLE ONLY draft
    ADD CONSTRAINT uq_draft_collection_id_name UNIQUE (collection_id, name);
ALTER TABLE ONLY engine
    ADD CONSTRAINT uq_engine_name UNIQUE (name);
ALTER TABLE ONLY engine_slot
    ADD CONSTRAINT uq_engine_slot_collection_id_slot UNIQUE (collection_id, slot);
ALTER TABLE ONLY evaluation
    ADD CONSTRAINT uq_evaluation_content_id_qrels_id UNIQUE (content_id, qrels_id);
ALTER TABLE ONLY experiment
    ADD CONSTRAINT uq_experiment_name UNIQUE (name);
ALTER TABLE ONLY measure
    ADD CONSTRAINT uq_measure_name UNIQUE (name);
ALTER TABLE ONLY qrels
    ADD CONSTRAINT uq_qrels_collection_id_content_hash UNIQUE (collection_id, content_hash);
ALTER TABLE ONLY qrels
    ADD CONSTRAINT uq_qrels_collection_id_name UNIQUE (collection_id, name);
ALTER TABLE ONLY query
    ADD CONSTRAINT uq_query_collection_id_qid UNIQUE (collection_id, qid);
ALTER TABLE ONLY run
    ADD CONSTRAINT uq_run_collection_id_name UNIQUE (collection_id, name);
ALTER TABLE ONLY saved_leaderboard
    ADD CONSTRAINT uq_saved_leaderboard_qrels_id_measure_id UNIQUE (qrels_id, measure_id);
ALTER TABLE ONLY server_account
    ADD CONSTRAINT uq_server_account_name UNIQUE (name);
ALTER TABLE ONLY server_invitation
    ADD CONSTRAINT uq_server_invitation_hash UNIQUE (hash);
ALTER TABLE ONLY server_role
    ADD CONSTRAINT uq_server_role_account_id_collection_id_from_groups UNIQUE (account_id, collection_id, from_groups);
ALTER TABLE ONLY server_token
    ADD CONSTRAINT uq_server_token_hash UNIQUE (hash);
ALTER TABLE ONLY server_upload
    ADD CONSTRAINT uq_server_upload_collection_id_sha256 UNIQUE (collection_id, sha256);
CREATE INDEX ix_aggregate_measure_id ON aggregate USING btree (measure_id);
CREATE INDEX ix_baseline_run_id ON baseline USING btree (run_id);
CREATE INDEX ix_comment_collection_id ON comment USING btree (collection_id);
CREATE INDEX ix_comment_query_id ON comment USING btree (query_id);
CREATE INDEX ix_comment_run_id ON comment USING btree (run_id);
CREATE INDEX ix_engine_slot_engine_id ON engine_slot USING btree (engine_id);
CREATE INDEX ix_evaluation_qrels_id ON evaluation USING btree (qrels_id);
CREATE INDEX ix_event_collection_id ON event USING btree (collection_id);
CREATE INDEX ix_experiment_about_collection_id ON experiment_about USING btree (collection_id);
CREATE INDEX ix_experiment_about_experiment_id ON experiment_about USING btree (experiment_id);
CREATE INDEX ix_run_content_id ON run USING btree (content_id);
CREATE INDEX ix_run_engine_id ON run USING btree (engine_id);
CREATE INDEX ix_run_experiment ON run USING btree (experiment);
CREATE INDEX ix_run_parent_parent_id ON run_parent USING btree (parent_id);
CREATE INDEX ix_saved_leaderboard_measure_id ON saved_leaderboard USING btree (measure_id);
CREATE INDEX ix_saved_rank_run_id ON saved_rank USING btree (run_id);
CREATE INDEX ix_saved_view_collection_id ON saved_view USING btree (collection_id);
CREATE INDEX ix_server_identity_account_id ON server_identity USING btree (account_id);
CREATE INDEX ix_server_invitation_collection_id ON server_invitation USING btree (collection_id);
CREATE INDEX ix_server_job_collection_id ON server_job USING btree (collection_id);
CREATE INDEX ix_server_job_collection_id_request_hash ON server_job USING btree (collection_id, request_hash);
CREATE INDEX ix_server_job_state_lease_until ON server_job USING btree (state, lease_until);
CREATE INDEX ix_server_role_collection_id ON server_role USING btree (collection_id);
CREATE INDEX ix_server_session_account_id ON server_session USING btree (account_id);
CREATE INDEX ix_server_token_account_id ON server_token USING btree (account_id);
CREATE INDEX ix_server_token_collection_id ON server_token USING btree (collection_id);
CREATE INDEX ix_server_webhook_collection_id ON server_webhook USING btree (collection_id);
CREATE UNIQUE INDEX uq_qrels_default ON qrels USING btree (collection_id) WHERE is_default;
CREATE UNIQUE INDEX uq_server_role_store ON server_role USING btree (account_id, from_groups) WHERE (collection_id IS NULL);
CREATE UNIQUE INDEX uq_server_token_name ON server_token USING btree (name) WHERE (revoked_at IS NULL);
CREATE TRIGGER check_added_hit_list_insert AFTER INSERT ON hit_list REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION check_added_hit_list();
CREATE TRIGGER check_added_hit_list_update AFTER UPDATE ON hit_list REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION check_added_hit_list();
CREATE TRIGGER check_added_retrieved_list_insert AFTER INSERT ON retrieved_list REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION check_added_retrieved_list();
CREATE TRIGGER check_added_retrieved_list_update AFTER UPDATE ON retrieved_list REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION check_added_retrieved_list();
CREATE TRIGGER check_added_value_list_insert AFTER INSERT ON value_list REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION check_added_value_list();
CREATE TRIGGER check_added_value_list_update AFTER UPDATE ON value_list REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION check_added_value_list();
CREATE TRIGGER delete_hit_list_of_evaluation AFTER DELETE ON evaluation REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_hit_list_of_evaluation();
CREATE TRIGGER delete_hit_list_of_query AFTER DELETE ON query REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_hit_list_of_query();
CREATE TRIGGER delete_retrieved_list_of_content AFTER DELETE ON content REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_retrieved_list_of_content();
CREATE TRIGGER delete_retrieved_list_of_query AFTER DELETE ON query REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_retrieved_list_of_query();
ALTER TABLE ONLY aggregate
    ADD CONSTRAINT fk_aggregate_evaluation_id FOREIGN KEY (evaluation_id) REFERENCES evaluation(id) ON DELETE CASCADE;
ALTER TABLE ONLY aggregate
    ADD CONSTRAINT fk_aggregate_measure_id FOREIGN KEY (measure_id) REFERENCES measure(id) ON DELETE CASCADE;
ALTER TABLE ONLY assessment
    ADD CONSTRAINT fk_assessment_draft_id FOREIGN KEY (draft_id) REFERENCES draft(id) ON DELETE CASCADE;
ALTER TABLE ONLY assessment
    ADD CONSTRAINT fk_assessment_query_id FOREIGN KEY (query_id) REFERENCES query(id) ON DELETE CASCADE;
ALTER TABLE ONLY baseline
    ADD CONSTRAINT fk_baseline_collection_id FOREIGN KEY (collection_id) REFERENCES collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY baseline
    ADD CONSTRAINT fk_baseline_run_id FOREIGN KEY (run_id) REFERENCES run(id) ON DELETE CASCADE;
ALTER TABLE ONLY comment
    ADD CONSTRAINT fk_comment_collection_id FOREIGN KEY (collection_id) REFERENCES collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY comment
    ADD CONSTRAINT fk_comment_query_id FOREIGN KEY (query_id) REFERENCES query(id) ON DELETE CASCADE;
ALTER TABLE ONLY comment
    ADD CONSTRAINT fk_comment_run_id FOREIGN KEY (run_id) REFERENCES run(id) ON DELETE CASCADE;
ALTER TABLE ONLY content
    ADD CONSTRAINT fk_content_collection_id FOREIGN KEY (collection_id) REFERENCES collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY document
    ADD CONSTRAINT fk_document_collection_id FOREIGN KEY (collection_id) REFERENCES collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY draft
    ADD CONSTRAINT fk_draft_collection_id FOREIGN KEY (collection_id) REFERENCES collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY draft_document
    ADD CONSTRAINT fk_draft_document_draft_id FOREIGN KEY (draft_id) REFERENCES draft(id) ON DELETE CASCADE;
ALTER TABLE ONLY draft_document
    ADD CONSTRAINT fk_draft_document_query_id FOREIGN KEY (query_id) REFERENCES query(id) ON DELETE CASCADE;
ALTER TABLE ONLY draft
    ADD CONSTRAINT fk_draft_parent_id FOREIGN KEY (parent_id) REFERENCES qrels(id) ON DELETE SET NULL;
ALTER TABLE ONLY draft
    ADD CONSTRAINT fk_draft_published_id FOREIGN KEY (published_id) REFERENCES qrels(id) ON DELETE SET NULL;
ALTER TABLE ONLY engine_slot
    ADD CONSTRAINT fk_engine_slot_collection_id FOREIGN KEY (collection_id) REFERENCES collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY engine_slot
    ADD CONSTRAINT fk_engine_slot_engine_id FOREIGN KEY (engine_id) REFERENCES engine(id) ON DELETE CASCADE;
ALTER TABLE ONLY evaluation
    ADD CONSTRAINT fk_evaluation_content_id FOREIGN KEY (content_id) REFERENCES content(id) ON DELETE CASCADE;
ALTER TABLE ONLY evaluation
    ADD CONSTRAINT fk_evaluation_qrels_id FOREIGN KEY (qrels_id) REFERENCES qrels(id) ON DELETE CASCADE;
ALTER TABLE ONLY experiment_about
    ADD CONSTRAINT fk_experiment_about_collection_id FOREIGN KEY (collection_id) REFERENCES collection(id) ON DELETE SET NULL;
ALTER TABLE ONLY experiment_about
    ADD CONSTRAINT fk_experiment_about_experiment_id FOREIGN KEY (experiment_id) REFERENCES experiment(id) ON DELETE CASCADE;
ALTER TABLE ONLY explanation
    ADD CONSTRAINT fk_explanation_query_id FOREIGN KEY (query_id) REFERENCES query(id) ON DELETE CASCADE;
ALTER TABLE ONLY explanation
    ADD CONSTRAINT fk_explanation_run_id FOREIGN KEY (run_id) REFERENCES run(id) ON DELETE CASCADE;
ALTER TABLE ONLY group_judgment
    ADD CONSTRAINT fk_group_judgment_collection_id FOREIGN KEY (collection_id) REFERENCES collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY group_judgment
    ADD CONSTRAINT fk_group_judgment_query_id FOREIGN KEY (query_id) REFERENCES query(id) ON DELETE CASCADE;
ALTER TABLE ONLY judgment_origin
    ADD CONSTRAINT fk_judgment_origin_qrels_id FOREIGN KEY (qrels_id) REFERENCES qrels(id) ON DELETE CASCADE;
ALTER TABLE ONLY judgment_origin
    ADD CONSTRAINT fk_judgment_origin_query_id FOREIGN KEY (query_id) REFERENCES query(id) ON DELETE CASCADE;
ALTER TABLE ONLY judgment
    ADD CONSTRAINT fk_judgment_qrels_id FOREIGN KEY (qrels_id) REFERENCES qrels(id) ON DELETE CASCADE;
ALTER TABLE ONLY judgment
    ADD CONSTRAINT fk_judgment_query_id FOREIGN KEY (query_id) REFERENCES query(id) ON DELETE CASCADE;
ALTER TABLE ONLY known_document
    ADD CONSTRAINT fk_known_document_collection_id FOREIGN KEY (collection_id) REFERENCES collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY known_document
    ADD CONSTRAINT fk_known_document_query_id FOREIGN KEY (query_id) REFERENCES query(id) ON DELETE CASCADE;
ALTER TABLE ONLY preference_judgment
    ADD CONSTRAINT fk_preference_judgment_collection_id FOREIGN KEY (collection_id) REFERENCES collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY preference_judgment
    ADD CONSTRAINT fk_preference_judgment_query_id FOREIGN KEY (query_id) REFERENCES query(id) ON DELETE CASCADE;
ALTER TABLE ONLY qrels
    ADD CONSTRAINT fk_qrels_collection_id FOREIGN KEY (collection_id) REFERENCES collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY qrels
    ADD CONSTRAINT fk_qrels_parent_id FOREIGN KEY (parent_id) REFERENCES qrels(id) ON DELETE SET NULL;
ALTER TABLE ONLY query_attribute
    ADD CONSTRAINT fk_query_attribute_query_id FOREIGN KEY (query_id) REFERENCES query(id) ON DELETE CASCADE;
ALTER TABLE ONLY query
    ADD CONSTRAINT fk_query_collection_id FOREIGN KEY (collection_id) REFERENCES collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY ranking
    ADD CONSTRAINT fk_ranking_content_id FOREIGN KEY (content_id) REFERENCES content(id) ON DELETE CASCADE;
ALTER TABLE ONLY ranking
    ADD CONSTRAINT fk_ranking_query_id FOREIGN KEY (query_id) REFERENCES query(id) ON DELETE CASCADE;
ALTER TABLE ONLY response_time
    ADD CONSTRAINT fk_response_time_query_id FOREIGN KEY (query_id) REFERENCES query(id) ON DELETE CASCADE;
ALTER TABLE ONLY response_time
    ADD CONSTRAINT fk_response_time_run_id FOREIGN KEY (run_id) REFERENCES run(id) ON DELETE CASCADE;
ALTER TABLE ONLY run
    ADD CONSTRAINT fk_run_collection_id FOREIGN KEY (collection_id) REFERENCES collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY run
    ADD CONSTRAINT fk_run_content_id FOREIGN KEY (content_id) REFERENCES content(id) ON DELETE CASCADE;
ALTER TABLE ONLY run
    ADD CONSTRAINT fk_run_engine_id FOREIGN KEY (engine_id) REFERENCES engine(id) ON DELETE CASCADE;
ALTER TABLE ONLY run_file
    ADD CONSTRAINT fk_run_file_run_id FOREIGN KEY (run_id) REFERENCES run(id) ON DELETE CASCADE;
ALTER TABLE ONLY run_parent
    ADD CONSTRAINT fk_run_parent_parent_id FOREIGN KEY (parent_id) REFERENCES run(id) ON DELETE CASCADE;
ALTER TABLE ONLY run_parent
    ADD CONSTRAINT fk_run_parent_run_id FOREIGN KEY (run_id) REFERENCES run(id) ON DELETE CASCADE;
ALTER TABLE ONLY saved_leaderboard
    ADD CONSTRAINT fk_saved_leaderboard_measure_id FOREIGN KEY (measure_id) REFERENCES measure(id) ON DELETE CASCADE;
ALTER TABLE ONLY saved_leaderboard
    ADD CONSTRAINT fk_saved_leaderboard_qrels_id FOREIGN KEY (qrels_id) REFERENCES qrels(id) ON DELETE CASCADE;
ALTER TABLE ONLY saved_rank
    ADD CONSTRAINT fk_saved_rank_run_id FOREIGN KEY (run_id) REFERENCES run(id) ON DELETE CASCADE;
ALTER TABLE ONLY saved_rank
    ADD CONSTRAINT fk_saved_rank_saved_leaderboard_id FOREIGN KEY (saved_leaderboard_id) REFERENCES saved_leaderboard(id) ON DELETE CASCADE;
ALTER TABLE ONLY server_identity
    ADD CONSTRAINT fk_server_identity_account_id FOREIGN KEY (account_id) REFERENCES server_account(id) ON DELETE CASCADE;
ALTER TABLE ONLY server_invitation
    ADD CONSTRAINT fk_server_invitation_collection_id FOREIGN KEY (collection_id) REFERENCES collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY server_job
    ADD CONSTRAINT fk_server_job_collection_id FOREIGN KEY (collection_id) REFERENCES collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY server_role
    ADD CONSTRAINT fk_server_role_account_id FOREIGN KEY (account_id) REFERENCES server_account(id) ON DELETE CASCADE;
ALTER TABLE ONLY server_role
    ADD CONSTRAINT fk_server_role_collection_id FOREIGN KEY (collection_id) REFERENCES collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY server_session
    ADD CONSTRAINT fk_server_session_account_id FOREIGN KEY (account_id) REFERENCES server_account(id) ON DELETE CASCADE;
ALTER TABLE ONLY server_token
    ADD CONSTRAINT fk_server_token_account_id FOREIGN KEY (account_id) REFERENCES server_account(id) ON DELETE CASCADE;
ALTER TABLE ONLY server_token
    ADD CONSTRAINT fk_server_token_collection_id FOREIGN KEY (collection_id) REFERENCES collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY server_upload
    ADD CONSTRAINT fk_server_upload_collection_id FOREIGN KEY (collection_id) REFERENCES collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY server_webhook
    ADD CONSTRAINT fk_server_webhook_collection_id FOREIGN KEY (collection_id) REFERENCES collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY subtopic_judgment
    ADD CONSTRAINT fk_subtopic_judgment_collection_id FOREIGN KEY (collection_id) REFERENCES collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY subtopic_judgment
    ADD CONSTRAINT fk_subtopic_judgment_query_id FOREIGN KEY (query_id) REFERENCES query(id) ON DELETE CASCADE;
ALTER TABLE ONLY value_list
    ADD CONSTRAINT fk_value_list_evaluation_id FOREIGN KEY (evaluation_id) REFERENCES evaluation(id) ON DELETE CASCADE;
ALTER TABLE ONLY value_list
    ADD CONSTRAINT fk_value_list_measure_id FOREIGN KEY (measure_id) REFERENCES measure(id) ON DELETE CASCADE;
