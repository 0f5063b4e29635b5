"""
Authorize edges (web servers in front of delivery) to serve the files of videos.

The edge checks tokens and pages by itself. It asks this module for the facts that the
database decides, and caches the answers for less than a second: whether a video may be
served at all, and where its files are.
"""

import hashlib
import hmac
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final

import attrs

from hvcore.domain.ids import is_edge_key_id
from hvcore.domain.playback.domain_lists import is_domain_list_id
from hvcore.domain.processing.media_index import PublishedTrack
from hvcore.domain.processing.transcoding import MediaFile
from hvcore.errors import (
    HvError,
    InvalidParametersError,
    NotFoundError,
    UnavailableError,
)
from hvcore.ports.repositories.playback import PlaybackDirectory
from hvcore.ports.storage import Storage
from hvcore.services.links.edge_key_playback import EdgeKeyPlayback
from hvcore.services.links.share_link_playback import ShareLinkPlayback
from hvcore.services.playback.authorization import PlaybackAuthorization
from hvcore.services.playback.delivery import Delivery, PlaybackPermission
from hvcore.services.playback.playable import Playable
from hvcore.services.playback.published_files import (
    ETAG_CHARS,
    PublishedMedia,
    find_published,
    stored_file,
)
from hvcore.services.playback.responses import Lifetime, PlaybackResponse

MAX_KNOWN: Final = 4096
"""Authorizations kept in memory, about 4 MB without the media indexes."""
MAX_ASKED: Final = 32
"""Authorizations in one question: requests that wait behind it must not wait long."""
_PUBLIC_PARTS: Final = 3
_MARK_CHARS: Final = 32
_ASKED: Final = re.compile(
    rf"([a-z]+)/([\w/-]{{1,256}})=([0-9a-f]{{{ETAG_CHARS}}})", re.ASCII
)


def edge_secret(upload_key: str) -> str:
    """Return the secret with which an edge authenticates itself; the same on every machine."""
    key = upload_key.encode()
    return hmac.new(key, b"hvcore edge", hashlib.sha256).hexdigest()


def token_mark(secret: str) -> str:
    """
    Return the placeholder of a token in the playlists that an edge gets.

    The mark is the same on every machine, so that texts are equal; it is secret, so that nobody
    can write it into a video's captions.
    """
    mark = hmac.new(secret.encode(), b"token mark", hashlib.sha256)
    return mark.hexdigest()[:_MARK_CHARS]


@attrs.frozen(kw_only=True)
class EdgeAuthorization:
    """
    The permission for an edge to serve a video to viewers who pass its checks.

    Attributes:
        domains: The pages that may embed the video; empty means every page.
        expires_at_unix: When the permission ends; None if it does not.
        kids: The ids of the service's own keys that tokens may be signed with; None if no
            token is needed.
        tag: A text that differs whenever the document differs.
    """

    video: Playable
    domains: tuple[str, ...] = ()
    expires_at_unix: float | None = None
    kids: tuple[str, ...] | None = None
    tag: str = attrs.field(init=False)

    @tag.default
    def _make_tag(self) -> str:
        video = self.video
        facts = (
            *(video.id, video.public_id, video.org_id, video.env_id),
            *(video.media_root, self.domains, self.expires_at_unix, self.kids),
        )
        return hashlib.sha256(repr(facts).encode()).hexdigest()[:ETAG_CHARS]

    def document(self) -> Mapping[str, object]:
        """Return the authorization as JSON data for the edge's script."""
        video = self.video
        video_place = f"{video.org_id} {video.env_id} {video.id}"
        found: dict[str, object] = {
            "tag": self.tag,
            "video": video.id,
            "public": video.public_id,
            "root": video.media_root,
            "tracks": dict(_tracks(video.media.tracks, video_place)),
        }
        if self.domains:
            found["domains"] = list(self.domains)
        if self.expires_at_unix is not None:
            found["expires"] = self.expires_at_unix
        if self.kids is not None:
            found["kids"] = list(self.kids)
        return found


