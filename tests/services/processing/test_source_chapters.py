"""
Chapters that a source brings along.
"""

from hvcore.domain.processing.chapters import Chapter
from hvcore.domain.videos.states import VideoState
from tests.services.conftest import World

WRITTEN = (
    Chapter(start_ms=8000, end_ms=60_000, title="End"),
    Chapter(start_ms=0, end_ms=9000, title=" Be\ngin "),
)
BEGIN = Chapter(start_ms=0, end_ms=8000, title="Be gin")


def test_chapters_of_a_source_are_shown_when_it_is_ready(world: World) -> None:
    world.transcoder.chapters = WRITTEN
    # Of 6 s each.
    world.transcoder.parts = 2
    video_id = world.processed()
    assert world.video(video_id).chapters == ()

    world.run_tasks()

    video = world.video(video_id)
    assert video.state is VideoState.READY
    assert video.shown_chapters == (
        BEGIN,
        Chapter(start_ms=8000, end_ms=12_000, title="End"),
    )


def test_chapters_that_the_owner_has_set_stay(world: World) -> None:
    world.transcoder.chapters = WRITTEN
    video_id = world.processed()
    own = (Chapter(start_ms=0, end_ms=5000, title="Mine"),)
    with world.services.uow.write() as work:
        video = work.videos.find(video_id, for_update=True)
        assert video is not None
        video.chapters = own
        work.videos.save(video)
        work.commit()

    world.run_tasks()

    assert world.video(video_id).chapters == own
