"""`evalstore db`: the database itself."""

from __future__ import annotations

import sys

import click

from evalstore.cli.commands.sql import readonly_role
from evalstore.cli.options import db_option
from evalstore.cli.output import printable


@click.group()
def db() -> None:
    """Create, upgrade and check the database."""


db.add_command(readonly_role)


@db.command()
@db_option
def upgrade(db: str) -> None:
    """Bring the database to this program's schema; a missing one is made."""
    from evalstore.store import database, location, schema

    engine = database.make_engine(db)
    try:
        location.check_location(engine)
        before = schema.upgrade(engine)
    finally:
        engine.dispose()
    where = printable(location.shown_url(engine))
    if before == schema.HEAD:
        click.echo(f"{where} is at schema {schema.HEAD} already")
    else:
        click.echo(f"{where}: schema {before or 'none'} -> {schema.HEAD}")


@db.command()
@db_option
def current(db: str) -> None:
    """Say which schema the database has, and which this program wants."""
    from evalstore.store import database, location, schema

    engine = database.make_engine(db)
    where = printable(location.shown_url(engine))
    location.check_location(engine)
    if location.is_missing(engine):
        click.echo(f"{where}: none yet (this program: {schema.HEAD})")
        return
    try:
        with database.reading(engine) as connection:
            revision = schema.revision(connection)
    finally:
        engine.dispose()
    state = "run `evalstore db upgrade`"
    if revision == schema.HEAD:
        state = "current"
    elif revision is not None and revision > schema.HEAD:
        state = "install a newer evalstore"
    click.echo(f"{where}: schema {revision or 'none'} (this program: {schema.HEAD}; {state})")


@db.command()
@db_option
def check(db: str) -> None:
    """Verify that everything in the store is what it should be.

    Hashes are computed again from the rankings and judgments, relevant documents found again, the
    values of every measure computed and averaged again, and every row must belong to something. The
    exit status is 1 when anything is wrong.
    """
    from evalstore.store import Store
    from evalstore.transfer.db_check import db_check

    with Store.open(db, create=False) as store:
        result = db_check(store, progress=lambda problem: click.echo(printable(problem)))
    counted = (
        f"checked {result.qrels:,} qrels, {result.runs:,} runs and "
        f"{result.evaluations:,} evaluations: "
    )
    many = "thing is" if len(result.problems) == 1 else "things are"
    wrong = f"{len(result.problems):,} {many} wrong"
    click.echo(counted + (wrong if result.problems else "all is well"))
    if result.problems:
        sys.exit(1)
