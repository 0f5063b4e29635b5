"""The upload page: takes files from the person's machine, or fetches a file from an address."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Final
from urllib.parse import unquote

import attrs
import falcon

from hvcore.domain.access.tenants import Environment
from hvcore.domain.ids import is_video_id
from hvcore.domain.limits import (
    MAX_DESCRIPTION_CHARS,
    MAX_NAME_CHARS,
    MAX_TAGS,
    MAX_UPLOAD_BYTES,
)
from hvcore.domain.playback.page_domains import origin_of
from hvcore.domain.uploads.resumable import VERSION
from hvcore.domain.web_addresses import read_address
from hvcore.errors import (
    HvError,
    InvalidParametersError,
    ProcessingInProgressError,
    VideoNotFoundError,
)
from hvcore.wire.converter import LateFieldError, read_document, read_query
from hvcore.wire.envelope import SUCCESS_TYPE, encode
from hvcore.wire.requests import VideoUploadRequest, possible_with
from hvcore.wire.uploads import fetching as wire
from hvcore.wire.uploads.resumable import CreationHeaders, read_creation
from hvcore.wire.videos.changes import VideoChangeRequest
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.forms import Form, form_with, read_form
from hvcore_dashboard.pages.video.labels import label_changes
from hvcore_dashboard.security import ContentPolicy
from hvcore_dashboard.visits import organization_of
from hvcore_web.tus import check_version, expires

_UNNAMED: Final = "video"
_OPTIONS: Final = ("videoQuality", "allowPublicAccess", "videoName")
_TEXTS: Final = ("videoName", "description", "tags")


class UploadPageResource:
    """``GET …/upload``: the upload page; ``POST``: has the service fetch a file from a URL."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._fetching = desk.services.fetching
        self._processing = desk.services.processing
        self._captions = desk.services.caption_orders
        upload = origin_of(desk.services.settings.public.upload_url)
        self._policy = ContentPolicy(connections=(upload,) if upload else ())

    def on_get(self, req: falcon.Request, resp: falcon.Response, **_path: str) -> None:
        if organization_of(req).env is None:
            self._desk.answers.page(req, resp, "videos/no_environment.html", {})
            return
        defaults = self._desk.services.new_video_defaults.of(
            organization_of(req).org_id
        )
        given = {"allowPublicAccess": "true"} if defaults.is_public else {}
        form = form_with(videoQuality=defaults.preset.value, **given)
        self._show(req, resp, form)

    def on_post(self, req: falcon.Request, resp: falcon.Response, **_path: str) -> None:
        form = read_form(req)
        try:
            name = self._fetch(environment_of(req), form)
        except HvError as error:
            resp.status = error.http_status
            self._show(req, resp, form.refused(error))
            return
        self._desk.answers.go(
            req,
            resp,
            self._desk.answers.address(req, "videos"),
            message=f"{name} is being fetched. It plays once it is encoded.",
        )

    def _fetch(self, env: Environment, form: Form) -> str:
        given = form.given(wire.VIDEO_URL, *_OPTIONS)
        name = _file_name(given.get(wire.VIDEO_URL, ""))
        wanted = read_query(
            wire.FetchVideoRequest,
            {"fileName": name, **given},
            partial(self._check, env),
        )
        video = self._fetching.fetch_video(
            env, wanted.url, wanted.file_wanted(), wanted.video.video_wanted()
        )
        return video.name

    def _check(
        self, env: Environment, given: Mapping[str, object]
    ) -> Iterable[LateFieldError]:
        refusal = partial(self._fetching.refusal, env)
        yield from wire.fetchable(wire.VIDEO_URL, refusal)(given)
        yield from possible_with(
            self._processing.capabilities(), self._captions.refusal
        )(given)

    def _show(self, req: falcon.Request, resp: falcon.Response, form: Form) -> None:
        self._desk.answers.page(
            req,
            resp,
            "upload/page.html",
            {
                "form": form,
                "max_bytes": MAX_UPLOAD_BYTES,
                "max_name": MAX_NAME_CHARS,
                "max_description": MAX_DESCRIPTION_CHARS,
                "max_tags": MAX_TAGS,
            },
            policy=self._policy,
        )


