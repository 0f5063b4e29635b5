"""The context of a page: navigation around it, and the addresses of its links."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

import attrs

from hvcore.domain.access.roles import Role
from hvcore.domain.access.tenants import Environment
from hvcore.domain.sign_in.people import SignedInPerson
from hvcore_dashboard.cookies import FlashMessage
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

_NAMED: Final = "env"
"""The parameter that names an environment."""


@attrs.frozen(kw_only=True)
class NavigationLink:
    """A page that the navigation leads to."""

    item: NavigationItem
    url: str
    is_here: bool


@attrs.frozen(kw_only=True)
class PageContext:
    """
    The values that every template of the dashboard has, as ``here``.

    Attributes:
        root: The path of the dashboard, as browsers see it.
        static: The address of the pages' files.
        nonce: Stands on scripts and on what htmx obeys.
        path: Of the page, with our root.
        visit: None for who is not signed in.
        messages: Told once.
        routes: What the navigation is made of.
    """

    root: str
    static: str
    nonce: str
    request_id: str
    path: str
    visit: Visit | None
    messages: Sequence[FlashMessage]
    routes: Sequence[PageRoute]

    @property
    def person(self) -> SignedInPerson | None:
        """The person who is signed in, if anybody is."""
        return self.visit.person if self.visit else None

    @property
    def organization(self) -> OrganizationVisit | None:
        """The organization of the page, if it has one."""
        return self.visit.organization if self.visit else None

    @property
    def env(self) -> Environment | None:
        """The environment that the page is about."""
        return self.organization.env if self.organization else None

    @property
    def change_token(self) -> str:
        """The change token that every form of the page sends along."""
        return self.person.change_token if self.person else ""

    def may(self, role: str) -> bool:
        """Return whether the person has this role here, or a greater one."""
        found = self.organization
        return found is not None and found.role.includes(Role(role))

    def top(self, *parts: str, **values: object) -> str:
        """Return an address of the dashboard that is in no organization."""
        return "/".join([self.root, *map(_part, parts)]) + query(values)

    def url(self, *parts: str, **values: object) -> str:
        """
        Return an address in the organization, and in the same environment.

        Args:
            values: Of its query; what is empty or None is left out.
        """
        found = self.organization
        assert found is not None  # noqa: S101 - templates of its pages ask for it
        if found.env is not None and found.env != found.default_env:
            values = {_NAMED: found.env.name, **values}
        return self.top(found.org_id, *parts, **values)

    @property
    def navigation(self) -> Sequence[tuple[Section, Sequence[NavigationLink]]]:
        """The pages that this person may open, by section."""
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
            return self.organization is not None and self.may(route.needs.value)
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
