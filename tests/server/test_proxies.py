"""nginx and Caddy in front of the server, with TLS, as the files of deploy/ have them."""

from __future__ import annotations

import http.client
import os
import re
import shutil
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

import pytest
from free_ports import free_port
from server_process import PATIENCE, ServerProcess, serving

pytestmark = pytest.mark.slow  # processes are started

PREFIX = "/evalstore"
DEPLOY = Path(__file__).parents[2] / "deploy"
NGINX = """
daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
    {site}
}}
"""
CADDY = """
{{
    admin off
    auto_https disable_redirects
    storage file_system {folder}/caddy
}}
{site}
"""
ALONE = "reverse_proxy 127.0.0.1:{server}"
CASES = {
    "nginx": ("nginx", "", "/", ""),
    "nginx, passing the prefix on": ("nginx", PREFIX, f"{PREFIX}/", ""),
    "nginx, taking the prefix off": ("nginx", PREFIX, f"{PREFIX}/", "/"),
    "caddy": ("caddy", "", ALONE, ""),
    "caddy, passing the prefix on": (
        "caddy",
        PREFIX,
        f"reverse_proxy {PREFIX}* 127.0.0.1:{{}}",
        "",
    ),
    "caddy, taking the prefix off": (
        "caddy",
        PREFIX,
        f"handle_path {PREFIX}* {{{{\n reverse_proxy 127.0.0.1:{{}}\n}}}}",
        "",
    ),
}
OF_THE_DAY = ("nginx, passing the prefix on", "caddy, taking the prefix off")


def program(name: str) -> str:
    path = shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/bin")
    if path is None:
        missing = f"no {name}: install it (Debian: apt-get install {name})"
        if os.environ.get("CI") == "true":
            pytest.fail(missing)
        pytest.skip(missing)
    return path