class UploadCreationResource:
    """
    ``POST …/upload/files``: creates an upload of the tus protocol, for the page's script.

    The script sends the file's bytes to the address in the header ``Location``.
    """

    def __init__(self, desk: Desk) -> None:
        self._processing = desk.services.processing
        self._captions = desk.services.caption_orders
        self._uploads = desk.services.resumable

    def on_post(self, req: falcon.Request, resp: falcon.Response, **_path: str) -> None:
        check_version(req)
        env = environment_of(req)
        headers = CreationHeaders(
            length=req.get_header("Upload-Length"),
            metadata=req.get_header("Upload-Metadata"),
            defer_length=req.get_header("Upload-Defer-Length"),
        )
        wanted = read_creation(
            headers,
            possible_with(self._processing.capabilities(), self._captions.refusal),
        )
        granted = self._uploads.create(env, wanted.file, wanted.video)
        resp.status = falcon.HTTP_201
        resp.set_header("Tus-Resumable", VERSION)
        resp.set_header("Location", granted.signed_url)
        resp.set_header("X-Asset-Id", granted.grant.video_id or "")
        resp.set_header("Upload-Expires", expires(granted.grant.expires_at))


class UploadSettingsResource:
    """
    ``POST …/upload/files/{video}``: changes the settings of the video of a begun upload.

    Name, description and tags are changed if they are sent. The answer says which settings
    hold: if the file has already arrived, the encoding settings stay as they are.
    """

    def __init__(self, desk: Desk) -> None:
        self._processing = desk.services.processing
        self._captions = desk.services.caption_orders
        self._uploads = desk.services.resumable
        self._editing = desk.services.editing

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, *, video_id: str, **_path: str
    ) -> None:
        here, form = organization_of(req), read_form(req)
        wanted = read_query(
            VideoUploadRequest,
            {"fileName": _UNNAMED, **form.given("videoQuality", "allowPublicAccess")},
            possible_with(self._processing.capabilities(), self._captions.refusal),
        ).video.video_wanted()
        texts = read_document(VideoChangeRequest, _texts(form)).changes()
        if not is_video_id(video_id):
            raise VideoNotFoundError
        try:
            video = self._uploads.set_anew(environment_of(req), video_id, wanted, texts)
        except ProcessingInProgressError:
            # Its last byte has come; only the answer to it was lost.
            changes = attrs.evolve(texts, is_public=wanted.is_public)
            video = self._editing.change(here.caller, here.org_id, video_id, changes)
        becomes = {
            "videoQuality": video.settings.preset.value,
            "allowPublicAccess": "true" if video.is_public else "false",
        }
        resp.content_type = SUCCESS_TYPE
        resp.data = encode(becomes)


def environment_of(req: falcon.Request) -> Environment:
    """
    Return the environment that the upload page is about.

    Raises:
        InvalidParametersError: The organization has no environment yet.
    """
    env = organization_of(req).env
    if env is None:
        raise InvalidParametersError("The organization has no environment yet.")
    return env


def _texts(form: Form) -> Mapping[str, object]:
    """Return the sent texts as the request of a change has them; a name is never removed."""
    sent = {name: form.text(name) for name in _TEXTS if form.is_checked(name)}
    document: dict[str, object] = dict(label_changes(sent))
    if sent.get("videoName"):
        document["videoName"] = sent["videoName"]
    if "description" in sent:
        document["description"] = sent["description"] or None
    return document


def _file_name(url: str) -> str:
    parts = read_address(url)
    path = parts.path if parts else ""
    return unquote(path.rpartition("/")[2])[:MAX_NAME_CHARS] or _UNNAMED
