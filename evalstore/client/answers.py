"""The JSON of the API as the objects that the use cases give."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

from evalstore.comparison.comparability import RunValues
from evalstore.comparison.loading import Medians
from evalstore.errors import StoreError
from evalstore.measures import Measure

T = TypeVar("T")


def as_object(kind: type[T], content: Mapping[str, Any], **others: Any) -> T:
    """An object of a data class, its fields by the names that JSON has them by.

    Texts become times, and lists tuples, where the fields are such; `null` is NaN where a field is
    a number that can't be missing.

    Args:
        kind: the data class.
        content: the JSON; what the class has no field for is left out.
        others: further fields, or other values.

    Raises:
        StoreError: the JSON is not that of such an object.
    """
    hints = get_type_hints(kind)
    values = dict(others)
    try:
        for field in fields(kind):  # type: ignore[arg-type]  # a data class: mypy has no type for it
            if field.name not in others and field.name in content:
                values[field.name] = _read(hints[field.name], content[field.name])
        return kind(**values)
    except (TypeError, ValueError) as error:
        raise StoreError(f"the server answers something else than expected: {error}") from None


def _read(hint: Any, value: Any) -> Any:
    kinds = get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
    if value is None:
        return float("nan") if float in kinds and types.NoneType not in kinds else None
    if datetime in kinds:
        return datetime.fromisoformat(value)
    if any(get_origin(kind) is tuple for kind in kinds):
        return tuple(value)
    return value


def medians_of_run(
    content: Mapping[str, Any], qids: Sequence[str], measures: Mapping[str, Measure]
) -> Medians:
    """The medians of some queries, by the names that measures are shown by."""
    rows = {qid: row for row, qid in enumerate(content["qids"])}
    chosen = [rows[qid] for qid in qids]
    columns = {name: np.array(column, np.float64) for name, column in content["medians"].items()}
    values = {name: columns[str(measure)][chosen] for name, measure in measures.items()}
    return Medians(content["runs"], values)


def run_values(
    content: Mapping[str, Any], qids: tuple[str, ...], measures: Mapping[str, Measure]
) -> RunValues:
    """A run with its values, by the names that measures are shown by."""
    columns = {name: np.array(column, np.float64) for name, column in content["values"].items()}
    return as_object(
        RunValues,
        content,
        qids=qids,
        answered=np.array(content["answered"], bool),
        values={name: columns[str(measure)] for name, measure in measures.items()},
    )
