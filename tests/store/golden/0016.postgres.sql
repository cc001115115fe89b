SELECT pg_catalog.set_config('search_path', '', false);
CREATE FUNCTION public.check_added_hit_list() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
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
CREATE FUNCTION public.check_added_retrieved_list() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
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
CREATE FUNCTION public.check_added_value_list() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
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
CREATE FUNCTION public.delete_hit_list_of_evaluation() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    DELETE FROM hit_list USING gone WHERE hit_list.evaluation_id = gone.id;
    RETURN NULL;
END
$$;
CREATE FUNCTION public.delete_hit_list_of_query() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    DELETE FROM hit_list USING gone WHERE hit_list.query_id = gone.id;
    RETURN NULL;
END
$$;
CREATE FUNCTION public.delete_retrieved_list_of_content() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    DELETE FROM retrieved_list USING gone WHERE retrieved_list.content_id = gone.id;
    RETURN NULL;
END
$$;
CREATE FUNCTION public.delete_retrieved_list_of_query() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
    DELETE FROM retrieved_list USING gone WHERE retrieved_list.query_id = gone.id;
    RETURN NULL;
END
$$;
CREATE TABLE public.aggregate (
    evaluation_id integer NOT NULL,
    measure_id integer NOT NULL,
    value double precision NOT NULL,
    spread double precision,
    queries integer NOT NULL
);
COMMENT ON TABLE public.aggregate IS 'The one figure of a measure for all queries.';
COMMENT ON COLUMN public.aggregate.evaluation_id IS 'the evaluation';
COMMENT ON COLUMN public.aggregate.measure_id IS 'the measure';
COMMENT ON COLUMN public.aggregate.value IS 'unrounded; the mean, or the measure''s own';
COMMENT ON COLUMN public.aggregate.spread IS 'standard deviation over the queries; null for fewer than two';
COMMENT ON COLUMN public.aggregate.queries IS 'how many queries it is over';
CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.assessment (
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
COMMENT ON TABLE public.assessment IS 'What somebody said of a document; the newest row of each assessor counts.';
COMMENT ON COLUMN public.assessment.id IS 'made by the database';
COMMENT ON COLUMN public.assessment.draft_id IS 'the draft';
COMMENT ON COLUMN public.assessment.query_id IS 'the query';
COMMENT ON COLUMN public.assessment.docno IS 'the document';
COMMENT ON COLUMN public.assessment.assessor IS 'who says it';
COMMENT ON COLUMN public.assessment.kind IS 'person, model or adjudicator';
COMMENT ON COLUMN public.assessment.state IS 'graded, cannot_tell, later or undone';
COMMENT ON COLUMN public.assessment.grade IS 'null unless it is graded';
COMMENT ON COLUMN public.assessment.comment IS 'what else they say, in Markdown';
COMMENT ON COLUMN public.assessment.passage IS 'the part of the text that decided';
COMMENT ON COLUMN public.assessment.key IS 'given by the sender: what is sent twice is stored once';
COMMENT ON COLUMN public.assessment.judged_at IS 'when it was received';
CREATE SEQUENCE public.assessment_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.assessment_id_seq OWNED BY public.assessment.id;
CREATE TABLE public.baseline (
    collection_id integer NOT NULL,
    run_id integer NOT NULL
);
COMMENT ON TABLE public.baseline IS 'The run that the others of a collection are compared with unless told otherwise.';
COMMENT ON COLUMN public.baseline.collection_id IS 'the collection';
COMMENT ON COLUMN public.baseline.run_id IS 'the run';
CREATE TABLE public.collection (
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
COMMENT ON TABLE public.collection IS 'A test collection: documents, queries and what was judged.';
COMMENT ON COLUMN public.collection.id IS 'made by the database';
COMMENT ON COLUMN public.collection.name IS 'unique in the store';
COMMENT ON COLUMN public.collection.documents IS 'how many documents it has; null where that was not said';
COMMENT ON COLUMN public.collection.created_at IS 'when it was first named';
COMMENT ON COLUMN public.collection.deleted_at IS 'when it was marked as removed; null for collections that count';
COMMENT ON COLUMN public.collection.access IS 'who reads it on the team''s server: store (who reads the store), private (only who has a role in it) or public (everyone)';
COMMENT ON COLUMN public.collection.measures IS 'the measures that an ingest stores: a set, or names with commas between; null for the set standard';
COMMENT ON COLUMN public.collection.mappings IS 'how files of other programs are read: the paths of fields by a name';
COMMENT ON COLUMN public.collection.grade_labels IS 'the names of the grades for those who judge, by grade as text';
COMMENT ON COLUMN public.collection.document_link IS 'the address of a document''s text, with {docno} in it';
COMMENT ON COLUMN public.collection.guidelines IS 'how to judge, in Markdown';
CREATE SEQUENCE public.collection_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.collection_id_seq OWNED BY public.collection.id;
CREATE TABLE public.comment (
    id integer NOT NULL,
    collection_id integer NOT NULL,
    run_id integer,
    query_id integer,
    who text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    text text NOT NULL COLLATE pg_catalog."C"
);
COMMENT ON TABLE public.comment IS 'A comment of a person on a run or on a query.';
COMMENT ON COLUMN public.comment.id IS 'made by the database';
COMMENT ON COLUMN public.comment.collection_id IS 'the collection of the run or query';
COMMENT ON COLUMN public.comment.run_id IS 'the run; null for a comment on a query';
COMMENT ON COLUMN public.comment.query_id IS 'the query; null for a comment on a run';
COMMENT ON COLUMN public.comment.who IS 'who wrote it, as in `event`';
COMMENT ON COLUMN public.comment.created_at IS 'when it was written';
COMMENT ON COLUMN public.comment.text IS 'what it says, in Markdown';
CREATE SEQUENCE public.comment_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.comment_id_seq OWNED BY public.comment.id;
CREATE TABLE public.content (
    id integer NOT NULL,
    collection_id integer NOT NULL,
    content_hash text NOT NULL COLLATE pg_catalog."C"
);
COMMENT ON TABLE public.content IS 'The rankings (or the values) of runs: stored once for all runs that have the same.';
COMMENT ON COLUMN public.content.id IS 'made by the database';
COMMENT ON COLUMN public.content.collection_id IS 'the collection';
COMMENT ON COLUMN public.content.content_hash IS 'SHA-256 of the rankings, or of the values';
CREATE SEQUENCE public.content_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.content_id_seq OWNED BY public.content.id;
CREATE TABLE public.document (
    collection_id integer NOT NULL,
    docno text NOT NULL COLLATE pg_catalog."C",
    title text COLLATE pg_catalog."C",
    packed bytea
);
COMMENT ON TABLE public.document IS 'The text of a document, optional: for reading a ranking.';
COMMENT ON COLUMN public.document.collection_id IS 'the collection';
COMMENT ON COLUMN public.document.docno IS 'its id, as text';
COMMENT ON COLUMN public.document.title IS 'its title';
COMMENT ON COLUMN public.document.packed IS 'its words: a byte 0 and UTF-8, or a byte 1 and a zlib stream of UTF-8';
CREATE TABLE public.draft (
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
COMMENT ON TABLE public.draft IS 'A set of documents to judge, which becomes a new qrels when it is published.';
COMMENT ON COLUMN public.draft.id IS 'made by the database';
COMMENT ON COLUMN public.draft.collection_id IS 'the collection';
COMMENT ON COLUMN public.draft.name IS 'unique in the collection';
COMMENT ON COLUMN public.draft.parent_id IS 'the qrels whose judgments it continues; null without one';
COMMENT ON COLUMN public.draft.rule IS 'how grades of several judges become one: majority, mean, minimum or adjudicated';
COMMENT ON COLUMN public.draft.overlap IS 'how many assessors judge each document';
COMMENT ON COLUMN public.draft.seed IS 'of the order in which documents are shown';
COMMENT ON COLUMN public.draft.pool IS 'how the documents were drawn';
COMMENT ON COLUMN public.draft.who IS 'who made it, as in `event`';
COMMENT ON COLUMN public.draft.created_at IS 'when it was made';
COMMENT ON COLUMN public.draft.published_id IS 'the qrels that was made of it last; null before';
CREATE TABLE public.draft_document (
    draft_id integer NOT NULL,
    query_id integer NOT NULL,
    docno text NOT NULL COLLATE pg_catalog."C",
    place integer NOT NULL,
    stratum text COLLATE pg_catalog."C",
    probability double precision,
    assigned text COLLATE pg_catalog."C"
);
COMMENT ON TABLE public.draft_document IS 'A document to judge for a query.';
COMMENT ON COLUMN public.draft_document.draft_id IS 'the draft';
COMMENT ON COLUMN public.draft_document.query_id IS 'the query';
COMMENT ON COLUMN public.draft_document.docno IS 'the document';
COMMENT ON COLUMN public.draft_document.place IS 'from 0, in the order in which documents are shown';
COMMENT ON COLUMN public.draft_document.stratum IS 'the part of the pool that it was drawn from';
COMMENT ON COLUMN public.draft_document.probability IS 'the chance that it was drawn, above 0 and at most 1';
COMMENT ON COLUMN public.draft_document.assigned IS 'the assessor who is to judge it; null for anyone';
CREATE SEQUENCE public.draft_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.draft_id_seq OWNED BY public.draft.id;
CREATE TABLE public.engine (
    id integer NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C"
);
COMMENT ON TABLE public.engine IS 'A retrieval system under comparison.';
COMMENT ON COLUMN public.engine.id IS 'made by the database';
COMMENT ON COLUMN public.engine.name IS 'the run tag unless another was given';
CREATE TABLE public.evaluation (
    id integer NOT NULL,
    content_id integer NOT NULL,
    qrels_id integer NOT NULL,
    evaluator text NOT NULL COLLATE pg_catalog."C",
    compat text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL
);
COMMENT ON TABLE public.evaluation IS 'The evaluation of rankings under a qrels, for all runs that have them.';
COMMENT ON COLUMN public.evaluation.id IS 'made by the database';
COMMENT ON COLUMN public.evaluation.content_id IS 'the rankings';
COMMENT ON COLUMN public.evaluation.qrels_id IS 'the qrels';
COMMENT ON COLUMN public.evaluation.evaluator IS 'the version of evalstore that computed it';
COMMENT ON COLUMN public.evaluation.compat IS 'exact, trec_eval-9 or trec_eval-10';
COMMENT ON COLUMN public.evaluation.created_at IS 'when it was computed';
CREATE TABLE public.measure (
    id integer NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    family text NOT NULL COLLATE pg_catalog."C",
    direction smallint NOT NULL,
    aggregate text NOT NULL COLLATE pg_catalog."C"
);
COMMENT ON TABLE public.measure IS 'A measure.';
COMMENT ON COLUMN public.measure.id IS 'made by the database';
COMMENT ON COLUMN public.measure.name IS 'canonical, like nDCG@10';
COMMENT ON COLUMN public.measure.family IS 'what kind of measure it is';
COMMENT ON COLUMN public.measure.direction IS '1: more is better, -1: less is better, 0: neither';
COMMENT ON COLUMN public.measure.aggregate IS 'how values become one figure: mean, sum, ...';
CREATE TABLE public.qrels (
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
COMMENT ON TABLE public.qrels IS 'One set of judgments of a collection; a changed file is a new set.';
COMMENT ON COLUMN public.qrels.id IS 'made by the database';
COMMENT ON COLUMN public.qrels.collection_id IS 'the collection';
COMMENT ON COLUMN public.qrels.name IS 'the file''s name, unique in the collection';
COMMENT ON COLUMN public.qrels.content_hash IS 'SHA-256 of the content';
COMMENT ON COLUMN public.qrels.queries IS 'how many queries have judgments';
COMMENT ON COLUMN public.qrels.judgments IS 'how many judgments';
COMMENT ON COLUMN public.qrels.relevant IS 'how many with a grade of 1 or more';
COMMENT ON COLUMN public.qrels.highest_grade IS 'the highest grade';
COMMENT ON COLUMN public.qrels.created_at IS 'when it was ingested';
COMMENT ON COLUMN public.qrels.is_default IS 'whether it is the one that figures are shown under';
COMMENT ON COLUMN public.qrels.deleted_at IS 'when it was marked as removed; null for qrels that count';
COMMENT ON COLUMN public.qrels.parent_id IS 'the qrels that it was made of; null for a file';
COMMENT ON COLUMN public.qrels.who IS 'who made this version, as in `event`; null for a file';
COMMENT ON COLUMN public.qrels.reason IS 'why this version was made; null for a file';
COMMENT ON COLUMN public.qrels.rule IS 'how grades of several judges became one: majority, mean, minimum or adjudicated';
COMMENT ON COLUMN public.qrels.origin IS 'where its judgments come from: `kind` (file, person, model), and of a model its facts; null for a file';
CREATE TABLE public.run (
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
COMMENT ON TABLE public.run IS 'A record of an engine that answered a collection''s queries: its name, facts and date.';
COMMENT ON COLUMN public.run.id IS 'made by the database';
COMMENT ON COLUMN public.run.collection_id IS 'the collection';
COMMENT ON COLUMN public.run.engine_id IS 'the engine';
COMMENT ON COLUMN public.run.name IS 'the file''s name unless another was given';
COMMENT ON COLUMN public.run.tag IS 'the run tag in the file';
COMMENT ON COLUMN public.run.queries IS 'how many queries it answers';
COMMENT ON COLUMN public.run.retrieved IS 'how many documents in all lists';
COMMENT ON COLUMN public.run.parameters IS 'settings of the engine';
COMMENT ON COLUMN public.run.tags IS 'words that people put on it';
COMMENT ON COLUMN public.run.commit IS 'the version of the engine''s code';
COMMENT ON COLUMN public.run.created_at IS 'when it was ingested';
COMMENT ON COLUMN public.run.deleted_at IS 'when it was marked as removed; null for runs that count';
COMMENT ON COLUMN public.run.index_bytes IS 'the size of the engine''s index; null where not given';
COMMENT ON COLUMN public.run.note IS 'what people wrote about it, in Markdown';
COMMENT ON COLUMN public.run.commit_dirty IS 'whether files differed from the commit; null where that is not known';
COMMENT ON COLUMN public.run.host IS 'the machine that the engine ran on';
COMMENT ON COLUMN public.run.started_by IS 'the account that started the engine';
COMMENT ON COLUMN public.run.started_at IS 'when the engine started';
COMMENT ON COLUMN public.run.ended_at IS 'when it was done';
COMMENT ON COLUMN public.run.command IS 'the command line of the engine';
COMMENT ON COLUMN public.run.index_version IS 'the version of the index';
COMMENT ON COLUMN public.run.collection_version IS 'the version of the documents that were indexed';
COMMENT ON COLUMN public.run.header IS 'the ir_metadata that headed the run file';
COMMENT ON COLUMN public.run.memory_bytes IS 'the most memory that the engine used';
COMMENT ON COLUMN public.run.money IS 'what all queries together cost';
COMMENT ON COLUMN public.run.currency IS 'in which currency, like EUR';
COMMENT ON COLUMN public.run.energy_joules IS 'the energy that all queries together took';
COMMENT ON COLUMN public.run.values_only IS 'whether it came as values of measures, without rankings';
COMMENT ON COLUMN public.run.experiment IS 'the name of the experiment that it belongs to, if any';
COMMENT ON COLUMN public.run.content_id IS 'its rankings, which other runs may share';
CREATE VIEW public.engine_history AS
 SELECT collection.name AS collection,
    qrels.name AS qrels,
    engine.name AS engine,
    run.name AS run,
    COALESCE(run.started_at, run.created_at) AS at,
    measure.name AS measure,
    aggregate.value,
    lag(aggregate.value) OVER in_time AS previous,
    (aggregate.value - lag(aggregate.value) OVER in_time) AS difference
   FROM ((((((public.aggregate
     JOIN public.evaluation ON ((evaluation.id = aggregate.evaluation_id)))
     JOIN public.measure ON ((measure.id = aggregate.measure_id)))
     JOIN public.qrels ON ((qrels.id = evaluation.qrels_id)))
     JOIN public.run ON ((run.content_id = evaluation.content_id)))
     JOIN public.engine ON ((engine.id = run.engine_id)))
     JOIN public.collection ON ((collection.id = run.collection_id)))
  WHERE ((run.deleted_at IS NULL) AND (qrels.deleted_at IS NULL) AND (collection.deleted_at IS NULL))
  WINDOW in_time AS (PARTITION BY collection.name, qrels.name, engine.name, measure.name ORDER BY COALESCE(run.started_at, run.created_at), run.id);
COMMENT ON VIEW public.engine_history IS 'The figures of each engine''s runs in time, each beside that of the run before.';
COMMENT ON COLUMN public.engine_history.collection IS 'the test collection';
COMMENT ON COLUMN public.engine_history.qrels IS 'the set of judgments';
COMMENT ON COLUMN public.engine_history.engine IS 'the retrieval system';
COMMENT ON COLUMN public.engine_history.run IS 'the run''s name, unique in the collection';
COMMENT ON COLUMN public.engine_history.at IS 'when the engine started, where given, else when the run was stored (UTC)';
COMMENT ON COLUMN public.engine_history.measure IS 'the measure''s canonical name, like nDCG@10';
COMMENT ON COLUMN public.engine_history.value IS 'the measure''s value, unrounded';
COMMENT ON COLUMN public.engine_history.previous IS 'the value of the engine''s run before; null for its first run';
COMMENT ON COLUMN public.engine_history.difference IS 'value - previous';
CREATE SEQUENCE public.engine_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.engine_id_seq OWNED BY public.engine.id;
CREATE TABLE public.engine_slot (
    collection_id integer NOT NULL,
    engine_id integer NOT NULL,
    slot integer NOT NULL
);
COMMENT ON TABLE public.engine_slot IS 'The number of an engine in a collection, by which charts give it a colour and a mark.';
COMMENT ON COLUMN public.engine_slot.collection_id IS 'the collection';
COMMENT ON COLUMN public.engine_slot.engine_id IS 'the engine';
COMMENT ON COLUMN public.engine_slot.slot IS 'from 0, in the order of the engines'' first runs; never changed';
CREATE SEQUENCE public.evaluation_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.evaluation_id_seq OWNED BY public.evaluation.id;
CREATE TABLE public.event (
    id integer NOT NULL,
    at timestamp with time zone NOT NULL,
    who text NOT NULL COLLATE pg_catalog."C",
    action text NOT NULL COLLATE pg_catalog."C",
    collection text COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    details json,
    collection_id integer
);
COMMENT ON TABLE public.event IS 'Who did what to the store, and when.';
COMMENT ON COLUMN public.event.id IS 'made by the database';
COMMENT ON COLUMN public.event.at IS 'when';
COMMENT ON COLUMN public.event.who IS 'user@host, as the system of that time said';
COMMENT ON COLUMN public.event.action IS 'ingest, replace, measure, rm, restore, purge, ...';
COMMENT ON COLUMN public.event.collection IS 'the collection''s name at that time';
COMMENT ON COLUMN public.event.subject IS 'the name of the run or qrels at that time';
COMMENT ON COLUMN public.event.details IS 'what else there is to say';
COMMENT ON COLUMN public.event.collection_id IS 'the collection''s id, which stays when it is renamed or deleted; null for none';
CREATE SEQUENCE public.event_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.event_id_seq OWNED BY public.event.id;
CREATE TABLE public.experiment (
    id integer NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    question text COLLATE pg_catalog."C",
    conclusion text COLLATE pg_catalog."C"
);
COMMENT ON TABLE public.experiment IS 'What is written about an experiment, a named group of runs.';
COMMENT ON COLUMN public.experiment.id IS 'made by the database';
COMMENT ON COLUMN public.experiment.name IS 'unique in the store; `run.experiment` of its runs';
COMMENT ON COLUMN public.experiment.created_at IS 'when it was first named';
COMMENT ON COLUMN public.experiment.question IS 'what it is to find out, in Markdown';
COMMENT ON COLUMN public.experiment.conclusion IS 'what was found out, in Markdown';
CREATE TABLE public.experiment_about (
    id integer NOT NULL,
    experiment_id integer NOT NULL,
    collection_id integer
);
COMMENT ON TABLE public.experiment_about IS 'A collection that the texts of an experiment are about: that of a run it had then.';
COMMENT ON COLUMN public.experiment_about.id IS 'made by the database';
COMMENT ON COLUMN public.experiment_about.experiment_id IS 'the experiment';
COMMENT ON COLUMN public.experiment_about.collection_id IS 'the collection; null for one that is no more, or is in another store';
CREATE SEQUENCE public.experiment_about_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.experiment_about_id_seq OWNED BY public.experiment_about.id;
CREATE SEQUENCE public.experiment_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.experiment_id_seq OWNED BY public.experiment.id;
CREATE TABLE public.explanation (
    run_id integer NOT NULL,
    query_id integer NOT NULL,
    docno text NOT NULL COLLATE pg_catalog."C",
    text text NOT NULL COLLATE pg_catalog."C"
);
COMMENT ON TABLE public.explanation IS 'The engine''s explanation of the score of a document for a query.';
COMMENT ON COLUMN public.explanation.run_id IS 'the run';
COMMENT ON COLUMN public.explanation.query_id IS 'the query';
COMMENT ON COLUMN public.explanation.docno IS 'the document';
COMMENT ON COLUMN public.explanation.text IS 'what the engine said';
CREATE TABLE public.group_judgment (
    collection_id integer NOT NULL,
    query_id integer NOT NULL,
    docno text NOT NULL COLLATE pg_catalog."C",
    judgment_group text NOT NULL COLLATE pg_catalog."C",
    grade double precision NOT NULL
);
COMMENT ON TABLE public.group_judgment IS 'The grade that a judgment group (a judge) gave a document, for averages over groups.';
COMMENT ON COLUMN public.group_judgment.collection_id IS 'the collection';
COMMENT ON COLUMN public.group_judgment.query_id IS 'the query';
COMMENT ON COLUMN public.group_judgment.docno IS 'the document';
COMMENT ON COLUMN public.group_judgment.judgment_group IS 'who judged';
COMMENT ON COLUMN public.group_judgment.grade IS '1 and more is relevant; negative: in the pool, not judged';
CREATE TABLE public.hit_list (
    evaluation_id integer NOT NULL,
    query_id integer NOT NULL,
    ranks integer[] NOT NULL,
    docnos text[] NOT NULL COLLATE pg_catalog."C",
    grades double precision[] NOT NULL,
    scores double precision[] NOT NULL,
    CONSTRAINT ck_hit_list_lengths CHECK (((cardinality(docnos) = cardinality(ranks)) AND (cardinality(grades) = cardinality(ranks)) AND (cardinality(scores) = cardinality(ranks))))
);
ALTER TABLE ONLY public.hit_list ALTER COLUMN ranks SET STORAGE EXTERNAL;
ALTER TABLE ONLY public.hit_list ALTER COLUMN docnos SET STORAGE EXTERNAL;
ALTER TABLE ONLY public.hit_list ALTER COLUMN scores SET STORAGE EXTERNAL;
COMMENT ON TABLE public.hit_list IS 'The relevant documents that the run retrieved for a query.';
COMMENT ON COLUMN public.hit_list.evaluation_id IS 'the evaluation';
COMMENT ON COLUMN public.hit_list.query_id IS 'the query';
COMMENT ON COLUMN public.hit_list.ranks IS 'the rank of each of these documents, from 1';
COMMENT ON COLUMN public.hit_list.docnos IS 'the documents';
COMMENT ON COLUMN public.hit_list.grades IS 'the grade of each of them, 1 or more';
COMMENT ON COLUMN public.hit_list.scores IS 'what the engine gave each of them';
CREATE VIEW public.hit AS
 SELECT hit_list.evaluation_id,
    hit_list.query_id,
    element.rank,
    element.docno,
    element.grade,
    element.score
   FROM public.hit_list,
    LATERAL UNNEST(hit_list.ranks, hit_list.docnos, hit_list.grades, hit_list.scores) element(rank, docno, grade, score);
COMMENT ON VIEW public.hit IS 'A relevant document that the run retrieved, at its true rank, however deep.';
COMMENT ON COLUMN public.hit.evaluation_id IS 'the evaluation';
COMMENT ON COLUMN public.hit.query_id IS 'the query';
COMMENT ON COLUMN public.hit.rank IS 'from 1';
COMMENT ON COLUMN public.hit.docno IS 'the document';
COMMENT ON COLUMN public.hit.grade IS 'its grade, 1 or more';
COMMENT ON COLUMN public.hit.score IS 'what the engine gave it';
CREATE TABLE public.judgment (
    qrels_id integer NOT NULL,
    query_id integer NOT NULL,
    docno text NOT NULL COLLATE pg_catalog."C",
    grade double precision NOT NULL
);
COMMENT ON TABLE public.judgment IS 'The grade of a document for a query.';
COMMENT ON COLUMN public.judgment.qrels_id IS 'the qrels';
COMMENT ON COLUMN public.judgment.query_id IS 'the query';
COMMENT ON COLUMN public.judgment.docno IS 'the document';
COMMENT ON COLUMN public.judgment.grade IS '1 and more is relevant; negative: in the pool, not judged';
CREATE TABLE public.judgment_origin (
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
COMMENT ON TABLE public.judgment_origin IS 'The origin of a judgment, for judgments that have another one than their qrels.';
COMMENT ON COLUMN public.judgment_origin.qrels_id IS 'the qrels';
COMMENT ON COLUMN public.judgment_origin.query_id IS 'the query';
COMMENT ON COLUMN public.judgment_origin.docno IS 'the document';
COMMENT ON COLUMN public.judgment_origin.kind IS 'person, model or file';
COMMENT ON COLUMN public.judgment_origin.name IS 'the people with commas between, the model, or the file';
COMMENT ON COLUMN public.judgment_origin.pool IS 'how the documents to judge were drawn; null where that is not known';
COMMENT ON COLUMN public.judgment_origin.stratum IS 'the part of the pool that the document was drawn from';
COMMENT ON COLUMN public.judgment_origin.probability IS 'the chance that it was drawn, above 0 and at most 1';
COMMENT ON COLUMN public.judgment_origin.judged_at IS 'when it was judged; null where that is not known';
CREATE TABLE public.query (
    id integer NOT NULL,
    collection_id integer NOT NULL,
    qid text NOT NULL COLLATE pg_catalog."C",
    text text COLLATE pg_catalog."C"
);
COMMENT ON TABLE public.query IS 'A query of a collection.';
COMMENT ON COLUMN public.query.id IS 'made by the database';
COMMENT ON COLUMN public.query.collection_id IS 'the collection';
COMMENT ON COLUMN public.query.qid IS 'its id, as text: 1, 01 and 1.0 are three queries';
COMMENT ON COLUMN public.query.text IS 'its words; null where not given';
CREATE VIEW public.judgments AS
 SELECT collection.name AS collection,
    qrels.name AS qrels,
    query.qid,
    query.text AS query,
    judgment.docno,
    judgment.grade
   FROM (((public.judgment
     JOIN public.qrels ON ((qrels.id = judgment.qrels_id)))
     JOIN public.query ON ((query.id = judgment.query_id)))
     JOIN public.collection ON ((collection.id = qrels.collection_id)))
  WHERE ((qrels.deleted_at IS NULL) AND (collection.deleted_at IS NULL));
COMMENT ON VIEW public.judgments IS 'The grade of each judged document.';
COMMENT ON COLUMN public.judgments.collection IS 'the test collection';
COMMENT ON COLUMN public.judgments.qrels IS 'the set of judgments';
COMMENT ON COLUMN public.judgments.qid IS 'the query''s id, as text';
COMMENT ON COLUMN public.judgments.query IS 'the query''s words, or null';
COMMENT ON COLUMN public.judgments.docno IS 'the document''s id, as text';
COMMENT ON COLUMN public.judgments.grade IS '1 and more is relevant; negative: in the pool, not judged; null: unjudged';
CREATE TABLE public.known_document (
    collection_id integer NOT NULL,
    query_id integer NOT NULL,
    docno text NOT NULL COLLATE pg_catalog."C"
);
COMMENT ON TABLE public.known_document IS 'A document that the user of a query knew before, for measures of novelty.';
COMMENT ON COLUMN public.known_document.collection_id IS 'the collection';
COMMENT ON COLUMN public.known_document.query_id IS 'the query';
COMMENT ON COLUMN public.known_document.docno IS 'the document';
CREATE VIEW public.leaderboard AS
 SELECT collection.name AS collection,
    qrels.name AS qrels,
    run.experiment,
    engine.name AS engine,
    run.name AS run,
    measure.name AS measure,
    aggregate.value,
    aggregate.queries,
    aggregate.spread
   FROM ((((((public.aggregate
     JOIN public.evaluation ON ((evaluation.id = aggregate.evaluation_id)))
     JOIN public.measure ON ((measure.id = aggregate.measure_id)))
     JOIN public.qrels ON ((qrels.id = evaluation.qrels_id)))
     JOIN public.run ON ((run.content_id = evaluation.content_id)))
     JOIN public.engine ON ((engine.id = run.engine_id)))
     JOIN public.collection ON ((collection.id = run.collection_id)))
  WHERE ((run.deleted_at IS NULL) AND (qrels.deleted_at IS NULL) AND (collection.deleted_at IS NULL));
COMMENT ON VIEW public.leaderboard IS 'One figure per run, qrels and measure.';
COMMENT ON COLUMN public.leaderboard.collection IS 'the test collection';
COMMENT ON COLUMN public.leaderboard.qrels IS 'the set of judgments';
COMMENT ON COLUMN public.leaderboard.experiment IS 'the group the run belongs to, or null';
COMMENT ON COLUMN public.leaderboard.engine IS 'the retrieval system';
COMMENT ON COLUMN public.leaderboard.run IS 'the run''s name, unique in the collection';
COMMENT ON COLUMN public.leaderboard.measure IS 'the measure''s canonical name, like nDCG@10';
COMMENT ON COLUMN public.leaderboard.value IS 'the measure''s value, unrounded';
COMMENT ON COLUMN public.leaderboard.queries IS 'how many queries the value is over';
COMMENT ON COLUMN public.leaderboard.spread IS 'standard deviation over the queries; null for fewer than two';
CREATE TABLE public.saved_leaderboard (
    id integer NOT NULL,
    qrels_id integer NOT NULL,
    measure_id integer NOT NULL,
    runs integer NOT NULL,
    test text NOT NULL COLLATE pg_catalog."C",
    alpha double precision NOT NULL,
    created_at timestamp with time zone NOT NULL,
    family text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C"
);
COMMENT ON TABLE public.saved_leaderboard IS 'The ranks of runs on a measure, stored by `evalstore leaderboard --save`.';
COMMENT ON COLUMN public.saved_leaderboard.id IS 'made by the database';
COMMENT ON COLUMN public.saved_leaderboard.qrels_id IS 'the qrels';
COMMENT ON COLUMN public.saved_leaderboard.measure_id IS 'the measure';
COMMENT ON COLUMN public.saved_leaderboard.runs IS 'how many runs were ranked: all that were active';
COMMENT ON COLUMN public.saved_leaderboard.test IS 'what separates runs: t (with Holm), tukey or max-t';
COMMENT ON COLUMN public.saved_leaderboard.alpha IS 'a corrected p below it separates two runs';
COMMENT ON COLUMN public.saved_leaderboard.created_at IS 'when it was computed';
COMMENT ON COLUMN public.saved_leaderboard.family IS 'the correction of the tests against the baseline, in words';
CREATE TABLE public.saved_rank (
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
COMMENT ON TABLE public.saved_rank IS 'The rank of a run on a saved leaderboard.';
COMMENT ON COLUMN public.saved_rank.saved_leaderboard_id IS 'the saved_leaderboard';
COMMENT ON COLUMN public.saved_rank.rank IS '1 + how many runs are strictly better';
COMMENT ON COLUMN public.saved_rank.rank_low IS 'the low end of the interval of the rank';
COMMENT ON COLUMN public.saved_rank.rank_high IS 'the high end of the interval of the rank';
COMMENT ON COLUMN public.saved_rank.rank_group IS 'letters: runs that share one are not separated';
COMMENT ON COLUMN public.saved_rank.low IS 'the low end of the interval of the value; null for one query';
COMMENT ON COLUMN public.saved_rank.high IS 'the high end of the interval of the value; null for one query';
COMMENT ON COLUMN public.saved_rank.judged_top_10 IS 'the share of the top 10 that is judged; null where nothing was retrieved';
COMMENT ON COLUMN public.saved_rank.run_id IS 'the run';
COMMENT ON COLUMN public.saved_rank.verdict IS 'of the difference to the baseline, as in a comparison; null for the baseline';
COMMENT ON COLUMN public.saved_rank.reason IS 'of the verdict';
COMMENT ON COLUMN public.saved_rank.sentence IS 'the whole claim';
COMMENT ON COLUMN public.saved_rank.bounds_low IS 'the least difference that judgments could make, or null';
COMMENT ON COLUMN public.saved_rank.bounds_high IS 'the greatest';
CREATE VIEW public.leaderboard_ranks AS
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
   FROM (((((((((public.saved_leaderboard
     JOIN public.saved_rank ON ((saved_rank.saved_leaderboard_id = saved_leaderboard.id)))
     JOIN public.run ON ((run.id = saved_rank.run_id)))
     JOIN public.evaluation ON (((evaluation.content_id = run.content_id) AND (evaluation.qrels_id = saved_leaderboard.qrels_id))))
     JOIN public.aggregate ON (((aggregate.evaluation_id = evaluation.id) AND (aggregate.measure_id = saved_leaderboard.measure_id))))
     JOIN public.measure ON ((measure.id = saved_leaderboard.measure_id)))
     JOIN public.qrels ON ((qrels.id = evaluation.qrels_id)))
     JOIN public.engine ON ((engine.id = run.engine_id)))
     JOIN public.collection ON ((collection.id = run.collection_id)))
     JOIN ( SELECT saved_leaderboard_1.id,
            count(*) AS runs,
            count(saved_rank_1.rank) AS ranked
           FROM (((public.saved_leaderboard saved_leaderboard_1
             JOIN public.evaluation evaluation_1 ON ((evaluation_1.qrels_id = saved_leaderboard_1.qrels_id)))
             JOIN public.run run_1 ON (((run_1.content_id = evaluation_1.content_id) AND (run_1.deleted_at IS NULL))))
             LEFT JOIN public.saved_rank saved_rank_1 ON (((saved_rank_1.saved_leaderboard_id = saved_leaderboard_1.id) AND (saved_rank_1.run_id = run_1.id))))
          GROUP BY saved_leaderboard_1.id) present ON (((present.id = saved_leaderboard.id) AND (present.runs = saved_leaderboard.runs) AND (present.ranked = saved_leaderboard.runs))))
  WHERE ((run.deleted_at IS NULL) AND (qrels.deleted_at IS NULL) AND (collection.deleted_at IS NULL));
COMMENT ON VIEW public.leaderboard_ranks IS 'The ranks that `evalstore leaderboard --save` stored; none once the runs are others.';
COMMENT ON COLUMN public.leaderboard_ranks.collection IS 'the test collection';
COMMENT ON COLUMN public.leaderboard_ranks.qrels IS 'the set of judgments';
COMMENT ON COLUMN public.leaderboard_ranks.engine IS 'the retrieval system';
COMMENT ON COLUMN public.leaderboard_ranks.run IS 'the run''s name, unique in the collection';
COMMENT ON COLUMN public.leaderboard_ranks.measure IS 'the measure''s canonical name, like nDCG@10';
COMMENT ON COLUMN public.leaderboard_ranks.value IS 'the measure''s value, unrounded';
COMMENT ON COLUMN public.leaderboard_ranks.low IS 'the low end of the interval of the value';
COMMENT ON COLUMN public.leaderboard_ranks.high IS 'the high end of the interval of the value';
COMMENT ON COLUMN public.leaderboard_ranks.rank IS '1 + how many runs are strictly better';
COMMENT ON COLUMN public.leaderboard_ranks.rank_low IS 'the low end of the interval of the rank';
COMMENT ON COLUMN public.leaderboard_ranks.rank_high IS 'the high end of the interval of the rank';
COMMENT ON COLUMN public.leaderboard_ranks.rank_group IS 'letters: runs that share one are not separated by the test';
COMMENT ON COLUMN public.leaderboard_ranks.judged_top_10 IS 'the share of the documents at ranks 1 to 10 that are judged, or null';
COMMENT ON COLUMN public.leaderboard_ranks.runs IS 'how many runs were ranked';
COMMENT ON COLUMN public.leaderboard_ranks.test IS 'what separates runs: t (paired t, Holm''s correction), tukey or max-t (both randomised)';
COMMENT ON COLUMN public.leaderboard_ranks.alpha IS 'a corrected p below it separates two runs; intervals are of level 1 - alpha';
COMMENT ON COLUMN public.leaderboard_ranks.verdict IS 'of the difference to the baseline: better, worse, equivalent, undecided or none; null for the baseline';
COMMENT ON COLUMN public.leaderboard_ranks.family IS 'the correction of the tests against the baseline, in words';
COMMENT ON COLUMN public.leaderboard_ranks.reason IS 'of the verdict';
COMMENT ON COLUMN public.leaderboard_ranks.sentence IS 'the whole claim';
COMMENT ON COLUMN public.leaderboard_ranks.bounds_low IS 'the least difference that judgments could make, or null';
COMMENT ON COLUMN public.leaderboard_ranks.bounds_high IS 'the greatest';
CREATE SEQUENCE public.measure_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.measure_id_seq OWNED BY public.measure.id;
CREATE TABLE public.value_list (
    evaluation_id integer NOT NULL,
    measure_id integer NOT NULL,
    query_ids integer[] NOT NULL,
    query_values double precision[] NOT NULL,
    CONSTRAINT ck_value_list_lengths CHECK ((cardinality(query_ids) = cardinality(query_values)))
);
ALTER TABLE ONLY public.value_list ALTER COLUMN query_ids SET STORAGE EXTERNAL;
ALTER TABLE ONLY public.value_list ALTER COLUMN query_values SET STORAGE EXTERNAL;
COMMENT ON TABLE public.value_list IS 'The values of a measure for the queries of an evaluation.';
COMMENT ON COLUMN public.value_list.evaluation_id IS 'the evaluation';
COMMENT ON COLUMN public.value_list.measure_id IS 'the measure';
COMMENT ON COLUMN public.value_list.query_ids IS 'the queries';
COMMENT ON COLUMN public.value_list.query_values IS 'the value of each of these queries, unrounded';
CREATE VIEW public.measurement AS
 SELECT value_list.evaluation_id,
    value_list.measure_id,
    element.query_id,
    element.value
   FROM public.value_list,
    LATERAL ROWS FROM(unnest(value_list.query_ids), unnest(value_list.query_values), generate_subscripts(value_list.query_ids, 1)) element(query_id, value, "position");
COMMENT ON VIEW public.measurement IS 'The value of a measure for a query.';
COMMENT ON COLUMN public.measurement.evaluation_id IS 'the evaluation';
COMMENT ON COLUMN public.measurement.measure_id IS 'the measure';
COMMENT ON COLUMN public.measurement.query_id IS 'the query';
COMMENT ON COLUMN public.measurement.value IS 'unrounded';
CREATE TABLE public.preference_judgment (
    collection_id integer NOT NULL,
    query_id integer NOT NULL,
    judgment_group text NOT NULL COLLATE pg_catalog."C",
    subgroup text NOT NULL COLLATE pg_catalog."C",
    docno text NOT NULL COLLATE pg_catalog."C",
    level double precision NOT NULL
);
COMMENT ON TABLE public.preference_judgment IS 'The level of a document among others: in a subgroup the higher level is preferred.';
COMMENT ON COLUMN public.preference_judgment.collection_id IS 'the collection';
COMMENT ON COLUMN public.preference_judgment.query_id IS 'the query';
COMMENT ON COLUMN public.preference_judgment.judgment_group IS 'who judged';
COMMENT ON COLUMN public.preference_judgment.subgroup IS 'documents compared with each other';
COMMENT ON COLUMN public.preference_judgment.docno IS 'the document';
COMMENT ON COLUMN public.preference_judgment.level IS 'higher is preferred; 0 is not relevant';
CREATE SEQUENCE public.qrels_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.qrels_id_seq OWNED BY public.qrels.id;
CREATE TABLE public.query_attribute (
    query_id integer NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL COLLATE pg_catalog."C"
);
COMMENT ON TABLE public.query_attribute IS 'What a query is like: its language, its category.';
COMMENT ON COLUMN public.query_attribute.query_id IS 'the query';
COMMENT ON COLUMN public.query_attribute.name IS 'what the attribute is called, like lang';
COMMENT ON COLUMN public.query_attribute.value IS 'its value as text, never empty';
CREATE VIEW public.query_attributes AS
 SELECT collection.name AS collection,
    query.qid,
    query_attribute.name,
    query_attribute.value
   FROM ((public.query_attribute
     JOIN public.query ON ((query.id = query_attribute.query_id)))
     JOIN public.collection ON ((collection.id = query.collection_id)))
  WHERE (collection.deleted_at IS NULL);
COMMENT ON VIEW public.query_attributes IS 'The attributes of queries.';
COMMENT ON COLUMN public.query_attributes.collection IS 'the test collection';
COMMENT ON COLUMN public.query_attributes.qid IS 'the query''s id, as text';
COMMENT ON COLUMN public.query_attributes.name IS 'what the attribute is called, like lang';
COMMENT ON COLUMN public.query_attributes.value IS 'its value, as text';
CREATE SEQUENCE public.query_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.query_id_seq OWNED BY public.query.id;
CREATE VIEW public.query_values AS
 SELECT collection.name AS collection,
    qrels.name AS qrels,
    engine.name AS engine,
    run.name AS run,
    query.qid,
    query.text AS query,
    measure.name AS measure,
    measurement.value
   FROM (((((((public.measurement
     JOIN public.evaluation ON ((evaluation.id = measurement.evaluation_id)))
     JOIN public.measure ON ((measure.id = measurement.measure_id)))
     JOIN public.query ON ((query.id = measurement.query_id)))
     JOIN public.qrels ON ((qrels.id = evaluation.qrels_id)))
     JOIN public.run ON ((run.content_id = evaluation.content_id)))
     JOIN public.engine ON ((engine.id = run.engine_id)))
     JOIN public.collection ON ((collection.id = run.collection_id)))
  WHERE ((run.deleted_at IS NULL) AND (qrels.deleted_at IS NULL) AND (collection.deleted_at IS NULL));
COMMENT ON VIEW public.query_values IS 'The value of each measure for each query of each run.';
COMMENT ON COLUMN public.query_values.collection IS 'the test collection';
COMMENT ON COLUMN public.query_values.qrels IS 'the set of judgments';
COMMENT ON COLUMN public.query_values.engine IS 'the retrieval system';
COMMENT ON COLUMN public.query_values.run IS 'the run''s name, unique in the collection';
COMMENT ON COLUMN public.query_values.qid IS 'the query''s id, as text';
COMMENT ON COLUMN public.query_values.query IS 'the query''s words, or null';
COMMENT ON COLUMN public.query_values.measure IS 'the measure''s canonical name, like nDCG@10';
COMMENT ON COLUMN public.query_values.value IS 'the measure''s value, unrounded';
CREATE TABLE public.ranking (
    content_id integer NOT NULL,
    query_id integer NOT NULL,
    retrieved integer NOT NULL,
    packed bytea NOT NULL
);
ALTER TABLE ONLY public.ranking ALTER COLUMN packed SET STORAGE EXTERNAL;
COMMENT ON TABLE public.ranking IS 'The whole ranked list for a query, packed: the source of truth.';
COMMENT ON COLUMN public.ranking.content_id IS 'the content';
COMMENT ON COLUMN public.ranking.query_id IS 'the query';
COMMENT ON COLUMN public.ranking.retrieved IS 'the length of the list';
COMMENT ON COLUMN public.ranking.packed IS 'documents and scores, see store/packing.py';
CREATE VIEW public.relevant_found AS
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
   FROM ((((((public.hit
     JOIN public.evaluation ON ((evaluation.id = hit.evaluation_id)))
     JOIN public.query ON ((query.id = hit.query_id)))
     JOIN public.qrels ON ((qrels.id = evaluation.qrels_id)))
     JOIN public.run ON ((run.content_id = evaluation.content_id)))
     JOIN public.engine ON ((engine.id = run.engine_id)))
     JOIN public.collection ON ((collection.id = run.collection_id)))
  WHERE ((run.deleted_at IS NULL) AND (qrels.deleted_at IS NULL) AND (collection.deleted_at IS NULL));
COMMENT ON VIEW public.relevant_found IS 'The relevant documents each run retrieved, at whatever rank.';
COMMENT ON COLUMN public.relevant_found.collection IS 'the test collection';
COMMENT ON COLUMN public.relevant_found.qrels IS 'the set of judgments';
COMMENT ON COLUMN public.relevant_found.engine IS 'the retrieval system';
COMMENT ON COLUMN public.relevant_found.run IS 'the run''s name, unique in the collection';
COMMENT ON COLUMN public.relevant_found.qid IS 'the query''s id, as text';
COMMENT ON COLUMN public.relevant_found.query IS 'the query''s words, or null';
COMMENT ON COLUMN public.relevant_found.rank IS 'the place in the ranking, from 1';
COMMENT ON COLUMN public.relevant_found.docno IS 'the document''s id, as text';
COMMENT ON COLUMN public.relevant_found.grade IS '1 and more is relevant; negative: in the pool, not judged; null: unjudged';
COMMENT ON COLUMN public.relevant_found.score IS 'what the engine gave the document';
CREATE VIEW public.relevant_missed AS
 SELECT collection.name AS collection,
    qrels.name AS qrels,
    engine.name AS engine,
    run.name AS run,
    query.qid,
    query.text AS query,
    judgment.docno,
    judgment.grade
   FROM ((((((public.evaluation
     JOIN public.qrels ON ((qrels.id = evaluation.qrels_id)))
     JOIN public.run ON ((run.content_id = evaluation.content_id)))
     JOIN public.engine ON ((engine.id = run.engine_id)))
     JOIN public.collection ON ((collection.id = run.collection_id)))
     JOIN public.judgment ON (((judgment.qrels_id = evaluation.qrels_id) AND (judgment.grade >= (1)::double precision))))
     JOIN public.query ON ((query.id = judgment.query_id)))
  WHERE ((run.deleted_at IS NULL) AND (qrels.deleted_at IS NULL) AND (collection.deleted_at IS NULL) AND (NOT run.values_only) AND (NOT (EXISTS ( SELECT 1
           FROM public.hit_list
          WHERE ((hit_list.evaluation_id = evaluation.id) AND (hit_list.query_id = judgment.query_id) AND (judgment.docno = ANY (hit_list.docnos)))))));
COMMENT ON VIEW public.relevant_missed IS 'The relevant documents each run with rankings did not retrieve at any rank.';
COMMENT ON COLUMN public.relevant_missed.collection IS 'the test collection';
COMMENT ON COLUMN public.relevant_missed.qrels IS 'the set of judgments';
COMMENT ON COLUMN public.relevant_missed.engine IS 'the retrieval system';
COMMENT ON COLUMN public.relevant_missed.run IS 'the run''s name, unique in the collection';
COMMENT ON COLUMN public.relevant_missed.qid IS 'the query''s id, as text';
COMMENT ON COLUMN public.relevant_missed.query IS 'the query''s words, or null';
COMMENT ON COLUMN public.relevant_missed.docno IS 'the document''s id, as text';
COMMENT ON COLUMN public.relevant_missed.grade IS '1 and more is relevant; negative: in the pool, not judged; null: unjudged';
CREATE TABLE public.response_time (
    run_id integer NOT NULL,
    query_id integer NOT NULL,
    milliseconds double precision NOT NULL
);
COMMENT ON TABLE public.response_time IS 'The time that an engine took to answer a query.';
COMMENT ON COLUMN public.response_time.run_id IS 'the run';
COMMENT ON COLUMN public.response_time.query_id IS 'the query';
COMMENT ON COLUMN public.response_time.milliseconds IS 'the time in milliseconds';
CREATE TABLE public.retrieved_list (
    content_id integer NOT NULL,
    query_id integer NOT NULL,
    ranks integer[] NOT NULL,
    docnos text[] NOT NULL COLLATE pg_catalog."C",
    scores double precision[] NOT NULL,
    CONSTRAINT ck_retrieved_list_lengths CHECK (((cardinality(docnos) = cardinality(ranks)) AND (cardinality(scores) = cardinality(ranks))))
);
ALTER TABLE ONLY public.retrieved_list ALTER COLUMN ranks SET STORAGE EXTERNAL;
ALTER TABLE ONLY public.retrieved_list ALTER COLUMN docnos SET STORAGE EXTERNAL;
ALTER TABLE ONLY public.retrieved_list ALTER COLUMN scores SET STORAGE EXTERNAL;
COMMENT ON TABLE public.retrieved_list IS 'The top of a ranking (100 documents unless said otherwise).';
COMMENT ON COLUMN public.retrieved_list.content_id IS 'the content';
COMMENT ON COLUMN public.retrieved_list.query_id IS 'the query';
COMMENT ON COLUMN public.retrieved_list.ranks IS 'the rank of each of these documents, from 1';
COMMENT ON COLUMN public.retrieved_list.docnos IS 'the documents';
COMMENT ON COLUMN public.retrieved_list.scores IS 'what the engine gave each of them';
CREATE VIEW public.retrieved AS
 SELECT retrieved_list.content_id,
    retrieved_list.query_id,
    element.rank,
    element.docno,
    element.score
   FROM public.retrieved_list,
    LATERAL UNNEST(retrieved_list.ranks, retrieved_list.docnos, retrieved_list.scores) element(rank, docno, score);
COMMENT ON VIEW public.retrieved IS 'The top of each ranking as rows (100 documents unless said otherwise).';
COMMENT ON COLUMN public.retrieved.content_id IS 'the content';
COMMENT ON COLUMN public.retrieved.query_id IS 'the query';
COMMENT ON COLUMN public.retrieved.rank IS 'from 1';
COMMENT ON COLUMN public.retrieved.docno IS 'the document';
COMMENT ON COLUMN public.retrieved.score IS 'what the engine gave it';
CREATE VIEW public.retrieved_docs AS
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
   FROM (((((((public.evaluation
     JOIN public.qrels ON ((qrels.id = evaluation.qrels_id)))
     JOIN public.run ON ((run.content_id = evaluation.content_id)))
     JOIN public.engine ON ((engine.id = run.engine_id)))
     JOIN public.collection ON ((collection.id = run.collection_id)))
     JOIN public.retrieved ON ((retrieved.content_id = evaluation.content_id)))
     JOIN public.query ON ((query.id = retrieved.query_id)))
     LEFT JOIN public.judgment ON (((judgment.qrels_id = evaluation.qrels_id) AND (judgment.query_id = retrieved.query_id) AND (judgment.docno = retrieved.docno))))
  WHERE ((run.deleted_at IS NULL) AND (qrels.deleted_at IS NULL) AND (collection.deleted_at IS NULL));
COMMENT ON VIEW public.retrieved_docs IS 'The top of each ranking, with the grade of each document under each qrels.';
COMMENT ON COLUMN public.retrieved_docs.collection IS 'the test collection';
COMMENT ON COLUMN public.retrieved_docs.qrels IS 'the set of judgments';
COMMENT ON COLUMN public.retrieved_docs.engine IS 'the retrieval system';
COMMENT ON COLUMN public.retrieved_docs.run IS 'the run''s name, unique in the collection';
COMMENT ON COLUMN public.retrieved_docs.qid IS 'the query''s id, as text';
COMMENT ON COLUMN public.retrieved_docs.query IS 'the query''s words, or null';
COMMENT ON COLUMN public.retrieved_docs.rank IS 'the place in the ranking, from 1';
COMMENT ON COLUMN public.retrieved_docs.docno IS 'the document''s id, as text';
COMMENT ON COLUMN public.retrieved_docs.score IS 'what the engine gave the document';
COMMENT ON COLUMN public.retrieved_docs.grade IS '1 and more is relevant; negative: in the pool, not judged; null: unjudged';
CREATE VIEW public.rprec_differences AS
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
   FROM (((((((((((public.evaluation evaluation_a
     JOIN public.evaluation evaluation_b ON ((evaluation_b.qrels_id = evaluation_a.qrels_id)))
     JOIN public.measure ON ((measure.name = 'Rprec'::text)))
     JOIN public.measurement a ON (((a.evaluation_id = evaluation_a.id) AND (a.measure_id = measure.id))))
     JOIN public.measurement b ON (((b.evaluation_id = evaluation_b.id) AND (b.measure_id = measure.id) AND (b.query_id = a.query_id))))
     JOIN public.query ON ((query.id = a.query_id)))
     JOIN public.qrels ON ((qrels.id = evaluation_a.qrels_id)))
     JOIN public.collection ON ((collection.id = qrels.collection_id)))
     JOIN public.run run_a ON (((run_a.content_id = evaluation_a.content_id) AND (run_a.deleted_at IS NULL))))
     JOIN public.run run_b ON (((run_b.content_id = evaluation_b.content_id) AND (run_b.deleted_at IS NULL) AND (run_b.id <> run_a.id))))
     JOIN public.engine engine_a ON ((engine_a.id = run_a.engine_id)))
     JOIN public.engine engine_b ON ((engine_b.id = run_b.engine_id)))
  WHERE ((qrels.deleted_at IS NULL) AND (collection.deleted_at IS NULL));
COMMENT ON VIEW public.rprec_differences IS 'R-precision of run A less that of run B, for each pair of runs and each query.';
COMMENT ON COLUMN public.rprec_differences.collection IS 'the test collection';
COMMENT ON COLUMN public.rprec_differences.qrels IS 'the set of judgments';
COMMENT ON COLUMN public.rprec_differences.engine_a IS 'the engine of run A';
COMMENT ON COLUMN public.rprec_differences.run_a IS 'run A';
COMMENT ON COLUMN public.rprec_differences.engine_b IS 'the engine of run B';
COMMENT ON COLUMN public.rprec_differences.run_b IS 'run B';
COMMENT ON COLUMN public.rprec_differences.qid IS 'the query''s id, as text';
COMMENT ON COLUMN public.rprec_differences.query IS 'the query''s words, or null';
COMMENT ON COLUMN public.rprec_differences.value_a IS 'R-precision of run A';
COMMENT ON COLUMN public.rprec_differences.value_b IS 'R-precision of run B';
COMMENT ON COLUMN public.rprec_differences.difference IS 'value_a - value_b: positive where A is better';
CREATE TABLE public.run_file (
    run_id integer NOT NULL,
    path_hash text NOT NULL COLLATE pg_catalog."C",
    size bigint NOT NULL,
    version text COLLATE pg_catalog."C",
    bytes_hash text NOT NULL COLLATE pg_catalog."C",
    reading text NOT NULL COLLATE pg_catalog."C"
);
COMMENT ON TABLE public.run_file IS 'A file that a run was read from, by which it is recognised without being read again.';
COMMENT ON COLUMN public.run_file.run_id IS 'the run';
COMMENT ON COLUMN public.run_file.path_hash IS 'SHA-256 of its absolute path, or of its URL without secrets';
COMMENT ON COLUMN public.run_file.size IS 'in bytes';
COMMENT ON COLUMN public.run_file.version IS 'inode and times of a file, ETag of an object; null where these prove nothing';
COMMENT ON COLUMN public.run_file.bytes_hash IS 'SHA-256 of its bytes; empty for an object of an object store';
COMMENT ON COLUMN public.run_file.reading IS 'SHA-256 of the options that it was read with, and of the version of evalstore';
CREATE SEQUENCE public.run_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.run_id_seq OWNED BY public.run.id;
CREATE VIEW public.run_parameters AS
 SELECT collection.name AS collection,
    engine.name AS engine,
    run.name AS run,
    parameter.name,
    parameter.value
   FROM (((public.run
     CROSS JOIN LATERAL json_each_text(run.parameters) parameter(name, value))
     JOIN public.collection ON ((collection.id = run.collection_id)))
     JOIN public.engine ON ((engine.id = run.engine_id)))
  WHERE ((run.deleted_at IS NULL) AND (collection.deleted_at IS NULL));
COMMENT ON VIEW public.run_parameters IS 'The parameters of the engines that made the runs.';
COMMENT ON COLUMN public.run_parameters.collection IS 'the test collection';
COMMENT ON COLUMN public.run_parameters.engine IS 'the retrieval system';
COMMENT ON COLUMN public.run_parameters.run IS 'the run''s name, unique in the collection';
COMMENT ON COLUMN public.run_parameters.name IS 'what the parameter is called, like k1';
COMMENT ON COLUMN public.run_parameters.value IS 'its value, as text; numbers as they were given, booleans true or false';
CREATE TABLE public.run_parent (
    run_id integer NOT NULL,
    parent_id integer NOT NULL
);
COMMENT ON TABLE public.run_parent IS 'The run that a run was derived from.';
COMMENT ON COLUMN public.run_parent.run_id IS 'the run';
COMMENT ON COLUMN public.run_parent.parent_id IS 'the run it came from';
CREATE VIEW public.runs_overview AS
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
           FROM (public.evaluation
             JOIN public.qrels ON ((qrels.id = evaluation.qrels_id)))
          WHERE ((evaluation.content_id = run.content_id) AND (qrels.deleted_at IS NULL))) AS evaluations,
    run.values_only
   FROM ((public.run
     JOIN public.collection ON ((collection.id = run.collection_id)))
     JOIN public.engine ON ((engine.id = run.engine_id)))
  WHERE ((run.deleted_at IS NULL) AND (collection.deleted_at IS NULL));
COMMENT ON VIEW public.runs_overview IS 'One row per run.';
COMMENT ON COLUMN public.runs_overview.run_id IS 'the run''s id, as `evalstore runs` shows it';
COMMENT ON COLUMN public.runs_overview.collection IS 'the test collection';
COMMENT ON COLUMN public.runs_overview.experiment IS 'the group the run belongs to, or null';
COMMENT ON COLUMN public.runs_overview.engine IS 'the retrieval system';
COMMENT ON COLUMN public.runs_overview.run IS 'the run''s name, unique in the collection';
COMMENT ON COLUMN public.runs_overview.tag IS 'the run tag in the file';
COMMENT ON COLUMN public.runs_overview.queries_answered IS 'how many queries the run answers';
COMMENT ON COLUMN public.runs_overview.documents_retrieved IS 'how many documents in all its lists; null where it has none';
COMMENT ON COLUMN public.runs_overview.ingested_at IS 'when it was stored (UTC)';
COMMENT ON COLUMN public.runs_overview.evaluations IS 'under how many qrels it was evaluated';
COMMENT ON COLUMN public.runs_overview.values_only IS 'whether it came as values of measures, without rankings';
CREATE SEQUENCE public.saved_leaderboard_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.saved_leaderboard_id_seq OWNED BY public.saved_leaderboard.id;
CREATE TABLE public.saved_view (
    key text NOT NULL COLLATE pg_catalog."C",
    address text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    collection_id integer,
    name text COLLATE pg_catalog."C",
    who text COLLATE pg_catalog."C"
);
COMMENT ON TABLE public.saved_view IS 'A long address of the dashboard under a short key.';
COMMENT ON COLUMN public.saved_view.key IS 'as in /v/h7k2: made of the address, so that one has one key';
COMMENT ON COLUMN public.saved_view.address IS 'path and query string';
COMMENT ON COLUMN public.saved_view.created_at IS 'when it was saved, or named';
COMMENT ON COLUMN public.saved_view.collection_id IS 'the collection whose page it is; null for pages of none, like that of SQL';
COMMENT ON COLUMN public.saved_view.name IS 'its name, given by a person; null for a view that is only linked';
COMMENT ON COLUMN public.saved_view.who IS 'who gave the name, as in `event`; null without one';
CREATE TABLE public.server_account (
    id integer NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    password_hash text COLLATE pg_catalog."C",
    disabled boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_login_at timestamp with time zone
);
COMMENT ON TABLE public.server_account IS 'A person who logs in, or a service that has tokens.';
COMMENT ON COLUMN public.server_account.id IS 'made by the database';
COMMENT ON COLUMN public.server_account.name IS 'unique in the store';
COMMENT ON COLUMN public.server_account.kind IS 'person or service';
COMMENT ON COLUMN public.server_account.password_hash IS 'argon2id with its parameters; null for accounts without a password';
COMMENT ON COLUMN public.server_account.disabled IS 'whether it may do nothing for now';
COMMENT ON COLUMN public.server_account.created_at IS 'when it was added';
COMMENT ON COLUMN public.server_account.last_login_at IS 'when it last logged in; null where it never did';
CREATE SEQUENCE public.server_account_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.server_account_id_seq OWNED BY public.server_account.id;
CREATE TABLE public.server_identity (
    issuer text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    account_id integer NOT NULL,
    created_at timestamp with time zone NOT NULL
);
COMMENT ON TABLE public.server_identity IS 'Who an account is at a provider of logins (OpenID Connect).';
COMMENT ON COLUMN public.server_identity.issuer IS 'the provider''s address';
COMMENT ON COLUMN public.server_identity.subject IS 'the provider''s id of the person, never an e-mail address';
COMMENT ON COLUMN public.server_identity.account_id IS 'the account';
COMMENT ON COLUMN public.server_identity.created_at IS 'when it first logged in';
CREATE TABLE public.server_invitation (
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
COMMENT ON TABLE public.server_invitation IS 'A link by which one person makes an account, once.';
COMMENT ON COLUMN public.server_invitation.id IS 'made by the database';
COMMENT ON COLUMN public.server_invitation.hash IS 'SHA-256 of the secret in the link';
COMMENT ON COLUMN public.server_invitation.name IS 'of the account; null where the person chooses it';
COMMENT ON COLUMN public.server_invitation.collection_id IS 'the collection; null for the whole store';
COMMENT ON COLUMN public.server_invitation.role IS 'the role that the account gets';
COMMENT ON COLUMN public.server_invitation.who IS 'who made it, as in `event`';
COMMENT ON COLUMN public.server_invitation.created_at IS 'when it was made';
COMMENT ON COLUMN public.server_invitation.expires_at IS 'when it ends';
COMMENT ON COLUMN public.server_invitation.used_at IS 'when it was used; null while it can';
CREATE SEQUENCE public.server_invitation_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.server_invitation_id_seq OWNED BY public.server_invitation.id;
CREATE TABLE public.server_job (
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
COMMENT ON TABLE public.server_job IS 'Work to do after the request that asked for it; it survives the end of processes.';
COMMENT ON COLUMN public.server_job.id IS 'made by the database';
COMMENT ON COLUMN public.server_job.kind IS 'what is to be done: ingest, ...';
COMMENT ON COLUMN public.server_job.collection_id IS 'the collection; null for the whole store';
COMMENT ON COLUMN public.server_job.who IS 'who asked for it, as in `event`';
COMMENT ON COLUMN public.server_job.payload IS 'what it needs to know';
COMMENT ON COLUMN public.server_job.request_hash IS 'SHA-256 of kind and payload';
COMMENT ON COLUMN public.server_job.state IS 'waiting, running, done, failed or cancelled';
COMMENT ON COLUMN public.server_job.attempts IS 'how often it was begun';
COMMENT ON COLUMN public.server_job.created_at IS 'when it was asked for';
COMMENT ON COLUMN public.server_job.lease_until IS 'until then the worker that began it has it; null while it waits';
COMMENT ON COLUMN public.server_job.heartbeat_at IS 'when its worker last said that it works on it';
COMMENT ON COLUMN public.server_job.ended_at IS 'when it was done or failed';
COMMENT ON COLUMN public.server_job.not_before IS 'it is not begun before this time; null for at once';
COMMENT ON COLUMN public.server_job.result IS 'what came of it';
COMMENT ON COLUMN public.server_job.error IS 'why it failed, as the command line says it';
CREATE SEQUENCE public.server_job_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.server_job_id_seq OWNED BY public.server_job.id;
CREATE TABLE public.server_login_attempt (
    name_hash text NOT NULL COLLATE pg_catalog."C",
    address text NOT NULL COLLATE pg_catalog."C",
    failures integer NOT NULL,
    locked_until timestamp with time zone NOT NULL
);
COMMENT ON TABLE public.server_login_attempt IS 'Failed logins in a row to a name from an address.';
COMMENT ON COLUMN public.server_login_attempt.name_hash IS 'a keyed hash: people type passwords where the name belongs';
COMMENT ON COLUMN public.server_login_attempt.address IS 'where they came from; of IPv6 the network';
COMMENT ON COLUMN public.server_login_attempt.failures IS 'how many';
COMMENT ON COLUMN public.server_login_attempt.locked_until IS 'until then further ones are refused';
CREATE TABLE public.server_role (
    id integer NOT NULL,
    account_id integer NOT NULL,
    collection_id integer,
    role text NOT NULL COLLATE pg_catalog."C",
    from_groups boolean DEFAULT false NOT NULL
);
COMMENT ON TABLE public.server_role IS 'What an account may do in the whole store, or in one collection.';
COMMENT ON COLUMN public.server_role.id IS 'made by the database';
COMMENT ON COLUMN public.server_role.account_id IS 'the account';
COMMENT ON COLUMN public.server_role.collection_id IS 'the collection; null for the whole store';
COMMENT ON COLUMN public.server_role.role IS 'reader, contributor or administrator';
COMMENT ON COLUMN public.server_role.from_groups IS 'whether it came from groups of a provider of logins, and is set at each login';
CREATE SEQUENCE public.server_role_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.server_role_id_seq OWNED BY public.server_role.id;
CREATE TABLE public.server_session (
    hash text NOT NULL COLLATE pg_catalog."C",
    account_id integer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    agent text NOT NULL COLLATE pg_catalog."C"
);
COMMENT ON TABLE public.server_session IS 'A login of a browser; its cookie holds a random id, of which the hash is stored.';
COMMENT ON COLUMN public.server_session.hash IS 'SHA-256 of the id in the cookie';
COMMENT ON COLUMN public.server_session.account_id IS 'the account';
COMMENT ON COLUMN public.server_session.created_at IS 'when the login was';
COMMENT ON COLUMN public.server_session.last_seen_at IS 'of its last request, to some minutes';
COMMENT ON COLUMN public.server_session.expires_at IS 'when it ends in any case';
COMMENT ON COLUMN public.server_session.agent IS 'how the browser names itself, shortened';
CREATE TABLE public.server_setting (
    name text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL COLLATE pg_catalog."C"
);
COMMENT ON TABLE public.server_setting IS 'A setting of the server: its public URL, its secret.';
COMMENT ON COLUMN public.server_setting.name IS 'public_url, secret';
COMMENT ON COLUMN public.server_setting.value IS 'its value';
CREATE TABLE public.server_token (
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
COMMENT ON TABLE public.server_token IS 'A secret by which a program acts as an account, perhaps with fewer rights.';
COMMENT ON COLUMN public.server_token.id IS 'made by the database';
COMMENT ON COLUMN public.server_token.name IS 'unique among the tokens that are not revoked';
COMMENT ON COLUMN public.server_token.hash IS 'SHA-256 of the token';
COMMENT ON COLUMN public.server_token.prefix IS 'its first characters, to recognise it by';
COMMENT ON COLUMN public.server_token.account_id IS 'the account';
COMMENT ON COLUMN public.server_token.collection_id IS 'the collection; null for the whole store';
COMMENT ON COLUMN public.server_token.scope IS 'read or write';
COMMENT ON COLUMN public.server_token.created_at IS 'when it was made';
COMMENT ON COLUMN public.server_token.expires_at IS 'when it ends; null for never';
COMMENT ON COLUMN public.server_token.last_used_at IS 'of its last request, to some minutes; null for never';
COMMENT ON COLUMN public.server_token.revoked_at IS 'when it was taken back; null for tokens that count';
CREATE SEQUENCE public.server_token_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.server_token_id_seq OWNED BY public.server_token.id;
CREATE TABLE public.server_upload (
    id integer NOT NULL,
    collection_id integer NOT NULL,
    sha256 text NOT NULL COLLATE pg_catalog."C",
    size bigint NOT NULL,
    received bigint NOT NULL,
    who text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone NOT NULL,
    received_at timestamp with time zone NOT NULL
);
COMMENT ON TABLE public.server_upload IS 'A file that is being sent, or was sent, into a collection.';
COMMENT ON COLUMN public.server_upload.id IS 'made by the database';
COMMENT ON COLUMN public.server_upload.collection_id IS 'the collection';
COMMENT ON COLUMN public.server_upload.sha256 IS 'SHA-256 of the whole file, as its sender says';
COMMENT ON COLUMN public.server_upload.size IS 'bytes of the whole file';
COMMENT ON COLUMN public.server_upload.received IS 'how many of them are here';
COMMENT ON COLUMN public.server_upload.who IS 'who sends it, as in `event`';
COMMENT ON COLUMN public.server_upload.created_at IS 'when it began';
COMMENT ON COLUMN public.server_upload.received_at IS 'when the last piece came';
CREATE SEQUENCE public.server_upload_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.server_upload_id_seq OWNED BY public.server_upload.id;
CREATE TABLE public.server_webhook (
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
COMMENT ON TABLE public.server_webhook IS 'An address that is told of new runs or of gates that did not pass.';
COMMENT ON COLUMN public.server_webhook.id IS 'made by the database';
COMMENT ON COLUMN public.server_webhook.url IS 'where it is told';
COMMENT ON COLUMN public.server_webhook.collection_id IS 'the collection; null for the whole store';
COMMENT ON COLUMN public.server_webhook.tells_of IS 'run, gate, or both with a comma';
COMMENT ON COLUMN public.server_webhook.secret IS 'the key of its signatures';
COMMENT ON COLUMN public.server_webhook.created_at IS 'when it was added';
COMMENT ON COLUMN public.server_webhook.event_id IS 'the last event that was looked at for it';
COMMENT ON COLUMN public.server_webhook.last_at IS 'when it was last told something';
COMMENT ON COLUMN public.server_webhook.last_result IS 'what came of that';
CREATE SEQUENCE public.server_webhook_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.server_webhook_id_seq OWNED BY public.server_webhook.id;
CREATE TABLE public.subtopic_judgment (
    collection_id integer NOT NULL,
    query_id integer NOT NULL,
    docno text NOT NULL COLLATE pg_catalog."C",
    subtopic text NOT NULL COLLATE pg_catalog."C",
    grade double precision NOT NULL
);
COMMENT ON TABLE public.subtopic_judgment IS 'The grade of a document for a subtopic of a query, for measures of diversity.';
COMMENT ON COLUMN public.subtopic_judgment.collection_id IS 'the collection';
COMMENT ON COLUMN public.subtopic_judgment.query_id IS 'the query';
COMMENT ON COLUMN public.subtopic_judgment.docno IS 'the document';
COMMENT ON COLUMN public.subtopic_judgment.subtopic IS 'the subtopic';
COMMENT ON COLUMN public.subtopic_judgment.grade IS '1 and more is relevant to the subtopic';
ALTER TABLE ONLY public.assessment ALTER COLUMN id SET DEFAULT nextval('public.assessment_id_seq'::regclass);
ALTER TABLE ONLY public.collection ALTER COLUMN id SET DEFAULT nextval('public.collection_id_seq'::regclass);
ALTER TABLE ONLY public.comment ALTER COLUMN id SET DEFAULT nextval('public.comment_id_seq'::regclass);
ALTER TABLE ONLY public.content ALTER COLUMN id SET DEFAULT nextval('public.content_id_seq'::regclass);
ALTER TABLE ONLY public.draft ALTER COLUMN id SET DEFAULT nextval('public.draft_id_seq'::regclass);
ALTER TABLE ONLY public.engine ALTER COLUMN id SET DEFAULT nextval('public.engine_id_seq'::regclass);
ALTER TABLE ONLY public.evaluation ALTER COLUMN id SET DEFAULT nextval('public.evaluation_id_seq'::regclass);
ALTER TABLE ONLY public.event ALTER COLUMN id SET DEFAULT nextval('public.event_id_seq'::regclass);
ALTER TABLE ONLY public.experiment ALTER COLUMN id SET DEFAULT nextval('public.experiment_id_seq'::regclass);
ALTER TABLE ONLY public.experiment_about ALTER COLUMN id SET DEFAULT nextval('public.experiment_about_id_seq'::regclass);
ALTER TABLE ONLY public.measure ALTER COLUMN id SET DEFAULT nextval('public.measure_id_seq'::regclass);
ALTER TABLE ONLY public.qrels ALTER COLUMN id SET DEFAULT nextval('public.qrels_id_seq'::regclass);
ALTER TABLE ONLY public.query ALTER COLUMN id SET DEFAULT nextval('public.query_id_seq'::regclass);
ALTER TABLE ONLY public.run ALTER COLUMN id SET DEFAULT nextval('public.run_id_seq'::regclass);
ALTER TABLE ONLY public.saved_leaderboard ALTER COLUMN id SET DEFAULT nextval('public.saved_leaderboard_id_seq'::regclass);
ALTER TABLE ONLY public.server_account ALTER COLUMN id SET DEFAULT nextval('public.server_account_id_seq'::regclass);
ALTER TABLE ONLY public.server_invitation ALTER COLUMN id SET DEFAULT nextval('public.server_invitation_id_seq'::regclass);
ALTER TABLE ONLY public.server_job ALTER COLUMN id SET DEFAULT nextval('public.server_job_id_seq'::regclass);
ALTER TABLE ONLY public.server_role ALTER COLUMN id SET DEFAULT nextval('public.server_role_id_seq'::regclass);
ALTER TABLE ONLY public.server_token ALTER COLUMN id SET DEFAULT nextval('public.server_token_id_seq'::regclass);
ALTER TABLE ONLY public.server_upload ALTER COLUMN id SET DEFAULT nextval('public.server_upload_id_seq'::regclass);
ALTER TABLE ONLY public.server_webhook ALTER COLUMN id SET DEFAULT nextval('public.server_webhook_id_seq'::regclass);
INSERT INTO public.aggregate VALUES
	(1, 1, 0.9666666666666667, 0.12909944487358058, 15),
	(1, 2, 0.9666666666666667, 0.12909944487358058, 15),
	(1, 3, 0.9333333333333333, 0.25819888974716115, 15),
	(1, 4, 1, 0, 15),
	(1, 5, 0.9666666666666667, 0.12909944487358058, 15),
	(1, 6, 0.9666666666666667, 0.12909944487358058, 15),
	(1, 7, 0.9175070661877717, 0.08963799975683874, 15),
	(1, 8, 0.9175070661877717, 0.08963799975683874, 15),
	(1, 9, 0.9175070661877717, 0.08963799975683874, 15),
	(1, 10, 0.9175070661877717, 0.08963799975683874, 15),
	(1, 11, 0.9175070661877717, 0.08963799975683874, 15),
	(1, 12, 0.48333333333333334, 0.06454972243679029, 15),
	(1, 13, 0.19733333333333333, 0.010327955589886442, 15),
	(1, 14, 0.9333333333333333, 0.25819888974716115, 15),
	(1, 15, 0.20000000000000004, 5.745950043620392e-17, 15),
	(1, 16, 0.10000000000000002, 2.872975021810196e-17, 15),
	(1, 17, 0.05000000000000001, 1.436487510905098e-17, 15),
	(1, 18, 0.03333333333333333, 0, 15),
	(1, 19, 0.01, 0, 15),
	(1, 20, 1, 0, 15),
	(1, 21, 1, 0, 15),
	(1, 22, 1, 0, 15),
	(1, 23, 1, 0, 15),
	(1, 24, 1, 0, 15),
	(1, 25, 0.9333333333333333, 0.25819888974716115, 15),
	(1, 26, 1, 0, 15),
	(1, 27, 1, 0, 15),
	(1, 28, 0.9666666666666667, 0.12909944487358058, 15),
	(1, 29, 0.9666666666666667, 0.12909944487358058, 15),
	(1, 30, 0.9666666666666667, 0.12909944487358058, 15),
	(1, 31, 0.9666666666666667, 0.12909944487358058, 15),
	(1, 32, 0.9666666666666667, 0.12909944487358058, 15),
	(1, 33, 0.9666666666666667, 0.12909944487358058, 15),
	(1, 34, 0.9666666666666667, 0.12909944487358058, 15),
	(1, 35, 0.9666666666666667, 0.12909944487358058, 15),
	(1, 36, 0.9666666666666667, 0.12909944487358058, 15),
	(1, 37, 0.9666666666666667, 0.12909944487358058, 15),
	(1, 38, 0.9666666666666667, 0.12909944487358058, 15),
	(1, 39, 0.9428571428571428, 0.2213133340689953, 15),
	(1, 40, 1, 0, 15),
	(1, 41, 0.95, 0.1936491673103709, 15),
	(1, 42, 21, 1.5491933384829661, 15),
	(1, 43, 15, 0, 15),
	(1, 44, 15, 0, 15),
	(2, 1, 0.7777777777777777, 0.2545875386086578, 3),
	(2, 2, 0.7777777777777777, 0.2545875386086578, 3),
	(2, 3, 0.5, 0.5, 3),
	(2, 4, 1, 0, 3),
	(2, 5, 0.8333333333333334, 0.28867513459481287, 3),
	(2, 6, 0.8333333333333334, 0.28867513459481287, 3);
INSERT INTO public.aggregate VALUES
	(2, 7, 0.8603880567870976, 0.20026853972607, 3),
	(2, 8, 0.8603880567870976, 0.20026853972607, 3),
	(2, 9, 0.8603880567870976, 0.20026853972607, 3),
	(2, 10, 0.8603880567870976, 0.20026853972607, 3),
	(2, 11, 0.8603880567870976, 0.20026853972607, 3),
	(2, 12, 0.33940972222222227, 0.13951951018070846, 3),
	(2, 13, 0.26133333333333325, 0.10002666311205892, 3),
	(2, 14, 0.6666666666666666, 0.5773502691896258, 3),
	(2, 15, 0.3333333333333333, 0.11547005383792516, 3),
	(2, 16, 0.16666666666666666, 0.05773502691896258, 3),
	(2, 17, 0.08333333333333333, 0.02886751345948129, 3),
	(2, 18, 0.05555555555555555, 0.019245008972987525, 3),
	(2, 19, 0.016666666666666666, 0.005773502691896258, 3),
	(2, 20, 1, 0, 3),
	(2, 21, 1, 0, 3),
	(2, 22, 1, 0, 3),
	(2, 23, 1, 0, 3),
	(2, 24, 1, 0, 3),
	(2, 25, 0.6666666666666666, 0.5773502691896258, 3),
	(2, 26, 1, 0, 3),
	(2, 27, 1, 0, 3),
	(2, 28, 0.8333333333333334, 0.28867513459481287, 3),
	(2, 29, 0.8333333333333334, 0.28867513459481287, 3),
	(2, 30, 0.8333333333333334, 0.28867513459481287, 3),
	(2, 31, 0.8333333333333334, 0.28867513459481287, 3),
	(2, 32, 0.8333333333333334, 0.28867513459481287, 3),
	(2, 33, 0.8333333333333334, 0.28867513459481287, 3),
	(2, 34, 0.7222222222222222, 0.2545875386086578, 3),
	(2, 35, 0.7222222222222222, 0.2545875386086578, 3),
	(2, 36, 0.7222222222222222, 0.2545875386086578, 3),
	(2, 37, 0.7222222222222222, 0.2545875386086578, 3),
	(2, 38, 0.7222222222222222, 0.2545875386086578, 3),
	(2, 39, 0.7222222222222222, 0.2545875386086578, 3),
	(2, 40, 1, 0, 3),
	(2, 41, 0.8222222222222223, 0.16777409856157222, 3),
	(2, 42, 7, 0.5773502691896258, 3),
	(2, 43, 5, 0.5773502691896257, 3),
	(2, 44, 5, 0.5773502691896257, 3),
	(3, 1, 0.5833333333333333, 0.4409585518440984, 4),
	(3, 2, 0.5833333333333333, 0.4409585518440984, 4),
	(3, 3, 0.375, 0.47871355387816905, 4),
	(3, 4, 0.75, 0.5, 4),
	(3, 5, 0.625, 0.47871355387816905, 4),
	(3, 6, 0.625, 0.47871355387816905, 4),
	(3, 7, 0.6452910425903232, 0.4602230191999068, 4),
	(3, 8, 0.6452910425903232, 0.4602230191999068, 4),
	(3, 9, 0.6452910425903232, 0.4602230191999068, 4),
	(3, 10, 0.6452910425903232, 0.4602230191999068, 4),
	(3, 11, 0.6452910425903232, 0.4602230191999068, 4),
	(3, 12, 0.2545572916666667, 0.20439390654351236, 4);
INSERT INTO public.aggregate VALUES
	(3, 13, 0.19599999999999995, 0.15409088227406573, 4),
	(3, 14, 0.5, 0.5773502691896257, 4),
	(3, 15, 0.25, 0.19148542155126763, 4),
	(3, 16, 0.125, 0.09574271077563382, 4),
	(3, 17, 0.0625, 0.04787135538781691, 4),
	(3, 18, 0.041666666666666664, 0.031914236925211274, 4),
	(3, 19, 0.0125, 0.009574271077563382, 4),
	(3, 20, 0.75, 0.5, 4),
	(3, 21, 0.75, 0.5, 4),
	(3, 22, 0.75, 0.5, 4),
	(3, 23, 0.75, 0.5, 4),
	(3, 24, 0.75, 0.5, 4),
	(3, 25, 0.5, 0.5773502691896257, 4),
	(3, 26, 0.75, 0.5, 4),
	(3, 27, 0.75, 0.5, 4),
	(3, 28, 0.625, 0.47871355387816905, 4),
	(3, 29, 0.625, 0.47871355387816905, 4),
	(3, 30, 0.625, 0.47871355387816905, 4),
	(3, 31, 0.625, 0.47871355387816905, 4),
	(3, 32, 0.625, 0.47871355387816905, 4),
	(3, 33, 0.625, 0.47871355387816905, 4),
	(3, 34, 0.5416666666666666, 0.41666666666666663, 4),
	(3, 35, 0.5416666666666666, 0.41666666666666663, 4),
	(3, 36, 0.5416666666666666, 0.41666666666666663, 4),
	(3, 37, 0.5416666666666666, 0.41666666666666663, 4),
	(3, 38, 0.5416666666666666, 0.41666666666666663, 4),
	(3, 39, 0.5416666666666666, 0.41666666666666663, 4),
	(3, 40, 0.75, 0.5, 4),
	(3, 41, 0.6166666666666667, 0.43333333333333335, 4),
	(3, 42, 7, 1.2583057392117916, 4),
	(3, 43, 6, 0.5773502691896257, 4),
	(3, 44, 5, 0.9574271077563381, 4),
	(4, 1, 0.7777777777777777, 0.2545875386086578, 3),
	(4, 2, 0.7777777777777777, 0.2545875386086578, 3),
	(4, 3, 0.5, 0.5, 3),
	(4, 4, 1, 0, 3),
	(4, 5, 0.8333333333333334, 0.28867513459481287, 3),
	(4, 6, 0.8333333333333334, 0.28867513459481287, 3),
	(4, 7, 0.8544806881741258, 0.19651949601653065, 3),
	(4, 8, 0.8544806881741258, 0.19651949601653065, 3),
	(4, 9, 0.8544806881741258, 0.19651949601653065, 3),
	(4, 10, 0.8544806881741258, 0.19651949601653065, 3),
	(4, 11, 0.8544806881741258, 0.19651949601653065, 3),
	(4, 12, 0.33940972222222227, 0.13951951018070846, 3),
	(4, 13, 0.26133333333333325, 0.10002666311205892, 3),
	(4, 14, 0.6666666666666666, 0.5773502691896258, 3),
	(4, 15, 0.3333333333333333, 0.11547005383792516, 3),
	(4, 16, 0.16666666666666666, 0.05773502691896258, 3),
	(4, 17, 0.08333333333333333, 0.02886751345948129, 3),
	(4, 18, 0.05555555555555555, 0.019245008972987525, 3);
INSERT INTO public.aggregate VALUES
	(4, 19, 0.016666666666666666, 0.005773502691896258, 3),
	(4, 20, 1, 0, 3),
	(4, 21, 1, 0, 3),
	(4, 22, 1, 0, 3),
	(4, 23, 1, 0, 3),
	(4, 24, 1, 0, 3),
	(4, 25, 0.6666666666666666, 0.5773502691896258, 3),
	(4, 26, 1, 0, 3),
	(4, 27, 1, 0, 3),
	(4, 28, 0.8333333333333334, 0.28867513459481287, 3),
	(4, 29, 0.8333333333333334, 0.28867513459481287, 3),
	(4, 30, 0.8333333333333334, 0.28867513459481287, 3),
	(4, 31, 0.8333333333333334, 0.28867513459481287, 3),
	(4, 32, 0.8333333333333334, 0.28867513459481287, 3),
	(4, 33, 0.8333333333333334, 0.28867513459481287, 3),
	(4, 34, 0.7222222222222222, 0.2545875386086578, 3),
	(4, 35, 0.7222222222222222, 0.2545875386086578, 3),
	(4, 36, 0.7222222222222222, 0.2545875386086578, 3),
	(4, 37, 0.7222222222222222, 0.2545875386086578, 3),
	(4, 38, 0.7222222222222222, 0.2545875386086578, 3),
	(4, 39, 0.7222222222222222, 0.2545875386086578, 3),
	(4, 40, 1, 0, 3),
	(4, 41, 0.8222222222222223, 0.16777409856157222, 3),
	(4, 42, 7, 0.5773502691896258, 3),
	(4, 43, 5, 0.5773502691896257, 3),
	(4, 44, 5, 0.5773502691896257, 3),
	(5, 1, 0.6944444444444443, 0.393817968854384, 3),
	(5, 2, 0.6944444444444443, 0.393817968854384, 3),
	(5, 3, 0.6666666666666666, 0.28867513459481287, 3),
	(5, 4, 0.6666666666666666, 0.5773502691896258, 3),
	(5, 5, 0.8333333333333334, 0.28867513459481287, 3),
	(5, 6, 0.8333333333333334, 0.28867513459481287, 3),
	(5, 7, 0.7997819074281501, 0.2801545181940665, 3),
	(5, 8, 0.7997819074281501, 0.2801545181940665, 3),
	(5, 9, 0.7997819074281501, 0.2801545181940665, 3),
	(5, 10, 0.7997819074281501, 0.2801545181940665, 3),
	(5, 11, 0.7997819074281501, 0.2801545181940665, 3),
	(5, 12, 0.40798611111111116, 0.4046554354164009, 3),
	(5, 13, 0.2293333333333333, 0.0877572409168231, 3),
	(5, 14, 0.6666666666666666, 0.5773502691896258, 3),
	(5, 15, 0.26666666666666666, 0.11547005383792516, 3),
	(5, 16, 0.13333333333333333, 0.05773502691896258, 3),
	(5, 17, 0.06666666666666667, 0.02886751345948129, 3),
	(5, 18, 0.044444444444444446, 0.019245008972987525, 3),
	(5, 19, 0.013333333333333334, 0.005773502691896258, 3),
	(5, 20, 0.8333333333333334, 0.28867513459481287, 3),
	(5, 21, 0.8333333333333334, 0.28867513459481287, 3),
	(5, 22, 0.8333333333333334, 0.28867513459481287, 3),
	(5, 23, 0.8333333333333334, 0.28867513459481287, 3),
	(5, 24, 0.8333333333333334, 0.28867513459481287, 3);
INSERT INTO public.aggregate VALUES
	(5, 25, 0.6666666666666666, 0.5773502691896258, 3),
	(5, 26, 1, 0, 3),
	(5, 27, 1, 0, 3),
	(5, 28, 0.8333333333333334, 0.28867513459481287, 3),
	(5, 29, 0.8333333333333334, 0.28867513459481287, 3),
	(5, 30, 0.8333333333333334, 0.28867513459481287, 3),
	(5, 31, 0.8333333333333334, 0.28867513459481287, 3),
	(5, 32, 0.8333333333333334, 0.28867513459481287, 3),
	(5, 33, 0.8333333333333334, 0.28867513459481287, 3),
	(5, 34, 0.5555555555555555, 0.5091750772173156, 3),
	(5, 35, 0.5555555555555555, 0.5091750772173156, 3),
	(5, 36, 0.5555555555555555, 0.5091750772173156, 3),
	(5, 37, 0.5555555555555555, 0.5091750772173156, 3),
	(5, 38, 0.5555555555555555, 0.5091750772173156, 3),
	(5, 39, 0.7222222222222222, 0.2545875386086578, 3),
	(5, 40, 0.8333333333333334, 0.28867513459481287, 3),
	(5, 41, 0.7666666666666666, 0.2516611478423583, 3),
	(5, 42, 6, 1, 3),
	(5, 43, 5, 0.5773502691896257, 3),
	(5, 44, 4, 0.5773502691896257, 3),
	(5, 45, 0.4444444444444444, 0.19245008972987526, 3),
	(6, 1, 0.6944444444444443, 0.393817968854384, 3),
	(6, 2, 0.6944444444444443, 0.393817968854384, 3),
	(6, 3, 0.6666666666666666, 0.28867513459481287, 3),
	(6, 4, 0.6666666666666666, 0.5773502691896258, 3),
	(6, 5, 0.8333333333333334, 0.28867513459481287, 3),
	(6, 6, 0.8333333333333334, 0.28867513459481287, 3),
	(6, 7, 0.8092336972089053, 0.2639628644358515, 3),
	(6, 8, 0.8092336972089053, 0.2639628644358515, 3),
	(6, 9, 0.8092336972089053, 0.2639628644358515, 3),
	(6, 10, 0.8092336972089053, 0.2639628644358515, 3),
	(6, 11, 0.8092336972089053, 0.2639628644358515, 3),
	(6, 12, 0.41041594187405855, 0.4026866049894204, 3),
	(6, 13, 0.23266666666666666, 0.08391265299901637, 3),
	(6, 14, 0.6666666666666666, 0.5773502691896258, 3),
	(6, 15, 0.26666666666666666, 0.11547005383792516, 3),
	(6, 16, 0.13333333333333333, 0.05773502691896258, 3),
	(6, 17, 0.06666666666666667, 0.02886751345948129, 3),
	(6, 18, 0.044444444444444446, 0.019245008972987525, 3),
	(6, 19, 0.013333333333333334, 0.005773502691896258, 3),
	(6, 20, 0.8333333333333334, 0.28867513459481287, 3),
	(6, 21, 0.8333333333333334, 0.28867513459481287, 3),
	(6, 22, 0.8333333333333334, 0.28867513459481287, 3),
	(6, 23, 0.8333333333333334, 0.28867513459481287, 3),
	(6, 24, 0.8333333333333334, 0.28867513459481287, 3),
	(6, 25, 0.6666666666666666, 0.5773502691896258, 3),
	(6, 26, 1, 0, 3),
	(6, 27, 1, 0, 3),
	(6, 28, 0.8333333333333334, 0.28867513459481287, 3),
	(6, 29, 0.8333333333333334, 0.28867513459481287, 3);
INSERT INTO public.aggregate VALUES
	(6, 30, 0.8333333333333334, 0.28867513459481287, 3),
	(6, 31, 0.8333333333333334, 0.28867513459481287, 3),
	(6, 32, 0.8333333333333334, 0.28867513459481287, 3),
	(6, 33, 0.8333333333333334, 0.28867513459481287, 3),
	(6, 34, 0.5555555555555555, 0.5091750772173156, 3),
	(6, 35, 0.5555555555555555, 0.5091750772173156, 3),
	(6, 36, 0.5555555555555555, 0.5091750772173156, 3),
	(6, 37, 0.5555555555555555, 0.5091750772173156, 3),
	(6, 38, 0.5555555555555555, 0.5091750772173156, 3),
	(6, 39, 0.7222222222222222, 0.2545875386086578, 3),
	(6, 40, 0.8333333333333334, 0.28867513459481287, 3),
	(6, 41, 0.7666666666666666, 0.2516611478423583, 3),
	(6, 42, 6, 1, 3),
	(6, 43, 5, 0.5773502691896257, 3),
	(6, 44, 4, 0.5773502691896257, 3),
	(6, 45, 0.4444444444444444, 0.19245008972987526, 3),
	(7, 1, 0.6111, 0.5357514629004759, 3),
	(7, 15, 0.26666666666666666, 0.23094010767585033, 3),
	(7, 42, 5, 1.5275252316519468, 3);
INSERT INTO public.alembic_version VALUES
	('0016');
INSERT INTO public.assessment VALUES
	(1, 1, 17, 'd3', 'ann ✓', 'person', 'graded', 0.1, '**why** ✓?', 'ü', 'a', '2026-11-27 21:18:26.286242+00'),
	(2, 1, 18, 'ü', 'ann ✓', 'person', 'later', NULL, NULL, NULL, 'b', '2026-11-27 21:18:26.286242+00');
INSERT INTO public.baseline VALUES
	(3, 2);
INSERT INTO public.collection VALUES
	(1, 'gone', NULL, '2026-11-27 21:18:26.172303+00', '2026-11-27 21:18:26.203659+00', 'store', NULL, NULL, NULL, NULL, NULL),
	(2, 'odd ✓', NULL, '2026-11-27 21:18:24.432662+00', NULL, 'private', NULL, NULL, NULL, NULL, NULL),
	(3, 'test', 9, '2026-11-27 21:18:24.65977+00', NULL, 'store', 'AP,nDCG(dcg=''exp-log2'')@10', NULL, '{"0": "no ✓"}', 'https://text.example/{docno}', '# how ✓');
INSERT INTO public.comment VALUES
	(1, 3, 2, NULL, 'someone@somewhere', '2026-11-27 21:18:26.249686+00', '**why** ✓?'),
	(2, 3, NULL, 17, 'someone@somewhere', '2026-11-27 21:18:26.252638+00', 'ü
- 1');
INSERT INTO public.content VALUES
	(1, 2, 'aaeaa9206e90f56af830737a7e32603851038b3c936ad0f72e9b1bb40d8503a2'),
	(2, 3, 'b68f2e5c3675ad63868fd53ab42ae9a7faaf2f7aec5ad1ec10eb0fa47d25488c'),
	(3, 3, '14ae4ca3d8546fe01b279e3fa72ee3d25fd068fc195f1f0770cf46c59068057b'),
	(4, 3, '252e03e5a88234a999785cd8c88cfa81994bb579abbbe2416ffd9b97a83211d6');
INSERT INTO public.document VALUES
	(3, 'd1', 'title', '\x0074657874'),
	(3, 'd2', 'ü', '\x00'),
	(3, 'd3', '', '\x0148893bbc47e1f02822020100ae66a07e');
INSERT INTO public.draft VALUES
	(1, 3, 'first ✓', 3, 'majority', 1, 7, 'depth 9 ✓', 'someone@somewhere', '2026-11-27 21:18:26.263272+00', 5);
INSERT INTO public.draft_document VALUES
	(1, 17, 'd3', 0, 'top ✓', 0.1, NULL),
	(1, 18, 'ü', 1, NULL, NULL, 'bob');
INSERT INTO public.engine VALUES
	(1, 't'),
	(2, 'bm25'),
	(3, 'tfidf'),
	(4, 'ü');
INSERT INTO public.engine_slot VALUES
	(2, 1, 0),
	(3, 2, 0),
	(3, 3, 1),
	(3, 4, 2);
INSERT INTO public.evaluation VALUES
	(1, 1, 2, '0.1.0', 'exact', '2026-11-27 21:18:24.587794+00'),
	(2, 2, 3, '0.1.0', 'exact', '2026-11-27 21:18:24.747014+00'),
	(3, 2, 6, '0.1.0', 'trec_eval-9', '2026-11-27 21:18:25.011534+00'),
	(4, 2, 5, '0.1.0', 'exact', '2026-11-27 21:18:26.376218+00'),
	(5, 3, 3, '0.1.0', 'exact', '2026-11-27 21:18:24.831821+00'),
	(6, 3, 5, '0.1.0', 'exact', '2026-11-27 21:18:26.392853+00'),
	(7, 4, 3, '0.1.0', 'exact', '2026-11-27 21:18:25.064167+00');
INSERT INTO public.event VALUES
	(1, '2026-11-27 21:18:26.681997+00', 'someone@somewhere', 'copy', 'gone', 'third', '{"kind": "qrels", "status": "copied", "source": "sqlite://golden.db"}', 1),
	(2, '2026-11-27 21:18:26.172303+00', 'someone@somewhere', 'ingest', 'gone', 'third', '{"kind": "qrels", "judgments": 1}', 1),
	(3, '2026-11-27 21:18:26.203659+00', 'someone@somewhere', 'rm', 'gone', 'gone', '{"kind": "collection"}', 1),
	(4, '2026-11-27 21:18:26.893822+00', 'someone@somewhere', 'copy', 'odd ✓', 'odd', '{"kind": "qrels", "status": "copied", "source": "sqlite://golden.db"}', 2),
	(5, '2026-11-27 21:18:27.175189+00', 'someone@somewhere', 'copy', 'odd ✓', 'odd', '{"kind": "run", "status": "copied", "source": "sqlite://golden.db"}', 2),
	(6, '2026-11-27 21:18:24.432662+00', 'someone@somewhere', 'ingest', 'odd ✓', 'odd', '{"kind": "qrels", "judgments": 30}', 2),
	(7, '2026-11-27 21:18:24.587794+00', 'someone@somewhere', 'ingest', 'odd ✓', 'odd', '{"kind": "run", "status": "stored", "qrels": "odd"}', 2),
	(8, '2026-11-27 21:18:25.903357+00', 'someone@somewhere', 'rank', 'odd ✓', 'odd', '{"measures": ["AP", "P@5"]}', 2),
	(9, '2026-11-27 21:18:26.202192+00', 'someone@somewhere', 'tag', 'odd ✓', 'odd ✓', '{"kind": "queries", "changed": {"name ✓": 15}}', 2),
	(10, '2026-11-27 21:18:27.374975+00', 'someone@somewhere', 'copy', 'test', 'test', '{"kind": "qrels", "status": "copied", "source": "sqlite://golden.db"}', 3),
	(11, '2026-11-27 21:18:27.38741+00', 'someone@somewhere', 'copy', 'test', 'third', '{"kind": "qrels", "status": "copied", "source": "sqlite://golden.db"}', 3),
	(12, '2026-11-27 21:18:27.402408+00', 'someone@somewhere', 'copy', 'test', 'judged ✓', '{"kind": "qrels", "status": "copied", "source": "sqlite://golden.db"}', 3),
	(13, '2026-11-27 21:18:27.41725+00', 'someone@somewhere', 'copy', 'test', 'second', '{"kind": "qrels", "status": "copied", "source": "sqlite://golden.db"}', 3),
	(14, '2026-11-27 21:18:27.794995+00', 'someone@somewhere', 'copy', 'test', 'bm25', '{"kind": "run", "status": "copied", "source": "sqlite://golden.db"}', 3),
	(15, '2026-11-27 21:18:28.083521+00', 'someone@somewhere', 'copy', 'test', 'tfidf', '{"kind": "run", "status": "copied", "source": "sqlite://golden.db"}', 3),
	(16, '2026-11-27 21:18:28.128231+00', 'someone@somewhere', 'copy', 'test', 'same as tfidf', '{"kind": "run", "status": "copied", "source": "sqlite://golden.db"}', 3),
	(17, '2026-11-27 21:18:28.186853+00', 'someone@somewhere', 'copy', 'test', 'printed', '{"kind": "run", "status": "copied", "source": "sqlite://golden.db"}', 3),
	(18, '2026-11-27 21:18:24.65977+00', 'someone@somewhere', 'ingest', 'test', 'test', '{"kind": "qrels", "judgments": 6}', 3),
	(19, '2026-11-27 21:18:24.747014+00', 'someone@somewhere', 'ingest', 'test', 'bm25', '{"kind": "run", "status": "stored", "qrels": "test"}', 3),
	(20, '2026-11-27 21:18:24.831821+00', 'someone@somewhere', 'ingest', 'test', 'tfidf', '{"kind": "run", "status": "stored", "qrels": "test"}', 3),
	(21, '2026-11-27 21:18:24.900589+00', 'someone@somewhere', 'ingest', 'test', 'same as tfidf', '{"kind": "run", "status": "stored", "qrels": "test", "same_as": "tfidf"}', 3),
	(22, '2026-11-27 21:18:24.944276+00', 'someone@somewhere', 'ingest', 'test', 'second', '{"kind": "qrels", "judgments": 7}', 3),
	(23, '2026-11-27 21:18:25.011534+00', 'someone@somewhere', 'ingest', 'test', 'bm25', '{"kind": "run", "status": "evaluated", "qrels": "second"}', 3),
	(24, '2026-11-27 21:18:25.064167+00', 'someone@somewhere', 'ingest', 'test', 'printed', '{"kind": "run", "status": "stored", "qrels": "test"}', 3),
	(25, '2026-11-27 21:18:25.123502+00', 'someone@somewhere', 'measure', 'test', 'tfidf', '{"qrels": "test", "measures": ["P@3"]}', 3),
	(26, '2026-11-27 21:18:25.950264+00', 'someone@somewhere', 'rank', 'test', 'test', '{"measures": ["AP", "P@5"]}', 3),
	(27, '2026-11-27 21:18:25.981837+00', 'someone@somewhere', 'tag', 'test', 'tfidf', '{"added": ["paper"], "removed": []}', 3),
	(28, '2026-11-27 21:18:25.993414+00', 'someone@somewhere', 'annotate', 'test', 'bm25', '{"parameters.k1": [null, 1e-05], "parameters.n ✓": [null, -0.0], "parameters.stem": [null, true], "parameters.text": [null, "a \"k1\": 7, {}"], "parameters.id": [null, "007"], "tags": [null, ["stage=dev", "ü"]], "note": [null, "# better\nthan *before*"], "commit": [null, "cccccccccccccccccccccccccccccccccccccccc"], "commit_dirty": [null, true], "host": [null, "a host"], "started_by": [null, "ann"], "started_at": [null, "2026-11-01T12:00:00+00:00"], "ended_at": [null, "2026-11-01T12:30:00.000005+00:00"], "command": [null, "search --k1 1e-05 ''a b''"], "index_version": [null, "2"], "collection_version": [null, "2026-10 ✓"], "header.tag": [null, "a"], "header.research goal.venue.name": [null, "ü"], "memory_bytes": [null, 1099511627776], "money": [null, 0.1], "currency": [null, "EUR"], "energy_joules": [null, 5e-324], "parent": [null, "tfidf"]}', 3),
	(29, '2026-11-27 21:18:26.020535+00', 'someone@somewhere', 'rm', 'test', 'tfidf', NULL, 3),
	(30, '2026-11-27 21:18:26.107799+00', 'someone@somewhere', 'facts', 'test', 'test', '{"stored": ["subtopics", "known", "collection_size", "judgment_groups", "preferences"], "deleted": 0}', 3),
	(31, '2026-11-27 21:18:26.11355+00', 'someone@somewhere', 'facts', 'test', 'bm25', '{"stored": ["times", "index_bytes"], "deleted": 0}', 3),
	(32, '2026-11-27 21:18:26.141712+00', 'someone@somewhere', 'ingest', 'test', 'third', '{"kind": "qrels", "judgments": 1}', 3),
	(33, '2026-11-27 21:18:26.149342+00', 'someone@somewhere', 'rm', 'test', 'third', '{"kind": "qrels"}', 3),
	(34, '2026-11-27 21:18:26.18776+00', 'someone@somewhere', 'tag', 'test', 'test', '{"kind": "queries", "changed": {"lang": 2, "n ✓": 1}}', 3),
	(35, '2026-11-27 21:18:26.211624+00', 'someone@somewhere', 'baseline', 'test', 'bm25', '{"before": null}', 3),
	(36, '2026-11-27 21:18:26.218053+00', 'someone@somewhere', 'default', 'test', 'test', '{"kind": "measures", "to": "AP,nDCG(dcg=''exp-log2'')@10", "before": "standard"}', 3),
	(37, '2026-11-27 21:18:26.243751+00', 'someone@somewhere', 'view', 'test', 'main ✓', '{"key": "jv6d"}', 3),
	(38, '2026-11-27 21:18:26.251279+00', 'someone@somewhere', 'comment', 'test', 'bm25', '{"kind": "run", "comment": 1}', 3),
	(39, '2026-11-27 21:18:26.262258+00', 'someone@somewhere', 'comment', 'test', 'q1', '{"kind": "query", "comment": 2}', 3),
	(40, '2026-11-27 21:18:26.263272+00', 'someone@somewhere', 'new', 'test', 'first ✓', '{"kind": "draft", "documents": 2}', 3),
	(41, '2026-11-27 21:18:26.326769+00', 'someone@somewhere', 'publish', 'test', 'judged ✓', '{"kind": "qrels", "judgments": 6, "parent": "test"}', 3),
	(42, '2026-11-27 21:18:26.376218+00', 'someone@somewhere', 'reevaluate', 'test', 'bm25', '{"qrels": "judged ✓", "before": "test"}', 3),
	(43, '2026-11-27 21:18:26.392853+00', 'someone@somewhere', 'reevaluate', 'test', 'same as tfidf', '{"qrels": "judged ✓", "before": "test"}', 3),
	(44, '2026-11-27 21:18:26.228726+00', 'someone@somewhere', 'edit', NULL, 'e1', '{"kind": "experiment", "before": {"question": null, "conclusion": null}}', NULL),
	(45, '2026-11-27 21:18:26.234468+00', 'someone@somewhere', 'new', NULL, 'without runs', '{"kind": "experiment"}', NULL);
INSERT INTO public.experiment VALUES
	(1, 'e1', '2026-11-27 21:18:24.747014+00', '*what* ✓?', 'nothing
much'),
	(2, 'without runs', '2026-11-27 21:18:26.234468+00', 'why?', NULL);
INSERT INTO public.experiment_about VALUES
	(1, 1, 3);
INSERT INTO public.group_judgment VALUES
	(3, 17, 'd1', 'ann', 1),
	(3, 17, 'd1', 'ü', 0.5);
INSERT INTO public.hit_list VALUES
	(1, 2, '{1}', '{"\"quoted\""}', '{1}', '{3.3333333333333335}'),
	(1, 3, '{2}', '{'';_DROP_TABLE_run;_--}', '{1}', '{1e+308}'),
	(1, 4, '{1}', '{../../etc/passwd}', '{1}', '{1e+308}'),
	(1, 5, '{1}', '{<script>alert(1)</script>}', '{1}', '{5e-324}'),
	(1, 6, '{1}', '{=1+1}', '{1}', '{-1e-09}'),
	(1, 7, '{1}', '{"NULL"}', '{1}', '{1e+308}'),
	(1, 8, '{1}', '{__proto__}', '{1}', '{0.1}'),
	(1, 9, '{1}', '{all}', '{1}', '{3.3333333333333335}'),
	(1, 10, '{1}', '{café}', '{1}', '{0.1}'),
	(1, 11, '{1}', '{café}', '{1}', '{5e-324}'),
	(1, 12, '{1}', '{xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx}', '{1}', '{0.1}'),
	(1, 13, '{1}', '{"{{7*7}}%s%(x)s{0}"}', '{1}', '{-1.2345678901234567e+19}'),
	(1, 14, '{1}', '{מנוע}', '{1}', '{-1e-09}'),
	(1, 15, '{1}', '{‮gnp.exe}', '{1}', '{-1.2345678901234567e+19}'),
	(1, 16, '{1}', '{🦉🇦🇹👩‍🔬}', '{1}', '{3.3333333333333335}'),
	(2, 17, '{1,3}', '{d1,d2}', '{2,1}', '{99,97}'),
	(2, 18, '{1,2}', '{d5,d4}', '{1,1}', '{99,98}'),
	(2, 19, '{2}', '{d6}', '{3}', '{98}'),
	(3, 17, '{1,3}', '{d1,d2}', '{2,1}', '{99,97}'),
	(3, 18, '{1,2}', '{d5,d4}', '{1,1}', '{99,98}'),
	(3, 19, '{2}', '{d6}', '{3}', '{98}'),
	(4, 17, '{1,3}', '{d1,d2}', '{2,1}', '{99,97}'),
	(4, 18, '{1,2}', '{d5,d4}', '{1,1}', '{99,98}'),
	(4, 19, '{2}', '{d6}', '{3}', '{98}'),
	(5, 17, '{2}', '{d1}', '{2}', '{98}'),
	(5, 18, '{1,3}', '{d5,d4}', '{1,1}', '{99,97}'),
	(5, 19, '{1}', '{d6}', '{3}', '{99}'),
	(6, 17, '{2}', '{d1}', '{2}', '{98}'),
	(6, 18, '{1,3}', '{d5,d4}', '{1,1}', '{99,97}'),
	(6, 19, '{1}', '{d6}', '{3}', '{99}');
INSERT INTO public.judgment VALUES
	(1, 1, 'd1', 1),
	(2, 2, '"quoted"', 1),
	(2, 2, 'x', 0.1),
	(2, 3, ''';_DROP_TABLE_run;_--', 1),
	(2, 3, 'x', 0.1),
	(2, 4, '../../etc/passwd', 1),
	(2, 4, 'x', 0.1),
	(2, 5, '<script>alert(1)</script>', 1),
	(2, 5, 'x', 0.1),
	(2, 6, '=1+1', 1),
	(2, 6, 'x', 0.1),
	(2, 7, 'NULL', 1),
	(2, 7, 'x', 0.1),
	(2, 8, '__proto__', 1),
	(2, 8, 'x', 0.1),
	(2, 9, 'all', 1),
	(2, 9, 'x', 0.1),
	(2, 10, 'café', 1),
	(2, 10, 'x', 0.1),
	(2, 11, 'café', 1),
	(2, 11, 'x', 0.1),
	(2, 12, 'x', 0.1),
	(2, 12, 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', 1),
	(2, 13, 'x', 0.1),
	(2, 13, '{{7*7}}%s%(x)s{0}', 1),
	(2, 14, 'x', 0.1),
	(2, 14, 'מנוע', 1),
	(2, 15, 'x', 0.1),
	(2, 15, '‮gnp.exe', 1),
	(2, 16, 'x', 0.1),
	(2, 16, '🦉🇦🇹👩‍🔬', 1),
	(3, 17, 'd1', 2),
	(3, 17, 'd2', 1),
	(3, 17, 'd3', 0),
	(3, 18, 'd4', 1),
	(3, 18, 'd5', 1),
	(3, 19, 'd6', 3),
	(4, 17, 'd1', 1),
	(5, 17, 'd1', 2),
	(5, 17, 'd2', 1),
	(5, 17, 'd3', 0.1),
	(5, 18, 'd4', 1),
	(5, 18, 'd5', 1),
	(5, 19, 'd6', 3),
	(6, 17, 'd1', 2),
	(6, 17, 'd2', 1),
	(6, 17, 'd3', 0),
	(6, 18, 'd4', 1),
	(6, 18, 'd5', 1),
	(6, 19, 'd6', 3);
INSERT INTO public.judgment VALUES
	(6, 20, 'd1', 1);
INSERT INTO public.judgment_origin VALUES
	(5, 17, 'd3', 'person', 'ann ✓', 'depth 9 ✓', 'top ✓', 0.1, '2026-11-27 21:18:26.286242+00');
INSERT INTO public.known_document VALUES
	(3, 17, 'd1');
INSERT INTO public.measure VALUES
	(1, 'AP', 'average precision', 1, 'mean'),
	(2, 'AP@100', 'average precision', 1, 'mean'),
	(3, 'Rprec', 'precision', 1, 'mean'),
	(4, 'Bpref', 'preference', 1, 'mean'),
	(5, 'RR', 'reciprocal rank', 1, 'mean'),
	(6, 'RR@10', 'reciprocal rank', 1, 'mean'),
	(7, 'nDCG', 'gain', 1, 'mean'),
	(8, 'nDCG@5', 'gain', 1, 'mean'),
	(9, 'nDCG@10', 'gain', 1, 'mean'),
	(10, 'nDCG@20', 'gain', 1, 'mean'),
	(11, 'nDCG@100', 'gain', 1, 'mean'),
	(12, 'ERR@20', 'user models', 1, 'mean'),
	(13, 'RBP', 'user models', 1, 'mean'),
	(14, 'P@1', 'precision', 1, 'mean'),
	(15, 'P@5', 'precision', 1, 'mean'),
	(16, 'P@10', 'precision', 1, 'mean'),
	(17, 'P@20', 'precision', 1, 'mean'),
	(18, 'P@30', 'precision', 1, 'mean'),
	(19, 'P@100', 'precision', 1, 'mean'),
	(20, 'R@10', 'precision', 1, 'mean'),
	(21, 'R@20', 'precision', 1, 'mean'),
	(22, 'R@50', 'precision', 1, 'mean'),
	(23, 'R@100', 'precision', 1, 'mean'),
	(24, 'R@1000', 'precision', 1, 'mean'),
	(25, 'Success@1', 'precision', 1, 'mean'),
	(26, 'Success@5', 'precision', 1, 'mean'),
	(27, 'Success@10', 'precision', 1, 'mean'),
	(28, 'IPrec@0.0', 'precision', 1, 'mean'),
	(29, 'IPrec@0.1', 'precision', 1, 'mean'),
	(30, 'IPrec@0.2', 'precision', 1, 'mean'),
	(31, 'IPrec@0.3', 'precision', 1, 'mean'),
	(32, 'IPrec@0.4', 'precision', 1, 'mean'),
	(33, 'IPrec@0.5', 'precision', 1, 'mean'),
	(34, 'IPrec@0.6', 'precision', 1, 'mean'),
	(35, 'IPrec@0.7', 'precision', 1, 'mean'),
	(36, 'IPrec@0.8', 'precision', 1, 'mean'),
	(37, 'IPrec@0.9', 'precision', 1, 'mean'),
	(38, 'IPrec@1.0', 'precision', 1, 'mean'),
	(39, 'SetP', 'sets', 1, 'mean'),
	(40, 'SetR', 'sets', 1, 'mean'),
	(41, 'SetF', 'sets', 1, 'mean'),
	(42, 'NumRet', 'counts', 0, 'sum'),
	(43, 'NumRel', 'counts', 0, 'sum'),
	(44, 'NumRelRet', 'counts', 1, 'sum'),
	(45, 'P@3', 'precision', 1, 'mean');
INSERT INTO public.preference_judgment VALUES
	(3, 17, 'ü', 's', 'd1', 0.1),
	(3, 17, 'ü', 's', 'd2', 0),
	(3, 17, 'ü', 'ß', 'd1', 2);
INSERT INTO public.qrels VALUES
	(1, 1, 'third', '9e08d2bd5a0d6e67b70fde4f4711262e17ff96b4a6c9ae54cbe5647c83cd893e', 1, 1, 1, 1, '2026-11-27 21:18:26.172303+00', true, NULL, NULL, NULL, NULL, NULL, NULL),
	(2, 2, 'odd', 'bcbb6e190eabf916affd057f16273c9e145df9948abeb20e39f6281d204b3c30', 15, 30, 15, 1, '2026-11-27 21:18:24.432662+00', true, NULL, NULL, NULL, NULL, NULL, NULL),
	(3, 3, 'test', '1bfea906ad818051e20881aa52f81902f873ef7783d73ab46efeb4087d7651ef', 3, 6, 5, 3, '2026-11-27 21:18:24.65977+00', false, NULL, NULL, NULL, NULL, NULL, NULL),
	(4, 3, 'third', '9e08d2bd5a0d6e67b70fde4f4711262e17ff96b4a6c9ae54cbe5647c83cd893e', 1, 1, 1, 1, '2026-11-27 21:18:26.141712+00', false, '2026-11-27 21:18:26.149342+00', NULL, NULL, NULL, NULL, NULL),
	(6, 3, 'second', '4b99802ffc2a92bdfc157572e628cf2cb66d98f9fc4660251502466d94b976b2', 4, 7, 6, 3, '2026-11-27 21:18:24.944276+00', true, NULL, NULL, NULL, NULL, NULL, NULL),
	(5, 3, 'judged ✓', '659d2aa720204a4f1fe17218a3a2bb2f497f715899b2cecee631908cef3671e7', 3, 6, 5, 3, '2026-11-27 21:18:26.326769+00', false, NULL, 3, 'someone@somewhere', '*new* ✓', 'majority', '{"kind": "file", "name": "test"}');
INSERT INTO public.query VALUES
	(1, 1, 'q1', NULL),
	(2, 2, '"quoted"', NULL),
	(3, 2, ''';_DROP_TABLE_run;_--', NULL),
	(4, 2, '../../etc/passwd', NULL),
	(5, 2, '<script>alert(1)</script>', NULL),
	(6, 2, '=1+1', NULL),
	(7, 2, 'NULL', NULL),
	(8, 2, '__proto__', NULL),
	(9, 2, 'all', NULL),
	(10, 2, 'café', NULL),
	(11, 2, 'café', NULL),
	(12, 2, 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', NULL),
	(13, 2, '{{7*7}}%s%(x)s{0}', NULL),
	(14, 2, 'מנוע', NULL),
	(15, 2, '‮gnp.exe', NULL),
	(16, 2, '🦉🇦🇹👩‍🔬', NULL),
	(18, 3, 'q2', NULL),
	(19, 3, 'q3', NULL),
	(20, 3, 'q4', NULL),
	(17, 3, 'q1', 'what?'),
	(21, 3, 'q9', 'no answer');
INSERT INTO public.query_attribute VALUES
	(2, 'name ✓', '"quoted"'),
	(3, 'name ✓', ''';_DROP_TABLE_run;_--'),
	(4, 'name ✓', '../../etc/passwd'),
	(5, 'name ✓', '<script>alert(1)</script>'),
	(6, 'name ✓', '=1+1'),
	(7, 'name ✓', 'NULL'),
	(8, 'name ✓', '__proto__'),
	(9, 'name ✓', 'all'),
	(10, 'name ✓', 'café'),
	(11, 'name ✓', 'café'),
	(12, 'name ✓', 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'),
	(13, 'name ✓', '{{7*7}}%s%(x)s{0}'),
	(14, 'name ✓', 'מנוע'),
	(15, 'name ✓', '‮gnp.exe'),
	(16, 'name ✓', '🦉🇦🇹👩‍🔬'),
	(17, 'lang', 'de'),
	(17, 'n ✓', '007'),
	(20, 'lang', 'en');
INSERT INTO public.ranking VALUES
	(1, 2, 1, '\x01ff1600000028b52ffd2016b100000100000008002271756f74656422abaaaaaaaaaa0a40'),
	(1, 3, 7, '\x01ff6d00000028b52ffd206d350300c40507000000ffff02001500026430273b5f44524f505f5441424c455f72756e3b5f2d2d64316432643364346435a0c8eb85f3cce17fabaaaaaaaaaa0a409a9999999999b93f010000000000000095d626e80b2e11bee1639d31956ae5c302005921a5c2cd01'),
	(1, 4, 1, '\x01ff1e00000028b52ffd201ef100000100000010002e2e2f2e2e2f6574632f706173737764a0c8eb85f3cce17f'),
	(1, 5, 1, '\x01ff2700000028b52ffd20273901000100000019003c7363726970743e616c6572742831293c2f7363726970743e0100000000000000'),
	(1, 6, 1, '\x01091300000028b52ffd20139900000100000004003d312b31ffffffffffffffff00'),
	(1, 7, 1, '\x01ff1200000028b52ffd20129100000100000004004e554c4ca0c8eb85f3cce17f'),
	(1, 8, 1, '\x01091800000028b52ffd2018c100000100000009005f5f70726f746f5f5f00e1f5050000000000'),
	(1, 9, 1, '\x01ff1100000028b52ffd2011890000010000000300616c6cabaaaaaaaaaa0a40'),
	(1, 10, 1, '\x01091500000028b52ffd2015a9000001000000060063616665cc8100e1f5050000000000'),
	(1, 11, 1, '\x01ff1300000028b52ffd2013990000010000000500636166c3a90100000000000000'),
	(1, 12, 1, '\x0109f703000028b52ffd60f702bd00008001000000e8037800e1f50500000000000100e42b6004'),
	(1, 13, 1, '\x01ff1f00000028b52ffd201ff900000100000011007b7b372a377d7d257325287829737b307de1639d31956ae5c3'),
	(1, 14, 1, '\x01091700000028b52ffd2017b90000010000000800d79ed7a0d795d7a2ffffffffffffffff00'),
	(1, 15, 1, '\x01ff1800000028b52ffd2018c10000010000000a00e280ae676e702e657865e1639d31956ae5c3'),
	(1, 16, 1, '\x01ff2500000028b52ffd2025290100010000001700f09fa689f09f87a6f09f87b9f09f91a9e2808df09f94acabaaaaaaaaaa0a40'),
	(2, 17, 3, '\x01001700000028b52ffd2017b900000300000002006431643964326300000000000000010101'),
	(2, 18, 2, '\x01001400000028b52ffd2014a100000200000002006435643463000000000000000101'),
	(2, 19, 2, '\x01001400000028b52ffd2014a100000200000002006438643663000000000000000101'),
	(3, 17, 2, '\x01001400000028b52ffd2014a100000200000002006433643163000000000000000101'),
	(3, 18, 3, '\x01001700000028b52ffd2017b900000300000002006435643964346300000000000000010101'),
	(3, 19, 1, '\x01001100000028b52ffd20118900000100000002006436630000000000000000');
INSERT INTO public.response_time VALUES
	(2, 17, 0.1),
	(2, 18, 300000000);
INSERT INTO public.retrieved_list VALUES
	(1, 2, '{1}', '{"\"quoted\""}', '{3.3333333333333335}'),
	(1, 3, '{1,2,3,4,5,6,7}', '{d0,'';_DROP_TABLE_run;_--,d1,d2,d3,d4,d5}', '{1e+308,1e+308,3.3333333333333335,0.1,5e-324,-1e-09,-1.2345678901234567e+19}'),
	(1, 4, '{1}', '{../../etc/passwd}', '{1e+308}'),
	(1, 5, '{1}', '{<script>alert(1)</script>}', '{5e-324}'),
	(1, 6, '{1}', '{=1+1}', '{-1e-09}'),
	(1, 7, '{1}', '{"NULL"}', '{1e+308}'),
	(1, 8, '{1}', '{__proto__}', '{0.1}'),
	(1, 9, '{1}', '{all}', '{3.3333333333333335}'),
	(1, 10, '{1}', '{café}', '{0.1}'),
	(1, 11, '{1}', '{café}', '{5e-324}'),
	(1, 12, '{1}', '{xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx}', '{0.1}'),
	(1, 13, '{1}', '{"{{7*7}}%s%(x)s{0}"}', '{-1.2345678901234567e+19}'),
	(1, 14, '{1}', '{מנוע}', '{-1e-09}'),
	(1, 15, '{1}', '{‮gnp.exe}', '{-1.2345678901234567e+19}'),
	(1, 16, '{1}', '{🦉🇦🇹👩‍🔬}', '{3.3333333333333335}'),
	(2, 17, '{1,2,3}', '{d1,d9,d2}', '{99,98,97}'),
	(2, 18, '{1,2}', '{d5,d4}', '{99,98}'),
	(2, 19, '{1,2}', '{d8,d6}', '{99,98}'),
	(3, 17, '{1}', '{d3}', '{99}'),
	(3, 18, '{1}', '{d5}', '{99}'),
	(3, 19, '{1}', '{d6}', '{99}');
INSERT INTO public.run VALUES
	(1, 2, 1, 'odd', 't', 15, 21, NULL, NULL, NULL, '2026-11-27 21:18:24.587794+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, 1),
	(2, 3, 2, 'bm25', 'bm25', 3, 7, '{"k1": 1e-05, "n ✓": -0.0, "stem": true, "text": "a \"k1\": 7, {}", "id": "007"}', '["stage=dev", "ü"]', 'cccccccccccccccccccccccccccccccccccccccc', '2026-11-27 21:18:24.747014+00', NULL, 1099511627776, '# better
than *before*', true, 'a host', 'ann', '2026-11-01 12:00:00+00', '2026-11-01 12:30:00.000005+00', 'search --k1 1e-05 ''a b''', '2', '2026-10 ✓', '{"tag": "a", "research goal": {"venue": {"name": "ü"}}}', 1099511627776, 0.1, 'EUR', 5e-324, false, 'e1', 2),
	(3, 3, 3, 'tfidf', 'tfidf', 3, 6, NULL, '["paper"]', NULL, '2026-11-27 21:18:24.831821+00', '2026-11-27 21:18:26.020535+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, 3),
	(4, 3, 3, 'same as tfidf', 'tfidf', 3, 6, NULL, NULL, NULL, '2026-11-27 21:18:24.900589+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, 3),
	(5, 3, 4, 'printed', 'ü', 2, 0, NULL, NULL, NULL, '2026-11-27 21:18:25.064167+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, true, NULL, 4);
INSERT INTO public.run_file VALUES
	(1, '3b227f5742d5101923d389522f6d5e5c36e9629f1c23589f9063b7063df4073e', 2866, NULL, 'aad445fee9e142365d6c26b5ba58982d5a42dcdbe32cfca599d94f07a0899046', '01fe98f9ec5b0e3ad46f64d7c620d9aa7e0595a7270ca08e80551adfb65779ab'),
	(2, 'bab463bf01e67532b5acad2c0e37725ef8661b478e785735b799304ddf21682d', 133, NULL, '39c7a3d6fa10cb812ef54aae1aa160458d144d69c4abd8df5f11f10a94cd2ce6', '01fe98f9ec5b0e3ad46f64d7c620d9aa7e0595a7270ca08e80551adfb65779ab'),
	(3, 'a271f41eab97700b230f6c039f08bceaf3e63cf99c6efe5b7bb9bca07184b42a', 120, NULL, '1878861fed1234cbd37edc0c6af62415c92963ce1ab859a5263a252a0f759f27', '01fe98f9ec5b0e3ad46f64d7c620d9aa7e0595a7270ca08e80551adfb65779ab'),
	(4, '882cb1916844319cb1c3278f823a2c59a6e61e391066c1fd645244a602050d0f', 120, NULL, '1878861fed1234cbd37edc0c6af62415c92963ce1ab859a5263a252a0f759f27', '01fe98f9ec5b0e3ad46f64d7c620d9aa7e0595a7270ca08e80551adfb65779ab'),
	(5, '54d187e9fa1cc0a95f447cddb144f04bc6b3885284ee8fc48bbde89f6a518ee5', 95, NULL, '894ed7b95b2ed9eb57b537d2dd0f2a0ceea7d8627e623298966c1f5f8b34faa9', '01fe98f9ec5b0e3ad46f64d7c620d9aa7e0595a7270ca08e80551adfb65779ab');
INSERT INTO public.run_parent VALUES
	(2, 3);
INSERT INTO public.saved_leaderboard VALUES
	(1, 2, 1, 1, 't', 0.05, '2026-11-27 21:18:25.903357+00', ''),
	(2, 2, 15, 1, 't', 0.05, '2026-11-27 21:18:25.903357+00', ''),
	(3, 3, 1, 4, 't', 0.05, '2026-11-27 21:18:25.950264+00', ''),
	(4, 3, 15, 4, 't', 0.05, '2026-11-27 21:18:25.950264+00', '');
INSERT INTO public.saved_rank VALUES
	(1, 1, 1, 1, 'a', 0.7592461480879785, 0.9962641634581879, 0.7142857142857143, 1, NULL, NULL, NULL, NULL, NULL),
	(2, 1, 1, 1, 'a', 0.15639612781789322, 0.3744154887284272, 0.7142857142857143, 1, NULL, NULL, NULL, NULL, NULL),
	(3, 1, 1, 4, 'a', 0.08269360729204946, 0.9926947154246848, 0.7142857142857143, 2, NULL, NULL, NULL, NULL, NULL),
	(3, 2, 1, 4, 'a', 0.022107746336142944, 0.995642251738843, 1, 3, NULL, NULL, NULL, NULL, NULL),
	(3, 2, 1, 4, 'a', 0.022107746336142944, 0.995642251738843, 1, 4, NULL, NULL, NULL, NULL, NULL),
	(3, 4, 1, 4, 'a', 0.005777030606199272, 0.9976522525238704, NULL, 5, NULL, NULL, NULL, NULL, NULL),
	(4, 1, 1, 4, 'a', 0.12089913908240418, 0.6451181676805912, 0.7142857142857143, 2, NULL, NULL, NULL, NULL, NULL),
	(4, 2, 1, 4, 'a', 0.0773853372603331, 0.6118778399058934, 1, 3, NULL, NULL, NULL, NULL, NULL),
	(4, 2, 1, 4, 'a', 0.0773853372603331, 0.6118778399058934, 1, 4, NULL, NULL, NULL, NULL, NULL),
	(4, 2, 1, 4, 'a', 0.018979614214795174, 0.8723641830838141, NULL, 5, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.saved_view VALUES
	('jv6d', '/c/test?m=AP', '2026-11-27 21:18:26.243751+00', 3, 'main ✓', 'root@vm'),
	('pdou', '/c/odd%20%E2%9C%93?runs=a,b', '2026-11-27 21:18:26.495387+00', 2, NULL, NULL);
INSERT INTO public.subtopic_judgment VALUES
	(3, 17, 'd1', 'a', 1),
	(3, 17, 'd1', 'ü', 1);
INSERT INTO public.value_list VALUES
	(1, 1, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{1,0.5,1,1,1,1,1,1,1,1,1,1,1,1,1}'),
	(1, 2, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{1,0.5,1,1,1,1,1,1,1,1,1,1,1,1,1}'),
	(1, 3, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{1,0,1,1,1,1,1,1,1,1,1,1,1,1,1}'),
	(1, 4, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{1,1,1,1,1,1,1,1,1,1,1,1,1,1,1}'),
	(1, 5, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{1,0.5,1,1,1,1,1,1,1,1,1,1,1,1,1}'),
	(1, 6, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{1,0.5,1,1,1,1,1,1,1,1,1,1,1,1,1}'),
	(1, 7, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{0.9406514982041436,0.5934850179585627,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436}'),
	(1, 8, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{0.9406514982041436,0.5934850179585627,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436}'),
	(1, 9, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{0.9406514982041436,0.5934850179585627,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436}'),
	(1, 10, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{0.9406514982041436,0.5934850179585627,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436}'),
	(1, 11, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{0.9406514982041436,0.5934850179585627,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436,0.9406514982041436}'),
	(1, 12, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{0.5,0.25,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5}'),
	(1, 13, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{0.19999999999999996,0.15999999999999998,0.19999999999999996,0.19999999999999996,0.19999999999999996,0.19999999999999996,0.19999999999999996,0.19999999999999996,0.19999999999999996,0.19999999999999996,0.19999999999999996,0.19999999999999996,0.19999999999999996,0.19999999999999996,0.19999999999999996}'),
	(1, 14, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{1,0,1,1,1,1,1,1,1,1,1,1,1,1,1}'),
	(1, 15, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{0.2,0.2,0.2,0.2,0.2,0.2,0.2,0.2,0.2,0.2,0.2,0.2,0.2,0.2,0.2}'),
	(1, 16, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1}'),
	(1, 17, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{0.05,0.05,0.05,0.05,0.05,0.05,0.05,0.05,0.05,0.05,0.05,0.05,0.05,0.05,0.05}'),
	(1, 18, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{0.03333333333333333,0.03333333333333333,0.03333333333333333,0.03333333333333333,0.03333333333333333,0.03333333333333333,0.03333333333333333,0.03333333333333333,0.03333333333333333,0.03333333333333333,0.03333333333333333,0.03333333333333333,0.03333333333333333,0.03333333333333333,0.03333333333333333}'),
	(1, 19, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{0.01,0.01,0.01,0.01,0.01,0.01,0.01,0.01,0.01,0.01,0.01,0.01,0.01,0.01,0.01}'),
	(1, 20, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{1,1,1,1,1,1,1,1,1,1,1,1,1,1,1}'),
	(1, 21, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{1,1,1,1,1,1,1,1,1,1,1,1,1,1,1}'),
	(1, 22, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{1,1,1,1,1,1,1,1,1,1,1,1,1,1,1}'),
	(1, 23, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{1,1,1,1,1,1,1,1,1,1,1,1,1,1,1}'),
	(1, 24, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{1,1,1,1,1,1,1,1,1,1,1,1,1,1,1}'),
	(1, 25, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{1,0,1,1,1,1,1,1,1,1,1,1,1,1,1}'),
	(1, 26, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{1,1,1,1,1,1,1,1,1,1,1,1,1,1,1}'),
	(1, 27, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{1,1,1,1,1,1,1,1,1,1,1,1,1,1,1}'),
	(1, 28, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{1,0.5,1,1,1,1,1,1,1,1,1,1,1,1,1}'),
	(1, 29, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{1,0.5,1,1,1,1,1,1,1,1,1,1,1,1,1}'),
	(1, 30, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{1,0.5,1,1,1,1,1,1,1,1,1,1,1,1,1}'),
	(1, 31, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{1,0.5,1,1,1,1,1,1,1,1,1,1,1,1,1}'),
	(1, 32, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{1,0.5,1,1,1,1,1,1,1,1,1,1,1,1,1}'),
	(1, 33, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{1,0.5,1,1,1,1,1,1,1,1,1,1,1,1,1}'),
	(1, 34, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{1,0.5,1,1,1,1,1,1,1,1,1,1,1,1,1}'),
	(1, 35, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{1,0.5,1,1,1,1,1,1,1,1,1,1,1,1,1}'),
	(1, 36, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{1,0.5,1,1,1,1,1,1,1,1,1,1,1,1,1}'),
	(1, 37, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{1,0.5,1,1,1,1,1,1,1,1,1,1,1,1,1}'),
	(1, 38, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{1,0.5,1,1,1,1,1,1,1,1,1,1,1,1,1}'),
	(1, 39, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{1,0.14285714285714285,1,1,1,1,1,1,1,1,1,1,1,1,1}'),
	(1, 40, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{1,1,1,1,1,1,1,1,1,1,1,1,1,1,1}'),
	(1, 41, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{1,0.25,1,1,1,1,1,1,1,1,1,1,1,1,1}'),
	(1, 42, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{1,7,1,1,1,1,1,1,1,1,1,1,1,1,1}'),
	(1, 43, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{1,1,1,1,1,1,1,1,1,1,1,1,1,1,1}'),
	(1, 44, '{2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}', '{1,1,1,1,1,1,1,1,1,1,1,1,1,1,1}'),
	(2, 1, '{17,18,19}', '{0.8333333333333333,1,0.5}'),
	(2, 2, '{17,18,19}', '{0.8333333333333333,1,0.5}'),
	(2, 3, '{17,18,19}', '{0.5,1,0}'),
	(2, 4, '{17,18,19}', '{1,1,1}'),
	(2, 5, '{17,18,19}', '{1,1,0.5}'),
	(2, 6, '{17,18,19}', '{1,1,0.5}');
INSERT INTO public.value_list VALUES
	(2, 7, '{17,18,19}', '{0.9502344167898356,1,0.6309297535714574}'),
	(2, 8, '{17,18,19}', '{0.9502344167898356,1,0.6309297535714574}'),
	(2, 9, '{17,18,19}', '{0.9502344167898356,1,0.6309297535714574}'),
	(2, 10, '{17,18,19}', '{0.9502344167898356,1,0.6309297535714574}'),
	(2, 11, '{17,18,19}', '{0.9502344167898356,1,0.6309297535714574}'),
	(2, 12, '{17,18,19}', '{0.4010416666666667,0.1796875,0.4375}'),
	(2, 13, '{17,18,19}', '{0.26399999999999996,0.35999999999999993,0.15999999999999998}'),
	(2, 14, '{17,18,19}', '{1,1,0}'),
	(2, 15, '{17,18,19}', '{0.4,0.4,0.2}'),
	(2, 16, '{17,18,19}', '{0.2,0.2,0.1}'),
	(2, 17, '{17,18,19}', '{0.1,0.1,0.05}'),
	(2, 18, '{17,18,19}', '{0.06666666666666667,0.06666666666666667,0.03333333333333333}'),
	(2, 19, '{17,18,19}', '{0.02,0.02,0.01}'),
	(2, 20, '{17,18,19}', '{1,1,1}'),
	(2, 21, '{17,18,19}', '{1,1,1}'),
	(2, 22, '{17,18,19}', '{1,1,1}'),
	(2, 23, '{17,18,19}', '{1,1,1}'),
	(2, 24, '{17,18,19}', '{1,1,1}'),
	(2, 25, '{17,18,19}', '{1,1,0}'),
	(2, 26, '{17,18,19}', '{1,1,1}'),
	(2, 27, '{17,18,19}', '{1,1,1}'),
	(2, 28, '{17,18,19}', '{1,1,0.5}'),
	(2, 29, '{17,18,19}', '{1,1,0.5}'),
	(2, 30, '{17,18,19}', '{1,1,0.5}'),
	(2, 31, '{17,18,19}', '{1,1,0.5}'),
	(2, 32, '{17,18,19}', '{1,1,0.5}'),
	(2, 33, '{17,18,19}', '{1,1,0.5}'),
	(2, 34, '{17,18,19}', '{0.6666666666666666,1,0.5}'),
	(2, 35, '{17,18,19}', '{0.6666666666666666,1,0.5}'),
	(2, 36, '{17,18,19}', '{0.6666666666666666,1,0.5}'),
	(2, 37, '{17,18,19}', '{0.6666666666666666,1,0.5}'),
	(2, 38, '{17,18,19}', '{0.6666666666666666,1,0.5}'),
	(2, 39, '{17,18,19}', '{0.6666666666666666,1,0.5}'),
	(2, 40, '{17,18,19}', '{1,1,1}'),
	(2, 41, '{17,18,19}', '{0.8,1,0.6666666666666666}'),
	(2, 42, '{17,18,19}', '{3,2,2}'),
	(2, 43, '{17,18,19}', '{2,2,1}'),
	(2, 44, '{17,18,19}', '{2,2,1}'),
	(3, 1, '{17,18,19,20}', '{0.8333333333333333,1,0.5,0}'),
	(3, 2, '{17,18,19,20}', '{0.8333333333333333,1,0.5,0}'),
	(3, 3, '{17,18,19,20}', '{0.5,1,0,0}'),
	(3, 4, '{17,18,19,20}', '{1,1,1,0}'),
	(3, 5, '{17,18,19,20}', '{1,1,0.5,0}'),
	(3, 6, '{17,18,19,20}', '{1,1,0.5,0}'),
	(3, 7, '{17,18,19,20}', '{0.9502344167898356,1,0.6309297535714574,0}'),
	(3, 8, '{17,18,19,20}', '{0.9502344167898356,1,0.6309297535714574,0}'),
	(3, 9, '{17,18,19,20}', '{0.9502344167898356,1,0.6309297535714574,0}'),
	(3, 10, '{17,18,19,20}', '{0.9502344167898356,1,0.6309297535714574,0}'),
	(3, 11, '{17,18,19,20}', '{0.9502344167898356,1,0.6309297535714574,0}'),
	(3, 12, '{17,18,19,20}', '{0.4010416666666667,0.1796875,0.4375,0}');
INSERT INTO public.value_list VALUES
	(3, 13, '{17,18,19,20}', '{0.26399999999999996,0.35999999999999993,0.15999999999999998,0}'),
	(3, 14, '{17,18,19,20}', '{1,1,0,0}'),
	(3, 15, '{17,18,19,20}', '{0.4,0.4,0.2,0}'),
	(3, 16, '{17,18,19,20}', '{0.2,0.2,0.1,0}'),
	(3, 17, '{17,18,19,20}', '{0.1,0.1,0.05,0}'),
	(3, 18, '{17,18,19,20}', '{0.06666666666666667,0.06666666666666667,0.03333333333333333,0}'),
	(3, 19, '{17,18,19,20}', '{0.02,0.02,0.01,0}'),
	(3, 20, '{17,18,19,20}', '{1,1,1,0}'),
	(3, 21, '{17,18,19,20}', '{1,1,1,0}'),
	(3, 22, '{17,18,19,20}', '{1,1,1,0}'),
	(3, 23, '{17,18,19,20}', '{1,1,1,0}'),
	(3, 24, '{17,18,19,20}', '{1,1,1,0}'),
	(3, 25, '{17,18,19,20}', '{1,1,0,0}'),
	(3, 26, '{17,18,19,20}', '{1,1,1,0}'),
	(3, 27, '{17,18,19,20}', '{1,1,1,0}'),
	(3, 28, '{17,18,19,20}', '{1,1,0.5,0}'),
	(3, 29, '{17,18,19,20}', '{1,1,0.5,0}'),
	(3, 30, '{17,18,19,20}', '{1,1,0.5,0}'),
	(3, 31, '{17,18,19,20}', '{1,1,0.5,0}'),
	(3, 32, '{17,18,19,20}', '{1,1,0.5,0}'),
	(3, 33, '{17,18,19,20}', '{1,1,0.5,0}'),
	(3, 34, '{17,18,19,20}', '{0.6666666666666666,1,0.5,0}'),
	(3, 35, '{17,18,19,20}', '{0.6666666666666666,1,0.5,0}'),
	(3, 36, '{17,18,19,20}', '{0.6666666666666666,1,0.5,0}'),
	(3, 37, '{17,18,19,20}', '{0.6666666666666666,1,0.5,0}'),
	(3, 38, '{17,18,19,20}', '{0.6666666666666666,1,0.5,0}'),
	(3, 39, '{17,18,19,20}', '{0.6666666666666666,1,0.5,0}'),
	(3, 40, '{17,18,19,20}', '{1,1,1,0}'),
	(3, 41, '{17,18,19,20}', '{0.8,1,0.6666666666666666,0}'),
	(3, 42, '{17,18,19,20}', '{3,2,2,0}'),
	(3, 43, '{17,18,19,20}', '{2,2,1,1}'),
	(3, 44, '{17,18,19,20}', '{2,2,1,0}'),
	(4, 1, '{17,18,19}', '{0.8333333333333333,1,0.5}'),
	(4, 2, '{17,18,19}', '{0.8333333333333333,1,0.5}'),
	(4, 3, '{17,18,19}', '{0.5,1,0}'),
	(4, 4, '{17,18,19}', '{1,1,1}'),
	(4, 5, '{17,18,19}', '{1,1,0.5}'),
	(4, 6, '{17,18,19}', '{1,1,0.5}'),
	(4, 7, '{17,18,19}', '{0.9325123109509199,1,0.6309297535714574}'),
	(4, 8, '{17,18,19}', '{0.9325123109509199,1,0.6309297535714574}'),
	(4, 9, '{17,18,19}', '{0.9325123109509199,1,0.6309297535714574}'),
	(4, 10, '{17,18,19}', '{0.9325123109509199,1,0.6309297535714574}'),
	(4, 11, '{17,18,19}', '{0.9325123109509199,1,0.6309297535714574}'),
	(4, 12, '{17,18,19}', '{0.4010416666666667,0.1796875,0.4375}'),
	(4, 13, '{17,18,19}', '{0.26399999999999996,0.35999999999999993,0.15999999999999998}'),
	(4, 14, '{17,18,19}', '{1,1,0}'),
	(4, 15, '{17,18,19}', '{0.4,0.4,0.2}'),
	(4, 16, '{17,18,19}', '{0.2,0.2,0.1}'),
	(4, 17, '{17,18,19}', '{0.1,0.1,0.05}'),
	(4, 18, '{17,18,19}', '{0.06666666666666667,0.06666666666666667,0.03333333333333333}');
INSERT INTO public.value_list VALUES
	(4, 19, '{17,18,19}', '{0.02,0.02,0.01}'),
	(4, 20, '{17,18,19}', '{1,1,1}'),
	(4, 21, '{17,18,19}', '{1,1,1}'),
	(4, 22, '{17,18,19}', '{1,1,1}'),
	(4, 23, '{17,18,19}', '{1,1,1}'),
	(4, 24, '{17,18,19}', '{1,1,1}'),
	(4, 25, '{17,18,19}', '{1,1,0}'),
	(4, 26, '{17,18,19}', '{1,1,1}'),
	(4, 27, '{17,18,19}', '{1,1,1}'),
	(4, 28, '{17,18,19}', '{1,1,0.5}'),
	(4, 29, '{17,18,19}', '{1,1,0.5}'),
	(4, 30, '{17,18,19}', '{1,1,0.5}'),
	(4, 31, '{17,18,19}', '{1,1,0.5}'),
	(4, 32, '{17,18,19}', '{1,1,0.5}'),
	(4, 33, '{17,18,19}', '{1,1,0.5}'),
	(4, 34, '{17,18,19}', '{0.6666666666666666,1,0.5}'),
	(4, 35, '{17,18,19}', '{0.6666666666666666,1,0.5}'),
	(4, 36, '{17,18,19}', '{0.6666666666666666,1,0.5}'),
	(4, 37, '{17,18,19}', '{0.6666666666666666,1,0.5}'),
	(4, 38, '{17,18,19}', '{0.6666666666666666,1,0.5}'),
	(4, 39, '{17,18,19}', '{0.6666666666666666,1,0.5}'),
	(4, 40, '{17,18,19}', '{1,1,1}'),
	(4, 41, '{17,18,19}', '{0.8,1,0.6666666666666666}'),
	(4, 42, '{17,18,19}', '{3,2,2}'),
	(4, 43, '{17,18,19}', '{2,2,1}'),
	(4, 44, '{17,18,19}', '{2,2,1}'),
	(5, 1, '{17,18,19}', '{0.25,0.8333333333333333,1}'),
	(5, 2, '{17,18,19}', '{0.25,0.8333333333333333,1}'),
	(5, 3, '{17,18,19}', '{0.5,0.5,1}'),
	(5, 4, '{17,18,19}', '{0,1,1}'),
	(5, 5, '{17,18,19}', '{0.5,1,1}'),
	(5, 6, '{17,18,19}', '{0.5,1,1}'),
	(5, 7, '{17,18,19}', '{0.4796249331362629,0.9197207891481876,1}'),
	(5, 8, '{17,18,19}', '{0.4796249331362629,0.9197207891481876,1}'),
	(5, 9, '{17,18,19}', '{0.4796249331362629,0.9197207891481876,1}'),
	(5, 10, '{17,18,19}', '{0.4796249331362629,0.9197207891481876,1}'),
	(5, 11, '{17,18,19}', '{0.4796249331362629,0.9197207891481876,1}'),
	(5, 12, '{17,18,19}', '{0.1875,0.16145833333333334,0.875}'),
	(5, 13, '{17,18,19}', '{0.15999999999999998,0.32799999999999996,0.19999999999999996}'),
	(5, 14, '{17,18,19}', '{0,1,1}'),
	(5, 15, '{17,18,19}', '{0.2,0.4,0.2}'),
	(5, 16, '{17,18,19}', '{0.1,0.2,0.1}'),
	(5, 17, '{17,18,19}', '{0.05,0.1,0.05}'),
	(5, 18, '{17,18,19}', '{0.03333333333333333,0.06666666666666667,0.03333333333333333}'),
	(5, 19, '{17,18,19}', '{0.01,0.02,0.01}'),
	(5, 20, '{17,18,19}', '{0.5,1,1}'),
	(5, 21, '{17,18,19}', '{0.5,1,1}'),
	(5, 22, '{17,18,19}', '{0.5,1,1}'),
	(5, 23, '{17,18,19}', '{0.5,1,1}'),
	(5, 24, '{17,18,19}', '{0.5,1,1}');
INSERT INTO public.value_list VALUES
	(5, 25, '{17,18,19}', '{0,1,1}'),
	(5, 26, '{17,18,19}', '{1,1,1}'),
	(5, 27, '{17,18,19}', '{1,1,1}'),
	(5, 28, '{17,18,19}', '{0.5,1,1}'),
	(5, 29, '{17,18,19}', '{0.5,1,1}'),
	(5, 30, '{17,18,19}', '{0.5,1,1}'),
	(5, 31, '{17,18,19}', '{0.5,1,1}'),
	(5, 32, '{17,18,19}', '{0.5,1,1}'),
	(5, 33, '{17,18,19}', '{0.5,1,1}'),
	(5, 34, '{17,18,19}', '{0,0.6666666666666666,1}'),
	(5, 35, '{17,18,19}', '{0,0.6666666666666666,1}'),
	(5, 36, '{17,18,19}', '{0,0.6666666666666666,1}'),
	(5, 37, '{17,18,19}', '{0,0.6666666666666666,1}'),
	(5, 38, '{17,18,19}', '{0,0.6666666666666666,1}'),
	(5, 39, '{17,18,19}', '{0.5,0.6666666666666666,1}'),
	(5, 40, '{17,18,19}', '{0.5,1,1}'),
	(5, 41, '{17,18,19}', '{0.5,0.8,1}'),
	(5, 42, '{17,18,19}', '{2,3,1}'),
	(5, 43, '{17,18,19}', '{2,2,1}'),
	(5, 44, '{17,18,19}', '{1,2,1}'),
	(5, 45, '{17,18,19}', '{0.3333333333333333,0.6666666666666666,0.3333333333333333}'),
	(6, 1, '{17,18,19}', '{0.25,0.8333333333333333,1}'),
	(6, 2, '{17,18,19}', '{0.25,0.8333333333333333,1}'),
	(6, 3, '{17,18,19}', '{0.5,0.5,1}'),
	(6, 4, '{17,18,19}', '{0,1,1}'),
	(6, 5, '{17,18,19}', '{0.5,1,1}'),
	(6, 6, '{17,18,19}', '{0.5,1,1}'),
	(6, 7, '{17,18,19}', '{0.5079803024785282,0.9197207891481876,1}'),
	(6, 8, '{17,18,19}', '{0.5079803024785282,0.9197207891481876,1}'),
	(6, 9, '{17,18,19}', '{0.5079803024785282,0.9197207891481876,1}'),
	(6, 10, '{17,18,19}', '{0.5079803024785282,0.9197207891481876,1}'),
	(6, 11, '{17,18,19}', '{0.5079803024785282,0.9197207891481876,1}'),
	(6, 12, '{17,18,19}', '{0.19478949228884226,0.16145833333333334,0.875}'),
	(6, 13, '{17,18,19}', '{0.16999999999999998,0.32799999999999996,0.19999999999999996}'),
	(6, 14, '{17,18,19}', '{0,1,1}'),
	(6, 15, '{17,18,19}', '{0.2,0.4,0.2}'),
	(6, 16, '{17,18,19}', '{0.1,0.2,0.1}'),
	(6, 17, '{17,18,19}', '{0.05,0.1,0.05}'),
	(6, 18, '{17,18,19}', '{0.03333333333333333,0.06666666666666667,0.03333333333333333}'),
	(6, 19, '{17,18,19}', '{0.01,0.02,0.01}'),
	(6, 20, '{17,18,19}', '{0.5,1,1}'),
	(6, 21, '{17,18,19}', '{0.5,1,1}'),
	(6, 22, '{17,18,19}', '{0.5,1,1}'),
	(6, 23, '{17,18,19}', '{0.5,1,1}'),
	(6, 24, '{17,18,19}', '{0.5,1,1}'),
	(6, 25, '{17,18,19}', '{0,1,1}'),
	(6, 26, '{17,18,19}', '{1,1,1}'),
	(6, 27, '{17,18,19}', '{1,1,1}'),
	(6, 28, '{17,18,19}', '{0.5,1,1}'),
	(6, 29, '{17,18,19}', '{0.5,1,1}');
INSERT INTO public.value_list VALUES
	(6, 30, '{17,18,19}', '{0.5,1,1}'),
	(6, 31, '{17,18,19}', '{0.5,1,1}'),
	(6, 32, '{17,18,19}', '{0.5,1,1}'),
	(6, 33, '{17,18,19}', '{0.5,1,1}'),
	(6, 34, '{17,18,19}', '{0,0.6666666666666666,1}'),
	(6, 35, '{17,18,19}', '{0,0.6666666666666666,1}'),
	(6, 36, '{17,18,19}', '{0,0.6666666666666666,1}'),
	(6, 37, '{17,18,19}', '{0,0.6666666666666666,1}'),
	(6, 38, '{17,18,19}', '{0,0.6666666666666666,1}'),
	(6, 39, '{17,18,19}', '{0.5,0.6666666666666666,1}'),
	(6, 40, '{17,18,19}', '{0.5,1,1}'),
	(6, 41, '{17,18,19}', '{0.5,0.8,1}'),
	(6, 42, '{17,18,19}', '{2,3,1}'),
	(6, 43, '{17,18,19}', '{2,2,1}'),
	(6, 44, '{17,18,19}', '{1,2,1}'),
	(6, 45, '{17,18,19}', '{0.3333333333333333,0.6666666666666666,0.3333333333333333}'),
	(7, 1, '{17,18,19}', '{0.8333,1,0}'),
	(7, 15, '{17,18,19}', '{0.4,0.4,0}'),
	(7, 42, '{17,18,19}', '{3,2,0}');
SELECT pg_catalog.setval('public.assessment_id_seq', 2, true);
SELECT pg_catalog.setval('public.collection_id_seq', 3, true);
SELECT pg_catalog.setval('public.comment_id_seq', 2, true);
SELECT pg_catalog.setval('public.content_id_seq', 4, true);
SELECT pg_catalog.setval('public.draft_id_seq', 1, true);
SELECT pg_catalog.setval('public.engine_id_seq', 4, true);
SELECT pg_catalog.setval('public.evaluation_id_seq', 7, true);
SELECT pg_catalog.setval('public.event_id_seq', 45, true);
SELECT pg_catalog.setval('public.experiment_about_id_seq', 1, true);
SELECT pg_catalog.setval('public.experiment_id_seq', 2, true);
SELECT pg_catalog.setval('public.measure_id_seq', 45, true);
SELECT pg_catalog.setval('public.qrels_id_seq', 6, true);
SELECT pg_catalog.setval('public.query_id_seq', 21, true);
SELECT pg_catalog.setval('public.run_id_seq', 5, true);
SELECT pg_catalog.setval('public.saved_leaderboard_id_seq', 4, true);
SELECT pg_catalog.setval('public.server_account_id_seq', 1, false);
SELECT pg_catalog.setval('public.server_invitation_id_seq', 1, false);
SELECT pg_catalog.setval('public.server_job_id_seq', 1, false);
SELECT pg_catalog.setval('public.server_role_id_seq', 1, false);
SELECT pg_catalog.setval('public.server_token_id_seq', 1, false);
SELECT pg_catalog.setval('public.server_upload_id_seq', 1, false);
SELECT pg_catalog.setval('public.server_webhook_id_seq', 1, false);
ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.aggregate
    ADD CONSTRAINT pk_aggregate PRIMARY KEY (evaluation_id, measure_id);
ALTER TABLE ONLY public.assessment
    ADD CONSTRAINT pk_assessment PRIMARY KEY (id);
ALTER TABLE ONLY public.baseline
    ADD CONSTRAINT pk_baseline PRIMARY KEY (collection_id);
ALTER TABLE ONLY public.collection
    ADD CONSTRAINT pk_collection PRIMARY KEY (id);
ALTER TABLE ONLY public.comment
    ADD CONSTRAINT pk_comment PRIMARY KEY (id);
ALTER TABLE ONLY public.content
    ADD CONSTRAINT pk_content PRIMARY KEY (id);
ALTER TABLE ONLY public.document
    ADD CONSTRAINT pk_document PRIMARY KEY (collection_id, docno);
ALTER TABLE ONLY public.draft
    ADD CONSTRAINT pk_draft PRIMARY KEY (id);
ALTER TABLE ONLY public.draft_document
    ADD CONSTRAINT pk_draft_document PRIMARY KEY (draft_id, query_id, docno);
ALTER TABLE ONLY public.engine
    ADD CONSTRAINT pk_engine PRIMARY KEY (id);
ALTER TABLE ONLY public.engine_slot
    ADD CONSTRAINT pk_engine_slot PRIMARY KEY (collection_id, engine_id);
ALTER TABLE ONLY public.evaluation
    ADD CONSTRAINT pk_evaluation PRIMARY KEY (id);
ALTER TABLE ONLY public.event
    ADD CONSTRAINT pk_event PRIMARY KEY (id);
ALTER TABLE ONLY public.experiment
    ADD CONSTRAINT pk_experiment PRIMARY KEY (id);
ALTER TABLE ONLY public.experiment_about
    ADD CONSTRAINT pk_experiment_about PRIMARY KEY (id);
ALTER TABLE ONLY public.explanation
    ADD CONSTRAINT pk_explanation PRIMARY KEY (run_id, query_id, docno);
ALTER TABLE ONLY public.group_judgment
    ADD CONSTRAINT pk_group_judgment PRIMARY KEY (collection_id, query_id, docno, judgment_group);
ALTER TABLE ONLY public.hit_list
    ADD CONSTRAINT pk_hit_list PRIMARY KEY (evaluation_id, query_id);
ALTER TABLE ONLY public.judgment
    ADD CONSTRAINT pk_judgment PRIMARY KEY (qrels_id, query_id, docno);
ALTER TABLE ONLY public.judgment_origin
    ADD CONSTRAINT pk_judgment_origin PRIMARY KEY (qrels_id, query_id, docno);
ALTER TABLE ONLY public.known_document
    ADD CONSTRAINT pk_known_document PRIMARY KEY (collection_id, query_id, docno);
ALTER TABLE ONLY public.measure
    ADD CONSTRAINT pk_measure PRIMARY KEY (id);
ALTER TABLE ONLY public.preference_judgment
    ADD CONSTRAINT pk_preference_judgment PRIMARY KEY (collection_id, query_id, judgment_group, subgroup, docno);
ALTER TABLE ONLY public.qrels
    ADD CONSTRAINT pk_qrels PRIMARY KEY (id);
ALTER TABLE ONLY public.query
    ADD CONSTRAINT pk_query PRIMARY KEY (id);
ALTER TABLE ONLY public.query_attribute
    ADD CONSTRAINT pk_query_attribute PRIMARY KEY (query_id, name);
ALTER TABLE ONLY public.ranking
    ADD CONSTRAINT pk_ranking PRIMARY KEY (content_id, query_id);
ALTER TABLE ONLY public.response_time
    ADD CONSTRAINT pk_response_time PRIMARY KEY (run_id, query_id);
ALTER TABLE ONLY public.retrieved_list
    ADD CONSTRAINT pk_retrieved_list PRIMARY KEY (content_id, query_id);
ALTER TABLE ONLY public.run
    ADD CONSTRAINT pk_run PRIMARY KEY (id);
ALTER TABLE ONLY public.run_file
    ADD CONSTRAINT pk_run_file PRIMARY KEY (run_id, path_hash);
ALTER TABLE ONLY public.run_parent
    ADD CONSTRAINT pk_run_parent PRIMARY KEY (run_id);
ALTER TABLE ONLY public.saved_leaderboard
    ADD CONSTRAINT pk_saved_leaderboard PRIMARY KEY (id);
ALTER TABLE ONLY public.saved_rank
    ADD CONSTRAINT pk_saved_rank PRIMARY KEY (saved_leaderboard_id, run_id);
ALTER TABLE ONLY public.saved_view
    ADD CONSTRAINT pk_saved_view PRIMARY KEY (key);
ALTER TABLE ONLY public.server_account
    ADD CONSTRAINT pk_server_account PRIMARY KEY (id);
ALTER TABLE ONLY public.server_identity
    ADD CONSTRAINT pk_server_identity PRIMARY KEY (issuer, subject);
ALTER TABLE ONLY public.server_invitation
    ADD CONSTRAINT pk_server_invitation PRIMARY KEY (id);
ALTER TABLE ONLY public.server_job
    ADD CONSTRAINT pk_server_job PRIMARY KEY (id);
ALTER TABLE ONLY public.server_login_attempt
    ADD CONSTRAINT pk_server_login_attempt PRIMARY KEY (name_hash, address);
ALTER TABLE ONLY public.server_role
    ADD CONSTRAINT pk_server_role PRIMARY KEY (id);
ALTER TABLE ONLY public.server_session
    ADD CONSTRAINT pk_server_session PRIMARY KEY (hash);
ALTER TABLE ONLY public.server_setting
    ADD CONSTRAINT pk_server_setting PRIMARY KEY (name);
ALTER TABLE ONLY public.server_token
    ADD CONSTRAINT pk_server_token PRIMARY KEY (id);
ALTER TABLE ONLY public.server_upload
    ADD CONSTRAINT pk_server_upload PRIMARY KEY (id);
ALTER TABLE ONLY public.server_webhook
    ADD CONSTRAINT pk_server_webhook PRIMARY KEY (id);
ALTER TABLE ONLY public.subtopic_judgment
    ADD CONSTRAINT pk_subtopic_judgment PRIMARY KEY (collection_id, query_id, docno, subtopic);
ALTER TABLE ONLY public.value_list
    ADD CONSTRAINT pk_value_list PRIMARY KEY (evaluation_id, measure_id);
ALTER TABLE ONLY public.assessment
    ADD CONSTRAINT uq_assessment_draft_id_key UNIQUE (draft_id, key);
ALTER TABLE ONLY public.collection
    ADD CONSTRAINT uq_collection_name UNIQUE (name);
ALTER TABLE ONLY public.content
    ADD CONSTRAINT uq_content_collection_id_content_hash UNIQUE (collection_id, content_hash);
ALTER TABLE ONLY public.draft
    ADD CONSTRAINT uq_draft_collection_id_name UNIQUE (collection_id, name);
ALTER TABLE ONLY public.engine
    ADD CONSTRAINT uq_engine_name UNIQUE (name);
ALTER TABLE ONLY public.engine_slot
    ADD CONSTRAINT uq_engine_slot_collection_id_slot UNIQUE (collection_id, slot);
ALTER TABLE ONLY public.evaluation
    ADD CONSTRAINT uq_evaluation_content_id_qrels_id UNIQUE (content_id, qrels_id);
ALTER TABLE ONLY public.experiment
    ADD CONSTRAINT uq_experiment_name UNIQUE (name);
ALTER TABLE ONLY public.measure
    ADD CONSTRAINT uq_measure_name UNIQUE (name);
ALTER TABLE ONLY public.qrels
    ADD CONSTRAINT uq_qrels_collection_id_content_hash UNIQUE (collection_id, content_hash);
ALTER TABLE ONLY public.qrels
    ADD CONSTRAINT uq_qrels_collection_id_name UNIQUE (collection_id, name);
ALTER TABLE ONLY public.query
    ADD CONSTRAINT uq_query_collection_id_qid UNIQUE (collection_id, qid);
ALTER TABLE ONLY public.run
    ADD CONSTRAINT uq_run_collection_id_name UNIQUE (collection_id, name);
ALTER TABLE ONLY public.saved_leaderboard
    ADD CONSTRAINT uq_saved_leaderboard_qrels_id_measure_id UNIQUE (qrels_id, measure_id);
ALTER TABLE ONLY public.server_account
    ADD CONSTRAINT uq_server_account_name UNIQUE (name);
ALTER TABLE ONLY public.server_invitation
    ADD CONSTRAINT uq_server_invitation_hash UNIQUE (hash);
ALTER TABLE ONLY public.server_role
    ADD CONSTRAINT uq_server_role_account_id_collection_id_from_groups UNIQUE (account_id, collection_id, from_groups);
ALTER TABLE ONLY public.server_token
    ADD CONSTRAINT uq_server_token_hash UNIQUE (hash);
ALTER TABLE ONLY public.server_upload
    ADD CONSTRAINT uq_server_upload_collection_id_sha256 UNIQUE (collection_id, sha256);
CREATE INDEX ix_aggregate_measure_id ON public.aggregate USING btree (measure_id);
CREATE INDEX ix_baseline_run_id ON public.baseline USING btree (run_id);
CREATE INDEX ix_comment_collection_id ON public.comment USING btree (collection_id);
CREATE INDEX ix_comment_query_id ON public.comment USING btree (query_id);
CREATE INDEX ix_comment_run_id ON public.comment USING btree (run_id);
CREATE INDEX ix_engine_slot_engine_id ON public.engine_slot USING btree (engine_id);
CREATE INDEX ix_evaluation_qrels_id ON public.evaluation USING btree (qrels_id);
CREATE INDEX ix_event_collection_id ON public.event USING btree (collection_id);
CREATE INDEX ix_experiment_about_collection_id ON public.experiment_about USING btree (collection_id);
CREATE INDEX ix_experiment_about_experiment_id ON public.experiment_about USING btree (experiment_id);
CREATE INDEX ix_run_content_id ON public.run USING btree (content_id);
CREATE INDEX ix_run_engine_id ON public.run USING btree (engine_id);
CREATE INDEX ix_run_experiment ON public.run USING btree (experiment);
CREATE INDEX ix_run_parent_parent_id ON public.run_parent USING btree (parent_id);
CREATE INDEX ix_saved_leaderboard_measure_id ON public.saved_leaderboard USING btree (measure_id);
CREATE INDEX ix_saved_rank_run_id ON public.saved_rank USING btree (run_id);
CREATE INDEX ix_saved_view_collection_id ON public.saved_view USING btree (collection_id);
CREATE INDEX ix_server_identity_account_id ON public.server_identity USING btree (account_id);
CREATE INDEX ix_server_invitation_collection_id ON public.server_invitation USING btree (collection_id);
CREATE INDEX ix_server_job_collection_id ON public.server_job USING btree (collection_id);
CREATE INDEX ix_server_job_collection_id_request_hash ON public.server_job USING btree (collection_id, request_hash);
CREATE INDEX ix_server_job_state_lease_until ON public.server_job USING btree (state, lease_until);
CREATE INDEX ix_server_role_collection_id ON public.server_role USING btree (collection_id);
CREATE INDEX ix_server_session_account_id ON public.server_session USING btree (account_id);
CREATE INDEX ix_server_token_account_id ON public.server_token USING btree (account_id);
CREATE INDEX ix_server_token_collection_id ON public.server_token USING btree (collection_id);
CREATE INDEX ix_server_webhook_collection_id ON public.server_webhook USING btree (collection_id);
CREATE UNIQUE INDEX uq_qrels_default ON public.qrels USING btree (collection_id) WHERE is_default;
CREATE UNIQUE INDEX uq_server_role_store ON public.server_role USING btree (account_id, from_groups) WHERE (collection_id IS NULL);
CREATE UNIQUE INDEX uq_server_token_name ON public.server_token USING btree (name) WHERE (revoked_at IS NULL);
CREATE TRIGGER check_added_hit_list_insert AFTER INSERT ON public.hit_list REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.check_added_hit_list();
CREATE TRIGGER check_added_hit_list_update AFTER UPDATE ON public.hit_list REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.check_added_hit_list();
CREATE TRIGGER check_added_retrieved_list_insert AFTER INSERT ON public.retrieved_list REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.check_added_retrieved_list();
CREATE TRIGGER check_added_retrieved_list_update AFTER UPDATE ON public.retrieved_list REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.check_added_retrieved_list();
CREATE TRIGGER check_added_value_list_insert AFTER INSERT ON public.value_list REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.check_added_value_list();
CREATE TRIGGER check_added_value_list_update AFTER UPDATE ON public.value_list REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.check_added_value_list();
CREATE TRIGGER delete_hit_list_of_evaluation AFTER DELETE ON public.evaluation REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.delete_hit_list_of_evaluation();
CREATE TRIGGER delete_hit_list_of_query AFTER DELETE ON public.query REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.delete_hit_list_of_query();
CREATE TRIGGER delete_retrieved_list_of_content AFTER DELETE ON public.content REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.delete_retrieved_list_of_content();
CREATE TRIGGER delete_retrieved_list_of_query AFTER DELETE ON public.query REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.delete_retrieved_list_of_query();
ALTER TABLE ONLY public.aggregate
    ADD CONSTRAINT fk_aggregate_evaluation_id FOREIGN KEY (evaluation_id) REFERENCES public.evaluation(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.aggregate
    ADD CONSTRAINT fk_aggregate_measure_id FOREIGN KEY (measure_id) REFERENCES public.measure(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.assessment
    ADD CONSTRAINT fk_assessment_draft_id FOREIGN KEY (draft_id) REFERENCES public.draft(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.assessment
    ADD CONSTRAINT fk_assessment_query_id FOREIGN KEY (query_id) REFERENCES public.query(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.baseline
    ADD CONSTRAINT fk_baseline_collection_id FOREIGN KEY (collection_id) REFERENCES public.collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.baseline
    ADD CONSTRAINT fk_baseline_run_id FOREIGN KEY (run_id) REFERENCES public.run(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.comment
    ADD CONSTRAINT fk_comment_collection_id FOREIGN KEY (collection_id) REFERENCES public.collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.comment
    ADD CONSTRAINT fk_comment_query_id FOREIGN KEY (query_id) REFERENCES public.query(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.comment
    ADD CONSTRAINT fk_comment_run_id FOREIGN KEY (run_id) REFERENCES public.run(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.content
    ADD CONSTRAINT fk_content_collection_id FOREIGN KEY (collection_id) REFERENCES public.collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.document
    ADD CONSTRAINT fk_document_collection_id FOREIGN KEY (collection_id) REFERENCES public.collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.draft
    ADD CONSTRAINT fk_draft_collection_id FOREIGN KEY (collection_id) REFERENCES public.collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.draft_document
    ADD CONSTRAINT fk_draft_document_draft_id FOREIGN KEY (draft_id) REFERENCES public.draft(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.draft_document
    ADD CONSTRAINT fk_draft_document_query_id FOREIGN KEY (query_id) REFERENCES public.query(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.draft
    ADD CONSTRAINT fk_draft_parent_id FOREIGN KEY (parent_id) REFERENCES public.qrels(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.draft
    ADD CONSTRAINT fk_draft_published_id FOREIGN KEY (published_id) REFERENCES public.qrels(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.engine_slot
    ADD CONSTRAINT fk_engine_slot_collection_id FOREIGN KEY (collection_id) REFERENCES public.collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.engine_slot
    ADD CONSTRAINT fk_engine_slot_engine_id FOREIGN KEY (engine_id) REFERENCES public.engine(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.evaluation
    ADD CONSTRAINT fk_evaluation_content_id FOREIGN KEY (content_id) REFERENCES public.content(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.evaluation
    ADD CONSTRAINT fk_evaluation_qrels_id FOREIGN KEY (qrels_id) REFERENCES public.qrels(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.experiment_about
    ADD CONSTRAINT fk_experiment_about_collection_id FOREIGN KEY (collection_id) REFERENCES public.collection(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.experiment_about
    ADD CONSTRAINT fk_experiment_about_experiment_id FOREIGN KEY (experiment_id) REFERENCES public.experiment(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.explanation
    ADD CONSTRAINT fk_explanation_query_id FOREIGN KEY (query_id) REFERENCES public.query(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.explanation
    ADD CONSTRAINT fk_explanation_run_id FOREIGN KEY (run_id) REFERENCES public.run(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.group_judgment
    ADD CONSTRAINT fk_group_judgment_collection_id FOREIGN KEY (collection_id) REFERENCES public.collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.group_judgment
    ADD CONSTRAINT fk_group_judgment_query_id FOREIGN KEY (query_id) REFERENCES public.query(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.judgment_origin
    ADD CONSTRAINT fk_judgment_origin_qrels_id FOREIGN KEY (qrels_id) REFERENCES public.qrels(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.judgment_origin
    ADD CONSTRAINT fk_judgment_origin_query_id FOREIGN KEY (query_id) REFERENCES public.query(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.judgment
    ADD CONSTRAINT fk_judgment_qrels_id FOREIGN KEY (qrels_id) REFERENCES public.qrels(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.judgment
    ADD CONSTRAINT fk_judgment_query_id FOREIGN KEY (query_id) REFERENCES public.query(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.known_document
    ADD CONSTRAINT fk_known_document_collection_id FOREIGN KEY (collection_id) REFERENCES public.collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.known_document
    ADD CONSTRAINT fk_known_document_query_id FOREIGN KEY (query_id) REFERENCES public.query(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.preference_judgment
    ADD CONSTRAINT fk_preference_judgment_collection_id FOREIGN KEY (collection_id) REFERENCES public.collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.preference_judgment
    ADD CONSTRAINT fk_preference_judgment_query_id FOREIGN KEY (query_id) REFERENCES public.query(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.qrels
    ADD CONSTRAINT fk_qrels_collection_id FOREIGN KEY (collection_id) REFERENCES public.collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.qrels
    ADD CONSTRAINT fk_qrels_parent_id FOREIGN KEY (parent_id) REFERENCES public.qrels(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.query_attribute
    ADD CONSTRAINT fk_query_attribute_query_id FOREIGN KEY (query_id) REFERENCES public.query(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.query
    ADD CONSTRAINT fk_query_collection_id FOREIGN KEY (collection_id) REFERENCES public.collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.ranking
    ADD CONSTRAINT fk_ranking_content_id FOREIGN KEY (content_id) REFERENCES public.content(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.ranking
    ADD CONSTRAINT fk_ranking_query_id FOREIGN KEY (query_id) REFERENCES public.query(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.response_time
    ADD CONSTRAINT fk_response_time_query_id FOREIGN KEY (query_id) REFERENCES public.query(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.response_time
    ADD CONSTRAINT fk_response_time_run_id FOREIGN KEY (run_id) REFERENCES public.run(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.run
    ADD CONSTRAINT fk_run_collection_id FOREIGN KEY (collection_id) REFERENCES public.collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.run
    ADD CONSTRAINT fk_run_content_id FOREIGN KEY (content_id) REFERENCES public.content(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.run
    ADD CONSTRAINT fk_run_engine_id FOREIGN KEY (engine_id) REFERENCES public.engine(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.run_file
    ADD CONSTRAINT fk_run_file_run_id FOREIGN KEY (run_id) REFERENCES public.run(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.run_parent
    ADD CONSTRAINT fk_run_parent_parent_id FOREIGN KEY (parent_id) REFERENCES public.run(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.run_parent
    ADD CONSTRAINT fk_run_parent_run_id FOREIGN KEY (run_id) REFERENCES public.run(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.saved_leaderboard
    ADD CONSTRAINT fk_saved_leaderboard_measure_id FOREIGN KEY (measure_id) REFERENCES public.measure(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.saved_leaderboard
    ADD CONSTRAINT fk_saved_leaderboard_qrels_id FOREIGN KEY (qrels_id) REFERENCES public.qrels(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.saved_rank
    ADD CONSTRAINT fk_saved_rank_run_id FOREIGN KEY (run_id) REFERENCES public.run(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.saved_rank
    ADD CONSTRAINT fk_saved_rank_saved_leaderboard_id FOREIGN KEY (saved_leaderboard_id) REFERENCES public.saved_leaderboard(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.server_identity
    ADD CONSTRAINT fk_server_identity_account_id FOREIGN KEY (account_id) REFERENCES public.server_account(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.server_invitation
    ADD CONSTRAINT fk_server_invitation_collection_id FOREIGN KEY (collection_id) REFERENCES public.collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.server_job
    ADD CONSTRAINT fk_server_job_collection_id FOREIGN KEY (collection_id) REFERENCES public.collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.server_role
    ADD CONSTRAINT fk_server_role_account_id FOREIGN KEY (account_id) REFERENCES public.server_account(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.server_role
    ADD CONSTRAINT fk_server_role_collection_id FOREIGN KEY (collection_id) REFERENCES public.collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.server_session
    ADD CONSTRAINT fk_server_session_account_id FOREIGN KEY (account_id) REFERENCES public.server_account(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.server_token
    ADD CONSTRAINT fk_server_token_account_id FOREIGN KEY (account_id) REFERENCES public.server_account(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.server_token
    ADD CONSTRAINT fk_server_token_collection_id FOREIGN KEY (collection_id) REFERENCES public.collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.server_upload
    ADD CONSTRAINT fk_server_upload_collection_id FOREIGN KEY (collection_id) REFERENCES public.collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.server_webhook
    ADD CONSTRAINT fk_server_webhook_collection_id FOREIGN KEY (collection_id) REFERENCES public.collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.subtopic_judgment
    ADD CONSTRAINT fk_subtopic_judgment_collection_id FOREIGN KEY (collection_id) REFERENCES public.collection(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.subtopic_judgment
    ADD CONSTRAINT fk_subtopic_judgment_query_id FOREIGN KEY (query_id) REFERENCES public.query(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.value_list
    ADD CONSTRAINT fk_value_list_evaluation_id FOREIGN KEY (evaluation_id) REFERENCES public.evaluation(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.value_list
    ADD CONSTRAINT fk_value_list_measure_id FOREIGN KEY (measure_id) REFERENCES public.measure(id) ON DELETE CASCADE;
