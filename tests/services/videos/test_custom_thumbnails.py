"""
Pictures of moments: made by a task, of published segments alone.
"""

import io
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from hvcore.domain.processing.source_info import UnusableSourceError
from hvcore.domain.processing.transcoding import TranscodeError
from hvcore.domain.tasks.kinds import THUMBNAIL_MAKE
from hvcore.domain.tasks.task import TaskState
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.errors import UnavailableError, VideoNotFoundError
from hvcore.persistence.unit_of_work import SqlWork
from hvcore.ports.storage import ObjectInfo
from hvcore.ports.transcoder import Workspace
from hvcore.ports.unit_of_work import Work
from hvcore.services.playback.moments.stills import locate
from hvcore.services.videos import custom_thumbnails
from tests.services.conftest import World, make_world
from tests.services.lost_commits import ENDS_WITHIN_S, next_commit_is_lost
from tests.support.fakes import TextTranscoder
from tests.support.media_samples import audio_track, index, segments, video_track

KIND = THUMBNAIL_MAKE


class Photographer(TextTranscoder):
    """
    Makes a picture of one colour, and remembers of what.
    """

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[bytes, float]] = []
        self.fails = 0
        self.meanwhile: Callable[[], None] = lambda: None

    def still(self, workspace: Workspace, at_s: float) -> Path:
        self.seen.append((workspace.source.read_bytes(), at_s))
        if self.fails:
            self.fails -= 1
            raise TranscodeError("No picture.", log="it just failed")
        made = workspace.folder / "any.jpg"
        Image.new("RGB", (64, 36), "lime").save(made)
        self.meanwhile()
        return made


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[tuple[World, Photographer]]:
    photographer = Photographer()
    with make_world(tmp_path, {}) as world:
        # Both names of the one transcoder, before a service is made of it.
        world.services.recipe.overrides["transcoder"] = photographer  # type: ignore[index]  # a dict in truth
        world.services.__dict__.pop("transcoder", None)
        yield world, photographer


def ready(world: World) -> Video:
    video_id = world.processed()
    world.run_tasks()
    video = world.video(video_id)
    assert video.state is VideoState.READY
    return video


def order(world: World, video: Video, at_s: float) -> None:
    world.services.custom_thumbnails.order_still(
        world.caller, world.env.org_id, video.id, at_s
    )


def states(world: World, video: Video) -> list[TaskState]:
    with world.services.uow.read() as work:
        return [task.state for task in work.tasks.of_subject(video.id, kind=KIND)]


def posters(world: World, video: Video) -> list[str]:
    return world.files(f"media/{video.id}/posters/")


def test_a_picture_is_made_of_published_segments(
    studio: tuple[World, Photographer],
) -> None:
    world, photographer = studio
    video = ready(world)
    (init,) = world.storage_dir.glob(f"{video.media_root}/*/video/720p/init.m4s")
    published = init.read_bytes() + init.with_name("0.m4s").read_bytes()
    # The source is not needed any more.
    world.services.storage.delete_tree(video.source_path)

    order(world, video, 2.5)
    world.run_tasks()

    assert states(world, video) == [TaskState.DONE]
    ((source, at_s),) = photographer.seen
    assert source == published
    assert at_s == pytest.approx(2.499)
    path = world.video(video.id).poster_path
    assert path is not None
    assert posters(world, video) == [path]
    with Image.open(io.BytesIO((world.storage_dir / path).read_bytes())) as image:
        assert image.size == (64, 36)
    assert not list((world.storage_dir.parent / "work").glob("task_*"))


def test_a_failed_attempt_is_tried_again(studio: tuple[World, Photographer]) -> None:
    world, photographer = studio
    video = ready(world)
    photographer.fails = 2

    order(world, video, 1)
    world.run_everything()

    assert states(world, video) == [TaskState.DONE]
    assert len(photographer.seen) == 3


def test_a_picture_that_cannot_be_made_changes_nothing(
    studio: tuple[World, Photographer],
) -> None:
    world, photographer = studio
    video = ready(world)
    photographer.fails = 9

    order(world, video, 1)
    world.run_everything()

    assert states(world, video) == [TaskState.FAILED]
    after = world.video(video.id)
    assert after.poster_path is None
    assert after.state is VideoState.READY
    assert posters(world, video) == []


def test_a_deleted_video_gets_no_picture(studio: tuple[World, Photographer]) -> None:
    world, photographer = studio
    video = ready(world)

    def delete() -> None:
        world.services.deletion.delete(world.caller, world.env.org_id, video.id, None)

    photographer.meanwhile = delete
    order(world, video, 1)
    world.run_everything()

    assert world.video(video.id).poster_path is None
    assert world.files(f"media/{video.id}") == []


def test_an_order_is_overtaken_by_the_next_one(
    studio: tuple[World, Photographer],
) -> None:
    world, photographer = studio
    video = ready(world)

    def change() -> None:
        photographer.meanwhile = lambda: None
        order(world, video, 2)

    photographer.meanwhile = change
    order(world, video, 1)
    world.run_everything()

    assert states(world, video) == [TaskState.CANCELLED, TaskState.DONE]
    assert [at_s for _, at_s in photographer.seen] == pytest.approx([0.999, 1.999])
    assert len(posters(world, video)) == 1


