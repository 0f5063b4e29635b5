"""
How far a request reaches: its caller, organization and environment.
"""

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
    What was found out about a request before its resource is asked.

    Attributes:
        org_id: From the path in Family A, from the key in Family B; "" where
            a route is for every key and the key belongs to none.
        env_ref: The path's environment, as yet unchecked; None in Family B
            and where the path names none.
    """

    caller: Principal
    org_id: str
    env_ref: str | None


def scope_of(req: falcon.Request) -> RequestScope:
    """
    Return what the middleware found out.
    """
    return cast("RequestScope", req.context.reach)


def find_environment(access: Access, req: falcon.Request) -> Environment:
    """
    Find the environment that the path names, or else the key.

    Raises:
        EnvironmentNotFoundError: The organization has none such.
        ForbiddenError: It lies outside the key's scope.
    """
    reach = scope_of(req)
    if reach.env_ref is None:
        return access.own_environment(reach.caller)
    if not is_chosen_id(reach.env_ref):
        raise EnvironmentNotFoundError
    return access.environment(reach.caller, reach.org_id, reach.env_ref)


def check_video_id(video_id: str) -> str:
    """
    Refuse what cannot be a video's id before a database sees it.

    Raises:
        VideoNotFoundError: Nothing can be called so.
    """
    if not is_video_id(video_id):
        raise VideoNotFoundError
    return video_id
