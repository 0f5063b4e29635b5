"""
Videos that no encoder has made, published as an encoder's are.

Their segments are bytes of any size. All else is the real thing: the rows are
written by the unit of work, the files lie in the storage, and their playlists
and manifests are those that assembly writes.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Final

import attrs

from hvcore.assembly import Services, build
from hvcore.domain.access.tenants import Environment, EnvironmentKind
from hvcore.domain.ids import PublicId, VideoId, new_job_id
from hvcore.domain.media_paths import media_root
from hvcore.domain.processing.encoding import (
    EncodingSettings,
    PixelFormat,
    Preset,
    RateControl,
    Speed,
)
from hvcore.domain.processing.media_index import MediaIndex, PublishedTrack, TrackPiece
from hvcore.domain.processing.transcoding import MediaFile, Rung, Segment, Track
from hvcore.domain.uploads.grants import FileWanted
from hvcore.domain.videos.video import VideoWanted
from hvcore.services.processing.attempt_files import AttemptFiles
from hvcore.settings import load
from tests.support.databases.migrated import lay_database
from tests.support.fakes import MemoryQueue

ORG: Final = "org_films"
ENV: Final = "live"
SEGMENT_S: Final = 6.0
INIT: Final = b"an init segment that no decoder has seen"
PIECE: Final = "p0a1"
"""The folder of the one part, made at the first attempt."""


@attrs.frozen(kw_only=True)
class Published:
    """
    A video that can be played.

    Attributes:
        root: Of its files in the storage.
    """

    id: VideoId
    public_id: PublicId
    root: str

    def stored(self, name: str) -> str:
        """
        Return where a segment such as ``video/720p/0.m4s`` lies in the storage.
        """
        return f"{self.root}/{PIECE}/{name}"


def migrate(environ: Mapping[str, str]) -> None:
    """
    Make the tables of a service.
    """
    folder = Path(environ["HV_DATA"])
    folder.mkdir(parents=True, exist_ok=True)
    # A command would take a second to load.
    settings = load(config_path=None, environ=environ, data_dir=folder).settings
    lay_database(settings)
    with build(settings, rings=False) as services:
        services.migrate()


@contextmanager
def services_of(environ: Mapping[str, str]) -> Iterator[Services]:
    """
    Build the services of a data folder, without its queue.
    """
    folder = Path(environ["HV_DATA"])
    loaded = load(config_path=None, environ=environ, data_dir=folder)
    overrides = {"queue": MemoryQueue()}
    with build(loaded.settings, overrides=overrides, rings=False) as services:
        yield services


def new_tenant(services: Services) -> Environment:
    """
    Make an organization with one environment.
    """
    services.tenants.create_organization(ORG)
    return services.tenants.create_environment(ORG, ENV, EnvironmentKind.PRODUCTION)


def publish(
    services: Services,
    env: Environment,
    rungs: Mapping[int, Sequence[bytes]],
    *,
    is_public: bool = False,
    init: bytes = INIT,
) -> Published:
    """
    Publish a video.

    Args:
        rungs: The segments of each, by its short edge in pixels.
        init: The init segment of each, which decoders read if it is a real one.
    """
    wanted = VideoWanted(
        settings=EncodingSettings(preset=Preset.HIGH), is_public=is_public, name="Film"
    )
    file = FileWanted(file_name="film.mp4")
    granted = services.uploads.grant_video(env, file, wanted)
    assert granted.grant.video_id is not None
    job_id = new_job_id()
    root = media_root(granted.grant.video_id, job_id)
    media = _store(services, root, rungs, init)
    with services.uow.write() as work:
        video = work.videos.find(granted.grant.video_id, for_update=True)
        assert video is not None
        video.start_processing(job_id)
        work.videos.save(video)
        work.commit()
    with services.uow.write() as work:
        video = work.videos.find(granted.grant.video_id, for_update=True)
        assert video is not None
        video.mark_ready(job_id, media)
        work.videos.save(video)
        work.commit()
    return Published(id=video.id, public_id=video.public_id, root=root)


def _store(
    services: Services, root: str, rungs: Mapping[int, Sequence[bytes]], init: bytes
) -> MediaIndex:
    tracks = []
    for edge_px, contents in rungs.items():
        track = _track(edge_px, contents, init)
        piece = TrackPiece(folder=PIECE, first_number=0, count=len(contents))
        tracks.append(PublishedTrack(track=track, pieces=(piece,)))
        named = {"init": init} | {str(n): data for n, data in enumerate(contents)}
        for name, data in named.items():
            services.storage.write(
                f"{root}/{PIECE}/{track.name}/{name}.m4s",
                BytesIO(data),
                content_type="video/iso.segment",
            )
    longest = max(len(contents) for contents in rungs.values())
    media = MediaIndex(tracks=tuple(tracks), duration_s=longest * SEGMENT_S)
    AttemptFiles(storage=services.storage).write_playlists(root, media)
    return media


def _track(edge_px: int, contents: Sequence[bytes], init: bytes) -> Track:
    return Track(
        name=f"video/{edge_px}p",
        codecs="avc1.640028",
        init=_file(init),
        segments=tuple(
            Segment(number=number, duration_s=SEGMENT_S, file=_file(data))
            for number, data in enumerate(contents)
        ),
        rung=Rung(
            key=f"{edge_px}p",
            short_edge_px=edge_px,
            width_px=edge_px * 16 // 9 // 2 * 2,
            height_px=edge_px,
            video_kbps=2500,
            frame_rate=Fraction(30),
            pixel_format=PixelFormat.YUV420P,
            rate_control=RateControl.VARIABLE,
            two_pass=False,
            speed=Speed.VERYFAST,
        ),
    )


def _file(data: bytes) -> MediaFile:
    return MediaFile(size_bytes=len(data), sha256=sha256(data).hexdigest())
