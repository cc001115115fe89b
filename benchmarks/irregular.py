"""Time reading runs that are not as they should be, beside the same run in good order.

    python benchmarks/irregular.py DIRECTORY [--queries 2000] [--repeats 5] [--dry]

Each file is read in a process of its own, in turns, and the time is that of `read_run` alone:
starting Python would make the ratios look better than they are. The section 'Irregular files' of
RESULTS.md is written anew, the others are left as they are.
"""

# ruff: noqa: S603  (to start programs is what this one is for)

from __future__ import annotations

import argparse
import random
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import median

from generate import write_long
from report import put_section

RESULTS = Path(__file__).resolve().parent / "RESULTS.md"
TITLE = "## Irregular files"
READ = """
import sys, time
from evalstore.formats import read_run
begin = time.perf_counter()
read_run(sys.argv[1])
print(time.perf_counter() - begin)
"""
Lines = list[bytes]


def each(change: Callable[[list[bytes]], bytes]) -> Callable[[Lines], Iterable[bytes]]:
    """Change every line, given as its columns."""
    return lambda lines: (change(line.split()) + b"\n" for line in lines)


def shuffled(lines: Lines) -> Lines:
    """In any order at all."""
    return random.Random(1).sample(lines, len(lines))  # noqa: S311  (no secret)


def interleaved(lines: Lines) -> Iterable[bytes]:
    """The first document of every query, then the second of every query, ..."""
    return (lines[at] for first in range(1000) for at in range(first, len(lines), 1000))


def unsorted(lines: Lines) -> Iterable[bytes]:
    """Each query's lines together, but in any order."""
    return (line for at in range(0, len(lines), 1000) for line in shuffled(lines[at : at + 1000]))


def commented(lines: Lines) -> Iterable[bytes]:
    """A comment and a blank line before every hundredth line."""
    return (b"# as run\n\n" + line if at % 100 == 0 else line for at, line in enumerate(lines))


def several(lines: Lines) -> Lines:
    """Tabs and spaces mixed, a seventh column, comments and blank lines, in any order."""
    odd = each(lambda w: b"\t".join([*w[:2], b" " + w[2], *w[3:], b"more"]))
    return shuffled(list(commented(list(odd(lines)))))


def worst(lines: Lines) -> Lines:
    """The same with ranks that are no numbers and scores with a sign."""
    return several([b" ".join([*w[:3], b"-", b"+" + w[4], w[5]]) for w in map(bytes.split, lines)])


KINDS: dict[str, Callable[[Lines], Iterable[bytes]]] = {
    "regular": lambda lines: lines,
    "tabs and spaces mixed": each(lambda w: b"\t".join(w[:3]) + b" " + b" ".join(w[3:])),
    "two blanks between columns": each(b"  ".join),
    "comments and blank lines": commented,
    "a seventh column": each(lambda w: b" ".join([*w, b"more"])),
    "ranks that are no numbers": each(lambda w: b" ".join([*w[:3], b"-", *w[4:]])),
    "unsorted within queries": unsorted,
    "queries interleaved": interleaved,
    "shuffled": shuffled,
    "mixed, seventh, comments, shuffled": several,
    "and ranks that are no numbers": worst,
}


def seconds_to_read(path: Path) -> float:
    """How long `read_run` takes in a fresh process."""
    done = subprocess.run([sys.executable, "-c", READ, path], capture_output=True, check=True)
    return float(done.stdout)


def main() -> None:
    """Make the files, take turns, write the section."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--queries", type=int, default=2000, help="of 1,000 lines each")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--dry", action="store_true", help="print the section, don't write it")
    given = parser.parse_args()
    folder = given.directory / f"irregular-{given.queries}"
    folder.mkdir(parents=True, exist_ok=True)
    source, _ = write_long(given.directory, given.queries, 1000)
    lines = source.read_bytes().splitlines(keepends=True)
    paths = {name: folder / f"{name.replace(' ', '-')}.run" for name in KINDS}
    for name, path in paths.items():
        path.write_bytes(b"".join(KINDS[name](lines)))
    times: dict[str, list[float]] = {name: [] for name in KINDS}
    for turn in range(given.repeats + 1):  # the first fills the file cache
        for name, path in paths.items():
            took = seconds_to_read(path)
            times[name] += [took] if turn else []
    section = [
        TITLE,
        "",
        f"`read_run` of {len(lines):,} lines, medians of {given.repeats} processes, interleaved. "
        "Made by `benchmarks/irregular.py`.",
        "",
        "| | MB | seconds | x regular, of the same size |",
        "|---|--:|--:|--:|",
    ]
    size = {name: path.stat().st_size / 1e6 for name, path in paths.items()}
    fast = median(times["regular"]) / size["regular"]
    for name, took in times.items():
        ratio = median(took) / size[name] / fast
        section.append(f"| {name} | {size[name]:.0f} | {median(took):.2f} | {ratio:.2f} |")
    if given.dry:
        sys.stdout.write("\n".join(section) + "\n")
    else:
        put_section(RESULTS, TITLE, "\n".join(section) + "\n")


if __name__ == "__main__":
    main()
