"""Folders of run files: plain, with a table of parameters, of PyTerrier, of TIRA.

Links that lead out of a folder are left out.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from evalstore.errors import DataError, FileError
from evalstore.formats.facts.ir_metadata import read_metadata
from evalstore.formats.facts.parameters import Parameter, check_name, typed
from evalstore.formats.reading.lines import run_name, without_packing
from evalstore.formats.reading.paths import is_url, natural
from evalstore.formats.reading.remote import folder_entries
from evalstore.formats.reading.rows import check_width, csv_lines
from evalstore.formats.reading.source import (
    ReadOptions,
    beginning,
    path_text,
    printable,
    quoted,
    reason,
    refuse,
)
from evalstore.formats.registry import FolderFormat, named_formats, recognised
from evalstore.formats.sources import RunSource, RunSources, file_sources

MOST_ENTRIES = 10_000
"""Files of a folder. One with more is something else, or takes minutes to look through."""
MOST_NAMED = 5


@dataclass(frozen=True)
class Listing:
    """The content of a folder, in natural order; hidden names (`.x`) are left out.

    Attributes:
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
    """List a folder, also of an object store; links may lead to files within `root` (or `path`)."""
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
        refuse(path, None, reason(error))
    except ValueError:  # a NUL in the path
        refuse(path, None, "no such file or directory")
    return _sorted(path, files, folders, left_out)


def walk_files(path: str, *, deepest: int = 10, most: int = MOST_ENTRIES) -> Iterator[str]:
    """Yield the paths of at most `most` files in a folder and in those within it."""
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
    target = os.path.realpath(link)
    within = os.path.commonpath([target, inside]) == inside
    return within and os.path.isfile(target) and os.path.islink(link)


# A folder of run files: each is a run of its own


def read_plain_folder(path: str, options: ReadOptions) -> RunSources:
    """The runs of the files in a folder; warnings name other files, and folders."""
    listing = list_folder(path)
    return runs_of_files(listing, listing.files, options)


def runs_of_files(listing: Listing, files: Sequence[str], options: ReadOptions) -> RunSources:
    """The runs of some files of a folder."""
    runs: list[RunSource] = []
    others: list[str] = []
    for name in files:
        sources = sources_of(listing.file(name), options)
        runs.extend(sources)
        if not sources:
            others.append(name)
    warnings = [*listing.warnings()]
    if others:
        warnings.append(f"{path_text(listing.path)}: no runs, left out: {names_text(others)}")
    if listing.folders:
        folders = names_text(listing.folders)
        warnings.append(f"{path_text(listing.path)}: folders within it are not read: {folders}")
    return RunSources(tuple(runs), tuple(warnings))


PLAIN_FOLDER = FolderFormat(
    name="run-folder",
    title="folder of run files",
    example="bm25.run\ndense.json\n",
    recognise=os.path.isdir,
    read=read_plain_folder,
)


# Files of a folder that are runs, by their content. A file that may also be judgments is not taken
# for a run here: a file that somebody names is known to be a run, one that lies in a folder is not.

Look = Literal["run", "unclear", "no run"]
RUN_SUFFIXES = (".run", ".res", ".trec")
"""A file with such a name is read as a run in any case, so that its fault is told."""


def look_of(path: str, options: ReadOptions) -> Look:
    """Whether a file looks like a run; `unclear` if it may be judgments as well."""
    head = beginning(path, options)
    named = [f for f in named_formats(options.formats) if f.content == "run"]
    if named:
        return "run" if any(form.recognise(head) for form in named) else "no run"
    runs = recognised(head, "run")
    if not runs:
        return "run" if without_packing(path).endswith(RUN_SUFFIXES) else "no run"
    certain = any(reason.certain for _, reason in runs)
    has_ranks = "rank" in head.partition("\n")[0].replace("\t", ",").split(",")
    return "run" if certain or has_ranks or not recognised(head, "qrels") else "unclear"


def sources_of(path: str, options: ReadOptions) -> tuple[RunSource, ...]:
    """The runs of a file of a folder; one with an error if it may be judgments or can't be read."""
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


# A folder of run files with a table of their parameters: CSV or TSV, a row for each run. One column
# names the run (`file`, `run` or `name`), every other one is a parameter.

KEYS = ("file", "run", "name")
SUFFIXES = (".csv", ".tsv")
TABLES_OF_VALUES = ("aggregated.csv", "perquery.csv")
"""Values that PyTerrier writes beside its runs, with a column `name`."""


@dataclass(frozen=True)
class Row:
    """A row of the table: its line, its name of the file, the name of the run if there is one."""

    line: int
    key: str
    name: str | None
    parameters: dict[str, Parameter]


def recognise(path: str) -> bool:
    """Whether there is a table that names runs, and a run."""
    if not os.path.isdir(path):
        return False
    listing, options = list_folder(path), ReadOptions()
    return bool(_tables(listing, options)) and any(
        look_of(listing.file(name), options) != "no run" for name in listing.files
    )


