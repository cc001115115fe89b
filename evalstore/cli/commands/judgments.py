"""`evalstore qrels`: the sets of judgments of a store, and two of them compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from evalstore.cli import complete
from evalstore.cli.commands.drafts import draft, edit, show
from evalstore.cli.inputs import is_file, run_paths
from evalstore.cli.options import (
    collection_option,
    format_option,
    level_option,
    local_store,
    one_measure_option,
    only_collection,
    opened_own_store,
    opened_store,
    own_store,
    reading_from,
    reading_options,
    store_or_server_option,
)
from evalstore.cli.output import (
    print_notes,
    print_rows,
    printable,
    table,
    warn,
    write_csv,
    write_json,
)
from evalstore.cli.structure import Command, noun, together
from evalstore.errors import NotFound

if TYPE_CHECKING:
    from evalstore.comparison.qrels.agreement import JudgmentAgreement
    from evalstore.comparison.qrels.compared import ComparedQrels
    from evalstore.comparison.qrels.leaderboards import Leaderboards
    from evalstore.comparison.qrels.repeats import Repeats
    from evalstore.formats import Qrels, Run
    from evalstore.store import Store
    from evalstore.store.queries.qrels import QrelsSummary

qrels_collection_option = collection_option("The collection, where several have such a qrels.")


@noun(
    "qrels",
    {
        "list": "qrels",
        "delete": "qrels rm",
        "add": "reevaluate --qrels FILE",
        "update": "reevaluate --qrels FILE",
        "undelete": "qrels restore",
    },
)
@collection_option("Only of this collection.")
@click.option("--removed", is_flag=True, help="Those that are marked as removed.")
@format_option("table", "csv", "json")
@store_or_server_option
@click.pass_context
def qrels(
    ctx: click.Context, /, db: str, collection: str | None, removed: bool, shape: str
) -> None:
    """List the qrels, the sets of judgments; figures are shown under the default one.

    `evalstore ingest --qrels FILE RUN...` stores the first, `evalstore reevaluate --qrels FILE`
    stores corrected ones and evaluates every run under them.
    """
    from evalstore.catalog.qrels import list_qrels, origin_name

    if removed:
        with local_store(own_store(ctx, db, "--removed")) as store:
            stored: Sequence[QrelsSummary] = list_qrels(store, collection, removed=True)
    else:
        with opened_store(db) as store:
            stored = store.list_qrels(collection)
    headers = ["collection", "qrels", "default", "queries", "judgments", "relevant"]
    headers += ["date", "origin"]
    rows = [
        (
            *(q.collection, q.name),
            q.is_default if shape == "json" else "yes" if q.is_default else "no",
            *(q.queries, q.judgments, q.relevant, f"{q.created_at:%Y-%m-%d %H:%M}", origin_name(q)),
        )
        for q in stored
    ]
    nothing = "no qrels is removed" if removed else "no qrels yet"
    print_rows(shape, headers, rows, left=3, nothing=nothing)


qrels.add_command(show)
qrels.add_command(edit)
qrels.add_command(draft)


@qrels.command()
@click.argument("name", metavar="QRELS", shell_complete=complete.qrels_names)
@qrels_collection_option
@store_or_server_option
def default(db: str, name: str, collection: str | None) -> None:
    """Show the figures of a collection under this qrels."""
    with opened_store(db) as store:
        stored = store.set_default_qrels(name, collection)
    state = "is the default already" if stored.was_default else "is now the default"
    click.echo(printable(f"{stored.collection}  {stored.name} {state}"))


@qrels.command()
@click.argument("name", metavar="QRELS", shell_complete=complete.qrels_names)
@click.argument("new", metavar="NEW_NAME")
@qrels_collection_option
@opened_own_store
def rename(store: Store, name: str, new: str, collection: str | None) -> None:
    """Give a qrels another name."""
    from evalstore.catalog.qrels import rename_qrels

    before = rename_qrels(store, name, new, collection)
    click.echo(printable(f"{before.collection}  {before.name} -> {new}"))


@qrels.command()
@click.argument("names", metavar="QRELS...", nargs=-1, required=True)
@qrels_collection_option
@opened_own_store
def rm(store: Store, names: tuple[str, ...], collection: str | None) -> None:
    """Mark qrels as removed.

    Nothing shows them or what was computed under them any more; where the default of a collection
    is removed, the newest that is left becomes the default. `evalstore qrels restore` brings them
    back, `evalstore qrels purge` deletes them for good.
    """
    from evalstore.catalog.qrels import list_qrels, remove_qrels

    removed = remove_qrels(store, names, collection)
    defaults = [q for q in list_qrels(store) if q.is_default]
    _print("removed", removed)
    changed = {qrels.collection for qrels in removed if qrels.is_default}
    _print("now the default", (qrels for qrels in defaults if qrels.collection in changed))


@qrels.command()
@click.argument("names", metavar="QRELS...", nargs=-1, required=True)
@qrels_collection_option
@opened_own_store
def restore(store: Store, names: tuple[str, ...], collection: str | None) -> None:
    """Bring back removed qrels; the default of the collection stays what it is."""
    from evalstore.catalog.qrels import restore_qrels

    _print("restored", restore_qrels(store, names, collection))


@qrels.command()
@click.argument("names", metavar="[QRELS]...", nargs=-1)
@qrels_collection_option
@opened_own_store
def purge(store: Store, names: tuple[str, ...], collection: str | None) -> None:
    """Delete removed qrels for good: all, or those named.

    Their judgments and all that was computed under them go with them. Only qrels that
    `evalstore qrels rm` has marked are deleted.
    """
    from evalstore.catalog.qrels import purge_qrels

    purged = purge_qrels(store, names, collection)
    _print("purged", purged)
    if not purged:
        click.echo("no qrels is removed: nothing to purge")


def _print(status: str, qrels: Iterable[QrelsSummary]) -> None:
    for one in qrels:
        click.echo(printable(f"{status:<15} {one.collection}  {one.name}"))


# `evalstore qrels diff`

MOST_ROWS = 20
"""The most runs, claims or queries in a table for people."""

MOST_QUERIES = 5
"""The most queries that are named in a line."""


class RunsCommand(Command):
    """A command whose option --runs takes all values up to the next option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, with `--runs` before each of its values."""
        return super().parse_args(ctx, list(_with_runs(args)))


def _with_runs(args: Sequence[str]) -> Iterator[str]:
    taking, first = False, False
    for arg in args:
        if arg == "--runs":
            taking = first = True
        elif arg.startswith("-") and arg != "-":
            taking = False
        elif taking and not first:
            yield "--runs"
        else:
            first = False
        yield arg


options_of_runs = together(
    click.option(
        "--runs",
        metavar="FILE...",
        multiple=True,
        shell_complete=complete.files,
        help="Run files to rank under each, after the qrels.  [default: the stored runs of the "
        "collection]",
    ),
    one_measure_option("The measure of the leaderboards."),
    click.option(
        "--baseline",
        metavar="RUN",
        shell_complete=complete.runs,
        help="Claims are of the pairs with this run.  [default: the baseline of the collection, "
        "else all pairs]",
    ),
    level_option("The lowest relevant grade."),
)


@qrels.command(cls=RunsCommand)
@click.argument("a", metavar="A", shell_complete=complete.qrels_or_files)
@click.argument("b", metavar="B", shell_complete=complete.qrels_or_files)
@options_of_runs
@click.option(
    "--families",
    metavar="FILE",
    shell_complete=complete.files,
    help="Lines of an engine (or run) and its family, as of the model it is built on: does B "
    "favour one?  [default: the parameter family of the runs]",
)
@click.option("-q", "--per-query", is_flag=True, help="A row a query; JSON has them anyway.")
@qrels_collection_option
@format_option("table", "csv", "json")
@reading_options
@store_or_server_option
def diff(
    db: str,
    a: str,
    b: str,
    runs: tuple[str, ...],
    measure: str,
    baseline: str | None,
    level: float,
    families: str | None,
    per_query: bool,
    collection: str | None,
    shape: str,
    **files: Any,
) -> None:
    """Compare two qrels: their agreement, and the claims about runs under each.

    A and B are stored qrels of a collection, or two files. Negative grades count as not judged.
    Intervals are of 95 %, by a bootstrap over queries.

    The stored runs evaluated under both, or those of --runs, are ranked under each. A claim is a
    difference of two runs that `evalstore compare` shows: kept under both, lost under b, new under
    b, or turned the other way.
    """
    from evalstore.comparison.qrels.agreement import AgreementSettings
    from evalstore.formats.trec.values import read_families
    from evalstore.measures import parse

    chosen, settings = parse(measure), AgreementSettings(level=level)
    stated = None if families is None else read_families(families, reading_from(files))
    are_files = _are_files((a, b), collection)
    if are_files and not runs and (baseline is not None or stated is not None):
        raise click.UsageError("--baseline and --families belong to --runs where A and B are files")
    if are_files or runs:
        from evalstore.comparison.qrels.compared import compare_given_qrels

        (first, second), given = _of_files(db, (a, b), runs, collection, files)
        of_runs = {
            name: family
            for name, run in given.items()
            if (family := (stated or {}).get(name, (stated or {}).get(run.tag))) is not None
        }
        found = compare_given_qrels(
            *(first, second, given, measure, chosen, settings), baseline=baseline, families=of_runs
        )
    else:
        from evalstore.client.two_qrels import compare_stored_qrels

        with opened_store(db) as store, _told_of_files((a, b), collection):
            found = compare_stored_qrels(
                *(store, a, b, collection, measure, chosen, settings),
                baseline=baseline,
                families=stated,
            )
    if stated is not None and not found.family_rows():
        warn(f"{families}: it names the engine or run of none of the runs, or one family for all")
    if shape == "json":
        write_json(found.to_dict())
    elif shape == "csv":
        _csv(found, per_query)
    else:
        _text(found, per_query)


def _are_files(names: Sequence[str], collection: str | None) -> bool:
    """Whether qrels are files; UsageError if only some are. With a collection they are stored."""
    files = [name for name in names if collection is None and is_file(name)]
    if files and len(files) < len(names):
        other = next(name for name in names if name not in files)
        raise click.UsageError(
            printable(
                f"{files[0]} is a file, and there is no file {other}: give files, or stored qrels"
            )
        )
    return bool(files)


@contextmanager
def _told_of_files(names: Sequence[str], collection: str | None) -> Iterator[None]:
    """Say of qrels that the collection lacks, if they are files, that these take none."""
    try:
        yield
    except NotFound as error:
        if collection is not None and all(map(is_file, names)):
            raise NotFound(f"{error}; files take no --collection") from None
        raise


def _of_files(
    db: str,
    names: Sequence[str],
    runs: Sequence[str],
    collection: str | None,
    values: dict[str, Any],
) -> tuple[list[Qrels], dict[str, Run]]:
    """Qrels of files, or stored ones, with run files, if any, by name."""
    from evalstore.catalog.names import free_name
    from evalstore.cli.commands.evaluate import run_names
    from evalstore.client.two_qrels import collection_of_all
    from evalstore.formats import read_qrels, read_run

    options = reading_from(values)
    paths = run_paths(runs, None).paths if runs else ()
    read = [read_run(path, options) for path in paths]
    if collection is None and is_file(names[0]):
        judgments = [read_qrels(path, options) for path in names]
    else:
        with opened_store(db) as store:
            own = collection_of_all(store, names, collection)
            judgments = [store.load_qrels(own, name) for name in names]
    for warning in (
        warning for each in (judgments, read) for of in each for warning in of.warnings
    ):
        warn(warning)
    named: list[str] = []
    for name in run_names(paths):
        named.append(free_name(name, named))
    return judgments, dict(zip(named, read, strict=True))


def _csv(found: ComparedQrels, per_query: bool) -> None:
    from evalstore.comparison.qrels.agreement import QUERY_COLUMNS

    warn(*found.every_note)
    if per_query:
        write_csv(QUERY_COLUMNS, [list(row.values()) for row in found.judgments.queries()])
        return
    write_csv(("figure", "value", "low", "high"), found.figure_rows())


def _text(found: ComparedQrels, per_query: bool) -> None:
    of = found.judgments
    click.echo(printable(found.sentence))
    click.echo(printable(f"a = {of.a}, b = {of.b}"))
    print_notes(*found.every_note)
    click.echo()
    _confusion(of)
    click.echo()
    _figures(of)
    if found.leaderboards is not None:
        _leaderboards(found.leaderboards)
        _families(found)
    if per_query:
        from evalstore.comparison.qrels.agreement import QUERY_COLUMNS

        click.echo()
        headers = [name.replace("_", " ") for name in QUERY_COLUMNS]
        table(headers, [list(row.values()) for row in of.queries()])


def _confusion(of: JudgmentAgreement) -> None:
    """Documents by grade in a (rows) and in b, and how much b gives more on average."""
    names = [f"{grade:g}" for grade in of.grade_numbers]
    headers = ["grade in a", *(f"{name} in b" for name in names), "not judged", "b - a"]
    bias = [None if row["bias"] is None else f"{row['bias']:+.2f}" for row in of.by_grade()]
    rows: list[list[Any]] = of.table.tolist()
    rows[-1][-1] = None
    table(
        headers,
        [
            [name, *row, moved]
            for name, row, moved in zip([*names, "not judged"], rows, [*bias, None], strict=True)
        ],
    )


NAMES = {
    "agreement": "same grade",
    "kappa": "Cohen's kappa",
    "kappa_linear": "  linear weights",
    "kappa_quadratic": "  quadratic weights",
    "kappa_binary": "  relevant or not",
    "alpha_nominal": "Krippendorff's alpha, nominal",
    "alpha_ordinal": "  ordinal",
    "alpha_interval": "  interval",
    "bias": "grade in b less that in a",
    "relevant_overlap_both": "overlap of the relevant",
    "relevant_overlap": "  not judged counts as not relevant",
}
"""The figures in a table for people."""


def _figures(of: JudgmentAgreement) -> None:
    from evalstore.tables.table import finite

    rows = []
    for name, label in NAMES.items():
        low, high = map(finite, of.intervals[name])
        interval = None if low is None else f"{low:.4f} to {high:.4f}"
        rows.append((label, finite(of.figures[name]), interval))
    table(("figure", "value", f"{100 * of.settings.confidence:g} % interval"), rows)


def _leaderboards(of: Leaderboards) -> None:
    figures = of.to_dict()
    top: Any = figures["top_10"]
    click.echo()
    names = ("tau", "tau_ap", "rbo")
    rows = [
        ("all runs", *(figures[name] for name in names)),
        ("the 10 best under a", *(top[name] for name in names)),
    ]
    table((f"order on {of.changes.measure}", "tau-b", "tau-AP", "RBO"), rows)
    if of.counts is not None:
        pairs = "all pairs" if of.baseline is None else f"the pairs with {of.baseline}"
        counts = ", ".join(f"{count:,} {change}" for change, count in of.counts.items())
        click.echo()
        click.echo(printable(f"claims of {pairs}: {counts}"))
        moved = [claim for claim in of.claim_rows() if claim["change"] != "kept"]
        for claim in moved[:MOST_ROWS]:
            verdicts = f"{claim['verdict_a']} under a, {claim['verdict_b']} under b"
            line = f"{claim['change']}: {claim['run']} against {claim['baseline']}: {verdicts}"
            click.echo(printable(line))
        _count_rest(len(moved))
    drop = of.largest_drop
    if drop is not None:
        click.echo(printable(f"largest drop: {drop.run}, {of.drop_words}"))
    if most := of.most_of_it:
        named = [f"{one.query} ({100 * one.share:.0f} %)" for one in most[:MOST_QUERIES]]
        more = ", ..." if len(most) > MOST_QUERIES else ""
        click.echo(printable(f"{of.half_words}: {', '.join(named)}{more}"))
    click.echo()
    runs = of.run_rows()
    shown = [(*row.values(),) for row in runs[:MOST_ROWS]]
    headers = ("run", "a", "b", "b - a", "rank under a", "rank under b")
    table(headers, [(*row[:3], f"{row[3]:+.4f}", *row[4:]) for row in shown])
    _count_rest(len(runs))


def _families(found: ComparedQrels) -> None:
    """Whether b is milder to the runs of a family, and favours them."""
    from evalstore.tables.table import written_value

    rows = found.family_rows()
    if not rows:
        return
    click.echo()
    headers = ("family", "runs", "documents", "b - a", "favour", "95 % interval", "p", "p corr.")
    table(
        headers,
        [
            (
                *(row["family"], row["runs"], row["documents"], row["bias"], row["favour"]),
                None if row["low"] is None else f"{row['low']:+.4f} to {row['high']:+.4f}",
                *(written_value(row[name], "p", 4) for name in ("p", "p_corrected")),
            )
            for row in rows
        ],
    )


def _count_rest(number: int) -> None:
    if number > MOST_ROWS:
        click.echo(f"{number - MOST_ROWS:,} more: --format json has all")


# `evalstore qrels repeats`


@qrels.command(cls=RunsCommand)
@click.argument("names", metavar="QRELS...", nargs=-1, shell_complete=complete.qrels_or_files)
@options_of_runs
@qrels_collection_option
@format_option("table", "json")
@reading_options
@store_or_server_option
def repeats(
    db: str,
    names: tuple[str, ...],
    runs: tuple[str, ...],
    measure: str,
    baseline: str | None,
    level: float,
    collection: str | None,
    shape: str,
    **files: Any,
) -> None:
    """Compare repeats of one judge: how much changes where a model is asked again.

    QRELS are two stored qrels of a collection or more, or as many files. Variances are of the
    grades of a document, over the documents that all judge; sd is of the figure of a run. A claim
    is a difference of two runs that `evalstore compare` shows under some of the qrels.
    """
    from evalstore.client.two_qrels import repeats_of_stored_qrels
    from evalstore.comparison.qrels.repeats import repeats_of_given_qrels
    from evalstore.measures import parse

    if len(names) < 2:
        raise click.UsageError("give two qrels or more: the repeats of a judge")
    of_measure = (measure, parse(measure), level)
    if _are_files(names, collection) or runs:
        if baseline is not None and not runs:
            raise click.UsageError("--baseline is one of the runs: give them with --runs")
        judgments, given = _of_files(db, names, runs, collection, files)
        found = repeats_of_given_qrels(judgments, given, *of_measure, baseline=baseline)
    else:
        with opened_store(db) as store, _told_of_files(names, collection):
            found = repeats_of_stored_qrels(
                store, names, collection, *of_measure, baseline=baseline
            )
    if shape == "json":
        write_json(found.to_dict())
    else:
        _repeats(found)


def _repeats(found: Repeats) -> None:
    click.echo(printable(found.sentence))
    print_notes(*found.notes)
    click.echo()
    rows = [
        ("documents judged in all", found.documents),
        ("judged in some", found.partly),
        ("one grade in all", found.same),
        ("same grade in two", found.agreement),
        ("variance of the grades of a document", found.variance),
        ("relevant in some, not in others", found.turned),
    ]
    table(("figure", "value"), rows)
    if found.runs:
        click.echo()
        headers = ("run", found.measure, "sd", "low", "high", "ranks")
        runs = [
            (
                *(of.run, of.mean, of.sd, of.low, of.high),
                f"{of.best_rank} to {of.worst_rank}"
                if of.best_rank < of.worst_rank
                else f"{of.best_rank}",
            )
            for of in found.runs
        ]
        table(headers, runs[:MOST_ROWS])
        _count_rest(len(runs))
    moved = [of for of in found.claims or () if max(of.higher, of.lower) < len(found.names)]
    if moved:
        click.echo()
    for of in moved[:MOST_ROWS]:
        shown = f"higher {of.higher:,}, lower {of.lower:,}, undecided {of.undecided:,} times"
        click.echo(printable(f"{of.run} against {of.baseline}: {shown}"))
    _count_rest(len(moved))


# `evalstore qrels reuse`


@qrels.command(cls=RunsCommand)
@click.argument("name", metavar="[QRELS]", required=False, shell_complete=complete.qrels_or_files)
@click.option(
    "--runs",
    metavar="FILE...",
    multiple=True,
    shell_complete=complete.files,
    help="Run files, where QRELS is a file.  [default: the stored runs of the collection]",
)
@one_measure_option("The measure whose values and ranks count.")
@click.option(
    "--by",
    metavar="engine|run|FACT",
    default="engine",
    show_default=True,
    help="What makes a group: the engine (of files the run tag), each run, or a stored fact like "
    "the parameter team.",
)
@click.option(
    "--depth",
    type=click.IntRange(1),
    metavar="K",
    default=100,
    show_default=True,
    help="How deep the pool went: the first K documents of each run.",
)
@level_option("The lowest relevant grade.")
@qrels_collection_option
@format_option("table", "csv", "json")
@reading_options
@store_or_server_option
def reuse(
    db: str,
    name: str | None,
    runs: tuple[str, ...],
    measure: str,
    by: str,
    depth: int,
    level: float,
    collection: str | None,
    shape: str,
    **files: Any,
) -> None:
    """Tell whether judgments serve a new engine: leave out each group of runs in turn.

    The relevant documents that only one group has in its first K count as not judged, as if the
    group had not been in the pool. Every run is evaluated again; the table has the value and rank
    of the group's runs before and after.
    """
    from evalstore.comparison.qrels.reuse import COLUMNS, leave_one_out_given
    from evalstore.measures import parse

    asked: dict[str, Any] = {"by": by, "depth": depth, "level": level}
    chosen = parse(measure)
    if runs:
        if name is None:
            raise click.UsageError("Missing argument 'QRELS': the judgments of the run files")
        [judgments], given = _of_files(db, (name,), runs, collection, files)
        found = leave_one_out_given(judgments, given, measure, chosen, **asked)
    else:
        from evalstore.client.two_qrels import reuse_of_stored_qrels

        with opened_store(db) as store:
            collection = only_collection(store, collection)
            found = reuse_of_stored_qrels(store, collection, name, measure, chosen, **asked)
    if shape == "json":
        write_json(found.to_dict())
        return
    if shape == "csv":
        warn(*found.notes)
        write_csv(COLUMNS, [list(row.values()) for row in found.rows()])
        return
    click.echo(printable(f"{found.sentence[0].upper()}{found.sentence[1:]}."))
    print_notes(*found.notes)
    if found.relevant:
        click.echo(f"{found.judgments_per_relevant:,.1f} documents were judged per relevant one")
    click.echo()
    headers = ("run", "group", "unique", "before", "after", "change", "rank before", "after")
    table(
        headers,
        [
            (
                *(of.run, of.group, of.unique, of.before, of.after, f"{of.difference:+.4f}"),
                *(of.rank_before, of.rank_after),
            )
            for of in found.runs
        ],
        left=2,
    )
