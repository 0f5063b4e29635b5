"""
Spool files: a segment that was taken back does not count, wherever that is read.
"""

from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeAlias

import attrs
from hypothesis import given
from hypothesis import strategies as st

from hvcore.domain.analytics.segments import SegmentPlace, SegmentServed
from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.spool import Spool, encode_taken_back, lines, opened, spool_files, tally

MIDNIGHT = datetime(2026, 1, 3, tzinfo=UTC)
PLACES = [
    SegmentPlace(
        org_id=OrgId("org_a"),
        env_id=EnvId("dev-1"),
        video_id=VideoId("vid_1"),
        height_px=height_px,
    )
    for height_px in (360, 720)
]

Counted: TypeAlias = tuple[SegmentServed, bool]
"""A segment, and whether it was taken back."""

counted = st.tuples(
    st.builds(
        SegmentServed,
        place=st.sampled_from(PLACES),
        at=st.integers(-90_000, 90_000).map(
            lambda ms: MIDNIGHT + timedelta(milliseconds=ms)
        ),
    ),
    st.booleans(),
)


def minute_of(at: datetime) -> int:
    return int(at.timestamp()) // 60


@given(st.lists(counted, max_size=20), st.data())
def test_what_was_taken_back_sums_up_wherever_a_file_is_cut(
    all_counted: list[Counted], data: st.DataObject
) -> None:
    written = [lines.encode(one).rstrip(b"\n") for one, _ in all_counted]
    for one, is_taken_back in all_counted:
        if is_taken_back:
            # Anywhere behind its segment, or even before: another file's reader.
            place = data.draw(st.integers(0, len(written)))
            written.insert(place, encode_taken_back(lines.encode(one)).rstrip(b"\n"))
    cut = data.draw(st.integers(0, len(written)))
    chunks = [tally.read_lines(part) for part in (written[:cut], written[cut:])]

    left = [one for one, is_taken_back in all_counted if not is_taken_back]
    by_day: Counter[object] = Counter()
    by_minute: Counter[object] = Counter()
    for chunk in chunks:
        assert chunk.damaged == 0
        assert all(count.segments for count in (*chunk.counts, *chunk.minutes))
        for count in chunk.counts:
            by_day[count.place, count.day] += count.segments
        for minute in chunk.minutes:
            by_minute[minute.place, minute.minute] += minute.segments
    # Counters that differ in zeros only are equal.
    assert by_day == Counter((one.place, one.at.date()) for one in left)
    assert by_minute == Counter((one.place, minute_of(one.at)) for one in left)


def test_a_segment_that_was_taken_back_at_once_is_not_there(tmp_path: Path) -> None:
    own = Spool(tmp_path)
    one = SegmentServed(place=PLACES[0], at=MIDNIGHT)
    own.append(one, one)
    own.write(encode_taken_back(lines.encode(one)), segments=1)
    own.close()
    (path,) = spool_files(tmp_path)
    with opened(path) as file:
        chunk = file.read(0)

    assert chunk is not None
    assert [count.segments for count in chunk.noted.counts] == [1]
    assert [count.segments for count in chunk.noted.minutes] == [1]
    assert chunk.noted.damaged == 0


def test_what_was_taken_back_by_a_newer_version_is_skipped() -> None:
    of_another_kind = attrs.evolve(PLACES[0], video_id=VideoId("vid_1 and more"))
    segment = SegmentServed(place=of_another_kind, at=MIDNIGHT)
    line = encode_taken_back(lines.encode(segment))

    noted = tally.read_lines([line.rstrip(b"\n")])

    assert (noted.counts, noted.minutes, noted.damaged) == ((), (), 0)
