"""Webhooks: adding and removing them, messages about events, deliveries, and outgoing requests.

A delivery is a job; it is signed, and tried again later if it fails.
"""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import re
import secrets
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any, Literal
from urllib.parse import SplitResult, urlsplit

from sqlalchemy import Connection

import evalstore
from dashboard.address import Address
from evalstore.client.any_store import LocalStore
from evalstore.client.connection import PORTS
from evalstore.comparison.compare import ComparisonOptions, compare_loaded, load
from evalstore.errors import DataError, EvalstoreError, NotFound
from evalstore.measures import parse
from evalstore.server.jobs.queue import request_hash
from evalstore.server.setup import PublicUrl, settings
from evalstore.store import Store
from evalstore.store.access import jobs, webhooks
from evalstore.store.access.jobs import DELIVERY, StoredJob
from evalstore.store.access.settings import load_settings, set_settings
from evalstore.store.access.webhooks import NewEvent, StoredWebhook
from evalstore.store.queries import events
from evalstore.store.queries.collections import access_of_collections, find_collection
from evalstore.tracking.overview import MEASURE

Kind = Literal["run", "gate"]
KINDS: tuple[Kind, ...] = ("run", "gate")
"""Events that webhooks can get: a new run, and a gate that did not pass."""

ALLOWED = "webhook_allowed"
"""The name of the setting with the allowed hosts and networks."""

HOST = re.compile(r"[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_])?")
LONGEST_URL = 2_000


@dataclass(frozen=True)
class NewWebhook:
    """A webhook that was added, with its secret, which is not shown again."""

    id: int
    secret: str


def add_webhook(
    store: Store, url: str, collection: str | None = None, kinds: tuple[Kind, ...] = KINDS
) -> NewWebhook:
    """Add a webhook for one collection, or for all collections that are not private.

    Raises NotSetUp without a server, DataError for a URL that is not allowed, NotFound without such
    a collection.
    """
    settings(store)
    if len(url) > LONGEST_URL:
        raise DataError(f"the URL has more than {LONGEST_URL:,} characters")
    host = check_url(url, allowed(store)).hostname
    secret = f"evh_{secrets.token_urlsafe(32)}"
    chosen = ",".join(kind for kind in KINDS if kind in kinds)

    def work(connection: Connection) -> NewWebhook:
        now, collection_id = datetime.now(UTC), None
        if collection is not None:
            collection_id = find_collection(connection, collection)
            if collection_id is None:
                raise NotFound(f"there is no collection {collection!r} in the store")
        id_ = webhooks.add_webhook(connection, url, collection_id, chosen, secret, now)
        # The URL may contain a secret of the receiver.
        events.log(connection, "server", collection, host or "", now, change="webhook", webhook=id_)
        return NewWebhook(id_, secret)

    return store.transact(work)


def remove_webhook(store: Store, webhook_id: int) -> None:
    """Remove a webhook; NotFound if there is none."""

    def work(connection: Connection) -> None:
        hook = _find(connection, webhook_id)
        webhooks.delete_webhook(connection, webhook_id)
        host, now = urlsplit(hook.url).hostname or "", datetime.now(UTC)
        details = {"change": "webhook removed", "webhook": webhook_id}
        events.log(connection, "server", hook.collection, host, now, **details)

    store.transact(work)


def find_webhook(store: Store, webhook_id: int) -> StoredWebhook:
    """The webhook with that id; NotFound if there is none."""
    with store.read() as connection:
        return _find(connection, webhook_id)


def list_webhooks(store: Store) -> list[StoredWebhook]:
    """Every webhook, by its id."""
    with store.read() as connection:
        return webhooks.list_webhooks(connection)


def allowed(store: Store) -> Allowed:
    """The hosts and networks that webhooks may use besides https to the internet."""
    names = allowed_names(store)
    networks = [name for name in names if "/" in name]
    return Allowed(frozenset(names) - {*networks}, tuple(map(ip_network, networks)))


def allowed_names(store: Store) -> list[str]:
    """The allowed hosts and networks, in their usual form."""
    with store.read() as connection:
        names: list[str] = json.loads(load_settings(connection).get(ALLOWED, "[]"))
    return names


def allow(store: Store, name: str) -> str:
    """Allow a host name or a network (or a single address); return it in its usual form.

    Raises NotSetUp without a server, DataError for anything else.
    """
    written = _written(name)
    _set_allowed(store, [*(n for n in allowed_names(store) if n != written), written], written)
    return written


