"""Offers the storage ``fsspec``: files of this machine, or any fsspec URL."""

from collections.abc import Iterator

from hvcore.plugin_api import (
    BuildContext,
    Storage,
    StorageBackend,
    hookimpl,
)
from hvcore_storage_fsspec.options import FsspecOptions


def build(options: FsspecOptions, context: BuildContext) -> Storage:
    """Make the storage for a process."""
    # Imported only if it was chosen: fsspec, or what a URL needs, is large.
    from hvcore_storage_fsspec.backend import make_storage  # noqa: PLC0415

    return make_storage(
        options.url,
        args=options.args,
        min_free_bytes=options.min_free_bytes,
        work_dir=context.work_dir,
    )


@hookimpl
def hvcore_storages() -> Iterator[StorageBackend]:
    """Register the storage ``fsspec``."""
    yield StorageBackend(
        name="fsspec", factory=build, options=FsspecOptions, extra="fsspec"
    )
