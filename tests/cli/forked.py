"""Calls of the program on a terminal, with a broken output or an interrupt.

Each call is a process of its own, forked from this one, which has imported all there is: a new
interpreter would need a second for its imports. A line of JSON read is a call: its folder, its
arguments, and what goes wrong or the terminal it runs on. A line written is its exit status and
what it wrote to standard error.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Mapping
from functools import partial
from typing import Any, NoReturn

import argon2
import click

import evalstore.cli
from evalstore.formats.registry import formats
from evalstore.measures import registry

IMPORTED_LATE = (
    "alembic.command",
    "dashboard.app",
    "dashboard.figures.drawings",
    "dashboard.report.comparison",
    "dashboard.report.comparison",
    "evalstore.demo.store",
    "evalstore.server.app",
    "evalstore.server.oidc.providers",
    "evalstore.server.people.invitations",
    "evalstore.server.webhooks",
    "evalstore.transfer.copy",
    "evalstore.comparison.compare",
    "evalstore.comparison.comparison_table",
    "evalstore.leaderboard.table",
    "evalstore.transfer.export_parquet",
    "evalstore.transfer.import_parquet",
    "evalstore.ingest.ingest",
    "evalstore.comparison.loading",
    "rich.cells",
)
"""What commands import when they run."""


def open_terminal(terminal: str, environment: Mapping[str, str]) -> None:
    """Make a terminal the standard input, output and error."""
    device = os.open(terminal, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(device, descriptor)
    os.close(device)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115  (to the end)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR"):
        os.environ.pop(name, None)
    os.environ.update({"TERM": "xterm-256color", **environment})


def break_output(fault: str) -> None:
    """Make standard output what it is in that fault."""
    if fault == "full":
        os.dup2(os.open("/dev/full", os.O_WRONLY), 1)
    elif fault == "pipe":
        reader, writer = os.pipe()
        os.close(reader)
        os.dup2(writer, 1)
    elif fault == "closed":
        os.close(1)
        sys.stdout = None  # type: ignore[assignment]  # as Python finds it
        return
    else:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115  (to the end)


def interrupt_when_it_begins() -> None:
    """Ctrl-C as soon as a command runs."""
    invoke = click.Context.invoke

    def interrupted(self: click.Context, *given: Any, **named: Any) -> Any:
        if not isinstance(self.command, click.Group) or self.invoked_subcommand is None:
            signal.raise_signal(signal.SIGINT)
        return invoke(self, *given, **named)

    click.Context.invoke = interrupted  # type: ignore[method-assign]  # in this process alone


def call(given: Mapping[str, Any], errors: int) -> None:
    """Run the program in this process."""
    os.chdir(given["folder"])
    if "terminal" in given:
        open_terminal(given["terminal"], given["environment"])
    else:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # what is there has the next calls
        os.dup2(errors, 2)
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115  (to the end)
        break_output(given["fault"])
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever the tests run under
    if given.get("fault") == "interrupt":
        interrupt_when_it_begins()
    sys.argv = ["evalstore", *given["arguments"]]
    evalstore.cli.main()


def end(given: Mapping[str, Any], errors: int) -> NoReturn:
    """Run the program and end the process as Python does, but without freeing each object.

    That would take longer than most calls. What Python writes at the end is still written: the
    message of SystemExit, a traceback, and the error of a stream that can't be flushed.
    """
    status = 0
    try:
        call(given, errors)
    except SystemExit as exit_:
        status = exit_.code if isinstance(exit_.code, int) else int(exit_.code is not None)
        if isinstance(exit_.code, str):
            sys.stderr.write(f"{exit_.code}\n")
    except BaseException:
        status = 1
        traceback.print_exc()
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        status = 120
        sys.stderr.write(f"Exception ignored on flushing sys.stdout: {traceback.format_exc()}\n")
    sys.stderr.flush()
    os._exit(status)


def main() -> None:
    """Fork for every line."""
    commands = [f"evalstore.cli.commands.{module}" for module, _ in evalstore.cli.COMMANDS.values()]
    for module in (*commands, *IMPORTED_LATE):
        importlib.import_module(module)
    # Passwords are hashed in no time: how long it takes is argon2's to test.
    cheap: Any = partial(argon2.PasswordHasher, time_cost=1, memory_cost=8, parallelism=1)
    argon2.PasswordHasher = cheap  # type: ignore[misc]  # as it is called
    registry()  # imports the modules of the measures
    formats()  # and of the formats
    gc.freeze()  # no process collects, and so copies, what all of them share
    for line in sys.stdin:
        with tempfile.TemporaryFile() as errors:
            child = os.fork()
            if child == 0:
                end(json.loads(line), errors.fileno())
            _, status = os.waitpid(child, 0)
            errors.seek(0)
            message = errors.read().decode()
        sys.stdout.write(f"{json.dumps([os.waitstatus_to_exitcode(status), message])}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
