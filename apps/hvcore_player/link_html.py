"""Write the pages of share links, the pages with messages, and the front page."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from hvcore import __version__
from hvcore.domain.links.share_codes import CODE_DIGITS, CODE_VALID, MAX_MAILS
from hvcore.services.links.share_link_playback import SharedVideo
from hvcore.settings import Settings
from hvcore_player.element import PlayerElement
from hvcore_player.html import BESIDE
from hvcore_web.pages import Markup, PageTemplate, dashboard_item

_PAGES: Final = Path(__file__).parent / "pages"
_ASK: Final = PageTemplate(_PAGES / "ask.html")
_CODE: Final = PageTemplate(_PAGES / "code.html")
_FRONT: Final = PageTemplate(_PAGES / "front.html")
_MESSAGE: Final = PageTemplate(_PAGES / "message.html")
_WATCH: Final = PageTemplate(_PAGES / "watch.html")

CLOCK: Final = Markup('<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3 2"/>')
EYE: Final = Markup(
    '<path d="M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12z"/>'
    '<circle cx="12" cy="12" r="3"/>'
)
LOCK: Final = Markup(
    '<rect x="5" y="11" width="14" height="10" rx="2"/><path d="M8 11V7a4 4 0 0 1 8 0v4"/>'
)
ENVELOPE: Final = Markup(
    '<rect x="3" y="5" width="18" height="14" rx="2"/><path d="m3 7 9 6 9-6"/>'
)
CROSSED: Final = Markup('<circle cx="12" cy="12" r="9"/><path d="m6 6 12 12"/>')
"""An SVG drawing of a crossed circle, 24 by 24."""

_READ_HEAD: Final = f"""
<link rel="stylesheet" href="{BESIDE}/transcript/share-page.css">
<script src="{BESIDE}/transcript/share-page.js" type="module"></script>"""
_READ: Final = Markup(
    '<button type="button" class="plain" data-transcript aria-expanded="false" hidden>'
    "Transcript</button>"
)
"""A button of the page, which its script shows."""

_TALLER: Final = 0.9
_WIDER: Final = 1.2
"""The ratio of width and height from which a picture does not count as square."""


def watch_page(shared: SharedVideo, element: PlayerElement) -> bytes:
    """Return the HTML of a share link's player page; only playback uses up a view of the link."""
    video = shared.video
    has_captions = shared.has_captions
    return _WATCH.fill(
        {
            "title": video.name,
            "head": Markup(element.head(BESIDE) + (_READ_HEAD if has_captions else "")),
            "transcript": _READ if has_captions else Markup(),
            "player": element.tag(
                video,
                master=video.master,
                poster=video.poster,
                access="linked",
                more={
                    "single-view": "",
                    **({"transcript": "closed"} if has_captions else {}),
                },
            ),
            "shape": _shape(video.size_px),
            "expires_at": shared.expires_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "expires_text": _moment(shared.expires_at),
            "views": _views(shared.views_left),
        }
    )


def ask_page(complaint: str = "") -> bytes:
    """
    Return the HTML of the page that asks for the viewer's e-mail address.

    Args:
        complaint: The error in the address that was sent before; empty for none.
    """
    return _ASK.fill({"sign": LOCK, **_complaint(complaint)})


def code_page(email: str, request: str, complaint: str = "") -> bytes:
    """
    Return the HTML of the page that asks for the code sent by e-mail.

    Args:
        email: The address to which the code was sent.
        request: The id of the request for the code, which only this browser has.
        complaint: The error in the code that was sent before; empty for none.
    """
    return _CODE.fill(
        {
            "sign": ENVELOPE,
            "email": email,
            "request": request,
            "digits": str(CODE_DIGITS),
            "mails": str(MAX_MAILS),
            "minutes": str(CODE_VALID // timedelta(minutes=1)),
            **_complaint(complaint),
        }
    )


def message_page(
    title: str, text: str, *, sign: Markup, reference: str, assets: str = BESIDE
) -> bytes:
    """
    Return the HTML of a page with a title and a message.

    Args:
        sign: The SVG drawing on the page.
        reference: The request's id, with which the operator finds the request in the logs.
        assets: The address of the page's static files, as the page sees it.
    """
    values = {"assets": assets, "title": title, "text": text, "reference": reference}
    return _MESSAGE.fill({**values, "sign": sign})


def front_page(settings: Settings) -> bytes:
    """Return the HTML of the front page at the player's address."""
    public = settings.public
    return _FRONT.fill(
        {
            "api_url": public.api_url,
            "worker_url": public.worker_url,
            "player_url": public.player_url,
            "dashboard": dashboard_item(settings),
            "version": __version__,
        }
    )


def _complaint(text: str) -> dict[str, str]:
    return {"complaint": text, "hidden": "" if text else "hidden"}


def _shape(size_px: tuple[int, int]) -> str:
    ratio = size_px[0] / size_px[1]
    if ratio < _TALLER:
        return "portrait"
    return "square" if ratio < _WIDER else "wide"


def _moment(moment: datetime) -> str:
    # For who has no JavaScript; the page's script writes the reader's own time.
    return f"{moment.day} {moment:%B %Y, %H:%M} UTC"


def _views(left: int | None) -> Markup:
    if left is None:
        return Markup()
    if left == 1:
        return Markup('<li class="last" data-views="1">Can be watched once more</li>')
    return Markup(f'<li data-views="{left}">Can be watched {left:,} more times</li>')
