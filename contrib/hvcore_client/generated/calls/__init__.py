"""
A method for each operation of the API.

Written by hvcore_client_generator; do not change it by hand.
"""

from hvcore_client.generated.calls.analytics import AnalyticsCalls
from hvcore_client.generated.calls.analytics_by_organization import (
    AnalyticsByOrganizationCalls,
)
from hvcore_client.generated.calls.events import EventsCalls
from hvcore_client.generated.calls.playback import PlaybackCalls
from hvcore_client.generated.calls.playback_by_organization import (
    PlaybackByOrganizationCalls,
)
from hvcore_client.generated.calls.processing import ProcessingCalls
from hvcore_client.generated.calls.processing_by_organization import (
    ProcessingByOrganizationCalls,
)
from hvcore_client.generated.calls.service import ServiceCalls
from hvcore_client.generated.calls.sharing import SharingCalls
from hvcore_client.generated.calls.sharing_by_organization import (
    SharingByOrganizationCalls,
)
from hvcore_client.generated.calls.uploads import UploadsCalls
from hvcore_client.generated.calls.uploads_by_organization import (
    UploadsByOrganizationCalls,
)
from hvcore_client.generated.calls.videos import VideosCalls
from hvcore_client.generated.calls.videos_by_organization import (
    VideosByOrganizationCalls,
)


class Calls(
    UploadsByOrganizationCalls,
    UploadsCalls,
    ProcessingByOrganizationCalls,
    ProcessingCalls,
    VideosByOrganizationCalls,
    VideosCalls,
    PlaybackByOrganizationCalls,
    PlaybackCalls,
    SharingByOrganizationCalls,
    SharingCalls,
    AnalyticsByOrganizationCalls,
    AnalyticsCalls,
    EventsCalls,
    ServiceCalls,
):
    """All calls of the API."""
