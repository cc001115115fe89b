"""Baselines, experiments and the history of engines, as methods of the store of Python users."""

from __future__ import annotations

from abc import ABC, abstractmethod

from evalstore.errors import DataError
from evalstore.store import Store as Database
from evalstore.usecases import baselines


class Tracking(ABC):
    """The part of `Store` that is about runs in time, and what they are compared with."""

    @abstractmethod
    def _reading(self) -> Database:
        """The database, which must be there."""

    @abstractmethod
    def _writing(self) -> Database:
        """The database, made if it is not there."""

    def baseline(self, collection: str) -> str | None:
        """The name of the run that the others of a collection are compared with.

        None where none was set, or while it is marked as removed.

        Args:
            collection: its name.

        Raises:
            errors.NotFound: there is no such collection.
        """
        run = baselines.baseline(self._reading(), collection)
        return None if run is None else run.name

    def set_baseline(self, run: str | None, collection: str | None = None) -> None:
        """Make a run the baseline of its collection, in place of any other.

        Args:
            run: its name, or its id as text; None for no baseline.
            collection: the name of its collection, where several have a run of that name, or where
                `run` is None.

        Raises:
            errors.NotFound: there is no such run or collection.
            errors.DataError: neither a run nor a collection is given.
        """
        if run is not None:
            baselines.set_baseline(self._writing(), run, collection)
            return
        if collection is None:
            raise DataError("name the collection that is to have no baseline")
        listed = [stored.collection for stored in baselines.baselines(self._reading())]
        if collection in listed:
            baselines.unset_baseline(self._writing(), collection)
        else:
            self.baseline(collection)  # raises where there is no such collection
