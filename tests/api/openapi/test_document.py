"""
What programs and generators of clients rely on in the API's description.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from falcon.testing import TestClient

from hvcore.wire.envelope import PROBLEM_TYPE, SUCCESS_TYPE
from hvcore_api.openapi.components import resolved
from hvcore_api.routes import GROUPS
from tests.support.http.world import ENV, ORG, World

MAX_BYTES = 300_000
SCHEMA = re.compile(r"#/components/schemas/\w+")


@pytest.fixture(scope="module")
def document(shared: World) -> dict[str, Any]:
    described: dict[str, Any] = (
        TestClient(shared.client.app).simulate_get("/v1/openapi.json").json
    )
    return described


def operations(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for item in document["paths"].values():
        yield from (node for name, node in item.items() if name != "parameters")


def nodes(node: object) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        yield node
        for value in node.values():
            yield from nodes(value)
    elif isinstance(node, list):
        for value in node:
            yield from nodes(value)


def test_the_openapi_document_stays_small(shared: World) -> None:
    sent = TestClient(shared.client.app).simulate_get("/v1/openapi.json").content

    assert len(sent) <= MAX_BYTES


def test_every_request_and_every_answer_is_a_named_schema(
    document: dict[str, Any],
) -> None:
    bodies = [
        one["requestBody"] for one in operations(document) if "requestBody" in one
    ]
    answers = [
        answer
        for one in operations(document)
        for answer in one["responses"].values()
        if "$ref" not in answer
    ]
    for node in (*bodies, *answers, *document["components"]["responses"].values()):
        for media_type, content in node.get("content", {}).items():
            if media_type in {SUCCESS_TYPE, PROBLEM_TYPE}:
                schema = content["schema"]
                assert SCHEMA.fullmatch(schema["$ref"])
                assert content.get("examples") or "OpenApiDocument" in schema["$ref"]


def test_objects_and_words_are_named(document: dict[str, Any]) -> None:
    for name, schema in document["components"]["schemas"].items():
        assert re.fullmatch(r"[A-Z][A-Za-z0-9]*[A-Za-z]", name), name
        for inner in nodes(list(schema.values())):
            assert "properties" not in inner or inner.get("type") != "object", name
            assert "title" not in inner or isinstance(inner["title"], dict), name
            words = inner.get("enum")
            assert not isinstance(words, list) or len(words) == 1, name


def test_errors_are_described_once(document: dict[str, Any]) -> None:
    errors = {
        answer["$ref"]
        for one in operations(document)
        for status, answer in one["responses"].items()
        if status >= "4"
    }

    for reference in errors:
        name = reference.removeprefix("#/components/responses/")
        (content,) = document["components"]["responses"][name]["content"].values()
        assert content["schema"]["$ref"].endswith("/Problem")


def test_an_answer_of_both_families_is_described_once(
    document: dict[str, Any],
) -> None:
    inline = [
        json.dumps(answer)
        for one in operations(document)
        for status, answer in one["responses"].items()
        if "$ref" not in answer
        and one["tags"] != ["Service"]
        # Generators take the type of an answer with several media types from its operation.
        and len(answer.get("content", {})) <= 1
    ]
    by_organization = {
        json.dumps(answer)
        for one in operations(document)
        for answer in one["responses"].values()
        if one["operationId"].endswith("InOrganization")
    }

    # Links lead on within a family.
    twice = {one for one in inline if '"links"' not in one} & by_organization
    assert all(inline.count(one) == 1 for one in twice)


def test_answers_to_callers_with_a_key_tell_of_their_limits_and_others_do_not(
    document: dict[str, Any],
) -> None:
    tells = {
        name: {
            any(header.startswith("X-RateLimit") for header in answer["headers"])
            for status, answer in item["responses"].items()
            if status.startswith("2") and "headers" in answer
        }
        for item in operations(resolved(document))
        for name in [item["operationId"]]
    }
    is_open = {
        one["operationId"]: one.get("security") == [] for one in operations(document)
    }

    assert all(tells[name] <= {not is_open[name]} for name in tells)


def test_nothing_is_kept_that_nobody_refers_to(document: dict[str, Any]) -> None:
    used = {
        node["$ref"] for node in nodes(document) if isinstance(node.get("$ref"), str)
    }

    kept = {
        f"#/components/{section}/{name}"
        for section, parts in document["components"].items()
        for name in parts
        if section != "securitySchemes"
    }
    assert used == kept


def test_null_and_numbers_are_said_in_forms_that_generators_read(
    document: dict[str, Any],
) -> None:
    for schema in document["components"]["schemas"].values():
        for node in nodes(schema):
            choices = node.get("anyOf")
            if isinstance(choices, list):
                assert [*choices][1:] == [{"type": "null"}]
                assert "$ref" in choices[0]
            if isinstance(node.get("minimum"), int | float):
                kind = node["type"]
                assert (
                    {kind}
                    if isinstance(kind, str)
                    else set(kind)
                    <= {
                        "integer",
                        "number",
                        "null",
                    }
                )
            assert "oneOf" not in node
            assert "allOf" not in node


def test_each_family_has_tags_of_its_own(document: dict[str, Any]) -> None:
    ending = " by organization"
    for path, item in document["paths"].items():
        for name, one in item.items():
            if name == "parameters" or one["tags"] == ["Service"]:
                continue
            (tag,) = one["tags"]
            assert tag.endswith(ending) is path.startswith("/v1/api/{orgID}/")
            is_suffixed = one["operationId"].endswith(
                ("InOrganization", "InEnvironment")
            )
            assert is_suffixed is tag.endswith(ending)
    tags = {tag["name"] for tag in document["tags"]}
    assert tags >= set(GROUPS)
    assert {one["tags"][0] for one in operations(document)} <= tags


def test_events_of_webhooks_are_described(document: dict[str, Any]) -> None:
    (event,) = resolved(document)["webhooks"].values()

    content = event["post"]["requestBody"]["content"]["application/json"]
    assert {"event", "videoId", "sequence"} <= content["schema"]["properties"].keys()
    names = [parameter["name"] for parameter in event["post"]["parameters"]]
    assert names == ["webhook-id", "webhook-timestamp", "webhook-signature"]


def test_links_lead_where_they_say(shared: World, document: dict[str, Any]) -> None:
    shared.ready()
    plain = resolved(document)
    found = {one["operationId"]: one for one in operations(plain)}
    at = {
        one["operationId"]: (method, path)
        for path, item in plain["paths"].items()
        for method, one in item.items()
        if method != "parameters"
    }
    (who,) = [
        node
        for status, node in found["getWhoAmI"]["responses"].items()
        if status == "200"
    ]
    body = {"body": {"orgID": ORG, "envID": ENV}}
    assert len(who["links"]) > 20

    for link in who["links"].values():
        method, path = at[link["operationId"]]
        for name, expression in link["parameters"].items():
            value = at_pointer(body, expression.removeprefix("$response.body#"))
            path = path.replace(f"{{{name.removeprefix('path.')}}}", value)
        if method == "get":
            assert shared.get(path).status_code == 200


def test_links_lead_to_most_operations(document: dict[str, Any]) -> None:
    plain = resolved(document)
    linked = {
        link["operationId"]
        for one in operations(plain)
        for answer in one["responses"].values()
        for link in answer.get("links", {}).values()
    }
    every = {one["operationId"]: one for one in operations(plain)}

    assert linked <= every.keys()
    assert len(linked) >= 0.8 * len(every)
    for one in every.values():
        for answer in one["responses"].values():
            for link in answer.get("links", {}).values():
                assert json.dumps(link["parameters"]).count("{") == 1


def at_pointer(document: Any, pointer: str) -> str:  # noqa: ANN401 - JSON data
    for part in pointer.strip("/").split("/"):
        document = document[part]
    return str(document)


def test_a_request_with_a_body_of_any_kind_may_be_too_long_or_of_another_type(
    document: dict[str, Any],
) -> None:
    found = {one["operationId"]: one for one in operations(resolved(document))}
    sends = {name for name, one in found.items() if "requestBody" in one}
    of_bodies = {
        name for name, one in found.items() if {"413", "415"} <= one["responses"].keys()
    }

    assert {"setCaptions", "setChapters", "setThumbnail"} <= sends
    assert sends <= of_bodies
