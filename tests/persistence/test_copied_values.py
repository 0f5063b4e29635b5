"""
Values as copies of databases have them: the same from SQLite and from PostgreSQL.
"""

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.errors import ConfigError
from hvcore.persistence.copying.found_tables import deleted_since, there_of
from hvcore.persistence.copying.values import (
    ColumnKind,
    Digest,
    from_canonical,
    kind_of,
    to_canonical,
)
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from tests.persistence.samples import NOW, video

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
WITH_ZONE = sa.DateTime(timezone=True)
VIENNA = timezone(timedelta(hours=1))


@pytest.mark.parametrize(
    ("kind", "value", "copied"),
    [
        (ColumnKind.INTEGER, 7, 7),
        (ColumnKind.INTEGER, True, 1),
        (ColumnKind.NUMBER, 1, 1.0),
        (ColumnKind.BOOLEAN, 0, False),
        (ColumnKind.TEXT, "é", "é"),
        (ColumnKind.BINARY, b"\x00\xff", "AP8="),
        (ColumnKind.DATE, date(2026, 1, 2), "2026-01-02"),
        (ColumnKind.MOMENT, NOON, "2026-01-02T12:00:00+00:00"),
        (ColumnKind.MOMENT, NOON.replace(tzinfo=None), "2026-01-02T12:00:00+00:00"),
        (ColumnKind.MOMENT, NOON.astimezone(VIENNA), "2026-01-02T12:00:00+00:00"),
        (ColumnKind.JSON, {"b": 1, "a": None}, '{"a": null, "b": 1}'),
    ],
)
def test_a_value_is_copied_in_one_form(
    kind: ColumnKind, value: object, copied: object
) -> None:
    found = to_canonical(kind, value, where="t.c")

    assert (type(found), found) == (type(copied), copied)


@pytest.mark.parametrize("kind", ColumnKind)
def test_null_stays_null(kind: ColumnKind) -> None:
    assert to_canonical(kind, None, where="t.c") is None
    assert from_canonical(kind, None, sa.Text()) is None


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (ColumnKind.INTEGER, "7"),
        (ColumnKind.INTEGER, 7.0),
        (ColumnKind.NUMBER, "1.5"),
        (ColumnKind.TEXT, 7),
        (ColumnKind.BINARY, "text"),
        (ColumnKind.DATE, "2026-01-02"),
        (ColumnKind.MOMENT, "2026-01-02"),
        (ColumnKind.JSON, {1, 2}),
    ],
)
def test_a_value_of_another_kind_names_its_column(
    kind: ColumnKind, value: object
) -> None:
    with pytest.raises(
        ConfigError, match=rf"videos\.name holds a value that is no {kind.value}\."
    ):
        to_canonical(kind, value, where="videos.name")


@pytest.mark.parametrize(
    ("kind", "copied", "type_", "value"),
    [
        (ColumnKind.INTEGER, 7, sa.Integer(), 7),
        (ColumnKind.BINARY, "AP8=", sa.LargeBinary(), b"\x00\xff"),
        (ColumnKind.DATE, "2026-01-02", sa.Date(), date(2026, 1, 2)),
        (ColumnKind.MOMENT, NOON.isoformat(), WITH_ZONE, NOON),
        (
            *(ColumnKind.MOMENT, NOON.isoformat(), sa.DateTime()),
            NOON.replace(tzinfo=None),
        ),
        (ColumnKind.JSON, '{"a": null}', sa.JSON(), {"a": None}),
    ],
)
def test_a_copied_value_becomes_what_its_column_takes(
    kind: ColumnKind, copied: object, type_: "sa.types.TypeEngine[Any]", value: object
) -> None:
    assert from_canonical(kind, copied, type_) == value


@pytest.mark.parametrize(
    ("type_", "kind"),
    [
        (sa.Boolean(), ColumnKind.BOOLEAN),
        (sa.BigInteger(), ColumnKind.INTEGER),
        (sa.Double(), ColumnKind.NUMBER),
        (sa.Text(), ColumnKind.TEXT),
    ],
)
def test_a_column_has_the_kind_of_its_type(
    type_: "sa.types.TypeEngine[Any]", kind: ColumnKind
) -> None:
    assert kind_of(type_, where="t.c") is kind


def test_a_type_that_both_databases_do_not_share_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"notes\.at has the type INTERVAL"):
        kind_of(sa.dialects.postgresql.INTERVAL(), where="notes.at")


def test_a_digest_is_one_of_rows_in_any_order() -> None:
    rows = [[1, "a"], [2, "b"], [2, "b"]]

    assert Digest.of(rows).text == Digest.of(reversed(rows)).text
    assert Digest.of(rows).rows == 3
    assert Digest.of(rows).text != Digest.of(rows[:2]).text
    assert len(Digest.of(rows).text) == 64


def test_videos_that_are_there_are_told_from_deleted_and_unknown_ones(
    engine: Engine, uow: SqlUnitOfWork
) -> None:
    there, deleted = video(), video(deleted_at=NOW)
    with uow.write() as work:
        for one in (there, deleted):
            work.videos.add(one)
        work.commit()

    with engine.connect() as connection:
        found = there_of(connection, [deleted.id, "vid_none", there.id])
        gone = deleted_since(connection, NOW)
        later = deleted_since(connection, NOW + timedelta(microseconds=1))

    assert found == [there.id]
    assert gone == [deleted.id]
    assert later == []
