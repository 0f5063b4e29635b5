"""The scope of a request: its caller, organization and environment."""

from typing import cast

import attrs
import falcon

from hvcore.domain.access.principals import Principal
from hvcore.domain.access.tenants import Environment
from hvcore.domain.ids import is_chosen_id, is_video_id
from hvcore.errors import EnvironmentNotFoundError, VideoNotFoundError
from hvcore.services.access.callers import Access


@attrs.frozen(kw_only=True)
class RequestScope:
    """
    The caller, organization and environment of a request.

    Attributes:
        org_id: The organization, from the path in Family A, from the key in Family B; "" where
            a route is for every key and the key belongs to none.
        env_ref: The path's environment, as yet unchecked; None in Family B
            and where the path names none.
    """

    caller: Principal
    org_id: str
    env_ref: str | None


def scope_of(req: falcon.Request) -> RequestScope:
    """Return the caller, organization and environment of a request, as the access middleware has set them."""
    return cast("RequestScope", req.context.scope)


def find_environment(access: Access, req: falcon.Request) -> Environment:
    """
    Find the environment that the path names, or else the key.

    Raises:
        EnvironmentNotFoundError: The organization has no such environment.
        ForbiddenError: The environment is outside the key's scope.
    """
    scope = scope_of(req)
    if scope.env_ref is None:
        return access.own_environment(scope.caller)
    if not is_chosen_id(scope.env_ref):
        raise EnvironmentNotFoundError
    return access.environment(scope.caller, scope.org_id, scope.env_ref)


def check_video_id(video_id: str) -> str:
    """
    Return a video's id if it has the form of one; ask no database.

    Raises:
        VideoNotFoundError: Nothing can be called so.
    """
    if not is_video_id(video_id):
        raise VideoNotFoundError
    return video_id
