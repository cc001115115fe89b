"""Measures as objects and in notation: `nDCG(dcg='exp-log2')@10`; trec_eval's names as aliases.

After ir_measures (MacAvaney, Macdonald and Ounis, ECIR 2022). A `Measure` has one canonical
string: aliases resolved, parameters sorted by name, defaults left out. Equal measures are equal
strings, and the string is the key in the store.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType

from evalstore.errors import MeasureError, did_you_mean
from evalstore.measures.registry import (
    Cutoff,
    Descriptor,
    Parameter,
    TrecName,
    Value,
    names,
    own_measures,
    registry,
)

ParameterValue = (
    int | float | str | bool | Mapping[int, float] | Mapping[float, float] | Sequence[float]
)
"""The value of a parameter: a number, a text, a flag, gains by grade, or levels."""

LONGEST = 200
DEEPEST = 1_000_000
BOARD_MEASURES = ("AP", "nDCG@10", "P@10", "Rprec")
"""The usual measures of a leaderboard, which `evalstore.cli.options` repeats."""
NOTATION = re.compile(r"\s*([^\W_][\w-]*)\s*(\(.*\))?\s*(?:@\s*([^@()\s]+))?\s*", re.DOTALL)


@dataclass(frozen=True, repr=False)
class Measure:
    """A measure with its parameters: `nDCG@10`, `P(rel=2)@5`; `str()` is canonical.

    `measure(name=value)` sets parameters, `measure @ cutoff` what follows the @; both give a new
    measure and refuse what the notation refuses. Equal measures are equal strings.

    Attributes:
        name: of the descriptor.
        parameters: (name, value) pairs that differ from the defaults, sorted by name.
        cutoff: the rank (int) or recall level (float) after the @, or None.

    >>> from evalstore.measures import P, RBP, nDCG, parse
    >>> nDCG @ 10 == parse("ndcg_cut_10")
    True
    >>> P(rel=2) @ 5
    P(rel=2)@5
    >>> RBP(p=0.8)
    RBP
    """

    name: str
    parameters: tuple[tuple[str, Value], ...] = ()
    cutoff: int | float | None = None

    def __call__(self, **parameters: ParameterValue) -> Measure:
        """The measure with some parameters set; others stay as they are.

        Raises:
            MeasureError: it has no such parameter, or the value can't be.
        """
        written = ",".join(f"{name}={value!r}" for name, value in parameters.items())
        text = f"{self.name}({written})"
        parameter_values = dict(self.parameters)
        for name, value in parameters.items():
            parameter = _parameter(text, self.descriptor, name)
            parameter_values[parameter.name] = _value(text, parameter, _plain(value))
        return _made(self.descriptor, parameter_values, self.cutoff)

    def __matmul__(self, cutoff: int | float) -> Measure:
        """The measure at a rank, or for IPrec at a recall level.

        Raises:
            MeasureError: it takes no @, or not this one.
        """
        text = f"{self}@{cutoff!r}" if self.cutoff is None else f"{self.name}@{cutoff!r}"
        return replace(self, cutoff=_cutoff(text, self.descriptor, _cutoff_text(cutoff)))

    def complete(self) -> Measure:
        """The measure itself, if it can be computed.

        Raises:
            MeasureError: a parameter or the @ is missing that it can't go without.
        """
        _check_required(str(self), self.descriptor, dict(self.parameters))
        if self.cutoff is None:
            _cutoff(str(self), self.descriptor, None)
        return self

    @property
    def descriptor(self) -> Descriptor:
        """The descriptor of the measure."""
        return registry()[self.name]

    @property
    def arguments(self) -> dict[str, Value | None]:
        """All parameters by name, with the defaults."""
        values = dict(self.parameters)
        return {p.name: values.get(p.name, p.default) for p in self.descriptor.accepted}

    def at_level(self, level: float) -> Measure:
        """The measure with its relevance level set if it has one and none was given."""
        level_names = [p.name for p in self.descriptor.parameters if p.is_level]
        if not level_names or level_names[0] in dict(self.parameters) or level == 1:
            return self
        added = (level_names[0], plain(level))
        return replace(self, parameters=tuple(sorted([*self.parameters, added])))

    def __str__(self) -> str:
        inside = ",".join(f"{name}={as_written(value)}" for name, value in self.parameters)
        return (
            self.name
            + (f"({inside})" if inside else "")
            + ("" if self.cutoff is None else f"@{self.cutoff}")
        )

    def __repr__(self) -> str:
        return str(self)


def parse(measure: str | Measure) -> Measure:
    """The measure that a text names, in either notation; a `Measure` is itself.

    Raises:
        MeasureError: what was not understood, and the nearest known name.
    """
    named = parse_all(measure)
    if len(named) != 1:
        raise MeasureError(f"{measure} names {len(named)} measures where one is wanted")
    return named[0][1]


def parse_all(measure: str | Measure) -> list[tuple[str, Measure]]:
    """The measures a text names with the name each is shown by.

    A name that stands for several (`P.5,10`, `iprec_at_recall`, `official`) gives them under
    their single names; any other gives one, under the text itself. A `Measure` is shown by its
    canonical name.

    Raises:
        MeasureError: what was not understood, and the nearest known name.
    """
    if isinstance(measure, Measure):
        return [(str(measure), measure.complete())]
    if not isinstance(measure, str):
        raise MeasureError(f"a measure or its name is expected, not {type(measure).__name__}")
    if len(measure) > LONGEST:
        raise MeasureError(f"a measure's name of {len(measure)} characters: {measure[:40]!r}...")
    return list(_named(measure.strip()))


# Names of other libraries (ranx, MTEB, BEIR, RAGAS, pytrec_eval, sentence-transformers), in any
# case, where the definition is that of a measure here

OTHERS = {
    "hit_rate": ("Success", None),
    "hit": ("Success", None),
    "r_precision": ("Rprec", None),
    "mean_average_precision": ("AP", None),
    "average_precision": ("AP", None),
    "mean_reciprocal_rank": ("RR", None),
    "reciprocal_rank": ("RR", None),
    "f1": ("F", None),
    "dcg_burges": ("DCG", "(dcg='exp-log2')"),
    "ndcg_burges": ("nDCG", "(dcg='exp-log2')"),
    "id_based_context_precision": ("SetP", None),
    "id_based_context_recall": ("SetR", None),
}
"""The measure and its parameters by a name of another library, folded."""

NOT_HERE = {
    "context_precision": "RAGAS lets a model judge each context, or compares texts; on judgments "
    "of documents take id_based_context_precision, which is SetP, or AP",
    "context_recall": "RAGAS compares an answer's sentences with the contexts; on judgments of "
    "documents take id_based_context_recall, which is SetR, or R@10",
    "r_cap": "BEIR's capped recall divides by min(k, number of relevant); R@10 divides by all",
    "recall_cap": "BEIR's capped recall divides by min(k, number of relevant); R@10 divides by all",
    "hits": "ranx counts the relevant documents at the top; P@10 is that number divided by 10",
    "hole": "BEIR's hole@k is the share of unjudged documents: Judged@10 is 1 less it",
}
"""The reason why a name of another library is no measure here, and the nearest measure."""

AT = re.compile(r"(\w+?)_at_([0-9]+)")
"""`ndcg_at_10`, as MTEB writes it."""
RANX_RBP = re.compile(r"rbp\.([0-9]+)", re.IGNORECASE)
"""`rbp.95`, as ranx writes a persistence of 0.95."""


def _folded(name: str) -> str:
    return name.lower().replace("-", "_")


@lru_cache(maxsize=1)
def _folded_names() -> dict[str, str]:
    """The measures by their names and aliases in lower case."""
    return {_folded(written): name for written, name in names().items()}


def _as_here(text: str) -> str:
    """A text in the notation of another library as one in this notation."""
    at, rbp = AT.fullmatch(text), RANX_RBP.fullmatch(text)
    if rbp is not None:
        raise MeasureError(
            f"{text}: ranx multiplies by the grade itself, RBP by 1 for a relevant document: "
            f"RBP(p=0.{rbp[1]},rel=1)",
            problem="unknown measure",
        )
    return text if at is None else f"{at[1]}@{at[2]}"


@lru_cache(maxsize=1024)
def _named(text: str) -> tuple[tuple[str, Measure], ...]:
    """`parse_all` of a text; cached, since pages of the dashboard read the same ones."""
    if text in SETS:
        return tuple(pair for name in SETS[text] for pair in parse_all(name))
    trec = resolve(text)
    if trec is None:
        return ((text, _notation(_as_here(text))),)
    if len(trec) == 1:
        return ((text, _notation(trec[0][1])),)
    return tuple((name, _notation(notation)) for name, notation in trec)


def named_measures(measures: str | Measure | Iterable[str | Measure]) -> dict[str, Measure]:
    """Some measures by the name each is shown by, in the order asked.

    Raises:
        MeasureError: a text that names no measure, or no measure at all.
    """
    each = [measures] if isinstance(measures, str | Measure) else measures
    named = dict(pair for one in each for pair in parse_all(one))
    if not named:
        raise MeasureError("no measure is asked for")
    return named


def parse_list(text: str) -> dict[str, Measure]:
    """Some measures by the name each is shown by: a set, or names with commas between them.

    Commas within parentheses belong to a name, and so do those of trec_eval's `P.5,10`: a piece
    that is only a number goes with the name before it.

    Raises:
        MeasureError: a text that names no measure, or no measure at all.
    """
    names: list[str] = []
    for piece in map(str.strip, outside_parentheses(text)):
        if names and re.fullmatch(NUMBER, piece):
            names[-1] += f",{piece}"
        elif piece:
            names.append(piece)
    return named_measures(names)


def _notation(text: str) -> Measure:
    match = NOTATION.fullmatch(text)
    if match is None:
        several = "; name several one by one" if "," in text else ""
        raise MeasureError(
            f"can't read {text!r} as a measure: write it like nDCG@10 or P(rel=2)@5{several}"
        )
    written, inside, after = match.groups()
    name = names().get(written) or _folded_names().get(_folded(written))
    if name is None and _folded(written) in OTHERS:
        name, inside = OTHERS[_folded(written)][0], inside or OTHERS[_folded(written)][1]
    if name is None:
        if _folded(written) in NOT_HERE:
            raise MeasureError(f"{text}: {NOT_HERE[_folded(written)]}", problem="unknown measure")
        hint = _nearest(text, written)
        raise MeasureError(f"no measure is called {written!r}{hint}", problem="unknown measure")
    values = _arguments(text, registry()[name], inside)
    _check_required(text, registry()[name], values)
    measure = _made(registry()[name], values, None)
    measure = replace(measure, cutoff=_cutoff(text, measure.descriptor, after))
    if len(str(measure)) > LONGEST:
        raise MeasureError(f"{text[:40]!r}...: written out it is longer than {LONGEST} characters")
    return measure


def _made(
    descriptor: Descriptor, values: Mapping[str, Value], cutoff: int | float | None
) -> Measure:
    """The measure of some parameters, its defaults left out: NumRet(rel=2) is NumRelRet(rel=2)."""
    kept = dict(values)
    for name in values:
        parameter = descriptor.parameter(name)
        if parameter is not None and parameter.becomes and values[name] is not False:
            descriptor = registry()[parameter.becomes]
            if descriptor.parameter(name) is None:
                del kept[name]
    changed = {n: v for n, v in kept.items() if v != _default(descriptor, n)}
    return Measure(descriptor.name, tuple(sorted(changed.items())), cutoff)


def _nearest(text: str, written: str) -> str:
    """A suggestion: nDCG10 is nDCG@10, else the name that is most like it."""
    cut = re.fullmatch(r"([A-Za-z_]+?)_?([0-9]+)", text)
    if cut is not None and cut[1] in names():
        descriptor = registry()[names()[cut[1]]]
        if descriptor.cutoff is not None and descriptor.cutoff.kind == "rank":
            return f"; did you mean {cut[1] + '@' + cut[2]!r}?"
    trec = [trec.name for descriptor in own_measures().values() for trec in descriptor.trec]
    return did_you_mean(written, [*registry(), *SETS, *trec, *names()])


def _arguments(text: str, descriptor: Descriptor, inside: str | None) -> dict[str, Value]:
    values: dict[str, Value] = {}
    try:
        written = list(keywords(inside[1:-1] if inside else ""))
    except ValueError as rest:
        raise MeasureError(
            f"{text}: can't read the parameters from {str(rest)!r} on: write them like "
            "(rel=2,dcg='exp-log2')"
        ) from None
    for name, value in written:
        parameter = _parameter(text, descriptor, name)
        if parameter.name in values:
            raise MeasureError(f"{text}: {name} is given twice")
        values[parameter.name] = _value(text, parameter, value)
    return values


def _parameter(text: str, descriptor: Descriptor, name: str) -> Parameter:
    parameter = descriptor.parameter(name)
    if parameter is None:
        names_accepted = ", ".join(p.name for p in descriptor.accepted) or "none"
        raise MeasureError(
            f"{text}: {descriptor.name} has no parameter {name!r}; it has: {names_accepted}"
        )
    return parameter


def _check_required(text: str, descriptor: Descriptor, values: Mapping[str, Value]) -> None:
    for parameter in descriptor.parameters:
        if parameter.required and parameter.name not in values:
            raise MeasureError(f"{text}: {parameter.name}= is missing: {parameter.doc}")


def _plain(value: object) -> Written:
    """A value as the notation would have read it: numbers of NumPy as Python's, 2.0 as 2."""
    if isinstance(value, Mapping):
        return {_number(grade): _number(gain) for grade, gain in value.items()}
    if isinstance(value, list | tuple):
        return tuple(_number(level) for level in value)
    if isinstance(value, str | bool):
        return value
    return _number(value)


