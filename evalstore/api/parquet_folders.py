"""A store as a folder of Parquet files, and a folder added to a store."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable
from pathlib import Path

from evalstore.store import Store as Database
from evalstore.transfer.copy import Copied
from evalstore.transfer.export_parquet import Exported, export_parquet
from evalstore.transfer.import_parquet import check_folder, import_parquet


class ParquetFolders(ABC):
    """The part of `Store` that writes and reads folders of Parquet files."""

    @abstractmethod
    def _reading(self) -> Database:
        """The database, which must be there."""

    @abstractmethod
    def _writing(self) -> Database:
        """The database, made if it is not there."""

    def export_parquet(
        self, folder: str | os.PathLike[str], collections: Iterable[str] = ()
    ) -> Exported:
        """Write the store as partitioned Parquet files, as `evalstore export parquet` does.

        Args:
            folder: one that an export wrote before, that is empty, or that does not exist.
            collections: only these; all where there are none.

        Returns:
            The numbers of files that were written, unchanged and removed, of rows and of bytes.

        Raises:
            errors.NotFound: there is no such collection.
            errors.DataError: the folder holds something else, or can't be written.
        """
        return export_parquet(self._reading(), Path(folder), tuple(collections))

    def import_parquet(
        self, folder: str | os.PathLike[str], collections: Iterable[str] = ()
    ) -> tuple[Copied, ...]:
        """Add what the store lacks of a folder, as `evalstore import parquet` does.

        Args:
            folder: one that an export wrote.
            collections: only these; all where there are none.

        Returns:
            A result per item; `status` is `copied`, `completed`, `there already` or `failed`, and
            `detail` says why it failed.

        Raises:
            errors.NotFound: the folder has no such collection; nothing was stored.
            errors.DataError: it is no folder of an export, or damaged; nothing was stored.
        """
        checked = check_folder(Path(folder), tuple(collections))
        return import_parquet(self._writing(), checked)