def read_parameter_table(path: str, options: ReadOptions) -> RunSources:
    """The runs of a folder with the parameters of their rows; a row without a run is an error."""
    listing = list_folder(path)
    tables = _tables(listing, options)
    if len(tables) != 1:
        what = f"one table of parameters is expected, and there are {len(tables):,}"
        refuse(path, None, what + f" ({names_text(tables)})" * bool(tables))
    [name] = tables
    table = listing.file(name)
    rows = _rows(table, options)
    files = [file for file in listing.files if file != name]
    folder = runs_of_files(listing, files, options)
    given = _given(table, rows, folder.runs)
    runs: list[RunSource] = []
    for number, source in enumerate(folder.runs):
        if number in given:
            row = given[number]
            facts = {"parameters": row.parameters}
            runs.append(replace(source, name=row.name or source.name, facts=facts))
        else:
            what = f"{path_text(source.path)}: no row in {path_text(name)}, so no parameters"
            runs.append(replace(source, warnings=(*source.warnings, what)))
    for row in rows:
        if row not in given.values():
            what = f"no run {quoted(row.key)} in this folder"
            error = FileError(path_text(table), row.line, what)
            runs.append(RunSource(table, name=row.name or row.key, error=error))
    return RunSources(tuple(runs), folder.warnings)


def _tables(listing: Listing, options: ReadOptions) -> list[str]:
    """The names of the tables of a folder whose first line names a column of runs."""
    tables = []
    for name in listing.files:
        path = listing.file(name)
        if not name.endswith(SUFFIXES) or name in TABLES_OF_VALUES:
            continue
        first = beginning(path, options).lstrip().partition("\n")[0].replace("\t", ",")
        columns = [cell.strip().strip('"').lower() for cell in first.split(",")]
        if len(columns) > 1 and any(key in columns for key in KEYS):
            tables.append(name)
    return tables


def _rows(table: str, options: ReadOptions) -> list[Row]:
    lines = csv_lines(table, options)
    line, header = next(lines)
    key, name = _key_columns(table, line, [cell.lower() for cell in header])
    parameters = [column for column in range(len(header)) if column not in (key, name)]
    _check_header(table, line, [header[column] for column in parameters])
    rows: list[Row] = []
    for line, cells in lines:
        if len(rows) == MOST_ENTRIES:
            refuse(table, line, f"more than {MOST_ENTRIES:,} rows")
        check_width(table, line, cells, header)
        if not cells[key]:
            refuse(table, line, f"the column {header[key]} is empty: it names the run")
        rows.append(
            Row(
                line,
                cells[key],
                (cells[name] or None) if name is not None else None,
                dict(_typed(table, line, header, cells, parameters)),
            )
        )
    return rows


def _key_columns(table: str, line: int, header: list[str]) -> tuple[int, int | None]:
    """The column that names the file, and the one that names the run if that is another one."""
    keys = [column for column, cell in enumerate(header) if cell in KEYS]
    if len(keys) == 1:
        return keys[0], None
    if len(keys) == 2 and [header[column] for column in keys].count("file") == 1:
        file = header.index("file")
        return file, next(column for column in keys if column != file)
    refuse(
        table, line, "which column names the run? one of file, run and name, or file and another"
    )


def _check_header(table: str, line: int, names: Sequence[str]) -> None:
    for name in names:
        try:
            check_name(name)
        except DataError as error:
            refuse(table, line, str(error))
        if names.count(name) > 1:
            refuse(table, line, f"two columns are named {quoted(name)}")


def _typed(
    table: str, line: int, header: list[str], cells: list[str], columns: list[int]
) -> Iterator[tuple[str, Parameter]]:
    """The parameters of a row; an empty cell is none."""
    for column in columns:
        if cells[column]:
            try:
                yield header[column], typed(cells[column])
            except DataError as error:
                refuse(table, line, str(error))


def _given(table: str, rows: Sequence[Row], runs: Sequence[RunSource]) -> dict[int, Row]:
    """The row of each run, by the run's position."""
    named = defaultdict(list)
    for number, source in enumerate(runs):
        file = os.path.basename(source.path)
        for name in {file, run_name(source.path), source.name or file}:
            named[name].append(number)
    given: dict[int, Row] = {}
    for row in rows:
        numbers = named[row.key]
        files = sorted({os.path.basename(runs[number].path) for number in numbers})
        if len(files) > 1 and row.key in files:
            numbers = [n for n in numbers if os.path.basename(runs[n].path) == row.key]
        elif len(files) > 1:
            refuse(table, row.line, f"{quoted(row.key)} may be {names_text(files)}: name the file")
        for number in numbers:
            if number in given:
                what = f"{quoted(row.key)} has a row already, on line {given[number].line}"
                refuse(table, row.line, what)
            given[number] = row
    return given


