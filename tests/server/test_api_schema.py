"""schemathesis asks the API for what its description allows, and for what it does not."""

from __future__ import annotations

import re
from typing import Any

import pytest
from api_client import Team
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from team_server import URL
from two_collections import OPEN

from evalstore.server.api.openapi import path_of
from evalstore.server.api.routes import OPERATIONS

pytestmark = pytest.mark.slow  # some hundred requests

# Whether a name is that of a measure or a run is not in the description, so that what follows it
# may well be refused: positive_data_acceptance is left out.
CHECKS = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "unsupported_method",
    "allow_header_conformance",
]
EXAMPLES = settings().max_examples // 10
"""Requests of each kind to an operation."""


@pytest.fixture(scope="module")
def described(api: Team) -> Any:
    import schemathesis  # takes a second, and most runs of the tests leave these out

    schema = schemathesis.openapi.from_dict(api.reader.get("/openapi.json"))
    schema.app = api.reader.served.app
    return schema


@pytest.fixture(scope="module")
def checks() -> list[Any]:
    from schemathesis import checks

    checks.load_all_checks()
    return [*checks.CHECKS.get_by_names(CHECKS)]


@pytest.mark.parametrize(
    ("operation", "mode"),
    [
        pytest.param(
            *(operation, mode),
            id=f"{operation.view.__name__}-{mode}",
            marks=[] if (number + turn) % 2 == 0 else pytest.mark.nightly,
        )
        for number, operation in enumerate(OPERATIONS)
        for turn, mode in enumerate(("positive", "negative"))
    ],
)
def test_answers_are_as_the_description_says(
    api: Team, described: Any, checks: list[Any], operation: Any, mode: str
) -> None:
    from schemathesis import GenerationMode

    generated = GenerationMode(mode)
    asked = described[path_of(operation)][operation.method]
    takes = operation.parameters.model_fields or "<" in operation.path
    program = api.administrator if operation.permission == "write" else api.reader
    if generated is GenerationMode.NEGATIVE and not takes:
        pytest.skip("it takes nothing that could be wrong")
    cases = asked.as_strategy(generated)
    if "<" in operation.path:
        names = {"collection": OPEN, "run": "bm25", "blob": f"sha256:{'0' * 64}", "job": 1}
        names |= {"qrels": "plain", "draft": "draft"}
        known = re.findall(r"(\w+)>", operation.path)
        names = {name: names[name] for name in known}
        cases = st.one_of(cases, asked.as_strategy(generated, path_parameters=names))
    # Its client for WSGI does not unpack answers.
    headers = {"Authorization": f"Bearer {program.token}", "Accept-Encoding": "identity"}

    @settings(max_examples=EXAMPLES, database=None, suppress_health_check=list(HealthCheck))
    @given(case=cases)
    def ask(case: Any) -> None:
        answer = case.call(base_url=URL, headers=headers)
        case.validate_response(answer, checks=checks)

    ask()
