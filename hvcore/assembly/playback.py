"""Delivery to viewers: playlists, segments and pictures."""

from collections.abc import Mapping
from functools import cached_property

from hvcore.assembly.counting import CountingWiring
from hvcore.assembly.own_keys import KeyRotations
from hvcore.domain.access.service_keys import PLAYBACK, UPLOADS
from hvcore.errors import ConfigError
from hvcore.files.changes_file import CHANGES_FILE, ChangesFile
from hvcore.persistence.playback.directory import SqlPlaybackDirectory
from hvcore.services.access.key_rotation import KeyRotation
from hvcore.services.counting.sessions import SessionNotes
from hvcore.services.counting.spooled_counter import SpooledCounter
from hvcore.services.playback.changes import PlaybackChanges
from hvcore.services.playback.delivery import Delivery
from hvcore.services.playback.redirects import Redirects, can_redirect
from hvcore.services.playback.signing.keys import PlaybackSigningKeys
from hvcore.services.playback.signing.organization_keys import OrganizationKeys
from hvcore.services.playback.signing.signed_urls import SignedUrls
from hvcore.services.playback.thumbnails.renders import ThumbnailRenders
from hvcore.services.playback.thumbnails.serving import Thumbnails


class PlaybackWiring(CountingWiring):
    """A part of Services, which says when they are made."""

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
        """The keys with which organizations sign playback tokens."""
        return PlaybackSigningKeys(
            uow=self.uow,
            sealer=self.sealer,
            clock=self.clock,
            changes=self._playback_changes,
        )

    @cached_property
    def key_rotations(self) -> Mapping[str, KeyRotation]:
        """The rotations of the service's own signing keys, by purpose."""
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
    def delivery(self) -> Delivery:
        return Delivery(
            directory=SqlPlaybackDirectory(
                self.engine, ChangesFile(self.edge_folder / CHANGES_FILE), self.clock
            ),
            storage=self.storage,
            key_ring=self.key_ring,
            organization_keys=OrganizationKeys(self.sealer),
            clock=self.clock,
            counter=SpooledCounter(
                spool=self.spool,
                sessions=SessionNotes(
                    self.session_names,
                    most_of_one=self.settings.shares.live_sessions_of_one,
                ),
                clock=self.clock,
                details=self.segment_details,
            ),
            player_url=self.settings.public.player_url,
            redirects=self._redirects,
        )

    @cached_property
    def thumbnails(self) -> Thumbnails:
        """Pictures of any allowed size."""
        return Thumbnails(
            storage=self.storage,
            delivery=self.delivery,
            renders=ThumbnailRenders(self.settings.shares.renders_of_one),
        )

    @cached_property
    def _playback_changes(self) -> PlaybackChanges:
        return PlaybackChanges(
            file=self.edge_folder / CHANGES_FILE,
            invalidators=self.settings.edge.cache_invalidators,
            public=self.settings.public,
        )
