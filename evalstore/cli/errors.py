"""How the command line ends: one line on standard error, exit status 1 for data, 2 for usage."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from evalstore.cli.output import printable
from evalstore.errors import EvalstoreError


@contextmanager
def spoken() -> Iterator[None]:
    """Turn what evalstore raises on purpose into a line and exit status 1."""
    try:
        yield
    except EvalstoreError as error:
        click.echo(printable(str(error)), err=True)
        sys.exit(1)
    except UnicodeEncodeError as error:
        # Bytes of an argument that are no UTF-8 come as lone surrogates, which no database takes.
        click.echo(f"not text in UTF-8: {printable(repr(error.object))}", err=True)
        sys.exit(1)
    except BrokenPipeError:
        # `evalstore ... | head` closed the pipe: that is no error, but Python would complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
