"""Parameters of an engine: `k1=0.9` on a command line, or a file in YAML, JSON or TOML.

A value is a number, a boolean or a text, by one rule for all: a text written like a number of JSON
is one, `true` and `false` are booleans, everything else is text, and so is a text in quotes. `007`
is text, as ids are. Nested names are joined by dots: `index.stemmer`.
"""

from __future__ import annotations

import json
import math
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, time
from numbers import Integral, Real
from pathlib import PurePath
from typing import Any

from evalstore.errors import DataError, did_you_mean
from evalstore.formats.reading.lines import repeated_key, unreadable
from evalstore.formats.reading.source import ReadOptions, blocks, printable, quoted, refuse

Parameter = int | float | bool | str

NUMBER = re.compile(
    r"-?(?:0|[1-9][0-9]{0,17})(?P<fraction>\.[0-9]+)?(?P<power>[eE][+-]?[0-9]{1,3})?"
)
MOST = 1_000
"""Parameters of a run. A file with more is something else, or made to fill the store."""
LONGEST_NAME = 200
LONGEST = 10_000
"""Characters of a value."""
DEEPEST = 20
LARGEST_FILE = 1 << 20
LARGEST_INTEGER_BITS = 10_000
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
"""Characters that no text of a fact has: a database refuses some, terminals obey others."""
SUFFIXES = {".yaml": "YAML", ".yml": "YAML", ".json": "JSON", ".toml": "TOML"}


def parse_parameter(text: str) -> tuple[str, Parameter]:
    """Name and value of `k1=0.9`; all after the first `=` is the value."""
    name, equals, value = text.partition("=")
    name = name.strip()
    if not equals or not name:
        raise DataError(f"{text!r} is no parameter: write it like k1=0.9")
    return check_name(name), typed(value.strip())


def check_name(name: str) -> str:
    """The name of a parameter, if it is allowed: one line without `=`, `"` and backslash.

    SQLite has no way to name such a key within JSON, which the view run_parameters has to.
    """
    unwritable = not name.isprintable() or set(name) & set('="\\')
    if not name.strip() or unwritable or len(name) > LONGEST_NAME:
        raise DataError(
            f"{quoted(name)} is no name of a parameter: one line without =, quotes and "
            f"backslashes, at most {LONGEST_NAME} characters"
        )
    return name


def check_parameters(values: Mapping[str, object]) -> dict[str, Parameter]:
    """Parameters given in memory, as those of a file: nested names are joined by dots.

    A list is its JSON as text, None is no parameter. Numbers that JSON does not have (NaN, 19
    digits) become text, but are refused in a list.
    """
    parameters: dict[str, Parameter] = {}
    for name, value in _flat(values):
        if check_name(name) in parameters:
            raise DataError(f"the parameter {quoted(name)} stands twice")
        parameters[name] = _checked(name, value)
        if len(parameters) > MOST:
            raise DataError(f"more than {MOST:,} parameters")
    return parameters


def _checked(name: str, value: object) -> Parameter:
    if isinstance(value, bool):
        return value
    if isinstance(value, Integral) and int(value).bit_length() <= LARGEST_INTEGER_BITS:
        return int(value) if abs(int(value)) < 10**18 else str(int(value))
    if isinstance(value, Real) and not isinstance(value, Integral):
        return float(value) if math.isfinite(value) else str(float(value))
    if not isinstance(value, str):
        kind = type(value).__name__
        raise DataError(
            f"a parameter is a number, a boolean, text or a list: {quoted(name)} is of type {kind}"
            + ", too large" * isinstance(value, Integral)
        )
    if len(value) > LONGEST:
        raise DataError(f"the parameter {quoted(name)} has more than {LONGEST:,} characters")
    if CONTROL.search(value):
        raise DataError(f"the parameter {quoted(name)} has a control character")
    return value


def typed(text: str) -> Parameter:
    """The value of a text: a number, a boolean, or else the text itself."""
    if text in ("true", "false"):
        return text == "true"
    number = NUMBER.fullmatch(text)
    if number is None:
        if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
            text = text[1:-1]
        if len(text) > LONGEST:
            raise DataError(f"a value of more than {LONGEST:,} characters: {quoted(text)}")
        return text
    if number["fraction"] is None and number["power"] is None:
        return int(text)
    value = float(text)
    return value if math.isfinite(value) else text


