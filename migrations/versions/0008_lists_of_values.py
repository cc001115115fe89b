"""The measures that a collection stores; on PostgreSQL lists of values.

And there the references of large tables are checked once a statement.
"""

from alembic import op
import sqlalchemy as sa
from alembic.util import CommandError


revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")

# What a foreign key did costs 4 microseconds a row; a trigger for a whole statement a twentieth.
REFERENCES = {
    "retrieved": {"run_id": "run", "query_id": "query"},
    "hit": {"evaluation_id": "evaluation", "query_id": "query"},
}

MEASUREMENT_COMMENTS = {
    "evaluation_id": "the evaluation",
    "measure_id": "the measure",
    "query_id": "the query",
    "value": "unrounded",
}


def upgrade() -> None:
    op.add_column(
        "collection",
        sa.Column(
            "measures",
            TEXT,
            nullable=True,
            comment="the measures that an ingest stores: a set, or names with commas between; null "
            "for the set standard",
        ),
    )
    if op.get_bind().dialect.name != "postgresql":
        return  # SQLite keeps rows in the order of their key and checks a reference in passing
    _create_value_list()
    _make_measurement_a_view()
    for table, references in REFERENCES.items():
        _check_by_triggers(table, references)
    _check_queries_of_lists()


def _create_value_list() -> None:
    """`query_ids` and `query_values` have the same length; out of line, as they don't compress."""
    op.execute("""
CREATE TABLE value_list (
    evaluation_id integer NOT NULL
        CONSTRAINT fk_value_list_evaluation_id REFERENCES evaluation ON DELETE CASCADE,
    measure_id integer NOT NULL
        CONSTRAINT fk_value_list_measure_id REFERENCES measure ON DELETE CASCADE,
    query_ids integer[] NOT NULL,
    query_values double precision[] NOT NULL,
    CONSTRAINT pk_value_list PRIMARY KEY (evaluation_id, measure_id),
    CONSTRAINT ck_value_list_lengths CHECK (cardinality(query_ids) = cardinality(query_values))
)""")
    for column in ("query_ids", "query_values"):
        op.execute(f"ALTER TABLE value_list ALTER COLUMN {column} SET STORAGE EXTERNAL")
    op.execute("""
INSERT INTO value_list (evaluation_id, measure_id, query_ids, query_values)
SELECT evaluation_id,
       measure_id,
       array_agg(query_id ORDER BY query_id),
       array_agg(value ORDER BY query_id)
FROM measurement
GROUP BY evaluation_id, measure_id""")
    comment("TABLE", "value_list", "The values of a measure for the queries of an evaluation.")
    for column, words in {
        "evaluation_id": "the evaluation",
        "measure_id": "the measure",
        "query_ids": "the queries",
        "query_values": "the value of each of these queries, unrounded",
    }.items():
        comment("COLUMN", f"value_list.{column}", words)


def _make_measurement_a_view() -> None:
    """Put a view in the place of the table; views that read it, and rights on it, stay."""
    connection = op.get_bind()
    readers = connection.execute(
        sa.text("""
SELECT DISTINCT pg_class.oid::regclass::text, pg_get_viewdef(pg_class.oid)
FROM pg_depend
JOIN pg_rewrite ON pg_rewrite.oid = pg_depend.objid
JOIN pg_class ON pg_class.oid = pg_rewrite.ev_class AND pg_class.relkind = 'v'
WHERE pg_depend.classid = 'pg_rewrite'::regclass
  AND pg_depend.refclassid = 'pg_class'::regclass
  AND pg_depend.refobjid = 'measurement'::regclass""")
    ).all()
    rights = connection.execute(
        sa.text("""
SELECT coalesce(quote_ident(pg_roles.rolname), 'PUBLIC')
FROM pg_class
CROSS JOIN aclexplode(pg_class.relacl) AS entry
LEFT JOIN pg_roles ON pg_roles.oid = entry.grantee
WHERE pg_class.oid = 'measurement'::regclass
  AND entry.privilege_type = 'SELECT'
  AND entry.grantee <> pg_class.relowner""")
    ).scalars()
    roles = list(rights)
    op.execute("ALTER TABLE measurement RENAME TO measurement_before")
    # The subscripts let the server expect 1,000 values in a list, not 10: it then joins two lists
    # by a hash, and does not read the one again for each value of the other.
    op.execute("""
CREATE VIEW measurement AS
SELECT value_list.evaluation_id, value_list.measure_id, element.query_id, element.value
FROM value_list,
     ROWS FROM (
        unnest(value_list.query_ids),
        unnest(value_list.query_values),
        generate_subscripts(value_list.query_ids, 1)
    ) AS element (query_id, value, position)""")
    comment("VIEW", "measurement", "The value of a measure for a query.")
    for column, words in MEASUREMENT_COMMENTS.items():
        comment("COLUMN", f"measurement.{column}", words)
    for role in roles:
        execute(f"GRANT SELECT ON measurement TO {role}")
    for view, definition in readers:
        execute(f"CREATE OR REPLACE VIEW {view} AS {definition}")
    op.execute("DROP TABLE measurement_before")


def _check_by_triggers(table, references) -> None:
    """Replace the foreign keys of a table by triggers that run once a statement."""
    checks = "\n".join(
        f"""    IF EXISTS (
        SELECT FROM (SELECT DISTINCT {column} AS id FROM added) AS used
        WHERE NOT EXISTS (SELECT FROM {parent} WHERE {parent}.id = used.id)
    ) THEN
        RAISE foreign_key_violation
        USING MESSAGE = 'a row of "{table}" refers to a {parent} that does not exist';
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
        op.execute(f"ALTER TABLE {table} DROP CONSTRAINT fk_{table}_{column}")
        name = f"delete_{table}_of_{parent}"
        delete = f"    DELETE FROM {table} USING gone WHERE {table}.{column} = gone.id;"
        create_function(name, delete)
        execute(f"""
CREATE TRIGGER {name} AFTER DELETE ON {parent}
REFERENCING OLD TABLE AS gone
FOR EACH STATEMENT EXECUTE FUNCTION {name}()""")


def _check_queries_of_lists() -> None:
    create_function(
        "check_added_value_list",
        """    IF EXISTS (
        SELECT FROM (SELECT DISTINCT unnest(query_ids) AS id FROM added) AS used
        WHERE NOT EXISTS (SELECT FROM query WHERE query.id = used.id)
    ) THEN
        RAISE foreign_key_violation
        USING MESSAGE = 'a row of "value_list" refers to a query that does not exist';
    END IF;""",
    )
    for event in ("INSERT", "UPDATE"):
        execute(f"""
CREATE TRIGGER check_added_value_list_{event.lower()} AFTER {event} ON value_list
REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION check_added_value_list()""")


def create_function(name, body) -> None:
    """A function for a trigger; whoever writes, it finds the tables of this store."""
    schema = op.get_bind().execute(sa.text("SELECT quote_ident(current_schema())")).scalar_one()
    execute(f"""
CREATE FUNCTION {name}() RETURNS trigger
LANGUAGE plpgsql SET search_path = {schema}, pg_temp AS $$
BEGIN
{body}
    RETURN NULL;
END
$$""")


def comment(kind, name, words) -> None:
    execute(f"COMMENT ON {kind} {name} IS '" + words.replace("'", "''") + "'")


def execute(statement) -> None:
    """Run a statement as it is written: a colon or a percent sign means nothing."""
    op.get_bind().exec_driver_sql(statement.replace("%", "%%"))


def downgrade() -> None:
    raise CommandError("evalstore's migrations go forward only: restore a backup instead")
