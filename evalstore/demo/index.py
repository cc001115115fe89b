"""Words, and the inverted index that all engines of the demo search."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evalstore.demo.corpus import Document

# A run of capitals, a word with or without a capital, or a number: DictReader -> dict reader,
# JSONDecoder -> json decoder, os.path.getsize -> os path getsize.
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")

# A short list, because questions about Python contain "for", "if", "with", "not" and "from".
_STOP_WORDS = (
    "a an and are as at be by can do does how i in is it its my of on one or so that the their "
    "them this to what you"
)
STOP_WORDS: frozenset[str] = frozenset(_STOP_WORDS.split())

_SHORTEST_STEM = 3


def words(text: str) -> list[str]:
    """Split a text into lower-case words, at case changes too, without the stop words."""
    return [word for word in map(str.lower, _WORD.findall(text)) if word not in STOP_WORDS]


def stem(word: str) -> str:
    """Cut plural, -ing and -ed endings: ``splitting`` and ``split`` have the same stem.

    The plural rules are those of Harman, "How effective is suffixing?" (JASIS 42(1), 1991); the
    rest is the least that brings a verb's forms together, and a final e goes with them.
    """
    if word.endswith("ies") and len(word) > _SHORTEST_STEM + 1:
        word = word[:-3] + "y"
    elif word.endswith("s") and not word.endswith(("ss", "us")) and len(word) > _SHORTEST_STEM:
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) >= len(ending) + _SHORTEST_STEM:
            word = word[: -len(ending)]
            if word[-1] == word[-2] and word[-1] not in "lsz":
                word = word[:-1]
            break
    return word[:-1] if word.endswith("e") and len(word) > _SHORTEST_STEM else word


def trigrams(word: str) -> list[str]:
    """Return the runs of three characters of a word with its edges marked: ``^so sor ort rt$``."""
    marked = f"^{word}$"
    return [marked[at : at + 3] for at in range(len(marked) - 2)]


@dataclass(frozen=True, slots=True)
class Field:
    """An inverted index over one field of D documents, with T terms and P postings.

    The postings of term t are ``documents[offsets[t]:offsets[t + 1]]`` (positions, ascending) and
    the ``counts`` beside them.
    """

    vocabulary: Mapping[str, int]
    offsets: NDArray[np.int64]
    """(T + 1,) where each term's postings begin."""
    documents: NDArray[np.int64]
    """(P,) positions of documents."""
    counts: NDArray[np.float64]
    """(P,) how often the term occurs there, at least 1."""
    lengths: NDArray[np.float64]
    """(D,) terms in each document, repetitions included."""

    @property
    def size(self) -> int:
        """Bytes of its arrays and of the texts of its terms."""
        arrays = (self.offsets, self.documents, self.counts, self.lengths)
        return sum(array.nbytes for array in arrays) + sum(
            len(term.encode()) for term in self.vocabulary
        )

    def postings(self, term: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the documents that hold a term and its counts in them; empty if unknown."""
        number = self.vocabulary.get(term)
        if number is None:
            return self.documents[:0], self.counts[:0]
        here = slice(self.offsets[number], self.offsets[number + 1])
        return self.documents[here], self.counts[here]


def build_field(texts: Iterable[Sequence[str]]) -> Field:
    """Index documents given as their terms."""
    vocabulary: dict[str, int] = {}
    terms: list[int] = []
    lengths: list[int] = []
    for text in texts:
        terms += [vocabulary.setdefault(term, len(vocabulary)) for term in text]
        lengths.append(len(text))
    owners = np.repeat(np.arange(len(lengths)), lengths)
    # One integer a (term, document) pair, so that sorting groups postings by term in order.
    pairs, counts = np.unique(
        np.asarray(terms, dtype=np.int64) * max(len(lengths), 1) + owners, return_counts=True
    )
    term_of, document_of = np.divmod(pairs, max(len(lengths), 1))
    return Field(
        vocabulary=vocabulary,
        offsets=np.searchsorted(term_of, np.arange(len(vocabulary) + 1)),
        documents=document_of,
        counts=counts.astype(np.float64),
        lengths=np.asarray(lengths, dtype=np.float64),
    )


@dataclass(frozen=True, slots=True)
class Index:
    """The four views of the documents that the engines search."""

    docnos: tuple[str, ...]
    """In ascending order."""
    text: Field
    """Words of title and text."""
    stems: Field
    """The same, stemmed."""
    name: Field
    """Words of the docno."""
    name_trigrams: Field
    """Trigrams of the words of the docno."""

    def size(self, fields: Iterable[str]) -> int:
        """The bytes of some of the fields, by name."""
        return sum(getattr(self, name).size for name in fields)


def build_index(documents: Sequence[Document]) -> Index:
    """Index the documents, whatever order they come in."""
    ordered = sorted(documents, key=lambda document: document.docno)
    texts = [words(f"{document.title}\n{document.text}") for document in ordered]
    names = [words(document.docno.removeprefix("topic:")) for document in ordered]
    stems = {word: stem(word) for word in {word for text in texts for word in text}}
    return Index(
        docnos=tuple(document.docno for document in ordered),
        text=build_field(texts),
        stems=build_field([[stems[word] for word in text] for text in texts]),
        name=build_field(names),
        name_trigrams=build_field([[g for word in name for g in trigrams(word)] for name in names]),
    )
