"""What messages say about a line that is not as it should be, and what it may be instead."""

from __future__ import annotations

import re

from evalstore.formats.source import quoted
from evalstore.formats.trec.columns import NUMBER, Layout

NOT_NUMBERS = {b"nan", b"inf", b"infinity", b"none", b"null"}
COLUMN_NAME = re.compile(rb"(?i)q0|rank|score|sim|run|tag|iter|query|topic|doc|grade|rel")


def misfit(words: list[bytes], count: int, layout: Layout) -> str:
    """Why a line does not have the right number of columns, with a guess at what the file is.

    `words` are its first eight columns, `count` is how many there are.
    """
    message = f"expected {layout.width} columns, found {count}"
    line = b" ".join(words)
    if line[:1] in (b"{", b"["):
        return f"{message}: this looks like JSON, but not like {{qid: {{docno: {layout.value}}}}}"
    if count <= 2 and line.count(b",") >= 2:
        return (
            f"{message}: this looks like CSV; columns are separated by spaces or tabs, unless a "
            f"first line names them: qid,docno,{layout.value}"
        )
    if layout.ranked and count == 3 and words[2].isdigit():
        return (
            f"{message}: this may be a run of MS MARCO (query id, docno, rank, separated by tabs), "
            "the format msmarco-run"
        )
    if layout.ranked and count == 4 and NUMBER.fullmatch(words[3]):
        return f"{message}: this looks like a qrels (qid, iteration, docno, grade), not a run"
    if not layout.ranked and count == 6 and NUMBER.fullmatch(words[4]):
        return f"{message}: this looks like a run (qid, Q0, docno, rank, score, tag), not a qrels"
    return f"{message}; a line is: {LINES[layout.kind]}"


def not_a_number(line: list[bytes], layout: Layout) -> str:
    """Why the score or grade of a line (its columns) is refused."""
    word = line[layout.names.index(layout.value)]
    message = f"{layout.value} {quoted(word.decode(errors='replace'))}"
    if NUMBER.fullmatch(word):
        return f"{message} is out of range"
    names = sum(COLUMN_NAME.search(column) is not None for column in line)
    numbers = any(NUMBER.fullmatch(column) for column in line[3:5])
    is_name = word[:1].isalpha() and word.lower() not in NOT_NUMBERS
    hint = "; a header row? remove it" if is_name and names >= 3 and not numbers else ""
    return f"{message} is not a finite decimal number{hint}"


LINES = {"run": "qid Q0 docno rank score tag", "qrels": "qid 0 docno grade"}


def counted(count: int, noun: str) -> str:
    """A number of things: `1 line`, `1,234 lines`, `2 queries`."""
    several = noun.removesuffix("y") + "ies" if noun.endswith("y") else noun + "s"
    return f"{count:,} {noun if count == 1 else several}"
