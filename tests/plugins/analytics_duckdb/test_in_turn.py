"""
Files of all videos come slice by slice: complete, in order, and with few sums in memory.
"""

import random
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from itertools import product
from pathlib import Path

import attrs
import pytest

from hvcore.domain.analytics.segments import DateRange
from hvcore.domain.analytics.video_counts import (
    RankedVideos,
    VideoCount,
    VideoLength,
    VideosInTurn,
)
from hvcore.domain.ids import EnvId, VideoId
from hvcore.testing.analytics.served import NOON, ORG, batch, in_env, segment
from hvcore.testing.analytics.videos import KnownLengths
from hvcore_analytics_duckdb import backend, in_turn
from hvcore_analytics_duckdb.backend import DuckdbAnalytics
from hvcore_analytics_duckdb.engine import DuckdbEngine
from hvcore_analytics_duckdb.parquet_store import ParquetStore

VIDEOS = 120
SLICE = 24
RANGES = (
    DateRange(),
    DateRange(first=date(2026, 1, 5), last=date(2026, 1, 20)),
    DateRange(first=date(2026, 1, 10), last=date(2026, 1, 10)),
    DateRange(first=date(2027, 1, 1)),
)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[DuckdbEngine]:
    shelf = ParquetStore(tmp_path / "counts")
    made = DuckdbEngine(shelf, threads=1, memory_mb=128, spill_dir=tmp_path / "spill")
    yield made
    made.close()


@pytest.fixture
def store(
    tmp_path: Path, engine: DuckdbEngine, monkeypatch: pytest.MonkeyPatch
) -> DuckdbAnalytics:
    monkeypatch.setattr(backend, "TAIL_ROWS", 70)
    monkeypatch.setattr(in_turn, "SLICE_VIDEOS", SLICE)
    monkeypatch.setattr(in_turn, "_SAMPLED", 12)
    made = DuckdbAnalytics(ParquetStore(tmp_path / "counts"), engine)
    made.prepare()
    return made


@pytest.fixture
def lengths(store: DuckdbAnalytics) -> KnownLengths:
    """
    The lengths of videos that were served on days of January, most of them on one day.
    """
    known = KnownLengths()
    chance = random.Random(3)  # noqa: S311 - no secrets
    first = datetime(2026, 1, 1, 12, tzinfo=NOON.tzinfo)
    served = []
    for number in range(VIDEOS):
        video = f"vid_{number * 7919 % 1000:03}"
        # One is not ready yet, and has no length.
        if number != 7:
            known.change(video, 4.0 + number, env="dev")
        days = {9, *(chance.randrange(31) for _ in range(number % 3))}
        served += [
            segment(video, env="dev", at=first + timedelta(days=day)) for day in days
        ]
    for number, start in enumerate(range(0, len(served), 50)):
        store.write(batch(*served[start : start + 50], file=f"{number}.log"))
    return known


def asked_for(days: DateRange, *, by_day: bool, limit: int) -> VideosInTurn:
    return VideosInTurn(
        org_id=ORG, env_id=EnvId("dev"), days=days, by_day=by_day, limit=limit
    )


def parts_of(
    store: DuckdbAnalytics, lengths: KnownLengths, asked: VideosInTurn
) -> list[Sequence[VideoCount]]:
    found = []
    while part := store.in_turn(asked, lengths):
        found.append(part)
        asked = attrs.evolve(asked, after=part[-1])
    return found


def test_slices_of_a_file_join_into_all_videos(
    store: DuckdbAnalytics, lengths: KnownLengths
) -> None:
    for days, by_day, limit in product(RANGES, (False, True), (5, 1_000)):
        whole = RankedVideos(scope=in_env("dev"), days=days, by_day=by_day, limit=1_000)
        parts = parts_of(store, lengths, asked_for(days, by_day=by_day, limit=limit))

        assert [one for part in parts for one in part] == sorted(
            store.ranked(whole, lengths),
            key=lambda one: (one.day or date.min, one.video_id),
        )
        # A shorter part ends a file.
        assert {len(part) for part in parts[:-1]} <= {limit}


