"""The ir_metadata of a run: YAML in the `#` lines that open its file, or in a file of its own.

A value is read by the rule of `facts.parameters` (a number, a boolean or a text), but a text of the
schema stays one. Keys that the schema does not have are kept, with a warning. In a run file nothing
that is wrong with the header is an error: the ranking is still good.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from evalstore.errors import DataError, FileError, did_you_mean
from evalstore.formats.facts.parameters import CONTROL, DEEPEST, typed
from evalstore.formats.reading.lines import BLANKS, numbered_lines, unreadable
from evalstore.formats.reading.source import ReadOptions, path_text, quoted, refuse

START, END = "ir_metadata.start", "ir_metadata.end"
LARGEST = 512 << 10
"""Characters of the lines of a header: PyYAML reads a megabyte in some seconds."""
LARGEST_JSON = 128 << 10
"""Characters of a header as JSON in ASCII: what is written stays far below `LARGEST`."""
MOST_VALUES = 5_000
LONGEST = 10_000
"""Characters of a text: on a line of its own it stays far below the longest line of a run file."""
LONGEST_KEY = 200
MOST_WARNINGS = 5
LONGEST_LINE_FACT = 1_000
TEMPLATE_VALUE = "ENTER_VALUE_HERE"
"""TIRA's template has it in place of a value to be filled in."""

Parsed = tuple[dict[str, Any], tuple[str, ...]]
"""Values by key, and warnings: each a sentence with file and line."""


def header_facts(path: str, opening: Sequence[tuple[int, str]]) -> Parsed:
    """The facts in the numbered lines before the ranking of a run file, named as in `GivenFacts`.

    No facts if the lines hold no header, or one that can't be read, which is a warning.
    """
    marks = {START: 0, END: 0}
    lines: list[tuple[int, str]] = []
    for number, line in opening:
        text = line.strip(BLANKS).removeprefix("#")
        mark = text.strip() if text.removeprefix(" ").rstrip() in marks else None
        if mark == START and not marks[START]:
            marks[START] = number
        elif mark == END and marks[START]:
            marks[END] = number
            break
        elif marks[START]:
            lines.append((number, text))
    if not marks[START]:
        return {}, ()
    warnings: tuple[str, ...] = ()
    if not marks[END]:
        what = f"no line `# {END}` ends this header: it is taken to be all lines up to the ranking"
        warnings = (f"{path}:{marks[START]}: {what}",)
    if lines and lines[0][1].startswith(" "):  # the blank after each #
        lines = [(number, line.removeprefix(" ")) for number, line in lines]
    try:
        header, more = _parse(path, lines)
    except FileError as error:
        return {}, (*warnings, f"{error}; the header is left out")
    return _facts(header), (*warnings, *more)


def read_metadata(path: str, options: ReadOptions | None = None) -> Parsed:
    """The facts in a file of ir_metadata as TIRA has it, by the names of `GivenFacts`.

    A file that is no YAML gives no facts and a warning, and so does a missing key that TIRA
    requires.
    """
    lines = _lines(path, options or ReadOptions())
    try:
        header, warnings = _parse(path_text(path), lines)
    except FileError as error:
        return {}, (f"{error}; the metadata is left out",)
    empty: tuple[object, ...] = (None, "", [], {}, TEMPLATE_VALUE)
    missing = [keys for keys in REQUIRED_BY_TIRA if value_at(header, keys) in empty]
    if missing:
        names = ", ".join(".".join(keys) for keys in missing)
        warnings = (*warnings, f"{path_text(path)}: TIRA requires these keys, too: {names}")
    return _facts(header), warnings


def read_header(path: str, options: ReadOptions | None = None) -> Parsed:
    """The header in a YAML file, with or without the lines that mark its start and end."""
    return _parse(path_text(path), _lines(path, options or ReadOptions()))


def check_header(header: Mapping[str, Any]) -> dict[str, Any]:
    """A header given in memory, as it is stored."""
    count = [0]
    checked: dict[str, Any] = _checked(header, "header", 0, count)
    if len(json.dumps(checked)) > LARGEST_JSON:
        raise DataError("the header is larger than 128 KiB")
    return checked


