"""`oidc-provider-mock`, a provider of logins from PyPI, as a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import requests
from free_ports import free_port

PATIENCE = 300


@dataclass(frozen=True)
class RealProvider:
    """A provider that listens.

    Attributes:
        issuer: its address. The host is localhost, so to a browser it is another site than the
            server at 127.0.0.1.
    """

    issuer: str

    def set_claims(self, subject: str, **claims: object) -> None:
        """Say what the provider tells of a person."""
        requests.put(f"{self.issuer}/users/{subject}", json=claims, timeout=PATIENCE)

    def log_in(self, address: str, subject: str) -> str:
        """Log in on its page without a browser; returns where that leads back to."""
        answer = requests.post(
            address, data={"sub": subject}, allow_redirects=False, timeout=PATIENCE
        )
        assert answer.status_code == 302, answer.text
        return answer.headers["Location"]


@contextmanager
def real_provider() -> Iterator[RealProvider]:
    """A provider on a free port, ended afterwards."""
    port = free_port()
    bob = {"sub": "4711", "preferred_username": "bob", "groups": ["team"]}
    command = [sys.executable, "-m", "oidc_provider_mock", "--port", str(port)]
    process = subprocess.Popen(
        [*command, "--require-nonce", "true", "--user-claims", json.dumps(bob)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        provider = RealProvider(f"http://localhost:{port}")
        _wait_for(provider, process)
        yield provider
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE)
        finally:
            process.kill()


def _wait_for(provider: RealProvider, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            requests.get(provider.issuer, timeout=PATIENCE).raise_for_status()
            return
        except requests.ConnectionError:
            assert process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.1)
