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
signed addresses that the storage gives. What a storage may do besides (``Supports…``) is
tested if the storage says that it can, else skipped.
"""

from hvcore.testing.storage_addresses import AddressPromises
from hvcore.testing.storage_capabilities import CapabilityPromises
from hvcore.testing.storage_failures import FailurePromises
from hvcore.testing.storage_kit import ReopenedStorage
from hvcore.testing.storage_objects import ObjectPromises
from hvcore.testing.storage_trees import TreePromises
from hvcore.testing.storage_writers import WriterPromises

__all__ = ["ReopenedStorage", "StorageConformance"]


class StorageConformance(
    ObjectPromises,
    TreePromises,
    WriterPromises,
    FailurePromises,
    CapabilityPromises,
    AddressPromises,
):
    """
    The promises of Storage, and of what it may do besides.
    """
