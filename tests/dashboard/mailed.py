"""
Mails of the dashboard, and how people use them.
"""

import re
from collections.abc import Sequence
from email.message import EmailMessage
from typing import Final
from urllib.parse import urlencode

import attrs
from falcon.testing import Result

from hvcore.domain.tasks.kinds import SIGN_IN_MAIL_SEND
from hvcore.domain.tasks.task import Task
from hvcore_dashboard.forms import URLENCODED
from tests.dashboard.opened import HOST, Dashboard
from tests.support.network.mail_server import MailServer

ASK: Final = "/dashboard/sign-in/mail"
LINK: Final = "/dashboard/sign-in/link"
_LINK: Final = re.compile(r"https://\S+/sign-in/link#(\S+)")


@attrs.frozen(kw_only=True)
class Mailing:
    """
    A dashboard, and the mail server that it has.
    """

    dashboard: Dashboard
    server: MailServer

    def tasks(self, kind: str = SIGN_IN_MAIL_SEND) -> Sequence[Task]:
        """
        Return the tasks that mail, those that ended included.
        """
        with self.dashboard.world.services.uow.read() as work:
            return work.tasks.search(kind=kind)

    def run(self, kind: str = SIGN_IN_MAIL_SEND) -> Sequence[EmailMessage]:
        """
        Have a worker do what is due; return the mails that came since.
        """
        before = len(self.server.messages)
        for task in self.tasks(kind):
            self.dashboard.world.services.task_runs.run(
                task.id, worker="w", stopping=lambda: False
            )
        return self.server.messages[before:]

    def ask(
        self, email: str, *, back: str = "", client: str = "192.0.2.1", **headers: str
    ) -> Result:
        """
        Ask for a link on the sign-in page.
        """
        fields = {"email": email, "next": back}
        return self.send(ASK, fields, client=client, **headers)

    def send(
        self, path: str, fields: dict[str, str], *, client: str = "", **headers: str
    ) -> Result:
        """
        Send a form without a session.
        """
        return self.dashboard.client.simulate_post(
            path,
            headers={"Content-Type": URLENCODED, **headers},
            body=urlencode(fields),
            remote_addr=client or "192.0.2.1",
            host=HOST,
        )

    def use(self, code: str, **headers: str) -> Result:
        """
        Press the button of a link's page.
        """
        return self.send(LINK, {"code": code}, **headers)


def codes_in(mail: EmailMessage) -> Sequence[str]:
    """
    Return the codes of the links that a mail has.
    """
    return _LINK.findall(mail.get_content())
