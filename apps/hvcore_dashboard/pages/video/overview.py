"""The first page of a video: the player, the encoding's results, and the owner's details."""

from collections.abc import Mapping
from typing import Final

import falcon

from hvcore.domain.limits import (
    MAX_DESCRIPTION_CHARS,
    MAX_EXTERNAL_ID_CHARS,
    MAX_METADATA_KEYS,
    MAX_NAME_CHARS,
    MAX_TAGS,
)
from hvcore.domain.shown_text import one_line
from hvcore.domain.videos.deletion import DeletionReason
from hvcore.domain.videos.preconditions import IfMatch, entity_tag
from hvcore.domain.videos.video import Video
from hvcore.errors import HvError
from hvcore.wire.converter import read_document
from hvcore.wire.envelope import SUCCESS_TYPE, encode
from hvcore.wire.requests import DeleteRequest
from hvcore.wire.videos.changes import VideoChangeRequest
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.edits import refused, sent_edit, settle, told
from hvcore_dashboard.forms import Form, form_to_edit, read_form
from hvcore_dashboard.pages.video.facts import (
    PLAYER_VALID_S,
    VideoFacts,
    policy_of_player,
)
from hvcore_dashboard.pages.video.labels import (
    join_metadata,
    label_changes,
    label_fields,
    split_metadata,
    stored_labels,
)
from hvcore_dashboard.pages.video.tabs import VideoTabs
from hvcore_dashboard.visits import organization_of, visit_of

REASONS: Final[Mapping[str, str]] = {
    DeletionReason.USER_REQUEST.value: "Asked for by its owner",
    DeletionReason.POLICY_VIOLATION.value: "Against the rules",
    DeletionReason.COPYRIGHT_CLAIM.value: "Copyright claim",
    DeletionReason.EXPIRED_CONTENT.value: "No longer needed",
    DeletionReason.ADMIN_ACTION.value: "Decided by an administrator",
}
PUBLIC: Final = "public"
PRIVATE: Final = "private"
YES: Final = "yes"
NO: Final = "no"


class VideoPageResource:
    """``GET …/videos/{video}``: the first page of a video; ``POST``: saves its name and other details."""

    def __init__(self, desk: Desk) -> None:
        self._tabs = VideoTabs.of(desk)
        self._editing = desk.services.editing
        self._facts = VideoFacts.of(desk)
        self._policy = policy_of_player(desk)
        self._bin_hours = desk.services.settings.dashboard.bin_hours

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, video_id: str, **_path: str
    ) -> None:
        video = self._tabs.video(req, video_id)
        self._show(req, resp, video, form_to_edit(_fields(video)))

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, *, video_id: str, **_path: str
    ) -> None:
        """Save the fields of the video that the person has changed, as the API does."""
        here, form = organization_of(req), read_form(req)

        def write(video: Video, changes: Mapping[str, str | None]) -> None:
            wanted = read_document(VideoChangeRequest, _document(changes)).changes()
            as_read = IfMatch(tags=frozenset({entity_tag(video)}))
            place = (here.caller, here.org_id, video.id)
            self._editing.change(*place, wanted, if_match=as_read)

        try:
            edit = settle(
                lambda: self._tabs.arrived(req, video_id),
                lambda video: sent_edit(
                    form,
                    _fields(video),
                    split=split_metadata,
                    stored_form=_stored_form,
                ),
                write,
            )
        except HvError as error:
            video = self._tabs.arrived(req, video_id)
            resp.status = error.http_status
            self._show(req, resp, video, refused(form, error, join=join_metadata))
            return
        video = self._tabs.arrived(req, video_id)
        self._tabs.go(req, resp, video, "", told(edit))

    def _show(
        self, req: falcon.Request, resp: falcon.Response, video: Video, form: Form
    ) -> None:
        values = {
            "form": form,
            "reasons": REASONS.items(),
            "bin_hours": self._bin_hours,
            "max_name": MAX_NAME_CHARS,
            "max_description": MAX_DESCRIPTION_CHARS,
            "max_external_id": MAX_EXTERNAL_ID_CHARS,
            "max_tags": MAX_TAGS,
            "max_keys": MAX_METADATA_KEYS,
            **self._facts.shown(
                organization_of(req),
                video,
                for_operator=visit_of(req).person.is_operator,
            ),
            "player_url": self._facts.player_url_at(
                organization_of(req), video, req.get_param("t")
            ),
        }
        self._tabs.show(req, resp, video, "", values, policy=self._policy)


