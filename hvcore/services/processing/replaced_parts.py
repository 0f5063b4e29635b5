"""Change the media index of a published video in which some parts were encoded again."""

from collections.abc import Iterator, Mapping

import attrs

from hvcore.domain.processing.media_index import (
    MediaIndex,
    PublishedTrack,
    TrackPiece,
)
from hvcore.domain.processing.transcoding import MediaFile, PartDone, Segment


class DoesNotJoinError(Exception):
    """A part that was encoded again does not fit between the others."""


@attrs.frozen(kw_only=True)
class MadeAgain:
    """
    A part of a published video that was encoded again.

    Attributes:
        folder: The folder of its files, under the media root of another job.
    """

    folder: str
    done: PartDone


def with_parts(media: MediaIndex, made: Mapping[str, MadeAgain]) -> MediaIndex:
    """
    Return the media index of a published video with some parts replaced.

    Args:
        made: The new parts, by the folders of the parts that they replace.

    Raises:
        DoesNotJoinError: Init segments, segment numbers or durations differ.
    """
    poster = media.poster
    if poster is not None:
        folder, _, name = poster.partition("/")
        if folder in made:
            poster = f"{made[folder].folder}/{made[folder].done.poster or name}"
    tracks = tuple(_replaced(published, made) for published in media.tracks)
    return attrs.evolve(media, tracks=tracks, poster=poster)


def _replaced(
    published: PublishedTrack, made: Mapping[str, MadeAgain]
) -> PublishedTrack:
    track, pieces = published.track, list[TrackPiece]()
    segments = list(track.segments)
    for piece in published.pieces:
        again = made.get(piece.folder)
        if again is None:
            pieces.append(piece)
            continue
        last = piece.first_number + piece.count
        segments[piece.first_number : last] = _segments(published, piece, again)
        pieces.append(attrs.evolve(piece, folder=again.folder))
    renewed = attrs.evolve(track, segments=tuple(segments))
    return PublishedTrack(track=renewed, pieces=tuple(pieces))


def _segments(
    published: PublishedTrack, piece: TrackPiece, again: MadeAgain
) -> list[Segment]:
    track = published.track
    last = piece.first_number + piece.count
    found = [one for one in again.done.tracks if one.name == track.name]
    if not found or found[0].init.sha256 != track.init.sha256:
        raise DoesNotJoinError(f"{track.name}: another init segment")
    # Sound behind the last picture was left out.
    chosen = [
        one for one in found[0].segments if piece.first_number <= one.number < last
    ]
    before = track.segments[piece.first_number : last]
    if [(one.number, one.duration_s) for one in chosen] != [
        (one.number, one.duration_s) for one in before
    ]:
        raise DoesNotJoinError(f"{track.name}: other segments")
    return chosen


def served_names(media: MediaIndex) -> Iterator[str]:
    """Yield the path under the media root of each file that players can request."""
    folders = [piece.folder for one in media.tracks for piece in one.pieces]
    if media.poster is not None:
        folders.append(media.poster.partition("/")[0])
    for folder in dict.fromkeys(folders):
        yield from (f"{folder}/{name}" for name in files_of_part(media, folder))
    if media.storyboard is not None:
        yield from (sprite.path for sprite in media.storyboard.sprites)


def files_of_part(media: MediaIndex, folder: str) -> Mapping[str, MediaFile | None]:
    """
    Return the served files of a part's folder, by their paths below the folder.

    Returns:
        The size and digest of each file; None for the poster, which nobody has measured.
    """
    return dict(_files_of_part(media, folder))


def _files_of_part(
    media: MediaIndex, folder: str
) -> Iterator[tuple[str, MediaFile | None]]:
    for published in media.tracks:
        track = published.track
        if published.pieces and published.pieces[0].folder == folder:
            # All parts have made the same one; the first part's is served.
            yield f"{track.name}/init.m4s", track.init
        for piece in published.pieces:
            if piece.folder == folder:
                last = piece.first_number + piece.count
                for number in range(piece.first_number, last):
                    yield f"{track.name}/{number}.m4s", track.segments[number].file
    if media.poster is not None and media.poster.startswith(f"{folder}/"):
        yield media.poster.removeprefix(f"{folder}/"), None
