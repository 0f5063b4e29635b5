"""
The one table of routes.
"""

from falcon import inspect

from hvcore_api.app import PAGES
from hvcore_api.routes import ROUTES
from tests.support.http.world import World

A = "/v1/api/{orgID}"
ENV = f"{A}/environments/{{envID}}"
DOCUMENTED = {
    ("GET", "/health"),
    ("GET", "/health/live"),
    ("GET", "/health/ready"),
    ("GET", f"{A}/environments"),
    ("GET", "/v1/whoami"),
    ("GET", "/v1/openapi.json"),
    ("GET", "/docs/api/style.css"),
    ("GET", "/docs/api/search.js"),
    ("GET", "/client.js"),
    ("GET", "/client.d.ts"),
    ("GET", "/"),
    ("GET", "/v1/events"),
    ("POST", f"{ENV}/videos/upload-url"),
    ("POST", f"{ENV}/videos/process"),
    ("GET", f"{ENV}/videos"),
    ("GET", f"{A}/videos/{{publicID}}/details"),
    ("DELETE", f"{A}/videos/{{videoID}}"),
    ("GET", f"{A}/videos/{{publicID}}/signed-url"),
    ("POST", "/v1/videos/upload-url"),
    ("POST", "/v1/videos/upload"),
    ("POST", "/v1/videos/download"),
    ("POST", "/v1/videos/process"),
    ("POST", "/v1/uploads"),
    ("OPTIONS", "/v1/uploads"),
    ("GET", "/v1/videos"),
    ("GET", "/v1/videos/{assetId}"),
    ("GET", "/v1/videos/{assetId}/details"),
    ("DELETE", "/v1/videos/{assetId}"),
    ("GET", "/v1/videos/{assetId}/signed-url"),
    *(
        ("GET", f"{root}/analytics/{name}")
        for root in (A, ENV, "/v1")
        for name in ("usage", "daily", "videos", "storage", "resolution-distribution")
    ),
    *(("GET", f"{root}/analytics/viewers") for root in (A, ENV, "/v1")),
    *(
        ("GET", f"{video}/analytics/{name}")
        for video in (f"{A}/videos/{{publicID}}", "/v1/videos/{assetId}")
        for name in (
            "daily",
            "resolution",
            "explain",
            "viewers",
            "playback-quality",
            "breakdown",
        )
    ),
    ("POST", "/v1/videos/{assetId}/upload-complete"),
    *(("GET", f"{root}/videos/deleted") for root in (ENV, "/v1")),
    *(
        (how, f"{root}/caption-defaults")
        for root in (ENV, "/v1")
        for how in ("GET", "PUT")
    ),
} | {
    (method, f"{root}{path}")
    for root, videos in (
        (A, f"{A}/videos/{{videoID}}"),
        ("/v1", "/v1/videos/{assetId}"),
    )
    for method, path in (
        ("PATCH", videos.removeprefix(root)),
        *(
            (method, f"{videos.removeprefix(root)}/{name}")
            for method, name in (
                ("POST", "retry"),
                ("POST", "restore"),
                ("POST", "thumbnail"),
                ("POST", "edge-keys"),
                ("GET", "edge-keys"),
                ("DELETE", "edge-keys/{edgeKey}"),
                ("POST", "share"),
                ("GET", "shares"),
                ("GET", "conformance"),
                ("GET", "source"),
                ("GET", "captions"),
                ("POST", "captions/generate"),
                ("DELETE", "captions/generate"),
                ("GET", "transcript/{language}"),
                ("PUT", "captions/{language}"),
                ("DELETE", "captions/{language}"),
                ("GET", "chapters"),
                ("PUT", "chapters"),
                ("DELETE", "chapters"),
                ("DELETE", "shares/{shareID}"),
            )
        ),
        ("GET", "/edge-keys/{edgeKey}"),
        ("DELETE", "/edge-keys/{edgeKey}"),
    )
}


def test_the_app_has_exactly_the_routes_of_the_table(api: World) -> None:
    found = {
        (method.method, route.path)
        for route in inspect.inspect_routes(api.client.app)
        for method in route.methods
        if not method.internal
    }

    table = {(route.method, route.template) for route in ROUTES}
    # What pages load as a file; HEAD goes with GET.
    files = {route.template for route in ROUTES if route.special.is_for_every_page}
    pages = {(method, path) for path in PAGES for method in ("GET", "HEAD")}
    assert found == table | pages | {("HEAD", template) for template in files}


def test_the_table_has_the_documented_routes() -> None:
    assert {(route.method, route.path) for route in ROUTES} == DOCUMENTED


def test_no_route_stands_in_the_table_twice() -> None:
    assert len({(route.method, route.template) for route in ROUTES}) == len(ROUTES)


def test_routes_that_share_an_address_share_a_class() -> None:
    classes: dict[str, set[object]] = {}
    for route in ROUTES:
        classes.setdefault(route.template, set()).add(route.resource)

    assert all(len(found) == 1 for found in classes.values())
