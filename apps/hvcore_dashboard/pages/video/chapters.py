"""The chapters tab of a video: shows and edits chapters, and imports them from a file."""

from collections.abc import Mapping, Sequence
from typing import Final

import attrs
import falcon

from hvcore.domain.limits import MAX_SOURCE_DURATION_S
from hvcore.domain.processing.chapters import (
    MAX_CHAPTER_TITLE_CHARS,
    Chapter,
    begun_at,
)
from hvcore.domain.videos.chapter_file import MAX_CHAPTER_FILE_BYTES
from hvcore.domain.videos.chapter_json import read_json_chapters
from hvcore.domain.videos.video import Video
from hvcore.errors import (
    ConflictError,
    FieldError,
    HvError,
    InvalidParametersError,
    PreconditionFailedError,
)
from hvcore.services.conditions import Condition
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.edits import as_shown
from hvcore_dashboard.forms import Form, SentFile, read_form
from hvcore_dashboard.pages.video.chapter_rows import (
    MOST_ROWS,
    ChapterRow,
    clock,
    rows_of,
    sent_rows,
    starts_of,
    state_of,
    with_blanks,
)
from hvcore_dashboard.pages.video.facts import VideoFacts, policy_of_player
from hvcore_dashboard.pages.video.tabs import VideoTabs
from hvcore_dashboard.visits import organization_of

TAB: Final = "chapters"
FILE: Final = "file"
MOST_NOTES: Final = 3
"""The most notes about left-out chapters in a message, which must fit into a cookie."""
_CHANGED: Final = (
    "Somebody else has changed the chapters since you opened the page. Below are theirs "
    "and yours: save again to put yours in their place."
)
_IMPORTED_LATE: Final = (
    "Somebody else has changed the chapters since you opened the page; theirs are shown. "
    "To put yours in their place, choose the file again."
)
_JSON_BEGINS: Final = (b"{", b"[")
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


class ChaptersPageResource:
    """``GET …/videos/{video}/chapters``: the chapters tab; ``POST``: saves chapters or imports a file."""

    def __init__(self, desk: Desk) -> None:
        self._tabs = VideoTabs.of(desk)
        self._chapters = desk.services.chapters
        self._facts = VideoFacts.of(desk)
        self._policy = policy_of_player(desk)

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, video_id: str, **_path: str
    ) -> None:
        video = self._tabs.arrived(req, video_id)
        self._show(req, resp, video, Form(), rows_of(video.chapters))

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, *, video_id: str, **_path: str
    ) -> None:
        """Store the chapters of the form's rows, or of its file; they replace all earlier chapters."""
        form, video = read_form(req), self._tabs.arrived(req, video_id)
        is_import = FILE in form.files
        try:
            store = self._import if is_import else self._save
            told = store(req, video, form)
        except HvError as error:
            resp.status = error.http_status
            refused = form.refused(error, **{"": FILE})
            if isinstance(error, PreconditionFailedError):
                resp.status = ConflictError.status
                message = {FILE: _IMPORTED_LATE} if is_import else {"": _CHANGED}
                refused = attrs.evolve(form, errors=message)
            video = self._tabs.arrived(req, video_id)
            rows = (
                rows_of(video.chapters) if is_import else with_blanks(sent_rows(form))
            )
            self._show(req, resp, video, refused, rows)
            return
        self._tabs.go(req, resp, video, TAB, told)

    def _save(self, req: falcon.Request, video: Video, form: Form) -> str:
        here = organization_of(req)
        starts = starts_of(sent_rows(form), end_ms=_end_ms(video))
        found = begun_at(starts, before=video.chapters, end_ms=_end_ms(video))
        place = (here.caller, here.org_id, video.id)
        self._chapters.replace(*place, found, only_if=_as_seen(form))
        return "Saved." if found else "Saved: the video has no chapters."

    def _import(self, req: falcon.Request, video: Video, form: Form) -> str:
        here, sent = organization_of(req), _file(form)
        place = (here.caller, here.org_id, video.id)
        data = sent.data.removeprefix(_BYTE_ORDER_MARK)
        if data.lstrip().startswith(_JSON_BEGINS):
            found = begun_at(read_json_chapters(data), end_ms=_end_ms(video))
            self._chapters.replace(*place, found, only_if=_as_seen(form))
            return _imported(found, ())
        put = self._chapters.put(*place, sent.data, only_if=_as_seen(form))
        return _imported(put.chapters, put.left_out)

    def _show(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        video: Video,
        form: Form,
        rows: Sequence[ChapterRow],
    ) -> None:
        values: Mapping[str, object] = {
            "form": form,
            "rows": rows,
            "stored": [(clock(one.start_ms), one.title) for one in video.chapters],
            "is_disputed": form.errors.get("") == _CHANGED,
            "has_rows": len(video.chapters) <= MOST_ROWS,
            "state": state_of(video.chapters),
            "player_url": self._facts.player_url(organization_of(req), video),
            "max_title": MAX_CHAPTER_TITLE_CHARS,
            "max_bytes": MAX_CHAPTER_FILE_BYTES,
        }
        self._tabs.show(req, resp, video, TAB, values, policy=self._policy)


def _as_seen(form: Form) -> Condition[Sequence[Chapter]] | None:
    return as_shown(form, "chapters", state_of)


def _end_ms(video: Video) -> int:
    # Before it is made, nobody knows where it ends; then they are cut there.
    return round((video.duration_s or MAX_SOURCE_DURATION_S) * 1000)


def _imported(chapters: Sequence[Chapter], left_out: Sequence[str]) -> str:
    noun = "chapter is" if len(chapters) == 1 else "chapters are"
    return " ".join([f"{len(chapters)} {noun} shown.", *left_out[:MOST_NOTES]])


def _file(form: Form) -> SentFile:
    sent = form.files[FILE]
    if not sent.data:
        raise _refusal("Choose a file with chapters, WebVTT (.vtt) or JSON.")
    if len(sent.data) > MAX_CHAPTER_FILE_BYTES:
        raise _refusal("The file is too large for chapters.")
    return sent


def _refusal(message: str) -> InvalidParametersError:
    problem = FieldError(message=message, location=f"body.{FILE}")
    return InvalidParametersError(message, errors=[problem])
