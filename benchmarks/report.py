"""The benchmarks' report: Markdown tables with the machine and the versions."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Protocol

PACKAGES = ("numpy", "pyarrow", "sqlalchemy", "pytrec_eval-terrier", "ir_measures")


class Timed(Protocol):
    """What the report needs to know of a contender."""

    name: str
    seconds: list[float]
    processor_seconds: list[float]
    peak_megabytes: list[float]
    stored: int
    failure: str


class Report:
    """Collects sections; `text` is the whole."""

    def __init__(self, repeats: int, ranx: str | None) -> None:
        self._lines = [
            "# Benchmarks",
            "",
            f"{datetime.now(UTC):%Y-%m-%d}, medians of {repeats} whole processes each, "
            "interleaved, after one that does not count. Made by `benchmarks/compare.py`; see "
            "`README.md`.",
            "",
            f"- Machine: {_processor()}, {os.cpu_count()} processors, {_memory()}, "
            f"{platform.system()} {platform.release()}",
            f"- {_load()}",
            f"- Python {platform.python_version()}; {', '.join(_versions(ranx))}",
            "- Measures: AP, P@5,10,20, R@100,1000, Rprec, RR, nDCG, nDCG@10, and IPrec at 11 "
            "levels; `ingest` computes and stores all of the standard measures. ranx has no IPrec.",
            "- Peak memory is that of the largest process of a command. pyarrow.csv only reads.",
        ]

    def table(self, title: str, found: Sequence[Timed], floor: str, reference: str) -> None:
        """A section that compares everyone on the same files."""
        times = {one.name: median(one.seconds) for one in found if one.seconds}
        self._lines += ["", f"## {title}", ""]
        self._row(
            "", "seconds", "range", f"x {reference}", f"x {floor}", "CPU s", "peak MB", "stored MB"
        )
        self._lines.append("|---|" + "--:|" * 7)
        for one in found:
            if not one.seconds:
                self._row(one.name, "-", *[""] * 6)
                continue
            self._row(
                one.name,
                f"{times[one.name]:.2f}",
                f"{min(one.seconds):.2f}-{max(one.seconds):.2f}",
                _ratio(times, one.name, reference),
                _ratio(times, one.name, floor),
                f"{median(one.processor_seconds):.2f}",
                f"{median(one.peak_megabytes):,.0f}",
                f"{one.stored / 1e6:,.1f}" if one.stored else "",
            )
        for one in found:
            if one.failure:
                self._lines += ["", f"{one.name} did not run: {one.failure}"]

    def waits(self, found: Sequence[Timed]) -> None:
        """A section on what a person waits for."""
        self._lines += ["", "## Small things", ""]
        self._row("", "seconds", "range", "peak MB")
        self._lines.append("|---|--:|--:|--:|")
        for one in found:
            if one.seconds:
                took = f"{min(one.seconds):.2f}-{max(one.seconds):.2f}"
                peak = f"{median(one.peak_megabytes):,.0f}"
                self._row(one.name, f"{median(one.seconds):.2f}", took, peak)
            else:
                self._row(one.name, "-", one.failure, "")

    def growth(self, found: Sequence[tuple[int, Sequence[Timed]]]) -> None:
        """A section on how cost grows with lines."""
        self._lines += ["", "## Growth with lines", ""]
        names = [one.name for one in found[0][1]]
        self._row("million lines", *[w for n in names for w in (n, "s per million", "peak MB")])
        self._lines.append("|--:|" + "--:|" * (3 * len(names)))
        for millions, timed in found:
            cells = []
            for one in timed:
                took = median(one.seconds) if one.seconds else float("nan")
                peak = median(one.peak_megabytes) if one.seconds else float("nan")
                cells += [f"{took:.2f}", f"{took / millions:.3f}", f"{peak:,.0f}"]
            self._row(str(millions), *cells)

    def large(self, size: int, found: Sequence[Timed]) -> None:
        """A section on the memory that one very long run takes, each measured once."""
        self._lines += ["", f"## One run of {size / 1e9:.1f} GB", ""]
        self._row("", "seconds", "CPU s", "peak MB")
        self._lines.append("|---|--:|--:|--:|")
        for one in found:
            if one.seconds:
                cells = (one.seconds[0], one.processor_seconds[0])
                self._row(one.name, *(f"{s:.1f}" for s in cells), f"{one.peak_megabytes[0]:,.0f}")
            else:
                self._row(one.name, one.failure, "", "")

    def note(self, sentence: str) -> None:
        """A sentence below the last table."""
        self._lines += ["", sentence]

    def text(self) -> str:
        """The report so far."""
        return "\n".join(self._lines) + "\n"

    def _row(self, *cells: str) -> None:
        self._lines.append("| " + " | ".join(cells) + " |")


def _ratio(times: dict[str, float], name: str, other: str) -> str:
    return f"{times[name] / times[other]:.2f}" if other in times else ""


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _memory() -> str:
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return "memory unknown"
    return f"{total / 2**30:.0f} GiB"


def _load() -> str:
    """Whether other programs were running, which slows programs with threads most."""
    if not hasattr(os, "getloadavg"):
        return "Load average at the start unknown"
    return f"Load average at the start {os.getloadavg()[0]:.1f}"


def _versions(ranx: str | None) -> list[str]:
    versions = []
    for name in PACKAGES:
        try:
            versions.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            versions.append(f"no {name}")
    if ranx:
        code = (
            "from importlib.metadata import version as v;"
            "print('ranx', v('ranx') + ', numba', v('numba'))"
        )
        done = subprocess.run([ranx, "-c", code], capture_output=True, text=True, check=False)  # noqa: S603
        versions.append(done.stdout.strip() or "no ranx")
    else:
        versions.append("no ranx")
    return versions


if __name__ == "__main__":
    sys.stdout.write(Report(0, None).text())


def put_section(results: Path, title: str, written: str) -> None:
    """Put a section, which begins with its title, in the place of the one before, or at the end."""
    before = results.read_text(encoding="utf-8") if results.exists() else "# Benchmarks\n"
    pattern = re.compile(rf"^{re.escape(title)}$.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
    if pattern.search(before):
        after = pattern.sub(lambda _: written.rstrip() + "\n\n", before)
    else:
        after = f"{before.rstrip()}\n\n{written}"
    results.write_text(after.rstrip() + "\n", encoding="utf-8")
