"""The picture tab of a video: sets the poster to a frame of the video or to an image file."""

from typing import Final

import attrs
import falcon

from hvcore.domain.limits import MAX_PICTURE_BYTES
from hvcore.domain.playback.page_domains import origin_of
from hvcore.domain.videos.video import Video
from hvcore.errors import (
    ConflictError,
    FieldError,
    HvError,
    InvalidParametersError,
    PreconditionFailedError,
)
from hvcore.pictures.redraw import PICTURE_FORMATS
from hvcore.services.conditions import Condition
from hvcore.wire.converter import read_query
from hvcore.wire.videos.changes import CustomThumbnailRequest
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.edits import as_shown
from hvcore_dashboard.forms import Form, SentFile, read_form
from hvcore_dashboard.pages.video.tabs import VideoTabs
from hvcore_dashboard.pages.videos.thumbnails import whole_poster_url
from hvcore_dashboard.security import ContentPolicy
from hvcore_dashboard.visits import organization_of
from hvcore_dashboard.whole_numbers import whole_number

TAB: Final = "picture"
FILE: Final = "picture"
MOMENT: Final = "timestampSeconds"
_CHOSEN: Final = (
    "Somebody else has chosen another picture since you opened the page: look at what is "
    "shown now. To put yours in its place, send it again."
)
LOOKS: Final = 10
"""The most times that the page looks for an ordered picture."""


class PicturePageResource:
    """``GET …/videos/{video}/picture``: the picture tab; ``POST``: sets the poster."""

    def __init__(self, desk: Desk) -> None:
        self._tabs = VideoTabs.of(desk)
        self._answers = desk.answers
        self._thumbnails = desk.services.custom_thumbnails
        self._playback = desk.services.playback
        worker = origin_of(desk.services.settings.public.worker_url)
        # The storyboard.
        self._policy = ContentPolicy(connections=(worker,) if worker else ())

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, video_id: str, **_path: str
    ) -> None:
        self._show(req, resp, self._tabs.arrived(req, video_id), Form())

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, *, video_id: str, **_path: str
    ) -> None:
        """Store the sent image as the video's poster, or have a frame of the video made into it."""
        form, video = read_form(req), self._tabs.arrived(req, video_id)
        try:
            if MOMENT in form.fields:
                self._order(req, resp, video, form)
            else:
                self._take(req, resp, video, form)
        except PreconditionFailedError:
            resp.status = ConflictError.status
            field = MOMENT if MOMENT in form.fields else FILE
            chosen = attrs.evolve(form, errors={field: _CHOSEN})
            self._show(req, resp, video, chosen)
        except HvError as error:
            resp.status = error.http_status
            self._show(req, resp, video, form.refused(error, **{"": FILE}))

    def _order(
        self, req: falcon.Request, resp: falcon.Response, video: Video, form: Form
    ) -> None:
        here = organization_of(req)
        wanted = read_query(CustomThumbnailRequest, form.given(MOMENT))
        place = (here.caller, here.org_id, video.id)
        self._thumbnails.order_still(*place, wanted.at_s, only_if=_as_seen(form))
        page = ("videos", video.id, TAB)
        self._answers.go(
            req,
            resp,
            self._answers.address(req, *page, looks=LOOKS),
            message="The picture is being made. It is here in a few seconds.",
        )

    def _take(
        self, req: falcon.Request, resp: falcon.Response, video: Video, form: Form
    ) -> None:
        here, sent = organization_of(req), _picture(form)
        self._thumbnails.set_picture(
            here.caller,
            here.org_id,
            video.id,
            picture=sent.data,
            content_type=sent.content_type,
            only_if=_as_seen(form),
        )
        self._tabs.go(req, resp, video, TAB, "The picture is shown from now on.")

    def _show(
        self, req: falcon.Request, resp: falcon.Response, video: Video, form: Form
    ) -> None:
        values = {
            "form": form,
            "url": whole_poster_url(self._playback, video),
            "choice": self._thumbnails.choice(video.id),
            "looks": _looks(req),
            "max_bytes": MAX_PICTURE_BYTES,
        }
        self._tabs.show(req, resp, video, TAB, values, policy=self._policy)


class PictureFragmentResource:
    """``GET …/videos/{video}/picture/now``: the present poster, loaded again while one is being made."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._tabs = VideoTabs.of(desk)
        self._thumbnails = desk.services.custom_thumbnails
        self._playback = desk.services.playback

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, video_id: str, **_path: str
    ) -> None:
        video = self._tabs.arrived(req, video_id)
        values = {
            "video": video,
            "url": whole_poster_url(self._playback, video),
            "choice": self._thumbnails.choice(video.id),
            "looks": _looks(req),
        }
        self._answers.fragment(req, resp, "video/picture_now.html", values)


def _as_seen(form: Form) -> Condition[str] | None:
    return as_shown(form, "choice", str)


def _looks(req: falcon.Request) -> int:
    return min(whole_number(req.get_param("looks")) or 0, LOOKS)


def _picture(form: Form) -> SentFile:
    sent = form.files.get(FILE)
    if sent is None or not sent.data:
        raise _refusal("Choose a picture.")
    if sent.content_type not in PICTURE_FORMATS:
        raise _refusal("The picture must be a JPEG or a PNG.")
    if len(sent.data) > MAX_PICTURE_BYTES:
        raise _refusal("The picture is too large.")
    return sent


def _refusal(message: str) -> InvalidParametersError:
    problem = FieldError(message=message, location=f"body.{FILE}")
    return InvalidParametersError(message, errors=[problem])
