"""Count the stored totals of videos anew."""

import time
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from hvcore.domain.uploads.grants import IN_THE_STORE, GrantState
from hvcore.domain.videos.states import LISTED_STATES, VideoState
from hvcore.persistence.engine import MIGRATION_TIMEOUT_MS, writing
from hvcore.persistence.tables import (
    grants,
    organization_storage,
    video_totals,
    video_uploads,
    videos,
)
from hvcore.persistence.videos.label_index import index_again
from hvcore.persistence.videos.measuring import measure

# As domain.videos.states.was_uploaded decides.
_UPLOADED: Final = sa.or_(
    videos.c.state.in_([state.value for state in LISTED_STATES]),
    sa.and_(
        videos.c.state == VideoState.DELETED.value,
        videos.c.job_id.is_not(None),
    ),
)
# Spelled out: a bound divisor would make two groups of SELECT and GROUP BY.
_DAY: Final = sa.type_coerce(videos.c.created_at, sa.BigInteger).op("/")(
    sa.literal_column("86400000000")
)
_UPLOADS: Final = (
    sa.select(
        videos.c.org_id,
        videos.c.env_id,
        _DAY,
        sa.func.count(),
        sa.func.min(videos.c.created_at),
    )
    .where(_UPLOADED)
    .group_by(videos.c.org_id, videos.c.env_id, _DAY)
)
# The same rule as quota_bytes of videos and of grants.
_STORED_FILES: Final = sa.union_all(
    sa.select(videos.c.org_id, videos.c.media_bytes.label("quota_bytes")).where(
        sa.or_(
            videos.c.state == VideoState.READY.value,
            videos.c.bin_state == VideoState.READY.value,
        )
    ),
    sa.select(grants.c.org_id, grants.c.stored_bytes).where(
        grants.c.state.in_([GrantState.UPLOADED.value, GrantState.USED.value])
    ),
    sa.select(grants.c.org_id, sa.func.coalesce(grants.c.size_bytes, 0)).where(
        grants.c.state.in_([state.value for state in IN_THE_STORE])
    ),
).subquery("everything")
STORED: Final = sa.select(
    _STORED_FILES.c.org_id, sa.func.sum(_STORED_FILES.c.quota_bytes)
).group_by(_STORED_FILES.c.org_id)


def recount(engine: Engine) -> None:
    """
    Set the stored totals to what the videos and stored files add up to, in one transaction.

    Processes of this version may go on meanwhile; processes of a version without totals
    make the totals wrong again.

    Raises:
        UnavailableError: The database does not answer.
    """
    with writing(engine, timeout_ms=MIGRATION_TIMEOUT_MS) as connection:
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
        # Before the totals are locked, for which those wait who save a video.
        measure(connection)
        connection.commit()
    with writing(engine, timeout_ms=MIGRATION_TIMEOUT_MS) as connection:
        if connection.dialect.name == "postgresql":
            # A scan of all videos may take longer than a request.
            connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
            # Those who change totals wait: their changes come on top of the new
            # ones. SQLite has its one write lock already.
            # In the order in which those write.
            connection.exec_driver_sql(
                "LOCK TABLE video_totals, video_uploads, label_totals, "
                "organization_storage "
                "IN EXCLUSIVE MODE"
            )
        for table, counts in (
            (video_totals, video_counts(connection)),
            (video_uploads, _UPLOADS),
            (organization_storage, STORED),
        ):
            connection.execute(sa.delete(table))
            connection.execute(
                sa.insert(table).from_select(list(table.c.keys()), counts)
            )
        index_again(connection)
        connection.commit()


def video_counts(connection: Connection) -> sa.Select[Any]:
    """Return the statement that counts videos into the columns of the table ``video_totals``."""
    preset, milliseconds = _preset(connection), _milliseconds(connection)
    group = (videos.c.org_id, videos.c.env_id, videos.c.state, preset)
    # More than any changes that were counted: what others know of lists is old.
    changes = sa.literal_column(str(time.time_ns() // 1000), sa.BigInteger)
    counts = (sa.func.count(), sa.func.sum(milliseconds), changes)
    return sa.select(*group, *counts).group_by(*group)


def _preset(connection: Connection) -> sa.ColumnElement[str]:
    if connection.dialect.name == "postgresql":
        # Spelled out: a bound name would make two groups of SELECT and GROUP BY.
        return sa.literal_column("(videos.settings::json ->> 'preset')", sa.Text)
    return sa.func.json_extract(
        videos.c.settings, sa.literal_column("'$.preset'"), type_=sa.Text
    )


def _milliseconds(connection: Connection) -> sa.ColumnElement[int]:
    """Round as total_changes.duration_ms does: a half to the even neighbour."""
    exact = videos.c.duration_s * 1000
    whole = sa.cast(exact, sa.BigInteger)
    if connection.dialect.name == "postgresql":
        return whole
    # SQLite cuts off instead.
    rest = exact - whole
    half = sa.case((rest == sa.literal(0.5), whole % 2), else_=0)
    return whole + sa.case((rest > sa.literal(0.5), 1), else_=half)
