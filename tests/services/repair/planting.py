"""
Damages that a check must find, each planted in a video of its own.

They are planted through the storage and the database, so they are the same wherever
those are.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from io import BytesIO
from typing import Final

import attrs
import sqlalchemy as sa
from PIL import Image

from hvcore.assembly import Services, build
from hvcore.domain.ids import VideoId, new_job_id, new_video_id
from hvcore.domain.media_paths import media_prefix
from hvcore.domain.processing.media_index import MediaIndex
from hvcore.domain.processing.source_info import CaptionTrackInfo
from hvcore.domain.tasks.task import Lane, NewTask
from hvcore.domain.uploads.grants import upload_path
from hvcore.domain.videos.captions import CaptionTrack
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.persistence.tables import (
    organization_storage,
    published_media,
    tasks,
    video_totals,
)
from hvcore.services.repair.damages import Damage, Scope
from hvcore.services.videos.captions import NewCaptions
from tests.services.conftest import World

EVERYTHING: Final = Scope(reads_bytes=True)
TEXT: Final = b"WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nHello\n"


def picture() -> bytes:
    made = BytesIO()
    Image.new("RGB", (32, 18), "green").save(made, "JPEG")
    return made.getvalue()


@attrs.frozen(kw_only=True)
class Site:
    """
    A service of which files can be damaged.
    """

    world: World

    def ready(self) -> Video:
        """
        Make a video of two parts, with pictures and captions.
        """
        made_by = self.world.transcoder
        made_by.parts, made_by.still_picture = 2, picture()
        made_by.captions = [
            (CaptionTrackInfo(stream_index=2, codec="mov_text", language="en"), TEXT)
        ]
        video_id = self.world.processed(f"video {new_video_id()}".encode())
        self.world.run_tasks()
        video = self.world.video(video_id)
        assert video.state is VideoState.READY, video.failure_reason
        return video

    def remove(self, path: str) -> None:
        assert self.world.services.storage.delete_tree(path)

    def put(self, path: str, data: bytes) -> None:
        self.world.services.storage.write(path, BytesIO(data), content_type="x/y")

    def read(self, path: str) -> bytes:
        with self.world.services.storage.open(path) as file:
            return file.read()

    def sql(self, statement: sa.Executable) -> None:
        with self.world.services.engine.begin() as connection:
            connection.execute(statement)

    def everything(self) -> Mapping[str, bytes]:
        walked = self.world.services.storage.walk
        found = [
            info.path for prefix in ("media", "uploads") for info in walked(prefix)
        ]
        return {path: self.read(path) for path in found}

    def settle(self) -> None:
        """
        Do what is due later, too, such as the tidying after a quarter of an hour.
        """
        for _ in range(4):
            self.sql(
                sa.update(tasks)
                .where(tasks.c.state.in_(["due", "queued"]))
                .values(not_before=datetime(2020, 1, 1, tzinfo=UTC))
            )
            self.world.services.task_runs.sweep(holder="test")
            self.world.run_tasks()


@contextmanager
def anew(world: World) -> Iterator[Services]:
    """
    Build the services once more, as another process has them.
    """
    overrides = {
        "clock": world.clock,
        "queue": world.queue,
        "transcoder": world.transcoder,
    }
    with build(world.services.settings, overrides=overrides) as services:
        yield services


def found(world: World, scope: Scope = EVERYTHING) -> list[Damage]:
    with anew(world) as services:
        return list(services.fsck.damages(scope))


def names(world: World, scope: Scope = EVERYTHING) -> list[tuple[str, str]]:
    """
    Return the kinds of what is found, each with the video.
    """
    return [(one.kind.value, one.video_id or "") for one in found(world, scope)]


def repair(world: World, scope: Scope = EVERYTHING) -> list[str]:
    """
    Repair every damage; give up what is lost. Returns what was done.
    """
    with anew(world) as services:
        return [
            damage.repair.carry_out()
            for damage in services.fsck.damages(scope)
            if damage.repair is not None
        ]


Plant = Callable[[Site], tuple[str, str]]
"""Plants a damage; returns the video or organization, and what the finding must name."""
PLANTS: dict[str, tuple[str, Plant]] = {}


def plants(kind: str) -> Callable[[Plant], Plant]:
    def note(plant: Plant) -> Plant:
        PLANTS[plant.__name__] = (kind, plant)
        return plant

    return note


def media_of(video: Video) -> MediaIndex:
    assert video.media is not None
    return video.media


def segment(video: Video, number: int = 1) -> str:
    track = media_of(video).tracks[0]
    piece = next(one for one in track.pieces if one.first_number == number)
    return f"{video.media_root}/{piece.folder}/{track.track.name}/{number}.m4s"


@plants("segments")
def a_segment_is_missing(site: Site) -> tuple[str, str]:
    video = site.ready()
    site.remove(segment(video))
    return video.id, "1.m4s"


@plants("segments")
def a_segment_is_short(site: Site) -> tuple[str, str]:
    video = site.ready()
    site.put(segment(video), site.read(segment(video))[:-1])
    return video.id, "size"


@plants("segments")
def a_segment_has_other_bytes(site: Site) -> tuple[str, str]:
    video = site.ready()
    site.put(segment(video), site.read(segment(video))[:-1] + b"!")
    return video.id, "bytes"


@plants("init-segment")
def an_init_segment_is_missing(site: Site) -> tuple[str, str]:
    video = site.ready()
    site.remove(segment(video, 0).replace("0.m4s", "init.m4s"))
    return video.id, "init.m4s"


@plants("segments")
def a_whole_rung_of_a_part_is_missing(site: Site) -> tuple[str, str]:
    video = site.ready()
    site.remove(segment(video).rpartition("/")[0])
    return video.id, "1.m4s"


@plants("poster")
def the_poster_is_missing(site: Site) -> tuple[str, str]:
    video = site.ready()
    site.remove(f"{video.media_root}/{media_of(video).poster}")
    return video.id, "poster.jpg"


@plants("storyboard")
def a_sheet_is_missing(site: Site) -> tuple[str, str]:
    video = site.ready()
    board = media_of(video).storyboard
    assert board is not None
    site.remove(f"{video.media_root}/{board.sprites[0].path}")
    return video.id, "0.jpg"


@plants("playlist")
def a_playlist_is_missing(site: Site) -> tuple[str, str]:
    video = site.ready()
    site.remove(f"{video.media_root}/video-480p.m3u8")
    return video.id, "video-480p.m3u8"


@plants("playlist")
def a_playlist_names_other_files(site: Site) -> tuple[str, str]:
    video = site.ready()
    path = f"{video.media_root}/master.m3u8"
    site.put(path, site.read(path).replace(b"video-480p", b"video-481p"))
    return video.id, "master.m3u8"


@plants("playlist")
def the_manifest_is_cut_off(site: Site) -> tuple[str, str]:
    video = site.ready()
    path = f"{video.media_root}/manifest.mpd"
    site.put(path, site.read(path)[:-20])
    return video.id, "manifest.mpd"


@plants("media-index")
def the_list_of_files_is_gone(site: Site) -> tuple[str, str]:
    video = site.ready()
    table = published_media
    site.sql(sa.delete(table).where(table.c.video_id == video.id))
    return video.id, "list"


@plants("captions")
def captions_of_the_owner_are_missing(site: Site) -> tuple[str, str]:
    video, world = site.ready(), site.world
    new = NewCaptions(language="de", label=None, data=TEXT, expected=None)
    world.services.captions.put(world.caller, "org_a", video.id, new)
    with world.services.uow.read() as work:
        (track, _) = work.captions.of_video(video.id)
    site.remove(track.path)
    return video.id, "de"


@plants("captions")
def captions_of_the_source_are_missing(site: Site) -> tuple[str, str]:
    video = site.ready()
    with site.world.services.uow.read() as work:
        (track,) = work.captions.of_video(video.id)
    site.remove(track.path)
    return video.id, "en"


@plants("captions")
def words_of_generated_captions_are_missing(site: Site) -> tuple[str, str]:
    video = site.ready()
    track = CaptionTrack(
        video_id=video.id,
        language="sv",
        label="Svenska",
        cues=1,
        size_bytes=len(TEXT),
        sha256=sha256(TEXT).hexdigest(),
        version="cap_1a1",
        created_at=site.world.clock.now(),
        is_generated=True,
        confidence=0.75,
    )
    with site.world.services.uow.write() as work:
        work.captions.put(track)
        work.commit()
    site.put(track.path, TEXT)
    return video.id, "words"


@plants("custom-thumbnail")
def the_chosen_picture_is_missing(site: Site) -> tuple[str, str]:
    video, world = site.ready(), site.world
    video = world.services.custom_thumbnails.set_picture(
        world.caller,
        "org_a",
        video.id,
        picture=picture(),
        content_type="image/jpeg",
    )
    assert video.poster_path is not None
    site.remove(video.poster_path)
    return video.id, "picture"


@plants("source")
def the_source_is_missing(site: Site) -> tuple[str, str]:
    video = site.ready()
    site.remove(video.source_path)
    return video.id, "missing"


@plants("stuck-video")
def nobody_makes_a_video(site: Site) -> tuple[str, str]:
    video_id = site.world.processed()
    site.world.queue.messages.clear()
    site.sql(sa.delete(tasks).where(tasks.c.subject == video_id))
    return video_id, "no task"


@plants("stuck-video")
def the_task_of_a_video_has_failed(site: Site) -> tuple[str, str]:
    video_id = site.world.processed()
    site.world.queue.messages.clear()
    ended = {"state": "failed", "error": "it just did"}
    site.sql(sa.update(tasks).where(tasks.c.subject == video_id).values(**ended))
    return video_id, "it just did"


@plants("task-without-video")
def a_task_is_about_no_video(site: Site) -> tuple[str, str]:
    nobody = new_video_id()
    with site.world.services.uow.write() as work:
        task = NewTask(
            kind="thumbnail.make",
            lane=Lane.LIGHT,
            org_id=site.world.env.org_id,
            subject=nobody,
            payload={"job": "job_x", "at_s": 1},
        )
        work.tasks.add([task])
        work.commit()
    site.world.queue.messages.clear()
    return nobody, "thumbnail.make"


@plants("folder-without-video")
def a_folder_is_of_no_video(site: Site) -> tuple[str, str]:
    nobody = new_video_id()
    site.put(f"media/{nobody}/{new_job_id()}/p0a1/video/480p/0.m4s", b"whose")
    return nobody, "1 with 5 bytes"


@plants("deleted-files")
def files_of_a_deleted_video_are_left(site: Site) -> tuple[str, str]:
    video, world = site.ready(), site.world
    world.services.deletion.delete(world.caller, "org_a", video.id, None)
    site.settle()
    site.put(f"{media_prefix(video.id)}/job_1/p0a1/0.m4s", b"late")
    return video.id, "deleted"


@plants("old-job")
def files_of_another_job_are_left(site: Site) -> tuple[str, str]:
    video = site.ready()
    site.put(f"{media_prefix(video.id)}/{new_job_id()}/p0a1/0.m4s", b"old")
    return video.id, "publishes nothing"


@plants("old-attempt")
def files_of_an_attempt_are_left(site: Site) -> tuple[str, str]:
    video = site.ready()
    site.settle()
    site.put(f"{video.media_root}/p0a99/video/480p/0.m4s", b"old")
    site.put(f"{video.media_root}/p0a99/video/480p/1.m4s", b"old")
    return video.id, "2 with 6 bytes"


@plants("unused-file")
def a_file_of_captions_is_left(site: Site) -> tuple[str, str]:
    video = site.ready()
    site.put(f"{media_prefix(video.id)}/captions/fr-0123456789abcdef.vtt", TEXT)
    return video.id, "nothing of the video names"


@plants("leftover-upload")
def an_upload_is_of_nobody(site: Site) -> tuple[str, str]:
    env = site.world.env
    site.put(f"uploads/{env.org_id}/{env.id}/up_0000000000000000000000/x", b"whose")
    return "", "that there is not"


@plants("leftover-upload")
def a_sending_lies_beside_the_source(site: Site) -> tuple[str, str]:
    video = site.ready()
    site.settle()
    site.put(f"{upload_path(video)}/0000000000000000", b"late")
    return video.id, "beside"


@plants("totals")
def the_stored_bytes_are_wrong(site: Site) -> tuple[str, str]:
    table = organization_storage
    site.sql(sa.update(table).values(stored_bytes=table.c.stored_bytes + 7))
    return "", "stored bytes"


@plants("totals")
def the_number_of_videos_is_wrong(site: Site) -> tuple[str, str]:
    site.ready()
    table = video_totals
    ready = table.c.state == "ready"
    site.sql(sa.update(table).where(ready).values(videos=table.c.videos + 1))
    return "", "ready videos"


def lose(site: Site) -> VideoId:
    """
    Lose a segment and the source of a video.
    """
    video = site.ready()
    site.remove(segment(video))
    site.remove(video.source_path)
    return video.id
