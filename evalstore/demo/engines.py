"""Six search engines over one index, with different ranking functions, and their versions.

Each engine gives every document a score for the words of a question; 0 is "not found" except for
query likelihood, whose scores are logarithms (so an engine marks documents not found with -inf).
N is the number of documents, df(t) of those that hold term t, tf(t, d) the count of t in d.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial

import numpy as np
from numpy.typing import NDArray

from evalstore.demo.corpus import Document

DEPTH = 100
"""The most documents in a ranking."""

DECIMALS = 6
"""The decimals of a score. The run file ranks rounded scores, so rounding comes first."""

K1 = 1.2
B = 0.75
NAME_WEIGHT = 3
NAME_B = 0.5
MU = 100

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Engine:
    """A retrieval system of the demo.

    Attributes:
        tag: the last column of its run file.
        score: (index, the question's words) -> (D,) scores, -inf for documents without a match.
        fields: the fields of the index that it searches.
        parameters: those that its scores depend on.
    """

    tag: str
    score: Callable[[Index, Sequence[str]], Scores]
    fields: tuple[str, ...]
    parameters: Mapping[str, float | str | bool] = field(default_factory=dict)


def search(engine: Engine, index: Index, question: str) -> list[tuple[str, float]]:
    """Rank the documents for a question: (docno, score), best first.

    Equal scores are ordered by docno descending, as trec_eval orders them, so that the rank in the
    run file is the rank that gets evaluated.
    """
    scores = np.round(engine.score(index, words(question)), DECIMALS)
    matching = np.flatnonzero(scores > -np.inf)
    order = matching[np.lexsort((-matching, -scores[matching]))][:DEPTH]
    return [(index.docnos[at], float(scores[at])) for at in order]


def bm25(index: Index, query: Sequence[str], *, b: float = B) -> Scores:
    """BM25 over title and text.

    sum over the query's terms of idf(t) * tf * (k1 + 1) / (tf + k1 * (1 - b + b * |d| / avg|d|)),
    Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with
    k1 = 1.2 and b = 0.75 unless given.
    """
    text = index.text
    scores = np.zeros(len(index.docnos))
    norm = K1 * (1 - b + b * _relative_length(text))
    for term, repeated in Counter(query).items():
        at, tf = text.postings(term)
        scores[at] += repeated * _bm25_idf(text, term) * tf * (K1 + 1) / (tf + norm[at])
    return _only_positive(scores)


def bm25_name(index: Index, query: Sequence[str], *, name_weight: float = NAME_WEIGHT) -> Scores:
    """BM25 in which a word of the name counts as several of the text.

    Counts are normalised for length in each field, weighted (name 3 unless given, text 1), added up
    and only then saturated: Zaragoza et al., "Microsoft Cambridge at TREC-13" (2004), known as
    BM25F. A name's words are in the title too, so the text's document frequencies hold for both
    fields.
    """
    scores = np.zeros(len(index.docnos))
    text_norm = 1 - B + B * _relative_length(index.text)
    name_norm = 1 - NAME_B + NAME_B * _relative_length(index.name)
    for term, repeated in Counter(query).items():
        tf = np.zeros(len(index.docnos))
        at, counts = index.text.postings(term)
        tf[at] += counts / text_norm[at]
        at, counts = index.name.postings(term)
        tf[at] += name_weight * counts / name_norm[at]
        scores += repeated * _bm25_idf(index.text, term) * tf * (K1 + 1) / (tf + K1)
    return _only_positive(scores)


def tfidf(index: Index, query: Sequence[str]) -> Scores:
    """Cosine between the question and title with text."""
    return _cosine(index.text, query)


def name(index: Index, query: Sequence[str]) -> Scores:
    """Cosine between the question and the name alone, in trigrams: "sorting" matches sorted."""
    return _cosine(index.name_trigrams, [gram for word in query for gram in trigrams(word)])


def boolean(index: Index, query: Sequence[str]) -> Scores:
    """Coordination level: how many of the question's words a document has, however often.

    Within a level the shorter document comes first: 1 / (1 + |d|) is added, which is below 1.
    """
    text = index.text
    scores = np.zeros(len(index.docnos))
    for term in set(query):
        scores[text.postings(term)[0]] += 1
    return _only_positive(np.where(scores > 0, scores + 1 / (1 + text.lengths), 0))


def query_likelihood(
    index: Index, query: Sequence[str], *, mu: float = MU, stem_question: bool = True
) -> Scores:
    """Log-likelihood of the stemmed question under each document's smoothed language model.

    The sum of log(1 + tf / (mu * p(t | collection))) plus |q| * log(mu / (mu + |d|)), Dirichlet
    smoothing in Zhai and Lafferty, "A study of smoothing methods for language models" (TOIS 22(2),
    2004); terms that the collection lacks are left out. mu = 100 suits docstrings, which are much
    shorter than the articles that larger values were found on. Without `stem_question` the words of
    the question are looked up among the stems as they are: the mistake of the version of September.
    """
    documents = index.stems
    scores = np.zeros(len(index.docnos))
    matched = np.zeros(len(index.docnos), dtype=bool)
    terms = [stem(word) if stem_question else word for word in query]
    known = [term for term in terms if term in documents.vocabulary]
    for term, repeated in Counter(known).items():
        at, tf = documents.postings(term)
        share = tf.sum() / documents.lengths.sum()
        scores[at] += repeated * np.log1p(tf / (mu * share))
        matched[at] = True
    scores += len(known) * np.log(mu / (mu + documents.lengths))
    return np.where(matched, scores, -np.inf)


ENGINES: tuple[Engine, ...] = (
    Engine("bm25", bm25, ("text",), {"k1": K1, "b": B}),
    Engine(
        "bm25-name",
        bm25_name,
        ("text", "name"),
        {"k1": K1, "b": B, "name_weight": NAME_WEIGHT, "name_b": NAME_B},
    ),
    Engine("tfidf", tfidf, ("text",), {"weights": "ltc"}),
    Engine(
        "ql-stem",
        query_likelihood,
        ("stems",),
        {"mu": MU, "stem": True, "family": "query likelihood"},
    ),
    Engine("boolean", boolean, ("text",)),
    Engine("name", name, ("name_trigrams",), {"ngram": 3}),
)
BY_TAG: Mapping[str, Engine] = {engine.tag: engine for engine in ENGINES}


def _relative_length(terms: Field) -> NDArray[np.float64]:
    """(D,) lengths over their mean; 1 is a document of average length."""
    mean = terms.lengths.mean() if terms.lengths.size else 0.0
    return terms.lengths / (mean or 1.0)


def _bm25_idf(terms: Field, term: str) -> float:
    """log(1 + (N - df + 0.5) / (df + 0.5)): Lucene's form, positive for common words too."""
    df = len(terms.postings(term)[0])
    return float(np.log1p((len(terms.lengths) - df + 0.5) / (df + 0.5)))


def _cosine(terms: Field, query: Sequence[str]) -> Scores:
    """(D,) cosines of (1 + log tf) * log(N / df) vectors, the weights "ltc" in Salton's notation.

    Salton and Buckley, "Term-weighting approaches in automatic text retrieval" (IPM 24(5), 1988).
    """
    size = len(terms.lengths)
    df = np.diff(terms.offsets)
    idf = np.log(size / df)
    weights = (1 + np.log(terms.counts)) * np.repeat(idf, df)
    norms = np.sqrt(np.bincount(terms.documents, weights**2, minlength=size))
    scores = np.zeros(size)
    counts = {term: count for term, count in Counter(query).items() if term in terms.vocabulary}
    query_norm = 0.0
    for term, repeated in counts.items():
        number = terms.vocabulary[term]
        here = slice(terms.offsets[number], terms.offsets[number + 1])
        weight = (1 + np.log(repeated)) * idf[number]
        scores[terms.documents[here]] += weight * weights[here]
        query_norm += weight**2
    scale = norms * np.sqrt(query_norm)
    return _only_positive(np.divide(scores, scale, out=np.zeros(size), where=scale > 0))


def _only_positive(scores: NDArray[np.float64]) -> Scores:
    """The scores with those of 0 marked as not found."""
    return np.where(scores > 0, scores, -np.inf)


# Words, and the inverted index that all engines of the demo search

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
    """The runs of three characters of a word with its edges marked: ``^so sor ort rt$``."""
    marked = f"^{word}$"
    return [marked[at : at + 3] for at in range(len(marked) - 2)]


@dataclass(frozen=True, slots=True)
class Field:
    """An inverted index over one field of D documents, with T terms and P postings.

    The postings of term t are ``documents[offsets[t]:offsets[t + 1]]`` (positions, ascending) and
    the ``counts`` beside them.

    Attributes:
        offsets: (T + 1,) where each term's postings begin.
        documents: (P,) positions of documents.
        counts: (P,) how often the term occurs there, at least 1.
        lengths: (D,) terms in each document, repetitions included.
    """

    vocabulary: Mapping[str, int]
    offsets: NDArray[np.int64]
    documents: NDArray[np.int64]
    counts: NDArray[np.float64]
    lengths: NDArray[np.float64]

    @property
    def size(self) -> int:
        """Bytes of its arrays and of the texts of its terms."""
        arrays = (self.offsets, self.documents, self.counts, self.lengths)
        return sum(array.nbytes for array in arrays) + sum(
            len(term.encode()) for term in self.vocabulary
        )

    def postings(self, term: str) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The documents that hold a term and its counts in them; empty if unknown."""
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
    """The four views of the documents that the engines search.

    Attributes:
        docnos: in ascending order.
        text: words of title and text.
        stems: the same, stemmed.
        name: words of the docno.
        name_trigrams: trigrams of the words of the docno.
    """

    docnos: tuple[str, ...]
    text: Field
    stems: Field
    name: Field
    name_trigrams: Field

    def size(self, fields: Iterable[str]) -> int:
        """The bytes of some of the fields, by name."""
        return sum(getattr(self, name).size for name in fields)


def build_index(documents: Sequence[Document]) -> Index:
    """Index the documents, in any order."""
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


# Versions of the demo's engines, in the order of time. The rankings are real, and so are the
# parameters that make them. Dates, commits and parents are made up, so that there is a history to
# show; every run says so.

MADE_UP = "made-up-facts"
"""The tag of every run of the demo."""


@dataclass(frozen=True, slots=True)
class Version:
    """A version of an engine, which gives one run.

    Attributes:
        name: of the run; the newest version of an engine is named as the engine.
        started_at: made up, as the commit and the parent are.
        change: the difference to the version before, in a sentence.
    """

    name: str
    engine: Engine
    started_at: datetime
    commit: str
    change: str
    parent: str | None = None

    @property
    def is_newest(self) -> bool:
        """Whether it is the newest version of its engine."""
        return self.name == self.engine.tag

    @property
    def note(self) -> str:
        """The note of the run, in Markdown."""
        return (
            f"{self.change}\n\n*A run of the demo: date, commit and parent are made up. The "
            "ranking is that of these parameters; response times and the size of the index were "
            "measured when the demo was built.*"
        )


def _older(tag: str, changed: Mapping[str, float], score: partial[Scores]) -> Engine:
    """An engine as it was, with the parameters that were different."""
    engine = BY_TAG[tag]
    return replace(engine, score=score, parameters={**engine.parameters, **changed})


def _day(month: int, day: int) -> datetime:
    return datetime(2026, month, day, 9, 30, tzinfo=UTC)


VERSIONS: tuple[Version, ...] = (
    Version("tfidf", BY_TAG["tfidf"], _day(5, 4), "1d0c5a7", "The first engine."),
    Version("boolean", BY_TAG["boolean"], _day(5, 5), "2b9e340", "Counts matching words."),
    Version(
        "bm25-2026-05",
        _older("bm25", {"b": 0}, partial(bm25, b=0)),
        _day(5, 18),
        "5e7741c",
        "BM25 without normalisation for the length of documents.",
    ),
    Version(
        "bm25",
        BY_TAG["bm25"],
        _day(6, 1),
        "83fa2d6",
        "Normalises for length: b is 0.75 instead of 0.",
        "bm25-2026-05",
    ),
    Version("name", BY_TAG["name"], _day(6, 9), "9c41b02", "Searches names alone."),
    Version(
        "ql-stem-2026-06",
        _older("ql-stem", {"mu": 2500}, partial(query_likelihood, mu=2500)),
        _day(6, 22),
        "a60d9e8",
        "Query likelihood over stems, with a mu that suits long articles.",
    ),
    Version(
        "ql-stem-2026-07",
        _older("ql-stem", {"mu": 500}, partial(query_likelihood, mu=500)),
        _day(7, 20),
        "b7138f4",
        "Less smoothing, for docstrings are short: mu is 500 instead of 2500.",
        "ql-stem-2026-06",
    ),
    Version(
        "bm25-name-2026-08",
        _older("bm25-name", {"name_weight": 1}, partial(bm25_name, name_weight=1)),
        _day(8, 10),
        "c25e0b9",
        "BM25 with the words of the name as a second field, of the same weight as the text.",
        "bm25",
    ),
    Version(
        "bm25-name",
        BY_TAG["bm25-name"],
        _day(8, 24),
        "d4f8813",
        "A word of the name counts three times.",
        "bm25-name-2026-08",
    ),
    Version(
        "ql-stem-2026-09",
        _older("ql-stem", {}, partial(query_likelihood, stem_question=False)),
        _day(9, 14),
        "e19ca75",
        "mu is 100 instead of 500. By mistake the question is not stemmed any more, but the "
        "documents are: many words of a question match nothing.",
        "ql-stem-2026-07",
    ),
    Version(
        "ql-stem",
        BY_TAG["ql-stem"],
        _day(10, 5),
        "f3025bd",
        "The question is stemmed again: the mistake was in the code, so no parameter differs.",
        "ql-stem-2026-09",
    ),
)
"""Every version after its parent."""
