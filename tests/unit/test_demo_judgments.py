import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from evalstore.demo.engines import ENGINES, VERSIONS
from evalstore.demo.store import DemoFiles, packaged_text, questions, write

pytestmark = pytest.mark.slow  # the demo is built

JUDGED_ON = (3, 11)
"""The Python whose documents were judged. Others differ a little in their documents."""

Grades = dict[str, dict[str, int]]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> DemoFiles:
    return write(tmp_path_factory.mktemp("demo"))


@pytest.fixture(scope="module")
def values(files: DemoFiles) -> dict[str, dict[str, float]]:
    """nDCG@10: tag -> qid -> value."""
    graded = judgments()
    values = {}
    for path in files.runs:
        rankings: dict[str, list[str]] = {qid: [] for qid in graded}
        for line in path.read_text(encoding="utf-8").splitlines():
            qid, _, docno, *_ = line.split()
            rankings[qid].append(docno)
        values[path.stem] = {qid: ndcg(rankings[qid], graded[qid]) for qid in graded}
    return values


def judgments() -> Grades:
    """The judgments of the demo: qid -> docno -> grade 0 to 3."""
    judged: Grades = {}
    for line in packaged_text("qrels.txt").splitlines():
        qid, _, docno, grade = line.split()
        judged.setdefault(qid, {})[docno] = int(grade)
    return judged


def pooled(files: DemoFiles, depth: int, *tags: str) -> set[tuple[str, str]]:
    """The first documents of some engines, or of all: (qid, docno)."""
    paths = [path for path in files.runs if not tags or path.stem in tags]
    rows = [line.split() for path in paths for line in path.read_text("utf-8").splitlines()]
    return {(qid, docno) for qid, _, docno, rank, *_ in rows if int(rank) <= depth}


def ndcg(ranking: list[str], grades: dict[str, int], depth: int = 10) -> float:
    gains = [grades.get(docno, 0) for docno in ranking]
    ideal = sorted(grades.values(), reverse=True)
    return dcg(gains[:depth]) / dcg(ideal[:depth])


