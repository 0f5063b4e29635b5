"""The settings of the local MediaConvert."""

from pathlib import Path
from typing import Final

import attrs

ACCOUNT_ID: Final = "000000000000"
"""The AWS account id in every ARN that the server makes."""


@attrs.frozen(kw_only=True)
class KeyPair:
    """Hold an access key and its secret."""

    access_key: str
    secret: str = attrs.field(repr=False)

    @classmethod
    def parse(cls, text: str) -> "KeyPair":
        """
        Read a key from a text of the form ``ID:SECRET``.

        Raises:
            ValueError: The text has another form. The error does not repeat the text.
        """
        access_key, found, secret = text.partition(":")
        if not access_key or not found or not secret:
            raise ValueError("a key must be written as ID:SECRET")
        return cls(access_key=access_key, secret=secret)


@attrs.frozen(kw_only=True)
class LocalMediaConvertConfig:
    """
    Hold the settings with which a local MediaConvert runs.

    Attributes:
        region: The AWS region in the ARNs of this server.
        access_keys: The keys whose signatures are accepted; if there are none, every
            signature is accepted.
        s3_endpoint: The address of the store with inputs and outputs; "" for AWS S3.
        s3_key: The key for that store; None to let boto3 find one.
        state: The file that keeps jobs over a restart; None to keep them in memory.
        work_dir: The folder for a job's files until they are in the bucket; None for the
            system's folder of temporary files.
        max_encodes: The most jobs that are worked on at a time.
        max_waiting: The most jobs that may wait; further jobs are refused.
        max_input_bytes: The largest input; a larger one fails its job.
        encoder_preset: The preset of the encoders, such as ``veryfast``.
        events_url: The address to which changes of jobs are posted; "" for none.
        events_header: A header that is sent with them, as ``Name: value``; "" for none.
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
        """Return the ARN of a job, queue, preset or job template of this server."""
        return f"arn:aws:mediaconvert:{self.region}:{ACCOUNT_ID}:{kind}/{name}"
