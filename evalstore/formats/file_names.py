"""The names that files give to runs, and to run tags where a format has none."""

from __future__ import annotations

import re
from pathlib import PurePath

from evalstore.formats.lines import BLANKS, CONTROLS
from evalstore.formats.trec.columns import MAX_ID
from evalstore.formats.urls import file_name, is_url

KNOWN_SUFFIXES = (
    ".run", ".txt", ".trec", ".res", ".tsv", ".csv", ".json", ".jsonl", ".parquet", ".evalrun",
)  # fmt: skip
PACKED = (".gz", ".lz4")


def run_name(path: str) -> str:
    """The name of a run from a file: its name without `.gz` or `.lz4`, and one known suffix."""
    last = file_name(path) if is_url(path) else PurePath(path).name
    name = "stdin" if path == "-" else without_packing(last)
    stem, suffix = name[: -len(PurePath(name).suffix) or None], PurePath(name).suffix
    return stem if suffix in KNOWN_SUFFIXES and stem else name


def without_packing(name: str) -> str:
    """The name of a file without the suffix that says how it is packed."""
    return next((name[: -len(end)] for end in PACKED if name.endswith(end)), "") or name


def tag_of_file(path: str) -> str:
    """A run tag for a file whose format has none: the name of the run, as `tag_of_text`."""
    return tag_of_text(run_name(path))


def tag_of_text(text: str) -> str:
    """A text as a run tag: `_` for blanks and control characters, cut at the length of ids."""
    word = re.sub(f"[{BLANKS}]|{CONTROLS.pattern}", "_", text)
    return word.encode()[:MAX_ID].decode(errors="ignore") or "run"
