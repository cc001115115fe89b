"""The texts and attributes of queries, and queries that files name by their texts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from evalstore.errors import DataError
from evalstore.formats.reading.lines import CONTROLS, first_line, tidy
from evalstore.formats.reading.source import ReadOptions, path_text, quoted, refuse
from evalstore.formats.registry import recognised_lines
from evalstore.formats.trec.columns import MAX_ID, counted

Attributes = Mapping[str, Mapping[str, str]]
"""By query id, the values of a query's attributes by their names."""


@dataclass(frozen=True, eq=False, repr=False)
class Queries(Mapping[str, str]):
    """Queries: a mapping from ids to texts, with the attributes of each.

    Attributes:
        texts: by query id, in the order given.
        attributes: by query id, for those that have some: values by name, both text.
        warnings: what was left out, one sentence each, with file and line.
    """

    texts: Mapping[str, str]
    attributes: Attributes = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    def __getitem__(self, qid: str) -> str:
        return self.texts[qid]

    def __iter__(self) -> Iterator[str]:
        return iter(self.texts)

    def __len__(self) -> int:
        return len(self.texts)

    def __repr__(self) -> str:
        names = ", ".join(dict.fromkeys(n for own in self.attributes.values() for n in own))
        return f"<Queries: {len(self)}, attributes: {names or 'none'}>"


@dataclass(frozen=True)
class QueryLine:
    """A query of a file: its line, from 1, checked id, text, and further values of any type."""

    line: int
    qid: str
    text: str
    others: Mapping[str, object] = field(default_factory=dict)


def read_queries(path: str, options: ReadOptions | None = None) -> Queries:
    """Read queries: tab-separated, JSON lines or TREC topics, told apart by content."""
    (line, text), lines = first_line(path, options or ReadOptions(), "queries")
    if text.lstrip().startswith("["):
        refuse(path, line, "a JSON array: one object a line is expected")
    queries: Queries = recognised_lines(text, "queries").read_lines(path, lines)
    return queries


def by_id(path: str, queries: Iterator[QueryLine]) -> Queries:
    """The queries of a file."""
    texts: dict[str, str] = {}
    attributes: dict[str, dict[str, str]] = {}
    lines: dict[str, int] = {}
    left_out: dict[str, list[int]] = {}
    for query in queries:
        if query.qid in lines:
            first = lines[query.qid]
            refuse(
                path, query.line, f"query {quoted(query.qid)} stands twice (first on line {first})"
            )
        texts[query.qid], lines[query.qid] = tidy(query.text), query.line
        for name, value in single_values(query.others):
            why = why_not_a_name(name)
            if why is None and not is_single(value):
                why = f"{quoted(name)} holds no single value" if value else ""
            if why:
                left_out.setdefault(why, []).append(query.line)
            elif why is None and (text := value_text(value)):
                attributes.setdefault(query.qid, {})[name] = text
    if not texts:
        refuse(path, None, "no queries, only comments")
    warnings = (
        f"{path_text(path)}:{numbers[0]}: {why}; left out in {counted(len(numbers), 'query')}"
        for why, numbers in left_out.items()
    )
    return Queries(texts, attributes, tuple(warnings))


# The attributes of queries: names and values as text, whatever they were given as

OPERATORS = "=!<>"
"""They stand between name and value in a condition, so no name holds them."""


RESERVED = ("qid", "text")


def why_not_a_name(name: str) -> str | None:
    """The reason why a query's attribute can't have this name; None if it can."""
    if not name:
        return "an attribute without a name"
    if name != name.strip():
        return f"attribute name {quoted(name)} begins or ends with a blank"
    if CONTROLS.search(name) or "\t" in name or "\n" in name:
        return f"attribute name {quoted(name)} holds control characters"
    if any(character in name for character in OPERATORS):
        return f"attribute name {quoted(name)} holds one of = ! < >, the operators of conditions"
    if len(name.encode()) > MAX_ID:
        return "an attribute name of more than 1,024 bytes"
    return None


def checked_name(name: str) -> str:
    """The name of an attribute, if it is allowed."""
    why = why_not_a_name(name)
    if why is not None:
        raise DataError(why)
    if name in RESERVED:
        raise DataError(f"no attribute can be called {name!r}: a column of queries has this name")
    return name


def is_single(value: object) -> bool:
    """Whether a value can be that of an attribute: text, a finite number, true, false, nothing."""
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or isinstance(value, str | int)


def value_text(value: object) -> str:
    """A single value as text; empty if it says nothing.

    Text stays as it is, without blanks around it; a whole number is its digits, another one the
    shortest decimal number that reads back the same (0.5, 1e-07); true and false are these words.
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return tidy(value) if isinstance(value, str) else repr(value)


def single_values(keys: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """The keys of an object, those of objects in it as `outer.inner`, one level deep."""
    for key, value in keys.items():
        if isinstance(value, dict):
            yield from ((f"{key}.{inner}", nested) for inner, nested in value.items())
        else:
            yield key, value


# Files that name queries by their texts: the query ids that the texts belong to

MOST_NAMED = 3


def ids_by_text(queries: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """The ids of queries by their texts, as `ReadOptions.query_ids` has them.

    >>> ids_by_text({"q1": "red dress", "q2": "jeans", "q3": "jeans"})
    {'red dress': ('q1',), 'jeans': ('q2', 'q3')}
    """
    qids: dict[str, tuple[str, ...]] = {}
    for qid, text in queries.items():
        qids[text] = (*qids.get(text, ()), qid)
    return qids


def find_qids(path: str, texts: Mapping[str, int | None], options: ReadOptions) -> dict[str, str]:
    """The query id of every text in a file; `texts` has the first line of each."""
    if not options.query_ids:
        refuse(
            path,
            None,
            "it names queries by their texts, and no texts of queries are known",
            problem="no query texts",
        )
    qids = {text: options.query_ids.get(tidy(text), ()) for text in texts}
    unknown = {text: quoted(text) for text, own in qids.items() if not own}
    several = {
        text: f"{quoted(text)} ({first_few(own)})" for text, own in qids.items() if len(own) > 1
    }
    kinds = ((unknown, "not the text of a query"), (several, "the text of several queries"))
    for wrong, what in kinds:
        if wrong:
            count = "a text that is" if len(wrong) == 1 else f"{len(wrong):,} texts that are"
            first = next(iter(wrong))
            refuse(path, texts[first], f"{count} {what}: {_joined(list(wrong.values()))}")
    return {text: own[0] for text, own in qids.items()}


def first_few(words: Sequence[str]) -> str:
    """The first few of some words, quoted."""
    return _joined([quoted(word) for word in words])


def _joined(words: Sequence[str]) -> str:
    return ", ".join(words[:MOST_NAMED]) + ", ..." * (len(words) > MOST_NAMED)
