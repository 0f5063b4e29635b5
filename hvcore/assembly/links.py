"""Make the services for the two kinds of playback links, edge keys and share links, and for playback sessions."""

from functools import cached_property

from hvcore.assembly.playback import PlaybackWiring
from hvcore.persistence.playback.sessions import SqlPlaybackSessions
from hvcore.ports.repositories.playback_sessions import PlaybackSessionStore
from hvcore.services.links.edge_key_playback import EdgeKeyPlayback
from hvcore.services.links.edge_keys import EdgeKeys
from hvcore.services.links.link_pages import LinkPages
from hvcore.services.links.share_codes import ShareCodes
from hvcore.services.links.share_link_playback import ShareLinkPlayback
from hvcore.services.links.share_links import ShareLinks
from hvcore.services.playback.sessions import PlaybackSessions, SessionTokens


class LinkWiring(PlaybackWiring):
    """The services for edge keys and share links, a part of Services; each is made when it is first read."""

    @cached_property
    def edge_key_playback(self) -> EdgeKeyPlayback:
        return EdgeKeyPlayback(
            directory=self.playback_directory,
            access=self.playback_access,
            delivery=self.delivery,
            pages=self._link_pages,
            public=self.settings.public,
            clock=self.clock,
        )

    @cached_property
    def share_link_playback(self) -> ShareLinkPlayback:
        return ShareLinkPlayback(
            uow=self.uow,
            directory=self.playback_directory,
            access=self.playback_access,
            delivery=self.delivery,
            key_ring=self.key_ring,
            pages=self._link_pages,
            public=self.settings.public,
            clock=self.clock,
        )

    @cached_property
    def share_codes(self) -> ShareCodes:
        return ShareCodes(
            uow=self.uow, playback=self.share_link_playback, clock=self.clock
        )

    @cached_property
    def playback_sessions(self) -> PlaybackSessions | None:
        """The service that takes players' reports about playback sessions; None if switched off."""
        store = self.playback_session_store
        return None if store is None else self._sessions_in(store)

    def forget_playback_sessions(self) -> None:
        """Delete playback sessions that are over, also where they have been switched off since."""
        self._sessions_in(SqlPlaybackSessions(self.engine)).forget_old()

    def _sessions_in(self, store: PlaybackSessionStore) -> PlaybackSessions:
        playback = self.settings.playback
        return PlaybackSessions(
            access=self.playback_access,
            by_edge_key=self.edge_key_playback.let_in,
            store=store,
            tokens=SessionTokens(playback.signing_key, *playback.retired_keys),
            clock=self.clock,
            country_header=self.settings.analytics.country_header.lower(),
        )

    @cached_property
    def edge_keys(self) -> EdgeKeys:
        return EdgeKeys(
            uow=self.uow,
            public=self.settings.public,
            clock=self.clock,
            changes=self._playback_changes,
        )

    @cached_property
    def shares(self) -> ShareLinks:
        return ShareLinks(
            uow=self.uow,
            public=self.settings.public,
            clock=self.clock,
            changes=self._playback_changes,
        )

    @cached_property
    def _link_pages(self) -> LinkPages:
        return LinkPages(
            key_ring=self.key_ring, clock=self.clock, public=self.settings.public
        )
