"""
Addresses at which a video plays, and calls for programs that look at them.

Source: docs/how-to/embed.md and docs/reference/player.md.
"""

import shlex
from collections.abc import Sequence
from urllib.parse import quote

import attrs

from hvcore.domain.playback.addresses import PlaybackAddresses
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
    addresses: EmbedAddresses, public: PublicSettings
) -> Sequence[EmbedSnippet]:
    """Return the calls by which programs look at these addresses."""
    found = [
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
