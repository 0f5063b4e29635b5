"""
The playback directory port: which videos may be served now, and from where.

It is a port of its own, so that serving a segment opens no transaction.
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
    Hold the facts about a video that delivery needs.

    Attributes:
        env_name: The environment's name, which paths may use instead of its id.
        media_root: The storage prefix of the published files; None before ``ready``.
        load_media: A function that returns the index of the published files; None once
            they are gone. The index is large, and cached by the code that made the
            entry: entries are small.
        poster_path: The storage path of the picture that the owner has chosen.
        may_begin: Whether new viewers may begin: the organization's delivery quota of
            this month is not used up. Viewers who are already watching may go on.
        has_chapters: Whether the video has chapters; see
            ``PlaybackDirectory.chapters``.
        allows_download: Whether viewers may also download the video.
        source_path: The storage path of the uploaded file.
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
    decisions that were based on it still hold. After any change ``find`` must return
    another object; otherwise a viewer who was let in before is let in for ever.
    """

    @property
    def answers_at_once(self) -> bool:
        """
        Whether questions within a ``moment`` block never wait for a database server.

        A question that would have to wait raises UnavailableError then.
        """
        ...

    @property
    def is_current(self) -> bool:
        """
        Whether answers within a ``moment`` block are as of the block's beginning.

        Otherwise answers are at most 0.9 s old, and include every change that a process
        of this machine has answered. A caller that gives answers to others that cache
        them must ask outside of ``moment`` blocks.
        """
        ...

    def find(self, video_id: str) -> PlaybackEntry | None:
        """
        Return the present entry of a ``vid_`` or ``pubvid_`` id; None if there is none.

        State and visibility are read again each time, so that a video whose deletion
        was answered is no longer served at once.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...

    def moment(self) -> AbstractContextManager[None]:
        """
        Answer this thread's questions within the block as of the block's beginning.

        For several questions that arrived before: one query of the database may answer
        all of them. Answers may also be later than the beginning; see is_current.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...

    def captions(self, video_id: VideoId) -> Sequence[CaptionTrack]:
        """
        Return a video's present captions, by language.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...

    def chapters(self, video_id: VideoId) -> Sequence[Chapter]:
        """
        Return a video's present chapters, in order.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...

    def find_domains(self, list_id: str) -> Sequence[str] | None:
        """
        Return the domain list with an id, which never changes; None if there is none.

        Raises:
            UnavailableError: The database does not answer, or is not waited for.
        """
        ...

    def service_keys(self) -> Sequence[ServiceKey]:
        """
        Return the service's own keys for playback tokens; none before a rotation.

        Raises:
            UnavailableError: The database does not answer, or is not waited for.
        """
        ...

    def find_signing_key(self, key_id: str) -> SigningKey | None:
        """
        Return an organization's present signing key, revoked or not.

        Raises:
            UnavailableError: The database does not answer, or is not waited for.
        """
        ...

    def find_edge_key(self, edge_key: str) -> EdgeKey | None:
        """
        Return a present edge key by its id, revoked or not.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...

    def find_share_link(self, share_id: str) -> ShareLink | None:
        """
        Return a present share link by its id, revoked or not.

        Raises:
            UnavailableError: The database does not answer.
        """
        ...
