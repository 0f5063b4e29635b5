"""The page that mails a sign-in link to a member who asks for one."""

import falcon

from hvcore.errors import InvalidParametersError, NotFoundError, RateLimitExceededError
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.forms import read_form
from hvcore_dashboard.pages.sign_in.resources import client_of


class SignInMailResource:
    """
    ``POST /dashboard/sign-in/mail``: mails a sign-in link, if the address is a member's.

    The answer is the same for every address. ``GET``, as after a reload, redirects to the form.
    """

    def __init__(self, desk: Desk) -> None:
        self._answers = desk.answers
        self._mailed = desk.services.mailed_sign_ins

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        self._answers.go(req, resp, self._answers.top("sign-in"))

    def on_post(self, req: falcon.Request, resp: falcon.Response) -> None:
        if not self._mailed.can_be_asked:
            raise NotFoundError
        form = read_form(req)
        back, email = form.text("next"), form.text("email")
        try:
            self._mailed.ask(email, return_to=back, client_address=client_of(req))
        except (InvalidParametersError, RateLimitExceededError) as error:
            resp.status = error.http_status
            for name, value in error.headers.items():
                resp.set_header(name, value)
            values = {
                "has_provider": False,
                "can_mail": True,
                "back": back,
                "form": form.refused(error),
            }
            self._answers.page(req, resp, "sign_in/page.html", values)
            return
        self._answers.page(
            req, resp, "sign_in/mailed.html", {"email": email, "back": back}
        )
