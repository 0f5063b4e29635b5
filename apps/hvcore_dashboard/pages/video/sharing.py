"""The sharing tab of a video: creates, lists and revokes share links and edge keys."""

from datetime import timedelta
from typing import Final

import falcon

from hvcore.domain.access.rate_limits import Bucket
from hvcore.domain.links.links import MAX_SHARE_LABEL_CHARS, MAX_VIEWS
from hvcore.domain.sign_in.sessions import is_secret_value, new_secret_value
from hvcore.domain.videos.video import Video
from hvcore.errors import HvError
from hvcore.wire.converter import read_query
from hvcore.wire.links.links import EdgeKeyRequest
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.forms import Form, form_with, read_form
from hvcore_dashboard.pages.settings.fields import domains_text
from hvcore_dashboard.pages.video.share_forms import (
    DEFAULT_DAYS,
    MAX_DAYS,
    MOST_PEOPLE,
    wanted_links,
)
from hvcore_dashboard.pages.video.tabs import VideoTabs
from hvcore_dashboard.pages.video.typed_domains import host_names
from hvcore_dashboard.visits import organization_of

TAB: Final = "sharing"
EDGE_KEY: Final = "edge-key"
FORM_ID: Final = "form"
"""The field with the id of a form: sent twice, it makes one share link or edge key."""
LASTS_DAYS: Final = {
    "": None,
    "1": timedelta(days=1),
    "7": timedelta(days=7),
    "30": timedelta(days=30),
    "365": timedelta(days=365),
}
"""The validity of an edge key by the form's value; "" is without end."""
_FIRST: Final = form_with(days=str(DEFAULT_DAYS))


class SharingPageResource:
    """``GET …/videos/{video}/sharing``: the sharing tab; ``POST``: creates a share link or edge key."""

    def __init__(self, desk: Desk) -> None:
        self._tabs = VideoTabs.of(desk)
        self._defaults = desk.services.new_video_defaults
        self._shares = desk.services.shares
        self._edge_keys = desk.services.edge_keys
        self._clock = desk.services.clock
        self._limits = desk.services.operation_limits

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, video_id: str, **_path: str
    ) -> None:
        video = self._tabs.arrived(req, video_id)
        key_form = self._first_key_form(video)
        self._show(req, resp, video, share_form=_FIRST, key_form=key_form)

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, *, video_id: str, **_path: str
    ) -> None:
        form, video = read_form(req), self._tabs.arrived(req, video_id)
        is_key = form.text("kind") == EDGE_KEY
        try:
            made = (self._make_key if is_key else self._make_share)(req, video, form)
        except HvError as error:
            resp.status = error.http_status
            refused = form.refused(error)
            self._show(
                req,
                resp,
                video,
                share_form=_FIRST if is_key else refused,
                key_form=refused if is_key else self._first_key_form(video),
            )
            return
        self._tabs.go(req, resp, video, TAB, made)

    def _first_key_form(self, video: Video) -> Form:
        return form_with(domains=domains_text(self._defaults.of(video.org_id)))

    def _make_share(self, req: falcon.Request, video: Video, form: Form) -> str:
        here = organization_of(req)
        wanted = wanted_links(form)
        # The request counted as one already; each is an operation, as it is for programs.
        if others := len(wanted) - 1:
            self._limits.count(here.org_id, Bucket.VIDEO_OPERATIONS, times=others)
        self._shares.create_all(
            *(here.caller, here.org_id, video.id, wanted),
            form_id=_form_id(form),
        )
        is_mailed = wanted[0].is_mailed
        if len(wanted) == 1:
            mailed = " It is mailed now." if is_mailed else ""
            return f"The share link is ready. Copy its address below.{mailed}"
        mailed = " They are mailed now." if is_mailed else ""
        return (
            f"{len(wanted)} share links are ready. Copy their addresses below.{mailed}"
        )

    def _make_key(self, req: falcon.Request, video: Video, form: Form) -> str:
        here = organization_of(req)
        domains = host_names(form.text("domains"))
        wanted = read_query(EdgeKeyRequest, {"domains": domains} if domains else {})
        lasts, form_id = LASTS_DAYS.get(form.text("lasts")), _form_id(form)
        self._edge_keys.create(
            here.caller,
            here.org_id,
            video.id,
            domains=wanted.domains,
            expires_at=None if lasts is None else self._clock.now() + lasts,
            # A key that lasts longer is another wish, though its end is another each time.
            form_id=form_id and f"{form_id} {lasts}",
        )
        return "The edge key is ready. Copy its address below."

    def _show(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        video: Video,
        *,
        share_form: Form,
        key_form: Form,
    ) -> None:
        here = organization_of(req)
        shares = self._shares.of_video(here.caller, here.org_id, video.id)
        keys = self._edge_keys.of_video(here.caller, here.org_id, video.id)
        values = {
            "now": self._clock.now(),
            "shares": [(one, self._shares.share_url(one)) for one in shares],
            "mails": self._shares.mails(shares),
            "edge_keys": [(one, self._edge_keys.embed_url(one)) for one in keys],
            "share_form": share_form,
            # Of a refused form the same: its links may be there since it was sent before.
            "form_id": _form_id(share_form) or _form_id(key_form) or new_secret_value(),
            "key_form": key_form,
            "max_days": MAX_DAYS,
            "max_label": MAX_SHARE_LABEL_CHARS,
            "most_people": MOST_PEOPLE,
            "max_views": MAX_VIEWS,
        }
        self._tabs.show(req, resp, video, TAB, values)


