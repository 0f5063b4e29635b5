"""
Videos as their owners see and change them.
"""

from functools import cached_property

from hvcore.assembly.playback import PlaybackWiring
from hvcore.persistence.videos.catalog import SqlVideoCatalog
from hvcore.services.videos.captions import Captions
from hvcore.services.videos.catalog import Catalog
from hvcore.services.videos.custom_thumbnails import CustomThumbnails
from hvcore.services.videos.deletion import Deletion
from hvcore.services.videos.editing import Editing


class VideoWiring(PlaybackWiring):
    """
    A part of Services, which says when they are made.
    """

    @cached_property
    def catalog(self) -> Catalog:
        """
        Lists and details.
        """
        return Catalog(videos=SqlVideoCatalog(self.engine), clock=self.clock)

    @cached_property
    def deletion(self) -> Deletion:
        """
        Deleting and purging.
        """
        return Deletion(
            uow=self.uow,
            storage=self.storage,
            clock=self.clock,
            changes=self._playback_changes,
        )

    @cached_property
    def editing(self) -> Editing:
        """
        Changes of names, descriptions and visibility.
        """
        return Editing(uow=self.uow, changes=self._playback_changes)

    @cached_property
    def custom_thumbnails(self) -> CustomThumbnails:
        """
        Pictures that owners choose.
        """
        return CustomThumbnails(
            uow=self.uow,
            storage=self.storage,
            transcoder=self.transcoder,
            work_dir=self._recipe.work_dir,
        )

    @cached_property
    def captions(self) -> Captions:
        """
        Captions of videos.
        """
        return Captions(uow=self.uow, storage=self.storage, clock=self.clock)
