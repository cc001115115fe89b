"""The program in processes that need no second for their imports: forked.py makes them."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class ForkedProgram:
    """Calls the program in the current folder, each time in another process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def with_fault(self, arguments: tuple[str, ...], fault: str) -> tuple[int, str]:
        """The exit status and standard error of a call in which something is broken."""
        self._begin(arguments, fault=fault)
        return self._end()

    def on_terminal(self, *arguments: str, columns: int = 80, **environment: str) -> str:
        """What the program prints on a terminal of so many columns."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self._begin(arguments, terminal=os.ttyname(theirs), environment=environment)
        output = b""
        ended = False
        while not ended:
            ready, _, _ = select.select([ours, self._process.stdout], [], [])
            if ours in ready:
                output += os.read(ours, 65536)
            ended = self._process.stdout in ready
        status, _ = self._end()
        os.close(theirs)
        try:
            while part := os.read(ours, 65536):
                output += part
        except OSError:  # the end of what was printed
            os.close(ours)
        text = output.decode().replace("\r\n", "\n")
        assert status == 0, text
        return text

    def _begin(self, arguments: tuple[str, ...], **more: object) -> None:
        call = {"folder": os.getcwd(), "arguments": arguments, **more}
        assert self._process.stdin
        self._process.stdin.write(f"{json.dumps(call)}\n")
        self._process.stdin.flush()

    def _end(self) -> tuple[int, str]:
        assert self._process.stdout
        status, errors = json.loads(self._process.stdout.readline())
        return status, errors


@contextmanager
def forked_program() -> Iterator[ForkedProgram]:
    """The program, while the process that is forked runs."""
    script = Path(__file__).with_name("forked.py")
    with subprocess.Popen(
        [sys.executable, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield ForkedProgram(process)
        assert process.stdin
        process.stdin.close()
