"""Qrels are versions made of drafts that people judge; engines explain scores."""

from alembic import op
import sqlalchemy as sa
from alembic.util import CommandError


revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

TEXT = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
JSON = sa.JSON(none_as_null=True)
NUMBER = sa.Double()
TIME = sa.DateTime(timezone=True)

COLUMNS = {
    "collection": {
        "grade_labels": (JSON, "the names of the grades for those who judge, by grade as text"),
        "document_link": (TEXT, "the address of a document's text, with {docno} in it"),
        "guidelines": (TEXT, "how to judge, in Markdown"),
    },
    "qrels": {
        "parent_id": (sa.Integer(), "the qrels that it was made of; null for a file"),
        "who": (TEXT, "who made this version, as in `event`; null for a file"),
        "reason": (TEXT, "why this version was made; null for a file"),
        "rule": (
            TEXT,
            "how grades of several judges became one: majority, mean, minimum or adjudicated",
        ),
        "origin": (
            JSON,
            "where its judgments come from: `kind` (file, person, model), and of a model its "
            "facts; null for a file",
        ),
    },
}

PARENT = ("fk_qrels_parent_id", "qrels", "qrels", ["parent_id"], ["id"])


def upgrade() -> None:
    for name, (type_, comment) in COLUMNS["collection"].items():
        op.add_column("collection", sa.Column(name, type_, nullable=True, comment=comment))
    if op.get_bind().dialect.name == "sqlite":
        _add_to_qrels_on_sqlite()
    else:
        for column in _columns_of_qrels():
            op.add_column("qrels", column)
        op.create_foreign_key(*PARENT, ondelete="SET NULL")
    _table(
        "judgment_origin",
        "The origin of a judgment, for judgments that have another one than their qrels.",
        _own("qrels_id", sa.Integer(), "the qrels"),
        _own("query_id", sa.Integer(), "the query"),
        _own("docno", TEXT, "the document"),
        _own("kind", TEXT, "person, model or file"),
        _own("name", TEXT, "the people with commas between, the model, or the file"),
        _null("pool", TEXT, "how the documents to judge were drawn; null where that is not known"),
        _null("stratum", TEXT, "the part of the pool that the document was drawn from"),
        _null("probability", NUMBER, "the chance that it was drawn, above 0 and at most 1"),
        _null("judged_at", TIME, "when it was judged; null where that is not known"),
        _refers("judgment_origin", "qrels_id", "qrels"),
        _refers("judgment_origin", "query_id", "query"),
        key=("qrels_id", "query_id", "docno"),
    )
    _table(
        "draft",
        "A set of documents to judge, which becomes a new qrels when it is published.",
        _own("id", sa.Integer(), "made by the database"),
        _own("collection_id", sa.Integer(), "the collection"),
        _own("name", TEXT, "unique in the collection"),
        _null("parent_id", sa.Integer(),
              "the qrels whose judgments it continues; null without one"),
        _own("rule", TEXT,
             "how grades of several judges become one: majority, mean, minimum or adjudicated"),
        _own("overlap", sa.Integer(), "how many assessors judge each document"),
        _own("seed", sa.Integer(), "of the order in which documents are shown"),
        _null("pool", TEXT, "how the documents were drawn"),
        _own("who", TEXT, "who made it, as in `event`"),
        _own("created_at", TIME, "when it was made"),
        _null("published_id", sa.Integer(),
              "the qrels that was made of it last; null before"),
        _refers("draft", "collection_id", "collection"),
        _refers("draft", "parent_id", "qrels", "SET NULL"),
        _refers("draft", "published_id", "qrels", "SET NULL"),
        sa.UniqueConstraint("collection_id", "name", name=op.f("uq_draft_collection_id_name")),
        key=("id",),
    )  # fmt: skip
    _table(
        "draft_document",
        "A document to judge for a query.",
        _own("draft_id", sa.Integer(), "the draft"),
        _own("query_id", sa.Integer(), "the query"),
        _own("docno", TEXT, "the document"),
        _own("place", sa.Integer(), "from 0, in the order in which documents are shown"),
        _null("stratum", TEXT, "the part of the pool that it was drawn from"),
        _null("probability", NUMBER, "the chance that it was drawn, above 0 and at most 1"),
        _null("assigned", TEXT, "the assessor who is to judge it; null for anyone"),
        _refers("draft_document", "draft_id", "draft"),
        _refers("draft_document", "query_id", "query"),
        key=("draft_id", "query_id", "docno"),
    )
    _table(
        "assessment",
        "What somebody said of a document; the newest row of each assessor counts.",
        _own("id", sa.Integer(), "made by the database"),
        _own("draft_id", sa.Integer(), "the draft"),
        _own("query_id", sa.Integer(), "the query"),
        _own("docno", TEXT, "the document"),
        _own("assessor", TEXT, "who says it"),
        _own("kind", TEXT, "person, model or adjudicator"),
        _own("state", TEXT, "graded, cannot_tell, later or undone"),
        _null("grade", NUMBER, "null unless it is graded"),
        _null("comment", TEXT, "what else they say, in Markdown"),
        _null("passage", TEXT, "the part of the text that decided"),
        _own("key", TEXT, "given by the sender: what is sent twice is stored once"),
        _own("judged_at", TIME, "when it was received"),
        _refers("assessment", "draft_id", "draft"),
        _refers("assessment", "query_id", "query"),
        sa.UniqueConstraint("draft_id", "key", name=op.f("uq_assessment_draft_id_key")),
        key=("id",),
    )
    _table(
        "explanation",
        "The engine's explanation of the score of a document for a query.",
        _own("run_id", sa.Integer(), "the run"),
        _own("query_id", sa.Integer(), "the query"),
        _own("docno", TEXT, "the document"),
        _own("text", TEXT, "what the engine said"),
        _refers("explanation", "run_id", "run"),
        _refers("explanation", "query_id", "query"),
        key=("run_id", "query_id", "docno"),
    )


