"""plotly.js, which draws the figures in a browser: the bundle "basic", in vendor/.

The figures need only scatter and bar. "basic" is 0.4 MB compressed; the bundle in plotly's Python
package, which also has maps and 3-D, is 1.5 MB.
"""

from __future__ import annotations

import gzip
import hashlib
from importlib.resources import files


def packed() -> bytes:
    """The script, compressed with gzip."""
    return files("dashboard").joinpath("vendor", "plotly-basic.min.js.gz").read_bytes()


def source() -> str:
    """The script as text."""
    return gzip.decompress(packed()).decode()


def path() -> str:
    """The path of the script on a server; it differs between versions."""
    return f"/vendor/plotly-basic.{hashlib.sha256(packed()).hexdigest()[:12]}.min.js"
