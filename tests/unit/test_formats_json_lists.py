"""JSON whose rankings and judgments are lists: `_rank_eval`, rank_llm, Pyserini's DPR."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from evalstore.errors import DataError
from evalstore.formats import ReadOptions, read_qrels, read_run
from evalstore.formats.json import files
from evalstore.formats.trec.run import first_tag

TOOLS = Path(__file__).parent / "files_of_tools"


def tool(name: str) -> str:
    return str(TOOLS / name)


def write(folder: Path, content: object, name: str = "run.json") -> str:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return str(path)


def refused(folder: Path, content: object, name: str = "run.json", form: str = "") -> str:
    """The message for a file: judgments where its name begins so, else a run."""
    path = write(folder, content, name)
    reader: Any = read_qrels if name.startswith("judged") else read_run
    with pytest.raises(DataError) as error:
        reader(path, ReadOptions(formats=(form,) if form else ()))
    return str(error.value).replace(f"{folder}/", "")


def hits(*scores: object, index: str = "shop") -> list[dict[str, object]]:
    """Hits d1, d2, ... with these scores."""
    return [
        {"hit": {"_index": index, "_id": f"d{n}", "_score": score}, "rating": None}
        for n, score in enumerate(scores, 1)
    ]


def response(**queries: list[dict[str, object]]) -> dict[str, Any]:
    details = {qid: {"metric_score": 1, "hits": own} for qid, own in queries.items()}
    return {"metric_score": 1, "details": details, "failures": {}}


def request(*ratings: object) -> dict[str, Any]:
    """A request of one query whose ratings have documents d1, d2, ..."""
    rated = [{"_index": "s", "_id": f"d{n}", "rating": r} for n, r in enumerate(ratings, 1)]
    return {"requests": [{"id": "q1", "ratings": rated}]}


def candidates(*scores: object, qid: object = "q1") -> dict[str, Any]:
    """What rank_llm writes for a query with candidates d1, d2, ..."""
    own = [{"docid": f"d{n}", "score": score, "doc": {}} for n, score in enumerate(scores, 1)]
    return {"query": {"text": "x", "qid": qid}, "candidates": own}


# --- as the tools write them ---------------------------------------------------------------------


def test_the_ratings_of_a_rank_eval_request_are_judgments() -> None:
    qrels = read_qrels(tool("rank_eval_request.json"))
    assert qrels.to_dict() == {"q1": {"d7": 1, "d9": 0}, "q2": {"d7": 2}}
    assert (qrels.format, qrels.warnings) == ("rank-eval-request", ())


def test_the_hits_of_a_rank_eval_response_are_a_run() -> None:
    """Hits without scores are in order; a query that failed is warned of."""
    run = read_run(tool("rank_eval_response.json"))
    assert run.to_dict() == {"q1": {"d7": 2.5, "d8": 1.5}, "q2": {"d7": 1, "d5": 0.5}}
    assert (run.format, run.tag) == ("rank-eval-response", "rank_eval_response")
    assert [w.partition("json: ")[2] for w in run.warnings] == [
        "without 1 query that failed in the engine: 'q3'"
    ]


def test_the_older_names_of_rank_eval_are_known() -> None:
    run = read_run(tool("rank_eval_response_older.json"))
    assert (run.to_dict(), run.warnings) == ({"q1": {"d7": 2.5, "d8": 1.5}}, ())


@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_a_run_of_rank_llm_is_the_run_that_it_writes_in_trecs_format(ending: str) -> None:
    run = read_run(tool(f"rank_llm.{ending}"))
    assert run.to_dict() == read_run(tool("rank_llm.run")).to_dict()
    assert (run.format, run.tag, run.warnings) == ("rank-llm", "rank_llm", ())


def test_a_run_of_pyserini_in_dprs_format_has_scores_as_texts() -> None:
    run = read_run(tool("pyserini_dpr.json"))
    assert run.to_dict() == {"0": {"7": 12.5, "9": 11.25}}
    assert (run.format, run.tag) == ("dpr-run", "pyserini_dpr")


def test_rank_llm_on_one_line_each_or_all_in_one_and_packed_is_the_same(tmp_path: Path) -> None:
    requests = [candidates("2.5", "-1e-3"), candidates(None, None, qid=7)]
    expected = {"q1": {"d1": 2.5, "d2": -0.001}, "7": {"d1": 1, "d2": 0.5}}
    for name, text in (
        ("list.json", json.dumps(requests)),
        ("indented.json", json.dumps(requests, indent=2)),
        ("lines.jsonl", "\n".join(map(json.dumps, requests))),
        ("blank lines.jsonl", "\n\n".join(["", *map(json.dumps, requests), ""])),
    ):
        assert read_run(write(tmp_path, text, name)).to_dict() == expected
        packed = tmp_path / f"{name}.gz"
        packed.write_bytes(gzip.compress(text.encode()))
        assert read_run(str(packed)).to_dict() == expected
    for indent in (None, 2):
        text = json.dumps(requests[0], indent=indent)
        assert read_run(write(tmp_path, text)).to_dict() == {"q1": expected["q1"]}


def test_lines_longer_than_the_beginning_that_decides_are_read(tmp_path: Path) -> None:
    """64 KiB of a file decide what it is; here the first line has more."""
    requests = [candidates(2), candidates(1, qid="q2")]
    requests[0]["candidates"][0]["doc"] = {"contents": "x" * 100_000}
    run = read_run(write(tmp_path, "\n".join(map(json.dumps, requests))))
    assert run.to_dict() == {"q1": {"d1": 2}, "q2": {"d1": 1}}


def test_a_query_whose_words_look_like_the_columns_of_trec_is_no_trec_run(tmp_path: Path) -> None:
    """Split at blanks, the fifth word of the line is a number, as the score of a TREC run is."""
    line = candidates(1)
    line["query"]["text"] = "price of 3 red doors"
    path = write(tmp_path, line)
    assert Path(path).read_text(encoding="utf-8").split()[4] == "3"
    assert read_run(path).format == "rank-llm"
    assert first_tag(path) is None


# --- order and scores ----------------------------------------------------------------------------


@pytest.mark.parametrize("content", [response(q1=hits(1.5, 2.5)), candidates(1.5, 2.5)])
def test_a_list_in_another_order_than_its_scores_is_warned_of_and_the_scores_count(
    tmp_path: Path, content: object
) -> None:
    run = read_run(write(tmp_path, content))
    assert run.to_dict() == {"q1": {"d2": 2.5, "d1": 1.5}}
    message = "the order of the list contradicts the scores in 1 query; the order is by score"
    assert run.warnings == (f"{tmp_path}/run.json: {message}",)


@pytest.mark.parametrize("content", [response(q1=hits(1.5, None)), candidates(1.5, None)])
def test_a_ranking_in_which_some_documents_have_no_score_is_refused(
    tmp_path: Path, content: object
) -> None:
    message = refused(tmp_path, content)
    assert message == "run.json, query 'q1': 1 document without a score"


# --- indices -------------------------------------------------------------------------------------


def test_one_id_in_two_indices_is_refused_within_a_query(tmp_path: Path) -> None:
    other = hits(1, index="old")
    assert refused(tmp_path, response(q1=hits(2) + other)) == (
        "run.json, query 'q1': document 'd1' stands in two indices, 'shop' and 'old': give every "
        "document an id of its own"
    )
    judged = request(1, 0)
    judged["requests"][0]["ratings"][1] |= {"_index": "old", "_id": "d1"}
    assert "document 'd1' stands in two indices" in refused(tmp_path, judged, "judged.json")


def test_several_indices_are_warned_of_where_every_id_of_a_query_is_in_one(tmp_path: Path) -> None:
    run = read_run(write(tmp_path, response(q1=hits(2), q2=hits(2, index="old"))))
    assert run.to_dict() == {"q1": {"d1": 2}, "q2": {"d1": 2}}
    message = "documents of 2 indices ('shop', 'old'); they are named by _id alone"
    assert run.warnings == (f"{tmp_path}/run.json: {message}",)


# --- what is refused -----------------------------------------------------------------------------

NUMBERS = [
    ("nan", "'nan' is not a number"),
    ("Infinity", "'Infinity' is not a number"),
    ("1_0", "'1_0' is not a number"),
    ("٣", "'٣' is not a number"),
    (True, "True is not a number"),
    ([1], "[1] is not a number"),
    (float("nan"), "nan is not a finite number"),
    ("1e999", "inf is not a finite number"),
    (10**400, "is out of range"),
]


@pytest.mark.parametrize(("value", "message"), NUMBERS)
def test_a_score_or_grade_that_is_no_finite_number_is_named_by_query_and_document(
    tmp_path: Path, value: object, message: str
) -> None:
    dpr = {"q1": {"question": "x", "contexts": [{"docid": "d1", "score": value}]}}
    for content in (response(q1=hits(value)), candidates(value), dpr):
        error = refused(tmp_path, content)
        assert error.startswith("run.json, query 'q1'")
        assert "document 'd1': score" in error
        assert error.endswith(message)
    error = refused(tmp_path, request(value), "judged.json")
    assert error.startswith("judged.json, query 'q1'")
    assert error.endswith(message)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (candidates(1, qid=None), "run.json:1: query id None is not text and not a whole number"),
        (candidates(1, qid=""), "run.json:1: an empty query id (under 'qid')"),
        (candidates(1, qid="a b"), "run.json:1: query id 'a b' holds blanks or control characters"),
        ([candidates(1), 7], "run.json[1]: an object is expected"),
        ([candidates(1), {"query": "q"}], "run.json[1]: an object is expected under 'query'"),
        ([candidates(1), candidates(1)], "run.json[1]: query 'q1' stands twice; keep one"),
        (
            [candidates(1), {"query": {"qid": "q2"}, "candidates": {}}],
            "run.json, query 'q2', candidates: a list of objects is expected",
        ),
        (
            [{"query": {"qid": "q2"}, "candidates": [{"docid": "d", "score": 1}] * 2}],
            "run.json, query 'q2': document 'd' stands twice; keep one",
        ),
        (
            [{"query": {"qid": "q2"}, "candidates": [{"docid": 1.5, "score": 1}]}],
            "run.json, query 'q2', candidates[0]: docno 1.5 is not text and not a whole number",
        ),
        ([candidates()], "run.json: it holds no documents"),
    ],
)
def test_what_is_wrong_in_a_run_of_rank_llm_is_named_by_its_line_or_keys(
    tmp_path: Path, content: object, message: str
) -> None:
    assert refused(tmp_path, content, form="rank-llm").startswith(message)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (response(), "run.json: it holds no documents"),
        (
            {**response(q1=hits(1)), "details": []},
            "run.json: an object is expected under 'details'",
        ),
        (response(q1=[{"hit": 1}]), "run.json, query 'q1', hits[0]: an object is expected under"),
        (response(q1=hits(1) * 2), "run.json, query 'q1': document 'd1' stands twice; keep one"),
    ],
)
def test_what_is_wrong_in_a_response_is_named_by_its_keys(
    tmp_path: Path, content: object, message: str
) -> None:
    assert refused(tmp_path, content, form="rank-eval-response").startswith(message)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"q1": 7}, "run.json: an object is expected under 'q1'"),
        ({"q1": {"contexts": 7}}, "run.json, query 'q1', contexts: a list of objects is expected"),
        ([7], "run.json: an object of queries is expected"),
    ],
)
def test_what_is_wrong_in_dprs_format_is_named_by_its_keys(
    tmp_path: Path, content: object, message: str
) -> None:
    assert refused(tmp_path, content, form="dpr-run").startswith(message)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], "judged.json: an object with the key requests is expected"),
        ({"requests": {}}, "judged.json, requests: a list of objects is expected"),
        ({"requests": [{}]}, "judged.json, requests[0]: query id None is not text and not a"),
        (
            {"requests": request(1)["requests"] * 2},
            "judged.json, requests[1]: query 'q1' stands twice",
        ),
        (request(), "judged.json: it holds no documents"),
    ],
)
def test_what_is_wrong_in_judgments_is_named_by_its_keys(
    tmp_path: Path, content: object, message: str
) -> None:
    assert refused(tmp_path, content, "judged.json", "rank-eval-request").startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"query": {"qid": 1, "qid": 2}, "candidates": []}', "run.json:1: key 'qid' stands twice"),
        (
            '[{"query": {"qid": 1}, "candidates": [],\n"candidates": []}]',
            "run.json: key 'candidates' stands twice in an object; keep one",
        ),
        (f"{json.dumps(candidates(1))}\n{{]", "run.json:2: not JSON ("),
        (f"{json.dumps(candidates(1))}\n7", "run.json:2: not a JSON object: one object a line"),
        (
            f"{json.dumps(candidates(1))}\n{json.dumps(candidates(1))}",
            "run.json:2: query 'q1' stands twice; keep one",
        ),
        (
            f"{json.dumps(candidates(1))}\n" + '{"query": ' + "[" * 200_000,
            "run.json:2: not JSON (nested too deep)",
        ),
        (f"[{json.dumps(candidates(1))},\n" + "[" * 200_000, "run.json: not JSON (nested too deep"),
        (f"[{json.dumps(candidates(1))},\n]", "run.json:2: not JSON ("),
        (f"[\n{json.dumps(candidates(1))}]" * 2, "run.json:2: not JSON (Extra data"),
    ],
)
def test_what_is_no_such_json_is_named_by_its_line_or_key(
    tmp_path: Path, text: str, message: str
) -> None:
    assert refused(tmp_path, text).startswith(message)


def test_more_than_fits_in_memory_is_refused_by_its_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_JSON", 1_000)
    for content in (response(q1=hits(*range(100, 0, -1))), [candidates(*range(100, 0, -1))]):
        assert refused(tmp_path, content).startswith("run.json: more than 1,000 bytes of JSON")


def test_names_in_messages_are_fit_to_print(tmp_path: Path) -> None:
    for content in (candidates(1, qid="\x1b[31m"), response(**{"\x1b[31m": hits("x")})):
        message = refused(tmp_path, content)
        assert "\\x1b[31m" in message
        assert message.isprintable()
