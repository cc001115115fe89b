"""Which files of a folder are runs: told by their content, as for a file that is given by itself.

A file that may also be judgments is not taken for a run here: a file that somebody names is known
to be a run, one that lies in a folder is not.
"""

from __future__ import annotations

from typing import Literal

from evalstore.errors import FileError
from evalstore.formats.file_names import without_packing
from evalstore.formats.registry import formats, recognised
from evalstore.formats.run_sources import RunSource, file_sources
from evalstore.formats.source import ReadOptions, beginning, path_text

Look = Literal["run", "unclear", "no run"]
RUN_SUFFIXES = (".run", ".res", ".trec")
"""A file that is called so is read as a run in any case, so that its fault is told."""


def look_of(path: str, options: ReadOptions) -> Look:
    """Whether a file looks like a run; `unclear` where it may be judgments as well."""
    head = beginning(path, options)
    named = [f for f in formats() if f.name in options.formats and f.content == "run"]
    if named:
        return "run" if any(form.recognise(head) for form in named) else "no run"
    runs = recognised(head, "run")
    if not runs:
        return "run" if without_packing(path).endswith(RUN_SUFFIXES) else "no run"
    certain = any(reason.certain for _, reason in runs)
    if certain or _has_ranks(head) or not recognised(head, "qrels"):
        return "run"
    return "unclear"


def _has_ranks(head: str) -> bool:
    """Whether a frame has a column of ranks, which judgments don't have."""
    return "rank" in head.partition("\n")[0].replace("\t", ",").split(",")


def sources_of(path: str, options: ReadOptions) -> tuple[RunSource, ...]:
    """The runs of a file of a folder; none where it does not look like a run.

    A file that may be judgments as well is a run with that error, and so is a URL that can't be
    read.
    """
    if options.is_known is not None and options.is_known(path):
        return (RunSource(path),)
    try:
        look = look_of(path, options)
    except FileError as fault:
        return (RunSource(path, error=fault),)
    if look == "no run":
        return ()
    if look == "unclear":
        what = "this may be a run or judgments"
        error = FileError(path_text(path), None, what, problem="which format")
        return (RunSource(path, error=error),)
    return file_sources(path, options)
