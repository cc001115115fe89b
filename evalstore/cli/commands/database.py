"""`evalstore sql`, and `evalstore db`: the database itself."""

from __future__ import annotations

import math
import os
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evalstore.cli.errors import advised
from evalstore.cli.inputs import read_text
from evalstore.cli.options import (
    POSITIVE,
    SIZE,
    collection_option,
    db_option,
    format_option,
    is_server,
    opened_own_store,
    opened_store,
    output_option,
    store_or_server_option,
)
from evalstore.cli.output import print_rows, printable, table, warn, write_csv, write_json, written
from evalstore.cli.structure import Group, command, refuse
from evalstore.errors import DataError

if TYPE_CHECKING:
    from evalstore.sql.ask import Answer, Limits
    from evalstore.store import Store
    from evalstore.transfer.copy import Copied


# `evalstore sql`

GRACE_SECONDS = 5


def _list_views(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    """Print the views and their columns, and exit, if --views is given."""
    del param
    if not value:
        return
    from evalstore.store.views import VIEWS

    for view in VIEWS:
        click.echo(f"{view.name}: {view.comment}")
        for name, comment in view.columns.items():
            click.echo(f"    {name}: {comment}")
    ctx.exit()


@command()
@click.argument("statement", metavar='["SELECT ..."]', required=False)
@click.option(
    "--views",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_views,
    help="List the views and their columns, and exit.",
)
@click.option(
    "--file",
    "file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Read the statement from a file.",
)
@format_option("table", "csv", "json", "parquet")
@output_option("Write the answer to a file; one that is there is replaced.")
@click.option(
    "--limit",
    type=click.IntRange(1),
    help="Rows at most.  [default: 1,000 in a table, all otherwise]",
)
@click.option(
    "--timeout",
    type=POSITIVE,
    default=60,
    show_default=True,
    help="Seconds at most.",
)
@click.option(
    "--answer-bytes",
    "max_bytes",
    type=SIZE,
    default="256M",
    show_default=True,
    help="Bytes of all values together at most.",
)
@store_or_server_option
def sql(
    db: str,
    statement: str | None,
    file: Path | None,
    shape: str,
    output: Path | None,
    limit: int | None,
    timeout: float,
    max_bytes: int,
) -> None:
    """Ask the store in SQL, read-only.

    One statement; - reads it from standard input. The views, which --views lists, have names
    instead of ids: `leaderboard`, `query_values`, `judgments`, `retrieved_docs` (of the first
    documents of each ranking: `evalstore ingest --keep-top`) and more. The SQL page of `evalstore
    dashboard` has questions to start from. An answer that a limit has cut is printed with a
    warning.
    """
    from evalstore.sql.ask import Limits

    query = _statement(statement, file)
    if shape == "parquet" and output is None and sys.stdout.isatty():
        raise click.UsageError("Parquet is nothing for a terminal: say -o FILE")
    if limit is None and shape == "table":
        limit = 1000
    answer = _answer(db, query, Limits(timeout, limit, max_bytes), output)
    _print(answer, shape, output)
    if answer.cut:
        warn(advised(answer.cut, answer.problem))


def _answer(db: str, query: str, limits: Limits, output: Path | None) -> Answer:
    if is_server(db):
        why = "can't be sent: a server has a limit of its own"
        refuse(click.get_current_context(), ("max_bytes",), why)
        with opened_store(db) as store:
            return store.ask(query, limits)
    from evalstore.sql.ask import ask, asking

    with asking(db) as store, _ended_after(limits.seconds):
        if output is not None:
            _refuse_store_itself(output, store.engine.url.database)
        return ask(store, query, limits)


def _statement(argument: str | None, file: Path | None) -> str:
    if (argument is None) == (file is None):
        raise click.UsageError('say what to ask: "SELECT ...", --file FILE, or - and a pipe')
    if argument == "-":
        return sys.stdin.read()
    return argument or "" if file is None else read_text(str(file))


@contextmanager
def _ended_after(seconds: float) -> Iterator[None]:
    """End the program a few seconds after the query's timeout.

    SQLite checks the timeout only between steps, and a single step (a search for a long text in
    another) can take hours.
    """

    def end() -> None:
        click.echo(f"SQL: stopped after {seconds:g} seconds: ask for less", err=True)
        os._exit(1)

    watch = threading.Timer(min(seconds + GRACE_SECONDS, threading.TIMEOUT_MAX), end)
    watch.daemon = True
    watch.start()
    try:
        yield
    finally:
        watch.cancel()


def _refuse_store_itself(output: Path, database: str | None) -> None:
    if database is None or not output.exists():
        return
    own = (Path(database + suffix) for suffix in ("", "-wal", "-shm"))
    if any(path.exists() and path.samefile(output) for path in own):
        raise DataError(f"{output}: that is the store itself: name another file")


def _print(answer: Answer, shape: str, output: Path | None) -> None:
    if shape in ("json", "parquet") and answer.distinct_columns != answer.columns:
        again = sorted(set(answer.distinct_columns) - set(answer.columns))
        warn(f"columns of the same name are told apart: {', '.join(again)}")
    if output is None:
        _write(answer, shape)
        return
    with written(output) as stream, redirect_stdout(stream):
        _write(answer, shape)


def _write(answer: Answer, shape: str) -> None:
    """Print to the current standard output, which may be redirected."""
    if shape == "csv":
        write_csv(answer.columns, answer.rows)
    elif shape == "json":
        names = answer.distinct_columns
        write_json([dict(zip(names, map(_finite, row), strict=True)) for row in answer.rows])
    elif shape == "parquet":
        _write_parquet(answer)
    else:
        columns = list(zip(*answer.rows, strict=True))
        numeric = [all(not isinstance(value, str) for value in column) for column in columns]
        left = next((i for i, n in enumerate(numeric) if n), len(answer.columns))
        table(answer.columns, answer.rows, left=left)


def _finite(value: Any) -> Any:
    """Replace infinity, which JSON does not have."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _write_parquet(answer: Answer) -> None:
    from evalstore.sql.ask import parquet

    sys.stdout.flush()
    sys.stdout.buffer.write(parquet(answer))
    sys.stdout.buffer.flush()


# `evalstore db`


@click.group(cls=Group)
def db() -> None:
    """Check, upgrade, copy and import the database, and list its events."""


@db.command("readonly-role")
@click.argument("name", default="evalstore_reader")
@db_option
def readonly_role(db: str, name: str) -> None:
    """Print a script for PostgreSQL that makes a read-only role.

    It can log in, read the tables and views of this store, and do nothing else:

    evalstore db readonly-role analyst | psql mydatabase
    """
    from evalstore.sql.ask import reader_script

    click.echo(reader_script(db, name), nl=False)


@db.command()
@db_option
def upgrade(db: str) -> None:
    """Bring the database to this program's schema; a missing one is made."""
    from evalstore.store import database, schema

    engine = database.make_engine(db)
    try:
        database.check_location(engine)
        before = schema.upgrade(engine)
    finally:
        engine.dispose()
    where = printable(database.shown_url(engine))
    if before == schema.HEAD:
        click.echo(f"{where} is at schema {schema.HEAD} already")
    else:
        click.echo(f"{where}: schema {before or 'none'} -> {schema.HEAD}")


@db.command()
@db_option
def current(db: str) -> None:
    """Say which schema the database has, and which this program wants."""
    from evalstore.store import database, schema

    engine = database.make_engine(db)
    where = printable(database.shown_url(engine))
    database.check_location(engine)
    if database.is_missing(engine):
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
@opened_own_store
def check(store: Store) -> None:
    """Verify all that is stored.

    Hashes are computed again from the rankings and judgments, relevant documents found again, the
    values of every measure computed and averaged again, and every row must belong to something. The
    exit status is 1 when anything is wrong.
    """
    from evalstore.transfer.db_check import db_check

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


# `evalstore db copy`


@db.command()
@click.option("--from", "source", metavar="URL", required=True, help="The store to copy from.")
@click.option("--to", "target", metavar="URL", required=True, help="The one to copy to.")
@click.option("--collection", metavar="NAME", help="Only this collection.")
def copy(source: str, target: str, collection: str | None) -> None:
    """Copy a store, or a collection, into another database.

    It adds what is missing and changes nothing that is there: corrections and removals since an
    earlier copy do not follow, so make a backup in a new database. Each run is one transaction; one
    that fails, fails alone, and the exit status is 1 then.
    """
    from evalstore.store import Store
    from evalstore.transfer.copy import copy as copy_store

    with Store.open(source, create=False) as source_store, Store.open(target) as target_store:
        done = copy_store(source_store, target_store, collection, progress=print_copied)
    print_summary(done)


# `evalstore db import`


@db.command("import")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--collection",
    "collections",
    metavar="NAME",
    multiple=True,
    help="Only this collection; may be repeated.",
)
@db_option
def import_folder(db: str, folder: Path, collections: tuple[str, ...]) -> None:
    """Store what `evalstore export parquet` wrote into DIR.

    A missing store is made. Every file is checked first: nothing is stored of a folder that is
    damaged. It adds what is missing and changes nothing that is there, so it can be repeated. Each
    run is one transaction; one that fails, fails alone, and the exit status is 1 then.
    """
    from evalstore.store import Store
    from evalstore.transfer.import_parquet import check_folder, import_parquet

    content = check_folder(folder, collections)  # this comes before a missing store is made
    with Store.open(db) as store:
        done = import_parquet(store, content, progress=print_copied)
    print_summary(done)


