"""Runs and judgments from files of any format: the content decides, unless a format is named."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from evalstore.errors import DataError, FileError, did_you_mean
from evalstore.formats.json.lists import is_lines
from evalstore.formats.json.mapped import mapped_format
from evalstore.formats.lists import Lists
from evalstore.formats.qrels import Qrels, SubtopicQrels
from evalstore.formats.reading.lines import opened_for_writing
from evalstore.formats.reading.source import ReadOptions, beginning, path_text, refuse
from evalstore.formats.registry import (
    Format,
    Write,
    first_columns,
    folder_formats,
    formats,
    is_number,
    named_formats,
    recognised,
)
from evalstore.formats.run import Run, RunParts
from evalstore.formats.trec.run import first_tag
from evalstore.formats.trec.values import PrintedValues, find_runid

Wanted = Literal["run", "values", "qrels", "judgment groups"]
TREC: dict[Wanted, str] = {
    "run": "trec-run",
    "qrels": "trec-qrels",
    "judgment groups": "judgment-groups",
}
"""The format to read an unrecognised file as: its messages say what is wrong."""

JSON = re.compile(r'\s*(?:\{\s*["}]|\[\s*[\[{"\]])')

NAMES: dict[Wanted, str] = {
    "run": "a run",
    "values": "values of measures",
    "qrels": "judgments",
    "judgment groups": "judgment groups",
}
"""The expected content of a file, in messages."""


def read_run(path: str, options: ReadOptions | None = None) -> Run:
    """Read a run of any format; docs/formats.md lists them."""
    run = read_run_or_values(path, options)
    if isinstance(run, PrintedValues):
        what = "values without rankings, as trec_eval prints them, not a run"
        refuse(path, None, f"{what}: only a store takes them")
    return run


def read_run_or_values(path: str, options: ReadOptions | None = None) -> Run | PrintedValues:
    """Read a run of any format, or the values of one."""
    content: Run | PrintedValues = _read(path, options, "run", "values")
    return content


def _read(path: str, options: ReadOptions | None, *contents: Wanted) -> Any:
    options = options or ReadOptions()
    form = choose_format(path, options, *contents)
    return replace(form.read(path, options), format=form.name)


def read_large_run_or_values(path: str, options: ReadOptions) -> Run | RunParts | PrintedValues:
    """Read a run or values, a large run in parts if its format has a reader for that."""
    form = choose_format(path, options, "run", "values")
    content: Run | RunParts | PrintedValues
    is_file = path != "-" and os.path.isfile(path)  # it may have to be read again
    if form.read_large is not None and is_file:
        content = form.read_large(path, options)
    else:
        content = form.read(path, options)
    return replace(content, format=form.name)


def read_qrels(path: str, options: ReadOptions | None = None) -> Qrels:
    """Read judgments of any format; docs/formats.md lists them."""
    qrels: Qrels = _read(path, options, "qrels")
    if options is None or options.judged_by is None:
        return qrels
    return replace(qrels, origin={**(qrels.origin or {}), **options.judged_by})


def find_tag(path: str, options: ReadOptions | None = None) -> str | None:
    """The run tag of a TREC run or of printed values, read without checks; None without one."""
    options = options or ReadOptions()
    tag = first_tag(path, options)
    try:
        if tag is None and recognised(beginning(path, options), "values"):
            return find_runid(path, options)
    except FileError:
        return None
    return tag


def read_judgment_groups(path: str, options: ReadOptions | None = None) -> SubtopicQrels:
    """Read judgments by judgment group, which `subtopics` holds; docs/formats.md lists formats."""
    judgments: SubtopicQrels = _read(path, options, "judgment groups")
    return judgments


def needs_query_ids(path: str, options: ReadOptions, content: Wanted) -> bool:
    """Whether a file names queries by their texts; not if its format can't be told."""
    try:
        return choose_format(path, options, content).by_text
    except DataError:  # reading the file reports what is wrong
        return False


