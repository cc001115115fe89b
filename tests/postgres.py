"""A throw-away PostgreSQL: the server named by EVALSTORE_TEST_POSTGRES, or one of our own.

Ours is made of the system's binaries (Debian keeps them outside PATH, by version): reached through
a socket alone, without fsync, gone afterwards. Where there are none the tests that want one are
skipped, or with CI=true fail.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from itertools import count
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import make_url

from evalstore.store import Store

NONE_FOUND = (
    "no PostgreSQL: install its server (Debian: apt-get install postgresql) or name one by "
    "EVALSTORE_TEST_POSTGRES=postgresql+psycopg://user@host/postgres"
)
PATIENCE = 300
ROOM = 8 << 30

WATCHED = """
folder=$1; shift
"$@" </dev/null & server=$!
read -r signal
kill -s "${signal:-QUIT}" $server
wait $server
[ -n "$signal" ] || rm -rf "$folder"
"""
"""Run a server until a signal for it is read; at the end of the input (the tests died) clean up."""


class Server:
    """A server that makes databases for tests, one after the other."""

    def __init__(self, url: str) -> None:
        self.url = make_url(url).set(drivername="postgresql+psycopg")
        self._names = (f"evalstore_{os.getpid()}_{number}" for number in count())
        self._made: set[str] = set()
        self._template: str | None = None

    def execute(self, statement: str) -> list[tuple[object, ...]]:
        """Run a statement as the server's owner; gives the rows, if it has any."""
        plain = self.url.set(drivername="postgresql").render_as_string(hide_password=False)
        with psycopg.connect(plain, autocommit=True) as connection:
            done = connection.execute(statement)  # type: ignore[call-overload]
            return done.fetchall() if done.description else []

    def new_database(self, how: str = "") -> str:
        """The URL of a database that holds nothing yet."""
        name = next(self._names)
        self.execute(f"CREATE DATABASE {name} {how}")
        self._made.add(name)
        return self.url.set(database=name).render_as_string(hide_password=False)

    def new_store(self) -> str:
        """The URL of a database that holds an empty store: a copy, quicker than migrating."""
        if self._template is None:
            self._template = self.new_database()
            Store.open(self._template).close()
        return self.copy_of(self._template)

    def copy_of(self, url: str) -> str:
        """The URL of a copy of a database to which nobody is connected."""
        # Copying the files takes half the time of the default, which logs every page.
        strategy = "STRATEGY FILE_COPY" if self.version >= 15 else ""
        return self.new_database(f"TEMPLATE {make_url(url).database} {strategy}")

    def drop(self, url: str) -> None:
        """Drop a database that was made here."""
        name = make_url(url).database or ""
        if name in self._made:
            self._made.remove(name)
            self.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def drop_all(self) -> None:
        """Drop what is left."""
        for name in sorted(self._made):
            self.drop(self.url.set(database=name).render_as_string(hide_password=False))

    @cached_property
    def version(self) -> int:
        """The major version."""
        ((number,),) = self.execute("SHOW server_version_num")
        return int(str(number)) // 10000


