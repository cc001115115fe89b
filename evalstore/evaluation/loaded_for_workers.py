"""Importing this loads what all processes that read runs need, once for all of them.

Formats and measures are loaded when they are first needed elsewhere, so that commands that need few
start faster. The other modules are those that a process would load for its first file.
"""

from evalstore.evaluation import parallel, prepare  # noqa: F401  (to load them)
from evalstore.formats.registry import folder_formats, formats
from evalstore.measures.registry import registry

formats()
folder_formats()
registry()
