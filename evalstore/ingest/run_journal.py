"""A run that is being logged into a `.evalrun` file, and resumed after a crash."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any, NoReturn

from evalstore.errors import Conflict, DataError
from evalstore.formats.facts.json_facts import merged
from evalstore.formats.json.evalrun import (
    NAMES,
    Docs,
    MoreFacts,
    Ranking,
    Start,
    end_line,
    facts_line,
    ranking_line,
    ranking_of,
    read_records,
    start_line,
)
from evalstore.formats.source import ReadOptions, path_text, printable, quoted
from evalstore.ingest.line_file import LineFile, Locked

BEGINNING = b'{"evalrun"'


class Journal:
    """A run that is being logged; one process and one object at a time has it open.

    Methods may be called from several threads. A forked process can't log.

    Attributes:
        path: the file.
        names: of run, engine, collection and, where there is one, experiment.
        facts: those known so far, by the names of the fields of `GivenFacts`.
        answers: a hash of the documents of every query logged, by query id.
        is_resumed: whether the run was begun before.
    """

    def __init__(
        self,
        path: Path,
        names: Mapping[str, str],
        facts: Mapping[str, Any],
        assumed: Mapping[str, Any],
        *,
        resume: bool,
    ) -> None:
        """Begin a run, or with `resume` go on with the one that is there, if there is one.

        Args:
            path: the file; its folder is made if it is missing.
            names: as above.
            facts: as they are given, at the start and whenever the run is resumed.
            assumed: facts of a run that is begun, where `facts` does not have them.
            resume: whether the run may have been begun before.

        Raises:
            Conflict: the file is there and is not resumed, or is of a run with other names or
                parameters, or another process logs into it.
            FileError: it can't be written, or what is there breaks a rule.
        """
        self.path = path
        self.names = names
        self.facts: dict[str, Any] = {}
        self.answers: dict[str, bytes] = {}
        self._lock = Lock()
        self._process = os.getpid()
        self._file = self._opened(resume=resume)
        try:
            self.is_resumed = self._file.mend(BEGINNING) > 0
            if self.is_resumed:
                self._resume(facts)
            else:
                self.facts = {**assumed, **facts}
                self._file.append(start_line(names, self.facts))
                self._file.sync()
        except BaseException:
            self._file.close()
            raise

    @property
    def name(self) -> str:
        """The name of the run."""
        return self.names["run"]

    @property
    def is_open(self) -> bool:
        """Whether this process can log."""
        return not self._file.closed

    def log(self, query: object, docs: Docs, milliseconds: float | None = None) -> None:
        """Write the answer to a query; the same answer again changes nothing.

        Raises:
            DataError: what a run file could not hold either, or other documents than were logged
                for this query before.
            FileError: the file can't be written; nothing of the answer is in it then.
        """
        ranking = ranking_of(self.name, query, docs, milliseconds)
        line = ranking_line(self.name, ranking)
        with self._writing():
            logged = self.answers.get(ranking.qid)
            if logged is None:
                self._file.append(line)
                self.answers[ranking.qid] = _hash(ranking)
            elif logged != _hash(ranking):
                raise DataError(
                    f"{printable(self.name)}: query {quoted(ranking.qid)} was logged before, with "
                    "other documents or scores"
                )

    def add_facts(self, facts: Mapping[str, Any]) -> None:
        """Write facts: parameters and tags are added to those so far, others replace them.

        Raises:
            DataError: too many parameters or tags.
            FileError: the file can't be written.
        """
        with self._writing():
            together = merged(self.facts, facts)
            self._file.append(facts_line(facts))
            self.facts = together

    def end(self) -> None:
        """Write that the run ended: now, unless a fact says when.

        Raises:
            FileError: the file can't be written.
        """
        with self._writing():
            now = datetime.now(UTC)
            started_at = self.facts.get("started_at", now)
            ended_at = self.facts.get("ended_at") or max(now, started_at)  # clocks are set back
            self._file.append(end_line(ended_at.isoformat(), len(self.answers)))
            self._file.sync()

    def close(self) -> None:
        """Close the file, so that another process can resume the run."""
        with self._lock:
            self._file.close()

    def delete(self) -> None:
        """Delete the file.

        Raises:
            FileError: it can't be deleted.
        """
        with self._lock:
            self._file.delete()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Whatever writes, one after the other.

        Raises:
            DataError: the run has ended, or this process was forked from the one that logs.
        """
        if self._process != os.getpid():  # asked first: another thread may have held the lock
            raise DataError(f"run {self.name!r} is logged by the process that started it")
        with self._lock:
            if self._file.closed:
                raise DataError(f"run {self.name!r} has ended")
            yield

    def _opened(self, *, resume: bool) -> LineFile:
        where = path_text(self.path)
        try:
            return LineFile(self.path, new=not resume)
        except FileExistsError:
            raise Conflict(
                f"run {self.name!r} was begun before, in {where}: resume=True goes on with it; or "
                "delete the file"
            ) from None
        except Locked:
            raise Conflict(f"run {self.name!r} is being logged already, in {where}") from None

    def _resume(self, facts: Mapping[str, Any]) -> None:
        """Read what was logged, and write the facts that are given otherwise than at the start."""
        later: dict[str, Any] = {}
        for record in read_records(str(self.path), ReadOptions()):
            if isinstance(record, Start):
                self._check_same(record, facts)
                self.facts = dict(record.facts)
                later = {n: fact for n, fact in facts.items() if record.facts.get(n) != fact}
            elif isinstance(record, Ranking):
                checked = ranking_of(path_text(self.path), record.qid, record.docs)
                self.answers[record.qid] = _hash(checked)
            elif isinstance(record, MoreFacts):
                self.facts = merged(self.facts, record.facts)
        self.facts.pop("ended_at", None)  # it goes on
        if later:
            self._file.append(facts_line(later))
            self.facts = merged(self.facts, later)

    def _check_same(self, start: Start, facts: Mapping[str, Any]) -> None:
        """Refuse to go on with another run.

        Raises:
            Conflict: names or parameters differ.
        """
        for kind in NAMES:
            if start.names.get(kind) != self.names.get(kind):
                self._refuse_other(kind, start.names.get(kind), self.names.get(kind))
        before, now = (each.get("parameters", {}) for each in (start.facts, facts))
        for name in {**before, **now}:
            if before.get(name) != now.get(name):
                self._refuse_other(f"parameter {name}", before.get(name), now.get(name))

    def _refuse_other(self, what: str, before: object, now: object) -> NoReturn:
        raise Conflict(
            f"run {self.name!r} was begun with another {printable(what)}, {before!r} and not "
            f"{now!r}, in {path_text(self.path)}: give this one another name"
        )


def _hash(ranking: Ranking) -> bytes:
    """A hash of documents and scores; the order in which they were given makes no difference."""
    text = repr([*ranking.docs.items()])  # in order already
    return hashlib.blake2b(text.encode(), digest_size=16).digest()
