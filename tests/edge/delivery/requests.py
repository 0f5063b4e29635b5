"""
What is asked of the edge.
"""

from falcon.testing import Result

from hvcore.domain.analytics.segments import SegmentPlace
from hvcore.domain.ids import EnvId, OrgId
from tests.edge.edge_site import WorkerBehindEdge
from tests.support.http.delivery_worker import PRIVATE_PATH
from tests.support.media_samples import VIDEO

SEGMENT = "video/720p/0.m4s"
SIZE = len(b"video/720p 0 " * 100)


COUNTED = SegmentPlace(
    org_id=OrgId("org_a"), env_id=EnvId("env_1"), video_id=VIDEO, height_px=720
)


def segment(worker: WorkerBehindEdge, token: str, **headers: str) -> Result:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return worker.get(f"{PRIVATE_PATH}/{SEGMENT}", f"token={token}", sent)
