"""
The settings of obstore.
"""

import io
from collections.abc import Mapping
from pathlib import Path

import pytest

from hvcore.plugin_api import ConfigError, UnavailableError
from hvcore.ports.storage import (
    ObjectNotFoundError,
    SupportsCopy,
    SupportsPresignedRead,
)
from hvcore_storage_obstore.backend import make_storage
from hvcore_storage_obstore.files import MARK
from hvcore_storage_obstore.options import ObstoreOptions


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"url": "/var/videos"}, "url must be"),
        ({"url": "file://host/videos"}, "url must be"),
        ({"url": "memory:///"}, "url must be"),
        ({"url": "gs://bucket"}, "url must be"),
        ({"url": "s3:///no-bucket"}, "url must be"),
        ({"url": "s3://bucket/a?b"}, "neither"),
        ({"url": "s3://bucket", "key": "k"}, "go together"),
        ({"url": "s3://bucket", "secret": "s"}, "go together"),
        ({"url": "file:///videos", "region": "r"}, "s3:// only"),
    ],
)
def test_what_cannot_be_meant_is_refused(options: Mapping[str, str], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        ObstoreOptions(**options)


def test_secrets_are_not_shown() -> None:
    options = ObstoreOptions(url="s3://bucket", key="AKIA123", secret="hush")

    assert "AKIA123" not in repr(options)
    assert "hush" not in repr(options)


def test_a_url_is_not_taken_for_another(tmp_path: Path) -> None:
    """
    The escapes of an address of files are those of URLs.
    """
    options = ObstoreOptions(url=f"file://{tmp_path}/a%20b")
    storage = make_storage(options, work_dir=tmp_path)
    storage.write("v/a", io.BytesIO(b"data"), content_type="video/mp4")

    assert (tmp_path / "a b" / "v" / "a").read_bytes() == b"data"
    assert not isinstance(storage, SupportsPresignedRead | SupportsCopy)


def test_a_file_in_place_of_the_folder_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "store").write_bytes(b"")
    options = ObstoreOptions(url=f"file://{tmp_path}/store")

    with pytest.raises(UnavailableError, match="cannot be used"):
        make_storage(options, work_dir=tmp_path)


def test_the_mark_of_the_folder_is_no_object(tmp_path: Path) -> None:
    options = ObstoreOptions(url=f"file://{tmp_path}/store")
    storage = make_storage(options, work_dir=tmp_path)

    with pytest.raises(ValueError, match="not a path"):
        storage.stat(".obstore")
    with pytest.raises(ValueError, match="not a path"):
        storage.delete_tree(".obstore")


@pytest.mark.parametrize("path", ["v/a#b", "v/a%2fb", "v/a\\b", "v/é", "v/[a]"])
def test_a_path_that_stores_would_read_in_two_ways_is_none(
    tmp_path: Path, path: str
) -> None:
    storage = make_storage(
        ObstoreOptions(url=f"file://{tmp_path}/store"), work_dir=tmp_path
    )

    with pytest.raises(ValueError, match="not a path of an object"):
        storage.stat(path)


def test_a_path_of_removed_objects_is_free_for_one(tmp_path: Path) -> None:
    """
    A folder that stayed would be in its way.
    """
    options = ObstoreOptions(url=f"file://{tmp_path}/store")
    storage = make_storage(options, work_dir=tmp_path)
    storage.write("v/1/a", io.BytesIO(b"data"), content_type="video/mp4")
    storage.delete_tree("v/1")
    storage.write("v/1", io.BytesIO(b"now an object"), content_type="video/mp4")

    assert storage.stat("v/1").size_bytes == 13
    with pytest.raises(ObjectNotFoundError):
        storage.stat("v/1/a")


def test_the_bucket_is_not_asked_for_when_it_is_named(tmp_path: Path) -> None:
    """
    A process starts while the store is down.
    """
    options = ObstoreOptions(url="s3://bucket/prefix", endpoint="http://127.0.0.1:1")
    storage = make_storage(options, work_dir=tmp_path)

    assert isinstance(storage, SupportsPresignedRead)


@pytest.mark.parametrize("url", ["s3://no bucket/prefix", "s3://bucket/a//prefix"])
def test_an_address_that_obstore_refuses_is_an_error_of_the_settings(
    tmp_path: Path, url: str
) -> None:
    options = ObstoreOptions(url=url)

    with pytest.raises(ConfigError, match=r"storage\.options"):
        make_storage(options, work_dir=tmp_path)


def test_a_folder_that_goes_amid_a_walk_is_not_the_end_of_the_walk(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "store"
    storage = make_storage(ObstoreOptions(url=folder.as_uri()), work_dir=tmp_path)
    storage.write("v/one", io.BytesIO(b"data"), content_type="video/mp4")
    walk = storage.walk("v/")
    next(walk)

    (folder / MARK).unlink()

    with pytest.raises(UnavailableError, match=r"^The storage's folder is gone\.$"):
        next(walk)


def test_a_walk_of_a_folder_that_is_gone_names_no_object(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    storage = make_storage(ObstoreOptions(url=folder.as_uri()), work_dir=tmp_path)
    storage.write("v/one", io.BytesIO(b"data"), content_type="video/mp4")
    (folder / MARK).unlink()

    with pytest.raises(UnavailableError, match=r"^The storage's folder is gone\.$"):
        next(storage.walk("v/"))


@pytest.mark.parametrize("path", [MARK, f"{MARK}/below"])
def test_the_mark_of_a_folder_is_no_object(tmp_path: Path, path: str) -> None:
    url = (tmp_path / "store").as_uri()
    storage = make_storage(ObstoreOptions(url=url), work_dir=tmp_path)

    with pytest.raises(ValueError, match="not a path of an object"):
        storage.write(path, io.BytesIO(b"data"), content_type="video/mp4")
