"""Names and numbers as text for readers.

Names (of engines, runs, queries, collections) are data that may contain anything: markup, control
characters, right-to-left text, a thousand characters. Every name drawn in a figure is cleaned here.
"""

from __future__ import annotations

import html
import math
import re
import textwrap
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import groupby
from types import MappingProxyType

from evalstore import measures
from evalstore.errors import EvalstoreError
from evalstore.tables.table import written_size

# Plotly stores the categories of an axis in a plain JavaScript object, where names such as
# "constructor" and "__proto__" are taken. A (zero-width) isolate before every category avoids them,
# and prevents right-to-left names from reordering the text beside them.
_ISOLATE, _POP = "\u2068", "\u2069"
_BIDI_CONTROLS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def clean(text: str) -> str:
    """Return `text` on one line, without control characters or changes of text direction."""
    if text.isascii():  # most names; this takes a tenth of the time
        if text.isalnum():
            return text
        if text.isprintable():
            return " ".join(text.split())
    line = _BIDI_CONTROLS.sub("", " ".join(text.split()))
    return "".join("\ufffd" if unicodedata.category(c) in {"Cc", "Cs"} else c for c in line)


def lines(text: str) -> str:
    """A text with its line breaks, without control characters or changes of text direction."""
    return "\n".join(clean(line) for line in text.splitlines())


def shorten(text: str, limit: int) -> str:
    """Shorten `text` to at most `limit` characters, with an ellipsis in the middle if needed."""
    if len(text) <= limit:
        return text
    kept = limit - 1
    tail = kept // 2
    return f"{text[: kept - tail].rstrip('…')}…{text[len(text) - tail :].lstrip('…')}"


def name(text: str, limit: int = 40) -> str:
    """Return a name as it is shown on a page."""
    return shorten(clean(text), limit)


def less(baseline: str, role: str = "baseline") -> str:
    """The header of a narrow column of differences to a run: its role if its name is long."""
    return f"− {baseline if len(baseline) <= LONGEST_IN_HEADER else role}"


LONGEST_IN_HEADER = 9


def isolated(text: str) -> str:
    """A sentence in which a name written right to left turns nothing that stands beside it.

    Neighbouring words with letters written right to left are isolated together.
    """
    if text.isascii():
        return text
    parts: list[str] = []
    for is_turned, words in groupby(text.split(" "), _is_right_to_left):
        joined = " ".join(words)
        parts.append(f"{_ISOLATE}{joined}{_POP}" if is_turned else joined)
    return " ".join(parts)


def _is_right_to_left(word: str) -> bool:
    return any(unicodedata.bidirectional(letter) in {"R", "AL"} for letter in word)


SEPARATORS = re.compile(r"([-_/]|(?<!\d)\.|\.(?!\d))")
"""The places where a name is split; a point within a number is none."""


LONGEST_LABEL = 32
"""The characters of a run's name that is shown whole."""


def labels(names: Iterable[str], limit: int = LONGEST_LABEL) -> dict[str, str]:
    """The label of each name: a name longer than `limit` keeps what differs from other long ones.

    Words that all long names have are replaced by an ellipsis, except for the one before a word
    that differs: it tells what that is (`…k1_0.9-b_0.4`). A label that is still too long is
    shortened in the middle, and so is a name without words of its own; labels that two names would
    share are longer than `limit`.
    """
    cleaned = {name: clean(name) for name in names}
    long = {name: SEPARATORS.split(text) for name, text in cleaned.items() if len(text) > limit}
    # A word stands at every other place, and a separator between two.
    common = set.intersection(*(set(parts[::2]) for parts in long.values())) if long else set()
    short = {name: _without(parts, common) for name, parts in long.items()}
    times = Counter(short.values())
    texts = {
        name: label if times[label] == 1 and label != "…" and len(long) > 1 else cleaned[name]
        for name, label in short.items()
    }
    return cleaned | _apart(texts, limit)


def _apart(texts: Mapping[str, str], limit: int) -> dict[str, str]:
    """The texts, shortened to `limit` where they stay different, else to more."""
    cut = {name: shorten(text, limit) for name, text in texts.items()}
    times = Counter(cut.values())
    same = {name: texts[name] for name in cut if times[cut[name]] > 1}
    if not same or len(set(same.values())) < len(same) or max(map(len, same.values())) <= limit:
        return cut
    return {**cut, **_apart(same, 2 * limit)}


def _without(parts: Sequence[str], common: AbstractSet[str]) -> str:
    """The parts of a name, with an ellipsis for common words in a row."""
    words = parts[::2]
    kept = [
        word not in common or (place + 1 < len(words) and words[place + 1] not in common)
        for place, word in enumerate(words)
    ]
    text = ""
    for place, word in enumerate(words):
        if kept[place]:
            text += word.removeprefix("…" if text.endswith("…") else "")
            text += parts[2 * place + 1] if 2 * place + 1 < len(parts) else ""
        elif not text.endswith("…"):
            text += "…"
    return text


def end_of(label: str) -> str:
    """What follows the last ellipsis of a label; the label if that is nothing."""
    return label.rpartition("…")[2] or label


SHORT = 20
"""The characters of a name that fits beside a curve on a phone."""


def differing(names: Sequence[str]) -> list[str]:
    """What differs of the names, if it is short for all of them; else the names."""
    short = list(labels(names, SHORT).values())
    is_short = len(short) == len(names) and all(len(label) < SHORT for label in short)
    return short if is_short else list(names)


