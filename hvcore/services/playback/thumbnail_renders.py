"""
Make pictures of a size, a share of them for each client.

Sizes that the service's own addresses name have their own slots and thread, so that
requests for other sizes do not delay them. Those are made by a process of its own, which
is nice: somebody who asked for one after the other took half a core from who watches.
"""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

import attrs

from hvcore.errors import UnavailableError
from hvcore.pictures.cropping import crop_to_fill
from hvcore.pictures.cropping_process import CroppingProcess
from hvcore.throttling.shares import BUSY_RETRY_AFTER_S, SharedCapacity

USUAL_IN_HAND: Final = 8
OTHERS_IN_HAND: Final = 4
"""Those that wait included: each holds a thread that segments need too. The largest
takes 0.2 s of a core and 100 MB, a usual one a twentieth of that."""
USUAL_FOR_ONE: Final = 3
"""Times the share: a browser asks for six pictures of a page at a time."""
WAIT_FOR_RENDER_S: Final = 2.0
_SHARE: Final = "renders_of_one"


@attrs.define(kw_only=True)
class _Room:
    """
    Where pictures of one kind are made, one after the other.

    Threads of its own, not those of the requests: the C library keeps freed
    memory for each thread, which with 32 of them was 1.2 GB.

    Attributes:
        elsewhere: Makes them; None has this process do it.
    """

    capacity: int
    most_of_one: int
    elsewhere: CroppingProcess | None
    _of_organizations: SharedCapacity = attrs.field(init=False)
    _of_addresses: SharedCapacity = attrs.field(init=False)
    _thread: ThreadPoolExecutor = attrs.field(init=False)

    @_of_organizations.default
    def _share_among_organizations(self) -> SharedCapacity:
        return self._shares()

    @_of_addresses.default
    def _share_among_addresses(self) -> SharedCapacity:
        return self._shares()

    @_thread.default
    def _make_thread(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(1, thread_name_prefix="thumbnail")

    def begin(
        self,
        organization: str,
        address: str,
        read: Callable[[], bytes],
        size_px: tuple[int, int],
    ) -> Future[bytes]:
        """
        Begin to make a picture.

        Raises:
            UnavailableError: One of both has its share, or all is in use.
            Exception: What the reading raises.
        """
        self._of_addresses.acquire(address)
        try:
            self._of_organizations.acquire(organization)
        except UnavailableError:
            self._of_addresses.release(address)
            raise

        def release(_: object) -> None:
            self._of_organizations.release(organization)
            self._of_addresses.release(address)

        try:
            making = self._thread.submit(self._crop, read(), *size_px)
        except BaseException:
            release(None)
            raise
        # Also where it ends after the request that wanted it.
        making.add_done_callback(release)
        return making

    def _crop(self, picture: bytes, width_px: int, height_px: int) -> bytes:
        if self.elsewhere is None:
            return crop_to_fill(picture, width_px, height_px)
        return self.elsewhere.crop_to_fill(picture, width_px, height_px)

    def _shares(self) -> SharedCapacity:
        return SharedCapacity(
            name=_SHARE,
            capacity=self.capacity,
            most_of_one=self.most_of_one,
            reserved_for_newcomers=min(2, self.capacity // 2),
            things="pictures being made",
        )


class ThumbnailRenders:
    """
    Make pictures, and refuse requests above a share at once; thread-safe.

    Args:
        renders_of_one: The setting ``shares.renders_of_one``.
    """

    def __init__(self, renders_of_one: int) -> None:
        self._usual = _Room(
            capacity=USUAL_IN_HAND,
            most_of_one=USUAL_FOR_ONE * renders_of_one,
            elsewhere=None,
        )
        self._others = _Room(
            capacity=OTHERS_IN_HAND,
            most_of_one=renders_of_one,
            elsewhere=CroppingProcess(),
        )

    def make(
        self,
        read: Callable[[], bytes],
        size_px: tuple[int, int],
        *,
        is_usual: bool,
        organization: str,
        address: str,
    ) -> bytes:
        """
        Return the picture in a size.

        Args:
            read: Reads the picture; not called over a share.
            is_usual: The service itself hands out addresses of that size.
            organization: Whose video it is.
            address: The client's, as shares are counted.

        Raises:
            UnavailableError: Too many are being made for one of both.
            Exception: What the reading raises.
        """
        room = self._usual if is_usual else self._others
        making = room.begin(organization, address, read, size_px)
        try:
            return making.result(timeout=WAIT_FOR_RENDER_S)
        except TimeoutError as exc:
            making.cancel()
            raise UnavailableError(
                "There are too many pictures being made at a time; try again soon.",
                retry_after_s=BUSY_RETRY_AFTER_S,
            ) from exc
