"""Webhooks: adding and removing them, messages about events, deliveries, and outgoing requests.

A delivery is a job; it is signed, and repeated later if it fails.
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
from evalstore.comparison.claims import is_shown, sentences
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
from evalstore.store.queries.collections import find_collection
from evalstore.tracking.overview import MEASURE

Kind = Literal["run", "gate"]
KINDS: tuple[Kind, ...] = ("run", "gate")
"""The events of webhooks: a new run, a gate that did not pass."""

ALLOWED = "webhook_allowed"
"""The setting with the hosts and networks that are allowed."""

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
    """Add a webhook, of one collection or of all that are not private.

    Raises NotSetUp without a server, DataError for a URL that may not be used, NotFound without
    such a collection.
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
        # The URL may hold a secret of the receiver.
        events.log(connection, "server", collection, host or "", now, change="webhook", webhook=id_)
        return NewWebhook(id_, secret)

    return store.transact(work)


def remove_webhook(store: Store, webhook_id: int) -> None:
    """Remove a webhook, or NotFound."""

    def work(connection: Connection) -> None:
        hook = _find(connection, webhook_id)
        webhooks.delete_webhook(connection, webhook_id)
        host, now = urlsplit(hook.url).hostname or "", datetime.now(UTC)
        details = {"change": "webhook removed", "webhook": webhook_id}
        events.log(connection, "server", hook.collection, host, now, **details)

    store.transact(work)


def find_webhook(store: Store, webhook_id: int) -> StoredWebhook:
    """The webhook with that id, or NotFound."""
    with store.read() as connection:
        return _find(connection, webhook_id)


def list_webhooks(store: Store) -> list[StoredWebhook]:
    """Every webhook, by its id."""
    with store.read() as connection:
        return webhooks.list_webhooks(connection)


def allowed(store: Store) -> Allowed:
    """The hosts and networks that webhooks may have beyond https to the internet."""
    names = allowed_names(store)
    networks = tuple(ip_network(name) for name in names if _is_network(name))
    return Allowed(frozenset(name for name in names if not _is_network(name)), networks)


def allowed_names(store: Store) -> list[str]:
    """The hosts and networks that are allowed, as they are written."""
    with store.read() as connection:
        names: list[str] = json.loads(load_settings(connection).get(ALLOWED, "[]"))
    return names


def allow(store: Store, name: str) -> str:
    """Allow a host name, or a network (an address is one of itself); returns how it is written.

    Raises NotSetUp without a server, DataError for anything else.
    """
    written = _written(name)
    _set_allowed(store, [*(n for n in allowed_names(store) if n != written), written], written)
    return written


def forbid(store: Store, name: str) -> str:
    """Forbid what was allowed, or NotFound; returns how it was written."""
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
        events.log(connection, "server", None, changed, datetime.now(UTC), change=change)

    store.transact(work)


def _written(name: str) -> str:
    text = name.strip().lower()
    try:
        return str(ip_network(text))
    except ValueError as error:
        if "/" not in text and ":" not in text and HOST.fullmatch(text):
            return text
        reason = str(error) if "/" in text else "neither"
        sentence = f"{name!r} is no host name and no network like 10.1.0.0/16"
        raise DataError(sentence if reason == "neither" else f"{sentence}: {reason}") from None


def _is_network(name: str) -> bool:
    return "/" in name


def _find(connection: Connection, webhook_id: int) -> StoredWebhook:
    hook = webhooks.find_webhook(connection, webhook_id)
    if hook is None:
        raise NotFound(f"there is no webhook {webhook_id}")
    return hook


# Messages: the events that webhooks are told of, and the content

MOST_EVENTS = 500
"""In one transaction."""

NEW_RUN = ("stored", "replaced")
"""Statuses of a new run: neither one that is there already, nor a new evaluation."""


