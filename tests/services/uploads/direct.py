"""
A service whose callers send their files straight to Swift.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import urllib3

from hvcore.domain.tasks.task import Lane
from hvcore.domain.uploads.grants import FileWanted, UploadGranted
from tests.services.conftest import MP4, World, make_world
from tests.support.stores.object_store import (
    environ_of_swift,
    new_swift_bucket,
    swift_client,
)

DATA: Final = b"a film, or what a test takes for one"
ONE_ATTEMPT: Final = """
[storage.options.config_kwargs.retries]
max_attempts = 0
"""
"""Otherwise the client hides every fault, for seconds."""


@contextmanager
def direct_world(
    folder: Path, endpoint: str, bucket: str, *, mode: str = "auto"
) -> Iterator[World]:
    environ = {**environ_of_swift(endpoint, bucket), "HV_UPLOADS__DIRECT": mode}
    with make_world(folder, environ, config=ONE_ATTEMPT) as world:
        yield world


def file_of(data: bytes = DATA, content_type: str | None = MP4) -> FileWanted:
    return FileWanted(
        file_name="clip.mp4", content_type=content_type, size_bytes=len(data)
    )


def granted(world: World, data: bytes = DATA) -> UploadGranted:
    """
    Ask as Family A does.
    """
    return world.services.uploads.grant(world.env, file_of(data))


def granted_video(world: World, data: bytes = DATA) -> UploadGranted:
    """
    Ask as Family B does.
    """
    return world.services.uploads.grant_video(world.env, file_of(data), world.wanted())


def put(granted: UploadGranted, data: bytes = DATA, content_type: str = MP4) -> int:
    """
    Send to the address and return the status.
    """
    with urllib3.PoolManager(retries=False) as pool:
        return pool.request(
            "PUT",
            granted.signed_url,
            body=data,
            headers={"Content-Type": content_type},
        ).status


def take_in(world: World) -> None:
    """
    Run what takes files in and what removes them, and no encoder.
    """
    for _ in range(5):
        world.clock.move(seconds=61)
        world.services.task_runs.sweep(holder="test")
        world.queue.consume(
            lambda task_id: world.services.task_runs.run(
                task_id, worker="test:1", stopping=lambda: False
            ),
            lanes=[Lane.OUTBOUND, Lane.LIGHT],
            until=lambda: False,
        )


def objects(endpoint: str, bucket: str, prefix: str = "") -> Sequence[str]:
    """
    Name what lies in the bucket, past the storage's own code.
    """
    found = swift_client(endpoint).list_objects_v2(
        Bucket=bucket, Prefix=f"here/{prefix}"
    )
    return [entry["Key"].removeprefix("here/") for entry in found.get("Contents", [])]


def content(endpoint: str, bucket: str, path: str) -> bytes:
    """
    Read an object, past the storage's own code.
    """
    answer = swift_client(endpoint).get_object(Bucket=bucket, Key=f"here/{path}")
    return bytes(answer["Body"].read())


def new_bucket_of(endpoint: str) -> str:
    return new_swift_bucket(endpoint)
