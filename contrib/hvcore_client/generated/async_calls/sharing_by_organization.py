"""
Calls of the API: Sharing by organization.

Written by hvcore_client_generator; do not change it by hand.
"""

from collections.abc import Sequence
from datetime import datetime

from hvcore_client.async_caller import AsyncCaller
from hvcore_client.generated import models, operations


class AsyncSharingByOrganizationCalls(AsyncCaller):
    """Sharing by organization."""

    async def list_edge_keys_in_organization(
        self, org_id: str, video_id: str
    ) -> models.EdgeKeyList:
        """
        List a video's edge keys, newest first.

        Needs the permission `playback:sign`. Counts under the limit `video-operations`.

        Args:
            org_id: The organization.
            video_id: The video.
        """
        return await self._call(
            operations.LIST_EDGE_KEYS_IN_ORGANIZATION,
            {"org_id": org_id, "video_id": video_id},
        )

    async def create_edge_key_in_organization(
        self,
        org_id: str,
        video_id: str,
        *,
        domains: Sequence[str] | None = None,
        expires_at: datetime | None = None,
        idempotency_key: str | None = None,
    ) -> models.EdgeKey:
        """
        Make an edge key, which plays a video until it is revoked.

        Needs the permission `playback:sign`. Counts under the limit `video-operations`.

        Args:
            org_id: The organization.
            video_id: The video.
            domains: The pages that may use it, such as example.com or *.example.com; by
                default every page. One text with commas will do as well.
            expires_at: When it stops playing; by default never.
            idempotency_key: The same key gives the first answer again; by default a new
                one.
        """
        return await self._call(
            operations.CREATE_EDGE_KEY_IN_ORGANIZATION,
            {
                "org_id": org_id,
                "video_id": video_id,
                "domains": domains,
                "expires_at": expires_at,
                "idempotency_key": idempotency_key,
            },
        )

    async def revoke_video_edge_key_in_organization(
        self, org_id: str, video_id: str, edge_key: str
    ) -> models.EdgeKey:
        """
        Revoke an edge key of a video.

        Needs the permission `playback:sign`. Counts under the limit `video-operations`.

        Args:
            org_id: The organization.
            video_id: The video.
            edge_key: The edge key.
        """
        return await self._call(
            operations.REVOKE_VIDEO_EDGE_KEY_IN_ORGANIZATION,
            {"org_id": org_id, "video_id": video_id, "edge_key": edge_key},
        )

    async def create_share_link_in_organization(
        self,
        org_id: str,
        video_id: str,
        *,
        expiration_hours: int | None = None,
        max_views: int | None = None,
        viewer_email: str | None = None,
        idempotency_key: str | None = None,
    ) -> models.ShareLink:
        """
        Make a link that plays a video for a time or some views.

        Needs the permission `playback:sign`. Counts under the limit `video-operations`.

        Args:
            org_id: The organization.
            video_id: The video.
            expiration_hours: By default ``24``.
            max_views: How many playback sessions may begin; by default any number.
            viewer_email: Only a viewer who enters the code that is sent to this address
                may watch.
            idempotency_key: The same key gives the first answer again; by default a new
                one.
        """
        return await self._call(
            operations.CREATE_SHARE_LINK_IN_ORGANIZATION,
            {
                "org_id": org_id,
                "video_id": video_id,
                "expiration_hours": expiration_hours,
                "max_views": max_views,
                "viewer_email": viewer_email,
                "idempotency_key": idempotency_key,
            },
        )

    async def list_share_links_in_organization(
        self, org_id: str, video_id: str
    ) -> models.ShareLinkList:
        """
        List a video's share links, newest first.

        Needs the permission `playback:sign`. Counts under the limit `video-operations`.

        Args:
            org_id: The organization.
            video_id: The video.
        """
        return await self._call(
            operations.LIST_SHARE_LINKS_IN_ORGANIZATION,
            {"org_id": org_id, "video_id": video_id},
        )

    async def revoke_share_link_in_organization(
        self, org_id: str, video_id: str, share_id: str
    ) -> models.ShareLink:
        """
        Revoke a share link; its sessions end.

        Needs the permission `playback:sign`. Counts under the limit `video-operations`.

        Args:
            org_id: The organization.
            video_id: The video.
            share_id: The share link.
        """
        return await self._call(
            operations.REVOKE_SHARE_LINK_IN_ORGANIZATION,
            {"org_id": org_id, "video_id": video_id, "share_id": share_id},
        )

    async def get_edge_key_in_organization(
        self, org_id: str, edge_key: str
    ) -> models.EdgeKey:
        """
        Get an edge key, revoked or not.

        Needs the permission `playback:sign`. Counts under the limit `video-operations`.

        Args:
            org_id: The organization.
            edge_key: The edge key.
        """
        return await self._call(
            operations.GET_EDGE_KEY_IN_ORGANIZATION,
            {"org_id": org_id, "edge_key": edge_key},
        )

    async def revoke_edge_key_in_organization(
        self, org_id: str, edge_key: str
    ) -> models.EdgeKey:
        """
        Revoke an edge key.

        Needs the permission `playback:sign`. Counts under the limit `video-operations`.

        Args:
            org_id: The organization.
            edge_key: The edge key.
        """
        return await self._call(
            operations.REVOKE_EDGE_KEY_IN_ORGANIZATION,
            {"org_id": org_id, "edge_key": edge_key},
        )