class OwnServer(Server):
    """A server started here, in a folder of its own; its databases have an ICU locale."""

    def __init__(self, binaries: Path, folder: Path) -> None:
        self._binaries, self._folder = binaries, folder
        self._user = "postgres" if os.geteuid() == 0 else None
        if self._user:
            shutil.chown(folder, self._user)
        self._process: subprocess.Popen[bytes] | None = None
        self._log = folder / "log"
        user = self._user or "postgres"
        super().__init__(f"postgresql+psycopg://{user}@/postgres?host={folder}")

    def make(self) -> None:
        """Make the cluster: ids must compare by bytes although its locale does not."""
        asked = ["--pgdata", str(self._folder / "data"), "--username", "postgres", "--no-sync"]
        asked += ["--auth", "trust", "--encoding", "UTF8", "--locale", "C.UTF-8"]
        if self._major() >= 15:
            asked += ["--locale-provider", "icu", "--icu-locale", "und"]
        done = subprocess.run(
            [self._binaries / "initdb", *asked],
            user=self._user, cwd="/", capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr

    def _major(self) -> int:
        done = subprocess.run(
            [self._binaries / "postgres", "--version"], capture_output=True, text=True, check=True
        )
        return int(done.stdout.split()[2].split(".")[0].rstrip("abcdefghijklmnopqrstuvwxyz"))

    @property
    def is_running(self) -> bool:
        """Whether it was started, and not stopped since."""
        return self._process is not None

    def start(self) -> None:
        """Start it and wait until it answers."""
        settings = ["fsync=off", "full_page_writes=off", "max_connections=100", "jit=off"]
        settings += [
            "listen_addresses=",
            "autovacuum=off",
            f"unix_socket_directories={self._folder}",
        ]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [
                    *("sh", "-c", WATCHED, "sh", self._folder),
                    *(self._binaries / "postgres", "-D", self._folder / "data"),
                    *(word for setting in settings for word in ("-c", setting)),
                ],
                user=self._user, cwd="/", stdin=subprocess.PIPE, stdout=log, stderr=log,
                start_new_session=True,
            )  # fmt: skip
        end = time.monotonic() + PATIENCE
        while True:
            try:
                self.execute("SELECT 1")
            except psycopg.OperationalError:
                waiting = self._process.poll() is None and time.monotonic() < end
                assert waiting, self._log.read_text(errors="replace")
                time.sleep(0.05)
            else:
                return

    def stop(self, how: str = "INT") -> None:
        """Stop it, whoever is connected: cleanly, or at once with QUIT."""
        if self._process is not None:
            self._process.communicate(f"{how}\n".encode(), timeout=PATIENCE)
            self._process = None

    def restart(self) -> None:
        """Stop it and start it again."""
        self.stop()
        self.start()

    def ask_for_password(self, user: str | None) -> None:
        """Let a user in with a password alone; None: everyone without one again."""
        rules = "local all all trust\n"
        if user is not None:
            rules = f"local all {user} scram-sha-256\n{rules}"
        (self._folder / "data" / "pg_hba.conf").write_text(rules)
        before = self._settings_read_at()
        self.execute("SELECT pg_reload_conf()")
        end = time.monotonic() + PATIENCE
        while self._settings_read_at() == before:
            assert time.monotonic() < end
            time.sleep(0.01)

    def _settings_read_at(self) -> object:
        """When the server read its settings that count for who connects now."""
        return self.execute("SELECT pg_conf_load_time()")


def binaries() -> Path | None:
    """The folder of the newest server's programs."""
    on_path = shutil.which("initdb")
    if on_path and (Path(on_path).parent / "postgres").exists():
        return Path(on_path).resolve().parent
    debian = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    programs = sorted(debian, key=lambda path: float(path.parts[-3]))
    return programs[-1].parent if programs else None


def folder_in_memory() -> Path | None:
    """Where files take no time to be on a disk; None where there is little room, or no program may
    be run from.
    """
    memory = Path("/dev/shm")  # noqa: S108  (folders of our own are made in it)
    if not os.access(memory, os.W_OK) or shutil.disk_usage(memory).free < ROOM:
        return None
    return None if os.statvfs(memory).f_flag & os.ST_NOEXEC else memory


def roomy_folder() -> Path:
    """Where a server's files can be: in memory where there is room, as databases come and go.

    The path of a socket is at most 107 bytes long, and the server's user must get there.
    """
    return folder_in_memory() or Path("/tmp")  # noqa: S108  (mkdtemp makes a folder of our own)


@contextmanager
def running_server() -> Iterator[Server]:
    """A server, for as long as tests want one; skips the test where there is none."""
    named = os.environ.get("EVALSTORE_TEST_POSTGRES")
    if named:
        server = Server(named)
        try:
            yield server
        finally:
            server.drop_all()
        return
    programs = binaries()
    if programs is None:
        if os.environ.get("CI") == "true":
            pytest.fail(NONE_FOUND)
        pytest.skip(NONE_FOUND)
    folder = Path(tempfile.mkdtemp(prefix="evalstore-pg-", dir=roomy_folder()))
    try:
        own = OwnServer(programs, folder)
        own.make()
        own.start()
        try:
            yield own
        finally:
            own.stop("QUIT")  # nobody wants its data any more
    finally:
        shutil.rmtree(folder, ignore_errors=True)
