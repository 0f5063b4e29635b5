"""
The playback directory: what may be served now, and from where.

A port of its own, so that the path of a segment opens no transaction.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

import attrs

from hvcore.domain.access.service_keys import ServiceKey
from hvcore.domain.ids import EnvId, OrgId, PublicId, VideoId
from hvcore.domain.links.links import EdgeKey, ShareLink
from hvcore.domain.playback.signing_keys import SigningKey
from hvcore.domain.processing.chapters import Chapter
from hvcore.domain.processing.media_index import MediaIndex
from hvcore.domain.videos.captions import CaptionTrack
from hvcore.domain.videos.states import VideoState


@attrs.frozen(kw_only=True)
class PlaybackEntry:
    """
    The facts about a video that delivery needs.

    Attributes:
        env_name: The environment's short name, which paths may use too.
        media_root: Storage prefix of the published files; None before ``ready``.
        load_media: Returns what is published there; None once it is gone. It is
            large, and cached by the code that made the entry: entries are small.
        poster_path: Storage path of the picture that the owner has chosen.
        may_begin: Its organization has bytes left to deliver in this month; viewers
            who are already watching may go on.
        has_chapters: See chapters() of the directory.
        allows_download: Who may watch it may take it away, too.
        source_path: Storage path of what was uploaded.
    """

    id: VideoId
    public_id: PublicId
    org_id: OrgId
    env_id: EnvId
    env_name: str
    state: VideoState
    is_public: bool
    name: str
    media_root: str | None
    load_media: Callable[[], MediaIndex | None] = attrs.field(eq=False, repr=False)
    poster_path: str | None = None
    may_begin: bool = True
    has_chapters: bool = False
    allows_download: bool = False
    source_path: str = ""


class PlaybackDirectory(Protocol):
    """
    Look videos up for delivery; thread-safe.

    While nothing about a video has changed, ``find`` may return the same object:
    what was decided by it still holds. Once anything has, it returns another
    one, or who was let in before is let in for ever.
    """

    @property
    def answers_at_once(self) -> bool:
        """
        Whether the directory never waits for a server within moments.

        What it would have to wait for is refused with an UnavailableError then.
        """
        ...

    @property
    def is_current(self) -> bool:
        """
        Whether answers within moments are as of the beginning of the moment.

        Otherwise it is as of no earlier than 0.9 s ago, and of no earlier than the
        last change that a process of this machine has answered. A caller that
        hands it to others that cache it must ask outside of moments.
        """
        ...

    def find(self, video_id: str) -> PlaybackEntry | None:
        """
        Return the entry of a ``vid_`` or ``pubvid_`` id as of now.

        State and visibility are read again each time, so that a delete that
        was answered is obeyed at once.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...

    def moment(self) -> AbstractContextManager[None]:
        """
        Within the block, answer this thread as of its beginning, or later.

        For several questions that arrived before: one look at the database may answer
        them all. See is_current, too.

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

    def chapters(self, video_id: VideoId) -> Sequence[Chapter]:
        """
        Return a video's chapters as of now, in order.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...

    def find_domains(self, list_id: str) -> Sequence[str] | None:
        """
        Return a list of domains that a token names; it never changes.

        Raises:
            UnavailableError: The database does not answer, or is not waited for.
        """
        ...

    def service_keys(self) -> Sequence[ServiceKey]:
        """
        Return the service's own keys of playback tokens, once they were rotated.

        Raises:
            UnavailableError: The database does not answer, or is not waited for.
        """
        ...

    def find_signing_key(self, key_id: str) -> SigningKey | None:
        """
        Return an organization's signing key as of now, revoked or not.

        Raises:
            UnavailableError: The database does not answer, or is not waited for.
        """
        ...

    def find_edge_key(self, edge_key: str) -> EdgeKey | None:
        """
        Return an edge key as of now, revoked or not.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...

    def find_share_link(self, share_id: str) -> ShareLink | None:
        """
        Return a share link as of now, revoked or not.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...
