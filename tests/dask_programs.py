"""What a process of Dask does that was forked where Dask had been imported."""

from __future__ import annotations

import faulthandler
import os
import sys
from collections.abc import Sequence
from pathlib import Path


def run(arguments: Sequence[str], log: str, folder: str) -> None:
    """Do what `dask ARGUMENTS` does, in a session of its own; what it prints goes into a file."""
    os.setsid()
    output = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for theirs, ours in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(theirs, ours)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115  (for as long as the process lives)
    faulthandler.enable()  # a signal that ends the process leaves its place in the file
    os.chdir(folder)
    os.environ["PYTHONPATH"] = str(Path(__file__).parent)
    import dask
    from dask.cli import run_cli

    dask.config.set({"distributed.scheduler.allowed-failures": 1})
    # A nanny's worker is forked where this process was; it ends when the nanny is gone.
    dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"})
    sys.argv = ["dask", *arguments]
    run_cli()