def plot_name(text: str, limit: int = LONGEST_LABEL) -> str:
    """Return a name as it is drawn in a figure.

    Plotly reads a subset of HTML. It decodes `&lt;`, `&gt;` and `&amp;` but not `&quot;`.
    """
    return f"{_ISOLATE}{html.escape(name(text, limit), quote=False)}{_POP}"


def plot_paragraph(text: str | None, width: int = 56) -> str:
    """Return a longer text (a query) for a hover box: escaped, wrapped, cut to four lines."""
    if not text:
        return ""
    wrapped = textwrap.wrap(clean(text)[:2000], width, max_lines=4, placeholder=" …")
    return "<br>".join(f"{_ISOLATE}{html.escape(line, quote=False)}{_POP}" for line in wrapped)


def headline(text: str) -> str:
    """A sentence that may begin with the name of a run, which stays as it is."""
    return f"{'N' if text.startswith('no run ') else text[:1]}{text[1:]}."


def count(number: int, singular: str, plural: str | None = None) -> str:
    """Return `1 run`, `2 runs`, `6,980 queries`."""
    word = singular if number == 1 else (plural or f"{singular}s")
    return f"{number:,} {word}"


def every(number: int) -> str:
    """Return `both runs`, `all 3 runs`."""
    return "both runs" if number == 2 else f"all {number:,} runs"


def value(number: float | None, *, counts: bool = False) -> str:
    """A measure's value: four decimals, or a whole number if the measure counts."""
    if number is None or math.isnan(number):
        return "–"
    if counts and float(number).is_integer():
        return f"{int(number):,}"
    return f"{number:.1f}" if counts else f"{number:.4f}"


def interval(low: float, high: float, *, counts: bool = False) -> str:
    """An interval such as `−0.0123 to +0.0456`; – if an end is not finite."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return "–"
    return f"{difference(low, counts=counts)} to {difference(high, counts=counts)}"


def level(alpha: float) -> str:
    """The level of an interval: `95 %`."""
    return f"{100 * (1 - alpha):g} %"


def difference(number: float | None, *, counts: bool = False) -> str:
    """Return a difference with its sign: `+0.0123`, `−0.0123`, `0.0000`, `−0.00002`."""
    if number is None or math.isnan(number):
        return "–"
    text = value(abs(number), counts=counts)
    if number == 0:
        return text
    if not float(text.replace(",", "")):
        text = written_size(number)
    return f"+{text}" if number > 0 else f"−{text}"


# The wording for a measure, from its own descriptor

# The default measures of the leaderboard if they are stored: the usual ones in the field.
LEADERBOARD = ("AP", "nDCG@10", "P@10", "Rprec", "RR", "R@100", "R@1000")

ARROWS: Mapping[bool | None, str] = MappingProxyType({True: " ↑", False: " ↓", None: ""})
"""Arrows after the name of a measure: the direction of better values."""


@dataclass(frozen=True)
class MeasureInfo:
    """The names and texts of a measure on a page."""

    name: str  # canonical: "nDCG@10"
    title: str  # "Normalised discounted cumulative gain"
    summary: str  # one sentence
    higher_is_better: bool | None  # None: a count, no direction
    counts: bool
    aggregate: str = "mean"  # how the values of all queries are combined into one figure

    def aggregate_words(self, queries: int) -> str:
        """The kind of the figure for all queries: "mean over 53 queries"."""
        number = count(queries, "query", "queries")
        if self.aggregate == "own":
            return f"computed over all {number} as the measure defines it"
        return f"{self.aggregate} over {number}"

    @property
    def label(self) -> str:
        """The name on an axis."""
        return "R-precision" if self.name == "Rprec" else self.name

    @property
    def arrow(self) -> str:
        """The direction of better values, shown after the name."""
        return ARROWS[self.higher_is_better]

    @property
    def sign_of_better(self) -> int:
        """-1 if lower values are better, else 1."""
        return -1 if self.higher_is_better is False else 1

    @property
    def better(self) -> str:
        """The word for the run with better values; if the measure is a count, no run is better."""
        return "higher" if self.higher_is_better is None else "better"

    @property
    def help(self) -> str:
        """Title and meaning, for a tooltip."""
        return f"{self.title}. {self.summary}" if self.summary else self.title


def measure_info(name: str) -> MeasureInfo:
    """The names and texts of a measure, by canonical name.

    A measure that this version does not know (written by a newer evalstore) has only its name, and
    no direction.
    """
    try:
        descriptor = measures.parse(name).descriptor
    except EvalstoreError:
        return MeasureInfo(name, name, "", None, counts=False)
    return MeasureInfo(
        name,
        descriptor.title,
        descriptor.summary,
        descriptor.higher_is_better,
        counts=descriptor.counts,
        aggregate=descriptor.aggregate,
    )


def canonical(text: str) -> str:
    """Return the canonical name of a measure; the text itself if it can't be parsed."""
    try:
        return str(measures.parse(text))
    except EvalstoreError:
        return text


def leaderboard_default(stored: tuple[str, ...]) -> tuple[str, ...]:
    """Return the default measures of the leaderboard."""
    usual = [name for name in LEADERBOARD if name in stored]
    # R@1000 adds little to R@100.
    return tuple(usual[:6]) or stored[:6]
