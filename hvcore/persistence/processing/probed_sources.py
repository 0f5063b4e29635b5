"""Read the figures of videos' sources (bytes, width, height, frame rate) from the transcode jobs that probed them."""

import json
import threading
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, Final

import orjson
import sqlalchemy as sa

from hvcore.domain.source_figures import SourceFigures, rounded_rate
from hvcore.persistence.fast_reads.reads import FastReads
from hvcore.persistence.tables import transcode_jobs

MAX_KNOWN: Final = 20_000
"""Jobs; about 6 MB."""


class ProbedSources:
    """Cache of the figures of videos' sources (bytes, width, height, frame rate), as transcode jobs have probed them; thread-safe."""

    def __init__(self, reads: FastReads) -> None:
        self._reads = reads
        self._query = reads.prepare(
            _orders(is_sqlite=reads.is_sqlite), is_remembered=False
        )
        # What a job has probed never changes.
        self._known: OrderedDict[str, SourceFigures] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, job_ids: Iterable[str | None]) -> Mapping[str, SourceFigures]:
        """Return the figures of the sources of transcode jobs by job id; a job that is not planned yet has none."""
        wanted = {job_id for job_id in job_ids if job_id}
        with self._lock:
            found = {
                job_id: self._known[job_id] for job_id in wanted & self._known.keys()
            }
            for job_id in found:
                self._known.move_to_end(job_id)
        missing = sorted(wanted - found.keys())
        if missing:
            values = {"ids": orjson.dumps(missing).decode()}
            read = {
                job_id: _figures(order)
                for job_id, order in self._reads.all(self._query, values)
            }
            self._keep(read)
            found |= read
        return found

    def _keep(self, read: Mapping[str, SourceFigures]) -> None:
        with self._lock:
            self._known.update(read)
            while len(self._known) > MAX_KNOWN:
                self._known.popitem(last=False)


def _orders(*, is_sqlite: bool) -> sa.Select[Any]:
    ids: sa.BindParameter[str] = sa.bindparam("ids")
    if is_sqlite:
        wanted = sa.func.json_each(ids).table_valued("value", name="wanted")
        listed = sa.select(wanted.c.value)
    else:
        texts = sa.func.json_array_elements_text(sa.cast(ids, sa.JSON))
        listed = sa.select(texts.column_valued("wanted"))
    # One at a time by the key, in whatever number they are asked for.
    jobs = transcode_jobs.c
    return sa.select(jobs.id, jobs.order_json).where(jobs.id.in_(listed))


def _figures(order_json: str) -> SourceFigures:
    # Not orjson, which reads no halves of surrogate pairs: a title may have one.
    source = json.loads(order_json)["source"]
    video = source["video"]
    return SourceFigures(
        width_px=video["width_px"],
        height_px=video["height_px"],
        frame_rate=rounded_rate(Fraction(video["frame_rate"])),
        size_bytes=source["size_bytes"],
    )
