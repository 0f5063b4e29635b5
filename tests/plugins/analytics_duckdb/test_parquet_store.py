"""
The folder of files that holds counts: what is written through, kept, copied and refused.
"""

import os
import re
import stat
import time
from pathlib import Path

import pytest

from hvcore.plugin_api import ConfigError, UnavailableError
from hvcore_analytics_duckdb.parquet_store import (
    RETIRED_RETENTION_S,
    ParquetFile,
    ParquetStore,
    StoreState,
)

NOW = 1_800_000_000.0
PART = ParquetFile(name="part-1.parquet", rows=2)


@pytest.fixture
def files(tmp_path: Path) -> ParquetStore:
    made = ParquetStore(tmp_path / "counts")
    made.prepare()
    return made


@pytest.fixture
def filled(files: ParquetStore) -> ParquetStore:
    """
    A store with a tail and a part, which replaced an older tail.
    """
    for name in ("tail-1.csv", "tail-2.csv", PART.name):
        files.new_file(name, name.encode())
    with files.locked():
        old = files.replace(files.read(), tail="tail-1.csv", tail_rows=1)
        files.replace(old, tail="tail-2.csv", tail_rows=3, parts=(PART,))
    return files


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[int | str]:
    """
    The size of each file, or ``folder``, at the moment of an ``fsync``.
    """
    found: list[int | str] = []

    def fsync(descriptor: int) -> None:
        now = os.fstat(descriptor)
        found.append("folder" if stat.S_ISDIR(now.st_mode) else now.st_size)

    monkeypatch.setattr(os, "fsync", fsync)
    return found


def set_clock(monkeypatch: pytest.MonkeyPatch, now: float) -> None:
    monkeypatch.setattr(time, "time", lambda: now)


def whole(text: str) -> str:
    return f"^{re.escape(text)}$"


def test_a_new_file_of_counts_is_written_through(
    files: ParquetStore, synced: list[int | str]
) -> None:
    files.new_file("tail-1.csv", b"counts")

    assert synced == [len(b"counts")]


def test_a_file_that_duckdb_wrote_is_written_through(
    files: ParquetStore, synced: list[int | str]
) -> None:
    (files.folder / PART.name).write_bytes(b"counts")

    files.keep(PART.name)

    assert synced == [len(b"counts")]


def test_a_replaced_state_and_its_name_are_written_through(
    files: ParquetStore, synced: list[int | str]
) -> None:
    with files.locked():
        files.replace(files.read(), positions={"one.log": 5})

    assert synced == [(files.folder / "current.json").stat().st_size, "folder"]


def test_each_state_has_the_next_generation(files: ParquetStore) -> None:
    with files.locked():
        first = files.replace(files.read(), tail_rows=1)
        second = files.replace(first, tail_rows=2)

    assert [first.generation, second.generation] == [1, 2]
    assert files.read() == second


def test_a_store_that_is_prepared_again_keeps_its_state(filled: ParquetStore) -> None:
    before = filled.read()

    filled.prepare()

    assert filled.read() == before


@pytest.mark.parametrize(
    ("age_s", "is_kept"),
    [(RETIRED_RETENTION_S, True), (RETIRED_RETENTION_S + 1, False)],
)
def test_a_replaced_file_stays_for_a_minute(
    files: ParquetStore, monkeypatch: pytest.MonkeyPatch, *, age_s: int, is_kept: bool
) -> None:
    files.new_file("tail-1.csv", b"counts")
    set_clock(monkeypatch, NOW)
    with files.locked():
        old = files.replace(files.read(), tail="tail-1.csv")
        old = files.replace(old, tail="")
        set_clock(monkeypatch, NOW + age_s)

        new = files.replace(old, tail_rows=0)

    assert new.retired == ({"tail-1.csv": NOW} if is_kept else {})
    assert (files.folder / "tail-1.csv").exists() is is_kept


def test_a_replaced_file_that_is_gone_already_is_forgotten(
    files: ParquetStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_clock(monkeypatch, NOW)
    with files.locked():
        old = files.replace(files.read(), tail="tail-1.csv")
        old = files.replace(old, tail="")
        set_clock(monkeypatch, NOW + RETIRED_RETENTION_S + 1)

        assert files.replace(old, tail_rows=0).retired == {}


@pytest.mark.parametrize("has_links", [True, False])
def test_a_copy_of_counts_has_the_files_of_the_present_state(
    filled: ParquetStore,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    has_links: bool,
) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    if not has_links:
        # As on two file systems.
        monkeypatch.setattr(Path, "hardlink_to", refuse)

    filled.copy_to(copy)

    assert {path.name: path.read_text() for path in copy.glob("*-*")} == {
        "tail-2.csv": "tail-2.csv",
        PART.name: PART.name,
    }
    assert ParquetStore(copy).read().retired == {}
    assert ParquetStore(copy).read().names == filled.read().names


def refuse(*_: object) -> None:
    raise OSError


def test_a_copy_of_counts_becomes_an_empty_store(
    filled: ParquetStore, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    filled.copy_to(copy)
    for made in (ParquetStore(tmp_path / "new"), ParquetStore(tmp_path / "prepared")):
        if made.folder.name == "prepared":
            made.prepare()

        for _ in range(2):
            # Who breaks off does it again.
            made.take_from(copy)

        made.check()
        assert made.read() == ParquetStore(copy).read()
        assert made.data_of(PART.name) == PART.name.encode()


def test_a_copy_of_counts_replaces_no_others(
    filled: ParquetStore, files: ParquetStore, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    filled.copy_to(copy)
    with files.locked():
        kept = files.replace(files.read(), tail_rows=9)

    told = (
        f"{files.folder} has counts already, which are kept. Move its content away, or "
        "name another folder in analytics.options.duckdb.folder."
    )
    with pytest.raises(ConfigError, match=whole(told)):
        files.take_from(copy)
    assert files.read() == kept


def test_a_store_says_which_file_is_missing(filled: ParquetStore) -> None:
    (filled.folder / "tail-2.csv").unlink()

    told = (
        f"{filled.folder / 'tail-2.csv'} is missing; restore the folder from a backup."
    )
    with pytest.raises(UnavailableError, match=whole(told)):
        filled.check()


def test_a_store_without_a_state_says_what_to_run(tmp_path: Path) -> None:
    files = ParquetStore(tmp_path)

    told = f"{tmp_path} holds no counts yet; run: hv migrate."
    with pytest.raises(UnavailableError, match=whole(told)):
        files.read()

    assert not files.is_prepared()


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"version": 2}', '{"version": 2, "parts": [{}]}']
)
def test_a_damaged_state_names_its_file(files: ParquetStore, text: str) -> None:
    (files.folder / "current.json").write_text(text)

    told = (
        f"{files.folder / 'current.json'} is damaged; restore the folder from a backup."
    )
    with pytest.raises(UnavailableError, match=whole(told)):
        files.read()


def test_a_file_that_cannot_be_read_names_the_folder(files: ParquetStore) -> None:
    told = (
        f"The counts in {files.folder} cannot be read or written: No such file or "
        "directory. Repair the folder, or name another one in "
        "analytics.options.duckdb.folder."
    )
    with pytest.raises(UnavailableError, match=whole(told)):
        files.data_of("tail-7.csv")


def test_a_store_without_a_tail_has_no_bytes_of_one(files: ParquetStore) -> None:
    assert files.data_of(files.read().tail) == b""
    assert StoreState().names == frozenset()
