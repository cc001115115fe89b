"""Drafts and versions of judgments in a store behind a server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from evalstore.client.connection import Server, in_path
from evalstore.errors import DataError
from evalstore.judging.drafts import MOST_SENT, Assessment, Draft, PoolDocument
from evalstore.store.queries.drafts import Rule


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
        """Make a draft of documents to judge."""
        if len(documents) > MOST_SENT:
            raise DataError(
                f"a server takes a draft of {MOST_SENT:,} documents at most, not "
                f"{len(documents):,}: judge a part, or make it where the server's store is"
            )
        given = [document._asdict() for document in documents]
        content = self._judge(
            collection, "drafts", name=name, parent=parent, documents=given, rule=rule,
            overlap=overlap, seed=seed, pool=pool,
        )  # fmt: skip
        return _draft(content)

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
        for start in range(0, len(items), MOST_SENT):
            given = [item._asdict() for item in items[start : start + MOST_SENT]]
            answer = self._judge(collection, path, assessor=assessor, items=given, new=new)
            keys += answer["keys"]
        return keys

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


def _draft(row: Mapping[str, Any]) -> Draft:
    """A draft from JSON, which may have further names."""
    facts = {name: row[name] for name in Draft.__annotations__}
    return Draft(**{**facts, "created_at": datetime.fromisoformat(row["created_at"])})
