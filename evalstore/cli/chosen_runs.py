"""Runs named on the command line, stored or as files: options, values, comparison."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import click

from evalstore.cli import complete
from evalstore.cli.commands.evaluate import run_names
from evalstore.cli.inputs import (
    check_exists,
    extras_from,
    extras_options,
    files_from_option,
    is_file,
)
from evalstore.cli.options import (
    POSITIVE,
    Command,
    collection_option,
    compat_option,
    identical_ids_option,
    is_server,
    measure_option,
    opened_store,
    reading_from,
    reading_options,
    store_or_server_option,
    test_options,
    where_option,
)
from evalstore.cli.output import printable, warn
from evalstore.cli.structure import refuse, together, under
from evalstore.errors import EvalstoreError, NotFound

if TYPE_CHECKING:
    from evalstore.comparison.compare import ComparisonOptions, RunSource, Slices
    from evalstore.comparison.loading import LoadedRuns, RunsToCompare
    from evalstore.comparison.significance import Compared
    from evalstore.measures import Measure

DEFAULT_MEASURES = ("AP", "nDCG@10")
MOST_PAIRS = 300
"""The largest number of pairs that are compared without being asked for: of 25 runs."""
FOR_STORED_RUNS = ("collection",)
FOR_FILES = (
    *("compat", "collection_size", "known", "subtopics", "judgment_groups", "preferences"),
    *("times", "index_bytes", "memory_bytes", "money", "energy_joules"),
    *("encoding", "max_bytes", "queries", "ignore_identical_ids", "allow_disjoint"),
)


def runs_argument(name: str = "runs", metavar: str = "RUN...") -> Callable[[Command], Command]:
    """The runs, by name, id or file; several also with --files-from (`run_paths.given_runs`)."""
    several = metavar.endswith("...")
    argument = click.argument(
        name,
        shell_complete=complete.runs_or_files,
        metavar=metavar,
        nargs=-1 if several else 1,
        required=not several,
    )

    def with_runs(command: Command) -> Command:
        return files_from_option(argument(command)) if several else argument(command)

    return with_runs


def _queries(ctx: click.Context, param: click.Parameter, given: Sequence[str]) -> str | None:
    """The file of --queries; the words `judged` and `common` become the parameter `over`."""
    del param
    words = [one for one in given if one in QUERIES]
    files = [one for one in given if one not in QUERIES]
    for kind in (words, files):
        if len(kind) > 1:
            raise click.UsageError(f"--queries is given twice: {kind[0]} and {kind[1]}")
    ctx.params["over"] = words[0] if words else QUERIES[0]
    return files[0] if files else None


QUERIES = ("judged", "common")

source_options = together(
    under(
        "Runs and judgments",
        click.option(
            "--qrels",
            metavar="NAME|FILE",
            shell_complete=complete.qrels_or_files,
            help="The judgments: a stored qrels, or a file where the runs are files.  "
            "[default: the collection's default]",
        ),
        collection_option("The collection of stored runs, where several have them."),
        click.option(
            "--queries",
            metavar="common|FILE",
            multiple=True,
            callback=_queries,
            shell_complete=complete.files,
            help="common: compare only over the queries that all runs answer; else a query without "
            "an answer counts as an empty ranking.  A FILE has the texts and attributes of the "
            "queries, where the runs are files.",
        ),
        where_option(
            "Compare only the queries whose attribute is so: lang=de, length>=4; may be repeated."
        ),
        identical_ids_option,
        click.option(
            "--allow-disjoint",
            is_flag=True,
            help="Take run files none of whose documents is judged.",
        ),
        compat_option,
    ),
    extras_options,
    reading_options,
    store_or_server_option,
)
"""Options for where the runs come from: --qrels, --collection, --db, --queries, --where, ..."""

comparison_options = together(
    measure_option(
        "A measure to compare on, computed where it is not stored; may be repeated.  "
        f"[default: {', '.join(DEFAULT_MEASURES)}]"
    ),
    click.option(
        "--baseline",
        metavar="RUN",
        shell_complete=complete.runs_or_files,
        help="Compare every other run with this one.  [default: of three runs or more the "
        "baseline of their collection, else all pairs]",
    ),
    click.option(
        "--no-baseline",
        is_flag=True,
        help="Compare all pairs, although the baseline of the collection is among the runs.",
    ),
    test_options,
    under(
        "Tests",
        click.option(
            "--margin",
            type=POSITIVE,
            help="Call runs equivalent whose difference is shown to be within it.",
        ),
    ),
)
"""Options for the measures, the baseline and the tests: -m, --baseline, --test, ..."""

by_option = click.option(
    "--by",
    metavar="ATTRIBUTE",
    shell_complete=complete.attribute_names,
    help="Also the figures of every group of queries: category, lang, length.",
)


def slices_by(compared: Compared, attribute: str | None) -> Slices | None:
    """The comparison split by an attribute; None without an attribute (`by_option`)."""
    from evalstore.comparison.compare import split_by

    return None if attribute is None else split_by(compared, attribute)


def load_and_compare(
    ctx: click.Context, runs: Sequence[str], options: Mapping[str, Any], also: Sequence[str] = ()
) -> tuple[LoadedRuns, Compared]:
    """The runs with their values, and the comparison; measures in `also` are not compared."""
    from evalstore.comparison.comparability import pairs_of
    from evalstore.comparison.compare import compare_loaded
    from evalstore.measures import named_measures

    if options["baseline"] is not None and options["no_baseline"]:
        raise click.UsageError("--baseline and --no-baseline exclude each other")
    named = with_baseline(runs, options["baseline"])
    adds_none = options["baseline"] or options["no_baseline"] or are_files(named, options)
    if len(named) < 2 and adds_none:
        raise click.UsageError("give two runs or more")
    asked = options["measures"] or DEFAULT_MEASURES
    chosen = chosen_options(options)
    loaded = load_runs(ctx, runs, named_measures([*also, *asked]), options, chosen)
    pairs = len(pairs_of(len(loaded.runs), loaded.baseline))
    if pairs > MOST_PAIRS and not options["no_baseline"]:
        raise click.UsageError(
            f"{len(loaded.runs):,} runs are {pairs:,} pairs: --baseline RUN compares every other "
            "run with one, `evalstore leaderboard` ranks all, and --no-baseline compares all pairs"
        )
    if len(loaded.runs) == 1:  # the same run twice, the second time as the baseline
        raise click.UsageError("give two runs or more")
    return loaded, compare_loaded(loaded, named_measures(asked), chosen)


def chosen_options(options: Mapping[str, Any], **changed: Any) -> ComparisonOptions:
    """Options of a comparison from a command's values; values in `changed` take precedence."""
    from evalstore.comparison.compare import ComparisonOptions

    names = (field.name for field in fields(ComparisonOptions))
    given = {name: options[name] for name in names if name in options}
    return ComparisonOptions(**{**given, **changed})


