"""
A method for each operation of the API.

Written by hv_client_generator; do not change it by hand.
"""

from hv_client.generated.async_calls.analytics import AsyncAnalyticsCalls
from hv_client.generated.async_calls.analytics_by_organization import (
    AsyncAnalyticsByOrganizationCalls,
)
from hv_client.generated.async_calls.events import AsyncEventsCalls
from hv_client.generated.async_calls.playback import AsyncPlaybackCalls
from hv_client.generated.async_calls.playback_by_organization import (
    AsyncPlaybackByOrganizationCalls,
)
from hv_client.generated.async_calls.processing import AsyncProcessingCalls
from hv_client.generated.async_calls.processing_by_organization import (
    AsyncProcessingByOrganizationCalls,
)
from hv_client.generated.async_calls.service import AsyncServiceCalls
from hv_client.generated.async_calls.sharing import AsyncSharingCalls
from hv_client.generated.async_calls.sharing_by_organization import (
    AsyncSharingByOrganizationCalls,
)
from hv_client.generated.async_calls.uploads import AsyncUploadsCalls
from hv_client.generated.async_calls.uploads_by_organization import (
    AsyncUploadsByOrganizationCalls,
)
from hv_client.generated.async_calls.videos import AsyncVideosCalls
from hv_client.generated.async_calls.videos_by_organization import (
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
    """
    All calls of the API.
    """
