"""Facts of runs, as Python users give them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, TypedDict, Unpack

from evalstore.catalog.annotate import Changes
from evalstore.catalog.given_facts import GivenFacts
from evalstore.catalog.run_changes import RunChange
from evalstore.client.changer_part import Changer
from evalstore.formats.facts.parameters import Parameter


class FactArguments(TypedDict, total=False):
    """The facts of a run, as keyword arguments; `evalstore.StoredRun.facts` has them."""

    params: Mapping[str, Parameter]
    tags: Iterable[str]
    note: str
    commit: str
    commit_dirty: bool
    host: str
    started_by: str
    started_at: datetime
    ended_at: datetime
    command: str
    index_version: str
    collection_version: str
    parent: str
    index_bytes: int
    memory_bytes: int
    money: tuple[float, str]
    energy_joules: float
    header: Mapping[str, Any]


def given_facts(facts: FactArguments) -> GivenFacts:
    """The facts, checked.

    Raises:
        TypeError: an argument that is no fact.
        errors.DataError: a fact that can't be.
    """
    known = FactArguments.__annotations__
    for name in facts:
        if name not in known:
            raise TypeError(f"there is no argument {name!r}; facts are {', '.join(known)}")
    others = {k: v for k, v in facts.items() if k not in ("params", "tags", "money")}
    money, currency = facts.get("money", (None, None))
    return GivenFacts(
        parameters=facts.get("params", {}),
        tags=tuple(facts.get("tags", ())),
        money=money,
        currency=currency,
        **others,  # type: ignore[arg-type]  # (types as in FactArguments)
    )


class AnnotatedRuns(ABC):
    """The part of `Store` that corrects what is recorded of runs."""

    @abstractmethod
    def _changer(self) -> Changer:
        """What changes the store."""

    def annotate(
        self,
        run: str,
        collection: str | None = None,
        *,
        unset: Iterable[str] = (),
        unset_params: Iterable[str] = (),
        **facts: Unpack[FactArguments],
    ) -> Changes:
        """Add facts to a stored run, correct them or take them away; all of it or nothing.

        Args:
            run: its name, or its id as text.
            collection: the name of its collection, where several have a run of that name.
            unset: names of facts that are taken away, as `StoredRun.facts` has them.
            unset_params: names of parameters that are taken away.
            facts: params and tags are added to those of the run, others replace the one before:
                note, commit, commit_dirty, host, started_by, started_at, ended_at, command,
                index_version, collection_version, parent (the name of a run), index_bytes,
                memory_bytes, money (an amount and a currency: `(0.12, "EUR")`), energy_joules,
                header (ir_metadata, nested as in its schema).

        Returns:
            By fact (`parameters.k1`, `note`), the value before and the value now.

        Raises:
            errors.NotFound: there is no such run, parent or parameter.
            errors.DataError: a fact that can't be, or a name that is no fact.
        """
        change = RunChange(
            facts=given_facts(facts), unset=tuple(unset), unset_parameters=tuple(unset_params)
        )
        return self._changer().change_run(run, change, collection).changes
