"""Loads the formats, measures and modules that all processes that read runs need, once for all.

Elsewhere they are loaded when they are first needed, so that commands start faster.
"""

from evalstore.evaluation import parallel, prepare  # noqa: F401  (to load them)
from evalstore.formats.registry import folder_formats, formats
from evalstore.measures.registry import registry

formats()
folder_formats()
registry()