@attrs.frozen(kw_only=True)
class EdgeAuthorizations:
    """Find the authorizations that edges ask for, and the files that they fetch."""

    directory: PlaybackDirectory
    storage: Storage
    access: PlaybackAuthorization
    delivery: Delivery
    edge_key_playback: EdgeKeyPlayback
    share_link_playback: ShareLinkPlayback
    _known: dict[tuple[object, ...], EdgeAuthorization] = attrs.field(
        factory=dict, init=False, eq=False, repr=False
    )

    def find(self, kind: str, owner: str) -> EdgeAuthorization:
        """
        Return the authorization to serve a video now.

        Args:
            kind: ``private``, ``public``, ``share`` or ``key``.
            owner: The id of a video (``private``); organization, environment and video
                (``public``); the id of a share link or of an edge key.

        Raises:
            HvError: The video may not be served, for the reason that a viewer would get.
        """
        if kind == "private":
            return self._of(self.access.ready(owner), has_tokens=True)
        if kind == "public":
            parts = owner.split("/")
            if len(parts) == _PUBLIC_PARTS:
                return self._of(self.access.public(*parts))
        if kind == "share":
            share, video = self.share_link_playback.find(owner)
            return self._of(video, expires_at=share.expires_at, has_tokens=True)
        if kind == "key" and is_edge_key_id(owner):
            key, video = self.edge_key_playback.find(owner)
            return self._of(video, key.domains, key.expires_at)
        raise NotFoundError

    def which_hold(self, asked: str) -> str:
        """
        Return a digit for each authorization that an edge has cached: 1 if it is still valid.

        Args:
            asked: ``kind/owner=tag`` of each, with commas between them.

        Returns:
            A digit for each: 1 if it is valid; 0 if ``find`` would return another one or refuse.

        Raises:
            InvalidParametersError: The text is no such list, or too long.
            UnavailableError: The database does not answer.
        """
        listed = [_ASKED.fullmatch(one) for one in asked.split(",", MAX_ASKED)]
        authorizations = [one.groups() for one in listed if one is not None]
        if len(authorizations) < len(listed) or len(listed) > MAX_ASKED:
            raise InvalidParametersError(
                f"If-None-Match: send 1 to {MAX_ASKED} of kind/owner=tag, with commas."
            )
        return "".join(
            "1" if self._holds(*authorization) else "0"
            for authorization in authorizations
        )

    def _holds(self, kind: str, owner: str, tag: str) -> bool:
        try:
            return self.find(kind, owner).tag == tag
        except UnavailableError:
            raise
        except HvError:
            return False

    def _of(
        self,
        video: Playable,
        domains: tuple[str, ...] = (),
        expires_at: datetime | None = None,
        *,
        has_tokens: bool = False,
    ) -> EdgeAuthorization:
        """Return the authorization that was made before, if nothing in it has changed."""
        kids = tuple(self.access.believed_keys()) if has_tokens else None
        key = (video.id, domains, expires_at, kids)
        known = self._known.get(key)
        if known is not None and known.video is video:
            return known
        if len(self._known) >= MAX_KNOWN:
            self._known.clear()
        authorization = self._known[key] = EdgeAuthorization(
            video=video,
            domains=domains,
            expires_at_unix=expires_at.timestamp() if expires_at else None,
            kids=kids,
        )
        return authorization

    def find_domains(self, list_id: str) -> Sequence[str]:
        """
        Return the domains of the stored list that a token names by its id.

        Raises:
            NotFoundError: There is no such list.
        """
        is_list = is_domain_list_id(list_id)
        found = self.directory.find_domains(list_id) if is_list else None
        if not found:
            raise NotFoundError
        return found

    def open_text(
        self, kind: str, owner: str, file: str, token: str
    ) -> PlaybackResponse:
        """
        Return the response with a text of a video: playlist, manifest or storyboard index.

        Args:
            kind: ``private`` or ``share``: others carry no token.
            owner: The id of a video or of a share link, as for ``find``.
            file: The path of the text under the video, such as ``master.m3u8``.
            token: Written into every address in the text.

        Raises:
            HvError: The video may not be served, as ``EdgeAuthorizations.find``
                decides.
            NotFoundError: The video has no such text.
        """
        video = self.find(kind, owner).video
        response = self.delivery.serve(video, file, PlaybackPermission(token=token))
        if not response.is_text:
            raise NotFoundError
        # The edge answers with it many times, or not at all.
        return attrs.evolve(response, on_ignored=None)

    def open_media(self, kind: str, owner: str, file: str) -> PlaybackResponse:
        """
        Return the response with a media file for the edge's cache; the edge counts its delivery.

        Args:
            owner: The id of the video, share link or edge key, as for ``find``.
            file: The path of the file under the video.

        Raises:
            HvError: The video may not be served, as ``find`` decides.
            NotFoundError: The video has no such media file.
        """
        video = self.find(kind, owner).video
        found = find_published(video.media, file)
        if not isinstance(found, PublishedMedia):
            raise NotFoundError
        return PlaybackResponse(
            body=stored_file(self.storage, video.media_root, found),
            content_type=found.content_type,
            etag=_etag(found.file),
            lifetime=Lifetime.IMMUTABLE,
            is_public=False,
        )


def _tracks(
    tracks: Sequence[PublishedTrack], video_place: str
) -> Iterator[tuple[str, Mapping[str, object]]]:
    is_first = True
    for published in tracks:
        track = published.track
        if not published.pieces:
            continue
        found: dict[str, object] = {
            # Of the init segments of all parts, the first one is published.
            "folder": published.pieces[0].folder,
            "init": _etag(track.init),
            "init_size": track.init.size_bytes,
            "pieces": [[p.folder, p.first_number, p.count] for p in published.pieces],
            # Delivery looks at each number; without a gap there is no need to.
            "etags": "".join(_etag(file) for file in _in_order(published)),
            "sizes": [file.size_bytes for file in _in_order(published)],
        }
        if track.rung is None:
            found["is_audio"] = True
        else:
            found["place"] = f"{video_place} {track.rung.short_edge_px}"
            if is_first:
                is_first = False
                yield "video", {**found, "name": track.name, "pieces": []}
        yield track.name, found


def _in_order(published: PublishedTrack) -> Iterator[MediaFile]:
    for number, segment in enumerate(published.track.segments):
        if segment.number != number:
            return
        yield segment.file


def _etag(file: MediaFile) -> str:
    return file.sha256[:ETAG_CHARS]
