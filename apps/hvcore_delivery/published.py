"""
Answer requests for published files without the WSGI app, where no waiting is needed.

For a server that has one thread for all of its connections. So nothing here
waits: not for another server (a database, an object store), not for a lock that
a writer holds, and nothing is written but the note that a segment was served.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Final, TypeAlias

import attrs

from hvcore.assembly import Services
from hvcore.errors import HvError
from hvcore.manifests.hls import MASTER
from hvcore.ports.counting import CountedSegment, SegmentCounter
from hvcore.ports.repositories.playback import PlaybackDirectory
from hvcore.ports.storage import SupportsLocalPath
from hvcore.services.links.edge_key_playback import EdgeKeyPlayback
from hvcore.services.links.share_link_playback import ShareLinkPlayback
from hvcore.services.playback.delivery import Delivery, PlaybackRequest
from hvcore.services.playback.downloads.joined_files import NAMED
from hvcore.services.playback.downloads.serving import Downloads
from hvcore.services.playback.responses import Lifetime, PlaybackResponse
from hvcore.services.playback.thumbnails.cached import CachedThumbnails
from hvcore.services.playback.thumbnails.serving import ThumbnailRequest
from hvcore.wire.envelope import SUCCESS_TYPE
from hvcore_delivery.app import LIVE
from hvcore_web.compression.compressed_texts import NotPreparedError
from hvcore_web.plain_requests import MAX_CACHED, PlainRequest
from hvcore_web.representations import Representation, represent

EDGE_KEY_PREFIX: Final = "ek_"
Answer: TypeAlias = tuple[PlaybackResponse, Representation]
Further: TypeAlias = Callable[[PlainRequest], Answer | None]

_HEALTH: Final = ("health", "live")
_ALIVE: Final = PlaybackResponse(
    body=LIVE,
    content_type=SUCCESS_TYPE,
    etag="",
    lifetime=Lifetime.ONCE,
    is_public=False,
)


@attrs.frozen(kw_only=True)
class PublishedFileOpener:
    """
    Opens playlists, segments and thumbnails for requests that can be decided without waiting.

    Attributes:
        directory: Decides about requests; it can use the same data for several of them.
        downloads: The downloadable files, some of which take long to prepare.
        counter: Counts the segments that were opened.
        pictures: The thumbnails that are stored already.
        further: Answers requests for other things than files; it, too, returns None for
            those that the app must answer.
    """

    directory: PlaybackDirectory
    delivery: Delivery
    downloads: Downloads
    counter: SegmentCounter
    share_link_playback: ShareLinkPlayback
    edge_key_playback: EdgeKeyPlayback
    pictures: CachedThumbnails
    further: Further | None = None

    @classmethod
    def of(
        cls, services: Services, further: Further | None = None
    ) -> "PublishedFileOpener | None":
        """
        Return the opener of an installation's published files.

        Args:
            further: Answers requests for other things than files. It is left out where decisions
                are cached, because its callers keep its answers.

        Returns:
            None if the files are not on this machine, or if deciding needs waiting.
        """
        directory = services.playback_directory
        is_local = isinstance(services.storage, SupportsLocalPath)
        if not is_local or not directory.answers_at_once:
            return None
        return cls(
            directory=directory,
            delivery=services.delivery,
            downloads=services.downloads,
            counter=services.segment_counter,
            share_link_playback=services.share_link_playback,
            edge_key_playback=services.edge_key_playback,
            pictures=services.cached_thumbnails,
            further=further if directory.is_current else None,
        )

    def count(self, segments: Sequence[CountedSegment]) -> bool:
        """
        Count several opened segments as served.

        Returns:
            Whether the counts were written, and no earlier count is waiting to be written.
        """
        return self.counter.count(segments)

    def take_back(self, lines: Sequence[bytes]) -> None:
        """Remove the counts of segments that were not served after all, by their lines in the spool."""
        self.counter.take_back(lines)

    def moment(self) -> AbstractContextManager[None]:
        """
        Read the data for decisions once, and decide all requests within the ``with`` block by it.

        Raises:
            UnavailableError: The database does not answer.
        """
        return self.directory.moment()

    def open(self, request: PlainRequest) -> Answer | None:
        """
        Return the answer to a request and the form in which to send it; None leaves it to the app.

        The app also gets requests that are refused, because it words and logs refusals; requests
        for which another server must be asked first; and those for a long text that is not
        compressed yet. The app keeps the compressed text, so that the next such request is
        answered here.
        """
        if request.path == _HEALTH:
            return _ALIVE, represent(request.wanted, _ALIVE)
        try:
            address = _address(request.path)
            if address is None:
                return self.further(request) if self.further else None
            if NAMED in request.path:
                with self.downloads.without_waiting():
                    response = self._response(address, request)
            else:
                response = self._response(address, request)
            if response is None:
                return None
            return response, represent(request.wanted, response, waits=False)
        except (HvError, NotPreparedError):
            return None

    def _response(
        self, address: "_Address", request: PlainRequest
    ) -> PlaybackResponse | None:
        if address.is_picture:
            picture = ThumbnailRequest(
                video=address.video,
                name=address.file,
                query=request.picture_query,
                viewer=request.viewer,
            )
            return self.pictures.open(picture)
        if address.edge_key is not None:
            return self.edge_key_playback.open(
                address.edge_key, address.file, request.viewer
            )
        if address.share is not None:
            return self.share_link_playback.open(
                address.share, address.file, request.viewer, begins=False
            )
        wanted = PlaybackRequest(
            environment=address.environment,
            video=address.video,
            file=address.file,
            viewer=request.viewer,
        )
        return self.delivery.open(wanted)


@attrs.frozen(kw_only=True)
class _Address:
    """The parts of a path to a file of a video, share link or edge key."""

    environment: tuple[str, str] | None = None
    video: str = ""
    share: str | None = None
    edge_key: str | None = None
    is_picture: bool = False
    file: str


@lru_cache(maxsize=MAX_CACHED)
def _address(path: tuple[str, ...]) -> _Address | None:
    match path:
        case ("v1", "private", video, *file) if file:
            return _Address(video=video, file="/".join(file))
        case ("v1", "public", org, env, video, *file) if file:
            return _Address(environment=(org, env), video=video, file="/".join(file))
        # A master playlist may begin a session, which is written down.
        case ("v1", "share", share, *file) if file and file != [MASTER]:
            return _Address(share=share, file="/".join(file))
        case ("v1", key, *file) if file and key.startswith(EDGE_KEY_PREFIX):
            return _Address(edge_key=key, file="/".join(file))
        case ("t", video, name):
            return _Address(is_picture=True, video=video, file=name)
    return None
