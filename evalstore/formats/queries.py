"""The texts and attributes of queries, from whichever format a file is in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from evalstore.formats.attributes import is_single, single_values, value_text, why_not_a_name
from evalstore.formats.lines import first_line, refuse, tidy
from evalstore.formats.registry import recognised_lines
from evalstore.formats.source import ReadOptions, path_text, quoted

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
        others: what else is said of it, by name, of any type.
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
