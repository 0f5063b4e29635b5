"""
No header, parameter or path makes a failure of the service.

Bodies of the API, its paths and its own parameters: tests/api/test_hostile.py.
"""

from typing import Final
from urllib.parse import parse_qsl

import pytest

from hvcore.services.edge.authorizations import edge_secret
from hvcore_api.routes import ROUTES
from hvcore_api.routing import Route
from hvcore_delivery.app import make_app as make_delivery
from hvcore_edge.app import SECRET_HEADER
from hvcore_edge.app import make_app as make_edge
from hvcore_player.app import make_app as make_player
from hvcore_upload.app import make_app as make_upload
from tests.conftest import SettableClock
from tests.support.http.delivery_worker import PRIVATE_PATH, PUBLIC_PATH, make_worker
from tests.support.http.world import ENV, ORG, World, body_of
from tests.web.broken.asking import Breaker

# Thousands of cells of one kind: once is enough, whatever the interpreter.
pytestmark = pytest.mark.matrix

SHARE: Final = "shr_" + "0" * 22
EDGE_KEY: Final = "ek_" + "0" * 22
TUS: Final = {"HTTP_TUS_RESUMABLE": "1.0.0", "HTTP_UPLOAD_OFFSET": "0"}
PLACES: Final = (
    "delivery GET /v1/public/org_a/live/{video}/{x}",
    "delivery HEAD /v1/public/org_a/{x}/{video}/master.m3u8",
    "delivery GET /v1/public/{x}/live/{video}/master.m3u8",
    "delivery GET /v1/public/org_a/live/{x}/master.m3u8",
    "delivery GET /v1/private/{video}/{x}",
    "delivery GET /v1/private/{x}/manifest.mpd",
    "delivery GET /v1/share/{share}/{x}",
    "delivery GET /v1/share/{x}/master.m3u8",
    "delivery GET /v1/thumbnails/{video}/{x}",
    "delivery GET /t/{x}/640x360.jpg",
    "delivery GET /.well-known/jwks.json",
    "delivery OPTIONS /health/{x}",
    "delivery GET /v1/share/{share}/master.m3u8",
    "player GET /",
    "player GET /docs",
    "player GET /oembed",
    "player GET /v1/embed/{x}",
    "player HEAD /v1/embed/{video}",
    "player GET /v1/player/{x}",
    "player GET /v1/watch/{x}",
    "player GET /v1/watch/{share}",
    "player POST /v1/watch/{share}",
    "player GET /v1/{edge_key}",
    "player GET /v1/{edge_key}/master.m3u8",
    "player GET /v1/{x}",
    "player GET /v1/{edge_key}/{x}",
    "player GET /v1/{x}/master.m3u8",
    "upload PUT {upload}",
    "upload HEAD {tus}",
    "upload POST {tus}",
    "upload PATCH {tus}",
    "upload PUT /upload/{x}",
    "upload PATCH /uploads/{x}",
    "upload HEAD /uploads/{x}",
    "upload DELETE /uploads/{x}",
    "upload POST /uploads/{x}",
    "edge GET /v1/edge/authorization/public/org_a/live/{x}",
    "edge GET /v1/edge/authorization/{x}/a",
    "edge GET /v1/edge/authorizations",
    "edge GET /v1/edge/domains/{x}",
    "edge GET /v1/edge/text/public/org_a/live/{video}/{x}",
    "edge GET /v1/edge/text/{x}/a",
    "edge GET /v1/edge/media/private/{video}/{x}",
    "edge GET /v1/edge/media/{x}/a",
)
GOOD_QUERY: Final = {"player": {"url": "https://player.test/v1/embed/a"}}
GOOD_FORM: Final = {"email": "a@example.com", "code": "000000", "request": "x"}


@pytest.fixture(scope="module")
def breakers(shared: World) -> dict[str, Breaker]:
    services = shared.services
    secret = edge_secret(services.settings.uploads.signing_key)
    in_edge = "HTTP_" + SECRET_HEADER.upper().replace("-", "_")
    return {
        "api": Breaker(shared.client.app, {"HTTP_X_API_KEY": shared.key.value}),
        "delivery": Breaker(make_delivery(services)),
        "player": Breaker(make_player(services)),
        "upload": Breaker(make_upload(services), TUS),
        "edge": Breaker(make_edge(services), {in_edge: secret}),
    }


@pytest.fixture(scope="module")
def video(shared: World) -> str:
    return shared.ready()


@pytest.fixture(scope="module")
def good(shared: World, video: str) -> dict[str, str]:
    """
    What is there, by the names in the list of places.
    """
    at, file = f"/v1/videos/{video}", {"fileName": "a.mp4"}
    grant = body_of(shared.post("/v1/videos/upload-url", file))["signedURL"]
    share = body_of(shared.post(f"{at}/share", {"viewerEmail": "a@example.com"}))
    begun = {"Tus-Resumable": "1.0.0", "Upload-Length": "5"}
    name = {"Upload-Metadata": "filename YS5tcDQ="}
    tus = shared.call("POST", "/v1/uploads", headers={**begun, **name})
    return {
        "video": video,
        "share": share["shareID"],
        "edge_key": body_of(shared.post(f"{at}/edge-keys", {}))["edgeKey"],
        "upload": grant.removeprefix("https://upload.test"),
        "tus": tus.headers["Location"].removeprefix("https://upload.test"),
    }


@pytest.mark.cases(8)
@pytest.mark.parametrize("place", PLACES)
def test_broken_input_breaks_no_app(
    breakers: dict[str, Breaker], good: dict[str, str], place: str
) -> None:
    app, method, address = place.format(**good, x="{x}").split()
    path, _, query = address.partition("?")
    breaker = breakers[app]

    if "{x}" in path:
        breaker.break_path(method, path)
    breaker.break_all(
        method,
        path.replace("{x}", "x"),
        query={**GOOD_QUERY.get(app, {}), **dict(parse_qsl(query))},
        fields=GOOD_FORM if app == "player" and method == "POST" else None,
    )


@pytest.mark.parametrize("file", ["master.m3u8", "video/720p/init.m4s"])
@pytest.mark.parametrize("path", [PUBLIC_PATH, PRIVATE_PATH])
def test_broken_input_breaks_no_delivery_of_a_file(
    clock: SettableClock, path: str, file: str
) -> None:
    worker = make_worker(clock, None, is_public=path == PUBLIC_PATH)
    breaker = Breaker(make_delivery(worker))
    token = {} if path == PUBLIC_PATH else {"token": worker.token()}

    breaker.break_all("GET", f"{path}/{file}", query=token)

    # The answer was a file.
    assert {
        "HTTP_RANGE",
        "HTTP_IF_RANGE",
        "HTTP_IF_NONE_MATCH",
    } <= breaker.asked.headers


@pytest.mark.cases(8)
@pytest.mark.parametrize("route", ROUTES, ids=lambda r: f"{r.method} {r.path}")
def test_broken_input_breaks_no_route_of_the_api(
    breakers: dict[str, Breaker], video: str, route: Route
) -> None:
    names = {
        "org_id": ORG,
        "env_ref": ENV,
        "video_id": video,
        "share_id": SHARE,
        "edge_key": EDGE_KEY,
        "language": "en",
    }

    breakers["api"].break_all(
        route.method, route.template.format(**names), body=b"{}" if route.body else b""
    )
