"""Options that several commands share."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from evalstore.cli.complete import (
    DEFAULT_DB,
    Completer,
    collection_names,
    conditions,
    files,
    measures,
    qrels_names,
)
from evalstore.cli.output import printable, warn
from evalstore.cli.structure import is_typed, together, under, words_of
from evalstore.client.any_store import use_case
from evalstore.errors import DataError, EvalstoreError

if TYPE_CHECKING:
    from evalstore.client.any_store import AnyStore
    from evalstore.client.connection import KeptTokens, Server
    from evalstore.formats import ReadOptions
    from evalstore.leaderboard.run_list import ListedRun
    from evalstore.store import Store


Command = TypeVar("Command", bound=Callable[..., Any])


class Number(click.FloatRange):
    """A finite number in a range: click compares NaN with no bound, and has no bound for inf."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


POSITIVE = Number(min=0, min_open=True)
FRACTION = Number(0, 1, min_open=True, max_open=True)
"""A number between 0 and 1, excluding both."""


WITH_PASSWORD = re.compile(r"postgresql[a-z0-9+]*://[^/@:]*:[^/@]+@", re.IGNORECASE)
"""The beginning of a URL with a password."""

db_option = click.option(
    "--db",
    metavar="DATABASE",
    is_eager=True,  # shell completion needs it before the names that it completes
    callback=lambda ctx, _, value: own_store(ctx, _database(ctx, value)),
    shell_complete=files,
    help="The store: a file, or a database as SQLAlchemy writes it.  [default: evalstore.db]",
)


store_or_server_option = click.option(
    "--db",
    metavar="DATABASE|URL",
    is_eager=True,
    callback=lambda ctx, _, value: _database(ctx, value),
    shell_complete=files,
    help="The store: a file, a database as SQLAlchemy writes it, or the URL of the team's "
    "server.  [default: evalstore.db]",
)


def _database(ctx: click.Context, value: str | None) -> str:
    """The store named after the command, or else before it."""
    at: click.Context | None = ctx
    on_command_line = bool(value)
    while not value and at is not None:
        value = at.params.get("db")
        on_command_line = is_typed(at, "db")
        at = at.parent
    if value and on_command_line and WITH_PASSWORD.match(value) and not ctx.resilient_parsing:
        warn(
            "everyone on this machine can read a password on a command line (ps): put it into "
            "~/.pgpass or PGPASSWORD, or the URL into EVALSTORE_DB"
        )
    return value or DEFAULT_DB


def is_server(db: str) -> bool:
    """Whether a store is named by a server's URL."""
    if not db.strip().lower().startswith("http"):  # saves the import
        return False
    from evalstore.client.connection import is_address

    return is_address(db)


def own_store(ctx: click.Context, db: str, option: str | None = None) -> str:
    """The store; UsageError if it is a server's. `option` is the one that needs a local store."""
    if is_server(db) and not ctx.resilient_parsing:
        command = " ".join([*words_of(ctx), *([] if option is None else [option])])
        raise click.UsageError(
            f"`evalstore {command}` does not work through a server: run it where the server's "
            "store is, with --db DATABASE"
        )
    return db


def format_option(*formats: str) -> Callable[[Command], Command]:
    """The output format: --format; the first format is the default."""
    return click.option(
        "--format",
        "shape",
        type=click.Choice(formats),
        default=formats[0],
        show_default=True,
        help="How to print.  (`evalstore export` writes LaTeX, Markdown and more.)"
        if "csv" in formats and "latex" not in formats
        else "How to print.",
    )


def output_option(
    text: str, *, required: bool = False, complete: Completer | None = None
) -> Callable[[Command], Command]:
    """The file to write: -o; `-` means standard output, where that is written without it."""

    def file(_ctx: click.Context, _option: click.Parameter, path: Path | None) -> Path | None:
        if required and path == Path("-"):
            raise click.BadParameter("what is written here needs a file, not standard output")
        return None if path == Path("-") else path

    return click.option(
        "-o",
        "--output",
        metavar="FILE",
        type=click.Path(dir_okay=False, path_type=Path),
        required=required,
        callback=file,
        shell_complete=complete,
        help=text,
    )


