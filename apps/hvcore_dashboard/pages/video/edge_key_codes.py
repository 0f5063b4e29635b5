"""Make the edge keys in embed codes, and name edge keys in addresses without revealing them."""

import hashlib
from collections.abc import Sequence
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain.links.links import EdgeKey
from hvcore.domain.videos.video import Video
from hvcore.errors import FieldError, InvalidParametersError
from hvcore.services.links.edge_keys import EdgeKeys
from hvcore.wire.converter import read_query
from hvcore.wire.links.links import EdgeKeyRequest
from hvcore_dashboard.forms import Form
from hvcore_dashboard.pages.video.typed_domains import host_names
from hvcore_dashboard.visits import OrganizationVisit

SITES: Final = "sites"
"""The form's field with the domains of the pages that may show the video."""
NO_SITES: Final = "Write the domain of your page, such as www.example.com, or paste the page's address."
_NAME_CHARS: Final = 16


@attrs.frozen(kw_only=True)
class EdgeKeyCodes:
    """Make and find the edge keys of a video's embed codes."""

    edge_keys: EdgeKeys
    clock: Clock

    def working(self, here: OrganizationVisit, video: Video) -> Sequence[EdgeKey]:
        """Return the edge keys of a video that work now, newest first."""
        now = self.clock.now()
        keys = self.edge_keys.of_video(here.caller, here.org_id, video.id)
        return [key for key in keys if key.is_valid_at(now)]

    def make(
        self, here: OrganizationVisit, video: Video, form: Form
    ) -> tuple[EdgeKey, bool]:
        """
        Return an edge key for the domains in a form, and whether it is a new one.

        An existing key without an expiry date for the same domains is used again, so that a form
        that is sent twice makes no second key.

        Raises:
            InvalidParametersError: The form names no domain, or a text that is no domain.
        """
        sites = host_names(form.text(SITES))
        if not sites:
            problem = FieldError(message=NO_SITES, location="body.domains")
            raise InvalidParametersError(NO_SITES, errors=[problem])
        domains = read_query(EdgeKeyRequest, {"domains": sites}).domains
        for key in self.working(here, video):
            if key.expires_at is None and set(key.domains) == set(domains):
                return key, False
        made = self.edge_keys.create(
            here.caller, here.org_id, video.id, domains=domains, expires_at=None
        )
        return made, True


def name_of(key: EdgeKey) -> str:
    """
    Return a name of an edge key for addresses, which does not reveal the key.

    Addresses are logged, and whoever has the key may play the video.
    """
    return hashlib.sha256(key.id.encode()).hexdigest()[:_NAME_CHARS]