def with_baseline(runs: Sequence[str], baseline: str | None) -> Sequence[str]:
    """The runs, with the baseline in front if it is not among them."""
    return runs if baseline is None or baseline in runs else (baseline, *runs)


def warn_of(compared: Compared, slices: Slices | None = None) -> None:
    """Print the lines that belong above a table to standard error: the verdict and the notes."""
    from evalstore.comparison.claims import comparability_line

    if compared.comparable != "yes" or compared.restriction is not None:
        click.echo(printable(comparability_line(compared)), err=True)
    warn(*compared.notes, *(() if slices is None else slices.notes))


def load_runs(
    ctx: click.Context,
    runs: Sequence[str],
    measures: Mapping[str, Measure],
    source: Mapping[str, Any],
    options: ComparisonOptions | None = None,
) -> LoadedRuns:
    """The runs with their values: from files if --qrels and a run are files, else stored.

    `source` has the values of `source_options`. Without `options` no baseline is added, and the
    runs have only the queries of --queries: no comparison, which leaves out the others, follows.
    The store is open until the command ends.
    """
    from evalstore.comparison.compare import load
    from evalstore.comparison.loading import answered_by_all

    if options is None:
        options = chosen_options(source, no_baseline=True)
        loaded = load_runs(ctx, runs, measures, source, options)
        return answered_by_all(loaded) if options.over == "common" else loaded
    named = with_baseline(runs, options.baseline)
    if are_files(named, source):
        refuse(ctx, FOR_STORED_RUNS, "is for stored runs")
        from evalstore.formats.reading.paths import shown_path

        for run in named:
            check_exists(
                run,
                f"--qrels {shown_path(source['qrels'])} is a file, so runs are files, too: for a "
                "stored run leave --qrels out, or name a stored qrels",
            )
        return load(_Files(source), runs, measures, options)
    refuse(ctx, FOR_FILES, "is for files, which --qrels FILE says to compare")
    with _advice_on_files(named, source):
        # Rankings are read later, if at all.
        opened = ctx.with_resource(_opened(named, source["db"]))
        return load(opened, runs, measures, options)