def header_lines(header: Mapping[str, Any]) -> list[str]:
    """The lines that head a run file, without line ends; reading them gives the same header."""
    import yaml  # noqa: PLC0415  (loaded only for a file with a header)

    class Dumper(yaml.SafeDumper):
        def ignore_aliases(self, data: Any) -> bool:
            return True

    Dumper.add_representer(str, _represented)
    text = yaml.dump(
        dict(header), Dumper=Dumper, allow_unicode=True, sort_keys=False, width=100, indent=2
    )
    lines = text.removesuffix("\n").split("\n")
    return [f"# {START}", *(f"# {line}" if line else "#" for line in lines), f"# {END}"]


def value_at(header: Mapping[str, Any], keys: Sequence[str]) -> Any:
    """The value under nested keys, which may have blanks, hyphens or underscores; else None."""
    value: Any = header
    for key in keys:
        if not isinstance(value, Mapping):
            return None
        value = next((inner for name, inner in value.items() if plain(name) == plain(key)), None)
    return value


def _represented(dumper: Any, text: str) -> Any:
    """Quotes if the text would be read as something else, or has lines."""
    reads_as_text = text not in ("", "~", "null") and isinstance(typed(text), str)
    style = None if reads_as_text and "\n" not in text and "\t" not in text else '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _facts(header: dict[str, Any]) -> dict[str, Any]:
    """The header, and values in it that are other facts too."""
    facts: dict[str, Any] = {"header": header} if header else {}
    commit = value_at(header, ("implementation", "source", "commit"))
    if isinstance(commit, str) and commit.strip() and commit.isprintable():
        facts |= {"commit": commit} if len(commit) <= LONGEST_LINE_FACT else {}
    command = value_at(header, ("implementation", "executable", "cmd"))
    if isinstance(command, str) and command.strip():
        facts["command"] = command
    return facts


def _lines(path: str, options: ReadOptions) -> list[tuple[int, str]]:
    """The lines of a file of metadata, without those that mark start and end."""
    lines, size = [], 0
    for number, line in numbered_lines(path, options):
        size += len(line)
        if max(size, number) > LARGEST:  # lines without text are counted too
            refuse(path, None, "larger than 512 KiB: is this a file of metadata?")
        if line.removeprefix("#").strip() not in (START, END):
            lines.append((number, line))
    return lines


def _parse(path: str, lines: Sequence[tuple[int, str]]) -> Parsed:
    import yaml  # noqa: PLC0415  (loaded only for a file with a header)

    if not lines:
        return {}, ()
    first = lines[0][0]
    text: list[str] = []
    for number, line in lines:  # a line left out keeps its number
        text += [""] * (number - first - len(text)) + [line]
    if sum(map(len, text)) > LARGEST:
        raise FileError(path, first, "a header of more than 512 KiB")
    try:
        node = _nodes("\n".join(text))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        what = getattr(error, "problem", None) or "a character that YAML does not allow"
        wrong = mark.line + first if mark else first
        raise FileError(path, wrong, f"the YAML can't be read: {what}") from None
    except (ValueError, RecursionError) as error:
        raise FileError(path, first, f"the YAML can't be read: {unreadable(error)}") from None
    if node is None:
        return {}, ()
    if not isinstance(node, yaml.MappingNode):
        raise FileError(path, first, "no mapping of YAML: lines like `tag: bm25` are expected")
    reader = _Reader(path, first)
    header: dict[str, Any] = reader.value(node, SCHEMA, (), 0)
    if len(json.dumps(header)) > LARGEST_JSON:
        raise FileError(path, first, "a header of more than 128 KiB")
    return header, tuple(reader.sentences())


def _nodes(text: str) -> Any:
    """The nodes of a YAML document of at most the values that are kept, else a YAMLError."""
    import yaml  # noqa: PLC0415  (as above)

    class Loader(yaml.SafeLoader):
        nodes = 0
        depth = 0

        def compose_node(self, parent: Any, index: Any) -> Any:
            self.nodes += 1
            self.depth += 1
            if self.nodes > 2 * MOST_VALUES or self.depth > DEEPEST + 2:
                limits = f"more than {MOST_VALUES:,} values or {DEEPEST} levels"
                raise yaml.composer.ComposerError(None, None, limits, self.get_mark())
            node = super().compose_node(parent, index)
            self.depth -= 1
            return node

    return yaml.compose(text, Loader=Loader)


