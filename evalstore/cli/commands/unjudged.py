"""The documents that lack a judgment: `evalstore holes` and `pool`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from evalstore.cli.chosen_runs import load_runs, runs_argument, source_options
from evalstore.cli.inputs import given_runs, one_run
from evalstore.cli.options import FRACTION, POSITIVE, Parsed, format_option, one_measure_option
from evalstore.cli.output import print_notes, printable, table, warn, write_csv, write_json
from evalstore.cli.structure import command
from evalstore.errors import DataError

if TYPE_CHECKING:
    from evalstore.comparison.unjudged.holes import Holes

MOST_IN_TABLE = 20
HOLE_HEADERS = ("query", "docno", "rank in a", "rank in b", "b - a changes by")


@command()
@runs_argument("a", "A")
@runs_argument("b", "B")
@one_measure_option("The measure whose difference counts.")
@click.option(
    "--most",
    type=click.IntRange(1),
    metavar="N",
    help=f"The maximum number of documents.  [default: {MOST_IN_TABLE} in a table, else all]",
)
@format_option("table", "csv", "json", "qrels")
@source_options
@click.pass_context
def holes(
    ctx: click.Context,
    /,
    a: str,
    b: str,
    measure: str,
    most: int | None,
    shape: str,
    **options: Any,
) -> None:
    """List the unjudged documents of two runs to judge first.

    Runs are named as in the store, by name or id; or given as files, with --qrels FILE. The change
    is that of the mean b - a if the document alone were judged and got the highest grade of the
    qrels. Documents are listed down to the cutoff of the measure; without one, those that a run has
    in its first 100.

    --format qrels writes lines to fill in: replace each -1 (not judged) by a grade, and give them
    with the other judgments to `evalstore reevaluate --qrels FILE`.
    """
    from evalstore.comparison.unjudged.holes import COLUMNS, check_measure, find_holes
    from evalstore.measures import parse

    chosen = parse(measure)
    check_measure(measure, chosen)
    runs = (one_run(a, options), one_run(b, options))
    loaded = load_runs(ctx, runs, {measure: chosen}, options)
    found = find_holes(loaded, measure, chosen)
    notes = [*loaded.notes]
    if loaded.restriction is not None:
        notes.insert(0, f"only {loaded.restriction}")
    if shape == "table":
        click.echo(printable(_headline(found)))
        print_notes(*notes)
        _hole_table(found, most or MOST_IN_TABLE)
        return
    warn(*notes)
    if shape == "qrels":
        click.echo(printable(_headline(found)), err=True)
        _write_to_judge(found, most)
    elif shape == "json":
        write_json(found.to_dict(most))
    else:
        write_csv(COLUMNS, [list(row.values()) for row in found.rows(most)])


def _headline(found: Holes) -> str:
    difference = f"{found.measure}: b - a is {found.difference:+.4f}, a = {found.a}, b = {found.b}"
    if not found.unjudged:
        return f"{difference}; all documents are judged"
    documents = f"{found.unjudged:,} unjudged document{'s' * (found.unjudged != 1)}"
    if found.bounds is None:
        return f"{difference}; {documents}, and no bounds for this measure"
    low, high = found.bounds.low, found.bounds.high
    return f"{difference}; {documents} could make it {low:+.4f} to {high:+.4f}"


def _hole_table(found: Holes, most: int) -> None:
    rows = [
        (hole.qid, hole.docno, hole.rank_a, hole.rank_b, f"{hole.change:+.4f}")
        for hole in found.holes[:most]
    ]
    if not rows:
        click.echo("no unjudged document changes it alone")
        return
    click.echo()
    table(HOLE_HEADERS, rows, left=2)
    click.echo()
    left = len(found.holes) - len(rows)
    if left:
        click.echo(f"{left:,} more: --most {len(found.holes)} lists all that change it alone")
    if any(None in (hole.rank_a, hole.rank_b) for hole in found.holes[:most]):
        click.echo(f"an empty rank is not among the first {found.depth:,}")
    click.echo(f"changes are those of one judgment of grade {found.grade:g}")


def _write_to_judge(found: Holes, most: int | None) -> None:
    """Write TREC judgments of -1, by query; the query with the largest change comes first."""
    from evalstore.formats.lists import Lists
    from evalstore.formats.trec.qrels import write_qrels

    documents: dict[str, list[str]] = {}
    for hole in found.holes[:most]:
        documents.setdefault(hole.qid, []).append(hole.docno)
    lists = ((qid, docnos, [-1.0] * len(docnos)) for qid, docnos in documents.items())
    write_qrels(Lists(lists), sys.stdout.buffer)
    sys.stdout.buffer.flush()


SECONDS_EACH = 30
MINUTES = {"min": 1, "h": 60}


def _budget(text: str) -> tuple[float, bool]:
    """A number of documents, or of minutes (True)."""
    unit = next((unit for unit in MINUTES if text.endswith(unit)), "")
    number = text.removesuffix(unit)
    if not number.isdecimal() or not int(number):
        raise DataError(f"expected a number of documents, or minutes like 90min; got {text!r}")
    return int(number) * MINUTES.get(unit, 1), bool(unit)


def _strata(text: str) -> list[tuple[int, float]]:
    """The strata of a text like 10:1,50:0.3,100:0.1."""
    from evalstore.comparison.unjudged.pool import check_strata

    try:
        pairs = [part.split(":") for part in text.split(",")]
        strata = [(int(last), float(share)) for last, share in pairs]
    except ValueError:
        raise DataError(f"expected LAST_RANK:SHARE,... like 10:1,50:0.3; got {text!r}") from None
    check_strata(strata)
    return strata


@command()
@runs_argument()
@click.option(
    "--depth",
    type=click.IntRange(1),
    metavar="K",
    required=True,
    help="Look at the first K documents of each run.",
)
@click.option(
    "--order",
    type=click.Choice(("depth", "rbp", "rrf", "settle")),
    default="depth",
    show_default=True,
    help="Which come first: those of the best rank; of the largest sum over the runs of RBP's "
    "weights, or of 1 / (60 + rank); or those that settle a difference soonest.",
)
@click.option(
    "--budget",
    type=Parsed("budget", _budget),
    metavar="N|MINUTES",
    help="Only the first N documents, or those that can be judged in 90min or 2h.",
)
@click.option(
    "--seconds-each",
    type=POSITIVE,
    metavar="N",
    default=SECONDS_EACH,
    show_default=True,
    help="The time that a judgment takes, for a budget of minutes.",
)
@click.option(
    "--sample",
    "strata",
    type=Parsed("sample", _strata),
    metavar="RANK:SHARE,...",
    help="Draw a share of each stratum at random: 10:1,50:0.3 is all documents whose best rank is "
    "1 to 10, and 30 % of those at 11 to 50. csv and json have the probabilities.",
)
@click.option(
    "--undrawn",
    is_flag=True,
    help="With --sample, in csv and json: also list what is not drawn, with probability 0. A draft "
    "of it makes judgments that xinfAP and infNDCG can use.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    metavar="N",
    help="Shuffle the documents that are left, so that no rank or engine can be read from the "
    "order; also the seed of --sample.",
)
@click.option(
    "-p",
    "--persistence",
    type=FRACTION,
    default=0.8,
    show_default=True,
    help="The chance of rbp to look at the next document.",
)
@one_measure_option("The measure of settle.")
@format_option("lines", "csv", "json")
@source_options
@click.pass_context
def pool(
    ctx: click.Context,
    /,
    runs: tuple[str, ...],
    depth: int,
    order: Any,
    budget: tuple[float, bool] | None,
    seconds_each: float,
    strata: list[tuple[int, float]] | None,
    undrawn: bool,
    seed: int | None,
    persistence: float,
    measure: str,
    shape: str,
    **options: Any,
) -> None:
    """List the unjudged documents of runs, the next one to judge first.

    Runs are named as in the store, by name or id; or given as files, with --qrels FILE. The pool is
    what any run has in its first K, without what is judged; a line has the query and the document.
    `evalstore qrels draft new NAME --documents FILE` takes the lines, or the csv of a sample; they
    are then judged in the dashboard, or graded in a file for `evalstore qrels draft add`.

    With --order depth each query in turn gives its next document; the other orders are over all
    queries together. A budget is spread over the queries, except with settle. settle takes the
    differences of the first run and each other one: the document whose judgment is expected to
    settle an open one soonest comes first, those that change none come last.
    """
    from evalstore.comparison.unjudged.holes import check_measure
    from evalstore.comparison.unjudged.pool import PooledDocument, draw_pool
    from evalstore.measures import parse

    measures = {measure: parse(measure)} if order == "settle" else {}
    for name, chosen in measures.items():
        check_measure(name, chosen)
    if undrawn and (not strata or shape == "lines"):
        raise click.UsageError("--undrawn belongs to --sample and --format csv or json")
    if strata and budget is not None:
        raise click.UsageError("--budget would cut a --sample unevenly: draw smaller shares")
    most = None
    if budget is not None:
        number, of_minutes = budget
        most = int(number * 60 / seconds_each) if of_minutes else int(number)
        if not most:
            raise click.UsageError("no document can be judged in this budget")
    # What nobody judged is what is asked for.
    loaded = load_runs(
        ctx, given_runs(runs, options), measures, {**options, "allow_disjoint": True}
    )
    warn(*loaded.notes)
    to_judge = draw_pool(
        loaded,
        depth,
        order,
        strata=strata or (),
        undrawn=undrawn,
        budget=most,
        seed=seed,
        p=persistence,
        measure=(measure, measures[measure]) if measures else None,
    )
    if shape == "json":
        write_json([document._asdict() for document in to_judge])
    elif shape == "csv":
        write_csv(PooledDocument._fields, to_judge)
    else:
        escaped = printable if sys.stdout.isatty() else str
        for document in to_judge:
            click.echo(f"{escaped(document.qid)} {escaped(document.docno)}")
    if not to_judge:
        click.echo(f"all documents at ranks 1 to {depth:,} are judged", err=True)
