"""
Videos that were submitted twice.
"""

from tests.services.processing.remote_world import RemoteWorld


def submitted_twice(remote: RemoteWorld) -> str:
    """
    Have a worker pause before it submits a job until another one has submitted it.
    """
    video_id = remote.world.processed()

    def submit_by_another() -> None:
        remote.service.on_submit = lambda: None
        remote.world.clock.move(seconds=60)
        remote.world.services.task_runs.sweep(holder="test")
        remote.world.run_tasks("test:2")

    remote.service.on_submit = submit_by_another
    remote.world.run_tasks()
    return video_id
