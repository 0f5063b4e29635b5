"""Choose the storage class for a URL: local files, or one of the remote stores."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from hvcore.plugin_api import ConfigError, Storage, missing_module
from hvcore_storage_fsspec.local import LocalStorage

if TYPE_CHECKING:
    from hvcore_storage_fsspec.remote import RemoteStorage

S3_PROTOCOLS: Final = frozenset({"s3", "s3a"})
AZURE_PROTOCOLS: Final = frozenset({"az", "abfs", "abfss"})
GOOGLE_PROTOCOLS: Final = frozenset({"gs", "gcs"})


def make_storage(
    url: str,
    *,
    args: Mapping[str, object],
    min_free_bytes: int | None,
    work_dir: Path,
) -> Storage:
    """
    Return the storage for a URL.

    Args:
        work_dir: The folder for objects while they are sent to a remote storage.

    Raises:
        ConfigError: The URL cannot be used.
    """
    root = _local_root(url)
    if root is not None:
        return LocalStorage(root, min_free_bytes=min_free_bytes)
    scheme = urlsplit(url).scheme
    try:
        kind = _kind_of(scheme)
    except ImportError as exc:
        raise ConfigError(
            f"storage.options.url: {scheme}:// needs more packages: "
            f"{missing_module(exc.name, _extra_of(scheme))}"
        ) from exc
    return kind(url, args=args, work_dir=work_dir)


def _extra_of(scheme: str) -> str:
    if scheme in S3_PROTOCOLS:
        return "s3"
    if scheme in AZURE_PROTOCOLS:
        return "azure"
    return "gcs" if scheme in GOOGLE_PROTOCOLS else "fsspec"


def _kind_of(scheme: str) -> "type[RemoteStorage]":
    # All of them load fsspec, which plain files do without.
    if scheme in S3_PROTOCOLS:
        from hvcore_storage_fsspec.s3 import S3Storage  # noqa: PLC0415

        return S3Storage
    if scheme in AZURE_PROTOCOLS:
        from hvcore_storage_fsspec.azure import AzureStorage  # noqa: PLC0415

        return AzureStorage
    if scheme in GOOGLE_PROTOCOLS:
        from hvcore_storage_fsspec.google import GoogleStorage  # noqa: PLC0415

        return GoogleStorage
    if scheme == "memory":
        from hvcore_storage_fsspec.memory import MemoryFileSystemStorage  # noqa: PLC0415

        return MemoryFileSystemStorage
    from hvcore_storage_fsspec.remote import RemoteStorage  # noqa: PLC0415

    return RemoteStorage


def _local_root(url: str) -> Path | None:
    if "://" not in url:
        if not url:
            raise ConfigError("storage.options.url: expected a folder or a URL")
        return Path(url).absolute()
    parts = urlsplit(url)
    if parts.scheme not in {"file", "local"}:
        return None
    if parts.netloc not in {"", "localhost"} or not parts.path.startswith("/"):
        raise ConfigError("storage.options.url: expected file:///an/absolute/path")
    return Path(unquote(parts.path))
