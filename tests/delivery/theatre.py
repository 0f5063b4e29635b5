"""
A delivery worker that takes reports of playback sessions.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs
from falcon.testing import Result, TestClient

from hvcore.domain.analytics.playback_sessions import SessionsBy, SessionSums
from hvcore.domain.analytics.segments import ALL_TIME
from hvcore.domain.ids import VideoId
from hvcore.persistence.engine import make_engine
from hvcore.persistence.migrate import migrate
from hvcore.persistence.playback.sessions import SqlPlaybackSessions
from hvcore.services.playback.sessions import PlaybackSessions, SessionTokens
from hvcore_delivery.app import make_app
from tests.conftest import SettableClock
from tests.support.http.delivery_worker import DeliveryWorker, worker_by
from tests.support.media_samples import VIDEO

SECRET = "a secret of at least 32 characters"
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Mobile/15E148"
GOOD = {"startupMs": 800, "playedMs": 50_000, "rebufferingMs": 2_000}


@attrs.frozen(kw_only=True)
class Theatre:
    """A delivery worker that takes reports, and the store of sessions behind it."""

    worker: DeliveryWorker
    store: SqlPlaybackSessions
    clock: SettableClock
    http: TestClient

    def begin(
        self, video: str = VIDEO, query: str = "", body: object = b"", **headers: str
    ) -> Result:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        if body:
            names["Content-Type"] = "text/plain;charset=UTF-8"
        return self.http.simulate_post(
            f"/v1/playback-sessions/{video}",
            query_string=query,
            body=body if isinstance(body, (bytes, str)) else json.dumps(body),
            headers=names,
        )

    def report(self, body: object) -> Result:
        text = body if isinstance(body, (bytes, str)) else json.dumps(body)
        return self.http.simulate_post(
            "/v1/playback-reports",
            body=text,
            headers={"Content-Type": "text/plain;charset=UTF-8"},
        )

    def sums(self, by: SessionsBy = SessionsBy.DAY) -> list[SessionSums]:
        return list(self.store.sums(VideoId(VIDEO), ALL_TIME, by))

    def measures(self) -> dict[str, int]:
        found = self.sums()
        if not found:
            return {}
        return {k: n for k, n in found[0].measures.items() if n and "_" not in k}


@contextmanager
def theatre_of(
    clock: SettableClock, folder: Path, *, is_public: bool
) -> Iterator[Theatre]:
    worker = worker_by("local", clock, folder / "files", is_public=is_public)
    engine = make_engine(f"sqlite:///{folder / 'sessions.db'}")
    migrate(engine)
    store = SqlPlaybackSessions(engine)
    worker.playback_sessions = PlaybackSessions(
        access=worker.playback_access,
        by_edge_key=worker.edge_key_playback.let_in,
        store=store,
        tokens=SessionTokens(SECRET),
        clock=clock,
        country_header="cf-ipcountry",
    )
    http = TestClient(make_app(worker))
    yield Theatre(worker=worker, store=store, clock=clock, http=http)
    engine.dispose()
