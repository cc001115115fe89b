"""Measures: arrays in, a value per query out. NumPy alone."""

from evalstore.measures.evaluate import aggregate, evaluate
from evalstore.measures.judged import Compat, Judged
from evalstore.measures.registry import Descriptor, registry
from evalstore.measures.spec import Measure, parse, parse_all

__all__ = [
    "Compat",
    "Descriptor",
    "Judged",
    "Measure",
    "aggregate",
    "evaluate",
    "parse",
    "parse_all",
    "registry",
]
