"""Find a video by one of its ids, and tags by a part of their name, for the list of videos."""

from collections.abc import Mapping
from typing import Final

import attrs

from hvcore.assembly import Services
from hvcore.domain.access.tenants import Environment
from hvcore.domain.ids import is_video_id
from hvcore.domain.limits import MAX_EXTERNAL_ID_CHARS
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.errors import VideoNotFoundError
from hvcore.services.videos.catalog import Catalog
from hvcore_dashboard.pages.videos.shown import ShownVideos
from hvcore_dashboard.visits import OrganizationVisit

MOST_TAGS: Final = 10
"""The most tags that are suggested at a time."""


@attrs.frozen(kw_only=True)
class FoundBesides:
    """Finds a video by its id, and tags by a part of their name, for a search in the list of videos."""

    catalog: Catalog
    shown: ShownVideos

    @classmethod
    def of(cls, services: Services) -> "FoundBesides":
        """Return the finder of videos and tags that uses these services."""
        return cls(catalog=services.catalog, shown=ShownVideos.of(services))

    def values(
        self, here: OrganizationVisit, env: Environment, sent: Mapping[str, str]
    ) -> Mapping[str, object]:
        """
        Return the found video and tags of a search, as values for ``videos/results.html``.

        Args:
            sent: The fields of the search form, by name.
        """
        search = sent["search"].strip()
        video = self._by_id(here, env, search) if search else None
        is_here = video is not None and video.env_id == env.id
        tags = () if sent["tag"] else self.catalog.tags(env, search, most=MOST_TAGS)
        elsewhere = [
            one for one in here.environments if video and one.id == video.env_id
        ]
        return {
            "exact": self.shown.now(here, [video.id])[0] if video and is_here else None,
            "elsewhere": None if is_here or not elsewhere else elsewhere[0],
            "elsewhere_id": video.id if video else "",
            "suggested": tags,
        }

    def _by_id(
        self, here: OrganizationVisit, env: Environment, search: str
    ) -> Video | None:
        """Return the video with an id of the organization, or an external id of the environment."""
        try:
            if is_video_id(search):
                found = self.catalog.details(here.caller, here.org_id, search)
            elif len(search) <= MAX_EXTERNAL_ID_CHARS:
                found = self.catalog.external(here.caller, env, search)
            else:
                return None
        except VideoNotFoundError:
            return None
        return None if found.state is VideoState.AWAITING_UPLOAD else found
