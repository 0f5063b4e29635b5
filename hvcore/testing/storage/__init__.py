"""
The promises of storages, as tests.

A plugin's tests inherit and give the fixtures::

    class TestAcmeStorage(StorageConformance):
        @pytest.fixture
        def storage(self, tmp_path): ...

        @pytest.fixture
        def reopened(self, tmp_path): ...

        @pytest.fixture
        def unreachable(self, tmp_path): ...

Each test gets an empty storage of its own; the kit itself uses no network, but for the
signed addresses that the storage gives. For each optional capability of the storage
(``Supports…``), the class also inherits from the kit of that capability, such as
``CopyConformance``.
"""

from collections.abc import Mapping

from hvcore.ports.direct_uploads import SupportsPartedWrite, SupportsPresignedWrite
from hvcore.ports.storage import (
    Storage,
    SupportsCopy,
    SupportsHide,
    SupportsLocalPath,
    SupportsObjectUrl,
    SupportsPresignedRead,
    SupportsUploadFile,
)
from hvcore.testing.storage.addresses import (
    PartedWriteConformance,
    PresignedReadConformance,
    PresignedWriteConformance,
)
from hvcore.testing.storage.broken_off import BrokenOffPromises
from hvcore.testing.storage.byte_sources import arrived
from hvcore.testing.storage.capabilities import (
    CopyConformance,
    HideConformance,
    LocalPathConformance,
    ObjectUrlConformance,
    UploadFileConformance,
)
from hvcore.testing.storage.failures import FailurePromises
from hvcore.testing.storage.kit import ReopenedStorage, StorageKit
from hvcore.testing.storage.large import LargePromises
from hvcore.testing.storage.names import NamePromises
from hvcore.testing.storage.objects import ObjectPromises
from hvcore.testing.storage.races import RacePromises
from hvcore.testing.storage.reading import CUT_BYTES, ReadingPromises
from hvcore.testing.storage.sources import SourcePromises
from hvcore.testing.storage.trees import TreePromises
from hvcore.testing.storage.writers import WriterPromises

__all__ = [
    "CUT_BYTES",
    "CopyConformance",
    "HideConformance",
    "LocalPathConformance",
    "ObjectUrlConformance",
    "PartedWriteConformance",
    "PresignedReadConformance",
    "PresignedWriteConformance",
    "ReopenedStorage",
    "StorageConformance",
    "UploadFileConformance",
    "arrived",
]


class StorageConformance(
    ObjectPromises,
    NamePromises,
    ReadingPromises,
    SourcePromises,
    TreePromises,
    WriterPromises,
    RacePromises,
    BrokenOffPromises,
    FailurePromises,
    LargePromises,
):
    """The tests of the promises of every storage about objects, paths, lists, writers and failures: subclass it for a plugin."""

    def test_each_capability_of_the_storage_has_its_kit(self, storage: Storage) -> None:
        """The test class inherits the kit of each capability that the storage has, and no other."""
        wanted = {kit for kit, is_done in _besides(storage).items() if is_done}
        inherited = {kit for kit in _besides(storage) if isinstance(self, kit)}

        assert inherited == wanted, (
            "the class has other kits than what the storage does"
        )


def _besides(storage: Storage) -> Mapping[type[StorageKit], bool]:
    """Tell for each kit whether the storage has its capability, as it was set up."""
    return {
        CopyConformance: isinstance(storage, SupportsCopy),
        HideConformance: isinstance(storage, SupportsHide),
        LocalPathConformance: isinstance(storage, SupportsLocalPath),
        ObjectUrlConformance: isinstance(storage, SupportsObjectUrl),
        UploadFileConformance: isinstance(storage, SupportsUploadFile),
        PresignedReadConformance: (
            isinstance(storage, SupportsPresignedRead) and storage.can_presign
        ),
        PresignedWriteConformance: (
            isinstance(storage, SupportsPresignedWrite) and storage.can_presign_writes
        ),
        PartedWriteConformance: (
            isinstance(storage, SupportsPartedWrite) and storage.can_presign_parts
        ),
    }
