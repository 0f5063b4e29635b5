"""Choose the transcoder of a video: the default, or the one that a rule names."""

import logging
from collections.abc import Sequence
from functools import cache

import attrs

from hvcore.domain.processing.encoding import EncodingSettings
from hvcore.domain.processing.routes import JobFacts, TranscoderRoute, first_that_holds
from hvcore.domain.processing.source_info import UnusableSourceError
from hvcore.domain.processing.transcoding import TranscodeOrder, missing_for
from hvcore.domain.tasks.task import Lane
from hvcore.domain.videos.video import Video
from hvcore.errors import UnavailableError
from hvcore.ports.queue import Queue
from hvcore.ports.storage import ObjectNotFoundError, Storage
from hvcore.ports.transcoder import SupportsDeclining, Transcoder
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.services.processing.transcoders import Transcoders

_log = logging.getLogger(__name__)


@attrs.frozen(kw_only=True)
class ChosenTranscoder:
    """
    The transcoder that was chosen for a video, and why.

    Attributes:
        because: The conditions of the rule that chose it; empty for the default transcoder.
        is_certain: Whether no result of probing the source can change the choice.
    """

    name: str
    transcoder: Transcoder
    because: str = ""
    is_certain: bool = True


@attrs.frozen(kw_only=True)
class TranscoderChoice:
    """Choose transcoders for videos by the rules in the settings."""

    uow: UnitOfWork
    queue: Queue
    storage: Storage
    transcoders: Transcoders
    routes: Sequence[TranscoderRoute] = ()

    def before_probing(self, video: Video) -> ChosenTranscoder:
        """
        Choose the transcoder that probes a video's source.

        If the choice is certain, the same transcoder also makes the video.
        """
        if not self.routes:
            return self._usual()
        able = [route for route in self.routes if self._can(route, video.settings)]
        return self._chosen(able, self._facts(video))

    def after_probing(
        self, video: Video, order: TranscodeOrder, before: ChosenTranscoder
    ) -> ChosenTranscoder:
        """
        Choose the transcoder that makes a video, once its source was probed.

        Raises:
            UnusableSourceError: The chosen transcoder declines the order, and no rule names
                another.
        """
        if before.is_certain and not _declined(before.transcoder, order):
            return before
        source = order.source
        facts = attrs.evolve(
            self._facts(video),
            duration_s=source.duration_s,
            edge_px=min(source.video.width_px, source.video.height_px),
            is_hdr=source.video.is_hdr,
        )
        willing = [
            route
            for route in self.routes
            if self._can(route, video.settings)
            and not _declined(self.transcoders.named(route.transcoder), order)
        ]
        chosen = self._chosen(willing, facts)
        declined = _declined(chosen.transcoder, order)
        if declined:
            raise UnusableSourceError(declined)
        return chosen

    def _chosen(
        self, routes: Sequence[TranscoderRoute], facts: JobFacts
    ) -> ChosenTranscoder:
        route, is_certain = first_that_holds(routes, facts)
        if route is None:
            return attrs.evolve(self._usual(), is_certain=is_certain)
        _log.info(
            "a rule has chosen a transcoder",
            extra={"hv_transcoder": route.transcoder, "hv_rule": route.reason},
        )
        return ChosenTranscoder(
            name=route.transcoder,
            transcoder=self.transcoders.named(route.transcoder),
            because=route.reason,
        )

    def _usual(self) -> ChosenTranscoder:
        return ChosenTranscoder(
            name=self.transcoders.default_name, transcoder=self.transcoders.default
        )

    def _can(self, route: TranscoderRoute, settings: EncodingSettings) -> bool:
        try:
            able = self.transcoders.named(route.transcoder).capabilities()
        except Exception:  # noqa: BLE001 - the usual one makes it meanwhile
            _log.warning(
                "a rule's transcoder cannot be used",
                extra={"hv_transcoder": route.transcoder},
                exc_info=True,
            )
            return False
        return able.usable and not missing_for(able, settings)

    def _facts(self, video: Video) -> JobFacts:
        try:
            size_bytes = self.storage.stat(video.source_path).size_bytes
        except ObjectNotFoundError:
            # Whoever opens it says so.
            size_bytes = 0
        # Asked once, and only if a rule needs it.
        return JobFacts(size_bytes=size_bytes, waiting_s=cache(self._waiting_s))

    def _waiting_s(self) -> float:
        with self.uow.read() as work:
            waiting_s = work.jobs.waiting_s()
        try:
            workers = self.queue.workers(Lane.ENCODE)
        except UnavailableError:
            workers = 1
        return waiting_s / max(1, workers)


def _declined(transcoder: Transcoder, order: TranscodeOrder) -> str:
    if isinstance(transcoder, SupportsDeclining):
        return transcoder.declines(order)
    return ""
