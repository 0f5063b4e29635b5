"""
Sources of videos that a worker has probed.
"""

from fractions import Fraction

import attrs

from hvcore.domain.ids import VideoId
from hvcore.domain.processing.jobs import TranscodeJob
from hvcore.domain.source_figures import SourceFigures
from tests.persistence.samples import order
from tests.support.http.world import World, job_of


def probe(  # noqa: PLR0913 - each is one figure
    api: World,
    video_id: str,
    *,
    width_px: int = 1080,
    height_px: int = 1920,
    frame_rate: Fraction = Fraction(30000, 1001),
    size_bytes: int = 5_000_000_000,
) -> SourceFigures:
    """
    Plan the job of a video, as a worker does that has probed its source; return what
    it has found.
    """
    found = order()
    picture = attrs.evolve(
        found.source.video,
        width_px=width_px,
        height_px=height_px,
        frame_rate=frame_rate,
    )
    source = attrs.evolve(found.source, size_bytes=size_bytes, video=picture)
    with api.services.uow.write() as work:
        video = work.videos.find(video_id)
        assert video is not None
        work.jobs.add(
            TranscodeJob(
                id=job_of(video),
                video_id=VideoId(video_id),
                order=attrs.evolve(found, source=source),
                parts_total=1,
                parts_left=1,
            )
        )
        work.commit()
    return source.figures
