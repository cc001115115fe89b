"""Generates docs/measures.md from the descriptors of the measures; `make docs` runs it."""

from __future__ import annotations

import functools
import math
import re
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from evalstore.evaluation.measure_help import (
    EXAMPLE_EXTRAS,
    EXAMPLE_IN_WORDS,
    example_values,
    facts,
)
from evalstore.measures import parse, registry
from evalstore.measures.notation import SETS
from evalstore.measures.registry import JUDGED_ONLY, Descriptor, Parameter

PAGE = Path(__file__).parents[1] / "measures.md"


_FACTS = ("Range", "Over queries", "Needs", "Uses", "Source")
_LEFT_OUT = {"0 to 1; higher is better", "as the formula says", "their geometric mean"}
_MATHS = re.compile(r"\^| x |sum over|max|exp\(")


def markdown() -> str:
    """Return the whole page."""
    introduction = _INTRODUCTION.format(
        modes=_table(_MODES), example=EXAMPLE_IN_WORDS, extras=EXAMPLE_EXTRAS
    )
    parameters = [f"- `{name}`: {_escaped(text)}" for name, text in sorted(_common().items())]
    parts = [introduction.replace("PARAMETERS", "\n".join(parameters)), _sets()]
    for family, members in groupby(registry().values(), key=lambda each: each.family):
        measures = list(members)
        shared = _shared(measures)
        parts.append(f"## {family.capitalize()}\n")
        if shared:
            texts = [_sentence(label, text) for label, text in shared.items()]
            parts.append(f"All: {' '.join(texts)}\n")
        parts += [_section(each, set(shared)) for each in measures]
    return "\n".join([*parts, _DIFFERENCES])


def _shared(measures: list[Descriptor]) -> dict[str, str]:
    """Return the facts that all measures of a family have in common."""
    if len(measures) < 2:
        return {}
    of_each = [dict(facts(each)) for each in measures]
    return {
        label: text
        for label, text in of_each[0].items()
        if label in _FACTS
        and text not in _LEFT_OUT
        and all(each.get(label) == text for each in of_each)
    }


_FILE_OF_TREC_EVAL = re.compile(r"trec_eval( m_\w+\.c,?)+")
"""A source that a name of trec_eval tells already; `evalstore measures NAME` has it."""


def _section(descriptor: Descriptor, shared: set[str]) -> str:
    known = dict(facts(descriptor))
    formula = known["Formula"]
    defined = descriptor.aggregate == "geometric mean" or (
        _MATHS.search(formula) is None and len(formula.split()) < 18
    )
    names = [known[label] for label in ("Also", "trec_eval") if label in known]
    other_names = f" ({_escaped('; '.join(names))})" if names else ""
    rest = [
        _sentence(label, known[label])
        for label in _FACTS
        if label in known and label not in shared and known[label] not in _LEFT_OUT
        if not _FILE_OF_TREC_EVAL.fullmatch(known[label])
    ]
    values = "; ".join(
        f"`{notation}` = {value}"
        for notation, value in example_values(parse(descriptor.example))
        if "rel=2" not in notation and ("(" in notation or notation == descriptor.example)
    )
    definition = "" if defined else f" {descriptor.summary}"
    lines = [
        f"### {descriptor.name}",
        "",
        f"*{descriptor.title}.*{definition} {_escaped(descriptor.advice)}",
    ]
    lines += ["", f"`{_signature(descriptor)}`{other_names}: {_escaped(formula)}", ""]
    own = [f"- `{name}`: {_escaped(text)}" for name, text in _own_parameters(descriptor)]
    lines += [*own, ""] if own else []
    lines += [" ".join([f"{values}.", *rest]), ""]
    return "\n".join(lines)


def _sentence(label: str, text: str) -> str:
    if label in {"Needs", "Uses"}:
        return f"{label} {_escaped(text)}."
    if label == "Range":
        return f"Range {text}." if not text.startswith("0 to 1; ") else f"{text[8:].capitalize()}."
    if text == "their sum":
        return "Summed over queries."
    if label == "Over queries":
        return f"{text.capitalize()}."
    return f"{label}: {_escaped(text)}."


