"""The notation: `nDCG(dcg='exp-log2')@10`, `AP(rel=2)@100`; and trec_eval's names as aliases.

After ir_measures (MacAvaney, Macdonald and Ounis, ECIR 2022). A `Measure` has one canonical
string: aliases resolved, parameters sorted by name, defaults left out. Equal measures are equal
strings, and the string is the key in the store.
"""

from __future__ import annotations

import ast
import difflib
import re
from dataclasses import dataclass, replace

from evalstore.errors import MeasureError
from evalstore.measures.registry import Cutoff, Descriptor, Parameter, TrecName, Value, registry

LONGEST = 200
NOTATION = re.compile(r"\s*([A-Za-z0-9_-]+)\s*(\(.*\))?\s*(?:@\s*([^@()\s]+))?\s*", re.DOTALL)


@dataclass(frozen=True)
class Measure:
    """A measure with its parameters; `str()` is canonical.

    Attributes:
        name: of the descriptor.
        parameters: (name, value) pairs that differ from the defaults, sorted by name.
        cutoff: the rank (int) or recall level (float) after the @, or None.
    """

    name: str
    parameters: tuple[tuple[str, Value], ...] = ()
    cutoff: int | float | None = None

    @property
    def descriptor(self) -> Descriptor:
        """What the registry says of it."""
        return registry()[self.name]

    @property
    def arguments(self) -> dict[str, Value]:
        """All parameters by name, with the defaults."""
        given = dict(self.parameters)
        known = self.descriptor.parameters
        return {p.name: v for p in known if (v := given.get(p.name, p.default)) is not None}

    def at_level(self, level: float) -> Measure:
        """The measure with its relevance level set where it has one and none was given."""
        level_names = [p.name for p in self.descriptor.parameters if p.is_level]
        if not level_names or level_names[0] in dict(self.parameters) or level == 1:
            return self
        return replace(
            self, parameters=tuple(sorted([*self.parameters, (level_names[0], _plain(level))]))
        )

    def __str__(self) -> str:
        inside = ",".join(f"{name}={_shown(value)}" for name, value in self.parameters)
        return (
            self.name
            + (f"({inside})" if inside else "")
            + ("" if self.cutoff is None else f"@{self.cutoff}")
        )


def parse(text: str) -> Measure:
    """The measure that a text names, in either notation.

    Raises:
        MeasureError: what was not understood, and the nearest known name.
    """
    named = parse_all(text)
    if len(named) != 1:
        raise MeasureError(f"{text} names {len(named)} measures where one is wanted")
    return named[0][1]


def parse_all(text: str) -> list[tuple[str, Measure]]:
    """The measures a text names with the name each is shown by.

    A name that stands for several (`P.5,10`, `iprec_at_recall`, `official`) gives them under
    their single names; any other gives one, under the text itself.
    """
    if len(text) > LONGEST:
        raise MeasureError(f"a measure's name of {len(text)} characters: {text[:40]!r}...")
    asked = text.strip()
    if asked in SETS:
        return [pair for name in SETS[asked] for pair in parse_all(name)]
    trec = _trec(asked)
    if trec is not None:
        return [(asked, m) for _, m in trec] if len(trec) == 1 else trec
    return [(asked, _notation(asked))]


# --- the notation ------------------------------------------------------------------------------


def _notation(text: str) -> Measure:
    match = NOTATION.fullmatch(text)
    if match is None:
        raise MeasureError(f"can't read {text!r} as a measure: write it like nDCG@10 or P(rel=2)@5")
    name, inside, after = match.groups()
    descriptor = registry().get(name)
    if descriptor is None:
        raise MeasureError(f"no measure is called {name!r}{_nearest(name)}")
    given = _arguments(text, descriptor, inside)
    return Measure(name, given, _cutoff(text, descriptor.cutoff, after))


