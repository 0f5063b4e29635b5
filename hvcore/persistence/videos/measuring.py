"""Fill in the bytes of media and uploads that older versions stored without a size."""

from collections.abc import Mapping
from typing import Final

from sqlalchemy.engine import Connection

from hvcore.persistence.naming import in_names

# Read as text on PostgreSQL, whose jsonb takes no NUL, which a warning may hold.
_MEDIA: Final[Mapping[str, str]] = {
    "postgresql": """
        SELECT coalesce(sum(CAST(found[1] AS bigint)), 0)
        FROM {published_media},
        LATERAL regexp_matches(media, '"size_bytes":([0-9]+)', 'g') AS found
        WHERE {published_media}.video_id = {videos}.id
        AND {published_media}.job_id = {videos}.job_id""",
    "sqlite": """
        SELECT coalesce(sum(found.value), 0)
        FROM {published_media}, json_tree({published_media}.media) AS found
        WHERE {published_media}.video_id = {videos}.id
        AND {published_media}.job_id = {videos}.job_id AND found.key = 'size_bytes'""",
}
# Where nobody has announced how many bytes come, their job has seen it.
_SEEN: Final[Mapping[str, str]] = {
    "postgresql": """CAST(
        substring(order_json from '"size_bytes":([0-9]+)') AS bigint)""",
    "sqlite": "json_extract(order_json, '$.source.size_bytes')",
}


_VIDEOS: Final = (
    # With a new version, whoever has read the old size does not save.
    "UPDATE {videos} SET version = version + 1, media_bytes = (%s) "
    "WHERE state = 'ready' AND media_bytes = 0"
)
_GRANTS: Final = (
    "UPDATE {grants} SET stored_bytes = coalesce(size_bytes, ("
    "SELECT max(%s) FROM {transcode_jobs} "
    "WHERE {transcode_jobs}.video_id = {grants}.video_id), 0) "
    "WHERE state IN ('uploaded', 'used') AND stored_bytes = 0"
)


def measure(connection: Connection) -> None:
    """Fill in the missing sizes of media and uploads, in bytes; sizes that are stored stay as they are."""
    dialect = connection.dialect.name
    for statement in (_VIDEOS % _MEDIA[dialect], _GRANTS % _SEEN[dialect]):
        connection.exec_driver_sql(in_names(connection, statement))
