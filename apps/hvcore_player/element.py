"""
The tag ``<hv-player>`` of a page, and what the page loads for it.

Its attributes are in docs/reference/player.md.
"""

from collections.abc import Mapping, Sequence

import attrs

from hvcore.services.links.link_pages import LinkedVideo
from hvcore.services.playback.player_videos import PlayerVideo
from hvcore_web.pages import Markup, escaped

_LOADED_FIRST = ("hv-player.js", "vendor/media-chrome.js", "vendor/hls.min.mjs")


@attrs.frozen(kw_only=True)
class PlayerElement:
    """
    Make the tag.

    Attributes:
        build: Of the files that it needs; see assets.
        sends_cmcd: It tells how playback goes.
    """

    build: str
    sends_cmcd: bool

    def head(self, assets: str) -> Markup:
        """
        Return the player's links and script for the page's head.

        Args:
            assets: Where the page's own files are, as the page sees it.
        """
        place = f"{assets}/{self.build}"
        # Else a browser would find out about each only from the one before.
        links = [
            f'<link rel="modulepreload" href="{place}/{name}">'
            for name in _LOADED_FIRST
        ]
        script = f'<script src="{place}/embed.js" type="module"></script>'
        return Markup("\n".join([*links, script]))

    def tag(
        self,
        video: PlayerVideo | LinkedVideo,
        *,
        master: str,
        poster: str | None,
        access: str,
        switches: Sequence[str] = (),
    ) -> Markup:
        """
        Return the tag.

        Args:
            access: ``private`` takes the token from the page's address.
            switches: Further attributes, without values.
        """
        values = {
            "src": master,
            "poster": poster or "",
            "video-title": video.name,
            "duration": f"{video.duration_s:.3f}",
            "data-access": access,
            **self._exceptions(video),
        }
        written = [f'{name}="{escaped(value)}"' for name, value in values.items()]
        return Markup(
            f"<hv-player {' '.join(['global-keys', *switches, *written])}></hv-player>"
        )

    def _exceptions(self, video: PlayerVideo | LinkedVideo) -> Mapping[str, str]:
        found = {}
        if not video.has_storyboard:
            found["storyboard"] = ""
        if not self.sends_cmcd:
            found["cmcd"] = "off"
        return found
