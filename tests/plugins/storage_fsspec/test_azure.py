"""
A container to which others send bytes themselves, in Azure's own server.
"""

import io
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import urllib3
from azure.storage.blob import BlobType

from hvcore.plugin_api import (
    ConfigError,
    ObjectNotFoundError,
    SupportsPartedWrite,
    SupportsPresignedWrite,
    SupportsStagedWrite,
    UnavailableError,
)
from hvcore.ports.storage import SupportsPresignedRead
from hvcore_storage_fsspec.azure import MOST_BLOCK_BYTES, AzureStorage
from hvcore_storage_fsspec.backend import make_storage
from tests.support.stores.azure_store import (
    azure_container,
    connection_string,
    new_container,
)
from tests.support.stores.half_answers import PAGE, half_answering_server

pytestmark = pytest.mark.services
MP4 = "video/mp4"
DATA = b"0123456789"


@pytest.fixture
def name(azure_store: str) -> str:
    return new_container(azure_store)


@pytest.fixture
def container(azure_store: str, tmp_path: Path, name: str) -> AzureStorage:
    return _storage(
        tmp_path, name, connection_string=connection_string(azure_store), retry_total=0
    )


def _storage(folder: Path, name: str, **args: object) -> AzureStorage:
    made = make_storage(
        f"az://{name}/here", args=args, min_free_bytes=None, work_dir=folder
    )
    assert isinstance(made, AzureStorage)
    return made


def _address(container: AzureStorage, path: str, valid_s: int = 60) -> str:
    return container.write_address(
        path, content_type=MP4, size_bytes=10, valid_s=valid_s
    ).url


def _put(http: urllib3.PoolManager, url: str, data: bytes = DATA) -> int:
    return http.request("PUT", url, body=data, headers={"Content-Type": MP4}).status


def _is_there(container: AzureStorage, path: str) -> bool:
    try:
        container.stat(path)
    except ObjectNotFoundError:
        return False
    return True


def test_a_container_takes_bytes_from_others(container: AzureStorage) -> None:
    assert isinstance(container, SupportsPresignedWrite)
    assert isinstance(container, SupportsPartedWrite)
    assert isinstance(container, SupportsStagedWrite)
    assert isinstance(container, SupportsPresignedRead)
    assert container.can_presign_writes
    assert container.can_presign_parts
    assert container.can_presign


def test_without_a_key_nothing_can_be_signed(tmp_path: Path) -> None:
    made = _storage(tmp_path, "videos", account_name="acme", sas_token="sv=1&sig=x")

    assert not made.can_presign_writes
    assert not made.can_presign_parts
    assert not made.can_presign
    with pytest.raises(UnavailableError, match="no key"):
        _address(made, "a")


def test_the_container_must_be_there(azure_store: str, tmp_path: Path) -> None:
    made = _storage(
        tmp_path, "absent", connection_string=connection_string(azure_store)
    )

    for call in (made.ping, lambda: made.stat("a"), lambda: list(made.walk("a"))):
        with pytest.raises(UnavailableError, match="no such bucket"):
            call()


def test_what_is_sent_is_an_object_once_it_is_joined(
    container: AzureStorage, http: urllib3.PoolManager
) -> None:
    address = container.write_address(
        "a/b", content_type=MP4, size_bytes=10, valid_s=60
    )
    assert container.staged_write("a/b") is None

    assert _put(http, address.url) == 201
    assert not _is_there(container, "a/b")
    assert list(container.walk("a")) == []
    staged = container.staged_write("a/b")
    assert staged is not None
    assert [part.size_bytes for part in staged[1]] == [10]
    container.join_parts(*staged)

    assert container.stat("a/b").size_bytes == 10
    assert container.stat("a/b").content_type is None
    assert container.staged_write("a/b") is None
    assert (address.binds_type, address.binds_size) == (False, False)
    assert address.max_bytes == MOST_BLOCK_BYTES
    assert "sig=" not in repr(address)


def test_who_sends_last_wins(
    container: AzureStorage, http: urllib3.PoolManager
) -> None:
    _put(http, _address(container, "a"))
    _put(http, _address(container, "a"), b"others")

    staged = container.staged_write("a")
    assert staged is not None
    container.join_parts(*staged)
    with container.open("a") as file:
        assert file.read() == b"others"


