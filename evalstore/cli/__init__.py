"""The command line: a command parses its options, calls one use case and prints the result.

Commands, and the modules that they use, are imported only when they run, so help is instant.
"""

from __future__ import annotations

import importlib
import os
import sys
from keyword import iskeyword
from typing import Any

import click

from evalstore import __version__
from evalstore.cli.complete import DEFAULT_DB
from evalstore.cli.errors import one_line_errors
from evalstore.cli.output import printable
from evalstore.errors import did_you_mean

COMMANDS = {
    "ingest": ("ingest", "Read, check, evaluate and store runs."),
    "evaluate": ("evaluate", "Evaluate runs without a database."),
    "measure": ("evaluate", "Compute further measures of stored runs."),
    "reevaluate": ("evaluate", "Evaluate the stored runs under new judgments."),
    "runs": ("runs", "List the stored runs and their figures."),
    "leaderboard": ("leaderboard", "Rank the runs of a collection, and tell which are separated."),
    "compare": ("compare", "Compare runs, and tell whether the difference is real."),
    "report": ("figures", "Write a comparison, or one run, as a page in a file."),
    "plot": ("figures", "Draw a figure of runs into a file."),
    "history": ("tracking", "Show the runs of an engine in time."),
    "check": ("compare", "Fail where a run is worse than its baseline: a gate for CI."),
    "power": ("leaderboard", "Tell what measures can show, and how many queries they need."),
    "agreement": ("leaderboard", "Tell how far measures, or runs, agree."),
    "show": ("runs", "Show all that is recorded of a run."),
    "diff": ("compare", "Show what differs between two runs, and which figures moved."),
    "measures": ("evaluate", "List the measures, or explain one."),
    "formats": ("help", "List the formats of files that are read, each with an example."),
    "explain": ("evaluate", "Show, rank by rank, how the figures of a query come about."),
    "sql": ("database", "Ask the store in SQL, read-only."),
    "export": (
        "transfer",
        "Give runs, judgments, comparisons, leaderboards or the store as files.",
    ),
    "import": ("transfer", "Build a store from what was exported."),
    "rm": ("runs", "Mark runs as removed."),
    "restore": ("runs", "Bring removed runs back, or list them."),
    "purge": ("runs", "Delete removed runs for good."),
    "rename": ("runs", "Give a run another name."),
    "edit": ("runs", "Change the engine or the experiment of a run."),
    "annotate": ("runs", "Add or correct what is recorded of a run."),
    "tag": ("runs", "Put tags on a run, or take them off."),
    "qrels": ("collections", "List the qrels, choose the default, rename and remove them."),
    "collection": ("collections", "List, rename and remove collections."),
    "baseline": ("tracking", "Choose the run that others are compared with."),
    "experiment": ("tracking", "Group runs, with a question and a conclusion."),
    "query": ("collections", "List the queries of a collection, set and remove their attributes."),
    "events": ("tracking", "List who did what, and when."),
    "copy": ("transfer", "Copy a store, or a collection, into another database."),
    "dashboard": ("server", "Start the web dashboard."),
    "serve": ("server", "Serve a team: the dashboard behind a login."),
    "server": ("server", "Set up the team's server."),
    "worker": ("server", "Store the runs that are sent to the team's server."),
    "user": ("accounts", "Add, invite, list and remove the accounts of the team's server."),
    "role": ("accounts", "Grant roles to accounts, and withdraw them."),
    "token": ("accounts", "Make and revoke the tokens of programs."),
    "login": ("accounts", "Keep a token for the team's server."),
    "logout": ("accounts", "Forget the token for the team's server."),
    "demo": ("server", "Build the demo store and show it."),
    "db": ("database", "Create, upgrade and check the database."),
    "help": ("help", "Show the help of a command, or of all."),
}

OTHER_WORDS = {
    "list": "runs",
    "ls": "runs",
    "add": "ingest",
    "eval": "evaluate",
    "delete": "rm",
    "remove": "rm",
    "mv": "rename",
    "gate": "check",
    "log": "events",
    "account": "user",
}
"""Command names of other programs, and the command here that the user probably means."""


class Commands(click.Group):
    """A group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands, in the order in which people need them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command with that name, or None."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"evalstore.cli.commands.{COMMANDS[cmd_name][0]}")
        # A keyword of Python can't name a function, so the function of `import` is `import_`.
        name = f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name
        command: click.Command = getattr(module, name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The called command; the error for an unknown one suggests the nearest name."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-") and not ctx.resilient_parsing:
            other = OTHER_WORDS.get(name)
            hint = f"; did you mean {other!r}?" if other else did_you_mean(name, COMMANDS)
            ctx.fail(printable(f"No such command {name!r}{hint}"))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands in --help, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, description) for name, (_, description) in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; an error of evalstore becomes one line and exit status 1."""
        with one_line_errors():
            return super().invoke(ctx)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
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
    """Tell which search engine is better, on which queries, and whether the difference is real.

    evalstore takes TREC run files and qrels, computes every standard measure exactly, keeps
    everything in a database and shows it in a dashboard.
    """


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
