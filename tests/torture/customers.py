"""
API clients that go on whatever happens, and write down what they were promised.
"""

import http.client
import json
import random
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Protocol
from urllib.parse import urljoin, urlsplit

import attrs

from tests.e2e.clips import make_clip
from tests.support.live import Answer

MP4: Final = "video/mp4"
ASK_TIMEOUT_S: Final = 10.0
PATIENCE_S: Final = 90.0
"""How long a request is repeated while the service is away."""
PAUSE_S: Final = 0.2
SEEN_THROUGH_S: Final = 30.0
"""How long a customer waits for one video before the next."""
_A: Final = "/v1/api/org_local/environments/live/videos"


@attrs.frozen(kw_only=True)
class Clips:
    """
    What customers send; durations in seconds by file.
    """

    good: Mapping[Path, float]
    broken: Path

    @property
    def folder(self) -> Path:
        """
        Where they lie.
        """
        return self.broken.parent


def make_clips(folder: Path) -> Clips:
    """
    Make clips of one segment, of three, and of as many as make several parts.
    """
    wanted = {"short": (2, "160x90"), "mid": (14, "192x108"), "long": (50, "128x72")}
    good = {
        make_clip(folder / f"{name}.mp4", seconds=seconds, size=size): float(seconds)
        for name, (seconds, size) in wanted.items()
    }
    broken = folder / "broken.mp4"
    broken.write_text("this is no video")
    return Clips(good=good, broken=broken)


@attrs.define
class Ledger:
    """
    What was acknowledged; each entry is made after the answer came.

    Attributes:
        sent: Size of the bytes that lie at a ``bucketPath``.
        processed: The clip whose bytes are processed, by video or by path.
        deleted: Videos.
        whole: Media segments that arrived complete with 200, by video.
        begun: Those that were asked for.
    """

    granted: set[str] = attrs.field(factory=set)
    sent: dict[str, int] = attrs.field(factory=dict)
    processed: dict[str, Path] = attrs.field(factory=dict)
    deleted: set[str] = attrs.field(factory=set)
    whole: Counter[str] = attrs.field(factory=Counter)
    begun: Counter[str] = attrs.field(factory=Counter)
    oddities: list[str] = attrs.field(factory=list)


class Served(Protocol):
    """
    A service, as its customers see it.
    """

    @property
    def api(self) -> str:
        """
        The API's root address.
        """
        ...

    @property
    def key(self) -> str:
        """
        The key of the environment ``live``.
        """
        ...

    def public_url(self, video_id: str, file: str = "master.m3u8") -> str:
        """
        Return an address on the public path.
        """
        ...


class GaveUpError(Exception):
    """
    The service was away for longer than anybody waits.
    """


