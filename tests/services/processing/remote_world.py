"""
A service whose videos are made elsewhere and whose files lie in a bucket.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import attrs

from hvcore.assembly import build
from hvcore.domain.processing.remote_jobs import RemoteJob, remote_job_of
from hvcore.domain.tasks.kinds import PART_KINDS, TRANSCODE_CANCEL
from hvcore.domain.tasks.task import Task, TaskState
from hvcore.settings import load
from tests.services.conftest import World, make_world
from tests.support.fakes import SettableClock
from tests.support.network.remote_service import RemoteService, remote_service
from tests.support.stores.object_store import environ_of_bucket, new_bucket

PLUGINS: Final = ",".join(
    [
        "tests.support.remote_transcoder",
        *(
            f"{name}.plugin"
            for name in (
                *(
                    "hvcore_storage_fsspec",
                    "hvcore_transcoder_ffmpeg",
                    "hvcore_queue_rq",
                ),
                *("hvcore_auth_apikey", "hvcore_ratelimit", "hvcore_analytics_sql"),
                "hvcore_sign_in_link",
            )
        ),
    ]
)


@attrs.frozen(kw_only=True)
class RemoteWorld:
    """
    The service, and the one that makes its videos.
    """

    world: World
    service: RemoteService
    environ: Mapping[str, str] = attrs.field(repr=False)

    @contextmanager
    def restarted(self, changes: Mapping[str, str]) -> Iterator["RemoteWorld"]:
        """
        Stop the service and start it with other settings of the transcoder.
        """
        kept = {
            name: value
            for name, value in self.environ.items()
            if not name.startswith("HV_TRANSCODER__")
        }
        environ = {**kept, **changes}
        data_dir = self.world.services.settings.data_dir
        settings = load(config_path=None, environ=environ, data_dir=data_dir).settings
        overrides = {"clock": self.world.clock, "queue": self.world.queue}
        with build(settings, overrides=overrides) as services:
            world = attrs.evolve(self.world, services=services)
            yield attrs.evolve(self, world=world, environ=environ)

    def planned(self) -> str:
        """
        Process a video until its part is to be submitted.
        """
        video_id = self.world.processed()
        task_id, _ = self.world.queue.messages.pop(0)
        self.world.services.task_runs.run(
            task_id, worker="test:1", stopping=lambda: False
        )
        return video_id

    def submitted(self) -> str:
        """
        Process a video until its part is with the other service.
        """
        video_id = self.world.processed()
        self.world.run_tasks()
        return video_id

    def delete(self, video_id: str) -> None:
        """
        Delete a video as its owner does.
        """
        self.world.services.deletion.delete(self.world.caller, "org_a", video_id, None)

    def move_on(self, **by: float) -> None:
        """
        Let time pass, and run what is due then.
        """
        self.world.clock.move(**by)
        self.world.services.task_runs.sweep(holder="test")
        self.world.run_tasks()

    def part(self, video_id: str) -> Task:
        """
        Return the task of a video's only part.
        """
        with self.world.services.uow.read() as work:
            found = work.tasks.of_subject(video_id)
        (task,) = (one for one in found if one.kind in PART_KINDS)
        return task

    def remote_job(self, video_id: str) -> RemoteJob:
        """
        Return how a video's only part stands with the other service.
        """
        found = remote_job_of(self.part(video_id))
        assert found is not None
        return found

    def waiting_cancels(self) -> list[Task]:
        """
        Return the cancellations that were not confirmed yet.
        """
        with self.world.services.uow.read() as work:
            found = work.tasks.search(kind=TRANSCODE_CANCEL, limit=1000)
        return [task for task in found if task.state is not TaskState.DONE]


@contextmanager
def remote_world(  # noqa: PLR0913 - each is a setting of the other one
    folder: Path,
    store: str,
    *,
    routes: str | None = None,
    usual: str | None = None,
    declines: str = "",
    most: int = 0,
) -> Iterator[RemoteWorld]:
    """
    Make both.

    Args:
        store: Address of an object store.
        routes: Rules by which some videos are made elsewhere; without, all are.
        usual: The backend of the others; one that only pretends if none is named.
        declines: Why the other one takes no job, if it takes none.
        most: How many jobs the other one takes; 0 is all.
    """
    clock = SettableClock()
    with remote_service(store, clock.now) as service:
        settings = {
            **environ_of_bucket(store, new_bucket(store)),
            "HV_PLUGINS": PLUGINS,
        }
        if routes is None:
            settings["HV_TRANSCODER__BACKEND"] = "far"
            settings["HV_TRANSCODER__OPTIONS__URL"] = service.url
        else:
            settings["HV_TRANSCODER__ROUTES"] = routes
            settings["HV_TRANSCODER__FURTHER__FAR__URL"] = service.url
            if usual is not None:
                settings["HV_TRANSCODER__BACKEND"] = usual
            settings["HV_TRANSCODER__FURTHER__FAR__DECLINES"] = declines
            settings["HV_TRANSCODER__FURTHER__FAR__MOST"] = str(most)
        with make_world(folder, settings, clock=clock) as world:
            yield RemoteWorld(world=world, service=service, environ=settings)
