"""
The plugin for the service of ``tests.support.network.remote_service``, as an author would write it.
"""

import json
from collections.abc import Iterator
from fractions import Fraction
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import Request, urlopen

import attrs

from hvcore.plugin_api import (
    AudioCodec,
    BuildContext,
    Capabilities,
    JobDeclinedError,
    MediaFile,
    Part,
    PartDone,
    PartPending,
    PixelFormat,
    RemoteTranscoder,
    Rung,
    Segment,
    SourceInfo,
    Speed,
    StoredObject,
    Track,
    TranscodeError,
    TranscodeOrder,
    TranscoderBackend,
    UnavailableError,
    VideoTrackInfo,
    Workspace,
    hookimpl,
)

ADDRESS_VALID_S = 6 * 3600
DEADLINE_S = 12 * 3600.0


@attrs.frozen(kw_only=True)
class FarOptions:
    """
    Where the service is.

    Attributes:
        declines: Why no job is taken, if none is.
        most: How many jobs are taken; 0 is all.
    """

    url: str
    declines: str = ""
    most: int = 0


class FarTranscoder(RemoteTranscoder):
    """
    Has videos made by the service.
    """

    def __init__(self, options: FarOptions) -> None:
        self._url = options.url
        self._declines = options.declines
        self._most = options.most

    def declines(self, order: TranscodeOrder) -> str:
        del order
        if self._most and len(self._known("*")) >= self._most:
            return "No more today."
        return self._declines

    def capabilities(self) -> Capabilities:
        return Capabilities(
            name="far 1",
            pixel_formats=frozenset(p for p in PixelFormat if p.bit_depth < 12),
            audio_codecs=frozenset({AudioCodec.AAC}),
            speeds=frozenset(Speed),
        )

    def probe(self, workspace: Workspace) -> SourceInfo:
        wanted = {"source": workspace.source_address(ADDRESS_VALID_S)}
        found = self._ask("POST", "/probes", wanted)
        return SourceInfo(
            duration_s=6.0,
            size_bytes=found["size"],
            container="mov",
            video=VideoTrackInfo(
                stream_index=0,
                width_px=1280,
                height_px=720,
                frame_rate=Fraction(30),
                pixel_format=PixelFormat.YUV420P,
            ),
        )

    def plan(self, order: TranscodeOrder) -> tuple[Part, ...]:
        return (Part(index=0, order=order),)

    def run(self, part: Part, workspace: Workspace) -> PartDone | PartPending:
        if workspace.handle is None:
            return self._submit(part, workspace)
        job = self._ask("GET", f"/jobs/{workspace.handle}")
        if job["state"] == "running":
            return PartPending(
                handle=workspace.handle,
                progress=job["progress"],
                deadline_s=DEADLINE_S,
            )
        if job["state"] != "done":
            raise TranscodeError("The service could not make it.", log=job["state"])
        return _done(part, job["outputs"])

    def cancel(self, key: str, handle: str | None) -> None:
        for job_id in [handle] if handle else self._known(key):
            self._ask("DELETE", f"/jobs/{job_id}")

    def _submit(self, part: Part, workspace: Workspace) -> PartPending:
        # It may have been submitted by a worker that was killed right after.
        known = self._known(workspace.key)
        if known:
            handle = known[0]
        else:
            assert workspace.target is not None
            why = self.declines(part.order)
            if why:
                raise JobDeclinedError(why)
            wanted = {
                "key": workspace.key,
                "source": workspace.source_address(ADDRESS_VALID_S),
                "target": workspace.target.url,
                "rungs": [_size(rung) for rung in part.order.ladder.rungs],
            }
            handle = self._ask("POST", "/jobs", wanted)["id"]
        workspace.remember(handle)
        return PartPending(handle=handle, deadline_s=DEADLINE_S)

    def _known(self, key: str) -> list[str]:
        found: list[str] = self._ask("GET", f"/jobs?key={quote(key)}")
        return found

    def _ask(self, method: str, path: str, body: object = None) -> Any:  # noqa: ANN401 - JSON data
        data = None if body is None else json.dumps(body).encode()
        url = f"{self._url}{path}"
        request = Request(url, data, method=method)  # noqa: S310 - of the settings
        try:
            with urlopen(request, timeout=10) as answer:  # noqa: S310 - likewise
                return json.load(answer)
        except HTTPError as exc:
            exc.close()
            if exc.code >= 500:
                raise UnavailableError(f"The service answers {exc.code}.") from exc
            if method == "DELETE" and exc.code == 404:
                return {}
            raise TranscodeError("The service refused.", log=str(exc.code)) from exc
        except URLError as exc:
            raise UnavailableError("The service cannot be reached.") from exc


def _size(rung: Rung) -> dict[str, Any]:
    return {"key": rung.key, "width_px": rung.width_px, "height_px": rung.height_px}


def _done(part: Part, outputs: list[dict[str, Any]]) -> PartDone:
    tracks, stored = [], []
    for rung, output in zip(part.order.ladder.rungs, outputs, strict=True):
        name = f"video/{rung.key}"
        init, segment = output["init"], output["segment"]
        stored += [
            StoredObject(name=f"{name}/init.m4s", made_as=init["name"]),
            StoredObject(name=f"{name}/0.m4s", made_as=segment["name"]),
        ]
        tracks.append(
            Track(
                name=name,
                codecs="avc1.42C01F",
                init=_file(init),
                segments=(Segment(number=0, duration_s=6.0, file=_file(segment)),),
                rung=rung,
            )
        )
    return PartDone(tracks=tuple(tracks), stored=tuple(stored))


def _file(told: dict[str, Any]) -> MediaFile:
    return MediaFile(size_bytes=told["size"], sha256=told["sha256"])


def build(options: FarOptions, context: BuildContext) -> FarTranscoder:
    """
    Build the transcoder.
    """
    del context
    return FarTranscoder(options)


@hookimpl
def hvcore_transcoders() -> Iterator[TranscoderBackend]:
    """
    Offer ``far``.
    """
    yield TranscoderBackend(name="far", factory=build, options=FarOptions)
