"""
A delivery process of its own, with one video, for tests that speak to its port.
"""

import http.client
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs

from hvcore.assembly import Services, build
from hvcore.domain import ids
from hvcore.domain.access.tenants import Environment, EnvironmentKind
from hvcore.domain.media_paths import media_root
from hvcore.domain.processing.encoding import EncodingSettings, Preset
from hvcore.domain.processing.media_index import MediaIndex, PublishedTrack, TrackPiece
from hvcore.domain.processing.transcoding import MediaFile, Segment
from hvcore.domain.uploads.grants import FileWanted
from hvcore.domain.videos.video import Video, VideoWanted
from hvcore.manifests import hls
from hvcore.settings import Settings
from hvcore.spool import opened, spool_files
from hvcore_server.listening import listen
from tests.support.http.fakes import RememberingQueue, ScratchTranscoder
from tests.support.http.fixtures import settings_of
from tests.support.live import until
from tests.support.media_samples import FolderStorage, file_of, video_track

LARGE_BYTES = 24 * 1024 * 1024
SMALL = b"0123456789" * 1000
LARGE_FILE = "video/720p/0.m4s"
SMALL_FILE = "video/720p/1.m4s"
PLAYLIST = "video-720p.m3u8"
BY_THREADS = "X_Odd: 1"
"""A header that the loop leaves to others, and that changes nothing."""
AT_ONCE = struct.pack("ii", 1, 0)
"""SO_LINGER for an end by a reset: what the kernels still hold comes to nobody."""


@attrs.define(kw_only=True)
class Site:
    """
    The running process, and the service that it belongs to.
    """

    port: int
    folder: Path
    services: Services
    process: subprocess.Popen[bytes]
    env: Environment
    video: str = ""
    token: str = ""
    media: Path = Path()

    def connect(self, *, buffer_bytes: int = 0) -> socket.socket:
        sock = socket.socket()
        if buffer_bytes:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer_bytes)
        sock.settimeout(20)
        sock.connect(("127.0.0.1", self.port))
        return sock

    def head(self, file: str, *lines: str, method: str = "GET") -> bytes:
        path = f"/v1/private/{self.video}/{file}?token={self.token}"
        lines_sent = [f"{method} {path} HTTP/1.1", "Host: hv", *lines, "", ""]
        return "\r\n".join(lines_sent).encode()

    def get(self, file: str, *lines: str, method: str = "GET") -> "Answer":
        with self.connect() as sock:
            sock.sendall(self.head(file, *lines, method=method))
            return read(sock, method)

    def answers(self) -> bool:
        """
        Tell whether the process answers by now.
        """
        try:
            return self.get("none").status != 0
        except TimeoutError:
            return False

    def counted(self) -> int:
        """
        How many segments of the video were written down until now.
        """
        total = 0
        for path in spool_files(self.services.spool_dir):
            with opened(path) as file:
                chunk = file.read(0)
            counts = chunk.noted.counts if chunk else ()
            total += sum(c.segments for c in counts if c.place.video_id == self.video)
        return total

    def log(self) -> str:
        return (self.folder / "log").read_text()

    def publish(self) -> None:
        """
        Make a private video with a large segment and a small one.
        """
        services = self.services
        wanted = VideoWanted(
            settings=EncodingSettings(preset=Preset.STANDARD), is_public=False, name="c"
        )
        granted = services.uploads.grant_video(
            self.env, FileWanted(file_name="c"), wanted
        )
        assert granted.grant.video_id is not None
        self.video = granted.grant.video_id
        large = MediaFile(size_bytes=LARGE_BYTES, sha256="a" * 64)
        segments = tuple(
            Segment(number=number, duration_s=6.0, file=file)
            for number, file in enumerate((large, file_of(SMALL)))
        )
        piece = TrackPiece(folder="a1", first_number=0, count=2)
        track = PublishedTrack(track=video_track(720, segments), pieces=(piece,))
        media = MediaIndex(tracks=(track,), duration_s=12.0)
        job = ids.new_job_id()
        self.change(lambda video: video.start_processing(job))
        self.change(lambda video: video.mark_ready(job, media))
        self.media = self.folder / "storage" / media_root(granted.grant.video_id, job)
        texts = {name: text.encode() for name, text in hls.playlists(media).items()}
        contents = {
            **texts,
            f"a1/{SMALL_FILE}": SMALL,
            "a1/video/720p/init.m4s": b"init",
        }
        for name, content in contents.items():
            path = self.media / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        with (self.media / "a1" / LARGE_FILE).open("wb") as file:
            file.truncate(LARGE_BYTES)
        public_id = self.change(lambda _: None).public_id
        self.token = services.key_ring.issue(
            video_id=granted.grant.video_id,
            public_id=public_id,
            now=services.clock.now(),
            valid_s=3600,
        )

    def change(self, change: Callable[[Video], object]) -> Video:
        """
        Change the video as a worker or the API would.
        """
        with self.services.uow.write() as work:
            video = work.videos.find(self.video)
            assert video is not None
            change(video)
            work.videos.save(video)
            work.commit()
        return video


@attrs.frozen
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: bytes


def read(sock: socket.socket, method: str = "GET") -> Answer:
    """
    Read one answer.
    """
    response = http.client.HTTPResponse(sock, method=method)
    response.begin()
    return Answer(response.status, response.headers, response.read())


def read_several(sock: socket.socket, number: int) -> list[Answer]:
    """
    Read answers that may have come together; all have a Content-Length or no body.
    """
    answers = []
    with sock.makefile("rb") as file:
        for _ in range(number):
            status = int(file.readline().split()[1])
            headers = http.client.parse_headers(file)
            body = file.read(int(headers.get("Content-Length", 0)))
            answers.append(Answer(status, headers, body))
    return answers


def site_settings(folder: Path, database: str) -> Settings:
    """
    Return the settings of a service in a folder.

    Args:
        database: Its URL; empty for an SQLite there.
    """
    settings = settings_of(folder)
    if not database:
        return settings
    chosen = attrs.evolve(settings.database, url=database)
    return attrs.evolve(settings, database=chosen)


@contextmanager
def running_site(folder: Path, database: str = "") -> Iterator[Site]:
    """
    Run a delivery process of a new service until the block ends.

    Args:
        database: See site_settings.
    """
    overrides = {
        "storage": FolderStorage(folder / "storage", {}),
        "queue": RememberingQueue(),
        "transcoder": ScratchTranscoder(),
    }
    with (
        build(site_settings(folder, database), overrides=overrides) as services,
        listen("127.0.0.1", 0) as listener,
        (folder / "log").open("wb") as log,
    ):
        services.migrate()
        fd = listener.fileno()
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "tests.server.file_loop.loop_server"),
                *(str(folder), str(fd), database),
            ],
            pass_fds=[fd],
            stdout=log,
            stderr=log,
        )
        port = listener.getsockname()[1]
        env = services.tenants.create_environment(
            services.tenants.create_organization("org_a").id,
            "live",
            EnvironmentKind.PRODUCTION,
        )
        site = Site(
            port=port, folder=folder, services=services, process=process, env=env
        )
        try:
            site.publish()
            # Its start may take a while on a busy machine, and is none of what
            # tests look at.
            until(site.answers, within_s=60, what="an answer")
            yield site
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=15)
