"""The embed tab of a video: the code that fits the video's visibility, and signed addresses."""

from collections.abc import Mapping, Sequence
from typing import Final

import attrs
import falcon

from hvcore.domain.access.roles import Role
from hvcore.domain.limits import DEFAULT_EXPIRATION
from hvcore.domain.links.links import EdgeKey
from hvcore.domain.videos.thumbnails import BEST_THUMBNAIL_PX
from hvcore.domain.videos.video import Video
from hvcore.errors import HvError
from hvcore.wire.converter import read_query
from hvcore.wire.query import SignedUrlParameters
from hvcore_dashboard.answers import is_partial
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.forms import Form, form_with, read_form
from hvcore_dashboard.pages.settings.fields import domains_text
from hvcore_dashboard.pages.video.edge_key_codes import (
    SITES,
    EdgeKeyCodes,
    name_of,
)
from hvcore_dashboard.pages.video.embed_code import EmbedChoices, embed_code
from hvcore_dashboard.pages.video.snippets import (
    EmbedAddresses,
    edge_key_addresses,
    public_addresses,
    signed_addresses,
    snippets,
)
from hvcore_dashboard.pages.video.tabs import VideoTabs
from hvcore_dashboard.pages.video.typed_domains import host_names
from hvcore_dashboard.visits import OrganizationVisit, organization_of

TAB: Final = "embed"
CODE: Final = "code"
KEY: Final = "key"
"""The parameter that names the edge key of the shown code; see edge_key_codes.name_of."""
EXPIRATIONS: Final = (
    ("15m", "15 minutes"),
    ("30m", "30 minutes"),
    ("1h", "1 hour"),
    ("4h", "4 hours"),
    ("24h", "24 hours"),
    ("7d", "7 days"),
)


@attrs.frozen(kw_only=True)
class _Shown:
    """
    The forms of the embed tab, and a signed address that was made.

    Attributes:
        code_form: A sent form for an embed code; None for the one with the defaults.
        form: A sent form for a signed address; None for the one with the defaults.
    """

    code_form: Form | None = None
    form: Form | None = None
    made: Mapping[str, object] = attrs.field(factory=dict)


