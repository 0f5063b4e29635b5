"""Make the services that turn an uploaded source into a published video."""

from functools import cached_property

from hvcore.assembly.captions import CaptionWiring
from hvcore.assembly.pictures import PictureWiring
from hvcore.domain.processing.routes import read_route
from hvcore.services.processing.attempt_files import AttemptFiles
from hvcore.services.processing.attempt_workspaces import AttemptWorkspaces
from hvcore.services.processing.conformance_reports import ConformanceReports
from hvcore.services.processing.part_results import PartResults
from hvcore.services.processing.process_requests import ProcessRequests
from hvcore.services.processing.remote_cancels import RemoteCancels
from hvcore.services.processing.remote_parts import RemoteParts
from hvcore.services.processing.repaired_parts import RepairedParts
from hvcore.services.processing.source_cache import SourceCache
from hvcore.services.processing.source_captions import SourceCaptions
from hvcore.services.processing.stored_copies import StoredCopies
from hvcore.services.processing.storyboards import Storyboards
from hvcore.services.processing.transcoder_choice import TranscoderChoice
from hvcore.services.processing.transcoding import Transcoding


class ProcessingWiring(CaptionWiring, PictureWiring):
    """The services for processing, a part of Services; each is made when it is first read."""

    @cached_property
    def processing(self) -> ProcessRequests:
        """The service that starts and restarts transcode jobs."""
        return ProcessRequests(
            uow=self.uow,
            storage=self.storage,
            transcoder=self.transcoder,
            clock=self.clock,
        )

    @cached_property
    def conformance_reports(self) -> ConformanceReports:
        """The service that gives the findings of the conformance checks of finished videos."""
        return ConformanceReports(uow=self.uow, storage=self.storage, clock=self.clock)

    @cached_property
    def transcoding(self) -> Transcoding:
        return Transcoding(
            uow=self.uow,
            queue=self.queue,
            transcoders=self.transcoders,
            choice=TranscoderChoice(
                uow=self.uow,
                queue=self.queue,
                storage=self.storage,
                transcoders=self.transcoders,
                routes=[read_route(one) for one in self.settings.transcoder.routes],
            ),
            files=self._attempt_files,
            workspaces=self._attempt_workspaces,
            results=self._part_results,
            remote_parts=RemoteParts(
                uow=self.uow,
                workspaces=self._attempt_workspaces,
                results=self._part_results,
                default_name=self.transcoders.default_name,
            ),
            storyboards=Storyboards(storage=self.storage, pictures=self.task_pictures),
            conformance_reports=self.conformance_reports,
            source_captions=self._source_captions,
            caption_orders=self.caption_orders,
        )

    @cached_property
    def repaired_parts(self) -> RepairedParts:
        """The service that makes lost files of published videos again."""
        return RepairedParts(
            uow=self.uow,
            storage=self.storage,
            transcoders=self.transcoders,
            workspaces=self._attempt_workspaces,
            files=self._attempt_files,
            copies=StoredCopies(storage=self.storage),
            conformance_reports=self.conformance_reports,
        )

    @cached_property
    def remote_cancels(self) -> RemoteCancels:
        """The service that cancels jobs at remote transcoders for which nobody waits any more."""
        return RemoteCancels(
            uow=self.uow, storage=self.storage, transcoders=self.transcoders
        )

    @cached_property
    def source_cache(self) -> SourceCache:
        """The local cache of source files from remote storage, which the next parts of a transcode job need again."""
        return SourceCache(storage=self.storage, work_dir=self.recipe.work_dir)

    @cached_property
    def _part_results(self) -> PartResults:
        return PartResults(
            uow=self.uow,
            files=self._attempt_files,
            copies=StoredCopies(storage=self.storage),
        )

    @cached_property
    def _source_captions(self) -> SourceCaptions:
        return SourceCaptions(uow=self.uow, storage=self.storage, clock=self.clock)

    @cached_property
    def _attempt_files(self) -> AttemptFiles:
        return AttemptFiles(storage=self.storage)

    @cached_property
    def _attempt_workspaces(self) -> AttemptWorkspaces:
        return AttemptWorkspaces(
            storage=self.storage,
            work_dir=self.recipe.work_dir,
            source_cache=self.source_cache,
        )
