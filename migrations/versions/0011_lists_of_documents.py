"""On PostgreSQL the documents of a query are lists, below views with the names of the tables.

Inserting a row takes a microsecond there, and what stands before its values and its entry in an
index take more bytes than these. SQLite keeps rows in the order of their key.
"""

from alembic import op
import sqlalchemy as sa
from alembic.util import CommandError


revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

OWNERS = {"retrieved": "run", "hit": "evaluation"}
TYPES = {
    "rank": "integer[]",
    "docno": 'text[] COLLATE "C"',
    "grade": "double precision[]",
    "score": "double precision[]",
}
LISTS = {"retrieved": ("rank", "docno", "score"), "hit": ("rank", "docno", "grade", "score")}
COMMENTS = {
    "retrieved_list": {
        None: "The top of a ranking (100 documents unless said otherwise).",
        "run_id": "the run",
        "query_id": "the query",
        "ranks": "the rank of each of these documents, from 1",
        "docnos": "the documents",
        "scores": "what the engine gave each of them",
    },
    "hit_list": {
        None: "The relevant documents that the run retrieved for a query.",
        "evaluation_id": "the evaluation",
        "query_id": "the query",
        "ranks": "the rank of each of these documents, from 1",
        "docnos": "the documents",
        "grades": "the grade of each of them, 1 or more",
        "scores": "what the engine gave each of them",
    },
}

# Looks for each judgment in one list; the view before read the hits of all runs.
RELEVANT_MISSED = """
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
JOIN run ON run.id = evaluation.run_id
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
    FROM hit_list
    WHERE hit_list.evaluation_id = evaluation.id
      AND hit_list.query_id = judgment.query_id
      AND judgment.docno = ANY (hit_list.docnos)
  )"""


def upgrade() -> None:
    if op.get_bind().dialect.name != "postgresql":
        return
    # Packed rankings are compressed already.
    op.execute("ALTER TABLE ranking ALTER COLUMN packed SET STORAGE EXTERNAL")
    for table, owner in OWNERS.items():
        _create_lists(table, owner)
        _make_a_view(table, owner)
        _check_by_triggers(f"{table}_list", {f"{owner}_id": owner, "query_id": "query"})
    execute(f"CREATE OR REPLACE VIEW relevant_missed AS{RELEVANT_MISSED}")


def _create_lists(table, owner) -> None:
    lists = LISTS[table]
    columns = ",\n".join(f"    {name}s {TYPES[name]} NOT NULL" for name in lists)
    same = " AND ".join(f"cardinality({name}s) = cardinality(ranks)" for name in lists[1:])
    execute(f"""
CREATE TABLE {table}_list (
    {owner}_id integer NOT NULL,
    query_id integer NOT NULL,
{columns},
    CONSTRAINT pk_{table}_list PRIMARY KEY ({owner}_id, query_id),
    CONSTRAINT ck_{table}_list_lengths CHECK ({same})
)""")
    for name in lists:
        if (
            name != "grade"
        ):  # compressing the others takes longer than all the rest and gains little
            execute(f"ALTER TABLE {table}_list ALTER COLUMN {name}s SET STORAGE EXTERNAL")
    names = ", ".join(f"{name}s" for name in lists)
    arrays = ", ".join(f"array_agg({name} ORDER BY rank)" for name in lists)
    execute(f"""
INSERT INTO {table}_list ({owner}_id, query_id, {names})
SELECT {owner}_id, query_id, {arrays}
FROM {table}
GROUP BY {owner}_id, query_id""")
    comment("TABLE", f"{table}_list", COMMENTS[f"{table}_list"])