def forbid(store: Store, name: str) -> str:
    """Forbid an allowed name and return it in its usual form; NotFound if it was not allowed."""
    written, names = _written(name), allowed_names(store)
    if written not in names:
        raise NotFound(f"{written} was not allowed")
    _set_allowed(store, [each for each in names if each != written], written)
    return written


def _set_allowed(store: Store, names: list[str], changed: str) -> None:
    settings(store)
    change = "webhooks allowed" if changed in names else "webhooks no longer allowed"

    def work(connection: Connection) -> None:
        set_settings(connection, {ALLOWED: json.dumps(sorted(names))})
        events.log(connection, "server", None, changed, change=change)

    store.transact(work)


def _written(name: str) -> str:
    text = name.strip().lower()
    try:
        return str(ip_network(text))
    except ValueError as error:
        if "/" not in text and ":" not in text and HOST.fullmatch(text):
            return text
        reason = f": {error}" if "/" in text else ""
        sentence = f"{name!r} is no host name and no network like 10.1.0.0/16"
        raise DataError(sentence + reason) from None


def _find(connection: Connection, webhook_id: int) -> StoredWebhook:
    hook = webhooks.find_webhook(connection, webhook_id)
    if hook is None:
        raise NotFound(f"there is no webhook {webhook_id}")
    return hook


# Messages: the events that webhooks get, and their content

MOST_EVENTS = 500
"""Maximum number of events in one transaction."""

NEW_RUN = ("stored", "replaced")
"""Statuses of a new run; a run stored before or only evaluated again is not new."""


def add_deliveries(store: Store) -> None:
    """Add a job for each event that a webhook should get.

    Each event was written in the transaction of the change itself. Here the jobs are written
    together with the position that each webhook has reached. So a webhook gets each event once,
    whichever process stored the run.
    """
    with store.read() as connection:
        newest = webhooks.last_event(connection)
        if all(hook.event_id >= newest for hook in webhooks.list_webhooks(connection)):
            return

    def work(connection: Connection) -> None:
        behind = [h for h in webhooks.list_webhooks(connection) if h.event_id < newest]
        if not behind:
            return
        first = min(hook.event_id for hook in behind)
        new = webhooks.events_after(connection, first, MOST_EVENTS)
        reached = new[-1].id if len(new) == MOST_EVENTS else newest
        for event in new:
            for hook in behind:
                if hook.event_id < event.id and concerns(event, hook):
                    _ask(connection, event, hook)
        ids = [hook.id for hook in behind if hook.event_id < reached]
        webhooks.set_last_event(connection, ids, reached)

    store.transact(work)


def kind_of(event: NewEvent) -> Kind | None:
    """The kind of an event for webhooks; None if they do not get it."""
    details = event.details or {}
    if event.action == "gate":
        return None if details.get("outcome") == "passed" else "gate"
    return "run" if details.get("kind") == "run" and details.get("status") in NEW_RUN else None


def concerns(event: NewEvent, hook: StoredWebhook) -> bool:
    """Whether a webhook gets an event; from a private collection only its own webhooks do."""
    kind = kind_of(event)
    if kind is None or kind not in hook.tells_of.split(","):
        return False
    if hook.collection_id is not None:
        return hook.collection_id == event.collection_id
    return event.access != "private"


def message(store: Store, url: PublicUrl, event: Mapping[str, Any]) -> dict[str, Any]:
    """The content of a message about an event in the job of a delivery."""
    collection, run = event["collection"], event["run"]
    is_stored = event.get("gate", {}).get("is_stored", True)
    page = Address("run", collection, run) if is_stored else Address("leaderboard", collection)
    content = {
        "event": event["event"],
        "at": event["at"],
        "collection": collection,
        "run": run,
        "who": event["who"],
        "link": f"{url}{page.local}",
    }
    if event["event"] == "gate":
        return {**content, "gate": event["gate"]}
    return {**content, "comparison": _claim(store, collection, run)}


def _ask(connection: Connection, event: NewEvent, hook: StoredWebhook) -> None:
    details = event.details or {}
    payload: dict[str, Any] = {
        "webhook": hook.id,
        "delivery": secrets.token_hex(16),
        "tries": 1,
        "event": kind_of(event),
        "at": event.at.isoformat(),
        "collection": event.collection,
        "run": event.subject,
        "who": event.who,
    }
    if event.action == "gate":
        gate = {n: details.get(n) for n in ("outcome", "baseline", "summary", "rules")}
        payload["gate"] = {**gate, "is_stored": details.get("is_stored", True)}
    add_delivery(connection, payload, event.collection_id)


