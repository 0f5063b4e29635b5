"""
Calls of the API: Playback by organization.

Written by hvcore_client_generator; do not change it by hand.
"""

from hvcore_client.caller import Caller
from hvcore_client.generated import choices, models, operations


class PlaybackByOrganizationCalls(Caller):
    """Playback by organization."""

    def get_signed_url_in_organization(
        self,
        org_id: str,
        video_id: str,
        *,
        expiration: choices.SignedUrlExpiration | None = None,
        domains: str | None = None,
    ) -> models.SignedUrl:
        """
        Get an address that plays a private video for a time.

        Needs the permission `playback:sign`. Counts under the limit `video-operations`.

        Args:
            org_id: The organization.
            video_id: The video.
            expiration: How long the address works. By default ``1h``.
            domains: Host names of the pages that may play it, separated by commas; `*.`
                in front includes all subdomains.
        """
        return self._call(
            operations.GET_SIGNED_URL_IN_ORGANIZATION,
            {
                "org_id": org_id,
                "video_id": video_id,
                "expiration": expiration,
                "domains": domains,
            },
        )

    def get_source_url_in_organization(
        self,
        org_id: str,
        video_id: str,
        *,
        expiration: choices.SignedUrlExpiration | None = None,
    ) -> models.SignedUrl:
        """
        Get an address of the file that a video was made of, for a time.

        Needs the permission `videos:read`. Counts under the limit `video-operations`.

        Args:
            org_id: The organization.
            video_id: The video.
            expiration: How long the address works. By default ``1h``.
        """
        return self._call(
            operations.GET_SOURCE_URL_IN_ORGANIZATION,
            {"org_id": org_id, "video_id": video_id, "expiration": expiration},
        )
