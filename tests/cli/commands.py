"""A call of every command, in the folder that `fill` makes; a test holds that all are here."""

from __future__ import annotations

from pathlib import Path

from samples import TFIDF, add, write_qrels, write_run

from evalstore.catalog.collections import remove_collections
from evalstore.catalog.qrels import remove_qrels
from evalstore.catalog.queries import tag_queries
from evalstore.comparison.choosing.baselines import set_baseline
from evalstore.judging.drafts import Assessment, PoolDocument, assess, new_draft
from evalstore.server.oidc.providers import add_provider
from evalstore.server.people.accounts import add_person
from evalstore.server.people.invitations import invite
from evalstore.server.people.tokens import create_token
from evalstore.server.setup import set_up
from evalstore.server.webhooks import add_webhook, allow
from evalstore.store import Store
from evalstore.tracking.experiments import new_experiment
from evalstore.transfer.export_parquet import export_parquet


def fill(folder: Path) -> None:
    """A store of one run under several qrels, one of them removed as is a collection; its files."""
    run = write_run(folder)
    other = write_run(folder, TFIDF, "tfidf.run", "tfidf")
    with Store.open(str(folder / "evalstore.db")) as store:
        add(store, folder, run, other)
        for name in ("second", "old"):
            add(
                store,
                folder,
                run,
                qrels=write_qrels(folder, {"q1": {name: 1}, "q2": {name: 1}}, f"{name}.qrels"),
            )
        add(store, folder, run, collection="gone")
        set_baseline(store, "bm25", "test")
        new_draft(store, "test", "d", documents=[PoolDocument("q1", "d9")])
        assess(store, "test", "d", "ann", [Assessment("q1", "d9", 1)])
        new_experiment(store, "june", "what?")
        tag_queries(store, "test", {"q1": {"lang": "de"}})
        remove_qrels(store, ["old"])
        remove_collections(store, ["gone"])
        set_up(store, "http://localhost:8050", "ann")
        add_person(store, "bob", "reader")
        invite(store, "reader")
        create_token(store, "ci", "contributor")
        allow(store, "hook.example")
        add_webhook(store, "http://hook.example/1")
        (folder / "secret").write_text("hush\n", encoding="utf-8")
        add_provider(store, "corp", "https://corp.example", "x", str(folder / "secret"))
        export_parquet(store, folder / "exported")


def status_of_error(call: tuple[str, ...]) -> int:
    """The exit status of a call that fails for its data: 1 of `check` says that a run is worse."""
    return 2 if call[0] == "check" else 1


