"""`evalstore sql`."""

from __future__ import annotations

import sys

import click

from evalstore.cli.output import table, warn, write_csv, write_json


@click.command()
@click.argument("statement", metavar='"SELECT ..."')
@click.option(
    "--format",
    "shape",
    type=click.Choice(["table", "csv", "json"]),
    default="table",
    show_default=True,
    help="How to print.",
)
@click.option(
    "--limit",
    type=click.IntRange(1),
    help="Rows at most.  [default: 1,000 in a table, all otherwise]",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=60,
    show_default=True,
    help="Seconds at most.",
)
@click.pass_obj
def sql(db: str, statement: str, shape: str, limit: int | None, timeout: float) -> None:
    """Ask the store in SQL, read-only.

    The views `leaderboard` and `query_values` have names instead of ids. - reads the statement
    from standard input.
    """
    from evalstore.query import Limits, ask
    from evalstore.store import Store

    if statement == "-":
        statement = sys.stdin.read()
    if limit is None and shape == "table":
        limit = 1000
    with Store.open(db) as store:
        answer = ask(store, statement, Limits(seconds=timeout, rows=limit))
    if shape == "csv":
        write_csv(answer.columns, answer.rows)
    elif shape == "json":
        write_json([dict(zip(answer.columns, row, strict=True)) for row in answer.rows])
    else:
        columns = zip(*answer.rows, strict=True)
        numeric = [all(not isinstance(value, str) for value in column) for column in columns]
        left = next((i for i, n in enumerate(numeric) if n), len(answer.columns))
        table(answer.columns, answer.rows, left=left)
    if answer.cut:
        warn(answer.cut)
