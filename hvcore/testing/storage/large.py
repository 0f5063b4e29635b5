"""The promises of a storage about objects over 4 GiB and thousands of objects (``--hv-large``)."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import pytest

from hvcore.ports.storage import Storage
from hvcore.testing.storage.byte_sources import sparse
from hvcore.testing.storage.kit import TYPE, StorageKit, get, paths, put

_WRITERS: Final = 8
_MARK: Final = b"mark"


class LargePromises(StorageKit):
    """The promises of a storage about very large objects and very many objects."""

    @pytest.fixture
    def only_large(self, request: pytest.FixtureRequest) -> None:
        """Skip the tests of this class unless pytest was called with ``--hv-large``."""
        if not request.config.getoption("--hv-large", default=False):
            pytest.skip("it runs with --hv-large")

    @pytest.mark.usefixtures("only_large")
    def test_an_object_may_have_more_than_4_gib(
        self, storage: Storage, tmp_path: Path
    ) -> None:
        """An object of more than 4 GiB is stored from a stream and from a local file; sizes and ranges are exact."""
        size = self.very_large_bytes
        marks = sorted({0, 2**31 - 2, 2**32 - 2, size - len(_MARK)})
        marks = [at for at in marks if at <= size - len(_MARK)]
        local = tmp_path / "local"
        with local.open("wb") as file:
            os.truncate(file.fileno(), size)
            for at in marks:
                file.seek(at)
                file.write(_MARK)
        written = storage.write(
            "v/large", sparse(size, dict.fromkeys(marks, _MARK)), content_type=TYPE
        )
        self._look(storage, written.size_bytes, marks)
        assert storage.delete_tree("v") == 1
        stored = storage.put_file("v/large", local, content_type=TYPE)
        self._look(storage, stored.size_bytes, marks)

    @pytest.mark.usefixtures("only_large")
    def test_ten_thousand_objects_are_listed_and_removed(
        self, storage: Storage
    ) -> None:
        """Ten thousand objects, the segments of a long video, are all listed and all removed."""
        names = [f"many/{n % 7}/{n:05}" for n in range(self.very_many)]
        with ThreadPoolExecutor(_WRITERS) as pool:
            list(pool.map(lambda path: put(storage, path, b""), names))

        assert paths(storage, "many") == sorted(names)
        assert storage.delete_tree("many") == self.very_many
        assert paths(storage, "many") == []

    def _look(self, storage: Storage, told: int, marks: list[int]) -> None:
        size = self.very_large_bytes
        [listed] = storage.walk("v")
        assert {told, storage.stat("v/large").size_bytes, listed.size_bytes} == {size}
        for at in marks:
            assert get(storage, "v/large", at, at + len(_MARK)) == _MARK, at
        assert get(storage, "v/large", marks[-1]) == _MARK
        assert get(storage, "v/large", size, size + 1) == b""
