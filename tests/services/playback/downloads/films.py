"""
Films that ffmpeg has cut into segments, for tests of downloads.
"""

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import attrs
from falcon.testing import Result

from hvcore.domain.processing.media_index import (
    MediaIndex,
    PublishedTrack,
    TrackPiece,
)
from hvcore.domain.processing.transcoding import Segment, Track
from tests.support.http.delivery_worker import (
    PUBLIC_PATH,
    DeliveryWorker,
)
from tests.support.media_samples import ROOT, file_of

FILM_S: Final = 20
MOVIE: Final = "downloads/360p.mp4"
SOUND: Final = "downloads/audio.m4a"


@attrs.frozen
class Film:
    """
    Segments that ffmpeg has made, and the playlists that play them.
    """

    folder: Path
    media: MediaIndex
    files: Mapping[str, bytes]


def ffmpeg(*words: object) -> None:
    command = ["ffmpeg", "-v", "error", "-nostdin", "-y", *map(str, words)]
    subprocess.run(command, check=True)


def segment(folder: Path, *words: object) -> None:
    folder.mkdir(parents=True)
    kind = ("-f", "hls", "-hls_segment_type", "fmp4", "-hls_playlist_type", "vod")
    ffmpeg(
        *words,
        *kind,
        *("-hls_time", 6, "-hls_fmp4_init_filename", "init.m4s"),
        *("-hls_segment_filename", folder / "%d.m4s", folder / "index.m3u8"),
    )


def published(track: Track, folder: Path) -> PublishedTrack:
    lengths = re.findall(r"#EXTINF:([0-9.]+)", (folder / "index.m3u8").read_text())
    made = tuple(
        Segment(
            number=number,
            duration_s=float(length),
            file=file_of((folder / f"{number}.m4s").read_bytes()),
        )
        for number, length in enumerate(lengths)
    )
    init = file_of((folder / "init.m4s").read_bytes())
    piece = TrackPiece(folder="a1", first_number=0, count=len(made))
    track = attrs.evolve(track, segments=made, init=init)
    return PublishedTrack(track=track, pieces=(piece,))


def show(worker: DeliveryWorker, film: Film) -> None:
    for name, data in film.files.items():
        path = f"{ROOT}/{name}"
        worker.storage.objects[path] = data
        if hasattr(worker.storage, "local_path"):
            local = worker.storage.local_path(path)
            local.parent.mkdir(parents=True, exist_ok=True)
            local.write_bytes(data)
    worker.change(load_media=lambda: film.media, allows_download=True)


def load(
    worker: DeliveryWorker, name: str = MOVIE, query: str = "", **headers: str
) -> Result:
    sent = {key.replace("_", "-"): value for key, value in headers.items()}
    # The first one prepares it; then the loop answers, too.
    worker.get(f"{PUBLIC_PATH}/{name}", headers={"Range": "bytes=0-0"})
    return worker.get(f"{PUBLIC_PATH}/{name}", query, sent)
