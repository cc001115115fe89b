"""The measures explained to people, from their descriptors: docs/measures.md and the CLI's help."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path

from evalstore.measures import NEEDS, Judged, Measure, aggregate, evaluate, parse, registry
from evalstore.measures.by_hand import Answer, by_hand
from evalstore.measures.presets import SETS
from evalstore.measures.registry import JUDGED_ONLY, Descriptor, Parameter
from evalstore.measures.spec import range_of

WIDTH = 88

GRADES = (2, 0, None, 1, 3, 0, None, 1, 0, 0)
MISSED = (1, 2)


def example() -> Judged:
    """The small ranking that all examples are computed on."""
    answer = Answer(
        ranking=GRADES,
        missed=MISSED,
        known=(4, 11),
        aspects=(("a", "b"), (), (), ("a",), ("b", "c"), (), (), ("c",), (), (), ("d",), ("a",)),
        time=42.0,
        scores=(2.4, 1.1, 1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3),
    )
    return by_hand(answer, collection_size=100, distinct=len(GRADES), index_bytes=4096)


EXAMPLE_IN_WORDS = (
    "Ten documents are retrieved; their grades from rank 1 on are "
    + ", ".join("none" if grade is None else str(grade) for grade in GRADES)
    + " (none: not judged). Two relevant documents, of grades "
    + " and ".join(map(str, MISSED))
    + ", are missed. So R = 6."
)
EXAMPLE_EXTRAS = (
    "Where a measure needs more: the collection has 100 documents, the user knew the documents at "
    "rank 4 and the missed one of grade 1, the query took 42 milliseconds, the index has 4096 "
    "bytes, the engine gave the scores 2.4, 1.1, 1.0, 0.9, ..., 0.3; the documents at ranks 1, 4, "
    "5 and 8 and the two missed are relevant to the subtopics ab, a, bc, c, d and a."
)


def listing() -> list[tuple[str, str, str]]:
    """Every measure as (family, name, title), in the order they are explained."""
    return [(d.family, d.name, d.title) for d in registry().values()]


def explain(name: str) -> str:
    """One measure in plain text, with an example computed here and now.

    Args:
        name: a measure in any notation; its parameters and cutoff show in the example.

    Raises:
        MeasureError: no measure is called so.
    """
    measure = _asked(name)
    descriptor = measure.descriptor
    lines = [f"{descriptor.name}: {descriptor.title}", ""]
    lines += [*textwrap.wrap(descriptor.summary, WIDTH), ""]
    for label, said in _facts(descriptor):
        lines += _wrapped(label, said)
    if descriptor.accepted or descriptor.cutoff is not None:
        lines += ["", "Parameters:"]
    lines += [line for p in descriptor.accepted for line in _wrapped(f"  {p.name}", _described(p))]
    if descriptor.cutoff is not None:
        lines += _wrapped(
            "  @k" if descriptor.cutoff.kind == "rank" else "  @r", _cutoff(descriptor)
        )
    more = descriptor.needs or descriptor.family == "ratings"
    shown = textwrap.wrap(EXAMPLE_IN_WORDS + (" " + EXAMPLE_EXTRAS if more else ""), WIDTH - 2)
    lines += ["", "Example:", *(f"  {line}" for line in shown), ""]
    values = list(_values(measure))
    width = max(len(written) for written, _ in values)
    lines += [f"  {written:<{width}}  {value}" for written, value in values]
    return "\n".join(lines) + "\n"


def _asked(name: str) -> Measure:
    """The measure asked for; a name alone may lack the cutoff or parameter it needs."""
    descriptor = registry().get(name.strip())
    return parse(name if descriptor is None else descriptor.example)


def markdown() -> str:
    """The whole of docs/measures.md."""
    about = {"modes": _table(_MODES), "example": EXAMPLE_IN_WORDS, "extras": EXAMPLE_EXTRAS}
    parts = [_INTRODUCTION.format(**about), _sets()]
    family = ""
    for descriptor in registry().values():
        if descriptor.family != family:
            family = descriptor.family
            parts.append(f"## {family.capitalize()}\n")
        parts.append(_section(descriptor))
    return "\n".join([*parts, _DIFFER, _table(_DIFFERENCES)]) + "\n"


# --- one measure ----------------------------------------------------------------------------------


def _section(descriptor: Descriptor) -> str:
    lines = [f"### {descriptor.name}", "", f"*{descriptor.title}.* {descriptor.summary}", ""]
    lines += [f"- **{label}:** {_escaped(said)}" for label, said in _facts(descriptor)]
    if descriptor.parameters or descriptor.cutoff is not None:
        lines += ["", "| parameter | |", "|---|---|"]
        lines += [f"| `{p.name}` | {_escaped(_described(p))} |" for p in descriptor.parameters]
        if descriptor.cutoff is not None:
            name = "@k" if descriptor.cutoff.kind == "rank" else "@r"
            lines.append(f"| `{name}` | {_escaped(_cutoff(descriptor))} |")
    values = (f"`{written}` = {value}" for written, value in _values(parse(descriptor.example)))
    lines += ["", "Example: " + "; ".join(values) + ".", ""]
    return "\n".join(lines)


def _facts(descriptor: Descriptor) -> Iterator[tuple[str, str]]:
    yield "Formula", descriptor.formula
    yield "When", descriptor.advice
    low, high = (f"{bound:g}" for bound in descriptor.bounds)
    direction = {True: "higher is better", False: "lower is better", None: "neither way is better"}
    yield "Range", f"{low} to {high}; {direction[descriptor.higher_is_better]}"
    if descriptor.aggregate != "mean":
        over = {"sum": "their sum", "geometric mean": "their geometric mean"}
        yield "Over queries", over.get(descriptor.aggregate, "as the formula says")
    if descriptor.needs:
        yield "Needs", "; ".join(NEEDS[need] for need in descriptor.needs)
    if descriptor.trec:
        yield "trec_eval", ", ".join(_trec(t.name, t.defaults) for t in descriptor.trec)
    if descriptor.aliases:
        yield "Also", ", ".join(descriptor.aliases)
    yield "Source", descriptor.source


def _trec(name: str, defaults: tuple[str, ...]) -> str:
    return f"{name}_{defaults[0]}, ..." if defaults else name


def _described(parameter: Parameter) -> str:
    said = parameter.doc
    if parameter.kind == "text":
        said += f"; one of {', '.join(map(repr, parameter.choices))}"
    elif parameter.kind in {"number", "whole"}:
        said += f"; {range_of(parameter, usual_too=False)}"
    if parameter.required:
        return f"{said}; must be given"
    if parameter.default is not None and parameter.kind != "levels":
        return f"{said}; {parameter.default!r} unless given"
    return said


def _cutoff(descriptor: Descriptor) -> str:
    rule = descriptor.cutoff
    if rule is None:
        return ""
    return rule.doc + ("; must be given" if rule.required else "; may be left out")


def _values(measure: Measure) -> Iterator[tuple[str, str]]:
    """The measure on the small ranking, and what becomes of it with its parameters changed."""
    judged = example()
    for written in _variants(measure):
        found = parse(written)
        value = aggregate(found, evaluate(judged, [found])[found], judged)
        whole = found.descriptor.counts and value == int(value)
        yield written, f"{value:.0f}" if whole else f"{value:.4f}"


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


def _wrapped(label: str, said: str) -> list[str]:
    indent = 16
    return textwrap.wrap(
        said, WIDTH, initial_indent=f"{label + ':':<{indent}}", subsequent_indent=" " * indent
    )


def _escaped(text: str) -> str:
    """Text whose stars, bars and underscores Markdown is to leave alone."""
    return text.replace("|", "\\|").replace("*", "\\*").replace("_", "\\_")


# --- the page around them -------------------------------------------------------------------------


def _table(rows: tuple[tuple[str, ...], ...]) -> str:
    lines = ["| " + " | ".join(_plain(cell) for cell in row) + " |" for row in rows]
    return "\n".join([lines[0], "|---" * len(rows[0]) + "|", *lines[1:]])


def _plain(cell: str) -> str:
    """Escaped, but for what is code."""
    parts = cell.split("`")
    return "`".join(_escaped(part) if i % 2 == 0 else part for i, part in enumerate(parts))


def _sets() -> str:
    lines = ["## Sets", "", "A name that stands for several measures:", ""]
    lines += [
        f"- `{name}`: {', '.join(f'`{m}`' for m in members)}" for name, members in SETS.items()
    ]
    return "\n".join(lines) + "\n"


_INTRODUCTION = f"""\
# Measures

