"""
Lists of a storage's objects, as backups keep them in files.
"""

import gzip
import json
from pathlib import Path

import pytest

from hvcore.errors import ConfigError
from hvcore.services.backups.object_list import ListedObject, ObjectList
from tests.support.media_samples import BytesStorage

A = ListedObject(path="media/vid_a/1.m4s", size_bytes=3, content_type="video/mp4")
B = ListedObject(path="uploads/grant_b/file", size_bytes=4)


def list_of(*objects: ListedObject) -> ObjectList:
    made = ObjectList()
    for one in objects:
        made.add(one)
    return made


def read_back(path: Path) -> list[ListedObject]:
    with ObjectList() as own:
        own.read(path)
        return list(own)


def test_a_written_list_is_read_by_paths(tmp_path: Path) -> None:
    with list_of(B, A) as own:
        own.write(tmp_path / "objects.gz")

    assert read_back(tmp_path / "objects.gz") == [A, B]


def test_equal_lists_are_equal_files(tmp_path: Path) -> None:
    for name, objects in (("one", (A, B)), ("other", (B, A))):
        with list_of(*objects) as own:
            own.write(tmp_path / name)

    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()


def test_a_list_never_takes_the_place_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "objects.gz").write_bytes(b"other")

    with list_of(A) as own, pytest.raises(FileExistsError):
        own.write(tmp_path / "objects.gz")


@pytest.mark.parametrize(
    "line",
    [
        '{"path": "media/../../etc/passwd", "size_bytes": 1}',
        '{"path": "/etc/passwd", "size_bytes": 1}',
        '{"path": "media/a"}',
        '{"path": "media/a", "size_bytes": 1, "more": 2}',
        "no JSON",
    ],
)
def test_a_list_that_names_no_object_is_damaged(tmp_path: Path, line: str) -> None:
    path = tmp_path / "objects.gz"
    path.write_bytes(gzip.compress(line.encode()))

    with pytest.raises(
        ConfigError, match=r"objects\.gz is damaged; use another backup"
    ):
        read_back(path)


def test_a_list_that_is_cut_off_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "objects.gz"
    text = json.dumps({"path": A.path, "size_bytes": 3})
    path.write_bytes(gzip.compress(text.encode())[:-9])

    with pytest.raises(ConfigError, match="use another backup"):
        read_back(path)


def test_objects_of_other_lengths_are_missing_and_unknown_ones_are_counted() -> None:
    storage = BytesStorage()
    storage.objects = {A.path: b"123", B.path: b"12345", "media/vid_c/1.m4s": b"1"}
    gone = ListedObject(path="media/vid_d/1.m4s", size_bytes=1)

    with list_of(A, B, gone) as own:
        own.find_in(storage)

        assert list(own.missing()) == [gone, B]
        assert own.totals() == (3, 8)
        assert own.unlisted() == 1


def test_a_later_object_of_one_path_takes_the_place_of_the_earlier_one() -> None:
    with list_of(A, ListedObject(path=A.path, size_bytes=9)) as own:
        assert own.totals() == (1, 9)
