"""SQLite too checks the references of large tables once for many rows.

On PostgreSQL triggers for whole statements do so since 0008, and nothing changes.
"""

from alembic import op
from alembic.util import CommandError


revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

# Foreign keys are looked up for each row: two of them take a quarter of the time of an INSERT, and
# three of them two fifths.
TABLES = {
    "retrieved": """
CREATE TABLE {name} (
	run_id INTEGER NOT NULL,
	query_id INTEGER NOT NULL,
	rank INTEGER NOT NULL,
	docno TEXT NOT NULL,
	score DOUBLE NOT NULL,
	CONSTRAINT pk_retrieved PRIMARY KEY (run_id, query_id, rank)
)
 WITHOUT ROWID""",
    "hit": """
CREATE TABLE {name} (
	evaluation_id INTEGER NOT NULL,
	query_id INTEGER NOT NULL,
	rank INTEGER NOT NULL,
	docno TEXT NOT NULL,
	grade DOUBLE NOT NULL,
	score DOUBLE NOT NULL,
	CONSTRAINT pk_hit PRIMARY KEY (evaluation_id, query_id, rank)
)
 WITHOUT ROWID""",
    "measurement": """
CREATE TABLE {name} (
	evaluation_id INTEGER NOT NULL,
	measure_id INTEGER NOT NULL,
	query_id INTEGER NOT NULL,
	value DOUBLE NOT NULL,
	CONSTRAINT pk_measurement PRIMARY KEY (evaluation_id, measure_id, query_id)
)
 WITHOUT ROWID""",
}

REFERENCES = {
    "retrieved": ("run", "query"),
    "hit": ("evaluation", "query"),
    "measurement": ("evaluation", "measure", "query"),
}


def upgrade() -> None:
    if op.get_bind().dialect.name != "sqlite":
        return
    made = _execute("SELECT name, sql FROM sqlite_master WHERE type = 'view'")
    views = {row.name: row.sql for row in made}
    for name in views:  # SQLite renames no table while a view reads one that is missing
        _execute(f'DROP VIEW "{name}"')
    for table, definition in TABLES.items():
        _make_anew(table, definition)
        for parent in REFERENCES[table]:
            _create_triggers(table, parent)
    for definition in views.values():
        _execute(definition)


def _make_anew(table, definition) -> None:
    """SQLite drops no foreign key. This form of INSERT copies records without reading them."""
    _execute(definition.format(name=f"{table}_new"))
    _execute(f"INSERT INTO {table}_new SELECT * FROM {table}")
    _execute(f"DROP TABLE {table}")
    _execute(f"ALTER TABLE {table}_new RENAME TO {table}")


def _create_triggers(table, parent) -> None:
    """What a foreign key does where rows are deleted or changed: both are rare."""
    column = f"{parent}_id"
    _execute(f"""
CREATE TRIGGER delete_{table}_of_{parent} AFTER DELETE ON "{parent}"
BEGIN
    DELETE FROM {table} WHERE {column} = OLD.id;
END""")
    _execute(f"""
CREATE TRIGGER check_changed_{table}_{column} BEFORE UPDATE OF {column} ON {table}
WHEN NOT EXISTS (SELECT 1 FROM "{parent}" WHERE id = NEW.{column})
BEGIN
    SELECT RAISE(ABORT, 'a row of "{table}" belongs to no {parent}');
END""")


def _execute(statement):
    return op.get_bind().exec_driver_sql(statement.strip())


def downgrade() -> None:
    raise CommandError("evalstore's migrations go forward only: restore a backup instead")
