"""Routes of the pages of an organization's members."""

from typing import Final

from hvcore.domain.access.roles import Role
from hvcore_dashboard.pages.members import changes, resources
from hvcore_dashboard.routing import ORG, NavigationItem, PageRoute, Section

_MEMBER: Final = f"{ORG}/members/{{member_id}}"


def _route(method: str, path: str, resource: type) -> PageRoute:
    return PageRoute(method, path, resource, needs=Role.ADMIN)


ROUTES: Final[tuple[PageRoute, ...]] = (
    PageRoute(
        "GET",
        f"{ORG}/members",
        resources.MembersPageResource,
        needs=Role.ADMIN,
        navigation=NavigationItem(
            section=Section.ORGANIZATION, title="Members", icon="members"
        ),
    ),
    _route("GET", f"{ORG}/members/new", changes.NewMemberPageResource),
    _route("POST", f"{ORG}/members/new", changes.NewMemberPageResource),
    _route("GET", _MEMBER, resources.MemberPageResource),
    _route("POST", f"{_MEMBER}/role", changes.MemberRolePageResource),
    _route("POST", f"{_MEMBER}/link", changes.MemberLinkPageResource),
    _route("POST", f"{_MEMBER}/invite", changes.MemberInvitationPageResource),
    _route("POST", f"{_MEMBER}/remove", changes.MemberRemovalPageResource),
)
