"""The embed tab of a video: makes signed playback addresses, and HTML to copy."""

from collections.abc import Mapping
from typing import Final

import falcon

from hvcore.domain.access.roles import Role
from hvcore.domain.limits import DEFAULT_EXPIRATION
from hvcore.domain.videos.thumbnails import BEST_THUMBNAIL_PX
from hvcore.domain.videos.video import Video
from hvcore.errors import HvError
from hvcore.wire.converter import read_query
from hvcore.wire.query import SignedUrlParameters
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.forms import Form, form_with, read_form
from hvcore_dashboard.pages.video.snippets import (
    edge_key_addresses,
    public_addresses,
    signed_addresses,
    snippets,
)
from hvcore_dashboard.pages.video.tabs import VideoTabs
from hvcore_dashboard.visits import OrganizationVisit, organization_of

TAB: Final = "embed"
EXPIRATIONS: Final = (
    ("15m", "15 minutes"),
    ("30m", "30 minutes"),
    ("1h", "1 hour"),
    ("4h", "4 hours"),
    ("24h", "24 hours"),
    ("7d", "7 days"),
)
_FIRST: Final = form_with(expiration=DEFAULT_EXPIRATION)


class EmbedTabResource:
    """
    ``GET …/videos/{video}/embed``: the embed tab; ``POST``: signs a playback address.

    The signed address is in the answer and nowhere else: whoever has it may watch.
    """

    def __init__(self, desk: Desk) -> None:
        self._tabs = VideoTabs.of(desk)
        self._playback = desk.services.playback
        self._edge_keys = desk.services.edge_keys
        self._clock = desk.services.clock
        self._public = desk.services.settings.public

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, video_id: str, **_path: str
    ) -> None:
        video = self._tabs.arrived(req, video_id)
        self._show(req, resp, video, _FIRST, {})

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, *, video_id: str, **_path: str
    ) -> None:
        """Sign a playback address of the video, as the API does."""
        form, video = read_form(req), self._tabs.arrived(req, video_id)
        try:
            made = self._signed(organization_of(req), video, form)
        except HvError as error:
            resp.status = error.http_status
            self._show(req, resp, video, form.refused(error), {})
            return
        self._show(req, resp, video, form, made)

    def _signed(
        self, here: OrganizationVisit, video: Video, form: Form
    ) -> Mapping[str, object]:
        given = form.given("expiration", "domains")
        wanted = read_query(SignedUrlParameters, given)
        signed = self._playback.sign(
            here.caller,
            here.org_id,
            video.id,
            expires_in_s=wanted.expires_in_s,
            domains=wanted.domains,
        )
        addresses = signed_addresses(signed.addresses)
        return {
            "signed_url": signed.url,
            "signed_page": addresses.page,
            "domains": wanted.domains,
            "lasts": dict(EXPIRATIONS)[given.get("expiration", DEFAULT_EXPIRATION)],
            "signed": snippets(video, addresses, self._public, self._poster(video)),
        }

    def _show(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        video: Video,
        form: Form,
        made: Mapping[str, object],
    ) -> None:
        here = organization_of(req)
        envs = {env.id: env.name for env in here.environments}
        roots = self._playback.roots(video.org_id, envs.get(video.env_id, video.env_id))
        plays = roots.of(video.id, is_public=True, size_px=BEST_THUMBNAIL_PX)
        addresses = public_addresses(plays)
        values = {
            "form": form,
            "expirations": EXPIRATIONS,
            "signed": None,
            "open": snippets(video, addresses, self._public, self._poster(video))
            if video.is_public
            else None,
            **self._by_edge_key(here, video),
            **made,
        }
        self._tabs.show(req, resp, video, TAB, values)

    def _by_edge_key(
        self, here: OrganizationVisit, video: Video
    ) -> Mapping[str, object]:
        """Return the embed snippets with the video's newest edge key that works."""
        # The key is a permission: viewers do not see it.
        if not here.role.includes(Role.EDITOR):
            return {}
        now = self._clock.now()
        keys = self._edge_keys.of_video(here.caller, here.org_id, video.id)
        works = [key for key in keys if key.is_valid_at(now)]
        if not works:
            return {}
        addresses = edge_key_addresses(self._edge_keys.embed_url(works[0]))
        # The address of a private picture ends before the key does.
        poster_url = self._poster(video) if video.is_public else ""
        return {
            "edge_key": works[0],
            "more_keys": len(works) - 1,
            "by_edge_key": snippets(video, addresses, self._public, poster_url),
        }

    def _poster(self, video: Video) -> str:
        return self._playback.thumbnail_url(video, *BEST_THUMBNAIL_PX)