<!-- Made from the measures' own descriptions by evalstore.usecases.measures: change those. -->

`evalstore measures` lists them, `evalstore measures nDCG` explains one.

## The notation

`nDCG(dcg='exp-log2')@10`: a name, parameters between parentheses, and after the @ how deep to look.
It is the notation of ir_measures. Parameters left out have their defaults; a measure has one
canonical spelling, with its parameters sorted and defaults dropped, and that is its name in the
store. trec_eval's names work too: `map`, `map_cut_10`, `P.5,10`, `ndcg.1=3,2=9`,
`iprec_at_recall_0.20`, `set_F.0.5`, `utility.2,-1,0,0`.

Every measure of a ranking also takes `{JUDGED_ONLY.name}=True`:
{JUDGED_ONLY.doc}.

## What they stand on

- **Order.** By score, highest first; equal scores by document id, highest first, as bytes. The rank
  column of the file is not looked at.
- **Queries.** Every query of the qrels counts (trec_eval -c); one that the run does not answer is
  an empty ranking. A query without a relevant document scores 0.
- **Grades.** Relevant means a grade of at least 1, or of `rel`. A negative grade means that the
  document was in the pool but not judged: it gains nothing, and Bpref, infAP, Judged and `-J` pass
  it over.
- **Never NaN.** Where a formula divides by 0, the value is 0.
- **Averages** add one query after the other in byte order of their ids, as trec_eval does.

