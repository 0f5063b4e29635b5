"""Store the quotas of organizations, and read how much of them is used."""

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection, RowMapping

from hvcore.domain.access.quotas import (
    NO_LIMITS,
    EncodingWeight,
    QuotaLimits,
    QuotaUse,
    month_number,
)
from hvcore.domain.ids import JobId, OrgId
from hvcore.domain.videos.caption_jobs import CaptionJobState
from hvcore.domain.videos.states import VideoState
from hvcore.persistence.access.quota_use import QuotaUseChanges
from hvcore.persistence.statements import insert_into, is_storable
from hvcore.persistence.tables import (
    caption_jobs,
    environments,
    organization_limits,
    organization_months,
    organization_storage,
    transcode_jobs,
    video_totals,
    videos,
)

_TRANSCODING: Final = VideoState.TRANSCODING.value
_RUNNING: Final = CaptionJobState.RUNNING.value
_LIMITS: Final = sa.select(organization_limits).where(
    organization_limits.c.org_id == sa.bindparam("org_id")
)


class SqlQuotaRepository:
    """Store quotas in the database; see ports.repositories.access.quotas."""

    def __init__(
        self, connection: Connection, use: QuotaUseChanges, now: Callable[[], datetime]
    ) -> None:
        self._connection = connection
        self._changes = use
        self._now = now

    def limits(self, org_id: str) -> QuotaLimits:
        return self._limits(org_id, for_update=False)

    def hold(self, org_id: str) -> QuotaLimits:
        return self._limits(org_id, for_update=True)

    def hold_to_change(self, org_id: OrgId) -> QuotaLimits:
        # A row that is not there cannot be locked; a first change makes it.
        statement = insert_into(self._connection, organization_limits)
        self._connection.execute(
            statement.values(
                org_id=org_id, **_limits_to_row(NO_LIMITS)
            ).on_conflict_do_nothing(index_elements=[organization_limits.c.org_id])
        )
        return self.hold(org_id)

    def every_limit(self) -> Mapping[OrgId, QuotaLimits]:
        rows = self._connection.execute(sa.select(organization_limits)).mappings()
        return {OrgId(row["org_id"]): _limits_from_row(row) for row in rows}

    def set_limits(self, org_id: OrgId, limits: QuotaLimits) -> None:
        values = _limits_to_row(limits)
        statement = insert_into(self._connection, organization_limits)
        self._connection.execute(
            statement.values(org_id=org_id, **values).on_conflict_do_update(
                index_elements=[organization_limits.c.org_id], set_=values
            )
        )

    def use(self, org_id: str, month: int) -> QuotaUse:
        if not is_storable(org_id):
            return QuotaUse()
        return self._used(month, org_id).get(OrgId(org_id), QuotaUse())

    def every_use(self, month: int) -> Mapping[OrgId, QuotaUse]:
        return self._used(month, None)

    def count_heard(self, org_id: OrgId, sound_ms: int) -> None:
        self._changes.hear(org_id, month_number(self._now()), sound_ms)

    def begun_captions_ms(self, org_id: OrgId, month: int) -> int:
        job = caption_jobs.c
        heard_ms = (
            sa.select(organization_months.c.caption_ms)
            .where(
                organization_months.c.org_id == org_id,
                organization_months.c.month == month,
            )
            .scalar_subquery()
        )
        lacking_ms = (
            sa.select(
                sa.cast(sa.func.sum(job.duration_ms - job.done_ms), sa.BigInteger)
            )
            .select_from(caption_jobs)
            # Nobody goes on with those of videos that are deleted or have failed. Those in
            # the bin go on after a restore, without being asked again.
            .join(videos, videos.c.id == job.video_id)
            .where(
                job.org_id == org_id,
                job.state == _RUNNING,
                sa.or_(
                    videos.c.state == VideoState.READY.value,
                    videos.c.bin_ends_at > self._now(),
                ),
            )
            .scalar_subquery()
        )
        # In one statement: a window that ends meanwhile counts once.
        row = self._connection.execute(sa.select(heard_ms, lacking_ms)).one()
        return (row[0] or 0) + (row[1] or 0)

    def begun_ms(self, org_id: str, month: int, *, besides: JobId) -> int:
        length_s = _planned_s(self._connection)
        planned_s = (
            sa.select(sa.func.sum(length_s))
            .select_from(environments)
            # The index of states leads with the environment, too.
            .join(
                videos,
                sa.and_(
                    videos.c.org_id == environments.c.org_id,
                    videos.c.env_id == environments.c.id,
                    videos.c.state == _TRANSCODING,
                ),
            )
            .join(transcode_jobs, transcode_jobs.c.id == videos.c.job_id)
            .where(environments.c.org_id == org_id, transcode_jobs.c.id != besides)
            .scalar_subquery()
        )
        encoded_ms = (
            sa.select(organization_months.c.encoded_ms)
            .where(
                organization_months.c.org_id == org_id,
                organization_months.c.month == month,
            )
            .scalar_subquery()
        )
        # In one statement: the database answers as of one moment.
        row = self._connection.execute(sa.select(encoded_ms, planned_s)).one()
        return (row[0] or 0) + round(1000 * (row[1] or 0.0))

    def _limits(self, org_id: str, *, for_update: bool) -> QuotaLimits:
        if not is_storable(org_id):
            return NO_LIMITS
        statement = _LIMITS.with_for_update() if for_update else _LIMITS
        found = self._connection.execute(statement, {"org_id": org_id})
        row = found.mappings().one_or_none()
        return NO_LIMITS if row is None else _limits_from_row(row)

    def _used(self, month: int, org_id: str | None) -> Mapping[OrgId, QuotaUse]:
        found: dict[OrgId, dict[str, int]] = {}
        encoding = (
            sa.select(
                video_totals.c.org_id,
                sa.cast(sa.func.sum(video_totals.c.videos), sa.BigInteger).label(
                    "concurrent_encodes"
                ),
            )
            .where(video_totals.c.state == _TRANSCODING)
            .group_by(video_totals.c.org_id)
        )
        months = sa.select(
            organization_months.c.org_id,
            organization_months.c.encoded_ms,
            organization_months.c.delivered_bytes,
            organization_months.c.caption_ms,
        ).where(organization_months.c.month == month)
        for statement in (encoding, sa.select(organization_storage), months):
            if org_id is not None:
                statement = statement.where(  # noqa: PLW2901 - the same, for one
                    statement.selected_columns.org_id == org_id
                )
            for row in self._connection.execute(statement).mappings():
                values: dict[str, Any] = dict(row)
                found.setdefault(values.pop("org_id"), {}).update(values)
        return {org: QuotaUse(**values) for org, values in found.items()}


