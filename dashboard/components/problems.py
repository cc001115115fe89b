"""A page that can't be shown: what is wrong, and what to do next."""

from __future__ import annotations

from typing import TypedDict


class WayOut(TypedDict, total=False):
    """The links that a problem offers, as arguments of PageProblem."""

    link: str
    link_text: str
    others: tuple[tuple[str, str], ...]


class PageProblem(Exception):
    """A page that can't be shown.

    Attributes:
        title, sentence, advice: what is wrong and what to do.
        link, link_text: where to go next: None for the first page; an empty link loads the same
            address again.
        others: further links: the address and the text of each.
        status: the HTTP status of a download that fails in this way.
    """

    def __init__(
        self,
        title: str,
        sentence: str,
        *,
        advice: str = "",
        link: str | None = None,
        link_text: str = "Go to the collections",
        others: tuple[tuple[str, str], ...] = (),
        status: int = 404,
    ) -> None:
        super().__init__(title, sentence)
        self.title = title
        self.sentence = sentence
        self.advice = advice
        self.link = link
        self.link_text = link_text
        self.others = others
        self.status = status


class Redirect(Exception):
    """The page is at another address: `href` takes its place in the browser's history."""

    def __init__(self, href: str) -> None:
        super().__init__(href)
        self.href = href
