"""The settings of the storage ``fsspec``."""

from collections.abc import Mapping

import attrs

from hvcore.plugin_api import other_options


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
        min_free_bytes: The free bytes on the disk below which nothing more is stored;
            for storages of files only. By default 512 MiB or 1 %, whichever is more.
    """

    url: str
    args: Mapping[str, object] = other_options()
    min_free_bytes: int | None = None
