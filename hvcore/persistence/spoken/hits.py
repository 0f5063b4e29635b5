"""Find the places in videos where words are said, for a page of a list."""

from collections.abc import Mapping, Sequence
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from hvcore.domain.ids import VideoId
from hvcore.domain.videos.spoken_texts import (
    MAX_HITS,
    SpokenHit,
    find_hits,
    page_effort,
)
from hvcore.domain.videos.spoken_words import SpokenQuery
from hvcore.persistence.spoken.index import has_words
from hvcore.persistence.spoken.texts import read_said
from hvcore.persistence.tables import spoken_texts

TEXTS_OF_PAGE: Final = 1_000
"""Texts of a page's videos in which places are looked for; further videos are listed without."""
WORDS_OF_PAGE_BYTES: Final = 40_000_000
"""Bytes of the words of texts that a page is compared with, those that lack a word included; then places of further texts are left out."""
TEXTS_AT_ONCE: Final = 20
"""Texts in memory at a time, of half a million characters at most."""

_TEXT = spoken_texts.c


def read_hits(
    connection: Connection, searched: str, ids: Sequence[VideoId]
) -> Mapping[VideoId, Sequence[SpokenHit]]:
    """
    Return the places in some videos where all words of a search are said, MAX_HITS of each video.

    Args:
        searched: The words, as somebody typed them.
        ids: The videos of a page, in its order: the first ones get their places first.
    """
    spoken = SpokenQuery.of(searched)
    if not ids or not spoken.words:
        return {}
    listed = sa.select(_TEXT.no, _TEXT.video_id, _TEXT.language)
    owners = {
        row.no: (VideoId(row.video_id), row.language)
        for row in connection.execute(listed.where(_TEXT.video_id.in_(ids)))
    }
    places = {video_id: at for at, video_id in enumerate(ids)}
    numbers = sorted(owners, key=lambda no: (places[owners[no][0]], owners[no][1]))
    found: dict[VideoId, list[SpokenHit]] = {}
    effort, left_bytes = page_effort(), WORDS_OF_PAGE_BYTES
    # A few at a time: together they may be larger than the memory.
    most = min(len(numbers), TEXTS_OF_PAGE)
    for at in range(0, most, TEXTS_AT_ONCE):
        asked = [
            no
            for no in numbers[at : min(at + TEXTS_AT_ONCE, most)]
            if len(found.get(owners[no][0], ())) < MAX_HITS
        ]
        said_by, words_bytes = _said_by(connection, spoken.words, asked)
        left_bytes -= words_bytes
        for no, said in said_by:
            video_id, language = owners[no]
            of_video = found.setdefault(video_id, [])
            of_video += find_hits(
                read_said(said), spoken, effort, video_id=video_id, language=language
            )[: MAX_HITS - len(of_video)]
        if effort.chars <= 0 or effort.places <= 0 or left_bytes <= 0:
            break
    return found


def _said_by(
    connection: Connection, words: Sequence[str], numbers: Sequence[int]
) -> tuple[Sequence[tuple[int, str]], int]:
    """
    Return the texts of the given ones that have all words, and the bytes that were compared.

    Returns:
        Number and content of each text, in the given order; and the bytes of the words of
        all given texts.
    """
    is_sqlite = connection.dialect.name == "sqlite"
    # Of signs in ASCII; PostgreSQL knows the bytes without unpacking them.
    size = sa.func.length if is_sqlite else sa.func.octet_length
    asked = sa.select(
        _TEXT.no,
        sa.case((has_words(words, is_sqlite=is_sqlite), _TEXT.said)).label("said"),
        size(_TEXT.words).label("size_bytes"),
    ).where(_TEXT.no.in_(numbers))
    rows = {row.no: row for row in connection.execute(asked)}
    found = [(no, rows[no].said) for no in numbers if no in rows]
    return (
        [(no, said) for no, said in found if said is not None],
        sum(row.size_bytes for row in rows.values()),
    )
