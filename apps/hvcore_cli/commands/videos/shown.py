"""Read and print the details of one video, for several commands."""

from typing import Final

import attrs

from hvcore.assembly import Services
from hvcore.domain.access.keys import ALL_PERMISSIONS, KeyType
from hvcore.domain.access.principals import Principal
from hvcore.domain.ids import KeyId
from hvcore.domain.videos.catalog import VideoSummary
from hvcore.domain.videos.preconditions import entity_tag
from hvcore.domain.videos.thumbnails import BEST_THUMBNAIL_PX, LIST_THUMBNAIL_PX
from hvcore.domain.videos.video import Video
from hvcore.errors import UnavailableError
from hvcore.services.playback.signing.signed_urls import SignedUrls
from hvcore.wire import responses
from hvcore.wire.entity_tags import quoted
from hvcore_cli.addresses import as_running
from hvcore_cli.data_folder import DataFolder
from hvcore_cli.invocation import Invocation
from hvcore_cli.output import print_json, show

OPERATOR: Final = Principal(
    key_id=KeyId("key_operator"),
    type=KeyType.SYSTEM,
    org_id=None,
    env_id=None,
    permissions=ALL_PERMISSIONS,
)
"""The caller as which commands show videos: nothing is hidden, because a user who can run
``hv`` can also read the database."""


def playback_of(services: Services, invocation: Invocation) -> SignedUrls:
    """Return the services' maker of signed URLs, with the addresses of the running service."""
    found = DataFolder(invocation.data).addresses()
    return attrs.evolve(services.playback, public=as_running(invocation.load(), found))


def thumbnail_of(playback: SignedUrls, video: Video | VideoSummary) -> str:
    """Return the address of a video's thumbnail, in the width and height that lists use."""
    return playback.thumbnail_url(video, *LIST_THUMBNAIL_PX)


def details_of(
    services: Services, invocation: Invocation, org: str, video_id: str
) -> dict[str, object]:
    """
    Return a video's details as in the API, with its entity tag and the service that encoded it.

    Raises:
        VideoNotFoundError: The organization has no such video.
    """
    playback = playback_of(services, invocation)
    video = services.catalog.details(OPERATOR, org, video_id)
    details = dict(
        responses.video_details(
            video,
            served=0,
            thumbnail_url=thumbnail_of(playback, video),
            addresses=playback.addresses(video, BEST_THUMBNAIL_PX),
        )
    )
    # How often it was served is the API's to say; here it would be a wrong 0.
    details.pop("served")
    details["etag"] = quoted(entity_tag(video))
    details["conformant"] = _is_conformant(services, video)
    return details | _maker(services, video)


def print_details(details: dict[str, object], *, as_json: bool) -> None:
    """Print the details of a video."""
    if as_json:
        print_json(details)
        return
    records = [{"field": name, "value": value} for name, value in details.items()]
    columns = {"field": "FIELD", "value": "VALUE"}
    show(records, columns, name="video", as_json=False)


def _maker(services: Services, video: Video) -> dict[str, object]:
    """Return the transcoder of a video's job, and the reason it was chosen."""
    with services.uow.read() as work:
        job = work.jobs.find(video.job_id) if video.job_id else None
    return {
        "transcoder": job.transcoder if job else "",
        "transcoderBecause": job.chosen_because if job else "",
    }


def _is_conformant(services: Services, video: Video) -> bool | None:
    """Return whether a video's conformance report finds it conformant; None if not known."""
    try:
        report = services.conformance_reports.find(video)
    except UnavailableError:
        # All else is in the database, and can be shown without the storage.
        return None
    return report.is_conformant if report else None
