"""Runs and judgments from any JSON, JSON lines, CSV, TSV or Parquet, by the paths of their fields.

A mapping is a text like `qid=query_id,docno=contexts[].doc_id,score=contexts[].score`: names with
dots between them lead into objects, and `[]` to every element of a list. Without a score the order
of the list, or of the rows of a query, is that of the ranking.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from evalstore.errors import DataError, did_you_mean
from evalstore.formats.json.lists import (
    Numbers,
    check_once,
    number_of,
    order_warnings,
    read_objects,
    scores_of,
    starts_json,
)
from evalstore.formats.qrels import Qrels
from evalstore.formats.reading.lines import numbered_lines, tag_of_file
from evalstore.formats.reading.rows import valid_id
from evalstore.formats.reading.source import ReadOptions, beginning, path_text, quoted
from evalstore.formats.registry import Format
from evalstore.formats.run import Run

FIELDS: Mapping[Literal["run", "qrels"], tuple[str, ...]] = {
    "run": ("qid", "docno", "score"),
    "qrels": ("qid", "docno", "grade"),
}
EXAMPLE = "qid=query_id,docno=contexts[].doc_id,score=contexts[].score"
STEP = re.compile(r"([^\[\]]+)((?:\[\])?)")
PARQUET = b"PAR1"


@dataclass(frozen=True)
class FieldPaths:
    """The path of each field of a file, as (name, whether every element of a list) steps."""

    paths: Mapping[str, tuple[tuple[str, bool], ...]]
    texts: Mapping[str, str]


def parse_mapping(text: str, content: Literal["run", "qrels"]) -> FieldPaths:
    """Read a mapping for runs or judgments.

    DataError: it is not of the form of `EXAMPLE`, or lacks a field (only a score may be missing).
    """
    texts: dict[str, str] = {}
    for part in text.split(","):
        name, sign, path = (piece.strip() for piece in part.partition("="))
        if not sign or not path:
            raise DataError(f"the mapping {quoted(part)} is not NAME=PATH: write it like {EXAMPLE}")
        if name not in FIELDS[content]:
            known = ", ".join(FIELDS[content])
            hint = did_you_mean(name, FIELDS[content])
            raise DataError(f"the mapping names {quoted(name)}{hint}: there are {known}")
        texts[name] = path
    for name in FIELDS[content]:
        if name not in texts and name != "score":
            raise DataError(f"the mapping lacks {name}: write it like {EXAMPLE}")
    paths = {}
    for name, path in texts.items():
        steps = [STEP.fullmatch(step) for step in path.split(".")]
        if not all(steps):
            raise DataError(f"the path {quoted(path)} is no names with dots between them")
        paths[name] = tuple((step[1], bool(step[2])) for step in steps if step is not None)
    return FieldPaths(paths, texts)


def check_mapping(text: str) -> None:
    """Refuse a text that is a mapping neither for runs nor for judgments."""
    is_of_judgments = any(part.strip().startswith("grade") for part in text.split(","))
    parse_mapping(text, "qrels" if is_of_judgments else "run")


def mapped_format(text: str, content: Literal["run", "qrels"]) -> Format[Any]:
    """The format of files with this mapping."""
    mapping = parse_mapping(text, content)

    def read(path: str, options: ReadOptions | None = None) -> Run | Qrels:
        numbers = _numbers(path, options or ReadOptions(), mapping, content)
        if content == "qrels":
            return Qrels.from_dict(numbers, name=path_text(path))
        run = Run.from_dict(numbers, name=path_text(path), tag=tag_of_file(path))
        return replace(run, warnings=(*run.warnings, *order_warnings(path, numbers)))

    return Format(
        name="mapped",
        title=f"fields {text}",
        content=content,
        extensions=(),
        example="",
        recognise=lambda _: None,
        read=read,
    )


def _numbers(
    path: str, options: ReadOptions, mapping: FieldPaths, content: Literal["run", "qrels"]
) -> Numbers:
    """The scores or grades by query and document, in the order of the file."""
    last = FIELDS[content][-1]
    documents: dict[str, list[str]] = {}
    values: dict[str, list[object]] = {}
    for where, row in _rows(path, options):
        fields = {name: _values(where, row, mapping, name) for name in mapping.paths}
        length = max((len(each) for each in fields.values() if isinstance(each, list)), default=1)
        for name, each in fields.items():
            if isinstance(each, list) and len(each) != length:
                what = f"{mapping.texts[name]} has {len(each):,} elements, and another {length:,}"
                raise DataError(f"{where}: {what}")
        columns = {
            name: each if isinstance(each, list) else [each] * length
            for name, each in fields.items()
        }
        for number in range(length):
            qid = valid_id(columns["qid"][number], "qid", f"{where}: ")
            documents.setdefault(qid, []).append(
                valid_id(columns["docno"][number], "docno", f"{where}: ")
            )
            values.setdefault(qid, []).append(columns[last][number] if last in columns else None)
    numbers: Numbers = {}
    for qid, docnos in documents.items():
        where = f"{path_text(path)}, query {quoted(qid)}"
        check_once(where, docnos)
        if content == "run":
            numbers[qid] = scores_of(where, docnos, values[qid])
        else:
            numbers[qid] = {
                docno: number_of(f"{where}, document {quoted(docno)}", value, "grade")
                for docno, value in zip(docnos, values[qid], strict=True)
            }
    return numbers


def _values(where: str, row: object, mapping: FieldPaths, name: str) -> object:
    """The value of a field in a row: a list, in a path with `[]`."""
    found: list[object] = [row]
    is_list = False
    for key, every in mapping.paths[name]:
        inner: list[object] = []
        for value in found:
            if not isinstance(value, dict) or key not in value:
                known = (
                    f", which has {', '.join(list(value)[:10])}" if isinstance(value, dict) else ""
                )
                raise DataError(
                    f"{where}: nothing under {quoted(key)} of {quoted(mapping.texts[name])}{known}"
                )
            inner += _elements(where, value[key], mapping.texts[name]) if every else [value[key]]
        found, is_list = inner, is_list or every
    return found if is_list else found[0]


def _elements(where: str, value: object, path: str) -> Sequence[object]:
    if not isinstance(value, list):
        raise DataError(f"{where}: a list is expected for [] in {quoted(path)}")
    return value


def _rows(path: str, options: ReadOptions) -> Iterator[tuple[str, object]]:
    """The rows of a file, each with its place."""
    head = beginning(path, options)
    if head.startswith(PARQUET.decode()):
        import pyarrow.parquet as pq  # noqa: PLC0415  (only for this format)

        number = 0
        for batch in pq.ParquetFile(path).iter_batches():
            for row in batch.to_pylist():
                number += 1
                yield f"{path_text(path)}, row {number:,}", row
    elif starts_json(head):
        yield from read_objects(path, options)
    else:
        lines = iter(numbered_lines(path, options))
        first, header = next(lines, (1, ""))
        delimiter = "\t" if "\t" in header else ","
        names = next(csv.reader([header], delimiter=delimiter), [])
        for line, text in lines:
            cells = next(csv.reader([text], delimiter=delimiter), [])
            if len(cells) != len(names):
                raise DataError(
                    f"{path_text(path)}:{line}: expected {len(names):,} columns as in line "
                    f"{first}, found {len(cells):,}"
                )
            yield f"{path_text(path)}:{line}", dict(zip(names, cells, strict=True))
