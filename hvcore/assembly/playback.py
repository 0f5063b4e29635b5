"""Make the services that deliver playlists, segments and pictures to viewers."""

from collections.abc import Mapping
from functools import cached_property

from hvcore.assembly.counting import CountingWiring
from hvcore.assembly.own_keys import KeyRotations
from hvcore.domain.access.service_keys import PLAYBACK, UPLOADS
from hvcore.domain.playback.page_domains import origin_of
from hvcore.errors import ConfigError
from hvcore.files.changes_file import CHANGES_FILE, ChangesFile
from hvcore.persistence.playback.directory import SqlPlaybackDirectory
from hvcore.persistence.playback.sessions import SqlPlaybackSessions
from hvcore.ports.repositories.playback import PlaybackDirectory
from hvcore.ports.repositories.playback_sessions import PlaybackSessionStore
from hvcore.services.access.key_rotation import KeyRotation
from hvcore.services.playback.authorization import PlaybackAuthorization
from hvcore.services.playback.changes import PlaybackChanges
from hvcore.services.playback.delivery import Delivery
from hvcore.services.playback.downloads.serving import Downloads
from hvcore.services.playback.media_files import MediaFiles
from hvcore.services.playback.moments.making import FrameMaker
from hvcore.services.playback.moments.renders import MomentRenders
from hvcore.services.playback.moments.serving import MomentPictures
from hvcore.services.playback.player_videos import PlayerVideos
from hvcore.services.playback.redirects import Redirects, can_redirect
from hvcore.services.playback.signing.keys import PlaybackSigningKeys
from hvcore.services.playback.signing.organization_keys import OrganizationKeys
from hvcore.services.playback.signing.signed_urls import SignedUrls
from hvcore.services.playback.texts import DeliveredTexts
from hvcore.services.playback.thumbnails.cached import CachedThumbnails
from hvcore.services.playback.thumbnails.renders import ThumbnailRenders
from hvcore.services.playback.thumbnails.serving import Thumbnails
from hvcore.services.playback.thumbnails.uses import ThumbnailUses


class PlaybackWiring(CountingWiring):
    """The services for playback, a part of Services; each is made when it is first read."""

    @cached_property
    def playback(self) -> SignedUrls:
        return SignedUrls(
            uow=self.uow,
            key_ring=self.key_ring,
            public=self.settings.public,
            clock=self.clock,
        )

    @cached_property
    def signing_keys(self) -> PlaybackSigningKeys:
        """The service for the keys with which organizations sign playback tokens."""
        return PlaybackSigningKeys(
            uow=self.uow,
            sealer=self.sealer,
            clock=self.clock,
            changes=self._playback_changes,
        )

    @cached_property
    def key_rotations(self) -> Mapping[str, KeyRotation]:
        """The services that rotate the service's own signing keys, by purpose (playback, uploads)."""
        made = KeyRotations(uow=self.uow, sealer=self.sealer, clock=self.clock)
        publish = self._playback_changes.publish
        return {
            PLAYBACK: made.playback(self.key_ring, publish),
            UPLOADS: made.uploads(self.upload_signer),
        }

    @cached_property
    def _redirects(self) -> Redirects | None:
        if not self.settings.playback.redirects:
            return None
        if not can_redirect(self.storage):
            raise ConfigError(
                "playback.redirects: this storage cannot sign addresses; use an object "
                "store that does (s3, gs, abfs), or set it to false."
            )
        return Redirects(clock=self.clock)

    @cached_property
    def playback_directory(self) -> PlaybackDirectory:
        """The lookup of the videos, links and keys that playback needs."""
        return SqlPlaybackDirectory(
            self.engine, ChangesFile(self.edge_folder / CHANGES_FILE), self.clock
        )

    @cached_property
    def playback_access(self) -> PlaybackAuthorization:
        """The service that decides who may watch which video."""
        return PlaybackAuthorization(
            directory=self.playback_directory,
            key_ring=self.key_ring,
            organization_keys=OrganizationKeys(self.sealer),
            clock=self.clock,
            player_origin=origin_of(self.settings.public.player_url),
        )

    @cached_property
    def delivery(self) -> Delivery:
        return Delivery(
            access=self.playback_access,
            media_files=MediaFiles(storage=self.storage),
            texts=DeliveredTexts(
                directory=self.playback_directory, storage=self.storage
            ),
            downloads=self.downloads,
            storage=self.storage,
            counter=self.segment_counter,
            clock=self.clock,
            redirects=self._redirects,
        )

    @cached_property
    def playback_session_store(self) -> PlaybackSessionStore | None:
        """The store of playback sessions; None if they are switched off."""
        if not self.settings.analytics.playback_sessions:
            return None
        return SqlPlaybackSessions(self.engine)

    @cached_property
    def downloads(self) -> Downloads:
        """The service that joins the files of a video into one that viewers can download."""
        return Downloads(self.storage)

    @cached_property
    def player_videos(self) -> PlayerVideos:
        """The service that gives player pages their content."""
        return PlayerVideos(access=self.playback_access)

    @cached_property
    def thumbnails(self) -> Thumbnails:
        """The service that draws thumbnails in any allowed size."""
        return Thumbnails(
            storage=self.storage,
            directory=self.playback_directory,
            access=self.playback_access,
            renders=ThumbnailRenders(self.settings.shares.renders_of_one),
            uses=self._thumbnail_uses,
            moments=self._moment_pictures,
        )

    @cached_property
    def _moment_pictures(self) -> MomentPictures:
        return MomentPictures(
            storage=self.storage,
            directory=self.playback_directory,
            frames=FrameMaker(
                storage=self.storage,
                # Most hosts of delivery never need it, and some have none.
                transcoder=lambda: self.transcoder,
                work_dir=self.recipe.work_dir,
            ),
            renders=MomentRenders(self.settings.shares.renders_of_one),
            uses=self._thumbnail_uses,
        )

    @cached_property
    def cached_thumbnails(self) -> CachedThumbnails:
        """The service that serves thumbnails which were drawn before."""
        return CachedThumbnails(
            storage=self.storage,
            access=self.playback_access,
            uses=self._thumbnail_uses,
        )

    @cached_property
    def _thumbnail_uses(self) -> ThumbnailUses:
        return ThumbnailUses()

    @cached_property
    def _playback_changes(self) -> PlaybackChanges:
        return PlaybackChanges(
            file=self.edge_folder / CHANGES_FILE,
            invalidators=self.settings.edge.cache_invalidators,
            public=self.settings.public,
        )
