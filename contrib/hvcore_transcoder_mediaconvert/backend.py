"""A transcoder that submits one job of AWS Elemental MediaConvert for each video."""

from collections.abc import Iterator
from typing import Final

import attrs

from hvcore.plugin_api import (
    Capabilities,
    Clock,
    Database,
    Part,
    PartDone,
    PartPending,
    RemoteTranscoder,
    SourceInfo,
    TranscodeError,
    TranscodeOrder,
    Workspace,
)
from hvcore_cloud_ladders.cloud_addresses import CloudAddresses, target_of
from hvcore_cloud_ladders.made_ladder import MadeLadder, MadeRendition
from hvcore_cloud_ladders.spending import (
    MILLIONTHS,
    SpendingBook,
    SpendingTables,
)
from hvcore_transcoder_mediaconvert.abilities import capabilities, check_order
from hvcore_transcoder_mediaconvert.job_calls import (
    CANCELED,
    COMPLETE,
    RUNNING,
    MediaConvertCalls,
    MediaConvertJob,
)
from hvcore_transcoder_mediaconvert.job_errors import FAILED, job_failure
from hvcore_transcoder_mediaconvert.job_requests import (
    FILE_NAME,
    MediaConvertAccount,
    Members,
    audio_modifier,
    job_request,
    rung_modifier,
)
from hvcore_transcoder_mediaconvert.options import KEY, MediaConvertOptions, pairs
from hvcore_transcoder_mediaconvert.pictures import with_pictures
from hvcore_transcoder_mediaconvert.pricing import normalized_minutes
from hvcore_transcoder_mediaconvert.source_probe import source_info

_PROBE_VALID_S: Final = 900
_PERCENT: Final = 100
_FIX: Final = "MediaConvert reads and writes buckets of S3 only; set storage.options.url to s3://…"


def make_transcoder(
    options: MediaConvertOptions, *, clock: Clock, database: Database
) -> "MediaConvertTranscoder":
    """Return a transcoder for this process; it counts spending if there is a limit."""
    book = None
    if options.daily_limit:
        book = SpendingBook(
            database=database,
            tables=SpendingTables("hv_transcoder_mediaconvert"),
            limit=round(options.daily_limit * MILLIONTHS),
            service="MediaConvert",
            currency=options.currency,
        )
    return MediaConvertTranscoder(
        options=options, calls=MediaConvertCalls(options), clock=clock, book=book
    )


@attrs.frozen(kw_only=True)
class MediaConvertTranscoder(RemoteTranscoder):
    """
    Transcode videos by jobs of AWS Elemental MediaConvert.

    The transcoder also implements SupportsDeclining and SupportsStorageCheck.

    Attributes:
        book: The estimated spending of each day; None if no daily limit is set.
    """

    options: MediaConvertOptions
    calls: MediaConvertCalls
    clock: Clock
    book: SpendingBook | None

    def capabilities(self) -> Capabilities:
        return capabilities()

    def probe(self, workspace: Workspace) -> SourceInfo:
        # Signed: a workspace without a target does not say where the storage lies.
        address = workspace.source_address(_PROBE_VALID_S)
        return source_info(self.calls.probe(address))

    def plan(self, order: TranscodeOrder) -> tuple[Part, ...]:
        check_order(order)
        return (Part(index=0, order=order),)

    def declines(self, order: TranscodeOrder) -> str:
        """Return the reason, for the video's owner, that a job is not accepted now; "" if it is accepted."""
        if self.book is None:
            return ""
        return self.book.objection(self._cost(order), self.clock.now())

    def storage_problem(self, url: str) -> str:
        """Return an advice for settings if MediaConvert cannot reach a storage, else ""."""
        return self._addresses().problem(url)

    def run(self, part: Part, workspace: Workspace) -> PartDone | PartPending:
        if workspace.handle is None:
            handle = self._submitted(part, workspace)
            workspace.remember(handle)
            return PartPending(handle=handle, deadline_s=self.options.deadline_s)
        job = self.calls.job(workspace.handle)
        if job.status in RUNNING:
            return PartPending(
                handle=workspace.handle,
                progress=job.percent / _PERCENT,
                deadline_s=self.options.deadline_s,
            )
        if job.status == COMPLETE:
            target = target_of(workspace)
            made = MadeLadder(target=target, check=workspace.check)
            return with_pictures(
                made.read(_renditions(part.order)),
                target,
                base=FILE_NAME,
                interval_s=part.order.still_interval_s,
            )
        raise _failure_of(job)

    def cancel(self, key: str, handle: str | None) -> None:
        for job_id in [handle] if handle else self.calls.running(key):
            self.calls.cancel(job_id)

    def close(self) -> None:
        self.calls.close()

    def _submitted(self, part: Part, workspace: Workspace) -> str:
        target = target_of(workspace)
        addresses = self._addresses()
        signed = workspace.source_address(_PROBE_VALID_S)
        source = addresses.source(signed, target)
        # A worker may have been killed after it submitted; MediaConvert itself
        # recognises a request for a minute only.
        known = self.calls.submitted(workspace.key, source)
        if known is not None:
            return known
        self._charge(part.order, workspace.key)
        request = job_request(
            part.order,
            self._account(),
            source_address=source,
            target_address=addresses.target(target),
            key=workspace.key,
        )
        return self.calls.create({**request, **self._labels(workspace.key)})

    def _addresses(self) -> CloudAddresses:
        return CloudAddresses(scheme="s3", root=self.options.writes_to, fix=_FIX)

    def _account(self) -> MediaConvertAccount:
        return MediaConvertAccount(
            role=self.options.role,
            queue=self.options.queue,
            acceleration=self.options.acceleration,
            priority=self.options.priority,
        )

    def _labels(self, key: str) -> Members:
        labels: Members = {
            "UserMetadata": {**pairs(self.options.metadata), KEY: key},
        }
        if self.options.tags:
            # So that the bill has them.
            labels |= {
                "Tags": dict(pairs(self.options.tags)),
                "BillingTagsSource": "JOB",
            }
        return labels

    def _cost(self, order: TranscodeOrder) -> int:
        price = self.options.price_per_minute * MILLIONTHS
        return round(normalized_minutes(order) * price)

    def _charge(self, order: TranscodeOrder, key: str) -> None:
        if self.book is not None:
            self.book.charge(key, self._cost(order), self.clock.now())


def _renditions(order: TranscodeOrder) -> Iterator[MadeRendition]:
    for rung in order.ladder.rungs:
        playlist = f"{FILE_NAME}{rung_modifier(rung)}.m3u8"
        yield MadeRendition(name=f"video/{rung.key}", playlist=playlist, rung=rung)
    for audio in order.ladder.audio:
        playlist = f"{FILE_NAME}{audio_modifier(audio)}.m3u8"
        yield MadeRendition(name=audio.name, playlist=playlist, audio=audio)


def _failure_of(job: MediaConvertJob) -> Exception:
    if job.status == CANCELED:
        return TranscodeError(FAILED, log="the job of MediaConvert was cancelled")
    return job_failure(job.error_code, job.error_message)
