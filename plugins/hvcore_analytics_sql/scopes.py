"""Build the SQL conditions for the rows of a scope and of some days."""

import sqlalchemy as sa
from sqlalchemy import Table

from hvcore.plugin_api import DateRange, Scope, VideoScope


def in_scope(table: Table, scope: Scope) -> "list[sa.ColumnElement[bool]]":
    """Return the SQL conditions for the rows of a scope in a table."""
    columns = table.c
    if isinstance(scope, VideoScope):
        return [columns.video_id == scope.video_id]
    return [columns.org_id == scope.org_id, columns.env_id.in_(scope.env_ids)]


def within(
    table: Table, scope: Scope, days: DateRange
) -> "list[sa.ColumnElement[bool]]":
    """Return the SQL conditions for the rows of a scope on some days in a table."""
    conditions = in_scope(table, scope)
    if days.first is not None:
        conditions.append(table.c.day >= days.first)
    if days.last is not None:
        conditions.append(table.c.day <= days.last)
    return conditions
