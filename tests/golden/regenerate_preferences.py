"""Make preferences.json anew: `python tests/golden/regenerate_preferences.py`.

Small files of our own making (drawn with fixed seeds), and the values that trec_eval 9 computes of
them, query by query, for its measures of preferences and of judgment groups. pytrec_eval offers
none of these in Python, but its extension module is trec_eval compiled, with every function of it:
they are called here as trec_eval's own program does (read both files, then compute each measure of
each query). Recorded, so that the tests need no extension module of a certain release.
"""

from __future__ import annotations

import ctypes
import json
import random
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

RECORDED = Path(__file__).with_name("preferences.json")

PREFERENCES = tuple(
    f"prefs_{name}"
    for name in (
        *("num_prefs_poss", "num_prefs_ful", "num_prefs_ful_ret"),
        *("simp", "pair", "avgjg", "avgjg_Rnonrel"),
        *("simp_ret", "pair_ret", "avgjg_ret", "avgjg_Rnonrel_ret"),
        *("simp_imp", "pair_imp", "avgjg_imp"),
    )
)
GROUPS = ("map_avgjg", "P_avgjg", "Rprec_mult_avgjg")

# The structures that trec_eval's functions take, as far as they are used here.
WORD, WHOLE, ANY = ctypes.c_char_p, ctypes.c_long, ctypes.c_void_p


class Settings(ctypes.Structure):
    _fields_ = (
        ("flags", WHOLE * 3),
        ("debug_query", WORD),
        ("more_flags", WHOLE * 4),
        ("relevance_level", WHOLE),
        ("most_documents", WHOLE),
        ("formats", WORD * 2),
        ("z_scores", WHOLE),
        ("arguments", ANY),
    )


class Value(ctypes.Structure):
    _fields_ = (("name", WORD), ("value", ctypes.c_double))


class Values(ctypes.Structure):
    _fields_ = (
        ("qid", WORD),
        ("queries", WHOLE),
        ("values", ctypes.POINTER(Value)),
        ("count", WHOLE),
        ("space", WHOLE),
    )


class Ranking(ctypes.Structure):
    _fields_ = (("qid", WORD), ("run_id", WORD), ("format", WORD), ("documents", ANY))


class Rankings(ctypes.Structure):
    _fields_ = (("count", WHOLE), ("space", WHOLE), ("each", ctypes.POINTER(Ranking)))


class Judgments(ctypes.Structure):
    _fields_ = (("qid", WORD), ("format", WORD), ("documents", ANY))


class AllJudgments(ctypes.Structure):
    _fields_ = (("count", WHOLE), ("space", WHOLE), ("each", ctypes.POINTER(Judgments)))


class Measure(ctypes.Structure):
    pass


Measure._fields_ = (
    ("name", WORD),
    ("explanation", WORD),
    ("prepare", ctypes.CFUNCTYPE(ctypes.c_int, ANY, ANY, ANY)),
    ("compute", ctypes.CFUNCTYPE(ctypes.c_int, ANY, ANY, ANY, ANY, ANY)),
    ("others", ANY * 4),
    ("parameters", ANY),
    ("position", WHOLE),
)


