"""Files that name queries by their texts: the query ids that the texts belong to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evalstore.errors import FileError
from evalstore.formats.lines import tidy
from evalstore.formats.source import ReadOptions, path_text, quoted

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
