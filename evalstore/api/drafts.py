"""Methods of the Python store: drafts that people judge, and the versions of qrels made of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import pandas as pd

from evalstore.api.inputs import Opened, as_qrels
from evalstore.judging.drafts import Draft, PoolDocument, assessments_of
from evalstore.store.queries.drafts import Rule

if TYPE_CHECKING:
    from evalstore.api.inputs import QrelsLike


class DraftsOfStore(Opened):
    """The methods of `Store` for judging, and for versions of qrels."""

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
        default_qrels: bool = False,
    ) -> dict[str, Any]:
        """Make a version of a qrels with one judgment changed; the stored runs are evaluated.

        Args:
            collection: the name of the collection.
            qrels: the name of the qrels, which stays as it is.
            qid: the query.
            docno: the document.
            grade: its new grade; None takes the judgment back.
            reason: why, for those who see figures under the version.
            name: of the version; if None the name with the next number, like `main-2`.
            default_qrels: whether figures are shown under it from now on.

        Returns:
            What `evalstore qrels edit --format json` prints: the facts of the version, and what
            changes.

        Raises:
            errors.DataError: the judgment is that already, or is not allowed.
            errors.Conflict: there is a qrels of this name.
            errors.NotFound: there is no such collection, qrels or query.
        """
        return self._changer().edit_judgment(
            *(collection, qrels, qid, docno, grade),
            reason=reason,
            name=name,
            default=default_qrels,
        )

    def drafts(self, collection: str) -> pd.DataFrame:
        """One row per draft (index `name`), the oldest first: its facts, and counts of documents.

        `documents` is the number to judge; `graded`, `graded_by_fewer` (than the overlap),
        `cannot_tell`, `later` and `disagreements` say how far they are judged.

        Args:
            collection: the name of the collection.

        Raises:
            errors.NotFound: there is no such collection.
        """
        rows = [asdict(draft) for draft in self._reader().list_drafts(collection)]
        return pd.DataFrame(rows, columns=list(Draft.__annotations__)).set_index("name")

    def new_draft(
        self,
        collection: str,
        name: str,
        documents: Iterable[Sequence[Any]] = (),
        *,
        parent: str | None = None,
        rule: Rule = "majority",
        overlap: int = 1,
        seed: int = 0,
        pool: str | None = None,
    ) -> None:
        """Make a draft of documents to judge.

        Args:
            collection: the name of the collection.
            name: of the draft.
            documents: tuples (qid, docno), (qid, docno, stratum, probability) if they are a sample,
                or with the assessor who is to judge as the fifth.
            parent: the qrels that it continues.
            rule: how grades of several assessors become one: majority (of several, the lowest),
                mean, minimum, or adjudicated.
            overlap: how many assessors judge each document.
            seed: of the order in which they are shown.
            pool: how the documents were drawn, in words.

        Raises:
            errors.DataError: a name, id or number that is not allowed.
            errors.Conflict: there is a draft of this name.
            errors.NotFound: there is no such collection or qrels.
        """
        self._changer().new_draft(
            *(collection, name),
            parent=parent,
            documents=[PoolDocument(*document) for document in documents],
            rule=rule,
            overlap=overlap,
            seed=seed,
            pool=pool,
        )

    def judge(self, collection: str, draft: str, judgments: QrelsLike, assessor: str) -> None:
        """Add the judgments of an assessor to a draft, with the documents that it does not have.

        Args:
            collection: the name of the collection.
            draft: the name of the draft.
            judgments: a path, `Qrels`, a frame or a dictionary; negative grades are left out.
            assessor: who judged. Through a server it is the account of the token, unless that
                administers the collection.

        Raises:
            errors.DataError: the judgments are invalid; nothing is stored.
            errors.NotFound: there is no such collection or draft.
        """
        items = assessments_of(as_qrels(judgments), assessor)
        self._changer().assess(collection, draft, assessor, items, new=True)

    def publish_draft(
        self,
        collection: str,
        draft: str,
        name: str | None = None,
        *,
        reason: str,
        rule: Rule | None = None,
        default_qrels: bool = False,
    ) -> dict[str, Any]:
        """Make a qrels of a draft, and evaluate the stored runs under it; the draft stays open.

        Args:
            collection: the name of the collection.
            draft: the name of the draft.
            name: of the qrels; if None that of the parent with the next number, or of the draft.
            reason: why, for those who see figures under it.
            rule: how grades of several assessors become one; if None that of the draft.
            default_qrels: whether figures are shown under it from now on.

        Returns:
            What `evalstore qrels draft publish --format json` prints.

        Raises:
            errors.DataError: nothing is judged, or the judgments are those of a stored qrels.
            errors.Conflict: there is a qrels of this name.
            errors.NotFound: there is no such collection or draft.
        """
        return self._changer().publish_draft(
            *(collection, draft, name), reason=reason, rule=rule, default=default_qrels
        )
