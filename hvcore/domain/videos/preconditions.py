"""
Preconditions: entity tags of videos, and the header ``If-Match`` of edits.

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
    Return the entity tag of a video, unquoted; it changes with the editable fields.

    Only fields that edits can change count. View counts, progress, states and pictures
    do not: they change while somebody fills in a form, and hinder no edit.
    """
    text = json.dumps(video.changeable, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:_TAG_CHARS]


@attrs.frozen(kw_only=True)
class IfMatch:
    """
    Hold the condition that a video is unchanged since its editor read it.

    Attributes:
        tags: The entity tags that the editor sent, unquoted; the video must have one of
            them.
        is_any: Whether every video fits (``*``).
    """

    tags: frozenset[str] = frozenset()
    is_any: bool = False

    def require(self, video: Video) -> None:
        """
        Refuse an edit of a video that does not have one of the entity tags.

        Raises:
            PreconditionFailedError: The video has none of the tags.
        """
        if not self.is_any and entity_tag(video) not in self.tags:
            raise PreconditionFailedError
