"""The list of videos, as thumbnails or as a table, with search, sorting and pages."""

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

import attrs
import falcon

from hvcore.domain.access.rate_limits import Bucket
from hvcore.domain.access.roles import Role
from hvcore.domain.access.tenants import Environment
from hvcore.domain.ids import is_video_id
from hvcore.domain.playback.page_domains import origin_of
from hvcore.domain.videos.catalog import VideoQuery
from hvcore.domain.videos.deletion import DeletionReason
from hvcore.domain.videos.spoken_words import MAX_SPOKEN_QUERY_CHARS
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.errors import (
    AlreadyDeletedError,
    HvError,
    RateLimitExceededError,
    VideoNotFoundError,
)
from hvcore.wire.converter import read_query
from hvcore.wire.envelope import SUCCESS_TYPE, encode
from hvcore.wire.query import ListParameters, days_in_order
from hvcore_dashboard.answers import is_partial
from hvcore_dashboard.cookies import MOST_UNDONE, VIEW
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.forms import read_form
from hvcore_dashboard.list_places import CHOOSING, PARAMETERS, ListPlace
from hvcore_dashboard.pages.bulk.shown import ShownBulk, ShownBulks
from hvcore_dashboard.pages.videos.found import FoundBesides
from hvcore_dashboard.pages.videos.shown import ShownVideos, place_of
from hvcore_dashboard.security import ContentPolicy
from hvcore_dashboard.visits import OrganizationVisit, organization_of
from hvcore_dashboard.whole_numbers import whole_number

PAGE_SIZES: Final = (24, 60, 120, 240)
MOST_ARRIVING: Final = 20
"""The most uploads on their way that stand above the list."""
VIEWS: Final = ("grid", "table")
MOST_POLLED: Final = 24
"""The most videos in one request about progress."""


class VideosPageResource:
    """``GET …/videos``: the list of videos; for htmx only the results."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._catalog = desk.services.catalog
        self._shown = ShownVideos.of(desk.services)
        self._besides = FoundBesides.of(desk.services)
        self._bulk = ShownBulks.of(desk.services)
        self._uploads = desk.services.resumable
        worker = origin_of(desk.services.settings.public.worker_url)
        # Storyboards.
        self._policy = ContentPolicy(connections=(worker,) if worker else ())

    def on_get(self, req: falcon.Request, resp: falcon.Response, **_path: str) -> None:
        here = organization_of(req)
        view = self._view(req, resp)
        values: dict[str, object] = {
            "view": view,
            "sent": _sent(req),
            "kept": ListPlace.of_values(_sent(req)).values,
            "is_fragment": is_partial(req),
            "bin_hours": self._desk.services.settings.dashboard.bin_hours,
            "is_filtered": any(_sent(req)[name] for name in CHOOSING),
            "page_sizes": PAGE_SIZES,
            "max_spoken": MAX_SPOKEN_QUERY_CHARS,
        }
        if here.env is None:
            self._desk.answers.page(req, resp, "videos/no_environment.html", {})
            return
        try:
            given = {name: value for name, value in _sent(req).items() if value}
            page_size = _page_size(given.pop("pageSize", ""))
            wanted = read_query(ListParameters, given, days_in_order).query()
        except HvError as error:
            # No list: it would stand below what it was not searched for.
            values |= {"complaint": error.detail, "query": ListParameters().query()}
        else:
            wanted = attrs.evolve(wanted, page_size=page_size)
            values |= {
                "query": wanted,
                **self._results(here, here.env, wanted),
                **self._besides.values(here, here.env, _sent(req)),
            }
        answers = self._desk.answers
        if is_partial(req):
            answers.fragment(req, resp, "videos/results.html", values)
            # Without what needs no mention.
            kept = ListPlace.of_values(_sent(req)).values
            shown = answers.address(req, "videos", **kept)
            resp.set_header("HX-Push-Url", shown)
            return
        values["running"] = self._running(here)
        is_first = not values["is_filtered"] and values.get("page") == 1
        if is_first:
            values["arriving"] = self._uploads.arriving(here.env, MOST_ARRIVING)
        answers.page(req, resp, "videos/list.html", values, policy=self._policy)

    def _running(self, here: OrganizationVisit) -> Sequence[ShownBulk]:
        if not here.role.includes(Role.EDITOR):
            return []
        running = self._bulk.bulk_changes.running(here.org_id)
        return [self._bulk.brief(view) for view in running]

    def _results(
        self, here: OrganizationVisit, env: Environment, wanted: VideoQuery
    ) -> Mapping[str, object]:
        page = self._catalog.page(env, wanted)
        last = max(1, math.ceil(page.total / wanted.page_size))
        if wanted.page > last:
            page = self._catalog.page(env, attrs.evolve(wanted, page=last))
        return {
            "videos": self._shown.listed(here, page.videos),
            "total": page.total,
            "has_more": page.has_more,
            "spoken_hits": page.spoken_hits,
            "page": min(wanted.page, last),
            "last": last,
        }

    def _view(self, req: falcon.Request, resp: falcon.Response) -> str:
        chosen = req.get_param("view")
        if chosen in VIEWS:
            self._desk.cookies.keep(resp, VIEW, chosen)
            return chosen
        kept = self._desk.cookies.read(req, VIEW)
        return kept if kept in VIEWS else VIEWS[0]


class VideoProgressResource:
    """``GET …/videos/progress?ids=…``: the encoding progress of the named videos."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._shown = ShownVideos.of(desk.services)

    def on_get(self, req: falcon.Request, resp: falcon.Response, **_path: str) -> None:
        here = organization_of(req)
        wanted = (req.get_param("ids") or "").split(",")[:MOST_POLLED]
        found = self._shown.now(here, [one for one in wanted if is_video_id(one)])
        self._desk.answers.fragment(
            req,
            resp,
            "videos/progress.html",
            {
                "videos": found,
                "view": "table" if req.get_param("view") == "table" else "grid",
            },
        )


