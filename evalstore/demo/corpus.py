"""The demo's documents: the documentation that ships inside the running Python.

Three kinds of document, told apart by their docno:

- ``topic:formatstrings``: a chapter of the language reference (``pydoc_data.topics``)
- ``csv``: the docstring of a standard module
- ``csv.DictReader``, ``len``, ``str.split``: the docstring of a public function, class, method or
  property, under its dotted public name (built-in names stand alone)

Nothing is read from a file or the network, so the collection differs a little between Python
versions and platforms.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
import warnings
import zlib
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from contextlib import suppress
from types import ModuleType
from typing import NamedTuple

# The best known modules first: an object that two of them export is listed under the first.
# Importing any of them has no effect beyond the import (no window, no browser, no print, no changed
# signal or terminal), and none is on its way out of the standard library.
_MODULE_NAMES = """
builtins collections collections.abc itertools functools operator contextlib dataclasses enum
abc types typing copy reprlib pprint weakref
string re difflib textwrap unicodedata
datetime calendar zoneinfo time
math cmath decimal fractions random statistics numbers bisect heapq array
os os.path pathlib fnmatch glob shutil tempfile filecmp fileinput linecache stat io
csv json pickle shelve sqlite3 dbm configparser tomllib struct codecs plistlib marshal
gzip bz2 lzma zlib zipfile tarfile
hashlib hmac secrets base64 binascii uuid
argparse getopt logging logging.handlers logging.config getpass platform errno ctypes
threading queue concurrent.futures multiprocessing subprocess sched signal select selectors
asyncio contextvars socket socketserver ssl mmap
urllib.parse urllib.request urllib.error urllib.robotparser http http.client http.server
http.cookies http.cookiejar ftplib smtplib poplib imaplib webbrowser ipaddress
email email.message email.policy email.utils mimetypes mailbox
html html.parser xml.etree.ElementTree xml.dom.minidom xml.sax
gettext locale sys sysconfig warnings traceback inspect gc atexit importlib importlib.resources
importlib.metadata importlib.util ast dis tokenize keyword symtable
unittest unittest.mock timeit cProfile pstats tracemalloc trace faulthandler
cmd shlex graphlib colorsys wave runpy pkgutil zipimport
fcntl pwd grp resource termios netrc stringprep
"""
MODULES: tuple[str, ...] = tuple(_MODULE_NAMES.split())

# Attributes that a program may replace (pytest does), so that they document the program.
_REPLACEABLE_NAMES = """
sys.breakpointhook sys.displayhook sys.excepthook sys.unraisablehook threading.excepthook
warnings.formatwarning warnings.showwarning
"""
REPLACEABLE: frozenset[str] = frozenset(_REPLACEABLE_NAMES.split())

LONGEST_SIGNATURE = 160  # characters; subprocess.Popen's would fill a screen as a title

_ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_RECEIVER = re.compile(r"^\((?:self|cls)(?:, /(?=[,)]))?(?:, )?")
_FIELD_OF_A_TUPLE = "Alias for field number"


class Document(NamedTuple):
    """One searchable piece of documentation.

    Attributes:
        docno: the dotted public name, or ``topic:NAME``: ASCII, without white space.
        title: the name, with its signature if Python knows one.
        text: the docstring, or the chapter.
    """

    docno: str
    title: str
    text: str


def documents() -> list[Document]:
    """Collect the documents of the running Python, sorted by docno."""
    with warnings.catch_warnings():
        # Reading every public name also reads deprecated ones, which is no fault of the user.
        warnings.simplefilter("ignore")
        by_docno = {document.docno: document for document in _topics()}
        # An object is a document once. The objects are kept beside their ids, for an id is only
        # unique among objects that are alive.
        seen: dict[int, object] = {}
        for docno, thing in _public_things():
            text = _own_docstring(thing)
            # A docno fits a column of a TREC file for any reader.
            is_plain = docno.isascii() and docno.isprintable() and " " not in docno
            if text is None or id(_unwrapped(thing)) in seen or not is_plain:
                continue
            seen[id(_unwrapped(thing))] = _unwrapped(thing)
            title = docno + _signature(thing)
            by_docno.setdefault(docno, Document(docno, _clean(title), _clean(text)))
    return sorted(by_docno.values(), key=lambda document: document.docno)


MOST_KNOWN = 100
"""The most questions that `known_items` makes."""


def known_items(collection: Sequence[Document]) -> tuple[list[Document], dict[str, str]]:
    """Make questions with one answer each: (documents without them, question by docno).

    A question is the first paragraph of a docstring, which its document is left without: a search
    for a known item, as of Azzopardi, de Rijke and Balog, "Building simulated queries for
    known-item topics" (SIGIR 2007). It has 5 to 25 words, the first of letters alone (so that it is
    no signature), no other document begins with it, and 10 words or more follow. The order of
    checksums of the docnos chooses.
    """
    parts = {each.docno: each.text.partition("\n\n") for each in collection}
    written = Counter(first for first, _, _ in parts.values())
    suited = [
        docno
        for docno, (first, _, rest) in parts.items()
        if written[first] == 1
        and 5 <= len(first.split()) <= 25
        and first.split()[0].isalpha()
        and len(rest.split()) >= 10
    ]
    chosen = sorted(suited, key=lambda docno: zlib.crc32(docno.encode()))[:MOST_KNOWN]
    questions = {docno: " ".join(parts[docno][0].split()) for docno in sorted(chosen)}
    return [
        each._replace(text=parts[each.docno][2]) if each.docno in questions else each
        for each in collection
    ], questions


def _topics() -> Iterator[Document]:
    """Yield the chapters of the language reference; none if Python came without them."""
    try:
        topics = importlib.import_module("pydoc_data.topics").topics
    except ImportError:
        return
    for name, chapter in topics.items():
        heading = chapter.strip().split("\n", 1)[0].strip()
        yield Document(f"topic:{name}", _clean(f"{name}: {heading}"), _clean(chapter.strip()))


def _public_things() -> Iterator[tuple[str, object]]:
    """(dotted name, object) for the modules, then their exports, then the classes' members."""
    modules: list[tuple[str, ModuleType]] = []
    for name in MODULES:
        with suppress(ImportError):
            modules.append((name, importlib.import_module(name)))
    classes: dict[type, str] = {}  # with the first, most public name
    yield from modules[1:]  # built-in names are written alone: "builtins" is no name to answer with
    for name, module in modules:
        for attribute, thing in _exports(name, module):
            dotted = attribute if name == "builtins" else f"{name}.{attribute}"
            yield dotted, thing
            if isinstance(thing, type):
                classes.setdefault(thing, dotted)
    # The most general class first, so that an inherited method stands under the class that a
    # reader would look it up in, even when a private base class defines it.
    for cls in sorted(classes, key=lambda cls: (len(cls.__mro__), classes[cls])):
        for attribute, member in _members(cls, classes):
            yield f"{classes[cls]}.{attribute}", member


