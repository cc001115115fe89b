"""Generates docs/measures.md from the descriptors of the measures; `make docs` runs it."""

from __future__ import annotations

from pathlib import Path

from evalstore.evaluation.measure_help import (
    EXAMPLE_EXTRAS,
    EXAMPLE_IN_WORDS,
    cutoff_text,
    example_values,
    facts,
    parameter_text,
)
from evalstore.measures import parse, registry
from evalstore.measures.notation import SETS
from evalstore.measures.registry import JUDGED_ONLY, Descriptor

PAGE = Path(__file__).parents[1] / "measures.md"


def markdown() -> str:
    """Return the whole page."""
    introduction = _INTRODUCTION.format(
        modes=_table(_MODES), example=EXAMPLE_IN_WORDS, extras=EXAMPLE_EXTRAS
    )
    parts = [introduction, _sets()]
    family = ""
    for descriptor in registry().values():
        if descriptor.family != family:
            family = descriptor.family
            parts.append(f"## {family.capitalize()}\n")
        parts.append(_section(descriptor))
    return "\n".join([*parts, _DIFFER, _table(_DIFFERENCES)]) + "\n"


def _section(descriptor: Descriptor) -> str:
    lines = [f"### {descriptor.name}", "", f"*{descriptor.title}.* {descriptor.summary}", ""]
    lines += [f"- **{label}:** {_escaped(text)}" for label, text in facts(descriptor)]
    if descriptor.parameters or descriptor.cutoff is not None:
        lines += ["", "| parameter | |", "|---|---|"]
        lines += [f"| `{p.name}` | {_escaped(parameter_text(p))} |" for p in descriptor.parameters]
        if descriptor.cutoff is not None:
            name = "@k" if descriptor.cutoff.kind == "rank" else "@r"
            lines.append(f"| `{name}` | {_escaped(cutoff_text(descriptor))} |")
    values = example_values(parse(descriptor.example))
    examples = "; ".join(f"`{notation}` = {value}" for notation, value in values)
    lines += ["", f"Example: {examples}.", ""]
    return "\n".join(lines)


def _escaped(text: str) -> str:
    """Return the text with the characters escaped that Markdown would interpret."""
    return text.replace("|", "\\|").replace("*", "\\*").replace("_", "\\_")


def _table(rows: tuple[tuple[str, ...], ...]) -> str:
    lines = ["| " + " | ".join(_escaped_outside_code(cell) for cell in row) + " |" for row in rows]
    return "\n".join([lines[0], "|---" * len(rows[0]) + "|", *lines[1:]])


def _escaped_outside_code(cell: str) -> str:
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

<!-- Generated from the descriptors of the measures by `make docs`: change those. -->

`evalstore measures` lists them, `evalstore measures nDCG` explains one.

## The notation

`nDCG(dcg='exp-log2')@10`: a name, parameters between parentheses, and after the @ how deep to look.
It is the notation of ir_measures. Parameters left out have their defaults; a measure has one
canonical spelling, with its parameters sorted and defaults dropped, and that is its name in the
store. trec_eval's names work too: `map`, `map_cut_10`, `P.5,10`, `ndcg.1=3,2=9`,
`iprec_at_recall_0.20`, `set_F.0.5`, `utility.2,-1,0,0`.

Every measure of a ranking also takes `{JUDGED_ONLY.name}=True`:
{JUDGED_ONLY.doc}.

## The rules behind every value

- **Order.** By score, highest first; equal scores by document id, highest first, as bytes. The rank
  column of the file is not looked at. Measures of preferences alone order equal scores by document
  id, lowest first, as trec_eval does for them.
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
than 2.1, so trec_eval 9 requires only 2; this happens for R = 3, 23, 33 and others. `trec_eval-9`
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
    (
        "trec_eval",
        "prefs_... with -R qrels_prefs",
        "takes a negative grade as a level below 0; with -c, a query that the run does not answer "
        "adds nothing to prefs_num_prefs_poss",
    ),
    ("trec_eval", "prefs_...", "counts a line that stands twice in a group twice"),
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
        "asked for together with others, its gains are also used for the other nDCG",
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
    ("gdeval", "all", "prints five decimals; more digits are not available"),
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


if __name__ == "__main__":
    PAGE.write_text(markdown(), encoding="utf-8", newline="\n")