def _number(value: object) -> Number:
    """A number as Python's own; nan, which is out of all bounds, for anything else."""
    try:
        number = float(value)  # type: ignore[arg-type]  # whatever it is
    except (TypeError, ValueError, OverflowError):
        return math.nan
    return plain(number) if math.isfinite(number) else number


def _cutoff_text(cutoff: object) -> str:
    if isinstance(cutoff, bool):
        return repr(cutoff)
    try:
        return str(operator.index(cutoff))  # type: ignore[arg-type]  # whatever it is
    except TypeError:
        return str(cutoff)


def _default(descriptor: Descriptor, name: str) -> Value | None:
    parameter = descriptor.parameter(name)
    return None if parameter is None else parameter.default


def _value(text: str, parameter: Parameter, written: Written) -> Value:
    where = f"{text}: {parameter.name}={written!r}"
    if parameter.kind == "gains":
        return _gains(where, written)
    if parameter.kind == "levels":
        if not isinstance(written, tuple) or not all(0 <= level <= 1 for level in written):
            raise MeasureError(f"{where}: must be recall levels from 0 to 1, like (0.25,0.5,0.75)")
        return written
    if parameter.kind == "text":
        if parameter.pattern:
            if not isinstance(written, str) or not re.fullmatch(parameter.pattern, written):
                raise MeasureError(f"{where}: must be {parameter.doc}")
        elif not isinstance(written, str) or written not in parameter.choices:
            raise MeasureError(f"{where}: must be one of {', '.join(map(repr, parameter.choices))}")
        return written
    if parameter.kind == "flag":
        if not isinstance(written, bool):
            raise MeasureError(f"{where}: must be True or False")
        return written
    if isinstance(written, bool) or not isinstance(written, int | float):
        raise MeasureError(f"{where}: must be a number")
    if parameter.kind == "whole" and not isinstance(written, int):
        raise MeasureError(f"{where}: must be a whole number")
    inside = parameter.least <= written <= parameter.most
    if not inside or written <= parameter.above or written >= parameter.below:
        raise MeasureError(f"{where}: must be {range_of(parameter)}")
    return written


