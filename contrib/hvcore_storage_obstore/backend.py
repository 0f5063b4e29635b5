"""Choose the storage for a URL: a bucket, or files of this machine."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

from obstore.exceptions import BaseError

from hvcore.plugin_api import ConfigError, Storage
from hvcore_storage_obstore.bucket import BucketStorage, open_bucket
from hvcore_storage_obstore.files import FileStorage
from hvcore_storage_obstore.options import ObstoreOptions


def make_storage(options: ObstoreOptions, *, work_dir: Path) -> Storage:
    """
    Make the storage that the options name.

    Args:
        work_dir: The folder in which objects are kept until they are whole and sent.

    Raises:
        ConfigError: The options cannot be used.
        UnavailableError: The folder cannot be made.
    """
    parts = urlsplit(options.url)
    if parts.scheme == "file":
        return FileStorage(Path(unquote(parts.path)), work_dir=work_dir)
    try:
        bucket = open_bucket(options)
    except (BaseError, ValueError) as exc:
        raise ConfigError(f"storage.options: {exc}") from exc
    return BucketStorage(bucket, url=options.url, work_dir=work_dir)
