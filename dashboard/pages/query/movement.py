"""The movement of documents between rankings, and snippets: pure functions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from dashboard.components import wording
from evalstore.comparison.ranked_query import QueryRanking, is_relevant

TOP = 10
"""The number of ranks in the sentence on entering and leaving: those that a reader looks at."""
MOST_NAMED = 4
"""The most documents that the sentence names; for more it gives the number."""

Moved = tuple[str, int | None, int | None]
"""A document, its rank in the baseline, and its rank in the run; None if not retrieved."""


@dataclass(frozen=True)
class Row:
    """A row of a ranked list; the grade is None if the document was not judged."""

    rank: int
    docno: str
    grade: float | None

    @property
    def is_relevant(self) -> bool:
        """Whether the document is relevant."""
        return is_relevant(self.grade)


def window(ranking: QueryRanking, k: int, others: Sequence[QueryRanking] = ()) -> list[Row]:
    """The first `k` ranks of a ranking.

    With `others`, documents are left out that are not relevant and have the same rank in all of
    these.
    """
    rows = [
        Row(rank, docno, grade)
        for rank, (docno, grade) in enumerate(
            zip(ranking.docnos[:k], ranking.grades[:k], strict=True), 1
        )
    ]
    if not others:
        return rows
    return [
        row
        for row in rows
        if row.is_relevant or any(other.rank_of.get(row.docno) != row.rank for other in others)
    ]


@dataclass(frozen=True)
class Line:
    """The line between two neighbouring lists at a document.

    `left` and `right` are the document's rows in the two lists, from 1. One of them is None if the
    document is in one list only; this is drawn as a short end, and only for relevant documents.
    """

    docno: str
    left: int | None
    right: int | None
    is_relevant: bool


def lines(left: Sequence[Row], right: Sequence[Row]) -> list[Line]:
    """The lines between two lists; relevant documents come last, so that they are drawn on top."""
    at_left = {row.docno: number for number, row in enumerate(left, 1)}
    at_right = {row.docno: number for number, row in enumerate(right, 1)}
    relevant = {row.docno: row.is_relevant for row in (*left, *right)}
    drawn = [
        Line(docno, at_left.get(docno), at_right.get(docno), is_relevant)
        for docno, is_relevant in relevant.items()
        if is_relevant or (docno in at_left and docno in at_right)
    ]
    return sorted(drawn, key=lambda line: line.is_relevant)


def came_from(rank: int, before: int | None) -> str:
    """The sign of a document's movement to its rank: `▲ from 66`, `▼ from 2`, `=`, or `new`."""
    if before is None:
        return "new"
    if before == rank:
        return "="
    return f"{'▲' if rank < before else '▼'} from {before:,}"


def goes_to(rank: int, after: int | None, depth: int) -> str:
    """The next rank of a document: `→ 37`, `=`, or `→ not in top 100` of a ranking that deep.

    A ranking of depth 0 is not known, or the query was not answered.
    """
    if after is None:
        return f"→ not in top {depth:,}" if depth else "→ –"
    return "=" if after == rank else f"→ {after:,}"


def summary(
    base: QueryRanking, run: QueryRanking, k: int, names: tuple[str, str], first: str = ""
) -> str:
    """One line on two rankings and the movement between them; `names` are of baseline and run.

    `first` is put before the movement. Shared documents are counted within the first `k` ranks.
    """
    for ranking, name in ((base, names[0]), (run, names[1])):
        if ranking.no_ranking:
            return f"{name} has no ranking to show: {ranking.no_ranking}."
    entered, left = crossed(base, run)
    known = set(base.docnos[:k])
    shared = sum(docno in known for docno in run.docnos[:k])
    most = min(k, max(len(base.docnos), len(run.docnos)))
    sentence = f"{_count(entered, 'entered')} the top {TOP}{_named(entered)}; "
    sentence += f"{len(left) or 'none'} dropped out{_named(left)}."
    sentence += _far_move(base, run, {docno for docno, _, _ in (*entered, *left)})
    sentence += f" {shared:,} of the top {most:,} shared."
    unjudged = [sum(_grade(grade) < 0 for grade in of.grades[:TOP]) for of in (base, run)]
    if any(unjudged):
        sentence += f" Not judged in the top {TOP}: {' and '.join(map(str, unjudged))}."
    return f"{names[0]} → {names[1]}: {first}{sentence}"


def _grade(grade: float | None) -> float:
    return -1.0 if grade is None else grade


