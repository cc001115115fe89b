"""Time ingest into SQLite and into PostgreSQL, in turns; print a table.

    python benchmarks/databases.py DIRECTORY --postgres URL [--repeats 5]

URL is a database of a server where a database may be made, like
postgresql+psycopg://postgres@/postgres. `evalstore_bench` there is dropped and made for each turn.
"""

# ruff: noqa: T201  (a program that prints its result)

from __future__ import annotations

import argparse
from pathlib import Path

import psycopg
from compare import EVALSTORE, Contender, adopt_orphans
from generate import write_long, write_many
from sqlalchemy import URL, make_url

DATABASE = "evalstore_bench"


def make_database(server: URL) -> None:
    """Make the database anew, with nothing left to be written of the one before."""
    plain = server.set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(plain, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {DATABASE}")
        connection.execute(f"CREATE DATABASE {DATABASE}")
        connection.execute("CHECKPOINT")


def contenders(server: URL, qrels: Path, runs: list[Path]) -> list[Contender]:
    """Ingest of the same files into either database."""
    files = [str(qrels), *map(str, runs)]
    url = server.set(database=DATABASE).render_as_string(hide_password=False)

    def ingest(store: str) -> list[str]:
        return [*EVALSTORE, "--db", store, "ingest", "--collection", "bench", "--qrels", *files]

    return [
        Contender("SQLite", lambda fresh: ingest(f"sqlite:///{fresh / 'store.db'}")),
        Contender("PostgreSQL", lambda _: ingest(url)),
    ]


def main() -> None:
    """Make the files, take turns, print."""
    parser = argparse.ArgumentParser(description="Time ingest into both databases.")
    parser.add_argument("directory", type=Path, help="for the files; some 2 GB")
    parser.add_argument("--postgres", metavar="URL", required=True)
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    given.directory.mkdir(parents=True, exist_ok=True)
    adopt_orphans()
    server = make_url(given.postgres)
    run, long_qrels = write_long(given.directory, 6980, 1000)
    runs, many_qrels = write_many(given.directory, 100, 1000)
    print("| | SQLite, s | PostgreSQL, s | ratio |\n|---|--:|--:|--:|")
    for title, pair in {
        "one run of 7 million lines": contenders(server, long_qrels, [run]),
        "100 runs of 50,000 lines": contenders(server, many_qrels, runs),
    }.items():
        for turn in range(given.repeats + 1):
            for contender in pair:
                make_database(server)
                contender.run(given.directory, counts=turn > 0)
                if contender.failure:
                    raise SystemExit(f"{contender.name}: {contender.failure}")
        sqlite, postgres = (contender.median for contender in pair)
        print(f"| {title} | {sqlite:.1f} | {postgres:.1f} | {postgres / sqlite:.2f} |", flush=True)


if __name__ == "__main__":
    main()