def read_parameters(path: str, options: ReadOptions | None = None) -> dict[str, Parameter]:
    """The parameters in a file: YAML, JSON or TOML, by its suffix."""
    kind = SUFFIXES.get(PurePath(path).suffix.lower())
    if kind is None:
        refuse(path, None, f"parameters are read from {', '.join(SUFFIXES)} files, by the suffix")
    text = _text(path, options or ReadOptions())
    read = {"YAML": _yaml, "JSON": _json, "TOML": _toml}[kind]
    parameters: dict[str, Parameter] = {}
    for line, name, value in read(path, text):
        try:
            check_name(name)
        except DataError as error:
            refuse(path, line, str(error))
        if name in parameters:
            refuse(path, line, f"the parameter {quoted(name)} stands twice")
        if isinstance(value, str) and len(value) > LONGEST:
            refuse(path, line, f"{quoted(name)} has more than {LONGEST:,} characters")
        parameters[name] = value
        if len(parameters) > MOST:
            refuse(path, line, f"more than {MOST:,} parameters")
    return parameters


def _text(path: str, options: ReadOptions) -> str:
    content = bytearray()
    for block in blocks(path, options):
        content += block
        if len(content) > LARGEST_FILE:
            refuse(path, None, "larger than 1 MiB: is this a file of parameters?")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        refuse(path, None, "not UTF-8: recode the file, or give its encoding")


Found = Iterator[tuple[int | None, str, Parameter]]