def _nearest(name: str) -> str:
    trec = [t.name for d in registry().values() for t in d.trec]
    names = {n.lower(): n for n in [*trec, *SETS, *registry()]}
    close = difflib.get_close_matches(name.lower(), names, n=1, cutoff=0.5)
    if close:
        return f"; did you mean {names[close[0]]}?"
    return "; `evalstore measures` lists them"


def _arguments(
    text: str, descriptor: Descriptor, inside: str | None
) -> tuple[tuple[str, Value], ...]:
    given: dict[str, Value] = {}
    for name, written in _keywords(text, inside):
        parameter = descriptor.parameter(name)
        if parameter is None:
            known = ", ".join(p.name for p in descriptor.parameters) or "none"
            raise MeasureError(
                f"{text}: {descriptor.name} has no parameter {name!r}; it has: {known}"
            )
        if name in given:
            raise MeasureError(f"{text}: {name} is given twice")
        given[name] = _value(text, parameter, written)
    for parameter in descriptor.parameters:
        if parameter.default is None and parameter.name not in given and parameter.name != "gains":
            raise MeasureError(f"{text}: {parameter.name}= is missing: {parameter.doc}")
    changed = {n: v for n, v in given.items() if v != _default(descriptor, n)}
    return tuple(sorted(changed.items()))


def _default(descriptor: Descriptor, name: str) -> Value | None:
    parameter = descriptor.parameter(name)
    return None if parameter is None else parameter.default


def _keywords(text: str, inside: str | None) -> list[tuple[str, object]]:
    """The name=value pairs between the parentheses, read by Python's own parser."""
    if not inside or not inside[1:-1].strip():
        return []
    try:
        call = ast.parse(f"f{inside}", mode="eval").body
        if not isinstance(call, ast.Call) or call.args:
            raise MeasureError(f"{text}: write parameters as name=value, like P(rel=2)@5")
        return [(word.arg or "**", ast.literal_eval(word.value)) for word in call.keywords]
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        raise MeasureError(
            f"{text}: can't read the parameters {inside}: write them like (rel=2,dcg='exp-log2')"
        ) from None


def _value(text: str, parameter: Parameter, written: object) -> Value:
    """The value of a parameter, of its type and within its bounds."""
    where = f"{text}: {parameter.name}={written!r}"
    if parameter.name == "gains":
        return _gains(where, written)
    if isinstance(parameter.default, str):
        if not isinstance(written, str) or (
            parameter.choices and written not in parameter.choices
        ):
            raise MeasureError(f"{where}: must be one of {', '.join(map(repr, parameter.choices))}")
        return written
    if isinstance(parameter.default, bool):
        if not isinstance(written, bool):
            raise MeasureError(f"{where}: must be True or False")
        return written
    if isinstance(written, bool) or not isinstance(written, int | float) or written != written:
        raise MeasureError(f"{where}: must be a number")
    if not (parameter.least <= written <= parameter.most) or written <= parameter.above:
        raise MeasureError(f"{where}: must be {_range(parameter)}")
    return _plain(written)


def _range(parameter: Parameter) -> str:
    said = []
    if parameter.above > -float("inf"):
        said.append(f"more than {parameter.above:g}")
    if parameter.least > -float("inf"):
        said.append(f"at least {parameter.least:g}")
    if parameter.most < float("inf"):
        said.append(f"at most {parameter.most:g}")
    return " and ".join(said)


def _gains(where: str, written: object) -> tuple[tuple[float, float], ...]:
    def number(x: object) -> bool:
        return isinstance(x, int | float) and not isinstance(x, bool) and abs(x) < float("inf")

    if not isinstance(written, dict) or not all(number(x) for kv in written.items() for x in kv):
        raise MeasureError(f"{where}: must map grades to gains, like gains={{1:0.5,2:0.9}}")
    if any(gain < 0 for gain in written.values()):
        raise MeasureError(f"{where}: a gain can't be negative")
    return tuple(sorted((_plain(grade), _plain(gain)) for grade, gain in written.items()))


