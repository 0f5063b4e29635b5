"""The choices of the operator of a local MediaConvert."""

from pathlib import Path
from typing import Final

import attrs

ACCOUNT_ID: Final = "000000000000"
"""Of every name (ARN) that the server makes."""


@attrs.frozen(kw_only=True)
class KeyPair:
    """An access key and its secret."""

    access_key: str
    secret: str = attrs.field(repr=False)

    @classmethod
    def parse(cls, text: str) -> "KeyPair":
        """
        Read ``ID:SECRET``.

        Raises:
            ValueError: It is not of that form; the text is not repeated.
        """
        access_key, found, secret = text.partition(":")
        if not access_key or not found or not secret:
            raise ValueError("a key must be written as ID:SECRET")
        return cls(access_key=access_key, secret=secret)


@attrs.frozen(kw_only=True)
class LocalMediaConvertConfig:
    """
    The settings with which a local MediaConvert runs.

    Attributes:
        access_keys: Those whose signatures are taken; none: every signature is.
        s3_endpoint: Of the store where inputs and outputs lie; empty: AWS itself.
        s3_key: For that store; None: boto3 looks where it always does.
        state: The file that keeps jobs over a restart; None: they live in memory.
        work_dir: Where jobs keep what they make until it is in the bucket.
        max_encodes: How many jobs are worked on at a time.
        max_waiting: How many jobs may wait; one more is refused.
        max_input_bytes: A larger input ends its job.
        events_url: Where changes of jobs are posted; empty: nowhere.
        events_header: Sent with them, as ``Name: value``.
        control: Whether tests may move the clock and order errors.
    """

    region: str = "us-east-1"
    access_keys: tuple[KeyPair, ...] = ()
    s3_endpoint: str = ""
    s3_key: KeyPair | None = None
    state: Path | None = None
    work_dir: Path | None = None
    max_encodes: int = 1
    max_waiting: int = 1000
    max_input_bytes: int = 10 * 1024**3
    encoder_preset: str = "veryfast"
    ffmpeg: Path | None = None
    ffprobe: Path | None = None
    events_url: str = ""
    events_header: str = attrs.field(default="", repr=False)
    control: bool = False

    def arn(self, kind: str, name: str) -> str:
        """Return the name of a thing of this server in all of AWS."""
        return f"arn:aws:mediaconvert:{self.region}:{ACCOUNT_ID}:{kind}/{name}"
