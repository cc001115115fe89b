"""Print what is to be judged: ``python -m evalstore.demo.pool [QID ...]``.

For every question, the union of the engines' top 10 in docno order, without saying which engine
found what. A mark stands before each docno: its grade, or ``?`` if nobody judged it yet.
``--draft`` prints ``qrels-draft.txt`` instead.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
from collections.abc import Iterator, Sequence

from evalstore.demo.corpus import Document, documents
from evalstore.demo.engines import BY_TAG, ENGINES, Engine, Index, build_index, search
from evalstore.demo.store import judgments, questions

POOL_DEPTH = 10
DRAFT_DEPTH = 5
DRAFT_ENGINES = (BY_TAG["bm25"], BY_TAG["tfidf"])


def pool(
    index: Index, question: str, depth: int = POOL_DEPTH, engines: Sequence[Engine] = ENGINES
) -> list[str]:
    """The docnos that any of the engines ranks at ``depth`` or better, sorted."""
    docnos = {docno for e in engines for docno, _ in search(e, index, question)[:depth]}
    return sorted(docnos)


def draft(index: Index) -> Iterator[str]:
    """Yield the lines of the draft: the judgments of the top 5 of two engines."""
    judged = judgments()
    for qid, question in questions().items():
        for docno in pool(index, question, DRAFT_DEPTH, DRAFT_ENGINES):
            if docno in judged[qid]:
                yield f"{qid} 0 {docno} {judged[qid][docno]}"


def sheet(
    qid: str, question: str, pooled: list[Document], grades: dict[str, int], width: int = 200
) -> Iterator[str]:
    """Yield the lines of one question: the question, then a line for each document."""
    open_ = sum(document.docno not in grades for document in pooled)
    yield f"== {qid}: {question} ({len(pooled)} pooled, {open_} not judged)"
    for document in pooled:
        beginning = " ".join(document.text[: 2 * width].split())
        title = document.title.removeprefix(document.docno)
        line = f"{grades.get(document.docno, '?')} {document.docno} {title} | {beginning}"
        yield textwrap.shorten(line, width, placeholder=" ...")


def main(arguments: list[str]) -> None:
    """Print the sheets of the questions named, or of all."""
    parser = argparse.ArgumentParser(prog="python -m evalstore.demo.pool", description=__doc__)
    parser.add_argument("qids", nargs="*", metavar="QID")
    parser.add_argument("--width", type=int, default=200, help="characters for each document")
    parser.add_argument("--open", action="store_true", help="only documents that lack a judgment")
    parser.add_argument("--draft", action="store_true", help="print qrels-draft.txt")
    options = parser.parse_args(arguments)
    collection = {document.docno: document for document in documents()}
    index = build_index(list(collection.values()))
    if options.draft:
        sys.stdout.writelines(line + "\n" for line in draft(index))
        return
    judged = judgments()
    for qid, question in questions().items():
        if options.qids and qid not in options.qids:
            continue
        grades = judged.get(qid, {})
        pooled = [collection[docno] for docno in pool(index, question)]
        if options.open:
            pooled = [document for document in pooled if document.docno not in grades]
        for line in sheet(qid, question, pooled, grades, options.width):
            sys.stdout.write(line + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
