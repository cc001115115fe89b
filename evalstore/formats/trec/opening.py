"""The comment lines that open a file, kept while its blocks go by to be parsed."""

from __future__ import annotations

from collections.abc import Iterator

MOST = 1 << 20
"""Bytes of opening lines that are kept: more than any header that is read."""
BLANKS = b" \t\r\n"


class OpeningLines:
    """The lines of a file before its first data line. A file without any costs a look at a byte."""

    def __init__(self) -> None:
        self._kept = bytearray()
        self._is_over = False

    def noted(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        """The same blocks; the opening lines in them are kept.

        Args:
            blocks: of whole lines, as `source.blocks` gives them.
        """
        for block in blocks:
            if not self._is_over:
                self._note(block)
            yield block

    def lines(self) -> list[tuple[int, str]]:
        """The number (from 1) and text of each opening line that is a comment."""
        text = self._kept.decode(errors="replace")
        return [
            (number, line.removesuffix("\r"))
            for number, line in enumerate(text.split("\n"), 1)
            if line.strip()
        ]

    def _note(self, block: bytes) -> None:
        end = 0
        while end < len(block) and len(self._kept) + end <= MOST:
            if block[end] not in b"#" + BLANKS:
                break
            after = block.find(b"\n", end) + 1 or len(block)
            line = block[end:after].lstrip(BLANKS)
            if line and not line.startswith(b"#"):
                break
            end = after
        self._kept += block[:end]
        self._is_over = end < len(block)
