"""Update the stored totals of videos in the transactions that change videos."""

from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import cache
from typing import Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection

from hvcore.domain.access.quotas import month_number
from hvcore.domain.analytics.video_counts import VideoLength
from hvcore.domain.ids import VideoId
from hvcore.domain.videos.states import LISTED_STATES, VideoState, was_uploaded
from hvcore.domain.videos.video import Video
from hvcore.persistence.access.quota_use import QuotaUseChanges
from hvcore.persistence.rows import encoding_settings, indexed_terms
from hvcore.persistence.statements import begin_insert
from hvcore.persistence.tables import EPOCH, video_totals, video_uploads, videos
from hvcore.persistence.videos.label_index import (
    LabelIndex,
    Labelled,
    labelled,
    labelled_as,
)
from hvcore.persistence.videos.lengths import store_lengths

_DAY: Final = timedelta(days=1)
_LISTED: Final = frozenset(state.value for state in LISTED_STATES)
_STORED: Final = sa.select(
    videos.c.org_id,
    videos.c.env_id,
    videos.c.state,
    videos.c.settings,
    videos.c.duration_s,
    videos.c.job_id,
    videos.c.media_bytes,
    videos.c.bin_state,
    videos.c.created_at,
    videos.c.labels,
).where(
    videos.c.id == sa.bindparam("wanted"),
    videos.c.version == sa.bindparam("of_version"),
)


class _Group(NamedTuple):
    """The videos that are counted in one row."""

    org_id: str
    env_id: str
    state: str
    preset: str


class _Counted(NamedTuple):
    """A video as the totals have it."""

    group: _Group
    duration_s: float
    is_upload: bool
    stored_bytes: int
    labelled: Labelled

    @property
    def duration_ms(self) -> int:
        """The duration in whole milliseconds, as the totals add it up."""
        return duration_ms(self.duration_s)

    @property
    def is_ready(self) -> bool:
        """Whether the video's source was made into its published media."""
        return self.group.state == VideoState.READY.value

    @property
    def is_deleted(self) -> bool:
        """Whether the video is deleted, in the bin or for good."""
        return self.group.state == VideoState.DELETED.value


class _Day(NamedTuple):
    """The uploads that are counted in one row."""

    org_id: str
    env_id: str
    day: int


