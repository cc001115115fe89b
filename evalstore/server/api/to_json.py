"""The codec of answers: records and values as JSON has them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import date, datetime, time
from functools import cache
from typing import Any, get_args

from evalstore.server.api.operation import Content


def to_json(value: Any, content: type[Content] | None = None) -> Any:
    """A value of dictionaries, lists, texts, numbers, booleans and None.

    What JSON has no number for is None, bytes are hexadecimal, times are as in ISO 8601.

    Args:
        value: a record of a use case, a list of them, or a dictionary that has the names of JSON.
        content: the description of these: a record gives its attributes of these names.
    """
    if hasattr(value, "tolist"):  # an array or a number of NumPy
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    parts = {} if content is None else _parts(content)
    is_part = value is None or isinstance(value, Mapping) or type(value) in (list, tuple)
    if content is not None and not is_part:  # a record, which may be a named tuple
        value = {name: getattr(value, attribute) for name, (attribute, _) in parts.items()}
    if isinstance(value, Mapping):
        return {
            str(name): to_json(part, parts[name][1] if name in parts else None)
            for name, part in value.items()
        }
    if isinstance(value, list | tuple):
        return [to_json(part, content) for part in value]
    return value.hex() if isinstance(value, bytes) else value


@cache
def _parts(content: type[Content]) -> Mapping[str, tuple[str, type[Content] | None]]:
    """By the name of a field, the attribute of a record that it is made of, and its content."""
    return {
        name: (str(field.validation_alias or name), _content_in(field.annotation))
        for name, field in content.model_fields.items()
    }


def _content_in(annotation: Any) -> type[Content] | None:
    """The content in an annotation such as `list[X]` or `X | None`."""
    for part in get_args(annotation) or (annotation,):
        if isinstance(part, type) and issubclass(part, Content):
            return part
    return None