def choose_format(path: str, options: ReadOptions, *contents: Wanted) -> Format[Any]:
    """The format to read a file as.

    It is the one named in `options` that holds one of these contents, or else the one that the
    beginning of the file is recognised as; TREC's for the first content if it looks like none, and
    for a file that can be read only once (a named pipe). A mapping is not for TREC files, which may
    be given beside mapped ones.
    """
    for text in options.maps:
        content: Content = "qrels" if "grade" in text else "run"
        if content in contents and not _is_trec(beginning(path, options)):
            return mapped_format(text, content)
    if options.formats:
        _check_names(options.formats)
    if contents[0] == "run" and os.path.isdir(path):
        refuse(path, None, "is a directory", problem="several runs")
    wanted = [form for form in named_formats(options.formats) if form.content in contents]
    if not wanted:
        head = beginning(path, options)
        wanted = [form for form, _ in recognised(head, *contents)]
        if not wanted:
            _refuse_other_content(path, head, contents[0])
            kind = _kind_of_json(head)
            if contents[0] in ("run", "qrels") and kind:
                refuse(path, 1, f"{kind}, of no known format", problem="unmapped")
            wanted = named_formats([TREC[contents[0]]])
    if len(wanted) > 1:
        names = " or ".join(form.name for form in wanted)
        raise DataError(f"{path_text(path)}: this may be {names}", problem="which format")
    return wanted[0]


def _is_trec(head: str) -> bool:
    """Whether the first line is one of a TREC run or of TREC judgments, without a header."""
    columns = first_columns(head)
    is_run = len(columns) >= 6 and is_number(columns[4])
    return is_run or (len(columns) == 4 and is_number(columns[3]))


def _kind_of_json(head: str) -> str:
    """The kind of a JSON file in words; empty for another, as TREC lines of a query id like {."""
    if JSON.match(head) is None or _is_trec(head):
        return ""
    if '"responses"' in head[:4_096]:
        return "answers of _msearch, which name no queries"
    return "JSON lines" if is_lines(head) else "JSON"


def _check_names(given: Sequence[str]) -> None:
    folders = [form.name for form in folder_formats()]
    for name in given:
        if name not in folders and not named_formats([name]):
            names = [*(form.name for form in formats()), *folders]
            raise DataError(
                f"no format is called {name!r}{did_you_mean(name, names)}", problem="unknown format"
            )


def _refuse_other_content(path: str, head: str, content: Wanted) -> None:
    """Refuse a file that is certainly of a format with another content.

    TREC's are not refused here: reading them shows what the lines look like.
    """
    for form, reason in recognised(head):
        if reason.certain and form.name not in TREC.values():
            refuse(
                path,
                None,
                f"this looks like {form.title} ({form.name}), not {NAMES[content]}",
                problem="judgment groups" if form.content == "judgment groups" else None,
            )


# Writing a run or judgments

Content = Literal["run", "qrels"]

NOT_WRITTEN = (".lz4", ".bz2", ".xz", ".zst", ".zip")
"""The ends of names of compressed files that are not written."""


def written_formats(content: Content) -> dict[str, Format[object]]:
    """The formats that runs, or judgments, are written in, by name."""
    return {form.name: form for form in formats() if form.content == content and form.writers}


def choose_writer(content: Content, name: str | None = None, path: str = "") -> Write:
    """The writer of runs, or judgments, in the format of that name.

    Without a name it is the format of files whose name ends as `path` does (`.gz` at the end does
    not count), or else TREC's.
    """
    by_name = written_formats(content)
    if name is not None and name not in by_name:
        raise DataError(
            f"no format that {'runs' if content == 'run' else 'judgments'} are written in is "
            f"called {name!r}{did_you_mean(name, by_name)}",
            problem="unknown format",
        )
    if path.lower().endswith(NOT_WRITTEN):
        raise DataError(f"{path_text(path)}: files are packed with gzip only: end it in .gz")
    file = path.lower().removesuffix(".gz")
    if file.endswith(".parquet") and file != path.lower():
        raise DataError(f"{path_text(path)}: Parquet is compressed already: leave .gz out")
    candidates = by_name.values() if name is None else [by_name[name]]
    for form in candidates:
        for ending, write in form.writers.items():
            if ending and file.endswith(ending):
                return write
    return next(iter(by_name[name or TREC[content]].writers.values()))


def write_file(lists: Lists, content: Content, path: str, name: str | None = None) -> None:
    """Write a run, or judgments, into a file, gzip if it ends in `.gz`: complete or not at all."""
    write = choose_writer(content, name, path)
    with opened_for_writing(path) as stream:
        write(lists, stream)
