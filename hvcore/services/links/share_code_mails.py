"""Mail codes to the viewers of share links: the work of ``share-code.send`` tasks."""

import logging
from datetime import timedelta

import attrs

from hvcore.domain.links.share_codes import CODE_VALID, ShareCode
from hvcore.domain.shown_text import one_line
from hvcore.ports.mail import Mail, Mailer, MailRefusedError
from hvcore.ports.unit_of_work import UnitOfWork
from hvcore.services.tasks.leases import TaskRun

_log = logging.getLogger(__name__)


@attrs.frozen(kw_only=True)
class ShareCodeMails:
    """Mail each code to its viewer once it was ordered; see ShareCodes.ask."""

    uow: UnitOfWork
    mailer: Mailer

    def send(self, run: TaskRun) -> None:
        """
        Mail the code that a task names, unless it is not for the viewer or has expired.

        Raises:
            UnavailableError: The mail server does not take it now.
        """
        mail = self._find(run.task.subject)
        if mail is None:
            run.finish()
            return
        try:
            self.mailer.send(mail)
        except MailRefusedError as error:
            _log.warning(
                "code not sent",
                extra={"hv_task": run.task.id, "hv_why": str(error)},
            )
            with self.uow.write() as work:
                work.tasks.fail(run.task, error=str(error))
                run.charge(work)
                work.commit()
            return
        run.finish()

    def _find(self, code_id: str) -> Mail | None:
        with self.uow.read() as work:
            now = work.now()
            code = work.share_codes.find(code_id)
            if code is None or not code.is_for_viewer or now >= code.expires_at:
                return None
            share = work.shares.find(code.share_id)
            video = work.videos.find(code.video_id)
        if share is None or video is None or not share.is_valid_at(now):
            return None
        if share.viewer_email is None:
            return None
        return _mail(code, share.viewer_email, video.name)


def _mail(code: ShareCode, to: str, name: str) -> Mail:
    minutes = CODE_VALID // timedelta(minutes=1)
    text = f"""\
A video was shared with this address:

    {one_line(name) or "without a name"}

Your code to watch it is {code.code}. It is good for {minutes} minutes, and once.
If you have several mails like this one, use the newest.

If you have not asked for it, do nothing. Without the code, nobody watches the video.
"""
    return Mail(id=code.id, to=to, subject=f"Your code is {code.code}", text=text)
