"""
A method for each operation of the API.

Written by hvcore_client_generator; do not change it by hand.
"""

from hvcore_client.generated.async_calls.analytics import AsyncAnalyticsCalls
from hvcore_client.generated.async_calls.analytics_by_organization import (
    AsyncAnalyticsByOrganizationCalls,
)
from hvcore_client.generated.async_calls.events import AsyncEventsCalls
from hvcore_client.generated.async_calls.playback import AsyncPlaybackCalls
from hvcore_client.generated.async_calls.playback_by_organization import (
    AsyncPlaybackByOrganizationCalls,
)
from hvcore_client.generated.async_calls.processing import AsyncProcessingCalls
from hvcore_client.generated.async_calls.processing_by_organization import (
    AsyncProcessingByOrganizationCalls,
)
from hvcore_client.generated.async_calls.service import AsyncServiceCalls
from hvcore_client.generated.async_calls.sharing import AsyncSharingCalls
from hvcore_client.generated.async_calls.sharing_by_organization import (
    AsyncSharingByOrganizationCalls,
)
from hvcore_client.generated.async_calls.uploads import AsyncUploadsCalls
from hvcore_client.generated.async_calls.uploads_by_organization import (
    AsyncUploadsByOrganizationCalls,
)
from hvcore_client.generated.async_calls.videos import AsyncVideosCalls
from hvcore_client.generated.async_calls.videos_by_organization import (
    AsyncVideosByOrganizationCalls,
)


class AsyncCalls(
    AsyncUploadsByOrganizationCalls,
    AsyncUploadsCalls,
    AsyncProcessingByOrganizationCalls,
    AsyncProcessingCalls,
    AsyncVideosByOrganizationCalls,
    AsyncVideosCalls,
    AsyncPlaybackByOrganizationCalls,
    AsyncPlaybackCalls,
    AsyncSharingByOrganizationCalls,
    AsyncSharingCalls,
    AsyncAnalyticsByOrganizationCalls,
    AsyncAnalyticsCalls,
    AsyncEventsCalls,
    AsyncServiceCalls,
):
    """All calls of the API."""
