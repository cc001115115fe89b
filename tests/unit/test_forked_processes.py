"""Processes that are forked before their work is known."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import pytest

from evalstore.evaluation.processes import forked

pytestmark = [
    pytest.mark.slow,  # processes of their own
    pytest.mark.skipif(sys.platform != "linux", reason="nothing is forked there"),
]

PATIENCE = 300

START = """
import os, time
from evalstore.evaluation import parallel
parallel.WORTH_IT = 0
def each(asked, jobs=2):
    processes = parallel.start_processes(asked, jobs=jobs, preload="evalstore.formats")
    assert processes is not None
    return parallel.each(eval, asked, jobs=jobs, preload="evalstore.formats", processes=processes)
"""


def printed(program: str) -> list[str]:
    """The lines that a program prints; it and all its processes have ended then."""
    done = subprocess.run(
        [sys.executable, "-c", START + program],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=PATIENCE,
    )
    return done.stdout.splitlines()


def test_results_come_in_the_order_of_the_paths() -> None:
    program = "print(*[one.result for one in each([f'{i} * {i}' for i in range(20)])])"
    assert printed(program) == [" ".join(str(i * i) for i in range(20))]


def test_the_work_is_done_by_the_processes_that_were_forked() -> None:
    program = """
asked = ["__import__('os').getppid()"] * 4
print({one.result for one in each(asked)} == {os.getpid()})
"""
    assert printed(program) == ["True"]


def test_another_process_is_started_in_the_place_of_one_that_died() -> None:
    program = """
asked = ["1"] * 20
asked[7] = asked[8] = asked[9] = "__import__('os')._exit(1)"
for one in each(asked):
    print(one.result if one.error is None else one.error.problem)
"""
    died = ["process died"] * 3
    assert printed(program) == [*["1"] * 7, *died, *["1"] * 10]


def test_an_answer_is_unpickled_by_who_asks_for_it() -> None:
    """A thread would wait for the import of a package that another one is at."""
    program = """
import threading
def name():
    return threading.current_thread().name
class Named:
    def __reduce__(self):
        return name, ()
print(*[one.result for one in each(["__import__('__main__').Named()"] * 2)])
"""
    assert printed(program) == ["MainThread MainThread"]


def test_who_takes_no_more_results_waits_for_no_process() -> None:
    program = """
done = each(["1", "__import__('time').sleep(1000)"])
print(next(done).result)
done.close()
"""
    assert printed(program) == ["1"]


def test_processes_that_nobody_needed_end_when_they_are_closed() -> None:
    program = """
processes = parallel.start_processes(["1"] * 3, jobs=3, preload="evalstore.formats")
(taken,) = processes.take(1)
processes.close()
print(taken.process.is_alive())
taken.end()
print(taken.process.is_alive())
"""
    assert printed(program) == ["True", "False"]


@pytest.mark.parametrize("asked", ["", "done = each(['1', '2', '3', '4'], 3); next(done)"])
def test_processes_end_when_the_one_that_forked_them_is_killed(asked: str) -> None:
    """Each has a copy of the connections to those before it, which would keep these waiting."""
    program = f"""
processes = parallel.start_processes(["1"] * 4, jobs=3, preload="evalstore.formats")
{asked}
print("started", flush=True)
time.sleep(1000)
"""
    with subprocess.Popen(
        [sys.executable, "-c", START + program], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "started\n"
        os.kill(process.pid, signal.SIGKILL)
        # It ends when nobody has the pipe open any more.
        assert process.communicate(timeout=PATIENCE)[0] == ""


def test_a_process_with_another_thread_is_not_forked() -> None:
    """The thread may hold a lock, and its copy would never be unlocked."""
    ends = threading.Event()
    thread = threading.Thread(target=ends.wait)
    thread.start()
    try:
        assert forked(2, "evalstore.formats") is None
    finally:
        ends.set()
        thread.join()
