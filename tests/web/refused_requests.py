"""
Requests for playback that are refused, and the lines that the log has of them.
"""

from collections.abc import Callable
from typing import Any

import pytest
from falcon.testing import Result

from hvcore.domain.ids import PublicId, VideoId
from hvcore.playback_tokens import KeyRing
from tests.support.http.cinema import Cinema

LOG = "hvcore.services.playback.refusal_log"
NOBODY = "vid_" + "0" * 22

Refused = Callable[..., tuple[int, str]]


def sent(cinema: Cinema, path: str, query: str = "", **more: Any) -> Result:  # noqa: ANN401 - of the client
    is_page = path.startswith(("/v1/embed/", "/v1/watch/", "/v1/ek_", "/v1/player/"))
    client = cinema.player if is_page else cinema.worker
    method = more.pop("method", "POST" if "body" in more else "GET")
    return client.simulate_request(method, path, query_string=query, **more)


def the_line(caplog: pytest.LogCaptureFixture) -> dict[str, object]:
    (record,) = [r for r in caplog.records if r.getMessage() == "playback refused"]
    return vars(record)


def says_the_same_as_ever(result: Result) -> None:
    if result.headers["Content-Type"].startswith("text/html"):
        assert result.headers["X-Request-Id"] in result.text or "form" in result.text
        return
    assert set(result.json) == {
        *("title", "status", "code", "detail", "errors", "requestId")
    }
    assert result.json["requestId"] == result.headers["X-Request-Id"]


def private(cinema: Cinema, file: str = "master.m3u8") -> str:
    return f"/v1/private/{cinema.video}/{file}"


def token(cinema: Cinema, ring: KeyRing | None = None, **changes: Any) -> str:  # noqa: ANN401 - claims
    wanted: dict[str, Any] = {
        "video_id": VideoId(cinema.video),
        "public_id": PublicId(cinema.api.public_id(cinema.video)),
        "now": cinema.api.clock.now(),
        "valid_s": 3600,
    }
    ring = ring or cinema.api.services.key_ring
    return f"token={ring.issue(**{**wanted, **changes})}"


def own_key(cinema: Cinema) -> bytes:
    return cinema.api.services.settings.playback.signing_key.encode()