def test_a_storage_that_is_down_costs_no_attempt(
    studio: tuple[World, Photographer], monkeypatch: pytest.MonkeyPatch
) -> None:
    world, _ = studio
    video = ready(world)
    order(world, video, 1)

    def down(*_: object, **__: object) -> None:
        raise UnavailableError("The storage does not answer.")

    with monkeypatch.context() as context:
        context.setattr(type(world.services.storage), "open", down)
        world.run_tasks()
    with world.services.uow.read() as work:
        (task,) = work.tasks.of_subject(video.id, kind=KIND)
    assert task.attempts == 0
    world.run_everything()

    assert states(world, video) == [TaskState.DONE]


@pytest.mark.parametrize(
    ("at_s", "number", "within_s"),
    [
        (0.0, 0, 0.0),
        (5.0, 0, 4.999),
        (5.99, 0, 6 - 1 / 30 - 0.001),
        (6.0, 1, 0.0),
        (7.5, 1, 1.499),
        (9.0, 1, 3 - 1 / 30 - 0.001),
        (99.0, 1, 3 - 1 / 30 - 0.001),
    ],
)
def test_a_moment_is_found_in_its_segment(
    at_s: float, number: int, within_s: float
) -> None:
    media = index(video_track(720, segments([1, 1], [6.0, 3.0])))

    place = locate(media, at_s)

    assert [file.path for file in place.files] == [
        "a1/video/720p/init.m4s",
        f"a1/video/720p/{number}.m4s",
    ]
    assert place.at_s == pytest.approx(within_s)


@pytest.mark.parametrize(
    ("rungs", "chosen"),
    [([720, 1080, 1440, 2160], 1080), ([360], 360), ([1440, 2160], 1440)],
)
def test_the_best_rung_that_is_quick_is_taken(rungs: list[int], chosen: int) -> None:
    media = index(*(video_track(short) for short in rungs))

    place = locate(media, 1)

    assert place.files[0].path == f"a1/video/{chosen}p/init.m4s"


def test_a_video_without_a_picture_has_no_moment() -> None:
    with pytest.raises(UnusableSourceError, match="has no picture"):
        locate(index(audio_track()), 1)


def test_a_worker_that_makes_no_pictures_fails_the_order(
    studio: tuple[World, Photographer],
) -> None:
    world, _ = studio
    video = ready(world)
    order(world, video, 1)
    object.__setattr__(world.services.custom_thumbnails, "transcoder", world.transcoder)

    world.run_everything()

    assert states(world, video) == [TaskState.FAILED]


def sent(world: World, video: Video) -> Video:
    made = io.BytesIO()
    Image.new("RGB", (64, 36), "red").save(made, "PNG")
    return world.services.custom_thumbnails.set_picture(
        world.caller,
        world.env.org_id,
        video.id,
        picture=made.getvalue(),
        content_type="image/png",
    )


def test_a_video_that_is_deleted_meanwhile_keeps_no_picture(
    studio: tuple[World, Photographer], monkeypatch: pytest.MonkeyPatch
) -> None:
    world, _ = studio
    video = ready(world)
    storage = type(world.services.storage)
    write = storage.write

    def write_and_delete(*args: Any, **more: Any) -> ObjectInfo:  # noqa: ANN401 - passed on
        info = write(*args, **more)
        world.services.deletion.delete(world.caller, world.env.org_id, video.id, None)
        return info

    with monkeypatch.context() as context:
        context.setattr(storage, "write", write_and_delete)
        with pytest.raises(VideoNotFoundError):
            sent(world, video)

    assert posters(world, video) == []


def test_a_choice_whose_answer_is_lost_keeps_its_picture(
    studio: tuple[World, Photographer], monkeypatch: pytest.MonkeyPatch
) -> None:
    # As when a database server dies right after it has made a commit durable.
    world, _ = studio
    video = ready(world)
    with world.services.uow.write() as work:
        kind = type(work)
    commit = kind.commit

    def lose_the_answer(work: Work) -> None:
        commit(work)
        raise UnavailableError("The connection was lost.")

    with monkeypatch.context() as context:
        context.setattr(kind, "commit", lose_the_answer)
        with pytest.raises(UnavailableError, match="connection was lost"):
            sent(world, video)

    path = world.video(video.id).poster_path
    assert path is not None
    assert posters(world, video) == [path]


def test_a_commit_under_way_is_waited_for_before_its_picture_is_taken_back(
    studio: tuple[World, Photographer], monkeypatch: pytest.MonkeyPatch
) -> None:
    world, _ = studio
    video = ready(world)

    def changed(work: SqlWork) -> Callable[[Work], None]:
        path = saved(work, video).poster_path
        assert path is not None

        def choose(again: Work) -> None:
            found = saved(again, video)
            found.choose_picture(path)
            again.videos.save(found)

        return choose

    with (
        next_commit_is_lost(world, monkeypatch, changed),
        pytest.raises(UnavailableError, match="connection was lost"),
    ):
        sent(world, video)

    path = world.video(video.id).poster_path
    assert path is not None
    assert posters(world, video) == [path]


def saved(work: Work, video: Video) -> Video:
    found = work.videos.find(video.id, for_update=True)
    assert found is not None
    return found


def test_too_many_pictures_at_a_time_are_put_off(
    studio: tuple[World, Photographer], monkeypatch: pytest.MonkeyPatch
) -> None:
    world, _ = studio
    video = ready(world)
    monkeypatch.setattr(custom_thumbnails, "WAIT_FOR_REDRAW_S", 0.01)
    goes_on = threading.Event()
    busy = world.services.sent_pictures.begin(
        lambda _: goes_on.wait(ENDS_WITHIN_S), organization="org_b", client="org_b"
    )

    with pytest.raises(UnavailableError, match="too many pictures"):
        sent(world, video)

    goes_on.set()
    assert busy.result(ENDS_WITHIN_S)

    assert sent(world, video).poster_path
