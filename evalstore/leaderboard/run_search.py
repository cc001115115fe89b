"""Choose runs by what is recorded of them: conditions on facts, and words in any of them."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from evalstore.catalog.conditions import Condition, as_number, listed
from evalstore.catalog.flat_facts import flat
from evalstore.catalog.names import natural
from evalstore.errors import NotFound, did_you_mean
from evalstore.formats.source import quoted

PARAMETERS = "parameters."
LIST_NUMBER = re.compile(r"\.[0-9]+(?=\.|$)")

READ = (
    *("run", "collection", "engine", "experiment", "tag", "tags", "note", "commit", "command"),
    *("parameters", "header"),
)
"""The facts in which words are looked for."""

Facts = Mapping[str, Any]
"""What is recorded of a run, by the names that `evalstore show` prints."""
Values = Mapping[str, Sequence[Any]]
"""The single values that a run has under each name."""


def values_by_name(facts: Facts) -> dict[str, list[Any]]:
    """The single values within the facts of a run; names within others are joined by dots.

    A parameter also has its own name where no fact has it: `k1` beside `parameters.k1`. The parts
    of a list also have the name of the list: `header.method.retrieval.name` are the names of all
    stages, `header.method.retrieval.1.name` is that of the first.
    """
    values: dict[str, list[Any]] = defaultdict(list)
    for fact, value in facts.items():
        for name, leaf in flat(fact, value):
            parts = [part for part in _parts(leaf) if part is not None]
            if parts:
                for each in {name, LIST_NUMBER.sub("", name)}:
                    values[each] += parts
    for name in [name for name in values if name.startswith(PARAMETERS)]:
        values.setdefault(name.removeprefix(PARAMETERS), values[name])
    return dict(values)


def _parts(leaf: Any) -> Iterable[Any]:
    if isinstance(leaf, list | tuple):
        return leaf
    return () if isinstance(leaf, Mapping) else (leaf,)  # a mapping is empty here


def fulfil(conditions: Sequence[Condition], runs: Mapping[int, Values]) -> list[int]:
    """The runs for which all conditions hold.

    A condition holds for a run where it holds for one of the run's values of that name; `!=` holds
    where `=` does not. Numbers are compared as numbers, so 1 equals 1.0; all else as text.

    Args:
        conditions: on the names of `values_by_name`.
        runs: the values of each run, by its id.

    Raises:
        NotFound: none of the runs has the fact, or the value that it should be equal or unequal to.
    """
    for condition in conditions:
        _check(condition, runs)
    return [
        run
        for run, values in runs.items()
        if all(_holds(condition, values.get(condition.name, ())) for condition in conditions)
    ]


def mention(text: str, runs: Mapping[int, Facts]) -> list[int]:
    """The runs that have every word of a text, each somewhere in the facts of `READ`.

    The names of parameters and of keys of the header count as their values do. A word may be a part
    of a longer one. Upper and lower case do not matter, nor how a character is composed.
    """
    words = _folded(text).split()
    texts = {run: _folded("\n".join(_texts(facts))) for run, facts in runs.items()}
    return [run for run, text in texts.items() if all(word in text for word in words)]


def as_text(value: object) -> str:
    """A value as conditions are written: `true`, `0.9`, or the text itself."""
    return value if isinstance(value, str) else json.dumps(value, default=str)


def _holds(condition: Condition, values: Sequence[Any]) -> bool:
    if condition.operator == "!=":
        return not any(_equal(value, condition.value) for value in values)
    if condition.operator == "=":
        return any(_equal(value, condition.value) for value in values)
    return any(condition.holds(as_text(value)) for value in values)


def _equal(value: object, text: str) -> bool:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value == as_number(text)
    return as_text(value) == text


def _check(condition: Condition, runs: Mapping[int, Values]) -> None:
    """Refuse a condition whose name, or value, none of the runs has: it is probably mistyped."""
    values = [value for run in runs.values() for value in run.get(condition.name, ())]
    if not values:
        names = sorted({name for run in runs.values() for name in run}, key=natural)
        known = f"; known: {listed(names)}" if names else ""
        suggestion = did_you_mean(condition.name, names)
        raise NotFound(f"no run has the fact {quoted(condition.name)}{suggestion or known}")
    if condition.operator in ("=", "!=") and not any(
        _equal(value, condition.value) for value in values
    ):
        texts = sorted(set(map(as_text, values)), key=natural)
        raise NotFound(
            f"no run has {quoted(f'{condition.name}={condition.value}')}"
            f"{did_you_mean(condition.value, texts)}; "
            f"the values of {quoted(condition.name)} are {listed(texts)}"
        )


def _texts(facts: Facts) -> Iterator[str]:
    for fact in READ:
        for name, leaf in flat("", facts.get(fact)):
            yield name
            yield from (as_text(part) for part in _parts(leaf) if part is not None)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
