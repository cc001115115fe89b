"""One line of a document's text, around the words of the query."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dashboard.components import wording

LENGTH = 160
"""Characters of a snippet."""
READ = 20_000
"""Characters of a text that are searched for the words of the query; the others are not read."""
SHORT = 3
"""Shorter words are not looked for, unless the query has no others: they stand everywhere."""

WORD = re.compile(r"\w+")

Piece = tuple[str, bool]
"""A part of a text, and whether it is a word of the query."""


def query_words(text: str | None) -> frozenset[str]:
    """The words of a query that are underlined, in lower case."""
    words = {word.casefold() for word in WORD.findall(text or "")}
    return frozenset(word for word in words if len(word) >= SHORT) or frozenset(words)


def snippet(text: str, words: frozenset[str], length: int = LENGTH) -> list[Piece]:
    """The stretch of a text with the most different words of the query, the first of equals.

    Args:
        text: the text; what is after `READ` characters is not looked at.
        words: as `query_words` gives them.
        length: how many characters.

    Returns:
        The stretch in pieces; an ellipsis where the text goes on.
    """
    line = wording.clean(text[:READ])
    hits = [match for match in WORD.finditer(line) if match.group().casefold() in words]
    start = max(_best_start(hits, length), 0)
    if start:
        start = line.rfind(" ", 0, start) + 1 or start
    stretch = line[start : start + length]
    pieces = list(marked(stretch, words))
    if start:
        pieces.insert(0, ("… ", False))
    if start + length < len(line) or len(text) > READ:
        pieces.append((" …", False))
    return pieces


def _best_start(hits: list[re.Match[str]], length: int) -> int:
    """Where the stretch starts: a little before the first word of the query in it."""
    best, most = 0, 0
    after = 0
    for number, hit in enumerate(hits):
        after = max(after, number)
        while after < len(hits) and hits[after].end() <= hit.start() + length * 3 // 4:
            after += 1
        different = len({one.group().casefold() for one in hits[number:after]})
        if different > most:
            best, most = hit.start(), different
    return best - length // 4 if best > length // 2 else 0


def marked(text: str, words: frozenset[str]) -> Iterator[Piece]:
    """A text in pieces: the words of the query, and what stands between them."""
    at = 0
    for match in WORD.finditer(text):
        if match.group().casefold() in words:
            if match.start() > at:
                yield text[at : match.start()], False
            yield match.group(), True
            at = match.end()
    if at < len(text):
        yield text[at:], False