def test_an_address_is_for_one_object_and_for_writing(
    container: AzureStorage, http: urllib3.PoolManager
) -> None:
    container.write("a/b", io.BytesIO(DATA), content_type=MP4)
    url = _address(container, "a/b")
    plain = url.partition("&comp=")[0]

    assert _put(http, url.replace("/a/b", "/a/c")) == 403
    assert http.request("GET", plain).status == 403
    assert http.request("DELETE", plain).status == 403


def test_an_address_says_how_long_it_is_good_for(
    container: AzureStorage, http: urllib3.PoolManager
) -> None:
    query = parse_qs(urlsplit(_address(container, "a")).query)
    assert query["sp"] == ["cw"]
    assert query["sr"] == ["b"]
    assert "se" in query

    assert _put(http, _address(container, "a", valid_s=-1)) == 403


def test_an_address_of_azure_itself_is_for_https_alone(tmp_path: Path) -> None:
    made = _storage(tmp_path, "videos", account_name="acme", account_key="a2V5")

    url = urlsplit(_address(made, "a/b"))

    assert url.netloc == "acme.blob.core.windows.net"
    assert url.path == "/videos/here/a/b"
    assert parse_qs(url.query)["spr"] == ["https"]


def test_an_object_is_read_by_its_address(
    container: AzureStorage, http: urllib3.PoolManager
) -> None:
    container.write("a/b", io.BytesIO(DATA), content_type=MP4)
    url = container.presigned_url("a/b", valid_s=60)

    answer = http.request("GET", url, headers={"Range": "bytes=2-4"})

    assert (answer.status, answer.data) == (206, b"234")
    assert _put(http, f"{url}&comp=block&blockid=MDAwMDA%3D") == 403


def test_an_object_has_the_type_that_it_was_given(
    container: AzureStorage, azure_store: str, name: str
) -> None:
    container.write("a", io.BytesIO(DATA), content_type=MP4)

    copied = container.copy("a", "b", content_type="video/iso.segment")

    assert container.stat("a").content_type == MP4
    assert copied.content_type == "video/iso.segment"
    found = azure_container(azure_store, name).get_blob_client("here/b")
    assert found.get_blob_properties().content_settings.content_type == (
        "video/iso.segment"
    )


