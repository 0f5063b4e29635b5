"""
Addresses at which a video plays, and code snippets with which programs read their metadata.

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
    """A code snippet that people copy, with its title and its purpose."""

    title: str
    about: str
    text: str = attrs.field(repr=False)


@attrs.frozen(kw_only=True)
class EmbedAddresses:
    """
    The addresses at which a video plays.

    Attributes:
        page: The player's page, for an ``<iframe>``.
        playlist: The multivariant playlist (HLS).
        discovery: The address for which oEmbed has an answer; None if it has none.
    """

    page: str = attrs.field(repr=False)
    playlist: str = attrs.field(repr=False)
    discovery: str | None = attrs.field(default=None, repr=False)


def public_addresses(plays: PlaybackAddresses) -> EmbedAddresses:
    """Return the addresses at which a public video plays."""
    return EmbedAddresses(
        page=plays.embed, playlist=plays.playlist, discovery=plays.embed
    )


def signed_addresses(plays: PlaybackAddresses) -> EmbedAddresses:
    """Return the addresses, with a playback token in them, at which a video plays."""
    return EmbedAddresses(page=plays.embed, playlist=plays.playlist)


def edge_key_addresses(embed_url: str) -> EmbedAddresses:
    """
    Return the addresses of a video with an edge key, which play until the key is revoked.

    Args:
        embed_url: The address of the player's page with the edge key.
    """
    return EmbedAddresses(
        page=embed_url, playlist=f"{embed_url}/master.m3u8", discovery=embed_url
    )


def snippets(
    addresses: EmbedAddresses, public: PublicSettings
) -> Sequence[EmbedSnippet]:
    """Return shell commands (curl) that read the playlist of a video and its oEmbed description."""
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
