"""
The storage that is reached through fsspec.
"""

import io
from pathlib import Path

import pytest
from fsspec.implementations.memory import MemoryFileSystem

from hvcore.plugin_api import ConfigError, UnavailableError
from hvcore_storage_fsspec.backend import make_storage
from hvcore_storage_fsspec.remote import RemoteStorage
from tests.support.stores.object_store import s3_client


def _make(url: str, work_dir: Path, **args: object) -> RemoteStorage:
    made = make_storage(url, args=args, min_free_bytes=None, work_dir=work_dir)
    assert isinstance(made, RemoteStorage)
    return made


def test_s3_keeps_the_content_type(s3_endpoint: str, tmp_path: Path) -> None:
    client = s3_client(s3_endpoint)
    client.create_bucket(Bucket="typed")
    storage = _make(
        "s3://typed", tmp_path, endpoint_url=s3_endpoint, key="k", secret="s"
    )

    storage.write("a/b", io.BytesIO(b"x"), content_type="video/webm")

    found = client.head_object(Bucket="typed", Key="a/b")
    assert found["ContentType"] == "video/webm"


def test_s3_copies_with_a_content_type_of_its_own(
    s3_endpoint: str, tmp_path: Path
) -> None:
    client = s3_client(s3_endpoint)
    client.create_bucket(Bucket="copied")
    storage = _make(
        "s3://copied", tmp_path, endpoint_url=s3_endpoint, key="k", secret="s"
    )
    storage.write("a/b", io.BytesIO(b"x"), content_type="application/octet-stream")

    storage.copy("a/b", "a/c", content_type="video/iso.segment")

    found = client.head_object(Bucket="copied", Key="a/c")
    assert found["ContentType"] == "video/iso.segment"


@pytest.mark.parametrize(("start", "end"), [(0, 4), (2, 4), (0, 99)])
def test_a_known_range_costs_one_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: int, end: int
) -> None:
    """
    And one more where fewer bytes come: are they all of the object?
    """
    storage = _make("memory://requests", tmp_path)
    storage.write("a/b", io.BytesIO(b"012345"), content_type="video/mp4")
    asked = []

    def note(name: str) -> None:
        request = getattr(MemoryFileSystem, name)

        def noted(*args: object, **kwargs: object) -> object:
            asked.append(name)
            return request(*args, **kwargs)

        monkeypatch.setattr(MemoryFileSystem, name, noted)

    note("info")
    note("cat_file")

    with storage.open("a/b", start=start, end=end) as file:
        data = file.read()

    assert data == b"012345"[start:end]
    assert asked == ["cat_file", "info"][: 2 if end > 6 else 1]


def test_a_bucket_that_is_missing_is_unavailable(
    s3_endpoint: str, tmp_path: Path
) -> None:
    storage = _make(
        "s3://missing/prefix",
        tmp_path,
        endpoint_url=s3_endpoint,
        key="k",
        secret="s",
    )

    with pytest.raises(UnavailableError, match="no such bucket"):
        storage.ping()
    with pytest.raises(UnavailableError, match="no such bucket"):
        storage.write("a", io.BytesIO(b"x"), content_type="video/mp4")


def test_a_server_that_does_not_answer_is_unavailable(tmp_path: Path) -> None:
    storage = _make(
        "s3://bucket",
        tmp_path,
        endpoint_url="http://127.0.0.1:9",
        key="k",
        secret="s",
        config_kwargs={"retries": {"max_attempts": 1}},
    )

    with pytest.raises(UnavailableError, match="does not answer"):
        storage.ping()
    with pytest.raises(UnavailableError, match="does not answer"):
        storage.stat("a")


def test_nothing_stays_in_the_work_folder(tmp_path: Path) -> None:
    storage = _make("memory://cleaned", tmp_path)

    storage.write("a", io.BytesIO(b"x"), content_type="video/mp4")

    assert list(tmp_path.iterdir()) == []


def test_a_pattern_is_no_path(tmp_path: Path) -> None:
    storage = _make("memory://patterns", tmp_path)

    with pytest.raises(ValueError, match="not a path"):
        storage.delete_tree("a*")


@pytest.mark.parametrize("url", ["nonsense://x"])
def test_an_unknown_protocol_is_a_configuration_error(url: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"storage\.options"):
        _make(url, tmp_path)


def test_a_large_object_is_read_whole_in_a_few_requests(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = _make("memory://whole", tmp_path)
    data = bytes(9 * 1024 * 1024)
    storage.write("a", io.BytesIO(data), content_type="video/mp4")
    asked = []
    answer = MemoryFileSystem.cat_file

    def ask(fs: MemoryFileSystem, *args: object, **more: object) -> bytes:
        asked.append(more)
        return bytes(answer(fs, *args, **more))

    monkeypatch.setattr(MemoryFileSystem, "cat_file", ask)
    with storage.open("a") as file:
        found = file.read()

    assert len(found) == len(data)
    assert len(asked) == 2
