"""Errors of the command line: one line on standard error, exit status 1 for data, 2 for usage."""

from __future__ import annotations

import errno
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from evalstore.cli.output import printable
from evalstore.cli.structure import words_of
from evalstore.errors import EvalstoreError, MissingExtra, extra_of

INTERRUPTED = 130
"""The exit status after Ctrl-C; shells use 128 plus the number of the signal."""

ADVICE = {
    "baseline removed": (
        "`evalstore runs restore` brings it back, `evalstore runs baseline` chooses another one"
    ),
    "disjoint": "say --allow-disjoint if that is meant",
    "is baseline": "name the run to compare with it",
    "judgment groups": "give it with --judgment-groups FILE",
    "measure not stored": "`evalstore reevaluate -m MEASURE` stores it",
    "measure of facts": "`evalstore reevaluate` stores it",
    "name twice": "rename one of the two, or ingest it by itself with --name",
    "needs collection_size": "give --collection-size N",
    "needs currency": "give --money AMOUNT CURRENCY",
    "needs energy_joules": "give --energy-joules JOULES",
    "needs index_bytes": "give --index-bytes N",
    "needs judgment_groups": "give --judgment-groups FILE",
    "needs known": "give --known FILE",
    "needs memory_bytes": "give --memory-bytes N",
    "needs money": "give --money AMOUNT CURRENCY",
    "needs preferences": "give --preferences FILE",
    "needs strata": "judgments have them in lines of qid 0 docno stratum grade",
    "needs subtopics": "give --subtopics FILE",
    "needs times": "give --times FILE",
    "newer schema": "install a newer evalstore (`pip install --upgrade evalstore`)",
    "no account": "`evalstore server users` lists them",
    "no attributes": (
        "`evalstore queries tag` gives them to stored queries, --queries FILE to those of files"
    ),
    "no baseline": "`evalstore runs baseline RUN` chooses it, or give --baseline RUN",
    "no provider": "`evalstore server providers` lists them",
    "no qrels": "give --qrels FILE",
    "no rankings": "`evalstore ingest --replace` with its run file stores them",
    "no query texts": "`evalstore ingest --queries FILE` takes them",
    "no removed run": "`evalstore runs restore` lists those that are",
    "no run": "`evalstore runs` lists them",
    "no server": (
        "`evalstore server init --public-url URL --admin NAME --db DATABASE` sets one up"
    ),
    "no spool": "`evalstore server limits spool=FOLDER` sets it",
    "no invitation": "`evalstore server users invitations` lists them",
    "no store": "`evalstore ingest` makes one, `evalstore demo` makes one to try",
    "no token": "`evalstore server tokens` lists them",
    "model first": "--default-qrels takes them nevertheless",
    "not among values": (
        "name other measures with --measure, or store its run file with "
        "`evalstore ingest --replace`"
    ),
    "older schema": (
        "make a backup (`sqlite3 FILE .backup`, or pg_dump), then run `evalstore db upgrade`"
    ),
    "other compat": "--replace replaces its figures, --compat leaves them",
    "plain http": "use https, or set EVALSTORE_PLAIN_HTTP=1 if the network is trusted",
    "process died": "try --jobs 1",
    "removed run has name": (
        "`evalstore runs restore` brings it back, `evalstore runs purge` deletes it for good; or "
        "give this one another name with --name, or say --replace"
    ),
    "run has name": "give this one another name with --name, or say --replace",
    "run not removed": "`evalstore runs rm` comes first",
    "run removed": "`evalstore runs restore` brings it back",
    "second column": "give it with --judgment-groups FILE, or --subtopics FILE",
    "several collections": "say --collection",
    "several runs": "`evalstore ingest` takes files and folders of several runs",
    "too many bytes": "raise --answer-bytes",
    "too many rows": "raise --limit",
    "token needed": "`evalstore server login URL` keeps a token, or set EVALSTORE_TOKEN",
    "token refused": (
        "`evalstore server login URL` keeps another one, and EVALSTORE_TOKEN, if set, counts "
        "before it"
    ),
    "too slow": "raise --timeout or ask for less",
    "unfinished run": "--unfinished does that",
    "unmapped": (
        "`evalstore ingest --formats` lists the known ones, and --map says which fields hold "
        "what, like 'qid=query_id,docno=contexts[].doc_id,score=contexts[].score'"
    ),
    "unknown format": "`evalstore ingest --formats` lists them",
    "unknown measure": "`evalstore measures` lists them",
    "which collection": "say --collection",
    "which format": "say which with --input-format NAME",
    "which split": "give it with --qrels FILE",
}
"""The advice on the command line, by `EvalstoreError.problem`."""

OUTPUT_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EBADF, errno.EFBIG)
"""Error numbers of a failed write to standard output."""


def advised(message: str, problem: str | None) -> str:
    """A message with its advice, unless the advice names an option that the command lacks."""
    advice = ADVICE.get(problem or "", "")
    called = _called()
    params = [] if called is None else called.command.params
    of_command = {name for parameter in params for name in parameter.opts}
    if not advice or not _options(advice) <= of_command or "did you mean" in message:
        return message
    if message.endswith("?"):
        return f"{message} {advice[0].upper()}{advice[1:]}"
    return f"{message}: {advice}"


def message_of(error: EvalstoreError) -> str:
    """The message of an error, with the advice on the command line."""
    needs = getattr(error, "needs", "")
    return advised(str(error), f"needs {needs}" if needs else error.problem)


def _options(advice: str) -> set[str]:
    """The options of the called command in an advice; other commands are in backticks."""
    return set(re.findall(r"--[a-z-]+", re.sub("`.*?`", "", advice)))


def _called() -> click.Context | None:
    """The context of the called command, which is closed already when an error arrives."""
    ctx = click.get_current_context(silent=True)
    called: click.Context | None = None if ctx is None else ctx.find_root().obj
    return called


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Turn every expected error into one line on standard error and an exit status."""
    try:
        try:
            yield
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()  # at the program's end an error would print a traceback
    except EvalstoreError as error:
        _end(message_of(error))
    except ModuleNotFoundError as error:
        found = extra_of(error)
        if found is None:
            raise
        extra, package = found
        called = _called()
        words = [] if called is None else words_of(called)
        if words[:1] == ["server"]:
            extra = "server"  # which installs the others
        _end(str(MissingExtra(f"`{' '.join(('evalstore', *words))}`", extra, package)))
    except UnicodeEncodeError as error:
        # Bytes of an argument that are not UTF-8 become lone surrogates, which no database accepts.
        _end(f"not text in UTF-8: {error.object!r}")
    except KeyboardInterrupt:
        _end("interrupted", INTERRUPTED)
    except BrokenPipeError:
        # The reader closed the pipe, as in `evalstore ... | head`; this is no error.
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
    """Discard unwritten output; otherwise Python prints an error when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
