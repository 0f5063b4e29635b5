"""The bin: lists deleted videos that can be restored, restores them, and deletes them for good."""

import math
from collections.abc import Sequence
from typing import Final

import falcon

from hvcore.domain.ids import is_video_id
from hvcore.domain.videos.video import Video
from hvcore.errors import (
    AlreadyDeletedError,
    ConflictError,
    VideoNotFoundError,
)
from hvcore_dashboard.cookies import Tone
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.forms import read_form
from hvcore_dashboard.visits import OrganizationVisit, organization_of
from hvcore_dashboard.whole_numbers import whole_number

VIDEOS_PER_PAGE: Final = 24
BIN: Final = "bin"
"""The value of ``from`` in forms of the page of the bin, to which the answer then leads back."""


class BinPageResource:
    """``GET …/videos/deleted``: the videos that can be restored, and until when."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._bin = desk.services.bin

    def on_get(self, req: falcon.Request, resp: falcon.Response, **_path: str) -> None:
        here = organization_of(req)
        if here.env is None:
            self._desk.answers.page(req, resp, "videos/no_environment.html", {})
            return
        asked = min(max(1, whole_number(req.get_param("page")) or 1), 10**9)
        found = self._bin.page(here.env, page=asked, page_size=VIDEOS_PER_PAGE)
        last = max(1, math.ceil(found.total / VIDEOS_PER_PAGE))
        if asked > last:
            found = self._bin.page(here.env, page=last, page_size=VIDEOS_PER_PAGE)
        values = {
            "videos": found.videos,
            "total": found.total,
            "page": min(asked, last),
            "last": last,
            "bin_hours": self._desk.services.settings.dashboard.bin_hours,
        }
        self._desk.answers.page(req, resp, "videos/bin.html", values)


class VideoRestoresResource:
    """``POST …/videos/restore``: restores deleted videos, and reports those that cannot be restored."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._bin = desk.services.bin

    def on_post(self, req: falcon.Request, resp: falcon.Response, **_path: str) -> None:
        here, form = organization_of(req), read_form(req)
        chosen = [one for one in form.texts("video") if is_video_id(one)]
        restored, refusal = self._restore_all(here, chosen)
        answers = self._desk.answers
        is_from_bin = form.text("from") == BIN
        address = (
            answers.address(req, "videos", "deleted")
            if is_from_bin
            else answers.list_address(req)
        )
        answers.go(
            req,
            resp,
            address,
            message=f"{_told(restored, chosen)} {refusal}".strip(),
            tone="good" if len(restored) == len(chosen) > 0 else "warn",
        )

    def _restore_all(
        self, here: OrganizationVisit, chosen: Sequence[str]
    ) -> tuple[Sequence[Video], str]:
        """Restore chosen videos; return them, and why no more were restored."""
        restored: list[Video] = []
        refusal = ""
        for video_id in chosen:
            try:
                # Counted nowhere: its deletion was, and a mistake must not wait for an hour.
                restored.append(self._bin.restore(here.caller, here.org_id, video_id))
            except (ConflictError, VideoNotFoundError):
                refusal = "What is gone cannot be restored any more."
        return restored, refusal


class BinnedVideoDeletionResource:
    """``POST …/videos/deleted/delete``: has the files of a video in the bin removed at once."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._deletion = desk.services.deletion

    def on_post(self, req: falcon.Request, resp: falcon.Response, **_path: str) -> None:
        here, video_id = organization_of(req), read_form(req).text("video")
        if not is_video_id(video_id):
            raise VideoNotFoundError
        tone: Tone = "good"
        try:
            video = self._deletion.end_stay(here.caller, here.org_id, video_id)
            message = f"{video.name} is deleted for good."
        except AlreadyDeletedError:
            message, tone = "The video was deleted for good meanwhile.", "warn"
        except ConflictError:
            message, tone = "Nothing was deleted: the video was restored.", "warn"
        answers = self._desk.answers
        address = answers.address(req, "videos", "deleted")
        answers.go(req, resp, address, message=message, tone=tone)


def _told(restored: Sequence[Video], chosen: Sequence[str]) -> str:
    if len(restored) == len(chosen) == 1:
        return f"{restored[0].name} was restored."
    noun = "video" if len(restored) == 1 else "videos"
    return f"{len(restored)} {noun} restored." if chosen else "No video was chosen."