## Agreeing with a release of trec_eval

{{modes}}

In decimal arithmetic 0.7 x 3 is 2.1 and needs 3 documents. A computer's 0.7 x 3 is a little less
than 2.1, so trec_eval 9 is content with 2; it happens for R = 3, 23, 33 and others. `trec_eval-9`
also covers pytrec_eval, and ir_measures where it asks pytrec_eval.

## The example

{{example}}

{{extras}}
"""

_DIFFER = """\
## Where other tools differ

In all else that was compared, trec_eval, pytrec_eval and ir_measures agree with evalstore.
"""

_MODES = (
    ("mode", "scores", "relevant documents needed for recall r, of R"),
    ("`exact` (the default)", "64-bit", "r x R, rounded up"),
    (
        "`trec_eval-9`",
        "32-bit: scores that differ after about 7 digits tie",
        "r x R + 0.9 cut to a whole number, in the computer's arithmetic",
    ),
    ("`trec_eval-10`", "64-bit", "r x R, rounded to the nearest"),
)

_DIFFERENCES = (
    ("tool", "measure", "what it does"),
    ("trec_eval 9, pytrec_eval", "all", "scores as 32-bit numbers (mode `trec_eval-9`)"),
    (
        "pytrec_eval",
        "all",
        "leaves out a query that the run does not answer, instead of counting 0; a query with only "
        "negative grades ends the process",
    ),
    ("trec_eval 9", "num_rel with -c and -l 2", "its total counts grades from 1 on"),
    ("trec_eval", "set_F.x", "x is beta squared; `set_F.4` is `SetF(beta=2)`"),
    ("trec_eval 10", "rbp", "graded, p = 0.9: `RBP(p=0.9)`"),
    (
        "trec_eval",
        "ndcg with gains that are not whole",
        "compares gains by their whole parts, and can give 0",
    ),
    ("ir_measures", "RBP(rel=1)", "the same; equal scores stay in the order of the file"),
    (
        "ir_measures",
        "RR@k, Judged@k",
        "equal scores by document id ascending (RR without @k descending, as here)",
    ),
    (
        "ir_measures",
        "Judged@k",
        "divides by the documents returned where they are fewer than k; counts negative grades as "
        "judged",
    ),
    ("ir_measures", "ERR@k, nDCG(dcg='exp-log2')@k", "asks gdeval"),
    (
        "ir_measures",
        "SetF(beta=b)",
        "hands b to trec_eval, where it counts as beta squared: its beta=4 is `SetF(beta=2)`",
    ),
    (
        "ir_measures",
        "nDCG(gains=...)",
        "asked for together with others, its gains leak into the other nDCG",
    ),
    ("ir_measures", "NumRel, NumQ", "0 for a query that the run does not answer"),
    (
        "ir_measures",
        "Accuracy",
        "another measure: how often a relevant document stands before another",
    ),
    (
        "gdeval",
        "ERR@k",
        "takes 4 as the highest grade, so binary judgments look tiny: `ERR(max_rel=4)@k`",
    ),
    ("gdeval", "nDCG@k", "gain 2^g - 1: `nDCG(dcg='exp-log2')@k`"),
    ("gdeval", "all", "prints five decimals, and no more is to be had"),
    ("ranx", "all", "does not order equal scores by document id; a missing query is an error"),
    ("ranx", "RBP", "raw grades, so that it can exceed 1"),
    ("ranx", "bpref", "NaN where no document is judged not relevant"),
    ("ndeval", "ERR-IA@1, alpha-DCG@1", "not divided by their best value at k = 1"),
    (
        "many",
        "AP@k",
        "divide by min(R, k): `AP(norm='min')@k`; or by the relevant found: `AP(norm='found')@k`",
    ),
    ("texts", "E, F", "disagree on what a b above 1 favours: by the formula, recall"),
)


if __name__ == "__main__":  # renew docs/measures.md in a checkout
    Path("docs/measures.md").write_text(markdown(), encoding="utf-8", newline="\n")