def _columns_of_qrels() -> list[sa.Column]:
    return [
        sa.Column(name, type_, nullable=True, comment=comment)
        for name, (type_, comment) in COLUMNS["qrels"].items()
    ]


def _add_to_qrels_on_sqlite() -> None:
    """Make the table anew: SQLite adds no named foreign key. Views don't bear that."""
    connection = op.get_bind()
    made = connection.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE type = 'view'")
    views = {row.name: row.sql for row in made}
    last = connection.exec_driver_sql(
        "SELECT seq FROM sqlite_sequence WHERE name = 'qrels'"
    ).scalar()
    for name in views:
        op.execute(f'DROP VIEW "{name}"')
    name, _, other, columns, keys = PARENT
    with op.batch_alter_table("qrels", table_kwargs={"sqlite_autoincrement": True}) as batch:
        for column in _columns_of_qrels():
            batch.add_column(column)
        batch.create_foreign_key(name, other, columns, keys, ondelete="SET NULL")
    if last is not None:  # the ids of purged qrels are not given again
        op.execute("DELETE FROM sqlite_sequence WHERE name = 'qrels'")
        op.execute(f"INSERT INTO sqlite_sequence (name, seq) VALUES ('qrels', {last})")
    for definition in views.values():
        connection.exec_driver_sql(definition)


def _table(name: str, comment: str, *parts: sa.schema.SchemaItem, key: tuple[str, ...]) -> None:
    numbered = key == ("id",)
    options = {"sqlite_autoincrement": True} if numbered else {"sqlite_with_rowid": False}
    primary = sa.PrimaryKeyConstraint(*key, name=op.f(f"pk_{name}"))
    op.create_table(name, *parts, primary, comment=comment, **options)


def _own(name: str, type_: sa.types.TypeEngine, comment: str) -> sa.Column:
    number = name == "id"
    return sa.Column(
        name, type_, nullable=False, comment=comment, autoincrement="auto" if number else False
    )


def _null(name: str, type_: sa.types.TypeEngine, comment: str) -> sa.Column:
    return sa.Column(name, type_, nullable=True, comment=comment)


def _refers(
    table: str, column: str, other: str, ondelete: str = "CASCADE"
) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}")
    return sa.ForeignKeyConstraint([column], [f"{other}.id"], name=name, ondelete=ondelete)


def downgrade() -> None:
    raise CommandError("evalstore's migrations go forward only: restore a backup instead")
