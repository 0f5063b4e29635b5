"""
Recognise the viewer of a share link by a code that is sent to the address.

Whether an address is the viewer's or not, the page says the same and takes the same
time: neither shows which address is right.
"""

import logging
from typing import Final

import attrs

from hvcore.domain.ids import ShareCodeId
from hvcore.domain.limits import SHARE_REMEMBERED_S, SHARE_VIEWER_VALID_S
from hvcore.domain.links.links import GUESS_WINDOW, ShareLink
from hvcore.domain.links.share_codes import (
    CODE_WINDOW,
    MAX_CODES,
    ShareCode,
    recipient_of,
)
from hvcore.domain.playback.rules import PlaybackRule
from hvcore.domain.playback.viewer import Viewer
from hvcore.domain.tasks.kinds import SHARE_CODE_SEND
from hvcore.domain.tasks.task import Lane, NewTask
from hvcore.errors import ForbiddenError, RateLimitExceededError
from hvcore.metrics.declared import RATE_LIMITED
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.services.links.share_playback import (
    SharedVideo,
    SharePlayback,
    ViewerUnknownError,
)
from hvcore.services.playback.playable import Playable
from hvcore.throttling.log_lines import LOG_LINES, without_credentials
from hvcore.throttling.shares import client_of_address

_log = logging.getLogger(__name__)

TOO_MANY: Final = "Too many addresses or codes were tried; try again later."


class CodeOverError(ForbiddenError):
    """
    The code has expired, was used, or was guessed at too often.
    """

    default_detail = "This code is over; ask for a new one."


@attrs.frozen(kw_only=True)
class RecognisedViewer:
    """
    A viewer who has entered the right code.

    Attributes:
        remembered: What the browser shows instead of a code the next time.
        remembered_s: How long that is good for.
    """

    video: SharedVideo
    remembered: str = attrs.field(repr=False)
    remembered_s: int


@attrs.frozen(kw_only=True)
class ShareCodes:
    """
    Order codes for the viewers of share links, and take them back.
    """

    uow: UnitOfWork
    playback: SharePlayback

    def ask(self, share_id: str, email: str, viewer: Viewer) -> ShareCodeId:
        """
        Order a code for who has named an address.

        Returns:
            What the browser shows together with the code.

        Raises:
            RateLimitExceededError: Too many addresses were named from there, or
                too many codes were made for this one.
            HvError: As in SharePlayback.find.
        """
        share, _ = self.playback.find_beginning(share_id)
        client = client_of_address(viewer.address)
        now = self.playback.delivery.clock.now()
        with self.uow.write() as work:
            # Locked: who asks at the same moment is counted, too.
            work.shares.find(share.id, for_update=True)
            may_try = work.shares.take_guess(share.id, client, now)
            work.share_codes.remove_old(now - CODE_WINDOW)
            made = work.share_codes.made_for(
                recipient_of(share.id, email), now - CODE_WINDOW
            )
            code = ShareCode.make(share, email, now)
            if may_try and made < MAX_CODES:
                work.share_codes.add(code)
                # Also for another address, for which nothing is sent.
                work.tasks.add([_order(code)])
            work.commit()
        if not may_try or made >= MAX_CODES:
            _refuse(share, client)
        return code.id

    def confirm(
        self, share_id: str, code_id: str, entered: str, viewer: Viewer
    ) -> RecognisedViewer:
        """
        Let in who enters the right code, which is used up.

        Raises:
            CodeOverError: It takes no more guesses, or it has expired.
            ViewerUnknownError: It is another one.
            HvError: As in SharePlayback.find.
        """
        share, video = self.playback.find_beginning(share_id)
        now = self.playback.delivery.clock.now()
        with self.uow.write() as work:
            code = work.share_codes.take_guess(code_id, share.id, now)
            is_right = code is not None and code.is_right(entered)
            if code is not None and is_right:
                work.share_codes.remove(code.id)
                work.shares.forget_guesses(share.id, client_of_address(viewer.address))
            work.commit()
        if not is_right:
            is_over = code is None or not code.guesses_left
            error = CodeOverError if is_over else ViewerUnknownError
            raise error(rule=PlaybackRule.SHARE_VIEWER_UNKNOWN)
        left_s = max(1, int((share.expires_at - now).total_seconds()))
        remembered_s = min(left_s, SHARE_REMEMBERED_S)
        return RecognisedViewer(
            video=self._shown(share, video),
            remembered=self.playback.recognise(share, video, remembered_s),
            remembered_s=remembered_s,
        )

    def recall(self, share_id: str, remembered: str) -> SharedVideo | None:
        """
        Return what the page shows to a browser that was let in before.

        Returns:
            None if it was not, or too long ago.

        Raises:
            HvError: As in SharePlayback.find.
        """
        share, video = self.playback.find_beginning(share_id)
        if not self.playback.is_recognised(share, remembered):
            return None
        return self._shown(share, video)

    def _shown(self, share: ShareLink, video: Playable) -> SharedVideo:
        token = self.playback.recognise(share, video, SHARE_VIEWER_VALID_S)
        return self.playback.show(share, video, viewer_token=token)


def _order(code: ShareCode) -> NewTask:
    return NewTask(
        kind=SHARE_CODE_SEND,
        lane=Lane.OUTBOUND,
        org_id=code.org_id,
        subject=code.id,
    )


def _refuse(share: ShareLink, client: str) -> None:
    LOG_LINES.write(
        _log,
        logging.WARNING,
        "share link guessed at",
        client=client,
        extra={"hv_share": without_credentials(share.id)},
    )
    RATE_LIMITED.add("share-codes")
    raise RateLimitExceededError(
        TOO_MANY,
        headers={"Retry-After": str(int(GUESS_WINDOW.total_seconds()))},
        rule=PlaybackRule.SHARE_GUESSED_AT,
    )