def add_delivery(
    connection: Connection,
    payload: Mapping[str, Any],
    collection_id: int | None,
    not_before: datetime | None = None,
) -> None:
    """Put the job of a delivery into the queue."""
    hash_, now = request_hash(DELIVERY, payload), datetime.now(UTC)
    who = str(payload["who"])
    jobs.add_job(connection, DELIVERY, collection_id, who, payload, hash_, now, not_before)


def _claim(store: Store, collection: str, run: str) -> dict[str, Any] | None:
    """The claim about a run and the baseline of its collection; None without a baseline."""
    try:
        options, measures = ComparisonOptions(collection=collection), {MEASURE: parse(MEASURE)}
        compared = compare_loaded(load(LocalStore(store), [run], measures, options), measures)
    except EvalstoreError:
        return None  # no baseline, or the run is the baseline, or it was removed
    if not compared.pairs:
        return None
    pair = compared.pairs[0]
    return {
        "baseline": compared.runs[0].name,
        "measure": pair.measure,
        "difference": pair.difference,
        "verdict": pair.verdict,
        "is_shown": pair.is_shown,
        "claim": pair.sentence,
    }


# Deliveries: requests to webhooks, signed, and tried again later if they fail

DELAYS = tuple(timedelta(minutes=minutes) for minutes in (1 / 6, 1, 10, 60, 360))
"""Waiting times between a failed try and the next one."""
MOST_TRIES = len(DELAYS) + 1

SIGNATURE = "Evalstore-Signature"
DELIVERY_ID = "Evalstore-Delivery"
EVENT = "Evalstore-Event"


def signature(secret: str, timestamp: int, body: bytes) -> str:
    """The header with a signature: `t=1790000000,v1=HEX`.

    HEX is the HMAC-SHA256 of the timestamp, a full stop and the body; the key is the secret in
    UTF-8. The timestamp is in seconds since 1970 (UTC), so that a receiver can refuse old ones.
    """
    signed = str(timestamp).encode() + b"." + body
    return f"t={timestamp},v1={hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()}"


def deliver(store: Store, job: StoredJob) -> dict[str, Any]:
    """Deliver the message of a job; return the result of the job.

    Raises NotFound if the webhook was removed or may not know the collection any more, DataError
    if the delivery failed; then another job is in the queue if there are tries left.
    """
    payload = dict(job.payload)
    hook = find_webhook(store, payload["webhook"])
    if not _may_be_told(store, hook, job.collection_id):
        words = f"{payload['event']}: not sent, the collection became private or was deleted"
        _set_result(store, hook, words)
        raise NotFound(words)
    if "body" not in payload:  # the same in each try
        content = message(store, settings(store).public_url, payload)
        payload["body"] = json.dumps(content, ensure_ascii=False, allow_nan=False)
    tries = payload["tries"]
    try:
        status = _send(store, hook, payload)
    except EvalstoreError as error:
        is_last = tries >= MOST_TRIES or isinstance(error, NotAllowed)
        again = None if is_last else datetime.now(UTC) + DELAYS[tries - 1]
        later = "given up" if again is None else f"again after {again:%Y-%m-%d %H:%M:%S} UTC"
        words = f"{error} (try {tries} of {MOST_TRIES}, {later})"
        _set_result(store, hook, words, {**payload, "tries": tries + 1}, job.collection_id, again)
        raise DataError(words) from None
    _set_result(store, hook, f"{payload['event']}: answered {status}")
    return {"status": status}


def _may_be_told(store: Store, hook: StoredWebhook, collection_id: int | None) -> bool:
    """Whether a webhook still gets messages of a collection; asked at each try."""
    with store.read() as connection:
        access = access_of_collections(connection).get(collection_id or 0)
    return access is not None and (access != "private" or hook.collection_id == collection_id)


def try_webhook(store: Store, webhook_id: int) -> int:
    """Send a test message at once; return the status of the answer. DataError if it failed."""
    hook = find_webhook(store, webhook_id)
    link = str(settings(store).public_url)
    content = {"event": "test", "at": datetime.now(UTC).isoformat(), "link": link}
    payload = {"event": "test", "delivery": secrets.token_hex(16), "body": json.dumps(content)}
    try:
        status = _send(store, hook, payload)
    except (NotAllowed, NotDelivered) as error:
        _set_result(store, hook, f"test: {error}")
        raise
    _set_result(store, hook, f"test: answered {status}")
    return status


