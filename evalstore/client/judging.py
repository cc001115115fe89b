"""Drafts and versions of judgments in a store behind a server."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Any

from evalstore.catalog.unexpected import Judged, Unexpected, unexpected
from evalstore.client.connection import Server, in_path
from evalstore.errors import Conflict, StoreError
from evalstore.judging.drafts import MOST_SENT, Assessment, Draft, PoolDocument, in_order
from evalstore.store.queries.drafts import Rule

MOST_BYTES = 200_000
"""The largest number of bytes of rows in a request; a server takes 256 KiB, with all else."""


class RemoteJudging:
    """The operations of `RemoteStore` on drafts and versions of judgments."""

    def __init__(self, server: Server) -> None:
        """Ask this server."""
        self.server = server

    def edit_judgment(
        self,
        collection: str,
        qrels: str,
        qid: str,
        docno: str,
        grade: float | None,
        *,
        reason: str,
        name: str | None = None,
        default: bool = False,
    ) -> dict[str, Any]:
        """Make a version of a qrels with one judgment changed; `Published.to_dict()` of it."""
        return self._judge(
            collection, "edited-judgments", qrels=qrels, qid=qid, docno=docno, grade=grade,
            reason=reason, name=name, default=default,
        )  # fmt: skip

    def list_drafts(self, collection: str) -> list[Draft]:
        """The drafts of a collection with their progress, the oldest first."""
        rows = self.server.get(f"/collections/{in_path(collection)}/drafts")["drafts"]
        return list(map(_draft, rows))

    def new_draft(
        self,
        collection: str,
        name: str,
        *,
        parent: str | None = None,
        documents: Sequence[PoolDocument] = (),
        rule: Rule = "majority",
        overlap: int = 1,
        seed: int = 0,
        pool: str | None = None,
    ) -> Draft:
        """Make a draft of documents to judge.

        They are sent in several requests if one can't have them all. If the last call was cut off
        between them, the same call completes the draft.
        """
        path = f"/collections/{in_path(collection)}/drafts/{in_path(name)}/documents"
        facts: dict[str, Any] = {
            "parent": parent, "rule": rule, "overlap": overlap, "seed": seed, "pool": pool,
        }  # fmt: skip
        # The documents of a query come together where they can: the server shuffles what it gets.
        by_query = groupby(in_order(documents, seed), key=lambda document: document.qid)
        parts = list(_parts(of_query for _, of_query in by_query)) or [[]]
        try:
            made = _draft(self._judge(collection, "drafts", name=name, documents=parts[0], **facts))
        except Conflict:
            drafts = {draft.name: draft for draft in self.list_drafts(collection)}
            begun = drafts.get(name)
            if begun is None or any(getattr(begun, fact) != facts[fact] for fact in facts):
                raise
            if not 0 < begun.documents < sum(map(len, parts)) or len(parts) == 1:
                raise
            made = begun
        for number, part in enumerate(parts[1:], 1):
            try:
                made = _draft(self.server.post(path, documents=part))
            except StoreError as error:
                sent = sum(map(len, parts[:number]))
                raise StoreError(
                    f"{error}; draft {name!r} has {sent:,} documents so far: the same call adds "
                    "the others"
                ) from None
        return made

    def assess(
        self,
        collection: str,
        draft: str,
        assessor: str,
        items: Sequence[Assessment],
        *,
        new: bool = False,
    ) -> list[str]:
        """Store what an assessor says of documents; returns the keys of what is stored."""
        path = f"drafts/{in_path(draft)}/assessments"
        keys: list[str] = []
        for part in _parts([items]):
            answer = self._judge(collection, path, assessor=assessor, items=part, new=new)
            keys += answer["keys"]
        return keys

    def unexpected_judgments(
        self, collection: str, judged: Sequence[Judged], qrels: str | None = None
    ) -> list[Unexpected]:
        """The judgments above the scale of a qrels, or of the default, and of unknown documents."""
        documents = {docno: PoolDocument(qid, docno) for qid, docno, _ in judged}
        top, unknown = None, set[str]()
        for part in _parts([documents.values()]):
            answer = self._judge(collection, "documents-to-judge", documents=part, qrels=qrels)
            top = answer["highest_grade"]
            unknown.update(answer["unknown"])
        return unexpected(collection, judged, top, unknown)

    def publish_draft(
        self,
        collection: str,
        draft: str,
        name: str | None = None,
        *,
        reason: str,
        rule: Rule | None = None,
        default: bool = False,
    ) -> dict[str, Any]:
        """Make a qrels of a draft, and evaluate the runs under it; `Published.to_dict()` of it."""
        path = f"drafts/{in_path(draft)}/qrels"
        return self._judge(
            collection, path, name=name, reason=reason, rule=rule, default=default
        )  # fmt: skip

    def remove_draft(self, collection: str, draft: str) -> None:
        """Delete a draft with all that was said in it."""
        self.server.change("DELETE", f"/collections/{in_path(collection)}/drafts/{in_path(draft)}")

    def graded_by_assessor(
        self, collection: str, qrels: str | None = None
    ) -> list[tuple[str, str, str, float]]:
        """The judgments of a qrels by who gave them: (qid, assessor, docno, grade)."""
        path = f"/collections/{in_path(collection)}/judgment-groups"
        rows = self.server.get(path, qrels=qrels)["judgments"]
        return [(row["qid"], row["assessor"], row["docno"], row["grade"]) for row in rows]

    def _judge(self, collection: str, path: str, **content: Any) -> dict[str, Any]:
        """The answer to a change below a collection; null is as if left out."""
        given = {name: value for name, value in content.items() if value is not None}
        address = f"/collections/{in_path(collection)}/{path}"
        answer: dict[str, Any] = self.server.change("POST", address, **given)
        return answer


def _parts(groups: Iterable[Iterable[PoolDocument | Assessment]]) -> Iterator[list[dict[str, Any]]]:
    """What is sent in each request: at most `MOST_SENT` rows, and `MOST_BYTES` of JSON.

    A group is divided only if it is larger than that.
    """
    part: list[dict[str, Any]] = []
    size = 0
    for group in groups:
        rows = [
            {
                name: value.isoformat() if isinstance(value, datetime) else value
                for name, value in row._asdict().items()
                if value is not None
            }
            for row in group
        ]
        sizes = [len(json.dumps(row)) + 2 for row in rows]
        if part and (len(part) + len(rows) > MOST_SENT or size + sum(sizes) > MOST_BYTES):
            yield part
            part, size = [], 0
        for row, of_row in zip(rows, sizes, strict=True):
            if part and (len(part) == MOST_SENT or size + of_row > MOST_BYTES):
                yield part
                part, size = [], 0
            part.append(row)
            size += of_row
    if part:
        yield part


def _draft(row: Mapping[str, Any]) -> Draft:
    """A draft from JSON, which may have further names."""
    facts = {name: row[name] for name in Draft.__annotations__}
    return Draft(**{**facts, "created_at": datetime.fromisoformat(row["created_at"])})
