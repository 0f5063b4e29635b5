"""
A real hv-mediaconvert in a process of its own, with a bucket beside it.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import attrs
import boto3
import psutil
from botocore.config import Config

from tests.support.live import Answer, request, until
from tests.support.stores.object_store import (
    KEY,
    SECRET,
    SWIFT_KEY,
    SWIFT_SECRET,
    s3_client,
)

ENDED: Final = ("COMPLETE", "CANCELED", "ERROR")
ACCESS_KEY: Final = "AKIALOCAL"
ACCESS_SECRET: Final = "local-secret"
STOPS_WITHIN_S: Final = 20
PROGRAM: Final = (sys.executable, "-m", "hvcore_mediaconvert_local.main")
CONTRIB: Final = Path(__file__).parents[3] / "contrib"
"""The folder with the package of the server, which is in no wheel of hvcore."""


@attrs.frozen(kw_only=True)
class LocalServer:
    """
    A server that runs, and clients of it.
    """

    address: str
    s3_endpoint: str
    process: "subprocess.Popen[str]"

    def client(self, secret: str = ACCESS_SECRET, access_key: str = ACCESS_KEY) -> Any:  # noqa: ANN401 - boto3 has no types
        """
        An unchanged boto3 client; refusals are not tried again.
        """
        return boto3.client(
            "mediaconvert",
            endpoint_url=self.address,
            region_name="us-east-1",
            aws_access_key_id=access_key,
            aws_secret_access_key=secret,
            config=Config(retries={"total_max_attempts": 1}),
        )

    def order(self, what: str, **wanted: object) -> Answer:
        """
        Send a control request; ``_`` in names stands for ``-``.
        """
        body = {name.replace("_", "-"): value for name, value in wanted.items()}
        return request(
            "POST",
            f"{self.address}/_local/{what}",
            data=json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )

    def ended(self, job_id: str, within_s: float = 60) -> dict[str, Any]:
        """
        Wait until a job has ended, and return it.
        """
        client = self.client()

        def look() -> dict[str, Any] | None:
            job: dict[str, Any] = client.get_job(Id=job_id)["Job"]
            return job if job["Status"] in ENDED else None

        found: Any = until(look, within_s=within_s, what="the end of the job")
        return dict(found)

    def keys(self, bucket: str) -> list[str]:
        """
        What a bucket has.
        """
        found = s3_client(self.s3_endpoint).list_objects_v2(Bucket=bucket)
        return sorted(entry["Key"] for entry in found.get("Contents", []))

    def fetched(self, bucket: str, folder: Path) -> Path:
        """
        Copy what jobs have made into a folder.
        """
        s3 = s3_client(self.s3_endpoint)
        made = folder / "made"
        made.mkdir()
        for key in self.keys(bucket):
            if key.startswith("made/"):
                s3.download_file(bucket, key, str(folder / key))
        return made

    def kill(self) -> None:
        """
        End all of its processes at once, as when the machine stops.
        """
        first = psutil.Process(self.process.pid)
        # It starts no further ones while the others are looked up.
        first.suspend()
        for process in [*first.children(recursive=True), first]:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        self.process.wait()

    def stop(self) -> int:
        """
        End it as an operator does; returns its exit status.
        """
        self.process.terminate()
        return self.process.wait(STOPS_WITHIN_S)


@contextmanager
def local_server(
    s3_endpoint: str, *options: str | Path, is_swift: bool = False
) -> Iterator[LocalServer]:
    """
    Run a server until the block ends.

    Args:
        is_swift: The store is Swift, whose keys have colons in them.
    """
    command = [*PROGRAM, "--port", "0"]
    command += ["--s3-endpoint", s3_endpoint, "--control", *map(str, options)]
    environ = {
        **os.environ,
        "PYTHONPATH": str(CONTRIB),
        "MEDIACONVERT_ACCESS_KEY": f"{ACCESS_KEY}:{ACCESS_SECRET}",
    }
    if is_swift:
        environ |= {
            "AWS_ACCESS_KEY_ID": SWIFT_KEY,
            "AWS_SECRET_ACCESS_KEY": SWIFT_SECRET,
        }
    else:
        environ["MEDIACONVERT_S3_KEY"] = f"{KEY}:{SECRET}"
    with subprocess.Popen(
        [*command, "--preset", "ultrafast"],
        stdout=subprocess.PIPE,
        text=True,
        env=environ,
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert "listens at" in line, line
            yield LocalServer(
                address=line.split()[-1], s3_endpoint=s3_endpoint, process=process
            )
        finally:
            process.terminate()
            process.wait(STOPS_WITHIN_S)