def encoding_weights(
    connection: Connection, org_ids: Collection[str]
) -> Mapping[str, EncodingWeight]:
    """Return the encoding weights of organizations by id: the scheduler shares the encoders between organizations by them."""
    columns = organization_limits.c
    statement = sa.select(
        columns.org_id, columns.weight, columns.concurrent_encodes
    ).where(columns.org_id.in_(org_ids))
    found = {
        org_id: EncodingWeight(weight=weight, concurrent_encodes=most)
        for org_id, weight, most in connection.execute(statement)
    }
    return {org_id: found.get(org_id, EncodingWeight()) for org_id in org_ids}


def _planned_s(connection: Connection) -> sa.ColumnElement[float]:
    if connection.dialect.name == "postgresql":
        text = "(transcode_jobs.order_json::json #>> '{source,duration_s}')"
        return sa.cast(sa.literal_column(text), sa.Float)
    path = sa.literal_column("'$.source.duration_s'", sa.Text)
    return sa.func.json_extract(transcode_jobs.c.order_json, path, type_=sa.Float)


def _limits_to_row(limits: QuotaLimits) -> Mapping[str, int | float | None]:
    return {
        "concurrent_encodes": limits.concurrent_encodes,
        "encoded_minutes_per_month": limits.encoded_minutes_per_month,
        "stored_bytes": limits.stored_bytes,
        "delivered_bytes_per_month": limits.delivered_bytes_per_month,
        "caption_minutes_per_month": limits.caption_minutes_per_month,
        "weight": limits.weight,
    }


def _limits_from_row(row: RowMapping) -> QuotaLimits:
    return QuotaLimits(
        concurrent_encodes=row["concurrent_encodes"],
        encoded_minutes_per_month=row["encoded_minutes_per_month"],
        stored_bytes=row["stored_bytes"],
        delivered_bytes_per_month=row["delivered_bytes_per_month"],
        caption_minutes_per_month=row["caption_minutes_per_month"],
        weight=row["weight"],
    )
