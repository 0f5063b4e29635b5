"""
The description of the API.
"""

import json
from html.parser import HTMLParser
from typing import Any

import pytest
from falcon.testing import TestClient
from openapi_spec_validator import OpenAPIV31SpecValidator, validate

from hv_api.app import describe
from hv_api.openapi_page import render_page
from hv_api.routes import GROUPS, ROUTES
from hv_api.routing import PLAIN, Route
from tests.http.world import World

DOCUMENT = "/v1/openapi.json"


@pytest.fixture(scope="module")
def api(shared: World) -> World:
    return shared


def fetch(api: World) -> dict[str, Any]:
    document: dict[str, Any] = TestClient(api.client.app).simulate_get(DOCUMENT).json
    return document


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


@pytest.mark.parametrize("path", [DOCUMENT, "/docs", "/docs/style.css"])
def test_what_has_not_changed_is_not_sent_again(api: World, path: str) -> None:
    first = api.get(path)

    again = api.call("GET", path, headers={"If-None-Match": first.headers["ETag"]})

    assert first.headers["Cache-Control"] == "public, max-age=600"
    assert again.status_code == 304
    assert not again.content


@pytest.mark.parametrize("route", ROUTES, ids=lambda r: f"{r.method} {r.path}")
def test_every_route_is_described(api: World, route: Route) -> None:
    operation = operation_of(fetch(api), route)

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


def test_nothing_else_is_described(api: World) -> None:
    document = fetch(api)

    described = sum(
        len(set(item) - {"parameters"}) for item in document["paths"].values()
    )

    assert described == len(ROUTES)


def test_operations_have_names_of_their_own(api: World) -> None:
    items = fetch(api)["paths"].values()

    names = [
        item[m]["operationId"] for item in items for m in item if m != "parameters"
    ]

    assert len(set(names)) == len(names)
    assert all(name.isalnum() for name in names)


def test_every_group_is_a_tag(api: World) -> None:
    tags = [tag["name"] for tag in fetch(api)["tags"]]

    assert tags == [name for name, routes in GROUPS.items() if routes]


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


def test_the_page_lists_every_route_with_fields_and_errors(api: World) -> None:
    result = TestClient(api.client.app).simulate_get("/docs")

    page = Page(result.text)
    text = "".join(page.words)
    assert result.headers["Content-Type"] == "text/html; charset=utf-8"
    for operation in (operation_of(fetch(api), route) for route in ROUTES):
        assert operation["operationId"] in page.ids
        assert operation["summary"] in text
    for word in ("videoQuality", "pagination.hasNext", "invalid_gcs_path", "X-Api-Key"):
        assert word in text


def test_the_page_loads_its_style_and_nothing_else(api: World) -> None:
    result = TestClient(api.client.app).simulate_get("/docs")

    page = Page(result.text)
    loaded = [link for link in page.links if not link.startswith("#")]
    assert set(loaded) == {"docs/style.css", "data:,", "v1/openapi.json"}
    assert {link[1:] for link in page.links if link.startswith("#")} <= page.ids
    assert not {"script", "style", "img", "iframe", "form"} & set(page.tags)
    assert not {"style", "src"} & page.attributes
    policy = result.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; style-src 'self'; img-src data:; ")
    assert "unsafe" not in policy
    style = api.get("/docs/style.css")
    assert style.headers["Content-Type"] == "text/css; charset=utf-8"


def test_the_page_escapes_what_it_shows(api: World) -> None:
    document = json.loads(json.dumps(describe(api.services.settings.public.api_url)))
    document["info"]["title"] = "<script>alert(1)</script> & \"'"
    document["servers"][0]["url"] = "https://x/<img src=x>"

    page = render_page(document).decode()

    assert "<script>" not in page
    assert "<img" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp;" in page
