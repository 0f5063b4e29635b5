"""
Answer with a page, or with one that says why there is none.
"""

from collections.abc import Callable, Mapping
from typing import Final

import attrs
import falcon

from hv_player.assets import HLS_JS, NOT_INSTALLED, Assets
from hv_player.html import BESIDE, content_policy, message_page
from hv_web.middleware import request_id
from hv_web.refusals import Refusals
from hvcore.errors import HvError
from hvcore.services.links.share_playback import ShareOverError

GONE: Final = 410
"""A share link that is over: delivery answers 403, its page says more."""

_PERMISSION: Final = (
    "The permission in this address is missing, not valid or has expired. Go back to "
    "the page that you came from and open the video again."
)
_OVER: Final = (
    "It has expired, was withdrawn, or was watched as often as it may be. Ask whoever "
    "sent it to you for a new one."
)
_TEXTS: Final = {
    401: ("This video needs permission", _PERMISSION),
    403: (
        "This video cannot be watched here",
        "The permission in this address is for another video or another page.",
    ),
    404: ("This video is not available", "It was removed, or it is not ready yet."),
    GONE: ("This link is over", _OVER),
    429: (
        "Too many addresses were tried",
        "Wait for an hour, then open the link again.",
    ),
    503: ("The player is not ready", "Please try again in a moment."),
}


@attrs.frozen(kw_only=True)
class PageContent:
    """
    A page to answer with.

    Attributes:
        domains: The pages that may embed it; empty means every page.
        forms: Where its form may be sent to, for its policy.
        refusal: Why it is not the page that was asked for.
    """

    body: bytes
    status: int = 200
    domains: tuple[str, ...] = ()
    forms: str = "'none'"
    headers: Mapping[str, str] = attrs.field(factory=dict)
    refusal: HvError | None = None


@attrs.frozen(kw_only=True)
class PageAnswers:
    """
    Answer with pages.
    """

    assets: Assets
    worker_url: str
    refusals: Refusals

    def send(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        make: Callable[[], PageContent],
        *,
        assets: str = BESIDE,
    ) -> None:
        """
        Answer with the page that is made, or say why it was not.

        Args:
            assets: Where the page's own files lie, as the page sees it.
        """
        try:
            page = make()
            self.assets.find(HLS_JS)
        except HvError as error:
            page = _explained(error, assets, request_id(req))
        if page.refusal is not None:
            self.refusals.note(req, page.refusal, page.status)
        resp.content_type = falcon.MEDIA_HTML
        resp.status = page.status
        resp.data = page.body
        # The page's address may hold a token: no cache keeps it, and other
        # hosts are told the origin alone.
        resp.set_header("Cache-Control", "no-store")
        resp.set_header("Referrer-Policy", "strict-origin")
        policy = content_policy(self.worker_url, page.domains, forms=page.forms)
        resp.set_header("Content-Security-Policy", policy)
        for name, value in page.headers.items():
            resp.set_header(name, value)


def _explained(error: HvError, assets: str, reference: str) -> PageContent:
    status = GONE if isinstance(error, ShareOverError) else error.http_status
    if status not in _TEXTS:
        raise error
    title, text = _TEXTS[status]
    if error.detail == NOT_INSTALLED:
        text = NOT_INSTALLED
    return PageContent(
        body=message_page(title, text, reference=reference, assets=assets),
        status=status,
        headers=error.headers,
        refusal=error,
    )