def _send(store: Store, hook: StoredWebhook, payload: Mapping[str, Any]) -> int:
    body = str(payload["body"]).encode()
    headers = {
        "Content-Type": "application/json",
        "User-Agent": f"evalstore/{evalstore.__version__}",
        EVENT: str(payload["event"]),
        DELIVERY_ID: str(payload["delivery"]),
        SIGNATURE: signature(hook.secret, int(time.time()), body),
    }
    return Sender(allowed(store)).post(hook.url, body, headers)


def _set_result(
    store: Store,
    hook: StoredWebhook,
    result: str,
    payload: Mapping[str, Any] | None = None,
    collection_id: int | None = None,
    again: datetime | None = None,
) -> None:
    """Store the result of a try, with the job for the next one."""

    def work(connection: Connection) -> None:
        webhooks.set_result(connection, hook.id, datetime.now(UTC), result)
        if again is not None and payload is not None:
            add_delivery(connection, payload, collection_id, again)

    store.queue(work)


# Requests that the server itself sends: only to addresses that an administrator allowed.
#
# A name can resolve to any address, and to another one a moment later. So it is resolved once, each
# address is checked, and the connection goes to a checked address. Redirects are not followed,
# proxies of the environment are not used, and only the status of the answer is read.

IpAddress = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
Resolve = Callable[[str, int], Iterable[str]]

SECONDS_TO_CONNECT = 5
SECONDS_IN_ALL = 10
MOST_ADDRESSES = 4
"""Maximum of addresses of a name, which are tried one after the other."""

NEVER_BY_NAME = tuple(
    ip_network(text)
    for text in (
        "0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "100.100.100.200/32", "192.0.0.0/24",
        "168.63.129.16/32", "::/127", "fe80::/10", "fd00:ec2::/32",
    )
)  # fmt: skip
"""This machine, and addresses where clouds keep credentials of machines: only an allowed network
may lead there, not an allowed host name."""

NOT_GLOBAL = tuple(ip_network(text) for text in ("192.88.99.0/24", "64:ff9b:1::/48", "fec0::/10"))
"""Old and local networks that some versions of Python consider part of the internet."""

NAT64 = ip_network("64:ff9b::/96")
IPV4_COMPATIBLE = ip_network("::/96")


class NotAllowed(DataError):
    """The address may not be used."""


class NotDelivered(DataError):
    """There was no answer, or one that is not a success."""


@dataclass(frozen=True)
class Allowed:
    """Addresses that an administrator allowed besides https to the internet.

    Attributes:
        hosts: names, in lower case; they may have private addresses, and be used by http.
        networks: addresses that may be used, whatever their name.
    """

    hosts: frozenset[str] = frozenset()
    networks: tuple[Network, ...] = ()

    def permits(self, host: str, address: IpAddress) -> bool:
        """Whether a host may be used at one of its addresses."""
        inner = embedded(address)
        every, meant = [address, *inner], inner or [address]
        if self._has(address) or all(self._has(one) for one in meant):
            return True
        if all(is_public(one) for one in meant):
            return True
        is_unsafe = any(one in network for one in every for network in NEVER_BY_NAME)
        return host in self.hosts and not is_unsafe and not any(one.is_multicast for one in every)

    def _has(self, address: IpAddress) -> bool:
        return any(address in network for network in self.networks)

    def permits_http(self, host: str) -> bool:
        """Whether a host may be used without encryption."""
        literal = _literal(host)
        return host in self.hosts or (literal is not None and self._has(literal))


def is_public(address: IpAddress) -> bool:
    """Whether an address belongs to a single machine on the internet."""
    return (
        address.is_global
        and not address.is_multicast
        and not address.is_reserved
        and not any(address in network for network in (*NEVER_BY_NAME, *NOT_GLOBAL))
    )


def embedded(address: IpAddress) -> list[IpAddress]:
    """The IPv4 address inside an IPv6 address: mapped, 6to4, Teredo, NAT64."""
    if isinstance(address, IPv4Address):
        return []
    if address.ipv4_mapped is not None:
        return [address.ipv4_mapped]
    if address.sixtofour is not None:
        return [address.sixtofour]
    if address.teredo is not None:
        return list(address.teredo)
    if address in NAT64 or (address in IPV4_COMPATIBLE and int(address) > 1):
        return [IPv4Address(int(address) & 0xFFFFFFFF)]
    return []


