"""Addresses: which page is shown, and what is chosen on it.

    /c/core17/compare?runs=bm25,ax&m=AP

A page is rendered from its address alone, so that a link shows the same view to everyone. What
equals a default is left out. Names are percent-encoded; a list is split at its commas before it is
decoded, so a name may hold a comma.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import MappingProxyType
from urllib.parse import quote, unquote

from dashboard.components.problems import PageProblem
from evalstore.measures.notation import outside_parentheses

UNENCODED = "!'()*-._~"
"""Beside letters and digits, as JavaScript's encodeURIComponent leaves them."""

MEASURES = "m"
"""The parameter whose commas within parentheses belong to a name: `nDCG(rel=2,dcg=x)@10`."""

STATEMENT = "s"
"""The parameter that is no list: a comma in SQL is a comma."""

OF_COLLECTION = ("leaderboard", "compare", "queries", "history", "upload")
"""The pages at /c/<collection>/<page>; the leaderboard is at /c/<collection> itself."""
NAMED = ("run", "query")
"""The pages at /c/<collection>/<page>/<name>."""

DOTS = (".", "..")
TWICE = re.compile(r"%(25)*2F|^(%(25)*2E){1,2}$", re.IGNORECASE)
"""A part of a path that is encoded twice, after decoding once."""
LONGEST = 100_000
"""Characters of an address; the server reads no longer ones."""

PREFIX: ContextVar[str] = ContextVar("evalstore_prefix", default="")
"""The path before every path, like `/eval`, where the server of this request has one.

Links have it, and addresses that a browser sends are read with it; what is stored has not.
"""


@dataclass(frozen=True)
class Address:
    """An address of the dashboard.

    `page` is the kind of page, `name` the run, query, measure or saved view that it is about;
    `parameters` are what is chosen, each as a list of decoded texts, none empty.
    """

    page: str
    collection: str | None = None
    name: str | None = None
    parameters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Leave out what is empty, and make the parameters unchangeable."""
        given = {name: tuple(v for v in values if v) for name, values in self.parameters.items()}
        given = {name: values for name, values in given.items() if values}
        object.__setattr__(self, "parameters", MappingProxyType(given))

    def __hash__(self) -> int:
        return hash(self.local)

    def all(self, name: str) -> tuple[str, ...]:
        """The texts of a list."""
        return self.parameters.get(name, ())

    def one(self, name: str, default: str = "") -> str:
        """The text of a parameter that is no list: a comma in it is a comma."""
        return ",".join(self.parameters.get(name, ())) or default

    def changed(self, **parameters: str | Sequence[str] | None) -> Address:
        """The same page with other parameters; None and empty ones are left out."""
        lists = {
            name: (values,) if isinstance(values, str) else tuple(values or ())
            for name, values in parameters.items()
        }
        return Address(self.page, self.collection, self.name, {**self.parameters, **lists})

    def differences(self, other: Address) -> set[str]:
        """The parameters that differ in another address."""
        mine, others = self.parameters, other.parameters
        return {name for name in {*mine, *others} if mine.get(name) != others.get(name)}

    def same_page(self, other: Address) -> bool:
        """Whether another address is of the same page: its kind, collection and name."""
        mine = (self.page, self.collection, self.name)
        return mine == (other.page, other.collection, other.name)

    def only(self, *names: str) -> Address:
        """The same page with these parameters alone."""
        kept = {name: values for name, values in self.parameters.items() if name in names}
        return Address(self.page, self.collection, self.name, kept)

    def to(self, page: str, name: str | None = None) -> Address:
        """Another page of the same collection, with the parameters of this one."""
        return Address(page, self.collection, name, self.parameters)

    @property
    def path(self) -> str:
        """The path, without the prefix of the server."""
        match self.page:
            case "home":
                return "/"
            case "view":
                return f"/v/{encoded_part(self.name or '')}"
            case "sql" | "measures":
                return f"/{self.page}" + (f"/{encoded_part(self.name)}" if self.name else "")
        path = f"/c/{encoded_part(self.collection or '')}"
        if self.page != "leaderboard":
            path += f"/{self.page}"
        return path + (f"/{encoded_part(self.name)}" if self.name else "")

    @property
    def search(self) -> str:
        """The query string with its `?`; empty if everything is the default."""
        pairs = [
            f"{_encoded(name)}={','.join(map(_encoded, values))}"
            for name, values in self.parameters.items()
        ]
        return f"?{'&'.join(pairs)}" if pairs else ""

    @property
    def local(self) -> str:
        """Path and query string, without the prefix of the server: what can be stored."""
        return self.path + self.search

    @property
    def href(self) -> str:
        """Path and query string, for a link."""
        return linked(self.local)


def linked(local: str) -> str:
    """A path of this server for a link: with the prefix."""
    return PREFIX.get() + local


def without_prefix(path: str) -> str:
    """A path as a browser sends it, without the prefix; one that has none stays as it is."""
    prefix = PREFIX.get()
    if prefix and (path == prefix or path.startswith(f"{prefix}/")):
        return path.removeprefix(prefix) or "/"
    return path


def parse(path: str | None, search: str | None) -> Address:
    """Read an address, with the prefix of the server or without it; else raise PageProblem."""
    path, search = without_prefix(path or "/"), (search or "").removeprefix("?")
    if len(path) + len(search) > LONGEST:
        raise PageProblem(
            "This link is not understood", "Its address holds more than a page can show."
        )
    # A trailing slash is no empty name.
    parts = [_decoded(part) for part in path.removesuffix("/").split("/")[1:]]
    match parts:
        case []:
            page, collection, name = "home", None, None
        case ["c", collection]:
            page, name = "leaderboard", None
        case ["c", collection, page] if page in OF_COLLECTION and page != "leaderboard":
            name = None
        case ["c", collection, page, name] if page in NAMED:
            pass
        case ["sql" | "measures" as page]:
            collection = name = None
        case ["measures" as page, name]:
            collection = None
        case ["v", name]:
            page, collection = "view", None
        case _:
            raise PageProblem("There is no such page", f"Nothing is at {path}.")
    return Address(page, collection, name, dict(_parameters(search)))


def parse_href(href: str) -> Address:
    """Read an address of path and query string; else raise PageProblem."""
    path, _, search = href.partition("?")
    return parse(path, search)


def _parameters(search: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    for pair in search.split("&"):
        name, _, value = pair.replace("+", " ").partition("=")
        name = unquote(name)
        if name == STATEMENT:
            pieces = [value]
        else:
            pieces = outside_parentheses(value) if name == MEASURES else value.split(",")
        yield name, tuple(text for text in (unquote(piece).strip() for piece in pieces) if text)


def _encoded(text: str) -> str:
    # Most ids and names have nothing to encode; `quote` would look at each character.
    return text if text.isascii() and text.isalnum() else quote(text, safe=UNENCODED)


def encoded_part(text: str) -> str:
    """A name as a part of a path.

    Browsers take . and .. for folders, and servers a slash for a separator, even if these are
    encoded: names with them are encoded twice, and so are those that would look so.
    """
    if text in DOTS:
        return quote(text.replace(".", "%2E"))
    if TWICE.search(text) or "/" in text:
        return quote(_encoded(text), safe=UNENCODED)
    return _encoded(text)


def _decoded(part: str) -> str:
    text = unquote(part)
    return unquote(text) if TWICE.search(text) else text
