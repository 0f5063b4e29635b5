"""
A delivery worker of one video.
"""

import os
import tempfile
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import cast

import attrs
from falcon.testing import Result, TestClient
from PIL import Image

from hvcore.domain.analytics.ignored import IgnoredReason
from hvcore.domain.analytics.segments import SegmentPlace
from hvcore.domain.playback.viewer import Viewer
from hvcore.playback_tokens import KeyRing, TokenKey
from hvcore.ports.counting import CountedSegment, SegmentCounter
from hvcore.ports.storage import Storage
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.services.health import OK, HealthReport, HealthStatus
from hvcore.services.links.edge_key_playback import EdgeKeyPlayback
from hvcore.services.links.link_pages import LinkPages
from hvcore.services.links.share_codes import ShareCodes
from hvcore.services.links.share_link_playback import ShareLinkPlayback
from hvcore.services.playback.authorization import PlaybackAuthorization
from hvcore.services.playback.delivery import Delivery
from hvcore.services.playback.downloads.serving import Downloads
from hvcore.services.playback.media_files import MediaFiles
from hvcore.services.playback.moments.making import FrameMaker
from hvcore.services.playback.moments.serving import MomentPictures
from hvcore.services.playback.player_videos import PlayerVideos
from hvcore.services.playback.sessions import PlaybackSessions
from hvcore.services.playback.signing.organization_keys import OrganizationKeys
from hvcore.services.playback.texts import DeliveredTexts
from hvcore.services.playback.thumbnails.cached import CachedThumbnails
from hvcore.services.playback.thumbnails.serving import Thumbnails
from hvcore.services.playback.thumbnails.uses import ThumbnailUses
from hvcore.services.readiness import Readiness
from hvcore.settings import PublicSettings, Settings
from hvcore.signing.sealing import Sealer
from hvcore_delivery.app import make_app
from hvcore_delivery.published import PublishedFileOpener
from hvcore_player.app import STATIC
from hvcore_player.app import make_app as make_player_app
from tests.conftest import SettableClock
from tests.server.file_loop.loop_client import LoopClient
from tests.support.drawing import MOMENT_RENDERS, RENDERS
from tests.support.media_samples import (
    PUBLIC,
    ROOT,
    VIDEO,
    BytesStorage,
    Directory,
    FolderStorage,
    entry,
    shelf,
)
from tests.support.photographers import FramePhotographer

WORKER_URL = "https://worker.test"
PLAYER_URL = "https://player.test:8443"
PUBLIC_PATH = f"/v1/public/org_a/env_1/{VIDEO}"
PRIVATE_PATH = f"/v1/private/{VIDEO}"
SECRET = b"0123456789abcdef" * 4


