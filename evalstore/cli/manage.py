"""`evalstore rm`, `restore`, `purge`, `rename`, `tag` and `events`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from evalstore.cli.output import printable, table, write_csv, write_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalstore.store.reads import StoredRun

run_argument = click.argument("name", metavar="RUN")
collection_option = click.option(
    "--collection", metavar="NAME", help="The run's collection, where several have it."
)


@click.command()
@click.argument("names", metavar="RUN...", nargs=-1, required=True)
@collection_option
@click.pass_obj
def rm(db: str, names: tuple[str, ...], collection: str | None) -> None:
    """Mark runs as removed.

    Nothing shows or counts them any more; `evalstore restore` brings them back, `evalstore purge`
    deletes them for good.
    """
    from evalstore.manage import remove
    from evalstore.store import Store

    with Store.open(db) as store:
        _say("removed", remove(store, names, collection))


@click.command()
@click.argument("names", metavar="[RUN]...", nargs=-1)
@collection_option
@click.pass_obj
def restore(db: str, names: tuple[str, ...], collection: str | None) -> None:
    """Bring back removed runs; without a name, list them."""
    from evalstore import manage
    from evalstore.store import Store

    with Store.open(db) as store:
        if names:
            _say("restored", manage.restore(store, names, collection))
            return
        there = manage.removed(store, collection)
    if there:
        rows = [(r.id, r.collection, r.name, f"{r.removed_at:%Y-%m-%d %H:%M}") for r in there]
        table(["id", "collection", "run", "removed"], rows, left=4)
    else:
        click.echo("no run is removed")


@click.command()
@click.argument("names", metavar="[RUN]...", nargs=-1)
@collection_option
@click.pass_obj
def purge(db: str, names: tuple[str, ...], collection: str | None) -> None:
    """Delete removed runs for good: all, or those named.

    Says what that freed. Only runs that `evalstore rm` has marked are deleted.
    """
    from evalstore import manage
    from evalstore.store import Store

    with Store.open(db) as store:
        gone = manage.purge(store, names, collection)
        shown = store.url_shown
    _say("purged", gone.runs)
    if not gone.runs:
        click.echo("no run is removed: nothing to purge")
        return
    many = "runs" if len(gone.runs) > 1 else "run"
    disk = f"{printable(shown)}: {in_bytes(gone.before)} -> {in_bytes(gone.after)}"
    if gone.after >= gone.before:
        disk = f"{printable(shown)} keeps the room for what comes ({in_bytes(gone.after)})"
    packed = in_bytes(gone.packed_bytes)
    click.echo(f"freed {len(gone.runs):,} {many} with {packed} of packed rankings; {disk}")


@click.command()
@run_argument
@click.argument("new", metavar="NEW_NAME")
@collection_option
@click.pass_obj
def rename(db: str, name: str, new: str, collection: str | None) -> None:
    """Give a run another name."""
    from evalstore import manage
    from evalstore.store import Store

    with Store.open(db) as store:
        before = manage.rename(store, name, new, collection)
    click.echo(printable(f"{before.collection}  {before.name} -> {new}"))


@click.command()
@run_argument
@click.argument("words", metavar="[TAG]...", nargs=-1)
@click.option("--remove", metavar="TAG", multiple=True, help="Take this tag off; may be repeated.")
@collection_option
@click.pass_obj
def tag(
    db: str, name: str, words: tuple[str, ...], remove: tuple[str, ...], collection: str | None
) -> None:
    """Put tags on a run, or take them off; prints those it has then."""
    from evalstore import manage
    from evalstore.store import Store

    with Store.open(db) as store:
        has = manage.tag(store, name, words, remove, collection)
    click.echo(printable(f"{name}: {', '.join(has) or 'no tags'}"))


@click.command()
@collection_option
@click.option("--run", "subject", metavar="NAME", help="Only of this run or qrels.")
@click.option("--last", type=click.IntRange(1), metavar="N", help="Only the newest N.")
@click.option(
    "--format",
    "shape",
    type=click.Choice(["table", "csv", "json"]),
    default="table",
    show_default=True,
    help="How to print.",
)
@click.pass_obj
def events(
    db: str, collection: str | None, subject: str | None, last: int | None, shape: str
) -> None:
    """List who did what to the store, and when (UTC); the newest is last."""
    import json

    from evalstore.manage import history
    from evalstore.store import Store

    with Store.open(db) as store:
        found = history(store, collection, subject, last)
    headers = ["at", "who", "action", "collection", "subject", "details"]
    if shape == "json":
        write_json([{**vars(event), "at": event.at.isoformat()} for event in found])
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
        for event in found
    ]
    if shape == "csv":
        write_csv(headers, rows)
    elif rows:
        table(headers, rows, left=len(headers))
    else:
        click.echo("nothing has happened yet")


def in_bytes(size: int) -> str:
    """A size as people read it."""
    if size < 1 << 10:
        return f"{size:,} bytes"
    unit = min(max((size.bit_length() - 1) // 10, 1), 4)
    return f"{size / (1 << 10 * unit):,.1f} {' KMGT'[unit]}iB"


def _say(what: str, runs: Iterable[StoredRun]) -> None:
    for run in runs:
        click.echo(printable(f"{what:<15} {run.collection}  {run.name}"))
