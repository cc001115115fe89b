"""The model that judged: `model=gpt-4o,prompt=prompt.txt,temperature=0,repeat=1`."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping
from datetime import date
from pathlib import Path

from evalstore.errors import DataError, did_you_mean
from evalstore.formats.reading.source import quoted

NAMES = ("model", "prompt", "temperature", "repeat", "date", "family")
EXAMPLE = "model=gpt-4o,prompt=prompt.txt,temperature=0,repeat=1"
HASH = re.compile(r"[0-9a-f]{64}")


def parse_judged_by(text: str, *, only_hash: bool = False) -> dict[str, object]:
    """The origin of a model's judgments, as `qrels.origin` has it, from a text like `EXAMPLE`.

    `prompt` is the file of the prompt, of which the hash (SHA-256) is kept, or the hash itself, as
    it must be with `only_hash`; `repeat` counts from 1; `date` is YYYY-MM-DD; `family` is that of
    engines built on the model.

    Raises:
        DataError: no model is named, a name is not one of `NAMES` or stands twice, or a value can't
            be.
    """
    given: dict[str, str] = {}
    for part in text.split(","):
        name, sign, value = (piece.strip() for piece in part.partition("="))
        if not sign or not value:
            raise DataError(f"{quoted(part)} is not NAME=VALUE: write it like {EXAMPLE}")
        if name not in NAMES:
            hint = did_you_mean(name, NAMES)
            raise DataError(f"there is no {quoted(name)} of a judge{hint}: {', '.join(NAMES)}")
        if name in given:
            raise DataError(f"the judge has {name} twice: {given[name]} and {value}")
        given[name] = value
    if "model" not in given:
        raise DataError(f"name the model that judged: write it like {EXAMPLE}")
    if only_hash and not HASH.fullmatch(given.get("prompt", "0" * 64)):
        raise DataError("the prompt is given by its SHA-256 here, in 64 hexadecimal digits")
    return {"kind": "model", **{name: _read(name, value) for name, value in given.items()}}


def judged_by_text(origin: Mapping[str, object]) -> str:
    """The text that `parse_judged_by` reads, of a model's origin."""
    return ",".join(f"{name}={origin[name]}" for name in NAMES if name in origin)


def _read(name: str, value: str) -> object:
    if name == "prompt":
        return value if HASH.fullmatch(value) else _hash_of_file(value)
    if name in ("model", "family"):
        if not value.isprintable() or len(value) > LONGEST:
            raise DataError(f"the {name} is a line of at most {LONGEST} characters")
        return value
    read, what = READERS[name]
    try:
        return read(value)
    except ValueError:
        raise DataError(f"{name} {quoted(value)} is not {what}") from None


LONGEST = 200


def _temperature(value: str) -> float:
    number = float(value)
    if not (0 <= number < math.inf) or "_" in value:
        raise ValueError
    return number


def _repeat(value: str) -> int:
    if not value.isdecimal() or int(value) < 1:
        raise ValueError
    return int(value)


READERS = {
    "temperature": (_temperature, "a number from 0 on"),
    "repeat": (_repeat, "a whole number from 1 on"),
    "date": (lambda value: date.fromisoformat(value).isoformat(), "a date like 2026-06-30"),
}


def _hash_of_file(path: str) -> str:
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError as error:
        raise DataError(
            f"the prompt {quoted(path)} can't be read: {error.strerror}; give its file, or the "
            "SHA-256 of it"
        ) from None


def is_of_model(origin: Mapping[str, object] | None) -> bool:
    """Whether a model made the judgments of a qrels with this origin."""
    return origin is not None and origin.get("kind") == "model"
