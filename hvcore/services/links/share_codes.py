"""
Recognise the viewer of a share link by a code that is mailed to the viewer's address.

Whether an entered address is the viewer's or not, the page says the same and takes the same
time: neither shows which address is right. Guesses of strangers are counted by client, and
shut out nobody else (docs/decisions/0147).
"""

import logging
from collections.abc import Sequence
from datetime import datetime
from typing import Final

import attrs

from hvcore.clock import Clock
from hvcore.domain.ids import ShareCodeId
from hvcore.domain.limits import SHARE_REMEMBERED_S, SHARE_VIEWER_VALID_S
from hvcore.domain.links.links import GUESS_WINDOW, ShareLink
from hvcore.domain.links.share_codes import (
    CODE_WINDOW,
    MAX_CODE_GUESSES,
    MAX_GUESSES_OF_ALL,
    MAX_MAILS,
    ShareCode,
    recipient_of,
)
from hvcore.domain.playback.rules import PlaybackRule
from hvcore.domain.playback.viewer import Viewer
from hvcore.domain.tasks.kinds import SHARE_CODE_SEND
from hvcore.domain.tasks.task import Lane, NewTask
from hvcore.errors import RateLimitExceededError
from hvcore.metrics.declared import RATE_LIMITED
from hvcore.ports.unit_of_work import UnitOfWork, Work
from hvcore.services.links.share_link_playback import (
    SharedVideo,
    ShareLinkPlayback,
    ViewerUnknownError,
)
from hvcore.services.playback.playable import Playable
from hvcore.throttling.log_lines import LOG_LINES, without_credentials
from hvcore.throttling.shares import client_of_address

_log = logging.getLogger(__name__)

TOO_MANY: Final = "Too many addresses were tried; try again later."
_GUESSES_OF_ALL: Final = "codes of all"


@attrs.frozen(kw_only=True)
class RecognisedViewer:
    """
    A viewer of a share link who has entered the right code.

    Attributes:
        video: The facts that the page shows.
        remembered: The token that the browser shows instead of a code the next time.
        remembered_s: How many seconds that token is valid.
    """

    video: SharedVideo
    remembered: str = attrs.field(repr=False)
    remembered_s: int


