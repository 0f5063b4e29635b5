"""Offers the storage ``fsspec``: files of this machine, or any fsspec URL."""

from collections.abc import Iterator, Mapping

import attrs

from hvcore.plugin_api import (
    BuildContext,
    Storage,
    StorageBackend,
    hookimpl,
    other_options,
)


@attrs.frozen(kw_only=True)
class FsspecOptions:
    """
    Settings under ``[storage.options]``.

    Attributes:
        url: The address of the storage: ``file:///path`` or a plain path,
            ``s3://bucket/prefix``, ``gs://…``, ``memory://…``, or another URL that
            fsspec knows.
        args: All other options, passed to fsspec's file system, such as
            ``endpoint_url``.
        min_free_bytes: With less room on the disk, nothing more is stored; for storages of
            files only. By default 512 MiB or 1 %, whichever is more.
    """

    url: str
    args: Mapping[str, object] = other_options()
    min_free_bytes: int | None = None


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
