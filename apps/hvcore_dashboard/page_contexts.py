"""The values that every template needs: navigation, the signed-in person, and addresses of pages."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

import attrs

from hvcore.domain.access.roles import Role
from hvcore.domain.access.tenants import Environment
from hvcore.domain.sign_in.people import SignedInPerson
from hvcore_dashboard.cookies import FlashMessage
from hvcore_dashboard.list_places import LIST, ListPlace
from hvcore_dashboard.rendering import query
from hvcore_dashboard.routing import (
    ORG,
    ROOT,
    Audience,
    NavigationItem,
    PageRoute,
    Section,
)
from hvcore_dashboard.visits import OrganizationVisit, Visit

_VIDEOS: Final = "videos"
_NAMED: Final = "env"
"""The query parameter that names an environment."""


@attrs.frozen(kw_only=True)
class NavigationLink:
    """A link in the navigation to a page of the dashboard."""

    item: NavigationItem
    url: str
    is_here: bool


@attrs.frozen(kw_only=True)
class PageContext:
    """
    The values that every template of the dashboard has, as ``here``.

    Attributes:
        root: The path of the dashboard, as browsers see it.
        static: The address of the pages' static files.
        nonce: The Content-Security-Policy nonce of scripts and of elements that htmx
            obeys.
        path: The page's path, with the root that browsers see.
        visit: The person and organization; None if nobody is signed in.
        messages: The messages to show on this page only.
        routes: The pages from which the navigation is made.
        list_place: The search, filters and page of the list of videos to which the page leads back.
        keeps_place: Whether links to videos carry that place in the list.
    """

    root: str
    static: str
    nonce: str
    request_id: str
    path: str
    visit: Visit | None
    messages: Sequence[FlashMessage]
    routes: Sequence[PageRoute]
    list_place: ListPlace = attrs.field(factory=ListPlace)
    keeps_place: bool = False

    @property
    def person(self) -> SignedInPerson | None:
        """The person who is signed in; None if nobody is."""
        return self.visit.person if self.visit else None

    @property
    def organization(self) -> OrganizationVisit | None:
        """The organization of the page and the person's role in it; None if the page has none."""
        return self.visit.organization if self.visit else None

    @property
    def navigated_organization(self) -> OrganizationVisit | None:
        """
        The organization whose pages the navigation links to.

        It is that of this page, or else that of the page before; None if there is neither.
        """
        if self.visit is None:
            return None
        return self.visit.organization or self.visit.last

    def environment_url(self, env: Environment) -> str:
        """
        Return the address of the link that chooses another environment.

        It leads to the list of this page's section, because a video or another object belongs to
        one environment only.
        """
        found = self.navigated_organization
        assert found is not None  # noqa: S101 - the menu is shown with one
        section = ""
        if self.organization is not None:
            below = self.path.removeprefix(self.top(found.org_id)).strip("/")
            section = below.partition("/")[0]
        return self.top(found.org_id, section or "videos", **{_NAMED: env.name})

    @property
    def env(self) -> Environment | None:
        """The environment that the page shows; None if there is none."""
        return self.organization.env if self.organization else None

    @property
    def change_token(self) -> str:
        """The token that every form of the page sends, to show that a change comes from this session."""
        return self.person.change_token if self.person else ""

    def may(self, role: str) -> bool:
        """Return whether the person has this role or a greater one in the page's organization."""
        found = self.organization
        return found is not None and found.role.includes(Role(role))

    def top(self, *parts: str, **values: object) -> str:
        """
        Return the address of a dashboard page that belongs to no organization.

        Args:
            parts: The parts of the path behind the dashboard's root.
            values: Parameters of the query; those that are empty or None are left out.
        """
        return "/".join([self.root, *map(_part, parts)]) + query(values)

    def url(self, *parts: str, **values: object) -> str:
        """
        Return the address of a page in the same organization and environment.

        Args:
            parts: The parts of the path behind the organization.
            values: Parameters of the query; those that are empty or None are left out.
        """
        found = self.navigated_organization
        assert found is not None  # noqa: S101 - templates of its pages ask for it
        if found.env is not None and found.env != found.default_env:
            values = {_NAMED: found.env.name, **values}
        if self.keeps_place and parts[:1] == (_VIDEOS,) and parts[1:]:
            values = {**values, LIST: self.list_place.text}
        return self.top(found.org_id, *parts, **values)

    @property
    def list_url(self) -> str:
        """The address of the list of videos, with the search, filters and page that led to this page."""
        return self.url(_VIDEOS, **self.list_place.values)

    @property
    def navigation(self) -> Sequence[tuple[Section, Sequence[NavigationLink]]]:
        """Links to the pages that this person may open, by section."""
        links = [self._link(route) for route in self.routes if self._leads(route)]
        return [
            (section, found)
            for section in Section
            if (found := [link for link in links if link.item.section is section])
        ]

    def _leads(self, route: PageRoute) -> bool:
        if route.navigation is None or self.person is None:
            return False
        if isinstance(route.needs, Role):
            return (
                self.navigated_organization is not None
                and self.navigated_organization.role.includes(route.needs)
            )
        return route.needs is not Audience.OPERATORS or self.person.is_operator

    def _link(self, route: PageRoute) -> NavigationLink:
        assert route.navigation is not None  # noqa: S101 - see _leads
        if route.path.startswith(ORG):
            below = route.path.removeprefix(ORG).strip("/")
            url = self.url(*below.split("/"))
        else:
            url = self.top(*route.path.removeprefix(ROOT).strip("/").split("/"))
        path = url.partition("?")[0]
        is_here = f"{self.path}/".startswith(f"{path}/")
        return NavigationLink(item=route.navigation, url=url, is_here=is_here)


def _part(text: str) -> str:
    return quote(text, safe="")
