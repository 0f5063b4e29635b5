"""The captions tab of a video: its values, whoever shows it."""

import math
from collections.abc import Sequence
from typing import Final

import attrs
import falcon

from hvcore.domain.processing.speech import TranscriberCapabilities
from hvcore.domain.videos.caption_jobs import AUTO, CaptionJob, CaptionJobState
from hvcore.domain.videos.captions import MAX_CAPTION_BYTES, MAX_LABEL_CHARS
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.errors import UnavailableError
from hvcore.manifests.language_names import language_name
from hvcore.services.captions.orders import CaptionOrders
from hvcore.services.videos.caption_editing import CaptionEditing
from hvcore.services.videos.captions import Captions
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.forms import Form
from hvcore_dashboard.pages.video.tabs import VideoTabs
from hvcore_dashboard.visits import organization_of

TAB: Final = "captions"
SPOKEN: Final = "spoken"
"""The field with the language of captions by machine, beside that of an uploaded file."""
DOWNLOADS: Final = (("vtt", "WebVTT"), ("srt", "SubRip"), ("text", "Text"))
_MINUTE_MS: Final = 60_000


@attrs.frozen(kw_only=True)
class ShownJob:
    """
    A job that makes captions by machine, as people read it.

    Attributes:
        language: The language that is spoken, or that it is being found out.
        done_min: The minutes of sound that are finished.
        all_min: The minutes of sound of the video.
    """

    job: CaptionJob
    language: str
    done_min: int
    all_min: int

    @property
    def state(self) -> CaptionJobState:
        """The state of the job."""
        return self.job.state


@attrs.frozen(kw_only=True)
class CaptionsTab:
    """Shows the captions tab of a video."""

    tabs: VideoTabs
    captions: Captions
    orders: CaptionOrders
    editing: CaptionEditing

    @classmethod
    def of(cls, desk: Desk) -> "CaptionsTab":
        """Return the tab that reads from the dashboard's services."""
        services = desk.services
        return cls(
            tabs=VideoTabs.of(desk),
            captions=services.captions,
            orders=services.caption_orders,
            editing=services.caption_editing,
        )

    def show(
        self, req: falcon.Request, resp: falcon.Response, video: Video, form: Form
    ) -> None:
        """Answer with the tab; a form with errors is the one of its forms that was sent."""
        here = organization_of(req)
        place = (here.caller, here.org_id, video.id)
        jobs = self.orders.of_video(*place)
        values = {
            "form": form,
            "tracks": self.captions.of_video(*place),
            "uncaptioned": self.editing.uncaptioned_s(*place),
            "jobs": shown_jobs(jobs),
            "is_making": any(job.is_running for job in jobs),
            "downloads": DOWNLOADS,
            "may_make": video.state is VideoState.READY,
            **self._transcriber(),
            "max_label": MAX_LABEL_CHARS,
            "max_bytes": MAX_CAPTION_BYTES,
        }
        self.tabs.show(req, resp, video, TAB, values)

    def _transcriber(self) -> dict[str, object]:
        """Return the languages to choose from; none, and why, if no captions can be made."""
        try:
            able = self.orders.capabilities()
        except UnavailableError as error:
            return {"spoken_languages": (), "why_none": error.detail}
        if able is None:
            return {
                "spoken_languages": (),
                "why_none": "Captions are not made by machine here: no transcriber is "
                "set up.",
            }
        return {"spoken_languages": _languages(able), "why_none": ""}


def shown_jobs(jobs: Sequence[CaptionJob]) -> Sequence[ShownJob]:
    """Return the caption jobs of a video as people read them, the latest first."""
    return [
        ShownJob(
            job=job,
            language=_spoken_language(job),
            done_min=job.done_ms // _MINUTE_MS,
            all_min=max(1, math.ceil(job.duration_ms / _MINUTE_MS)),
        )
        for job in sorted(jobs, key=lambda job: job.created_at, reverse=True)
    ]


def _spoken_language(job: CaptionJob) -> str:
    known = job.language or job.wish
    if known == AUTO:
        return "The spoken language"
    assumed = ", assumed" if job.is_assumed else ""
    return f"{language_name(known)} ({known}{assumed})"


def _languages(able: TranscriberCapabilities) -> Sequence[tuple[str, str]]:
    name = (
        "The one that is spoken"
        if able.detects_languages
        else f"{language_name(able.assumed_language or '')} (assumed)"
    )
    named = [(code, f"{language_name(code)} ({code})") for code in able.languages]
    return [(AUTO, name), *sorted(named, key=lambda one: one[1].casefold())]
