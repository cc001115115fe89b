"""How the command line ends: one line on standard error, exit status 1 for data, 2 for usage."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from evalstore.cli.output import printable
from evalstore.errors import EvalstoreError

INTERRUPTED = 130
"""The exit status after Ctrl-C, as of every program that a shell starts: 128 and the signal."""

ADVICE = {
    "other compat": "--replace replaces its figures, --compat leaves them",
    "process died": "try --jobs 1",
    "removed run has name": (
        "`evalstore restore` brings it back, `evalstore purge` deletes it for good; or give this "
        "one another name with --name, or say --replace"
    ),
    "run has name": "give this one another name with --name, or say --replace",
}
"""What mends a problem on the command line, by `EvalstoreError.problem`."""

OUTPUT_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EBADF, errno.EFBIG)
"""What a write to standard output fails with."""


def advised(message: str, problem: str | None) -> str:
    """A message of the library, and what mends it here."""
    advice = ADVICE.get(problem or "")
    return message if advice is None else f"{message}: {advice}"


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Turn what can go wrong without anybody's mistake into a line and an exit status."""
    try:
        try:
            yield
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()  # at the end of the program an error would be a traceback
    except EvalstoreError as error:
        _end(advised(str(error), error.problem))
    except UnicodeEncodeError as error:
        # Bytes of an argument that are no UTF-8 come as lone surrogates, which no database takes.
        _end(f"not text in UTF-8: {error.object!r}")
    except KeyboardInterrupt:
        _end("interrupted", INTERRUPTED)
    except BrokenPipeError:
        # `evalstore ... | head` closed the pipe: that is no error.
        _drop_output()
        sys.exit(0)
    except OSError as error:
        if error.errno not in OUTPUT_ERRORS or error.filename is not None:
            raise
        _drop_output()
        _end(f"standard output: {(error.strerror or str(error)).lower()}")


def _end(message: str, status: int = 1) -> None:
    click.echo(printable(message), err=True)
    sys.exit(status)


def _drop_output() -> None:
    """What is not written yet goes nowhere, else Python complains at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
