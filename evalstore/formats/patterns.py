"""The files that a pattern stands for (`runs/**/*.gz`), where the shell has not expanded it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from fnmatch import translate

from evalstore.formats.natural_order import natural
from evalstore.formats.urls import is_object, is_url

ANY_FOLDERS = "**"
MAGIC = re.compile(r"[*?]|\[[^\]]+\]")
NO_MATCH = "no such file or directory, and none matches it as a pattern"


def is_pattern(path: str) -> bool:
    """Whether a path has what a pattern has: `*`, `?` or `[...]`; no URL of a web server has."""
    return MAGIC.search(path) is not None and (not is_url(path) or is_object(path))


def matching_files(pattern: str) -> list[str]:
    """The files that a pattern matches, in natural order of their paths.

    `*`, `?` and `[...]` match within a name; `**` matches any number of folders within each other,
    none included, without following links to folders. Names that begin with a point match only
    where the pattern has the point. Folders are matched where no file is and the pattern has no
    `**`.

    Args:
        pattern: a path; a file that has it as its name is the only match.
    """
    if pattern == "-" or not is_pattern(pattern) or os.path.lexists(pattern):
        return [pattern]
    if is_url(pattern):
        from evalstore.formats.remote import matching_objects  # noqa: PLC0415  (only URLs need it)

        return matching_objects(pattern)
    drive, path = os.path.splitdrive(pattern)
    names = re.split(r"[\\/]+" if os.sep == "\\" else "/+", path)
    root = drive + os.sep if names[0] == "" else drive
    is_deep = ANY_FOLDERS in names
    if names[-1] == ANY_FOLDERS:
        names.append("*")
    paths = list(dict.fromkeys(_matches(root, [name for name in names if name])))
    files = [path for path in paths if not os.path.isdir(path)]
    chosen = files if files or is_deep else paths
    return sorted(chosen, key=lambda path: [natural(name) for name in path.split(os.sep)])


def _matches(folder: str, names: list[str]) -> Iterator[str]:
    """The paths in a folder whose names match, one after the other, those of a pattern."""
    name, *others = names
    if name == ANY_FOLDERS:
        yield from _matches(folder, others)
        for entry in _entries(folder):
            if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
                yield from _matches(os.path.join(folder, entry.name), names)
    elif is_pattern(name):
        matches = re.compile(translate(os.path.normcase(name))).match
        for entry in _entries(folder):
            is_hidden = entry.name.startswith(".") and not name.startswith(".")
            if not is_hidden and matches(os.path.normcase(entry.name)):
                yield from _within(os.path.join(folder, entry.name), others)
    else:
        yield from _within(os.path.join(folder, name), others)


def _within(path: str, others: list[str]) -> Iterator[str]:
    """What matches within a path that has matched so far."""
    if not others:
        if os.path.lexists(path):
            yield path
    elif os.path.isdir(path):
        yield from _matches(path, others)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    """What a folder holds; nothing where it can't be read, as in a shell."""
    try:
        with os.scandir(folder or os.curdir) as entries:
            return list(entries)
    except OSError:
        return []