def dcg(gains: list[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def test_there_are_at_least_forty_questions_each_with_its_own_text() -> None:
    asked = questions()
    assert len(asked) >= 40
    assert len(set(asked.values())) == len(asked)
    assert all(re.fullmatch(r"q\d\d", qid) and text.strip() for qid, text in asked.items())


def test_every_question_is_judged_and_has_an_answer() -> None:
    assert list(judgments()) == list(questions())
    assert all(max(grades.values()) >= 2 for grades in judgments().values())


def test_grades_run_from_0_to_3_and_no_document_is_judged_twice() -> None:
    lines = packaged_text("qrels.txt").splitlines()
    assert {line.split()[3] for line in lines} == {"0", "1", "2", "3"}
    assert len({tuple(line.split()[::2]) for line in lines}) == len(lines)


def test_every_pooled_top_10_document_is_judged(files: DemoFiles) -> None:
    pool = pooled(files, 10)
    judged = {(qid, docno) for qid, grades in judgments().items() for docno in grades}
    share = len(pool & judged) / len(pool)
    assert share >= (0.99 if sys.version_info[:2] == JUDGED_ON else 0.85)


def test_nearly_every_judged_document_exists_in_this_python(files: DemoFiles) -> None:
    existing = {document.docno for document in files.documents}
    judged = [docno for grades in judgments().values() for docno in grades]
    share = sum(docno in existing for docno in judged) / len(judged)
    assert share >= (0.99 if sys.version_info[:2] == JUDGED_ON else 0.9)


def test_there_is_a_run_file_for_each_of_at_least_five_engines(files: DemoFiles) -> None:
    assert len(ENGINES) >= 5
    assert [path.name for path in files.runs] == [f"{engine.tag}.run" for engine in ENGINES]
    assert len({engine.tag for engine in ENGINES}) == len(ENGINES)


def test_run_files_have_six_columns_and_ranks_that_agree_with_their_scores(
    files: DemoFiles,
) -> None:
    for path in files.runs:
        rows = [line.split(" ") for line in path.read_text(encoding="utf-8").splitlines()]
        assert {len(row) for row in rows} == {6}
        assert {row[5] for row in rows} == {path.stem}
        for qid in questions():
            mine = [row for row in rows if row[0] == qid]
            assert [int(row[3]) for row in mine] == list(range(1, len(mine) + 1))
            # score, then docno, both descending: the order in which the run is evaluated
            keys = [(float(row[4]), row[2]) for row in mine]
            assert keys == sorted(keys, reverse=True)


def test_runs_name_only_documents_of_the_collection(files: DemoFiles) -> None:
    existing = {document.docno for document in files.documents}
    for path in files.runs:
        lines = path.read_text(encoding="utf-8").splitlines()
        assert {line.split()[2] for line in lines} <= existing


def test_the_draft_is_the_judgments_of_fewer_documents() -> None:
    full = judgments()
    lines = [line.split() for line in packaged_text("qrels-draft.txt").splitlines()]
    assert all(full[qid][docno] == int(grade) for qid, _, docno, grade in lines)
    assert len({(qid, docno) for qid, _, docno, _ in lines}) == len(lines)
    assert {qid for qid, *_ in lines} == set(full)
    assert len(lines) < sum(map(len, full.values())) / 3


@pytest.mark.skipif(sys.version_info[:2] != JUDGED_ON, reason="other documents")
@pytest.mark.skipif(sys.version_info[:2] != JUDGED_ON, reason="other documents")
def test_the_draft_has_the_judged_of_the_top_5_of_two_engines(files: DemoFiles) -> None:
    judged = {(qid, docno) for qid, grades in judgments().items() for docno in grades}
    drafted = pooled(files, 5, "bm25", "tfidf") & judged
    rows = map(str.split, packaged_text("qrels-draft.txt").splitlines())
    packaged = {(qid, docno) for qid, _, docno, _ in rows}
    assert len(drafted & packaged) >= 0.97 * max(len(drafted), len(packaged))


def test_every_version_has_a_run_file_and_no_two_are_alike(files: DemoFiles) -> None:
    assert list(files.versions) == [version.name for version in VERSIONS]
    assert set(files.runs) <= set(files.versions.values())
    texts = {path.read_bytes() for path in files.versions.values()}
    assert len(texts) == len(VERSIONS)


def test_every_answered_question_is_timed(files: DemoFiles) -> None:
    for name, path in files.versions.items():
        answered = {line.split()[0] for line in path.read_text(encoding="utf-8").splitlines()}
        assert set(files.times[name]) == answered
        assert all(time > 0 for time in files.times[name].values())
        assert files.index_bytes[name] > 1000


def test_the_files_say_what_the_package_says(files: DemoFiles) -> None:
    assert files.qrels.read_text(encoding="utf-8") == packaged_text("qrels.txt")
    assert files.draft.read_text(encoding="utf-8") == packaged_text("qrels-draft.txt")
    assert files.queries.read_text(encoding="utf-8") == packaged_text("questions.tsv")


def test_engines_are_deterministic_whatever_the_process_and_its_hash_seed(
    files: DemoFiles, tmp_path: Path
) -> None:
    script = "import sys; from pathlib import Path; from evalstore.demo.store import write; "
    subprocess.run(
        [sys.executable, "-c", script + "write(Path(sys.argv[1]))", str(tmp_path)],
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "7"},
        cwd=Path(__file__).parents[2],
    )
    for path in files.versions.values():
        assert (tmp_path / "runs" / path.name).read_bytes() == path.read_bytes()


@pytest.mark.parametrize("tag", [engine.tag for engine in ENGINES])
def test_each_of_the_engines_is_best_on_some_query(
    tag: str, values: dict[str, dict[str, float]]
) -> None:
    others = [values[other] for other in values if other != tag]
    assert any(value > max(other[q] for other in others) for q, value in values[tag].items())


def test_engines_differ_moderately_on_average(values: dict[str, dict[str, float]]) -> None:
    means = [sum(by_query.values()) / len(by_query) for by_query in values.values()]
    assert min(means) > 0.2
    assert 0.05 < max(means) - min(means) < 0.4
    assert max(means) < 0.8
