"""
Where storage is far away, a source is fetched once for all parts of a video.
"""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import fsspec
import pytest

from hv_storage_fsspec.plugin import FsspecOptions, build
from hvcore.plugin_api import Storage
from hvcore.ports.storage import ObjectNotFoundError
from hvcore.services.kept_sources import KeptSources
from tests.plugins.transcoder_ffmpeg.conftest import make_context


class Reads:
    """
    Counts how often a piece of a source came.
    """

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> None:
        self.count += 1


@pytest.fixture
def storage(tmp_path: Path) -> Iterator[Storage]:
    """
    A storage that has no local paths.
    """
    options = FsspecOptions(url="memory://kept-sources")
    yield build(options, make_context(tmp_path))
    fsspec.filesystem("memory").rm("/kept-sources", recursive=True)


@pytest.fixture
def kept(storage: Storage, tmp_path: Path) -> KeptSources:
    """
    Keeps sources in a folder of its own.
    """
    return KeptSources(storage=storage, work_dir=tmp_path / "work")


def _write(storage: Storage, path: str, data: bytes) -> None:
    storage.write(path, BytesIO(data), content_type="video/mp4")


def test_the_next_part_reads_what_the_first_one_fetched(
    kept: KeptSources, storage: Storage
) -> None:
    _write(storage, "uploads/a", b"first")
    reads = Reads()

    assert kept.fetch("uploads/a", reads).read_bytes() == b"first"
    assert kept.fetch("uploads/a", reads).read_bytes() == b"first"

    assert reads.count == 1


def test_there_is_one_source_at_a_time(
    kept: KeptSources, storage: Storage, tmp_path: Path
) -> None:
    _write(storage, "uploads/a", b"first")
    _write(storage, "uploads/b", b"second")
    kept.fetch("uploads/a", Reads())

    assert kept.fetch("uploads/b", Reads()).read_bytes() == b"second"

    files = [path for path in (tmp_path / "work").rglob("*") if path.is_file()]
    assert len(files) == 1


def test_a_source_that_came_half_is_fetched_again(
    kept: KeptSources, storage: Storage
) -> None:
    _write(storage, "uploads/a", b"first")

    def stop() -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        kept.fetch("uploads/a", stop)

    assert kept.fetch("uploads/a", Reads()).read_bytes() == b"first"


def test_a_source_that_is_gone_is_not_served_from_here(
    kept: KeptSources, storage: Storage
) -> None:
    _write(storage, "uploads/a", b"first")
    kept.fetch("uploads/a", Reads())
    storage.delete_tree("uploads/a")

    with pytest.raises(ObjectNotFoundError):
        kept.fetch("uploads/a", Reads())
