"""A check as JUnit XML, which continuous integration shows as tests: a rule is a test case."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from xml.etree import ElementTree as ET

from evalstore.comparison.check import Checked, Decided, RuleResult
from evalstore.comparison.claims import sentences, text_in_line, verdict
from evalstore.comparison.significance import Pair
from evalstore.formats.source import printable
from evalstore.tables.renderers import code, paragraph


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


# A check in words: lines for a terminal, and Markdown for a pull request

WORDS = {True: "fails", False: "passes", None: "undecided"}
LONGEST_TEXT = 120
NO_WIDTH = "\N{ZERO WIDTH SPACE}"


def headline(checked: Checked) -> str:
    """The outcome in one line."""
    if checked.outcome == "not comparable":
        return verdict(checked.compared)
    failing = sum(result.fails is True for result in checked.results)
    rules = f"{len(checked.results)} rule{'s' * (len(checked.results) != 1)}"
    old, new = (run.name for run in checked.compared.runs)
    sentence = f"{new} against {old}: {failing} of {rules} failed"
    undecided = sum(result.fails is None for result in checked.results)
    return f"{sentence}, {undecided} can't be decided" if undecided else sentence


def figures_of(result: RuleResult) -> str:
    """The figures that decided a rule: `nDCG@10 drop 0.0213, nDCG@10 p 0.0041`."""
    return ", ".join(dict.fromkeys(map(_figure, result.conditions)))


def _figure(decided: Decided) -> str:
    condition = decided.condition
    name = f"{condition.measure} {condition.figure}".lstrip()
    if math.isnan(decided.value):
        return f"{name} has no value"
    return f"{name} {_number(decided.value)}{' %' * condition.percent}"


def _number(value: float) -> str:
    if math.isinf(value):
        return f"{value:+}"
    if value == int(value) and abs(value) < 1e9:
        return f"{int(value)}"
    return f"{value:.4f}" if abs(value) >= 0.00005 else f"{value:.1e}"


def markdown(checked: Checked) -> str:
    """A summary for a pull request: the outcome, the queries that lost most, rules and figures.

    Names and texts are escaped: none can end a table or be rendered as markup.
    """
    if checked.outcome == "not comparable":
        return markdown_error(headline(checked))
    lines = [f"## evalstore check: {checked.outcome}", "", f"{text(headline(checked))}.", ""]
    old, new = (code(run.name) for run in checked.compared.runs)
    if checked.losses:
        measure = checked.losses[0].pair.measure
        lines += [f"### Regressed queries ({code(measure)})", ""]
        texts = checked.compared.texts
        lines += _table(
            ("query", "text", old, new, "difference"),
            "ll---",
            (
                (
                    code(loss.qid),
                    text(text_in_line(texts.get(loss.qid, ""), LONGEST_TEXT)),
                    *(f"{value:.4f}" for value in (loss.value_a, loss.value_b)),
                    f"{loss.difference:+.4f}",
                )
                for loss in checked.losses
            ),
        )
    lines += ["### Rules", ""]
    lines += _table(
        ("rule", "", "figures"),
        "lll",
        (
            (
                code(r.rule.text),
                f"**{WORDS[r.fails]}**" if r.fails else WORDS[r.fails],
                text(figures_of(r)),
            )
            for r in checked.results
        ),
    )
    lines += ["### Figures", ""]
    lines += _table(
        ("measure", "queries", old, new, "difference", "interval", "p", "p corrected", "W/T/L"),
        "l--------",
        (_figures_row(pair, checked) for pair in checked.compared.pairs),
    )
    lines += [f"- {text(sentence)}" for sentence in sentences(checked.compared)]
    lines += [f"- {text(line)}" for line in (verdict(checked.compared), *checked.compared.notes)]
    return "\n".join([*lines, ""])


def markdown_error(message: str) -> str:
    """The summary of a check that could not be made."""
    return f"## evalstore check: not comparable\n\n{text(message)}\n"


def _figures_row(pair: Pair, checked: Checked) -> Sequence[str]:
    test = checked.compared.settings.test
    low, high = pair.interval
    return (
        *(code(pair.measure), f"{pair.queries}", f"{pair.mean_a:.4f}", f"{pair.mean_b:.4f}"),
        f"{pair.difference:+.4f}",
        f"{low:+.4f} to {high:+.4f}" if math.isfinite(low) else "",
        *(_number(pair.p[test]), _number(pair.p_corrected[test])),
        f"{pair.wins}/{pair.ties}/{pair.losses}",
    )


def _table(headers: Sequence[str], sides: str, rows: Iterable[Sequence[str]]) -> list[str]:
    """A table in Markdown; `sides` has a letter a column: l left, - right."""
    rules = ("---" if side == "l" else "---:" for side in sides)
    lines = (headers, tuple(rules), *rows)
    return [*("| " + " | ".join(line) + " |" for line in lines), ""]


def text(words: str) -> str:
    """Words as Markdown that renders as just these words, in one line, and links nothing.

    GitHub and GitLab turn @names, #numbers and addresses into links although they are escaped: a
    space without width prevents it.
    """
    return re.sub(r"\\@|\\#(?=\d)|\\:(?=//)|\bwww(?=\\\.)", rf"\g<0>{NO_WIDTH}", paragraph(words))
