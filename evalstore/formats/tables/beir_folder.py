"""A folder of BEIR: `corpus.jsonl`, `queries.jsonl` and `qrels/*.tsv`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from evalstore.errors import FileError
from evalstore.formats.source import path_text, printable

MOST_NAMED = 5


@dataclass(frozen=True)
class BeirFolder:
    """The paths of the files of a BEIR folder; None where there is no such file."""

    qrels: str
    queries: str | None
    documents: str | None


def find_beir(folder: str, qrels: str | None = None) -> BeirFolder:
    """The files of a BEIR folder.

    Args:
        folder: the folder.
        qrels: the judgments to take, where the folder has several splits.

    Raises:
        FileError: there is no such folder, no judgments in it, or several and none is given.
    """
    root = Path(folder)
    if not root.is_dir():
        raise FileError(path_text(folder), None, "no such folder")
    if qrels is None:
        splits = sorted([*root.glob("qrels/*.tsv"), *root.glob("qrels/*.tsv.gz")])
        if not splits:
            what = "no judgments, qrels/*.tsv: is this a folder of BEIR?"
            raise FileError(path_text(folder), None, what)
        if len(splits) > 1:
            names = ", ".join(printable(split.name) for split in splits[:MOST_NAMED])
            raise FileError(
                *(path_text(folder), None, f"judgments of several splits ({names}): choose one"),
                problem="which split",
            )
        qrels = str(splits[0])
    return BeirFolder(qrels, _present(root, "queries.jsonl"), _present(root, "corpus.jsonl"))


def _present(root: Path, name: str) -> str | None:
    """The path of a file, or of the same packed with gzip."""
    files = (root / name, root / f"{name}.gz")
    return next((str(file) for file in files if file.is_file()), None)
