import math
from functools import partial

import numpy as np
import pytest

from evalstore.demo.corpus import Document
from evalstore.demo.engines import (
    BY_TAG,
    DEPTH,
    ENGINES,
    Engine,
    Index,
    build_field,
    build_index,
    query_likelihood,
    search,
    stem,
    trigrams,
    words,
)

pytestmark = pytest.mark.slow  # the demo is built

# Words of title and text: "cat cat dog", "bird" and "dog fish"; 2 on average.
TINY = [
    Document("d1", "cat", "cat dog"),
    Document("d2", "bird", ""),
    Document("d3", "dog", "fish"),
]


@pytest.fixture(scope="module")
def tiny() -> Index:
    return build_index(TINY)


def test_words_split_at_punctuation_underscores_and_capitals() -> None:
    assert words("csv.DictReader(f, *args)") == ["csv", "dict", "reader", "f", "args"]
    assert words("json.JSONDecoder raw_decode") == ["json", "json", "decoder", "raw", "decode"]


def test_words_leave_out_stop_words_but_keep_python_keywords_that_people_ask_about() -> None:
    assert words("How do I use the with statement for a file?") == [
        "use",
        "with",
        "statement",
        "for",
        "file",
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("files", "file"),
        ("splitting", "split"),
        ("dictionaries", "dictionary"),
        ("sorted", "sorting"),
        ("replacing", "replaced"),
        ("class", "classes"),
    ],
)
def test_forms_of_a_word_share_a_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize("word", ["is", "as", "ss", "s", "ing", "ed", "es", "red"])
def test_a_stem_is_never_empty(word: str) -> None:
    assert stem(word)


def test_trigrams_mark_the_edges_of_a_word() -> None:
    assert trigrams("sort") == ["^so", "sor", "ort", "rt$"]
    assert trigrams("a") == ["^a$"]


def test_a_field_knows_where_and_how_often_a_term_occurs() -> None:
    field = build_field([["cat", "cat", "dog"], [], ["dog"]])
    documents, counts = field.postings("cat")
    assert (documents.tolist(), counts.tolist()) == ([0], [2.0])
    documents, counts = field.postings("dog")
    assert (documents.tolist(), counts.tolist()) == ([0, 2], [1.0, 1.0])
    assert field.postings("fish")[0].size == 0
    assert field.lengths.tolist() == [3.0, 0.0, 1.0]


def test_bm25_agrees_with_a_calculation_by_hand(tiny: Index) -> None:
    # cat: df 1 of 3, tf 2 in d1, which has 3 words where 2 are the average
    idf = math.log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    by_hand = idf * 2 * (1.2 + 1) / (2 + 1.2 * (1 - 0.75 + 0.75 * 3 / 2))
    assert by_hand == pytest.approx(1.182369, abs=1e-6)
    assert search(BY_TAG["bm25"], tiny, "cat") == [("d1", round(by_hand, 6))]


def test_tfidf_agrees_with_a_calculation_by_hand(tiny: Index) -> None:
    cat = (1 + math.log(2)) * math.log(3 / 1)
    dog = math.log(3 / 2)
    by_hand = cat / math.hypot(cat, dog)
    assert search(BY_TAG["tfidf"], tiny, "cat") == [("d1", round(by_hand, 6))]


def test_a_question_that_is_not_stemmed_misses_the_stems_of_documents(tiny: Index) -> None:
    engine = Engine("x", partial(query_likelihood, stem_question=False), ("stems",))
    assert search(engine, tiny, "cats") == []
    assert search(engine, tiny, "cat") == search(BY_TAG["ql-stem"], tiny, "cat")


def test_the_size_of_an_index_is_that_of_the_fields_searched(tiny: Index) -> None:
    # cat, dog, bird, fish: 14 characters; 5 offsets, 5 postings with a count, 3 lengths of 8 bytes
    assert tiny.text.size == 14 + 8 * (5 + 2 * 5 + 3)
    assert tiny.size(["text", "name"]) == tiny.text.size + tiny.name.size


def test_query_likelihood_agrees_with_a_calculation_by_hand(tiny: Index) -> None:
    # cat is 2 of the collection's 6 words
    by_hand = math.log(1 + 2 / (100 * 2 / 6)) + math.log(100 / (100 + 3))
    assert search(BY_TAG["ql-stem"], tiny, "cats") == [("d1", round(by_hand, 6))]


def test_a_word_in_the_name_counts_for_more_with_the_name_weighted() -> None:
    index = build_index(
        [
            Document("a.split", "a.split", "cut text into pieces"),
            Document("a.other", "a.other", "split text split pieces"),
        ]
    )
    assert search(BY_TAG["bm25"], index, "split")[0][0] == "a.other"
    assert search(BY_TAG["bm25-name"], index, "split")[0][0] == "a.split"


def test_boolean_counts_words_and_puts_the_shorter_document_first(tiny: Index) -> None:
    assert search(BY_TAG["boolean"], tiny, "cat dog") == [
        ("d1", round(2 + 1 / 4, 6)),
        ("d3", round(1 + 1 / 3, 6)),
    ]


def test_name_looks_at_names_alone_and_forgives_an_ending() -> None:
    index = build_index(
        [Document("sorted", "sorted()", "order"), Document("len", "len()", "sorting sorting")]
    )
    assert [docno for docno, _ in search(BY_TAG["name"], index, "sorting")] == ["sorted"]


def test_equal_scores_are_ordered_by_docno_descending_as_trec_eval_does() -> None:
    same = [Document(docno, "word", "") for docno in ("b", "a", "c")]
    for tag in ("bm25", "tfidf", "ql-stem", "boolean"):
        ranking = search(BY_TAG[tag], build_index([*same, Document("z", "other", "")]), "word")
        assert [docno for docno, _ in ranking] == ["c", "b", "a"]


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.tag)
@pytest.mark.parametrize("question", ["", "how do I", "zebra", "?!", "é"])
def test_a_question_without_a_known_word_finds_nothing(
    engine: Engine, question: str, tiny: Index
) -> None:
    assert search(engine, tiny, question) == []


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.tag)
def test_a_ranking_has_finite_falling_scores_and_at_most_the_depth(engine: Engine) -> None:
    matching = [Document(f"split.n{n}", "split", "text " * (n % 7)) for n in range(250)]
    others = [Document(f"other.n{n}", "other", "thing") for n in range(250)]
    ranking = search(engine, build_index(matching + others), "split text")
    scores = [score for _, score in ranking]
    assert len(ranking) == DEPTH
    assert np.isfinite(scores).all()
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.tag)
def test_engines_survive_an_empty_collection(engine: Engine) -> None:
    assert search(engine, build_index([]), "split text") == []
