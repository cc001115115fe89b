"""Importing this loads all formats and measures, once for all processes that read runs.

They are loaded when they are first needed elsewhere, so that commands that need few start faster.
"""

from evalstore.formats.registry import formats
from evalstore.measures.registry import registry

formats()
registry()
