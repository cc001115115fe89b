"""The scripts of others, in vendor/: plotly.js draws the figures, CodeMirror edits SQL.

Of plotly.js the figures need only scatter and bar. Its bundle "basic" is 0.4 MB compressed; the one
in plotly's Python package, which also has maps and 3-D, is 1.5 MB.
"""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True)
class Script:
    """A script by the name of its file in vendor/, without suffixes."""

    name: str

    def packed(self) -> bytes:
        """The script, compressed with gzip."""
        return files("dashboard").joinpath("vendor", f"{self.name}.min.js.gz").read_bytes()

    def source(self) -> str:
        """The script as text."""
        return gzip.decompress(self.packed()).decode()

    def path(self) -> str:
        """The path of the script on a server; it differs between versions."""
        return f"/vendor/{self.name}.{hashlib.sha256(self.packed()).hexdigest()[:12]}.min.js"


PLOTLY = Script("plotly-basic")
CODEMIRROR = Script("codemirror")
SCRIPTS = (PLOTLY, CODEMIRROR)