def test_a_copy_of_what_has_changed_is_not_made(
    container: AzureStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    container.write("a", io.BytesIO(DATA), content_type=MP4)
    stat = container.stat

    def changes(path: str) -> object:
        found = stat(path)
        monkeypatch.undo()
        container.write("a", io.BytesIO(DATA[::-1]), content_type=MP4)
        return found

    monkeypatch.setattr(container, "stat", changes)

    with pytest.raises(UnavailableError, match="changed"):
        container.copy("a", "b", content_type=MP4)

    assert not _is_there(container, "b")


def test_parts_are_an_object_once_they_are_joined(
    container: AzureStorage, http: urllib3.PoolManager
) -> None:
    begun = container.begin_parts("a/b", content_type=MP4)
    assert [one.id for one in container.parted_writes("a/b")] == [begun.id]
    assert container.uploaded_parts(begun) == []
    for number, body in {2: b"y" * 7, 1: b"x" * 1000}.items():
        address = container.part_address(
            begun, number, size_bytes=len(body), valid_s=60
        )
        assert _put(http, address.url, body) == 201

    arrived = container.uploaded_parts(begun)
    assert [(p.number, p.size_bytes) for p in arrived] == [(1, 1000), (2, 7)]
    assert not _is_there(container, "a/b")
    container.join_parts(begun, arrived)

    with container.open("a/b") as file:
        assert file.read() == b"x" * 1000 + b"y" * 7
    assert list(container.parted_writes("a/b")) == []


def test_what_was_begun_in_parts_can_be_found_and_ended(
    container: AzureStorage, azure_store: str, name: str
) -> None:
    begun = container.begin_parts("a/b", content_type=MP4)
    other = container.begin_parts("a/bc", content_type=MP4)

    container.end_parts(begun)
    container.end_parts(begun)

    assert list(container.parted_writes("a/b")) == []
    assert [one.id for one in container.parted_writes("a/bc")] == [other.id]
    with pytest.raises(ObjectNotFoundError):
        container.uploaded_parts(begun)
    blobs = azure_container(azure_store, name).list_blobs(include=["uncommittedblobs"])
    assert [blob.name for blob in blobs] == ["here/a/bc"]


def test_parts_that_are_gone_cannot_be_joined(
    container: AzureStorage, http: urllib3.PoolManager
) -> None:
    begun = container.begin_parts("a", content_type=MP4)
    url = container.part_address(begun, 1, size_bytes=10, valid_s=60).url
    _put(http, url)
    arrived = container.uploaded_parts(begun)
    container.end_parts(begun)

    with pytest.raises(ObjectNotFoundError):
        container.join_parts(begun, arrived)


def test_parts_that_end_leave_an_object_alone(container: AzureStorage) -> None:
    container.write("a", io.BytesIO(DATA), content_type=MP4)
    begun = container.begin_parts("a", content_type=MP4)

    container.end_parts(begun)

    with container.open("a") as file:
        assert file.read() == DATA


def test_blocks_with_other_names_are_no_parts(
    container: AzureStorage, azure_store: str, name: str
) -> None:
    begun = container.begin_parts("a", content_type=MP4)
    blob = azure_container(azure_store, name).get_blob_client("here/a")
    blob.stage_block("other", DATA)

    assert container.uploaded_parts(begun) == []
    assert container.staged_write("a") is None
    assert container.delete_tree("a") in {0, 1}
    assert list(container.parted_writes("a")) == []


def test_nobody_keeps_an_object_by_a_lease_or_a_snapshot(
    container: AzureStorage, azure_store: str, name: str
) -> None:
    container.write("a/b", io.BytesIO(DATA), content_type=MP4)
    blob = azure_container(azure_store, name).get_blob_client("here/a/b")
    blob.create_snapshot()
    blob.acquire_lease()

    assert container.delete_tree("a") == 1

    assert not _is_there(container, "a/b")


def test_an_object_of_another_kind_is_removed(
    container: AzureStorage, azure_store: str, name: str
) -> None:
    client = azure_container(azure_store, name)
    client.upload_blob("here/a/b", DATA, blob_type=BlobType.APPENDBLOB)

    assert container.stat("a/b").size_bytes == 10
    assert container.delete_tree("a") == 1


def test_folders_of_accounts_that_have_them_are_no_objects(
    container: AzureStorage, azure_store: str, name: str
) -> None:
    client = azure_container(azure_store, name)
    client.upload_blob("here/a", b"", metadata={"hdi_isfolder": "true"})
    container.write("a/b", io.BytesIO(DATA), content_type=MP4)

    assert not _is_there(container, "a")
    assert [info.path for info in container.walk("a")] == ["a/b"]
    assert container.delete_tree("a") == 1
    assert list(client.list_blob_names()) == []


def test_what_is_missing_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "hvcore_storage_fsspec.azure", None)

    with pytest.raises(ConfigError, match=r"az:// needs more packages"):
        _storage(tmp_path, "videos", account_name="acme")


def test_a_page_in_the_place_of_azures_answers_is_an_outage(
    azure_store: str, tmp_path: Path, name: str
) -> None:
    with half_answering_server(azure_store) as half:
        half.answer = None
        container = _storage(
            tmp_path, name, connection_string=connection_string(half.url), retry_total=0
        )
        container.write("v/a", io.BytesIO(DATA), content_type=MP4)
        begun = container.begin_parts("v/b", content_type=MP4)
        calls = (
            lambda: container.stat("v/a"),
            lambda: list(container.walk("v")),
            lambda: container.delete_tree("v"),
            container.ping,
            lambda: container.open("v/a", start=0, end=5),
            lambda: container.write("v/a", io.BytesIO(DATA), content_type=MP4),
            lambda: container.begin_parts("v/b", content_type=MP4),
            lambda: container.uploaded_parts(begun),
            lambda: container.end_parts(begun),
            lambda: list(container.parted_writes("v/b")),
            lambda: container.copy("v/a", "v/c", content_type=MP4),
        )

        for half.answer in (PAGE, b"", b"<a/>"):
            for call in calls:
                with pytest.raises(UnavailableError, match=r"^The storage [dfi]"):
                    call()
