"""
A service in this process whose videos the local MediaConvert makes, with files in Swift.
"""

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, cast

import attrs

from hvcore.domain.ids import TaskId, VideoId
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from tests.plugins.mediaconvert_local.local_server import (
    ACCESS_KEY,
    ACCESS_SECRET,
    LocalServer,
)
from tests.services.conftest import make_world
from tests.services.processing.remote_world import RemoteWorld
from tests.support.fakes import SettableClock
from tests.support.network.remote_service import RemoteService
from tests.support.stores.object_store import environ_of_swift, new_swift_bucket

RUNNING: Final = ("SUBMITTED", "PROGRESSING")


@attrs.frozen(kw_only=True)
class CloudWorld(RemoteWorld):
    """
    The service, and the MediaConvert that makes its videos.
    """

    server: LocalServer

    def jobs(self, video_id: str) -> list[dict[str, Any]]:
        """
        Return what MediaConvert was asked to make of a video, the latest first.
        """
        asked = {"InputFile": self.world.video(video_id).source_path}
        found = self.server.client().search_jobs(**asked).get("Jobs", ())
        return list(found)

    def running(self) -> list[dict[str, Any]]:
        """
        Return what MediaConvert works on, for anybody.
        """
        client = self.server.client()
        return [
            job
            for status in RUNNING
            for page in client.get_paginator("list_jobs").paginate(Status=status)
            for job in page.get("Jobs", ())
        ]

    def run(self, video_id: VideoId, kind: str) -> None:
        """
        Run a task of a video, in any thread.
        """
        with self.world.services.uow.read() as work:
            task = work.tasks.of_subject(video_id, kind=kind)[-1]
        self._run(task.id)

    def run_at_once(self, threads: int) -> None:
        """
        Run what is in the queue, several at a time, until there is nothing left.
        """
        messages = self.world.queue.messages
        with ThreadPoolExecutor(threads) as pool:
            while messages:
                waiting = [task_id for task_id, _ in messages]
                messages.clear()
                list(pool.map(self._run, waiting))

    def _run(self, task_id: TaskId) -> None:
        self.world.services.task_runs.run(
            task_id, worker="test:1", stopping=lambda: False
        )

    def ended(
        self, video_id: VideoId, *, attempts: int = 3, job_within_s: float = 60
    ) -> Video:
        """
        Let jobs end and time pass until a video is ready or has failed.
        """
        # Each attempt: submitted, made, taken over; and pauses between them.
        for _ in range(attempts * 4):
            for job in self.jobs(video_id):
                if job["Status"] in RUNNING:
                    self.server.ended(job["Id"], within_s=job_within_s)
            self.move_on(seconds=120)
            video = self.world.video(video_id)
            if video.state is not VideoState.TRANSCODING:
                return video
        raise TimeoutError(f"{video_id} is {video.state}")


@contextmanager
def cloud_world(
    folder: Path, swift: str, server: LocalServer, **settings: str
) -> Iterator[CloudWorld]:
    """
    Make both; jobs of former worlds have nothing to do with it.
    """
    bucket = new_swift_bucket(swift)
    environ: Mapping[str, str] = {
        **environ_of_swift(swift, bucket),
        "HV_TRANSCODER__BACKEND": "mediaconvert",
        "HV_TRANSCODER__OPTIONS__ROLE": "arn:aws:iam::123456789012:role/Transcode",
        "HV_TRANSCODER__OPTIONS__REGION": "us-east-1",
        "HV_TRANSCODER__OPTIONS__ENDPOINT": server.address,
        "HV_TRANSCODER__OPTIONS__ACCESS_KEY": ACCESS_KEY,
        "HV_TRANSCODER__OPTIONS__SECRET_KEY": ACCESS_SECRET,
        **settings,
    }
    with make_world(folder, environ, clock=SettableClock()) as world:
        yield CloudWorld(
            world=world,
            # The imitation of other tests, which this one does not use.
            service=cast(RemoteService, None),
            environ=environ,
            server=server,
        )
