"""
The requests whose answers are the examples of the API's description.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from falcon.testing import Result

from hvcore import __version__
from hvcore.domain.access.keys import KeyType, Permission
from hvcore.domain.processing.conformance_reports import FindingLevel
from hvcore.domain.videos.video import Video
from hvcore.errors import InternalError, UnavailableError
from hvcore.testing.memory_transcriber import MemoryTranscriber
from hvcore.wire.envelope import problem
from hvcore_api.openapi.answers import answer_schema
from hvcore_api.routes import ROUTES
from tests.api.resources.test_conformance import finding, keep
from tests.api.resources.test_thumbnails import stills
from tests.api.resources.test_video_reports import tell
from tests.support.http.probing import probe
from tests.support.http.world import ENV, ORG, World, job_of, media
from tests.support.network.outbound import PUBLIC

_ROUTES = {(route.method, route.template): route for route in ROUTES}
_SOURCE: Final = "https://media.example/holiday.mp4"
FIRST_ERROR: Final = 400
_DAY: Final = "2026-01-02"
_RANDOM: Final = re.compile(r"(?<![a-z])([a-z]+_)([0-9A-Za-z]{22})(?![0-9A-Za-z])")
_ITEMS_OF_A_LIST: Final = 3
_SECRETS: Final = re.compile(r"(token|signature|sig|expires)=[^&\"]+")


class ExampleTraffic:
    """
    Sends requests, and keeps the first example of each kind of them.

    Attributes:
        found: Requests and answers by the names of their schemas, errors by their
            codes.
        refused: Requests by the codes of the errors that they got.
    """

    def __init__(self, api: World) -> None:
        self.found: dict[str, object] = {}
        self.refused: dict[str, Mapping[str, object]] = {}
        self._api = api

    def send(self, method: str, path: str, **parts: Any) -> Result:  # noqa: ANN401 - of World.call
        """
        Send a request that succeeds.
        """
        result = self._sent(method, path, **parts)
        assert result.status_code < FIRST_ERROR, result.text
        return result

    def fail(self, code: str, method: str, path: str, **parts: Any) -> None:  # noqa: ANN401 - of World.call
        """
        Send a request that is refused.
        """
        result = self._sent(method, path, **parts)
        assert result.json.get("code") == code, result.text

    def _sent(self, method: str, path: str, **parts: Any) -> Result:  # noqa: ANN401 - of World.call
        result = self._api.call(method, path, **parts)
        found = self._api.client.app._router.find(path)
        route = _ROUTES[method, found[3]]
        if result.status_code >= FIRST_ERROR:
            code = result.json["code"]
            self.found.setdefault(code, result.json)
            self.refused.setdefault(code, _request(method, path, **parts))
            return result
        schema = answer_schema(route)
        if schema is not None:
            self.found.setdefault(str(schema["title"]), result.json)
        if route.body and parts.get("json"):
            self.found.setdefault(route.body.__name__, parts["json"])
        return result


def _request(method: str, path: str, **parts: Any) -> Mapping[str, object]:  # noqa: ANN401 - of World.call
    """
    Return a request without its key, as the reference shows it.
    """
    query = f"?{parts['query']}" if parts.get("query") else ""
    request: dict[str, object] = {"method": method, "path": f"{path}{query}"}
    if parts.get("headers"):
        request["headers"] = parts["headers"]
    if "json" in parts:
        request["json"] = parts["json"]
    if parts.get("body") is not None:
        request["file"] = "body.json"
        # Without it, curl and fetch would send a type of their own.
        request.setdefault("headers", {"Content-Type": "application/json"})
    return request


def example_traffic(
    api: World,
) -> tuple[Mapping[str, object], Mapping[str, object]]:
    """
    Use every route, and return what was sent and answered, without what is random.

    Returns:
        The examples, and the requests that got errors.
    """
    traffic = ExampleTraffic(api)
    api.names.set("media.example", [PUBLIC])
    stills(api)
    ready = api.transcoding(name="Holiday", is_public=False)
    _finish(api, ready)
    keep(api, ready, finding(FindingLevel.SHOULD))
    tell(api, ready, "bl=20100,mtp=25000,br=3200,su")
    # While there is one video: what was made in one moment has no order.
    _describe(traffic, ready)
    _upload(api, traffic)
    _change(traffic, ready)
    _caption(api, traffic, ready)
    _share(traffic, ready)
    _report(traffic, ready)
    traffic.send("POST", f"/v1/videos/{api.failed(name='Broken')}/retry")
    _fail(api, traffic, ready)
    traffic.send(
        "DELETE",
        f"/v1/videos/{ready}",
        json={"reason": "user_request"},
        query="keepHours=20",
    )
    traffic.send("GET", "/v1/videos/deleted")
    traffic.send("POST", f"/v1/videos/{ready}/restore")
    events: Any = traffic.found["VideoEventListAnswer"]
    traffic.found["WebhookEvent"] = events["body"]["events"][0]
    # What no request brings about by itself is rendered as it would be.
    for error in (InternalError(), UnavailableError()):
        traffic.found[error.code] = problem(error, "8c1f3a52")
    plain = _without_randomness({"found": traffic.found, "refused": traffic.refused})
    return plain["found"], plain["refused"]


def _finish(api: World, video_id: str) -> None:
    """
    End the processing of a video, whose source was probed, as a worker does.
    """
    source = probe(api, video_id, width_px=1920, height_px=1080, size_bytes=48_211_337)

    def finish(video: Video) -> None:
        video.source = source
        video.mark_ready(job_of(video), media(75.5))

    api.change(video_id, finish)


def _upload(api: World, traffic: ExampleTraffic) -> None:
    video = {
        "fileName": "holiday.mp4",
        "fileSize": 5,
        "contentType": "video/mp4",
        "videoQuality": "standard",
        "allowPublicAccess": True,
        "videoName": "Holiday",
    }
    traffic.send("POST", "/v1/videos/upload-url", json=video)
    file = {"filename": "holiday.mp4", "fileSize": 5, "contentType": "video/mp4"}
    below = f"/v1/api/{ORG}/environments/{ENV}/videos"
    granted = traffic.send("POST", f"{below}/upload-url", json=file)
    path = granted.json["body"]["bucketPath"]
    api.upload(path)
    wanted = {
        "gcsPath": path,
        "videoQuality": "high",
        "allowPublicAccess": False,
        "videoName": "Holiday",
    }
    traffic.send("POST", f"{below}/process", json=wanted)
    traffic.send(
        "POST",
        "/v1/videos/upload",
        json={"fileName": "holiday.mp4", "videoURL": _SOURCE},
    )
    traffic.send("POST", "/v1/videos/download", json={"sourceUrl": _SOURCE})
    traffic.send(
        "POST",
        "/v1/uploads",
        headers={
            "Tus-Resumable": "1.0.0",
            "Upload-Length": "1048576",
            "Upload-Metadata": "filename aG9saWRheS5tcDQ=",
        },
    )


def _describe(traffic: ExampleTraffic, ready: str) -> None:
    for path in (
        "/health",
        "/health/live",
        "/v1/whoami",
        f"/v1/api/{ORG}/environments",
        "/v1/events",
        "/v1/videos",
        f"/v1/videos/{ready}",
        f"/v1/videos/{ready}/conformance",
    ):
        traffic.send("GET", path)
    traffic.send("GET", f"/v1/videos/{ready}/signed-url", query="expiration=1h")


def _change(traffic: ExampleTraffic, ready: str) -> None:
    video = f"/v1/videos/{ready}"
    changed = {"videoName": "Holiday by the sea", "description": "In late autumn."}
    traffic.send("PATCH", video, json=changed)
    traffic.send("POST", f"{video}/thumbnail", json={"timestampSeconds": 12.5})
    headers = {"Content-Type": "text/vtt"}
    traffic.send(
        "PUT",
        f"{video}/captions/en",
        headers=headers,
        body=b"WEBVTT\n\n00:01.000 --> 00:02.000\nHello\n",
        query="label=English",
    )
    traffic.send(
        "PUT",
        f"{video}/chapters",
        headers=headers,
        body=b"WEBVTT\n\n00:00.000 --> 00:30.000\nThe beach\n",
    )


def _caption(api: World, traffic: ExampleTraffic, ready: str) -> None:
    vars(api.services)["transcriber"] = MemoryTranscriber()
    video = f"/v1/videos/{ready}"
    traffic.send("POST", f"{video}/captions/generate", json={"languages": ["auto"]})
    traffic.send("DELETE", f"{video}/captions/generate")
    traffic.send("GET", f"{video}/transcript/en")
    default = {"languages": ["auto"]}
    full = api.make_key(KeyType.FULL_ACCESS)
    traffic.send("PUT", "/v1/caption-defaults", json=default, key=full)
    traffic.send("GET", "/v1/caption-defaults")


def _share(traffic: ExampleTraffic, ready: str) -> None:
    video = f"/v1/videos/{ready}"
    traffic.send("POST", f"{video}/edge-keys", json={"domains": ["example.com"]})
    traffic.send("GET", f"{video}/edge-keys")
    wanted = {"expirationHours": 24, "maxViews": 5}
    traffic.send("POST", f"{video}/share", json=wanted)
    traffic.send("GET", f"{video}/shares")


def _report(traffic: ExampleTraffic, ready: str) -> None:
    reports = "usage daily videos storage resolution-distribution viewers"
    for report in reports.split():
        traffic.send("GET", f"/v1/analytics/{report}")
    for report in ("resolution", "playback-quality", "breakdown"):
        traffic.send("GET", f"/v1/videos/{ready}/analytics/{report}")
    traffic.send("GET", f"/v1/videos/{ready}/analytics/explain", query=f"date={_DAY}")


def _fail(api: World, traffic: ExampleTraffic, ready: str) -> None:
    video = {"fileName": "holiday.mp4", "videoQuality": "standard"}
    reader = api.make_key(permissions=frozenset({Permission.VIDEOS_READ}))
    grant, fail = "/v1/videos/upload-url", traffic.fail
    stranger = {"X-Api-Key": "none"}
    fail("unauthorized", "GET", "/v1/videos", headers=stranger)
    fail("forbidden", "POST", grant, json=video, key=reader)
    fail("invalid_file_size", "POST", grant, json={**video, "fileSize": 0})
    fail("unsupported_format", "POST", grant, json={**video, "contentType": "text/css"})
    fail("invalid_quality_preset", "POST", grant, json={**video, "videoQuality": "hd"})
    fail("invalid_parameters", "POST", grant, json={})
    html = {"Content-Type": "text/html"}
    fail("unsupported_media_type", "POST", grant, body=b"{}", headers=html)
    fail("payload_too_large", "POST", grant, body=b" " * 100_000)
    old = {"Tus-Resumable": "0.2.0"}
    fail("unsupported_version", "POST", "/v1/uploads", headers=old)
    fail("invalid_page_size", "GET", "/v1/videos", query="pageSize=1000")
    address = f"/v1/videos/{ready}/signed-url"
    fail("invalid_expiration", "GET", address, query="expiration=9h")
    fail("video_not_found", "GET", "/v1/videos/vid_0000000000000000000000")
    older = {"If-Match": '"2f6f4d1c0b7a4e5d9c8b7a6f5e4d3c2b"'}
    renamed = {"videoName": "Holiday at sea"}
    path = f"/v1/videos/{ready}"
    fail("precondition_failed", "PATCH", path, headers=older, json=renamed)
    fail("not_found", "DELETE", f"/v1/videos/{ready}/captions/fr")
    missing = f"/v1/api/{ORG}/environments/none/videos"
    fail("environment_not_found", "GET", missing)
    running = f"/v1/videos/{api.transcoding()}"
    moment = {"timestampSeconds": 1}
    fail("conflict", "POST", f"{running}/thumbnail", json=moment)
    fail("processing_in_progress", "POST", f"{running}/retry")
    gone = f"/v1/videos/{api.ready(name='Gone')}"
    traffic.send("DELETE", gone)
    fail("already_deleted", "DELETE", gone)
    api.services.quotas.change(ORG, {"stored_bytes": 1})
    sized = {**video, "fileSize": 5}
    fail("quota_exceeded", "POST", grant, json=sized, key=api.make_key())
    # That was the eleventh in a minute, and the first of its key.
    fail("rate_limit_exceeded", "POST", grant, json=sized)
    file = {
        "gcsPath": "uploads/none",
        "videoQuality": "high",
        "allowPublicAccess": True,
    }
    fail("invalid_gcs_path", "POST", "/v1/videos/process", json=file)


def _without_randomness(
    found: Mapping[str, Mapping[str, object]],
) -> Mapping[str, Mapping[str, object]]:
    text = json.dumps(found)
    text = _SECRETS.sub(lambda match: f"{match[1]}=SECRET", text)
    text = text.replace("http://127.0.0.1:8081", "https://player.test")
    text = text.replace(f'"version": "{__version__}"', '"version": "1.0.0"')
    numbers: dict[str, int] = {}

    def plain(match: re.Match[str]) -> str:
        number = numbers.setdefault(match[2], len(numbers) + 1)
        return f"{match[1]}{number:022d}"

    named: Mapping[str, Mapping[str, object]] = json.loads(_RANDOM.sub(plain, text))
    return {name: _cut_short(example) for name, example in named.items()}


def _cut_short(value: Any) -> Any:  # noqa: ANN401 - JSON data
    """
    Leave the first items of each list: a report of minutes has sixty.
    """
    if isinstance(value, Mapping):
        return {name: _cut_short(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_cut_short(one) for one in value[:_ITEMS_OF_A_LIST]]
    return value
