"""The session of S3's client, which knows the credentials."""

from typing import Any

from aiobotocore.session import AioSession

from hvcore.plugin_api import use_until_end


class LastingSession(AioSession):  # type: ignore[misc]  # aiobotocore has no types
    """Uses credentials that are given for a time until they end."""

    async def get_credentials(self) -> Any:  # noqa: ANN401 - botocore has no types
        """Return the credentials; None if there are none."""
        found = await super().get_credentials()
        use_until_end(found)
        return found
