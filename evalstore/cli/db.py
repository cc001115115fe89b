"""`evalstore db`: the database itself."""

from __future__ import annotations

import click


@click.group()
def db() -> None:
    """Create, upgrade and inspect the database."""


@db.command()
@click.pass_obj
def upgrade(url: str) -> None:
    """Bring the database to this program's schema; a missing one is made."""
    from evalstore.store import database, schema, urls

    engine = database.make_engine(url)
    urls.prepare_place(engine)
    before = schema.upgrade(engine)
    where = urls.shown_url(engine)
    if before == schema.HEAD:
        click.echo(f"{where} is at schema {schema.HEAD} already")
    else:
        click.echo(f"{where}: schema {before or 'none'} -> {schema.HEAD}")


@db.command()
@click.pass_obj
def current(url: str) -> None:
    """Say which schema the database has, and which this program wants."""
    from evalstore.store import database, schema, urls

    engine = database.make_engine(url)
    urls.prepare_place(engine)
    if urls.is_missing(engine):
        click.echo(f"{urls.shown_url(engine)}: none yet (this program: {schema.HEAD})")
        return
    with database.reading(engine) as connection:
        found = schema.revision(connection)
    state = "current" if found == schema.HEAD else "run `evalstore db upgrade`"
    click.echo(
        f"{urls.shown_url(engine)}: schema {found or 'none'} "
        f"(this program: {schema.HEAD}; {state})"
    )
