"""What tests of Parquet do with a folder that was exported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from evalstore.store import Store
from evalstore.transfer.copy import Copied
from evalstore.transfer.import_parquet import check_folder, import_parquet


def taken(target: Store, folder: Path, *collections: str) -> tuple[Copied, ...]:
    return import_parquet(target, check_folder(folder, collections))


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.glob("**/*")
        if path.is_file()
    }


def rows(folder: Path, table: str) -> list[dict[str, Any]]:
    """The rows of all files of a table, without the columns of partitions."""
    parts = sorted((folder / table).glob("**/part.parquet"))
    return [row for part in parts for row in pq.ParquetFile(part).read().to_pylist()]