def values_by_trec_eval(
    judgment_format: str, judgments: str, run: str, folder: Path
) -> dict[str, dict[str, float]]:
    """The values of trec_eval by query and name.

    Each call loads a copy of the extension module, since trec_eval keeps the last query between
    calls.
    """
    extension = find_spec("pytrec_eval_ext")
    assert extension is not None
    assert extension.origin is not None
    copy = Path(tempfile.mkdtemp(dir=folder)) / "trec_eval.so"
    copy.write_bytes(Path(extension.origin).read_bytes())
    library = ctypes.CDLL(str(copy))
    (folder / "judgments").write_text(judgments)
    (folder / "run").write_text(run)

    settings = Settings(relevance_level=1, most_documents=2**62)
    all_judgments, rankings = AllJudgments(), Rankings()
    at = ctypes.byref
    read = getattr(library, f"te_get_{judgment_format}")
    assert read(at(settings), str(folder / "judgments").encode(), at(all_judgments)) == 1
    assert library.te_get_trec_results(
        at(settings), str(folder / "run").encode(), at(rankings)
    ) == 1  # fmt: skip
    space = (Value * 200)()
    values = Values(values=ctypes.cast(space, ctypes.POINTER(Value)), space=len(space))
    measures = [
        Measure.in_dll(library, f"te_meas_{name}")
        for name in (GROUPS if judgment_format == "qrels_jg" else PREFERENCES)
    ]
    for measure in measures:
        assert measure.prepare(at(settings), at(measure), at(values)) == 1
    judged = {each.qid: each for each in all_judgments.each[: all_judgments.count]}
    computed = {}
    for ranking in rankings.each[: rankings.count]:
        for value in space:
            value.value = 0.0
        query = judged[ranking.qid]
        for measure in measures:
            given = (at(settings), at(query), at(ranking), at(measure), at(values))
            assert measure.compute(*given) == 1
        computed[ranking.qid.decode()] = {
            value.name.decode(): round(value.value, 12) for value in space[: values.count]
        }
    return computed


# --- the files -----------------------------------------------------------------------------------

DOCNOS = [f"d{i}" for i in range(14)]
QIDS = ("1", "2", "3")


def run_text(draw: random.Random) -> str:
    """A run with equal scores and documents that nobody judged."""
    return "".join(
        f"{qid} Q0 {docno} 1 {draw.choice([1, 2, 3])} t\n"
        for qid in QIDS
        for docno in draw.sample([*DOCNOS, "x", "y", "z"], draw.randrange(1, 12))
    )


def preferences_text(draw: random.Random) -> str:
    """Several groups, some with subgroups; each judge has one order, so that none contradicts."""
    lines = []
    for qid in QIDS:
        for group in "abc"[: draw.randrange(1, 4)]:
            level = {docno: draw.choice([0, 0, 1, 2, 3, 5.5]) for docno in DOCNOS}
            for subgroup in "stu"[: draw.choice([1, 1, 2, 3])]:
                for docno in draw.sample(DOCNOS, draw.randrange(1, 12)):
                    lines.append(f"{qid} {group} {subgroup} {docno} {level[docno]}\n")
    return "".join(lines)


def qrels_text(draw: random.Random) -> str:
    """Grades of one judge."""
    return "".join(
        f"{qid} 0 {docno} {draw.choice([0, 0, 0, 1, 2])}\n"
        for qid in QIDS
        for docno in draw.sample(DOCNOS, draw.randrange(1, 14))
    )


def groups_text(draw: random.Random) -> str:
    """Grades of several judges."""
    return "".join(
        f"{qid} {group} {docno} {draw.choice([-1, 0, 0, 1, 2])}\n"
        for qid in QIDS
        for group in "abc"[: draw.randrange(1, 4)]
        for docno in draw.sample(DOCNOS, draw.randrange(1, 14))
    )


JUDGMENTS: dict[str, Callable[[random.Random], str]] = {
    "prefs": preferences_text,
    "qrels_prefs": qrels_text,
    "qrels_jg": groups_text,
}


def main() -> None:
    """Compute and write down the values."""
    cases = []
    for judgment_format, text in JUDGMENTS.items():
        for seed in range(4):
            draw = random.Random(f"{judgment_format} {seed}")
            judgments, run = text(draw), run_text(draw)
            with tempfile.TemporaryDirectory() as folder:
                values = values_by_trec_eval(judgment_format, judgments, run, Path(folder))
            cases.append(
                {"format": judgment_format, "judgments": judgments, "run": run, "values": values}
            )
    recorded = {
        "about": "Made by regenerate_preferences.py: files of ours, and the values of trec_eval 9",
        "versions": {"pytrec_eval-terrier": version("pytrec_eval-terrier")},
        "cases": cases,
    }
    text = json.dumps(recorded, indent=0).replace("\n", " ").replace("}, ", "},\n")
    RECORDED.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
