"""The command line: a command parses its options, calls one use case and prints the result.

Commands, and the modules that they use, are imported only when they run, so help is instant.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

import click

from evalstore import __version__
from evalstore.cli.complete import DEFAULT_DB
from evalstore.cli.errors import one_line_errors
from evalstore.cli.structure import Group

SECTIONS = {
    "Files, without a store": {
        "evaluate": (
            "evaluate",
            "Evaluate runs, as trec_eval does: over all queries and for each.",
        ),
        "compare": ("compare", "Compare two runs or more: which is better, tests, worst queries."),
    },
    "A store of runs": {
        "ingest": ("ingest", "Read, check, evaluate and store runs."),
        "leaderboard": ("leaderboard", "Rank runs, stored or of files; which are separated."),
        "dashboard": ("server", "Start the web dashboard of a store."),
        "demo": ("server", "Build a store to try, and show it."),
    },
    "A closer look": {
        "values": ("compare", "List the values of runs for each query."),
        "explain": ("evaluate", "Show how the value of one query comes about, rank by rank."),
        "history": ("leaderboard", "Show the runs of an engine in time."),
        "agreement": ("leaderboard", "Show how far measures, or runs, agree."),
        "reproduce": ("compare", "Show how far a run reproduces another one."),
        "power": ("leaderboard", "Show what measures can show, and how many queries they need."),
        "check": ("compare", "Fail if a run is worse than its baseline: a gate for CI."),
        "holes": ("unjudged", "List the unjudged documents that matter most for a difference."),
        "pool": ("unjudged", "List the unjudged documents of runs, in the order to judge them."),
        "sql": ("database", "Ask the store in SQL, read-only."),
    },
    "What is stored: each command lists, and has commands of its own": {
        "runs": ("runs", "List runs; show, diff, edit, tag, baseline, rm, restore, purge."),
        "collections": ("collections", "List collections; access, measures, rename, rm, ..."),
        "qrels": ("judgments", "List qrels; show, diff, edit, draft, default, rename, rm."),
        "queries": ("collections", "List queries; tag and untag them with attributes."),
        "experiments": ("collections", "List groups of runs; new, show, edit, rename, rm."),
        "reevaluate": (
            "reevaluate",
            "Evaluate stored runs again: corrected judgments, more measures.",
        ),
    },
    "Files for other programs": {
        "export": ("transfer", "Write runs and qrels; tables, figures; a report; all for DuckDB.")
    },
    "Reference": {"measures": ("evaluate", "List the measures, or explain one.")},
    "Administration": {
        "server": ("accounts", "Set up, start and use the team's server; login, users, ..."),
        "db": ("database", "Check, upgrade, copy and import the database; list its events."),
    },
}
"""Module and description of each command, by heading and name."""

COMMANDS = {name: entry for section in SECTIONS.values() for name, entry in section.items()}

EARLIER = {
    "show": "runs show",
    "diff": "runs diff",
    "edit": "runs edit",
    "annotate": "runs edit",
    "rename": "runs edit RUN --name NAME",
    "tag": "runs tag",
    "rm": "runs rm",
    "restore": "runs restore",
    "purge": "runs purge",
    "baseline": "runs baseline",
    "measure": "reevaluate -m MEASURE",
    "collection": "collections",
    "query": "queries",
    "experiment": "experiments",
    "events": "db events",
    "copy": "db copy",
    "import": "db import",
    "report": "export report",
    "plot": "export figure",
    "formats": "ingest --formats",
    "serve": "server start",
    "worker": "server worker",
    "user": "server users",
    "role": "server roles",
    "token": "server tokens",
    "login": "server login",
    "logout": "server logout",
    "help": "--help",
    # Names in other programs
    "list": "runs",
    "ls": "runs",
    "add": "ingest",
    "eval": "evaluate",
    "trec_eval": "evaluate",
    "rank": "leaderboard",
    "delete": "runs rm",
    "remove": "runs rm",
    "mv": "runs edit RUN --name NAME",
    "gate": "check",
    "best": "leaderboard",
    "worst": "compare",
    "latex": "export leaderboard --format latex",
    "duckdb": "export parquet",
    "rejudge": "reevaluate --qrels FILE",
    "undo": "runs restore",
    "undelete": "runs restore",
    "log": "ingest",
    "backup": "db copy",
    "account": "server users",
    "users": "server users",
    "tokens": "server tokens",
}
"""The command to type for a name of an earlier version or of another program."""


class Commands(Group):
    """The commands of the program, imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands, in the order in which people need them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command with that name, or None."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"evalstore.cli.commands.{COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under their headings, without importing them."""
        for heading, commands in SECTIONS.items():
            with formatter.section(heading):
                formatter.write_dl([(name, entry[1]) for name, entry in commands.items()])

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, then the options."""
        self.format_commands(ctx, formatter)
        click.Command.format_options(self, ctx, formatter)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; an error of evalstore becomes one line and exit status 1."""
        with one_line_errors():
            return super().invoke(ctx)


HELP = """Find out which search engine is better, on which queries, and whether the difference is
real.

evalstore reads run files and qrels, computes every standard measure exactly, and keeps everything
in a database:

\b
  evalstore evaluate my.qrels bm25.run dense.run
  evalstore compare bm25.run dense.run --qrels my.qrels
\b
  evalstore ingest --collection mine --qrels my.qrels bm25.run dense.run
  evalstore leaderboard
  evalstore dashboard

From Python, as in a notebook (`help(ev.Store)` has all):

\b
  import evalstore as ev
  store = ev.open("evalstore.db")
  store.log_run({"q1": {"d7": 2.5}}, engine="bm25", collection="mine")
"""


@click.group(
    cls=Commands,
    earlier=EARLIER,
    help=HELP,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.option(
    "--db",
    metavar="DATABASE",
    envvar="EVALSTORE_DB",
    default=DEFAULT_DB,
    show_default=True,
    show_envvar=True,
    help="The store: a file, a database as SQLAlchemy writes it, or the URL of the team's server; "
    "after the command as well.",
)
@click.version_option(__version__, prog_name="evalstore")
def cli(db: str) -> None:
    """Run a command."""


def main() -> None:
    """The entry point of the `evalstore` program."""
    if sys.stderr is None:  # closed: the first opened file would get its descriptor
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  (until the end)
    if sys.stdout is None:
        sys.exit("standard output is closed: send it to /dev/null if nobody wants to read it")
    for stream in (sys.stdout, sys.stderr):
        # Ids can be any Unicode; a terminal or pipe in another encoding gets escapes, not a crash.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    with one_line_errors():
        cli()
