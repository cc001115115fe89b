"""Ports for programs that tests start, where the test must know the port before."""

from __future__ import annotations

import os
import random
import socket
from collections.abc import Iterator
from functools import cache
from itertools import cycle

NOT_GIVEN_BY_THE_SYSTEM = range(20_000, 32_000)
"""Below those that the system gives to connections and to who asks for any port: such a port could
be taken by another test between the moment when it was free and the start of the program."""

PROCESSES = 16
"""Processes of tests that have ports of their own each: none takes what another has found free."""


def free_port() -> int:
    """A port of this machine on which nothing listens; another one each time."""
    for port in _ports():
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("the ports never end")


@cache
def _ports() -> Iterator[int]:
    """The ports of this process, again and again, in an order of its own."""
    process = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    ports = list(NOT_GIVEN_BY_THE_SYSTEM[process % PROCESSES :: PROCESSES])
    random.SystemRandom().shuffle(ports)  # Hypothesis sets the seed of the module's functions
    return cycle(ports)
