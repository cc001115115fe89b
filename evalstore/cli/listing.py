"""`evalstore runs` and `evalstore measures`: what there is."""

from __future__ import annotations

import click

from evalstore.cli.output import table, write_csv, write_json


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
    from evalstore import browse
    from evalstore.measures import parse
    from evalstore.store import Store

    shown = [str(parse(measure)) for measure in measures or ("AP", "nDCG@10", "P@10", "Rprec")]
    headers = ["id", "collection", "engine", "run", "experiment", "date", "queries", *shown]
    rows = []
    with Store.open(db) as store:
        names = browse.collections(store)["collection"].tolist()
        for name in [collection] if collection is not None else names:
            board = browse.leaderboard(store, name, qrels)
            for run in board.runs.itertuples():
                values = board.values.loc[run.run_id].reindex(shown).tolist()
                rows.append(
                    (
                        run.run_id,
                        name,
                        run.engine,
                        run.run,
                        run.experiment,
                        run.date.strftime("%Y-%m-%d %H:%M"),
                        run.queries_answered,
                        *(None if value != value else value for value in values),
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
@click.argument("name", metavar="[MEASURE]", required=False)
def measures(name: str | None) -> None:
    """List the measures, or explain one."""
    from evalstore.measures import parse, registry

    if name is None:
        rows = [(d.family, _written(d.name), d.title) for d in registry().values()]
        table(["family", "measure", "title"], rows, left=3)
        click.echo("\n`evalstore measures nDCG` explains one; sets: summary, standard, "
                   "official, all_trec.")
        return
    descriptor = parse_leniently(name)
    click.echo(descriptor)
    _ = parse


def _written(name: str) -> str:
    from evalstore.measures import registry

    cutoff = registry()[name].cutoff
    if cutoff is None:
        return name
    mark = "@k" if cutoff.kind == "rank" else "@r"
    return name + (mark if cutoff.required else f"[{mark}]")


def parse_leniently(name: str) -> str:
    """The explanation of a measure named with or without a cutoff."""
    raise NotImplementedError
