"""Generates docs/measures.md from the descriptors of the measures; `make docs` runs it."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from evalstore.evaluation.measure_help import facts
from evalstore.measures import registry
from evalstore.measures.notation import SETS
from evalstore.measures.registry import JUDGED_ONLY, Descriptor, Parameter

PAGE = Path(__file__).parents[1] / "measures.md"
LONGEST = 40
"""Words of a formula; longer ones are left to the command line."""

_FACTS = ("Range", "Over queries", "Needs", "Uses")
_LEFT_OUT = {"0 to 1; higher is better", "as the formula says", "their geometric mean"}


def markdown() -> str:
    """Return the whole page."""
    parameters = [f"- `{name}`: {_escaped(text)}" for name, text in sorted(_common().items())]
    parts = [_INTRODUCTION.replace("PARAMETERS", "\n".join(parameters)), _sets()]
    for family, members in groupby(registry().values(), key=lambda each: each.family):
        measures = list(members)
        shared = _shared(measures)
        parts.append(f"## {family.capitalize()}\n")
        if shared:
            texts = [_sentence(label, text) for label, text in shared.items()]
            parts.append(f"All: {' '.join(texts)}\n")
        parts += [*(_line(each, set(shared)) for each in measures), ""]
    return "\n".join(parts).rstrip() + "\n"


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


def _line(descriptor: Descriptor, shared: set[str]) -> str:
    """Return a measure as a list item: notation, other names, title, formula and the rest."""
    known = dict(facts(descriptor))
    names = [known[label] for label in ("Also", "trec_eval") if label in known]
    other_names = f" ({_escaped('; '.join(names))})" if names else ""
    rest = [
        _sentence(label, known[label])
        for label in _FACTS
        if label in known and label not in shared and known[label] not in _LEFT_OUT
    ]
    own = "; ".join(
        f"{', '.join(f'`{name}`' for name, _ in alike)}: {_escaped(text)}"
        for text, alike in groupby(_own_parameters(descriptor), key=itemgetter(1))
    )
    formula = _escaped(known["Formula"])
    if len(formula.split()) > LONGEST:
        formula = f"see `evalstore measures {descriptor.name}`"
    texts = [f"{formula}.", *([f"{own}."] if own else []), *rest]
    return f"- `{_signature(descriptor)}`{other_names}, *{descriptor.title}*: {' '.join(texts)}"


def _sentence(label: str, text: str) -> str:
    if label in {"Needs", "Uses"}:
        return f"{label} {_escaped(text)}."
    if label == "Range":
        text = text.removesuffix("; higher is better")
        return f"Range {text}." if not text.startswith("0 to 1; ") else f"{text[8:].capitalize()}."
    return "Summed over queries." if text == "their sum" else f"{text.capitalize()}."


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


def _parameters(descriptor: Descriptor) -> list[tuple[str, str]]:
    """Return the parameters and the number after the @ as (name, meaning)."""
    rows = [(each.name, each.doc) for each in descriptor.parameters]
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


def _sets() -> str:
    lines = ["## Sets of measures", ""]
    own = ("standard", "summary")
    others = ", ".join(f"`{name}`" for name in SETS if name not in own)
    lines += ["A set stands for measures, `P@1,5` for P@1 and P@5.", ""]
    lines += [f"- `{name}`: {', '.join(_members(SETS[name]))}" for name in own]
    return "\n".join([*lines, f"- {others}: those of trec_eval", ""])


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

<!-- Generated by `make docs`. -->

`evalstore measures nDCG` prints what a measure is for, its source and a computed example. Rules for
all, and differences to other tools: [values.md](values.md).

## Notation

As in ir_measures, `nDCG(dcg='exp-log2')@10` is a name, parameters, and the number of documents. The
store uses one canonical name: parameters sorted, defaults left out. trec_eval's names work too
(`map`, `ndcg_cut_10`, `P.5,10`, `ndcg.1=3,2=9`, `set_F.0.5`, `utility.2,-1,0,0`), and in any case
those of ranx, MTEB, BEIR and RAGAS with the same definition (`ndcg_at_10`, `hit_rate@5`,
`id_based_context_recall`). A name with another definition is refused with the difference.
Your own measure is a function in [a plugin](example-plugin/evalstore_example.py) of another
package, named by its [entry point](example-plugin/pyproject.toml).

A line has the notation with defaults (what is in square brackets may be left out), other names,
and the formula; R is the number of relevant documents of the query, i a rank. Values are from 0 to
1, higher is better, unless the line says otherwise. Parameters of several measures:

PARAMETERS

Every measure of a ranking also takes `{JUDGED_ONLY.name}=True`: {JUDGED_ONLY.doc}.
"""


if __name__ == "__main__":
    PAGE.write_text(markdown(), encoding="utf-8", newline="\n")
