"""Offers the storage ``obstore``: S3 or files, without fsspec."""

from collections.abc import Iterator

from hvcore.plugin_api import BuildContext, Storage, StorageBackend, hookimpl
from hvcore_storage_obstore.options import ObstoreOptions


def build(options: ObstoreOptions, context: BuildContext) -> Storage:
    """Make the storage of a process."""
    from hvcore_storage_obstore.backend import (  # noqa: PLC0415 - only if it was chosen
        make_storage,
    )

    return make_storage(options, work_dir=context.work_dir)


@hookimpl
def hvcore_storages() -> Iterator[StorageBackend]:
    """Register the storage ``obstore``."""
    yield StorageBackend(
        name="obstore", factory=build, options=ObstoreOptions, extra="obstore"
    )