class Customer:
    """
    One client: uploads, processes, deletes, retries and watches.

    Args:
        web: Where the service can fetch the clips.
    """

    def __init__(
        self,
        service: Served,
        clips: Clips,
        ledger: Ledger,
        *,
        seed: int,
        web: str,
    ) -> None:
        self._web = web
        self._service = service
        self._clips = clips
        self._ledger = ledger
        self._random = random.Random(seed)  # noqa: S311 - to be repeated
        self._over = threading.Event()
        self._thread = threading.Thread(
            target=self._run, name=f"customer-{seed}", daemon=True
        )
        self._key = service.key

    def start(self) -> None:
        """
        Begin.
        """
        self._thread.start()

    def stop(self) -> None:
        """
        Begin nothing new.
        """
        self._over.set()

    @property
    def is_busy(self) -> bool:
        """
        Tell whether what was begun has not ended yet.
        """
        return self._thread.is_alive()

    def _run(self) -> None:
        deeds: list[Callable[[], None]] = [
            *(self._family_a,) * 4,
            *(self._family_b,) * 3,
            self._cut_off,
            self._deletes_early,
            self._sends_rubbish,
            self._walks_away,
            self._has_fetched,
        ]
        while not self._over.is_set():
            deed = self._random.choice(deeds)
            try:
                deed()
            except GaveUpError as error:
                self._ledger.oddities.append(f"{deed.__name__}: {error}")

    def _family_a(self) -> None:
        clip = self._clip()
        path = self._sent(clip, self._grant(clip))
        video = self._process(path, clip)
        if video and self._ended(video) and self._random.random() < 0.4:
            self._delete(video)

    def _family_b(self) -> None:
        clip = self._clip()
        answer = self._ask(
            "POST",
            "/v1/videos/upload-url",
            {
                "fileName": clip.name,
                "contentType": MP4,
                "allowPublicAccess": True,
            },
        )
        grant = self._of(answer, "bucketPath", "signedURL", "videoID")
        video = grant["videoID"]
        self._put(clip, grant)
        self._ledger.processed[video] = clip
        if self._ended(video) and self._random.random() < 0.3:
            self._delete(video)

    def _cut_off(self) -> None:
        # Half of it, then the line breaks; then the whole.
        clip = self._clip()
        grant = self._grant(clip)
        data = clip.read_bytes()
        parts = urlsplit(grant["signedURL"])
        with suppress(OSError, http.client.HTTPException):
            connection = http.client.HTTPConnection(
                self._host_of(str(parts.hostname)), parts.port or 80, timeout=5
            )
            connection.putrequest("PUT", f"{parts.path}?{parts.query}")
            connection.putheader("Content-Type", MP4)
            connection.putheader("Content-Length", str(len(data)))
            connection.endheaders(data[: len(data) // 2])
            connection.close()
        if self._random.random() < 0.5:
            self._process(self._sent(clip, grant), clip)

    def _deletes_early(self) -> None:
        clip = self._clip()
        video = self._process(self._sent(clip, self._grant(clip)), clip)
        time.sleep(self._random.uniform(0, 2.5))
        if video:
            self._delete(video)

    def _sends_rubbish(self) -> None:
        clip = self._clips.broken
        video = self._process(self._sent(clip, self._grant(clip)), clip)
        if video and self._ended(video):
            self._ask("POST", f"/v1/videos/{video}/retry")

    def _has_fetched(self) -> None:
        clip = self._clip()
        wanted = {"fileName": clip.name, "videoURL": f"{self._web}/{clip.name}"}
        answer = self._ask(
            "POST", "/v1/videos/upload", {**wanted, "allowPublicAccess": True}
        )
        if answer.status != 200:
            raise GaveUpError(f"upload: {answer.status} {answer.data!r}")
        video = str(answer.body["videoID"])
        self._ledger.processed[video] = clip
        self._ended(video)

    def _walks_away(self) -> None:
        self._grant(self._clip())

    def _host_of(self, name: str) -> str:
        """
        Return where a host of an address is.
        """
        return name

    def _clip(self) -> Path:
        good = list(self._clips.good)
        return self._random.choices(good, (5, 2, 2)[: len(good)])[0]

    def _grant(self, clip: Path) -> Mapping[str, Any]:
        wanted = {
            "filename": clip.name,
            "fileSize": clip.stat().st_size,
            "contentType": MP4,
        }
        answer = self._ask("POST", f"{_A}/upload-url", wanted)
        return self._of(answer, "bucketPath", "signedURL")

    def _of(self, answer: Answer, *names: str) -> Mapping[str, Any]:
        if answer.status != 200:
            raise GaveUpError(f"{answer.status} {answer.data!r}")
        body: Mapping[str, Any] = answer.body
        self._ledger.granted.add(body["bucketPath"])
        return {name: body[name] for name in names}

    def _sent(self, clip: Path, grant: Mapping[str, Any]) -> str:
        self._put(clip, grant)
        return str(grant["bucketPath"])

    def _put(self, clip: Path, grant: Mapping[str, Any]) -> None:
        data = clip.read_bytes()
        answer = self._repeated(
            lambda: self._request("PUT", grant["signedURL"], data, {}, MP4)
        )
        # The latter: a sending whose answer was lost has started the job.
        if answer.status not in {200, 409}:
            raise GaveUpError(f"PUT: {answer.status} {answer.data!r}")
        self._ledger.sent[grant["bucketPath"]] = len(data)

    def _process(self, path: str, clip: Path) -> str | None:
        wanted = {"gcsPath": path, "videoQuality": "standard"}
        wanted["allowPublicAccess"] = True  # type: ignore[assignment]  # JSON
        answer = self._ask("POST", f"{_A}/process", wanted)
        if answer.status == 409:
            # Accepted before, and the answer was lost.
            self._ledger.processed[path] = clip
            return None
        if answer.status != 200:
            raise GaveUpError(f"process: {answer.status} {answer.data!r}")
        video = str(answer.body["videoID"])
        self._ledger.processed[video] = clip
        return video

    def _ended(self, video: str) -> bool:
        deadline = time.monotonic() + SEEN_THROUGH_S
        while time.monotonic() < deadline:
            answer = self._ask("GET", f"/v1/videos/{video}")
            if answer.status == 200:
                status = answer.body["status"]
                if status["ready"]:
                    self._watch(video)
                if status["ready"] or status["failed"]:
                    return True
            time.sleep(PAUSE_S)
        return False

    def _delete(self, video: str) -> None:
        answer = self._ask("DELETE", f"/v1/videos/{video}")
        # The latter: deleted by the one whose answer was lost.
        if answer.status == 200 or answer.json.get("code") == "already_deleted":
            self._ledger.deleted.add(video)
        else:
            raise GaveUpError(f"DELETE: {answer.status} {answer.data!r}")

    def _watch(self, video: str) -> None:
        master = self._service.public_url(video)
        for name in self._names(master):
            for segment in self._names(urljoin(master, name)):
                if not segment.startswith("video/"):
                    continue
                self._ledger.begun[video] += 1
                with suppress(OSError, http.client.HTTPException):
                    answer = self._request("GET", urljoin(master, segment))
                    if answer.status == 200:
                        self._ledger.whole[video] += 1

    def _names(self, url: str) -> list[str]:
        answer = self._repeated(lambda: self._request("GET", url))
        if answer.status != 200:
            return []
        lines = answer.data.decode().splitlines()
        return [line for line in lines if line and not line.startswith("#")]

    def _ask(self, method: str, path: str, json_body: object = None) -> Answer:
        return self._repeated(
            lambda: self._call(method, path, json_body),
        )

    def _call(self, method: str, path: str, json_body: object) -> Answer:
        data = None if json_body is None else json.dumps(json_body).encode()
        url = self._service.api + path
        headers = {"X-Api-Key": self._key}
        return self._request(method, url, data, headers, "application/json")

    def _repeated(self, ask: Callable[[], Answer]) -> Answer:
        deadline = time.monotonic() + PATIENCE_S
        last = "nothing"
        while time.monotonic() < deadline:
            try:
                answer = ask()
            except (OSError, http.client.HTTPException) as error:
                last = repr(error)
            else:
                if answer.status < 500 and answer.status != 429:
                    return answer
                last = f"{answer.status} {answer.data!r}"
            time.sleep(PAUSE_S)
        raise GaveUpError(f"the service is away: {last}")

    def _request(
        self,
        method: str,
        url: str,
        data: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        content_type: str = "",
    ) -> Answer:
        sent = dict(headers or {})
        if data is not None:
            sent["Content-Type"] = content_type
        wanted = urllib.request.Request(url, data=data, headers=sent, method=method)  # noqa: S310
        try:
            with urllib.request.urlopen(wanted, timeout=ASK_TIMEOUT_S) as got:  # noqa: S310
                return Answer(
                    status=got.status, headers=dict(got.headers), data=got.read()
                )
        except urllib.error.HTTPError as error:
            with error:
                return Answer(
                    status=error.code, headers=dict(error.headers), data=error.read()
                )