class ArrivingUploadsResource:
    """``GET …/videos/uploading``: a fragment that lists the uploads whose files are being sent."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._uploads = desk.services.resumable

    def on_get(self, req: falcon.Request, resp: falcon.Response, **_path: str) -> None:
        env = organization_of(req).env
        found = self._uploads.arriving(env, MOST_ARRIVING) if env else ()
        self._desk.answers.fragment(
            req, resp, "videos/uploading.html", {"arriving": found}
        )


class VideoStateResource:
    """``GET …/videos/{video}/state``: a fragment that shows the state of one video."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._catalog = desk.services.catalog
        self._waiting = desk.services.waiting_videos

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, video_id: str, **_path: str
    ) -> None:
        here = organization_of(req)
        if not is_video_id(video_id):
            raise VideoNotFoundError
        video = self._catalog.details(here.caller, here.org_id, video_id)
        is_made = video.state is VideoState.TRANSCODING
        places = self._waiting.places(here.org_id) if is_made else {}
        place = place_of(video, places)
        values = {"video": video, "place": place}
        self._desk.answers.fragment(req, resp, "videos/state.html", values)


class VideoDeletionsResource:
    """``POST …/videos/delete``: deletes several videos, and reports those that cannot be deleted."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._deletion = desk.services.deletion
        self._limits = desk.services.operation_limits
        self._keep_hours = desk.services.settings.dashboard.bin_hours

    def on_post(self, req: falcon.Request, resp: falcon.Response, **_path: str) -> None:
        here = organization_of(req)
        chosen = [one for one in read_form(req).texts("video") if is_video_id(one)]
        deleted, refusal = self._delete_all(here, chosen)
        noun = "video" if len(deleted) == 1 else "videos"
        told = f"{len(deleted)} {noun} deleted." if chosen else "No video was chosen."
        undo = [video.id for video in deleted if video.bin_stay is not None]
        self._desk.answers.go(
            req,
            resp,
            self._desk.answers.list_address(req),
            message=f"{told} {refusal}".strip(),
            tone="good" if len(deleted) == len(chosen) > 0 else "warn",
            # Of more, the page of the bin has the rest.
            undo=undo if len(undo) <= MOST_UNDONE else (),
        )

    def _delete_all(
        self, here: OrganizationVisit, chosen: Sequence[str]
    ) -> tuple[Sequence[Video], str]:
        """Delete chosen videos; return them, and why no more were deleted."""
        deleted: list[Video] = []
        for video_id in chosen:
            try:
                # Each is an operation, as it is for programs.
                self._limits.count(here.org_id, Bucket.VIDEO_OPERATIONS)
            except RateLimitExceededError as error:
                return deleted, error.detail
            # If there is none, somebody else was quicker.
            with suppress(AlreadyDeletedError, VideoNotFoundError):
                deleted.append(self._delete(here, video_id))
        return deleted, ""

    def _delete(self, here: OrganizationVisit, video_id: str) -> Video:
        return self._deletion.delete(
            *(here.caller, here.org_id, video_id, DeletionReason.USER_REQUEST),
            keep_hours=self._keep_hours,
        )


class StoryboardAddressResource:
    """``GET …/videos/{video}/storyboard``: the address of the video's storyboard, for a script."""

    def __init__(self, desk: Desk) -> None:
        self._playback = desk.services.playback

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, video_id: str, **_path: str
    ) -> None:
        here = organization_of(req)
        if not is_video_id(video_id):
            raise VideoNotFoundError
        signed = self._playback.sign(
            here.caller, here.org_id, video_id, expires_in_s=3600
        )
        resp.content_type = SUCCESS_TYPE
        resp.data = encode({"url": signed.addresses.storyboard})


def _sent(req: falcon.Request) -> Mapping[str, str]:
    return {name: req.get_param(name) or "" for name in PARAMETERS}


def _page_size(asked: str) -> int:
    """Return the chosen number of videos on a page; the usual one if it is no choice."""
    wanted = whole_number(asked)
    return wanted if wanted in PAGE_SIZES else PAGE_SIZES[0]
