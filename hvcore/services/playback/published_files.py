"""
Find the published file that a path under a video names.

Source: the interface document, "Delivery". The path is matched against the forms of the
layout, and the file is then looked up in the list of published files. So a
path that names nothing published reaches no storage.
"""

import re
from typing import Final, TypeAlias

import attrs

from hvcore.domain.analytics.ignored import IgnoredReason
from hvcore.domain.processing.media_index import MediaIndex, PublishedTrack, Storyboard
from hvcore.domain.processing.transcoding import MediaFile, Segment, Track
from hvcore.manifests.chapters import APPLE_CHAPTERS, CHAPTERS
from hvcore.manifests.dash import MANIFEST
from hvcore.manifests.hls import MASTER, playlist_at, playlist_name
from hvcore.manifests.iframes import PICTURES, VIDEO, first_pictures, pictures_name
from hvcore.manifests.storyboard import STORYBOARD, sheet_name
from hvcore.ports.storage import Storage
from hvcore.services.playback.responses import StoredFile

INIT: Final = "init.m4s"
ETAG_CHARS: Final = 32
"""Length of an entity tag; a file has the same tag at the edge."""
FIRST_RUNG_INIT: Final = "video/init.m4s"
MAX_NUMBER_DIGITS: Final = 7
"""The most digits of a segment's number in its name."""

_NUMBER: Final = rf"0|[1-9][0-9]{{0,{MAX_NUMBER_DIGITS - 1}}}"
_CAPTIONS = re.compile(
    r"captions-(?P<language>[A-Za-z0-9-]{2,35})\.(?P<ending>m3u8|vtt)"
)
_MEDIA_FILE = re.compile(
    r"(?P<track>video/[1-9][0-9]{0,4}p|audio(?:-[1-9][0-9]{0,2})?)"
    rf"/(?:init|(?P<number>{_NUMBER}))\.m4s"
)
_PICTURE = re.compile(
    rf"{PICTURES}/(?P<rung>[1-9][0-9]{{0,4}}p)/(?P<number>{_NUMBER})\.m4s"
)


@attrs.frozen(kw_only=True)
class PublishedPlaylist:
    """A published HLS playlist; its name is its path under the media root."""

    name: str


@attrs.frozen(kw_only=True)
class PublishedManifest:
    """The published DASH manifest, of which a video has one."""


@attrs.frozen(kw_only=True)
class PublishedStoryboard:
    """The published index (WebVTT) of a video's storyboard."""

    storyboard: Storyboard


@attrs.frozen(kw_only=True)
class PublishedCaptions:
    """A path that names a video's captions in a language; whether they exist is looked up later."""

    language: str
    is_playlist: bool


@attrs.frozen(kw_only=True)
class PublishedChapters:
    """
    A path that names a video's chapters; whether the video has any is looked up later.

    Attributes:
        is_json: Whether the path names chapters as JSON for Apple's players; otherwise as WebVTT.
    """

    is_json: bool


@attrs.frozen(kw_only=True)
class PublishedMedia:
    """
    A published init or media segment, or a sprite sheet of the storyboard.

    Attributes:
        path: The path of the file under the media root.
        first_bytes: The length of the beginning of the file, if only that is published
            under this name.
        counted_px: Short edge of the rung of which this is a media segment;
            None for every file whose delivery is not counted.
    """

    path: str
    file: MediaFile
    content_type: str
    first_bytes: int | None = None
    counted_px: int | None = None

    @property
    def etag(self) -> str:
        """The HTTP entity tag (ETag) of the file, without quotes."""
        tag = self.file.sha256[:ETAG_CHARS]
        # The beginning of a file is not what the whole is.
        return tag if self.first_bytes is None else f"{tag}-{self.first_bytes}"


PublishedText: TypeAlias = (
    PublishedPlaylist
    | PublishedManifest
    | PublishedStoryboard
    | PublishedCaptions
    | PublishedChapters
)


def find_published(
    media: MediaIndex, path: str
) -> PublishedText | PublishedMedia | None:
    """Return the published file that a path under a video names; None if there is none."""
    # Segments first: they are asked for most, and to know a text takes longer.
    return _find_media(media, path) or _sheet(media, path) or _find_text(media, path)


def stored_file(storage: Storage, media_root: str, found: PublishedMedia) -> StoredFile:
    """Return the file in storage of a published media file, or of its published beginning."""
    return StoredFile(
        storage=storage,
        path=f"{media_root}/{found.path}",
        file_bytes=found.file.size_bytes,
        first_bytes=found.first_bytes,
    )


