"""A transcoder that submits one job of Google's Transcoder API for each video."""

from collections.abc import Iterator
from typing import Final

import attrs

from hvcore.plugin_api import (
    Capabilities,
    Clock,
    Database,
    NotAddressableError,
    Part,
    PartDone,
    PartPending,
    RemoteTranscoder,
    SourceInfo,
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
from hvcore_transcoder_google.abilities import (
    capabilities,
    check_order,
    objection,
    warnings_of,
)
from hvcore_transcoder_google.job_calls import (
    PENDING,
    RUNNING,
    SUCCEEDED,
    GoogleJob,
    TranscoderCalls,
)
from hvcore_transcoder_google.job_errors import job_failure
from hvcore_transcoder_google.job_requests import (
    GoogleJobSettings,
    GoogleJobSource,
    audio_name,
    job_request,
    rung_name,
)
from hvcore_transcoder_google.options import GoogleTranscoderOptions, label_pairs
from hvcore_transcoder_google.pricing import sd_minutes
from hvcore_transcoder_google.source_bytes import SourceBytes
from hvcore_transcoder_google.source_probe import is_turned, probe_source

MOST_GUESSED: Final = 0.9
"""The highest progress that is guessed for a running job, 0 to 1."""
_SOURCE_VALID_S: Final = 900
_SHORTEST_GUESS_S: Final = 60.0
_FIX: Final = (
    "the Transcoder API reads and writes Google's store only; set storage.options.url to "
    "gs://…, or transcoder.options.writes_to to what Google calls the storage's place"
)


def make_transcoder(
    options: GoogleTranscoderOptions, *, clock: Clock, database: Database
) -> "GoogleTranscoder":
    """Return a transcoder for this process; it counts spending if there is a limit."""
    book = None
    if options.daily_limit:
        book = SpendingBook(
            database=database,
            tables=SpendingTables("hv_transcoder_google"),
            limit=round(options.daily_limit * MILLIONTHS),
            service="Google's Transcoder API",
            currency=options.currency,
        )
    return GoogleTranscoder(
        options=options, calls=TranscoderCalls(options), clock=clock, book=book
    )


@attrs.frozen(kw_only=True)
class GoogleTranscoder(RemoteTranscoder):
    """
    Transcode videos by jobs of Google's Transcoder API.

    The transcoder also implements SupportsDeclining and SupportsStorageCheck.

    Attributes:
        book: The estimated spending of each day; None if no daily limit is set.
    """

    options: GoogleTranscoderOptions
    calls: TranscoderCalls
    clock: Clock
    book: SpendingBook | None

    def capabilities(self) -> Capabilities:
        return capabilities()

    def probe(self, workspace: Workspace) -> SourceInfo:
        return probe_source(_source_of(workspace)).info

    def plan(self, order: TranscodeOrder) -> tuple[Part, ...]:
        check_order(order)
        return (Part(index=0, order=order),)

    def declines(self, order: TranscodeOrder) -> str:
        """Return the reason, for the video's owner, that a job is not accepted now; "" if it is accepted."""
        why = objection(order)
        if why or self.book is None:
            return why
        return self.book.objection(self._cost(order), self.clock.now())

    def storage_problem(self, url: str) -> str:
        """Return an advice for settings if Google cannot reach a storage; "" if it can."""
        return self._addresses().problem(url)

    def run(self, part: Part, workspace: Workspace) -> PartDone | PartPending:
        if workspace.handle is None:
            handle = self._submitted(part, workspace)
            workspace.remember(handle)
            return PartPending(handle=handle, deadline_s=self.options.deadline_s)
        job = self.calls.job(workspace.handle)
        if job.state in {PENDING, RUNNING}:
            return PartPending(
                handle=workspace.handle,
                progress=self._progress(job, part.order.source.duration_s),
                deadline_s=self.options.deadline_s,
            )
        if job.state != SUCCEEDED:
            raise job_failure(job.code, job.message, job.reason, job.details)
        made = MadeLadder(target=target_of(workspace), check=workspace.check)
        done = made.read(_renditions(part.order))
        return attrs.evolve(done, warnings=warnings_of(part.order))

    def cancel(self, key: str, handle: str | None) -> None:
        for name in [handle] if handle else self.calls.running(key):
            self.calls.delete(name)

    def close(self) -> None:
        self.calls.close()

    def _submitted(self, part: Part, workspace: Workspace) -> str:
        target = target_of(workspace)
        addresses = self._addresses()
        signed = workspace.source_address(_SOURCE_VALID_S)
        # A worker may have been killed after it submitted; the API takes a second
        # request with the same key as another job.
        known = self.calls.submitted(workspace.key)
        if known is not None:
            return known
        request = job_request(
            part.order,
            GoogleJobSettings(
                mode=self.options.mode,
                priority=self.options.priority,
                labels=label_pairs(self.options.labels),
            ),
            source=GoogleJobSource(
                address=addresses.source(signed, target),
                is_turned=is_turned(_source_of(workspace)),
            ),
            target_address=addresses.target(target),
            key=workspace.key,
        )
        self._charge(part.order, workspace.key)
        return self.calls.create(request)

    def _addresses(self) -> CloudAddresses:
        return CloudAddresses(scheme="gs", root=self.options.writes_to, fix=_FIX)

    def _progress(self, job: GoogleJob, duration_s: float) -> float:
        """
        Return a guess at the progress of a job, because the API tells states only.

        The guess assumes that a job takes as long as the video lasts, and at least a
        minute.
        """
        if job.started_at is None:
            return 0.0
        elapsed_s = (self.clock.now() - job.started_at).total_seconds()
        share = elapsed_s / max(duration_s, _SHORTEST_GUESS_S)
        return min(MOST_GUESSED, max(0.0, share))

    def _cost(self, order: TranscodeOrder) -> int:
        return round(sd_minutes(order) * self.options.price_per_minute * MILLIONTHS)

    def _charge(self, order: TranscodeOrder, key: str) -> None:
        if self.book is not None:
            self.book.charge(key, self._cost(order), self.clock.now())


def _renditions(order: TranscodeOrder) -> Iterator[MadeRendition]:
    for rung in order.ladder.rungs:
        playlist = f"{rung_name(rung)}.m3u8"
        yield MadeRendition(name=f"video/{rung.key}", playlist=playlist, rung=rung)
    for audio in order.ladder.audio:
        playlist = f"{audio_name(audio)}.m3u8"
        yield MadeRendition(name=audio.name, playlist=playlist, audio=audio)


def _source_of(workspace: Workspace) -> SourceBytes:
    ranges = workspace.source_ranges()
    if ranges is None:
        raise NotAddressableError(_FIX)
    return SourceBytes(ranges)
