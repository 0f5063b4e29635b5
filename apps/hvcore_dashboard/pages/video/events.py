"""The events tab of a video: its events, and the webhook endpoints that were sent each event."""

from typing import Final

import falcon

from hvcore.domain.webhooks.events import EVENT_RETENTION, EventKind
from hvcore.services.webhooks.events import MOST_OF_A_VIDEO
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.pages.video.tabs import VideoTabs
from hvcore_dashboard.visits import organization_of

TAB: Final = "events"
TITLES: Final = {
    EventKind.STARTED: "Encoding began",
    EventKind.COMPLETED: "Became ready",
    EventKind.FAILED: "Failed",
    EventKind.UPDATED: "Was changed",
    EventKind.DELETED: "Was deleted",
    EventKind.RESTORED: "Was restored",
    EventKind.CAPTIONS_READY: "Captions by machine are ready",
    EventKind.CAPTIONS_FAILED: "Captions by machine failed",
}


class VideoEventsTabResource:
    """``GET …/videos/{video}/events``: the events tab of a video."""

    def __init__(self, desk: Desk) -> None:
        self._tabs = VideoTabs.of(desk)
        self._events = desk.services.events

    def on_get(
        self, req: falcon.Request, resp: falcon.Response, *, video_id: str, **_path: str
    ) -> None:
        here, video = organization_of(req), self._tabs.arrived(req, video_id)
        values = {
            "events": self._events.of_video(here.caller, here.org_id, video.id),
            "titles": {kind.value: title for kind, title in TITLES.items()},
            "kept_days": EVENT_RETENTION.days,
            "most": MOST_OF_A_VIDEO,
        }
        self._tabs.show(req, resp, video, TAB, values)
