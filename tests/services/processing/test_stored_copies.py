"""
What a service elsewhere has left in the store is copied into the video's place.
"""

import os
import threading
from collections import Counter
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest

from hvcore.domain.processing.transcoding import StoredObject, TranscodeError
from hvcore.domain.tasks.task import MAX_ATTEMPTS
from hvcore.domain.videos.states import VideoState
from hvcore.ports.storage import ObjectInfo, Storage, StorageRefusedError
from hvcore.services.processing.remote_parts import REFUSED
from hvcore.services.processing.stored_copies import AT_ONCE, StoredCopies
from hvcore.services.tasks.leases import TaskStopped
from hvcore_storage_fsspec.backend import make_storage
from hvcore_storage_fsspec.local import LocalStorage
from tests.services.processing.remote_world import RemoteWorld, remote_world
from tests.support.live import until
from tests.support.stores.azure_store import connection_string, new_container
from tests.support.stores.faulty_store import Fault, FaultyStore, faulty_store
from tests.support.stores.google_store import google_args, new_google_bucket
from tests.support.stores.object_store import s3_server


class WatchedStorage(LocalStorage):
    """
    A storage that tells how many copies it makes at a time, and which.
    """

    def __init__(self, root: Path, *, together: int) -> None:
        super().__init__(root)
        self.copied: list[str] = []
        self.together = threading.Barrier(together)
        self.at_once = self.most_at_once = 0
        self._lock = threading.Lock()

    def copy(self, source: str, target: str, *, content_type: str) -> ObjectInfo:
        with self._lock:
            self.at_once += 1
            self.most_at_once = max(self.at_once, self.most_at_once)
        self.together.wait(timeout=20)
        try:
            return super().copy(source, target, content_type=content_type)
        finally:
            with self._lock:
                self.at_once -= 1
                self.copied.append(target)


class RefusesTheFirst(LocalStorage):
    """
    A storage that refuses the first object; other copies end when nobody does it any more.
    """

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.begun: list[str] = []
        self.refused_in: threading.Thread | None = None

    def copy(self, source: str, target: str, *, content_type: str) -> ObjectInfo:
        self.begun.append(target)
        if target.endswith("/0.m4s"):
            self.refused_in = threading.current_thread()
            raise StorageRefusedError("Not by you.")
        until(self._is_left, within_s=5, what="the end of the thread that was refused")
        return super().copy(source, target, content_type=content_type)

    def _is_left(self) -> bool:
        return self.refused_in is not None and not self.refused_in.is_alive()


def made_elsewhere(storage: Storage, count: int) -> list[StoredObject]:
    for number in range(count):
        storage.write(
            f"made/{number}.mp4", BytesIO(b"%d" % number), content_type="video/mp4"
        )
    return [
        StoredObject(name=f"{number}.m4s", made_as=f"{number}.mp4")
        for number in range(count)
    ]


def nothing() -> None:
    """
    Let the work go on.
    """


def test_objects_are_copied_several_at_a_time_and_not_all(tmp_path: Path) -> None:
    storage = WatchedStorage(tmp_path, together=AT_ONCE)
    objects = made_elsewhere(storage, 3 * AT_ONCE)

    StoredCopies(storage=storage).take_over(
        objects, made_in="made", target="taken", check=nothing
    )

    assert storage.most_at_once == AT_ONCE
    assert {info.path: info.size_bytes for info in storage.walk("taken")} == {
        f"taken/{one.name}": storage.stat(f"made/{one.made_as}").size_bytes
        for one in objects
    }


def test_an_object_copied_already_is_not_copied_again(tmp_path: Path) -> None:
    storage = WatchedStorage(tmp_path, together=1)
    objects = made_elsewhere(storage, 4)
    copies = StoredCopies(storage=storage)
    copies.take_over(objects[:3], made_in="made", target="taken", check=nothing)
    storage.copied.clear()
    # Half of one, and one that was made anew.
    storage.write("taken/0.m4s", BytesIO(b""), content_type="video/mp4")
    storage.write("made/1.mp4", BytesIO(b"a longer one"), content_type="video/mp4")

    copies.take_over(objects, made_in="made", target="taken", check=nothing)

    assert sorted(storage.copied) == [f"taken/{n}.m4s" for n in (0, 1, 3)]


def test_an_object_made_anew_with_the_same_size_is_copied_again(
    tmp_path: Path,
) -> None:
    storage = WatchedStorage(tmp_path, together=1)
    objects = made_elsewhere(storage, 2)
    copies = StoredCopies(storage=storage)
    copies.take_over(objects, made_in="made", target="taken", check=nothing)
    storage.copied.clear()
    copied_at = storage.stat("taken/1.m4s").modified_at.timestamp()
    os.utime(storage.local_path("made/1.mp4"), times=(copied_at + 1, copied_at + 1))

    copies.take_over(objects, made_in="made", target="taken", check=nothing)

    assert storage.copied == ["taken/1.m4s"]


