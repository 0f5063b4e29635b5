"""Store the captions of videos."""

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore.domain.ids import VideoId
from hvcore.domain.videos.captions import CaptionTrack, is_version_by_machine
from hvcore.persistence.spoken.texts import SqlSpokenTextRepository
from hvcore.persistence.statements import insert_into
from hvcore.persistence.tables import video_captions


class SqlCaptionRepository:
    """Store the captions of videos; see ports.repositories.captions.CaptionRepository."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def of_video(self, video_id: VideoId) -> Sequence[CaptionTrack]:
        statement = (
            sa.select(video_captions)
            .where(video_captions.c.video_id == video_id)
            .order_by(video_captions.c.language)
        )
        rows = self._connection.execute(statement).mappings()
        return [caption_track(row) for row in rows]

    def put(self, track: CaptionTrack) -> None:
        statement = insert_into(self._connection, video_captions).values(
            attrs.asdict(track)
        )
        key = [video_captions.c.video_id, video_captions.c.language]
        others = {
            column.name: statement.excluded[column.name]
            for column in video_captions.c
            if not column.primary_key
        }
        self._connection.execute(
            statement.on_conflict_do_update(index_elements=key, set_=others)
        )
        # What the former ones said is not said any more.
        SqlSpokenTextRepository(self._connection).remove(track.video_id, track.language)

    def remove(self, video_id: VideoId, language: str) -> None:
        self._connection.execute(
            sa.delete(video_captions).where(
                video_captions.c.video_id == video_id,
                video_captions.c.language == language,
            )
        )
        SqlSpokenTextRepository(self._connection).remove(video_id, language)


def caption_track(row: Mapping[Any, Any]) -> CaptionTrack:
    """Return the captions of a row; those that a person sent are never generated."""
    track = CaptionTrack(**row)
    if not track.is_generated or is_version_by_machine(track.version):
        return track
    # Processes of an older version replace captions without knowing these two columns,
    # which still say what was true of the captions before.
    return attrs.evolve(track, is_generated=False, confidence=None)
