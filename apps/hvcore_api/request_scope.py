"""The caller, organization and environment of an API request."""

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
        org_id: The organization, from the path or else from the key; "" where a route is for
            every key and the key belongs to none.
        env_ref: The environment in the path, not checked yet; None if the path names none.
    """

    caller: Principal
    org_id: str
    env_ref: str | None


def scope_of(req: falcon.Request) -> RequestScope:
    """Return the caller, organization and environment of a request, as the access middleware has set them."""
    return cast("RequestScope", req.context.scope)


def find_environment(access: Access, req: falcon.Request) -> Environment:
    """
    Find the environment that the path names, or else the one to which the key belongs.

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
        VideoNotFoundError: The text does not have the form of a video's id.
    """
    if not is_video_id(video_id):
        raise VideoNotFoundError
    return video_id
