"""Make the services by which owners see and change their videos."""

from functools import cached_property
from typing import Final

from hvcore.assembly.pictures import PictureWiring
from hvcore.assembly.playback import PlaybackWiring
from hvcore.services.videos.bin import Bin
from hvcore.services.videos.captions import Captions
from hvcore.services.videos.catalog import Catalog
from hvcore.services.videos.chapters import Chapters
from hvcore.services.videos.custom_thumbnails import CustomThumbnails
from hvcore.services.videos.deletion import Deletion
from hvcore.services.videos.deletion_certificates import DeletionCertificates
from hvcore.services.videos.editing import Editing
from hvcore.services.videos.erasure import Erasure
from hvcore.services.videos.ladders import Ladders
from hvcore.services.videos.text_reading import TextReading
from hvcore.signing.documents import DocumentSigner
from hvcore.throttling.shares import SharedCapacity

SMALL_FILES: Final = 8
"""
Captions, chapters and pictures that the API takes in at a time: each holds one of its 16
threads, and a picture up to 20 MB.
"""


class VideoWiring(PlaybackWiring, PictureWiring):
    """The services for videos, a part of Services; each is made when it is first read."""

    @cached_property
    def catalog(self) -> Catalog:
        return Catalog(videos=self.video_catalog, clock=self.clock)

    @cached_property
    def bin(self) -> Bin:
        """The service that lists and restores deleted videos."""
        return Bin(uow=self.uow, changes=self._playback_changes)

    @cached_property
    def deletion(self) -> Deletion:
        return Deletion(
            uow=self.uow,
            storage=self.storage,
            clock=self.clock,
            erasure=self.erasure,
            changes=self._playback_changes,
        )

    @cached_property
    def erasure(self) -> Erasure:
        return Erasure(uow=self.uow, clock=self.clock)

    @cached_property
    def deletion_certificates(self) -> DeletionCertificates:
        return DeletionCertificates(
            uow=self.uow,
            storage=self.storage,
            clock=self.clock,
            signer=self.document_signer,
            store_name=self.settings.storage.backend,
        )

    @cached_property
    def document_signer(self) -> DocumentSigner:
        """The signer of documents, whose signatures stay valid when the service's keys are rotated."""
        return DocumentSigner(self.settings.uploads.signing_key)

    @cached_property
    def editing(self) -> Editing:
        """The service that changes names, descriptions and visibility of videos."""
        return Editing(uow=self.uow, changes=self._playback_changes)

    @cached_property
    def ladders(self) -> Ladders:
        """The service that tells the measured renditions (size, bit rate) of published videos."""
        return Ladders(uow=self.uow)

    @cached_property
    def custom_thumbnails(self) -> CustomThumbnails:
        """The service for thumbnails that owners choose."""
        return CustomThumbnails(
            uow=self.uow,
            storage=self.storage,
            transcoder=self.transcoder,
            work_dir=self.recipe.work_dir,
            slots=self._small_file_slots,
            pictures=self.sent_pictures,
            task_pictures=self.task_pictures,
        )

    @cached_property
    def captions(self) -> Captions:
        return Captions(
            uow=self.uow,
            storage=self.storage,
            clock=self.clock,
            slots=self._small_file_slots,
            opened=self._new_file_slots(),
            reading=self._text_reading,
        )

    @cached_property
    def chapters(self) -> Chapters:
        return Chapters(
            uow=self.uow,
            slots=self._small_file_slots,
            reading=self._text_reading,
            changes=self._playback_changes,
        )

    @cached_property
    def _text_reading(self) -> TextReading:
        return TextReading()

    @cached_property
    def _small_file_slots(self) -> SharedCapacity:
        return self._new_file_slots()

    def _new_file_slots(self) -> SharedCapacity:
        return SharedCapacity(
            name="uploads_of_one",
            capacity=SMALL_FILES,
            most_of_one=min(self.settings.shares.uploads_of_one, SMALL_FILES),
            reserved_for_newcomers=SMALL_FILES // 4,
            things="files",
        )
