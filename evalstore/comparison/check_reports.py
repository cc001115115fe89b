"""A check as JUnit XML, which continuous integration shows as tests: a rule is a test case."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from evalstore.comparison.check import Checked
from evalstore.comparison.check_summary import figures_of, headline
from evalstore.comparison.claims import sentences, verdict
from evalstore.formats.source import printable


def junit(checked: Checked) -> str:
    """The rules of a check as test cases: one that fails is a failure, an undecided one an error.

    Where the runs can't be compared, every rule is an error that says why.
    """
    comparable = checked.outcome != "not comparable"
    suite = _suite(
        len(checked.results),
        failures=sum(result.fails is True for result in checked.results),
        errors=sum(result.fails is None for result in checked.results),
    )
    losses = [
        f"{loss.qid}: {loss.value_a:.4f} to {loss.value_b:.4f} ({loss.difference:+.4f})"
        for loss in checked.losses
    ]
    for result in checked.results:
        case = _case(suite, result.rule.text)
        if result.fails is True:
            _problem(case, "failure", figures_of(result), losses)
        elif result.fails is None:
            why = figures_of(result) if comparable else verdict(checked.compared)
            _problem(case, "error", why, [])
    lines = [headline(checked), verdict(checked.compared), *sentences(checked.compared)]
    ET.SubElement(suite, "system-out").text = _plain("\n".join(map(printable, lines)))
    return _document(suite)


def junit_error(message: str) -> str:
    """A check that could not be made, as JUnit XML."""
    suite = _suite(1, failures=0, errors=1)
    _problem(_case(suite, "the runs can be compared"), "error", message, [])
    return _document(suite)


def _suite(tests: int, *, failures: int, errors: int) -> ET.Element:
    counts = {"tests": tests, "failures": failures, "errors": errors, "skipped": 0}
    attributes = {name: str(count) for name, count in counts.items()}
    return ET.Element("testsuite", {"name": "evalstore check", **attributes})


def _case(suite: ET.Element, name: str) -> ET.Element:
    return ET.SubElement(suite, "testcase", {"classname": "evalstore.check", "name": _plain(name)})


def _problem(case: ET.Element, kind: str, message: str, lines: list[str]) -> None:
    problem = ET.SubElement(case, kind, {"message": _plain(printable(message))})
    problem.text = _plain("\n".join(map(printable, lines)))


def _plain(text: str) -> str:
    """Text without the characters that XML can't hold."""
    return "".join(c if c in "\n\t" or "\x20" <= c not in "\ufffe\uffff" else " " for c in text)


def _document(suite: ET.Element) -> str:
    suites = ET.Element("testsuites", {**suite.attrib})
    suites.append(suite)
    ET.indent(suites)
    text = ET.tostring(suites, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'
