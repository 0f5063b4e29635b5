"""Download a job's input to this machine, from a bucket or from a web server."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import urllib3
from urllib3.exceptions import ConnectTimeoutError, HTTPError, NewConnectionError
from urllib3.util import Retry, Timeout

from hvcore_mediaconvert_local.errors import JobFailedError
from hvcore_mediaconvert_local.media_bucket import MediaBucket

_CHUNK_BYTES: Final = 256 * 1024
_CODE_OF: Final = {401: 3401, 403: 3403, 404: 3404, 410: 3404}
_FAILED: Final = 500
_FINE: Final = 200


class InputFetcher:
    """Download the inputs of jobs; thread-safe."""

    def __init__(self, bucket: MediaBucket, max_bytes: int) -> None:
        self._bucket = bucket
        self._max_bytes = max_bytes
        self._pool = urllib3.PoolManager(
            timeout=Timeout(connect=5, read=30),
            retries=Retry(connect=1, read=0, redirect=3, status=0, other=0),
        )

    def fetch(self, address: str, target: Path, check: Callable[[], None]) -> None:
        """
        Copy the input of a job into a local file.

        Args:
            check: Called regularly; raises if the job was canceled or the server stops.

        Raises:
            JobFailedError: The input cannot be downloaded.
        """
        if address.startswith("s3://"):
            bucket, _, key = address.removeprefix("s3://").partition("/")
            self._bucket.fetch(bucket, key, target)
            check()
            return
        shown = address.partition("?")[0]
        try:
            self._download(address, shown, target, check)
        except (NewConnectionError, ConnectTimeoutError) as exc:
            raise JobFailedError(3451, f"{shown} cannot be reached.") from exc
        except HTTPError as exc:
            is_unreachable = isinstance(
                getattr(exc, "reason", None), NewConnectionError | ConnectTimeoutError
            )
            raise JobFailedError(
                3451 if is_unreachable else 3450, f"{shown} cannot be read to its end."
            ) from exc

    def close(self) -> None:
        """Close the connections to web servers."""
        self._pool.clear()

    def _download(
        self, address: str, shown: str, target: Path, check: Callable[[], None]
    ) -> None:
        answer = self._pool.request("GET", address, preload_content=False)
        try:
            if answer.status != _FINE:
                code = 3450 if answer.status >= _FAILED else 3999
                raise JobFailedError(
                    _CODE_OF.get(answer.status, code), f"{shown}: HTTP {answer.status}"
                )
            got = 0
            with target.open("wb") as file:
                for chunk in answer.stream(_CHUNK_BYTES):
                    check()
                    got += len(chunk)
                    if got > self._max_bytes:
                        raise JobFailedError(
                            3999, f"{shown} has more than {self._max_bytes} bytes."
                        )
                    file.write(chunk)
        finally:
            # What is left unread would be taken for the next answer.
            answer.close()
