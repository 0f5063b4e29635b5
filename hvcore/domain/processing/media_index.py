"""The index of a published video: its tracks, their files and the storyboard."""

import attrs

from hvcore.domain.processing.transcoding import MediaFile, Track


@attrs.frozen(kw_only=True)
class TrackPiece:
    """Describe a run of consecutive segments of a track that lie in one folder."""

    folder: str
    first_number: int
    count: int


@attrs.frozen(kw_only=True)
class PublishedTrack:
    """Describe a published track and the places of its files under the media root."""

    track: Track
    pieces: tuple[TrackPiece, ...]


@attrs.frozen(kw_only=True)
class Sprite:
    """
    Describe one sheet of a storyboard: a JPEG with stills, filled row by row.

    Attributes:
        path: The path of the sheet under the media root.
        count: The number of stills on the sheet.
    """

    path: str
    count: int
    file: MediaFile


@attrs.frozen(kw_only=True)
class Storyboard:
    """
    Describe the small pictures of a video for previews while seeking.

    Attributes:
        interval_s: The seconds from one still to the next; the first still is at 0.
        tile_width_px: The width of each still.
        tile_height_px: The height of each still.
        columns: The number of stills in a row of a sheet.
    """

    interval_s: int
    tile_width_px: int
    tile_height_px: int
    columns: int
    sprites: tuple[Sprite, ...]


@attrs.frozen(kw_only=True)
class MediaIndex:
    """
    List the published files of one video.

    Attributes:
        tracks: Video rungs from the smallest to the largest, then audio, the
            default rendition first.
        poster: Path of the poster under the media root, if there is one.
        storyboard: The pictures for previews while seeking; None where the transcoder made
            no stills.
    """

    tracks: tuple[PublishedTrack, ...]
    duration_s: float
    poster: str | None = None
    storyboard: Storyboard | None = None
    warnings: tuple[str, ...] = ()

    @property
    def size_bytes(self) -> int:
        """The size of all media files: init segments, media segments, storyboard sheets."""
        tracks = [published.track for published in self.tracks]
        files = [track.init for track in tracks]
        files += [segment.file for track in tracks for segment in track.segments]
        if self.storyboard is not None:
            files += [sheet.file for sheet in self.storyboard.sprites]
        return sum(file.size_bytes for file in files)
