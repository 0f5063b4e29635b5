"""The pages for signing in and signing out."""

import falcon

from hvcore.errors import ForbiddenError, RateLimitExceededError, UnavailableError
from hvcore.ports.sign_in import LINK_BACKEND, SignInRefusedError
from hvcore.services.sign_in.sessions import StartedSession
from hvcore.services.sign_in.sign_ins import safe_return
from hvcore_dashboard.cookies import LAST, SIGN_IN
from hvcore_dashboard.desk import Desk
from hvcore_dashboard.forms import Form, read_form
from hvcore_dashboard.returns import keep_return, take_return
from hvcore_dashboard.routing import ROOT
from hvcore_dashboard.security import is_opened
from hvcore_web.viewers import client_address

# On shared computers: what was begun, and what pages looked like.
_CLEARED = '"cache", "storage"'


class SignInResource:
    """``GET /dashboard/sign-in``: the page that offers the ways of signing in."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._backend = desk.services.settings.sign_in.backend

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        answers = self._desk.answers
        if _is_signed_in(self._desk, req):
            answers.go(req, resp, _address(self._desk, req.get_param("next") or ROOT))
            return
        back = req.get_param("next")
        if back:
            keep_return(self._desk.cookies, resp, back)
        values = {
            "has_provider": self._backend != LINK_BACKEND,
            "can_mail": self._desk.services.mailed_sign_ins.can_be_asked,
            "back": back or "",
            "form": Form(),
        }
        answers.page(req, resp, "sign_in/page.html", values)


class SignInBeginResource:
    """
    ``GET /dashboard/sign-in/begin``: redirects to the identity provider.

    The page has a link to it and no form: a ``form-action`` policy would also apply to the
    provider's address.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._sign_ins = desk.services.sign_ins

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        _check_opened(req)
        begun = self._sign_ins.begin(
            return_to=req.get_param("next") or f"{ROOT}/",
            client_address=client_of(req),
        )
        self._desk.cookies.keep(resp, SIGN_IN, begun.cookie, max_age_s=begun.lasts_s)
        resp.status = falcon.HTTP_303
        resp.location = begun.address


class SignInCallbackResource:
    """``GET /dashboard/sign-in/callback``: signs in a person whom the identity provider sends back."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._sessions = desk.services.sign_in_sessions
        self._sign_ins = desk.services.sign_ins

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        _check_opened(req)
        try:
            done = self._sign_ins.complete(
                {name: req.get_param(name) or "" for name in req.params},
                cookie=self._desk.cookies.read(req, SIGN_IN),
                client_address=client_of(req),
            )
        except SignInRefusedError as error:
            resp.status = error.http_status
            self._desk.answers.page(
                req, resp, "sign_in/refused.html", {"text": error.detail}
            )
            return
        finally:
            self._desk.cookies.forget(resp, SIGN_IN)
        self._sessions.sign_out(self._desk.cookies.session(req))
        _start(self._desk, resp, done.session)
        self._desk.answers.go(req, resp, _address(self._desk, done.return_to))


class SignInLinkResource:
    """
    ``/dashboard/sign-in/link``: signs a person in by the code of a one-time link.

    The code stands behind ``#`` in the link, where only the page's script sees it. ``GET``
    does not use the code up, so programs that open links beforehand do no harm.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._sessions = desk.services.sign_in_sessions
        self._sign_ins = desk.services.sign_ins

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        self._show(req, resp, Form())

    def on_post(self, req: falcon.Request, resp: falcon.Response) -> None:
        form = read_form(req)
        try:
            done = self._sign_ins.complete_link_of_page(
                form.text("code"), client_address=client_of(req)
            )
        except (RateLimitExceededError, SignInRefusedError) as error:
            resp.status = error.http_status
            for name, value in error.headers.items():
                resp.set_header(name, value)
            self._show(req, resp, form.refused(error))
            return
        self._sessions.sign_out(self._desk.cookies.session(req))
        started = done.session
        _start(self._desk, resp, started)
        cookies = self._desk.cookies
        asked = take_return(cookies, req, resp, started.person, mailed=done.return_to)
        self._desk.answers.go(req, resp, _address(self._desk, asked))

    def _show(self, req: falcon.Request, resp: falcon.Response, form: Form) -> None:
        values = {
            "form": form,
            "can_mail": self._desk.services.mailed_sign_ins.can_be_asked,
            "signed_in": _is_signed_in(self._desk, req),
        }
        self._desk.answers.page(req, resp, "sign_in/link.html", values)


class SignOutResource:
    """
    ``POST /dashboard/sign-out``: ends this session, or with ``everywhere`` all of the person's.

    ``GET`` is the page to which an identity provider leads after signing out.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._sessions = desk.services.sign_in_sessions

    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        self._show(req, resp, None)

    def on_post(self, req: falcon.Request, resp: falcon.Response) -> None:
        sessions, cookies = self._sessions, self._desk.cookies
        cookie = cookies.session(req)
        if read_form(req).is_checked("everywhere"):
            address = sessions.sign_out_everywhere(cookie)
        else:
            address = sessions.sign_out(cookie)
        cookies.end_session(resp)
        cookies.forget(resp, LAST)
        resp.set_header("Clear-Site-Data", _CLEARED)
        del req.context.visit
        self._show(req, resp, address)

    def _show(
        self, req: falcon.Request, resp: falcon.Response, address: str | None
    ) -> None:
        self._desk.answers.page(
            req, resp, "sign_in/signed_out.html", {"address": address}
        )
        if address is not None:
            # The policy of forms would not let a redirect lead elsewhere.
            resp.set_header("Refresh", f"0; url={address}")


def _check_opened(req: falcon.Request) -> None:
    if not is_opened(req):
        raise ForbiddenError("Open this address as a page of its own.")


def _start(desk: Desk, resp: falcon.Response, started: StartedSession) -> None:
    desk.cookies.start_session(resp, started.value, max_age_s=started.lasts_s)


def _address(desk: Desk, path: str) -> str:
    """Return the address of a page of ours, as browsers see it."""
    return desk.answers.as_browsers_see(safe_return(path))


def client_of(req: falcon.Request) -> str:
    """Return the IP address of the client that sent a request."""
    return client_address(req.remote_addr, req.get_header("X-Forwarded-For"))


def _is_signed_in(desk: Desk, req: falcon.Request) -> bool:
    """Return whether a request comes from a browser with a session."""
    sessions = desk.services.sign_in_sessions
    try:
        return sessions.person_of(desk.cookies.session(req)) is not None
    except UnavailableError:
        # One-time links work while a provider is down.
        return False
