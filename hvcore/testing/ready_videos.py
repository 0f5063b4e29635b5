"""Make ready videos for the tests of programs that embed the service."""

import io
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Final, Unpack

import attrs

from hvcore.assembly import Services
from hvcore.domain.tasks.kinds import TRANSCODE_KINDS
from hvcore.domain.tasks.task import ENDED, Task
from hvcore.domain.videos.states import VideoState
from hvcore.embedding import EmbeddedEnvironment, EmbeddedVideo, NewVideo
from hvcore.ports.transcoder import Transcoder
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.testing import grey_film
from hvcore.testing.fake_transcoder import FakeTranscoder

_WORKER: Final = "make_ready_video"
_ROUNDS: Final = 10
"""The most rounds of tasks for one video: more than a job has tasks in a row."""
_SHARED: Final = ("clock", "engine", "queue", "registry", "storage", "_chosen")


def make_ready_video(
    environment: EmbeddedEnvironment,
    *,
    file_name: str = "film.mp4",
    transcoder: Transcoder | None = None,
    **video: Unpack[NewVideo],
) -> EmbeddedVideo:
    """
    Make a video that is ready and plays, in this thread, within hundredths of a second.

    The video goes through the same steps and events as every other video, but for
    encoding: neither the service's own transcoder nor ffmpeg runs. No worker may work
    on the same database meanwhile.

    Args:
        environment: The environment that the video belongs to.
        transcoder: The transcoder that makes the film; None: a FakeTranscoder.
        video: See hvcore.embedding.NewVideo.

    Raises:
        RuntimeError: The video is not ready in the end; the text says why.
        Exception: Whatever EmbeddedEnvironment.upload raises.
    """
    services = environment._process.in_use()  # noqa: SLF001 - of the same distribution
    made = environment.upload(io.BytesIO(_SOURCE), file_name=file_name, **video)
    worker = _worker(services, transcoder or FakeTranscoder())
    for _ in range(_ROUNDS):
        tasks = _unended(worker, made.id)
        if not tasks:
            break
        for task in tasks:
            worker.task_runs.run(task.id, worker=_WORKER, stopping=lambda: False)
    found = environment.find(made.id)
    if found.state is not VideoState.READY:
        why = [task.error for task in _unended(worker, made.id) if task.error]
        raise RuntimeError(
            f"{made.id} is {found.state.value}: "
            f"{found.failure_reason or '; '.join(why) or 'another worker has its tasks'}"
        )
    return found


_SOURCE: Final = grey_film.init_segment(width_px=426, height_px=240)
"""The bytes of the uploaded file: they are recognised as MP4, and nothing decodes them."""


def _worker(services: Services, transcoder: Transcoder) -> Services:
    """Return the services with another transcoder for every video, whatever routes the settings have."""
    settings = services.settings
    rules = attrs.evolve(settings.transcoder, routes=())
    overrides = {**services.recipe.overrides, "transcoder": transcoder}
    made = Services(
        attrs.evolve(
            services.recipe,
            settings=attrs.evolve(settings, transcoder=rules),
            overrides=overrides,
        )
    )
    # Already made: neither plugins nor connections are needed a second time.
    vars(made).update({name: getattr(services, name) for name in _SHARED})
    vars(made)["uow"] = _HastyUnitOfWork(services.uow)
    return made


class _HastyUnitOfWork:
    """Opens transactions that need not survive a power cut, which SQLite commits faster."""

    def __init__(self, uow: UnitOfWork) -> None:
        self._uow = uow
        self.read = uow.read

    def write(self, *, is_durable: bool = True) -> AbstractContextManager[Work]:
        """Open a transaction."""
        del is_durable
        return self._uow.write(is_durable=False)


def _unended(services: Services, video_id: str) -> Sequence[Task]:
    with services.uow.read() as work:
        tasks = work.tasks.of_subject(video_id)
    return [
        one for one in tasks if one.kind in TRANSCODE_KINDS and one.state not in ENDED
    ]