def _far_move(base: QueryRanking, run: QueryRanking, named: Set[str]) -> str:
    """The farthest move below the top 10 of a document with the highest grade, if it is far.

    It is far if the rank at least doubles or halves. Without a rank a document is after the last.
    """
    grades = dict(zip((*base.docnos, *run.docnos), (*base.grades, *run.grades), strict=True))
    highest = max(map(_grade, grades.values()), default=-1.0)
    moves = []
    for docno, grade in grades.items():
        if grade == highest and is_relevant(grade) and docno not in named:
            before, after = base.rank_of.get(docno), run.rank_of.get(docno)
            ranks = (before or len(base.docnos) + 1, after or len(run.docnos) + 1)
            if min(ranks) > TOP and max(ranks) >= 2 * min(ranks):
                moves.append((max(ranks) / min(ranks), docno, before, after))
    if not moves:
        return ""
    _, docno, before, after = max(moves, key=lambda move: move[0])
    words = f"{rank_words(before)} → {rank_words(after)}"
    return f" {wording.name(docno, 32)} (grade {highest:g}): {words}."


def crossed(base: QueryRanking, run: QueryRanking) -> tuple[list[Moved], list[Moved]]:
    """The relevant documents that entered the top 10 and those that left it, the best rank first.

    The rank is that in the top 10: it weighs most in what a measure gained or lost.
    """
    entered = _moved(base, run, run.docnos[:TOP], base.rank_of)
    return entered, _moved(base, run, base.docnos[:TOP], run.rank_of)


def _moved(
    base: QueryRanking, run: QueryRanking, top: Sequence[str], elsewhere: Mapping[str, int]
) -> list[Moved]:
    """(document, rank in base, rank in run) of the relevant documents that only one top has."""
    grades = dict(zip(base.docnos, base.grades, strict=True))
    grades.update(zip(run.docnos, run.grades, strict=True))
    return [
        (docno, base.rank_of.get(docno), run.rank_of.get(docno))
        for docno in top
        if is_relevant(grades[docno]) and elsewhere.get(docno, TOP + 1) > TOP
    ]


def _count(moved: Sequence[object], verb: str) -> str:
    return f"{len(moved)} relevant {verb}" if moved else f"no relevant document {verb}"


def _named(moved: Sequence[Moved]) -> str:
    if not moved:
        return ""
    words = [
        f"{wording.name(docno, 32)} {rank_words(before)} → {rank_words(after)}"
        for docno, before, after in moved[:MOST_NAMED]
    ]
    more = len(moved) - MOST_NAMED
    return ": " + ", ".join(words) + (f" and {more} more" if more > 0 else "")


def rank_words(rank: int | None) -> str:
    """A rank in words."""
    return "not retrieved" if rank is None else f"{rank:,}"


# One line of a document's text, around the words of the query

WORD = re.compile(r"\w+")

LENGTH = 160
"""The length of a snippet in characters."""
READ = 20_000
"""The number of characters of a text that are searched for words of the query."""
SHORT = 3
"""Words shorter than this are ignored unless the query has no others: they occur everywhere."""
STOP_WORDS = frozenset(
    WORD.findall(
        "about all and any are but can could did does each for from get has have how into its many "
        "may more most much not one our out should some than that the their them then there these "
        "they this those use using was were what when where which who why will with would you your"
    )
)
"""English words that are ignored likewise."""

Piece = tuple[str, bool]
"""A part of a text, and whether it is a word of the query."""


def query_words(text: str | None) -> frozenset[str]:
    """The words of a query that are underlined, in lower case."""
    words = {word.casefold() for word in WORD.findall(text or "")}
    said = frozenset(word for word in words if len(word) >= SHORT and word not in STOP_WORDS)
    return said or frozenset(words)


def snippet(text: str, words: frozenset[str], length: int = LENGTH) -> list[Piece]:
    """The part of a text with the most different words of the query, in pieces.

    Of equally good parts it is the first; only the first `READ` characters are searched. An
    ellipsis marks each end that is cut.
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
    """The start of the best part, a little before the first word of the query in it."""
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
    """A text in pieces: words of the query, and the text between them."""
    at = 0
    for match in WORD.finditer(text):
        if match.group().casefold() in words:
            if match.start() > at:
                yield text[at : match.start()], False
            yield match.group(), True
            at = match.end()
    if at < len(text):
        yield text[at:], False
