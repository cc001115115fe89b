"""Inputs of commands: run files (paths, patterns, --files-from), facts of collections and runs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from evalstore.cli import complete
from evalstore.cli.complete import files, formats
from evalstore.cli.options import SIZE, Parsed, local_store
from evalstore.cli.output import printable, warn
from evalstore.cli.structure import together, under
from evalstore.errors import DataError, FileError

if TYPE_CHECKING:
    from evalstore.catalog.collection_facts import CollectionFacts, RunCosts
    from evalstore.catalog.given_facts import GivenFacts
    from evalstore.formats import ReadOptions
    from evalstore.measures.join import Extras


@dataclass(frozen=True)
class RunPaths:
    """The paths of run files, and for paths from a list their line, like `runs.txt:3`."""

    paths: tuple[str, ...]
    listed: Mapping[str, str] = field(default_factory=dict)

    def with_line(self, message: str, path: str) -> str:
        """A message about a path, with the list and the line that contain it."""
        return f"{message} ({self.listed[path]})" if path in self.listed else message


files_from_option = click.option(
    "--files-from",
    metavar="FILE",
    shell_complete=complete.files,
    help="A list of runs, one path a line (or separated by NUL); - is standard input.",
)


def run_paths(runs: Sequence[str], files_from: str | None, *, patterns: bool = True) -> RunPaths:
    """The paths of arguments and then of a list.

    A pattern that matches nothing is kept: reading it gives the error. Without `patterns` all
    are kept.
    """
    from evalstore.formats.reading.remote import matching_files
    from evalstore.formats.reading.source import path_text, read_path_list

    if files_from is None and not runs:
        raise click.UsageError("Missing argument 'RUN...': give files, or a list with --files-from")
    if files_from == "-" and "-" in runs:
        raise click.UsageError("standard input can be read once: give - once")
    paths = [path for run in runs for path in (matching_files(run) if patterns else []) or [run]]
    listed = {} if files_from is None else dict(read_path_list(files_from))
    name = path_text(files_from or "")
    return RunPaths((*paths, *listed), {path: f"{name}:{line}" for path, line in listed.items()})


def given_runs(runs: Sequence[str], source: Mapping[str, Any]) -> tuple[str, ...]:
    """The runs of the arguments and of --files-from; if --qrels is a file, patterns mean files."""
    from evalstore.formats.reading.source import path_text

    of_files = is_file(source["qrels"])
    given = run_paths(runs, source["files_from"], patterns=of_files)
    for path, line in given.listed.items() if of_files else ():
        if not is_file(path):
            raise FileError(line, None, f"no such file: {path_text(path)}")
    return given.paths


def one_run(run: str, source: Mapping[str, Any]) -> str:
    """The run of a single argument; if --qrels is a file, a pattern means a file."""
    from evalstore.formats.reading.paths import shown_path

    paths = run_paths((run,), None, patterns=is_file(source["qrels"])).paths
    if len(paths) > 1:
        what = f"{shown_path(run)} matches {len(paths):,} files, and one run is expected"
        raise click.UsageError(printable(what))
    return paths[0]


def is_file(path: str | None) -> bool:
    """Whether a path is a file, a URL, or standard input."""
    from evalstore.formats.reading.paths import is_url

    # Unlike Path.is_file, this is False for a name that is too long for a file.
    return path is not None and (path == "-" or is_url(path) or os.path.isfile(path))


def check_exists(path: str, advice: str) -> None:
    """Raise a FileError that ends with an advice if a path is no file, URL or standard input."""
    from evalstore.formats.reading.source import path_text

    if not is_file(path) and not os.path.exists(path):  # a pipe is no regular file
        raise FileError(path_text(path), None, f"no such file or directory; {advice}")


# The option --format of commands that read runs and judgments


def _input_format(name: str) -> str:
    """The name of a format of runs, judgments or folders of runs."""
    from evalstore.errors import did_you_mean

    names = complete.names_of_formats()
    if name not in names:
        hint = did_you_mean(name, names) or ": `evalstore ingest --formats` lists them"
        raise DataError(f"no format of runs or judgments is called {name!r}{hint}")
    return name


input_format_option = click.option(
    "--input-format",
    "input_formats",
    type=Parsed("format", _input_format),
    metavar="NAME",
    shell_complete=formats,
    multiple=True,
    help="Read the runs, or the judgments, as this format and not by what they look like; "
    "`evalstore ingest --formats` lists them. May be repeated.",
)


# Options for facts of collections and runs that some measures need besides a run and a qrels

LARGEST = 2**63 - 1
"""The largest whole number that databases can store."""
FACT_FILES = ("subtopics", "judgment_groups", "preferences", "known")
"""The options for files that belong to the collection."""


def _currency(text: str) -> str:
    """A currency, like EUR; if it is forgotten, an option after it is not taken as the currency."""
    if text.startswith("-"):
        raise DataError(f"{text!r} is no currency: write it like 0.12 EUR")
    return text


NEEDED = "Facts that some measures need"

collection_facts_options = under(
    NEEDED,
    click.option(
        "--collection-size",
        type=click.IntRange(1, LARGEST),
        metavar="N",
        help="How many documents the collection has, for Accuracy and ItemCoverage.",
    ),
    click.option(
        "--preferences",
        metavar="FILE",
        shell_complete=files,
        help="Preferences between documents (qid group subgroup docno level), for PrefSimple "
        "and others.",
    ),
    click.option(
        "--judgment-groups",
        metavar="FILE",
        shell_complete=files,
        help="Judgments by several judges (qid group docno grade), for GroupAP and others.",
    ),
    click.option(
        "--subtopics",
        metavar="FILE",
        shell_complete=files,
        help="Judgments by subtopic (qid subtopic docno grade), for alpha_nDCG and others.",
    ),
    click.option(
        "--known",
        metavar="FILE",
        shell_complete=files,
        help="qid and docno, for CoverageRatio and more.",
    ),
)

run_facts_options = under(
    NEEDED,
    click.option(
        "--times",
        metavar="FILE",
        shell_complete=files,
        help="qid and milliseconds, for ResponseTime.",
    ),
    click.option("--index-bytes", type=SIZE, help="The size of the index, for IndexSize."),
)

explanations_option = click.option(
    "--explanations",
    metavar="FILE",
    shell_complete=files,
    help="qid, docno and the engine's explanation of the score, with tabs between them: the page "
    "of a query shows them.",
)

cost_options = under(
    NEEDED,
    click.option(
        "--memory-bytes", type=SIZE, help="The most memory that the engine used, for PeakMemory."
    ),
    click.option(
        "--money",
        type=(float, Parsed("currency", _currency)),
        metavar="AMOUNT CURRENCY",
        help="What all queries together cost, for CostPerQuery: 0.12 EUR.",
    ),
    click.option(
        "--energy-joules",
        type=float,
        metavar="JOULES",
        help="The energy that all queries together took, for EnergyPerQuery.",
    ),
)

extras_options = under(NEEDED, run_facts_options, cost_options, collection_facts_options)


def costs_from(values: Mapping[str, Any]) -> dict[str, Any]:
    """The costs by fact name; None for an option that was not given."""
    money, currency = values["money"] or (None, None)
    costs = {name: values[name] for name in ("memory_bytes", "energy_joules")}
    return {**costs, "money": money, "currency": currency}


def extras_from(values: Mapping[str, Any], options: ReadOptions) -> Extras | None:
    """The Extras from these options; None if none of them is given."""
    collection = collection_facts_from(values, options)
    run = run_facts_from(values, options, **costs_from(values))
    if collection is None and run is None:
        return None
    from evalstore.measures.join import Extras

    facts = {**(vars(collection) if collection else {}), **(vars(run) if run else {})}
    facts.pop("explanations", None)  # no measure needs them
    return Extras(**facts)


def collection_facts_from(
    values: Mapping[str, Any], options: ReadOptions
) -> CollectionFacts | None:
    """The facts of a collection from these options; None if none of them is given."""
    if all(values[name] is None for name in ("collection_size", *FACT_FILES)):
        return None
    from evalstore.catalog.collection_facts import FACT_READERS, CollectionFacts

    read = {
        name: reader(values[name], options) for name, reader in FACT_READERS.items() if values[name]
    }
    facts = CollectionFacts(collection_size=values["collection_size"], **read)
    warn(*facts.warnings)
    return facts


def judges_options(
    db: str,
    collection: str | None,
    values: Mapping[str, Any],
    options: ReadOptions,
    queries: Mapping[str, str] | None = None,
) -> ReadOptions:
    """The options for reading --judgment-groups, whose file may name queries by their texts.

    There may be no store yet. `queries` are query texts by query id, given with the command.
    """
    groups = values["judgment_groups"]
    if groups is None or collection is None:
        return options
    from evalstore.catalog.queries import with_query_ids
    from evalstore.errors import StoreError

    try:
        with local_store(db) as store:
            return with_query_ids(store, collection, [groups], "judgment groups", options, queries)
    except StoreError as error:
        if error.problem != "no store":
            raise
    return with_query_ids(None, collection, [groups], "judgment groups", options, queries)


def run_facts_from(
    values: Mapping[str, Any], options: ReadOptions, **costs: Any
) -> RunCosts | None:
    """The facts of a run from these options and `costs`; None if none is given."""
    given = (values["times"], values.get("explanations"), values["index_bytes"], *costs.values())
    if all(value is None for value in given):
        return None
    from evalstore.catalog.collection_facts import RUN_FACT_READERS, RunCosts

    files = {
        name: reader(values[name], options)
        for name, reader in RUN_FACT_READERS.items()
        if values.get(name)
    }
    return RunCosts(**files, index_bytes=values["index_bytes"], **costs)


# Short texts that users give as files

LONGEST = 1 << 20


def read_text(path: str) -> str:
    """The text of a UTF-8 file of at most 1 MiB; `-` is standard input."""
    name = "<stdin>" if path == "-" else path
    try:
        with click.open_file(path, "rb") as stream:
            content: bytes = stream.read(LONGEST + 1)
    except OSError as error:
        raise FileError(name, None, (error.strerror or str(error)).lower()) from None
    if len(content) > LONGEST:
        raise FileError(name, None, f"longer than {LONGEST:,} bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FileError(name, line, "not UTF-8") from None


# Options for the facts of a run: parameters, tags, note, origin, costs


def _time(text: str) -> datetime:
    """A time in ISO 8601: 2026-11-21T14:30, or 2026-11-21T14:30:05+01:00."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        example = "2026-11-21T14:30:05+01:00"
        raise DataError(f"{text!r} is no time: write it like {example}") from None