def range_of(parameter: Parameter, *, usual_too: bool = True) -> str:
    """The numbers a parameter takes, in words; without `usual_too` less the limits of all."""
    bounds = []
    if parameter.above > -float("inf"):
        bounds.append(f"more than {parameter.above:g}")
    elif parameter.least > -1e9:
        bounds.append(f"at least {parameter.least:g}")
    if parameter.below < float("inf"):
        bounds.append(f"less than {parameter.below:g}")
    elif parameter.most < 1e9 or usual_too:
        bounds.append(f"at most {parameter.most:g}")
    return " and ".join(bounds)


def _gains(where: str, written: Written) -> tuple[tuple[float, float], ...]:
    if not isinstance(written, dict):
        raise MeasureError(f"{where}: must map grades to gains, like gains={{1:0.5,2:0.9}}")
    if not all(abs(grade) <= 1e9 and 0 <= gain <= 1e9 for grade, gain in written.items()):
        raise MeasureError(f"{where}: a gain is a number from 0 to 1e9")
    return tuple(sorted(written.items()))


def _cutoff(text: str, descriptor: Descriptor, after: str | None) -> int | float | None:
    rule: Cutoff | None = descriptor.cutoff
    if after is None:
        if rule is not None and rule.required:
            raise MeasureError(f"{text}: the @ is missing: {rule.doc}")
        return None
    if rule is None:
        raise MeasureError(f"{text}: {descriptor.name} takes no @")
    if rule.kind == "rank":
        if not re.fullmatch(r"[0-9]{1,9}", after) or not 1 <= int(after) <= DEEPEST:
            raise MeasureError(
                f"{text}: what follows the @ is a whole number from 1 to {DEEPEST:,}, not {after!r}"
            )
        return int(after)
    if not re.fullmatch(r"[01]?(\.[0-9]{1,4})?", after) or float(after) > 1:
        raise MeasureError(f"{text}: a recall level is a number from 0.0 to 1.0, not {after!r}")
    return float(after)


