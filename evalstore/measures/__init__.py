"""Measures: arrays in, a value per query out. NumPy alone.

Every measure of the registry is an attribute of this package, as an object that takes parameters
and a cutoff: `nDCG @ 10`, `P(rel=2) @ 5`. (Names that are no Python names are written as text:
`parse("11ptAP")`.) The arrays that measures see are in `evalstore.measures.judged`.
"""

from evalstore.measures.evaluate import aggregate, evaluate
from evalstore.measures.judged import CompatMode
from evalstore.measures.notation import Measure, named_measures, parse, parse_all, parse_list
from evalstore.measures.registry import NEEDS, Descriptor, names, registry

__all__ = [
    "NEEDS", "CompatMode", "Descriptor", "Measure", "aggregate", "evaluate", "named_measures",
    "parse", "parse_all", "parse_list", "registry",
]  # fmt: skip


def __getattr__(name: str) -> Measure:
    """The measure of a name or alias, loaded at its first use."""
    known = (
        None if name.startswith("__") else names().get(name, names().get(name.replace("_", "-")))
    )
    if known is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return Measure(known)


def __dir__() -> list[str]:
    """The exports of the package, and every measure that has a Python name."""
    measures = (name.replace("-", "_") for name in registry())
    return sorted({*__all__, *filter(str.isidentifier, measures)})
