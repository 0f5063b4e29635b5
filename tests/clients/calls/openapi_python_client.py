"""
Twenty calls by the client that openapi-python-client makes.
"""

import os
from typing import TypeVar

from video_hosting_and_delivery_client import AuthenticatedClient, models
from video_hosting_and_delivery_client.api.analytics import get_usage, get_viewers
from video_hosting_and_delivery_client.api.events import list_events
from video_hosting_and_delivery_client.api.playback import get_signed_url
from video_hosting_and_delivery_client.api.service import get_health, get_who_am_i
from video_hosting_and_delivery_client.api.sharing import (
    create_edge_key,
    create_share_link,
    list_edge_keys,
    list_share_links,
    revoke_edge_key,
    revoke_share_link,
)
from video_hosting_and_delivery_client.api.uploads import create_upload_url
from video_hosting_and_delivery_client.api.videos import (
    delete_video,
    get_video,
    get_video_details,
    list_videos,
    update_video,
)

T = TypeVar("T")


def good(answer: T | models.Problem | None) -> T:
    """
    Return an answer that is no problem.
    """
    assert answer is not None
    assert not isinstance(answer, models.Problem), answer
    return answer


client = AuthenticatedClient(
    base_url=os.environ["HV_URL"],
    token=os.environ["HV_KEY"],
    auth_header_name="X-Api-Key",
    prefix="",
)
video = os.environ["HV_VIDEO"]
assert good(get_health.sync(client=client)).body.status == "ok"
assert good(get_who_am_i.sync(client=client)).body.org_id == "org_a"
wanted = models.VideoUploadRequest(
    file_name="a.mp4", video_quality=models.Preset.STANDARD
)
granted = good(
    create_upload_url.sync(client=client, body=wanted, idempotency_key="opc")
).body
again = good(
    create_upload_url.sync(client=client, body=wanted, idempotency_key="opc")
).body
assert granted.video_id == again.video_id
details = good(get_video.sync(video, client=client)).body
assert (details.id, details.status.ready) == (video, True)
assert good(get_video_details.sync(video, client=client)).body.created_at.tzinfo
listed = good(list_videos.sync(client=client, page=1, page_size=5)).body
assert listed.pagination.total >= 1
changed = models.VideoChangeRequest(video_name="Sea")
assert good(update_video.sync(video, client=client, body=changed)).body.name == "Sea"
key = good(
    create_edge_key.sync(
        video, client=client, body=models.EdgeKeyRequest(domains=["example.com"])
    )
).body
assert key.revoked_at is None
keys = good(list_edge_keys.sync(video, client=client)).body.edge_keys
assert keys[0].edge_key == key.edge_key
assert good(revoke_edge_key.sync(key.edge_key, client=client)).body.revoked_at
link = good(
    create_share_link.sync(video, client=client, body=models.ShareRequest(max_views=5))
).body
assert link.max_views == 5
assert len(good(list_share_links.sync(video, client=client)).body.shares) >= 1
assert good(revoke_share_link.sync(video, link.share_id, client=client)).body.revoked_at
assert good(get_signed_url.sync(video, client=client)).body.expires_in > 0
assert good(get_usage.sync(client=client)).body.usage[0].total_videos >= 1
assert good(get_viewers.sync(client=client)).body.viewers.current_viewers >= 0
assert good(list_events.sync(client=client, limit=1)).body.events[0].sequence == 1
assert good(delete_video.sync(granted.video_id, client=client)).body.deleted_at
missing = get_video.sync("vid_0000000000000000000000", client=client)
assert isinstance(missing, models.Problem)
assert missing.code == "video_not_found"
refused = create_upload_url.sync(
    client=client, body=models.VideoUploadRequest(file_name="")
)
assert isinstance(refused, models.Problem)
assert refused.errors[0].location == "body.fileName"
print("20 calls")  # noqa: T201 - what the test waits for
