"""
What the schema says of its columns: which of them hold something personal.
"""

import sqlalchemy as sa

from hvcore.persistence.tables import label_totals, metadata
from hvcore.persistence.tables.columns import HOLDS, PERSONAL, StorableText
from hvcore.persistence.videos.personal_data import (
    EMPTIED,
    REMOVED,
    REWRITTEN,
    UNLISTED,
)
from hvcore_analytics_sql import tables as analytics
from hvcore_cloud_ladders.spending import SpendingTables
from hvcore_queue_sql import tables as queue

CLASSES = {"id", "kind", "setting", "personal", "account", "secret"}
ALL = (
    metadata,
    analytics.metadata,
    queue.metadata,
    SpendingTables("hv_google").metadata,
)


def test_every_column_of_text_says_what_it_holds() -> None:
    unclassed = [
        str(column)
        for one in ALL
        for table in one.tables.values()
        for column in table.columns
        if isinstance(
            column.type, StorableText | sa.Text | sa.String | sa.LargeBinary | sa.JSON
        )
        and column.info.get(HOLDS) not in CLASSES
    ]

    assert unclassed == [], "give each its info; see hvcore.persistence.tables.columns"


def test_every_personal_column_is_of_a_table_that_purges_know() -> None:
    personal = {
        table
        for table in metadata.tables.values()
        if any(column.info == PERSONAL for column in table.columns)
    }

    # Of label_totals the rows go that no video has any more.
    assert personal == {*EMPTIED, *REMOVED, *REWRITTEN, *UNLISTED, label_totals}


def test_no_plugin_keeps_anything_personal_of_a_video() -> None:
    assert [
        str(column)
        for one in ALL[1:]
        for table in one.tables.values()
        for column in table.columns
        if column.info == PERSONAL
    ] == []