def are_files(runs: Sequence[str], source: Mapping[str, Any]) -> bool:
    """Whether the runs are files: --qrels is a file, and at least one run is."""
    qrels = source["qrels"]
    return qrels is not None and qrels != "-" and is_file(qrels) and any(map(is_file, runs))


class _Files:
    """Run files and a file of judgments, as a source of comparisons."""

    def __init__(self, source: Mapping[str, Any]) -> None:
        self.source = source

    def runs_to_compare(
        self, runs: Sequence[str], baseline: str | None, collection: str | None
    ) -> RunsToCompare:
        """The runs, with the baseline in front; files belong to no collection with a baseline."""
        from evalstore.comparison.loading import RunsToCompare

        if baseline is None:
            return RunsToCompare(tuple(runs), None, collection)
        return RunsToCompare((baseline, *runs), 0, collection)

    def load_runs(
        self,
        runs: Sequence[str],
        measures: Mapping[str, Measure],
        *,
        collection: str | None = None,
        qrels: str | None = None,
    ) -> LoadedRuns:
        """The runs, evaluated in this process."""
        from evalstore.catalog.names import free_name
        from evalstore.comparison.loading import evaluate_given_runs
        from evalstore.formats import read_qrels, read_queries, read_run
        from evalstore.formats.queries import ids_by_text

        options = reading_from(self.source)
        queries = None
        if self.source["queries"] is not None:
            queries = read_queries(self.source["queries"], options)
            options = replace(options, query_ids=ids_by_text(queries))
        judgments = read_qrels(qrels or self.source["qrels"], options)
        read = [read_run(path, options) for path in runs]
        of_queries = () if queries is None else queries.warnings
        for warning in (
            *judgments.warnings,
            *(w for run in read for w in run.warnings),
            *of_queries,
        ):
            warn(warning)
        names: list[str] = []
        for name in run_names(runs):
            names.append(free_name(name, names))
        return evaluate_given_runs(
            judgments,
            dict(zip(names, read, strict=True)),
            measures,
            compat=self.source["compat"],
            extras=extras_from(self.source, options),
            queries=queries,
            ignore_identical_ids=self.source["ignore_identical_ids"],
            allow_disjoint=self.source["allow_disjoint"],
        )

    def held_out(self, collection: str, qids: Collection[str], share: float) -> frozenset[str]:
        """The held-out queries of the file of judgments."""
        from evalstore.comparison.choosing.holdout import held_out

        del collection
        return held_out(qids, share)


@contextmanager
def _opened(runs: Sequence[str], db: str) -> Iterator[RunSource]:
    """The store of the runs; files that are not stored are evaluated with its judgments."""
    from evalstore.client.local_runs import WithLocalRuns

    with opened_store(db) as store:
        yield WithLocalRuns(store, runs, warn)


NOT_STORED = ("no run", "no store", "which collection")
"""The problems of runs that are files, where their judgments are not named."""


@contextmanager
def _advice_on_files(runs: Sequence[str], source: Mapping[str, Any]) -> Iterator[None]:
    """If the store lacks what is a file, the error says so: the judgments, or the runs."""
    qrels = source["qrels"]
    try:
        yield
    except EvalstoreError as error:
        if is_file(qrels) and f"has no qrels {qrels!r}" in str(error):
            what = f"{qrels} is a file, and the runs are stored: name a stored qrels"
            store = "`evalstore reevaluate --qrels FILE` stores a file as one"
            raise NotFound(f"{what}; {store}") from None
        files = list(filter(is_file, runs))
        if is_server(source["db"]) or not files or error.problem not in NOT_STORED:
            raise
        if len(files) < len(runs):
            message = f"{files[0]} is a file, and not all runs are: give files, with --qrels FILE"
            raise click.UsageError(printable(message)) from None
        if qrels is not None:
            message = f"there is no file {qrels}; files are compared with --qrels FILE"
            raise click.UsageError(printable(message)) from None
        raise click.UsageError("to compare files give their judgments: --qrels FILE") from None
