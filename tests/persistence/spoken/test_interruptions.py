"""
Spoken words of captions whose change is interrupted are found once: all former ones or all new ones.
"""

import os
import signal
from collections.abc import Sequence

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.clock import SystemClock
from hvcore.domain.access.tenants import Environment, EnvironmentKind
from hvcore.domain.ids import VideoId
from hvcore.domain.videos.captions import CaptionTrack, Cue
from hvcore.domain.videos.catalog import VideoQuery
from hvcore.domain.videos.spoken_texts import spoken_text
from hvcore.domain.videos.states import VideoState
from hvcore.persistence.engine import make_engine
from hvcore.persistence.spoken.index import match_value
from hvcore.persistence.tables import spoken_texts
from hvcore.persistence.unit_of_work import SqlUnitOfWork, SqlWork
from hvcore.persistence.videos.catalog import SqlVideoCatalog
from tests.persistence.samples import ENV, NOW, ORG, video

pytestmark = pytest.mark.services

KILLS = 20
HERE = Environment(
    id=ENV, org_id=ORG, name=ENV, kind=EnvironmentKind.DEVELOPMENT, created_at=NOW
)


def say(work: SqlWork, video_id: VideoId, number: int) -> None:
    """
    Set captions that say a word which has a number, and many others.
    """
    others = " ".join(f"{number}x{other}" for other in range(500))
    cues = [Cue(start_ms=0, end_ms=1, text=f"word{number} said {others}")]
    track = CaptionTrack(
        video_id=video_id,
        language="en",
        label="x",
        cues=1,
        size_bytes=1,
        sha256="0" * 64,
        version=str(number),
        created_at=NOW,
    )
    work.captions.put(track)
    work.spoken_texts.put(track, spoken_text(cues))


@pytest.fixture
def said(uow: SqlUnitOfWork) -> VideoId:
    made = video(state=VideoState.READY)
    with uow.write() as work:
        work.videos.add(made)
        say(work, made.id, 0)
        work.commit()
    return made.id


def found(engine: Engine, word: str) -> Sequence[VideoId]:
    query = VideoQuery(page=1, page_size=20, spoken=word)
    return SqlVideoCatalog(engine).ids(HERE, query).ids


def entries(engine: Engine) -> int:
    """
    Return the number of entries of the index that have the word of all texts.
    """
    statement = sa.select(sa.func.count()).select_from(spoken_texts)
    with engine.connect() as connection:
        if engine.dialect.name == "postgresql":
            return int(connection.execute(statement).scalar_one())
        # With what a table of texts would hide.
        asked = sa.text(
            "SELECT count(*) FROM video_search_spoken WHERE video_search_spoken MATCH :m"
        )
        match = match_value(HERE, ["said"], is_sqlite=True)
        return int(connection.execute(asked, {"m": match}).scalar_one())


def test_spoken_words_that_are_not_committed_are_not_found(
    said: VideoId, uow: SqlUnitOfWork, engine: Engine
) -> None:
    with uow.write() as work:
        say(work, said, 1)

    assert found(engine, "word0") == (said,)
    assert found(engine, "word1") == ()
    assert entries(engine) == 1


@pytest.mark.long
def test_a_kill_while_captions_are_replaced_leaves_one_of_both_texts(
    said: VideoId, engine: Engine, migrated_url: str
) -> None:
    number = 0
    for _ in range(KILLS):
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                uow = SqlUnitOfWork(make_engine(migrated_url), SystemClock(), None)
                while True:
                    number += 1
                    with uow.write() as work:
                        say(work, said, number)
                        work.commit()
                    os.write(writing, b"%d\n" % number)
            finally:
                os._exit(1)
        os.close(writing)
        with os.fdopen(reading, "rb") as told:
            first = int(told.readline())
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            latest = max([first, *map(int, told.read().split())])

        # Its answer may be lost.
        each = [at for at in range(first, latest + 2) if found(engine, f"word{at}")]
        assert each in ([latest], [latest + 1])
        assert entries(engine) == 1
        number = each[0]
