"""
The description of the API.
"""

import ast
import gzip
import json
import re
import shlex
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from falcon.testing import TestClient
from openapi_spec_validator import OpenAPIV31SpecValidator, validate

from hvcore_api.app import describe
from hvcore_api.docs_page.examples import example_of, request_of
from hvcore_api.docs_page.families import operations_of, twins_of
from hvcore_api.docs_page.languages import (
    LANGUAGES,
    curl_of,
    javascript_of,
    python_of,
)
from hvcore_api.docs_page.markdown import render_markdown
from hvcore_api.docs_page.page import render_page
from hvcore_api.openapi.components import resolved
from hvcore_api.openapi.examples import ERROR_REQUESTS
from hvcore_api.routes import GROUPS, ROUTES
from hvcore_api.routing import PLAIN, Route
from tests.support.http.world import World

DOCUMENT = "/v1/openapi.json"
EMPTY: dict[str, Any] = {"content": {}}


@pytest.fixture(scope="module")
def api(shared: World) -> World:
    return shared


@pytest.fixture(scope="module")
def document(api: World) -> dict[str, Any]:
    """
    What is served, without references.
    """
    return resolved(TestClient(api.client.app).simulate_get(DOCUMENT).json)


def operation_of(document: dict[str, Any], route: Route) -> dict[str, Any]:
    """
    Find a route's operation, whatever its path's parameters are called.
    """
    for path, item in document["paths"].items():
        twin = Route(route.method, path, route.resource)
        if twin.template == route.template and route.method.lower() in item:
            operation: dict[str, Any] = item[route.method.lower()]
            return operation
    raise AssertionError(f"{route.method} {route.path} is not in the document")


def test_the_document_is_openapi_and_sent_bare_without_a_key(api: World) -> None:
    result = TestClient(api.client.app).simulate_get(DOCUMENT)

    assert result.status_code == 200
    assert result.headers["Content-Type"] == "application/json"
    assert result.json["openapi"].startswith("3.1.")
    assert result.json["servers"] == [{"url": "https://api.test"}]
    validate(result.json, cls=OpenAPIV31SpecValidator)


@pytest.mark.parametrize("path", [DOCUMENT, "/docs/api/", "/docs/api/style.css"])
def test_an_unchanged_file_is_not_sent_again(api: World, path: str) -> None:
    first = api.get(path)

    again = api.call("GET", path, headers={"If-None-Match": first.headers["ETag"]})

    assert first.headers["Cache-Control"] == "public, max-age=600"
    assert again.status_code == 304
    assert not again.content


@pytest.mark.parametrize("route", ROUTES, ids=lambda r: f"{r.method} {r.path}")
def test_every_route_is_described(document: dict[str, Any], route: Route) -> None:
    operation = operation_of(document, route)

    assert operation["summary"].endswith(".")
    assert route.answer is not None or route.special != PLAIN
    assert set(operation["responses"]) >= {str(route.special.status), "500", "503"}
    assert operation["security"] == ([] if route.is_open else [{"ApiKey": []}])
    if not route.is_open:
        assert set(operation["responses"]) >= {"401", "403", "429"}
    if route.body:
        assert set(operation["responses"]) >= {"400", "413", "415", "422"}
    if route.is_idempotent:
        names = [parameter["name"] for parameter in operation["parameters"]]
        assert "Idempotency-Key" in names


def test_nothing_else_is_described(document: dict[str, Any]) -> None:
    described = sum(
        len(set(item) - {"parameters"}) for item in document["paths"].values()
    )

    assert described == len(ROUTES)


def test_operations_have_names_of_their_own(document: dict[str, Any]) -> None:
    items = document["paths"].values()

    names = [
        item[m]["operationId"] for item in items for m in item if m != "parameters"
    ]

    assert len(set(names)) == len(names)
    assert all(name.isalnum() for name in names)


def test_every_group_is_a_tag(document: dict[str, Any]) -> None:
    tags = [tag["name"] for tag in document["tags"]]

    assert tags[: len(GROUPS)] == list(GROUPS)


