"""
Organizations with an environment and a key each, as clients of a running service.
"""

from pathlib import Path
from typing import Any

import attrs

from hvcore.assembly import Services
from hvcore.domain.access.keys import ALL_PERMISSIONS, KeyType
from hvcore.domain.access.tenants import Environment, EnvironmentKind
from hvcore.services.access.keys import KeyWanted
from tests.services.conftest import MP4
from tests.support.live import LiveService, request
from tests.support.stores.published import ENV


@attrs.frozen(kw_only=True)
class Customer:
    """
    An organization with a key of its own.
    """

    service: LiveService
    env: Environment
    key: str = attrs.field(repr=False)

    @property
    def root(self) -> str:
        """
        The path of its environment.
        """
        return f"/v1/api/{self.env.org_id}/environments/{self.env.name}"

    def ask(self, method: str, path: str, **body: object) -> Any:  # noqa: ANN401 - JSON
        """
        Ask the API; return what stands under ``body``.
        """
        sent = self.service.call(method, path, body or None, **{"X-Api-Key": self.key})
        assert sent.status == 200, sent.data
        return sent.body

    def upload_address(self, clip: Path, *, size_bytes: int = 0) -> Any:  # noqa: ANN401
        """
        Ask for an address to upload to.
        """
        return self.ask(
            "POST",
            f"{self.root}/videos/upload-url",
            filename=clip.name,
            fileSize=size_bytes or clip.stat().st_size,
            contentType=MP4,
        )

    def orders(self, clip: Path, **settings: object) -> str:
        """
        Upload a clip and order its processing; return the video's id.
        """
        return self.order_uploaded(self.upload(clip), **settings)

    def upload(self, clip: Path) -> str:
        """
        Upload a clip; return the path by which its processing is ordered.

        The uploads of one client are stored one after the other.
        """
        grant = self.upload_address(clip)
        headers = {"Content-Type": MP4}
        data = clip.read_bytes()
        assert (
            request("PUT", grant["signedURL"], data=data, headers=headers).status == 200
        )
        return str(grant["bucketPath"])

    def order_uploaded(self, bucket_path: str, **settings: object) -> str:
        """
        Order the processing of a clip that was uploaded; return the video's id.
        """
        made = self.ask(
            "POST",
            f"{self.root}/videos/process",
            gcsPath=bucket_path,
            allowPublicAccess=True,
            **settings,
        )
        return str(made["videoID"])

    def is_ready(self, video_id: str) -> bool:
        """
        Tell whether a video is ready.
        """
        return bool(self.ask("GET", f"/v1/videos/{video_id}")["status"]["ready"])


def new_customer(service: LiveService, services: Services, org_id: str) -> Customer:
    """
    Make an organization, its environment and its key.
    """
    services.tenants.create_organization(org_id)
    env = services.tenants.create_environment(org_id, ENV, EnvironmentKind.PRODUCTION)
    key = services.keys.create(
        KeyWanted(
            type=KeyType.ENVIRONMENT,
            org_id=org_id,
            env=ENV,
            permissions=ALL_PERMISSIONS,
            expires_in=None,
        )
    )
    return Customer(service=service, env=env, key=key.value)