@pytest.mark.parametrize("by_day", [False, True])
def test_no_slice_of_a_file_has_many_sums(
    store: DuckdbAnalytics,
    lengths: KnownLengths,
    engine: DuckdbEngine,
    monkeypatch: pytest.MonkeyPatch,
    by_day: bool,  # noqa: FBT001 - of parametrize
) -> None:
    real, sums = engine.ask_tables, list[int]()

    def counted(state: object, question: str, *rest: object) -> object:
        rows = real(state, question, *rest)  # type: ignore[arg-type]  # passed on
        if question.startswith("CREATE TABLE"):
            sums.extend(number for (number,) in rows)
        return rows

    monkeypatch.setattr(engine, "ask_tables", counted)

    parts_of(store, lengths, asked_for(DateRange(), by_day=by_day, limit=7))

    assert len(sums) >= VIDEOS // SLICE
    # The bounds are those of a sample.
    assert max(sums) <= 2 * SLICE


def test_files_that_are_read_beside_one_another_add_up_each_slice_once(
    store: DuckdbAnalytics,
    lengths: KnownLengths,
    engine: DuckdbEngine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real, made = engine.ask_tables, list[object]()

    def counted(state: object, question: str, *rest: object) -> object:
        if question.startswith("CREATE TABLE"):
            made.append(rest)
        return real(state, question, *rest)  # type: ignore[arg-type]  # passed on

    monkeypatch.setattr(engine, "ask_tables", counted)
    ranges = [
        DateRange(first=date(2026, 1, day), last=date(2026, 1, 20))
        for day in range(1, 9)
    ]
    files = [asked_for(days, by_day=False, limit=40) for days in ranges]

    for _ in range(3):
        parts = [store.in_turn(asked, lengths) for asked in files]
        files = [
            attrs.evolve(asked, after=part[-1])
            for asked, part in zip(files, parts, strict=True)
        ]

    assert len(made) == len({repr(one) for one in made}) > len(files)


def test_a_file_asks_for_the_lengths_of_its_parts_alone(
    store: DuckdbAnalytics, lengths: KnownLengths
) -> None:
    class Told(KnownLengths):
        def changed(
            self, since: datetime | None, after: VideoId, limit: int
        ) -> Sequence[VideoLength]:
            raise AssertionError("all lengths are asked for")

    told = Told()
    told._known = lengths._known

    parts = parts_of(store, told, asked_for(DateRange(), by_day=False, limit=50))

    assert [one.length_s for one in parts[0]] == [
        lengths.of([one.video_id]).get(one.video_id, 0.0) for one in parts[0]
    ]


def test_segments_that_come_amid_a_file_are_in_what_follows(
    store: DuckdbAnalytics, lengths: KnownLengths
) -> None:
    asked = asked_for(DateRange(), by_day=False, limit=40)
    first = store.in_turn(asked, lengths)
    behind = f"{first[-1].video_id}_late"
    many = [segment("vid_000", env="dev")] * 3 + [segment(behind, env="dev")]

    # So many that the latest counts become another file meanwhile.
    for number in range(30):
        store.write(batch(*many, file=f"late-{number}.log"))
    rest = parts_of(store, lengths, attrs.evolve(asked, after=first[-1]))

    ids = [one.video_id for part in (first, *rest) for one in part]
    assert ids == sorted(set(ids))
    assert len(ids) == VIDEOS + 1
    assert next(one for one in rest[0] if one.video_id == behind).segments == 30


def test_a_range_is_read_again_after_the_database_was_opened_anew(
    store: DuckdbAnalytics, lengths: KnownLengths, engine: DuckdbEngine
) -> None:
    asked = asked_for(RANGES[1], by_day=False, limit=5)
    before = store.in_turn(asked, lengths)

    engine.close()

    assert len(before) == 5
    assert store.in_turn(asked, lengths) == before
