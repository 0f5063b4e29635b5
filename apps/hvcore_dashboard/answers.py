"""Answer a request of the dashboard with a page, with a fragment of a page, or with a redirect."""

from collections.abc import Mapping, Sequence
from typing import Final

import attrs
import falcon
from jinja2 import Environment as Templates

from hvcore.errors import UnavailableError
from hvcore_dashboard.cookies import LAST, Cookies, FlashMessage, Tone
from hvcore_dashboard.forms import Form
from hvcore_dashboard.list_places import keeps_place, place_of
from hvcore_dashboard.page_contexts import PageContext
from hvcore_dashboard.routing import ROOT, PageRoute
from hvcore_dashboard.security import PLAIN, ContentPolicy, new_nonce
from hvcore_web.assets import Assets
from hvcore_web.middleware import request_id
from hvcore_web.pages import PAGE_TYPE

POLICY: Final = "Content-Security-Policy"


@attrs.frozen(kw_only=True)
class Answers:
    """
    Answers requests with pages and fragments, which templates render.

    Attributes:
        routes: All pages, in the order of the navigation.
        policy: The origins from which every page loads pictures of videos.
    """

    templates: Templates
    assets: Assets
    cookies: Cookies
    routes: Sequence[PageRoute]
    policy: ContentPolicy

    def page(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        template: str,
        values: Mapping[str, object],
        *,
        policy: ContentPolicy = PLAIN,
    ) -> None:
        """
        Answer with a whole page; the status set on the response is kept.

        Args:
            template: The path of the template below ``templates/``.
            values: Values for the template. It has ``here`` (a PageContext) besides, and shows
                at the top that a form was refused if a form among the values has errors.
            policy: The origins from which this page loads, besides those of every page.
        """
        # Not without what it loads; this raises.
        _ = self.assets.build
        messages = self.cookies.messages(req)
        if messages:
            self.cookies.tell(resp, ())
        context = self._context(req, nonce=new_nonce(), messages=messages)
        forms = (value for value in values.values() if isinstance(value, Form))
        refused = next((form for form in forms if form.errors), None)
        self._render(resp, template, context, {"refused": refused, **values})
        self._remember_organization(req, resp, context)
        allowed = self.policy.joined(policy)
        resp.set_header(POLICY, allowed.header(context.nonce))

    def fragment(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        template: str,
        values: Mapping[str, object],
    ) -> None:
        """
        Answer with a fragment of a page, which htmx puts into the page.

        Args:
            template: The path of the template below ``templates/``.
            values: Values for the template, which has ``here`` (a PageContext) besides.
        """
        # htmx takes the nonce of the answer for that of the page.
        context = self._context(req, nonce=new_nonce(), messages=())
        self._render(resp, template, context, values)
        resp.set_header(POLICY, PLAIN.header(context.nonce))

    def unscripted(
        self,
        req: falcon.Request,
        resp: falcon.Response,
        template: str,
        values: Mapping[str, object],
    ) -> None:
        """
        Answer with a page that loads no script, such as an error page.

        The page has no nonce and shows no messages, so that all pages about something missing
        have the same bytes.

        Args:
            template: The path of the template below ``templates/``.
            values: Values for the template, which has ``here`` (a PageContext) besides.
        """
        context = self._context(req, nonce="", messages=())
        self._render(resp, template, context, values)
        resp.set_header(POLICY, self.policy.header(""))

    def go(  # noqa: PLR0913 - what the next page shows
        self,
        req: falcon.Request,
        resp: falcon.Response,
        address: str,
        *,
        message: str = "",
        tone: Tone = "good",
        undo: Sequence[str] = (),
    ) -> None:
        """
        Redirect the browser to another page, after a change.

        Args:
            address: The page's address, from address() or top().
            message: A message that the other page shows once; empty for none.
            undo: The ids of deleted videos that a button beside the message restores.
        """
        if message:
            told = [
                *self.cookies.messages(req),
                FlashMessage(message, tone, tuple(undo)),
            ]
            self.cookies.tell(resp, told)
        if is_partial(req):
            # A redirect would be followed by htmx, and the page put into a fragment.
            resp.status = 204
            resp.set_header("HX-Redirect", address)
            return
        resp.status = falcon.HTTP_303
        resp.location = address

    def address(self, req: falcon.Request, *parts: str, **values: object) -> str:
        """
        Return the address of a page in the organization and environment of the request.

        Args:
            parts: The parts of the path behind the organization.
            values: Parameters of the query; those that are empty or None are left out.
        """
        return self._context(req, nonce="", messages=()).url(*parts, **values)

    def list_address(self, req: falcon.Request) -> str:
        """Return the address of the list of videos with the search, filters and page of the request."""
        return self._context(req, nonce="", messages=()).list_url

    def as_browsers_see(self, path: str) -> str:
        """Return a path of the dashboard under the root of its public address, as browsers see it."""
        return self.cookies.root + path.removeprefix(ROOT)

    def top(self, *parts: str, **values: object) -> str:
        """
        Return the address of a dashboard page that belongs to no organization.

        Args:
            parts: The parts of the path behind the dashboard's root.
            values: Parameters of the query; those that are empty or None are left out.
        """
        context = PageContext(
            root=self.cookies.root,
            static="",
            nonce="",
            request_id="",
            path="",
            visit=None,
            messages=(),
            routes=(),
        )
        return context.top(*parts, **values)

    def _remember_organization(
        self, req: falcon.Request, resp: falcon.Response, context: PageContext
    ) -> None:
        """Keep the page's organization for the navigation of pages that belong to none."""
        here = context.organization
        if here is None:
            return
        last = f"{here.org_id}.{here.env.id if here.env else ''}"
        if self.cookies.read(req, LAST) != last:
            self.cookies.keep(resp, LAST, last)

    def _context(
        self,
        req: falcon.Request,
        *,
        nonce: str,
        messages: Sequence[FlashMessage],
    ) -> PageContext:
        root = self.cookies.root
        return PageContext(
            root=root,
            static=f"{root}/static/{self._build()}",
            nonce=nonce,
            request_id=request_id(req),
            path=self.as_browsers_see(req.path),
            visit=getattr(req.context, "visit", None),
            messages=messages,
            routes=self.routes,
            list_place=place_of(req, root=root, env=req.get_param("env")),
            keeps_place=keeps_place(req),
        )

    def _build(self) -> str:
        try:
            return self.assets.build
        except UnavailableError:
            # The page says so without its looks.
            return "missing"

    def _render(
        self,
        resp: falcon.Response,
        template: str,
        context: PageContext,
        values: Mapping[str, object],
    ) -> None:
        text = self.templates.get_template(template).render(here=context, **values)
        resp.content_type = PAGE_TYPE
        # Halves of characters, as names may have them.
        resp.data = text.encode("utf-8", "replace")


def is_partial(req: falcon.Request) -> bool:
    """Return whether the request comes from htmx, which puts the answer into a page."""
    return req.get_header("HX-Request") == "true"
