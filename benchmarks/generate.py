"""Make the files that the benchmarks read: always the same ones, in any directory, offline.

    python benchmarks/generate.py DIRECTORY [--queries 6980] [--depth 1000] [--runs 100]

`long.run` and `long.qrels` are one run of many queries with one or two relevant documents each, as
of MS MARCO passages; `many.qrels` and `many/*.run` are runs of 50 queries with graded judgments.
Document ids have seven digits there; some scores are tied. `trec.qrels` and `trec/*.run` are such
runs as TREC has them: docnos of differing length, scores of two decimals with many ties.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

COLLECTION = 8_841_823
TRACK_QUERIES = 50
POOL = 3000


def write_long(
    directory: Path,
    queries: int,
    depth: int,
    *,
    name: str = "long",
    docno: Callable[[int], str] = "{:07d}".format,
    seed: int = 7,
) -> tuple[Path, Path]:
    """One run and its qrels; every second query has rounded scores, and so more ties."""
    run, qrels = directory / f"{name}-{queries}.run", directory / f"{name}-{queries}.qrels"
    if run.exists() and qrels.exists():
        return run, qrels
    random = np.random.default_rng(seed)
    qids = random.permutation(1_100_000)[:queries] + 1
    unfinished = run.with_suffix(".part")
    with unfinished.open("w") as lines, qrels.open("w") as judgments:
        for number, qid in enumerate(qids.tolist()):
            docs = _distinct(random, depth)
            scores = np.sort(random.gamma(4.0, 4.0, depth).round(3 if number % 2 else 6))[::-1]
            lines.writelines(
                f"{qid} Q0 {docno(doc)} {rank} {score:.6f} bench\n"
                for rank, (doc, score) in enumerate(
                    zip(docs.tolist(), scores.tolist(), strict=True), 1
                )
            )
            place = min(int(random.geometric(0.05)), depth) - 1
            relevant = {int(docs[place]), int(random.integers(COLLECTION))}
            judgments.writelines(f"{qid} 0 {docno(doc)} 1\n" for doc in sorted(relevant))
    unfinished.rename(run)
    return run, qrels


def write_large(directory: Path, queries: int, depth: int) -> tuple[Path, Path]:
    """As `write_long`, with docnos as those of the passages of MS MARCO V2, of 28 bytes."""
    return write_long(
        directory,
        queries,
        depth,
        name="large",
        docno=lambda doc: f"msmarco_passage_{doc % 70:02d}_{100 * doc:09d}",
    )


def _distinct(
    random: np.random.Generator, count: int
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Different documents in random order."""
    docs = np.unique(random.integers(0, COLLECTION, count + count // 50 + 10))
    random.shuffle(docs)
    return docs[:count]


def write_many(
    directory: Path, runs: int, depth: int, seed: int = 11, queries: int = TRACK_QUERIES
) -> tuple[list[Path], Path]:
    """Some runs and a qrels with grades 0 to 3; the runs differ in quality."""

    def names(docs: Iterable[int]) -> list[str]:
        return [f"{doc:07d}" for doc in docs]

    return _write_runs(directory / "many", runs, depth, seed, queries, names, decimals=4)


def write_trec(directory: Path, runs: int, depth: int, seed: int = 13) -> tuple[list[Path], Path]:
    """The same with docnos as those of TREC disks 4 and 5, and scores of two decimals."""

    def names(docs: Iterable[int]) -> list[str]:
        return [TREC_DOCNOS[doc % len(TREC_DOCNOS)](doc) for doc in docs]

    return _write_runs(directory / "trec", runs, depth, seed, TRACK_QUERIES, names, decimals=2)


TREC_DOCNOS = (
    lambda doc: f"FT{911 + doc % 34}-{doc % 17_000}",
    lambda doc: f"FT{911 + doc % 34}-{doc % 17_000}",
    lambda doc: f"FBIS{3 + doc % 2}-{doc % 65_000}",
    lambda doc: f"LA{1 + doc % 12:02d}{1 + doc % 28:02d}{89 + doc % 2}-{doc % 300:04d}",
    lambda doc: f"FR94{1 + doc % 12:02d}{1 + doc % 28:02d}-{doc % 3}-{doc % 200:05d}",
)
"""Functions from a number to a docno, of 8 to 16 bytes."""


def _write_runs(
    folder: Path,
    runs: int,
    depth: int,
    seed: int,
    queries: int,
    names: Callable[[Iterable[int]], list[str]],
    decimals: int,
) -> tuple[list[Path], Path]:
    qrels = folder.with_suffix(".qrels")
    paths = [folder / f"engine{number:03d}.run" for number in range(runs)]
    if qrels.exists() and all(path.exists() for path in paths):
        return paths, qrels
    folder.mkdir(exist_ok=True)
    random = np.random.default_rng(seed)
    pools = [_distinct(random, max(POOL, depth)) for _ in range(queries)]
    docnos = [np.array(_unlike(names(pool.tolist()))) for pool in pools]
    worth = [random.exponential(1.0, len(pool)) for pool in pools]
    with qrels.open("w") as judgments:
        for query, (pool, value) in enumerate(zip(docnos, worth, strict=True), 1):
            judged = random.choice(len(pool), 400, replace=False, p=value / value.sum())
            grades = np.clip(np.floor(value[judged] - 0.5), 0, 3).astype(int)
            judgments.writelines(
                f"{query} 0 {doc} {grade}\n"
                for doc, grade in zip(pool[judged].tolist(), grades.tolist(), strict=True)
            )
    for number, path in enumerate(paths):
        noise = 0.3 + number / runs
        with path.open("w") as lines:
            for query, (pool, value) in enumerate(zip(docnos, worth, strict=True), 1):
                scores = (value + random.normal(0.0, noise, len(pool))).round(decimals)
                best = np.argsort(-scores)[:depth]
                lines.writelines(
                    f"{query} Q0 {doc} {rank} {score:.{decimals}f} {path.stem}\n"
                    for rank, (doc, score) in enumerate(
                        zip(pool[best].tolist(), scores[best].tolist(), strict=True), 1
                    )
                )
    return paths, qrels


def _unlike(names: list[str]) -> list[str]:
    """The names, a number after those that were there before."""
    seen: dict[str, int] = {}
    unlike = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        unlike.append(name if seen[name] == 1 else f"{name}{seen[name]}")
    return unlike


def main() -> None:
    """Write the files of all cases."""
    parser = argparse.ArgumentParser(description="Make the files that the benchmarks read.")
    parser.add_argument("directory", type=Path)
    parser.add_argument("--queries", type=int, default=6980, help="of the long run")
    parser.add_argument("--depth", type=int, default=1000, help="documents per query")
    parser.add_argument("--runs", type=int, default=100, help="how many runs of 50 queries")
    given = parser.parse_args()
    given.directory.mkdir(parents=True, exist_ok=True)
    write_long(given.directory, given.queries, given.depth)
    write_many(given.directory, given.runs, given.depth)
    write_trec(given.directory, given.runs, given.depth)


if __name__ == "__main__":
    main()