class Site:
    """A host with an own certificate."""

    def __init__(self, port: int, certificate: Path) -> None:
        self.port = port
        self._trusted = ssl.create_default_context(cafile=str(certificate))

    def ask(
        self, method: str, path: str, body: str | None = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPSConnection(
            "localhost", self.port, timeout=PATIENCE, context=self._trusted
        )
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request(method, path, body, named)
            answer = connection.getresponse()
            return answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
        finally:
            connection.close()


@contextmanager
def running(command: list[str], site: Site, folder: Path) -> Iterator[None]:
    """A proxy, from when it answers."""
    environment = {**os.environ, "HOME": str(folder), "XDG_DATA_HOME": str(folder)}
    with (folder / "proxy.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
    try:
        end = time.monotonic() + PATIENCE
        while True:
            try:
                site.ask("GET", "/")
                break
            except OSError:
                assert process.poll() is None, (folder / "proxy.log").read_text()
                assert time.monotonic() < end
                time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE)


@dataclass(frozen=True)
class Behind:
    """A server, and where the proxy before it listens."""

    served: ServerProcess
    url: str
    port: int


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An own certificate for localhost; its key is beside it."""
    own = tmp_path_factory.mktemp("certificate") / "own.pem"
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    files = ["-out", own, "-keyout", own.with_suffix(".key")]
    subprocess.run(
        [program("openssl"), "req", "-x509", *curve, *subject, "-nodes", *files],
        check=True,
        capture_output=True,
    )
    return own


@pytest.fixture(scope="module")
def behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Behind]]:
    """Gives the server whose public URL has a prefix; all proxies before it have the same port."""
    made: dict[str, Behind] = {}
    with ExitStack() as stack:

        def give(prefix: str) -> Behind:
            if prefix not in made:
                port = free_port()
                url = f"https://localhost:{port}{prefix}"
                folder = tmp_path_factory.mktemp("server")
                served = stack.enter_context(serving(folder, url, "--behind-proxy"))
                made[prefix] = Behind(served, url, port)
            return made[prefix]

        yield give


def changed(text: str, *replacements: tuple[str, str]) -> str:
    """The text of a file of `deploy/` with what depends on the machine replaced."""
    for old, new in replacements:
        assert old in text, old
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize(
    "case",
    [
        case if case in OF_THE_DAY else pytest.param(case, marks=pytest.mark.nightly)
        for case in CASES
    ],
)
def test_people_log_in_and_read_through_a_proxy(
    tmp_path: Path, certificate: Path, behind: Callable[[str], Behind], case: str
) -> None:
    name, prefix, location, end = CASES[case]
    binary, server = program(name), behind(prefix)
    for file in (certificate, certificate.with_suffix(".key")):
        shutil.copy(file, tmp_path)
    port = server.served.port
    if name == "nginx":
        site = changed(
            (DEPLOY / "nginx.conf").read_text(encoding="utf-8"),
            ("listen 80;", f"listen 127.0.0.1:{free_port()};"),
            ("listen 443", f"listen 127.0.0.1:{server.port}"),
            ("server_name eval.example.org", "server_name localhost"),
            ("/etc/ssl/eval.example.org.pem", f"{tmp_path}/own.pem"),
            ("/etc/ssl/private/eval.example.org.key", f"{tmp_path}/own.key"),
            ("location / {", f"location {location} {{"),
            ("127.0.0.1:8050", f"127.0.0.1:{port}{end}"),
        )
        text = NGINX.format(folder=tmp_path, site=site)
        (tmp_path / "nginx.conf").write_text(text)
        command = [binary, "-c", str(tmp_path / "nginx.conf"), "-p", str(tmp_path)]
    else:
        site = changed(
            (DEPLOY / "Caddyfile").read_text(encoding="utf-8"),
            ("eval.example.org {", f"https://localhost:{server.port} {{"),
            ("/etc/ssl/eval.example.org.pem", f"{tmp_path}/own.pem"),
            ("/etc/ssl/private/eval.example.org.key", f"{tmp_path}/own.key"),
            ("reverse_proxy 127.0.0.1:8050", location.format(port, server=port)),
        )
        text = CADDY.format(folder=tmp_path, site=site)
        (tmp_path / "Caddyfile").write_text(text)
        command = [binary, "run", "--config", str(tmp_path / "Caddyfile")]
        command += ["--adapter", "caddyfile"]
    site = Site(server.port, certificate)
    with running(command, site, tmp_path):
        # With a path in `proxy_pass` nginx decodes %2F, so names with a slash are not found.
        keeps_slashes = case != "nginx, taking the prefix off"
        walk(site, prefix, server.url, server.served.token, keeps_slashes=keeps_slashes)


def walk(site: Site, prefix: str, url: str, token: str, *, keeps_slashes: bool) -> None:
    origin = f"https://localhost:{site.port}"
    assert site.ask("GET", f"{prefix}/healthz")[0] == 200
    status, headers, _ = site.ask("GET", f"{prefix}/c/test", Accept="text/html")
    assert (status, headers["location"]) == (303, f"{prefix}/login?next=/c/test")
    form = urlencode({"name": "ann", "password": "correct horse battery", "next": "/c/test"})
    status, headers, text = site.ask(
        "POST",
        f"{prefix}/login",
        form,
        Origin=origin,
        Content_Type="application/x-www-form-urlencoded",
    )
    assert status == 303, text
    assert headers["location"] == f"{prefix}/c/test"
    assert f"Path={prefix or '/'}" in headers["set-cookie"]
    assert "Secure" in headers["set-cookie"]
    cookie = headers["set-cookie"].partition(";")[0]
    status, headers, text = site.ask("GET", f"{prefix}/c/test", Cookie=cookie)
    assert status == 200
    files = re.findall(r'(?:href|src|data-plotly)="(/[^"]*)"', text.decode())
    assert len(files) > 5
    for file in files:
        assert file.startswith(f"{prefix}/")
        status, headers, _ = site.ask("GET", file, Cookie=cookie, Accept_Encoding="gzip")
        assert status == 200, file
    bearer = {"Authorization": f"Bearer {token}"}
    status, _, text = site.ask("GET", f"{prefix}/api/v1/openapi.json", **bearer)
    assert (status, url.encode() in text) == (200, True)
    if keeps_slashes:
        name = "/api/v1/collections/no%2Fsuch/leaderboard"
        status, _, text = site.ask("GET", f"{prefix}{name}", **bearer)
        assert (status, b"no/such" in text) == (404, True), text
    status, headers, _ = site.ask(
        "GET", f"{prefix}/c/test", Accept="text/html", X_Forwarded_Host="evil.example"
    )
    assert headers["location"].startswith(f"{prefix}/login")