def check_url(url: str, allowed: Allowed) -> SplitResult:
    """The parts of an allowed URL, as far as the URL itself shows that it is allowed.

    Raises NotAllowed, or DataError if it is no URL.
    """
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError as error:
        raise DataError(f"{url!r} is no URL: {error}") from None
    if parts.scheme not in PORTS or not host or not url.isascii() or not url.isprintable():
        raise DataError(f"{url!r} is no URL of a webhook: write it like https://host.example/path")
    if " " in url or "\\" in url or parts.username is not None or parts.fragment:
        raise DataError(f"{url!r}: a webhook has no user, no fragment and no spaces in its URL")
    if parts.scheme == "http" and not allowed.permits_http(host):
        raise NotAllowed(f"{url!r} is not encrypted: take https, or allow the host {host!r}")
    literal = _literal(host)
    if literal is not None:
        _check_address(host, literal, allowed)
    return parts


def resolve(host: str, port: int) -> list[str]:
    """The addresses of a host name, as this machine resolves it."""
    entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in entries]


@dataclass(frozen=True)
class Sender:
    """Sends requests to allowed addresses; each takes at most `seconds`."""

    allowed: Allowed
    resolve: Resolve = resolve
    context: ssl.SSLContext = field(default_factory=ssl.create_default_context)
    seconds: float = SECONDS_IN_ALL

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> int:
        """Send a body; return the status of the answer, which is a success (2xx).

        Raises NotAllowed, or NotDelivered without such an answer.
        """
        parts = check_url(url, self.allowed)
        host, port = parts.hostname or "", parts.port or PORTS[parts.scheme]
        connection: http.client.HTTPConnection
        if parts.scheme == "https":
            connection = http.client.HTTPSConnection(host, port, context=self.context)
        else:
            connection = http.client.HTTPConnection(host, port)
        limit = _TimeLimit(self._addresses(host, port))
        # http.client connects with this function: here, only to a checked address.
        connection._create_connection = limit.connect  # type: ignore[attr-defined]  # not in the stubs
        connection.timeout = SECONDS_TO_CONNECT
        timer = threading.Timer(self.seconds, limit.end)
        timer.daemon = True
        timer.start()
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        try:
            connection.request("POST", path, body, dict(headers))
            status = connection.getresponse().status
        except (OSError, http.client.HTTPException, ValueError) as error:
            reason = "it took too long" if limit.is_over else _reason(error)
            raise NotDelivered(f"no answer: {reason}") from None
        finally:
            timer.cancel()
            connection.close()
            limit.close()
        if 300 <= status < 400:
            raise NotDelivered(f"answered {status}: redirects are not followed")
        if not 200 <= status < 300:
            raise NotDelivered(f"answered {status}")
        return status

    def _addresses(self, host: str, port: int) -> list[str]:
        """The addresses to connect to; every address of a name must be allowed."""
        literal = _literal(host)
        try:
            addresses = [str(literal)] if literal is not None else list(self.resolve(host, port))
        except (OSError, UnicodeError):
            addresses = []
        if not addresses:
            raise NotDelivered(f"there is no host {host!r}")
        for text in addresses:
            _check_address(host, ip_address(text), self.allowed)
        return list(dict.fromkeys(addresses))[:MOST_ADDRESSES]


class _TimeLimit:
    """A connection to one of some addresses that ends after a time, whatever the other side does.

    A socket timeout is for each read: a byte now and then never reaches it.
    """

    def __init__(self, addresses: list[str]) -> None:
        self._addresses = addresses
        self._over = threading.Event()
        self._copy: socket.socket | None = None

    def connect(self, target: tuple[str, int], timeout: float, _: object = None) -> socket.socket:
        """Connect to the first address that answers."""
        error: OSError = TimeoutError()
        for address in self._addresses:
            if self._over.is_set():
                break
            try:
                made = socket.create_connection((address, target[1]), timeout)
            except OSError as failure:
                error = failure
                continue
            self._copy = made.dup()  # TLS takes over the socket itself
            if self._over.is_set():
                self.end()
            return made
        raise error

    @property
    def is_over(self) -> bool:
        """Whether the time has passed."""
        return self._over.is_set()

    def end(self) -> None:
        """Break the connection."""
        self._over.set()
        if self._copy is not None:
            with suppress(OSError):
                self._copy.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the copy of the socket."""
        if self._copy is not None:
            self._copy.close()


def _check_address(host: str, address: IpAddress, allowed: Allowed) -> None:
    if not allowed.permits(host, address):
        where = "" if str(address) == host else f"{host!r} is at "
        raise NotAllowed(f"{where}{address}, which is not an address of the internet, nor allowed")


def _literal(host: str) -> IpAddress | None:
    """The IP address that a host is written as; None for a name."""
    try:
        return ip_address(host)
    except ValueError:
        return None


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "it took too long"
    if isinstance(error, ssl.SSLError):
        return f"TLS: {error.reason or 'failed'}".lower().replace("tls", "TLS", 1)
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return type(error).__name__