def _flat(value: object, name: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """The values within a value; a list is its JSON as text, null is left out."""
    if depth > DEEPEST:
        raise DataError(f"nested more than {DEEPEST} levels deep")
    if isinstance(value, Mapping):
        for key, within in value.items():
            yield from _flat(within, f"{name}.{key}" if name else str(key), depth + 1)
    elif isinstance(value, list | tuple):
        _check_finite(name, value, "holds")
        yield name, json.dumps(value, ensure_ascii=False, default=str)
    elif isinstance(value, date | time):
        yield name, value.isoformat()
    elif value is not None:
        yield name, value


def _of_file(path: str, values: object) -> Found:
    """The values in a file of JSON or TOML."""
    try:
        for name, value in _flat(values):
            _check_finite(name, value, "is")
            yield None, name, value
    except DataError as error:
        refuse(path, None, str(error))


def _check_finite(name: str, value: object, verb: str) -> None:
    """Refuse NaN and infinities, also within a list: a store has no such numbers."""
    if isinstance(value, float) and not math.isfinite(value):
        what = f"the parameter {quoted(name)} {verb} {value}, no finite number"
        raise DataError(f"{what}: put it in quotes if it is a text")
    within = value.values() if isinstance(value, Mapping) else value
    if isinstance(within, Iterable) and not isinstance(within, str):
        for each in within:
            _check_finite(name, each, verb)


def _json(path: str, text: str) -> Found:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = dict(pairs)
        if len(names) < len(pairs):
            refuse(path, None, f"the parameter {quoted(repeated_key(pairs))} stands twice")
        return names

    try:
        value = json.loads(text, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        refuse(path, error.lineno, f"not JSON: {error.msg.lower()}")
    except (ValueError, RecursionError) as error:
        refuse(path, None, f"not JSON: {unreadable(error)}")
    if not isinstance(value, dict):
        refuse(path, None, "not a JSON object: names with their values are expected")
    yield from _of_file(path, value)


def _toml(path: str, text: str) -> Found:
    try:
        value = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"\(at line (\d+), column \d+\)$", str(error))
        what = re.sub(r" \(at .*\)$", "", str(error)).lower()
        refuse(path, int(line[1]) if line else None, f"not TOML: {what}")
    except (ValueError, RecursionError) as error:
        refuse(path, None, f"not TOML: {unreadable(error)}")
    yield from _of_file(path, value)


def _yaml(path: str, text: str) -> Found:
    """The values of a YAML document, by the rule of `typed`: YAML's own makes `no` a boolean."""
    import yaml  # noqa: PLC0415  (loaded only for such a file)

    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        what = getattr(error, "problem", None) or "a character that YAML does not allow"
        refuse(path, mark.line + 1 if mark else None, f"not YAML: {what}")
    except (ValueError, RecursionError) as error:
        refuse(path, None, f"not YAML: {unreadable(error)}")
    if not isinstance(node, yaml.MappingNode):
        refuse(path, None, "no mapping of YAML: lines like k1: 0.9 are expected")
    yield from _yaml_values(path, node, "", 0)


def _yaml_values(path: str, node: Any, name: str, depth: int) -> Found:
    import yaml  # noqa: PLC0415  (as above)

    line = node.start_mark.line + 1
    if depth > DEEPEST:
        refuse(path, line, f"nested more than {DEEPEST} levels deep")
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                refuse(path, key.start_mark.line + 1, "a name that is no text")
            within = f"{name}.{key.value}" if name else key.value
            yield from _yaml_values(path, value, within, depth + 1)
    elif isinstance(node, yaml.SequenceNode):
        yield line, name, json.dumps(_yaml_list(path, node, depth, [0]), ensure_ascii=False)
    elif node.style is not None:  # in quotes, or a block of text
        yield line, name, node.value
    elif node.value not in ("", "~", "null"):
        yield line, name, typed(node.value)


def _yaml_list(path: str, node: Any, depth: int, count: list[int]) -> Any:
    """A list as JSON has it; `count` is how many values it has so far, aliases repeated."""
    import yaml  # noqa: PLC0415  (as above)

    count[0] += 1
    if depth > DEEPEST:
        refuse(path, node.start_mark.line + 1, f"nested more than {DEEPEST} levels deep")
    if count[0] > LONGEST:
        refuse(path, node.start_mark.line + 1, f"a list of more than {LONGEST:,} values")
    if isinstance(node, yaml.MappingNode):
        return {str(k.value): _yaml_list(path, v, depth + 1, count) for k, v in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [_yaml_list(path, value, depth + 1, count) for value in node.value]
    return node.value if node.style is not None else typed(node.value)


# The kinds of facts of a run, by the names of the fields of `catalog.given_facts.GivenFacts`, which
# checks the values; and facts as JSON, whose kinds are checked here.

LINES = ("commit", "host", "started_by", "index_version", "collection_version", "currency")
"""Texts of one line."""
TEXTS = ("note", "command")
TIMES = ("started_at", "ended_at")
BYTES = ("index_bytes", "memory_bytes")
AMOUNTS = ("money", "energy_joules")
NAMES = ("parameters", "tags", "commit_dirty", "parent", *LINES, *TEXTS, *TIMES, *BYTES, *AMOUNTS)


def facts_from_json(values: object) -> dict[str, Any]:
    """Facts by name, from an object of JSON."""
    if not isinstance(values, Mapping):
        raise DataError("facts are an object, by their names")
    return {name: _fact(name, value) for name, value in values.items()}


def _fact(name: str, value: object) -> Any:
    if name not in NAMES:
        raise DataError(f"there is no fact {quoted(name)}{did_you_mean(name, NAMES)}")
    if name in TIMES:
        return time_from_json(name, value)
    if name == "parameters" and isinstance(value, Mapping):
        return check_parameters(value)
    if name == "tags" and isinstance(value, list) and all(isinstance(tag, str) for tag in value):
        return tuple(value)
    if _is_of_kind(name, value):
        return value
    raise DataError(f"the fact {name} can't be {printable(quoted(repr(value))[1:-1])}")


def _is_of_kind(name: str, value: object) -> bool:
    if name in (*LINES, *TEXTS, "parent"):
        return isinstance(value, str)
    if name == "commit_dirty":
        return isinstance(value, bool)
    if name in BYTES:
        return type(value) is int
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return name in AMOUNTS and abs(value) <= sys.float_info.max


def time_from_json(name: str, value: object) -> datetime:
    """A time in ISO 8601; UTC if it has no offset."""
    try:
        time = datetime.fromisoformat(value)  # type: ignore[arg-type]  # TypeError is caught
        return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    except (TypeError, ValueError, OverflowError):
        text = printable(quoted(repr(value))[1:-1])
        raise DataError(f"{name} is no time like 2026-11-21T19:37:04+00:00: {text}") from None


def json_of_facts(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts as JSON has them; `facts_from_json` reads them back the same."""
    return {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in facts.items()
    }


def merged(facts: Mapping[str, Any], later: Mapping[str, Any]) -> dict[str, Any]:
    """Facts with later ones: parameters and tags are added, others are replaced."""
    result = {**facts, **later}
    if "parameters" in later:
        result["parameters"] = {**facts.get("parameters", {}), **later["parameters"]}
    if "tags" in later:
        result["tags"] = tuple(dict.fromkeys([*facts.get("tags", ()), *later["tags"]]))
    for name in ("parameters", "tags"):
        if len(result.get(name, ())) > MOST:
            raise DataError(f"more than {MOST:,} {name}")
    return result
