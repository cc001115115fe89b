"""The headers of every response: a page may load and run only what this server serves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from flask import Flask, Response, request

from dashboard.serving.sent_path import sent_path


def content_security_policy(script_hashes: Sequence[str], *, forms: bool = False) -> str:
    """Return the policy: everything from this origin, no inline script but Dash's known ones.

    Styles need 'unsafe-inline' (Mantine, AG Grid and plotly write style elements as they run).
    `data:` is for AG Grid's icon font and our own icons, `blob:` for figures saved as PNG.
    Forms are sent nowhere, or where `forms` is set, to this origin: there is one to log out.
    """
    target_of_forms = "'self'" if forms else "'none'"
    scripts = " ".join(["'self'", *script_hashes])
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {scripts}",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "manifest-src 'self'",
            "base-uri 'none'",
            f"form-action {target_of_forms}",
            "frame-ancestors 'none'",
            "object-src 'none'",
        ]
    )


def register(server: Flask, policy: str, is_page: Callable[[str], bool]) -> None:
    """Add the headers to every response, and the status 404 where no page is at the path."""

    @server.after_request
    def finish(response: Response) -> Response:
        headers = response.headers
        headers.setdefault("Content-Security-Policy", policy)
        headers.setdefault("X-Content-Type-Options", "nosniff")
        headers.setdefault("X-Frame-Options", "DENY")
        headers.setdefault("Referrer-Policy", "same-origin")
        headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        headers.setdefault(
            "Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()"
        )
        # Dash answers any path with its index, and the page then says that it is not there: right
        # for a person, and this is right for a program.
        is_index = request.endpoint is not None and "<path:" in request.endpoint
        is_shown = request.method in {"GET", "HEAD"} and response.mimetype == "text/html"
        is_answered = is_index and is_shown and response.status_code == 200
        if is_answered and not is_page(sent_path(request.environ)):
            response.status_code = 404
        return response
