"""`evalstore runs` and `evalstore measures`: what there is."""

from __future__ import annotations

from math import isnan

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
    from evalstore.errors import NotFound
    from evalstore.measures import parse
    from evalstore.store import Store

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
@click.argument("name", metavar="[MEASURE]", required=False)
def measures(name: str | None) -> None:
    """List the measures, or explain one."""
    from evalstore import measure_docs

    if name is not None:
        click.echo(measure_docs.explain(name))
        return
    table(["family", "measure", "title"], measure_docs.listing(), left=3)
    click.echo("\n`evalstore measures nDCG` explains one.")