def _signature(descriptor: Descriptor) -> str:
    """Return the notation with the parameters and their defaults."""
    parameters = ",".join(_with_default(each) for each in descriptor.parameters)
    rule = descriptor.cutoff
    at = "" if rule is None else "@k" if rule.kind == "rank" else "@r"
    if rule is not None and not rule.required:
        at = f"[{at}]"
    return descriptor.name + (f"({parameters})" if parameters else "") + at


def _with_default(parameter: Parameter) -> str:
    if parameter.required:
        return parameter.name
    if parameter.default is None or parameter.kind == "levels":
        return f"[{parameter.name}]"
    return f"{parameter.name}={parameter.default!r}"


def _meaning(parameter: Parameter) -> str:
    """Return what the parameter means and its values, without its default."""
    if parameter.kind not in {"number", "whole"}:
        return parameter.doc
    low = f"({parameter.above:g}" if parameter.above > -math.inf else f"[{parameter.least:g}"
    high = f"{parameter.below:g})" if parameter.below < math.inf else f"{parameter.most:g}]"
    return f"{parameter.doc}; {low}, {high}"


def _parameters(descriptor: Descriptor) -> list[tuple[str, str]]:
    """Return the parameters and the number after the @ as (name, meaning)."""
    rows = [(each.name, _meaning(each)) for each in descriptor.parameters]
    rule = descriptor.cutoff
    if rule is not None:
        rows.append(("@k" if rule.kind == "rank" else "@r", rule.doc.removeprefix("only ")))
    return rows


@functools.cache
def _common() -> dict[str, str]:
    """Return the most frequent meaning of each parameter that several measures have."""
    counts = Counter(row for each in registry().values() for row in _parameters(each))
    common: dict[str, str] = {}
    for (name, meaning), count in counts.most_common():
        if count > 1:
            common.setdefault(name, meaning)
    return common


def _own_parameters(descriptor: Descriptor) -> list[tuple[str, str]]:
    """Return the parameters of which the table of common ones does not have the meaning."""
    common = _common()
    return [(name, text) for name, text in _parameters(descriptor) if common.get(name) != text]


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
    lines = ["## Sets of measures", ""]
    lines += ["A set is a name for measures; `P@1,5` here for P@1 and P@5.", ""]
    lines += [f"- `{name}`: {', '.join(_members(members))}" for name, members in SETS.items()]
    return "\n".join(lines) + "\n"


def _members(members: tuple[str, ...]) -> Iterator[str]:
    """Yield the members of a set, or the names of smaller sets among them."""
    smaller = [name for name, of in SETS.items() if {*of} < {*members}]
    yield from (f"`{name}`" for name in smaller)
    rest = [each for each in members if not any(each in SETS[name] for name in smaller)]
    for name, same in groupby(rest, key=lambda each: each.partition("@")[0]):
        cutoffs = [each.partition("@")[2] for each in same]
        yield from [f"`{name}`"] if "" in cutoffs else []
        if any(cutoffs):
            yield f"`{name}@{','.join(filter(None, cutoffs))}`"


