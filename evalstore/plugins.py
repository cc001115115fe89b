"""Measures, formats and figures of other packages, which name them in their pyproject.toml.

    [project.entry-points."evalstore.measures"]
    FirstHit = "my_package:first_hit"

They are looked for when a name is unknown, a file is not recognised, all are listed, or the Compare
page is drawn.
docs/example-plugin is such a package.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Container, Iterator, Mapping
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Literal, TypeVar

T = TypeVar("T")


class WithPlugins(Mapping[str, T]):
    """Things by name: our own, then those of other packages, which are looked for when needed."""

    def __init__(self, own: Mapping[str, T], others: Callable[[], Mapping[str, T]]) -> None:
        self._own, self._others = own, others

    def __getitem__(self, name: str) -> T:
        return self._own[name] if name in self._own else self._others()[name]

    def __iter__(self) -> Iterator[str]:
        yield from self._own
        yield from self._others()

    def __len__(self) -> int:
        return len(self._own) + len(self._others())


def of_other_packages(
    kind: Literal["measures", "formats", "figures"],
    named: Callable[[object], tuple[str, T]],
    own: Container[str],
) -> Mapping[str, T]:
    """The measures, formats or figures of other packages by name; the log says which can't be used.

    `named` returns what was loaded with its name, or raises an error that says what is wrong.
    """
    found: dict[str, T] = {}
    points = sorted(entry_points(group=f"evalstore.{kind}"), key=lambda point: point.name)
    for point in points:
        package = point.dist.name if point.dist else point.value
        try:
            name, thing = named(point.load())
            if name in own or name in found:
                raise ValueError(f"another package has {name} already")
        except Exception as error:
            what = f"{type(error).__name__}: {error}".splitlines()[0]
            line = "package %s: %s, one of its %s for evalstore, can't be used: %s"
            logging.getLogger("evalstore").warning(line, package, point.name, kind, what)
        else:
            found[name] = thing
    return MappingProxyType(found)
