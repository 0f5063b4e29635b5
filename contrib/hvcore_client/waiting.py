"""Wait until a video can be played."""

from collections.abc import Callable
from typing import Final

from hvcore_client.calling import called
from hvcore_client.errors import VideoFailedError, WaitedTooLongError
from hvcore_client.generated import operations
from hvcore_client.generated.models import VideoDetails
from hvcore_client.options import ClientOptions
from hvcore_client.steps import Steps, waited

FIRST_POLL_S: Final = 0.5
LONGEST_POLL_S: Final = 5.0
_GROWTH: Final = 1.25


def ready(  # noqa: PLR0913 - as the client's method, which says it
    options: ClientOptions,
    video_id: str,
    *,
    timeout_s: float | None,
    poll_s: float | None,
    on_progress: Callable[[int], None] | None,
    now_s: Callable[[], float],
) -> Steps[VideoDetails]:
    """
    Fetch a video at growing intervals until it is ready, and return its details.

    Args:
        poll_s: The seconds between two requests; None: they grow.
        on_progress: Called with the encoded percentage after each request.
        now_s: Returns the seconds of a clock that only goes forward.

    Raises:
        VideoFailedError: The video failed, with the service's reason.
        WaitedTooLongError: The video was not ready in time.
    """
    until_s = None if timeout_s is None else now_s() + timeout_s
    next_s = poll_s or FIRST_POLL_S
    arguments = {"video_id": video_id}
    while True:
        video = yield from called(options, operations.GET_VIDEO, arguments)
        if video.status.failed:
            raise VideoFailedError(
                video_id=video_id,
                name=video.name,
                reason=video.failure_reason or "no reason is known",
            )
        if on_progress is not None:
            on_progress(100 if video.status.ready else video.progress or 0)
        if video.status.ready:
            return video
        if until_s is not None and now_s() + next_s > until_s:
            raise WaitedTooLongError(
                f"{video_id} was not ready within {timeout_s} s; it may still become so."
            )
        yield from waited(next_s)
        next_s = next_s if poll_s else min(next_s * _GROWTH, LONGEST_POLL_S)
