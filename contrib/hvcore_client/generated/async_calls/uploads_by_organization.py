"""
Calls of the API: Uploads by organization.

Written by hvcore_client_generator; do not change it by hand.
"""

from hvcore_client.async_caller import AsyncCaller
from hvcore_client.generated import choices, models, operations


class AsyncUploadsByOrganizationCalls(AsyncCaller):
    """Uploads by organization."""

    async def create_upload_url_in_environment(
        self,
        org_id: str,
        env_id: str,
        *,
        filename: str,
        file_size: int,
        content_type: choices.ContentType | None = None,
        description: str | None = None,
        parts: bool | None = None,
        idempotency_key: str | None = None,
    ) -> models.UploadGrant:
        """
        Get an address to send a file to.

        Needs the permission `videos:write`. Counts under the limit `upload-url`.

        Args:
            org_id: The organization.
            env_id: The environment: its identifier or its short name.
            filename: Name of the file; shown, never part of a path.
            file_size: Bytes that will be sent; at most 5 GiB.
            content_type: Content type with which the file will be sent. By default
                ``video/mp4``.
            description: Text about the video.
            parts: Whether it may be sent in parts, over 100 MiB and where the store
                can. By default ``False``.
            idempotency_key: The same key gives the first answer again; by default a new
                one.
        """
        return await self._call(
            operations.CREATE_UPLOAD_URL_IN_ENVIRONMENT,
            {
                "org_id": org_id,
                "env_id": env_id,
                "filename": filename,
                "file_size": file_size,
                "content_type": content_type,
                "description": description,
                "parts": parts,
                "idempotency_key": idempotency_key,
            },
        )
