from __future__ import annotations

from pathlib import Path

import pytest
from builds import built
from made_once import made_once


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    made = made_once(tmp_path_factory, "wheel", lambda folder: built("wheel", folder))
    return next(made.glob("*.whl"))
