"""Runs and judgments from files of any format: the content decides, unless a format is named."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from evalstore.errors import DataError, FileError, did_you_mean
from evalstore.formats.qrels import Qrels, SubtopicQrels
from evalstore.formats.registry import Format, formats, recognised
from evalstore.formats.run import Run
from evalstore.formats.source import ReadOptions, beginning, path_text

Wanted = Literal["run", "qrels", "judgment groups"]
TREC: dict[Wanted, str] = {
    "run": "trec-run",
    "qrels": "trec-qrels",
    "judgment groups": "judgment-groups",
}
"""The formats that a file is read as which looks like none: their messages tell what is wrong."""


def read_run(path: str, options: ReadOptions | None = None) -> Run:
    """Read a run of any format; docs/formats.md lists them.

    Raises:
        FileError: the file can't be read, or what first breaks a rule of its format.
        DataError: the format can't be told, or there is none of the name in `options`.
    """
    options = options or ReadOptions()
    form = choose_format(path, options, "run")
    run: Run = form.read(path, options)
    return replace(run, format=form.name)


def read_qrels(path: str, options: ReadOptions | None = None) -> Qrels:
    """Read judgments of any format; docs/formats.md lists them.

    Raises:
        FileError: the file can't be read, or what first breaks a rule of its format.
        DataError: the format can't be told, or there is none of the name in `options`.
    """
    options = options or ReadOptions()
    form = choose_format(path, options, "qrels")
    qrels: Qrels = form.read(path, options)
    return replace(qrels, format=form.name)


def read_judgment_groups(path: str, options: ReadOptions | None = None) -> SubtopicQrels:
    """Read judgments by judgment group of any format; docs/formats.md lists them.

    Returns:
        The judgments; `subtopics` holds the judgment groups.

    Raises:
        FileError: the file can't be read or holds something else, or what first breaks a rule of
            its format.
    """
    options = options or ReadOptions()
    form = choose_format(path, options, "judgment groups")
    judgments: SubtopicQrels = form.read(path, options)
    return replace(judgments, format=form.name)


def needs_query_ids(path: str, options: ReadOptions, content: Wanted) -> bool:
    """Whether a file names queries by their texts; not where its format can't be told."""
    try:
        return choose_format(path, options, content).by_text
    except DataError:  # reading the file tells what is wrong
        return False


def choose_format(path: str, options: ReadOptions, content: Wanted) -> Format[Any]:
    """The format that a file is read as.

    That is the one named in `options` which holds such content, or else the one that the beginning
    of the file is recognised as; TREC's where it looks like none, and where the file can be read
    only once (a named pipe).

    Raises:
        FileError: the file is of a format that holds something else.
        DataError: it may be of several formats; or an unknown name.
    """
    by_name = {form.name: form for form in formats()}
    for name in options.formats:
        if name not in by_name:
            raise DataError(
                f"no format is called {name!r}{did_you_mean(name, by_name)}",
                problem="unknown format",
            )
    wanted = [name for name in options.formats if by_name[name].content == content]
    if not wanted:
        head = beginning(path, options)
        wanted = [form.name for form, _ in recognised(head, content)]
        if not wanted:
            _refuse_other_content(path, head, content)
            wanted = [TREC[content]]
    if len(wanted) > 1:
        raise DataError(
            f"{path_text(path)}: this may be {' or '.join(wanted)}", problem="which format"
        )
    return by_name[wanted[0]]


def _refuse_other_content(path: str, head: str, content: Wanted) -> None:
    """Refuse a file that is certainly of a format that holds something else than is wanted.

    TREC's are not refused here: reading them as the other tells what the lines look like.
    """
    for form, reason in recognised(head):
        if reason.certain and form.name not in TREC.values():
            raise FileError(
                path_text(path),
                None,
                f"this looks like {form.title} ({form.name}), not {content}",
                problem="judgment groups" if form.content == "judgment groups" else None,
            )
