"""Alembic's entry: migrate over the connection that is handed in, or over one of our own."""

import os

from alembic import context
from sqlalchemy import Connection

from evalstore.store import database, models


def migrate(connection: Connection) -> None:
    """Run the migrations inside the connection's transaction."""
    context.configure(
        connection=connection,
        target_metadata=models.Base.metadata,
        render_as_batch=connection.dialect.name == "sqlite",
        compare_type=True,
    )
    with context.begin_transaction():
        context.run_migrations()


handed_in = context.config.attributes.get("connection")
if handed_in is not None:
    migrate(handed_in)
else:
    given = context.get_x_argument(as_dictionary=True)
    url = given.get("db") or os.environ.get("EVALSTORE_DB") or "sqlite:///evalstore.db"
    with database.migrating(database.make_engine(url)) as own:
        migrate(own)
