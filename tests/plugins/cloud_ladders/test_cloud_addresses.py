"""
Sources and targets by the names that a cloud has for them, without signatures.
"""

from pathlib import Path

import pytest

from hvcore.plugin_api import NotAddressableError, PartTarget, Storage, Workspace
from hvcore_cloud_ladders.cloud_addresses import CloudAddresses, target_of
from hvcore_storage_fsspec.remote import RemoteStorage

SIGNED = "?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Signature=abc"


@pytest.fixture
def storage(tmp_path: Path) -> Storage:
    args: dict[str, object] = {"key": "k", "secret": "s"}
    return RemoteStorage("s3://films/here", args=args, work_dir=tmp_path)


@pytest.mark.parametrize(
    "address",
    [
        "https://films.s3.eu-central-1.amazonaws.com/here/uploads/a%20b/films/x.mp4",
        "https://s3.eu-central-1.amazonaws.com/films/here/uploads/a%20b/films/x.mp4",
        # A bucket is named by its host if a dot follows.
        "https://filmstore.example/films/here/uploads/a%20b/films/x.mp4",
        "/films/here/uploads/a%20b/films/x.mp4",
        "http://127.0.0.1:8080/films/here/uploads/a%20b/films/x.mp4",
    ],
)
def test_a_source_is_named_by_its_path_in_the_bucket(
    storage: Storage, address: str
) -> None:
    target = PartTarget(storage=storage, prefix="media/p0s1")

    plain = CloudAddresses(scheme="s3").source(address + SIGNED, target)
    renamed = CloudAddresses(scheme="gs", root="gs://alias/there/").source(
        address + SIGNED, target
    )

    assert plain == "s3://films/here/uploads/a b/films/x.mp4"
    assert renamed == "gs://alias/there/uploads/a b/films/x.mp4"


def test_a_target_is_where_the_storage_has_it(storage: Storage) -> None:
    target = PartTarget(storage=storage, prefix="media/p0s1")

    assert CloudAddresses(scheme="s3").target(target) == "s3://films/here/media/p0s1"
    renamed = CloudAddresses(scheme="gs", root="gs://alias").target(target)
    assert renamed == "gs://alias/media/p0s1"


def test_a_storage_that_the_cloud_cannot_reach_says_what_to_set(tmp_path: Path) -> None:
    storage = RemoteStorage("memory://here", args={}, work_dir=tmp_path)
    target = PartTarget(storage=storage, prefix="media/p0s1")

    with pytest.raises(NotAddressableError) as refused:
        CloudAddresses(scheme="s3", fix="set storage.options.url").target(target)

    assert "storage.options.url" in refused.value.log


@pytest.mark.parametrize(
    ("scheme", "root", "is_reached"),
    [
        ("s3", "", True),
        ("s", "", False),
        ("gs", "", False),
        ("gs", "gs://alias", True),
    ],
)
def test_a_cloud_reaches_a_storage_of_its_scheme_or_with_a_root(
    storage: Storage, *, scheme: str, root: str, is_reached: bool
) -> None:
    addresses = CloudAddresses(scheme=scheme, root=root, fix="set a root")
    target = PartTarget(storage=storage, prefix="media/p0s1")

    assert addresses.problem(target.url) == ("" if is_reached else "set a root")


def test_a_workspace_without_a_target_is_not_for_a_cloud(tmp_path: Path) -> None:
    workspace = Workspace(
        source=tmp_path, folder=tmp_path, report=print, check=lambda: None
    )

    with pytest.raises(NotAddressableError) as refused:
        target_of(workspace)

    assert refused.value.log == "this workspace has no target"