class EmbedTabResource:
    """
    ``GET …/videos/{video}/embed``: the embed tab; for htmx only the code.

    ``POST`` makes an edge key for an embed code, or signs a playback address. Only the answer
    contains the signed address, because whoever has it may watch.
    """

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._tabs = VideoTabs.of(desk)
        self._defaults = desk.services.new_video_defaults
        self._playback = desk.services.playback
        self._codes = EdgeKeyCodes(
            edge_keys=desk.services.edge_keys, clock=desk.services.clock
        )
        self._public = desk.services.settings.public

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, video_id: str, **_path: str
    ) -> None:
        video = self._tabs.arrived(req, video_id)
        if not is_partial(req):
            self._show(req, resp, video, _Shown())
            return
        values = {"video": video, **self._code(req, video)}
        self._answers.fragment(req, resp, "video/embed_code.html", values)

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, *, video_id: str, **_path: str
    ) -> None:
        """Make an embed code with an edge key, or sign a playback address as the API does."""
        form, video = read_form(req), self._tabs.arrived(req, video_id)
        if form.text("kind") == CODE:
            self._make_code(req, resp, video, form)
            return
        try:
            made = self._signed(organization_of(req), video, form)
        except HvError as error:
            resp.status = error.http_status
            self._show(req, resp, video, _Shown(form=form.refused(error)))
            return
        self._show(req, resp, video, _Shown(form=form, made=made))

    def _make_code(
        self, req: falcon.Request, resp: falcon.Response, video: Video, form: Form
    ) -> None:
        try:
            key, is_new = self._codes.make(organization_of(req), video, form)
        except HvError as error:
            resp.status = error.http_status
            refused = form.refused(error, domains=SITES)
            self._show(req, resp, video, _Shown(code_form=refused))
            return
        told = "The embed code is ready: copy it below."
        if not is_new:
            told = "There is a code for these domains already: copy it below."
        address = self._answers.address(
            req, "videos", video.id, TAB, **{KEY: name_of(key)}
        )
        self._answers.go(req, resp, address, message=told)

    def _signed(
        self, here: OrganizationVisit, video: Video, form: Form
    ) -> Mapping[str, object]:
        given = form.given("expiration")
        domains = host_names(form.text("domains"))
        if domains:
            given["domains"] = domains
        wanted = read_query(SignedUrlParameters, given)
        signed = self._playback.sign(
            here.caller,
            here.org_id,
            video.id,
            expires_in_s=wanted.expires_in_s,
            domains=wanted.domains,
        )
        addresses = signed_addresses(signed.addresses)
        poster_url = self._poster(video)
        code = embed_code(
            video,
            addresses,
            self._public,
            poster_url=poster_url,
            choices=EmbedChoices(),
        )
        return {
            "signed_url": signed.url,
            "signed_page": addresses.page,
            "domains": wanted.domains,
            "lasts": dict(EXPIRATIONS)[given.get("expiration", DEFAULT_EXPIRATION)],
            "signed": code,
        }

    def _show(
        self, req: falcon.Request, resp: falcon.Response, video: Video, shown: _Shown
    ) -> None:
        domains = domains_text(self._defaults.of(video.org_id))
        first = form_with(expiration=DEFAULT_EXPIRATION, domains=domains)
        values = {
            "code_form": shown.code_form or form_with(**{SITES: domains}),
            "form": shown.form or first,
            "expirations": EXPIRATIONS,
            "signed": None,
            **self._code(req, video),
            **shown.made,
        }
        self._tabs.show(req, resp, video, TAB, values)

    def _code(self, req: falcon.Request, video: Video) -> Mapping[str, object]:
        """Return the values of the code that fits the video, and of the keys of other codes."""
        here = organization_of(req)
        choices = EmbedChoices.asked(req, video)
        # The key is a permission: viewers do not see it.
        is_editor = here.role.includes(Role.EDITOR)
        keys = self._codes.working(here, video) if is_editor else ()
        named = req.get_param(KEY) or ""
        key = _chosen(keys, named, is_public=video.is_public)
        addresses = self._addresses(here, video, key)
        values = {
            "choices": choices,
            "edge_key": key,
            "key_name": name_of(key) if key else "",
            "others": [(name_of(one), one) for one in keys if one is not key],
            "is_key_gone": bool(named) and (key is None or name_of(key) != named),
            "is_asked": bool(named),
        }
        if addresses is None:
            return {**values, "code": "", "calls": ()}
        # The address of a private picture ends before the key does.
        poster_url = self._poster(video) if video.is_public else ""
        code = embed_code(
            video, addresses, self._public, poster_url=poster_url, choices=choices
        )
        return {**values, "code": code, "calls": snippets(addresses, self._public)}

    def _addresses(
        self, here: OrganizationVisit, video: Video, key: EdgeKey | None
    ) -> EmbedAddresses | None:
        if key is not None:
            return edge_key_addresses(self._codes.edge_keys.embed_url(key))
        if not video.is_public:
            return None
        envs = {env.id: env.name for env in here.environments}
        roots = self._playback.roots(video.org_id, envs.get(video.env_id, video.env_id))
        return public_addresses(
            roots.of(video.id, is_public=True, size_px=BEST_THUMBNAIL_PX)
        )

    def _poster(self, video: Video) -> str:
        return self._playback.thumbnail_url(video, *BEST_THUMBNAIL_PX)


def _chosen(keys: Sequence[EdgeKey], named: str, *, is_public: bool) -> EdgeKey | None:
    """Return the edge key of the shown code: the named one, else the newest of a private video."""
    found = next((key for key in keys if named and name_of(key) == named), None)
    newest = keys[0] if keys and not is_public else None
    return found or newest