def add_deliveries(store: Store) -> int:
    """Add a job for each event that a webhook is to be told of; the number of jobs.

    The events were written in the transaction that they tell of, and here the jobs and the place
    that each webhook has reached: so it is told of each once, whichever process stored the run.
    """
    with store.read() as connection:
        newest = webhooks.last_event(connection)
        if all(hook.event_id >= newest for hook in webhooks.list_webhooks(connection)):
            return 0

    def work(connection: Connection) -> int:
        behind = [h for h in webhooks.list_webhooks(connection) if h.event_id < newest]
        if not behind:
            return 0
        first = min(hook.event_id for hook in behind)
        new = webhooks.events_after(connection, first, MOST_EVENTS)
        reached = new[-1].id if len(new) == MOST_EVENTS else newest
        asked = 0
        for event in new:
            for hook in behind:
                if hook.event_id < event.id and concerns(event, hook):
                    _ask(connection, event, hook)
                    asked += 1
        ids = [hook.id for hook in behind if hook.event_id < reached]
        webhooks.set_last_event(connection, ids, reached)
        return asked

    return store.transact(work)


def kind_of(event: NewEvent) -> Kind | None:
    """The kind of an event to webhooks; None if they are not told of it."""
    details = event.details or {}
    if event.action == "gate":
        return None if details.get("outcome") == "passed" else "gate"
    return "run" if details.get("kind") == "run" and details.get("status") in NEW_RUN else None


def concerns(event: NewEvent, hook: StoredWebhook) -> bool:
    """Whether a webhook is told of an event: of a private collection only its own are."""
    kind = kind_of(event)
    if kind is None or kind not in hook.tells_of.split(","):
        return False
    if hook.collection_id is not None:
        return hook.collection_id == event.collection_id
    return event.access != "private"


def message(store: Store, url: PublicUrl, event: Mapping[str, Any]) -> dict[str, Any]:
    """The content of a message about an event, which the job of the delivery has."""
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
    """The claim about a run beside the baseline of its collection; None without one."""
    try:
        options, measures = ComparisonOptions(collection=collection), {MEASURE: parse(MEASURE)}
        compared = compare_loaded(load(LocalStore(store), [run], measures, options), measures)
    except EvalstoreError:
        return None  # no baseline, or the baseline itself, or a run that is gone again
    if not compared.pairs:
        return None
    pair = compared.pairs[0]
    return {
        "baseline": compared.runs[0].name,
        "measure": pair.measure,
        "difference": pair.difference,
        "is_shown": is_shown(pair, compared.settings, len(compared.pairs)),
        "claim": next(iter(sentences(compared))),
    }


# Deliveries: requests to webhooks, signed, and repeated later if they fail

DELAYS = tuple(timedelta(minutes=minutes) for minutes in (1 / 6, 1, 10, 60, 360))
"""Between a failed try and the next one."""
MOST_TRIES = len(DELAYS) + 1

SIGNATURE = "Evalstore-Signature"
DELIVERY_ID = "Evalstore-Delivery"
EVENT = "Evalstore-Event"


def signature(secret: str, timestamp: int, body: bytes) -> str:
    """The header of a signature: `t=1790000000,v1=HEX`.

    HEX is the HMAC-SHA256 of the timestamp, a full stop and the body, with the secret's UTF-8 as
    its key. The timestamp is in seconds since 1970 (UTC), so that a receiver can refuse old ones.
    """
    signed = str(timestamp).encode() + b"." + body
    return f"t={timestamp},v1={hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()}"


def deliver(store: Store, job: StoredJob) -> dict[str, Any]:
    """Deliver the message of a job; returns the result of the job.

    Raises NotFound if the webhook was removed, DataError if it failed; another job is in the queue
    if there are tries left.
    """
    payload = dict(job.payload)
    hook = find_webhook(store, payload["webhook"])
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