# The words between the parentheses, and numbers. A small reader of its own: Python's would take far
# more (and warn, nest and recurse about it).

Number = int | float
Written = Number | str | bool | dict[Number, Number] | tuple[Number, ...]

NUMBER = r"[+-]?(?:[0-9]{1,18}(?:\.[0-9]{0,18})?|\.[0-9]{1,18})(?:[eE][+-]?[0-9]{1,2})?"
PAIR = rf"\s*{NUMBER}\s*:\s*{NUMBER}\s*"
VALUE = (
    rf"(?P<number>{NUMBER})"
    r"|(?P<flag>True|False)"
    r"|'(?P<single>[^'\\]*)'"
    r'|"(?P<double>[^"\\]*)"'
    rf"|\{{(?P<pairs>{PAIR}(?:,{PAIR})*,?\s*)\}}"
    rf"|\((?P<list>\s*{NUMBER}\s*(?:,\s*{NUMBER}\s*)*,?\s*)\)"
)
ITEM = re.compile(rf"\s*(?P<name>[A-Za-z_][A-Za-z0-9_]*)\s*=\s*(?:{VALUE})\s*(?P<end>,|\Z)")


def outside_parentheses(text: str) -> list[str]:
    """The pieces of a text between its commas; a comma within parentheses is part of a piece."""
    pieces, depth = [""], 0
    for character in text:
        depth = max(0, depth + (character == "(") - (character == ")"))
        if character == "," and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += character
    return pieces


