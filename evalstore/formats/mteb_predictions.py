"""Predictions of MTEB 2: subset > split > query > document > score, with the model's name.

MTEB 1 writes the inner two levels alone, which `run_json` reads.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, BinaryIO

from evalstore.errors import DataError
from evalstore.formats.file_names import tag_of_file, tag_of_text
from evalstore.formats.json_files import (
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


def read_run(path: str, options: ReadOptions | None = None) -> Run:
    """Read the run of a file of predictions; its tag is the model's name.

    Model and revision are parameters of the run. A warning tells them, and the subset and the
    split. A file of several subsets or splits holds several runs, and none of them is chosen.

    Raises:
        FileError: no JSON object.
        DataError: several runs, or what is wrong, with its keys.
    """
    content = read_object(path, options or ReadOptions())
    meta = content.pop(META, None)
    where, scores = _only_run(path, content)
    model, revision = _text(meta, "model_name"), _text(meta, "revision")
    tag = tag_of_text(model) if model else tag_of_file(path)
    run = Run.from_dict(checked_objects(path, scores, "score"), name=path_text(path), tag=tag)
    note = (
        f"{path_text(path)}: {where}, model {quoted(model) if model else 'unknown'}, revision "
        f"{quoted(revision) if revision else 'unknown'}"
    )
    given = {"model": model, "revision": revision}
    parameters = {name: value for name, value in given.items() if value}
    return replace(run, warnings=(*run.warnings, note), facts={"parameters": parameters})


def _only_run(path: str, content: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """The one run of a file, and its subset and split as words.

    Releases of MTEB differ in whether there is a level of subsets.
    """
    runs: dict[str, Mapping[str, Any]] = {}
    for name, inner in content.items():
        if not isinstance(inner, Mapping):
            raise DataError(f"{path_text(path)}: {quoted(name)} holds no object of splits")
        if _depth(inner) == 2:
            runs[f"split {quoted(name)}"] = inner
            continue
        for split, queries in inner.items():
            if not isinstance(queries, Mapping):
                raise DataError(
                    f"{path_text(path)}: split {quoted(split)} of {quoted(name)} holds no object "
                    "of queries"
                )
            runs[f"subset {quoted(name)}, split {quoted(split)}"] = queries
    if len(runs) != 1:
        several = "; ".join(list(runs)[:5]) or "none"
        raise DataError(
            f"{path_text(path)}: one run is expected, and there are {len(runs):,} ({several}): "
            "write each subset and split to a file of its own"
        )
    return next(iter(runs.items()))


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
    writers={"": write_run},
    lost="the run tag where there is a parameter model",
)