class TotalChanges:
    """
    Collect changes of the video totals in a transaction; write them right before its commit.

    Args:
        use: Collects the same transaction's changes of the organizations' quota use.
    """

    def __init__(
        self,
        connection: Connection,
        use: QuotaUseChanges,
        now: Callable[[], datetime],
    ) -> None:
        self._connection = connection
        self._use = use
        self._now = now
        self._videos: defaultdict[_Group, int] = defaultdict(int)
        self._durations_ms: defaultdict[_Group, int] = defaultdict(int)
        self._uploads: Counter[_Day] = Counter()
        self._first_at: dict[_Day, datetime] = {}
        self._labels = LabelIndex(connection)
        self._lengths: dict[VideoId, VideoLength] = {}

    def add(self, video: Video) -> None:
        """Count a new video in the totals."""
        counted = _counted(video)
        self._count(counted, 1)
        self._note_length(video, 0.0)
        self._labels.move(None, counted.labelled)
        self._use.store(video.org_id, counted.stored_bytes)
        if counted.is_upload:
            self._count_upload(video)

    def move(self, video: Video) -> bool:
        """
        Move a changed video from its old totals to its new ones; call this before it is stored.

        Returns:
            False, with nothing counted, if another version of the video is stored.
        """
        stored = self._stored(video.id, video.version)
        if stored is None:
            return False
        counted = _counted(video)
        self._count(stored, -1)
        self._count(counted, 1)
        self._note_length(video, stored.duration_s)
        self._labels.move(stored.labelled, counted.labelled)
        self._use.store(video.org_id, counted.stored_bytes - stored.stored_bytes)
        # What comes back from the bin was encoded, and counted, before.
        if counted.is_ready and not (stored.is_ready or stored.is_deleted):
            month = month_number(self._now())
            self._use.encode(video.org_id, month, counted.duration_ms)
        # What was uploaded stays so.
        if counted.is_upload and not stored.is_upload:
            self._count_upload(video)
        return True

    def flush(self) -> None:
        """
        Write the collected changes of the totals.

        The rows stay locked until the commit, and many transactions change them: so call this
        last. They are written in one order, so that two transactions never deadlock.
        """
        for group in sorted(self._videos):
            count, duration_ms = self._videos[group], self._durations_ms[group]
            if count or duration_ms or group.state in _LISTED:
                self._store(group, count, duration_ms)
        for day in sorted(self._uploads):
            self._store_uploads(day, self._uploads[day], self._first_at[day])
        self._labels.flush()
        store_lengths(self._connection, self._lengths)
        for changes in (
            self._videos,
            self._durations_ms,
            self._uploads,
            self._first_at,
            self._lengths,
        ):
            changes.clear()

    def _count(self, counted: _Counted, sign: int) -> None:
        self._videos[counted.group] += sign
        self._durations_ms[counted.group] += sign * counted.duration_ms

    def _note_length(self, video: Video, before_s: float) -> None:
        # The last one stays when the media go: reports go on after a deletion.
        if video.duration_s > 0 and video.duration_s != before_s:
            self._lengths[video.id] = VideoLength(
                org_id=video.org_id,
                env_id=video.env_id,
                video_id=video.id,
                length_s=video.duration_s,
                changed_at=self._now(),
            )

    def _count_upload(self, video: Video) -> None:
        day = _Day(video.org_id, video.env_id, day_number(video.created_at))
        self._uploads[day] += 1
        known = self._first_at.get(day, video.created_at)
        self._first_at[day] = min(known, video.created_at)

    def _stored(self, video_id: VideoId, version: int) -> _Counted | None:
        # Needs no lock: what a version holds never changes, and the update
        # that follows finds no row if somebody saved in between.
        wanted = {"wanted": video_id, "of_version": version}
        row = self._connection.execute(_STORED, wanted).one_or_none()
        if row is None:
            return None
        preset = encoding_settings(row.settings).preset.value
        group = _Group(row.org_id, row.env_id, row.state, preset)
        is_upload = was_uploaded(VideoState(row.state), row.job_id)
        is_stored = VideoState.READY.value in {row.state, row.bin_state}
        stored_bytes = row.media_bytes if is_stored else 0
        found = labelled_as(
            *(row.org_id, row.env_id, video_id, row.created_at, row.state),
            indexed_terms(row.labels),
        )
        return _Counted(group, row.duration_s, is_upload, stored_bytes, found)

    def _store(self, group: _Group, count: int, duration_ms_: int) -> None:
        row = group._asdict() | {"videos": count, "duration_ms": duration_ms_}
        dialect = self._connection.dialect.name
        self._connection.execute(_adding_totals(dialect), row | {"changes": 1})

    def _store_uploads(self, day: _Day, count: int, first_at: datetime) -> None:
        row = day._asdict() | {"videos": count, "first_at": first_at}
        self._connection.execute(_adding_uploads(self._connection.dialect.name), row)


@cache
def _adding_totals(dialect: str) -> postgresql.Insert | sqlite.Insert:
    table = video_totals.c
    statement = begin_insert(dialect, video_totals)
    new = statement.excluded
    return statement.on_conflict_do_update(
        index_elements=list(video_totals.primary_key),
        set_={
            "videos": table.videos + new.videos,
            "duration_ms": table.duration_ms + new.duration_ms,
            "changes": table.changes + new.changes,
        },
    )


@cache
def _adding_uploads(dialect: str) -> postgresql.Insert | sqlite.Insert:
    table = video_uploads.c
    statement = begin_insert(dialect, video_uploads)
    new = statement.excluded
    return statement.on_conflict_do_update(
        index_elements=list(video_uploads.primary_key),
        set_={
            "videos": table.videos + new.videos,
            # Bytes may come in another order than their grants were given.
            "first_at": sa.case(
                (new.first_at < table.first_at, new.first_at),
                else_=table.first_at,
            ),
        },
    )


def day_number(moment: datetime) -> int:
    """Return the UTC day of a moment as the table of uploads by day stores it: the number of days since 1970."""
    return (moment - EPOCH) // _DAY


def duration_ms(duration_s: float) -> int:
    """Return a duration in whole milliseconds, the unit in which totals are stored."""
    return round(duration_s * 1000)


def _counted(video: Video) -> _Counted:
    group = _Group(
        video.org_id, video.env_id, video.state.value, video.settings.preset.value
    )
    is_upload = was_uploaded(video.state, video.job_id)
    return _Counted(
        group,
        video.duration_s,
        is_upload,
        video.quota_bytes,
        labelled(video),
    )
