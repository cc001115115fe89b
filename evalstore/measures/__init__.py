"""Measures: arrays in, a value per query out. NumPy alone."""

from evalstore.measures.evaluate import aggregate, evaluate
from evalstore.measures.judged import Compat, Judged, Subtopics
from evalstore.measures.registry import NEEDS, Descriptor, registry
from evalstore.measures.spec import Measure, parse, parse_all

__all__ = [
    "NEEDS",
    "Compat",
    "Descriptor",
    "Judged",
    "Measure",
    "Subtopics",
    "aggregate",
    "evaluate",
    "parse",
    "parse_all",
    "registry",
]
