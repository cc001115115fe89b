"""Loads, once for all processes that read runs, modules that else are loaded when first needed."""

from evalstore.evaluation import parallel, prepare  # noqa: F401  (to load them)
from evalstore.formats.registry import folder_formats, formats
from evalstore.measures.registry import registry

formats()
folder_formats()
registry()
