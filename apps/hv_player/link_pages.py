"""
The pages of edge keys and share links, and the files of edge keys.
"""

from typing import Final
from urllib.parse import parse_qs

import attrs
import falcon

from hv_player.html import BELOW, confirm_page, edge_page, watch_page
from hv_player.page_answers import PageAnswers, PageContent
from hv_web.bodies import read_body
from hv_web.files import send
from hv_web.viewers import viewer_of
from hvcore.services.links.edge_key_playback import EdgeKeyPlayback
from hvcore.services.links.share_playback import SharePlayback, ViewerUnknownError

MAX_FORM_BYTES: Final = 4096
"""One address of 254 characters, each written with up to twelve."""
FORM_FIELDS: Final = 8

_MISSING: Final = "Enter the whole address."
_OTHER: Final = "The video was not shared with this address. Try another one."


@attrs.frozen
class EdgeKeyPageResource:
    """
    The page of an edge key.
    """

    edge_key_playback: EdgeKeyPlayback
    answers: PageAnswers

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, edge_key: str
    ) -> None:
        """
        Answer with the page, or with one that says why there is none.
        """

        def make() -> PageContent:
            video = self.edge_key_playback.describe(edge_key, viewer_of(req))
            return PageContent(body=edge_page(video), domains=video.domains)

        self.answers.send(req, resp, make, assets=BELOW)

    on_head = on_get


class EdgeKeyFilesResource:
    """
    The files of videos for who has an edge key.
    """

    def __init__(self, edge_key_playback: EdgeKeyPlayback) -> None:
        self._edge_playback = edge_key_playback

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, edge_key: str, file: str
    ) -> None:
        send(req, resp, self._edge_playback.open(edge_key, file, viewer_of(req)))

    on_head = on_get


@attrs.frozen
class SharePageResource:
    """
    The page of a share link.
    """

    share_playback: SharePlayback
    answers: PageAnswers

    def on_get(self, req: falcon.Request, resp: falcon.Response, *, share: str) -> None:
        """
        Answer with the page, or ask who is there; this uses no view.
        """

        def make() -> PageContent:
            try:
                video = self.share_playback.describe(share)
            except ViewerUnknownError:
                return _question()
            return PageContent(body=watch_page(video))

        self.answers.send(req, resp, make)

    on_head = on_get

    def on_post(
        self, req: falcon.Request, resp: falcon.Response, *, share: str
    ) -> None:
        email = _email(req)

        def make() -> PageContent:
            if not email:
                # Still says so if the link is over.
                return _asked_again(self.share_playback, share)
            try:
                video = self.share_playback.confirm(share, email, viewer_of(req))
            except ViewerUnknownError as exc:
                return attrs.evolve(_question(_OTHER, status=403), refusal=exc)
            return PageContent(body=watch_page(video))

        self.answers.send(req, resp, make)


def _asked_again(share_playback: SharePlayback, share: str) -> PageContent:
    try:
        video = share_playback.describe(share)
    except ViewerUnknownError:
        return _question(_MISSING, status=400)
    return PageContent(body=watch_page(video))


def _question(complaint: str = "", *, status: int = 200) -> PageContent:
    return PageContent(body=confirm_page(complaint), status=status, forms="'self'")


def _email(req: falcon.Request) -> str:
    body = read_body(req, max_bytes=MAX_FORM_BYTES)
    try:
        fields = parse_qs(
            body.decode("ascii", "replace"),
            max_num_fields=FORM_FIELDS,
            errors="replace",
        )
    except ValueError:
        # More fields than the form has.
        return ""
    return fields.get("email", [""])[0].strip()
