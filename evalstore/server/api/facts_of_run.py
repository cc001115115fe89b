"""The facts of a run as requests give them, by their names."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from evalstore.server.api.operation import Parameters

Text = Annotated[str | None, Field(strict=True)]
Texts = Annotated[list[str] | None, Field(strict=True)]
Number = Annotated[float | None, Field(strict=True)]
Whole = Annotated[int | None, Field(strict=True)]
Switch = Annotated[bool | None, Field(strict=True)]


class FactsOfRun(Parameters):
    """Facts of a run, as `evalstore annotate` takes them. What is null is as if left out."""

    parameters: Annotated[
        dict[str, Any] | None, Field(description="Of the run: texts, numbers or booleans by name.")
    ] = None
    tags: Annotated[Texts, Field(description="They are added to those of the run.")] = None
    note: Text = None
    commit: Text = None
    commit_dirty: Switch = None
    host: Text = None
    started_by: Text = None
    command: Text = None
    index_version: Text = None
    collection_version: Text = None
    parent: Annotated[Text, Field(description="The run that it was made from.")] = None
    started_at: Annotated[Text, Field(description="A time as in ISO 8601.")] = None
    ended_at: Annotated[Text, Field(description="A time as in ISO 8601.")] = None
    index_bytes: Whole = None
    memory_bytes: Whole = None
    money: Number = None
    currency: Text = None
    energy_joules: Number = None

    def given(self) -> dict[str, Any]:
        """Those that are given, by their names."""
        return {
            name: value
            for name in FactsOfRun.model_fields
            if (value := getattr(self, name)) is not None
        }
