"""The type of a dashboard route: a method of an address, with its role, navigation and limits."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from enum import Enum
from typing import Final

import attrs

from hvcore.assembly import Services
from hvcore.domain.access.rate_limits import Bucket
from hvcore.domain.access.roles import Role

ROOT: Final = "/dashboard"
"""The path of the dashboard in the API's process."""
ORG: Final = f"{ROOT}/{{org_id}}"
"""The beginning of paths of pages about an organization."""
VIDEO: Final = f"{ORG}/videos/{{video_id}}"


class Audience(Enum):
    """The people who may open a page without a role in an organization, such as operators."""

    EVERYBODY = "everybody"
    SIGNED_IN = "signed_in"
    OPERATORS = "operators"


class Section(Enum):
    """A section of the navigation, in the order of display."""

    CONTENT = "Content"
    DEVELOPERS = "Developers"
    ORGANIZATION = "Organization"
    OPERATION = "Operation"


@attrs.frozen(kw_only=True)
class NavigationItem:
    """
    The link to a page in the navigation: its section, title and icon.

    Attributes:
        icon: The icon's name in ``templates/icons.html``.
    """

    section: Section
    title: str
    icon: str


ReceivingSlots = Callable[[str], AbstractContextManager[None]]
"""A function that takes a slot for receiving a file of an organization, until the file is
stored."""


@attrs.frozen(kw_only=True)
class SentFileRule:
    """
    The limits for a file that a form sends: its size, its time, and how many are received at once.

    Attributes:
        max_bytes: The most bytes of the file.
        within_s: The seconds in which the file must arrive.
        slots: Returns the limit of files received at the same time, because each holds
            a thread of the server.
    """

    max_bytes: int
    within_s: float
    slots: Callable[[Services], ReceivingSlots]


# A route is itself: resources cannot be compared.
@attrs.frozen(eq=False)
class PageRoute:
    """
    A route of the dashboard: an HTTP method of an address.

    Attributes:
        path: The path with Falcon's parameters; ``org_id`` is checked before the
            resource is called.
        resource: The class of the Falcon resource that answers, made of the ``Desk``.
            Routes that share an address share the class.
        needs: The least role in the organization that the path names, or who else
            may use the page.
        navigation: The item of the navigation that leads to the page, if there is one.
        is_for_scripts: Whether scripts call the route: refusals are then JSON, as the API's.
        file: The limits for a file that the form may send besides its fields.
        bucket: The rate limit of the organization under which a request counts, the same as
            that of the API's route for the same operation.
        leaves: Whether the page ends sessions: then it is not checked whether the person
            still has a role.
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