class VideoFactsFragmentResource:
    """``GET …/videos/{video}/facts``: the fragment that htmx updates while the page is open."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._tabs = VideoTabs.of(desk)
        self._facts = VideoFacts.of(desk)

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, video_id: str, **_path: str
    ) -> None:
        video = self._tabs.video(req, video_id)
        is_operator = visit_of(req).person.is_operator
        values = self._facts.shown(
            organization_of(req), video, for_operator=is_operator
        )
        self._answers.fragment(req, resp, "video/facts.html", values)


class PlayerAddressResource:
    """``GET …/videos/{video}/player``: a player address with a new token, for the page's script."""

    def __init__(self, desk: Desk) -> None:
        self._tabs = VideoTabs.of(desk)
        self._playback = desk.services.playback

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, video_id: str, **_path: str
    ) -> None:
        here, video = organization_of(req), self._tabs.arrived(req, video_id)
        signed = self._playback.sign(
            here.caller, here.org_id, video.id, expires_in_s=PLAYER_VALID_S
        )
        resp.content_type = SUCCESS_TYPE
        resp.data = encode({"url": signed.url})


class VideoRetryPageResource:
    """``POST …/videos/{video}/retry``: has a failed video encoded again."""

    def __init__(self, desk: Desk) -> None:
        self._tabs = VideoTabs.of(desk)
        self._processing = desk.services.processing

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, *, video_id: str, **_path: str
    ) -> None:
        here, video = organization_of(req), self._tabs.arrived(req, video_id)
        self._processing.retry(here.caller, here.org_id, video.id)
        self._tabs.go(req, resp, video, "", "The video is processed once more.")


class VideoDeletionPageResource:
    """``POST …/videos/{video}/delete``: deletes the video, with a reason."""

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._tabs = VideoTabs.of(desk)
        self._deletion = desk.services.deletion
        self._keep_hours = desk.services.settings.dashboard.bin_hours
        self._clock = desk.services.clock

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, *, video_id: str, **_path: str
    ) -> None:
        # A second click comes for a video that is deleted by then.
        deleted = self._tabs.deleted(req, video_id)
        if deleted is None:
            here, video = organization_of(req), self._tabs.video(req, video_id)
            wanted = read_document(DeleteRequest, read_form(req).given("reason"))
            deleted = self._deletion.delete(
                *(here.caller, here.org_id, video.id, wanted.reason),
                keep_hours=self._keep_hours,
            )
        self._answers.go(
            req,
            resp,
            self._answers.list_address(req),
            message=f"{deleted.name or 'The video'} was deleted.",
            undo=[deleted.id] if deleted.is_restorable(self._clock.now()) else (),
        )


def _fields(video: Video) -> Mapping[str, str]:
    """Return the values of the overview form's fields for a video."""
    return {
        "videoName": one_line(video.name),
        "description": _lines(video.description or ""),
        "access": PUBLIC if video.is_public else PRIVATE,
        "allowDownload": YES if video.allows_download else NO,
        **label_fields(video.labels),
    }


def _stored_form(sent: Mapping[str, str]) -> Mapping[str, str]:
    """Return the fields of a form as it shows them once they are stored."""
    found = {**sent, **stored_labels(sent)}
    if "videoName" in sent:
        found["videoName"] = one_line(sent["videoName"])
    if "description" in sent:
        found["description"] = _lines(sent["description"])
    return found


def _lines(text: str) -> str:
    return "\n".join(map(one_line, text.strip().splitlines()))


def _document(changes: Mapping[str, str | None]) -> Mapping[str, object]:
    """Return changes of the form's values as the API's request has them."""
    document: dict[str, object] = dict(label_changes(changes))
    if "videoName" in changes:
        document["videoName"] = changes["videoName"]
    if "description" in changes:
        document["description"] = changes["description"] or None
    if "access" in changes:
        document["allowPublicAccess"] = changes["access"] == PUBLIC
    if "allowDownload" in changes:
        document["allowDownload"] = changes["allowDownload"] == YES
    return document