def keywords(inside: str) -> Iterator[tuple[str, Written]]:
    """The name=value pairs of the text between the parentheses, else a ValueError."""
    at = 0
    while inside[at:].strip():
        item = ITEM.match(inside, at)
        if item is None:
            raise ValueError(inside[at:])
        yield item["name"], grammar_value(item)
        at = item.end()


def grammar_value(item: re.Match[str]) -> Written:
    """The number, list or word of an argument."""
    if item["number"] is not None:
        return plain(float(item["number"]))
    if item["flag"] is not None:
        return item["flag"] == "True"
    if item["pairs"] is not None:
        pairs = [pair.split(":") for pair in item["pairs"].split(",") if pair.strip()]
        gains = {plain(float(left)): plain(float(right)) for left, right in pairs}
        if len(gains) < len(pairs):
            raise ValueError(item[0])
        return gains
    if item["list"] is not None:
        return tuple(plain(float(word)) for word in item["list"].split(",") if word.strip())
    return item["single"] if item["single"] is not None else item["double"]


def plain(number: Number) -> Number:
    """An int if the number is whole, so that 2 and 2.0 are written alike."""
    return int(number) if number == int(number) else number


def as_written(value: object) -> str:
    """A value as the notation writes it."""
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return "{" + ",".join(f"{grade}:{gain}" for grade, gain in value) + "}"
    if isinstance(value, tuple):
        return "(" + "".join(f"{level}," for level in value).removesuffix(",") + ")"
    return repr(value)


# trec_eval's own names: `map`, `P.5,10`, `iprec_at_recall_0.20`, `ndcg.1=3,2=9`. A name alone
# stands for its usual numbers; after a dot or an underscore come others.

TREC_NUMBER = r"[+-]?(?:[0-9]{1,9}\.?[0-9]{0,9}|\.[0-9]{1,9})"
PAIRS = re.compile(rf"[A-Za-z0-9]+={TREC_NUMBER}(?:,[A-Za-z0-9]+={TREC_NUMBER})*")
LIST = re.compile(rf"{TREC_NUMBER}(?:,{TREC_NUMBER})*")


def resolve(text: str) -> list[tuple[str, str]] | None:
    """The measures of a trec_eval name as (its own single name, our notation); None for others."""
    for descriptor in own_measures().values():
        for trec in descriptor.trec:
            if text == trec.name and "{}" in trec.notation:
                return [_with_number(trec, number) for number in trec.defaults]
            if text == trec.name:
                return [(trec.name, trec.notation)]
            if text.startswith((f"{trec.name}_", f"{trec.name}.")):
                names_there = _numbered(trec, text[len(trec.name) :])
                if names_there is not None:
                    return names_there
    return None


