"""How many requests of a kind are answered at once in this process."""

from __future__ import annotations

import threading


class Slots:
    """A number of slots; a request takes one, or is refused. A forked process has its own."""

    def __init__(self, number: int) -> None:
        self._semaphore = threading.BoundedSemaphore(number)

    def take(self) -> bool:
        """Take a slot; False where none is free."""
        return self._semaphore.acquire(blocking=False)

    def give_back(self) -> None:
        """Free the slot that was taken."""
        self._semaphore.release()
