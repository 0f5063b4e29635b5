"""
Playback addresses of a video: playlist, manifest, embed page, thumbnail, storyboard.

Source: the interface document, "Delivery".
"""

from typing import Final

import attrs

TOKEN_PLACEHOLDER: Final = "{token}"  # noqa: S105 - a place for one
"""What stands in a private video's addresses in the place of a token."""


@attrs.frozen(kw_only=True)
class PlaybackAddresses:
    """
    Hold the addresses at which a video plays; a private video's need a token.

    Attributes:
        playlist: The address of the HLS master playlist.
        manifest: The address of the DASH manifest.
        embed: The address of the player's page, for an iframe.
        thumbnail: The address of the thumbnail.
        storyboard: The address of the pictures for previews while seeking.
        needs_token: Whether TOKEN_PLACEHOLDER in the addresses must be replaced by a
            playback token.
    """

    playlist: str
    manifest: str
    embed: str
    thumbnail: str
    storyboard: str
    needs_token: bool

    def opened_by(self, token: str) -> "PlaybackAddresses":
        """Return the addresses with a token in place of TOKEN_PLACEHOLDER."""
        texts = ("playlist", "manifest", "embed", "thumbnail", "storyboard")
        opened = {name: getattr(self, name) for name in texts}
        return PlaybackAddresses(
            **{
                name: text.replace(TOKEN_PLACEHOLDER, token)
                for name, text in opened.items()
            },
            needs_token=False,
        )


@attrs.frozen(kw_only=True)
class PlaybackRoots:
    """
    Hold the beginnings of the playback addresses of an environment's videos.

    Attributes:
        env_id: The environment's id or its name; both work in addresses.
    """

    worker_url: str
    player_url: str
    org_id: str
    env_id: str

    def folder(self, video_id: str, *, is_public: bool) -> str:
        """Return the common beginning of the addresses of a video's media files."""
        if is_public:
            place = f"{self.org_id}/{self.env_id}/{video_id}"
            return f"{self.worker_url}/v1/public/{place}"
        return f"{self.worker_url}/v1/private/{video_id}"

    def of(
        self, video_id: str, *, is_public: bool, size_px: tuple[int, int]
    ) -> PlaybackAddresses:
        """
        Return the playback addresses of a video.

        Args:
            size_px: The width and height of the thumbnail.
        """
        folder = self.folder(video_id, is_public=is_public)
        query = "" if is_public else f"?token={TOKEN_PLACEHOLDER}"
        width_px, height_px = size_px
        thumbnail = f"{self.worker_url}/t/{video_id}/{width_px}x{height_px}.jpg"
        return PlaybackAddresses(
            playlist=f"{folder}/master.m3u8{query}",
            manifest=f"{folder}/manifest.mpd{query}",
            embed=f"{self.player_url}/v1/embed/{video_id}{query}",
            thumbnail=f"{thumbnail}{query}",
            storyboard=f"{folder}/storyboard.vtt{query}",
            needs_token=not is_public,
        )