def _numbered(trec: TrecName, rest: str) -> list[tuple[str, str]] | None:
    """`rest` is the text after the name, with its dot or underscore."""
    numbers_text = rest[1:]
    if trec.arguments is not None:
        arguments = trec.arguments(numbers_text)
        bare = trec.notation.partition("(")[0]
        return None if arguments is None else [(f"{trec.name}_{numbers_text}", bare + arguments)]
    if "{}" not in trec.notation:
        return None
    numbers = numbers_text.split(",") if rest[0] == "." else [numbers_text]
    if not all(re.fullmatch(r"[0-9]*\.?[0-9]+", number) for number in numbers):
        return None
    return [_with_number(trec, number) for number in numbers]


def _with_number(trec: TrecName, number: str) -> tuple[str, str]:
    whole = "." not in trec.defaults[0]
    written = number if whole else f"{float(number):.2f}"
    return f"{trec.name}_{written}", trec.notation.format(number)


# Numbers in names of trec_eval as parameters


def in_order(*names: str) -> Callable[[str], str | None]:
    """Numbers for parameters of these names, in their order: `2,-1,0,0`."""

    def arguments(numbers_text: str) -> str | None:
        numbers = numbers_text.split(",")
        if LIST.fullmatch(numbers_text) is None or len(numbers) != len(names):
            return None
        return "(" + ",".join(f"{n}={v}" for n, v in zip(names, numbers, strict=True)) + ")"

    return arguments


def named(numbers_text: str) -> str | None:
    """Pairs that name a parameter: `p=0.5`."""
    return f"({numbers_text})" if PAIRS.fullmatch(numbers_text) else None


def gains(numbers_text: str) -> str | None:
    """Pairs of a grade and its gain: `1=3,2=9,4=4.5`."""
    if PAIRS.fullmatch(numbers_text) is None or not all(
        p[0].isdigit() for p in numbers_text.split(",")
    ):
        return None
    return "(gains={" + numbers_text.replace("=", ":") + "})"


def levels(numbers_text: str) -> str | None:
    """Recall levels: `.25,.5,.75`."""
    return f"(levels=({numbers_text}))" if LIST.fullmatch(numbers_text) else None


def square(numbers_text: str) -> str | None:
    """A beta squared: `0.5`."""
    if re.fullmatch(TREC_NUMBER, numbers_text) is None or float(numbers_text) <= 0:
        return None
    return f"(beta={float(numbers_text) ** 0.5!r})"


# Names that stand for several measures: trec_eval's sets, and ours

RECALL_LEVELS = tuple(f"IPrec@{i / 10}" for i in range(11))

SETS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        # The measures that trec_eval 10 prints, without the run's name; 9 lacks the last three.
        "official": (
            *("num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref"),
            *("recip_rank", "iprec_at_recall", "P"),
        ),
        "set": (
            *("num_q", "num_ret", "num_rel", "num_rel_ret", "utility"),
            *("set_P", "set_relative_P", "set_recall", "set_map", "set_F"),
        ),
        "all_trec": (
            *("num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref"),
            *("recip_rank", "iprec_at_recall", "P", "recall", "infAP", "gm_bpref", "Rprec_mult"),
            *("utility", "11pt_avg", "binG", "G", "ndcg", "ndcg_rel", "Rndcg", "ndcg_cut"),
            *("map_cut", "relative_P", "success", "set_P", "set_relative_P", "set_recall"),
            *("set_map", "set_F", "num_nonrel_judged_ret", "rbp", "rbp_resid", "unj"),
        ),
        "all_prefs": (
            *("prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret"),
            *("prefs_simp", "prefs_pair", "prefs_avgjg", "prefs_avgjg_Rnonrel"),
            *("prefs_simp_ret", "prefs_pair_ret", "prefs_avgjg_ret", "prefs_avgjg_Rnonrel_ret"),
            *("prefs_simp_imp", "prefs_pair_imp", "prefs_avgjg_imp"),
        ),
        "qrels_jg": ("map_avgjg", "P_avgjg", "Rprec_mult_avgjg"),
        # Those that ingest stores: at most 45.
        "standard": (
            *("AP", "AP@100", "Rprec", "Bpref", "RR", "RR@10"),
            *("nDCG", "nDCG@5", "nDCG@10", "nDCG@20", "nDCG@100", "ERR@20", "RBP"),
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
)
