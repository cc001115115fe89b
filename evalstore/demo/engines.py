"""Six search engines over one index, with different ranking functions.

Each engine gives every document a score for the words of a question; 0 is "not found" except for
query likelihood, whose scores are logarithms (so an engine marks what it did not find with -inf).
N is the number of documents, df(t) of those that hold term t, tf(t, d) the count of t in d.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from evalstore.demo.index import Field, Index, stem, trigrams, words

DEPTH = 100
"""Documents in a ranking, at most."""

DECIMALS = 6
"""Of a score. Documents are ranked by what the run file says, so rounding comes first."""

K1 = 1.2
B = 0.75
NAME_WEIGHT = 3
NAME_B = 0.5
MU = 100

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Engine:
    """A retrieval system of the demo."""

    tag: str
    """The last column of its run file."""
    title: str
    """What it does, in one line."""
    score: Callable[[Index, Sequence[str]], Scores]
    """(index, the question's words) -> (D,) scores, -inf where nothing matched."""
    fields: tuple[str, ...]
    """The fields of the index that it searches."""
    parameters: Mapping[str, float | str | bool] = field(default_factory=dict)
    """What its scores depend on."""


def search(engine: Engine, index: Index, question: str) -> list[tuple[str, float]]:
    """Rank the documents for a question: (docno, score), best first.

    Equal scores are ordered by docno descending, as trec_eval orders them, so that the rank in
    the run file is the rank that gets evaluated.
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

    Counts are normalised for length in each field, weighted (name 3 unless given, text 1), added
    up and only then saturated: Zaragoza et al., "Microsoft Cambridge at TREC-13" (2004), known as
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
    smoothing in Zhai and Lafferty, "A study of smoothing methods for language models" (TOIS
    22(2), 2004); terms that the collection lacks are left out. mu = 100 suits docstrings, which
    are much shorter than the articles that larger values were found on.

    Without `stem_question` the words of the question are looked up among the stems as they are:
    the mistake of the version of September.
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
    Engine("bm25", "BM25 over name and text", bm25, ("text",), {"k1": K1, "b": B}),
    Engine(
        "bm25-name",
        "BM25 with the name weighted",
        bm25_name,
        ("text", "name"),
        {"k1": K1, "b": B, "name_weight": NAME_WEIGHT, "name_b": NAME_B},
    ),
    Engine("tfidf", "TF-IDF cosine over name and text", tfidf, ("text",), {"weights": "ltc"}),
    Engine(
        "ql-stem",
        "Query likelihood over stemmed name and text",
        query_likelihood,
        ("stems",),
        {"mu": MU, "stem": True},
    ),
    Engine("boolean", "Number of words matched, shorter documents first", boolean, ("text",)),
    Engine("name", "Similarity to the name alone", name, ("name_trigrams",), {"ngram": 3}),
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
    """Mark as not found what has no score."""
    return np.where(scores > 0, scores, -np.inf)