def _plain(number: int | float) -> int | float:
    """An int where the number is whole, so that 2 and 2.0 are written alike."""
    return int(number) if number == int(number) else number


def _shown(value: Value) -> str:
    if isinstance(value, tuple):
        return "{" + ",".join(f"{grade}:{gain}" for grade, gain in value) + "}"
    return repr(value)


def _cutoff(text: str, rule: Cutoff | None, after: str | None) -> int | float | None:
    if rule is None or (after is None and not rule.required):
        if after is not None:
            raise MeasureError(f"{text}: takes no cutoff")
        return None
    if after is None:
        raise MeasureError(f"{text}: the @ is missing: {rule.doc}")
    if rule.kind == "rank":
        if not re.fullmatch(r"[0-9]{1,9}", after) or int(after) == 0:
            raise MeasureError(f"{text}: a cutoff is a whole number from 1, not {after!r}")
        return int(after)
    if not re.fullmatch(r"[0-9]{0,3}\.?[0-9]{1,9}", after) or float(after) > 1:
        raise MeasureError(f"{text}: a recall level is a number from 0.0 to 1.0, not {after!r}")
    return float(after)


# --- trec_eval's names ---------------------------------------------------------------------------


def _trec(text: str) -> list[tuple[str, Measure]] | None:
    """What one of trec_eval's names stands for, or None where it is none of them."""
    for descriptor in registry().values():
        for trec in descriptor.trec:
            if text == trec.name or text.startswith((trec.name + "_", trec.name + ".")):
                numbers = _numbers(text, trec)
                if numbers is not None:
                    return [
                        (_trec_name(trec, n), _notation(trec.notation.format(n))) for n in numbers
                    ]
    return None


def _numbers(text: str, trec: TrecName) -> tuple[str, ...] | None:
    """The numbers a trec_eval name carries: ('',) for none where none is wanted."""
    rest = text[len(trec.name) :]
    if "{}" not in trec.notation:
        return None if rest else ("",)
    if not rest:
        return trec.defaults
    listed = rest[1:].split(",") if rest[0] == "." else [rest[1:]]
    return tuple(listed) if all(re.fullmatch(r"[0-9]*\.?[0-9]+", n) for n in listed) else None


def _trec_name(trec: TrecName, number: str) -> str:
    if not number:
        return trec.name
    return f"{trec.name}_{float(number):.2f}" if "." in number else f"{trec.name}_{number}"


RECALL_LEVELS = tuple(f"IPrec@{i / 10}" for i in range(11))

SETS: dict[str, tuple[str, ...]] = {
    "official": (
        *("num_ret", "num_rel", "num_rel_ret", "map", "Rprec", "recip_rank"),
        *("iprec_at_recall", "P"),
    ),
    "all_trec": (
        *("num_ret", "num_rel", "num_rel_ret", "map", "Rprec", "recip_rank"),
        *("iprec_at_recall", "P", "recall", "ndcg", "ndcg_cut", "map_cut", "success"),
        *("set_P", "set_recall", "set_F"),
    ),
    "standard": (
        *("AP", "AP@100", "Rprec", "RR", "RR@10"),
        *("nDCG", "nDCG@5", "nDCG@10", "nDCG@20", "nDCG@100"),
        *("P@1", "P@5", "P@10", "P@20", "P@30", "P@100"),
        *("R@10", "R@20", "R@50", "R@100", "R@1000"),
        *("Success@1", "Success@5", "Success@10"),
        *RECALL_LEVELS,
        *("SetP", "SetR", "SetF", "NumRet", "NumRel", "NumRelRet"),
    ),
    "summary": (
        *("NumRet", "NumRel", "NumRelRet", "AP", "Rprec", "RR", "nDCG", "nDCG@10"),
        *("P@5", "P@10", "P@20", "R@100", "R@1000"),
    ),
}
"""Names that stand for several measures: trec_eval's two, and ours."""
