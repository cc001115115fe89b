"""Experiments: named groups of runs."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from evalstore.server.api.operation import Asked, Content
from evalstore.server.api.paging import Paged, page
from evalstore.tracking.experiments import experiments


class Experiment(Content):
    """An experiment; its runs are those of `/runs?experiment=NAME`."""

    name: str
    created_at: Annotated[
        datetime,
        Field(
            description="When it was first named; of one without texts that you may read, when "
            "the oldest of its runs was stored."
        ),
    ]
    question: Annotated[str | None, Field(description="What it is to find out, in Markdown.")]
    conclusion: Annotated[str | None, Field(description="What was found out, in Markdown.")]
    runs: Annotated[int, Field(description="How many.")]


class Experiments(Content):
    """A page of the experiments."""

    experiments: list[Experiment]
    next: str | None


def list_of_experiments(asked: Asked, chosen: Paged) -> dict[str, Any]:
    """The experiments in natural order of their names, as `evalstore experiment list` has them."""
    rows, following = page(experiments(asked.store), lambda row: row.name, asked, chosen)
    listed = list(map(Experiment.fields_of, rows))
    return {"experiments": listed, "next": following}
