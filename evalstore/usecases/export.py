"""Export stored runs as files."""

from __future__ import annotations

from collections.abc import Iterator

from evalstore.formats.ir_metadata import header_lines
from evalstore.store import Store, packing
from evalstore.store.rankings import iter_rankings
from evalstore.store.rows import texts
from evalstore.store.run_facts import load_values
from evalstore.store.runs import find_run


def run_lines(store: Store, run: str, collection: str | None = None) -> Iterator[str]:
    """A stored run as the lines of a run file: same documents, order and scores; ranks from 1.

    Scores are written with the fewest digits that give the same double when read. The header of the
    run comes first.

    Raises:
        NotFound: there is no such run, or several collections have one of that name.
    """
    with store.read() as connection:
        stored = find_run(connection, run, collection)
        header = load_values(connection, stored.id)["header"]
        for line in header_lines(header) if header else ():
            yield f"{line}\n"
        for qid, packed in iter_rankings(connection, stored.id):
            docnos, scores = packing.unpack(packed)
            rows = zip(texts(docnos), scores.tolist(), strict=True)
            for rank, (docno, score) in enumerate(rows, 1):
                yield f"{qid} Q0 {docno} {rank} {score!r} {stored.tag}\n"
