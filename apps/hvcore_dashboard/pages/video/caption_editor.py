"""The editor of captions: changes the cues of one language beside the player."""

import json
from collections.abc import Sequence
from typing import Final

import attrs
import falcon

from hvcore.domain.limits import MAX_SOURCE_DURATION_S
from hvcore.domain.videos.captions import MAX_LABEL_CHARS, Cue, read_written
from hvcore.domain.videos.transcripts import plain_text
from hvcore.domain.videos.video import Video
from hvcore.errors import (
    ConflictError,
    HvError,
    NotFoundError,
    PreconditionFailedError,
    UnavailableError,
)
from hvcore.services.videos.caption_editing import EditedCaptions, OpenedCaptions
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.forms import SHOWN, Form, form_with, read_form
from hvcore_dashboard.pages.video.caption_tab import TAB
from hvcore_dashboard.pages.video.chapter_rows import clock
from hvcore_dashboard.pages.video.facts import VideoFacts, policy_of_player
from hvcore_dashboard.pages.video.tabs import TABS, VideoTabs
from hvcore_dashboard.visits import organization_of

TEXT: Final = "captions"
"""The field with the captions as WebVTT."""
LABEL: Final = "label"
FORCED: Final = "forced"
MOST_THEIRS: Final = 20
"""The most cues that are shown of a version that somebody else has saved."""
_CHANGED: Final = (
    "Somebody else has changed these captions since you opened the page. Yours are below: "
    "save again to put them in the place of theirs."
)
_REMOVED: Final = (
    "These captions were removed since you opened the page. Yours are below: save again "
    "to set them."
)


@attrs.frozen(kw_only=True)
class Theirs:
    """
    The cues of a version that somebody else has saved, without those that are the same in one's own.

    Attributes:
        more: The number of further cues.
    """

    cues: Sequence[tuple[str, str]]
    more: int


class CaptionEditorResource:
    """``GET …/videos/{video}/captions/{language}/edit``: the editor; ``POST``: saves captions."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._tabs = VideoTabs.of(desk)
        self._captions = desk.services.captions
        self._editing = desk.services.caption_editing
        self._facts = VideoFacts.of(desk)
        self._policy = policy_of_player(desk)

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
        with self._captions.opening(here.org_id):
            found = self._editing.open(here.caller, here.org_id, video.id, language)
        shown = {
            TEXT: found.track.version,
            # Of captions that somebody removes meanwhile nothing else knows these two.
            LABEL: found.track.label,
            FORCED: "yes" if found.track.is_forced else "",
        }
        fields = {f"{SHOWN}{name}": value for name, value in shown.items()}
        form = form_with(**{TEXT: _readable(found.text or "")}, **fields)
        named = found.track.language
        self._show(req, resp, video, language=named, form=form, stored=found)

    def on_post(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        *,
        video_id: str,
        language: str,
        **_path: str,
    ) -> None:
        """Save the captions of the form; they replace those that the person began with."""
        here, form = organization_of(req), read_form(req)
        video = self._tabs.arrived(req, video_id)
        seen = form.text(f"{SHOWN}{TEXT}")
        edited = EditedCaptions(
            language=language,
            seen=seen,
            text=form.text(TEXT),
            # What the page has shown; a forged form may hold what no database takes.
            label=form.text(f"{SHOWN}{LABEL}").replace("\0", "")[:MAX_LABEL_CHARS],
            is_forced=form.text(f"{SHOWN}{FORCED}") != "",
        )
        try:
            put = self._editing.save(here.caller, here.org_id, video, edited)
        except HvError as error:
            resp.status = error.http_status
            refused = form.refused(error, **{"": TEXT})
            now = self._now(req, video, language)
            if isinstance(error, PreconditionFailedError):
                resp.status = ConflictError.status
                refused = _disputed(form, now)
            self._show(req, resp, video, language=language, form=refused, stored=now)
            return
        named = language.lower()
        saved = next((one for one in put.tracks if one.language.lower() == named), None)
        is_same = saved is not None and saved.version == seen
        address = self._answers.address(
            req, "videos", video.id, "captions", saved.language if saved else "", "edit"
        )
        told = "Nothing was changed." if is_same else "Saved."
        self._answers.go(req, resp, address, message=told)

    def _now(
        self, req: falcon.Request, video: Video, language: str
    ) -> OpenedCaptions | None:
        """Return the captions as they are stored now; None if they were removed, or cannot be read."""
        here = organization_of(req)
        try:
            return self._editing.open(here.caller, here.org_id, video.id, language)
        except (NotFoundError, UnavailableError):
            return None

    def _show(  # noqa: PLR0913 - the parts of the page
        self,
        req: falcon.Request,
        resp: falcon.Response,
        video: Video,
        *,
        language: str,
        form: Form,
        stored: OpenedCaptions | None,
    ) -> None:
        values: dict[str, object] = {
            "video": video,
            "tabs": TABS,
            "tab": TAB,
            "form": form,
            "language": language,
            "track": stored.track if stored else None,
            "is_too_long": stored is not None and stored.text is None,
            "theirs": _theirs(form, stored),
            "player_url": self._facts.player_url(organization_of(req), video),
            "facts": _facts(video, form, stored),
        }
        template = "video/caption_editor.html"
        self._answers.page(req, resp, template, values, policy=self._policy)


def _facts(video: Video, form: Form, stored: OpenedCaptions | None) -> str:
    """Return the facts for the page's script, as JSON."""
    # Marks belong to cues by their index, in the version that the text begins with.
    is_as_stored = stored is not None and not form.errors
    return json.dumps(
        {
            "endMs": round((video.duration_s or MAX_SOURCE_DURATION_S) * 1000),
            "doubts": stored.doubts if stored and is_as_stored else {},
            "speech": stored.speech if stored else (),
            "isChanged": bool(form.errors),
        },
        separators=(",", ":"),
    )


def _readable(text: str) -> str:
    """Return WebVTT with a short header, as people write it."""
    _, _, cues = text.partition("\n\n")
    return f"WEBVTT\n\n{cues}"


def _disputed(form: Form, now: OpenedCaptions | None) -> Form:
    """Return the form with the version that is stored now: sent again, it replaces that one."""
    version = now.track.version if now else ""
    return attrs.evolve(
        form,
        fields={**form.fields, f"{SHOWN}{TEXT}": [version]},
        errors={"": _CHANGED if now else _REMOVED},
    )


def _theirs(form: Form, stored: OpenedCaptions | None) -> Theirs | None:
    """Return the cues that differ in the stored version, if it is disputed."""
    if form.errors.get("") != _CHANGED or stored is None or stored.text is None:
        return None
    mine = set(form.text(TEXT).split("\n\n"))
    blocks = _readable(stored.text).split("\n\n")[1:]
    differing = [block for block in blocks if block.strip() not in mine]
    cues = read_written("\n\n".join(["WEBVTT", *differing[:MOST_THEIRS], ""]).encode())
    return Theirs(
        cues=[(clock(cue.start_ms), _one_line(cue)) for cue in cues],
        more=max(0, len(differing) - MOST_THEIRS),
    )


def _one_line(cue: Cue) -> str:
    return " ".join(plain_text(cue).split())
