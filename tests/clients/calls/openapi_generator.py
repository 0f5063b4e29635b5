"""
Twenty calls by the client that openapi-generator makes for Python.
"""

import os

import openapi_client as hv
import pytest
from openapi_client.exceptions import ApiException


def problem_of(error: ApiException) -> hv.Problem:
    """
    Return the error as the client has read it.
    """
    assert isinstance(error.data, hv.Problem)
    return error.data


configuration = hv.Configuration(
    host=os.environ["HV_URL"], api_key={"ApiKey": os.environ["HV_KEY"]}
)
video = os.environ["HV_VIDEO"]
with hv.ApiClient(configuration) as client:
    service, uploads = hv.ServiceApi(client), hv.UploadsApi(client)
    videos, sharing = hv.VideosApi(client), hv.SharingApi(client)
    analytics = hv.AnalyticsApi(client)

    assert service.get_health().body.status == hv.HealthStatus.OK
    assert service.get_who_am_i().body.org_id == "org_a"
    wanted = hv.VideoUploadRequest(fileName="a.mp4", videoQuality=hv.Preset.STANDARD)
    granted = uploads.create_upload_url(wanted, idempotency_key="python").body
    again = uploads.create_upload_url(wanted, idempotency_key="python").body
    assert granted.video_id == again.video_id
    details = videos.get_video(video).body
    assert (details.id, details.status.ready) == (video, True)
    assert videos.get_video_details(video).body.created_at.tzinfo
    assert videos.list_videos(page=1, page_size=5).body.pagination.total >= 1
    changed = hv.VideoChangeRequest(videoName="Sea")
    assert videos.update_video(video, changed).body.name == "Sea"
    key = sharing.create_edge_key(
        video, edge_key_request=hv.EdgeKeyRequest(domains=["example.com"])
    ).body
    assert key.revoked_at is None
    assert sharing.list_edge_keys(video).body.edge_keys[0].edge_key == key.edge_key
    assert sharing.revoke_edge_key(key.edge_key).body.revoked_at
    link = sharing.create_share_link(
        video, share_request=hv.ShareRequest(maxViews=5)
    ).body
    assert link.max_views == 5
    assert len(sharing.list_share_links(video).body.shares) >= 1
    assert sharing.revoke_share_link(video, link.share_id).body.revoked_at
    signed = hv.PlaybackApi(client).get_signed_url(video).body
    assert signed.expires_in > 0
    assert analytics.get_usage().body.usage[0].total_videos >= 1
    assert analytics.get_viewers().body.viewers.current_viewers >= 0
    assert hv.EventsApi(client).list_events(limit=1).body.events[0].sequence == 1
    assert videos.delete_video(granted.video_id).body.deleted_at
    with pytest.raises(ApiException) as missing:
        videos.get_video("vid_0000000000000000000000")
    assert problem_of(missing.value).code == "video_not_found"
    with pytest.raises(ApiException) as refused:
        # The client itself refuses an empty file name.
        hv.ProcessingApi(client).process_video(
            hv.ProcessRequest(
                gcsPath="none", videoQuality=hv.Preset.HIGH, allowPublicAccess=True
            )
        )
    assert problem_of(refused.value).errors[0].location == "body.gcsPath"
print("20 calls")  # noqa: T201 - what the test waits for
