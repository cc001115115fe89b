"""Addresses: which page is shown, and what is chosen on it.

    /c/core17/compare?runs=bm25,ax&m=AP

A page is rendered from its address alone, so that a link shows the same view to everyone. Values
that equal a default are left out. Names are percent-encoded; a list is split at its commas before
it is decoded, so a name may contain a comma.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import MappingProxyType
from urllib.parse import quote, unquote

from dashboard.components.problems import PageProblem
from evalstore.measures.notation import outside_parentheses

UNENCODED = "!'()*-._~"
"""The signs that stay unencoded, the same as with JavaScript's encodeURIComponent."""

MEASURES = "m"
"""The parameter in which commas within parentheses belong to a name: `nDCG(rel=2,dcg=x)@10`."""

STATEMENT = "s"
"""The parameter that is not a list: it is SQL, which may contain commas."""

OF_COLLECTION = ("leaderboard", "compare", "queries", "judgments", "judge", "history", "upload")
"""The pages at /c/<collection>/<page>; the leaderboard is at /c/<collection> itself."""
NAMED = ("run", "query")
"""The pages at /c/<collection>/<page>/<name>."""

DOTS = (".", "..")
TWICE = re.compile(r"%(25)*2F|^(%(25)*2E){1,2}$", re.IGNORECASE)
"""A pattern for a part of a path that was encoded twice, after decoding it once."""
LONGEST = 100_000
"""The longest address in characters; the server rejects longer ones."""
MOST_VALUES = 300
"""The largest number of names in a parameter: each is looked up."""

PREFIX: ContextVar[str] = ContextVar("evalstore_prefix", default="")
"""The prefix before every path (like `/eval`), if the server of this request has one.

Links contain it, and addresses sent by a browser are read with it; stored addresses don't have it.
"""


@dataclass(frozen=True)
class Address:
    """An address of the dashboard.

    `page` is the kind of page, `name` the run, query, measure or saved view that it shows.
    `parameters` are the choices on the page, each a list of decoded, non-empty texts.
    """

    page: str
    collection: str | None = None
    name: str | None = None
    parameters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Leave out empty parameters, and make the others read-only."""
        given = {name: tuple(v for v in values if v) for name, values in self.parameters.items()}
        given = {name: values for name, values in given.items() if values}
        object.__setattr__(self, "parameters", MappingProxyType(given))

    def __hash__(self) -> int:
        return hash(self.local)

    def all(self, name: str) -> tuple[str, ...]:
        """The values of a list parameter."""
        return self.parameters.get(name, ())

    def one(self, name: str, default: str = "") -> str:
        """The value of a parameter that is not a list, so that commas have no meaning."""
        return ",".join(self.parameters.get(name, ())) or default

    def changed(self, **parameters: str | Sequence[str] | None) -> Address:
        """The same page with other parameters; None and empty ones are left out."""
        lists = {
            name: (values,) if isinstance(values, str) else tuple(values or ())
            for name, values in parameters.items()
        }
        return Address(self.page, self.collection, self.name, {**self.parameters, **lists})

    def differences(self, other: Address) -> set[str]:
        """The names of parameters whose values differ in another address."""
        mine, others = self.parameters, other.parameters
        return {name for name in {*mine, *others} if mine.get(name) != others.get(name)}

    def same_page(self, other: Address) -> bool:
        """Whether another address is for the same page: same kind, collection and name."""
        mine = (self.page, self.collection, self.name)
        return mine == (other.page, other.collection, other.name)

    def only(self, *names: str) -> Address:
        """The same page with only these parameters."""
        kept = {name: values for name, values in self.parameters.items() if name in names}
        return Address(self.page, self.collection, self.name, kept)

    def to(self, page: str, name: str | None = None) -> Address:
        """Another page of the same collection, with the same parameters."""
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
        """The path and query string without the server's prefix: the form that is stored."""
        return self.path + self.search

    @property
    def href(self) -> str:
        """The path and query string, for a link."""
        return linked(self.local)


def linked(local: str) -> str:
    """The link to a stored address of this server: the address with the prefix."""
    return PREFIX.get() + local


def without_prefix(path: str) -> str:
    """A path as sent by a browser, without the prefix; unchanged if it has none."""
    prefix = PREFIX.get()
    if prefix and (path == prefix or path.startswith(f"{prefix}/")):
        return path.removeprefix(prefix) or "/"
    return path


def parse(path: str | None, search: str | None) -> Address:
    """Read an address, with or without the server's prefix; raise PageProblem if it is wrong."""
    path, search = without_prefix(path or "/"), (search or "").removeprefix("?")
    if len(path) + len(search) > LONGEST:
        raise PageProblem(
            "This link is not understood", "Its address holds more than a page can show."
        )
    # A trailing slash doesn't add an empty name.
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
    return Address(page, collection, name, _parameters(search))


def parse_href(href: str) -> Address:
    """Read an address from a path and query string; raise PageProblem if it is wrong."""
    path, _, search = href.partition("?")
    return parse(path, search)


def _parameters(search: str) -> dict[str, tuple[str, ...]]:
    """The parameters; one that is given several times has all its values."""
    parameters: dict[str, tuple[str, ...]] = {}
    for pair in search.split("&"):
        name, _, value = pair.replace("+", " ").partition("=")
        name = unquote(name)
        if name == STATEMENT:
            pieces = [value]
        else:
            pieces = outside_parentheses(value) if name == MEASURES else value.split(",")
        values = (unquote(piece).strip() for piece in pieces)
        parameters[name] = (*parameters.get(name, ()), *filter(None, values))
        if max(len(pieces), len(parameters[name])) > MOST_VALUES:
            raise PageProblem(
                "This link names too much",
                f"“{name}” has more than {MOST_VALUES:,} values, the most that are shown.",
            )
    return parameters


def _encoded(text: str) -> str:
    # Most ids and names need no encoding; `quote` would look at each character.
    return text if text.isascii() and text.isalnum() else quote(text, safe=UNENCODED)


def encoded_part(text: str) -> str:
    """A name, encoded as a part of a path.

    Browsers treat . and .. as folders, and servers treat a slash as a separator, even if these are
    encoded. Names that contain them are therefore encoded twice, and so are names that would look
    like an encoded one.
    """
    if text in DOTS:
        return quote(text.replace(".", "%2E"))
    if TWICE.search(text) or "/" in text:
        return quote(_encoded(text), safe=UNENCODED)
    return _encoded(text)


def _decoded(part: str) -> str:
    text = unquote(part)
    return unquote(text) if TWICE.search(text) else text
