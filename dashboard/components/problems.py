"""Pages that can't be shown: the problem, and what to do next."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass
from typing import TypeVar

from dashboard.components import wording
from evalstore.errors import EvalstoreError, NotComparable, NotFound, StoreError
from evalstore.store import Store


@dataclass(eq=False)
class PageProblem(Exception):
    """A page that can't be shown.

    `link` is where to go next: None for the home page, empty to load the same address again.
    `others` are further links, each an address and its text. `runs` are the names of runs that can
    be added to the address. `status` is the HTTP status if the problem occurs in a download.
    """

    title: str
    sentence: str
    _: KW_ONLY
    advice: str = ""
    link: str | None = None
    link_text: str = "Go to the collections"
    others: tuple[tuple[str, str], ...] = ()
    runs: tuple[str, ...] = ()
    status: int = 404


class Redirect(Exception):
    """A redirect to another address: `href` replaces the current entry of the browser's history."""

    def __init__(self, href: str) -> None:
        super().__init__(href)
        self.href = href


# Errors of the store, as sentences for a page

T = TypeVar("T")

STORE_ADVICE = {
    "newer schema": "Who runs this dashboard: install a newer evalstore, then start it again.",
    "older schema": "Who runs this dashboard: make a backup, then run `evalstore db upgrade`.",
    "no store": "Who runs this dashboard: `evalstore ingest` or `evalstore demo` makes a store.",
}
"""Advice on a problem of the store, by `EvalstoreError.problem`."""

USUAL_ADVICE = (
    "If this stays so, tell the person who runs this dashboard: its terminal shows the reason."
)


def read(store: Store, load: Callable[[], T], way_on: str = "", text: str = "") -> T:
    """Return the result of `load`; turn its errors into a PageProblem without private details.

    `way_on` and its `text` are the link for a problem that can be solved at another address.
    """

    def problem(title: str, error: EvalstoreError) -> PageProblem:
        link, words = (way_on, text) if way_on else (None, PageProblem.link_text)
        return PageProblem(title, sentence(error), link=link, link_text=words)

    try:
        return load()
    except NotFound as error:
        raise problem("Not in this store", error) from error
    except NotComparable as error:
        raise problem("These runs can't be compared", error) from error
    except StoreError as error:
        raise _store_problem(store, error) from error
    except EvalstoreError as error:
        raise problem("This can't be shown", error) from error


def sentence(line: object, names: Iterable[str] = ()) -> str:
    """Turn a line for a terminal into a sentence; a name at its beginning stays as it is."""
    text = str(line)
    is_name = text.startswith(tuple(f"{name}{end}" for name in names for end in " ,"))
    begin = text[:1] if is_name else text[:1].upper()
    return begin + text[1:] + ("" if text.endswith((".", "?", "!")) else ".")


def _store_problem(store: Store, error: StoreError) -> PageProblem:
    """The problem of a store that can't be read, without host, user and folder.

    The whole error is in the terminal of the dashboard.
    """
    logging.getLogger("dashboard").warning("%s", error)
    name = f"the database “{wording.name(store.name)}”"
    if error.__cause__ is None:  # our own sentence; the text of a driver may name host and user
        text = str(error).replace(store.url_shown, name)
        if store.file is not None:
            text = text.replace(str(store.file), name)
        text = sentence(text)
    else:
        text = sentence(f"{name} can't be read")
    return PageProblem(
        "The store can't be read",
        text,
        advice=STORE_ADVICE.get(error.problem or "", USUAL_ADVICE),
        link="",
        link_text="Try again",
        status=503,
    )
