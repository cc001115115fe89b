"""`evalstore runs`, `rm`, `restore`, `purge`, `rename` and `tag`: the stored runs."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

import click

from evalstore.cli.output import printable, table, write_csv, write_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalstore.store.runs import StoredRun


run_argument = click.argument("name", metavar="RUN")
collection_option = click.option(
    "--collection", metavar="NAME", help="The run's collection, where several have it."
)


@click.command()
@click.option("--collection", metavar="NAME", help="Only this collection.")
@click.option("--qrels", metavar="NAME", help="Figures under this qrels.  [default: the newest]")
@click.option(
    "-m",
    "--measure",
    "measures",
    metavar="MEASURE",
    multiple=True,
    help="A stored measure to show; may be repeated.  [default: AP, nDCG@10, P@10, Rprec]",
)
@click.option(
    "--format",
    "shape",
    type=click.Choice(["table", "csv", "json"]),
    default="table",
    show_default=True,
    help="How to print.",
)
@click.pass_obj
def runs(
    db: str, collection: str | None, qrels: str | None, measures: tuple[str, ...], shape: str
) -> None:
    """List the stored runs and their figures."""
    from evalstore.errors import NotFound
    from evalstore.measures import parse
    from evalstore.store import Store
    from evalstore.usecases import leaderboard as browse

    shown = [str(parse(measure)) for measure in measures or ("AP", "nDCG@10", "P@10", "Rprec")]
    headers = ["id", "collection", "engine", "run", "experiment", "date", "queries", *shown]
    rows = []
    with Store.open(db) as store:
        known = browse.collections(store)
        names = [
            name
            for name, judged in zip(known["collection"], known["qrels"], strict=True)
            if judged and (qrels is None or qrels in judged)
        ]
        if qrels is not None and not names:
            raise NotFound(f"no collection has qrels {qrels!r}")
        for name in [collection] if collection is not None else names:
            board = browse.leaderboard(store, name, qrels, shown)
            values = board.values.reindex(columns=shown)
            for run, figures in zip(
                board.runs.to_dict("records"), values.to_numpy().tolist(), strict=True
            ):
                rows.append(
                    (
                        run["run_id"],
                        name,
                        run["engine"],
                        run["run"],
                        run["experiment"],
                        run["date"].strftime("%Y-%m-%d %H:%M"),
                        run["queries_answered"],
                        *(None if isnan(figure) else figure for figure in figures),
                    )
                )
    if shape == "csv":
        write_csv(headers, rows)
    elif shape == "json":
        write_json([dict(zip(headers, row, strict=True)) for row in rows])
    elif rows:
        table(headers, rows, left=6)
    else:
        click.echo(
            "no runs yet: `evalstore demo`, or\n"
            "`evalstore ingest --collection NAME --qrels FILE RUN...`"
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
    from evalstore.store import Store
    from evalstore.usecases.runs import remove

    with Store.open(db) as store:
        _say("removed", remove(store, names, collection))


@click.command()
@click.argument("names", metavar="[RUN]...", nargs=-1)
@collection_option
@click.pass_obj
def restore(db: str, names: tuple[str, ...], collection: str | None) -> None:
    """Bring back removed runs; without a name, list them."""
    from evalstore.store import Store
    from evalstore.usecases import runs as manage

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
    from evalstore.store import Store
    from evalstore.usecases import runs as manage

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
    from evalstore.store import Store
    from evalstore.usecases import runs as manage

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
    from evalstore.store import Store
    from evalstore.usecases import runs as manage

    with Store.open(db) as store:
        has = manage.tag(store, name, words, remove, collection)
    click.echo(printable(f"{name}: {', '.join(has) or 'no tags'}"))


def in_bytes(size: int) -> str:
    """A size as people read it."""
    if size < 1 << 10:
        return f"{size:,} bytes"
    unit = min(max((size.bit_length() - 1) // 10, 1), 4)
    return f"{size / (1 << 10 * unit):,.1f} {' KMGT'[unit]}iB"


def _say(what: str, runs: Iterable[StoredRun]) -> None:
    for run in runs:
        click.echo(printable(f"{what:<15} {run.collection}  {run.name}"))
