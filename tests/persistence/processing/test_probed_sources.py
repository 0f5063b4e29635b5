"""
The figures of sources are read from the jobs that probed them.
"""

import attrs
import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Engine

from hvcore.domain.processing.chapters import Chapter
from hvcore.domain.processing.jobs import TranscodeJob
from hvcore.domain.source_figures import SourceFigures
from hvcore.domain.videos.video import Video
from hvcore.persistence.fast_reads.reads import FastReads
from hvcore.persistence.processing import probed_sources
from hvcore.persistence.processing.probed_sources import ProbedSources
from hvcore.persistence.tables import transcode_jobs
from hvcore.persistence.unit_of_work import SqlUnitOfWork
from tests.persistence.samples import order, video
from tests.support.http.world import job_of

pytestmark = pytest.mark.services

FIGURES = SourceFigures(width_px=640, height_px=360, frame_rate=29.97, size_bytes=1)


@pytest.fixture
def planned(uow: SqlUnitOfWork) -> list[Video]:
    """
    Three videos whose jobs are planned, with a text that few databases store.
    """
    made = [video() for _ in range(3)]
    found = order()
    chapters = (Chapter(start_ms=0, end_ms=1000, title="\0 and \ud800"),)
    source = attrs.evolve(found.source, chapters=chapters, notes="\0")
    with uow.write() as work:
        for one in made:
            work.videos.add(one)
            work.jobs.add(
                TranscodeJob(
                    id=job_of(one),
                    video_id=one.id,
                    order=attrs.evolve(found, source=source),
                    parts_total=1,
                    parts_left=1,
                )
            )
        work.commit()
    return made


def test_all_jobs_that_are_planned_have_figures(
    engine: Engine, planned: list[Video]
) -> None:
    sources = ProbedSources(FastReads(engine))
    ids = [job_of(one) for one in planned]

    assert sources.of([*ids, "job_unknown", None]) == dict.fromkeys(ids, FIGURES)
    assert sources.of([]) == {}


def test_figures_that_are_known_are_not_read_again(
    engine: Engine, planned: list[Video]
) -> None:
    sources = ProbedSources(FastReads(engine))
    ids = [job_of(one) for one in planned]
    sources.of(ids[:2])
    with engine.connect() as connection, connection.begin():
        connection.execute(sa.delete(transcode_jobs))

    assert sources.of(ids) == dict.fromkeys(ids[:2], FIGURES)


def test_only_some_figures_are_kept_in_memory(
    engine: Engine, planned: list[Video], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probed_sources, "MAX_KNOWN", 2)
    sources = ProbedSources(FastReads(engine))
    ids = [job_of(one) for one in planned]
    for one in ids:
        sources.of([one])
    with engine.connect() as connection, connection.begin():
        connection.execute(sa.delete(transcode_jobs))

    # The one that was asked for first is forgotten.
    assert sources.of(ids) == dict.fromkeys(ids[1:], FIGURES)
