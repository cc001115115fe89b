"""The table of the queries on which a run loses most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from evalstore.cli.output import printable, table

if TYPE_CHECKING:
    from evalstore.comparison.regressions import Regression


LONGEST_TEXT = 60
"""Characters of a query's text; the query is named by its id."""


def write_losses(losses: Sequence[Regression], texts: Mapping[str, str]) -> None:
    """Print queries on which b loses to a, after an empty line; nothing where there are none.

    Args:
        losses: the largest first, all of one measure.
        texts: of the queries, as far as they are known.
    """
    if not losses:
        return
    from evalstore.comparison.regressions import text_in_line

    measure = losses[0].pair.measure
    click.echo(f"\nlargest losses of b on {printable(measure)}:")
    any_text = any(loss.qid in texts for loss in losses)
    several = len({(loss.pair.a, loss.pair.b) for loss in losses}) > 1
    rows = [
        (
            loss.qid,
            *([text_in_line(texts.get(loss.qid, ""), LONGEST_TEXT)] if any_text else []),
            *((loss.pair.a, loss.pair.b) if several else ()),
            *(loss.value_a, loss.value_b, f"{loss.difference:+.4f}"),
        )
        for loss in losses
    ]
    names = ["query", *(["text"] if any_text else []), *(["a", "b"] if several else [])]
    drop = ["value a", "value b", "text", "b", "a"]
    table([*names, "value a", "value b", "b - a"], rows, left=len(names), drop=drop)