def try_webhook(store: Store, webhook_id: int) -> int:
    """Send a message of no event at once; the status of the answer. DataError: it failed."""
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
    """Store the result of a try, with the job of the next one."""

    def work(connection: Connection) -> None:
        webhooks.set_result(connection, hook.id, datetime.now(UTC), result)
        if again is not None and payload is not None:
            add_delivery(connection, payload, collection_id, again)

    store.queue(work)


# Requests that the server itself sends: to addresses that an administrator allowed, and no others.
#
# A name can lead anywhere, and elsewhere a moment later. So it is resolved once, each of its
# addresses is checked, and the connection is made to the address that was checked. No redirect is
# followed, no proxy of the environment is used, and of the answer only the status is read.

IpAddress = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
Resolve = Callable[[str, int], Iterable[str]]

SECONDS_TO_CONNECT = 5
SECONDS_IN_ALL = 10
MOST_ADDRESSES = 4
"""Of a name, which are tried one after the other."""

NEVER_BY_NAME = tuple(
    ip_network(text)
    for text in (
        "0.0.0.0/8", "127.0.0.0/8", "169.254.0.0/16", "100.100.100.200/32", "192.0.0.0/24",
        "168.63.129.16/32", "::/127", "fe80::/10", "fd00:ec2::/32",
    )
)  # fmt: skip
"""This machine, and where clouds keep the credentials of machines: an allowed host name may not
lead there, only an allowed network."""

NOT_GLOBAL = tuple(ip_network(text) for text in ("192.88.99.0/24", "64:ff9b:1::/48", "fec0::/10"))
"""Old and local networks that some versions of Python take for the internet."""

NAT64 = ip_network("64:ff9b::/96")
IPV4_COMPATIBLE = ip_network("::/96")


class NotAllowed(DataError):
    """The address is none that may be used."""


class NotDelivered(DataError):
    """There was no answer, or none that is a success."""


@dataclass(frozen=True)
class Allowed:
    """Addresses that an administrator allowed beyond https to the internet.

    Attributes:
        hosts: names, in small letters; they may have private addresses, and be used by http.
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
    """Whether an address is one of the internet, for a single machine."""
    return (
        address.is_global
        and not address.is_multicast
        and not address.is_reserved
        and not any(address in network for network in (*NEVER_BY_NAME, *NOT_GLOBAL))
    )


def embedded(address: IpAddress) -> list[IpAddress]:
    """The IPv4 address that an IPv6 address stands for or leads to: mapped, 6to4, Teredo, NAT64."""
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
    """The parts of a URL that may be used, as far as the URL itself tells.

    Raises NotAllowed, or DataError if it is none.
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
    """Sends requests to addresses that are allowed; each takes so many `seconds` at most."""

    allowed: Allowed
    resolve: Resolve = resolve
    context: ssl.SSLContext = field(default_factory=ssl.create_default_context)
    seconds: float = SECONDS_IN_ALL

    def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> int:
        """Send a body; returns the status of the answer, which is a success (2xx).

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
        # The function by which http.client connects: here, to an address that was checked.
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
        """The addresses to connect to: all that a name has must be allowed."""
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
    """A connection to one of some addresses, which ends after a time whatever its other end does.

    A timeout of a socket is that of each read: a byte now and then never reaches it.
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
            self._copy = made.dup()  # TLS takes the socket itself away
            if self._over.is_set():
                self.end()
            return made
        raise error

    @property
    def is_over(self) -> bool:
        """Whether the time is over."""
        return self._over.is_set()

    def end(self) -> None:
        """Break the connection off."""
        self._over.set()
        if self._copy is not None:
            with suppress(OSError):
                self._copy.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Give the copy of the socket back."""
        if self._copy is not None:
            self._copy.close()


def _check_address(host: str, address: IpAddress, allowed: Allowed) -> None:
    if not allowed.permits(host, address):
        where = "" if str(address) == host else f"{host!r} is at "
        raise NotAllowed(f"{where}{address}, which is not an address of the internet, nor allowed")


def _literal(host: str) -> IpAddress | None:
    """The address that a host is written as; None for a name."""
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
