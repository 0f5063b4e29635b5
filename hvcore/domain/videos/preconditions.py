"""
Entity tags of videos, and the condition under which an edit is made.

Source: RFC 9110, sections 8.8.3 and 13.1.1.
"""

import hashlib
import json
from typing import Final

import attrs

from hvcore.domain.videos.video import Video
from hvcore.errors import PreconditionFailedError

_TAG_CHARS: Final = 32


def entity_tag(video: Video) -> str:
    """
    Return the entity tag of the members of a video that an edit changes, unquoted.

    Nothing else of the video is in it: counts, progress, states and pictures change
    while somebody fills in a form, and none of them is in anybody's way.
    """
    text = json.dumps(video.changeable, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:_TAG_CHARS]


@attrs.frozen(kw_only=True)
class IfMatch:
    """
    The condition that a video is still as its editor saw it.

    Attributes:
        tags: The entity tags of what the editor saw, unquoted; one must fit.
        is_any: Every video fits (``*``).
    """

    tags: frozenset[str] = frozenset()
    is_any: bool = False

    def require(self, video: Video) -> None:
        """
        Refuse a video that is not as its editor saw it.

        Raises:
            PreconditionFailedError: It is not.
        """
        if not self.is_any and entity_tag(video) not in self.tags:
            raise PreconditionFailedError
