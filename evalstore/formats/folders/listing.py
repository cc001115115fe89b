"""What stands in a folder: its files and folders, without links that lead out of it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from evalstore.errors import FileError
from evalstore.formats.paths import is_url, natural
from evalstore.formats.source import path_text, printable

MOST_ENTRIES = 10_000
"""Files of a folder. One with more is something else, or takes minutes to look through."""
MOST_NAMED = 5


@dataclass(frozen=True)
class Listing:
    """The content of a folder, in natural order; hidden names (`.x`) are left out.

    Attributes:
        path: the folder.
        files: the names of regular files, and of links to files within the root.
        folders: the names of folders; links to folders are none.
        left_out: the names of everything else: links, pipes, devices.
    """

    path: str
    files: tuple[str, ...]
    folders: tuple[str, ...]
    left_out: tuple[str, ...]

    def file(self, name: str) -> str:
        """The path of a file or folder of this one."""
        if is_url(self.path):
            return f"{self.path.rstrip('/')}/{name}"
        return os.path.join(self.path, name)

    def warnings(self) -> tuple[str, ...]:
        """A sentence about what was left out."""
        if not self.left_out:
            return ()
        what = "links out of the folder, pipes, devices"
        return (f"{path_text(self.path)}: left out: {names_text(self.left_out)} ({what})",)


def list_folder(path: str, root: str | None = None) -> Listing:
    """List a folder.

    Args:
        path: the folder, also one of an object store.
        root: links may lead to files within this folder; within `path` where None.

    Raises:
        FileError: it can't be read, or has more than 10,000 entries.
    """
    if is_url(path):
        return _list_objects(path)
    inside = os.path.realpath(path if root is None else root)
    files, folders, left_out = [], [], []
    try:
        with os.scandir(path) as entries:
            for number, entry in enumerate(entries):
                if number == MOST_ENTRIES:
                    raise _too_many(path)
                if entry.name.startswith("."):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.name)
                elif entry.is_file(follow_symlinks=False) or _leads_to_file(entry.path, inside):
                    files.append(entry.name)
                else:
                    left_out.append(entry.name)
    except OSError as error:
        raise FileError(path_text(path), None, (error.strerror or str(error)).lower()) from None
    except ValueError:  # a NUL in the path
        raise FileError(path_text(path), None, "no such file or directory") from None
    return _sorted(path, files, folders, left_out)


def walk_files(path: str, *, deepest: int = 10, most: int = MOST_ENTRIES) -> Iterator[str]:
    """Yield the paths of the files in a folder and in those within it, at most `most` of them.

    Raises:
        FileError: a folder can't be read.
    """
    waiting, count = [(path, 0)], 0
    while waiting:
        folder, depth = waiting.pop()
        listing = list_folder(folder, path)
        for name in listing.files:
            count += 1
            if count > most:
                return
            yield listing.file(name)
        if depth < deepest:
            waiting.extend((listing.file(name), depth + 1) for name in reversed(listing.folders))


def names_text(names: tuple[str, ...] | list[str]) -> str:
    """The first few names, and how many there are more."""
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    return ", ".join(printable(name) for name in names[:MOST_NAMED]) + more


def _list_objects(url: str) -> Listing:
    from evalstore.formats.remote import folder_entries  # noqa: PLC0415  (only URLs need it)

    files, folders = folder_entries(url)
    if len(files) + len(folders) > MOST_ENTRIES:
        raise _too_many(url)
    return _sorted(
        url, *([n for n in names if not n.startswith(".")] for names in (files, folders))
    )


def _too_many(path: str) -> FileError:
    what = f"more than {MOST_ENTRIES:,} files: give fewer, or the files themselves"
    return FileError(path_text(path), None, what)


def _sorted(path: str, *names: list[str]) -> Listing:
    files, folders, *others = (tuple(sorted(some, key=natural)) for some in names)
    return Listing(path, files, folders, others[0] if others else ())


def _leads_to_file(link: str, inside: str) -> bool:
    """Whether a link leads to a regular file within a folder."""
    target = os.path.realpath(link)
    within = os.path.commonpath([target, inside]) == inside
    return within and os.path.isfile(target) and os.path.islink(link)