_INTRODUCTION = f"""\
# Measures

<!-- Generated from the descriptors of the measures by `make docs`: change those. -->

`evalstore measures` lists the measures, `evalstore measures nDCG` explains one.

## Notation

A measure is written as in ir_measures: `nDCG(dcg='exp-log2')@10` is a name, parameters in
parentheses, and after the @ the number of documents. The store uses one canonical name: parameters
sorted, defaults left out. trec_eval's names work too: `map`, `map_cut_10`, `P.5,10`,
`ndcg.1=3,2=9`, `iprec_at_recall_0.20`, `set_F.0.5`, `utility.2,-1,0,0`; and, in any case, those of
ranx, MTEB, BEIR and RAGAS with the same definition: `ndcg@10`, `ndcg_at_10`, `hit_rate@5`,
`id_based_context_recall`. A name with another definition is refused with the difference.

Each measure below has a line with its parameters and their defaults, other names in parentheses,
and the formula. What is in square brackets may be left out; a parameter without brackets and
default must be given. The parameters that a measure does not explain (with their range; a round
bracket excludes the end):

PARAMETERS

Every measure of a ranking also takes `{JUDGED_ONLY.name}=True`: {JUDGED_ONLY.doc}.

## Rules for all values

- **Range.** From 0 to 1, and higher is better, unless a measure says otherwise.
- **Order.** By score, highest first; equal scores by document id as bytes, highest first (for
  measures of preferences lowest first). The rank column does not count.
- **Queries.** Every query of the qrels counts (trec_eval -c); one that the run does not answer is
  an empty ranking. A query without a relevant document scores 0.
- **Grades.** A document is relevant from grade 1 on, or from `rel` on. A negative grade means: in
  the pool, not judged. It gains nothing; Bpref, infAP, Judged and `-J` ignore the document.
- **Division by 0** gives 0.
- **Averages** add the queries in byte order of their ids.

In formulas, R is the number of relevant documents of the query, i a rank.

## Agreement with releases of trec_eval

{{modes}}

For R = 3, 23, 33, ... the computer's 0.7 x R is too low, so `trec_eval-9` needs one
document less. `trec_eval-9` also covers pytrec_eval, and ir_measures if it uses pytrec_eval.

## The example

{{example}}

{{extras}}
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

_DIFFERENCES = """\
## Differences to other tools

Otherwise trec_eval, pytrec_eval and ir_measures agree.

- **trec_eval 9, pytrec_eval**: scores are 32-bit numbers (mode `trec_eval-9`).
- **pytrec_eval** leaves out a query that the run does not answer, instead of counting 0; a query
  with only negative grades ends the process.
- **trec_eval 9**: `num_rel` with -c and -l 2 counts grades from 1 on in its total.
- **trec_eval**: x in `set_F.x` is beta squared; `set_F.4` is `SetF(beta=2)`. `ndcg` with gains that
  are not whole compares gains by their whole parts, and can give 0. The measures of preferences
  count a line that occurs twice in a group twice; with -R qrels_prefs a negative grade is a level
  below 0, and with -c an unanswered query adds nothing to `prefs_num_prefs_poss`.
- **trec_eval 10**: `rbp` is `RBP(p=0.9)`, graded.
- **ir_measures**: `RBP(rel=1)` is the same, but equal scores stay in the order of the file. `RR@k`
  and `Judged@k` order equal scores by document id ascending (`RR` as here). `Judged@k` divides by
  the documents returned if they are fewer than k, and counts negative grades as judged. `ERR@k`
  and `nDCG(dcg='exp-log2')@k` are gdeval's. `SetF(beta=4)` is `SetF(beta=2)` here. The gains
  of `nDCG(gains=...)` also apply to other nDCG asked for with it. `NumRel` and `NumQ` are 0 for a
  query that the run does not answer. `Accuracy` is another measure: how often a relevant document
  is before another.
- **gdeval**: `ERR@k` takes 4 as the highest grade, so binary judgments give tiny values:
  `ERR(max_rel=4)@k`. `nDCG@k` has the gain 2^g - 1: `nDCG(dcg='exp-log2')@k`. Five decimals.
- **ranx** does not order equal scores by document id; a missing query is an error. RBP takes
  raw grades and can exceed 1; bpref is NaN if no document is judged nonrelevant.
- **ndeval** (TREC Web track): ERR-IA@1 and alpha-DCG@1 are not divided by their best value.
- **Many tools** divide AP@k by min(R, k): `AP(norm='min')@k`; or by the relevant found:
  `AP(norm='found')@k`.
- **Texts** on E and F disagree on what a b above 1 favours: by the formula, recall.
"""


if __name__ == "__main__":
    PAGE.write_text(markdown(), encoding="utf-8", newline="\n")
