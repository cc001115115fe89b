"""Time evalstore and its peers as whole processes, one after the other in turns; write a report.

    python benchmarks/compare.py DIRECTORY [--repeats 5] [--ranx PYTHON] [--trec-eval PROGRAM]
                                 [--large] [--output RESULTS.md]

The files are made in DIRECTORY when they are not there. Peers that are not installed are left out,
and the report says so.
"""

# ruff: noqa: S603  (to start programs is what this one is for)

from __future__ import annotations

import argparse
import ctypes
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from generate import write_large, write_long, write_many, write_trec
from report import Report

HERE = Path(__file__).resolve().parent
MEASURES = [
    *("AP", "P@5", "P@10", "P@20", "R@100", "R@1000", "Rprec", "RR", "nDCG", "nDCG@10"),
    *(f"IPrec@{level / 10}" for level in range(11)),
]
EVALSTORE = [sys.executable, "-m", "evalstore"]
FLOOR, REFERENCE = "pyarrow.csv alone", "pytrec_eval"
TREC_EVAL = "trec_eval"
LARGE = 32
"""Million lines of the run of --large, 2 GB."""


@dataclass
class Contender:
    """One program: its command, made anew for each turn, and what each turn took.

    Attributes:
        name: as the report calls it.
        command: given a fresh directory, what to start.
        seconds, processor_seconds, peak_megabytes: one entry a turn. The peak is that of the
            largest process, where there are several.
        stored: the bytes left behind in the fresh directory.
        failure: what it said, where it failed.
    """

    name: str
    command: Callable[[Path], Sequence[str]]
    seconds: list[float] = field(default_factory=list)
    processor_seconds: list[float] = field(default_factory=list)
    peak_megabytes: list[float] = field(default_factory=list)
    stored: int = 0
    failure: str = ""

    def run(self, scratch: Path, *, counts: bool = True) -> None:
        """Take a turn, which counts or only fills caches."""
        with tempfile.TemporaryDirectory(dir=scratch) as fresh:
            said = Path(fresh) / "said"
            with said.open("wb") as stream:
                begin = time.perf_counter()
                process = subprocess.Popen(
                    self.command(Path(fresh)),
                    stdout=subprocess.DEVNULL,
                    stderr=stream,
                    env=environment(),
                )
                _, status, usage = os.wait4(process.pid, 0)
                took = time.perf_counter() - begin
            process.returncode = os.waitstatus_to_exitcode(status)
            usages = [usage, *orphans()]
            if process.returncode:
                self.failure = said.read_text(errors="replace").strip().splitlines()[-1:][0]
                return
            said.unlink()
            self.stored = sum(p.stat().st_size for p in Path(fresh).rglob("*") if p.is_file())
        if not counts:
            return
        self.seconds.append(took)
        self.processor_seconds.append(sum(u.ru_utime + u.ru_stime for u in usages))
        self.peak_megabytes.append(max(u.ru_maxrss for u in usages) / 1024)

    @property
    def median(self) -> float:
        """The median of the turns, in seconds."""
        return median(self.seconds)