@pytest.mark.parametrize(
    "kind",
    ["google", pytest.param("azure", marks=[pytest.mark.services, pytest.mark.long])],
)
def test_no_object_is_copied_twice_in_a_store_with_a_tag_for_each_writing(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    endpoint = request.getfixturevalue(f"{kind}_store")
    with faulty_store(endpoint) as proxy:
        storage = make_storage(
            f"gs://{new_google_bucket(endpoint)}/here"
            if kind == "google"
            else f"az://{new_container(endpoint)}/here",
            args=google_args(tmp_path, proxy.url)
            if kind == "google"
            else {"connection_string": connection_string(proxy.url)},
            min_free_bytes=0,
            work_dir=tmp_path / "work",
        )
        objects = made_elsewhere(storage, 3)
        made = copies_of(proxy, {})
        for count in (2, 3, 3):
            StoredCopies(storage=storage).take_over(
                objects[:count], made_in="made", target="taken", check=nothing
            )

    assert sorted(made.values()) == [1, 1, 1]


def test_a_missing_object_ends_the_copying_and_is_named(tmp_path: Path) -> None:
    storage = WatchedStorage(tmp_path, together=1)
    objects = made_elsewhere(storage, 2)
    objects[0] = StoredObject(name="0.m4s", made_as="gone.mp4")

    with pytest.raises(TranscodeError) as told:
        StoredCopies(storage=storage).take_over(
            objects, made_in="made", target="taken", check=nothing
        )

    assert "made/gone.mp4" in told.value.log


def test_after_an_object_failed_no_further_object_is_begun(tmp_path: Path) -> None:
    storage = RefusesTheFirst(tmp_path)
    objects = made_elsewhere(storage, 3 * AT_ONCE)

    with pytest.raises(StorageRefusedError, match="Not by you"):
        StoredCopies(storage=storage).take_over(
            objects, made_in="made", target="taken", check=nothing
        )

    # Those that were under way when it failed, and no other.
    assert len(storage.begun) <= AT_ONCE


def test_copying_ends_when_the_work_is_not_wanted(tmp_path: Path) -> None:
    storage = WatchedStorage(tmp_path, together=1)

    def stop() -> None:
        raise TaskStopped

    with pytest.raises(TaskStopped):
        StoredCopies(storage=storage).take_over(
            made_elsewhere(storage, 2), made_in="made", target="taken", check=stop
        )

    assert storage.copied == []


@pytest.fixture(scope="module")
def store() -> Iterator[FaultyStore]:
    with s3_server() as endpoint, faulty_store(endpoint) as proxy:
        yield proxy


@pytest.fixture
def remote(tmp_path: Path, store: FaultyStore) -> Iterator[RemoteWorld]:
    with remote_world(tmp_path, store.url) as made:
        yield made
        store.strikes = lambda *_: None


def copies_of(store: FaultyStore, faults: dict[str, Fault]) -> Counter[str]:
    """
    Count the copies that succeed from now on, by the end of their target.

    Args:
        faults: What happens to those whose target ends so.
    """
    made: Counter[str] = Counter()

    def strikes(_: str, path: str, is_copy: bool) -> Fault | None:  # noqa: FBT001 - see FaultyStore
        if not is_copy:
            return None
        for end, fault in faults.items():
            if path.endswith(end):
                return fault
        made[path] += 1
        return None

    store.strikes = strikes
    return made


def test_an_outage_is_waited_for_and_copying_goes_on_where_it_ended(
    remote: RemoteWorld, store: FaultyStore
) -> None:
    video_id = remote.submitted()
    faults = {"720p/0.m4s": Fault.ERROR_503}
    made = copies_of(store, faults)
    for _ in range(MAX_ATTEMPTS + 1):
        remote.move_on(minutes=2)
    assert remote.part(video_id).attempts == 0
    assert len(made) == 3

    faults.clear()
    remote.move_on(minutes=2)

    assert remote.world.video(video_id).state is VideoState.READY
    assert list(made.values()) == [1, 1, 1, 1]
    assert len(remote.service.jobs) == 1


def test_a_refusal_ends_the_part_with_a_plain_reason(
    remote: RemoteWorld, store: FaultyStore
) -> None:
    video_id = remote.submitted()
    copies_of(store, {".m4s": Fault.ERROR_403})

    for _ in range(MAX_ATTEMPTS):
        remote.move_on(minutes=2)

    video = remote.world.video(video_id)
    assert (video.state, video.failure_reason) == (VideoState.FAILED, REFUSED)
    # It was made, and paid for, once.
    assert len(remote.service.jobs) == 1


def test_a_refusal_that_is_corrected_in_time_costs_no_remote_job(
    remote: RemoteWorld, store: FaultyStore
) -> None:
    video_id = remote.submitted()
    faults = {".m4s": Fault.ERROR_403}
    copies_of(store, faults)
    remote.move_on(minutes=2)

    faults.clear()
    remote.move_on(minutes=2)

    assert remote.world.video(video_id).state is VideoState.READY
    assert len(remote.service.jobs) == 1