@dataclass
class _Reader:
    """Turns nodes of YAML into values, checked by the schema."""

    path: str
    first: int
    count: int = 0
    unknown: list[tuple[int, str]] = field(default_factory=list)
    suggestion: str = ""
    warnings: list[tuple[int, str]] = field(default_factory=list)

    def value(self, node: Any, kind: Any, keys: tuple[str, ...], depth: int) -> Any:
        self.count += 1
        if self.count > MOST_VALUES:
            raise FileError(self.path, self._line(node), f"more than {MOST_VALUES:,} values")
        if depth > DEEPEST:
            raise FileError(self.path, self._line(node), f"nested more than {DEEPEST} levels deep")
        if node.id == "mapping":
            if not isinstance(kind, dict) and kind is not ANY:
                self._warn(node, keys, kind)
            return dict(self._items(node, kind if isinstance(kind, dict) else None, keys, depth))
        if node.id == "sequence":
            if not isinstance(kind, list) and kind not in (LIST, ANY):
                self._warn(node, keys, kind)
            inner = kind[0] if isinstance(kind, list) else TEXT if kind == LIST else ANY
            return [self.value(item, inner, keys, depth + 1) for item in node.value]
        value = self._scalar(node, keys, as_text=kind == TEXT)
        if value is None or kind in (ANY, SCALAR, TEXT):
            return value
        if kind != BOOLEAN or not isinstance(value, bool):
            self._warn(node, keys, kind)
        return value

    def _items(
        self, node: Any, kinds: Mapping[str, Any] | None, keys: tuple[str, ...], depth: int
    ) -> Iterator[tuple[str, Any]]:
        """Keys and values of a mapping; the first value of a repeated key."""
        seen = set()
        for key_node, value_node in node.value:
            line = self._line(key_node)
            if key_node.id != "scalar":
                self.warnings.append((line, "a key that is no text is left out"))
                continue
            key = self._scalar(key_node, keys, as_text=True, longest=LONGEST_KEY) or ""
            if key in seen:
                name = quoted(".".join((*keys, key)))
                self.warnings.append((line, f"{name} stands twice; the first one counts"))
                continue
            seen.add(key)
            kind = ANY if kinds is None else kinds.get(plain(key))
            if kind is None:
                self.unknown.append((line, quoted(".".join((*keys, key)))))
                self.suggestion = did_you_mean(key, kinds or ())
            yield key, self.value(value_node, kind or ANY, (*keys, key), depth + 1)

    def _scalar(
        self, node: Any, keys: tuple[str, ...], *, as_text: bool, longest: int = LONGEST
    ) -> Any:
        text: str = node.value
        if len(text) > longest:
            name = quoted(".".join(keys))
            self.warnings.append((self._line(node), f"a text in {name} is cut at {longest:,}"))
            text = text[:longest]
        if CONTROL.search(text):
            name = quoted(".".join(keys))
            self.warnings.append((self._line(node), f"a control character in {name} is replaced"))
            text = CONTROL.sub("\ufffd", text)
        if node.style is None and text in ("", "~", "null"):
            return None
        return text if as_text or node.style is not None else typed(text)

    def _line(self, node: Any) -> int:
        return int(node.start_mark.line) + self.first

    def _warn(self, node: Any, keys: tuple[str, ...], kind: Any) -> None:
        if isinstance(kind, list):
            kind = LIST
        expected = "named values" if isinstance(kind, dict) else kind
        what = f"the schema expects {expected} in {quoted('.'.join(keys))}; it is kept as it is"
        self.warnings.append((self._line(node), what))

    def sentences(self) -> Iterator[str]:
        if self.unknown:
            line, names = self.unknown[0][0], [name for _, name in self.unknown[:MOST_WARNINGS]]
            more = len(self.unknown) - len(names)
            listed = ", ".join(names) + (f" and {more:,} more" if more else "")
            listed += self.suggestion if len(self.unknown) == 1 else ""
            what = "keys that the schema of ir_metadata does not have are kept"
            yield f"{self.path}:{line}: {what}: {listed}"
        for line, what in self.warnings[:MOST_WARNINGS]:
            yield f"{self.path}:{line}: {what}"
        if len(self.warnings) > MOST_WARNINGS:
            more = len(self.warnings) - MOST_WARNINGS
            yield f"{self.path}: {more:,} more values of the header are not as the schema has them"