def measure_option(text: str) -> Callable[[Command], Command]:
    """The measures: -m, which may be repeated."""
    return click.option(
        "-m",
        "--measure",
        "measures",
        metavar="MEASURE",
        shell_complete=measures,
        multiple=True,
        help=text,
    )


DEFAULT_MEASURES = ("AP", "nDCG@10", "P@10", "Rprec")

shown_measures_option = measure_option(
    "A measure to show, computed where it is not stored; may be repeated.  "
    f"[default: {', '.join(DEFAULT_MEASURES)}]"
)
"""The measures to show: -m, `DEFAULT_MEASURES` without it."""


def one_measure_option(text: str) -> Callable[[Command], Command]:
    """One measure, nDCG@10 by default: -m."""
    return click.option(
        "-m",
        "--measure",
        metavar="MEASURE",
        shell_complete=measures,
        default="nDCG@10",
        show_default=True,
        help=text,
    )


collection_argument = click.argument(
    "collection", metavar="[COLLECTION]", required=False, shell_complete=collection_names
)
"""A collection of the store; without it the only one (`only_collection`)."""


def collection_option(text: str, *, required: bool = False) -> Callable[[Command], Command]:
    """A collection of the store: --collection."""
    return click.option(
        "--collection",
        metavar="NAME",
        shell_complete=collection_names,
        required=required,
        help=text,
    )


qrels_option = click.option(
    "--qrels",
    metavar="NAME",
    shell_complete=qrels_names,
    help="The judgments: a stored qrels.  [default: the collection's default]",
)


def _alpha_option(text: str) -> Callable[[Command], Command]:
    return click.option("--alpha", type=FRACTION, default=0.05, show_default=True, help=text)


alpha_option = _alpha_option("A p below it counts, after the correction where there is one.")


TESTS = ("t", "wilcoxon", "sign", "randomization")
CORRECTIONS = ("holm", "bonferroni", "bh", "none")


def _test_option(tests: tuple[str, ...], more: str = "") -> Callable[[Command], Command]:
    return click.option(
        "--test",
        type=click.Choice(tests),
        default="t",
        show_default=True,
        help=f"The test whose p decides what is claimed{more}.",
    )


def _test_options(
    tests: tuple[str, ...], corrections: tuple[str, ...], more: str
) -> Callable[[Command], Command]:
    return under(
        "Tests",
        _test_option(tests, more),
        click.option(
            "--correction",
            type=click.Choice(corrections),
            default="holm",
            show_default=True,
            help="Of p, for all that is tested: pairs of runs, and measures.",
        ),
        alpha_option,
    )


test_options = _test_options(TESTS, CORRECTIONS, "")
"""Options for tests of differences: --test, --correction, --alpha."""

separation_options = _test_options(
    (*TESTS, "max-t", "tukey"),
    CORRECTIONS[:-1],
    "; max-t (t corrected by the largest t of all pairs) and tukey (the randomised Tukey HSD) have "
    "a correction of their own",
)
"""The same for all runs of a collection."""

history_test_options = under(
    "Tests",
    _test_option(TESTS),
    _alpha_option("The expected share of false marks, at most."),
)
"""The same for a history, whose levels need no correction: --test, --alpha."""


def level_option(text: str) -> Callable[[Command], Command]:
    """The lowest relevant grade: -l."""
    return click.option(
        "-l",
        "--level",
        type=POSITIVE,
        default=1,
        show_default=True,
        help=text,
    )


