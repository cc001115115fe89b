"""Measures explained in words, from their descriptors, with values of an example."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from evalstore.formats import Qrels, Run, SubtopicQrels
from evalstore.formats.reading import ids
from evalstore.measures import NEEDS, Measure, aggregate, evaluate, parse, registry
from evalstore.measures.join import Extras, match
from evalstore.measures.judged import Judged
from evalstore.measures.notation import range_of
from evalstore.measures.registry import Descriptor, Parameter

WIDTH = 88

_GRADES_AS_PREFERENCES = (
    "the higher of two is preferred, and a document without a grade, or of a negative one, is in "
    "no preference"
)

Grade = float | None

GRADES: tuple[Grade, ...] = (2, 0, None, 1, 3, 0, None, 1, 0, 0)
MISSED = (1, 2)
DOCNOS = tuple(f"d{number:02}" for number in range(1, len(GRADES) + len(MISSED) + 1))
"""Those retrieved by rank, then those missed."""


def example() -> Judged:
    """The ranking of ten documents that all examples are computed from."""
    aspects = zip(DOCNOS, ("ab", "", "", "a", "bc", "", "", "c", "", "", "d", "a"), strict=True)
    relevant = [(docno, aspect) for docno, of_one in aspects for aspect in of_one]
    subtopics = SubtopicQrels(
        path="example",
        qids=("q",),
        lengths=np.array([len(relevant)]),
        docnos=ids.column([docno.encode() for docno, _ in relevant]),
        grades=np.ones(len(relevant)),
        subtopics=ids.column([aspect.encode() for _, aspect in relevant]),
    )
    extras = Extras(
        collection_size=100,
        known={"q": {DOCNOS[3], DOCNOS[10]}},
        times={"q": 42.0},
        index_bytes=4096,
        memory_bytes=65536,
        money=0.06,
        currency="EUR",
        energy_joules=300.0,
        subtopics=subtopics,
        judgment_groups=subtopics,
    )
    scores = (2.4, 1.1, 1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3)
    run = {"q": dict(zip(DOCNOS, scores, strict=False)), "another": {"d": 1.0}}
    return match(Run.from_dict(run), _qrels(), extras=extras)


def example_by_rank(measure: Measure) -> tuple[float, ...]:
    """The values of a measure if the example's ranking ended at rank 1, at rank 2, and so on.

    Later documents then count as missed. Empty for measures that need more than a ranking and
    judgments.
    """
    if measure.descriptor.facts or measure.descriptor.family == "ratings":
        return ()
    values = []
    for end in range(1, len(GRADES) + 1):
        run = Run.from_dict({"q": {DOCNOS[i]: float(end - i) for i in range(end)}})
        judged = match(run, _qrels())
        values.append(aggregate(measure, evaluate(judged, [measure])[measure], judged))
    return tuple(values)


def _qrels() -> Qrels:
    judged = zip(DOCNOS, (*GRADES, *MISSED), strict=True)
    qrels = Qrels.from_dict({"q": {docno: grade for docno, grade in judged if grade is not None}})
    return replace(qrels, strata=ids.column([b"1"] * len(qrels.grades)))


EXAMPLE_IN_WORDS = (
    "Ten documents are retrieved; their grades from rank 1 on are "
    + ", ".join("none" if grade is None else str(grade) for grade in GRADES)
    + " (none: not judged). Two relevant documents, of grades "
    + " and ".join(map(str, MISSED))
    + ", are missed. So R = 6."
)
EXAMPLE_EXTRAS = (
    "Scores: 2.4, 1.1, 1.0, 0.9, ..., 0.3. The collection has 100 documents, the index 4096 bytes. "
    "The engine used 65536 bytes of memory. The user knew the document at rank 4 and the missed "
    "one of grade 1. The query took 42 milliseconds. It and another query, without judgments, cost "
    "0.06 EUR and took 300 joules. The documents at ranks 1, 4, 5 and 8 and the two missed are "
    "relevant to the subtopics (or judgment groups) ab, a, bc, c, d and a. The judged documents "
    "are one stratum."
)


def listing() -> list[tuple[str, str, str]]:
    """Every measure as (family, name, title), in the order of docs/measures.md."""
    return [(d.family, d.name, d.title) for d in registry().values()]


def explain(name: str) -> str:
    """A plain-text description of a measure, named in any notation, with a computed example."""
    measure = measure_named(name)
    descriptor = measure.descriptor
    lines = [f"{descriptor.name}: {descriptor.title}", ""]
    lines += [*textwrap.wrap(descriptor.summary, WIDTH), ""]
    for label, text in facts(descriptor):
        lines += _wrapped(label, text)
    if descriptor.accepted or descriptor.cutoff is not None:
        lines += ["", "Parameters:"]
    lines += [
        line for p in descriptor.accepted for line in _wrapped(f"  {p.name}", parameter_text(p))
    ]
    if descriptor.cutoff is not None:
        lines += _wrapped(
            "  @k" if descriptor.cutoff.kind == "rank" else "  @r", cutoff_text(descriptor)
        )
    needs_more = descriptor.needs or descriptor.family == "ratings"
    example_text = EXAMPLE_IN_WORDS + (" " + EXAMPLE_EXTRAS if needs_more else "")
    lines += ["", "Example:", *(f"  {line}" for line in textwrap.wrap(example_text, WIDTH - 2)), ""]
    values = list(example_values(measure))
    width = max(len(notation) for notation, _ in values)
    lines += [f"  {notation:<{width}}  {value}" for notation, value in values]
    return "\n".join(lines) + "\n"


def measure_named(name: str) -> Measure:
    """The measure with this name; a name without parameters gives its example, with a cutoff."""
    descriptor = registry().get(name.strip())
    return parse(name if descriptor is None else descriptor.example)


def facts(descriptor: Descriptor) -> Iterator[tuple[str, str]]:
    """The facts of a measure as (label, text)."""
    yield "Formula", descriptor.formula
    yield "When", descriptor.advice
    low, high = (f"{bound:g}" for bound in descriptor.bounds)
    direction = {True: "higher is better", False: "lower is better", None: "neither way is better"}
    yield "Range", f"{low} to {high}; {direction[descriptor.higher_is_better]}"
    if descriptor.aggregate != "mean":
        over = {"sum": "their sum", "geometric mean": "their geometric mean"}
        own = "the same for every query" if descriptor.of_run else "as the formula says"
        yield "Over queries", over.get(descriptor.aggregate, own)
    if descriptor.needs:
        yield "Needs", "; ".join(map(NEEDS.__getitem__, descriptor.needs))
    if descriptor.optional_needs:
        uses = "; ".join(map(NEEDS.__getitem__, descriptor.optional_needs))
        yield "Uses", f"{uses}, or else the grades of the qrels: {_GRADES_AS_PREFERENCES}"
    if descriptor.trec:
        names = (
            f"{t.name}_{t.defaults[0]}, ..." if t.defaults else t.name for t in descriptor.trec
        )
        yield "trec_eval", ", ".join(names)
    if descriptor.aliases:
        yield "Also", ", ".join(descriptor.aliases)
    yield "Source", descriptor.source


def parameter_text(parameter: Parameter) -> str:
    """The meaning of a parameter, its values and its default."""
    text = parameter.doc
    if any(repr(choice) not in text for choice in parameter.choices):
        text += f"; one of {', '.join(map(repr, parameter.choices))}"
    elif parameter.kind in {"number", "whole"}:
        text += f"; {range_of(parameter, usual_too=False)}"
    if parameter.required:
        return f"{text}; must be given"
    if parameter.default is not None and parameter.kind != "levels":
        return f"{text}; {parameter.default!r} unless given"
    return text


def cutoff_text(descriptor: Descriptor) -> str:
    """The meaning of the number after the @; empty for a measure without such a number."""
    rule = descriptor.cutoff
    if rule is None:
        return ""
    return rule.doc + ("; must be given" if rule.required else "; may be left out")


def example_values(measure: Measure) -> Iterator[tuple[str, str]]:
    """(notation, value) on the example ranking, for the measure and its variants."""
    judged = example()
    for notation in _variants(measure):
        variant = parse(notation)
        value = aggregate(variant, evaluate(judged, [variant])[variant], judged)
        whole = variant.descriptor.counts and value == int(value)
        yield notation, f"{value:.0f}" if whole else f"{value:.4f}"


def _variants(measure: Measure) -> Iterator[str]:
    descriptor = measure.descriptor
    yield str(measure)
    if measure != parse(descriptor.example):
        return
    at = "" if measure.cutoff is None else f"@{measure.cutoff}"
    if descriptor.cutoff is not None and not descriptor.cutoff.required:
        yield f"{descriptor.name}@3"
        at = at or "@3"
    for parameter in descriptor.parameters:
        for choice in parameter.choices:
            if choice != parameter.default:
                yield f"{descriptor.name}({parameter.name}={choice!r}){at}"
        levels = parameter.name == "rel" and not parameter.becomes and not descriptor.needs
        if levels and not measure.parameters:
            at_level = "" if measure.cutoff is None else f"@{measure.cutoff}"
            yield f"{descriptor.name}(rel=2){at_level}"


def _wrapped(label: str, text: str) -> list[str]:
    indent = 16
    return textwrap.wrap(
        text, WIDTH, initial_indent=f"{label + ':':<{indent}}", subsequent_indent=" " * indent
    )
