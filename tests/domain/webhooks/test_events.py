"""
What a video tells of itself.
"""

from collections.abc import Callable

import pytest

from hvcore.domain.ids import new_job_id
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.domain.webhooks.events import EventKind
from tests.persistence.samples import NOW, video
from tests.support.http.world import job_of, media


def _start(made: Video) -> object:
    return made.start_processing(new_job_id())


def _retry(made: Video) -> object:
    return made.retry(new_job_id())


def _complete(made: Video) -> object:
    return made.mark_ready(job_of(made), media(6.0))


def _fail(made: Video) -> object:
    return made.mark_failed(job_of(made), "There is no picture.")


def _delete(made: Video) -> object:
    return made.delete(NOW)


@pytest.mark.parametrize(
    ("state", "act", "kind", "status", "error"),
    [
        (VideoState.AWAITING_UPLOAD, _start, EventKind.STARTED, "transcoding", None),
        (VideoState.FAILED, _retry, EventKind.STARTED, "transcoding", None),
        (VideoState.TRANSCODING, _complete, EventKind.COMPLETED, "ready", None),
        (
            VideoState.TRANSCODING,
            _fail,
            EventKind.FAILED,
            "failed",
            "There is no picture.",
        ),
        (VideoState.READY, _delete, EventKind.DELETED, "deleted", None),
        (VideoState.TRANSCODING, _delete, EventKind.DELETED, "deleted", None),
    ],
)
def test_each_change_tells_one_event(
    state: VideoState,
    act: Callable[[Video], object],
    kind: EventKind,
    status: str,
    error: str | None,
) -> None:
    made = video(state=state, event_count=6)

    act(made)

    (event,) = made.take_events()
    assert (event.kind, event.status, event.error) == (kind, status, error)
    assert (event.video_id, event.sequence) == (made.id, 7)


def test_an_upload_that_never_came_tells_nothing() -> None:
    made = video(state=VideoState.AWAITING_UPLOAD, upload_expires_at=NOW)

    made.expire()

    assert made.take_events() == []


def test_a_job_whose_work_is_not_wanted_tells_nothing() -> None:
    made = video()

    assert not made.mark_ready(new_job_id(), media(6.0))
    assert not made.mark_failed(new_job_id(), "late")

    assert made.take_events() == []


def test_an_event_is_handed_over_once() -> None:
    made = video()
    _complete(made)

    assert len(made.take_events()) == 1
    assert made.take_events() == []
