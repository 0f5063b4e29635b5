"""Answer with a player page, or with a page that says why the video cannot be watched."""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Final

import attrs
import falcon

from hvcore.domain.playback.rules import PlaybackRule
from hvcore.errors import HvError
from hvcore.services.links.share_link_playback import ShareLinkOverError
from hvcore_player.element import PlayerElement
from hvcore_player.html import BESIDE, content_policy
from hvcore_player.link_html import CLOCK, CROSSED, EYE, LOCK, message_page
from hvcore_web.assets import NOT_INSTALLED, Assets
from hvcore_web.middleware import request_id
from hvcore_web.pages import PAGE_TYPE, Markup
from hvcore_web.refusals import Refusals

GONE: Final = 410
"""The HTTP status of the page of an expired share link; delivery itself answers 403."""

EMBEDDER_POLICY: Final = "Cross-Origin-Embedder-Policy"
ISOLATED: Final = "require-corp"

_ASK_AGAIN: Final = "Ask whoever sent you this link for a new one."
_PERMISSION: Final = (
    "The permission in this address is missing, not valid or has expired. Go back to "
    "the page that you came from and open the video again."
)
_TEXTS: Final[Mapping[int, tuple[str, str, Markup]]] = {
    401: ("This video needs permission", _PERMISSION, LOCK),
    403: (
        "This video cannot be watched here",
        "The permission in this address is for another video or another page.",
        LOCK,
    ),
    404: (
        "This video is not available",
        (
            "It was removed, or it is not ready yet. If you typed the address, compare "
            "it with the one that you were given."
        ),
        CROSSED,
    ),
    GONE: ("This link is over", f"It can no longer be used. {_ASK_AGAIN}", CROSSED),
    429: (
        "Too many addresses or codes were tried",
        "Wait for an hour, then open the link again.",
        CLOCK,
    ),
    503: ("The player is not ready", "Please try again in a moment.", CLOCK),
}
_OVER: Final[Mapping[Enum, tuple[str, str, Markup]]] = {
    PlaybackRule.SHARE_EXPIRED: (
        "This link has expired",
        f"The video was shared for a limited time, which is over. {_ASK_AGAIN}",
        CLOCK,
    ),
    PlaybackRule.SHARE_REVOKED: (
        "This link was withdrawn",
        f"Whoever shared the video has ended this link. {_ASK_AGAIN}",
        CROSSED,
    ),
    PlaybackRule.SHARE_USED_UP: (
        "This video was watched as often as allowed",
        f"The link was good for a certain number of views. {_ASK_AGAIN}",
        EYE,
    ),
    PlaybackRule.VIDEO_DELETED: (
        "This video was removed",
        "Its owner has deleted it, so this link leads nowhere any more.",
        CROSSED,
    ),
}
"""The title and text of the page of an expired share link, by the rule that refused it."""


@attrs.frozen(kw_only=True)
class PageContent:
    """
    The HTML, status and Content-Security-Policy of a page to answer with.

    Attributes:
        domains: The pages that may embed the page; empty means every page.
        forms: The addresses to which the page's form may be sent, for its policy.
        pictures: A further origin of pictures, for the policy.
        cookie: The cookie that the browser is to store; empty for none.
        refusal: The error because of which another page was answered; None if there is none.
    """

    body: bytes
    status: int = 200
    domains: tuple[str, ...] = ()
    forms: str = "'none'"
    pictures: str = ""
    headers: Mapping[str, str] = attrs.field(factory=dict)
    cookie: str = attrs.field(default="", repr=False)
    refusal: HvError | None = None


@attrs.frozen(kw_only=True)
class PageAnswers:
    """
    Answers requests with the player's pages.

    Attributes:
        sends_cmcd: Whether players report playback quality with their requests (CMCD).
        reports_sessions: Whether players report their playback sessions; None if the
            service takes no reports.
    """

    assets: Assets
    worker_url: str
    sends_cmcd: bool
    reports_sessions: bool | None
    refusals: Refusals

    @property
    def element(self) -> PlayerElement:
        """
        The writer of the element ``<hv-player>`` for pages.

        Raises:
            UnavailableError: The player's static files are not installed.
        """
        return PlayerElement(
            build=self.assets.build,
            sends_cmcd=self.sends_cmcd,
            reports_sessions=self.reports_sessions,
        )

    def send(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        make: Callable[[], PageContent],
        *,
        assets: str = BESIDE,
    ) -> None:
        """
        Answer with the page that a function makes, or with a page about the error that it raises.

        Args:
            make: Makes the page.
            assets: The address of the page's static files, as the page sees it.
        """
        try:
            page = make()
        except HvError as error:
            page = _explained(error, assets, request_id(req))
        if page.refusal is not None:
            self.refusals.note(req, page.refusal, page.status)
        resp.content_type = PAGE_TYPE
        resp.status = page.status
        resp.data = page.body
        # The page's address may hold a token: no cache keeps it, and other
        # hosts are told the origin alone.
        resp.set_header("Cache-Control", "no-store")
        resp.set_header("Referrer-Policy", "strict-origin")
        policy = content_policy(
            self.worker_url, page.domains, forms=page.forms, pictures=page.pictures
        )
        resp.set_header("Content-Security-Policy", policy)
        # A page that is isolated frames only pages that say so, too. Pictures of other
        # hosts do not say who may load them; not every browser knows the second word.
        isolation = "credentialless" if page.pictures else ISOLATED
        resp.set_header(EMBEDDER_POLICY, isolation)
        for name, value in page.headers.items():
            resp.set_header(name, value)
        if page.cookie:
            resp.append_header("Set-Cookie", page.cookie)


def _explained(error: HvError, assets: str, reference: str) -> PageContent:
    status = GONE if isinstance(error, ShareLinkOverError) else error.http_status
    if status not in _TEXTS:
        raise error
    title, text, sign = _TEXTS[status]
    if status == GONE and error.rule is not None:
        title, text, sign = _OVER.get(error.rule, _TEXTS[GONE])
    if error.detail == NOT_INSTALLED:
        text = NOT_INSTALLED
    return PageContent(
        body=message_page(title, text, sign=sign, reference=reference, assets=assets),
        status=status,
        headers=error.headers,
        refusal=error,
    )
