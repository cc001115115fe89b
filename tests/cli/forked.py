"""Calls of the program with a broken output or an interrupt, each in a process forked from this.

A line of JSON read is a call: its folder, its arguments, and what goes wrong. A line written is its
exit status and what it wrote to standard error.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
from typing import Any

import click

import evalstore.cli
import evalstore.demo.store
import evalstore.usecases.ingest
import evalstore.usecases.leaderboard


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
        if not isinstance(self.command, click.Group):
            signal.raise_signal(signal.SIGINT)
        return invoke(self, *given, **named)

    click.Context.invoke = interrupted  # type: ignore[method-assign]  # in this process alone


def call(arguments: list[str], fault: str, errors: int) -> None:
    """Run the program in this process, and end it."""
    os.dup2(errors, 2)
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115  (to the end)
    break_output(fault)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever the tests run under
    if fault == "interrupt":
        interrupt_when_it_begins()
    sys.argv = ["evalstore", *arguments]
    evalstore.cli.main()


def main() -> None:
    """Fork for every line."""
    for line in sys.stdin:
        folder, arguments, fault = json.loads(line)
        with tempfile.TemporaryFile() as errors:
            child = os.fork()
            if child == 0:
                os.chdir(folder)
                call(arguments, fault, errors.fileno())  # ends as the program ends
                sys.exit(0)
            _, status = os.waitpid(child, 0)
            errors.seek(0)
            said = errors.read().decode()
        sys.stdout.write(f"{json.dumps([os.waitstatus_to_exitcode(status), said])}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
