"""Make the drawing rooms: pools of child processes that draw pictures for requests and tasks."""

from functools import cached_property
from typing import Final

from hvcore.assembly.backends import Backends
from hvcore.pictures.drawing_room import DrawingRoom

SENT_WAITING: Final = 6
"""Each holds a thread of the API."""
TASKS_WAITING: Final = 100
"""More than a process has tasks at a time."""
_SHARE: Final = "uploads_of_one"


class PictureWiring(Backends):
    """The services for pictures, a part of Services; each is made when it is first read."""

    @cached_property
    def sent_pictures(self) -> DrawingRoom:
        """The pool of child processes that redraws pictures which API requests send."""
        return DrawingRoom(
            share=_SHARE,
            # It takes up to 450 MB for one.
            children=1,
            places=SENT_WAITING,
            most_of_one=self.settings.shares.uploads_of_one,
        )

    @cached_property
    def task_pictures(self) -> DrawingRoom:
        """The pool of child processes that draws pictures for tasks."""
        return DrawingRoom(
            share=_SHARE, children=1, places=TASKS_WAITING, most_of_one=TASKS_WAITING
        )