def _exports(name: str, module: ModuleType) -> Iterator[tuple[str, object]]:
    """(name, object) of the public names of a module: its ``__all__``, else its own.

    Aliases come last (``array.ArrayType`` after ``array.array``), so that they are the ones
    dropped.
    """
    declared = getattr(module, "__all__", None)
    exports: list[tuple[bool, str, object]] = []
    for attribute in dir(module) if declared is None else declared:
        thing = getattr(module, attribute, None)
        home = getattr(thing, "__module__", None)
        if attribute.startswith("_") or isinstance(thing, ModuleType) or _is_foreign(home):
            continue
        if f"{name}.{attribute}" in REPLACEABLE:
            continue
        borrowed = declared is None and home != name and home in MODULES
        if name == "builtins" or not borrowed:
            is_alias = getattr(thing, "__name__", attribute) != attribute
            exports.append((is_alias, attribute, thing))
    for _, attribute, thing in sorted(exports, key=lambda entry: entry[:2]):
        yield attribute, thing


def _is_foreign(home: object) -> bool:
    """Whether a name comes from outside Python, as IPython's ``display`` among the built-ins."""
    return isinstance(home, str) and home.split(".")[0] not in sys.stdlib_module_names


def _members(cls: type, public: Container[type]) -> Iterator[tuple[str, object]]:
    """(name, object) of the public attributes that a class defines or has from a private base."""
    for attribute in sorted(dir(cls)):
        if attribute.startswith("_"):
            continue
        owner = next((base for base in cls.__mro__ if attribute in vars(base)), None)
        if owner is cls or (owner is not None and owner not in public):
            yield attribute, inspect.getattr_static(cls, attribute)


def _own_docstring(thing: object) -> str | None:
    """The docstring written for this very object, not one of its type or a base."""
    text = getattr(thing, "__doc__", None)
    if not isinstance(text, str) or not text.strip() or text.startswith(_FIELD_OF_A_TUPLE):
        return None
    shared_with = thing.__mro__[1:] if isinstance(thing, type) else type(thing).__mro__
    if any(text == kind.__doc__ for kind in shared_with):
        return None
    return inspect.cleandoc(text)


def _unwrapped(thing: object) -> object:
    """The function inside a class method or static method, else the object itself."""
    return thing.__func__ if isinstance(thing, (classmethod, staticmethod)) else thing


def _signature(thing: object) -> str:
    """``(sep=None, maxsplit=-1)``; empty if Python does not know it, short if it fills lines."""
    inner = _unwrapped(thing)
    if not callable(inner):
        return ""
    try:
        written = str(inspect.signature(inner))
    except Exception:  # it evaluates defaults written down in C; any failure means "not known"
        return ""
    # Text that differs from run to run or from machine to machine is left out.
    written = _ADDRESS.sub("", _RECEIVER.sub("(", written))
    written = written.replace(repr(sys.executable), "sys.executable")
    if len(written) > LONGEST_SIGNATURE or "<weakref" in written:  # logging.shutdown's handlers
        return "(...)"
    return written


def _clean(text: str) -> str:
    """Text that every database stores: no control character, no lone surrogate."""
    return _CONTROL.sub(" ", text).encode("utf-8", "replace").decode("utf-8")
