"""
Error pages of the dashboard, always with the request's id.

A missing page looks the same, whether it never existed or belongs to somebody else.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

import attrs
import falcon

from hvcore.errors import HvError, InternalError, NotFoundError, UnavailableError
from hvcore.services.sign_in.sessions import SignInSessions
from hvcore_dashboard.answers import Answers, is_partial
from hvcore_dashboard.deleted_meanwhile import DeletedMeanwhileError, tell_deleted
from hvcore_dashboard.gate import SignedOutError
from hvcore_dashboard.returns import keep_return
from hvcore_dashboard.routes import ROUTES
from hvcore_dashboard.routing import ROOT, PageRoute
from hvcore_dashboard.visits import Visit
from hvcore_web.assets import NOT_INSTALLED
from hvcore_web.errors import (
    note_crash,
    note_failure,
    note_rate_limit,
    send_problem,
    translate,
)


class ErrorText(NamedTuple):
    """The title and text of an error page; if the text is empty, the error's own text is shown."""

    title: str
    text: str = ""


TEXTS: Final[Mapping[int, ErrorText]] = {
    401: ErrorText("Sign in to go on"),
    403: ErrorText("You may not do this"),
    404: ErrorText(
        "There is no such page",
        "It was removed, or the address is wrong, or it belongs to an organization "
        "that you are not a member of.",
    ),
    405: ErrorText("There is no such page", "Go back and use the page's own buttons."),
    409: ErrorText("Something has changed meanwhile"),
    413: ErrorText("That is too large"),
    429: ErrorText("That was too often"),
    500: ErrorText(
        "Something went wrong here",
        "It is our fault, and was written down. Try again; if it happens again, tell "
        "whoever runs this service the request below.",
    ),
    503: ErrorText("The service is not ready"),
    507: ErrorText("There is no room for more"),
}
OTHER: Final = ErrorText("That did not work")


@attrs.frozen(kw_only=True)
class ErrorPages:
    """Answers errors with a page, a fragment, JSON for scripts, or a redirect to signing in."""

    answers: Answers
    sessions: SignInSessions

    def install(self, app: falcon.App[falcon.Request, falcon.Response]) -> None:
        """Make the dashboard's app answer every error with a page, a fragment, JSON or a redirect."""
        app.add_error_handler(Exception, self._handle_crash)
        app.add_error_handler(falcon.HTTPError, self._handle_http_error)
        app.add_error_handler(HvError, self._handle_error)

    def _handle_http_error(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        error: falcon.HTTPError,
        params: Mapping[str, object],
    ) -> None:
        self._handle_error(req, resp, translate(error), params)

    def _handle_crash(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        error: Exception,
        _params: Mapping[str, object],
    ) -> None:
        note_crash(req, error)
        self._answer(req, resp, InternalError())

    def _handle_error(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        error: HvError,
        _params: Mapping[str, object],
    ) -> None:
        note_failure(req, error)
        note_rate_limit(req, error)
        route: PageRoute | None = getattr(req.context, "route", None)
        is_unknown_path = route is None and error.http_status == NotFoundError.status
        if is_unknown_path and req.path.startswith(f"{ROOT}/static/"):
            send_problem(req, resp, error)
            return
        if is_unknown_path and req.method == "GET" and self._visit(req) is None:
            error = SignedOutError()
        self._answer(req, resp, error)

    def _answer(
        self, req: falcon.Request, resp: falcon.Response, error: HvError
    ) -> None:
        route: PageRoute | None = getattr(req.context, "route", None)
        is_lost = isinstance(error, SignedOutError)
        if route is not None and route.is_for_scripts:
            send_problem(req, resp, error)
        elif is_lost and is_partial(req):
            resp.status = error.http_status
            resp.set_header("HX-Redirect", self._sign_in(self._page_of(req)))
        elif is_lost and req.method == "GET":
            resp.status = falcon.HTTP_303
            resp.location = self._sign_in(_address_of(req))
        elif is_lost:
            self._show_unsaved(req, resp, error)
        elif isinstance(error, DeletedMeanwhileError):
            resp.status = error.http_status
            tell_deleted(self.answers, req, resp, error)
        else:
            self._show(req, resp, error)
        for name, value in error.headers.items():
            resp.set_header(name, value)

    def _show_unsaved(
        self, req: falcon.Request, resp: falcon.Response, error: HvError
    ) -> None:
        """Answer a form that comes when its session has ended."""
        resp.status = error.http_status
        back = _form_page(req)
        keep_return(self.answers.cookies, resp, back)
        values = {"address": self._sign_in(back)}
        self.answers.unscripted(req, resp, "unsaved.html", values)

    def _show(self, req: falcon.Request, resp: falcon.Response, error: HvError) -> None:
        resp.status = error.http_status
        title, text = TEXTS.get(error.http_status, OTHER)
        if error.detail == NOT_INSTALLED:
            text = NOT_INSTALLED
        values = {"title": title, "text": text or error.detail, "back": ""}
        if is_partial(req):
            self.answers.fragment(req, resp, "problem.html", values)
            # What was asked for stays as it is.
            resp.set_header("HX-Retarget", "#messages")
            resp.set_header("HX-Reswap", "innerHTML")
            return
        # Else a provider that is down would be waited for twice.
        is_down = isinstance(error, UnavailableError)
        req.context.visit = self._visit(req, asks=not is_down)
        if req.method == "POST" and error.http_status != NotFoundError.status:
            values["back"] = self.answers.as_browsers_see(_form_page(req))
        self.answers.unscripted(req, resp, "error.html", values)

    def _visit(self, req: falcon.Request, *, asks: bool = True) -> Visit | None:
        """
        Return the visit of an error page, without an organization.

        The organization of a path may be somebody else's.

        Args:
            asks: Whether a session is looked for that the gate did not find.
        """
        found: Visit | None = getattr(req.context, "visit", None)
        if found is not None:
            return attrs.evolve(found, organization=None)
        if not asks:
            return None
        try:
            person = self.sessions.person_of(self.answers.cookies.session(req))
        except HvError:
            # Such as a database that is down: then that is what is shown.
            return None
        return None if person is None else Visit(person=person)

    def _page_of(self, req: falcon.Request) -> str:
        """Return the page that htmx works on, with our root."""
        shown = req.get_header("HX-Current-URL") or ""
        path = "/" + shown.partition("://")[2].partition("/")[2]
        page = ROOT + path.removeprefix(self.answers.cookies.root)
        # A list that is searched: with what is being searched for.
        is_itself = page.partition("?")[0] == req.path
        return _address_of(req) if is_itself else page

    def _sign_in(self, back: str) -> str:
        is_start = back.rstrip("/") == ROOT
        return self.answers.top("sign-in", next=None if is_start else back)


def _form_page(req: falcon.Request) -> str:
    """Return the page of a form: where it is sent, or what is above that."""
    pages = {route.path for route in ROUTES if route.method == "GET"}
    template, path = req.uri_template or "", req.path
    while template not in pages and template.startswith(f"{ROOT}/"):
        template, path = template.rpartition("/")[0], path.rpartition("/")[0]
    query = f"?{req.query_string}" if req.query_string else ""
    return (path if template in pages else ROOT) + query


def _address_of(req: falcon.Request) -> str:
    query = f"?{req.query_string}" if req.query_string else ""
    return req.path + query
