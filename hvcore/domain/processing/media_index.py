"""The index of a published video: its tracks, their files and the storyboard."""

import attrs

from hvcore.domain.processing.transcoding import MediaFile, Track


@attrs.frozen(kw_only=True)
class TrackPiece:
    """A run of a track's segments that are in one folder."""

    folder: str
    first_number: int
    count: int


@attrs.frozen(kw_only=True)
class PublishedTrack:
    """A track and where its files are under the media root."""

    track: Track
    pieces: tuple[TrackPiece, ...]


@attrs.frozen(kw_only=True)
class Sprite:
    """
    A sheet of stills, filled row by row.

    Attributes:
        path: Under the media root.
        count: How many stills it holds.
    """

    path: str
    count: int
    file: MediaFile


@attrs.frozen(kw_only=True)
class Storyboard:
    """
    Small pictures of the whole video, for previews while seeking.

    Attributes:
        interval_s: From one still to the next; the first is at 0.
        tile_width_px: Of each still.
        tile_height_px: Of each still.
        columns: Of each sheet.
    """

    interval_s: int
    tile_width_px: int
    tile_height_px: int
    columns: int
    sprites: tuple[Sprite, ...]


@attrs.frozen(kw_only=True)
class MediaIndex:
    """
    The published files of one video.

    Attributes:
        tracks: Video rungs from the smallest to the largest, then audio, the
            default rendition first.
        poster: Path of the poster under the media root, if there is one.
        storyboard: None where the transcoder made no stills.
    """

    tracks: tuple[PublishedTrack, ...]
    duration_s: float
    poster: str | None = None
    storyboard: Storyboard | None = None
    warnings: tuple[str, ...] = ()

    @property
    def size_bytes(self) -> int:
        """The size of all media files: init and media segments, storyboard sheets."""
        tracks = [published.track for published in self.tracks]
        files = [track.init for track in tracks]
        files += [segment.file for track in tracks for segment in track.segments]
        if self.storyboard is not None:
            files += [sheet.file for sheet in self.storyboard.sprites]
        return sum(file.size_bytes for file in files)
