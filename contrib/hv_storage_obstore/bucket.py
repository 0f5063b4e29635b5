"""
Objects in S3, or in a store that speaks like it.
"""

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

import obstore
from obstore.store import S3Store

from hv_storage_obstore.objects import ObstoreStorage
from hv_storage_obstore.options import ObstoreOptions

if TYPE_CHECKING:
    # obstore has these for type checkers only.
    from obstore.store import ClientConfig, RetryConfig, S3Config

RETRIES: Final["RetryConfig"] = {
    "max_retries": 2,
    "retry_timeout": timedelta(seconds=8),
}
"""obstore's own choice is ten times in three minutes, which no request can wait."""


def open_bucket(options: ObstoreOptions) -> S3Store:
    """
    Name a bucket; nothing is asked of it yet.

    Raises:
        ValueError: The options are none of S3's, or one of obstore's exceptions.
    """
    config: S3Config = {}
    client: ClientConfig = {}
    if options.endpoint:
        config["endpoint"] = options.endpoint
        # Most stores of one's own have no name for each bucket.
        config["virtual_hosted_style_request"] = False
        client["allow_http"] = options.endpoint.startswith("http:")
    if options.region:
        config["region"] = options.region
    if options.key:
        config["access_key_id"] = options.key
        config["secret_access_key"] = options.secret
    return S3Store.from_url(
        options.url, config=config, client_options=client, retry_config=RETRIES
    )


class BucketStorage(ObstoreStorage):
    """
    Keeps objects in a bucket.

    Also carries out SupportsObjectUrl and SupportsPresignedRead. Not SupportsCopy, since
    obstore's copies keep the type of their source, nor SupportsPresignedWrite, since its
    addresses bind neither a type nor a length.
    """

    def __init__(self, store: S3Store, *, url: str, work_dir: Path) -> None:
        super().__init__(store, url=url, work_dir=work_dir)
        self._bucket = store

    @property
    def can_presign(self) -> bool:
        """
        Return true: obstore signs with whatever key it has.
        """
        return True

    def presigned_url(self, path: str, *, valid_s: int) -> str:
        """
        Return an address of an object, good for a time.
        """
        self._check(path)
        with self._answers():
            valid = timedelta(seconds=valid_s)
            return obstore.sign(self._bucket, "GET", path, valid)

    def _attributes(self, content_type: str) -> dict[str, str]:
        return {"Content-Type": content_type}