def _checked(value: Any, name: str, depth: int, count: list[int]) -> Any:
    """A value in memory, checked; `count` is how many there were so far."""
    count[0] += 1
    if count[0] > MOST_VALUES or depth > DEEPEST:
        raise DataError(f"the header has more than {MOST_VALUES:,} values or {DEEPEST} levels")
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str) or len(key) > LONGEST_KEY or CONTROL.search(key):
                raise DataError(f"{quoted(str(key))} in the {name} is no key of a header")
        return {key: _checked(inner, key, depth + 1, count) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_checked(inner, name, depth + 1, count) for inner in value]
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str) and len(value) <= LONGEST and not CONTROL.search(value):
        return value
    if isinstance(value, int) and abs(value) < 10**18:
        return value
    if isinstance(value, float) and value - value == 0:  # neither infinite nor NaN
        return value
    raise DataError(f"the value of {quoted(name)} can't be in a header: {quoted(repr(value)[:60])}")


# The schema of ir_metadata: the keys of a header and their contents. Source: the checklists at
# https://www.ir-metadata.org, version 0.1 (Breuer, Keller and Schaer, SIGIR 2022), and the keys
# that TIREx Tracker adds as version 0.2.

TEXT: Final = "a text"
"""A scalar that is text, whatever it looks like: a commit 1234567 is no number."""
SCALAR: Final = "a single value"
BOOLEAN: Final = "true or false"
LIST: Final = "a list"
ANY: Final = "anything"

NAMED_SOURCES = [{"name": TEXT, "source": TEXT, "qrels": TEXT, "topics": TEXT, "ir datasets": TEXT}]
"""A list of mappings is written as a list with one mapping."""

SCHEMA: dict[str, Any] = {
    "schema version": SCALAR,
    "run version": SCALAR,
    "tag": TEXT,
    "platform": {
        "hardware": {
            "cpu": {
                **dict.fromkeys(("model", "architecture", "operation mode"), TEXT),
                "number of cores": SCALAR,
                **dict.fromkeys(("byte order", "vendor id", "features", "virtualization"), ANY),
                **dict.fromkeys(("frequency", "frequency min", "frequency max", "caches"), ANY),
                "threads per core": SCALAR,
            },
            "gpu": {
                **dict.fromkeys(("model", "architecture", "ram", "memory"), TEXT),
                "number of cores": SCALAR,
                **dict.fromkeys(("supported", "available system cores", "vendor id"), ANY),
            },
            "ram": TEXT,
        },
        "operating system": {"kernel": TEXT, "distribution": TEXT},
        "software": {"libraries": ANY, "retrieval toolkit": LIST, "tirex tracker": TEXT},
    },
    "research goal": {
        "venue": {"name": TEXT, "year": SCALAR},
        "publication": dict.fromkeys(("dblp", "doi", "arxiv", "url", "abstract"), TEXT),
        "evaluation": {
            "reported measures": LIST,
            "baseline": LIST,
            "significance test": [{"name": TEXT, "correction method": TEXT}],
        },
    },
    "implementation": {
        "executable": {"cmd": TEXT, "args": ANY, "version": TEXT},
        "source": {
            "lang": LIST,
            **dict.fromkeys(("repository", "commit", "hash", "branch", "tags"), TEXT),
            "is repo": SCALAR,
            **dict.fromkeys(("uncommitted changes", "unpushed changes", "unchecked files"), SCALAR),
        },
        **dict.fromkeys(("python", "script", "notebook"), ANY),
    },
    "method": {
        "name": TEXT,
        "description": TEXT,
        "automatic": BOOLEAN,
        "score ties": TEXT,
        "indexing": {
            **dict.fromkeys(("tokenizer", "stemmer", "stopwords"), TEXT),
            **dict.fromkeys(("name", "description"), TEXT),
        },
        "retrieval": [ANY],
    },
    "actor": {
        **dict.fromkeys(("name", "orcid", "team", "mail", "role", "degree"), TEXT),
        "fields": LIST,
        "github": TEXT,
        "twitter": TEXT,
    },
    "data": {
        "test collection": NAMED_SOURCES[0],
        "training data": NAMED_SOURCES,
        "other": NAMED_SOURCES,
    },
    "resources": ANY,
}

REQUIRED_BY_TIRA = (
    ("actor", "team"),
    ("implementation", "source", "repository"),
    ("data", "test collection", "name"),
    ("method", "name"),
    ("method", "description"),
)
"""The keys that TIRA asks for in an `ir-metadata.yml`."""


def plain(key: str) -> str:
    """A key as `SCHEMA` writes it: the schema's own pages write blanks, hyphens and underscores."""
    return key.replace("_", " ").replace("-", " ")