class ShareLinkRevocationResource:
    """``POST …/videos/{video}/sharing/revoke-share``: revokes a share link."""

    def __init__(self, desk: Desk) -> None:
        self._tabs = VideoTabs.of(desk)
        self._shares = desk.services.shares

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, *, video_id: str, **_path: str
    ) -> None:
        here, video = organization_of(req), self._tabs.arrived(req, video_id)
        share_id = read_form(req).text("share")
        self._shares.revoke(here.caller, here.org_id, video.id, share_id)
        self._tabs.go(req, resp, video, TAB, "The share link was revoked.")


class ShareLinkMailResource:
    """``POST …/videos/{video}/sharing/mail-share``: mails a share link again whose mail has failed."""

    def __init__(self, desk: Desk) -> None:
        self._tabs = VideoTabs.of(desk)
        self._shares = desk.services.shares

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, *, video_id: str, **_path: str
    ) -> None:
        here, video = organization_of(req), self._tabs.arrived(req, video_id)
        # In the form: addresses are logged, and the link's id is a permission.
        share_id = read_form(req).text("share")
        share, is_ordered = self._shares.mail_again(
            here.caller, here.org_id, video.id, share_id
        )
        told = (
            f"The link is mailed again to {share.viewer_email}."
            if is_ordered
            else f"Nothing was mailed: no mail to {share.viewer_email} has failed."
        )
        self._tabs.go(req, resp, video, TAB, told)


class EdgeKeyRevocationResource:
    """``POST …/videos/{video}/sharing/revoke-edge-key``: revokes an edge key."""

    def __init__(self, desk: Desk) -> None:
        self._tabs = VideoTabs.of(desk)
        self._edge_keys = desk.services.edge_keys

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, *, video_id: str, **_path: str
    ) -> None:
        here, video = organization_of(req), self._tabs.arrived(req, video_id)
        # In the form: addresses are logged, and the key is a permission.
        edge_key = read_form(req).text("edgeKey")
        self._edge_keys.revoke_of(here.caller, here.org_id, video.id, edge_key)
        self._tabs.go(req, resp, video, TAB, "The edge key was revoked.")


def _form_id(form: Form) -> str:
    """Return the id of a form, or "" if it is none that cannot be guessed."""
    form_id = form.text(FORM_ID)
    return form_id if is_secret_value(form_id) else ""
