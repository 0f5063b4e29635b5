"""
The playback directory: what may be served now, and from where.

A port of its own, so that the path of a segment opens no transaction.
"""

from collections.abc import Sequence
from typing import Protocol

import attrs

from hvcore.domain.captions import CaptionTrack
from hvcore.domain.ids import EnvId, OrgId, PublicId, VideoId
from hvcore.domain.sharing import EdgeKey, ShareLink
from hvcore.domain.transcoding import MediaIndex
from hvcore.domain.video import VideoState


@attrs.frozen(kw_only=True)
class PlaybackEntry:
    """
    What delivery needs to know of a video.

    Attributes:
        env_name: The environment's short name, which paths may use too.
        media: What is published; None before ``ready``.
        media_root: Storage prefix of the published files.
        poster_path: Storage path of the picture that the owner has chosen.
    """

    id: VideoId
    public_id: PublicId
    org_id: OrgId
    env_id: EnvId
    env_name: str
    state: VideoState
    is_public: bool
    name: str
    media: MediaIndex | None
    media_root: str | None
    poster_path: str | None = None


class PlaybackDirectory(Protocol):
    """
    Look videos up for delivery; thread-safe.
    """

    def find(self, video_id: str) -> PlaybackEntry | None:
        """
        Return the entry of a ``vid_`` or ``pubvid_`` id as of now.

        State and visibility are read anew each time, so that a delete that
        was answered is obeyed at once.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...

    def captions(self, video_id: VideoId) -> Sequence[CaptionTrack]:
        """
        Return a video's captions as of now, by language.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...

    def find_edge_key(self, edge_key: str) -> EdgeKey | None:
        """
        Return an edge key as of now, revoked or not.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...

    def find_share(self, share_id: str) -> ShareLink | None:
        """
        Return a share link as of now, revoked or not.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...
