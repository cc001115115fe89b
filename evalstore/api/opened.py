"""The store behind the objects of the Python API."""

from __future__ import annotations

from abc import ABC, abstractmethod

from evalstore.client.any_store import AnyStore, LocalStore
from evalstore.store import Store as Database


class Opened(ABC):
    """The part of `Store` by which its other parts reach the database or the server."""

    @abstractmethod
    def _reading(self) -> Database:
        """The database, which must be there."""

    @abstractmethod
    def _writing(self) -> Database:
        """The database, made if it is not there."""

    def _reader(self) -> AnyStore:
        """The store, which must be there."""
        return LocalStore(self._reading())

    def _changer(self) -> AnyStore:
        """The store, made if it is not there."""
        return LocalStore(self._writing())