@attrs.frozen(kw_only=True)
class ShareCodes:
    """Mail codes to the viewers of share links, and check the codes they enter."""

    uow: UnitOfWork
    playback: ShareLinkPlayback
    clock: Clock

    def ask(self, share_id: str, email: str, viewer: Viewer) -> ShareCodeId:
        """
        Order a mail with a code, if the entered address is that of the share link's viewer.

        Clients that name too many addresses are refused, but the viewer is never refused for what
        other clients ask: after MAX_MAILS mails in a window, the code of the newest one still works.

        Returns:
            The id that the browser sends together with the code.

        Raises:
            RateLimitExceededError: This client has named too many addresses.
            HvError: The share link is unknown or over, or its video is not ready.
        """
        share, _ = self.playback.find_beginning(share_id)
        client = client_of_address(viewer.address)
        now = self.clock.now()
        code = ShareCode.make(share, email, now)
        with self.uow.write() as work:
            # Locked: who asks at the same moment is counted, too.
            work.shares.find(share.id, for_update=True)
            may_ask = work.shares.take_guess(share.id, client, now)
            if may_ask:
                self._order(work, share, code)
            # A queue that takes its time would tell which address is right.
            work.commit(rings=False)
        if not may_ask:
            _note(share, client)
            raise RateLimitExceededError(
                TOO_MANY,
                headers={"Retry-After": str(int(GUESS_WINDOW.total_seconds()))},
                rule=PlaybackRule.SHARE_GUESSED_AT,
            )
        return code.id

    def _order(self, work: Work, share: ShareLink, code: ShareCode) -> None:
        """Order the mail with a code; for another address, do as much and keep nothing."""
        since = code.created_at - CODE_WINDOW
        work.share_codes.remove_old(since)
        made = work.share_codes.made_for(_recipient(share), since)
        with work.undoing(keeps=code.is_for_viewer and made < MAX_MAILS):
            work.share_codes.add(code)
            work.tasks.add([_mail_task(code)])

    def confirm(
        self, share_id: str, code_id: str, entered: str, viewer: Viewer
    ) -> RecognisedViewer:
        """
        Let in a viewer who enters the right code of a share link; the code is used up.

        Raises:
            ViewerUnknownError: The code is wrong or has expired, or too many were entered.
                Which of these is not told: it depends on whose address was named.
            HvError: The share link is unknown or over, or its video is not ready.
        """
        share, video = self.playback.find_beginning(share_id)
        client = client_of_address(viewer.address)
        now = self.clock.now()
        with self.uow.write() as work:
            # Locked: of two who enter a code at the same moment, one is let in.
            work.shares.find(share.id, for_update=True)
            codes = self._guessed_at(work, share, code_id, client, now)
            right = next((code for code in codes or () if code.is_right(entered)), None)
            if right is not None and not work.share_codes.use(right.id, now):
                right = None
            if right is not None:
                for counted in (client, _guesses_of(client)):
                    work.shares.forget_guesses(share.id, counted)
            work.commit()
        if codes is None:
            _note(share, client)
        if right is None:
            raise ViewerUnknownError(rule=PlaybackRule.SHARE_VIEWER_UNKNOWN)
        left_s = max(1, int((share.expires_at - now).total_seconds()))
        remembered_s = min(left_s, SHARE_REMEMBERED_S)
        return RecognisedViewer(
            video=self._shown(share, video),
            remembered=self.playback.recognise(share, video, remembered_s),
            remembered_s=remembered_s,
        )

    def _guessed_at(
        self, work: Work, share: ShareLink, code_id: str, client: str, now: datetime
    ) -> Sequence[ShareCode] | None:
        """
        Count a code that was entered; return those that it may be.

        The browser that asked for a code has guesses at it that nobody else uses up.
        Others have some by who they are, and some all together.

        Returns:
            None if there were too many guesses.
        """
        own = work.share_codes.take_guess(code_id, share.id, now)
        newest = work.share_codes.newest(_recipient(share), now)
        # In this order: who has none left uses up none of the others.
        may_guess = work.shares.take_guess(
            share.id, _guesses_of(client), now, most=MAX_CODE_GUESSES
        ) and work.shares.take_guess(
            share.id, _GUESSES_OF_ALL, now, most=MAX_GUESSES_OF_ALL
        )
        if own is None and not may_guess:
            return None
        return [code for code in (own, newest) if code is not None]

    def recall(self, share_id: str, remembered: str) -> SharedVideo | None:
        """
        Return the facts of a share link's page for a browser that was let in before.

        Args:
            remembered: The token that the browser got when it was let in.

        Returns:
            None if the browser was not let in, or too long ago.

        Raises:
            HvError: The share link is unknown or over, or its video is not ready.
        """
        share, video = self.playback.find_beginning(share_id)
        if not self.playback.is_recognised(share, remembered):
            return None
        return self._shown(share, video)

    def _shown(self, share: ShareLink, video: Playable) -> SharedVideo:
        token = self.playback.recognise(share, video, SHARE_VIEWER_VALID_S)
        return self.playback.show(share, video, viewer_token=token)


def _mail_task(code: ShareCode) -> NewTask:
    return NewTask(
        kind=SHARE_CODE_SEND,
        lane=Lane.OUTBOUND,
        org_id=code.org_id,
        subject=code.id,
    )


def _recipient(share: ShareLink) -> str:
    return recipient_of(share.id, share.viewer_email or "")


def _guesses_of(client: str) -> str:
    return f"codes of {client}"


def _note(share: ShareLink, client: str) -> None:
    LOG_LINES.write(
        _log,
        logging.WARNING,
        "share link guessed at",
        client=client,
        extra={"hv_share": without_credentials(share.id)},
    )
    RATE_LIMITED.add("share-codes")
