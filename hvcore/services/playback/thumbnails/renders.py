"""
Render thumbnails in child processes, in turn by organization and client.

Usual sizes, which the service's own addresses name, have their own places and child, so that
requests for other sizes do not delay them. Other sizes are rendered by child processes with a
lower priority: a client that requested one after the other took half a core from viewers.
"""

import logging
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import suppress
from typing import Final

import attrs

from hvcore.errors import HvError, UnavailableError
from hvcore.pictures.drawing_process import DrawingProcess
from hvcore.pictures.drawing_room import DrawingRoom
from hvcore.services.playback.thumbnails.sizes import ThumbnailSize
from hvcore.throttling.shares import BUSY_RETRY_AFTER_S
from hvcore.throttling.turns import end_turn

USUAL_WAITING: Final = 8
OTHERS_WAITING: Final = 6
"""Each holds a thread that segments need too. The largest takes 0.5 s of a core and
150 MB, a usual one a twentieth of that."""
OTHERS_AT_A_TIME: Final = 2
"""One client has one of them, so that nobody waits for the large ones of another."""
OTHERS_NICENESS: Final = 12
"""Encodes come first, which have 10: with 5 a short clip took three times as long beside
these. Viewers wait for them: with 15, a new size took 2.5 s on a machine that was full."""
USUAL_FOR_ONE: Final = 3
"""Usual renders of one client, in shares: a browser asks for six pictures of a page at a time."""
WAIT_FOR_RENDER_S: Final = 2.0
MORE_FOR_RENDER_S: Final = 3.0
"""How long a render may take once begun: on a busy machine a child starts in 1 or 2 s."""
_SHARE: Final = "renders_of_one"

_log = logging.getLogger(__name__)


@attrs.frozen(kw_only=True)
class RenderWanted:
    """
    The thumbnail that a request wants rendered.

    Attributes:
        is_usual: Whether the service itself hands out addresses of that size.
        organization: The owner of the video.
        address: The client's network address, by which each client gets its share of
            the work.
        read: Reads the poster; not called if the client is over its share.
        keep: Stores a thumbnail that was finished after its request has ended, so that the
            next request finds it.
    """

    size: ThumbnailSize
    is_usual: bool
    organization: str
    address: str
    read: Callable[[], bytes]
    keep: Callable[[bytes], None]

    def draw(self, child: DrawingProcess) -> bytes:
        """Have a child process crop the poster to the wanted size; return the thumbnail's bytes."""
        return self.size.crop(child, self.read())


class ThumbnailRenders:
    """
    Render thumbnails, and refuse requests above a client's share at once; thread-safe.

    Args:
        renders_of_one: The setting ``shares.renders_of_one``.
    """

    def __init__(self, renders_of_one: int) -> None:
        self._usual = DrawingRoom(
            share=_SHARE,
            children=1,
            places=USUAL_WAITING,
            most_of_one=USUAL_FOR_ONE * renders_of_one,
            niceness=0,
        )
        self._others = DrawingRoom(
            share=_SHARE,
            children=OTHERS_AT_A_TIME,
            places=OTHERS_WAITING,
            most_of_one=renders_of_one,
            niceness=OTHERS_NICENESS,
        )

    def make(self, wanted: RenderWanted) -> bytes:
        """
        Render a thumbnail, and return its bytes.

        Raises:
            UnavailableError: Too many thumbnails are being rendered, or wanted by the client, or
                the render takes too long.
            Exception: Any error of reading the poster.
        """
        room = self._usual if wanted.is_usual else self._others
        making = room.begin(
            wanted.draw, organization=wanted.organization, client=wanted.address
        )
        # A child has it now; others of this process go on meanwhile.
        end_turn()
        try:
            wait([making], timeout=WAIT_FOR_RENDER_S)
            if making.cancel():
                raise _too_many()
            wait([making], timeout=MORE_FOR_RENDER_S)
            if making.done():
                return making.result()
            making.add_done_callback(lambda made: _keep(wanted, made))
            raise _too_many()
        finally:
            # An error has this frame, and the future has the error.
            del making


def _too_many() -> UnavailableError:
    return UnavailableError(
        "There are too many pictures being made at a time; try again soon.",
        retry_after_s=BUSY_RETRY_AFTER_S,
    )


def _keep(wanted: RenderWanted, made: "Future[bytes]") -> None:
    if made.exception() is not None:
        _log.info("picture not made", extra={"hv_error": repr(made.exception())})
        return
    # Whoever asks next is told what is wrong.
    with suppress(HvError):
        wanted.keep(made.result())