def print_copied(copied: Copied) -> None:
    """Print the result for one item, unless it was there already."""
    what = "  ".join(filter(None, (copied.collection, copied.kind, copied.name)))
    if copied.status == "failed":
        click.echo(printable(f"{what}: {copied.detail}"), err=True)
    elif copied.status != "there already":
        detail = f" ({copied.detail})" if copied.detail else ""
        click.echo(printable(f"{copied.status:<15} {what}{detail}"))


def print_summary(done: Sequence[Copied]) -> None:
    """Print the number of runs and qrels by status; exit with 1 if anything failed."""
    counts = Counter(c.status for c in done if c.kind in ("run", "qrels") or c.status == "failed")
    summary = ", ".join(
        f"{counts[status]:,} {status}"
        for status in ("copied", "completed", "there already", "failed")
        if counts[status]
    )
    click.echo(f"runs and qrels: {summary or 'none'}")
    if counts["failed"]:
        sys.exit(1)


# `evalstore db events`


@db.command()
@collection_option("Only of this collection.")
@click.option("--run", "subject", metavar="NAME", help="Only of this run or qrels.")
@click.option("--last", type=click.IntRange(1), metavar="N", help="Only the newest N.")
@format_option("table", "csv", "json")
@store_or_server_option
def events(
    db: str, collection: str | None, subject: str | None, last: int | None, shape: str
) -> None:
    """List who did what to the store, and when (UTC); the newest is last."""
    import json

    with opened_store(db) as store:
        listed = store.events(collection, subject, last)
    headers = ["at", "who", "action", "collection", "subject", "details"]
    if shape == "json":
        write_json([{**vars(event), "at": event.at.isoformat()} for event in listed])
        return
    rows = [
        (
            event.at.isoformat() if shape == "csv" else f"{event.at:%Y-%m-%d %H:%M:%S}",
            event.who,
            event.action,
            event.collection,
            event.subject,
            event.details and json.dumps(event.details, ensure_ascii=False),
        )
        for event in listed
    ]
    print_rows(shape, headers, rows, nothing="nothing has happened yet")
