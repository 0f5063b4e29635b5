"""The members of the organization."""

from typing import Final

from hvcore.domain.access.roles import Role
from hvcore_dashboard.resources import member_changes, members
from hvcore_dashboard.routing import ORG, NavigationItem, PageRoute, Section

_MEMBER: Final = f"{ORG}/members/{{member_id}}"


def _route(method: str, path: str, resource: type) -> PageRoute:
    return PageRoute(method, path, resource, needs=Role.ADMIN)


ROUTES: Final[tuple[PageRoute, ...]] = (
    PageRoute(
        "GET",
        f"{ORG}/members",
        members.MembersPageResource,
        needs=Role.ADMIN,
        navigation=NavigationItem(
            section=Section.ORGANIZATION, title="Members", icon="members"
        ),
    ),
    _route("GET", f"{ORG}/members/new", member_changes.NewMemberPageResource),
    _route("POST", f"{ORG}/members/new", member_changes.NewMemberPageResource),
    _route("GET", _MEMBER, members.MemberPageResource),
    _route("POST", f"{_MEMBER}/role", member_changes.MemberRolePageResource),
    _route("POST", f"{_MEMBER}/link", member_changes.MemberLinkPageResource),
    _route("POST", f"{_MEMBER}/remove", member_changes.MemberRemovalPageResource),
)
