"""
A whole job, from probing to playlists, as the service does it.
"""

from pathlib import Path

import attrs

from hvcore.conformance import CheckReport, check
from hvcore.manifests.hls import MASTER, playlists
from hvcore.manifests.iframes import first_pictures
from hvcore.plugin_api import (
    PartDone,
    SourceInfo,
    Track,
    TranscodeOrder,
    Transcoder,
)
from hvcore_cli.commands.videos.conform_sources import FolderSource
from tests.plugins.transcoder_ffmpeg.conftest import make_order, make_workspace


@attrs.frozen(kw_only=True)
class Published:
    """
    A video as players find it.

    Attributes:
        folder: With the playlists, and below it the renditions' files.
        tracks: Video from the smallest rung to the largest, then audio.
    """

    info: SourceInfo
    order: TranscodeOrder
    folder: Path
    tracks: tuple[Track, ...]
    warnings: tuple[str, ...]

    def report(self) -> CheckReport:
        """
        Check the published bytes.
        """
        video = self.info.video
        shown_px = (video.width_px, video.height_px)
        return check(FolderSource(self.folder), MASTER, shown_px=shown_px)


def publish(
    transcoder: Transcoder, source: Path, folder: Path, **settings: object
) -> Published:
    """
    Probe, plan, run every part, join them, and lay the files out.

    Args:
        folder: A new one.
        settings: Those of EncodingSettings.
    """
    info = transcoder.probe(make_workspace(source, folder / "probe"))
    order = make_order(info, **settings)
    done = []
    for part in transcoder.plan(order):
        name = f"p{part.index}"
        made = transcoder.run(part, make_workspace(source, folder / name))
        assert isinstance(made, PartDone)
        done.append((name, made))
    media = transcoder.assemble(order, done)
    root = folder / "published"
    for published in media.tracks:
        name = published.track.name
        (root / name).mkdir(parents=True)
        for piece in published.pieces:
            numbers = range(piece.first_number, piece.first_number + piece.count)
            for file in ["init", *map(str, numbers)]:
                target = root / name / f"{file}.m4s"
                if not target.exists():
                    target.hardlink_to(folder / piece.folder / name / f"{file}.m4s")
        _lay_out_pictures(root, published.track)
    for name, text in playlists(media).items():
        (root / name).write_text(text)
    return Published(
        info=info,
        order=order,
        folder=root,
        tracks=tuple(published.track for published in media.tracks),
        warnings=media.warnings,
    )


def _lay_out_pictures(root: Path, track: Track) -> None:
    pictures = first_pictures(track)
    if pictures is None:
        return
    (root / pictures.name).mkdir(parents=True)
    for picture in pictures.segments:
        segment = (root / track.name / f"{picture.number}.m4s").read_bytes()
        target = root / pictures.name / f"{picture.number}.m4s"
        target.write_bytes(segment[: picture.file.size_bytes])
