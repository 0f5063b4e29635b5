"""Store objects in S3 or in an S3-compatible store."""

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs
import obstore
from obstore.store import S3Store

from hvcore.plugin_api import UnavailableError
from hvcore_storage_obstore.failures import has_no_bulk
from hvcore_storage_obstore.objects import ObstoreStorage
from hvcore_storage_obstore.options import ObstoreOptions
from hvcore_storage_obstore.single_deletes import remove_each

if TYPE_CHECKING:
    # obstore has these for type checkers only.
    from obstore.store import ClientConfig, RetryConfig, S3Config

CONNECT: Final = timedelta(seconds=2)
ANSWER: Final = timedelta(seconds=4)
"""A small answer, with all repetitions: its caller waits for five seconds. So long may
nothing come of a large one, too."""
READ: Final = timedelta(minutes=10)
"""8 MiB, as long as some of it keeps coming."""
SEND: Final = timedelta(minutes=2)
"""A part, or the word that all are there: nothing tells whether bytes go on."""
RETRIES: Final["RetryConfig"] = {
    "max_retries": 2,
    # No other try after a silence.
    "retry_timeout": ANSWER - timedelta(seconds=1),
}
"""obstore's own choice is ten times in three minutes, which no request can wait."""


def open_bucket(options: ObstoreOptions) -> "BucketClients":
    """
    Return the clients of a bucket; no request is sent yet.

    Raises:
        ValueError: obstore does not accept the options; other errors of obstore may
            come, too.
    """
    config: S3Config = {}
    client: ClientConfig = {"connect_timeout": CONNECT}
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

    def within(limits: "ClientConfig") -> S3Store:
        return S3Store.from_url(
            options.url,
            config=config,
            client_options={**client, **limits},
            retry_config=RETRIES,
        )

    return BucketClients(
        small=within({"timeout": ANSWER}),
        reads=within({"timeout": READ, "read_timeout": ANSWER}),
        writes=within({"timeout": SEND}),
    )


@attrs.frozen(kw_only=True)
class BucketClients:
    """
    The clients of one bucket, each with the time limit for one kind of request.

    Attributes:
        small: The client of requests that are answered at once.
        reads: The client of requests that read the bytes of objects.
        writes: The client of requests that send bytes or change many objects.
    """

    small: S3Store
    reads: S3Store
    writes: S3Store


class BucketStorage(ObstoreStorage):
    """
    Stores objects in an S3 bucket.

    It also implements SupportsObjectUrl and SupportsPresignedRead, but not
    SupportsCopy, since obstore's copies keep the content type of their source, nor
    SupportsPresignedWrite, since its addresses bind neither a content type nor a
    length.
    """

    def __init__(self, bucket: BucketClients, *, url: str, work_dir: Path) -> None:
        super().__init__(bucket.small, url=url, work_dir=work_dir)
        self._reads, self._writes = bucket.reads, bucket.writes
        self._bucket = bucket.small
        self._takes_bulk = True

    @property
    def can_presign(self) -> bool:
        """Return true, because obstore signs addresses with whatever key it has."""
        return True

    def presigned_url(self, path: str, *, valid_s: int) -> str:
        """Return a signed address for GETs of an object, valid for ``valid_s`` seconds."""
        self._check(path)
        with self._answers():
            valid = timedelta(seconds=valid_s)
            return obstore.sign(self._bucket, "GET", path, valid)

    def _delete(self, paths: list[str]) -> None:
        if self._takes_bulk:
            try:
                super()._delete(paths)
            except UnavailableError as exc:
                if not has_no_bulk(exc.__cause__):
                    raise
            else:
                return
        with self._answers():
            remove_each(self._bucket, paths, answer=ANSWER, limit=SEND)
        self._takes_bulk = False

    def _attributes(self, content_type: str) -> dict[str, str]:
        return {"Content-Type": content_type}
