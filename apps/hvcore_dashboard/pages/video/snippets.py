"""
HTML snippets that a customer copies into a web page to show a video.

Source: docs/how-to/embed.md and docs/reference/player.md.
"""

import shlex
from collections.abc import Sequence
from html import escape
from urllib.parse import quote

import attrs

from hvcore.domain.playback.addresses import PlaybackAddresses
from hvcore.domain.videos.video import Video
from hvcore.settings import PublicSettings


@attrs.frozen(kw_only=True)
class EmbedSnippet:
    """A snippet to copy, with its title and its purpose."""

    title: str
    about: str
    text: str = attrs.field(repr=False)


@attrs.frozen(kw_only=True)
class EmbedAddresses:
    """
    The addresses at which a video plays.

    Attributes:
        page: The player's page, for an ``<iframe>``.
        playlist: The master playlist.
        discovery: The address that oEmbed can be asked about; None if it cannot be.
    """

    page: str = attrs.field(repr=False)
    playlist: str = attrs.field(repr=False)
    discovery: str | None = attrs.field(default=None, repr=False)


def public_addresses(plays: PlaybackAddresses) -> EmbedAddresses:
    """Return the addresses of a public video."""
    return EmbedAddresses(
        page=plays.embed, playlist=plays.playlist, discovery=plays.embed
    )


def signed_addresses(plays: PlaybackAddresses) -> EmbedAddresses:
    """Return the addresses of a video with a playback token in them."""
    return EmbedAddresses(page=plays.embed, playlist=plays.playlist)


def edge_key_addresses(embed_url: str) -> EmbedAddresses:
    """Return the addresses of a video with an edge key, which play until the key is revoked."""
    return EmbedAddresses(
        page=embed_url, playlist=f"{embed_url}/master.m3u8", discovery=embed_url
    )


def snippets(
    video: Video, addresses: EmbedAddresses, public: PublicSettings, poster_url: str
) -> Sequence[EmbedSnippet]:
    """
    Return the snippets for every way to embed a video from these addresses.

    Args:
        poster_url: The address of the picture shown before playback; "" for none.
    """
    title = escape(" ".join(video.name.split()))
    page, playlist = escape(addresses.page), escape(addresses.playlist)
    frame = (
        f'<iframe src="{page}" width="1280" height="720" title="{title}"\n'
        '  frameborder="0" allow="autoplay; fullscreen; picture-in-picture" '
        "allowfullscreen\n"
        '  loading="lazy" referrerpolicy="strict-origin-when-cross-origin"></iframe>'
    )
    script = f"{public.player_url}/v1/player/hv-player.js"
    poster = f'  poster="{escape(poster_url)}"\n' if poster_url else ""
    element = (
        f'<script type="module" src="{escape(script)}"></script>\n'
        f'<hv-player src="{playlist}"\n'
        f"{poster}"
        f'  video-title="{title}"></hv-player>'
    )
    found = [
        EmbedSnippet(title="Frame", about="For any page.", text=frame),
        EmbedSnippet(
            title="Element",
            about="Part of your own page, with methods and events like <video>.",
            text=element,
        ),
        EmbedSnippet(
            title="curl",
            about="Shows the playlist, or why there is none.",
            text=f"curl -i {shlex.quote(addresses.playlist)}",
        ),
    ]
    if addresses.discovery is not None:
        asked = f"{public.player_url}/oembed?url={quote(addresses.discovery, safe='')}"
        found.append(
            EmbedSnippet(
                title="oEmbed",
                about="For programs that make the frame themselves.",
                text=f"curl {shlex.quote(asked)}",
            )
        )
    return found