PARAMETER_TABLE = FolderFormat(
    name="parameter-folder",
    title="folder of run files with a table of their parameters, CSV or TSV",
    example="bm25.run\ndense.run\nparameters.csv  (file,k1,model)\n",
    recognise=recognise,
    read=read_parameter_table,
)


# Folders that PyTerrier's `Experiment(save_dir=...)` wrote: `<name>.res.gz` for each system

PYTERRIER_RUNS = (".res.gz", ".res")
PICKLE = ".mod"


def recognise_pyterrier(path: str) -> bool:
    """Whether there are results, and PyTerrier's tables of values, or nothing but results."""
    if not os.path.isdir(path):
        return False
    files = list_folder(path).files
    results = [name for name in files if name.endswith((*PYTERRIER_RUNS, PICKLE))]
    packed = any(name.endswith((".res.gz", PICKLE)) for name in results)
    return packed and (
        any(name in files for name in TABLES_OF_VALUES) or len(results) == len(files)
    )


def read_pyterrier(path: str, options: ReadOptions) -> RunSources:
    """The runs in a folder of PyTerrier, whose tags are all the same: files name the engines."""
    listing = list_folder(path)
    runs = [
        RunSource(listing.file(name), name=run_name(name), engine=run_name(name))
        for name in listing.files
        if name.endswith(PYTERRIER_RUNS)
    ]
    return RunSources(tuple(runs), (*listing.warnings(), *_left_out(listing)))


def _left_out(listing: Listing) -> list[str]:
    pickles = [name for name in listing.files if name.endswith(PICKLE)]
    others = [
        name
        for name in listing.files
        if not name.endswith((*PYTERRIER_RUNS, PICKLE)) and name not in TABLES_OF_VALUES
    ]
    warnings = []
    if pickles:
        what = (
            "pickles are not opened, because a pickle can run any program: save the runs as .res.gz"
        )
        warnings.append(f"{path_text(listing.path)}: left out: {names_text(pickles)} ({what})")
    if others:
        warnings.append(f"{path_text(listing.path)}: no runs, left out: {names_text(others)}")
    return warnings


PYTERRIER_FOLDER = FolderFormat(
    name="pyterrier-folder",
    title="folder that PyTerrier's Experiment(save_dir=...) wrote",
    example="bm25.res.gz\ndph.res.gz\naggregated.csv\nperquery.csv\n",
    recognise=recognise_pyterrier,
    read=read_pyterrier,
)


# A folder of TIRA: `run.txt` and `ir-metadata.yml`; or a folder of such folders

METADATA = ("ir-metadata.yml", "ir-metadata.yaml")
TIRA_RUNS = ("run.txt", "run.txt.gz")


def recognise_tira(path: str) -> bool:
    """Whether a folder, or one in it, has a file of metadata."""
    if not os.path.isdir(path):
        return False
    listing = list_folder(path)
    return _has_metadata(listing) or any(
        os.path.isfile(os.path.join(listing.file(name), file))
        for name in listing.folders
        for file in METADATA
    )


def read_tira(path: str, options: ReadOptions) -> RunSources:
    """The runs of a folder, named after the folders that hold them.

    A folder with metadata and without a run is a run with that error; others are left out.
    """
    listing = list_folder(path)
    if _has_metadata(listing):
        return RunSources((_source(listing, options),), listing.warnings())
    runs, others = [], list(listing.files)
    for name in listing.folders:
        within = list_folder(listing.file(name), path)
        if _has_metadata(within):
            runs.append(_source(within, options))
        else:
            others.append(f"{name}/")
    warnings = listing.warnings()
    if others:
        what = f"without {METADATA[0]}, left out: {names_text(others)}"
        warnings = (*warnings, f"{path_text(path)}: {what}")
    return RunSources(tuple(runs), warnings)


def _has_metadata(listing: Listing) -> bool:
    return any(name in listing.files for name in METADATA)


def _source(listing: Listing, options: ReadOptions) -> RunSource:
    name = os.path.basename(os.path.abspath(listing.path))
    runs = [file for file in TIRA_RUNS if file in listing.files]
    metadata = next(listing.file(file) for file in METADATA if file in listing.files)
    try:
        if len(runs) != 1:
            what = f"one of {' and '.join(TIRA_RUNS)} is expected, and there are {len(runs)}"
            refuse(listing.path, None, what)
        facts, warnings = read_metadata(metadata, options)
    except DataError as error:
        return RunSource(listing.path, name=name, error=error)
    return RunSource(listing.file(runs[0]), name=name, facts=facts, warnings=warnings)


TIRA_FOLDER = FolderFormat(
    name="tira-folder",
    title="folder of TIRA, a run with its ir_metadata; or a folder of such folders",
    example="bm25/run.txt\nbm25/ir-metadata.yml\ndense/run.txt.gz\ndense/ir-metadata.yml\n",
    recognise=recognise_tira,
    read=read_tira,
)
