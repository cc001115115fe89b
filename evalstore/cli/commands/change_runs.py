"""`evalstore rm`, `restore`, `purge`, `rename`, `edit` and `tag`: change stored runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from evalstore.cli import complete
from evalstore.cli.options import collection_option, db_option, store_or_server_option
from evalstore.cli.output import printable, table
from evalstore.cli.stores import changing, reading

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalstore.client.changer_part import RunName
    from evalstore.store.queries.runs import StoredRun


run_argument = click.argument("name", metavar="RUN", shell_complete=complete.runs)
run_collection_option = collection_option("The run's collection, where several have it.")


@click.command()
@click.argument("names", shell_complete=complete.runs, metavar="RUN...", nargs=-1, required=True)
@run_collection_option
@store_or_server_option
def rm(db: str, names: tuple[str, ...], collection: str | None) -> None:
    """Mark runs as removed.

    Nothing shows or counts them any more; `evalstore restore` brings them back, `evalstore purge`
    deletes them for good.
    """
    with changing(db) as changer:
        _print("removed", changer.remove_runs(names, collection))


@click.command()
@click.argument("names", shell_complete=complete.removed_runs, metavar="[RUN]...", nargs=-1)
@run_collection_option
@store_or_server_option
def restore(db: str, names: tuple[str, ...], collection: str | None) -> None:
    """Bring back removed runs; without a name, list them."""
    if names:
        with changing(db) as changer:
            _print("restored", changer.restore_runs(names, collection))
        return
    with reading(db) as reader:
        runs = reader.removed_runs(collection)
    if runs:
        rows = [(r.id, r.collection, r.name, f"{r.removed_at:%Y-%m-%d %H:%M}") for r in runs]
        table(["id", "collection", "run", "removed"], rows, left=4)
    else:
        click.echo("no run is removed")


@click.command()
@click.argument("names", shell_complete=complete.removed_runs, metavar="[RUN]...", nargs=-1)
@run_collection_option
@db_option
def purge(db: str, names: tuple[str, ...], collection: str | None) -> None:
    """Delete removed runs for good: all, or those named.

    Says what that freed. Only runs that `evalstore rm` has marked are deleted.
    """
    from evalstore.catalog.runs import purge_runs
    from evalstore.store import Store

    with Store.open(db, create=False) as store:
        purged = purge_runs(store, names, collection)
        url = store.url_shown
    _print("purged", purged.runs)
    if not purged.runs:
        click.echo("no run is removed: nothing to purge")
        return
    many = "runs" if len(purged.runs) > 1 else "run"
    disk = f"{printable(url)}: {in_bytes(purged.before)} -> {in_bytes(purged.after)}"
    if purged.after >= purged.before:
        disk = f"{printable(url)} keeps the room for what comes ({in_bytes(purged.after)})"
    packed = in_bytes(purged.packed_bytes)
    click.echo(f"freed {len(purged.runs):,} {many} with {packed} of packed rankings; {disk}")


@click.command()
@run_argument
@click.argument("new", metavar="NEW_NAME")
@run_collection_option
@store_or_server_option
def rename(db: str, name: str, new: str, collection: str | None) -> None:
    """Give a run another name."""
    from evalstore.catalog.run_changes import RunChange

    with changing(db) as changer:
        done = changer.change_run(name, RunChange(name=new), collection)
    click.echo(printable(f"{done.collection}  {done.before} -> {new}"))


@click.command()
@run_argument
@click.option("--engine", metavar="NAME", help="The engine that made the run.")
@click.option("--experiment", metavar="NAME", help='The experiment it belongs to; "" for none.')
@run_collection_option
@store_or_server_option
def edit(
    db: str, name: str, engine: str | None, experiment: str | None, collection: str | None
) -> None:
    """Change the engine or the experiment of a run; `evalstore rename` changes its name."""
    if engine is None and experiment is None:
        raise click.UsageError("say what to change: --engine NAME or --experiment NAME")
    from evalstore.catalog.run_changes import RunChange

    change = RunChange(engine=engine, experiment=experiment)
    with changing(db) as changer:
        changes = changer.change_run(name, change, collection).changes
    for kind, (before, now) in changes.items():
        click.echo(printable(f"{name}  {kind}: {before or '(none)'} -> {now or '(none)'}"))
    if not changes:
        click.echo(printable(f"{name}: nothing to change"))


@click.command()
@run_argument
@click.argument("words", metavar="[TAG]...", nargs=-1)
@click.option("--remove", metavar="TAG", multiple=True, help="Take this tag off; may be repeated.")
@run_collection_option
@store_or_server_option
def tag(
    db: str, name: str, words: tuple[str, ...], remove: tuple[str, ...], collection: str | None
) -> None:
    """Put tags on a run, or take them off; prints those it has then."""
    from evalstore.catalog.run_changes import RunChange

    change = RunChange(add_tags=words, remove_tags=remove)
    with changing(db) as changer:
        has = changer.change_run(name, change, collection).tags
    click.echo(printable(f"{name}: {', '.join(has) or 'no tags'}"))


def in_bytes(size: int) -> str:
    """A size as people read it."""
    if size < 1 << 10:
        return f"{size:,} bytes"
    unit = min(max((size.bit_length() - 1) // 10, 1), 4)
    return f"{size / (1 << 10 * unit):,.1f} {' KMGT'[unit]}iB"


def _print(what: str, runs: Iterable[StoredRun | RunName]) -> None:
    for run in runs:
        click.echo(printable(f"{what:<15} {run.collection}  {run.name}"))
