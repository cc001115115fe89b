"""The schema of ir_metadata: which keys a header has, and what each of them holds.

Source: the checklists at https://www.ir-metadata.org, version 0.1 (Breuer, Keller and Schaer,
SIGIR 2022), and the keys that TIREx Tracker adds as version 0.2.
"""

from __future__ import annotations

from typing import Any, Final

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
