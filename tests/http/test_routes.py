"""
The one table of routes.
"""

from falcon import inspect

from hv_api.routes import ROUTES
from tests.http.world import World

A = "/v1/api/{orgID}"
ENV = f"{A}/environments/{{envID}}"
DOCUMENTED = {
    ("GET", "/health"),
    ("GET", "/health/live"),
    ("GET", f"{A}/environments"),
    ("POST", f"{ENV}/videos/upload-url"),
    ("POST", f"{ENV}/videos/process"),
    ("GET", f"{ENV}/videos"),
    ("GET", f"{A}/videos/{{publicID}}/details"),
    ("DELETE", f"{A}/videos/{{videoID}}"),
    ("GET", f"{A}/videos/{{publicID}}/signed-url"),
    ("POST", "/v1/videos/upload-url"),
    ("POST", "/v1/videos/process"),
    ("GET", "/v1/videos"),
    ("GET", "/v1/videos/{assetId}"),
    ("GET", "/v1/videos/{assetId}/details"),
    ("DELETE", "/v1/videos/{assetId}"),
    ("GET", "/v1/videos/{assetId}/signed-url"),
}


def test_the_app_has_exactly_the_routes_of_the_table(api: World) -> None:
    found = {
        (method.method, route.path)
        for route in inspect.inspect_routes(api.client.app)
        for method in route.methods
        if not method.internal
    }

    assert found == {(route.method, route.template) for route in ROUTES}


def test_the_table_has_the_documented_routes() -> None:
    assert {(route.method, route.path) for route in ROUTES} == DOCUMENTED


def test_no_route_stands_in_the_table_twice() -> None:
    assert len({(route.method, route.template) for route in ROUTES}) == len(ROUTES)


def test_routes_that_share_an_address_share_a_class() -> None:
    classes: dict[str, set[object]] = {}
    for route in ROUTES:
        classes.setdefault(route.template, set()).add(route.resource)

    assert all(len(found) == 1 for found in classes.values())
