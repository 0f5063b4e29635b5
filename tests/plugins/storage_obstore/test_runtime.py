"""
What several processes do with one storage, each of them started anew.

A forked one cannot use obstore once its parent has; it is told so, and does not wait.
"""

import multiprocessing
import tracemalloc
import uuid
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Final

import pytest

from hvcore.plugin_api import Storage, UnavailableError
from hvcore.testing.children import in_child
from hvcore.testing.storage.byte_sources import arriving, digest
from hvcore_storage_obstore.backend import make_storage
from hvcore_storage_obstore.options import ObstoreOptions
from tests.plugins.storage_obstore.options import s3_options

TYPE: Final = "video/mp4"
WRITERS: Final = 3
LARGE_BYTES: Final = 64 * 1024 * 1024
MOST_MEMORY_BYTES: Final = 40 * 1024 * 1024


@pytest.fixture(params=["file", pytest.param("s3", marks=pytest.mark.services)])
def options(request: pytest.FixtureRequest, tmp_path: Path) -> ObstoreOptions:
    if request.param == "file":
        return ObstoreOptions(url=f"file://{tmp_path}/store")
    from tests.support.stores.object_store import new_swift_bucket  # noqa: PLC0415 - see there

    endpoint = request.getfixturevalue("swift")
    bucket = new_swift_bucket(endpoint)
    return s3_options(f"s3://{bucket}/{uuid.uuid4().hex}", endpoint=endpoint)


@pytest.fixture
def storage(options: ObstoreOptions, tmp_path: Path) -> Storage:
    return make_storage(options, work_dir=tmp_path)


@pytest.fixture
def others() -> Iterator[ProcessPoolExecutor]:
    """
    Processes that inherit nothing of this one.
    """
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(WRITERS, mp_context=context) as pool:
        yield pool


def write_some(options: ObstoreOptions, work_dir: Path, number: int) -> list[str]:
    own = make_storage(options, work_dir=work_dir)
    for turn in range(3):
        own.write(f"v/{number}/{turn}", arriving(100 + number), content_type=TYPE)
    return [info.path for info in own.walk("v/parent")]


def pass_through(options: ObstoreOptions, work_dir: Path) -> tuple[str, int]:
    own = make_storage(options, work_dir=work_dir)
    tracemalloc.start()
    own.write("v/large", arriving(LARGE_BYTES), content_type=TYPE)
    with own.open("v/large") as file:
        found = digest(file)
    return found, tracemalloc.get_traced_memory()[1]


def test_processes_see_one_storage(
    storage: Storage,
    options: ObstoreOptions,
    others: ProcessPoolExecutor,
    tmp_path: Path,
) -> None:
    storage.write("v/parent", arriving(1), content_type=TYPE)

    works = [
        others.submit(write_some, options, tmp_path, number)
        for number in range(WRITERS)
    ]

    assert [work.result() for work in works] == [["v/parent"]] * WRITERS
    found = {info.path: info.size_bytes for info in storage.walk("v")}
    wanted = {f"v/{n}/{turn}": 100 + n for n in range(WRITERS) for turn in range(3)}
    assert found == wanted | {"v/parent": 1}


def test_a_large_object_passes_through(
    storage: Storage,
    options: ObstoreOptions,
    others: ProcessPoolExecutor,
    tmp_path: Path,
) -> None:
    found, peak = others.submit(pass_through, options, tmp_path).result()

    assert found == digest(arriving(LARGE_BYTES))
    assert storage.stat("v/large").size_bytes == LARGE_BYTES
    assert peak <= MOST_MEMORY_BYTES, "it was held in memory"


def test_a_process_that_was_forked_too_late_is_told_at_once(
    storage: Storage, options: ObstoreOptions, tmp_path: Path
) -> None:
    """
    Whichever storage it uses: that of its parent, or one of its own.
    """
    storage.write("v/a", arriving(1), content_type=TYPE)

    def work() -> str:
        own = make_storage(options, work_dir=tmp_path)
        told = []
        for each in (storage, own):
            for call in (
                each.ping,
                lambda each=each: each.stat("v/a"),
                lambda each=each: each.open("v/a"),
                lambda each=each: each.write("v/a", arriving(2), content_type=TYPE),
                lambda each=each: list(each.walk("v")),
                lambda each=each: each.delete_tree("v"),
            ):
                with pytest.raises(UnavailableError, match="fork") as caught:
                    call()
                told.append("fork" in str(caught.value))
        return f"{told.count(True)} of {len(told)}"

    assert in_child(work) == "12 of 12"
    assert [info.size_bytes for info in storage.walk("v")] == [1]
