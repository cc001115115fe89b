"""Count the functions of evalstore that one command passes through.

    python benchmarks/functions_passed.py ingest|compare [--list]

`ingest` stores one qrels and one run in a new SQLite store; `compare` compares two runs of it. The
command runs in this process, by click's own entry, once before: what modules do when they are
loaded does not count. A function is a file, a name and a first line.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from inspect import CO_OPTIMIZED
from io import StringIO
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).parent.parent
COUNTED = tuple(f"{ROOT / folder}/" for folder in ("evalstore", "dashboard"))

Function = tuple[str, str, int]


@contextmanager
def noting(passed: set[Function]) -> Iterator[None]:
    """Note every function of evalstore that is called in this thread and in new ones."""

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        # The bodies of modules and classes are no functions, nor are lambdas and comprehensions.
        is_function = code.co_flags & CO_OPTIMIZED and not code.co_name.startswith("<")
        if event == "call" and is_function and code.co_filename.startswith(COUNTED):
            passed.add((code.co_filename, code.co_name, code.co_firstlineno))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def write_files(folder: Path) -> tuple[Path, list[Path]]:
    """One qrels and two runs of three queries."""
    qrels, runs = folder / "test.qrels", [folder / "bm25.run", folder / "dense.run"]
    qrels.write_text("".join(f"q{q} 0 d{d} {d % 2}\n" for q in range(3) for d in range(4)))
    for number, run in enumerate(runs):
        lines = (
            f"q{q} Q0 d{(d + number * q) % 6} {d} {9 - d} {run.stem}\n"
            for q in range(3)
            for d in range(5)
        )
        run.write_text("".join(lines))
    return qrels, runs


def main() -> None:
    """Run the command and print the counts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("command", choices=("ingest", "compare"))
    parser.add_argument("--list", action="store_true", help="print every function too")
    given = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    from evalstore.cli import cli  # noqa: PLC0415  (found by the line above)

    def call(db: str, *arguments: str) -> None:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
            cli.main(["--db", f"{folder}/{db}", *arguments], standalone_mode=False)

    passed: set[Function] = set()
    with tempfile.TemporaryDirectory() as folder:
        qrels, runs = write_files(Path(folder))
        store = ("ingest", "--collection", "test", "--qrels", str(qrels))
        call("first.db", *store, *map(str, runs))  # what is loaded and registered once
        call("first.db", "compare", *(run.stem for run in runs))
        with noting(passed):
            if given.command == "ingest":
                call("counted.db", *store, str(runs[0]))
            else:
                call("first.db", "compare", *(run.stem for run in runs))
    functions = sorted(passed)
    files = {path for path, _, _ in functions}
    lines = [f"{Path(path).relative_to(ROOT)}:{line} {name}\n" for path, name, line in functions]
    sys.stdout.writelines(lines if given.list else [])
    sys.stdout.write(f"{given.command}: {len(functions)} functions in {len(files)} files\n")


if __name__ == "__main__":
    main()