TIME = Parsed("time", _time)

FACTS_OF_RUN = "Facts of a run"

main_facts_options = together(
    click.option(
        "--param",
        "params",
        type=Parsed("parameter", "formats.facts.parameters.parse_parameter"),
        metavar="NAME=VALUE",
        multiple=True,
        help="A parameter of the engine: k1=0.9; may be repeated.",
    ),
    click.option(
        "--tag",
        "tags",
        metavar="TAG",
        multiple=True,
        help="A tag, a word or key=value; may be repeated.",
    ),
)

facts_options = under(
    FACTS_OF_RUN,
    click.option(
        "--params-file",
        metavar="FILE",
        shell_complete=complete.files,
        help="Parameters in YAML, JSON or TOML; --param overrides them.",
    ),
    click.option("--note", metavar="TEXT", help="A note, in Markdown."),
    click.option("--commit", metavar="COMMIT", help="The version of the engine's code."),
    click.option(
        "--dirty/--clean",
        "commit_dirty",
        default=None,
        help="Whether files differed from the commit.",
    ),
    click.option(
        "--machine",
        "host",
        metavar="NAME",
        help="The machine that the engine ran on: the fact host.",
    ),
    click.option("--started-by", metavar="NAME", help="The account that started the engine."),
    click.option(
        "--started-at",
        type=TIME,
        metavar="TIME",
        help="When the engine started, in ISO 8601; UTC without an offset.",
    ),
    click.option("--ended-at", type=TIME, metavar="TIME", help="When it was done."),
    click.option("--command", metavar="TEXT", help="The command line of the engine."),
    click.option("--index-version", metavar="TEXT", help="The version of the index."),
    click.option(
        "--collection-version",
        metavar="TEXT",
        help="The version of the documents that were indexed.",
    ),
    click.option(
        "--parent",
        metavar="RUN",
        shell_complete=complete.runs,
        help="The stored run that this one was derived from.",
    ),
    cost_options,
)

OPTIONS = (
    *("note", "commit", "commit_dirty", "host", "started_by", "started_at", "ended_at"),
    *("command", "index_version", "collection_version", "parent"),
)
"""The options with the same name as their fact."""


def facts_from(values: Mapping[str, Any], options: ReadOptions, **others: Any) -> GivenFacts:
    """The facts from these options, and others."""
    from evalstore.catalog.given_facts import GivenFacts
    from evalstore.formats.facts.parameters import read_parameters

    path = values["params_file"]
    return GivenFacts(
        parameters={**(read_parameters(path, options) if path else {}), **dict(values["params"])},
        tags=tuple(values["tags"]),
        **costs_from(values),
        **{name: values[name] for name in OPTIONS},
        **others,
    )