class Page(HTMLParser):
    """
    What a page links, loads and says.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.words: list[str] = []
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            self.attributes.add(name)
            if name == "id":
                self.ids.add(value or "")
            if name == "href":
                self.links.append(value or "")

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_the_page_lists_every_route_with_fields_and_errors(
    api: World, document: dict[str, Any]
) -> None:
    result = TestClient(api.client.app).simulate_get("/docs/api/")

    page = Page(result.text)
    text = "".join(page.words)
    assert result.headers["Content-Type"] == "text/html; charset=utf-8"
    for operation in (operation_of(document, route) for route in ROUTES):
        assert operation["operationId"] in page.ids
        assert operation["summary"] in text
    for word in ("videoQuality", "pagination.hasNext", "invalid_gcs_path", "X-Api-Key"):
        assert word in text


def test_the_page_loads_its_style_and_its_script_and_nothing_else(api: World) -> None:
    result = TestClient(api.client.app).simulate_get("/docs/api/")

    page = Page(result.text)
    loaded = [link for link in page.links if not link.startswith(("#", "../errors/"))]
    # The documentation around it is there where it was built.
    described = {"routes.md", "../../v1/openapi.json"}
    assert set(loaded) - {"../"} == {"style.css", "data:,"} | described
    assert {link[1:] for link in page.links if link.startswith("#")} <= page.ids
    assert re.findall(r"<script[^>]*>", result.text) == [
        '<script src="search.js" defer="defer">'
    ]
    assert not {"style", "img", "iframe"} & set(page.tags)
    assert not [name for name in page.attributes if name.startswith("on")]
    assert "style" not in page.attributes


@pytest.mark.parametrize("path", ["/docs/api/", "/"])
def test_the_pages_keep_a_policy_of_their_own(api: World, path: str) -> None:
    policy = (
        TestClient(api.client.app).simulate_get(path).headers["Content-Security-Policy"]
    )

    assert policy == (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        ("/docs/api/style.css", "text/css; charset=utf-8"),
        ("/docs/api/search.js", "text/javascript; charset=utf-8"),
        ("/", "text/html; charset=utf-8"),
    ],
)
def test_a_file_that_pages_need_is_served(
    api: World, path: str, content_type: str
) -> None:
    assert api.get(path).headers["Content-Type"] == content_type


def test_the_address_itself_says_what_it_is(api: World) -> None:
    page = Page(TestClient(api.client.app).simulate_get("/").text)

    dashboard = "https://api.test/dashboard"
    assert {"docs/api/", "v1/openapi.json", "health", dashboard} <= set(page.links)
    assert "https://worker.test" in "".join(page.words)


def test_the_families_are_told_apart(api: World) -> None:
    text = TestClient(api.client.app).simulate_get("/docs/api/").text
    by_key, rest = text.partition('id="by-organization"')[::2]
    by_organization, without_key = rest.partition('id="by-open"')[::2]

    assert 'id="by-key"' in by_key
    for part, operation in (
        (by_key, "createUploadUrl"),
        (by_key, "getResumableUploadOptions"),
        (by_organization, "createUploadUrlInEnvironment"),
        (by_organization, "listEnvironmentsInOrganization"),
        (without_key, "getHealth"),
        (without_key, "getDocsScript"),
    ):
        assert f'<section id="{operation}" class="operation">' in part


def test_routes_that_do_the_same_lead_to_each_other(document: dict[str, Any]) -> None:
    operations = {one.id: one for one in operations_of(document)}

    def twins(name: str) -> set[str]:
        return {one.id for one in twins_of(operations[name], operations.values())}

    assert twins("createShareLink") == {"createShareLinkInOrganization"}
    assert twins("listVideos") == {"listVideosInEnvironment"}
    assert twins("getUsage") == {"getUsageInOrganization", "getUsageInEnvironment"}
    assert twins("getWhoAmI") == twins("getHealth") == set()


def test_every_route_has_an_example(api: World, document: dict[str, Any]) -> None:
    for one in operations_of(document):
        words = shlex.split(curl_of(request_of(one), "https://api.test"))
        assert words[0] == "curl"
        assert "{" not in next(w for w in words if w.startswith("https://api.test"))
        assert ("X-Api-Key: $KEY" in words) is bool(one.node["security"])


def test_every_route_and_error_has_a_request_in_each_language(
    api: World, document: dict[str, Any]
) -> None:
    text = TestClient(api.client.app).simulate_get("/docs/api/").text

    routes = len(operations_of(document))
    # The first call stands in the introduction.
    shown = 1 + routes + len(ERROR_REQUESTS)
    for language in LANGUAGES:
        assert text.count(f'data-language="{language}"') == shown
    for code in ERROR_REQUESTS:
        assert f'id="error-{code}"' in text


def test_the_page_describes_webhooks_and_the_body_of_an_event(api: World) -> None:
    text = TestClient(api.client.app).simulate_get("/docs/api/").text
    part = text.partition('<section id="webhooks">')[2].partition('id="errors"')[0]

    for word in ("webhook-signature", "sequence", "playback.playlistURL", "evt_"):
        assert word in part


def test_the_page_with_all_that_it_loads_is_light(api: World) -> None:
    files = ("/docs/api/", "/docs/api/style.css", "/docs/api/search.js")

    # As much as a page of the documentation may weigh; see tests/e2e/documentation.
    size_bytes = sum(len(gzip.compress(api.get(path).content)) for path in files)
    assert size_bytes < 300_000


def test_every_example_in_python_is_a_program(document: dict[str, Any]) -> None:
    for one in operations_of(document):
        compile(python_of(request_of(one), "https://api.test"), one.id, "exec")


def test_every_example_sends_the_same_body_in_each_language(
    document: dict[str, Any],
) -> None:
    requests = [request_of(one) for one in operations_of(document)]
    with_body = [one for one in requests if one.media_type and not one.file]
    for request in with_body:
        words = shlex.split(curl_of(request, ""))
        call = ast.parse(python_of(request, "https://api.test")).body[1]
        keywords = {
            word.arg: word.value
            for word in ast.walk(call)
            if isinstance(word, ast.keyword)
        }
        _, _, stringified = javascript_of(request, "").partition("JSON.stringify(")

        assert json.loads(words[words.index("-d") + 1]) == request.data
        assert ast.literal_eval(keywords["json"]) == request.data
        assert json.JSONDecoder().raw_decode(stringified)[0] == request.data
    assert len(with_body) > 10


def test_every_example_in_javascript_is_a_program(
    document: dict[str, Any], tmp_path: Path
) -> None:
    node = shutil.which("node")
    assert node, "Debian has it as nodejs"
    programs = [
        javascript_of(request_of(one), "https://api.test")
        for one in operations_of(document)
    ]
    file = tmp_path / "examples.mjs"
    file.write_text("".join(f"{{\n{one}\n}}\n" for one in programs), "utf-8")

    done = subprocess.run([node, "--check", file], capture_output=True, check=False)

    assert done.returncode == 0, done.stderr.decode()


def test_the_reader_can_replace_address_key_and_ids_of_examples(api: World) -> None:
    text = TestClient(api.client.app).simulate_get("/docs/api/").text

    assert 'X-Api-Key: <span data-fill="key">$KEY</span>"' in text
    filled = set(re.findall(r'data-fill="(\w+)"', text))
    assert filled == set(re.findall(r'data-fills="(\w+)"', text))


def test_every_example_keeps_its_schema(document: dict[str, Any]) -> None:
    for one in operations_of(document):
        for media_type, content in one.node.get("requestBody", EMPTY)[
            "content"
        ].items():
            if media_type == "application/json":
                words = shlex.split(curl_of(request_of(one), ""))
                body = json.loads(words[words.index("-d") + 1])
                jsonschema.validate(body, content["schema"])
        for response in one.node["responses"].values():
            schema = response.get("content", {}).get("application/json", EMPTY)
            if "schema" in schema:
                jsonschema.validate(example_of(schema["schema"]), schema["schema"])


def test_the_page_escapes_what_it_shows(api: World, document: dict[str, Any]) -> None:
    document = json.loads(
        json.dumps(
            describe(
                GROUPS,
                api.services.settings.public.api_url,
                api.services.access.schemes,
            )
        )
    )
    document["info"]["title"] = "<script>alert(1)</script> & \"'"
    document["servers"][0]["url"] = "https://x/<img src=x>"

    page = render_page(document).decode()

    assert "<script>" not in page
    assert "<img" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp;" in page


def test_the_markdown_of_the_routes_has_each_route_and_each_member_in_a_third_of_the_size(
    document: dict[str, Any],
) -> None:
    text = render_markdown(document).decode()

    operations = operations_of(document)
    told = [one.path in text for one in operations]
    assert all(told)
    body = document["paths"]["/v1/videos/upload-url"]["post"]["requestBody"]
    members = body["content"]["application/json"]["schema"]["properties"]
    route = text.partition("### POST /v1/videos/upload-url\n")[2].partition("\n### ")[0]
    assert [name for name in members if f"- `{name}`: " not in route] == []
    assert "`fileName`: string, required" in route
    assert len(text) < len(render_page(document)) / 3
