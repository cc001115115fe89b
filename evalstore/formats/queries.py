"""The texts and attributes of queries, from whichever format a file is in."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from evalstore.errors import DataError, FileError
from evalstore.formats.reading.lines import CONTROLS, first_line, refuse, tidy
from evalstore.formats.reading.source import ReadOptions, path_text, quoted
from evalstore.formats.registry import recognised_lines
from evalstore.formats.trec.columns import MAX_ID

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
        """The text of a query."""
        return self.texts[qid]

    def __iter__(self) -> Iterator[str]:
        """The ids of the queries that have a text."""
        return iter(self.texts)

    def __len__(self) -> int:
        """How many queries have a text."""
        return len(self.texts)

    def __repr__(self) -> str:
        """The number of queries and the names of their attributes, not the content."""
        names = ", ".join(dict.fromkeys(n for own in self.attributes.values() for n in own))
        return f"<Queries: {len(self)}, attributes: {names or 'none'}>"


@dataclass(frozen=True)
class QueryLine:
    """A query as it stands in a file.

    Attributes:
        line: its line, from 1.
        qid: its id, checked.
        text: its text as it stands there.
        others: its further values, by name, of any type.
    """

    line: int
    qid: str
    text: str
    others: Mapping[str, object] = field(default_factory=dict)


def read_queries(path: str, options: ReadOptions | None = None) -> Queries:
    """Read queries: tab-separated, JSON lines or TREC topics, told apart by content.

    Returns:
        Texts and attributes by query id, in the order of the file.

    Raises:
        FileError: the first line that is not a query, or a query that stands twice.
    """
    (line, text), lines = first_line(path, options or ReadOptions(), "queries")
    if text.lstrip().startswith("["):
        refuse(path, line, "a JSON array: one object a line is expected")
    queries: Queries = recognised_lines(text, "queries").read_lines(path, lines)
    return queries


def by_id(path: str, queries: Iterator[QueryLine]) -> Queries:
    """The queries of a file.

    Raises:
        FileError: a query that stands twice, or no query at all.
    """
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
        f"{path_text(path)}:{numbers[0]}: {why}; left out in "
        f"{len(numbers):,} {'query' if len(numbers) == 1 else 'queries'}"
        for why, numbers in left_out.items()
    )
    return Queries(texts, attributes, tuple(warnings))


# The attributes of queries: names and values as text, whatever they were given as

OPERATORS = "=!<>"
"""What stands between the name and the value in a condition, and so in no name."""


RESERVED = ("qid", "text")


def why_not_a_name(name: str) -> str | None:
    """Why a query's attribute can't be called so; None where it can."""
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
    """The name of an attribute, if it is allowed.

    Raises:
        DataError: it is empty, too long, or holds what no name may hold.
    """
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
    """A single value as text; empty where it says nothing.

    Text stays as it is, but for blanks around it; whole numbers are their digits, others the
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

    Args:
        queries: texts by query id.

    >>> ids_by_text({"q1": "red dress", "q2": "jeans", "q3": "jeans"})
    {'red dress': ('q1',), 'jeans': ('q2', 'q3')}
    """
    qids: dict[str, tuple[str, ...]] = {}
    for qid, text in queries.items():
        qids[text] = (*qids.get(text, ()), qid)
    return qids


def find_qids(path: str, texts: Mapping[str, int | None], options: ReadOptions) -> dict[str, str]:
    """The query id of every text in a file.

    Texts are equal where all characters are, blanks around them and control characters apart,
    which texts of queries are stored without.

    Args:
        path: the file, for messages.
        texts: the texts as they stand there, each with the first line it is on, if there are lines.
        options: with the ids of the queries.

    Raises:
        FileError: no texts of queries are known, or there is a text of no query or of several.
    """
    if not options.query_ids:
        raise FileError(
            path_text(path),
            None,
            "it names queries by their texts, and no texts of queries are known",
            problem="no query texts",
        )
    qids = {text: options.query_ids.get(tidy(text), ()) for text in texts}
    unknown = [text for text, own in qids.items() if not own]
    if unknown:
        count = "a text that is" if len(unknown) == 1 else f"{len(unknown):,} texts that are"
        what = f"{count} not the text of a query: {_named(list(map(quoted, unknown)))}"
        raise FileError(path_text(path), texts[unknown[0]], what)
    several = [text for text, own in qids.items() if len(own) > 1]
    if several:
        count = "a text that is" if len(several) == 1 else f"{len(several):,} texts that are"
        named = [f"{quoted(text)} ({_named(list(map(quoted, qids[text])))})" for text in several]
        what = f"{count} the text of several queries: {_named(named)}"
        raise FileError(path_text(path), texts[several[0]], what)
    return {text: own[0] for text, own in qids.items()}


def _named(words: Sequence[str]) -> str:
    """The first few of some words."""
    return ", ".join(words[:MOST_NAMED]) + ", ..." * (len(words) > MOST_NAMED)
