"""
Write a page's ``<hv-player>`` element, and the tags for its scripts and styles.

The attributes of the element are in docs/reference/player.md.
"""

from collections.abc import Mapping
from types import MappingProxyType

import attrs

from hvcore.services.links.link_pages import LinkedVideo
from hvcore.services.playback.player_videos import PlayerVideo
from hvcore_web.pages import Markup, escaped

_LOADED_FIRST = ("hv-player.js", "vendor/media-chrome.js", "vendor/hls.min.mjs")


@attrs.frozen(kw_only=True)
class PlayerElement:
    """
    Writes the element ``<hv-player>`` of a page and the tags that load the player.

    Attributes:
        build: The hash of the static files that stands in their addresses.
        sends_cmcd: Whether the player reports playback quality with its requests (CMCD).
        reports_sessions: Whether the player reports its playback sessions; None if the
            service takes no reports, whatever the page's address says.
    """

    build: str
    sends_cmcd: bool
    reports_sessions: bool | None = None

    def head(self, assets: str) -> Markup:
        """
        Return the tags in the page's head that load the player.

        Args:
            assets: The address of the page's static files, as the page sees it.
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
        more: Mapping[str, str] = MappingProxyType({}),
    ) -> Markup:
        """
        Return the HTML of the element ``<hv-player>`` for a video.

        Args:
            master: The address of the video's multivariant playlist.
            poster: The address of the picture shown before playback; None for none.
            access: The kind of access; with ``private``, the token is taken from the page's address.
            more: Further attributes of the element; a switch has an empty value.
        """
        values = {
            "src": master,
            "poster": poster or "",
            "video-title": video.name,
            "duration": f"{video.duration_s:.3f}",
            "data-access": access,
            **more,
            **self._exceptions(video),
        }
        written = [f'{name}="{escaped(value)}"' for name, value in values.items()]
        return Markup(f"<hv-player global-keys {' '.join(written)}></hv-player>")

    def _exceptions(self, video: PlayerVideo | LinkedVideo) -> Mapping[str, str]:
        found = {}
        if not video.has_storyboard:
            found["storyboard"] = ""
        if not self.sends_cmcd:
            found["cmcd"] = "off"
        if self.reports_sessions is not None:
            found["session-reports"] = "on" if self.reports_sessions else "off"
        return found
