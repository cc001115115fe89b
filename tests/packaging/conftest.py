from __future__ import annotations

from pathlib import Path

import pytest
from builds import built


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout."""
    return built("wheel", tmp_path_factory.mktemp("wheel"))
