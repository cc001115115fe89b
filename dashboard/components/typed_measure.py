"""What someone types into the choice of a measure: which measure it names, or why none."""

from __future__ import annotations

import re

from flask import Flask, Response, jsonify, request

from dashboard.components import wording
from dashboard.components.controls import measure_options
from evalstore.errors import MeasureError
from evalstore.measures import Measure, parse
from evalstore.measures.registry import names

PATH = "/typed-measure"
NAME = re.compile(r"[^@(]*")
"""What stands before the parameters and the cutoff."""


def register(server: Flask) -> None:
    """Add the path that assets/selects.js asks what a text names.

    It answers with the option to choose, as a list of choices has it, or `{"problem": ...}`.
    """

    @server.get(PATH)
    def typed_measure() -> Response:
        try:
            measure = understood(request.args.get("text", ""))
        except MeasureError as error:
            return jsonify(problem=f"{wording.name(str(error), 300)}.".replace("?.", "?"))
        return jsonify(measure_options([str(measure)])[0])


def understood(text: str) -> Measure:
    """The measure that a text names, its name in any case.

    Raises:
        MeasureError: none, or several.
    """
    try:
        return parse(text)
    except MeasureError:
        for other in _in_other_case(text.strip()):
            try:
                return parse(other)
            except MeasureError:
                pass
        raise


def _in_other_case(text: str) -> list[str]:
    """The text with the name in the case of those that are known; trec_eval's are lower case."""
    match = NAME.match(text)
    name = match[0] if match else ""
    known = [one for one in names() if one.casefold() == name.casefold()]
    return [*(one + text[len(name) :] for one in known), text.lower()]