def _find_text(media: MediaIndex, path: str) -> PublishedText | None:
    if path == MANIFEST:
        return PublishedManifest()
    if path == STORYBOARD and media.storyboard:
        return PublishedStoryboard(storyboard=media.storyboard)
    if path in {CHAPTERS, APPLE_CHAPTERS}:
        return PublishedChapters(is_json=path == APPLE_CHAPTERS)
    if path == MASTER or any(_has_playlist(t.track, path) for t in media.tracks):
        return PublishedPlaylist(name=path)
    match = _CAPTIONS.fullmatch(path)
    if match is None:
        return None
    return PublishedCaptions(
        language=match["language"], is_playlist=match["ending"] == "m3u8"
    )


def _has_playlist(track: Track, path: str) -> bool:
    if path == playlist_name(track):
        return True
    # Looks at every segment, so only where the name is right.
    is_pictures = path == playlist_at(pictures_name(track))
    return is_pictures and first_pictures(track) is not None


def _find_media(media: MediaIndex, path: str) -> PublishedMedia | None:
    if path == FIRST_RUNG_INIT:
        return next((init_of(t) for t in media.tracks if t.track.rung), None)
    picture = _PICTURE.fullmatch(path)
    if picture:
        return _picture(media, f"{VIDEO}/{picture['rung']}", int(picture["number"]))
    match = _MEDIA_FILE.fullmatch(path)
    if match is None:
        return None
    for published in media.tracks:
        if published.track.name != match["track"]:
            continue
        if match["number"] is None:
            return init_of(published)
        return segment_of(published, int(match["number"]))
    return None


def _picture(media: MediaIndex, track: str, number: int) -> PublishedMedia | None:
    for published in media.tracks:
        if published.track.name != track:
            continue
        segment = _numbered(published.track.segments, number)
        found = segment_of(published, number)
        if segment and found and segment.first_picture_bytes is not None:
            # No segment, and so nothing that is counted: who scrubs through a
            # film has not watched it.
            return attrs.evolve(
                found, first_bytes=segment.first_picture_bytes, counted_px=None
            )
    return None


def _sheet(media: MediaIndex, path: str) -> PublishedMedia | None:
    sprites = media.storyboard.sprites if media.storyboard else ()
    for number, sprite in enumerate(sprites):
        if path == sheet_name(number):
            return PublishedMedia(
                path=sprite.path, file=sprite.file, content_type="image/jpeg"
            )
    return None


def init_of(published: PublishedTrack) -> PublishedMedia | None:
    """Return the published init segment of a track, or None if the track has no files."""
    for piece in published.pieces:
        # All parts have made the same one; the first part's is published.
        return _media(published, piece.folder, INIT, published.track.init)
    return None


def segment_of(published: PublishedTrack, number: int) -> PublishedMedia | None:
    """Return the published media segment with a number of a track; None if there is none."""
    segment = _numbered(published.track.segments, number)
    for piece in published.pieces:
        if segment and 0 <= number - piece.first_number < piece.count:
            found = _media(published, piece.folder, f"{number}.m4s", segment.file)
            rung = published.track.rung
            return attrs.evolve(found, counted_px=rung.short_edge_px if rung else None)
    return None


def _numbered(segments: tuple[Segment, ...], number: int) -> Segment | None:
    # Segments are counted from 0 over the whole track.
    if number >= len(segments) or segments[number].number != number:
        return None
    return segments[number]


def _media(
    published: PublishedTrack, folder: str, name: str, file: MediaFile
) -> PublishedMedia:
    return PublishedMedia(
        path=f"{folder}/{published.track.name}/{name}",
        file=file,
        content_type="video/mp4" if published.track.rung else "audio/mp4",
    )


_INIT: Final = "/init.m4s"


_SOUND: Final = "audio/mp4"


def never_counted(found: PublishedMedia | PublishedText) -> IgnoredReason | None:
    """Return the reason why delivery of a file never counts; None for a segment of a video rung."""
    if isinstance(found, PublishedPlaylist | PublishedManifest):
        return IgnoredReason.PLAYLIST
    if isinstance(found, PublishedCaptions) and found.is_playlist:
        return IgnoredReason.PLAYLIST
    if not isinstance(found, PublishedMedia):
        return IgnoredReason.OTHER_FILE
    if found.counted_px is not None:
        return None
    if found.path.endswith(_INIT):
        return IgnoredReason.INIT
    is_sound = found.content_type == _SOUND
    return IgnoredReason.AUDIO if is_sound else IgnoredReason.OTHER_FILE
