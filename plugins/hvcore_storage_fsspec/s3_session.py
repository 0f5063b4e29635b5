"""Keep temporary credentials of the S3 client in use until they end."""

from typing import Any

from aiobotocore.session import AioSession

from hvcore.plugin_api import use_until_end


class LastingSession(AioSession):  # type: ignore[misc]  # aiobotocore has no types
    """A session of the S3 client that uses temporary credentials until they end."""

    async def get_credentials(self) -> Any:  # noqa: ANN401 - botocore has no types
        """Return the credentials of the session; None if there are none."""
        found = await super().get_credentials()
        use_until_end(found)
        return found
