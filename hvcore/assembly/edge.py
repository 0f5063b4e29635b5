"""Make the service that permits an edge (the nginx in front of delivery) to serve videos by itself."""

from functools import cached_property

from hvcore.assembly.links import LinkWiring
from hvcore.services.edge.authorizations import EdgeAuthorizations


class EdgeWiring(LinkWiring):
    """The services for edges, a part of Services; each is made when it is first read."""

    @cached_property
    def edge_authorizations(self) -> EdgeAuthorizations:
        """The service that permits an edge (the nginx in front of delivery) to serve videos by itself."""
        return EdgeAuthorizations(
            directory=self.playback_directory,
            storage=self.storage,
            access=self.playback_access,
            delivery=self.delivery,
            edge_key_playback=self.edge_key_playback,
            share_link_playback=self.share_link_playback,
        )