CALLS: list[tuple[str, ...]] = [
    ("ingest", "--collection", "test", "--qrels", "test.qrels", "bm25.run"),
    ("reevaluate", "-m", "P@7"),
    ("reevaluate", "--collection", "test", "--qrels", "second"),
    ("runs",),
    ("runs", "--where", "run=bm25", "--find", "bm25"),
    ("leaderboard", "test"),
    ("power", "test"),
    ("agreement", "test"),
    ("compare", "bm25", "bm25"),
    ("holes", "bm25", "tfidf"),
    ("reproduce", "bm25", "tfidf"),
    ("pool", "bm25", "tfidf", "--depth", "2"),
    ("export", "report", "bm25", "--output", "r.html"),
    ("export", "figure", "recall-precision", "bm25", "--output", "f.svg"),
    ("history", "bm25", "-m", "AP"),
    ("runs", "show", "bm25"),
    ("runs", "diff", "bm25", "tfidf"),
    ("runs", "edit", "bm25", "--param", "k1=0.9", "--note", "good"),
    ("check", "bm25", "--baseline", "bm25", "--fail-if", "AP drop > 1"),
    ("sql", "SELECT run, value FROM leaderboard"),
    ("export", "run", "bm25"),
    ("export", "qrels", "test"),
    ("export", "comparison", "bm25", "bm25", "--format", "csv"),
    ("export", "leaderboard", "test", "--format", "csv"),
    ("export", "parquet", "tables"),
    ("values", "bm25"),
    ("explain", "bm25", "q1"),
    ("runs", "rm", "bm25"),
    (
        "runs",
        "restore",
    ),
    (
        "runs",
        "purge",
    ),
    ("runs", "edit", "bm25", "--name", "other"),
    ("runs", "edit", "bm25", "--engine", "other"),
    ("runs", "tag", "bm25", "good"),
    ("runs", "comment", "bm25", "*good*"),
    (
        "db",
        "events",
    ),
    ("dashboard", "--port", "0"),
    ("server", "start", "--port", "0"),
    (
        "server",
        "worker",
    ),
    ("server", "url", "http://localhost:9000"),
    ("server", "limits", "lines=1000"),
    ("server", "webhooks", "add", "https://hook.example/2", "--collection", "test", "--on", "run"),
    ("server", "webhooks"),
    ("server", "webhooks", "allow", "10.1.0.0/16"),
    ("server", "webhooks", "rm", "1"),
    (
        "server",
        "providers",
        "add",
        "okta",
        "--issuer",
        "https://login.example",
        "--client-id",
        "x",
        "--client-secret-file",
        "secret",
        "--group",
        "team=reader:test",
    ),
    ("server", "providers"),
    ("server", "providers", "rm", "corp"),
    ("server", "users", "add", "eve", "--role", "reader", "--collection", "test"),
    ("server", "users", "invite", "eve", "--role", "reader"),
    ("server", "users", "invitations"),
    ("server", "users", "uninvite", "1"),
    ("server", "users"),
    ("server", "users", "sessions"),
    ("server", "users", "password", "bob"),
    ("server", "users", "disable", "bob"),
    ("server", "users", "enable", "bob"),
    ("server", "users", "logout", "bob"),
    ("server", "users", "rm", "bob"),
    ("server", "roles", "grant", "bob", "--role", "contributor"),
    ("server", "roles", "withdraw", "bob"),
    ("server", "roles"),
    ("server", "tokens", "create", "nightly", "--role", "reader", "--expires", "90d"),
    ("server", "tokens", "revoke", "ci"),
    ("server", "tokens"),
    ("demo", "--no-serve"),
    ("qrels",),
    ("qrels", "diff", "test", "test"),
    ("qrels", "reuse", "test"),
    ("qrels", "repeats", "test", "test"),
    ("qrels", "show", "test"),
    ("qrels", "edit", "test", "q1", "d1", "0", "--reason", "why", "--collection", "test"),
    ("qrels", "draft", "--collection", "test"),
    ("qrels", "draft", "new", "fresh", "bm25", "--depth", "9", "--collection", "test"),
    ("qrels", "draft", "add", "d", "test.qrels", "--assessor", "ann", "--collection", "test"),
    ("qrels", "draft", "show", "d", "--collection", "test"),
    ("qrels", "draft", "publish", "d", "made", "--reason", "why", "--collection", "test"),
    ("qrels", "draft", "rm", "d", "--collection", "test"),
    ("qrels", "default", "test"),
    ("qrels", "rename", "test", "other"),
    ("qrels", "rm", "second"),
    ("qrels", "restore", "old"),
    ("qrels", "purge"),
    ("collections",),
    ("collections", "rename", "test", "other"),
    ("collections", "access", "test", "private"),
    ("collections", "measures", "test", "AP,nDCG@10,P@10"),
    ("collections", "map", "test", "rag", "qid=query,docno=doc"),
    ("collections", "map", "test"),
    ("collections", "rm", "test"),
    ("collections", "restore", "gone"),
    ("collections", "purge"),
    ("runs", "baseline", "bm25"),
    ("runs", "baseline"),
    ("runs", "baseline", "--unset", "--collection", "test"),
    ("experiments",),
    ("experiments", "show", "june"),
    ("experiments", "new", "july", "--question", "which?"),
    ("experiments", "edit", "june", "--conclusion", "none"),
    ("experiments", "rename", "june", "july"),
    ("experiments", "rm", "june"),
    ("queries", "--collection", "test"),
    ("queries", "tag", "--collection", "test", "lang=en", "q1"),
    ("queries", "untag", "--collection", "test", "lang", "q1"),
    ("db", "upgrade"),
    ("db", "current"),
    ("db", "check"),
]
"""With a store, which takes --db."""

OTHERS: list[tuple[str, ...]] = [
    ("evaluate", "test.qrels", "bm25.run"),
    ("measures",),
    ("ingest", "--formats"),
    ("explain", "test.qrels", "bm25.run", "q1"),
    ("db", "copy", "--from", "evalstore.db", "--to", "copy.db"),
    ("db", "import", "exported", "--db", "new.db"),
    ("server", "init", "--public-url", "http://localhost", "--admin", "ann", "--db", "new.db"),
]

UNTESTED = {
    ("db", "readonly-role"),
    ("server", "webhooks", "test"),
    ("server", "login"),
    ("server", "logout"),
}
"""They need PostgreSQL (tests/sql/test_readonly_role.py), a receiver (test_webhooks.py) or a server
(test_client_process.py)."""

MAKES_A_STORE = {"ingest", "demo", "db"}
