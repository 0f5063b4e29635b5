"""Build the SQL conditions of the filters that hold beside what is said."""

from collections.abc import Sequence

import sqlalchemy as sa

from hvcore.persistence.tables import video_labels, videos
from hvcore.persistence.videos.page_conditions import (
    in_state,
    name_conditions,
    of_environment,
    plain,
    visibility_conditions,
    without_index,
)
from hvcore.persistence.videos.page_shapes import PageShape


def filter_conditions(
    shape: PageShape, terms: int, *, has_external_id: bool, is_sqlite: bool
) -> Sequence[sa.ColumnElement[bool]]:
    """
    Return the conditions of the filters, for which SQLite reads no index: the ids are known.

    Args:
        terms: The number of terms of labels, which are the parameters ``term_0`` and so on.
    """
    read = without_index if is_sqlite else plain
    conditions = [
        *of_environment(read),
        in_state(read(videos.c.state), has_state=shape.has_state),
        *visibility_conditions(shape, read),
        *name_conditions(shape, is_sqlite=is_sqlite),
    ]
    if shape.has_since:
        conditions.append(read(videos.c.created_at) >= sa.bindparam("since"))
    if shape.has_until:
        conditions.append(read(videos.c.created_at) < sa.bindparam("until"))
    if has_external_id:
        conditions.append(read(videos.c.external_id) == sa.bindparam("external_id"))
    labels = video_labels.c
    conditions += [
        sa.exists().where(
            labels.org_id == sa.bindparam("org_id"),
            labels.env_id == sa.bindparam("env_id"),
            labels.term == sa.bindparam(f"term_{at}"),
            labels.created_at == videos.c.created_at,
            labels.video_id == videos.c.id,
        )
        for at in range(terms)
    ]
    return conditions
