"""The player pages of edge keys and share links, and the video files for viewers with an edge key."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import parse_qs, urlsplit

import attrs
import falcon

from hvcore.domain.links.share_codes import CODE_DIGITS, MAX_CODE_GUESSES
from hvcore.services.links.edge_key_playback import EdgeKeyPlayback
from hvcore.services.links.share_codes import (
    RecognisedViewer,
    ShareCodes,
)
from hvcore.services.links.share_link_playback import (
    SharedVideo,
    ShareLinkPlayback,
    ViewerUnknownError,
)
from hvcore.settings import PublicSettings
from hvcore_player.html import BELOW, edge_page, logo_origin
from hvcore_player.link_html import ask_page, code_page, watch_page
from hvcore_player.page_answers import PageAnswers, PageContent
from hvcore_web.bodies import read_body
from hvcore_web.files import send
from hvcore_web.viewers import viewer_of

MAX_FORM_BYTES: Final = 4096
"""The largest form: one mail address of 254 characters, each encoded in up to twelve."""
FORM_FIELDS: Final = 8
REMEMBERED: Final = "hv_viewer"
"""The cookie of a viewer who was recognised, for the page of this link alone."""

_MISSING: Final = "Enter the whole address."
_WRONG: Final = (
    f"That is not the code, or it has expired. It has {CODE_DIGITS} digits, and is in the "
    f"newest mail. After {MAX_CODE_GUESSES} wrong ones, none is taken for an hour."
)


@attrs.frozen(kw_only=True)
class EdgeKeyPageResource:
    """``GET`` of the player page of an edge key."""

    edge_key_playback: EdgeKeyPlayback
    answers: PageAnswers
    public: PublicSettings

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, edge_key: str
    ) -> None:
        """Answer with the player page, or with a page that says why the video cannot be watched."""

        def make() -> PageContent:
            video = self.edge_key_playback.describe(edge_key, viewer_of(req))
            body = edge_page(video, edge_key, self.public, self.answers.element)
            return PageContent(
                body=body,
                domains=video.domains,
                pictures=logo_origin(req.get_param("logo")),
            )

        self.answers.send(req, resp, make, assets=BELOW)

    on_head = on_get


class EdgeKeyFilesResource:
    """``GET`` of a video's files, for viewers who have an edge key."""

    def __init__(self, edge_key_playback: EdgeKeyPlayback) -> None:
        self._edge_playback = edge_key_playback

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, edge_key: str, file: str
    ) -> None:
        send(req, resp, self._edge_playback.open(edge_key, file, viewer_of(req)))

    on_head = on_get


@attrs.frozen(kw_only=True)
class ShareLinkPageResource:
    """The page of a share link, and the forms by which viewers identify themselves."""

    share_link_playback: ShareLinkPlayback
    share_codes: ShareCodes
    answers: PageAnswers
    public: PublicSettings

    def on_get(self, req: falcon.Request, resp: falcon.Response, *, share: str) -> None:
        """Answer with the player page, or ask for the viewer's e-mail address; uses up no view."""

        def make() -> PageContent:
            return self._known(req, share) or _question(ask_page())

        self.answers.send(req, resp, make)

    on_head = on_get

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, *, share: str
    ) -> None:
        """Take the viewer's e-mail address and send a code to it, or take that code."""
        form = _form(req)

        def make() -> PageContent:
            # To reload the page is to send the form again.
            known = self._known(req, share)
            if known is not None:
                return known
            if "code" in form:
                return self._confirmed(req, share, form)
            return self._asked(req, share, form.get("email", ""))

        self.answers.send(req, resp, make)

    def _known(self, req: falcon.Request, share: str) -> PageContent | None:
        """Return the page for everybody, or for a browser that was let in before."""
        try:
            return self._watched(self.share_link_playback.describe(share))
        except ViewerUnknownError:
            remembered = req.get_cookie_values(REMEMBERED)
            shown = None
            if remembered:
                shown = self.share_codes.recall(share, remembered[0])
            return None if shown is None else self._watched(shown)

    def _watched(self, shared: SharedVideo) -> PageContent:
        return PageContent(body=watch_page(shared, self.answers.element))

    def _asked(self, req: falcon.Request, share: str, email: str) -> PageContent:
        if not email:
            return _question(ask_page(_MISSING), status=400)
        request = self.share_codes.ask(share, email, viewer_of(req))
        return _question(code_page(email, request))

    def _confirmed(
        self, req: falcon.Request, share: str, form: Mapping[str, str]
    ) -> PageContent:
        request, email = form.get("request", ""), form.get("email", "")
        try:
            viewer = self.share_codes.confirm(
                share, request, form["code"], viewer_of(req)
            )
        except ViewerUnknownError as exc:
            again = _question(code_page(email, request, _WRONG), status=403)
            return attrs.evolve(again, refusal=exc)
        return attrs.evolve(
            self._watched(viewer.video), cookie=self._cookie(share, viewer)
        )

    def _cookie(self, share: str, viewer: RecognisedViewer) -> str:
        player = urlsplit(self.public.player_url)
        parts = [
            f"{REMEMBERED}={viewer.remembered}",
            f"Path={player.path}/v1/watch/{share}",
            f"Max-Age={viewer.remembered_s}",
            "HttpOnly",
            "SameSite=Lax",
        ]
        if player.scheme == "https":
            parts.append("Secure")
        return "; ".join(parts)


def _question(body: bytes, *, status: int = 200) -> PageContent:
    return PageContent(body=body, status=status, forms="'self'")


def _form(req: falcon.Request) -> Mapping[str, str]:
    body = read_body(req, max_bytes=MAX_FORM_BYTES)
    try:
        fields = parse_qs(
            body.decode("ascii", "replace"),
            max_num_fields=FORM_FIELDS,
            errors="replace",
        )
    except ValueError:
        # More fields than the form has.
        return {}
    return {name: values[0].strip() for name, values in fields.items()}
