"""Read and write inputs and outputs in a bucket of S3 or a compatible store."""

from pathlib import Path
from typing import Any, Final

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from hvcore_mediaconvert_local.config import LocalMediaConvertConfig
from hvcore_mediaconvert_local.errors import JobFailedError

_TYPES: Final = {
    "cmfa": "audio/mp4",
    "cmfv": "video/mp4",
    "jpg": "image/jpeg",
    "m3u8": "application/vnd.apple.mpegurl",
    "mov": "video/quicktime",
    "mp4": "video/mp4",
    "mpd": "application/dash+xml",
    "ts": "video/mp2t",
}
_MISSING: Final = frozenset({"404", "NoSuchBucket", "NoSuchKey", "NotFound"})
_REFUSED: Final = frozenset({"401", "403", "AccessDenied", "SignatureDoesNotMatch"})
_REFUSED_KEYS: Final = frozenset({"InvalidAccessKeyId", "InvalidClientTokenId"})


class MediaBucket:
    """Read inputs from buckets and write outputs to them; thread-safe."""

    def __init__(self, config: LocalMediaConvertConfig) -> None:
        key = config.s3_key
        self._max_bytes = config.max_input_bytes
        self._s3: Any = boto3.client(
            "s3",
            endpoint_url=config.s3_endpoint or None,
            region_name=config.region,
            aws_access_key_id=key.access_key if key else None,
            aws_secret_access_key=key.secret if key else None,
            config=Config(
                # Names of buckets are no names of hosts at a store on this machine.
                s3={"addressing_style": "path" if config.s3_endpoint else "auto"},
                retries={"max_attempts": 3, "mode": "standard"},
                connect_timeout=5,
                read_timeout=60,
            ),
        )

    def fetch(self, bucket: str, key: str, target: Path) -> None:
        """
        Copy an object of the bucket into a local file.

        Raises:
            JobFailedError: The object is missing, not readable with these credentials,
                or too large.
        """
        try:
            size = self._s3.head_object(Bucket=bucket, Key=key)["ContentLength"]
            if size > self._max_bytes:
                raise JobFailedError(
                    1010, f"s3://{bucket}/{key} has more than {self._max_bytes} bytes"
                )
            self._s3.download_file(bucket, key, str(target))
        except (BotoCoreError, ClientError) as exc:
            raise _failure(exc, f"s3://{bucket}/{key}") from exc

    def store(self, bucket: str, key: str, source: Path) -> None:
        """
        Copy a local file into the bucket.

        Raises:
            JobFailedError: The bucket does not accept the file.
        """
        kind = _TYPES.get(source.suffix.lstrip("."), "application/octet-stream")
        try:
            with source.open("rb") as body:
                self._s3.upload_fileobj(
                    body, bucket, key, ExtraArgs={"ContentType": kind}
                )
        except (BotoCoreError, ClientError, boto3.exceptions.Boto3Error) as exc:
            raise _failure(exc, f"s3://{bucket}/{key}") from exc

    def close(self) -> None:
        """Close the connections to the store."""
        self._s3.close()


def _failure(exc: Exception, address: str) -> JobFailedError:
    # upload_fileobj wraps what went wrong.
    inner = exc if isinstance(exc, ClientError) else exc.__context__
    if not isinstance(inner, ClientError):
        return JobFailedError(1999, f"The store of {address} does not answer.")
    code = str(inner.response.get("Error", {}).get("Code", ""))
    if code in _MISSING:
        return JobFailedError(1404, f"{address} was not found.")
    if code in _REFUSED | _REFUSED_KEYS:
        return JobFailedError(1401, f"Access to {address} was refused.")
    return JobFailedError(1999, f"The store of {address} answered {code}.")
