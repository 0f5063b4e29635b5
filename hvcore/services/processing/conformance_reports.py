"""Check the files of a job against the conformance rules, and store the report."""

import io
import json
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.conformance import CheckReport, Finding, Level, check
from hvcore.domain.access.principals import Principal
from hvcore.domain.media_paths import conformance_report_path, media_root
from hvcore.domain.processing.conformance_reports import (
    ConformanceReport,
    FindingLevel,
    NotConformantError,
    ReportFinding,
)
from hvcore.domain.processing.jobs import TranscodeJob
from hvcore.domain.processing.media_index import MediaIndex
from hvcore.domain.processing.transcoding import TranscodeOrder
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.errors import NotFoundError
from hvcore.manifests.hls import MASTER
from hvcore.ports.storage import ObjectNotFoundError, Storage
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.services.access.authorization import find_authorized_video, require_listed
from hvcore.services.processing.failure_reasons import chosen_by, failure_reason
from hvcore.services.processing.published_source import PublishedSource
from hvcore.services.processing.read_ahead import read_ahead
from hvcore.services.tasks.leases import TaskRun
from hvcore.wire.stored import from_stored, to_stored

NOT_YET: Final = (
    "The video is being processed; it is checked at the end. Ask again when it is "
    "ready or has failed."
)
NEVER: Final = (
    "The video was not checked: it failed before, or an older version has published "
    "it. The operator can check it with hv conform."
)


@attrs.frozen(kw_only=True)
class ConformanceReports:
    """Make, store and read the conformance reports of jobs: the findings of the last check."""

    uow: UnitOfWork
    storage: Storage
    clock: Clock

    def issue(self, run: TaskRun, job: TranscodeJob, media: MediaIndex) -> None:
        """
        Check the stored files of a job as players will read them, and store the report.

        Args:
            run: Asked before each file whether the work is still wanted.
            job: A job whose playlists are written.

        Raises:
            NotConformantError: The job breaks a rule that players rely on.
            TaskStopped: The lease is lost, or the video deleted.
        """
        source = PublishedSource(
            storage=self.storage,
            media_root=media_root(job.video_id, job.id),
            media=media,
            before_reading=run.check,
        )
        with read_ahead(source) as ahead:
            video = job.order.source.video
            shown_px = (video.width_px, video.height_px)
            found = check(ahead, MASTER, shown_px=shown_px)
        report = self._report(found, job.order, media)
        text = json.dumps(to_stored(report), separators=(",", ":"))
        self.storage.write(
            conformance_report_path(job.video_id, job.id),
            io.BytesIO(text.encode()),
            content_type="application/json",
        )
        if report.is_conformant:
            return
        # They stand before all others.
        first = report.findings[0]
        raise NotConformantError(
            failure_reason(first.rule),
            log=f"{first.rule} {first.file} {first.place}: {first.message}",
        )

    def of_video(
        self, caller: Principal, org_id: str, video_id: str
    ) -> ConformanceReport:
        """
        Return the conformance report of a video's current job.

        Raises:
            VideoNotFoundError: There is no such video, or it is deleted.
            ForbiddenError: The video is outside the environment of the caller's API key.
            NotFoundError: The video was not checked, or not yet.
            UnavailableError: The storage does not answer.
        """
        with self.uow.read() as work:
            video = require_listed(
                find_authorized_video(work, caller, org_id, video_id)
            )
        found = self.find(video)
        if found is None:
            is_running = video.state is VideoState.TRANSCODING
            raise NotFoundError(NOT_YET if is_running else NEVER)
        return found

    def find(self, video: Video) -> ConformanceReport | None:
        """
        Return the conformance report of a video's current job, or None if there is none yet.

        Raises:
            UnavailableError: The storage does not answer.
        """
        if video.job_id is None or video.state is VideoState.TRANSCODING:
            return None
        try:
            with self.storage.open(
                conformance_report_path(video.id, video.job_id)
            ) as file:
                stored = json.loads(file.read())
        except ObjectNotFoundError:
            return None
        return from_stored(stored, ConformanceReport)

    def _report(
        self, found: CheckReport, order: TranscodeOrder, media: MediaIndex
    ) -> ConformanceReport:
        findings = [_finding(one, order, media) for one in found.findings]
        strictness = list(FindingLevel)
        return ConformanceReport(
            checked_at=self.clock.now(),
            findings=tuple(sorted(findings, key=lambda f: strictness.index(f.level))),
            unlisted=found.unlisted,
            playlists=found.playlists,
            segments=found.segments,
            read_bytes=found.read_bytes,
        )


def _finding(found: Finding, order: TranscodeOrder, media: MediaIndex) -> ReportFinding:
    rule = found.rule
    chooser = chosen_by(rule.id, order, media)
    level = FindingLevel.MUST if rule.level is Level.MUST else FindingLevel.SHOULD
    return ReportFinding(
        rule=rule.id,
        level=FindingLevel.WARNING if chooser else level,
        says=rule.says,
        source=rule.source,
        file=found.file,
        place=found.place,
        message=found.message,
        chosen_by=chooser,
    )
