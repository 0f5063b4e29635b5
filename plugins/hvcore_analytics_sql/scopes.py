"""Build the SQL conditions for the rows of a scope and of some days."""

import json
from collections.abc import Collection
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Table

from hvcore.plugin_api import DateRange, EnvId, Scope, VideoScope
from hvcore_analytics_sql.texts import is_one_of


def in_scope(table: Table, scope: Scope) -> "list[sa.ColumnElement[bool]]":
    """Return the SQL conditions for the rows of a scope in a table."""
    columns = table.c
    if isinstance(scope, VideoScope):
        return [columns.video_id == scope.video_id]
    return [columns.org_id == scope.org_id, is_in(columns.env_id, scope.env_ids)]


def is_in(
    env_id: "sa.ColumnElement[Any]", env_ids: Collection[EnvId]
) -> "sa.ColumnElement[bool]":
    """Return the SQL condition that an environment is one of some, in one parameter."""
    if len(env_ids) == 1:
        # Rows of one environment come in the order of an index.
        (only,) = env_ids
        return env_id == only
    # A statement has at most 32,766 parameters on SQLite, and there may be more.
    return is_one_of(env_id, sa.literal(json.dumps(sorted(env_ids))))


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
