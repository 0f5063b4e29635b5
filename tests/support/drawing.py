"""
Children that draw pictures for all tests of a process: each takes a while to begin.
"""

from typing import Final

from hvcore.assembly import Services
from hvcore.pictures.drawing_room import DrawingRoom
from hvcore.services.playback.moments.renders import MomentRenders
from hvcore.services.playback.thumbnails.renders import ThumbnailRenders
from hvcore.settings.shares import ShareSettings

RENDERS: Final = ThumbnailRenders(ShareSettings().renders_of_one)
MOMENT_RENDERS: Final = MomentRenders(ShareSettings().renders_of_one)
DRAWING_ROOM: Final = DrawingRoom(share="tests", children=1, places=8, most_of_one=8)


def share_children(services: Services) -> None:
    """
    Have services draw with the children of all tests.
    """
    for name in ("sent_pictures", "task_pictures"):
        services.__dict__[name] = DRAWING_ROOM
