"""Files that commands write: as a whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from evalstore.errors import DataError


@contextmanager
def written(output: Path) -> Iterator[TextIO]:
    """A text file in UTF-8 that has its name only when all is in it; one that is there is replaced.

    A device or a pipe, as `/dev/stdout`, is written to as it is.

    Raises:
        DataError: it can't be written.
    """
    device = output.exists() and not output.is_file()
    target = output if device else output.with_name(f".{output.name}.{os.getpid()}")
    try:
        with target.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as stream:
            yield stream
        if not device:
            target.replace(output)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise DataError(f"{output}: {(error.strerror or str(error)).lower()}") from None
    finally:
        if not device:
            target.unlink(missing_ok=True)
