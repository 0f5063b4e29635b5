"""
Make still frames and animations of videos, in turn by organization and client.

They have places and child processes of their own: those who ask for every moment of a
video delay no thumbnail.
"""

import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, wait
from typing import Final

import attrs

from hvcore.errors import UnavailableError
from hvcore.pictures.drawing_process import DrawingProcess
from hvcore.pictures.drawing_room import DrawingRoom
from hvcore.services.playback.moments.making import NICENESS
from hvcore.throttling.turns import end_turn

AT_A_TIME: Final = 2
"""One client has one of them, so that nobody waits for the animations of another."""
WAITING: Final = 6
JOINING: Final = 6
"""Requests that wait for a picture that another request has begun. Each holds a thread."""
WAIT_FOR_RENDER_S: Final = 2.0
MORE_FOR_RENDER_S: Final = 6.0
"""The seconds that a request waits for a picture that is being made; the picture is kept in any case.
An animation takes 2 to 4 s of a core, and an ``<img>`` does not ask again after a 503."""
RETRY_AFTER_S: Final = 5


@attrs.frozen(kw_only=True)
class MomentWanted:
    """
    The still frame or animation of a video that a request wants made.

    Attributes:
        path: The storage path under which the picture is kept.
        organization: The owner of the video.
        address: The client's network address, by which each client gets its share of
            the work.
        make: Makes the picture with a child process, keeps it, and returns its bytes.
    """

    path: str
    organization: str
    address: str
    make: Callable[[DrawingProcess], bytes]


class MomentRenders:
    """
    Make still frames and animations; refuse requests above a client's share; thread-safe.

    Args:
        renders_of_one: The setting ``shares.renders_of_one``.
    """

    def __init__(self, renders_of_one: int) -> None:
        self._room = DrawingRoom(
            share="renders_of_one",
            children=AT_A_TIME,
            places=WAITING,
            most_of_one=renders_of_one,
            niceness=NICENESS,
        )
        # Reentrant: a picture that has to give way is forgotten while another begins.
        self._lock = threading.RLock()
        self._making: dict[str, Future[bytes]] = {}
        self._joining = 0

    @property
    def joining(self) -> int:
        """The number of requests that wait for a picture that is being made for another request."""
        return self._joining

    def make(self, wanted: MomentWanted) -> bytes:
        """
        Make a picture, or wait until another request has made the same one; return its bytes.

        Raises:
            UnavailableError: Too many pictures are being made, or wanted by the client, or
                this one takes long; it is kept once it is made.
            Exception: Any error of making it.
        """
        making, has_joined = self._begun(wanted)
        # A child has it now; others of this process go on meanwhile.
        end_turn()
        try:
            wait([making], timeout=WAIT_FOR_RENDER_S)
            if not has_joined and making.cancel():
                raise _later()
            wait([making], timeout=MORE_FOR_RENDER_S)
            if not making.done():
                raise _later()
            return making.result()
        except CancelledError as exc:
            raise _later() from exc
        finally:
            if has_joined:
                with self._lock:
                    self._joining -= 1
            # An error has this frame, and the future has the error.
            del making

    def _begun(self, wanted: MomentWanted) -> "tuple[Future[bytes], bool]":
        with self._lock:
            making = self._making.get(wanted.path)
            if making is not None:
                if self._joining >= JOINING:
                    raise _later()
                self._joining += 1
                return making, True
            making = self._room.begin(
                wanted.make, organization=wanted.organization, client=wanted.address
            )
            self._making[wanted.path] = making
        making.add_done_callback(lambda _: self._forget(wanted.path))
        return making, False

    def _forget(self, path: str) -> None:
        with self._lock:
            self._making.pop(path, None)


def _later() -> UnavailableError:
    return UnavailableError(
        "The picture is not made yet; try again soon.", retry_after_s=RETRY_AFTER_S
    )
