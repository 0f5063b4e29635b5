"""Mail share links to their viewers: the work of ``share-link.send`` tasks."""

import hashlib
import logging
from datetime import timedelta
from typing import Final

import attrs

from hvcore.domain.links.links import ShareLink
from hvcore.domain.shown_text import one_line
from hvcore.domain.videos.states import VideoState
from hvcore.domain.videos.video import Video
from hvcore.ports.mail import Mail, Mailer, MailRefusedError
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.services.links.share_links import ShareLinks
from hvcore.services.tasks.leases import TaskRun

_log = logging.getLogger(__name__)
_SUBJECT_CHARS: Final = 80
BIN_WAITS: Final = timedelta(minutes=15)
"""The pause before a mail with a link to a video in the bin is tried again."""


@attrs.frozen(kw_only=True)
class ShareLinkMails:
    """Mail each share link to its viewer once this was ordered; see ShareLinks.create_all."""

    uow: UnitOfWork
    shares: ShareLinks
    mailer: Mailer

    def send(self, run: TaskRun) -> None:
        """
        Mail the share link that a task names, unless it has ended meanwhile.

        Raises:
            UnavailableError: The mail server does not take it now.
        """
        found = self._find(run.task.subject)
        if found is None:
            run.finish()
            return
        share, video = found
        if video.state is VideoState.DELETED:
            self._await_restore(run, video)
            return
        mail = _mail(share, video.name, self.shares.share_url(share))
        try:
            self.mailer.send(mail)
        except MailRefusedError as error:
            _log.warning(
                "share link not sent",
                extra={"hv_task": run.task.id, "hv_why": str(error)},
            )
            with self.uow.write() as work:
                work.tasks.fail(run.task, error=str(error))
                run.charge(work)
                work.commit()
            return
        run.finish()

    def _await_restore(self, run: TaskRun, video: Video) -> None:
        """Ask again in a while if the video is in the bin; otherwise its links have ended."""
        with self.uow.write() as work:
            if video.is_restorable(work.now()):
                why = "The video is in the bin; the link plays once it is restored."
                run.put_back(work, not_before=work.now() + BIN_WAITS, error=why)
            else:
                run.finish(work)
            work.commit()

    def _find(self, share_id: str) -> tuple[ShareLink, Video] | None:
        with self.uow.read() as work:
            now = work.now()
            share = work.shares.find(share_id)
            video = None if share is None else work.videos.find(share.video_id)
        if share is None or video is None or not share.is_valid_at(now):
            return None
        return (share, video) if share.viewer_email is not None else None


def _mail(share: ShareLink, name: str, share_url: str) -> Mail:
    shown = one_line(name) or "A video without a name"
    until = f"{share.expires_at.day} {share.expires_at:%B %Y, %H:%M} UTC"
    text = f"""\
A video was shared with this address:

    {shown}

Watch it until {until}:

    {share_url}

Only this address can watch it there: the page first sends a code to it.

If you do not expect a video, do nothing.
"""
    subject = f"A video for you: {shown[:_SUBJECT_CHARS]}"
    to = share.viewer_email or ""
    # Mail servers log the id of a mail, and whoever has the link's own id has the link.
    mail_id = hashlib.sha256(share.id.encode()).hexdigest()
    return Mail(id=mail_id, to=to, subject=subject, text=text)
