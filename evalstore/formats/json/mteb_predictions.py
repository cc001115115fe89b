"""Predictions of MTEB 2: subset > split > query > document > score, with the model's name.

MTEB 1 writes the inner two levels alone, which `run_json` reads.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, BinaryIO

from evalstore.errors import DataError, FileError
from evalstore.formats.file_names import tag_of_file, tag_of_text
from evalstore.formats.json.files import (
    check_unique_keys,
    checked_objects,
    first_value_in,
    read_object,
    write_object,
)
from evalstore.formats.lists import Lists
from evalstore.formats.registry import Format, Recognised
from evalstore.formats.run import Run
from evalstore.formats.source import ReadOptions, path_text, quoted

META = "mteb_model_meta"


Scores = Mapping[str, Any]


def read_run(path: str, options: ReadOptions | None = None) -> Run:
    """Read the run of a file of predictions that holds one; its tag is the model's name.

    Model and revision are parameters of the run. A warning tells them, and the subset and the
    split. A file of several subsets or splits holds several runs, and none of them is chosen.

    Raises:
        FileError: no JSON object.
        DataError: several runs, or what is wrong, with its keys.
    """
    meta, runs = _read(path, options)
    if len(runs) != 1:
        several = "; ".join(_words(part) for part in list(runs)[:5]) or "none"
        raise DataError(
            f"{path_text(path)}: one run is expected, and there are {len(runs):,} ({several})",
            problem="several runs" if runs else None,
        )
    [(part, scores)] = runs.items()
    return _run(path, meta, part, scores)


def list_parts(path: str, options: ReadOptions | None = None) -> tuple[tuple[str, ...], ...]:
    """The subset (where there is this level) and the split of each run in a file.

    Raises:
        FileError: no JSON object.
        DataError: no object of splits, or of queries.
    """
    return tuple(_read(path, options)[1])


def read_part(path: str, options: ReadOptions | None, part: tuple[str, ...]) -> Run:
    """Read one of the runs of a file, as `read_run` does.

    Raises:
        FileError: no JSON object, or the file has no such part.
        DataError: what is wrong, with its keys.
    """
    meta, runs = _read(path, options)
    if part not in runs:
        raise FileError(path_text(path), None, f"there is no {_words(part)}")
    return _run(path, meta, part, runs[part])


def _read(path: str, options: ReadOptions | None) -> tuple[object, dict[tuple[str, ...], Scores]]:
    """What a file tells of the model, and its runs by subset and split.

    Releases of MTEB differ in whether there is a level of subsets.
    """
    content = read_object(path, options or ReadOptions())
    meta = content.pop(META, None)
    check_unique_keys(path, content, "subset")
    runs: dict[tuple[str, ...], Scores] = {}
    for name, inner in content.items():
        if not isinstance(inner, Mapping):
            raise DataError(f"{path_text(path)}: {quoted(name)} holds no object of splits")
        if _depth(inner) == 2:
            runs[(name,)] = inner
            continue
        check_unique_keys(f"{path}, subset {quoted(name)}", inner, "split")
        for split, queries in inner.items():
            if not isinstance(queries, Mapping):
                raise DataError(
                    f"{path_text(path)}: split {quoted(split)} of {quoted(name)} holds no object "
                    "of queries"
                )
            runs[name, split] = queries
    return meta, runs


def _run(path: str, meta: object, part: tuple[str, ...], scores: Scores) -> Run:
    model, revision = _text(meta, "model_name"), _text(meta, "revision")
    tag = tag_of_text(model) if model else tag_of_file(path)
    run = Run.from_dict(checked_objects(path, scores, "score"), name=path_text(path), tag=tag)
    note = (
        f"{path_text(path)}: {_words(part)}, model {quoted(model) if model else 'unknown'}, "
        f"revision {quoted(revision) if revision else 'unknown'}"
    )
    given = {"model": model, "revision": revision}
    parameters = {name: value for name, value in given.items() if value}
    return replace(run, warnings=(*run.warnings, note), facts={"parameters": parameters})


def _words(part: tuple[str, ...]) -> str:
    """The subset and the split of a run, as messages name them."""
    names = ("subset", "split")[-len(part) :]
    return ", ".join(f"{name} {quoted(key)}" for name, key in zip(names, part, strict=True))


def _depth(value: object) -> int:
    """How many levels of objects there are below the first key that holds something."""
    depth = 0
    while isinstance(value, Mapping):
        depth += 1
        value = next((inner for inner in value.values() if inner != {}), None)
    return depth


def _text(meta: object, key: str) -> str:
    value = meta.get(key) if isinstance(meta, Mapping) else None
    return value if isinstance(value, str) else ""


def write_run(run: Lists, stream: BinaryIO) -> None:
    """Write a run as the split `test` of the subset `default`.

    Model and revision are the parameters of these names; without them the model is the run tag,
    and the revision is null.
    """
    model, revision = _text(run.parameters, "model"), _text(run.parameters, "revision")
    meta = {"model_name": model or run.tag, "revision": revision or None}
    stream.write(f'{{"{META}": {json.dumps(meta, ensure_ascii=False)},\n'.encode())
    stream.write(b'"default": {"test": ')
    write_object(run.lists, stream, whole=False)
    stream.write(b"}}\n")


def _recognise(head: str) -> Recognised | None:
    if first_value_in(head) == "{":
        return Recognised(False, "a JSON object of objects of objects")
    if f'"{META}"' in head and head.lstrip().startswith("{"):
        return Recognised(True, f"a JSON object with the key {META}")
    return None


MTEB_PREDICTIONS: Format[Run] = Format(
    name="mteb-predictions",
    title="predictions of MTEB 2: subset, split, query, document and score",
    content="run",
    extensions=(".json",),
    example='{"mteb_model_meta": {"model_name": "m", "revision": "r"}, '
    '"default": {"test": {"q1": {"d7": 0.75, "d9": 0.5}}}}\n',
    recognise=_recognise,
    read=read_run,
    parts=list_parts,
    read_part=read_part,
    writers={"": write_run},
    lost="the run tag where there is a parameter model",
)
