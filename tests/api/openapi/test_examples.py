"""
The examples of the API's description are what the service answers.
"""

import json
import os

from hvcore_api.openapi.answers import answer_schema, errors_of
from hvcore_api.openapi.examples import (
    ERROR_REQUESTS,
    ERROR_REQUESTS_FILE,
    EXAMPLES,
    FILE,
)
from hvcore_api.routes import ROUTES
from tests.api.openapi.example_traffic import example_traffic
from tests.support.http.world import World

AGAIN = "HV_RECORD_EXAMPLES"


def test_the_examples_are_what_the_service_answers(api: World) -> None:
    recorded = example_traffic(api)

    files = ((FILE, EXAMPLES), (ERROR_REQUESTS_FILE, ERROR_REQUESTS))
    for found, (file, known) in zip(recorded, files, strict=True):
        if os.environ.get(AGAIN):
            text = json.dumps(found, indent=1, sort_keys=True, ensure_ascii=False)
            file.write_text(f"{text}\n", "utf-8")
            continue
        changed = {n for n in {*found, *known} if found.get(n) != known.get(n)}
        assert not changed, f"{changed}: {AGAIN}=1 with this test writes {file.name}"


def test_each_body_answer_and_error_has_an_example() -> None:
    named = [schema["title"] for route in ROUTES if (schema := answer_schema(route))]
    bodies = [route.body.__name__ for route in ROUTES if route.body]
    codes = [
        code
        for route in ROUTES
        for codes in errors_of(route).values()
        for code in codes
    ]

    # The document itself is its own example.
    missing = {*named, *bodies, *codes, "WebhookEvent"} - set(EXAMPLES)
    assert missing == {"OpenApiDocument"}


def test_each_error_has_a_request_that_gets_it() -> None:
    codes = {
        code
        for route in ROUTES
        for codes in errors_of(route).values()
        for code in codes
    }

    # No request brings these about by itself.
    assert codes - set(ERROR_REQUESTS) == {"internal_error", "unavailable"}
