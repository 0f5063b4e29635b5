"""
A whole service whose videos MediaConvert makes, with its files in Swift.

MediaConvert is ``hv-mediaconvert``, which encodes with ffmpeg and writes into the bucket.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import attrs

from tests.e2e.clips import make_clip
from tests.plugins.mediaconvert_local.local_server import (
    ACCESS_KEY,
    ACCESS_SECRET,
    LocalServer,
)
from tests.support.live import LiveService, live_service
from tests.support.stores.object_store import environ_of_swift, new_swift_bucket

_PAGE: Final = 20


@attrs.frozen(kw_only=True)
class Cloud:
    """
    A service, and who makes its videos.
    """

    service: LiveService
    server: LocalServer
    swift: str
    bucket: str
    clip: Path

    def jobs(self, *, status: str = "") -> list[dict[str, Any]]:
        """
        Return what MediaConvert was asked to make, of any video.
        """
        wanted = {"Status": status} if status else {}
        pages = self.server.client().get_paginator("list_jobs")
        found = pages.paginate(PaginationConfig={"PageSize": _PAGE}, **wanted)
        return [job for page in found for job in page["Jobs"]]

    def submitted(self, video_id: str) -> list[dict[str, Any]]:
        """
        Return what MediaConvert was asked to make of a video.
        """
        return [job for job in self.jobs() if video_id in json.dumps(job["Settings"])]

    def processed(self) -> str:
        """
        Upload the clip and ask for it.
        """
        answer = self.service.process(self.service.uploaded(self.clip))
        assert answer.status == 200, answer.data
        return str(answer.body["videoID"])


@contextmanager
def cloud_service(
    folder: Path, swift: str, server: LocalServer, **settings: str
) -> Iterator[Cloud]:
    """
    Run the service until the block ends.
    """
    secret = folder / "secret"
    secret.write_text(f"{ACCESS_SECRET}\n")
    bucket = new_swift_bucket(swift)
    with live_service(
        folder,
        **environ_of_swift(swift, bucket),
        HV_TRANSCODER__BACKEND="mediaconvert",
        HV_TRANSCODER__OPTIONS__ROLE="arn:aws:iam::123456789012:role/Transcode",
        HV_TRANSCODER__OPTIONS__REGION="us-east-1",
        HV_TRANSCODER__OPTIONS__ENDPOINT=server.address,
        HV_TRANSCODER__OPTIONS__ACCESS_KEY=ACCESS_KEY,
        HV_TRANSCODER__OPTIONS__SECRET_KEY_FILE=str(secret),
        HV_TRANSCODER__OPTIONS__TAGS="team=video",
        **settings,
    ) as service:
        yield Cloud(
            service=service,
            server=server,
            swift=swift,
            bucket=bucket,
            clip=make_clip(folder / "clip.mp4", seconds=3, size="320x180"),
        )
