"""
Files of measured processes: joined once there are many, and never with holes.
"""

import errno
import os
from pathlib import Path

import pytest
from prometheus_client.mmap_dict import MmapedDict

from hvcore.metrics.process_files import FIRST_BYTES, AllocatedDict, join_ended

ENDED = [2**22 + n for n in range(1, 4)]
"""Numbers that no process has."""


def write(folder: Path, name: str, **values: float) -> Path:
    path = folder / name
    file = AllocatedDict(str(path))
    for key, value in values.items():
        file.write_value(key, value, 0.0)  # type: ignore[no-untyped-call]
    file.close()  # type: ignore[no-untyped-call]
    return path


def read(path: Path) -> dict[str, float]:
    found = MmapedDict.read_all_values_from_file(str(path))  # type: ignore[no-untyped-call]
    return {key: value for key, value, _, _ in found}


@pytest.mark.parametrize(("most", "is_joined"), [(2, True), (3, False)])
def test_files_of_ended_processes_are_joined_once_there_are_more_than_so_many(
    tmp_path: Path, most: int, *, is_joined: bool
) -> None:
    for number in ENDED:
        write(tmp_path, f"counter_{number}.db", a=1.0, **{f"of_{number}": 2.0})

    join_ended(tmp_path, most=most)

    names = sorted(path.name for path in tmp_path.iterdir())
    if is_joined:
        assert names == ["counter_ended.db"]
        assert read(tmp_path / names[0]) == {
            "a": 3.0,
            **{f"of_{number}": 2.0 for number in ENDED},
        }
    else:
        assert names == [f"counter_{number}.db" for number in ENDED]


def test_files_of_running_processes_stay_and_each_kind_is_joined_for_itself(
    tmp_path: Path,
) -> None:
    stays = [
        write(tmp_path, f"counter_{os.getpid()}.db", a=10.0),
        write(tmp_path, "counter_1.db", a=10.0),
        write(tmp_path, "histogram_other.db", a=10.0),
    ]
    for times in (1, 2):
        write(tmp_path, f"counter_{ENDED[0]}.db", a=1.0)
        write(tmp_path, f"histogram_{ENDED[1]}.db", a=5.0)

        join_ended(tmp_path, most=0)

        joined = set(tmp_path.iterdir()) - set(stays)
        assert {path.name: read(path) for path in joined} == {
            "counter_ended.db": {"a": 1.0 * times},
            "histogram_ended.db": {"a": 5.0 * times},
        }
    assert [read(path) for path in stays] == [{"a": 10.0}] * 3


@pytest.mark.parametrize("values", [0, 1, 1000, 3000])
def test_a_file_has_its_bytes_on_the_disk_and_is_for_its_owner_alone(
    tmp_path: Path, values: int
) -> None:
    path = write(tmp_path, "a_1.db", **{f"key {n:04}": 1.0 * n for n in range(values)})

    found = path.stat()
    assert found.st_mode & 0o777 == 0o600
    assert found.st_size in {FIRST_BYTES << n for n in range(4)}
    assert found.st_blocks * 512 >= found.st_size
    assert read(path) == {f"key {n:04}": 1.0 * n for n in range(values)}


def test_a_file_that_the_disk_has_no_room_for_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fallocate(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", fallocate)

    with pytest.raises(OSError, match="No space left"):
        write(tmp_path, "a_1.db")

    assert list(tmp_path.iterdir()) == []
