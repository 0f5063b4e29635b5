"""
The stores of which the makers have no S3 interface, and services that use them.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import attrs
import pytest
import urllib3

from hvcore.domain.uploads.grants import UploadGranted
from tests.services.conftest import MP4, World, make_world
from tests.services.uploads.direct import DATA
from tests.support.stores.azure_store import (
    blob_content,
    blob_names,
    environ_of_azure,
    new_container,
)
from tests.support.stores.faulty_store import FaultyStore, faulty_store
from tests.support.stores.google_store import (
    environ_of_google,
    google_content,
    google_names,
    new_google_bucket,
)


@attrs.frozen(kw_only=True)
class Bucket:
    """
    A place in a store that nobody else uses.

    Attributes:
        kind: ``azure`` or ``google``.
        mode: With which its addresses are given.
    """

    kind: str
    endpoint: str
    name: str

    @property
    def mode(self) -> str:
        return "on" if self.kind == "azure" else "auto"

    def environ(self, folder: Path, endpoint: str) -> Mapping[str, str]:
        if self.kind == "azure":
            return environ_of_azure(endpoint, self.name)
        return environ_of_google(folder, endpoint, self.name)

    def paths(self, prefix: str = "") -> Sequence[str]:
        """
        Name what lies there, past the storage's own code.
        """
        list_ = blob_names if self.kind == "azure" else google_names
        names = list_(self.endpoint, self.name, f"here/{prefix}")
        return [name.removeprefix("here/") for name in names]

    def content(self, path: str) -> bytes:
        read = blob_content if self.kind == "azure" else google_content
        return read(self.endpoint, self.name, f"here/{path}")


@attrs.frozen(kw_only=True)
class Site:
    """
    A service and its store, with a proxy between them and before the senders.
    """

    world: World
    store: FaultyStore
    bucket: Bucket

    def has_one_right_file(self, granted: UploadGranted) -> bool:
        video = self.world.video(granted.grant.video_id or "")
        paths = self.bucket.paths(granted.grant.path)
        return paths == [video.source_path] and self.bucket.content(paths[0]) == DATA


def new_bucket(kind: str, request: pytest.FixtureRequest) -> Bucket:
    endpoint = request.getfixturevalue(f"{kind}_store")
    make = new_container if kind == "azure" else new_google_bucket
    return Bucket(kind=kind, endpoint=endpoint, name=make(endpoint))


@contextmanager
def site_of(bucket: Bucket, folder: Path, mode: str | None = None) -> Iterator[Site]:
    with faulty_store(bucket.endpoint) as store:
        environ = {
            **bucket.environ(folder, store.url),
            "HV_UPLOADS__DIRECT": mode or bucket.mode,
        }
        with make_world(folder, environ) as world:
            yield Site(world=world, store=store, bucket=bucket)


def sent(granted: UploadGranted, data: bytes = DATA, content_type: str = MP4) -> bool:
    """
    Send to the address as the interface says, and return whether it was taken.
    """
    with urllib3.PoolManager(retries=False) as pool:
        status = pool.request(
            "PUT",
            granted.signed_url,
            body=data,
            headers={"Content-Type": content_type},
        ).status
    assert status in {200, 201, 403, 500, 503}
    return status < 300
