"""Have captions of a video made by machine, and tell how far they are."""

import attrs
import falcon

from hvcore.errors import HvError
from hvcore.wire.converter import read_document
from hvcore.wire.videos.captions import CaptionGenerationRequest
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.forms import read_form
from hvcore_dashboard.pages.video.caption_tab import (
    SPOKEN,
    TAB,
    CaptionsTab,
    shown_jobs,
)
from hvcore_dashboard.visits import organization_of


class CaptionJobsResource:
    """``GET …/videos/{video}/captions/jobs``: how far captions by machine are."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._tab = CaptionsTab.of(desk)

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, video_id: str, **_path: str
    ) -> None:
        here, video = organization_of(req), self._tab.tabs.arrived(req, video_id)
        jobs = self._tab.orders.of_video(here.caller, here.org_id, video.id)
        values = {
            "video": video,
            "jobs": shown_jobs(jobs),
            "is_making": any(job.is_running for job in jobs),
            "was_making": True,
        }
        self._answers.fragment(req, resp, "video/caption_jobs.html", values)


class CaptionOrderResource:
    """``POST …/videos/{video}/captions/generate``: has captions made by machine."""

    def __init__(self, desk: Desk) -> None:
        self._tab = CaptionsTab.of(desk)

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, *, video_id: str, **_path: str
    ) -> None:
        """Order captions in the language that the form names."""
        here, form = organization_of(req), read_form(req)
        video = self._tab.tabs.arrived(req, video_id)
        place = (here.caller, here.org_id, video.id)
        try:
            named = form.text(SPOKEN)
            wanted = read_document(
                CaptionGenerationRequest, {"languages": [named]} if named else {}
            )
            self._tab.orders.generate(*place, wanted.languages)
        except HvError as error:
            resp.status = error.http_status
            refused = attrs.evolve(form, errors={SPOKEN: error.detail})
            self._tab.show(req, resp, video, refused)
            return
        told = "Captions are being made. You may close this page."
        self._tab.tabs.go(req, resp, video, TAB, told)


class CaptionCancellationResource:
    """``POST …/videos/{video}/captions/cancel``: stops captions that are being made."""

    def __init__(self, desk: Desk) -> None:
        self._tab = CaptionsTab.of(desk)

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, *, video_id: str, **_path: str
    ) -> None:
        here, video = organization_of(req), self._tab.tabs.arrived(req, video_id)
        self._tab.orders.cancel(here.caller, here.org_id, video.id)
        told = "No captions are being made any more."
        self._tab.tabs.go(req, resp, video, TAB, told)