def environment() -> dict[str, str]:
    """That of this process; but Python keeps what it compiles, as it does of installed programs.

    Else each process of evalstore run from its checkout compiles it anew: 0.3 s.
    """
    return {name: v for name, v in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def adopt_orphans() -> None:
    """Become the parent of what outlives its parent (on Linux), as the servers of pools do."""
    if sys.platform == "linux":
        set_child_subreaper = 36
        ctypes.CDLL(None).prctl(set_child_subreaper, 1, 0, 0, 0)


def orphans() -> Iterator[resource.struct_rusage]:
    """Wait for adopted processes; yields what each used, with its own children."""
    while True:
        try:
            yield os.wait4(-1, 0)[2]
        except ChildProcessError:
            return


def take_turns(contenders: list[Contender], repeats: int, scratch: Path) -> None:
    """Run all `repeats` times, interleaved, so that a busy moment of the machine hits them all.

    A first turn does not count: it fills the file cache, and compiles what compiles itself.
    """
    for turn in range(repeats + 1):
        for contender in contenders:
            if not contender.failure:
                contender.run(scratch, counts=turn > 0)
                took = f"{contender.seconds[-1]:.2f} s" if contender.seconds else "to warm up"
                said = contender.failure or took
                sys.stderr.write(f"{turn}/{repeats} {contender.name}: {said}\n")


def contenders_for(
    qrels: Path, runs: list[Path], ranx: str | None, trec_eval: Path | None = None
) -> list[Contender]:
    """Everyone, on the same files."""
    files = [str(qrels), *map(str, runs)]
    asked = [word for name in MEASURES for word in ("-m", name)]

    def ingest(fresh: Path) -> list[str]:
        store = ["--db", f"sqlite:///{fresh / 'store.db'}"]
        given = ["--collection", "bench", "--qrels", *files]
        return [*EVALSTORE, *store, "ingest", *given]

    def peer(script: str, python: str = sys.executable) -> Callable[[Path], list[str]]:
        return lambda _: [python, str(HERE / "peers" / script), *files]

    found = [
        Contender("evalstore evaluate", lambda _: [*EVALSTORE, "evaluate", *asked, *files]),
        Contender("evalstore ingest, SQLite", ingest),
        Contender(FLOOR, peer("with_pyarrow.py")),
        Contender(REFERENCE, peer("with_pytrec_eval.py")),
        Contender("ir_measures", peer("with_ir_measures.py")),
    ]
    if ranx:
        found.append(Contender("ranx", peer("with_ranx.py", ranx)))
    if trec_eval:
        command = [sys.executable, str(HERE / "peers" / "with_trec_eval.py"), str(trec_eval)]
        found.append(Contender(TREC_EVAL, lambda _: [*command, *files]))
    return found


def small_contenders(qrels: Path, run: Path) -> list[Contender]:
    """What a person waits for: help, and a run of 1,000 lines."""
    evaluate = [*EVALSTORE, "evaluate", "-m", "AP", "-m", "nDCG@10", str(qrels), str(run)]
    return [
        Contender("evalstore --help", lambda _: [*EVALSTORE, "--help"]),
        Contender("evalstore evaluate, 1,000 lines", lambda _: evaluate),
    ]


def main() -> None:
    """Make the files, take turns, write the report."""
    parser = argparse.ArgumentParser(description="Time evalstore and its peers.")
    parser.add_argument("directory", type=Path, help="for the files; some 2 GB")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--ranx", metavar="PYTHON", help="a Python that has ranx")
    parser.add_argument(
        "--trec-eval",
        metavar="PROGRAM",
        type=Path,
        help="a trec_eval, built with -O3: make CFLAGS=-O3",
    )
    parser.add_argument(
        "--large", action="store_true", help=f"also a run of {LARGE} million lines (2 GB)"
    )
    parser.add_argument("--queries", type=int, default=6980, help="of the long run")
    parser.add_argument("--runs", type=int, default=100, help="how many runs of 50 queries")
    parser.add_argument("--output", type=Path, default=HERE / "RESULTS.md")
    given = parser.parse_args()
    given.directory.mkdir(parents=True, exist_ok=True)
    adopt_orphans()
    report = Report(given.repeats, given.ranx)

    def measured(contenders: list[Contender]) -> list[Contender]:
        take_turns(contenders, given.repeats, given.directory)
        return contenders

    run, qrels = write_long(given.directory, given.queries, 1000)
    found = measured(contenders_for(qrels, [run], given.ranx))
    title = f"One run: {given.queries:,} queries, 1,000 documents each"
    report.table(title, found, FLOOR, REFERENCE)
    runs, qrels = write_many(given.directory, given.runs, 1000)
    found = measured(contenders_for(qrels, runs, given.ranx))
    title = f"{given.runs} runs of 50 queries, 1,000 documents each, in one command"
    report.table(title, found, FLOOR, REFERENCE)
    runs, qrels = write_trec(given.directory, given.runs, 1000)
    found = measured(contenders_for(qrels, runs, given.ranx, given.trec_eval))
    title = f"{given.runs} runs as TREC has them, 50 queries, 1,000 documents each"
    report.table(title, found, FLOOR, TREC_EVAL if given.trec_eval else REFERENCE)
    if not given.trec_eval:
        report.note("trec_eval is not compared: --trec-eval names the program.")
    run, qrels = write_long(given.directory, 1, 1000)
    report.waits(measured(small_contenders(qrels, run)))
    growing: list[tuple[int, list[Contender]]] = []
    for millions in (1, 2, 4, 8):
        run, qrels = write_long(given.directory, 1000 * millions, 1000)
        growing.append((millions, contenders_for(qrels, [run], None)[:2]))
    measured([contender for _, pair in growing for contender in pair])
    report.growth(growing)
    if given.large:
        run, qrels = write_large(given.directory, 1000 * LARGE, 1000)
        large = contenders_for(qrels, [run], None)[:2]
        for contender in large:
            contender.run(given.directory)
        report.large(run.stat().st_size, large)
    given.output.write_text(report.text() + kept(given.output), encoding="utf-8")


def kept(written: Path) -> str:
    """The sections that the other benchmarks wrote, to be left as they are."""
    before = written.read_text(encoding="utf-8") if written.exists() else ""
    others = re.compile(
        r"^## (?:The store at scale|Irregular files|Python API)$.*", re.MULTILINE | re.DOTALL
    )
    found = others.search(before)
    return f"\n{found[0]}" if found else ""


if __name__ == "__main__":
    main()
