"""What the pages of the administrators are made of: tables, and forms of a button or some fields.

Cells and fields are HTML; every name in them is escaped where it is put in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from evalstore.server.people.rights import ROLES


def name_text(name: str | None, otherwise: str = "") -> str:
    """A name in a cell, which can't turn the direction of what is beside it."""
    return otherwise if name is None else f"<bdi>{escape(name)}</bdi>"


def table(headers: Sequence[str], rows: Sequence[Sequence[str]], otherwise: str) -> str:
    """A table; on a narrow screen each cell but the first has its header before it.

    Args:
        headers: plain texts; an empty one is of cells with buttons.
        rows: cells of HTML.
        otherwise: the sentence where there are no rows.
    """
    if not rows:
        return f'<p class="hint">{escape(otherwise)}</p>'
    head = "".join(
        f'<th scope="col">{escape(header) or "<span>Change</span>"}</th>' for header in headers
    )
    return (
        f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>"
        + "".join(f"<tr>{_cells(headers, row)}</tr>\n" for row in rows)
        + "</tbody>\n</table>"
    )


def _cells(headers: Sequence[str], row: Sequence[str]) -> str:
    labels = [f' data-label="{escape(header)}"' if header else "" for header in headers]
    labels[0] = ""
    return "".join(f"<td{label}>{cell}</td>" for label, cell in zip(labels, row, strict=True))


def button(action: str, text: str, about: str, fields: Mapping[str, str]) -> str:
    """A form that is one button.

    Args:
        action: where it is sent.
        text: on the button.
        about: what is changed by it, for who hears the page.
        fields: what is sent.
    """
    return (
        f'<form class="one" method="post" action="{escape(action)}">{hidden(fields)}'
        f'<button class="quiet" type="submit" aria-label="{escape(f"{text}: {about}")}">'
        f"{escape(text)}</button></form>"
    )


def form(action: str, fields: Sequence[str], text: str, method: str = "post") -> str:
    """A form of some fields in a row."""
    return (
        f'<form class="fields" method="{method}" action="{escape(action)}">'
        + "".join(fields)
        + f'<button type="submit">{escape(text)}</button></form>'
    )


def hidden(fields: Mapping[str, str]) -> str:
    """Fields that are sent and not shown."""
    return "".join(
        f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">'
        for name, value in fields.items()
    )


def text_field(
    id_: str, name: str, label: str, value: str = "", *, longest: int, required: bool = False
) -> str:
    """A field to type a name into."""
    return (
        f'<p><label for="{id_}">{escape(label)}</label>'
        f'<input id="{id_}" name="{name}" value="{escape(value)}" maxlength="{longest}" '
        f'autocomplete="off" autocapitalize="none" spellcheck="false"'
        f"{' required' if required else ''}></p>"
    )


def choice(id_: str, name: str, label: str, options: Sequence[tuple[str, str]]) -> str:
    """A field to choose one of some values, each with its text; the first is chosen."""
    elements = "".join(
        f'<option value="{escape(value)}">{escape(text)}</option>' for value, text in options
    )
    return (
        f'<p><label for="{id_}">{escape(label)}</label>'
        f'<select id="{id_}" name="{name}">{elements}</select></p>'
    )


def role_choice(id_: str) -> str:
    """The choice of a role."""
    return choice(id_, "role", "Role", [(role, role) for role in ROLES])


def collection_choice(id_: str, collections: Sequence[str]) -> str:
    """The choice of the whole store, which is sent as an empty name, or a collection."""
    options = [("", "the whole store"), *((name, name) for name in collections)]
    return choice(id_, "collection", "Where", options)