class Parsed(click.ParamType[Any]):
    """A text that a function parses, like lang=de or k1=0.9.

    The function may be named by its path below `evalstore`: it is imported by the first text.
    """

    def __init__(self, name: str, parse: Callable[[str], Any] | str) -> None:
        self.name = name
        self._parse = parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The parsed value."""
        parse = use_case(self._parse) if isinstance(self._parse, str) else self._parse
        try:
            return parse(value) if isinstance(value, str) else value
        except EvalstoreError as error:
            self.fail(printable(str(error)), param, ctx)


def _bound(end: bool) -> Callable[[str], Any]:
    """Read a date as the start of its span, or as the end."""

    def parse(text: str) -> Any:
        from evalstore.catalog.names import date_span

        return date_span("a bound", text)[1 if end else 0]

    return parse


def _date_option(name: str, end: bool, text: str) -> Callable[[Command], Command]:
    return click.option(name, metavar="DATE", type=Parsed("date", _bound(end)), help=text)


date_options = together(
    _date_option(
        "--since", False, "Only runs with a date from this one on (UTC): 2026-06-01, 2026-06, 7d."
    ),
    _date_option("--until", True, "Only runs with a date up to this one, all of its day or month."),
)
"""The dates between which runs are."""


def where_option(text: str, complete: Completer = conditions) -> Callable[[Command], Command]:
    """Conditions on attributes of queries, or facts of runs: --where, which may be repeated."""
    return click.option(
        "--where",
        type=Parsed("condition", "catalog.names.parse_condition"),
        metavar="CONDITION",
        shell_complete=complete,
        multiple=True,
        help=text,
    )


def _bytes(text: str) -> int:
    """A number of bytes, like 500M, 4G or 1000000."""
    parts = re.fullmatch("([0-9]+)([KMGT]?)", text.upper())
    if parts is None or int(parts[1]) == 0:
        raise DataError(f"{text!r} is no size: write it like 500M or 4G")
    return int(parts[1]) << (10 * " KMGT".index(parts[2] or " "))


SIZE = Parsed("size", _bytes)


reading_options = under(
    "Reading files",
    click.option(
        "--max-bytes",
        type=SIZE,
        default="16G",
        show_default=True,
        help="Refuse files that are larger once unpacked.",
    ),
    click.option(
        "--encoding", default="utf-8", show_default=True, help="The encoding of the files."
    ),
    click.option(
        "--map",
        "maps",
        metavar="NAME=PATH,...",
        multiple=True,
        help="Read JSON, JSON lines, CSV, TSV or Parquet by the paths of qid, docno and score (or "
        "grade, for judgments): qid=query_id,docno=contexts[].doc_id,score=contexts[].score; or "
        "by the name of a mapping that `evalstore collections map` saved.",
    ),
)


judged_by_option = click.option(
    "--judged-by",
    metavar="model=NAME,...",
    type=Parsed("judge", "formats.facts.judged_by.parse_judged_by"),
    help="The judgments of --qrels are a model's: its name, and prompt=FILE, temperature, repeat, "
    "date, family where known. What is no grade is no judgment. They are the default only with "
    "--default-qrels.",
)


compat_option = click.option(
    "--compat",
    type=click.Choice(["exact", "trec_eval-9", "trec_eval-10"]),
    default="exact",
    show_default=True,
    help="Agree with a release of trec_eval where they differ.",
)


identical_ids_option = click.option(
    "--ignore-identical-ids",
    is_flag=True,
    help="Leave out retrieved documents whose id is the query's.",
)


jobs_option = click.option(
    "--jobs",
    type=click.IntRange(1),
    help="Processes that read and evaluate.  [default: one per processor]",
)


def _scheduler_address(address: str) -> str:
    if re.fullmatch(r"(?:[a-z]+://)?[^\s/@]+:\d{1,5}", address):
        return address
    raise DataError("an address is like tcp://host:8786")


scheduler_option = click.option(
    "--scheduler",
    metavar="ADDRESS",
    type=Parsed("address", _scheduler_address),
    help="Let the workers of a Dask scheduler do the work (tcp://host:8786).",
)


unfinished_option = click.option(
    "--unfinished",
    is_flag=True,
    help="Take runs that were logged and have not ended (.evalrun) as they are.",
)


def reading_from(values: Mapping[str, Any]) -> ReadOptions:
    """The ReadOptions from these options."""
    from evalstore.formats import ReadOptions

    return ReadOptions(
        encoding=values["encoding"],
        max_bytes=values["max_bytes"],
        formats=values.get("input_formats", ()),
        maps=values.get("maps", ()),
        unfinished=values.get("unfinished", False),
        judged_by=values.get("judged_by"),
    )


def saved_maps(db: str, collection: str, maps: Sequence[str]) -> tuple[str, ...]:
    """The mappings of --map, where the name of a saved one stands for its paths."""
    names = [text for text in maps if "=" not in text]
    if not names:
        return tuple(maps)
    from evalstore.errors import did_you_mean

    with opened_store(db) as store:
        each = {one.name: one.mappings for one in store.collections()}
    saved = each.get(collection) or {}
    for name in names:
        if name not in saved:
            raise DataError(
                f"collection {collection!r} has no mapping {name!r}{did_you_mean(name, saved)}; "
                "`evalstore collections map` lists and saves them"
            )
    return tuple(saved.get(text, text) for text in maps)


# The store in --db: opened locally, or reached through the team's server

MOST_NAMES = 5
"""The most collections that a message names."""
TOKEN = "EVALSTORE_TOKEN"  # noqa: S105  (the name of a variable)
PLAIN_HTTP = "EVALSTORE_PLAIN_HTTP"


@contextmanager
def opened_store(db: str) -> Iterator[AnyStore]:
    """The store, which must exist."""
    if is_server(db):
        from evalstore.client.remote_store import RemoteStore

        with server(db) as reached:
            yield RemoteStore(reached)
        return
    from evalstore.client.any_store import LocalStore

    with local_store(db) as store:
        yield LocalStore(store)


def only_collection(store: AnyStore, given: str | None) -> str:
    """The given collection, or the only one of the store; DataError if there are others."""
    if given is not None:
        return given
    names = [collection.name for collection in store.collections()]
    if len(names) == 1:
        return names[0]
    if not names:
        raise DataError("there are no collections yet", problem="no store")
    shown = ", ".join(names[:MOST_NAMES]) + ", ..." * (len(names) > MOST_NAMES)
    raise DataError(f"there are {len(names):,} collections: choose with --collection: {shown}")


def warn_of_judgments(store: AnyStore, runs: Iterable[ListedRun]) -> None:
    """Print what a reader of the figures of listed runs must know of the judgments."""
    from evalstore.catalog.qrels import origin_note

    shown = {(run.collection, run.qrels) for run in runs if run.values}
    for qrels in store.list_qrels() if shown else ():
        note = origin_note(qrels) if (qrels.collection, qrels.name) in shown else None
        if note is not None:
            warn(note)


def local_store(db: str) -> Store:
    """The store of this machine, which must exist."""
    from evalstore.store import Store

    return Store.open(db, create=False)


@contextmanager
def server_store(db: str) -> Iterator[Store]:
    """The store of the team's server (made by `server init`), opened on the server's machine."""
    from evalstore.server.setup import settings
    from evalstore.store.schema import NoStore

    try:
        store = local_store(db)
    except NoStore as error:
        raise NoStore(str(error), problem="no server") from None
    with store:
        settings(store)
        yield store


def _opened(
    open_it: Callable[[str], AbstractContextManager[Store]],
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Pass the opened store in --db to a command, as its first argument."""

    def add(function: Callable[..., None]) -> Callable[..., None]:
        @wraps(function)
        def opened(db: str, **options: Any) -> None:
            with open_it(db) as store:
                function(store, **options)

        return db_option(opened)

    return add


opened_own_store, opened_server_store = _opened(local_store), _opened(server_store)


@contextmanager
def server(url: str) -> Iterator[Server]:
    """The server at a URL, with the token in EVALSTORE_TOKEN or else the saved one."""
    from evalstore.client.connection import Server, check_token, parse_address

    address = parse_address(url)
    given = os.environ.get(TOKEN, "").strip()
    if given:
        try:
            check_token(given)
        except DataError as error:
            raise DataError(f"{TOKEN}: {error}") from None
    token = given or kept_tokens().find(address)
    with closing(Server(address, token, plain_http=may_send_plainly())) as reached:
        yield reached


def may_send_plainly() -> bool:
    """Whether a token may be sent to another machine without encryption."""
    return os.environ.get(PLAIN_HTTP) == "1"


def kept_tokens() -> KeptTokens:
    """The tokens that `evalstore server login` saved, in the user's settings folder."""
    from evalstore.client.connection import KeptTokens

    return KeptTokens(Path(click.get_app_dir("evalstore")) / "tokens.json")
