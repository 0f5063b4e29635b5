"""A page: one method of one address, with everything known about it."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from enum import Enum
from typing import Final

import attrs

from hvcore.assembly import Services
from hvcore.domain.access.rate_limits import Bucket
from hvcore.domain.access.roles import Role

ROOT: Final = "/dashboard"
"""Where the API's process finds the dashboard."""
ORG: Final = f"{ROOT}/{{org_id}}"
"""Below an organization."""
VIDEO: Final = f"{ORG}/videos/{{video_id}}"


class Audience(Enum):
    """The people a page is for, where no role in an organization decides."""

    EVERYBODY = "everybody"
    SIGNED_IN = "signed_in"
    OPERATORS = "operators"


class Section(Enum):
    """A part of the navigation, in the order of the page."""

    CONTENT = "Content"
    DEVELOPERS = "Developers"
    ORGANIZATION = "Organization"
    OPERATION = "Operation"


@attrs.frozen(kw_only=True)
class NavigationItem:
    """
    The link to a page in the navigation: its section, title and icon.

    Attributes:
        icon: Its name in ``templates/icons.html``.
    """

    section: Section
    title: str
    icon: str


ReceivingSlots = Callable[[str], AbstractContextManager[None]]
"""Takes a slot for a file of an organization, until it is stored."""


@attrs.frozen(kw_only=True)
class SentFileRule:
    """
    The limits of a file that a form sends: its bytes, its time, its slot.

    Attributes:
        max_bytes: Of the file.
        within_s: It has so long to arrive.
        slots: Each file that is on its way holds a thread of the server.
    """

    max_bytes: int
    within_s: float
    slots: Callable[[Services], ReceivingSlots]


# A route is itself: resources cannot be compared.
@attrs.frozen(eq=False)
class PageRoute:
    """
    One method of one address.

    Attributes:
        path: With Falcon's parameters; ``org_id`` is checked before the resource.
        resource: Class of the Falcon resource that answers, made of the desk.
            Routes that share an address share the class.
        needs: The least role in the organization that the path names, or who else
            may use it.
        navigation: The navigation's entry that leads there, if there is one.
        is_for_scripts: Scripts ask for it: refusals are JSON, as the API's.
        file: What a form may send besides its fields.
        bucket: What it counts as under the organization's limits, as the API's route
            for the same does.
        leaves: It ends sessions: nobody is asked whether the person still belongs.
    """

    method: str
    path: str
    resource: Callable[..., object]
    needs: Role | Audience = attrs.field(kw_only=True)
    navigation: NavigationItem | None = attrs.field(default=None, kw_only=True)
    is_for_scripts: bool = attrs.field(default=False, kw_only=True)
    file: SentFileRule | None = attrs.field(default=None, kw_only=True)
    bucket: Bucket | None = attrs.field(default=None, kw_only=True)
    leaves: bool = attrs.field(default=False, kw_only=True)
