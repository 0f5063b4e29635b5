"""
Every route of the API, in one table; nothing else registers any.

Source: interface, "Endpoints". The table feeds routing, the permission check
and the tests.
"""

import re
from collections.abc import Callable
from typing import Final

import attrs

from hv_api.resources import environments, health, playback, processing, uploads, videos
from hvcore.assembly import Services
from hvcore.domain.access import Permission

_PARAMETERS: Final = {
    "orgID": "org_id",
    "envID": "env_ref",
    "publicID": "video_id",
    "videoID": "video_id",
    "assetId": "video_id",
}
"""
The interface's names of path parameters, and ours.

It calls a video by three names, and Falcon takes only one in one place.
"""
_PARAMETER = re.compile(r"\{(\w+)\}")


@attrs.frozen
class Route:
    """
    One method of one address.

    Attributes:
        path: As the interface spells it.
        resource: Class of the Falcon resource that answers. Routes that
            share an address share the class.
        permission: What the key must be good for, if anything.
        is_open: No key is needed.
    """

    method: str
    path: str
    resource: Callable[[Services], object]
    permission: Permission | None = attrs.field(default=None, kw_only=True)
    is_open: bool = attrs.field(default=False, kw_only=True)

    @property
    def template(self) -> str:
        """
        The path with our names of its parameters.
        """
        return _PARAMETER.sub(lambda found: f"{{{_PARAMETERS[found[1]]}}}", self.path)

    def documented_name(self, parameter: str) -> str:
        """
        Return what the interface calls one of our parameters on this path.
        """
        names: list[str] = _PARAMETER.findall(self.path)
        return next(name for name in names if _PARAMETERS[name] == parameter)


_ORG = "/v1/api/{orgID}"
_ENV = f"{_ORG}/environments/{{envID}}"
_KEY = "/v1"

_READ = Permission.VIDEOS_READ
_WRITE = Permission.VIDEOS_WRITE
_SIGN = Permission.PLAYBACK_SIGN

ROUTES: Final = (
    Route("GET", "/health", health.Health, is_open=True),
    Route("GET", "/health/live", health.Live, is_open=True),
    # Family A
    Route("GET", f"{_ORG}/environments", environments.Environments),
    Route("POST", f"{_ENV}/videos/upload-url", uploads.UploadUrl, permission=_WRITE),
    Route("POST", f"{_ENV}/videos/process", processing.Process, permission=_WRITE),
    Route("GET", f"{_ENV}/videos", videos.VideoList, permission=_READ),
    Route("DELETE", f"{_ORG}/videos/{{videoID}}", videos.Removal, permission=_WRITE),
    Route(
        "GET", f"{_ORG}/videos/{{publicID}}/details", videos.Details, permission=_READ
    ),
    Route(
        "GET",
        f"{_ORG}/videos/{{publicID}}/signed-url",
        playback.SignedUrl,
        permission=_SIGN,
    ),
    # Family B
    Route(
        "POST", f"{_KEY}/videos/upload-url", uploads.VideoUploadUrl, permission=_WRITE
    ),
    Route("POST", f"{_KEY}/videos/process", processing.Process, permission=_WRITE),
    Route("GET", f"{_KEY}/videos", videos.VideoList, permission=_READ),
    Route("GET", f"{_KEY}/videos/{{assetId}}", videos.Video, permission=_READ),
    Route("DELETE", f"{_KEY}/videos/{{assetId}}", videos.Video, permission=_WRITE),
    Route(
        "GET", f"{_KEY}/videos/{{assetId}}/details", videos.Details, permission=_READ
    ),
    Route(
        "GET",
        f"{_KEY}/videos/{{assetId}}/signed-url",
        playback.SignedUrl,
        permission=_SIGN,
    ),
)
