"""
The HTML that an editor copies into a web page to show a video.

Source: docs/how-to/embed.md and docs/reference/player.md.
"""

import re
from collections.abc import Mapping
from enum import Enum
from html import escape
from math import gcd
from typing import Final

import attrs
import falcon

from hvcore.domain.videos.video import Video
from hvcore.settings import PublicSettings
from hvcore_dashboard.forms import Form, form_with
from hvcore_dashboard.pages.video.snippets import EmbedAddresses

START: Final = "start"
AUTOPLAY: Final = "autoplay"
TRANSCRIPT: Final = "transcript"
KIND: Final = "as"
MOST_START_CHARS: Final = 16
WIDE_PX: Final = (1280, 720)
"""The box into which the size fits for pages that leave out styles."""
TALL_VH: Final = 90
"""The most height of an upright video, in hundredths of the window's height."""
_WRONG_START: Final = "Write a time such as 1:30, or a number of seconds."
_TOO_LATE: Final = "The video ends before that."
_CLOCK: Final = re.compile(r"(?:(?:([0-9]{1,2}):)?([0-9]{1,3}):)?([0-9]{1,5})")
_UNITS: Final = re.compile(r"(?:([0-9]{1,2})h)?(?:([0-9]{1,4})m)?(?:([0-9]{1,5})s)?")


class EmbedKind(Enum):
    """The kinds of embed code: an ``<iframe>`` for any page, or the player's own HTML element."""

    FRAME = "frame"
    ELEMENT = "element"


@attrs.frozen(kw_only=True)
class EmbedChoices:
    """
    The choices of an editor for an embed code: kind, start, autoplay and transcript.

    Attributes:
        start_s: The position at which playback begins, in seconds.
        form: The form fields of the choices, with their errors.
    """

    kind: EmbedKind = EmbedKind.FRAME
    start_s: int = 0
    is_autoplay: bool = False
    has_transcript: bool = False
    form: Form = attrs.field(factory=lambda: form_with(**{KIND: "frame"}))

    @classmethod
    def asked(cls, req: falcon.Request, video: Video) -> "EmbedChoices":
        """Return the choices in a request's query; a wrong start is left out and becomes an error."""
        is_element = req.get_param(KIND) == EmbedKind.ELEMENT.value
        kind = EmbedKind.ELEMENT if is_element else EmbedKind.FRAME
        typed = (req.get_param(START) or "").strip()[:MOST_START_CHARS]
        is_autoplay = req.get_param(AUTOPLAY) == "yes"
        has_transcript = req.get_param(TRANSCRIPT) == "yes"
        start_s, errors = _start(typed, video)
        fields = {KIND: [kind.value], START: [typed]}
        if is_autoplay:
            fields[AUTOPLAY] = ["yes"]
        if has_transcript:
            fields[TRANSCRIPT] = ["yes"]
        return cls(
            kind=kind,
            start_s=start_s,
            is_autoplay=is_autoplay,
            has_transcript=has_transcript,
            form=Form(fields=fields, errors=errors),
        )


def embed_code(
    video: Video,
    addresses: EmbedAddresses,
    public: PublicSettings,
    *,
    poster_url: str,
    choices: EmbedChoices,
) -> str:
    """
    Return the HTML that shows a video in its aspect ratio, as wide as its container on the page.

    Args:
        addresses: The addresses at which the video plays.
        public: The public addresses of the service.
        poster_url: The address of the picture shown before playback; "" for none.
        choices: The editor's choices of kind, start, autoplay and transcript.
    """
    if choices.kind is EmbedKind.ELEMENT:
        return _element(video, addresses, public, poster_url, choices)
    return _frame(video, addresses, choices)


def _frame(video: Video, addresses: EmbedAddresses, choices: EmbedChoices) -> str:
    asked = ["autoplay=1"] if choices.is_autoplay else []
    asked += [f"t={choices.start_s}"] if choices.start_s else []
    asked += ["transcript=1"] if choices.has_transcript else []
    joint = "&" if "?" in addresses.page else "?"
    src = escape(addresses.page + (joint + "&".join(asked) if asked else ""))
    width_px, height_px = _size_px(video)
    # The size is for pages that leave out styles.
    return (
        f'<iframe src="{src}" title="{_title(video)}"\n'
        f'  width="{width_px}" height="{height_px}" '
        f'style="{_style(video)}; border: 0"\n'
        '  allow="autoplay; fullscreen; picture-in-picture" allowfullscreen\n'
        '  loading="lazy" referrerpolicy="strict-origin-when-cross-origin"></iframe>'
    )


def _element(
    video: Video,
    addresses: EmbedAddresses,
    public: PublicSettings,
    poster_url: str,
    choices: EmbedChoices,
) -> str:
    script = f"{public.player_url}/v1/player/hv-player.js"
    attributes = {
        "src": addresses.playlist,
        "poster": poster_url,
        "start-time": str(choices.start_s or ""),
        "video-title": " ".join(video.name.split()),
        "style": _style(video),
    }
    given = [f'{name}="{escape(text)}"' for name, text in attributes.items() if text]
    given += ["autoplay"] if choices.is_autoplay else []
    given += ["transcript"] if choices.has_transcript else []
    shown = "\n  ".join(given)
    return (
        f'<script type="module" src="{escape(script)}"></script>\n'
        f"<hv-player {shown}></hv-player>"
    )


def _title(video: Video) -> str:
    return escape(" ".join(video.name.split()))


def _style(video: Video) -> str:
    width, height = _shape(video)
    style = f"width: 100%; height: auto; aspect-ratio: {width} / {height}"
    if width >= height:
        return style
    # As wide as the page, it would be higher than the window.
    return f"{style}; max-width: {TALL_VH * width / height:.3g}vh"


def _size_px(video: Video) -> tuple[int, int]:
    width, height = _shape(video)
    scale = min(WIDE_PX[0] / width, WIDE_PX[1] / height)
    return max(1, round(width * scale)), max(1, round(height * scale))


def _shape(video: Video) -> tuple[int, int]:
    if video.source is not None and all(video.source.aspect_ratio):
        return video.source.aspect_ratio
    if not video.rungs:
        return 16, 9
    best = max(video.rungs, key=lambda rung: rung.short_edge_px)
    common = gcd(best.width_px, best.height_px)
    return best.width_px // common, best.height_px // common


def _start(typed: str, video: Video) -> tuple[int, Mapping[str, str]]:
    if not typed:
        return 0, {}
    match = _CLOCK.fullmatch(typed) or _UNITS.fullmatch(typed)
    if match is None:
        return 0, {START: _WRONG_START}
    hours, minutes, seconds = (int(part or 0) for part in match.groups())
    start_s = hours * 3600 + minutes * 60 + seconds
    if video.duration_s and start_s >= video.duration_s:
        return 0, {START: _TOO_LATE}
    return start_s, {}