def _make_a_view(table, owner) -> None:
    """Put a view in the place of the table; views that read it, and rights on it, stay."""
    readers = rows(f"""
SELECT DISTINCT pg_class.oid::regclass::text, pg_get_viewdef(pg_class.oid)
FROM pg_depend
JOIN pg_rewrite ON pg_rewrite.oid = pg_depend.objid
JOIN pg_class ON pg_class.oid = pg_rewrite.ev_class AND pg_class.relkind = 'v'
WHERE pg_depend.classid = 'pg_rewrite'::regclass
  AND pg_depend.refclassid = 'pg_class'::regclass
  AND pg_depend.refobjid = '{table}'::regclass""")
    roles = rows(f"""
SELECT coalesce(quote_ident(pg_roles.rolname), 'PUBLIC')
FROM pg_class
CROSS JOIN aclexplode(pg_class.relacl) AS entry
LEFT JOIN pg_roles ON pg_roles.oid = entry.grantee
WHERE pg_class.oid = '{table}'::regclass
  AND entry.privilege_type = 'SELECT'
  AND entry.grantee <> pg_class.relowner""")
    comments = dict(
        rows(f"""
SELECT attname, col_description(attrelid, attnum)
FROM pg_attribute
WHERE attrelid = '{table}'::regclass AND attnum > 0
UNION ALL
SELECT NULL, obj_description('{table}'::regclass, 'pg_class')""")
    )
    execute(f"ALTER TABLE {table} RENAME TO {table}_before")
    elements = ", ".join(f"element.{name}" for name in LISTS[table])
    arrays = ", ".join(f"unnest({table}_list.{name}s)" for name in LISTS[table])
    execute(f"""
CREATE VIEW {table} AS
SELECT {table}_list.{owner}_id, {table}_list.query_id, {elements}
FROM {table}_list,
     ROWS FROM ({arrays})
     AS element ({", ".join(LISTS[table])})""")
    comment("VIEW", table, comments)
    for (role,) in roles:
        execute(f"GRANT SELECT ON {table} TO {role}")
    for view, definition in readers:
        execute(f"CREATE OR REPLACE VIEW {view} AS {definition}")
    execute(f"DROP TABLE {table}_before")
    execute(f"DROP FUNCTION check_added_{table}()")
    for parent in (owner, "query"):
        execute(f"DROP FUNCTION delete_{table}_of_{parent}() CASCADE")  # with its trigger


def _check_by_triggers(table, references) -> None:
    """What foreign keys do, once a statement: for each row they would cost more than the row."""
    checks = "\n".join(
        f"""    IF EXISTS (
        SELECT FROM (SELECT DISTINCT {column} AS id FROM added) AS used
        WHERE NOT EXISTS (SELECT FROM {parent} WHERE {parent}.id = used.id)
    ) THEN
        RAISE foreign_key_violation
        USING MESSAGE = 'a row of "{table}" belongs to no {parent}';
    END IF;"""
        for column, parent in references.items()
    )
    create_function(f"check_added_{table}", checks)
    for event in ("INSERT", "UPDATE"):
        execute(f"""
CREATE TRIGGER check_added_{table}_{event.lower()} AFTER {event} ON {table}
REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION check_added_{table}()""")
    for column, parent in references.items():
        name = f"delete_{table}_of_{parent}"
        create_function(
            name, f"    DELETE FROM {table} USING gone WHERE {table}.{column} = gone.id;"
        )
        execute(f"""
CREATE TRIGGER {name} AFTER DELETE ON {parent}
REFERENCING OLD TABLE AS gone
FOR EACH STATEMENT EXECUTE FUNCTION {name}()""")


def create_function(name, body) -> None:
    """A function for a trigger; whoever writes, it finds the tables of this store."""
    ((schema,),) = rows("SELECT quote_ident(current_schema())")
    execute(f"""
CREATE FUNCTION {name}() RETURNS trigger
LANGUAGE plpgsql SET search_path = {schema}, pg_temp AS $$
BEGIN
{body}
    RETURN NULL;
END
$$""")


def comment(kind, name, words_of) -> None:
    """Comments on a table or view (whose key is None) and on its columns."""
    for column, words in words_of.items():
        what = f"{kind} {name}" if column is None else f"COLUMN {name}.{column}"
        execute(f"COMMENT ON {what} IS '" + words.replace("'", "''") + "'")


def rows(query) -> list[sa.Row]:
    return op.get_bind().exec_driver_sql(query.replace("%", "%%")).all()


def execute(statement) -> None:
    """Run a statement as it is written: a colon or a percent sign means nothing."""
    op.get_bind().exec_driver_sql(statement.replace("%", "%%"))


def downgrade() -> None:
    raise CommandError("evalstore's migrations go forward only: restore a backup instead")
