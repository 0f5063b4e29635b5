"""
The notes of viewers in the tallies of the edge.
"""

from collections import Counter
from datetime import date
from random import Random
from typing import Any

import pytest

from hvcore.domain.analytics.live import latest_seen
from hvcore_edge.served_notes import NamedSessions, read_notes
from hvcore_edge.tallies import (
    ServedNote,
    read_tally,
)
from tests.edge.written_tallies import (
    BEGAN,
    MINUTE,
    NAMES,
    NOTE,
    OTHER,
    PLACE,
    ms,
    tally,
)


def test_a_malformed_country_or_host_of_a_page_is_unknown() -> None:
    for told in (b" c=XX", b" c=ZZ", b" r=-a", b" r=203.0.113.7"):
        found = read_tally(tally(MINUTE, (PLACE + told, 1, 0, 0)))

        assert (found.damaged, len(found.counts)) == (False, 1)
        assert read_notes(found.notes, NamedSessions(NAMES)).origins == ()


def test_a_viewer_of_two_heights_is_one_and_goes_to_one_country() -> None:
    data = tally(MINUTE, (PLACE + NOTE, 2, 0, 5_678), (OTHER + NOTE, 1, 5_679, 5_679))

    found = read_notes(read_tally(data).notes, NamedSessions(NAMES))

    (seen,) = found.seen
    assert seen.session == NAMES.name_of("0123456789abcdef0123")
    assert seen.at == BEGAN + ms(5_679)
    assert {(one.value, one.segments) for one in found.origins} == {
        ("DE", 3),
        ("example.com", 3),
    }


def test_many_notes_say_what_each_of_them_does() -> None:
    random = Random(1)  # noqa: S311 - no secret
    midnight = (date(2026, 1, 2) - date(1970, 1, 1)).days * 24 * 60
    notes: list[ServedNote] = []
    for minute in (midnight - 1, midnight):
        records = [
            (
                b"org_a env-1 vid_a%d %d" % (number % 5, random.choice([720, 1080]))
                + random.choice([b"", b" s=%020x" % (number % 3)])
                + random.choice([b"", b" c=DE", b" c=FR r=a.test", b" r=b.test"]),
                random.randrange(1, 9),
                0,
                random.randrange(60_000),
            )
            for number in range(500)
        ]
        notes += read_tally(tally(minute, *records)).notes
    random.shuffle(notes)

    found = read_notes(notes, NamedSessions(NAMES))

    # As noting each by itself, and then the latest and the sums.
    alone = [read_notes([note], NamedSessions(NAMES)) for note in notes]
    assert len(found.seen) == 15
    assert set(found.seen) == set(latest_seen(one for a in alone for one in a.seen))
    sums = Counter[tuple[object, ...]]()
    for one in (one for a in alone for one in a.origins):
        sums[one.video_id, one.day, one.by, one.value] += one.segments
    told = {(o.video_id, o.day, o.by, o.value): o.segments for o in found.origins}
    assert told == sums
    assert len(found.origins) == len(told)
    assert len({day for _, day, _, _ in told}) == 2


@pytest.mark.parametrize("limit", [{"max_sessions": 2}, {"ttl_s": 0.0}])
def test_one_viewer_has_one_name_while_others_are_forgotten(
    limit: dict[str, Any],
) -> None:
    sessions = NamedSessions(NAMES, **limit)
    found = [
        read_notes(
            [
                ServedNote(BEGAN, place, b" s=%020x" % mark, 1)
                for place in (PLACE, OTHER)
            ],
            sessions,
        ).seen
        for mark in (1, 2, 3, 1)
    ]

    # Both heights are one session, whoever was forgotten before.
    assert [len(seen) for seen in found] == [1, 1, 1, 1]
    assert found[0] == found[3]
    assert len({seen[0].session for seen in found}) == 3
    # Two heights of who came last.
    assert len(sessions) == 2
