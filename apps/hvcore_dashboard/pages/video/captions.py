"""The captions tab of a video: uploads, previews and removes captions."""

import html
import re
from collections.abc import Sequence
from typing import Final

import attrs
import falcon

from hvcore.domain.videos.captions import (
    MAX_CAPTION_BYTES,
    CaptionTrack,
    Cue,
)
from hvcore.errors import (
    ConflictError,
    FieldError,
    HvError,
    InvalidParametersError,
    PreconditionFailedError,
)
from hvcore.services.conditions import Condition
from hvcore.services.videos.captions import NewCaptions
from hvcore.wire.converter import read_query
from hvcore.wire.videos.captions import CaptionParameters
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.forms import SHOWN, Form, read_form
from hvcore_dashboard.pages.video.caption_tab import TAB, CaptionsTab
from hvcore_dashboard.pages.video.tabs import VideoTabs
from hvcore_dashboard.visits import organization_of

FILE: Final = "file"
MOST_PREVIEWED: Final = 500
MOST_NOTES: Final = 3
"""The most notes about left-out cues in a message, which must fit into a cookie."""
_REPLACED: Final = (
    "Somebody else has set captions in this language since you opened the page; they are "
    "listed above. To put yours in their place, choose the file again."
)
_NOT_REMOVED: Final = (
    "Somebody else has set other captions in this language since you opened the page, so "
    "none were removed."
)
_TAG: Final = re.compile(r"<[^<>]*>")


@attrs.frozen(kw_only=True)
class ShownCue:
    """A cue of captions (a text with its start and end), as viewers read it."""

    start_ms: int
    end_ms: int
    text_lines: Sequence[str]


class CaptionsPageResource:
    """``GET …/videos/{video}/captions``: the captions tab; ``POST``: uploads a captions file."""

    def __init__(self, desk: Desk) -> None:
        self._tab = CaptionsTab.of(desk)
        self._tabs = self._tab.tabs
        self._captions = desk.services.captions

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, video_id: str, **_path: str
    ) -> None:
        self._tab.show(req, resp, self._tabs.arrived(req, video_id), Form())

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, *, video_id: str, **_path: str
    ) -> None:
        """Store a video's captions in a language; they replace earlier captions of that language."""
        here, form = organization_of(req), read_form(req)
        video = self._tabs.arrived(req, video_id)
        try:
            new = _new_captions(form)
            place = (here.caller, here.org_id, video.id)
            put = self._captions.put(*place, new, only_if=_as_listed(form))
        except PreconditionFailedError:
            resp.status = ConflictError.status
            problem = attrs.evolve(form, errors={FILE: _REPLACED})
            self._tab.show(req, resp, video, problem)
            return
        except HvError as error:
            resp.status = error.http_status
            refused = form.refused(error, **{"": FILE})
            self._tab.show(req, resp, video, refused)
            return
        said = [f"Captions in {new.language} are shown.", *put.left_out[:MOST_NOTES]]
        self._tabs.go(req, resp, video, TAB, " ".join(said))


class CaptionsPreviewFragmentResource:
    """``GET …/videos/{video}/captions/{language}``: the cues of captions with their times."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._tabs = VideoTabs.of(desk)
        self._captions = desk.services.captions

    def on_get(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        *,
        video_id: str,
        language: str,
        **_path: str,
    ) -> None:
        here, video = organization_of(req), self._tabs.arrived(req, video_id)
        track, cues = self._captions.first_cues(
            here.caller, here.org_id, video.id, language
        )
        shown = [_shown(cue) for cue in cues[:MOST_PREVIEWED]]
        values = {"track": track, "cues": shown, "more": track.cues - len(shown)}
        self._answers.fragment(req, resp, "video/cues.html", values)


class CaptionsRemovalResource:
    """``POST …/videos/{video}/captions/remove``: removes the captions of a language."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._tabs = VideoTabs.of(desk)
        self._captions = desk.services.captions

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, *, video_id: str, **_path: str
    ) -> None:
        here, video = organization_of(req), self._tabs.arrived(req, video_id)
        form = read_form(req)
        language, as_seen = form.text("language"), _as_listed(form)
        place = (here.caller, here.org_id, video.id)
        try:
            self._captions.remove(*place, language, only_if=as_seen)
        except PreconditionFailedError:
            page = self._answers.address(req, "videos", video.id, TAB)
            self._answers.go(req, resp, page, message=_NOT_REMOVED, tone="warn")
            return
        self._tabs.go(req, resp, video, TAB, f"Captions in {language} were removed.")


def _as_listed(form: Form) -> Condition[CaptionTrack | None] | None:
    """
    Return the condition that captions are among those that the page has listed.

    Captions of which the page knew nothing are not replaced unseen.
    """
    if not form.has_shown("captions"):
        return None
    listed = set(form.texts(f"{SHOWN}captions"))
    return lambda track: track is None or track.version in listed


def _shown(cue: Cue) -> ShownCue:
    # Viewers see no tags; those of WebVTT have no > in them.
    plain = html.unescape(_TAG.sub("", cue.text))
    return ShownCue(
        start_ms=cue.start_ms, end_ms=cue.end_ms, text_lines=plain.splitlines()
    )


def _new_captions(form: Form) -> NewCaptions:
    sent = form.files.get(FILE)
    if sent is None or not sent.data:
        message = "Choose a file with captions, WebVTT (.vtt) or SubRip (.srt)."
        problem = FieldError(message=message, location=f"body.{FILE}")
        raise InvalidParametersError(message, errors=[problem])
    if len(sent.data) > MAX_CAPTION_BYTES:
        message = "The file is too large for captions."
        problem = FieldError(message=message, location=f"body.{FILE}")
        raise InvalidParametersError(message, errors=[problem])
    wanted = read_query(CaptionParameters, form.given("label"))
    return NewCaptions(
        language=form.text("language"),
        label=wanted.label,
        data=sent.data,
        # Browsers guess types by the file's name; the file tells.
        expected=None,
    )
