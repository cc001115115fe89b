"""Ports for programs that tests start, where the test must know the port before."""

from __future__ import annotations

import random
import socket

NOT_GIVEN_BY_THE_SYSTEM = range(20_000, 32_000)
"""Below those that the system gives to connections and to who asks for any port: such a port could
be taken by another test between the moment when it was free and the start of the program."""


def free_port() -> int:
    """A port of this machine on which nothing listens."""
    chosen_by_chance = random.SystemRandom()  # Hypothesis sets the seed of the module's functions
    while True:
        port = chosen_by_chance.choice(NOT_GIVEN_BY_THE_SYSTEM)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