def poster(width_px: int = 640, height_px: int = 360) -> bytes:
    """
    A picture that is red on its left half and blue on its right.
    """
    image = Image.new("RGB", (width_px, height_px), "red")
    image.paste("blue", (width_px // 2, 0, width_px, height_px))
    made = BytesIO()
    image.save(made, "JPEG")
    return made.getvalue()


@attrs.define
class Findings:
    """The health findings of a delivery worker, as a test wants them."""

    status: HealthStatus = HealthStatus.OK

    def check(self) -> HealthReport:
        """Return findings that lack nothing but what the status says."""
        return HealthReport(status=self.status, checks={"disk": OK})


@attrs.define(kw_only=True)
class DeliveryWorker:
    """
    The worker, and what it stands on.
    """

    clock: SettableClock
    directory: Directory
    storage: BytesStorage
    key_ring: KeyRing
    static: Path = STATIC
    photographer: FramePhotographer = attrs.field(factory=FramePhotographer)
    work_dir: Path = Path(tempfile.gettempdir()) / f"hv-moments-{os.getpid()}"
    counted: list[SegmentPlace] = attrs.field(factory=list)
    viewers: list[tuple[str | None, Viewer]] = attrs.field(factory=list)
    ignored: list[tuple[int, IgnoredReason]] = attrs.field(factory=list)
    playback_access: PlaybackAuthorization = attrs.field(init=False)
    downloads: Downloads = attrs.field(init=False)
    delivery: Delivery = attrs.field(init=False)
    player_videos: PlayerVideos = attrs.field(init=False)
    cached_thumbnails: CachedThumbnails = attrs.field(init=False)
    thumbnails: Thumbnails = attrs.field(init=False)
    edge_key_playback: EdgeKeyPlayback = attrs.field(init=False)
    share_link_playback: ShareLinkPlayback = attrs.field(init=False)
    share_codes: ShareCodes = attrs.field(init=False)
    settings: Settings = attrs.field(init=False)
    readiness: Readiness = attrs.field(init=False)
    delivery_health: "Findings" = attrs.field(init=False)
    playback_sessions: PlaybackSessions | None = None
    client: TestClient | LoopClient = attrs.field(init=False)
    player: TestClient = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.playback_access = PlaybackAuthorization(
            directory=self.directory,
            key_ring=self.key_ring,
            organization_keys=OrganizationKeys(Sealer("a secret of tests")),
            clock=self.clock,
            player_origin=PLAYER_URL,
        )
        self.downloads = Downloads(self.storage)
        self.delivery = Delivery(
            access=self.playback_access,
            media_files=MediaFiles(storage=self.storage),
            texts=DeliveredTexts(directory=self.directory, storage=self.storage),
            downloads=self.downloads,
            storage=self.storage,
            counter=self,
            clock=self.clock,
        )
        self.player_videos = PlayerVideos(access=self.playback_access)
        uses = ThumbnailUses()
        self.thumbnails = Thumbnails(
            storage=self.storage,
            directory=self.directory,
            access=self.playback_access,
            renders=RENDERS,
            uses=uses,
            moments=MomentPictures(
                storage=self.storage,
                directory=self.directory,
                frames=FrameMaker(
                    storage=self.storage,
                    transcoder=lambda: self.photographer,
                    work_dir=self.work_dir,
                ),
                renders=MOMENT_RENDERS,
                uses=uses,
            ),
        )
        self.cached_thumbnails = CachedThumbnails(
            storage=self.storage, access=self.playback_access, uses=uses
        )
        self.settings = Settings(
            data_dir=Path(),
            public=PublicSettings(worker_url=WORKER_URL, player_url=PLAYER_URL),
        )
        pages = LinkPages(
            key_ring=self.key_ring, clock=self.clock, public=self.settings.public
        )
        self.edge_key_playback = EdgeKeyPlayback(
            directory=self.directory,
            access=self.playback_access,
            delivery=self.delivery,
            pages=pages,
            public=self.settings.public,
            clock=self.clock,
        )
        self.share_link_playback = ShareLinkPlayback(
            # There are no links here; test_share_playback has a database.
            uow=cast(UnitOfWork, None),
            directory=self.directory,
            access=self.playback_access,
            delivery=self.delivery,
            key_ring=self.key_ring,
            pages=pages,
            public=self.settings.public,
            clock=self.clock,
        )
        self.share_codes = ShareCodes(
            uow=cast(UnitOfWork, None),
            playback=self.share_link_playback,
            clock=self.clock,
        )
        self.readiness = Readiness({"storage": self.storage.ping})
        self.delivery_health = Findings()
        self.client = TestClient(make_app(self))
        self.player = TestClient(make_player_app(self, static=self.static))

    @property
    def playback_directory(self) -> Directory:
        """
        Return the worker's directory, as services call it.
        """
        return self.directory

    @property
    def segment_counter(self) -> SegmentCounter:
        """
        Begin to take note of all segments, and return the worker itself.
        """
        return self

    def count(self, segments: Sequence[CountedSegment]) -> bool:
        """
        Take note of segments.
        """
        for segment in segments:
            segment.line = b"%d %s 0\n" % (len(self.counted), segment.place.text)
            self.counted.append(segment.place)
            self.viewers.append((segment.token, segment.viewer))
        return True

    def take_back(self, lines: Sequence[bytes]) -> None:
        """
        Forget them again.
        """
        for line in lines:
            text = line.split(b" ", 1)[1].rpartition(b" ")[0]
            self.counted.remove(next(it for it in self.counted if it.text == text))

    def ignore(self, place: SegmentPlace, reason: IgnoredReason) -> None:
        """
        Take note of what is not counted.
        """
        self.ignored.append((place.height_px, reason))

    def get(
        self,
        path: str,
        query: str = "",
        headers: Mapping[str, str] | None = None,
        method: str = "GET",
    ) -> Result:
        """
        Send a request to the worker.
        """
        return self.client.simulate_request(
            method, path, query_string=query, headers=headers
        )

    def token(self, **changes: object) -> str:
        """
        Issue a token for the video.
        """
        wanted: dict[str, object] = {
            "video_id": VIDEO,
            "public_id": PUBLIC,
            "now": self.clock.now(),
            "valid_s": 3600,
        }
        return self.key_ring.issue(**{**wanted, **changes})  # type: ignore[arg-type]  # names of arguments

    def change(self, **changes: object) -> None:
        """
        Change the video's entry.
        """
        assert self.directory.entry is not None
        self.directory.entry = attrs.evolve(self.directory.entry, **changes)  # type: ignore[arg-type]  # names of fields


WAYS = ("local", "remote", "loop")
"""From this machine's files, from another storage, and past the app."""


def worker_by(
    way: str, clock: SettableClock, folder: Path, *, is_public: bool
) -> DeliveryWorker:
    """
    Make a worker that answers in one of the ways.
    """
    worker = make_worker(
        clock, None if way == "remote" else folder, is_public=is_public
    )
    if way == "loop":
        files = PublishedFileOpener.of(worker)
        assert files is not None
        assert isinstance(worker.client, TestClient)
        worker.client = LoopClient(files, worker.client)
    return worker


def make_worker(
    clock: SettableClock, folder: Path | None, *, is_public: bool
) -> DeliveryWorker:
    """
    Make a worker; its storage is local where a folder is given.
    """
    picture = poster()
    made = shelf(poster=picture)
    objects = {f"{ROOT}/{name}": data for name, data in made.files.items()}
    storage: BytesStorage = (
        FolderStorage(folder, objects) if folder else BytesStorage(objects)
    )
    assert isinstance(storage, Storage)
    return DeliveryWorker(
        clock=clock,
        directory=Directory(entry(made.media, is_public=is_public)),
        storage=storage,
        key_ring=KeyRing(issuer="hvcore", keys=[TokenKey.load(SECRET)]),
    )
