"""Store the spoken texts of videos, as the search reads them."""

from collections.abc import Sequence
from typing import Final

import orjson
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore.domain.ids import VideoId
from hvcore.domain.videos.captions import CaptionTrack
from hvcore.domain.videos.spoken_texts import MAX_VIDEO_SPOKEN_CHARS, SpokenText
from hvcore.domain.videos.spoken_words import FOLDING, folded, index_words
from hvcore.domain.videos.states import LISTED_STATES
from hvcore.persistence.spoken.index import sign_of, word_sign
from hvcore.persistence.spoken.overwriting import (
    has_removed_words,
    overwrite_removed_words,
)
from hvcore.persistence.tables import spoken_texts, video_captions, videos

_LISTED = sorted(state.value for state in LISTED_STATES)
_TEXT = spoken_texts.c
_TRACK = video_captions.c
_COLUMNS = tuple(column.name for column in video_captions.columns)


def write_said(said: SpokenText) -> str:
    """Return the JSON of a spoken text for the column ``said``."""
    document = {"starts": list(said.starts_ms), "text": said.text}
    return orjson.dumps(document).decode()


def read_said(stored: str) -> SpokenText:
    """Return the spoken text in the JSON that ``write_said`` has written."""
    document = orjson.loads(stored)
    return SpokenText(starts_ms=document["starts"], text=document["text"])


_FOLDED: Final = f" {FOLDING}"
_LACKS: Final = '{"lacks":'
"""The begin of the JSON of a text without room; the number of characters that the text lacks follows."""


def _write_lacking(chars: int) -> str:
    return orjson.dumps({"lacks": chars, "starts": [], "text": ""}).decode()


class SqlSpokenTextRepository:
    """Store the spoken texts of videos; see ports.repositories.spoken_texts.SpokenTextRepository."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, track: CaptionTrack, said: SpokenText) -> bool:
        place = self._connection.execute(
            sa.select(videos.c.org_id, videos.c.env_id).where(
                videos.c.id == track.video_id
            )
        ).one()
        # Anew: on SQLite an index without texts is told what it forgets by a deletion.
        self._forget(track.video_id, _TEXT.language == track.language)
        others = self._connection.execute(
            sa.select(sa.func.sum(sa.func.length(_TEXT.said))).where(
                _TEXT.video_id == track.video_id
            )
        ).scalar()
        has_room = (others or 0) + len(said.text) <= MAX_VIDEO_SPOKEN_CHARS
        kept = write_said(said) if has_room else _write_lacking(len(said.text))
        words = index_words(folded(said.text)).split() if has_room else []
        signs = " ".join(sorted(map(word_sign, words)))
        self._connection.execute(
            sa.insert(spoken_texts).values(
                video_id=track.video_id,
                language=track.language,
                version=f"{track.version}{_FOLDED}",
                words=f"{sign_of(place.org_id, place.env_id)} {signs}",
                said=kept,
            )
        )
        # The text before may have been longer.
        self._forget_one_that_has_room_now(track.video_id)
        return has_room and said.is_whole

    def remove(self, video_id: VideoId, language: str) -> None:
        self._forget(video_id, _TEXT.language == language)
        self._forget_one_that_has_room_now(video_id)

    def _forget_one_that_has_room_now(self, video_id: VideoId) -> None:
        """Forget the shortest text that had no room and has it now, so that its captions are read again."""
        length = sa.func.length(_TEXT.said)
        of_video = _TEXT.video_id == video_id
        lacking = self._connection.execute(
            sa.select(_TEXT.language, _TEXT.said).where(
                of_video, _TEXT.said.startswith(_LACKS)
            )
        ).all()
        if not lacking:
            return
        taken = self._connection.execute(
            sa.select(sa.func.sum(length)).where(of_video)
        ).scalar_one()
        chars, said, language = min(
            (orjson.loads(said)["lacks"], said, language) for language, said in lacking
        )
        if taken - len(said) + chars <= MAX_VIDEO_SPOKEN_CHARS:
            self._forget(video_id, _TEXT.language == language)

    def _forget(self, video_id: VideoId, which: sa.ColumnElement[bool]) -> None:
        self._connection.execute(
            sa.delete(spoken_texts).where(_TEXT.video_id == video_id, which)
        )

    def unread(
        self, after: tuple[str, str], limit: int
    ) -> tuple[Sequence[CaptionTrack], tuple[str, str] | None]:
        key = sa.tuple_(_TRACK.video_id, _TRACK.language)
        # Looked at in pieces: most have their text.
        seen = (
            sa.select(video_captions)
            .where(key > sa.tuple_(*map(sa.literal, after)))
            .order_by(_TRACK.video_id, _TRACK.language)
            .limit(limit)
            .subquery("seen")
        )
        is_text = sa.and_(
            _TEXT.video_id == seen.c.video_id,
            _TEXT.language == seen.c.language,
            _TEXT.version == seen.c.version.concat(_FOLDED),
        )
        asked = (
            sa.select(seen, videos.c.state.in_(_LISTED).label("is_listed"), _TEXT.no)
            .join(videos, videos.c.id == seen.c.video_id)
            .outerjoin(spoken_texts, is_text)
            .order_by(seen.c.video_id, seen.c.language)
        )
        rows = self._connection.execute(asked).mappings().all()
        unread = [
            CaptionTrack(**{name: row[name] for name in _COLUMNS})
            for row in rows
            if row["no"] is None and row["is_listed"]
        ]
        last = (rows[-1]["video_id"], rows[-1]["language"]) if rows else None
        return unread, last

    def has_removed_words(self) -> bool:
        return has_removed_words(self._connection)

    def overwrite_removed_words(self) -> bool:
        return overwrite_removed_words(self._connection)
