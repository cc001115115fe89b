"""`evalstore query`: the queries of a collection and their attributes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from evalstore.cli import complete
from evalstore.cli.options import (
    db_option,
    format_option,
    reading_from,
    reading_options,
    store_or_server_option,
    where_option,
)
from evalstore.cli.output import printable, table, write_csv, write_json
from evalstore.cli.stores import reading

collection_argument = click.argument(
    "collection", metavar="COLLECTION", shell_complete=complete.collection_names
)


@click.group()
def query() -> None:
    """List the queries of a collection, and set or remove their attributes.

    Attributes (language, category, anything) also come from the further columns or keys of the
    queries file given to `evalstore ingest`. `evalstore compare --where` and `--by` use them.
    """


@query.command("list")
@collection_argument
@where_option("Only queries whose attribute is so: lang=de, length>=4; may be repeated.")
@format_option("table", "csv", "json")
@store_or_server_option
def list_command(db: str, collection: str, where: tuple[Any, ...], shape: str) -> None:
    """List the queries of a collection with their texts and attributes."""
    with reading(db) as reader:
        queries = reader.list_queries(collection, where)
    if shape == "json":
        write_json(
            [{"qid": q.qid, "text": q.text, "attributes": dict(q.attributes)} for q in queries]
        )
        return
    names = sorted({name for stored in queries for name in stored.attributes})
    headers = ["qid", "text", *names]
    rows = [(q.qid, q.text, *(q.attributes.get(name) for name in names)) for q in queries]
    if shape == "csv":
        write_csv(headers, rows)
    elif rows:
        table(headers, rows, left=len(headers))
    else:
        click.echo("no queries")


@query.command()
@collection_argument
@click.argument("words", metavar="[NAME=VALUE QID...]", nargs=-1)
@click.option(
    "--from",
    "path",
    metavar="FILE",
    shell_complete=complete.files,
    help="A file of tabs or commas whose first line names its columns: qid, then the attributes.",
)
@reading_options
@db_option
def tag(db: str, collection: str, words: tuple[str, ...], path: str | None, **files: Any) -> None:
    """Set an attribute of queries, as in: evalstore query tag trec8 lang=de 401 402.

    A value replaces that of the same name; --from sets the attributes of many queries, an empty
    cell sets none.
    """
    attributes = _from_words(words)
    if (path is None) == (not words):
        raise click.UsageError("give NAME=VALUE and the ids of queries, or --from FILE")
    from evalstore.catalog.queries import tag_queries
    from evalstore.formats import read_attributes
    from evalstore.store import Store

    if path is not None:
        attributes = read_attributes(path, reading_from(files))
    with Store.open(db, create=False) as store:
        changed = tag_queries(store, collection, attributes)
    for name, number in changed.items():
        click.echo(printable(f"{name}: set for {_count(number)}"))
    if not changed:
        click.echo("nothing to change")


def _from_words(words: Sequence[str]) -> dict[str, dict[str, str]]:
    """The attributes that `NAME=VALUE QID...` sets."""
    if not words:
        return {}
    name, equals, value = words[0].partition("=")
    if not equals or not name.strip() or not value.strip():
        raise click.UsageError(printable(f"expected NAME=VALUE, like lang=de; got {words[0]!r}"))
    if len(words) == 1:
        raise click.UsageError(printable(f"name the queries to set {words[0]} for"))
    return {qid: {name.strip(): value} for qid in words[1:]}


@query.command()
@collection_argument
@click.argument("name", metavar="NAME", shell_complete=complete.attribute_names)
@click.argument("qids", metavar="[QID]...", nargs=-1)
@click.option("--all", "every", is_flag=True, help="From all queries of the collection.")
@db_option
def untag(db: str, collection: str, name: str, qids: tuple[str, ...], every: bool) -> None:
    """Remove an attribute from queries: from those named, or with --all from all."""
    if every == bool(qids):
        raise click.UsageError("name the queries, or say --all")
    from evalstore.catalog.queries import untag_queries
    from evalstore.store import Store

    with Store.open(db, create=False) as store:
        removed = untag_queries(store, collection, name, None if every else qids)
    click.echo(printable(f"{name}: removed from {_count(removed)}"))


def _count(number: int) -> str:
    return f"{number:,} {'query' if number == 1 else 'queries'}"
